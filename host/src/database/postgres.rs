//! Databases on a server of PostgreSQL: opened for one kind of store, steps that bring one of an earlier host up to this
//! one, locks that end with whoever holds them. Knows no table but the mark that says what a database is.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};

use super::place::NO_TLS;
use super::{PATIENCE, StoreError, Url};

/// The lock under which a database is prepared: of two hosts that find it empty one makes it.
const PREPARES: i64 = 0x5362_6f61_7264_0001;

/// What a database is to hold.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// For people: `a store of …`.
    pub what: &'static str,
    /// The word that marks databases of this kind.
    pub kind: &'static str,
    /// What each version adds to the one before. What was released is not changed.
    pub migrations: &'static [&'static str],
    /// Whether a commit has reached the disk when it returns, as far as the server is set so.
    pub durable: bool,
    /// How many connections there are at most, those of their own left out.
    pub connections: u32,
    /// How long one is waited for: whoever has lost the server finds it again in that time, or says so.
    pub patience: Duration,
}

/// A database that is open.
pub struct Database {
    /// Connections that are made when they are needed, and made anew where they were lost.
    pub pool: PgPool,
    options: PgConnectOptions,
    place: String,
}

impl Database {
    /// Opens a database; one that is empty is prepared.
    pub async fn open(url: &Url, schema: &Schema) -> Result<Self, StoreError> {
        let place = url.to_string();
        let options = options(url, schema)?;
        let mut connection = connected(&options, &place).await?;
        prepared(&mut connection, schema, &place).await?;
        Ok(Self::of(connection, options, schema, place).await)
    }

    /// Opens a database to read from it: nothing can be written by it.
    pub async fn open_to_read(url: &Url, schema: &Schema) -> Result<Self, StoreError> {
        let place = url.to_string();
        let options = options(url, schema)?.options([("default_transaction_read_only", "on")]);
        let mut connection = connected(&options, &place).await?;
        let found = version(&mut connection, schema, &place).await?;
        let known = schema.migrations.len() as i64;
        match found {
            0 => Err(StoreError::Foreign { place, what: schema.what }),
            found if found != known => Err(StoreError::Version { place, found, known }),
            _ => Ok(Self::of(connection, options, schema, place).await),
        }
    }

    async fn of(
        connection: PgConnection,
        options: PgConnectOptions,
        schema: &Schema,
        place: String,
    ) -> Self {
        // It has done its work, however the server takes leave of it.
        let _ = connection.close().await;
        let pool = PgPoolOptions::new()
            .max_connections(schema.connections)
            .acquire_timeout(schema.patience)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options.clone());
        Self { pool, options, place }
    }

    /// A connection of its own, with all that ends when it ends.
    pub async fn connection(&self) -> Result<PgConnection, StoreError> {
        connected(&self.options, &self.place).await
    }
}

/// An error of this step.
pub fn failed(step: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| StoreError::Failed { step, reason: reason(&error) }
}

/// A text as a database takes it: it has no place for a zero.
pub fn storable(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

fn options(url: &Url, schema: &Schema) -> Result<PgConnectOptions, StoreError> {
    let options =
        PgConnectOptions::from_str(url.with_password()).map_err(|_| StoreError::Open {
            place: url.to_string(),
            // What the library says may repeat what was typed.
            reason: "this is no URL of a database: postgres://USER:PASSWORD@HOST:PORT/DATABASE"
                .into(),
        })?;
    let options = match options.get_application_name() {
        Some(_) => options,
        None => options.application_name("sandboard"),
    };
    let options = match schema.durable {
        true => options,
        false => options.options([("synchronous_commit", "off")]),
    };
    // A host that is gone without a word holds its locks no longer than a minute or so.
    let options = options.options([
        ("tcp_keepalives_idle", "30"),
        ("tcp_keepalives_interval", "10"),
        ("tcp_keepalives_count", "3"),
    ]);
    // What costs a server a second is its operator's to look at.
    Ok(options.disable_statement_logging())
}

async fn connected(options: &PgConnectOptions, place: &str) -> Result<PgConnection, StoreError> {
    let connecting = tokio::time::timeout(PATIENCE, PgConnection::connect_with(options)).await;
    let unopened = |error| StoreError::Open { place: place.to_owned(), reason: reason(&error) };
    connecting.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(unopened)
}

async fn prepared(
    connection: &mut PgConnection,
    schema: &Schema,
    place: &str,
) -> Result<(), StoreError> {
    let failed = failed("prepare the store");
    let mut work = connection.begin().await.map_err(&failed)?;
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(PREPARES);
    lock.execute(&mut *work).await.map_err(&failed)?;
    let found = version(&mut work, schema, place).await?;
    let known = schema.migrations.len() as i64;
    let done = usize::try_from(found).ok().and_then(|done| schema.migrations.get(done..));
    let Some(missing) = done else {
        return Err(StoreError::Version { place: place.into(), found, known });
    };
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *work).await.map_err(&failed)?;
    }
    if found == 0 {
        let mark = "CREATE TABLE sandboard_store (kind TEXT PRIMARY KEY, version BIGINT NOT NULL)";
        sqlx::raw_sql(mark).execute(&mut *work).await.map_err(&failed)?;
    }
    if !missing.is_empty() {
        let mark = sqlx::query(
            "INSERT INTO sandboard_store (kind, version) VALUES ($1, $2)
             ON CONFLICT (kind) DO UPDATE SET version = excluded.version",
        );
        let mark = mark.bind(schema.kind).bind(known);
        mark.execute(&mut *work).await.map_err(&failed)?;
    }
    work.commit().await.map_err(&failed)
}

/// The version that a database is of; 0: there is nothing in it. Refuses one that another kind of program made, or
/// another part of this one.
async fn version(
    connection: &mut PgConnection,
    schema: &Schema,
    place: &str,
) -> Result<i64, StoreError> {
    let failed = failed("read the version of the store");
    let foreign = || StoreError::Foreign { place: place.to_owned(), what: schema.what };
    let tables = sqlx::query_as(
        "SELECT count(*), count(*) FILTER (WHERE tablename = 'sandboard_store')
         FROM pg_tables WHERE schemaname = current_schema()",
    );
    let (all, marks): (i64, i64) = tables.fetch_one(&mut *connection).await.map_err(&failed)?;
    match (all, marks) {
        (0, _) => return Ok(0),
        (_, 0) => return Err(foreign()),
        _ => {}
    }
    let mark = sqlx::query_as("SELECT kind, version FROM sandboard_store");
    let mark: Option<(String, i64)> = match mark.fetch_optional(&mut *connection).await {
        Ok(mark) => mark,
        // A table of that name that is another's.
        Err(sqlx::Error::Database(_) | sqlx::Error::ColumnDecode { .. }) => None,
        Err(error) => return Err(failed(error)),
    };
    match mark {
        Some((kind, version)) if kind == schema.kind && version > 0 => Ok(version),
        _ => Err(foreign()),
    }
}

/// What is wrong, and what to do about it.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(told) => {
            let message = told.message();
            match told.code().as_deref().and_then(|code| advice(code, message)) {
                Some(advice) => format!("{message} ({advice})"),
                None => message.to_owned(),
            }
        }
        sqlx::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::NotFound => {
                format!("{error} (is the server running, and is that its address?)")
            }
            ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => {
                format!("the connection to the server is lost: {error} (is it still running?)")
            }
            _ => error.to_string(),
        },
        sqlx::Error::PoolTimedOut => "the server does not answer (is it running?)".to_owned(),
        sqlx::Error::Tls(_) => NO_TLS.to_owned(),
        // What was typed may be in it.
        sqlx::Error::Configuration(_) => "the URL or a PG variable is not understood".to_owned(),
        other => other.to_string(),
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn advice(code: &str, message: &str) -> Option<String> {
    let advice = match code {
        "28P01" => {
            "look at the user and at the password: in the URL, in PGPASSWORD or in ~/.pgpass"
        }
        "28000" => "look at the user, and at whom the server's pg_hba.conf lets in",
        "3D000" => {
            let name = message.split('"').nth(1).unwrap_or("NAME");
            return Some(format!("make it: createdb {name}"));
        }
        "3F000" => "make the schema that the search path names",
        "25006" => "this is a copy that is read from, or it was opened to read",
        "42501" => "the user needs the right to do so in this database",
        "53100" => "make room on the server's disk",
        "53300" => "raise max_connections of the server, or end other programs",
        "57P01" | "57P02" | "57P03" => "the server ends or begins; go on when it runs",
        _ => return None,
    };
    Some(advice.to_owned())
}

#[cfg(test)]
#[path = "tests_postgres.rs"]
pub mod test;
