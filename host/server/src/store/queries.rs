//! The statements of the server's store, one text for all databases. Each database understands
//! them; the two words in which they differ are parameters of the macro.

/// Implements [`Store`](super::Store) for a type with a `pool`, a function `begin` that starts a
/// write, and the functions `failed` and `storable` in scope. `$like` ignores case; `$join` joins
/// the bouts of an engine in the order of its index.
macro_rules! store {
    ($store:ty, $row:ty, $connection:ty, $like:literal, $join:literal) => {
        use sqlx::Row as _;

        use $crate::store::columns::{join_names, like_pattern, split_names};
        use $crate::store::{BoutQuery, FinishedBout, Store, StoreFuture, StoredRoom, Write};

        /// A list of bouts: the tables, and the table that has the order.
        macro_rules! bouts {
            ($from:expr, $order:literal) => {
                concat!(
                    "SELECT bouts.id, game, variant, names, engines, sentence, result, plies,
                         bouts.ended_ms FROM ",
                    $from,
                    " AND (",
                    $order,
                    ".ended_ms, ",
                    $order,
                    ".id) < ($2, $3) AND ($4 = '' OR game = $4) AND names ",
                    $like,
                    " $5 ESCAPE '\\' AND ($6 = '' OR result = $6) ORDER BY ",
                    $order,
                    ".ended_ms DESC, ",
                    $order,
                    ".id DESC LIMIT $7"
                )
            };
        }

        /// The bouts of all engines: the parameter for the engine is empty.
        const BOUTS: &str = bouts!("bouts WHERE $1 = ''", "bouts");
        const BOUTS_OF_ENGINE: &str = bouts!(
            concat!(
                "bouts_of_engines AS played ",
                $join,
                " bouts USING (id) WHERE played.engine = $1"
            ),
            "played"
        );

        fn bout(row: &$row, with_record: bool) -> Result<FinishedBout, sqlx::Error> {
            let plies: i64 = row.try_get("plies")?;
            Ok(FinishedBout {
                id: row.try_get("id")?,
                game: row.try_get("game")?,
                variant: row.try_get("variant")?,
                names: split_names(row.try_get("names")?),
                engines: split_names(row.try_get("engines")?),
                sentence: row.try_get("sentence")?,
                result: row.try_get("result")?,
                plies: u32::try_from(plies).map_err(|error| sqlx::Error::Decode(error.into()))?,
                ended_ms: row.try_get("ended_ms")?,
                record: if with_record { row.try_get("record")? } else { String::new() },
            })
        }

        async fn write(work: &mut $connection, write: &Write) -> Result<(), sqlx::Error> {
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

        async fn write_bout(
            work: &mut $connection,
            bout: &FinishedBout,
        ) -> Result<(), sqlx::Error> {
            let (names, engines) = (join_names(&bout.names), join_names(&bout.engines));
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
                .bind(storable(&names))
                .bind(storable(&engines))
                .bind(storable(&bout.sentence))
                .bind(storable(&bout.result))
                .bind(i64::from(bout.plies))
                .bind(bout.ended_ms)
                .bind(storable(&bout.record))
                .execute(work)
                .await
                .map(drop)
        }

        /// Replaces the engines by which a bout is found.
        async fn write_engines(
            work: &mut $connection,
            bout: &FinishedBout,
        ) -> Result<(), sqlx::Error> {
            let delete = sqlx::query("DELETE FROM bouts_of_engines WHERE id = $1");
            delete.bind(storable(&bout.id)).execute(&mut *work).await?;
            for engine in &bout.engines {
                let insert = sqlx::query(
                    "INSERT INTO bouts_of_engines (engine, ended_ms, id) VALUES ($1, $2, $3)
                     ON CONFLICT DO NOTHING",
                );
                let insert = insert.bind(storable(engine)).bind(bout.ended_ms);
                insert.bind(storable(&bout.id)).execute(&mut *work).await?;
            }
            Ok(())
        }

        impl Store for $store {
            fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()> {
                Box::pin(async move {
                    let failed = failed("write to the store");
                    let mut work = self.begin().await.map_err(&failed)?;
                    for one in writes {
                        write(&mut work, one).await.map_err(&failed)?;
                    }
                    work.commit().await.map_err(&failed)
                })
            }

            fn rooms(&self) -> StoreFuture<'_, Vec<StoredRoom>> {
                Box::pin(async move {
                    let rows = sqlx::query_as("SELECT id, about, record FROM rooms ORDER BY id");
                    let rows: Vec<(String, String, Option<String>)> = rows
                        .fetch_all(&self.pool)
                        .await
                        .map_err(failed("read the rooms of the store"))?;
                    let room = |(id, about, record)| StoredRoom { id, about, record };
                    Ok(rows.into_iter().map(room).collect())
                })
            }

            fn record<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<String>> {
                Box::pin(async move {
                    let row = sqlx::query_scalar("SELECT record FROM rooms WHERE id = $1");
                    let row = row.bind(storable(id)).fetch_optional(&self.pool).await;
                    let row: Option<Option<String>> =
                        row.map_err(failed("read a record of the store"))?;
                    Ok(row.flatten())
                })
            }

            fn bout<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<FinishedBout>> {
                Box::pin(async move {
                    let failed = failed("read a bout of the store");
                    let row = sqlx::query("SELECT * FROM bouts WHERE id = $1").bind(storable(id));
                    let row = row.fetch_optional(&self.pool).await.map_err(&failed)?;
                    row.map(|row| bout(&row, true).map_err(&failed)).transpose()
                })
            }

            fn bouts<'a>(&'a self, query: &'a BoutQuery) -> StoreFuture<'a, Vec<FinishedBout>> {
                Box::pin(async move {
                    let failed = failed("read the bouts of the store");
                    let (before_ms, before_id) = match &query.before {
                        Some((ended_ms, id)) => (*ended_ms, id.as_str()),
                        None => (i64::MAX, ""),
                    };
                    let statement =
                        if query.engine.is_empty() { BOUTS } else { BOUTS_OF_ENGINE };
                    let pattern = like_pattern(&query.name);
                    let rows = sqlx::query(statement)
                        .bind(storable(&query.engine))
                        .bind(before_ms)
                        .bind(storable(before_id))
                        .bind(storable(&query.game))
                        .bind(storable(&pattern))
                        .bind(storable(&query.result))
                        .bind(i64::from(query.limit))
                        .fetch_all(&self.pool)
                        .await
                        .map_err(&failed)?;
                    rows.iter().map(|row| bout(row, false).map_err(&failed)).collect()
                })
            }

            fn count(&self) -> StoreFuture<'_, u64> {
                Box::pin(async move {
                    let row = sqlx::query_scalar("SELECT count(*) FROM bouts");
                    let count: i64 = row
                        .fetch_one(&self.pool)
                        .await
                        .map_err(failed("count the bouts of the store"))?;
                    Ok(count.unsigned_abs())
                })
            }
        }
    };
}

pub(super) use store;
