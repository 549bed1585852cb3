//! What is done with each result that comes: checked against its game, held where another is to play it, too, and handed in.
//!
//! Invariant: a game that was drawn to be played again is handed in only when two have written the same record.

use std::sync::mpsc::{Receiver, Sender};

use async_nats::jetstream::Message;
use sha2::{Digest, Sha256};

use super::session::{Inbox, Offered, Session};
use crate::arena::store::Packed;
use crate::arena::{Desk, GameKey, GameResult, Hopeless, Job, Played, Receipt, RunError, job_id};
use crate::queue::blobs::BlobStore;
use crate::queue::compare;
use crate::queue::hand::packed;
use crate::queue::message::{Done, Outcome, Purpose};
use crate::record::{RECORD_BYTES, Record};

/// So often others are asked to play a game again before this host does.
const ASKED_MAX: u32 = 3;
/// Results of a session before that are kept until their games come up.
const PARKED_MAX: usize = 4096;

/// A game that waits for another's word.
pub(super) struct Held {
    worker: String,
    record: Record,
    packed: Packed,
    receipt: Receipt,
    /// Who wrote another record.
    rival: Option<(String, Record)>,
}

/// What this host found when it played a game itself.
pub(super) struct Verdict {
    job: Job,
    found: Result<Result<Record, Hopeless>, RunError>,
}

/// What a result is to be of to count.
struct Wanted<'a> {
    /// Of this game, as [`Terms::digest`](crate::queue::message::Terms::digest) names it.
    digest: &'a str,
    /// As it was offered last.
    attempt: u32,
    /// Who played it, where it is to be played again.
    held_by: Option<&'a str>,
}

/// What becomes of the result of a game that is on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    TakenIn,
    Dropped,
    /// It does not count, and nobody plays the game any more: it is offered anew.
    AskedAgain,
}

fn fate(done: &Done, wanted: &Wanted<'_>, excluded: bool) -> Fate {
    // Of another game of this number, whose players depended on results that do not count any more; or a second time.
    let again = wanted.held_by.is_some() == (done.purpose == Purpose::Play);
    if done.terms != wanted.digest || again {
        return Fate::Dropped;
    }
    // That nobody else is there may be told by who played it; no record of it confirms its own.
    let refused = matches!(done.outcome, Outcome::Refused { .. });
    let counts = !excluded && (refused || wanted.held_by != Some(done.worker.as_str()));
    match counts {
        true => Fate::TakenIn,
        // Of an offer before the last: somebody else has that.
        false if done.attempt != wanted.attempt => Fate::Dropped,
        false => Fate::AskedAgain,
    }
}

impl Session<'_> {
    fn receipt(&self, message: Message) -> Receipt {
        let handle = self.queue.broker.runtime.handle().clone();
        Box::new(move || {
            handle.spawn(async move { drop(message.ack().await) });
        })
    }

    /// A result is taken in.
    pub fn take(&mut self, message: Message, inbox: &Inbox) {
        if let Some((worker, reason)) = self.came(message) {
            self.exclude(&worker, &reason, inbox);
        }
    }

    /// A result has come. What is said of a worker that is not to be believed: who, and why.
    pub fn came(&mut self, message: Message) -> Option<(String, String)> {
        let decoded = Done::decode(&message.payload);
        let (done, record) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => {
                log::warn!("a result is passed over: {error}");
                self.receipt(message)();
                return None;
            }
        };
        self.heard = true;
        let key = done.key();
        let ours = done.arena == self.queue.setup.arena;
        let excluded = ours && self.queue.excluded(&done.worker).is_some();
        let Some(offered) = self.offered.get(&key).filter(|_| ours) else {
            // Who could not play it in a session before says nothing of who is there now.
            let played = !matches!(done.outcome, Outcome::Refused { .. });
            let counts = ours && !excluded && played && done.purpose == Purpose::Play;
            if !self.begun && counts && self.parked.len() < PARKED_MAX {
                self.parked.insert(key, message);
            } else {
                self.receipt(message)();
            }
            return None;
        };
        let held_by = offered.held.as_ref().map(|held| held.worker.clone());
        let (digest, attempt) = (offered.digest.as_str(), offered.attempt);
        let wanted = Wanted { digest, attempt, held_by: held_by.as_deref() };
        match fate(&done, &wanted, excluded) {
            Fate::TakenIn => {}
            Fate::Dropped => {
                self.receipt(message)();
                return None;
            }
            Fate::AskedAgain => {
                self.receipt(message)();
                self.epoch += 1;
                match held_by {
                    Some(worker) => self.ask_again(key, worker),
                    None => self.send(key, Purpose::Play),
                }
                return None;
            }
        }
        let record = match self.record_of(&done, record) {
            Ok(record) => record,
            Err(reason) => {
                self.receipt(message)();
                return self.not_played(&done, reason);
            }
        };
        let receipt = self.receipt(message);
        let sound = Record::parse(&record.unpack().unwrap_or_default(), sandboard_games::game);
        let offered = self.offered.get_mut(&key)?;
        let wrong = match &sound {
            Err(error) => Some(error.to_string()),
            Ok(parsed) if GameResult::of(parsed, &offered.job).is_none() => {
                Some("it has no result".into())
            }
            Ok(parsed) => compare::foreign(parsed, &offered.bout).map(str::to_owned),
        };
        let (parsed, name) = (sound.ok(), offered.job.name());
        let (Some(parsed), None) = (parsed, &wrong) else {
            receipt();
            let reason = wrong.unwrap_or_default();
            return Some((
                done.worker,
                format!("its record of {name} is not one of that game: {reason}"),
            ));
        };
        if let Outcome::Stored(blob) = &done.outcome {
            // It is in the store of the arena in a moment; until then this host holds it.
            if !self.queue.is_provided(blob) {
                self.queue.files.remove(blob);
            }
        }
        if done.purpose != Purpose::Play {
            receipt();
            self.replayed(key, done.worker, parsed);
            return None;
        }
        if self.is_drawn(key) {
            let worker = done.worker.clone();
            let held =
                Held { worker: done.worker, record: parsed, packed: record, receipt, rival: None };
            if let Some(offered) = self.offered.get_mut(&key) {
                offered.held = Some(held);
            }
            self.ask_again(key, worker);
            return None;
        }
        self.hand_in(key, parsed, record, Some(done.worker), Some(receipt));
        None
    }

    fn record_of(&self, done: &Done, record: Packed) -> Result<Packed, String> {
        match &done.outcome {
            Outcome::Played => Ok(record),
            Outcome::Stored(blob) if blob.bytes > RECORD_BYTES => {
                Err(format!("its record has {} bytes; {RECORD_BYTES} is the most", blob.bytes))
            }
            Outcome::Stored(blob) => {
                self.queue.files.get(blob).map(Packed).map_err(|error| error.to_string())
            }
            Outcome::Refused { reason } => Err(reason.clone()),
        }
    }

    fn not_played(&mut self, done: &Done, reason: String) -> Option<(String, String)> {
        let key = done.key();
        let name = key.name();
        if let Outcome::Stored(_) = done.outcome {
            log::warn!("{name} of the worker {}: {reason}; it is played again", done.worker);
            self.epoch += 1;
            self.send(key, done.purpose.clone());
        } else {
            // Nobody else could: this host does it.
            log::warn!("{name} is played here, since no worker can: {reason}");
            self.play_here(key);
        }
        None
    }

    /// This host plays a game.
    fn play_here(&mut self, key: GameKey) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        if !std::mem::replace(&mut offered.here, true) {
            let _ = self.cases.send(offered.job);
        }
    }

    /// Whether a game is one of those that count only when they were played twice.
    fn is_drawn(&self, key: GameKey) -> bool {
        let setup = &self.queue.setup;
        let Some(offered) = self.offered.get(&key) else { return false };
        let hash = Sha256::new()
            .chain_update(setup.salt.to_be_bytes())
            .chain_update(job_id(&setup.arena, key.pair))
            .chain_update([key.game])
            .finalize();
        let drawn = hash.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        drawn % 10_000 < u64::from(setup.replays) && compare::is_repeatable(&offered.bout)
    }

    /// A game is to be played by another than this worker: by this host where nobody else is there.
    fn ask_again(&mut self, key: GameKey, worker: String) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        offered.asked += 1;
        if offered.asked <= ASKED_MAX && self.queue.has_others(&worker) {
            self.send(key, Purpose::Replay { not_by: worker });
        } else {
            self.play_here(key);
        }
    }

    /// Another worker has played a game again.
    fn replayed(&mut self, key: GameKey, worker: String, record: Record) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        let Some(held) = &mut offered.held else { return };
        match compare::difference(&held.record, &record) {
            None => self.accept(key),
            Some(difference) => {
                let (name, one) = (offered.job.name(), &held.worker);
                log::warn!(
                    "{one} and {worker} disagree about {name}: {difference}; it is played here"
                );
                held.rival = Some((worker, record));
                self.play_here(key);
            }
        }
    }

    /// The game that was held counts.
    fn accept(&mut self, key: GameKey) {
        let held = self.offered.get_mut(&key).and_then(|offered| offered.held.take());
        if let Some(Held { worker, record, packed, receipt, .. }) = held {
            self.hand_in(key, record, packed, Some(worker), Some(receipt));
        }
    }

    fn hand_in(
        &mut self,
        key: GameKey,
        record: Record,
        packed: Packed,
        worker: Option<String>,
        receipt: Option<Receipt>,
    ) {
        let Some(Offered { job, .. }) = self.offered.remove(&key) else { return };
        let result = GameResult::of(&record, &job).map(Box::new);
        let sentence = result.as_ref().map_or_else(String::new, |result| result.sentence.clone());
        self.desk.hand_in(Played { job, result, sentence, record: packed, worker, receipt });
    }

    /// This host has played a game itself, which settles who wrote another record.
    pub fn pronounce(&mut self, Verdict { job, found }: Verdict, inbox: &Inbox) {
        let key = job.key();
        if self.offered.get(&key).is_none_or(|offered| offered.job != job) {
            // Since then the number is another game's: what led to it does not count any more.
            return;
        }
        let found = match found {
            Ok(Ok(found)) => found,
            Ok(Err(hopeless)) => {
                let held = self.offered.remove(&key).and_then(|offered| offered.held);
                held.into_iter().for_each(|held| (held.receipt)());
                return self.desk.hopeless(hopeless);
            }
            Err(error) => return self.desk.fail(error),
        };
        let Some(held) = self.offered.get_mut(&key).and_then(|offered| offered.held.as_mut())
        else {
            let record = packed(&found);
            return self.hand_in(key, found, record, None, None);
        };
        let told = held.rival.take().into_iter();
        let told: Vec<(String, Option<String>)> = told
            .map(|(worker, record)| (worker, compare::difference(&record, &found)))
            .chain([(held.worker.clone(), compare::difference(&held.record, &found))])
            .collect();
        let right = told.last().is_some_and(|(_, difference)| difference.is_none());
        if right {
            self.accept(key);
        } else {
            let receipt = self.offered.get_mut(&key).and_then(|offered| offered.held.take());
            let (record, receipt) = (packed(&found), receipt.map(|held| held.receipt));
            self.hand_in(key, found, record, None, receipt);
        }
        for (worker, difference) in told {
            if let Some(difference) = difference {
                let reason = format!(
                    "it wrote another record of {} than this host: {difference}",
                    job.name()
                );
                self.exclude(&worker, &reason, inbox);
            }
        }
    }

    /// Nothing of a worker counts any more, and what it played is played again.
    fn exclude(&mut self, worker: &str, reason: &str, inbox: &Inbox) {
        if !self.queue.exclude(worker, reason) {
            return;
        }
        log::warn!("the worker {worker} is excluded, and its games are played again: {reason}");
        self.clear_jobs(inbox);
        self.anew();
        self.desk.exclude(worker, reason);
    }
}

/// Plays games of which there are two records, or of which nobody else could write a second one.
pub(super) fn judge(desk: &Desk<'_>, docket: &Receiver<Job>, pronounced: &Sender<Verdict>) {
    let _guard = desk.guard();
    while let Ok(job) = docket.recv() {
        let found = desk.play_here(&job);
        if pronounced.send(Verdict { job, found }).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::message::VERSION;

    /// A result of the worker `a`, attempt 2 of a game that is offered for the second time, changed; what becomes of it.
    fn check(
        change: impl FnOnce(&mut Done),
        held_by: Option<&str>,
        excluded: bool,
        expected: Fate,
    ) {
        let purpose = match held_by {
            Some(worker) => Purpose::Replay { not_by: worker.into() },
            None => Purpose::Play,
        };
        let mut done = Done {
            version: VERSION,
            arena: "00000000000000a1".into(),
            pair: 3,
            game: 1,
            attempt: 2,
            purpose,
            terms: "0f".into(),
            worker: "a".into(),
            outcome: Outcome::Played,
        };
        change(&mut done);
        let wanted = Wanted { digest: "0f", attempt: 2, held_by };
        assert_eq!(fate(&done, &wanted, excluded), expected, "{done:?}, {held_by:?}, {excluded}");
    }

    fn refused(done: &mut Done) {
        done.outcome = Outcome::Refused { reason: "nobody else plays".into() };
    }

    #[test]
    fn no_game_is_lost_with_who_played_it() {
        check(|_| (), None, false, Fate::TakenIn);
        check(|_| (), None, true, Fate::AskedAgain);
        check(refused, None, true, Fate::AskedAgain);
        check(|_| (), Some("b"), true, Fate::AskedAgain);
        // Another offer is with somebody else.
        check(|done| done.attempt = 1, None, true, Fate::Dropped);
        check(|done| done.attempt = 1, None, false, Fate::TakenIn);
        for excluded in [false, true] {
            check(|done| done.terms = "f0".into(), None, excluded, Fate::Dropped);
            check(|done| done.purpose = Purpose::Play, Some("b"), excluded, Fate::Dropped);
            let replay = |done: &mut Done| done.purpose = Purpose::Replay { not_by: "b".into() };
            check(replay, None, excluded, Fate::Dropped);
        }
    }

    #[test]
    fn nobody_confirms_his_own_record() {
        check(|_| (), Some("b"), false, Fate::TakenIn);
        check(|_| (), Some("a"), false, Fate::AskedAgain);
        check(|done| done.attempt = 1, Some("a"), false, Fate::Dropped);
        check(refused, Some("a"), false, Fate::TakenIn);
    }
}
