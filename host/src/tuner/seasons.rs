//! The seasons of a run. Who beats a weak opponent every time learns nothing more of him, or learns what beats nobody
//! else; so a run by games is played in several seasons, each of which begins with the best of the one before
//! and plays whoever was the best of each. Pure.
//!
//! Invariant: a season depends on its setup, its seed and the seasons before alone; a unit of a season that is over counts
//! for nothing.

use sandboard_evolution::{
    Answer, Asked, Budget, End, Generation, Progress, Question, Setup, Space, Tuner, Weights,
};

use super::desk::{Desk, DeskError, Faults, Unit, UnitKey};
use super::run::RunError;
use super::setup::TuneSetup;

/// Common numbers of units of each season: so many are left to the one before it.
const NUMBERS: u32 = 1 << 20;
/// The seed of the second season and of those after it is that of this player and of those after him.
const SEEDS: usize = 1000;

/// A unit to be made, in its season.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The season, from 0.
    pub season: u32,
    /// The unit. Its number is common to all seasons.
    pub unit: Unit,
    /// Whom it plays beside the opponents that the setup names.
    pub rivals: Vec<Weights>,
}

/// An answer that counts, in its season.
pub type Answered = (u32, Question, Answer);

/// All seasons of a run, as far as they are played.
#[derive(Debug)]
pub struct Seasons {
    setup: TuneSetup,
    ahead: u32,
    /// Those that are over.
    over: Vec<Desk>,
    desk: Desk,
}

impl Seasons {
    /// The first season, of which nothing is measured yet; `ahead` is how many units of one measurement are made at once.
    pub fn new(setup: &TuneSetup, ahead: u32) -> Result<Self, RunError> {
        let desk = desk(setup, ahead, 0, setup.space().start())?;
        Ok(Self { setup: setup.clone(), ahead, over: Vec::new(), desk })
    }

    fn season(&self) -> u32 {
        self.over.len() as u32
    }

    fn desks(&self) -> impl DoubleEndedIterator<Item = &Desk> {
        self.over.iter().chain([&self.desk])
    }

    /// The tuner of each season that was begun.
    pub fn tuners(&self) -> impl Iterator<Item = &Tuner> {
        self.desks().map(Desk::tuner)
    }

    /// The weights to ship if the run ended now.
    pub fn best(&self) -> Weights {
        // A season that has just begun knows nothing but where it begins.
        self.desk.tuner().best()
    }

    /// Why the last season is over, if it is.
    pub fn end(&self) -> Option<&End> {
        self.desk.end().filter(|_| self.season() + 1 >= seasons(&self.setup))
    }

    /// How far all seasons have come together.
    pub fn progress(&self) -> Progress {
        let mut all = Progress { questions: 0, games: 0, part: None };
        for progress in self.tuners().map(Tuner::progress) {
            all.questions += progress.questions;
            all.games += progress.games;
            all.part = progress.part;
        }
        let before = f64::from(self.season());
        all.part = all.part.map(|part| (before + part) / f64::from(seasons(&self.setup)));
        all
    }

    /// How each generation stood, counted over all seasons.
    pub fn generations(&self) -> impl Iterator<Item = Generation> {
        let (mut number, mut questions, mut games) = (0, 0, 0);
        self.tuners().flat_map(move |tuner| {
            let found: Vec<Generation> = tuner
                .generations()
                .map(|it| Generation {
                    number: number + it.number,
                    questions: questions + it.questions,
                    games: games + it.games,
                    ..it.clone()
                })
                .collect();
            let progress = tuner.progress();
            number += found.len() as u32;
            questions += progress.questions;
            games += progress.games;
            found
        })
    }

    /// What engines did wrong in units that count.
    pub fn faults(&self) -> Faults {
        let mut all = Faults::default();
        for faults in self.desks().map(Desk::faults) {
            all.units += faults.units;
            all.last = faults.last.or(all.last);
        }
        all
    }

    /// The next unit to be made; none: nothing can be begun before something is back, or ever.
    pub fn take(&mut self) -> Option<Task> {
        let season = self.season();
        let mut unit = self.desk.take()?;
        unit.number = unit.number.wrapping_add(season.wrapping_mul(NUMBERS));
        let rivals = match (season, &unit.asked) {
            (_, Asked::Duel { .. }) => Vec::new(),
            (0, _) if !self.setup.opponents.is_empty() => Vec::new(),
            (0, _) => vec![self.setup.space().start()],
            _ => self.over.iter().map(|desk| desk.tuner().best()).collect(),
        };
        Some(Task { season, unit, rivals })
    }

    /// A unit that was taken is not made: somebody else may take it.
    pub fn give_back(&mut self, season: u32, key: UnitKey) {
        if season == self.season() {
            self.desk.give_back(key);
        }
    }

    /// A unit is made: [`Desk::add`]. With the last one of a season the next begins.
    pub fn add(
        &mut self,
        season: u32,
        key: UnitKey,
        half_points: u8,
        fault: Option<String>,
    ) -> Result<Vec<Answered>, RunError> {
        let current = self.season();
        let desk = match self.over.get_mut(season as usize) {
            Some(desk) => desk,
            None if season == current => &mut self.desk,
            None => {
                let UnitKey { question, unit } = key;
                return Err(DeskError::NotAsked { question, unit }.into());
            }
        };
        let answered = desk.add(key, half_points, fault)?;
        if season == current && self.desk.end().is_some() && current + 1 < seasons(&self.setup) {
            let next = desk_after(&self.setup, self.ahead, current + 1, &self.desk)?;
            self.over.push(std::mem::replace(&mut self.desk, next));
        }
        Ok(answered.into_iter().map(|(question, answer)| (season, question, answer)).collect())
    }
}

fn desk_after(setup: &TuneSetup, ahead: u32, season: u32, last: &Desk) -> Result<Desk, RunError> {
    desk(setup, ahead, season, last.tuner().best())
}

/// How many seasons there are: as many as are asked for, each with one question and one game at least.
fn seasons(setup: &TuneSetup) -> u32 {
    let Budget { questions, games } = setup.run.budget;
    let games = games.map_or(u32::MAX, |games| u32::try_from(games).unwrap_or(u32::MAX));
    setup.seasons.min(questions.unwrap_or(u32::MAX)).min(games).max(1)
}

fn desk(setup: &TuneSetup, ahead: u32, season: u32, start: Weights) -> Result<Desk, RunError> {
    let of = u64::from(seasons(setup));
    // All parts together are the whole.
    let end =
        |whole: u64, season: u64| (u128::from(whole) * u128::from(season) / u128::from(of)) as u64;
    let part = |whole: u64| end(whole, u64::from(season) + 1) - end(whole, season.into());
    let Budget { questions, games } = setup.run.budget;
    let budget = Budget {
        questions: questions.map(|it| u32::try_from(part(it.into())).unwrap_or(u32::MAX)),
        games: games.map(part),
    };
    let seed = match season {
        0 => setup.run.seed,
        later => crate::bout::player_seed(setup.run.seed, SEEDS + later as usize),
    };
    let space = beginning_at(setup.space(), &start);
    let tuner = Tuner::new(Setup { space, seed, budget, ..setup.run.clone() })?;
    Ok(Desk::new(tuner, setup.measure.units(), setup.measure.race_error(), ahead)?)
}

/// The same space with another start.
fn beginning_at(space: &Space, start: &Weights) -> Space {
    let mut parameters = space.parameters().to_vec();
    for (parameter, value) in parameters.iter_mut().zip(start.values()) {
        parameter.start = *value;
    }
    // What was found in a space is in it.
    Space::new(parameters).unwrap_or_else(|_| space.clone())
}
