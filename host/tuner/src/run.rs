//! Runs a tuning run: threads that measure units, and the journal of their results. The only file
//! of the tuner with threads. At the end, the weights found play a match against the start weights.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sandboard_evolution::{SetupError, Subject, Weights};

use super::evaluator::{EvaluatorError, FaultSummary};
use super::journal::{FinalLine, JOURNAL_FILE, Journal, JournalError, Line, UnitLine};
use super::seasons::{FinishedMeasurement, Seasons, Task};
use super::setup::TuneSetup;
use super::unit_runner::{UnitError, UnitResult, UnitRunner};
use sandboard_common::ordered_work::Stop;

/// How often a waiting thread tests whether to stop.
const STOP_POLL: Duration = Duration::from_millis(200);
/// The unit number of the first pair of the final match, far beyond those of measurements.
const FINAL_MATCH_FIRST: u32 = 1 << 31;

/// A run with its results so far.
#[derive(Debug)]
pub struct State {
    seasons: Seasons,
    start: Weights,
    /// The length of the final match in pairs.
    final_pairs: u32,
    final_next: u32,
    final_released: Vec<u32>,
    final_results: BTreeMap<u32, FinalLine>,
    units_done: u64,
}

/// Why a run stopped before its end. Its results are kept, and it can be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The setup is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal does not fit the run.
    #[error("the journal belongs to another run or another version of the host: {0}")]
    Replay(String),
    /// A unit cannot be measured.
    #[error("{what}: {source}")]
    Unit {
        /// The unit in words.
        what: String,
        source: UnitError,
    },
    /// The result of a unit does not fit.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// Follows the progress of a run. Called on any of its threads.
pub trait RunObserver: Sync {
    /// A unit is measured and in the journal.
    fn unit_done(&self, _state: &State) {}
    /// A measurement is complete.
    fn measurement_done(&self, _state: &State, _finished: &FinishedMeasurement) {}
}

impl RunObserver for () {}

impl State {
    /// A run without results. `concurrency` is the number of units measured at once; the results do
    /// not depend on it.
    pub fn new(setup: &TuneSetup, concurrency: usize) -> Result<Self, RunError> {
        let ahead = u32::try_from(concurrency).unwrap_or(u32::MAX);
        Ok(Self {
            start: setup.space().start(),
            seasons: Seasons::new(setup, ahead)?,
            final_pairs: setup.final_pairs,
            final_next: 0,
            final_released: Vec::new(),
            final_results: BTreeMap::new(),
            units_done: 0,
        })
    }

    /// Replays the lines of a journal. Returns the measurement lines that are missing at its end;
    /// they follow from the last lines.
    pub fn replay(&mut self, lines: Vec<Line>) -> Result<Vec<Line>, RunError> {
        let mut missing: Vec<Line> = Vec::new();
        // The first line is the setup.
        for (line, number) in lines.into_iter().zip(2_u64..) {
            let misfit = |reason: String| {
                RunError::Replay(format!("{JOURNAL_FILE}, line {number}: {reason}"))
            };
            match line {
                Line::Unit(unit) => {
                    let finished = self.add_unit(&unit);
                    let finished = finished.map_err(|error| misfit(error.to_string()))?;
                    missing.extend(finished.into_iter().map(measurement_line));
                }
                Line::Final(line) => self.replay_final(&line).map_err(misfit)?,
                line @ Line::Measurement { .. } => {
                    match missing.iter().position(|it| *it == line) {
                        Some(at) => drop(missing.remove(at)),
                        None => return Err(misfit("no units before it give this result".into())),
                    }
                }
            }
        }
        let back = (0..self.final_next).filter(|pair| !self.final_results.contains_key(pair));
        self.final_released = back.collect();
        Ok(missing)
    }

    fn replay_final(&mut self, line: &FinalLine) -> Result<(), String> {
        let FinalLine { pair, half_points, .. } = *line;
        let is_due = self.seasons.end().is_some() && pair < self.final_pairs && half_points <= 4;
        if !is_due || self.final_results.insert(pair, line.clone()).is_some() {
            return Err(format!("pair {pair} of the final match does not fit"));
        }
        self.final_next = self.final_next.max(pair + 1);
        Ok(())
    }

    /// The run's seasons.
    pub fn seasons(&self) -> &Seasons {
        &self.seasons
    }

    /// The number of measured units, including those beyond the end of a measurement.
    pub fn units_done(&self) -> u64 {
        self.units_done
    }

    /// The faults of engines in counted units and in the final match.
    pub fn faults(&self) -> FaultSummary {
        let mut faults = self.seasons.faults();
        for line in self.final_results.values() {
            faults.add(line.fault.clone());
        }
        faults
    }

    /// How many pairs of the final match gave the weights found 0, 1, 2, 3 and 4 half points.
    pub fn final_match(&self) -> [u64; 5] {
        let mut pairs = [0; 5];
        for line in self.final_results.values() {
            if let Some(count) = pairs.get_mut(usize::from(line.half_points)) {
                *count += 1;
            }
        }
        pairs
    }

    /// The length of the final match in pairs.
    pub fn final_pairs(&self) -> u32 {
        self.final_pairs
    }

    /// Whether the run and its final match are complete.
    pub fn is_complete(&self) -> bool {
        self.seasons.end().is_some() && self.final_results.len() >= self.final_pairs as usize
    }

    fn add_unit(&mut self, line: &UnitLine) -> Result<Vec<FinishedMeasurement>, RunError> {
        self.units_done += 1;
        self.seasons.add(line.season, line.key, line.half_points, line.fault.clone())
    }

    fn take(&mut self) -> Option<Work> {
        if self.seasons.end().is_none() {
            return self.seasons.take().map(Work::Unit);
        }
        let pair = self.final_released.pop().or_else(|| {
            let next = self.final_next;
            (next < self.final_pairs).then(|| {
                self.final_next += 1;
                next
            })
        })?;
        let (plus, minus) = (self.seasons.best(), self.start.clone());
        Some(Work::Final { pair, subject: Subject::Duel { plus, minus } })
    }

    fn release(&mut self, work: &Work) {
        match work {
            Work::Unit(task) => self.seasons.release(task.season, task.unit.key),
            Work::Final { pair, .. } => self.final_released.push(*pair),
        }
    }
}

fn measurement_line((season, request, result): FinishedMeasurement) -> Line {
    Line::Measurement { season, request, result }
}

enum Work {
    Unit(Task),
    Final { pair: u32, subject: Subject },
}

impl Work {
    /// Describes the work for an error message.
    fn description(&self, openings: u32) -> String {
        let (what, number) = match self {
            Self::Unit(Task { season, unit, .. }) => {
                let (key, season) = (unit.key, season + 1);
                let what =
                    format!("season {season}, measurement {}, unit {}", key.measurement, key.unit);
                (what, unit.number)
            }
            Self::Final { pair, .. } => {
                (format!("pair {pair} of the final match"), FINAL_MATCH_FIRST.wrapping_add(*pair))
            }
        };
        match number.checked_rem(openings) {
            Some(opening) => format!("{what}, opening {}", opening + 1),
            None => what,
        }
    }
}

struct Shared<'a> {
    state: Mutex<(State, Journal, Result<(), RunError>)>,
    changed: Condvar,
    runner: &'a dyn UnitRunner,
    final_runner: &'a dyn UnitRunner,
    observer: &'a dyn RunObserver,
    stop: &'a Stop,
    openings: u32,
}

/// How a run is executed.
pub struct Session<'a> {
    pub runner: &'a dyn UnitRunner,
    /// Plays pairs of the final match.
    pub final_runner: &'a dyn UnitRunner,
    /// Units measured at once, at least 1.
    pub concurrency: usize,
    /// Stops the run: units in progress are finished, and none is started.
    pub stop: &'a Stop,
    /// Follows the progress.
    pub observer: &'a dyn RunObserver,
    /// The number of openings, which units use in turn; 0 if there are none. Only for error
    /// messages.
    pub openings: u32,
}

/// Executes the rest of a run until it is complete or stopped. `missing` are the lines that its
/// journal lacks ([`State::replay`]). The returned state is that of the journal, also after an
/// error.
pub fn run(
    state: State,
    mut journal: Journal,
    missing: &[Line],
    session: &Session<'_>,
) -> (State, Result<(), RunError>) {
    for line in missing {
        if let Err(error) = journal.add(line) {
            return (state, Err(error.into()));
        }
        if let Line::Measurement { season, request, result } = line {
            session.observer.measurement_done(&state, &(*season, request.clone(), *result));
        }
    }
    let shared = Shared {
        state: Mutex::new((state, journal, Ok(()))),
        changed: Condvar::new(),
        runner: session.runner,
        final_runner: session.final_runner,
        observer: session.observer,
        stop: session.stop,
        openings: session.openings,
    };
    std::thread::scope(|scope| {
        for _ in 0..session.concurrency.max(1) {
            scope.spawn(|| shared.work());
        }
    });
    let (state, journal, ended) = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    (state, ended.and(journal.close().map_err(RunError::from)))
}

/// Stops the other threads when its thread panics, so that they do not wait for its unit.
struct PanicGuard<'a>(&'a Shared<'a>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.stop();
            self.0.changed.notify_all();
        }
    }
}

type StateGuard<'a> = MutexGuard<'a, (State, Journal, Result<(), RunError>)>;

impl Shared<'_> {
    fn lock(&self) -> StateGuard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let _guard = PanicGuard(self);
        while let Some(work) = self.next() {
            let result = match &work {
                Work::Unit(Task { unit, rivals, .. }) => {
                    self.runner.run(&unit.subject, unit.number, rivals)
                }
                Work::Final { pair, subject } => {
                    self.final_runner.run(subject, FINAL_MATCH_FIRST + pair, &[])
                }
            };
            let mut held = self.lock();
            if let Err(error) = self.keep(&mut held, &work, result) {
                held.0.release(&work);
                // Keep the first error; later ones may be consequences.
                if held.2.is_ok() {
                    held.2 = Err(error);
                }
            }
            drop(held);
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Work> {
        let mut held = self.lock();
        loop {
            if self.stop.is_stopped() || held.2.is_err() || held.0.is_complete() {
                return None;
            }
            if let Some(work) = held.0.take() {
                return Some(work);
            }
            // All pairs of the final match are in progress; a pair is only released on an error.
            if held.0.seasons.end().is_some() {
                return None;
            }
            let waited = self.changed.wait_timeout(held, STOP_POLL);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn keep(
        &self,
        held: &mut StateGuard<'_>,
        work: &Work,
        result: Result<UnitResult, UnitError>,
    ) -> Result<(), RunError> {
        let failed = |source| RunError::Unit { what: work.description(self.openings), source };
        let UnitResult { half_points, plies, fault } = result.map_err(failed)?;
        let (state, journal, _) = &mut **held;
        match work {
            Work::Final { pair, .. } => {
                let line = FinalLine { pair: *pair, half_points, fault };
                journal.add(&Line::Final(line.clone()))?;
                state.final_results.insert(*pair, line);
            }
            Work::Unit(Task { season, unit, .. }) => {
                let line = UnitLine { season: *season, key: unit.key, half_points, plies, fault };
                journal.add(&Line::Unit(line.clone()))?;
                for finished in state.add_unit(&line)? {
                    journal.add(&measurement_line(finished.clone()))?;
                    self.observer.measurement_done(state, &finished);
                }
            }
        }
        self.observer.unit_done(state);
        Ok(())
    }
}
