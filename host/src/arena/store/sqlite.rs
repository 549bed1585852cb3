//! An arena in one file of SQLite. What was committed has reached the disk: neither a kill nor a loss of power
//! takes it.

use std::path::Path;

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{QueryBuilder, Row};

use super::{
    Accepted, Answer, Attempt, Exclusion, Extent, Listed, Packed, Pending, Query, Request, Store,
    StoreError, Write,
};
use crate::arena::job::GameKey;
use crate::database::sqlite::{self as database, Schema, failed};

/// The file's name in the folder of an arena.
pub const FILE: &str = "arena.db";

/// What each version of the store adds to the one before. What was released is not changed.
const MIGRATIONS: [&str; 2] = ["
    CREATE TABLE arena (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        setup TEXT NOT NULL,
        openings BLOB
    );
    CREATE TABLE players (number INTEGER PRIMARY KEY, about TEXT NOT NULL);
    CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL);
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        pair INTEGER NOT NULL,
        game INTEGER NOT NULL,
        job BLOB NOT NULL,
        round INTEGER NOT NULL,
        opening INTEGER,
        first INTEGER NOT NULL,
        second INTEGER NOT NULL,
        half_points INTEGER,
        plies INTEGER,
        fault TEXT,
        result TEXT,
        sentence TEXT NOT NULL,
        stored_ms INTEGER NOT NULL
    );
    CREATE TABLE records (attempt INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE accepted (
        pair INTEGER NOT NULL,
        game INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        PRIMARY KEY (pair, game)
    ) WITHOUT ROWID;
    CREATE TABLE requests (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        what TEXT NOT NULL,
        done INTEGER,
        answer TEXT
    );
    CREATE INDEX requests_open ON requests (number) WHERE done IS NULL;
    CREATE TABLE status (one INTEGER PRIMARY KEY CHECK (one = 1), changes INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
        BEGIN SELECT RAISE(ABORT, 'an attempt is never changed'); END;
    CREATE TRIGGER attempts_remain BEFORE DELETE ON attempts
        BEGIN SELECT RAISE(ABORT, 'an attempt is never removed'); END;
    CREATE TRIGGER records_stay BEFORE UPDATE ON records
        BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
    CREATE TRIGGER records_remain BEFORE DELETE ON records
        BEGIN SELECT RAISE(ABORT, 'a record is never removed'); END;
    CREATE TRIGGER accepted_stays BEFORE UPDATE ON accepted
        BEGIN SELECT RAISE(ABORT, 'which attempt counts is said once'); END;
", "
    ALTER TABLE attempts ADD COLUMN worker TEXT;
    CREATE TABLE excluded (worker TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE withdrawn (attempt INTEGER PRIMARY KEY);
    CREATE TRIGGER withdrawn_stays BEFORE DELETE ON withdrawn
        BEGIN SELECT RAISE(ABORT, 'what is withdrawn remains so'); END;
    CREATE TRIGGER accepted_remains BEFORE DELETE ON accepted
        WHEN OLD.attempt NOT IN (SELECT attempt FROM withdrawn)
        BEGIN SELECT RAISE(ABORT, 'which attempt counts is said once'); END;
"];

/// What does not count any more without the worker `?1`; where `?2`, all of later pairs, too.
const WITHDRAW: &str = "
    WITH counts AS (SELECT id, attempts.pair AS pair, worker FROM accepted JOIN attempts ON id = attempt)
    INSERT INTO withdrawn (attempt) SELECT id FROM counts
    WHERE worker = ?1 OR (?2 AND pair > (SELECT min(pair) FROM counts WHERE worker = ?1))";

/// What is withdrawn counts no more.
const FORGET: &str = "DELETE FROM accepted WHERE attempt IN (SELECT attempt FROM withdrawn)";

/// What [`listed`] reads, of all games that count.
const LISTED: &str =
    "SELECT accepted.pair, accepted.game, round, opening, first, second, half_points, plies, fault,
     sentence, stored_ms FROM accepted JOIN attempts ON id = attempt WHERE 1";

const SCHEMA: Schema = Schema {
    what: "the store of an arena",
    // `SbAr`.
    application_id: 0x5362_4172,
    migrations: &MIGRATIONS,
    durable: true,
    connections: 2,
};

/// An arena in a file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// The store in this file, which is made where it is not there.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open(file, &SCHEMA).await? })
    }

    /// The store in this file, which is not changed by it; somebody else may write to it.
    pub async fn open_to_read(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open_to_read(file, &SCHEMA).await? })
    }

    #[cfg(test)]
    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }
}

async fn add(work: &mut SqliteConnection, attempt: &Attempt) -> Result<(), sqlx::Error> {
    let Attempt { game, job, round, opening, players, .. } = attempt;
    let Attempt { result, sentence, record, worker, stored_ms, .. } = attempt;
    let insert = sqlx::query(
        "INSERT INTO attempts
         (pair, game, job, round, opening, first, second, half_points, plies, fault, result, sentence, stored_ms, worker)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    let id = insert
        .bind(game.pair)
        .bind(game.game)
        .bind(&job[..])
        .bind(round)
        .bind(opening)
        .bind(players[0])
        .bind(players[1])
        .bind(result.as_ref().map(|result| result.half_points))
        .bind(result.as_ref().map(|result| result.plies as i64))
        .bind(result.as_ref().and_then(|result| result.fault.as_deref()))
        .bind(result.as_ref().map(|result| result.result.as_str()))
        .bind(sentence)
        .bind(stored_ms)
        .bind(worker)
        .execute(&mut *work)
        .await?
        .last_insert_rowid();
    let insert = sqlx::query("INSERT INTO records (attempt, record) VALUES (?, ?)");
    insert.bind(id).bind(&record.0).execute(&mut *work).await?;
    if result.is_some() {
        let insert = sqlx::query(
            "INSERT OR IGNORE INTO accepted (pair, game, attempt)
             SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM excluded WHERE worker = ?)",
        );
        let insert = insert.bind(game.pair).bind(game.game).bind(id).bind(worker);
        insert.execute(&mut *work).await?;
    }
    Ok(())
}

async fn exclude(work: &mut SqliteConnection, exclusion: &Exclusion) -> Result<(), sqlx::Error> {
    let Exclusion { worker, reason, later_rounds } = exclusion;
    let insert = sqlx::query("INSERT OR IGNORE INTO excluded (worker, reason) VALUES (?, ?)");
    insert.bind(worker).bind(reason).execute(&mut *work).await?;
    sqlx::query(WITHDRAW).bind(worker).bind(later_rounds).execute(&mut *work).await?;
    sqlx::query(FORGET).execute(work).await.map(drop)
}

async fn void(work: &mut SqliteConnection, pair: u32) -> Result<(), sqlx::Error> {
    let withdraw =
        sqlx::query("INSERT INTO withdrawn (attempt) SELECT attempt FROM accepted WHERE pair = ?");
    withdraw.bind(pair).execute(&mut *work).await?;
    sqlx::query(FORGET).execute(work).await.map(drop)
}

async fn write(work: &mut SqliteConnection, write: &Write) -> Result<(), sqlx::Error> {
    let query = match write {
        Write::Attempt(attempt) => return add(work, attempt).await,
        Write::Exclude(exclusion) => return exclude(work, exclusion).await,
        Write::Void(pair) => return void(work, *pair).await,
        Write::Player { number, about } => {
            sqlx::query("INSERT INTO players (number, about) VALUES (?, ?)")
                .bind(number)
                .bind(about)
        }
        Write::Event { number, event } => {
            sqlx::query("INSERT INTO events (number, event) VALUES (?, ?)").bind(number).bind(event)
        }
        Write::Answer { request, answer } => sqlx::query(
            "UPDATE requests SET done = ?, answer = ? WHERE number = ? AND done IS NULL",
        )
        .bind(answer.done)
        .bind(&answer.text)
        .bind(request),
        Write::Status(text) => {
            let upsert = sqlx::query(
                "INSERT INTO status (one, changes, text) VALUES (1, 1, ?)
                 ON CONFLICT (one) DO UPDATE SET text = excluded.text, changes = changes + 1",
            );
            upsert.bind(text)
        }
    };
    query.execute(work).await.map(drop)
}

fn game(row: &SqliteRow) -> Result<GameKey, sqlx::Error> {
    Ok(GameKey { pair: row.try_get("pair")?, game: row.try_get("game")? })
}

fn job(row: &SqliteRow) -> Result<[u8; 16], sqlx::Error> {
    let bytes: &[u8] = row.try_get("job")?;
    bytes.try_into().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn accepted(row: &SqliteRow) -> Result<Accepted, sqlx::Error> {
    Ok(Accepted { game: game(row)?, job: job(row)?, result: row.try_get("result")? })
}

fn listed(row: &SqliteRow) -> Result<Listed, sqlx::Error> {
    let plies: i64 = row.try_get("plies")?;
    Ok(Listed {
        game: game(row)?,
        round: row.try_get("round")?,
        opening: row.try_get("opening")?,
        players: [row.try_get("first")?, row.try_get("second")?],
        half_points: row.try_get("half_points")?,
        plies: plies.unsigned_abs(),
        fault: row.try_get("fault")?,
        sentence: row.try_get("sentence")?,
        stored_ms: row.try_get("stored_ms")?,
    })
}

impl Store for Sqlite {
    fn setup(&self) -> Pending<'_, Option<(String, Option<Vec<u8>>)>> {
        Box::pin(async move {
            let failed = failed("read the setup of the arena");
            let row = sqlx::query_as("SELECT setup, openings FROM arena");
            row.fetch_optional(&self.pool).await.map_err(&failed)
        })
    }

    fn begin<'a>(&'a self, setup: &'a str, openings: Option<&'a [u8]>) -> Pending<'a, ()> {
        Box::pin(async move {
            let insert = sqlx::query("INSERT INTO arena (one, setup, openings) VALUES (1, ?, ?)");
            let done = insert.bind(setup).bind(openings).execute(&self.pool).await;
            done.map(drop).map_err(failed("begin the arena"))
        })
    }

    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()> {
        Box::pin(async move {
            let failed = failed("write to the store of the arena");
            let mut work = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(&failed)?;
            for one in writes {
                write(&mut work, one).await.map_err(&failed)?;
            }
            work.commit().await.map_err(&failed)
        })
    }

    fn players(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move {
            let rows = sqlx::query_scalar("SELECT about FROM players ORDER BY number");
            rows.fetch_all(&self.pool).await.map_err(failed("read the players of the arena"))
        })
    }

    fn events(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move {
            let rows = sqlx::query_scalar("SELECT event FROM events ORDER BY number");
            rows.fetch_all(&self.pool).await.map_err(failed("read what changed in the arena"))
        })
    }

    fn excluded(&self) -> Pending<'_, Vec<(String, String)>> {
        Box::pin(async move {
            let rows = sqlx::query_as("SELECT worker, reason FROM excluded ORDER BY worker");
            rows.fetch_all(&self.pool).await.map_err(failed("read who was excluded"))
        })
    }

    fn accepted(&self) -> Pending<'_, Vec<Accepted>> {
        Box::pin(async move {
            let failed = failed("read the results of the arena");
            let rows = sqlx::query(
                "SELECT accepted.pair, accepted.game, job, result
                 FROM accepted JOIN attempts ON id = attempt ORDER BY accepted.pair, accepted.game",
            );
            let rows = rows.fetch_all(&self.pool).await.map_err(&failed)?;
            rows.iter().map(|row| accepted(row).map_err(&failed)).collect()
        })
    }

    fn accepted_after(&self, attempt: i64) -> Pending<'_, Vec<Accepted>> {
        Box::pin(async move {
            let failed = failed("read the latest results of the arena");
            // Attempts from the end of their own key on, however many there are before.
            let rows = sqlx::query(
                "SELECT attempts.pair, attempts.game, job, result
                 FROM attempts CROSS JOIN accepted USING (pair, game)
                 WHERE id > ? AND attempt = id ORDER BY id",
            );
            let rows = rows.bind(attempt).fetch_all(&self.pool).await.map_err(&failed)?;
            rows.iter().map(|row| accepted(row).map_err(&failed)).collect()
        })
    }

    fn games<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            let failed = failed("read the games of the arena");
            let mut text = QueryBuilder::new(LISTED);
            for player in query.player.iter().chain(&query.opponent) {
                text.push(" AND ").push_bind(*player).push(" IN (first, second)");
            }
            if let Some(opening) = query.opening {
                text.push(" AND opening = ").push_bind(opening);
            }
            if let Some(round) = query.round {
                text.push(" AND round = ").push_bind(round);
            }
            match query.fault {
                Some(true) => drop(text.push(" AND fault IS NOT NULL")),
                Some(false) => drop(text.push(" AND fault IS NULL")),
                None => {}
            }
            if let Some(before) = query.before {
                text.push(" AND (accepted.pair, accepted.game) < (").push_bind(before.pair);
                text.push(", ").push_bind(before.game).push(")");
            }
            text.push(" ORDER BY accepted.pair DESC, accepted.game DESC LIMIT ")
                .push_bind(query.limit);
            let rows = text.build().fetch_all(&self.pool).await.map_err(&failed)?;
            rows.iter().map(|row| listed(row).map_err(&failed)).collect()
        })
    }

    fn games_after(&self, game: Option<GameKey>, limit: u32) -> Pending<'_, Vec<Listed>> {
        Box::pin(async move {
            let failed = failed("read the games of the arena");
            let mut text = QueryBuilder::new(LISTED);
            if let Some(game) = game {
                text.push(" AND (accepted.pair, accepted.game) > (").push_bind(game.pair);
                text.push(", ").push_bind(game.game).push(")");
            }
            text.push(" ORDER BY accepted.pair, accepted.game LIMIT ").push_bind(limit);
            let rows = text.build().fetch_all(&self.pool).await.map_err(&failed)?;
            rows.iter().map(|row| listed(row).map_err(&failed)).collect()
        })
    }

    fn record(&self, game: GameKey) -> Pending<'_, Option<Packed>> {
        Box::pin(async move {
            let failed = failed("read a record of the arena");
            let row = sqlx::query_scalar(
                "SELECT record FROM accepted JOIN records USING (attempt) WHERE pair = ? AND game = ?",
            );
            let row = row.bind(game.pair).bind(game.game).fetch_optional(&self.pool).await;
            Ok(row.map_err(&failed)?.map(Packed))
        })
    }

    fn ask<'a>(&'a self, what: &'a str) -> Pending<'a, i64> {
        Box::pin(async move {
            let insert = sqlx::query("INSERT INTO requests (what) VALUES (?)").bind(what);
            let done = insert.execute(&self.pool).await.map_err(failed("ask the arena"))?;
            Ok(done.last_insert_rowid())
        })
    }

    fn answer(&self, request: i64) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            let row = sqlx::query_as(
                "SELECT done, answer FROM requests WHERE number = ? AND done IS NOT NULL",
            );
            let row: Option<(bool, String)> = row
                .bind(request)
                .fetch_optional(&self.pool)
                .await
                .map_err(failed("read what became of a request"))?;
            Ok(row.map(|(done, text)| Answer { done, text }))
        })
    }

    fn requests(&self) -> Pending<'_, Vec<Request>> {
        Box::pin(async move {
            let rows = sqlx::query_as(
                "SELECT number, what FROM requests WHERE done IS NULL ORDER BY number",
            );
            let rows: Vec<(i64, String)> = rows
                .fetch_all(&self.pool)
                .await
                .map_err(failed("read what is asked of the arena"))?;
            Ok(rows.into_iter().map(|(number, what)| Request { number, what }).collect())
        })
    }

    fn status(&self) -> Pending<'_, Option<String>> {
        Box::pin(async move {
            let row = sqlx::query_scalar("SELECT text FROM status");
            row.fetch_optional(&self.pool).await.map_err(failed("read what goes on in the arena"))
        })
    }

    fn extent(&self) -> Pending<'_, Extent> {
        Box::pin(async move {
            let row = sqlx::query_as(
                "SELECT (SELECT coalesce(max(id), 0) FROM attempts), (SELECT count(*) FROM events),
                 (SELECT count(*) FROM players), (SELECT coalesce(max(changes), 0) FROM status),
                 (SELECT count(*) FROM excluded)",
            );
            let row = row.fetch_one(&self.pool).await;
            let row = row.map_err(failed("read whether the arena has changed"))?;
            let (attempts, events, players, statuses, excluded) = row;
            Ok(Extent { attempts, events, players, statuses, excluded })
        })
    }

    /// What is in the log goes into the file.
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            self.pool.close().await;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::conforms;
    use super::*;

    #[tokio::test]
    async fn a_file_conforms_and_is_read_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let store = Sqlite::open(&file).await.unwrap();
        conforms(&store).await;
        let reader = Sqlite::open_to_read(&file).await.unwrap();
        assert_eq!(reader.accepted().await.unwrap(), store.accepted().await.unwrap());
        assert_eq!(reader.extent().await.unwrap(), store.extent().await.unwrap());
        assert!(reader.ask("anything").await.is_err());
        store.close().await.unwrap();
    }

    #[tokio::test]
    async fn attempts_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join(FILE)).await.unwrap();
        conforms(&store).await;
        for (sql, expected) in [
            ("UPDATE attempts SET half_points = 0", "an attempt is never changed"),
            ("DELETE FROM attempts", "an attempt is never removed"),
            ("UPDATE records SET record = x'00'", "a record is never changed"),
            ("DELETE FROM records", "a record is never removed"),
            ("UPDATE accepted SET attempt = 1", "which attempt counts is said once"),
            ("DELETE FROM accepted", "which attempt counts is said once"),
            ("DELETE FROM withdrawn", "what is withdrawn remains so"),
        ] {
            let refused = sqlx::raw_sql(sql).execute(store.pool()).await.unwrap_err().to_string();
            assert!(refused.contains(expected), "{sql}: {refused}");
        }
    }

    #[tokio::test]
    async fn a_full_disk_takes_all_of_a_group_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join(FILE)).await.unwrap();
        conforms(&store).await;
        let before = store.accepted().await.unwrap();
        let pages: i64 =
            sqlx::query_scalar("PRAGMA page_count").fetch_one(store.pool()).await.unwrap();
        let most = format!("PRAGMA max_page_count = {}", pages + 2);
        // Each connection has a limit of its own.
        let mut held = Vec::new();
        for _ in 0..SCHEMA.connections {
            let mut connection = store.pool().acquire().await.unwrap();
            let most = sqlx::AssertSqlSafe(most.clone());
            sqlx::raw_sql(most).execute(&mut *connection).await.unwrap();
            held.push(connection);
        }
        drop(held);
        let game = |pair: u32| {
            let record = Packed((0..9000_u32).map(|byte| ((byte * byte) >> 3) as u8).collect());
            let result = None;
            let game = GameKey { pair, game: 0 };
            Write::Attempt(Box::new(Attempt {
                game,
                job: [0; 16],
                round: 0,
                opening: None,
                players: [0, 1],
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
        let sound: String =
            sqlx::query_scalar("PRAGMA integrity_check").fetch_one(store.pool()).await.unwrap();
        assert_eq!(sound, "ok");
    }

    #[tokio::test]
    async fn what_is_no_store_of_an_arena_is_refused() {
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
        check("text", "no database").await;
        let made = async |name: &str, sql: &'static str| {
            let options =
                sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join(name));
            let pool = SqlitePool::connect_with(options.create_if_missing(true)).await.unwrap();
            sqlx::raw_sql(sql).execute(&pool).await.unwrap();
            pool.close().await;
        };
        made("server", "CREATE TABLE rooms (id); PRAGMA user_version = 1").await;
        check("server", "is a database, but not the store of an arena").await;
        made(
            "later",
            "CREATE TABLE a (b); PRAGMA user_version = 9; PRAGMA application_id = 0x53624172",
        )
        .await;
        check("later", "is of version 9, and this host writes version 2").await;
    }
}
