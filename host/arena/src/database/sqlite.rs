//! Opens SQLite files: with a write-ahead log, so that readers do not wait for writers, and with
//! migrations from the schema of earlier hosts. Knows no tables.

use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::{StoreError, WAIT_MAX};
use sandboard_common::file_modes;

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
        .busy_timeout(WAIT_MAX);
    let pool = prepare(options, schema, &file.display().to_string()).await?;
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

/// Opens a file for reading. Other processes may write to it.
pub async fn open_to_read(file: &Path, schema: &Schema) -> Result<SqlitePool, StoreError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(WAIT_MAX);
    let location = file.display().to_string();
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
    drop(connection);
    let known = schema.migrations.len() as i64;
    match found == known {
        true => Ok(pool),
        false => Err(StoreError::Version { location: location.to_owned(), found, known }),
    }
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
    let begin = Instant::now();
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
    let pool = connect(options, schema, location).await?;
    let failed = failed("prepare the store");
    let mut work = pool.begin().await.map_err(&failed)?;
    let found = read_pragma(&mut work, "PRAGMA user_version").await.map_err(&failed)?;
    if found != 0 {
        check_kind(&mut work, schema, location, found).await?;
    }
    let known = schema.migrations.len() as i64;
    let done = usize::try_from(found).ok().and_then(|done| schema.migrations.get(done..));
    let Some(missing) = done else {
        return Err(StoreError::Version { location: location.into(), found, known });
    };
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *work).await.map_err(&failed)?;
    }
    if !missing.is_empty() {
        // Pragmas take no bound parameters; both numbers are constants.
        let id = schema.application_id;
        let pragmas = format!("PRAGMA user_version = {known}; PRAGMA application_id = {id}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas)).execute(&mut *work).await.map_err(&failed)?;
    }
    work.commit().await.map_err(&failed)?;
    Ok(pool)
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
