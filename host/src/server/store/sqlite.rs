//! The store in one file of SQLite. A write-ahead log, so that readers wait for no writer; a kill
//! at any moment leaves what was committed, a loss of power at most the last moments.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Row, Sqlite as Db, Transaction};

use super::{Bout, Pending, Query, Store, StoreError, StoredRoom, Write};

/// What each version of the store adds to the one before. What was released is not changed.
const MIGRATIONS: [&str; 1] = ["
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
"];

/// How many connections read a file at once.
const CONNECTIONS: u32 = 4;
/// How long one waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store in a file, or in memory.
#[derive(Clone, Debug)]
pub struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// The store in this file, which is made where it is not there.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(PATIENCE);
        Self::with(options, CONNECTIONS, &file.display().to_string()).await
    }

    /// A store that is gone with its last clone.
    pub async fn in_memory() -> Result<Self, StoreError> {
        let place = "in memory";
        let options = SqliteConnectOptions::from_str("sqlite::memory:");
        let options = options.map_err(|error| unopened(place, error))?;
        Self::with(options, 1, place).await
    }

    async fn with(
        options: SqliteConnectOptions,
        connections: u32,
        place: &str,
    ) -> Result<Self, StoreError> {
        let pool = SqlitePoolOptions::new()
            .max_connections(connections)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options)
            .await
            .map_err(|error| unopened(place, error))?;
        let store = Self { pool };
        store.migrate(place).await?;
        Ok(store)
    }

    async fn migrate(&self, place: &str) -> Result<(), StoreError> {
        let failed = failed("prepare the store");
        let known = MIGRATIONS.len() as i64;
        let mut work = self.pool.begin().await.map_err(&failed)?;
        let version = sqlx::query("PRAGMA user_version").fetch_one(&mut *work).await;
        let found: i64 = version.and_then(|row| row.try_get(0)).map_err(&failed)?;
        let Ok(done) = usize::try_from(found) else {
            return Err(StoreError::Version { place: place.into(), found, known });
        };
        let Some(missing) = MIGRATIONS.get(done..) else {
            return Err(StoreError::Version { place: place.into(), found, known });
        };
        for migration in missing {
            sqlx::raw_sql(*migration).execute(&mut *work).await.map_err(&failed)?;
        }
        if !missing.is_empty() {
            // Numbers of a pragma cannot be bound; this one is ours.
            let version = sqlx::AssertSqlSafe(format!("PRAGMA user_version = {known}"));
            sqlx::raw_sql(version).execute(&mut *work).await.map_err(&failed)?;
        }
        work.commit().await.map_err(&failed)
    }
}

fn unopened(place: &str, error: sqlx::Error) -> StoreError {
    StoreError::Open { place: place.to_owned(), reason: error.to_string() }
}

fn failed(step: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| StoreError::Failed { step, reason: error.to_string() }
}

async fn write(work: &mut Transaction<'_, Db>, write: &Write) -> Result<(), sqlx::Error> {
    let query = match write {
        Write::Room { id, about } => sqlx::query(
            "INSERT INTO rooms (id, about) VALUES (?, ?)
             ON CONFLICT (id) DO UPDATE SET about = excluded.about",
        )
        .bind(id)
        .bind(about),
        Write::Record { id, record } => {
            sqlx::query("UPDATE rooms SET record = ? WHERE id = ?").bind(record).bind(id)
        }
        Write::Remove { id } => sqlx::query("DELETE FROM rooms WHERE id = ?").bind(id),
        Write::Bout(bout) => sqlx::query(
            "INSERT OR REPLACE INTO bouts
             (id, game, variant, names, engines, sentence, result, plies, ended_ms, record)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&bout.id)
        .bind(&bout.game)
        .bind(&bout.variant)
        .bind(list(&bout.names))
        .bind(list(&bout.engines))
        .bind(&bout.sentence)
        .bind(&bout.result)
        .bind(bout.plies)
        .bind(bout.ended_ms)
        .bind(&bout.record),
    };
    query.execute(&mut **work).await.map(drop)
}

/// Names, each on a line: they hold no control characters.
fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("\n{}\n", name.replace('\n', " "))).collect()
}

fn unlisted(text: &str) -> Vec<String> {
    text.split('\n').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A pattern that is found wherever the text is.
fn within(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "%"
}

fn bout(row: &SqliteRow, with_record: bool) -> Result<Bout, sqlx::Error> {
    Ok(Bout {
        id: row.try_get("id")?,
        game: row.try_get("game")?,
        variant: row.try_get("variant")?,
        names: unlisted(row.try_get("names")?),
        engines: unlisted(row.try_get("engines")?),
        sentence: row.try_get("sentence")?,
        result: row.try_get("result")?,
        plies: row.try_get("plies")?,
        ended_ms: row.try_get("ended_ms")?,
        record: if with_record { row.try_get("record")? } else { String::new() },
    })
}

impl Store for Sqlite {
    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()> {
        Box::pin(async move {
            let failed = failed("write to the store");
            let mut work = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(&failed)?;
            for one in writes {
                write(&mut work, one).await.map_err(&failed)?;
            }
            work.commit().await.map_err(&failed)
        })
    }

    fn rooms(&self) -> Pending<'_, Vec<StoredRoom>> {
        Box::pin(async move {
            let failed = failed("read the rooms of the store");
            let rows = sqlx::query("SELECT id, about, record FROM rooms ORDER BY id");
            let rows = rows.fetch_all(&self.pool).await.map_err(&failed)?;
            let room = |row: &SqliteRow| {
                Ok(StoredRoom {
                    id: row.try_get("id")?,
                    about: row.try_get("about")?,
                    record: row.try_get("record")?,
                })
            };
            rows.iter().map(|row| room(row).map_err(&failed)).collect()
        })
    }

    fn record<'a>(&'a self, id: &'a str) -> Pending<'a, Option<String>> {
        Box::pin(async move {
            let failed = failed("read a record of the store");
            let row = sqlx::query("SELECT record FROM rooms WHERE id = ?").bind(id);
            let row = row.fetch_optional(&self.pool).await.map_err(&failed)?;
            match row {
                Some(row) => row.try_get(0).map_err(&failed),
                None => Ok(None),
            }
        })
    }

    fn bout<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Bout>> {
        Box::pin(async move {
            let failed = failed("read a bout of the store");
            let row = sqlx::query("SELECT * FROM bouts WHERE id = ?").bind(id);
            let row = row.fetch_optional(&self.pool).await.map_err(&failed)?;
            row.map(|row| bout(&row, true).map_err(&failed)).transpose()
        })
    }

    fn bouts<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Bout>> {
        Box::pin(async move {
            let failed = failed("read the bouts of the store");
            let (before, id) = match &query.before {
                Some((before, id)) => (*before, id.as_str()),
                None => (i64::MAX, ""),
            };
            let engine = match query.engine.as_str() {
                "" => "%".to_owned(),
                engine => within(&format!("\n{engine}\n")),
            };
            let rows = sqlx::query(
                "SELECT id, game, variant, names, engines, sentence, result, plies, ended_ms
                 FROM bouts
                 WHERE (ended_ms, id) < (?, ?) AND (? = '' OR game = ?)
                 AND names LIKE ? ESCAPE '\\' AND engines LIKE ? ESCAPE '\\'
                 AND (? = '' OR result = ?)
                 ORDER BY ended_ms DESC, id DESC LIMIT ?",
            )
            .bind(before)
            .bind(id)
            .bind(&query.game)
            .bind(&query.game)
            .bind(within(&query.name))
            .bind(engine)
            .bind(&query.result)
            .bind(&query.result)
            .bind(query.limit)
            .fetch_all(&self.pool)
            .await
            .map_err(&failed)?;
            rows.iter().map(|row| bout(row, false).map_err(&failed)).collect()
        })
    }

    fn count(&self) -> Pending<'_, u64> {
        Box::pin(async move {
            let failed = failed("count the bouts of the store");
            let row = sqlx::query("SELECT count(*) FROM bouts").fetch_one(&self.pool).await;
            let count: i64 = row.and_then(|row| row.try_get(0)).map_err(&failed)?;
            Ok(count.unsigned_abs())
        })
    }
}
