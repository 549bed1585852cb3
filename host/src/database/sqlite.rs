//! Files of SQLite: a write-ahead log, so that readers wait for no writer, and steps that bring a file of an earlier
//! host up to this one. Knows no table.

use std::path::Path;
use std::str::FromStr;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::{PATIENCE, StoreError};

/// What a file is to hold.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// For people: `a store of …`.
    pub what: &'static str,
    /// SQLite's number for files of this kind; 0: none.
    pub application_id: i32,
    /// What each version adds to the one before. What was released is not changed.
    pub migrations: &'static [&'static str],
    /// Whether a commit has reached the disk when it returns: then not even a loss of power takes it.
    pub durable: bool,
    /// How many connections read at once.
    pub connections: u32,
}

/// The file, which is made where it is not there.
pub async fn open(file: &Path, schema: &Schema) -> Result<SqlitePool, StoreError> {
    let synchronous = match schema.durable {
        true => SqliteSynchronous::Full,
        false => SqliteSynchronous::Normal,
    };
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(PATIENCE);
    prepared(options, schema, &file.display().to_string()).await
}

/// The file, to be read and not changed: whoever writes it may be at it, or nobody.
pub async fn open_to_read(file: &Path, schema: &Schema) -> Result<SqlitePool, StoreError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(PATIENCE);
    let place = file.display().to_string();
    match readable(options.clone(), schema, &place).await {
        // Who reads a log writes beside it; where nobody can write, nobody changes the file, and without a log it is
        // all there is.
        Err(StoreError::Open { .. } | StoreError::Failed { .. }) if is_without_log(file) => {
            readable(options.immutable(true), schema, &place).await
        }
        opened => opened,
    }
}

/// Whether all that was committed is in the file itself.
fn is_without_log(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    file.is_file() && std::fs::metadata(log).map_or(true, |log| log.len() == 0)
}

async fn readable(
    options: SqliteConnectOptions,
    schema: &Schema,
    place: &str,
) -> Result<SqlitePool, StoreError> {
    let pool = connected(options, schema, place).await?;
    let failed = failed("read the version of the store");
    let mut connection = pool.acquire().await.map_err(&failed)?;
    let found = number(&mut connection, "PRAGMA user_version").await.map_err(&failed)?;
    recognised(&mut connection, schema, place, found).await?;
    drop(connection);
    let known = schema.migrations.len() as i64;
    match found == known {
        true => Ok(pool),
        false => Err(StoreError::Version { place: place.to_owned(), found, known }),
    }
}

/// A database that is gone with its last clone.
pub async fn in_memory(schema: &Schema) -> Result<SqlitePool, StoreError> {
    let place = "in memory";
    let options = SqliteConnectOptions::from_str("sqlite::memory:");
    let options = options.map_err(|error| unopened(place, &error))?;
    prepared(options, &Schema { connections: 1, ..*schema }, place).await
}

/// An error of this step.
pub fn failed(step: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| StoreError::Failed { step, reason: reason(&error) }
}

fn unopened(place: &str, error: &sqlx::Error) -> StoreError {
    StoreError::Open { place: place.to_owned(), reason: reason(error) }
}

/// What is wrong, and where it is nobody's fault but the machine's, what to do.
fn reason(error: &sqlx::Error) -> String {
    let sqlx::Error::Database(told) = error else { return error.to_string() };
    // <https://www.sqlite.org/rescode.html>; the lower byte is the kind.
    let kind = told.code().and_then(|code| code.parse::<i32>().ok()).map_or(0, |code| code & 0xff);
    let advice = match kind {
        5 | 6 => "another program holds it; close that one",
        8 => "it cannot be written; look at the rights of the file and of its folder",
        10 => "the disk does not do it; look whether it is full, and whether it is sound",
        13 => "make room on the disk",
        11 | 26 => "the file is damaged, or no database at all",
        _ => return told.message().to_owned(),
    };
    format!("{} ({advice})", told.message())
}

async fn connected(
    options: SqliteConnectOptions,
    schema: &Schema,
    place: &str,
) -> Result<SqlitePool, StoreError> {
    SqlitePoolOptions::new()
        .max_connections(schema.connections)
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
        .map_err(|error| unopened(place, &error))
}

async fn prepared(
    options: SqliteConnectOptions,
    schema: &Schema,
    place: &str,
) -> Result<SqlitePool, StoreError> {
    let pool = connected(options, schema, place).await?;
    let failed = failed("prepare the store");
    let mut work = pool.begin().await.map_err(&failed)?;
    let found = number(&mut work, "PRAGMA user_version").await.map_err(&failed)?;
    if found != 0 {
        recognised(&mut work, schema, place, found).await?;
    }
    let known = schema.migrations.len() as i64;
    let done = usize::try_from(found).ok().and_then(|done| schema.migrations.get(done..));
    let Some(missing) = done else {
        return Err(StoreError::Version { place: place.into(), found, known });
    };
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *work).await.map_err(&failed)?;
    }
    if !missing.is_empty() {
        // Numbers of a pragma cannot be bound; these are ours.
        let id = schema.application_id;
        let marks = format!("PRAGMA user_version = {known}; PRAGMA application_id = {id}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(marks)).execute(&mut *work).await.map_err(&failed)?;
    }
    work.commit().await.map_err(&failed)?;
    Ok(pool)
}

/// Refuses a file that another kind of program made, or another part of this one.
async fn recognised(
    connection: &mut sqlx::SqliteConnection,
    schema: &Schema,
    place: &str,
    version: i64,
) -> Result<(), StoreError> {
    let id = number(connection, "PRAGMA application_id").await;
    let id = id.map_err(failed("read what the store is"))?;
    if version == 0 || id != i64::from(schema.application_id) {
        return Err(StoreError::Foreign { place: place.to_owned(), what: schema.what });
    }
    Ok(())
}

async fn number(
    connection: &mut sqlx::SqliteConnection,
    pragma: &'static str,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(pragma).fetch_one(connection).await
}
