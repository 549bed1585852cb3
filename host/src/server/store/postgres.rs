//! The store in a database of PostgreSQL, one server's. A kill at any moment, of host or database, leaves what was
//! committed; a loss of power at most the last moments.

use sqlx::postgres::{PgConnection, PgPool, PgRow};
use sqlx::{Connection, Row};

use super::columns::{list, unlisted, within};
use super::{Bout, Pending, Query, Store, StoreError, StoredRoom, Write};
use crate::database::postgres::{Database, Schema, failed, storable};
use crate::database::{PATIENCE, Url};

/// What each version of the store adds to the one before. What was released is not changed. Ids are compared by their
/// bytes, whatever the language of the database.
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

/// A list of bouts: what it goes through, and which of its columns say how it is ordered.
macro_rules! bouts {
    ($from:literal, $order:literal) => {
        concat!(
            "SELECT bouts.id, game, variant, names, engines, sentence, result, plies,
                 bouts.ended_ms FROM ",
            $from,
            " AND ($2::bigint IS NULL OR (",
            $order,
            ".ended_ms, ",
            $order,
            ".id) < ($2, $3)) AND ($4 = '' OR game = $4)
             AND names ILIKE $5 ESCAPE '\\' AND ($6 = '' OR result = $6) ORDER BY ",
            $order,
            ".ended_ms DESC, ",
            $order,
            ".id DESC LIMIT $7"
        )
    };
}

/// Of whatever engines: what is asked for of them is empty.
const BOUTS: &str = bouts!("bouts WHERE $1 = ''", "bouts");
const BOUTS_OF_ENGINE: &str =
    bouts!("bouts_of_engines AS played JOIN bouts USING (id) WHERE played.engine = $1", "played");

const SCHEMA: Schema = Schema {
    what: "the store of a server",
    kind: "server",
    migrations: &MIGRATIONS,
    durable: false,
    connections: 4,
    patience: PATIENCE,
};

/// A store in a database.
pub struct Postgres {
    pool: PgPool,
}

impl Postgres {
    /// The store in this database, which is prepared where it is empty.
    pub async fn open(url: &Url) -> Result<Self, StoreError> {
        Ok(Self { pool: Database::open(url, &SCHEMA).await?.pool })
    }
}

async fn write(work: &mut PgConnection, write: &Write) -> Result<(), sqlx::Error> {
    match write {
        Write::Room { id, about } => {
            let upsert = sqlx::query(
                "INSERT INTO rooms (id, about) VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET about = excluded.about",
            );
            upsert.bind(storable(id)).bind(storable(about)).execute(work).await?;
        }
        Write::Record { id, record } => {
            let update = sqlx::query("UPDATE rooms SET record = $2 WHERE id = $1");
            update.bind(storable(id)).bind(storable(record)).execute(work).await?;
        }
        Write::Remove { id } => {
            let delete = sqlx::query("DELETE FROM rooms WHERE id = $1");
            delete.bind(storable(id)).execute(work).await?;
        }
        Write::Bout(bout) => {
            write_engines(work, bout).await?;
            write_bout(work, bout).await?;
        }
    }
    Ok(())
}

async fn write_bout(work: &mut PgConnection, bout: &Bout) -> Result<(), sqlx::Error> {
    let upsert = sqlx::query(
        "INSERT INTO bouts
         (id, game, variant, names, engines, sentence, result, plies, ended_ms, record)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (id) DO UPDATE SET game = excluded.game, variant = excluded.variant,
         names = excluded.names, engines = excluded.engines, sentence = excluded.sentence,
         result = excluded.result, plies = excluded.plies, ended_ms = excluded.ended_ms,
         record = excluded.record",
    );
    upsert
        .bind(storable(&bout.id))
        .bind(storable(&bout.game))
        .bind(storable(&bout.variant))
        .bind(storable(&list(&bout.names)))
        .bind(storable(&list(&bout.engines)))
        .bind(storable(&bout.sentence))
        .bind(storable(&bout.result))
        .bind(i64::from(bout.plies))
        .bind(bout.ended_ms)
        .bind(storable(&bout.record))
        .execute(work)
        .await
        .map(drop)
}

/// By which engines a bout is found: by those of an earlier one of its id no more.
async fn write_engines(work: &mut PgConnection, bout: &Bout) -> Result<(), sqlx::Error> {
    let earlier =
        sqlx::query("DELETE FROM bouts_of_engines WHERE id = $1").bind(storable(&bout.id));
    earlier.execute(&mut *work).await?;
    let engines: Vec<String> = bout.engines.iter().map(|it| storable(it).into_owned()).collect();
    let insert = sqlx::query(
        "INSERT INTO bouts_of_engines (engine, ended_ms, id)
         SELECT engine, $2, $3 FROM unnest($1::text[]) AS engine ON CONFLICT DO NOTHING",
    );
    insert.bind(engines).bind(bout.ended_ms).bind(storable(&bout.id)).execute(work).await.map(drop)
}

fn bout(row: &PgRow, with_record: bool) -> Result<Bout, sqlx::Error> {
    let plies: i64 = row.try_get("plies")?;
    Ok(Bout {
        id: row.try_get("id")?,
        game: row.try_get("game")?,
        variant: row.try_get("variant")?,
        names: unlisted(row.try_get("names")?),
        engines: unlisted(row.try_get("engines")?),
        sentence: row.try_get("sentence")?,
        result: row.try_get("result")?,
        plies: u32::try_from(plies).map_err(|error| sqlx::Error::Decode(error.into()))?,
        ended_ms: row.try_get("ended_ms")?,
        record: if with_record { row.try_get("record")? } else { String::new() },
    })
}

impl Store for Postgres {
    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()> {
        Box::pin(async move {
            let failed = failed("write to the store");
            let mut connection = self.pool.acquire().await.map_err(&failed)?;
            let mut work = connection.begin().await.map_err(&failed)?;
            for one in writes {
                write(&mut work, one).await.map_err(&failed)?;
            }
            work.commit().await.map_err(&failed)
        })
    }

    fn rooms(&self) -> Pending<'_, Vec<StoredRoom>> {
        Box::pin(async move {
            let failed = failed("read the rooms of the store");
            let rows = sqlx::query_as("SELECT id, about, record FROM rooms ORDER BY id");
            let rows: Vec<(String, String, Option<String>)> =
                rows.fetch_all(&self.pool).await.map_err(failed)?;
            let room = |(id, about, record)| StoredRoom { id, about, record };
            Ok(rows.into_iter().map(room).collect())
        })
    }

    fn record<'a>(&'a self, id: &'a str) -> Pending<'a, Option<String>> {
        Box::pin(async move {
            let row = sqlx::query_scalar("SELECT record FROM rooms WHERE id = $1");
            let row = row.bind(storable(id)).fetch_optional(&self.pool).await;
            let row: Option<Option<String>> = row.map_err(failed("read a record of the store"))?;
            Ok(row.flatten())
        })
    }

    fn bout<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Bout>> {
        Box::pin(async move {
            let failed = failed("read a bout of the store");
            let row = sqlx::query("SELECT * FROM bouts WHERE id = $1").bind(storable(id));
            let row = row.fetch_optional(&self.pool).await.map_err(&failed)?;
            row.map(|row| bout(&row, true).map_err(&failed)).transpose()
        })
    }

    fn bouts<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Bout>> {
        Box::pin(async move {
            let failed = failed("read the bouts of the store");
            let before = query.before.as_ref();
            let text = if query.engine.is_empty() { BOUTS } else { BOUTS_OF_ENGINE };
            let rows = sqlx::query(text)
                .bind(storable(&query.engine))
                .bind(before.map(|(ended_ms, _)| *ended_ms))
                .bind(before.map(|(_, id)| storable(id)))
                .bind(storable(&query.game))
                .bind(storable(&within(&query.name)))
                .bind(storable(&query.result))
                .bind(i64::from(query.limit))
                .fetch_all(&self.pool)
                .await
                .map_err(&failed)?;
            rows.iter().map(|row| bout(row, false).map_err(&failed)).collect()
        })
    }

    fn count(&self) -> Pending<'_, u64> {
        Box::pin(async move {
            let row = sqlx::query_scalar("SELECT count(*) FROM bouts").fetch_one(&self.pool).await;
            let count: i64 = row.map_err(failed("count the bouts of the store"))?;
            Ok(count.unsigned_abs())
        })
    }
}
