//! The store of a contest in a database of PostgreSQL, one contest in one database.

use sqlx::postgres::PgPool;

use super::{StoreError, queries};
use crate::database::postgres::{Database, Schema, failed};
use crate::database::{PATIENCE, Url};

/// What each version of the store adds to the one before. What was released is not changed.
const MIGRATIONS: [&str; 1] = [r#"
    CREATE TABLE founding (
        one BIGINT PRIMARY KEY CHECK (one = 1),
        file TEXT NOT NULL,
        openings BYTEA,
        seed BYTEA NOT NULL,
        organiser TEXT NOT NULL,
        founded_ms BIGINT NOT NULL
    );
    CREATE TABLE entrants (
        name TEXT COLLATE "C" PRIMARY KEY,
        token TEXT UNIQUE NOT NULL,
        status TEXT NOT NULL,
        reason TEXT NOT NULL,
        since_ms BIGINT NOT NULL
    );
    CREATE TABLE modules (
        sha256 TEXT PRIMARY KEY,
        bytes BYTEA NOT NULL
    );
    CREATE TABLE entries (
        number BIGINT PRIMARY KEY,
        entrant TEXT COLLATE "C" NOT NULL REFERENCES entrants (name),
        sha256 TEXT NOT NULL REFERENCES modules (sha256),
        length BIGINT NOT NULL,
        submitted_ms BIGINT NOT NULL,
        state TEXT NOT NULL,
        report TEXT,
        fingerprint TEXT,
        judged_ms BIGINT
    );
    CREATE INDEX entries_by_entrant ON entries (entrant, submitted_ms);
    CREATE TABLE trials (
        number BIGINT PRIMARY KEY,
        entrant TEXT COLLATE "C" NOT NULL REFERENCES entrants (name),
        entry BIGINT NOT NULL REFERENCES entries (number),
        house TEXT NOT NULL,
        side BIGINT NOT NULL,
        asked_ms BIGINT NOT NULL,
        sentence TEXT,
        record BYTEA
    );
    CREATE INDEX trials_by_entrant ON trials (entrant, number);
    CREATE TABLE acts (
        number BIGINT PRIMARY KEY,
        at_ms BIGINT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE papers (
        name TEXT PRIMARY KEY,
        text TEXT NOT NULL
    );
"#];

const SCHEMA: Schema = Schema {
    what: "the store of a contest",
    kind: "contest",
    migrations: &MIGRATIONS,
    durable: true,
    connections: 4,
    patience: PATIENCE,
};

/// The lock of who writes to the contest.
const WRITES: i64 = 0x5362_436f_0000_0001;

/// A store in a database.
pub struct Postgres {
    pool: PgPool,
}

impl Postgres {
    /// The store in this database, which is prepared where it is empty.
    pub async fn open(url: &Url) -> Result<Self, StoreError> {
        Ok(Self { pool: Database::open(url, &SCHEMA).await?.pool })
    }

    /// Numbers are the next ones of a table: of two who write one waits for the other.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        let mut work = self.pool.begin().await?;
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(WRITES);
        lock.execute(&mut *work).await?;
        Ok(work)
    }
}

queries::store!(Postgres, sqlx::postgres::PgRow, sqlx::postgres::PgConnection);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::store::conformance::conforms;
    use crate::database::postgres::test::new_database;

    #[tokio::test]
    async fn a_store_in_a_database_conforms() {
        conforms(&Postgres::open(&new_database()).await.unwrap()).await;
    }
}
