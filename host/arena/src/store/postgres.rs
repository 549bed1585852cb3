//! Arenas in a PostgreSQL database, which may hold many. What was committed is on the disk of the
//! server, with its default settings: neither a kill of host or server nor a power failure loses
//! it.
//!
//! Invariant: the process that plays an arena writes through the connection that holds the arena's
//! lock. A process that has lost the lock has lost the connection, and can store nothing more.

use std::time::Duration;

use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Connection, QueryBuilder, Row};
use tokio::sync::Mutex;

use super::{
    AcceptedResult, Attempt, Exclusion, GameQuery, PackedRecord, RequestAnswer, Store, StoreError,
    StoreExtent, StoreFuture, StoredGame, StoredRequest, Write, queries,
};
use crate::database::Url;
use crate::database::postgres::{Database, Schema, failed, storable};
use sandboard_arena_plan::GameKey;

/// What each version of the store adds to the previous one. A released migration never changes.
const MIGRATIONS: [&str; 1] = [include_str!("postgres.sql")];

/// Calls a lock function for the arena `$1`; `$2` is one of [`PLAYS`] and [`WRITES`].
macro_rules! lock {
    ($function:literal) => {
        concat!("SELECT ", $function, "(hashtextextended(current_schema() || ' ' || $1, $2))")
    };
}
/// The lock that is held by the process that plays the arena.
const PLAYS: i64 = 1;
/// The lock that is held while attempts are written, so that their numbers rise in the order of
/// commits.
const WRITES: i64 = 2;

const SCHEMA: Schema = Schema {
    description: "a store of arenas",
    kind: "arenas",
    migrations: &MIGRATIONS,
    durable: true,
    connections: 4,
    acquire_timeout: Duration::from_secs(3),
};

/// One arena of a database.
pub struct Postgres {
    database: Database,
    arena: String,
    /// The connection that holds the lock, if this value plays the arena.
    locked: Mutex<Option<PgConnection>>,
}

impl Postgres {
    /// Opens the arena with this id in a database; an empty database is prepared. The arena need
    /// not exist yet.
    pub async fn open(url: &Url, arena: &str) -> Result<Self, StoreError> {
        Ok(Self::of(Database::open(url, &SCHEMA).await?, arena))
    }

    /// Opens the arena for reading. Other processes may write to it.
    pub async fn open_to_read(url: &Url, arena: &str) -> Result<Self, StoreError> {
        Ok(Self::of(Database::open_to_read(url, &SCHEMA).await?, arena))
    }

    fn of(database: Database, arena: &str) -> Self {
        Self { database, arena: arena.to_owned(), locked: Mutex::new(None) }
    }

    pub(super) fn pool(&self) -> &sqlx::PgPool {
        &self.database.pool
    }

    fn arena(&self) -> &str {
        &self.arena
    }

    async fn write(&self, connection: &mut PgConnection, writes: &[Write]) -> sqlx::Result<()> {
        let mut work = connection.begin().await?;
        let lock = sqlx::query(lock!("pg_advisory_xact_lock")).bind(&self.arena).bind(WRITES);
        lock.execute(&mut *work).await?;
        write_all(&mut work, &self.arena, writes).await?;
        work.commit().await
    }
}

/// Inserts an attempt in one statement, since each statement is a round trip to the server.
async fn add_attempt(
    work: &mut PgConnection,
    arena: &str,
    id: i64,
    attempt: &Attempt,
) -> Result<(), sqlx::Error> {
    let Attempt { game, job, round, opening, players, .. } = attempt;
    let Attempt { result, sentence, record, worker, stored_ms, .. } = attempt;
    let insert = sqlx::query(
        "WITH attempt AS (
             INSERT INTO attempts (arena, id, pair, game, job, round, opening, players,
             half_points, plies, fault, result, sentence, stored_ms, worker)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $16)
         ), record AS (
             INSERT INTO records (arena, attempt, record) VALUES ($1, $2, $15)
         )
         INSERT INTO accepted (arena, pair, game, attempt)
         SELECT $1, $3, $4, $2 WHERE $12::text IS NOT NULL
             AND NOT EXISTS (SELECT FROM excluded WHERE arena = $1 AND worker = $16)
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
        .bind(queries::write_list(players))
        .bind(summary.map(|result| queries::write_list(&result.half_points)))
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

queries::store! {
    store: Postgres, database: sqlx::Postgres, row: PgRow, connection: PgConnection,
    join: "JOIN", {
        fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()> {
            Box::pin(async move {
                let failed = failed("write to the store of the arena");
                let mut locked = self.locked.lock().await;
                match &mut *locked {
                    Some(connection) => self.write(connection, writes).await.map_err(&failed),
                    None => {
                        let mut connection = self.database.pool.acquire().await.map_err(&failed)?;
                        self.write(&mut connection, writes).await.map_err(&failed)
                    }
                }
            })
        }

        fn lock(&self) -> StoreFuture<'_, bool> {
            Box::pin(async move {
                let mut connection = self.database.connection().await?;
                let lock = sqlx::query_scalar(lock!("pg_try_advisory_lock"));
                let lock = lock.bind(&self.arena).bind(PLAYS).fetch_one(&mut connection).await;
                let is_locked = lock.map_err(failed("lock the arena"))?;
                if is_locked {
                    *self.locked.lock().await = Some(connection);
                }
                Ok(is_locked)
            })
        }

        fn is_locked(&self) -> StoreFuture<'_, bool> {
            Box::pin(async move {
                // The lock ends with the statement's own transaction.
                let lock = sqlx::query_scalar(lock!("pg_try_advisory_xact_lock_shared"));
                let lock = lock.bind(&self.arena).bind(PLAYS).fetch_one(&self.database.pool).await;
                lock.map(|is_free: bool| !is_free)
                    .map_err(failed("check whether the arena is being played"))
            })
        }

        fn close(&self) -> StoreFuture<'_, ()> {
            Box::pin(async move {
                if let Some(mut connection) = self.locked.lock().await.take() {
                    // The lock ends with the connection; unlocking first makes that immediate.
                    let unlock = sqlx::raw_sql("SELECT pg_advisory_unlock_all()");
                    let _ = unlock.execute(&mut connection).await;
                    let _ = connection.close().await;
                }
                self.database.pool.close().await;
                Ok(())
            })
        }
    }
}

#[cfg(test)]
mod tests;
