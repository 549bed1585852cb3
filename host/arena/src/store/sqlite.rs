//! The store of an arena in one SQLite file. What was committed is on the disk: neither a kill nor
//! a power failure loses it.

use std::path::Path;

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{QueryBuilder, Row};

use super::{
    AcceptedResult, Attempt, Exclusion, GameQuery, PackedRecord, RequestAnswer, Store, StoreError,
    StoreExtent, StoreFuture, StoredGame, StoredRequest, Write, queries,
};
use crate::database::sqlite::{self as database, Schema, failed};
use sandboard_arena_plan::GameKey;

/// The name of the file in the folder of an arena.
pub const FILE: &str = "arena.db";

/// What each version of the store adds to the previous one. A released migration never changes.
const MIGRATIONS: [&str; 1] = [include_str!("sqlite.sql")];

/// The column `arena` of all rows: a file holds one arena.
const ARENA: &str = "arena";

const SCHEMA: Schema = Schema {
    description: "the store of an arena",
    // `SbAr` in ASCII.
    application_id: 0x5362_4172,
    migrations: &MIGRATIONS,
    durable: true,
    connections: 2,
};

/// The store of an arena in a file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// Opens the store in this file, which is created if it does not exist.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open(file, &SCHEMA).await? })
    }

    /// Opens the store in this file for reading. Other processes may write to it.
    pub async fn open_to_read(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open_to_read(file, &SCHEMA).await? })
    }

    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    #[expect(clippy::unused_self, reason = "a database of PostgreSQL holds many arenas")]
    fn arena(&self) -> &'static str {
        ARENA
    }
}

/// A text as the database accepts it: SQLite takes every text.
fn storable(text: &str) -> &str {
    text
}

async fn add_attempt(
    work: &mut SqliteConnection,
    arena: &str,
    id: i64,
    attempt: &Attempt,
) -> Result<(), sqlx::Error> {
    let Attempt { game, job, round, opening, players, .. } = attempt;
    let Attempt { result, sentence, record, worker, stored_ms, .. } = attempt;
    let insert = sqlx::query(
        "INSERT INTO attempts (arena, id, pair, game, job, round, opening, players,
             half_points, plies, fault, result, sentence, stored_ms, worker)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    );
    let summary = result.as_ref();
    insert
        .bind(arena)
        .bind(id)
        .bind(game.pair)
        .bind(game.game)
        .bind(&job[..])
        .bind(round)
        .bind(opening)
        .bind(queries::write_list(players))
        .bind(summary.map(|result| queries::write_list(&result.half_points)))
        .bind(summary.map(|result| result.plies as i64))
        .bind(summary.and_then(|result| result.fault.as_deref()))
        .bind(summary.map(|result| result.result.as_str()))
        .bind(sentence)
        .bind(stored_ms)
        .bind(worker)
        .execute(&mut *work)
        .await?;
    let insert = sqlx::query("INSERT INTO records (arena, attempt, record) VALUES ($1, $2, $3)");
    insert.bind(arena).bind(id).bind(&record.0).execute(&mut *work).await?;
    if result.is_some() {
        let insert = sqlx::query(
            "INSERT INTO accepted (arena, pair, game, attempt)
             SELECT $1, $2, $3, $4
             WHERE NOT EXISTS (SELECT 1 FROM excluded WHERE arena = $1 AND worker = $5)
             ON CONFLICT DO NOTHING",
        );
        let insert = insert.bind(arena).bind(game.pair).bind(game.game).bind(id).bind(worker);
        insert.execute(&mut *work).await?;
    }
    Ok(())
}

queries::store! {
    store: Sqlite, database: sqlx::Sqlite, row: SqliteRow, connection: SqliteConnection,
    join: "CROSS JOIN", {
        fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()> {
            Box::pin(async move {
                let failed = failed("write to the store of the arena");
                let mut work = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(&failed)?;
                write_all(&mut work, ARENA, writes).await.map_err(&failed)?;
                work.commit().await.map_err(&failed)
            })
        }

        /// Closes the file; the write-ahead log is merged into it.
        fn close(&self) -> StoreFuture<'_, ()> {
            Box::pin(async move {
                database::close(&self.pool).await;
                Ok(())
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::conforms;
    use super::*;

    #[tokio::test]
    async fn a_file_conforms_and_can_be_read_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let store = Sqlite::open(&file).await.unwrap();
        conforms(&store).await;
        let reader = Sqlite::open_to_read(&file).await.unwrap();
        assert_eq!(reader.accepted().await.unwrap(), store.accepted().await.unwrap());
        assert_eq!(reader.extent().await.unwrap(), store.extent().await.unwrap());
        assert!(reader.add_request("{}").await.is_err());
        store.close().await.unwrap();
    }

    #[tokio::test]
    async fn attempts_are_never_changed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join(FILE)).await.unwrap();
        conforms(&store).await;
        for (sql, expected) in [
            ("UPDATE attempts SET half_points = 0", "an attempt is never changed"),
            ("DELETE FROM attempts", "an attempt is never deleted"),
            ("UPDATE records SET record = x'00'", "a record is never changed"),
            ("DELETE FROM records", "a record is never deleted"),
            ("UPDATE accepted SET attempt = 1", "an accepted attempt is never replaced"),
            ("DELETE FROM accepted", "an accepted attempt is never replaced"),
            ("DELETE FROM withdrawn", "a withdrawal is final"),
        ] {
            let refused = sqlx::raw_sql(sql).execute(store.pool()).await.unwrap_err().to_string();
            assert!(refused.contains(expected), "{sql}: {refused}");
        }
    }

    #[tokio::test]
    async fn a_full_disk_stores_all_of_a_group_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join(FILE)).await.unwrap();
        conforms(&store).await;
        let before = store.accepted().await.unwrap();
        let pages: i64 =
            sqlx::query_scalar("PRAGMA page_count").fetch_one(store.pool()).await.unwrap();
        let most = format!("PRAGMA max_page_count = {}", pages + 2);
        // The limit belongs to a connection.
        let mut held = Vec::new();
        for _ in 0..SCHEMA.connections {
            let mut connection = store.pool().acquire().await.unwrap();
            let most = sqlx::AssertSqlSafe(most.clone());
            sqlx::raw_sql(most).execute(&mut *connection).await.unwrap();
            held.push(connection);
        }
        drop(held);
        let game = |pair: u32| {
            let record =
                PackedRecord((0..9000_u32).map(|byte| ((byte * byte) >> 3) as u8).collect());
            let result = None;
            let game = GameKey { pair, game: 0 };
            Write::Attempt(Box::new(Attempt {
                game,
                job: [0; 16],
                round: 0,
                opening: None,
                players: [0, 1].into(),
                result,
                sentence: String::new(),
                record,
                worker: None,
                stored_ms: 0,
            }))
        };
        let full = store.commit(&[game(90), game(91)]).await.unwrap_err().to_string();
        assert!(full.contains("full") && full.contains("make room on the disk"), "{full}");
        assert_eq!(store.accepted().await.unwrap(), before);
        let integrity: String =
            sqlx::query_scalar("PRAGMA integrity_check").fetch_one(store.pool()).await.unwrap();
        assert_eq!(integrity, "ok");
    }

    #[tokio::test]
    async fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let check = async |name: &str, expected: &str| {
            let file = folder.path().join(name);
            for found in [Sqlite::open(&file).await, Sqlite::open_to_read(&file).await] {
                let error = found.map(drop).unwrap_err().to_string();
                assert!(error.contains(expected), "{name}: {error}");
            }
        };
        std::fs::write(
            folder.path().join("text"),
            "no database at all, but long enough to look at",
        )
        .unwrap();
        check("text", "not a database").await;
        let create = async |name: &str, sql: &'static str| {
            let options =
                sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join(name));
            let pool = SqlitePool::connect_with(options.create_if_missing(true)).await.unwrap();
            sqlx::raw_sql(sql).execute(&pool).await.unwrap();
            pool.close().await;
        };
        create("server", "CREATE TABLE rooms (id); PRAGMA user_version = 1").await;
        check("server", "is a database, but not the store of an arena").await;
        create(
            "later",
            "CREATE TABLE a (b); PRAGMA user_version = 9; PRAGMA application_id = 0x53624172",
        )
        .await;
        check("later", "has version 9, and this host writes version 1").await;
    }

    #[tokio::test]
    async fn planted_triggers_and_views_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let check = async |name: &str, sql: &'static str, expected: Option<&str>| {
            let file = folder.path().join(name);
            Sqlite::open(&file).await.unwrap().pool().close().await;
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
            let pool = SqlitePool::connect_with(options).await.unwrap();
            sqlx::raw_sql(sql).execute(&pool).await.unwrap();
            pool.close().await;
            for found in [Sqlite::open(&file).await, Sqlite::open_to_read(&file).await] {
                let error = found.map(drop).err().map(|error| error.to_string());
                match (&error, expected) {
                    (None, None) => (),
                    (Some(error), Some(part)) => assert!(error.contains(part), "{error}"),
                    _ => panic!("{name}: {error:?}"),
                }
            }
        };
        check("untouched", "SELECT 1", None).await;
        check("analysed", "ANALYZE", None).await;
        let trigger = "CREATE TRIGGER won AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END";
        check("trigger", trigger, Some("its trigger `won` is missing, unknown or")).await;
        check("view", "CREATE VIEW v AS SELECT 1", Some("its view `v` is missing")).await;
        check("table", "CREATE TABLE t (a)", Some("its table `t` is missing")).await;
        check("column", "ALTER TABLE attempts ADD COLUMN a", Some("its table `attempts`")).await;
    }
}
