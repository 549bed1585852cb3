//! Processes each result: compares it with its game, keeps it pending if another worker must replay
//! the game, and submits it.
//!
//! Invariant: a game that was selected for a replay is submitted only when two records agree.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use async_nats::jetstream::Message;
use sha2::{Digest, Sha256};

use super::session::{Inbox, OfferedGame, Session};
use crate::blobs::BlobStore;
use crate::job_executor::packed;
use crate::keys::{PublicKey, SignedKind, open_envelope};
use crate::message::{Outcome, Purpose, TaskResult};
use sandboard_arena::store::PackedRecord;
use sandboard_arena::{CommitCallback, JobSource, PlayedGame, RunError, UnresolvedGame};
use sandboard_arena_plan::{GameKey, GameResult, Job, job_id};
use sandboard_bout::record::{RECORD_BYTES, Record};
use sandboard_bout::record_comparison;

/// How often a replay is requested from workers before this host plays the game itself.
const REPLAY_REQUESTS_MAX: u32 = 3;
/// How often a game is offered again because its lease ended or its record was lost.
const OFFERS_MAX: u32 = 3;
/// How many results of an earlier session are kept until their games are scheduled.
const PARKED_MAX: usize = 4096;

/// A result that waits for a replay of its game.
pub(super) struct PendingResult {
    worker: PublicKey,
    record: Record,
    packed: PackedRecord,
    acknowledge: CommitCallback,
    /// The worker whose replay differs, with its record.
    rival: Option<(PublicKey, Record)>,
}

/// A game that this host played itself.
pub(super) struct LocalReplay {
    job: Job,
    result: Result<Result<Record, UnresolvedGame>, RunError>,
}

/// What a result must match to count.
struct ExpectedResult<'a> {
    /// The digest of the game ([`Terms::digest`](crate::message::Terms::digest)).
    digest: &'a str,
    /// The number of the last offer.
    attempt: u32,
    /// The worker whose pending result a replay must confirm.
    pending_of: Option<PublicKey>,
}

/// What to do with a result of an offered game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultAction {
    Accept,
    Drop,
    /// The result does not count, and no worker plays the game any more, so it is offered again.
    OfferAgain,
}

fn action_for(
    worker: PublicKey,
    result: &TaskResult,
    expected: &ExpectedResult<'_>,
    excluded: bool,
) -> ResultAction {
    // A result of another game with this number, from a schedule that no longer holds; or a
    // repetition.
    let is_repeated = expected.pending_of.is_some() == (result.purpose == Purpose::Play);
    if result.terms != expected.digest || is_repeated {
        return ResultAction::Drop;
    }
    // A worker may report that it is alone, but cannot confirm its own record.
    let refused = matches!(result.outcome, Outcome::Refused { .. });
    let counts = !excluded && (refused || expected.pending_of != Some(worker));
    match counts {
        true => ResultAction::Accept,
        // A result of an earlier offer: another worker has the last one.
        false if result.attempt != expected.attempt => ResultAction::Drop,
        false => ResultAction::OfferAgain,
    }
}

impl Session<'_> {
    fn acknowledgement(&self, message: Message) -> CommitCallback {
        let handle = self.queue.broker.runtime.handle().clone();
        Box::new(move || {
            handle.spawn(async move { drop(message.ack().await) });
        })
    }

    /// Processes a result and excludes its worker if the result is false.
    pub(super) fn take(&mut self, message: Message, inbox: &Inbox) {
        if let Some((worker, reason)) = self.process_result(message) {
            self.exclude(&worker, &reason, inbox);
        }
    }

    /// Processes a result. Returns the worker and the reason if the worker must be excluded.
    pub(super) fn process_result(&mut self, message: Message) -> Option<(PublicKey, String)> {
        let opened = open_envelope(SignedKind::Result, &message.payload);
        let decoded = opened.and_then(|(worker, body)| Ok((worker, TaskResult::decode(body)?)));
        let (worker, (result, record)) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => {
                log::warn!("an invalid result is ignored: {error}");
                self.acknowledgement(message)();
                return None;
            }
        };
        self.has_result = true;
        let key = result.key();
        let ours = result.arena == self.queue.setup.arena;
        let excluded = ours && self.queue.excluded(&worker).is_some();
        if ours {
            self.leases.arrived(key, Instant::now());
        }
        let Some(offered) = self.offered.get(&key).filter(|_| ours) else {
            // A refusal from an earlier session says nothing about the current workers.
            let played = !matches!(result.outcome, Outcome::Refused { .. });
            let counts = ours && !excluded && played && result.purpose == Purpose::Play;
            if !self.is_ready && counts && self.parked.len() < PARKED_MAX {
                self.parked.insert(key, message);
            } else {
                self.acknowledgement(message)();
            }
            return None;
        };
        let pending_of = offered.pending.as_ref().map(|pending| pending.worker);
        let (digest, attempt) = (offered.digest.as_str(), offered.attempt);
        let expected = ExpectedResult { digest, attempt, pending_of };
        match action_for(worker, &result, &expected, excluded) {
            ResultAction::Accept => {}
            ResultAction::Drop => {
                self.acknowledgement(message)();
                return None;
            }
            ResultAction::OfferAgain => {
                self.acknowledgement(message)();
                self.epoch += 1;
                match pending_of {
                    Some(worker) => self.request_replay(key, worker),
                    None => self.send(key, Purpose::Play),
                }
                return None;
            }
        }
        let record = match self.record_of(&result, record) {
            Ok(record) => record,
            Err(reason) => {
                self.acknowledgement(message)();
                return self.handle_failure(worker, &result, reason);
            }
        };
        let acknowledge = self.acknowledgement(message);
        let games = &self.queue.setup.games;
        let parsed = Record::parse(&record.unpack().unwrap_or_default(), games);
        let offered = self.offered.get_mut(&key)?;
        let wrong = match &parsed {
            Err(error) => Some(error.to_string()),
            Ok(parsed) if GameResult::from_record(parsed, &offered.job).is_none() => {
                Some("the game has no result".into())
            }
            Ok(parsed) => {
                record_comparison::find_mismatch(parsed, &offered.bout).map(str::to_owned)
            }
        };
        let (parsed, name) = (parsed.ok(), offered.job.name());
        let (Some(parsed), None) = (parsed, &wrong) else {
            acknowledge();
            let reason = wrong.unwrap_or_default();
            return Some((worker, format!("its record of {name} does not fit the game: {reason}")));
        };
        if let Outcome::Stored(blob) = &result.outcome {
            // This host holds the record and commits it to the arena's store.
            if !self.queue.is_provided(blob) {
                self.queue.files.remove(blob);
            }
        }
        if result.purpose != Purpose::Play {
            acknowledge();
            self.take_replay(key, worker, parsed);
            return None;
        }
        if self.is_selected_for_replay(key, worker) {
            let pending =
                PendingResult { worker, record: parsed, packed: record, acknowledge, rival: None };
            if let Some(offered) = self.offered.get_mut(&key) {
                offered.pending = Some(pending);
            }
            self.request_replay(key, worker);
            return None;
        }
        self.submit(key, parsed, record, Some(worker), Some(acknowledge));
        None
    }

    fn record_of(&self, result: &TaskResult, record: PackedRecord) -> Result<PackedRecord, String> {
        match &result.outcome {
            Outcome::Played => Ok(record),
            Outcome::Stored(blob) if blob.bytes > RECORD_BYTES => {
                Err(format!("its record has {} bytes; the maximum is {RECORD_BYTES}", blob.bytes))
            }
            Outcome::Stored(blob) => {
                self.queue.files.get(blob).map(PackedRecord).map_err(|error| error.to_string())
            }
            Outcome::Refused { reason } => Err(reason.clone()),
        }
    }

    fn handle_failure(
        &mut self,
        worker: PublicKey,
        result: &TaskResult,
        reason: String,
    ) -> Option<(PublicKey, String)> {
        let key = result.key();
        let name = key.name();
        if let Outcome::Stored(_) = result.outcome {
            let worker = self.queue.name_of(&worker);
            log::warn!("{name} from the worker {worker}: {reason}; the game is offered again");
            self.offer_again(key);
        } else {
            // No worker could play it.
            log::warn!("this host plays {name}, because no worker can: {reason}");
            self.play_locally(key);
        }
        None
    }

    /// Offers a game again that a worker held for too long, or whose record is lost. After
    /// [`OFFERS_MAX`] such offers, this host plays it.
    pub(super) fn offer_again(&mut self, key: GameKey) {
        let Some(offered) = self.offered.get_mut(&key).filter(|it| !it.is_local) else { return };
        offered.repeats += 1;
        let pending_of = offered.pending.as_ref().map(|pending| pending.worker);
        if offered.repeats > OFFERS_MAX {
            return self.play_locally(key);
        }
        self.epoch += 1;
        match pending_of {
            Some(worker) => self.request_replay(key, worker),
            None => self.send(key, Purpose::Play),
        }
    }

    /// Plays a game on this host.
    fn play_locally(&mut self, key: GameKey) {
        self.leases.remove(key);
        let Some(offered) = self.offered.get_mut(&key) else { return };
        if !std::mem::replace(&mut offered.is_local, true) {
            let _ = self.to_replay.send(offered.job);
        }
    }

    /// Whether a game that this worker played was selected at random to count only after a replay
    /// by another. The selection is independent for each key.
    fn is_selected_for_replay(&self, key: GameKey, worker: PublicKey) -> bool {
        let setup = &self.queue.setup;
        let Some(offered) = self.offered.get(&key) else { return false };
        let hash = Sha256::new()
            .chain_update(setup.salt)
            .chain_update(worker.bytes())
            .chain_update(job_id(&setup.arena, key.pair))
            .chain_update([key.game])
            .finalize();
        let number = hash.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        number % 10_000 < u64::from(setup.replays)
            && record_comparison::is_repeatable(&offered.bout)
    }

    /// Requests a replay by another worker, or plays the game on this host if there is none.
    fn request_replay(&mut self, key: GameKey, worker: PublicKey) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        offered.replay_requests += 1;
        if offered.replay_requests <= REPLAY_REQUESTS_MAX && self.queue.has_other_worker(&worker) {
            self.send(key, Purpose::Replay { not_by: worker });
        } else {
            self.play_locally(key);
        }
    }

    /// Compares another worker's replay with the pending result.
    fn take_replay(&mut self, key: GameKey, worker: PublicKey, record: Record) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        let Some(pending) = &mut offered.pending else { return };
        match record_comparison::find_difference(&pending.record, &record) {
            None => self.accept(key),
            Some(difference) => {
                let name = offered.job.name();
                let [one, other] = [&pending.worker, &worker].map(|it| self.queue.name_of(it));
                log::warn!(
                    "{one} and {other} disagree about {name}: {difference}; this host plays the game"
                );
                pending.rival = Some((worker, record));
                self.play_locally(key);
            }
        }
    }

    /// Submits the pending result.
    fn accept(&mut self, key: GameKey) {
        let pending = self.offered.get_mut(&key).and_then(|offered| offered.pending.take());
        if let Some(PendingResult { worker, record, packed, acknowledge, .. }) = pending {
            self.submit(key, record, packed, Some(worker), Some(acknowledge));
        }
    }

    fn submit(
        &mut self,
        key: GameKey,
        record: Record,
        packed: PackedRecord,
        worker: Option<PublicKey>,
        on_commit: Option<CommitCallback>,
    ) {
        self.leases.remove(key);
        let Some(OfferedGame { job, .. }) = self.offered.remove(&key) else { return };
        let result = GameResult::from_record(&record, &job).map(Box::new);
        let sentence = result.as_ref().map_or_else(String::new, |result| result.sentence.clone());
        self.job_source.submit(PlayedGame {
            job,
            result,
            sentence,
            record: packed,
            worker: worker.map(|worker| worker.to_string()),
            on_commit,
        });
    }

    /// Applies this host's own replay, which decides whose record is wrong.
    pub(super) fn apply_local_replay(
        &mut self,
        LocalReplay { job, result }: LocalReplay,
        inbox: &Inbox,
    ) {
        let key = job.key();
        if self.offered.get(&key).is_none_or(|offered| offered.job != job) {
            // The number now belongs to another game, because an earlier result no longer counts.
            return;
        }
        let found = match result {
            Ok(Ok(found)) => found,
            Ok(Err(unresolved)) => {
                let pending = self.offered.remove(&key).and_then(|offered| offered.pending);
                pending.into_iter().for_each(|pending| (pending.acknowledge)());
                return self.job_source.report_unresolved(unresolved);
            }
            Err(error) => return self.job_source.fail(error),
        };
        let Some(pending) = self.offered.get_mut(&key).and_then(|offered| offered.pending.as_mut())
        else {
            let record = packed(&found);
            return self.submit(key, found, record, None, None);
        };
        let rivals = pending.rival.take().into_iter();
        let differences: Vec<(PublicKey, Option<String>)> = rivals
            .map(|(worker, record)| (worker, record_comparison::find_difference(&record, &found)))
            .chain([(pending.worker, record_comparison::find_difference(&pending.record, &found))])
            .collect();
        let right = differences.last().is_some_and(|(_, difference)| difference.is_none());
        if right {
            self.accept(key);
        } else {
            let pending = self.offered.get_mut(&key).and_then(|offered| offered.pending.take());
            let (record, acknowledge) = (packed(&found), pending.map(|it| it.acknowledge));
            self.submit(key, found, record, None, acknowledge);
        }
        for (worker, difference) in differences {
            if let Some(difference) = difference {
                let reason =
                    format!("its record of {} differs from this host's: {difference}", job.name());
                self.exclude(&worker, &reason, inbox);
            }
        }
    }

    /// Excludes a worker: its results do not count, and its games are played again.
    fn exclude(&mut self, worker: &PublicKey, reason: &str, inbox: &Inbox) {
        if !self.queue.exclude(worker, reason) {
            return;
        }
        let name = self.queue.name_of(worker);
        log::warn!("the worker {name} is excluded and its games are played again: {reason}");
        self.clear_jobs(inbox);
        self.withdraw_all();
        self.job_source.exclude_worker(&worker.to_string(), reason);
    }
}

/// Plays the games with two different records, and those that no other worker can replay.
pub(super) fn replay_locally(
    job_source: &JobSource<'_>,
    jobs: &Receiver<Job>,
    replays: &Sender<LocalReplay>,
) {
    let _guard = job_source.guard();
    while let Ok(job) = jobs.recv() {
        let result = job_source.play_locally(&job);
        if replays.send(LocalReplay { job, result }).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::VERSION;

    /// The key of a worker with a letter for a name.
    fn key(worker: &str) -> PublicKey {
        format!("{:02x}", worker.as_bytes()[0]).repeat(32).parse().unwrap()
    }

    /// Checks the action for a changed result of worker `a`, attempt 2 of a game offered twice.
    fn check(
        change: impl FnOnce(&mut TaskResult),
        pending_of: Option<&str>,
        excluded: bool,
        expected: ResultAction,
    ) {
        let purpose = match pending_of {
            Some(worker) => Purpose::Replay { not_by: key(worker) },
            None => Purpose::Play,
        };
        let mut result = TaskResult {
            version: VERSION,
            arena: "00000000000000a1".into(),
            pair: 3,
            game: 1,
            attempt: 2,
            purpose,
            terms: "0f".into(),
            // A name proves nothing.
            worker: "b".into(),
            outcome: Outcome::Played,
        };
        change(&mut result);
        let pending_of = pending_of.map(key);
        let offered = ExpectedResult { digest: "0f", attempt: 2, pending_of };
        assert_eq!(
            action_for(key("a"), &result, &offered, excluded),
            expected,
            "{result:?}, {pending_of:?}, {excluded}"
        );
    }

    fn refused(result: &mut TaskResult) {
        result.outcome = Outcome::Refused { reason: "there is no other worker".into() };
    }

    #[test]
    fn no_game_is_lost_with_its_worker() {
        check(|_| (), None, false, ResultAction::Accept);
        check(|_| (), None, true, ResultAction::OfferAgain);
        check(refused, None, true, ResultAction::OfferAgain);
        check(|_| (), Some("b"), true, ResultAction::OfferAgain);
        // Another worker has the current offer.
        check(|result| result.attempt = 1, None, true, ResultAction::Drop);
        check(|result| result.attempt = 1, None, false, ResultAction::Accept);
        for excluded in [false, true] {
            check(|result| result.terms = "f0".into(), None, excluded, ResultAction::Drop);
            check(|result| result.purpose = Purpose::Play, Some("b"), excluded, ResultAction::Drop);
            let replay =
                |result: &mut TaskResult| result.purpose = Purpose::Replay { not_by: key("b") };
            check(replay, None, excluded, ResultAction::Drop);
        }
    }

    #[test]
    fn no_worker_confirms_its_own_record() {
        check(|_| (), Some("b"), false, ResultAction::Accept);
        check(|_| (), Some("a"), false, ResultAction::OfferAgain);
        check(|result| result.attempt = 1, Some("a"), false, ResultAction::Drop);
        check(refused, Some("a"), false, ResultAction::Accept);
    }
}
