//! Opens SQLite files: with a write-ahead log, so that readers do not wait for writers, and with
//! migrations from the schema of earlier hosts. Knows no tables.
//!
//! Invariant: when a process ends other than by a kill, no file that it wrote has anything in its
//! write-ahead log only, so a copy of the file alone is complete. SQLite moves the log into the
//! file only when the last connection of all processes closes, and a reader may be the last.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};

use super::{StoreError, WAIT_MAX};
use sandboard_common::file_modes;
use sandboard_common::files::open_regular;

/// The files that this process has opened for writing.
static WRITTEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The longest wait for another process when a write-ahead log is moved into its file. The log is
/// part of the store, so that nothing is lost if it stays.
pub const LOG_WAIT_MAX: Duration = Duration::from_secs(2);

/// The pause between two attempts to open a locked file.
const LOCK_POLL: Duration = Duration::from_millis(10);

/// The expected content of a file.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// A name for messages: `a store of …`.
    pub description: &'static str,
    /// SQLite's number for files of this kind; 0: none.
    pub application_id: i32,
    /// What each version adds to the previous one. A released migration never changes.
    pub migrations: &'static [&'static str],
    /// Whether a commit is on the disk when it returns, so that a power failure does not lose it.
    pub durable: bool,
    /// The number of connections.
    pub connections: u32,
}

/// Opens a file, which is created if it does not exist. Only its owner can read it afterwards.
pub async fn open(file: &Path, schema: &Schema) -> Result<SqlitePool, StoreError> {
    let failed = |error: std::io::Error| StoreError::Open {
        location: file.display().to_string(),
        reason: error.to_string(),
    };
    if !file.exists() {
        file_modes::create_file(file).map_err(failed)?;
    }
    let synchronous = match schema.durable {
        true => SqliteSynchronous::Full,
        false => SqliteSynchronous::Normal,
    };
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .pragma("trusted_schema", "OFF")
        .busy_timeout(WAIT_MAX);
    let pool = prepare(options, schema, &file.display().to_string()).await?;
    // The working folder may change.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    // Now it is known to be a store. SQLite creates logs with the mode of the file.
    for ending in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        if let Some(note) = file_modes::make_private(Path::new(&path)).map_err(failed)? {
            log::warn!("{note}");
        }
    }
    Ok(pool)
}

/// Moves the write-ahead log into the file and closes all connections. A log that another process
/// holds for more than [`LOG_WAIT_MAX`] stays, and is reported as a warning.
pub async fn close(pool: &SqlitePool) {
    if let Ok(mut connection) = pool.acquire().await
        && !empty_log(&mut connection, LOG_WAIT_MAX).await
    {
        // The end of the process does not wait for the same lock again.
        let file = pool.connect_options().get_filename().to_owned();
        let path = std::path::absolute(&file).unwrap_or(file);
        WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&path);
    }
    pool.close().await;
}

/// Moves the write-ahead logs of all files that this process has written into them, for the end of
/// the process: threads that did not come back may still have them open. Waits up to `wait` for
/// each file that another process has locked.
pub fn empty_all_logs(wait: Duration) {
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let with_log: Vec<PathBuf> = written.into_iter().filter(|it| !is_without_log(it)).collect();
    if with_log.is_empty() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        for file in with_log {
            let options = SqliteConnectOptions::new().filename(&file).busy_timeout(wait);
            // The file may be gone.
            if let Ok(mut connection) = SqliteConnection::connect_with(&options).await {
                empty_log(&mut connection, wait).await;
                let _ = connection.close().await;
            }
        }
    });
}

/// Moves the write-ahead log into the file, and makes the log empty. False if another process has
/// locked the file for longer than `wait`, which is reported as a warning.
async fn empty_log(connection: &mut SqliteConnection, wait: Duration) -> bool {
    let limit = format!("PRAGMA busy_timeout = {}", wait.as_millis());
    if let Err(error) = sqlx::raw_sql(sqlx::AssertSqlSafe(limit)).execute(&mut *connection).await {
        log::debug!("the wait for a write-ahead log is not limited: {error}");
    }
    let checkpoint = sqlx::query_scalar::<_, i64>("PRAGMA wal_checkpoint(TRUNCATE)");
    match checkpoint.fetch_one(connection).await {
        Ok(0) => true,
        Ok(_) => {
            log::warn!(
                "another program reads a store, so that its latest content is only in the file \
                 that ends in `-wal`: copy this file, too"
            );
            false
        }
        Err(error) => {
            // It was opened for reading.
            log::debug!("a write-ahead log is not emptied: {error}");
            true
        }
    }
}

/// Opens a file for reading. Other processes may write to it.
pub async fn open_to_read(file: &Path, schema: &Schema) -> Result<SqlitePool, StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .busy_timeout(WAIT_MAX)
        .pragma("trusted_schema", "OFF");
    let location = file.display().to_string();
    // SQLite would wait for the other end of a named pipe.
    if let Err(error) = open_regular(file) {
        return Err(StoreError::Open { location, reason: error.to_string() });
    }
    match open_readable(options.clone(), schema, &location).await {
        // Reading a write-ahead log requires writing an index file beside it, which fails on a
        // read-only medium. There the file cannot change, so without a log it can be opened as
        // immutable.
        Err(StoreError::Open { .. } | StoreError::Failed { .. }) if is_without_log(file) => {
            open_readable(options.immutable(true), schema, &location).await
        }
        opened => opened,
    }
}

/// Whether everything that was committed is in the file itself.
fn is_without_log(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    file.is_file() && std::fs::metadata(log).map_or(true, |log| log.len() == 0)
}

async fn open_readable(
    options: SqliteConnectOptions,
    schema: &Schema,
    location: &str,
) -> Result<SqlitePool, StoreError> {
    let pool = connect(options, schema, location).await?;
    let failed = failed("read the version of the store");
    let mut connection = pool.acquire().await.map_err(&failed)?;
    let found = read_pragma(&mut connection, "PRAGMA user_version").await.map_err(&failed)?;
    check_kind(&mut connection, schema, location, found).await?;
    let known = schema.migrations.len() as i64;
    if found != known {
        return Err(StoreError::Version { location: location.to_owned(), found, known });
    }
    check_objects(&mut connection, schema, location).await?;
    drop(connection);
    Ok(pool)
}

/// Opens a database in memory, which is lost with its last connection.
pub async fn in_memory(schema: &Schema) -> Result<SqlitePool, StoreError> {
    let location = "in memory";
    let options = SqliteConnectOptions::from_str("sqlite::memory:");
    let options = options.map_err(|error| open_error(location, &error))?;
    prepare(options, &Schema { connections: 1, ..*schema }, location).await
}

/// Makes the errors of an operation.
pub fn failed(step: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| StoreError::Failed { step, reason: reason(&error) }
}

fn open_error(location: &str, error: &sqlx::Error) -> StoreError {
    StoreError::Open { location: location.to_owned(), reason: reason(error) }
}

/// SQLite's primary result code of an error: <https://www.sqlite.org/rescode.html>.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?.parse::<i32>().ok()?;
    Some(code & 0xff)
}

/// The message of an error, with advice if the machine is the cause.
fn reason(error: &sqlx::Error) -> String {
    let sqlx::Error::Database(details) = error else { return error.to_string() };
    let advice = match primary_code(error).unwrap_or(0) {
        5 | 6 => "another program has locked it; close that program",
        8 => "it cannot be written; check the permissions of the file and of its folder",
        10 => "the disk failed; check whether it is full or damaged",
        13 => "make room on the disk",
        11 | 26 => "the file is damaged, or not a database",
        _ => return details.message().to_owned(),
    };
    format!("{} ({advice})", details.message())
}

/// Opens the connections. SQLite does not wait for readers when it switches a new file to its
/// write-ahead log, so this does: up to [`WAIT_MAX`].
async fn connect(
    options: SqliteConnectOptions,
    schema: &Schema,
    location: &str,
) -> Result<SqlitePool, StoreError> {
    connect_noting_waits(options, schema, location, || ()).await
}

/// As [`connect`]. Calls `on_wait` each time that the file is locked, before it waits.
async fn connect_noting_waits(
    options: SqliteConnectOptions,
    schema: &Schema,
    location: &str,
    on_wait: impl Fn(),
) -> Result<SqlitePool, StoreError> {
    let begin = Instant::now();
    let options = options.disable_statement_logging();
    loop {
        let pool = SqlitePoolOptions::new()
            .max_connections(schema.connections)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await;
        match pool {
            Err(error) if is_locked(&error) && begin.elapsed() < WAIT_MAX => {
                on_wait();
                tokio::time::sleep(LOCK_POLL).await;
            }
            pool => return pool.map_err(|error| open_error(location, &error)),
        }
    }
}

/// Whether another connection has the database locked.
fn is_locked(error: &sqlx::Error) -> bool {
    primary_code(error).is_some_and(|code| matches!(code, 5 | 6))
}

async fn prepare(
    options: SqliteConnectOptions,
    schema: &Schema,
    location: &str,
) -> Result<SqlitePool, StoreError> {
    prepare_noting_waits(options, schema, location, || ()).await
}

/// As [`prepare`]. Calls `on_wait` each time that the file is locked, before it waits. SQLite does
/// not always wait itself: a transaction that has read cannot write if another connection has
/// written since. So this begins again, for up to [`WAIT_MAX`].
async fn prepare_noting_waits(
    options: SqliteConnectOptions,
    schema: &Schema,
    location: &str,
    on_wait: impl Fn(),
) -> Result<SqlitePool, StoreError> {
    let begin = Instant::now();
    let pool = connect_noting_waits(options, schema, location, &on_wait).await?;
    loop {
        match migrate(&pool, schema, location).await {
            Err(error) if is_locked(&error) && begin.elapsed() < WAIT_MAX => {
                on_wait();
                tokio::time::sleep(LOCK_POLL).await;
            }
            Err(error) => return Err(failed("prepare the store")(error)),
            Ok(migrated) => return migrated.map(|()| pool),
        }
    }
}

/// Applies the missing migrations, and checks what is there. The outer error may be temporary.
async fn migrate(
    pool: &SqlitePool,
    schema: &Schema,
    location: &str,
) -> Result<Result<(), StoreError>, sqlx::Error> {
    let mut work = pool.begin().await?;
    let found = read_pragma(&mut work, "PRAGMA user_version").await?;
    if found != 0
        && let Err(error) = check_kind(&mut work, schema, location, found).await
    {
        return Ok(Err(error));
    }
    let known = schema.migrations.len() as i64;
    let done = usize::try_from(found).ok().and_then(|done| schema.migrations.get(done..));
    let Some(missing) = done else {
        return Ok(Err(StoreError::Version { location: location.into(), found, known }));
    };
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *work).await?;
    }
    if !missing.is_empty() {
        // Pragmas take no bound parameters; both numbers are constants.
        let id = schema.application_id;
        let pragmas = format!("PRAGMA user_version = {known}; PRAGMA application_id = {id}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas)).execute(&mut *work).await?;
    }
    if let Err(error) = check_objects(&mut work, schema, location).await {
        return Ok(Err(error));
    }
    work.commit().await.map(Ok)
}

/// Tables, indexes, triggers and views: type, name, table, definition.
type Objects = BTreeSet<(String, String, String, Option<String>)>;

/// Refuses a file whose tables, indexes, triggers or views are not exactly those of the migrations.
/// A file of a stranger could contain a trigger that changes results when this host writes.
async fn check_objects(
    connection: &mut sqlx::SqliteConnection,
    schema: &Schema,
    location: &str,
) -> Result<(), StoreError> {
    let failed = failed("read the tables of the store");
    let mut model = SqliteConnection::connect("sqlite::memory:").await.map_err(&failed)?;
    for migration in schema.migrations {
        sqlx::raw_sql(*migration).execute(&mut model).await.map_err(&failed)?;
    }
    let expected = objects(&mut model).await.map_err(&failed)?;
    let found = objects(connection).await.map_err(&failed)?;
    let Some((kind, name, ..)) = found.symmetric_difference(&expected).next() else {
        return Ok(());
    };
    let name = sandboard_common::text::plain(name);
    let reason = format!("its {kind} `{name}` is missing, unknown or has another definition");
    Err(StoreError::Open { location: location.to_owned(), reason })
}

/// All objects, without the statistics that `ANALYZE` writes.
async fn objects(connection: &mut sqlx::SqliteConnection) -> Result<Objects, sqlx::Error> {
    let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema \
                 WHERE name NOT IN ('sqlite_stat1', 'sqlite_stat4')";
    Ok(sqlx::query_as(query).fetch_all(connection).await?.into_iter().collect())
}

/// Refuses a file of another program, or of another kind of store.
async fn check_kind(
    connection: &mut sqlx::SqliteConnection,
    schema: &Schema,
    location: &str,
    version: i64,
) -> Result<(), StoreError> {
    let id = read_pragma(connection, "PRAGMA application_id").await;
    let id = id.map_err(failed("read the kind of the store"))?;
    if version == 0 || id != i64::from(schema.application_id) {
        return Err(StoreError::Foreign {
            location: location.to_owned(),
            description: schema.description,
        });
    }
    Ok(())
}

async fn read_pragma(
    connection: &mut sqlx::SqliteConnection,
    pragma: &'static str,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(pragma).fetch_one(connection).await
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    const SCHEMA: Schema = Schema {
        description: "a store of a test",
        application_id: 7,
        migrations: &["CREATE TABLE numbers (number INTEGER)"],
        durable: true,
        connections: 2,
    };

    async fn add_number(pool: &SqlitePool) {
        sqlx::query("INSERT INTO numbers VALUES (1)").execute(pool).await.unwrap();
    }

    /// The numbers in a copy of the file alone.
    async fn numbers_in_copy(file: &Path) -> i64 {
        let copy = file.with_extension("copy");
        std::fs::copy(file, &copy).unwrap();
        let pool = open_to_read(&copy, &SCHEMA).await.unwrap();
        let number = sqlx::query_scalar("SELECT count(*) FROM numbers").fetch_one(&pool).await;
        pool.close().await;
        number.unwrap()
    }

    #[tokio::test]
    async fn a_closed_file_is_complete_although_a_reader_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        let pool = open(&file, &SCHEMA).await.unwrap();
        let reader = open_to_read(&file, &SCHEMA).await.unwrap();
        add_number(&pool).await;
        close(&pool).await;
        assert!(is_without_log(&file));
        assert_eq!(numbers_in_copy(&file).await, 1);
        // Closing a reader changes nothing.
        close(&reader).await;
        assert_eq!(numbers_in_copy(&file).await, 1);
    }

    #[tokio::test]
    async fn the_end_of_the_process_does_not_wait_again_for_a_locked_file() {
        let folder = tempfile::tempdir().unwrap();
        for (name, locks) in [("locked.db", true), ("free.db", false)] {
            let file = folder.path().join(name);
            let pool = open(&file, &SCHEMA).await.unwrap();
            add_number(&pool).await;
            let mut other = SqliteConnection::connect_with(&pool.connect_options()).await.unwrap();
            if locks {
                sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
            }
            close(&pool).await;
            let is_listed = WRITTEN.lock().unwrap().contains(&file);
            assert_eq!(is_listed, !locks, "{name}");
            // A log that stays is part of the store.
            let reader = open_to_read(&file, &SCHEMA).await.unwrap();
            let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM numbers");
            assert_eq!(count.fetch_one(&reader).await.unwrap(), 1, "{name}");
        }
    }

    #[tokio::test]
    async fn a_file_that_was_not_closed_is_complete_at_the_end_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let [file, gone] = ["store.db", "gone.db"].map(|name| folder.path().join(name));
        let pool = open(&file, &SCHEMA).await.unwrap();
        close(&open(&gone, &SCHEMA).await.unwrap()).await;
        std::fs::remove_file(&gone).unwrap();
        add_number(&pool).await;
        tokio::task::spawn_blocking(|| empty_all_logs(WAIT_MAX)).await.unwrap();
        assert_eq!(numbers_in_copy(&file).await, 1);
        assert!(!gone.exists());
        // The connections still work.
        add_number(&pool).await;
        pool.close().await;
    }

    #[tokio::test]
    async fn a_file_that_a_writer_has_locked_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("store.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(Duration::ZERO);
        let mut writer = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut writer).await.unwrap();
        let (waits, writer) = (Cell::new(0), RefCell::new(Some(writer)));
        let release = || {
            waits.set(waits.get() + 1);
            // Dropping the connection ends its transaction.
            drop(writer.take());
        };
        let pool = prepare_noting_waits(options, &SCHEMA, "it", release).await.unwrap();
        assert!(waits.get() >= 1, "the file was not locked");
        add_number(&pool).await;
        pool.close().await;
    }

    #[tokio::test]
    async fn a_new_file_that_a_reader_has_locked_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
        let mut reader = SqliteConnection::connect_with(&options).await.unwrap();
        // Until its transaction ends, the reader holds a lock. SQLite itself does not wait for it
        // here, as is sometimes the case when it switches a file to a write-ahead log.
        sqlx::raw_sql("CREATE TABLE a (b); INSERT INTO a VALUES (1); BEGIN; SELECT * FROM a")
            .execute(&mut reader)
            .await
            .unwrap();
        let (waits, reader) = (Cell::new(0), RefCell::new(Some(reader)));
        let options = options.journal_mode(SqliteJournalMode::Wal).busy_timeout(Duration::ZERO);
        let release = || {
            waits.set(waits.get() + 1);
            // Dropping the connection ends its transaction.
            drop(reader.take());
        };
        let pool = connect_noting_waits(options, &SCHEMA, "it", release).await.unwrap();
        assert!(waits.get() >= 1, "the file was not locked");
        pool.close().await;
    }
}
