//! Which games of an arena are open, being played, done. Games may be done in any order; they are *counted* pair
//! by pair in the order of the schedule, so that what is counted never depends on which thread was the faster
//! one, nor on when an arena was interrupted. A test that has decided ends the counting. Pure.

use std::collections::{BTreeMap, BTreeSet};

use sandboard_tournament::schedule::{
    Change, Event, EventError, FinishError, Forecast, Outcome, Pair, Schedule, SetupError,
};
use sandboard_tournament::stats::{Sprt, SprtError, SprtState, Verdict};

use super::job::{GameKey, Job, Plan};
use super::outcome::GameResult;
use super::setup::ArenaSetup;
use super::standing::Standing;

/// The state of an arena.
#[derive(Clone, Debug)]
pub struct Ledger {
    schedule: Schedule,
    plan: Plan,
    sprt: Option<Sprt>,
    /// Games of pairs that were handed out, to be played by whoever takes them next.
    queue: BTreeSet<GameKey>,
    /// Games that somebody plays.
    playing: BTreeMap<GameKey, Job>,
    /// Done, of pairs that are not counted yet.
    waiting: BTreeMap<u32, Waiting>,
    standing: Standing,
    /// Below this, every pair that is to be counted is.
    seen: u32,
    decided: bool,
}

/// A pair of which something is done.
#[derive(Clone, Debug)]
struct Waiting {
    pair: Option<Pair>,
    games: [Option<GameResult>; 2],
}

/// Why there is no ledger of a setup.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// It is no tournament.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Its test cannot be.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A test is of two players.
    #[error("a sequential test is of a match of two players")]
    TestOfMany,
}

impl Ledger {
    /// An arena of which nothing is played.
    pub fn new(setup: &ArenaSetup) -> Result<Self, LedgerError> {
        if setup.sprt.is_some() && setup.players.len() != 2 {
            return Err(LedgerError::TestOfMany);
        }
        Ok(Self {
            schedule: Schedule::new(setup.tournament())?,
            plan: setup.plan(),
            sprt: setup.sprt.map(Sprt::new).transpose()?,
            queue: BTreeSet::new(),
            playing: BTreeMap::new(),
            waiting: BTreeMap::new(),
            standing: Standing::default(),
            seen: 0,
            decided: false,
        })
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What all jobs have in common.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The first game that is neither done nor being played; from now on it is being played. None: there is none
    /// now, and none at all where nobody plays ([`Ledger::playing`]).
    pub fn take(&mut self) -> Option<Job> {
        if self.decided {
            return None;
        }
        loop {
            if let Some(key) = self.queue.pop_first() {
                let pair = self.waiting.get(&key.pair).and_then(|waiting| waiting.pair)?;
                let job = self.plan.jobs(pair)[usize::from(key.game & 1)];
                self.playing.insert(key, job);
                return Some(job);
            }
            let pair = self.schedule.take()?;
            let waiting = self.waiting.entry(pair.number);
            let waiting = waiting.or_insert(Waiting { pair: None, games: [None, None] });
            waiting.pair = Some(pair);
            let open = (0..2_u8).filter(|game| waiting.games[usize::from(*game)].is_none());
            self.queue.extend(open.map(|game| GameKey { pair: pair.number, game }));
        }
    }

    /// A game that was taken is to be played by whoever takes it next.
    pub fn give_back(&mut self, key: GameKey) {
        if self.playing.remove(&key).is_some() && !self.schedule.is_void(key.pair) {
            self.queue.insert(key);
        }
    }

    /// A game is done. False, and nothing changes, where it was done before, or its pair is void: no game counts twice. The
    /// error says that no pair of this arena has it.
    pub fn add(&mut self, key: GameKey, result: GameResult) -> Result<bool, FinishError> {
        self.playing.remove(&key);
        // It may be void, which is seen when it is planned.
        self.schedule.foresee(key.pair);
        if self.is_done(key) {
            return Ok(false);
        }
        self.queue.remove(&key);
        let waiting = self.waiting.entry(key.pair);
        let waiting = waiting.or_insert(Waiting { pair: None, games: [None, None] });
        waiting.games[usize::from(key.game & 1)] = Some(result);
        if waiting.games.iter().all(Option::is_some) {
            self.finish(key.pair)?;
        }
        Ok(true)
    }

    /// Tells the schedule of a pair whose games are done, and counts what can be.
    fn finish(&mut self, number: u32) -> Result<(), FinishError> {
        let Some(Waiting { games: [Some(one), Some(other)], .. }) = self.waiting.get(&number)
        else {
            return Ok(());
        };
        let half_points = one.half_points.saturating_add(other.half_points);
        self.schedule.finish(number, Outcome::HalfPoints(half_points))?;
        self.count();
        Ok(())
    }

    fn count(&mut self) {
        let fresh: Vec<(Pair, Outcome)> = self.schedule.counted_from(self.seen).collect();
        for (pair, outcome) in fresh {
            self.seen = pair.number + 1;
            if outcome == Outcome::Void && !self.decided {
                self.standing.void.push(pair);
            }
            let Some(Waiting { games: [Some(one), Some(other)], .. }) =
                self.waiting.remove(&pair.number)
            else {
                continue;
            };
            // What was played beyond the decision is kept, and changes nothing.
            if self.decided {
                continue;
            }
            self.standing.add(pair, &[one, other], self.plan.openings);
            self.decided = self.test().is_some_and(|(_, state)| state.verdict != Verdict::Open);
        }
    }

    /// The test and where it stands, if there is one.
    pub fn test(&self) -> Option<(&Sprt, SprtState)> {
        let sprt = self.sprt.as_ref()?;
        let pairs = self.standing.tables.meeting(0, 1).map_or([0; 5], |meeting| meeting.pairs);
        Some((sprt, sprt.state(&pairs)))
    }

    /// Whether nothing is to come of a game any more: it is done, or its pair is void.
    pub fn is_done(&self, key: GameKey) -> bool {
        if self.schedule.is_void(key.pair) {
            return true;
        }
        match self.waiting.get(&key.pair) {
            Some(waiting) => waiting.games[usize::from(key.game & 1)].is_some(),
            None => self.schedule.is_over(key.pair),
        }
    }

    /// The games that are being played.
    pub fn playing(&self) -> impl Iterator<Item = &Job> {
        self.playing.values()
    }

    /// Games that are done but not counted, since one before them is not done.
    pub fn not_counted(&self) -> u32 {
        let done = |waiting: &Waiting| waiting.games.iter().flatten().count() as u32;
        self.waiting.values().map(done).sum()
    }

    /// Whether nothing is left to be played: all is, or the test is decided.
    pub fn is_complete(&self) -> bool {
        self.decided || self.schedule.is_complete()
    }

    /// What is counted so far.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// How many pairs are left, those that are being played among them.
    pub fn forecast(&self) -> Forecast {
        if self.decided {
            return Forecast { most: 0, expected: 0 };
        }
        let forecast = self.schedule.forecast();
        let pairs = self.standing.tables.meeting(0, 1).map_or([0; 5], |meeting| meeting.pairs);
        // The first pairs say next to nothing of when a test will be decided.
        let told = pairs.iter().sum::<u64>() >= 10;
        let expected =
            self.sprt.as_ref().filter(|_| told).and_then(|sprt| sprt.expected_left(&pairs));
        let expected =
            expected.map_or(forecast.expected, |left| forecast.expected.min(left.ceil() as u64));
        Forecast { expected, ..forecast }
    }

    /// Changes the tournament; see [`Schedule::apply`]. What is played of a pair that becomes void counts for nothing. When an arena is read again, its events are to be told
    /// before its results.
    pub fn apply(&mut self, event: Event) -> Result<(), EventError> {
        self.schedule.apply(event)?;
        if self.schedule.is_void(event.at) && matches!(event.change, Change::Void { .. }) {
            self.waiting.remove(&event.at);
            self.queue.retain(|key| key.pair != event.at);
            self.playing.retain(|key, _| key.pair != event.at);
            self.count();
        }
        Ok(())
    }
}
