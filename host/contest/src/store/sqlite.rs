//! The store of a contest in one SQLite file. Every commit is flushed to the disk, so that no
//! confirmed entry is lost.

use std::path::Path;

use sqlx::sqlite::SqlitePool;

use super::{StoreError, queries};
use sandboard_arena::database::sqlite as database;
use sandboard_arena::database::sqlite::{Schema, failed};

/// The name of the file in a contest's folder.
pub const FILE: &str = "contest.db";

/// The migrations, one for each version. A released migration is never changed.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE founding (
        one INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
        file TEXT NOT NULL,
        openings BLOB,
        seed BLOB NOT NULL,
        organiser TEXT NOT NULL,
        founded_ms INTEGER NOT NULL
    );
    CREATE TABLE entrants (
        name TEXT PRIMARY KEY NOT NULL,
        token TEXT UNIQUE NOT NULL,
        status TEXT NOT NULL,
        reason TEXT NOT NULL,
        since_ms INTEGER NOT NULL
    );
    CREATE TABLE modules (
        sha256 TEXT PRIMARY KEY NOT NULL,
        bytes BLOB NOT NULL
    );
    CREATE TABLE entries (
        number INTEGER PRIMARY KEY NOT NULL,
        entrant TEXT NOT NULL REFERENCES entrants (name),
        sha256 TEXT NOT NULL REFERENCES modules (sha256),
        length INTEGER NOT NULL,
        submitted_ms INTEGER NOT NULL,
        state TEXT NOT NULL,
        report TEXT,
        fingerprint TEXT,
        judged_ms INTEGER
    );
    CREATE INDEX entries_by_entrant ON entries (entrant, submitted_ms);
    CREATE TABLE trials (
        number INTEGER PRIMARY KEY NOT NULL,
        entrant TEXT NOT NULL REFERENCES entrants (name),
        entry INTEGER NOT NULL REFERENCES entries (number),
        house TEXT NOT NULL,
        side INTEGER NOT NULL,
        asked_ms INTEGER NOT NULL,
        sentence TEXT,
        record BLOB
    );
    CREATE INDEX trials_by_entrant ON trials (entrant, number);
    CREATE TABLE audit_log (
        number INTEGER PRIMARY KEY NOT NULL,
        at_ms INTEGER NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE properties (
        name TEXT PRIMARY KEY NOT NULL,
        text TEXT NOT NULL
    );
",
    "
    CREATE TABLE invitations (
        number INTEGER PRIMARY KEY NOT NULL,
        secret TEXT UNIQUE NOT NULL,
        places INTEGER NOT NULL,
        used INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        revoked INTEGER NOT NULL
    );
",
];

const SCHEMA: Schema = Schema {
    description: "the store of a contest",
    // "SbCo".
    application_id: 0x5362_436f,
    migrations: &MIGRATIONS,
    durable: true,
    connections: 4,
};

/// A store in a file, or in memory.
pub struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// Opens the store in this file, which is created if it is missing.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open(file, &SCHEMA).await? })
    }

    /// A store in memory, which ends with its last clone.
    pub async fn in_memory() -> Result<Self, StoreError> {
        Ok(Self { pool: database::in_memory(&SCHEMA).await? })
    }

    /// Starts a write. Writes run one after another, because a new row gets the next number of its
    /// table.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>, sqlx::Error> {
        self.pool.begin_with("BEGIN IMMEDIATE").await
    }

    /// Closes the file; the write-ahead log is merged into it.
    async fn close_pool(&self) {
        database::close(&self.pool).await;
    }
}

queries::store!(Sqlite, sqlx::sqlite::SqliteRow, sqlx::sqlite::SqliteConnection);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store as _;
    use crate::store::conformance::conforms;

    /// Checks how reading fails after another program wrote this into the file.
    async fn check(statement: &'static str, expected: &str) {
        let store = Sqlite::in_memory().await.unwrap();
        sqlx::raw_sql(statement).execute(&store.pool).await.unwrap();
        let errors = [
            store.entrants().await.err().map(|error| error.to_string()),
            store.entries(None).await.err().map(|error| error.to_string()),
            store.trials(None).await.err().map(|error| error.to_string()),
        ];
        let found = errors.into_iter().flatten().next().unwrap_or_default();
        assert!(found.contains(expected), "{statement}: {found:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{statement}: {found}");
    }

    #[tokio::test]
    async fn names_and_hashes_that_could_be_paths_are_refused() {
        const ENTRANT: &str = "INSERT INTO entrants VALUES ('Ann', 't', 'in', '', 0);";
        check(ENTRANT, "").await;
        check(
            "INSERT INTO entrants VALUES ('../Ann', 't', 'in', '', 0);",
            "`../Ann` is not a name of an entrant",
        )
        .await;
        check(
            "INSERT INTO entrants VALUES ('Ann', 't', 'in', '', 0);
             INSERT INTO modules VALUES ('../../x', x'00');
             INSERT INTO entries VALUES (1, 'Ann', '../../x', 1, 0, 'waiting', NULL, NULL, NULL);",
            "`../../x` is not a SHA-256",
        )
        .await;
        check(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO trials VALUES (1, '/etc', 1, 'random-mover', 0, 0, NULL, NULL);",
            "`/etc` is not a name of an entrant",
        )
        .await;
    }

    #[tokio::test]
    async fn a_store_in_memory_and_one_in_a_file_conform() {
        conforms(&Sqlite::in_memory().await.unwrap()).await;
        let folder = tempfile::tempdir().unwrap();
        conforms(&Sqlite::open(&folder.path().join(FILE)).await.unwrap()).await;
    }
}
