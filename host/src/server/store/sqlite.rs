//! The store in one file of SQLite. A write-ahead log, so that readers wait for no writer; a kill
//! at any moment leaves what was committed, a loss of power at most the last moments.

use std::path::Path;

use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{Row, Sqlite as Db, Transaction};

use super::columns::{list, unlisted, within};
use super::{Bout, Pending, Query, Store, StoreError, StoredRoom, Write};
use crate::database::sqlite::{self as database, Schema, failed};

/// What each version of the store adds to the one before. What was released is not changed.
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

/// A list of bouts: what it goes through, and which of its columns say how it is ordered.
macro_rules! bouts {
    ($from:literal, $order:literal) => {
        concat!(
            "SELECT bouts.id, game, variant, names, engines, sentence, result, plies,
                 bouts.ended_ms FROM ",
            $from,
            " AND (",
            $order,
            ".ended_ms, ",
            $order,
            ".id) < (?, ?) AND (? = '' OR game = ?)
             AND names LIKE ? ESCAPE '\\' AND (? = '' OR result = ?) ORDER BY ",
            $order,
            ".ended_ms DESC, ",
            $order,
            ".id DESC LIMIT ?"
        )
    };
}

/// Of whatever engines: what is asked for of them is empty.
const BOUTS: &str = bouts!("bouts WHERE ? = ''", "bouts");
const BOUTS_OF_ENGINE: &str = bouts!(
    "bouts_of_engines AS played CROSS JOIN bouts USING (id) WHERE played.engine = ?",
    "played"
);

/// Its files have had no number of their own from the first version on.
const SCHEMA: Schema = Schema {
    what: "the store of a server",
    application_id: 0,
    migrations: &MIGRATIONS,
    durable: false,
    connections: 4,
};

/// A store in a file, or in memory.
#[derive(Clone, Debug)]
pub struct Sqlite {
    pool: SqlitePool,
}

impl Sqlite {
    /// The store in this file, which is made where it is not there.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { pool: database::open(file, &SCHEMA).await? })
    }

    /// A store that is gone with its last clone.
    pub async fn in_memory() -> Result<Self, StoreError> {
        Ok(Self { pool: database::in_memory(&SCHEMA).await? })
    }
}

async fn write(work: &mut Transaction<'_, Db>, write: &Write) -> Result<(), sqlx::Error> {
    if let Write::Bout(bout) = write {
        write_engines(work, bout).await?;
    }
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

/// By which engines a bout is found: by those of an earlier one of its id no more.
async fn write_engines(work: &mut Transaction<'_, Db>, bout: &Bout) -> Result<(), sqlx::Error> {
    let earlier = sqlx::query("DELETE FROM bouts_of_engines WHERE id = ?").bind(&bout.id);
    earlier.execute(&mut **work).await?;
    for engine in &bout.engines {
        let one = sqlx::query(
            "INSERT OR IGNORE INTO bouts_of_engines (engine, ended_ms, id) VALUES (?, ?, ?)",
        );
        one.bind(engine).bind(bout.ended_ms).bind(&bout.id).execute(&mut **work).await?;
    }
    Ok(())
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
            let text = if query.engine.is_empty() { BOUTS } else { BOUTS_OF_ENGINE };
            let rows = sqlx::query(text)
                .bind(&query.engine)
                .bind(before)
                .bind(id)
                .bind(&query.game)
                .bind(&query.game)
                .bind(within(&query.name))
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
                .bind(list(&engines))
                .execute(&pool)
                .await
                .unwrap();
        }
        pool.close().await;
        let store = Sqlite::open(&file).await.unwrap();
        let check = async |engine: &str, expected: &str| {
            let query = Query { engine: engine.into(), limit: 9, ..Query::default() };
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
