//! The store in one SQLite file. It uses a write-ahead log, so that readers do not wait for
//! writers. A kill at any moment keeps what was committed; a power failure loses at most the last
//! moments.

use std::path::Path;

use sqlx::sqlite::SqlitePool;

use super::{StoreError, queries};
use sandboard_arena::database::sqlite as database;
use sandboard_arena::database::sqlite::{Schema, failed};

/// One script for each version of the schema; released scripts never change.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE rooms (
        id TEXT PRIMARY KEY NOT NULL,
        about TEXT NOT NULL,
        record TEXT
    );
    CREATE TABLE bouts (
        id TEXT PRIMARY KEY NOT NULL,
        game TEXT NOT NULL,
        variant TEXT NOT NULL,
        names TEXT NOT NULL,
        engines TEXT NOT NULL,
        sentence TEXT NOT NULL,
        result TEXT NOT NULL,
        plies INTEGER NOT NULL,
        ended_ms INTEGER NOT NULL,
        record TEXT NOT NULL
    );
    CREATE INDEX bouts_by_end ON bouts (ended_ms DESC, id DESC);
",
    "
    CREATE TABLE bouts_of_engines (
        engine TEXT NOT NULL,
        ended_ms INTEGER NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (engine, ended_ms DESC, id DESC)
    ) WITHOUT ROWID;
    CREATE INDEX engines_by_bout ON bouts_of_engines (id);
    WITH RECURSIVE lines (id, ended_ms, engine, rest) AS (
        SELECT id, ended_ms, '', engines FROM bouts
        UNION ALL
        SELECT id, ended_ms,
            substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
        FROM lines WHERE instr(rest, char(10)) > 0
    )
    INSERT OR IGNORE INTO bouts_of_engines
    SELECT engine, ended_ms, id FROM lines WHERE engine <> '';
",
];

/// The files of this store have no application id.
const SCHEMA: Schema = Schema {
    description: "a server's store",
    application_id: 0,
    migrations: &MIGRATIONS,
    durable: false,
    connections: 4,
};

/// A store in an SQLite file, or in memory.
#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// Opens the store, and creates the file if it does not exist.
    pub(crate) async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open(file, &SCHEMA).await? })
    }

    /// Opens a store in memory, lost with its last clone.
    pub(crate) async fn in_memory() -> Result<Self, StoreError> {
        Ok(Self { pool: database::in_memory(&SCHEMA).await? })
    }

    /// Starts a write. The lock is taken at once, so that a second writer waits.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>, sqlx::Error> {
        self.pool.begin_with("BEGIN IMMEDIATE").await
    }
}

/// SQLite accepts every text.
fn storable(text: &str) -> &str {
    text
}

// A CROSS JOIN keeps the order of the tables: the index of the engine comes first.
queries::store!(
    Sqlite,
    sqlx::sqlite::SqliteRow,
    sqlx::sqlite::SqliteConnection,
    "LIKE",
    "CROSS JOIN"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_store_of_the_first_version_finds_its_bouts_by_engine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
        let pool = SqlitePool::connect_with(options.create_if_missing(true)).await.unwrap();
        sqlx::raw_sql(MIGRATIONS[0]).execute(&pool).await.unwrap();
        sqlx::raw_sql("PRAGMA user_version = 1").execute(&pool).await.unwrap();
        for (id, engines) in [("a", vec!["p", "q"]), ("b", vec![]), ("c", vec!["q"])] {
            let engines: Vec<String> = engines.into_iter().map(str::to_owned).collect();
            sqlx::query("INSERT INTO bouts VALUES (?, '', '', '', ?, '', '', 0, 7, '')")
                .bind(id)
                .bind(join_names(&engines))
                .execute(&pool)
                .await
                .unwrap();
        }
        pool.close().await;
        let store = Sqlite::open(&file).await.unwrap();
        let check = async |engine: &str, expected: &str| {
            let query = BoutQuery { engine: engine.into(), limit: 9, ..BoutQuery::default() };
            let found = store.bouts(&query).await.unwrap();
            let ids: Vec<&str> = found.iter().map(|bout| bout.id.as_str()).collect();
            assert_eq!(ids.join(" "), expected, "{engine}");
        };
        check("p", "a").await;
        check("q", "c a").await;
        check("", "c b a").await;
        check("pq", "").await;
    }
}
