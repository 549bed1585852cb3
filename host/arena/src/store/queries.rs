//! The queries of an arena's store, shared by SQLite and PostgreSQL. [`store`] implements
//! [`Store`](super::Store) for one of them. What differs between the two is in `sqlite` and
//! `postgres`: how an attempt is inserted, how a commit begins, and how the arena is locked.
//!
//! Every query names the arena, since a PostgreSQL database holds many.

use sandboard_tournament::schedule::SeatList;

/// The columns of a stored game, of all accepted games of an arena. The arena's id follows.
pub(super) const GAMES: &str =
    "SELECT pair, game, round, opening, players, half_points, plies, fault, sentence, stored_ms
     FROM accepted JOIN attempts USING (arena, pair, game) WHERE id = attempt AND arena = ";

/// A list as it is stored: with commas before, between and after its numbers, so that a query finds
/// a number in it.
pub(super) fn write_list<T: std::fmt::Display>(list: &[T]) -> String {
    list.iter().fold(",".to_owned(), |text, number| format!("{text}{number},"))
}

/// Reads a list that [`write_list`] wrote.
pub(super) fn read_list<T>(text: &str) -> Result<SeatList<T>, sqlx::Error>
where
    T: std::str::FromStr<Err = std::num::ParseIntError> + Copy + Default,
{
    let numbers = text.split(',').filter(|number| !number.is_empty()).map(str::parse);
    numbers.collect::<Result<_, _>>().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

/// Withdraws the accepted attempts of the worker `$2` and, if `$3`, all attempts of pairs after its
/// first one.
pub(super) const WITHDRAW_WORKER: &str = "WITH counted AS (
         SELECT id, pair, worker FROM accepted JOIN attempts USING (arena, pair, game)
         WHERE arena = $1 AND id = attempt
     ), affected AS (
         SELECT id FROM counted
         WHERE worker = $2 OR ($3 AND pair > (SELECT min(pair) FROM counted WHERE worker = $2))
     )
     INSERT INTO withdrawn (arena, attempt) SELECT $1, id FROM affected";

/// Removes withdrawn attempts from the accepted ones.
pub(super) const DELETE_WITHDRAWN: &str = "DELETE FROM accepted WHERE arena = $1
     AND attempt IN (SELECT attempt FROM withdrawn WHERE arena = $1)";

/// Implements [`Store`](super::Store) for a type with the methods `pool` and `arena`. The scope has
/// to define `add_attempt` (inserts an attempt) and `storable` (a text as the database accepts it).
/// `join` joins two tables in the given order, if the database has a keyword for it. The items in
/// braces go into the `impl` block.
macro_rules! store {
    (
        store: $store:ident, database: $database:ty, row: $row:ty, connection: $connection:ty,
        join: $join:literal, { $($own:item)* }
    ) => {
        /// Reads a `BIGINT` column as a smaller integer.
        fn small<T: TryFrom<i64>>(row: &$row, column: &str) -> Result<T, sqlx::Error>
        where
            T::Error: std::error::Error + Send + Sync + 'static,
        {
            let number: i64 = row.try_get(column)?;
            T::try_from(number).map_err(|error| sqlx::Error::Decode(Box::new(error)))
        }

        /// Reads a `SMALLINT` column as a byte.
        fn byte(row: &$row, column: &str) -> Result<u8, sqlx::Error> {
            let number: i16 = row.try_get(column)?;
            u8::try_from(number).map_err(|error| sqlx::Error::Decode(Box::new(error)))
        }

        fn game_key(row: &$row) -> Result<GameKey, sqlx::Error> {
            Ok(GameKey { pair: small(row, "pair")?, game: byte(row, "game")? })
        }

        fn accepted_result(row: &$row) -> Result<AcceptedResult, sqlx::Error> {
            let job: &[u8] = row.try_get("job")?;
            let job = job.try_into().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
            Ok(AcceptedResult { game: game_key(row)?, job, result: row.try_get("result")? })
        }

        fn stored_game(row: &$row) -> Result<StoredGame, sqlx::Error> {
            let opening: Option<i64> = row.try_get("opening")?;
            let plies: i64 = row.try_get("plies")?;
            Ok(StoredGame {
                game: game_key(row)?,
                round: small(row, "round")?,
                opening: opening.map(|_| small(row, "opening")).transpose()?,
                players: queries::read_list(row.try_get("players")?)?,
                half_points: queries::read_list(row.try_get("half_points")?)?,
                plies: plies.unsigned_abs(),
                fault: row.try_get("fault")?,
                sentence: row.try_get("sentence")?,
                stored_ms: row.try_get("stored_ms")?,
            })
        }

        /// Stores all of these within the transaction of `work`.
        async fn write_all(
            work: &mut $connection,
            arena: &str,
            writes: &[Write],
        ) -> Result<(), sqlx::Error> {
            let last = "SELECT coalesce(max(id), 0) FROM attempts WHERE arena = $1";
            let mut id: i64 = sqlx::query_scalar(last).bind(arena).fetch_one(&mut *work).await?;
            for write in writes {
                if let Write::Attempt(attempt) = write {
                    id += 1;
                    add_attempt(work, arena, id, attempt).await?;
                } else {
                    write_other(work, arena, write).await?;
                }
            }
            Ok(())
        }

        async fn exclude(
            work: &mut $connection,
            arena: &str,
            exclusion: &Exclusion,
        ) -> Result<(), sqlx::Error> {
            let Exclusion { worker, reason, later_pairs } = exclusion;
            let insert = sqlx::query(
                "INSERT INTO excluded (arena, worker, reason) VALUES ($1, $2, $3)
                 ON CONFLICT DO NOTHING",
            );
            let insert = insert.bind(arena).bind(storable(worker)).bind(storable(reason));
            insert.execute(&mut *work).await?;
            let withdraw = sqlx::query(queries::WITHDRAW_WORKER).bind(arena);
            let withdraw = withdraw.bind(storable(worker)).bind(later_pairs);
            withdraw.execute(&mut *work).await?;
            sqlx::query(queries::DELETE_WITHDRAWN).bind(arena).execute(work).await.map(drop)
        }

        async fn make_void(
            work: &mut $connection,
            arena: &str,
            pair: u32,
        ) -> Result<(), sqlx::Error> {
            let withdraw = sqlx::query(
                "INSERT INTO withdrawn (arena, attempt)
                 SELECT arena, attempt FROM accepted WHERE arena = $1 AND pair = $2",
            );
            withdraw.bind(arena).bind(i64::from(pair)).execute(&mut *work).await?;
            sqlx::query(queries::DELETE_WITHDRAWN).bind(arena).execute(work).await.map(drop)
        }

        /// Stores anything but an attempt.
        async fn write_other(
            work: &mut $connection,
            arena: &str,
            write: &Write,
        ) -> Result<(), sqlx::Error> {
            let query = match write {
                Write::Attempt(_) => return Ok(()),
                Write::Exclude(exclusion) => return exclude(work, arena, exclusion).await,
                Write::Void(pair) => return make_void(work, arena, *pair).await,
                Write::Player { number, json } => {
                    sqlx::query("INSERT INTO players (arena, number, player) VALUES ($1, $2, $3)")
                        .bind(arena)
                        .bind(i64::from(*number))
                        .bind(storable(json))
                }
                Write::Event { number, json } => {
                    sqlx::query("INSERT INTO events (arena, number, event) VALUES ($1, $2, $3)")
                        .bind(arena)
                        .bind(i64::from(*number))
                        .bind(storable(json))
                }
                Write::Answer { request, answer } => sqlx::query(
                    "UPDATE requests SET done = $3, answer = $4
                     WHERE arena = $1 AND number = $2 AND done IS NULL",
                )
                .bind(arena)
                .bind(request)
                .bind(answer.done)
                .bind(storable(&answer.text)),
                Write::Status(text) => sqlx::query(
                    "INSERT INTO status (arena, changes, text) VALUES ($1, 1, $2)
                     ON CONFLICT (arena) DO UPDATE
                     SET text = excluded.text, changes = status.changes + 1",
                )
                .bind(arena)
                .bind(storable(text)),
            };
            query.execute(work).await.map(drop)
        }

        impl Store for $store {
            fn setup(&self) -> StoreFuture<'_, Option<(String, Option<Vec<u8>>)>> {
                Box::pin(async move {
                    let row = sqlx::query_as("SELECT setup, openings FROM arenas WHERE arena = $1");
                    let row = row.bind(self.arena()).fetch_optional(self.pool()).await;
                    row.map_err(failed("read the setup of the arena"))
                })
            }

            fn create<'a>(
                &'a self,
                setup: &'a str,
                openings: Option<&'a [u8]>,
            ) -> StoreFuture<'a, ()> {
                Box::pin(async move {
                    let insert = sqlx::query(
                        "INSERT INTO arenas (arena, setup, openings) VALUES ($1, $2, $3)",
                    );
                    let insert = insert.bind(self.arena()).bind(storable(setup)).bind(openings);
                    let inserted = insert.execute(self.pool()).await;
                    inserted.map(drop).map_err(failed("create the arena"))
                })
            }

            fn players(&self) -> StoreFuture<'_, Vec<String>> {
                Box::pin(async move {
                    let rows = sqlx::query_scalar(
                        "SELECT player FROM players WHERE arena = $1 ORDER BY number",
                    );
                    let rows = rows.bind(self.arena()).fetch_all(self.pool()).await;
                    rows.map_err(failed("read the players of the arena"))
                })
            }

            fn events(&self) -> StoreFuture<'_, Vec<String>> {
                Box::pin(async move {
                    let rows = sqlx::query_scalar(
                        "SELECT event FROM events WHERE arena = $1 ORDER BY number",
                    );
                    let rows = rows.bind(self.arena()).fetch_all(self.pool()).await;
                    rows.map_err(failed("read the events of the arena"))
                })
            }

            fn excluded(&self) -> StoreFuture<'_, Vec<(String, String)>> {
                Box::pin(async move {
                    let rows = sqlx::query_as(
                        "SELECT worker, reason FROM excluded WHERE arena = $1 ORDER BY worker",
                    );
                    let rows = rows.bind(self.arena()).fetch_all(self.pool()).await;
                    rows.map_err(failed("read the excluded workers"))
                })
            }

            fn accepted(&self) -> StoreFuture<'_, Vec<AcceptedResult>> {
                Box::pin(async move {
                    let failed = failed("read the results of the arena");
                    let rows = sqlx::query(
                        "SELECT pair, game, job, result
                         FROM accepted JOIN attempts USING (arena, pair, game)
                         WHERE arena = $1 AND id = attempt ORDER BY pair, game",
                    );
                    let rows = rows.bind(self.arena()).fetch_all(self.pool()).await;
                    let rows = rows.map_err(&failed)?;
                    rows.iter().map(|row| accepted_result(row).map_err(&failed)).collect()
                })
            }

            fn accepted_after(&self, attempt: i64) -> StoreFuture<'_, Vec<AcceptedResult>> {
                Box::pin(async move {
                    let failed = failed("read the latest results of the arena");
                    // Attempts first: their key skips the earlier ones, however many there are.
                    let rows = sqlx::query(concat!(
                        "SELECT pair, game, job, result FROM attempts ",
                        $join,
                        " accepted USING (arena, pair, game)
                         WHERE arena = $1 AND id > $2 AND attempt = id ORDER BY id",
                    ));
                    let rows = rows.bind(self.arena()).bind(attempt).fetch_all(self.pool()).await;
                    let rows = rows.map_err(&failed)?;
                    rows.iter().map(|row| accepted_result(row).map_err(&failed)).collect()
                })
            }

            fn games<'a>(&'a self, query: &'a GameQuery) -> StoreFuture<'a, Vec<StoredGame>> {
                Box::pin(async move {
                    let failed = failed("read the games of the arena");
                    let mut text = QueryBuilder::<$database>::new(queries::GAMES);
                    text.push_bind(self.arena());
                    for player in query.player.iter().chain(&query.opponent) {
                        text.push(" AND players LIKE ").push_bind(format!("%,{player},%"));
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
                    text.push(" ORDER BY pair DESC, game DESC LIMIT ");
                    text.push_bind(i64::from(query.limit));
                    let rows = text.build().fetch_all(self.pool()).await.map_err(&failed)?;
                    rows.iter().map(|row| stored_game(row).map_err(&failed)).collect()
                })
            }

            fn games_after(
                &self,
                game: Option<GameKey>,
                limit: u32,
            ) -> StoreFuture<'_, Vec<StoredGame>> {
                Box::pin(async move {
                    let failed = failed("read the games of the arena");
                    let mut text = QueryBuilder::<$database>::new(queries::GAMES);
                    text.push_bind(self.arena());
                    if let Some(game) = game {
                        text.push(" AND (pair, game) > (").push_bind(i64::from(game.pair));
                        text.push(", ").push_bind(i16::from(game.game)).push(")");
                    }
                    text.push(" ORDER BY pair, game LIMIT ").push_bind(i64::from(limit));
                    let rows = text.build().fetch_all(self.pool()).await.map_err(&failed)?;
                    rows.iter().map(|row| stored_game(row).map_err(&failed)).collect()
                })
            }

            fn record(&self, game: GameKey) -> StoreFuture<'_, Option<PackedRecord>> {
                Box::pin(async move {
                    let row = sqlx::query_scalar(
                        "SELECT record FROM accepted JOIN records USING (arena, attempt)
                         WHERE arena = $1 AND pair = $2 AND game = $3",
                    );
                    let row = row.bind(self.arena()).bind(i64::from(game.pair));
                    let row = row.bind(i16::from(game.game)).fetch_optional(self.pool()).await;
                    Ok(row.map_err(failed("read a record of the arena"))?.map(PackedRecord))
                })
            }

            fn add_request<'a>(&'a self, json: &'a str) -> StoreFuture<'a, i64> {
                Box::pin(async move {
                    let insert = sqlx::query_scalar(
                        "INSERT INTO requests (arena, request) VALUES ($1, $2) RETURNING number",
                    );
                    let insert = insert.bind(self.arena()).bind(storable(json));
                    let number = insert.fetch_one(self.pool()).await;
                    number.map_err(failed("send a request to the arena"))
                })
            }

            fn answer(&self, request: i64) -> StoreFuture<'_, Option<RequestAnswer>> {
                Box::pin(async move {
                    let row = sqlx::query_as(
                        "SELECT done, answer FROM requests
                         WHERE arena = $1 AND number = $2 AND done IS NOT NULL",
                    );
                    let row = row.bind(self.arena()).bind(request).fetch_optional(self.pool()).await;
                    let row: Option<(bool, String)> =
                        row.map_err(failed("read the answer to a request"))?;
                    Ok(row.map(|(done, text)| RequestAnswer { done, text }))
                })
            }

            fn requests(&self) -> StoreFuture<'_, Vec<StoredRequest>> {
                Box::pin(async move {
                    let rows = sqlx::query_as(
                        "SELECT number, request FROM requests
                         WHERE arena = $1 AND done IS NULL ORDER BY number",
                    );
                    let rows = rows.bind(self.arena()).fetch_all(self.pool()).await;
                    let rows: Vec<(i64, String)> =
                        rows.map_err(failed("read the requests to the arena"))?;
                    let request = |(number, json)| StoredRequest { number, json };
                    Ok(rows.into_iter().map(request).collect())
                })
            }

            fn status(&self) -> StoreFuture<'_, Option<String>> {
                Box::pin(async move {
                    let row = sqlx::query_scalar("SELECT text FROM status WHERE arena = $1");
                    let row = row.bind(self.arena()).fetch_optional(self.pool()).await;
                    row.map_err(failed("read the status of the arena"))
                })
            }

            fn extent(&self) -> StoreFuture<'_, StoreExtent> {
                Box::pin(async move {
                    let row = sqlx::query_as(
                        "SELECT coalesce((SELECT max(id) FROM attempts WHERE arena = $1), 0),
                             (SELECT count(*) FROM events WHERE arena = $1),
                             (SELECT count(*) FROM players WHERE arena = $1),
                             coalesce((SELECT changes FROM status WHERE arena = $1), 0),
                             (SELECT count(*) FROM excluded WHERE arena = $1)",
                    );
                    let row = row.bind(self.arena()).fetch_one(self.pool()).await;
                    let row = row.map_err(failed("read whether the arena has changed"))?;
                    let (attempts, events, players, statuses, excluded) = row;
                    Ok(StoreExtent { attempts, events, players, statuses, excluded })
                })
            }

            $($own)*
        }
    };
}

pub(super) use store;
