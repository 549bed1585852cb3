//! The seasons of a run. An engine that always beats a weak opponent learns nothing more from it,
//! or learns what beats only this opponent. So a run by games has several seasons. Each season
//! starts from the best weights of the previous one and plays against the best weights of all
//! earlier ones. Pure.
//!
//! Invariant: a season depends only on its setup, its seed and the earlier seasons. Units of a
//! finished season do not count.

use sandboard_evolution::{
    Budget, End, Generation, MeasurementRequest, MeasurementResult, Progress, Setup, Space,
    Subject, Tuner, Weights,
};

use super::evaluator::{Evaluator, EvaluatorError, FaultSummary, Unit, UnitKey};
use super::run::RunError;
use super::setup::TuneSetup;

/// The first unit number of season `n` is `n * UNIT_NUMBERS`.
const UNIT_NUMBERS: u32 = 1 << 20;
/// The seed of season `n` (from 1) is the seed of player `SEASON_SEEDS + n`.
const SEASON_SEEDS: usize = 1000;

/// A unit to be measured, with its season.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The season, from 0.
    pub season: u32,
    /// The unit. Its number is unique over all seasons.
    pub unit: Unit,
    /// Opponents in addition to those of the setup.
    pub rivals: Vec<Weights>,
}

/// A completed measurement, with its season.
pub type FinishedMeasurement = (u32, MeasurementRequest, MeasurementResult);

/// The seasons of a run so far.
#[derive(Debug)]
pub struct Seasons {
    setup: TuneSetup,
    ahead: u32,
    /// The finished seasons.
    finished: Vec<Evaluator>,
    evaluator: Evaluator,
}

impl Seasons {
    /// A run at the start of its first season. At most `ahead` units of one measurement are in
    /// progress.
    pub fn new(setup: &TuneSetup, ahead: u32) -> Result<Self, RunError> {
        let evaluator = evaluator(setup, ahead, 0, setup.space().start())?;
        Ok(Self { setup: setup.clone(), ahead, finished: Vec::new(), evaluator })
    }

    fn season(&self) -> u32 {
        self.finished.len() as u32
    }

    fn evaluators(&self) -> impl DoubleEndedIterator<Item = &Evaluator> {
        self.finished.iter().chain([&self.evaluator])
    }

    /// The tuner of each started season.
    pub fn tuners(&self) -> impl Iterator<Item = &Tuner> {
        self.evaluators().map(Evaluator::tuner)
    }

    /// The weights to use if the run ended now.
    pub fn best(&self) -> Weights {
        // At its start, a season's best weights are those that it starts from.
        self.evaluator.tuner().best()
    }

    /// Why the last season is over; `None` while the run is not.
    pub fn end(&self) -> Option<&End> {
        self.evaluator.end().filter(|_| self.season() + 1 >= seasons(&self.setup))
    }

    /// The progress of all seasons together.
    pub fn progress(&self) -> Progress {
        let mut all = Progress { measurements: 0, games: 0, fraction: None };
        for progress in self.tuners().map(Tuner::progress) {
            all.measurements += progress.measurements;
            all.games += progress.games;
            all.fraction = progress.fraction;
        }
        let before = f64::from(self.season());
        all.fraction = all.fraction.map(|part| (before + part) / f64::from(seasons(&self.setup)));
        all
    }

    /// The generations of all seasons, numbered consecutively from 0.
    pub fn generations(&self) -> impl Iterator<Item = Generation> {
        let (mut number, mut measurements, mut games) = (0, 0, 0);
        self.tuners().flat_map(move |tuner| {
            let found: Vec<Generation> = tuner
                .generations()
                .map(|it| Generation {
                    number: number + it.number,
                    measurements: measurements + it.measurements,
                    games: games + it.games,
                    ..it.clone()
                })
                .collect();
            let progress = tuner.progress();
            number += found.len() as u32;
            measurements += progress.measurements;
            games += progress.games;
            found
        })
    }

    /// The faults of engines in counted units.
    pub fn faults(&self) -> FaultSummary {
        let mut all = FaultSummary::default();
        for faults in self.evaluators().map(Evaluator::faults) {
            all.units += faults.units;
            all.last = faults.last.or(all.last);
        }
        all
    }

    /// The next unit to measure; `None` if no unit can start before a result arrives, or none is
    /// left.
    pub fn take(&mut self) -> Option<Task> {
        let season = self.season();
        let mut unit = self.evaluator.take()?;
        unit.number = unit.number.wrapping_add(season.wrapping_mul(UNIT_NUMBERS));
        let rivals = match (season, &unit.subject) {
            (_, Subject::Duel { .. }) => Vec::new(),
            (0, _) if !self.setup.opponents.is_empty() => Vec::new(),
            (0, _) => vec![self.setup.space().start()],
            _ => self.finished.iter().map(|evaluator| evaluator.tuner().best()).collect(),
        };
        Some(Task { season, unit, rivals })
    }

    /// Returns a unit without a result, so that another thread can take it.
    pub fn release(&mut self, season: u32, key: UnitKey) {
        if season == self.season() {
            self.evaluator.release(key);
        }
    }

    /// Adds the result of a unit ([`Evaluator::add`]). The last unit of a season starts the next
    /// season.
    pub fn add(
        &mut self,
        season: u32,
        key: UnitKey,
        half_points: u8,
        fault: Option<String>,
    ) -> Result<Vec<FinishedMeasurement>, RunError> {
        let current = self.season();
        let evaluator = match self.finished.get_mut(season as usize) {
            Some(evaluator) => evaluator,
            None if season == current => &mut self.evaluator,
            None => {
                let UnitKey { measurement, unit } = key;
                return Err(EvaluatorError::NotRequested { measurement, unit }.into());
            }
        };
        let finished = evaluator.add(key, half_points, fault)?;
        if season == current && self.evaluator.end().is_some() && current + 1 < seasons(&self.setup)
        {
            let next = evaluator_after(&self.setup, self.ahead, current + 1, &self.evaluator)?;
            self.finished.push(std::mem::replace(&mut self.evaluator, next));
        }
        Ok(finished.into_iter().map(|(request, result)| (season, request, result)).collect())
    }
}

fn evaluator_after(
    setup: &TuneSetup,
    ahead: u32,
    season: u32,
    last: &Evaluator,
) -> Result<Evaluator, RunError> {
    evaluator(setup, ahead, season, last.tuner().best())
}

/// The number of seasons: as in the setup, but each has at least one measurement and one game.
fn seasons(setup: &TuneSetup) -> u32 {
    let Budget { measurements, games } = setup.run.budget;
    let games = games.map_or(u32::MAX, |games| u32::try_from(games).unwrap_or(u32::MAX));
    setup.seasons.min(measurements.unwrap_or(u32::MAX)).min(games).max(1)
}

fn evaluator(
    setup: &TuneSetup,
    ahead: u32,
    season: u32,
    start: Weights,
) -> Result<Evaluator, RunError> {
    let of = u64::from(seasons(setup));
    // The parts add up to the whole.
    let end =
        |whole: u64, season: u64| (u128::from(whole) * u128::from(season) / u128::from(of)) as u64;
    let part = |whole: u64| end(whole, u64::from(season) + 1) - end(whole, season.into());
    let Budget { measurements, games } = setup.run.budget;
    let budget = Budget {
        measurements: measurements.map(|it| u32::try_from(part(it.into())).unwrap_or(u32::MAX)),
        games: games.map(part),
    };
    let seed = match season {
        0 => setup.run.seed,
        later => sandboard_bout::driver::player_seed(setup.run.seed, SEASON_SEEDS + later as usize),
    };
    let space = starting_at(setup.space(), &start);
    let tuner = Tuner::new(Setup { space, seed, budget, ..setup.run.clone() })?;
    Ok(Evaluator::new(tuner, setup.measure.units(), setup.measure.race_error(), ahead)?)
}

/// The same space with another start point.
fn starting_at(space: &Space, start: &Weights) -> Space {
    let mut parameters = space.parameters().to_vec();
    for (parameter, value) in parameters.iter_mut().zip(start.values()) {
        parameter.start = *value;
    }
    // Weights found in a space always lie in it.
    Space::new(parameters).unwrap_or_else(|_| space.clone())
}
