//! Arenas in a database of PostgreSQL, many in one. What was committed has reached the disk of a server that is set so,
//! as it is unless told: neither a kill of host or server nor a loss of power takes it.
//!
//! Invariant: whoever plays an arena writes by the very connection that holds its lock: who has lost the one has lost
//! the other, and keeps nothing more.

use std::time::Duration;

use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Connection, QueryBuilder, Row};
use tokio::sync::Mutex;

use super::{
    Accepted, Answer, Attempt, Exclusion, Extent, Listed, Packed, Pending, Query, Request, Store,
    StoreError, Write,
};
use crate::arena::job::GameKey;
use crate::database::Url;
use crate::database::postgres::{Database, Schema, failed, storable};

/// What each version of the store adds to the one before. What was released is not changed.
const MIGRATIONS: [&str; 2] = [include_str!("postgres.sql"), include_str!("postgres-2.sql")];

/// What [`listed`] reads, of all games of an arena that count.
const LISTED: &str =
    "SELECT pair, game, round, opening, player_one, player_two, half_points, plies, fault, sentence, stored_ms
     FROM accepted JOIN attempts USING (arena, pair, game) WHERE id = attempt AND arena = ";

/// What does not count any more without the worker `$2`; where `$3`, all of later pairs, too.
const WITHDRAW: &str = "
    WITH counts AS (
        SELECT id, pair, worker FROM accepted JOIN attempts USING (arena, pair, game)
        WHERE arena = $1 AND id = attempt
    ), gone AS (
        SELECT id FROM counts
        WHERE worker = $2 OR ($3 AND pair > (SELECT min(pair) FROM counts WHERE worker = $2))
    )
    INSERT INTO withdrawn (arena, attempt) SELECT $1, id FROM gone";

/// What is withdrawn counts no more.
const FORGET: &str = "DELETE FROM accepted WHERE arena = $1
    AND attempt IN (SELECT attempt FROM withdrawn WHERE arena = $1)";

/// The lock of an arena, which is `$1`; `$2` says which of its two.
macro_rules! lock {
    ($function:literal) => {
        concat!("SELECT ", $function, "(hashtextextended(current_schema() || ' ' || $1, $2))")
    };
}
/// Held by who plays it.
const PLAYS: i64 = 1;
/// Held by who writes attempts, so that their numbers rise in the order of commits.
const WRITES: i64 = 2;

const SCHEMA: Schema = Schema {
    what: "a store of arenas",
    kind: "arenas",
    migrations: &MIGRATIONS,
    durable: true,
    connections: 4,
    patience: Duration::from_secs(3),
};

/// One arena of a database.
pub struct Postgres {
    database: Database,
    arena: String,
    /// The connection that holds the lock, where this value plays the arena.
    held: Mutex<Option<PgConnection>>,
}

impl Postgres {
    /// The arena of this name in a database, which is prepared where it is empty. The arena need not have begun.
    pub async fn open(url: &Url, arena: &str) -> Result<Self, StoreError> {
        Ok(Self::of(Database::open(url, &SCHEMA).await?, arena))
    }

    /// The same, to read from; somebody else may write to it.
    pub async fn open_to_read(url: &Url, arena: &str) -> Result<Self, StoreError> {
        Ok(Self::of(Database::open_to_read(url, &SCHEMA).await?, arena))
    }

    fn of(database: Database, arena: &str) -> Self {
        Self { database, arena: arena.to_owned(), held: Mutex::new(None) }
    }

    #[cfg(test)]
    pub(super) fn pool(&self) -> &sqlx::PgPool {
        &self.database.pool
    }

    async fn write(&self, connection: &mut PgConnection, writes: &[Write]) -> sqlx::Result<()> {
        let mut work = connection.begin().await?;
        let lock = sqlx::query(lock!("pg_advisory_xact_lock")).bind(&self.arena).bind(WRITES);
        lock.execute(&mut *work).await?;
        let last = "SELECT coalesce(max(id), 0) FROM attempts WHERE arena = $1";
        let last = sqlx::query_scalar(last).bind(&self.arena).fetch_one(&mut *work).await;
        let mut id: i64 = last?;
        for write in writes {
            if let Write::Attempt(attempt) = write {
                id += 1;
                add(&mut work, &self.arena, id, attempt).await?;
            } else {
                change(&mut work, &self.arena, write).await?;
            }
        }
        work.commit().await
    }
}

async fn add(
    work: &mut PgConnection,
    arena: &str,
    id: i64,
    attempt: &Attempt,
) -> Result<(), sqlx::Error> {
    let Attempt { game, job, round, opening, players, .. } = attempt;
    let Attempt { result, sentence, record, worker, stored_ms, .. } = attempt;
    // In one statement, since each has its way to the server and back.
    let insert = sqlx::query(
        "WITH attempt AS (
             INSERT INTO attempts (arena, id, pair, game, job, round, opening, player_one, player_two,
                 half_points, plies, fault, result, sentence, stored_ms, worker)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $17)
         ), record AS (
             INSERT INTO records (arena, attempt, record) VALUES ($1, $2, $16)
         )
         INSERT INTO accepted (arena, pair, game, attempt)
         SELECT $1, $3, $4, $2 WHERE $13::text IS NOT NULL
             AND NOT EXISTS (SELECT FROM excluded WHERE arena = $1 AND worker = $17)
         ON CONFLICT DO NOTHING",
    );
    let summary = result.as_ref();
    insert
        .bind(arena)
        .bind(id)
        .bind(i64::from(game.pair))
        .bind(i16::from(game.game))
        .bind(&job[..])
        .bind(i64::from(*round))
        .bind(opening.map(i64::from))
        .bind(i64::from(players[0]))
        .bind(i64::from(players[1]))
        .bind(summary.map(|result| i16::from(result.half_points)))
        .bind(summary.map(|result| result.plies as i64))
        .bind(summary.and_then(|result| result.fault.as_deref()).map(storable))
        .bind(summary.map(|result| storable(&result.result)))
        .bind(storable(sentence))
        .bind(stored_ms)
        .bind(&record.0)
        .bind(worker.as_deref().map(storable))
        .execute(work)
        .await
        .map(drop)
}

async fn exclude(
    work: &mut PgConnection,
    arena: &str,
    exclusion: &Exclusion,
) -> Result<(), sqlx::Error> {
    let Exclusion { worker, reason, later_rounds } = exclusion;
    let insert =
        "INSERT INTO excluded (arena, worker, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    let insert = sqlx::query(insert).bind(arena).bind(storable(worker)).bind(storable(reason));
    insert.execute(&mut *work).await?;
    let withdraw = sqlx::query(WITHDRAW).bind(arena).bind(storable(worker)).bind(later_rounds);
    withdraw.execute(&mut *work).await?;
    sqlx::query(FORGET).bind(arena).execute(work).await.map(drop)
}

async fn void(work: &mut PgConnection, arena: &str, pair: u32) -> Result<(), sqlx::Error> {
    let withdraw = sqlx::query(
        "INSERT INTO withdrawn (arena, attempt)
         SELECT arena, attempt FROM accepted WHERE arena = $1 AND pair = $2",
    );
    withdraw.bind(arena).bind(i64::from(pair)).execute(&mut *work).await?;
    sqlx::query(FORGET).bind(arena).execute(work).await.map(drop)
}

/// Keeps what is no attempt.
async fn change(work: &mut PgConnection, arena: &str, write: &Write) -> Result<(), sqlx::Error> {
    let query = match write {
        Write::Attempt(_) => return Ok(()),
        Write::Exclude(exclusion) => return exclude(work, arena, exclusion).await,
        Write::Void(pair) => return void(work, arena, *pair).await,
        Write::Player { number, about } => {
            sqlx::query("INSERT INTO players (arena, number, about) VALUES ($1, $2, $3)")
                .bind(arena)
                .bind(i64::from(*number))
                .bind(storable(about))
        }
        Write::Event { number, event } => {
            sqlx::query("INSERT INTO events (arena, number, event) VALUES ($1, $2, $3)")
                .bind(arena)
                .bind(i64::from(*number))
                .bind(storable(event))
        }
        Write::Answer { request, answer } => sqlx::query(
            "UPDATE requests SET done = $3, answer = $4 WHERE arena = $1 AND number = $2 AND done IS NULL",
        )
        .bind(arena)
        .bind(request)
        .bind(answer.done)
        .bind(storable(&answer.text)),
        Write::Status(text) => sqlx::query(
            "INSERT INTO status (arena, changes, text) VALUES ($1, 1, $2)
             ON CONFLICT (arena) DO UPDATE SET text = excluded.text, changes = status.changes + 1",
        )
        .bind(arena)
        .bind(storable(text)),
    };
    query.execute(work).await.map(drop)
}

/// A column of whole numbers that are smaller here.
fn small<T: TryFrom<i64>>(row: &PgRow, column: &str) -> Result<T, sqlx::Error>
where
    T::Error: std::error::Error + Send + Sync + 'static,
{
    let number: i64 = row.try_get(column)?;
    T::try_from(number).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

fn game(row: &PgRow) -> Result<GameKey, sqlx::Error> {
    let game: i16 = row.try_get("game")?;
    let game = u8::try_from(game).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(GameKey { pair: small(row, "pair")?, game })
}

fn accepted(row: &PgRow) -> Result<Accepted, sqlx::Error> {
    let job: &[u8] = row.try_get("job")?;
    let job = job.try_into().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(Accepted { game: game(row)?, job, result: row.try_get("result")? })
}

fn listed(row: &PgRow) -> Result<Listed, sqlx::Error> {
    let opening: Option<i64> = row.try_get("opening")?;
    let half_points: i16 = row.try_get("half_points")?;
    let plies: i64 = row.try_get("plies")?;
    Ok(Listed {
        game: game(row)?,
        round: small(row, "round")?,
        opening: opening.map(|_| small(row, "opening")).transpose()?,
        players: [small(row, "player_one")?, small(row, "player_two")?],
        half_points: u8::try_from(half_points)
            .map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        plies: plies.unsigned_abs(),
        fault: row.try_get("fault")?,
        sentence: row.try_get("sentence")?,
        stored_ms: row.try_get("stored_ms")?,
    })
}

impl Store for Postgres {
    fn setup(&self) -> Pending<'_, Option<(String, Option<Vec<u8>>)>> {
        Box::pin(async move {
            let row = sqlx::query_as("SELECT setup, openings FROM arenas WHERE arena = $1");
            let row = row.bind(&self.arena).fetch_optional(&self.database.pool).await;
            row.map_err(failed("read the setup of the arena"))
        })
    }

    fn begin<'a>(&'a self, setup: &'a str, openings: Option<&'a [u8]>) -> Pending<'a, ()> {
        Box::pin(async move {
            let insert =
                sqlx::query("INSERT INTO arenas (arena, setup, openings) VALUES ($1, $2, $3)");
            let insert = insert.bind(&self.arena).bind(storable(setup)).bind(openings);
            let done = insert.execute(&self.database.pool).await;
            done.map(drop).map_err(failed("begin the arena"))
        })
    }

    fn commit<'a>(&'a self, writes: &'a [Write]) -> Pending<'a, ()> {
        Box::pin(async move {
            let failed = failed("write to the store of the arena");
            let mut held = self.held.lock().await;
            match &mut *held {
                Some(connection) => self.write(connection, writes).await.map_err(&failed),
                None => {
                    let mut connection = self.database.pool.acquire().await.map_err(&failed)?;
                    self.write(&mut connection, writes).await.map_err(&failed)
                }
            }
        })
    }

    fn players(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move {
            let rows = "SELECT about FROM players WHERE arena = $1 ORDER BY number";
            let rows = sqlx::query_scalar(rows).bind(&self.arena).fetch_all(&self.database.pool);
            rows.await.map_err(failed("read the players of the arena"))
        })
    }

    fn events(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move {
            let rows = "SELECT event FROM events WHERE arena = $1 ORDER BY number";
            let rows = sqlx::query_scalar(rows).bind(&self.arena).fetch_all(&self.database.pool);
            rows.await.map_err(failed("read what changed in the arena"))
        })
    }

    fn excluded(&self) -> Pending<'_, Vec<(String, String)>> {
        Box::pin(async move {
            let rows = "SELECT worker, reason FROM excluded WHERE arena = $1 ORDER BY worker";
            let rows = sqlx::query_as(rows).bind(&self.arena).fetch_all(&self.database.pool);
            rows.await.map_err(failed("read who was excluded"))
        })
    }

    fn accepted(&self) -> Pending<'_, Vec<Accepted>> {
        Box::pin(async move {
            let failed = failed("read the results of the arena");
            let rows = sqlx::query(
                "SELECT accepted.pair, accepted.game, job, result FROM accepted
                 JOIN attempts ON attempts.arena = accepted.arena AND id = attempt
                 WHERE accepted.arena = $1 ORDER BY accepted.pair, accepted.game",
            );
            let rows = rows.bind(&self.arena).fetch_all(&self.database.pool).await;
            rows.map_err(&failed)?.iter().map(|row| accepted(row).map_err(&failed)).collect()
        })
    }

    fn accepted_after(&self, attempt: i64) -> Pending<'_, Vec<Accepted>> {
        Box::pin(async move {
            let failed = failed("read the latest results of the arena");
            let rows = sqlx::query(
                "SELECT pair, game, job, result FROM attempts JOIN accepted USING (arena, pair, game)
                 WHERE arena = $1 AND id > $2 AND attempt = id ORDER BY id",
            );
            let rows = rows.bind(&self.arena).bind(attempt).fetch_all(&self.database.pool).await;
            rows.map_err(&failed)?.iter().map(|row| accepted(row).map_err(&failed)).collect()
        })
    }

    fn games<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            let failed = failed("read the games of the arena");
            let mut text = QueryBuilder::new(LISTED);
            text.push_bind(&self.arena);
            for player in query.player.iter().chain(&query.opponent) {
                text.push(" AND ").push_bind(i64::from(*player));
                text.push(" IN (player_one, player_two)");
            }
            if let Some(opening) = query.opening {
                text.push(" AND opening = ").push_bind(i64::from(opening));
            }
            if let Some(round) = query.round {
                text.push(" AND round = ").push_bind(i64::from(round));
            }
            match query.fault {
                Some(true) => drop(text.push(" AND fault IS NOT NULL")),
                Some(false) => drop(text.push(" AND fault IS NULL")),
                None => {}
            }
            if let Some(before) = query.before {
                text.push(" AND (pair, game) < (").push_bind(i64::from(before.pair));
                text.push(", ").push_bind(i16::from(before.game)).push(")");
            }
            text.push(" ORDER BY pair DESC, game DESC LIMIT ").push_bind(i64::from(query.limit));
            let rows = text.build().fetch_all(&self.database.pool).await.map_err(&failed)?;
            rows.iter().map(|row| listed(row).map_err(&failed)).collect()
        })
    }

    fn games_after(&self, game: Option<GameKey>, limit: u32) -> Pending<'_, Vec<Listed>> {
        Box::pin(async move {
            let failed = failed("read the games of the arena");
            let mut text = QueryBuilder::new(LISTED);
            text.push_bind(&self.arena);
            if let Some(game) = game {
                text.push(" AND (pair, game) > (").push_bind(i64::from(game.pair));
                text.push(", ").push_bind(i16::from(game.game)).push(")");
            }
            text.push(" ORDER BY pair, game LIMIT ").push_bind(i64::from(limit));
            let rows = text.build().fetch_all(&self.database.pool).await.map_err(&failed)?;
            rows.iter().map(|row| listed(row).map_err(&failed)).collect()
        })
    }

    fn record(&self, game: GameKey) -> Pending<'_, Option<Packed>> {
        Box::pin(async move {
            let row = sqlx::query_scalar(
                "SELECT record FROM accepted JOIN records USING (arena, attempt)
                 WHERE arena = $1 AND pair = $2 AND game = $3",
            );
            let row = row.bind(&self.arena).bind(i64::from(game.pair)).bind(i16::from(game.game));
            let row = row.fetch_optional(&self.database.pool).await;
            Ok(row.map_err(failed("read a record of the arena"))?.map(Packed))
        })
    }

    fn ask<'a>(&'a self, what: &'a str) -> Pending<'a, i64> {
        Box::pin(async move {
            let insert = "INSERT INTO requests (arena, what) VALUES ($1, $2) RETURNING number";
            let insert = sqlx::query_scalar(insert).bind(&self.arena).bind(storable(what));
            insert.fetch_one(&self.database.pool).await.map_err(failed("ask the arena"))
        })
    }

    fn answer(&self, request: i64) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            let row = sqlx::query_as(
                "SELECT done, answer FROM requests WHERE arena = $1 AND number = $2 AND done IS NOT NULL",
            );
            let row = row.bind(&self.arena).bind(request).fetch_optional(&self.database.pool).await;
            let row: Option<(bool, String)> =
                row.map_err(failed("read what became of a request"))?;
            Ok(row.map(|(done, text)| Answer { done, text }))
        })
    }

    fn requests(&self) -> Pending<'_, Vec<Request>> {
        Box::pin(async move {
            let rows = sqlx::query_as(
                "SELECT number, what FROM requests WHERE arena = $1 AND done IS NULL ORDER BY number",
            );
            let rows = rows.bind(&self.arena).fetch_all(&self.database.pool).await;
            let rows: Vec<(i64, String)> =
                rows.map_err(failed("read what is asked of the arena"))?;
            Ok(rows.into_iter().map(|(number, what)| Request { number, what }).collect())
        })
    }

    fn status(&self) -> Pending<'_, Option<String>> {
        Box::pin(async move {
            let row = sqlx::query_scalar("SELECT text FROM status WHERE arena = $1");
            let row = row.bind(&self.arena).fetch_optional(&self.database.pool).await;
            row.map_err(failed("read what goes on in the arena"))
        })
    }

    fn extent(&self) -> Pending<'_, Extent> {
        Box::pin(async move {
            let row = sqlx::query_as(
                "SELECT coalesce((SELECT max(id) FROM attempts WHERE arena = $1), 0),
                 (SELECT count(*) FROM events WHERE arena = $1),
                 (SELECT count(*) FROM players WHERE arena = $1),
                 coalesce((SELECT changes FROM status WHERE arena = $1), 0),
                 (SELECT count(*) FROM excluded WHERE arena = $1)",
            );
            let row = row.bind(&self.arena).fetch_one(&self.database.pool).await;
            let row = row.map_err(failed("read whether the arena has changed"))?;
            let (attempts, events, players, statuses, excluded) = row;
            Ok(Extent { attempts, events, players, statuses, excluded })
        })
    }

    fn hold(&self) -> Pending<'_, bool> {
        Box::pin(async move {
            let mut connection = self.database.connection().await?;
            let lock = sqlx::query_scalar(lock!("pg_try_advisory_lock"));
            let lock = lock.bind(&self.arena).bind(PLAYS).fetch_one(&mut connection).await;
            let holds = lock.map_err(failed("lock the arena"))?;
            if holds {
                *self.held.lock().await = Some(connection);
            }
            Ok(holds)
        })
    }

    fn is_held(&self) -> Pending<'_, bool> {
        Box::pin(async move {
            // It is let go of with the statement's own transaction.
            let lock = sqlx::query_scalar(lock!("pg_try_advisory_xact_lock_shared"));
            let lock = lock.bind(&self.arena).bind(PLAYS).fetch_one(&self.database.pool).await;
            lock.map(|free: bool| !free).map_err(failed("see whether the arena is played"))
        })
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            if let Some(mut connection) = self.held.lock().await.take() {
                // The lock goes with the connection, however it ends; so it is gone already when this returns.
                let unlock = sqlx::raw_sql("SELECT pg_advisory_unlock_all()");
                let _ = unlock.execute(&mut connection).await;
                let _ = connection.close().await;
            }
            self.database.pool.close().await;
            Ok(())
        })
    }
}
