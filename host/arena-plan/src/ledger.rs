//! The ledger of an arena: which games are open, in play, or done. Games may be done in any order.
//! They are *counted* pair by pair in the order of the schedule, so that the count depends neither
//! on the speed of threads nor on interruptions. Counting ends when the sequential test decides. A
//! pure value.

use std::collections::{BTreeMap, BTreeSet};

use sandboard_tournament::schedule::{
    Change, Event, EventError, FinishError, Forecast, Outcome, Pair, Schedule, SetupError,
};
use sandboard_tournament::stats::{CrossTable, Sprt, SprtError, SprtState, Verdict};

use super::counted_results::CountedResults;
use super::job::{GameKey, Job, Plan};
use super::outcome::GameResult;
use super::setup::ArenaSetup;

/// The state of an arena's games.
#[derive(Clone, Debug)]
pub struct Ledger {
    schedule: Schedule,
    plan: Plan,
    sprt: Option<Sprt>,
    /// Games of pairs in play that can be taken.
    queue: BTreeSet<GameKey>,
    /// Games in play.
    playing: BTreeMap<GameKey, Job>,
    /// Pairs with games that are done, not counted yet.
    uncounted: BTreeMap<u32, UncountedPair>,
    counted: CountedResults,
    /// The counted pairs of which each game has a move. A test counts no others: they say nothing
    /// about how the engines play.
    tested: CrossTable,
    /// All pairs below this number are counted.
    counted_up_to: u32,
    /// Whether the sequential test has decided.
    decided: bool,
}

/// A pair that is not counted yet.
#[derive(Clone, Debug)]
struct UncountedPair {
    pair: Option<Pair>,
    /// The results of all games of the pair.
    games: Vec<Option<GameResult>>,
}

impl UncountedPair {
    /// A pair of which no game is done, with this number of players in each game.
    fn new(seats: u8) -> Self {
        Self { pair: None, games: vec![None; seats.into()] }
    }

    /// Whether a game of it is done.
    fn is_done(&self, game: u8) -> bool {
        self.games.get(usize::from(game)).is_some_and(Option::is_some)
    }

    /// The results, if all games are done.
    fn results(&self) -> Option<Vec<GameResult>> {
        self.games.iter().cloned().collect()
    }
}

/// Why a setup is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The tournament is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The sequential test is invalid.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A sequential test with more or fewer than two players.
    #[error("a sequential test needs a match of two players")]
    TestWithoutTwoPlayers,
}

impl Ledger {
    /// The ledger of a new arena.
    pub fn new(setup: &ArenaSetup) -> Result<Self, LedgerError> {
        if setup.sprt.is_some() && (setup.players.len(), setup.seats) != (2, 2) {
            return Err(LedgerError::TestWithoutTwoPlayers);
        }
        Ok(Self {
            schedule: Schedule::new(setup.tournament())?,
            plan: setup.plan(),
            sprt: setup.sprt.map(Sprt::new).transpose()?,
            queue: BTreeSet::new(),
            playing: BTreeMap::new(),
            uncounted: BTreeMap::new(),
            counted: CountedResults::default(),
            tested: CrossTable::default(),
            counted_up_to: 0,
            decided: false,
        })
    }

    /// The schedule of the tournament.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What all jobs have in common: openings and seeds.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// Takes the first game that is neither done nor in play. None: there is none now, or, if no
    /// game is in play ([`Ledger::playing`]), none at all.
    pub fn take(&mut self) -> Option<Job> {
        if self.decided {
            return None;
        }
        let seats = self.seats();
        loop {
            if let Some(key) = self.queue.pop_first() {
                let pair = self.uncounted.get(&key.pair).and_then(|waiting| waiting.pair)?;
                let job = *self.plan.jobs(pair).get(usize::from(key.game))?;
                self.playing.insert(key, job);
                return Some(job);
            }
            let pair = self.schedule.take()?;
            let waiting = self.uncounted.entry(pair.number);
            let waiting = waiting.or_insert_with(|| UncountedPair::new(seats));
            waiting.pair = Some(pair);
            let open = (0..seats).filter(|game| !waiting.is_done(*game));
            self.queue.extend(open.map(|game| GameKey { pair: pair.number, game }));
        }
    }

    /// Returns a game that was taken: it can be taken again.
    pub fn release(&mut self, key: GameKey) {
        if self.playing.remove(&key).is_some() && !self.schedule.is_void(key.pair) {
            self.queue.insert(key);
        }
    }

    /// The number of players in each game, and of games in each pair.
    fn seats(&self) -> u8 {
        self.schedule.setup().seats
    }

    /// Adds the result of a game. Returns false and changes nothing if the game has a result
    /// already, or its pair is void. Fails if no pair of this arena has the game.
    pub fn add(&mut self, key: GameKey, result: GameResult) -> Result<bool, FinishError> {
        self.playing.remove(&key);
        // Planning may show that the pair is void.
        self.schedule.plan_through(key.pair);
        if self.is_done(key) {
            return Ok(false);
        }
        self.queue.remove(&key);
        let seats = self.seats();
        let waiting = self.uncounted.entry(key.pair);
        let waiting = waiting.or_insert_with(|| UncountedPair::new(seats));
        let Some(game) = waiting.games.get_mut(usize::from(key.game)) else {
            return Err(FinishError::NotPlanned { number: key.pair });
        };
        *game = Some(result);
        if let Some(results) = waiting.results() {
            self.finish(key.pair, &results)?;
        }
        Ok(true)
    }

    /// Reports a pair with these results to the schedule, and counts pairs.
    fn finish(&mut self, number: u32, games: &[GameResult]) -> Result<(), FinishError> {
        let of_player = |index: usize| {
            games.iter().filter_map(move |game| game.half_points.get(index).copied())
        };
        let half_points = (0..usize::from(self.seats()))
            .map(|index| of_player(index).map(u16::from).sum())
            .collect();
        self.schedule.finish(number, Outcome::HalfPoints(half_points))?;
        self.count();
        Ok(())
    }

    fn count(&mut self) {
        let new_results: Vec<(Pair, Outcome)> =
            self.schedule.results_from(self.counted_up_to).collect();
        for (pair, outcome) in new_results {
            self.counted_up_to = pair.number + 1;
            if outcome == Outcome::Void && !self.decided {
                self.counted.void.push(pair);
            }
            let waiting = self.uncounted.remove(&pair.number);
            let Some(games) = waiting.and_then(|waiting| waiting.results()) else { continue };
            // Games played after the decision are stored, and change nothing.
            if self.decided {
                continue;
            }
            let has_moves = games.iter().all(|game| game.plies > 0);
            self.counted.add(pair, &games, self.plan.openings);
            if let Some(counted) = self.counted.pairs.last().filter(|_| has_moves) {
                self.tested.add(&counted.pair_result(self.plan.openings));
            }
            self.decided = self.test().is_some_and(|(_, state)| state.verdict != Verdict::Open);
        }
    }

    /// The sequential test and its state, if there is one. Pairs with a game without a move do not
    /// count for it.
    pub fn test(&self) -> Option<(&Sprt, SprtState)> {
        let sprt = self.sprt.as_ref()?;
        Some((sprt, sprt.state(&self.tested_pairs())))
    }

    /// The number of pairs that count for a test, by the half points of the first player.
    fn tested_pairs(&self) -> [u64; 5] {
        self.tested.head_to_head(0, 1).map_or([0; 5], |meeting| meeting.pairs)
    }

    /// Whether a game needs no result: it is done, or its pair is void.
    pub fn is_done(&self, key: GameKey) -> bool {
        if self.schedule.is_void(key.pair) {
            return true;
        }
        match self.uncounted.get(&key.pair) {
            Some(waiting) => waiting.is_done(key.game),
            None => self.schedule.is_settled(key.pair),
        }
    }

    /// The games in play.
    pub fn playing(&self) -> impl Iterator<Item = &Job> {
        self.playing.values()
    }

    /// The number of games that are done but not counted, since an earlier one is not done.
    pub fn not_counted(&self) -> u32 {
        let done = |waiting: &UncountedPair| waiting.games.iter().flatten().count() as u32;
        self.uncounted.values().map(done).sum()
    }

    /// Whether the sequential test has decided.
    pub fn is_decided(&self) -> bool {
        self.decided
    }

    /// Whether all games are played, or the test is decided.
    pub fn is_complete(&self) -> bool {
        self.decided || self.schedule.is_complete()
    }

    /// The counted results.
    pub fn counted_results(&self) -> &CountedResults {
        &self.counted
    }

    /// The number of remaining pairs, including those in play.
    pub fn forecast(&self) -> Forecast {
        if self.decided {
            return Forecast { pairs_max: 0, pairs_expected: 0 };
        }
        let forecast = self.schedule.forecast();
        let pairs = self.tested_pairs();
        // Fewer than 10 pairs do not predict when the test will decide.
        let is_predictable = pairs.iter().sum::<u64>() >= 10;
        let expected = self
            .sprt
            .as_ref()
            .filter(|_| is_predictable)
            .and_then(|sprt| sprt.expected_left(&pairs));
        let pairs_expected = expected.map_or(forecast.pairs_expected, |left| {
            forecast.pairs_expected.min(left.ceil() as u64)
        });
        Forecast { pairs_expected, ..forecast }
    }

    /// Changes the tournament; see [`Schedule::apply`]. Games of a pair that becomes void do not
    /// count. When an arena is loaded, its events must be applied before its results are added.
    pub fn apply(&mut self, event: Event) -> Result<(), EventError> {
        self.schedule.apply(event)?;
        if self.schedule.is_void(event.from_pair) && matches!(event.change, Change::Void { .. }) {
            self.uncounted.remove(&event.from_pair);
            self.queue.retain(|key| key.pair != event.from_pair);
            self.playing.retain(|key, _| key.pair != event.from_pair);
            self.count();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
