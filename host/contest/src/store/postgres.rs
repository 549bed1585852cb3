//! The store of a contest in PostgreSQL, one contest per database.

use sqlx::postgres::PgPool;

use super::{StoreError, queries};
use sandboard_arena::database::postgres::{Database, Schema, failed};
use sandboard_arena::database::{Url, WAIT_MAX};

/// The migrations, one for each version. A released migration is never changed.
const MIGRATIONS: [&str; 2] = [
    r#"
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
    CREATE TABLE audit_log (
        number BIGINT PRIMARY KEY,
        at_ms BIGINT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE properties (
        name TEXT PRIMARY KEY,
        text TEXT NOT NULL
    );
"#,
    r#"
    CREATE TABLE invitations (
        number BIGINT PRIMARY KEY,
        secret TEXT UNIQUE NOT NULL,
        places BIGINT NOT NULL,
        used BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        expires_ms BIGINT NOT NULL,
        revoked BIGINT NOT NULL
    );
"#,
];

const SCHEMA: Schema = Schema {
    description: "the store of a contest",
    kind: "contest",
    migrations: &MIGRATIONS,
    durable: true,
    connections: 4,
    acquire_timeout: WAIT_MAX,
};

/// The advisory lock of the writer.
const WRITES: i64 = 0x5362_436f_0000_0001;

/// A store in a PostgreSQL database.
pub struct Postgres {
    pool: PgPool,
}

impl Postgres {
    /// Opens the store in this database, which is set up if it is empty.
    pub async fn open(url: &Url) -> Result<Self, StoreError> {
        Ok(Self { pool: Database::open(url, &SCHEMA).await?.pool })
    }

    /// Starts a write. Writes run one after another, because a new row gets the next number of its
    /// table.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        let mut work = self.pool.begin().await?;
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(WRITES);
        lock.execute(&mut *work).await?;
        Ok(work)
    }

    async fn close_pool(&self) {
        self.pool.close().await;
    }
}

queries::store!(Postgres, sqlx::postgres::PgRow, sqlx::postgres::PgConnection);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::conforms;
    use sandboard_arena::Url;

    #[tokio::test]
    async fn a_store_in_a_database_conforms() {
        conforms(
            &Postgres::open(
                &Url::parse(&sandboard_builder::postgres::create_database().unwrap()).unwrap(),
            )
            .await
            .unwrap(),
        )
        .await;
    }
}
