//! The queries of every store of a contest, written once: the SQL is valid in each database, and
//! the types follow from the pool.

use sandboard_contest_rules::{State, Status};

/// The stored word for a status.
pub(super) fn status_word(status: Status) -> &'static str {
    match status {
        Status::In => "in",
        Status::Withdrawn => "withdrawn",
        Status::Disqualified => "disqualified",
    }
}

/// The status for a stored word. The database holds only words from [`status_word`].
pub(super) fn status_of(word: &str) -> Status {
    match word {
        "withdrawn" => Status::Withdrawn,
        "disqualified" => Status::Disqualified,
        _ => Status::In,
    }
}

/// The stored word for a state.
pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::Waiting => "waiting",
        State::Accepted => "accepted",
        State::Retrying => "retrying",
        State::Refused => "refused",
        State::Undecided => "undecided",
    }
}

/// The state for a stored word.
pub(super) fn state_of(word: &str) -> State {
    match word {
        "accepted" => State::Accepted,
        "retrying" => State::Retrying,
        "refused" => State::Refused,
        "undecided" => State::Undecided,
        _ => State::Waiting,
    }
}

/// Implements [`Store`](super::Store) for a type with a `pool`, a function
/// `begin` that starts a write, and a function `failed` in the same module.
macro_rules! store {
    ($store:ty, $row:ty, $connection:ty) => {
        use sha2::Digest as _;
        use sqlx::Row as _;

        use sandboard_arena::store::PackedRecord;
        use sandboard_bundle::is_sha256;
        use sandboard_contest_rules::seed_commitment::SEED_BYTES;
        use $crate::store::queries::{state_of, state_word, status_of, status_word};
        use $crate::store::{
            AuditEntry, Entrant, Founding, Invitation, Registration, StoreFuture, Store,
            Submission, Trial, Write, is_entrant_name,
        };

        /// The name of an entrant. Names become parts of texts and paths, so a store that another
        /// program wrote must not smuggle others in.
        fn entrant_name(row: &$row, column: usize) -> Result<String, sqlx::Error> {
            let name: String = row.try_get(column)?;
            match is_entrant_name(&name) {
                true => Ok(name),
                false => {
                    let shown = sandboard_common::text::quoted(&name);
                    Err(sqlx::Error::Decode(format!("{shown} is not a name of an entrant").into()))
                }
            }
        }

        /// A hash, which is part of a path, too.
        fn sha256(row: &$row, column: usize) -> Result<String, sqlx::Error> {
            let text: String = row.try_get(column)?;
            match is_sha256(&text) {
                true => Ok(text),
                false => {
                    let shown = sandboard_common::text::quoted(&text);
                    Err(sqlx::Error::Decode(format!("{shown} is not a SHA-256").into()))
                }
            }
        }

        fn entrant(row: &$row) -> Result<Entrant, sqlx::Error> {
            Ok(Entrant {
                name: entrant_name(row, 0)?,
                token: row.try_get(1)?,
                status: status_of(row.try_get(2)?),
                reason: row.try_get(3)?,
                since_ms: row.try_get(4)?,
            })
        }

        fn submission(row: &$row) -> Result<Submission, sqlx::Error> {
            Ok(Submission {
                number: row.try_get(0)?,
                entrant: entrant_name(row, 1)?,
                sha256: sha256(row, 2)?,
                bytes: u64::try_from(row.try_get::<i64, _>(3)?).unwrap_or(0),
                submitted_ms: row.try_get(4)?,
                state: state_of(row.try_get(5)?),
                report: row.try_get(6)?,
                fingerprint: row.try_get(7)?,
                judged_ms: row.try_get(8)?,
            })
        }

        fn trial(row: &$row) -> Result<Trial, sqlx::Error> {
            Ok(Trial {
                number: row.try_get(0)?,
                entrant: entrant_name(row, 1)?,
                entry: row.try_get(2)?,
                house: row.try_get(3)?,
                side: u8::try_from(row.try_get::<i64, _>(4)?).unwrap_or(0),
                asked_ms: row.try_get(5)?,
                sentence: row.try_get(6)?,
            })
        }

        fn invitation(row: &$row) -> Result<Invitation, sqlx::Error> {
            let number = |column| row.try_get::<i64, _>(column);
            Ok(Invitation {
                number: number(0)?,
                places: u32::try_from(number(1)?).unwrap_or(0),
                used: u32::try_from(number(2)?).unwrap_or(u32::MAX),
                created_ms: number(3)?,
                expires_ms: number(4)?,
                is_revoked: number(5)? != 0,
            })
        }

        fn founding(row: &$row) -> Result<Founding, sqlx::Error> {
            let seed: Vec<u8> = row.try_get(2)?;
            let wrong_length = |_| sqlx::Error::Decode("the seed has a wrong length".into());
            let seed: [u8; SEED_BYTES] = seed.try_into().map_err(wrong_length)?;
            Ok(Founding {
                file: row.try_get(0)?,
                openings: row.try_get(1)?,
                seed,
                organiser: row.try_get(3)?,
                founded_ms: row.try_get(4)?,
            })
        }

        async fn write(work: &mut $connection, write: &Write) -> Result<(), sqlx::Error> {
            match write {
                Write::Entrant(entrant) => {
                    let upsert = sqlx::query(
                        "INSERT INTO entrants (name, token, status, reason, since_ms)
                         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE
                         SET token = excluded.token, status = excluded.status, reason = excluded.reason",
                    );
                    let upsert = upsert.bind(&entrant.name).bind(&entrant.token);
                    let upsert = upsert.bind(status_word(entrant.status)).bind(&entrant.reason);
                    upsert.bind(entrant.since_ms).execute(work).await?;
                }
                Write::EntryTested { number, state, report, fingerprint, at_ms } => {
                    let update = sqlx::query(
                        "UPDATE entries SET state = $2, report = $3, fingerprint = $4, judged_ms = $5
                         WHERE number = $1",
                    );
                    let update = update.bind(number).bind(state_word(*state)).bind(report);
                    update.bind(fingerprint).bind(at_ms).execute(work).await?;
                }
                Write::TrialPlayed { number, sentence, record } => {
                    let update = sqlx::query(
                        "UPDATE trials SET sentence = $2, record = $3
                         WHERE number = $1 AND sentence IS NULL",
                    );
                    let update = update.bind(number).bind(sentence);
                    update.bind(record.as_ref().map(|record| &record.0[..])).execute(work).await?;
                }
                Write::Audit(act) => {
                    let insert = sqlx::query(
                        "INSERT INTO audit_log (number, at_ms, text)
                         SELECT COALESCE(MAX(number), 0) + 1, $1, $2 FROM audit_log",
                    );
                    insert.bind(act.at_ms).bind(&act.text).execute(work).await?;
                }
                Write::Invitation { secret, places, created_ms, expires_ms } => {
                    let insert = sqlx::query(
                        "INSERT INTO invitations
                             (number, secret, places, used, created_ms, expires_ms, revoked)
                         SELECT COALESCE(MAX(number), 0) + 1, $1, $2, 0, $3, $4, 0
                         FROM invitations",
                    );
                    let insert = insert.bind(secret).bind(i64::from(*places)).bind(created_ms);
                    insert.bind(expires_ms).execute(work).await?;
                }
                Write::InvitationRevoked(number) => {
                    let update =
                        sqlx::query("UPDATE invitations SET revoked = 1 WHERE number = $1");
                    update.bind(number).execute(work).await?;
                }
                Write::Property { name, text } => {
                    let upsert = sqlx::query(
                        "INSERT INTO properties (name, text) VALUES ($1, $2)
                         ON CONFLICT (name) DO UPDATE SET text = excluded.text",
                    );
                    upsert.bind(name).bind(text).execute(work).await?;
                }
            }
            Ok(())
        }

        impl Store for $store {
            fn founding(&self) -> StoreFuture<'_, Option<Founding>> {
                Box::pin(async move {
                    let failed = failed("read the founding data of the contest");
                    let query = "SELECT file, openings, seed, organiser, founded_ms FROM founding";
                    let row = sqlx::query(query).fetch_optional(&self.pool).await.map_err(&failed)?;
                    row.as_ref().map(founding).transpose().map_err(&failed)
                })
            }

            fn found<'a>(&'a self, founding: &'a Founding) -> StoreFuture<'a, ()> {
                Box::pin(async move {
                    let insert = sqlx::query(
                        "INSERT INTO founding (one, file, openings, seed, organiser, founded_ms)
                         VALUES (1, $1, $2, $3, $4, $5)",
                    );
                    let insert = insert.bind(&founding.file).bind(&founding.openings);
                    let insert = insert.bind(&founding.seed[..]).bind(&founding.organiser);
                    let insert = insert.bind(founding.founded_ms);
                    let made = insert.execute(&self.pool).await;
                    made.map(drop).map_err(failed("create the contest"))
                })
            }

            fn entrants(&self) -> StoreFuture<'_, Vec<Entrant>> {
                Box::pin(async move {
                    let failed = failed("read the entrants");
                    let query =
                        "SELECT name, token, status, reason, since_ms FROM entrants ORDER BY name";
                    let rows = sqlx::query(query).fetch_all(&self.pool).await.map_err(&failed)?;
                    rows.iter().map(entrant).collect::<Result<_, _>>().map_err(&failed)
                })
            }

            fn entrant_of<'a>(&'a self, token: &'a str) -> StoreFuture<'a, Option<Entrant>> {
                Box::pin(async move {
                    let failed = failed("read the entrant of a token");
                    let query = sqlx::query(
                        "SELECT name, token, status, reason, since_ms FROM entrants WHERE token = $1",
                    );
                    let row = query.bind(token).fetch_optional(&self.pool).await.map_err(&failed)?;
                    row.as_ref().map(entrant).transpose().map_err(&failed)
                })
            }

            fn invitations(&self) -> StoreFuture<'_, Vec<Invitation>> {
                Box::pin(async move {
                    let failed = failed("read the invitations");
                    let query = "SELECT number, places, used, created_ms, expires_ms, revoked
                                 FROM invitations ORDER BY number";
                    let rows = sqlx::query(query).fetch_all(&self.pool).await.map_err(&failed)?;
                    rows.iter().map(invitation).collect::<Result<_, _>>().map_err(&failed)
                })
            }

            fn invitation_of<'a>(
                &'a self,
                secret: &'a str,
            ) -> StoreFuture<'a, Option<Invitation>> {
                Box::pin(async move {
                    let failed = failed("read an invitation");
                    let query = sqlx::query(
                        "SELECT number, places, used, created_ms, expires_ms, revoked
                         FROM invitations WHERE secret = $1",
                    );
                    let row = query.bind(secret).fetch_optional(&self.pool).await;
                    row.map_err(&failed)?.as_ref().map(invitation).transpose().map_err(&failed)
                })
            }

            fn register<'a>(
                &'a self,
                secret: &'a str,
                entrant: &'a Entrant,
                act: &'a AuditEntry,
            ) -> StoreFuture<'a, Registration> {
                Box::pin(async move {
                    let failed = failed("store the registration");
                    let mut work = self.begin().await.map_err(&failed)?;
                    let take = sqlx::query(
                        "UPDATE invitations SET used = used + 1
                         WHERE secret = $1 AND revoked = 0 AND used < places AND expires_ms > $2",
                    );
                    let taken = take.bind(secret).bind(act.at_ms).execute(&mut *work).await;
                    if taken.map_err(&failed)?.rows_affected() == 0 {
                        return Ok(Registration::NoPlace);
                    }
                    let same = sqlx::query_scalar("SELECT COUNT(*) FROM entrants WHERE name = $1");
                    let same = same.bind(&entrant.name).fetch_one(&mut *work);
                    let same: i64 = same.await.map_err(&failed)?;
                    if same > 0 {
                        // The place is free again, since nothing is committed.
                        return Ok(Registration::NameTaken);
                    }
                    for one in [Write::Entrant(entrant.clone()), Write::Audit(act.clone())] {
                        write(&mut work, &one).await.map_err(&failed)?;
                    }
                    work.commit().await.map_err(&failed)?;
                    Ok(Registration::Registered)
                })
            }

            fn submit<'a>(
                &'a self,
                entrant: &'a str,
                module: &'a [u8],
                at_ms: i64,
                (most, since_ms): (u32, i64),
            ) -> StoreFuture<'a, Option<i64>> {
                Box::pin(async move {
                    let failed = failed("store the entry");
                    let sha256 = sandboard_common::hex::hex(&sha2::Sha256::digest(module));
                    let mut work = self.begin().await.map_err(&failed)?;
                    let before = sqlx::query_scalar(
                        "SELECT COUNT(*) FROM entries WHERE entrant = $1 AND submitted_ms >= $2",
                    );
                    let before = before.bind(entrant).bind(since_ms).fetch_one(&mut *work);
                    let before: i64 = before.await.map_err(&failed)?;
                    if before >= i64::from(most) {
                        return Ok(None);
                    }
                    let keep = sqlx::query(
                        "INSERT INTO modules (sha256, bytes) VALUES ($1, $2)
                         ON CONFLICT (sha256) DO NOTHING",
                    );
                    keep.bind(&sha256).bind(module).execute(&mut *work).await.map_err(&failed)?;
                    let insert = sqlx::query_scalar(
                        "INSERT INTO entries (number, entrant, sha256, length, submitted_ms, state)
                         SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, 'waiting' FROM entries
                         RETURNING number",
                    );
                    let length = i64::try_from(module.len()).unwrap_or(i64::MAX);
                    let insert = insert.bind(entrant).bind(&sha256).bind(length).bind(at_ms);
                    let number: i64 = insert.fetch_one(&mut *work).await.map_err(&failed)?;
                    work.commit().await.map_err(&failed)?;
                    Ok(Some(number))
                })
            }

            fn entries<'a>(&'a self, of: Option<&'a str>) -> StoreFuture<'a, Vec<Submission>> {
                Box::pin(async move {
                    let failed = failed("read the entries");
                    let query = sqlx::query(
                        "SELECT number, entrant, sha256, length, submitted_ms, state, NULL, NULL,
                             judged_ms FROM entries
                         WHERE $1 = '' OR entrant = $1 ORDER BY number",
                    );
                    let query = query.bind(of.unwrap_or_default());
                    let rows = query.fetch_all(&self.pool).await.map_err(&failed)?;
                    rows.iter().map(submission).collect::<Result<_, _>>().map_err(&failed)
                })
            }

            fn fingerprints(&self, most: u32) -> StoreFuture<'_, Vec<(i64, String)>> {
                Box::pin(async move {
                    let query = sqlx::query_as(
                        "SELECT number, fingerprint FROM entries
                         WHERE fingerprint IS NOT NULL AND number IN (
                             SELECT MAX(number) FROM entries
                             WHERE state IN ('accepted', 'retrying') GROUP BY entrant
                         ) ORDER BY number DESC LIMIT $1",
                    );
                    let found = query.bind(i64::from(most)).fetch_all(&self.pool).await;
                    found.map_err(failed("read the fingerprints of entries"))
                })
            }

            fn entry(&self, number: i64) -> StoreFuture<'_, Option<Submission>> {
                Box::pin(async move {
                    let failed = failed("read the entry");
                    let query = sqlx::query(
                        "SELECT number, entrant, sha256, length, submitted_ms, state, report,
                             fingerprint, judged_ms FROM entries WHERE number = $1",
                    );
                    let row = query.bind(number).fetch_optional(&self.pool).await.map_err(&failed)?;
                    row.as_ref().map(submission).transpose().map_err(&failed)
                })
            }

            fn module<'a>(&'a self, sha256: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
                Box::pin(async move {
                    let query = sqlx::query_scalar("SELECT bytes FROM modules WHERE sha256 = $1");
                    let bytes = query.bind(sha256).fetch_optional(&self.pool).await;
                    bytes.map_err(failed("read an entry's bytes"))
                })
            }

            fn stored_bytes<'a>(&'a self, of: Option<&'a str>) -> StoreFuture<'a, u64> {
                Box::pin(async move {
                    let query = sqlx::query_scalar(
                        "SELECT CAST(
                             COALESCE((SELECT SUM(length) FROM entries
                                 WHERE $1 = '' OR entrant = $1), 0)
                             + COALESCE((SELECT SUM(LENGTH(record)) FROM trials
                                 WHERE $1 = '' OR entrant = $1), 0) AS BIGINT)",
                    );
                    let bytes = query.bind(of.unwrap_or_default()).fetch_one(&self.pool).await;
                    let bytes: i64 = bytes.map_err(failed("count the stored bytes"))?;
                    Ok(u64::try_from(bytes).unwrap_or(0))
                })
            }

            fn request_trial<'a>(
                &'a self,
                trial: &'a Trial,
                most: u32,
                (a_day, since_ms): (u32, i64),
            ) -> StoreFuture<'a, Option<i64>> {
                Box::pin(async move {
                    let failed = failed("store the request for an unrated bout");
                    let mut work = self.begin().await.map_err(&failed)?;
                    let before = sqlx::query_scalar(
                        "SELECT COUNT(*) FROM trials WHERE entrant = $1 AND sentence IS NULL",
                    );
                    let before = before.bind(&trial.entrant).fetch_one(&mut *work);
                    let before: i64 = before.await.map_err(&failed)?;
                    let recent = sqlx::query_scalar(
                        "SELECT COUNT(*) FROM trials WHERE entrant = $1 AND asked_ms >= $2",
                    );
                    let recent = recent.bind(&trial.entrant).bind(since_ms).fetch_one(&mut *work);
                    let recent: i64 = recent.await.map_err(&failed)?;
                    if before >= i64::from(most) || recent >= i64::from(a_day) {
                        return Ok(None);
                    }
                    let insert = sqlx::query_scalar(
                        "INSERT INTO trials (number, entrant, entry, house, side, asked_ms)
                         SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, $5 FROM trials
                         RETURNING number",
                    );
                    let insert = insert.bind(&trial.entrant).bind(trial.entry).bind(&trial.house);
                    let insert = insert.bind(i64::from(trial.side)).bind(trial.asked_ms);
                    let number: i64 = insert.fetch_one(&mut *work).await.map_err(&failed)?;
                    work.commit().await.map_err(&failed)?;
                    Ok(Some(number))
                })
            }

            fn trials<'a>(&'a self, of: Option<&'a str>) -> StoreFuture<'a, Vec<Trial>> {
                Box::pin(async move {
                    let failed = failed("read the unrated bouts");
                    let query = sqlx::query(
                        "SELECT number, entrant, entry, house, side, asked_ms, sentence FROM trials
                         WHERE $1 = '' OR entrant = $1 ORDER BY number",
                    );
                    let query = query.bind(of.unwrap_or_default());
                    let rows = query.fetch_all(&self.pool).await.map_err(&failed)?;
                    rows.iter().map(trial).collect::<Result<_, _>>().map_err(&failed)
                })
            }

            fn trial_record(&self, number: i64) -> StoreFuture<'_, Option<PackedRecord>> {
                Box::pin(async move {
                    let query = sqlx::query_scalar("SELECT record FROM trials WHERE number = $1");
                    let record = query.bind(number).fetch_optional(&self.pool).await;
                    let record: Option<Option<Vec<u8>>> =
                        record.map_err(failed("read the record of an unrated bout"))?;
                    Ok(record.flatten().map(PackedRecord))
                })
            }

            fn audit_log(&self) -> StoreFuture<'_, Vec<AuditEntry>> {
                Box::pin(async move {
                    let failed = failed("read the audit log");
                    let query = sqlx::query("SELECT at_ms, text FROM audit_log ORDER BY number");
                    let rows = query.fetch_all(&self.pool).await.map_err(&failed)?;
                    let act = |row: &$row| {
                        Ok(AuditEntry { at_ms: row.try_get(0)?, text: row.try_get(1)? })
                    };
                    rows.iter().map(act).collect::<Result<_, _>>().map_err(&failed)
                })
            }

            fn property<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<String>> {
                Box::pin(async move {
                    let query = sqlx::query_scalar("SELECT text FROM properties WHERE name = $1");
                    let text = query.bind(name).fetch_optional(&self.pool).await;
                    text.map_err(failed("read a property of the contest"))
                })
            }

            fn commit<'a>(&'a self, writes: &'a [Write]) -> StoreFuture<'a, ()> {
                Box::pin(async move {
                    let failed = failed("store the changes");
                    let mut work = self.begin().await.map_err(&failed)?;
                    for one in writes {
                        write(&mut work, one).await.map_err(&failed)?;
                    }
                    work.commit().await.map_err(&failed)
                })
            }

            fn close(&self) -> StoreFuture<'_, ()> {
                Box::pin(async move {
                    self.close_pool().await;
                    Ok(())
                })
            }
        }
    };
}

pub(super) use store;
