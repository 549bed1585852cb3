//! Opens PostgreSQL databases for one kind of store, with migrations from the schema of earlier
//! hosts. Knows no tables except the one that marks the kind and version of a database.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};

use super::location::NO_TLS;
use super::{StoreError, Url, WAIT_MAX};

/// The lock under which a database is prepared: of several hosts that find it empty, one creates
/// the tables.
const PREPARE_LOCK: i64 = 0x5362_6f61_7264_0001;

/// The expected content of a database.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// A name for messages: `a store of …`.
    pub description: &'static str,
    /// The word that marks databases of this kind.
    pub kind: &'static str,
    /// What each version adds to the previous one. A released migration never changes.
    pub migrations: &'static [&'static str],
    /// Whether a commit is on the disk when it returns, with the default settings of the server.
    pub durable: bool,
    /// The most pooled connections.
    pub connections: u32,
    /// The longest wait for a pooled connection. If the server is lost, an operation reconnects or
    /// fails within this time.
    pub acquire_timeout: Duration,
}

/// An open database.
pub struct Database {
    /// Connections, made on demand and replaced when they are lost.
    pub pool: PgPool,
    options: PgConnectOptions,
    location: String,
}

impl Database {
    /// Opens a database. An empty one is prepared.
    pub async fn open(url: &Url, schema: &Schema) -> Result<Self, StoreError> {
        let location = url.to_string();
        let options = options(url, schema)?;
        let mut connection = connect(&options, &location).await?;
        prepare(&mut connection, schema, &location).await?;
        Ok(Self::of(connection, options, schema, location).await)
    }

    /// Opens a database for reading only.
    pub async fn open_to_read(url: &Url, schema: &Schema) -> Result<Self, StoreError> {
        let location = url.to_string();
        let options = options(url, schema)?.options([("default_transaction_read_only", "on")]);
        let mut connection = connect(&options, &location).await?;
        let found = version(&mut connection, schema, &location).await?;
        let known = schema.migrations.len() as i64;
        match found {
            0 => Err(StoreError::Foreign { location, description: schema.description }),
            found if found != known => Err(StoreError::Version { location, found, known }),
            _ => Ok(Self::of(connection, options, schema, location).await),
        }
    }

    async fn of(
        connection: PgConnection,
        options: PgConnectOptions,
        schema: &Schema,
        location: String,
    ) -> Self {
        // The connection is no longer needed, so errors do not matter.
        let _ = connection.close().await;
        let pool = PgPoolOptions::new()
            .max_connections(schema.connections)
            .acquire_timeout(schema.acquire_timeout)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options.clone());
        Self { pool, options, location }
    }

    /// A separate connection, for locks that end with it.
    pub async fn connection(&self) -> Result<PgConnection, StoreError> {
        connect(&self.options, &self.location).await
    }
}

/// Makes the errors of an operation.
pub fn failed(step: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| StoreError::Failed { step, reason: reason(&error) }
}

/// A text as PostgreSQL accepts it: zero characters are replaced.
pub fn storable(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

fn options(url: &Url, schema: &Schema) -> Result<PgConnectOptions, StoreError> {
    let options =
        PgConnectOptions::from_str(url.with_password()).map_err(|_| StoreError::Open {
            location: url.to_string(),
            // The library's message may repeat the URL.
            reason:
                "this is not the URL of a database: postgres://USER:PASSWORD@HOST:PORT/DATABASE"
                    .into(),
        })?;
    let variable = |name: &str| std::env::var(name).ok();
    if url.is_from_folder() && variable("PGPASSWORD").is_some() {
        check_password_host(url, &options, variable("PGHOST").as_deref())?;
    }
    let options = match options.get_application_name() {
        Some(_) => options,
        None => options.application_name("sandboard"),
    };
    let options = match schema.durable {
        true => options,
        false => options.options([("synchronous_commit", "off")]),
    };
    // A host that disappears without closing its connections loses its locks after about a minute.
    let options = options.options([
        ("tcp_keepalives_idle", "30"),
        ("tcp_keepalives_interval", "10"),
        ("tcp_keepalives_count", "3"),
    ]);
    // Slow statements are for the operator of the database server to log.
    Ok(options.disable_statement_logging())
}

/// Checks that the password in `PGPASSWORD` is for this host: a folder of a stranger may name any.
fn check_password_host(
    url: &Url,
    options: &PgConnectOptions,
    password_host: Option<&str>,
) -> Result<(), StoreError> {
    let socket = options.get_socket().and_then(|path| path.to_str());
    let host = socket.unwrap_or(options.get_host());
    if password_host == Some(host) {
        return Ok(());
    }
    let reason = format!(
        "a file of the folder names this database, so the password in PGPASSWORD is sent only if \
         PGHOST is `{}`: set it, or put the password into ~/.pgpass",
        sandboard_common::text::plain(host)
    );
    Err(StoreError::Open { location: url.to_string(), reason })
}

async fn connect(options: &PgConnectOptions, location: &str) -> Result<PgConnection, StoreError> {
    let connecting = tokio::time::timeout(WAIT_MAX, PgConnection::connect_with(options)).await;
    let open_error =
        |error| StoreError::Open { location: location.to_owned(), reason: reason(&error) };
    connecting.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(open_error)
}

async fn prepare(
    connection: &mut PgConnection,
    schema: &Schema,
    location: &str,
) -> Result<(), StoreError> {
    let failed = failed("prepare the store");
    let mut work = connection.begin().await.map_err(&failed)?;
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(PREPARE_LOCK);
    lock.execute(&mut *work).await.map_err(&failed)?;
    let found = version(&mut work, schema, location).await?;
    let known = schema.migrations.len() as i64;
    let done = usize::try_from(found).ok().and_then(|done| schema.migrations.get(done..));
    let Some(missing) = done else {
        return Err(StoreError::Version { location: location.into(), found, known });
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

/// The version of a database; 0 if it is empty. Refuses a database of another program, or of
/// another kind of store.
async fn version(
    connection: &mut PgConnection,
    schema: &Schema,
    location: &str,
) -> Result<i64, StoreError> {
    let failed = failed("read the version of the store");
    let foreign =
        || StoreError::Foreign { location: location.to_owned(), description: schema.description };
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
        // A table with this name of another program.
        Err(sqlx::Error::Database(_) | sqlx::Error::ColumnDecode { .. }) => None,
        Err(error) => return Err(failed(error)),
    };
    match mark {
        Some((kind, version)) if kind == schema.kind && version > 0 => Ok(version),
        _ => Err(foreign()),
    }
}

/// The message of an error, with advice.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(details) => {
            let message = details.message();
            match details.code().as_deref().and_then(|code| advice(code, message)) {
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
        // The message may repeat the URL.
        sqlx::Error::Configuration(_) => "the URL or a PG variable is invalid".to_owned(),
        other => other.to_string(),
    }
}

/// Advice for an error code of PostgreSQL:
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn advice(code: &str, message: &str) -> Option<String> {
    let advice = match code {
        "28P01" => "check the user and the password: in the URL, in PGPASSWORD or in ~/.pgpass",
        "28000" => "check the user, and the entries of the server's pg_hba.conf",
        "3D000" => {
            let name = message.split('"').nth(1).unwrap_or("NAME");
            return Some(format!("create it: createdb {name}"));
        }
        "3F000" => "create the schema that the search path names",
        "25006" => "this is a read-only replica, or it was opened for reading",
        "42501" => "the user lacks the privilege in this database",
        "53100" => "make room on the server's disk",
        "53300" => "raise max_connections of the server, or end other programs",
        "57P01" | "57P02" | "57P03" => "the server is starting or stopping; try again when it runs",
        _ => return None,
    };
    Some(advice.to_owned())
}

#[cfg(test)]
pub mod test;
#[cfg(test)]
mod tests;
