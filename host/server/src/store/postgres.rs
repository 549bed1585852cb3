//! The store in a PostgreSQL database of one server. A kill of the host or the database at any
//! moment keeps what was committed; a power failure loses at most the last moments.

use sqlx::postgres::PgPool;

use super::{StoreError, queries};
use sandboard_arena::database::postgres::{Database, Schema, failed, storable};
use sandboard_arena::database::{Url, WAIT_MAX};

/// One script for each version of the schema; released scripts never change. Ids are compared by
/// bytes, independent of the database's language.
const MIGRATIONS: [&str; 1] = [r#"
    CREATE TABLE rooms (
        id TEXT COLLATE "C" PRIMARY KEY,
        about TEXT NOT NULL,
        record TEXT
    );
    CREATE TABLE bouts (
        id TEXT COLLATE "C" PRIMARY KEY,
        game TEXT NOT NULL,
        variant TEXT NOT NULL,
        names TEXT NOT NULL,
        engines TEXT NOT NULL,
        sentence TEXT NOT NULL,
        result TEXT NOT NULL,
        plies BIGINT NOT NULL,
        ended_ms BIGINT NOT NULL,
        record TEXT NOT NULL
    );
    CREATE INDEX bouts_by_end ON bouts (ended_ms DESC, id DESC);
    CREATE TABLE bouts_of_engines (
        engine TEXT COLLATE "C" NOT NULL,
        ended_ms BIGINT NOT NULL,
        id TEXT COLLATE "C" NOT NULL
    );
    CREATE UNIQUE INDEX bouts_by_engine ON bouts_of_engines (engine, ended_ms DESC, id DESC);
    CREATE INDEX engines_by_bout ON bouts_of_engines (id);
"#];

const SCHEMA: Schema = Schema {
    description: "a server's store",
    kind: "server",
    migrations: &MIGRATIONS,
    durable: false,
    connections: 4,
    acquire_timeout: WAIT_MAX,
};

/// A store in a PostgreSQL database.
pub(crate) struct Postgres {
    pool: PgPool,
}

impl Postgres {
    /// Opens the store, and creates its tables in an empty database.
    pub(crate) async fn open(url: &Url) -> Result<Self, StoreError> {
        Ok(Self { pool: Database::open(url, &SCHEMA).await?.pool })
    }

    /// Starts a write.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        self.pool.begin().await
    }
}

queries::store!(Postgres, sqlx::postgres::PgRow, sqlx::postgres::PgConnection, "ILIKE", "JOIN");
