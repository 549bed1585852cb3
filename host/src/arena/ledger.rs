//! Which games of a schedule are open, being played, done. Games may be done in
//! any order; they are *counted* pair by pair in the order of the schedule, so
//! that what is counted never depends on which thread was the faster one, nor
//! on when a match was interrupted. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::outcome::GameResult;
use super::schedule::{GAMES_OF_A_PAIR, Job, Schedule};
use super::standing::Standing;

/// The state of a match.
#[derive(Clone, Debug)]
pub struct Ledger {
    schedule: Schedule,
    /// Below this, every game was handed out at least once.
    fresh: u32,
    /// Below `fresh`, and yet to be played.
    returned: BTreeSet<u32>,
    /// Done, and not counted yet.
    waiting: BTreeMap<u32, GameResult>,
    /// Below this, every game is counted.
    counted: u32,
    standing: Standing,
}

impl Ledger {
    /// A match of which nothing is played.
    pub fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            fresh: 0,
            returned: BTreeSet::new(),
            waiting: BTreeMap::new(),
            counted: 0,
            standing: Standing::default(),
        }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The first game that is neither done nor being played; from now on it is
    /// being played.
    pub fn take(&mut self) -> Option<Job> {
        if let Some(index) = self.returned.pop_first() {
            return self.schedule.job(index);
        }
        while let Some(job) = self.schedule.job(self.fresh) {
            self.fresh += 1;
            if !self.is_done(job.index) {
                return Some(job);
            }
        }
        None
    }

    /// A game that was taken is to be played again by whoever takes it next.
    pub fn give_back(&mut self, index: u32) {
        if index < self.fresh && !self.is_done(index) {
            self.returned.insert(index);
        }
    }

    /// A game is done. False, and nothing changes, where it was done before or
    /// is not of this match: no game counts twice.
    pub fn add(&mut self, index: u32, result: GameResult) -> bool {
        if index >= self.schedule.games() || self.is_done(index) {
            return false;
        }
        self.returned.remove(&index);
        self.waiting.insert(index, result);
        self.count();
        true
    }

    /// Whether a game is done.
    pub fn is_done(&self, index: u32) -> bool {
        index < self.counted || self.waiting.contains_key(&index)
    }

    /// How many games are done.
    pub fn done(&self) -> u32 {
        self.counted + self.waiting.len() as u32
    }

    /// Games that are done but not counted, since one before them is not done.
    pub fn not_counted(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Whether all are done.
    pub fn is_complete(&self) -> bool {
        self.counted == self.schedule.games()
    }

    /// What is counted so far: whole pairs, up to the first unfinished one.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    fn count(&mut self) {
        while (self.counted..self.counted + GAMES_OF_A_PAIR).all(|i| self.waiting.contains_key(&i))
        {
            for _ in 0..GAMES_OF_A_PAIR {
                let index = self.counted;
                self.counted += 1;
                if let (Some(job), Some(result)) =
                    (self.schedule.job(index), self.waiting.remove(&index))
                {
                    self.standing.add(&job, &result);
                }
            }
        }
    }
}
