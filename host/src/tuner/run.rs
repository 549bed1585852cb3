//! Makes a run: threads that make units, and a journal of what came of them. The only file of the tuner with
//! threads. When the tuner has come to its end, what it found plays against what it began with.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sandboard_evolution::{Asked, SetupError, Weights};

use super::desk::{DeskError, Faults};
use super::journal::{FILE, FinalLine, Journal, JournalError, Line, UnitLine};
use super::seasons::{Answered, Seasons, Task};
use super::setup::TuneSetup;
use super::trial::{Made, Trial, TrialError};
use crate::ordered::Stop;

/// How often somebody who waits looks whether to stop.
const TICK: Duration = Duration::from_millis(200);
/// The number of the first pair of the final match: far beyond those of measurements.
const FINAL: u32 = 1 << 31;

/// A run with all that came of it so far.
#[derive(Debug)]
pub struct State {
    seasons: Seasons,
    start: Weights,
    /// Pairs of the final match that are to be played.
    final_pairs: u32,
    final_next: u32,
    final_back: Vec<u32>,
    final_results: BTreeMap<u32, FinalLine>,
    /// Units that were made.
    made: u64,
}

/// Why a run was not made to its end. What came of it is kept, and it can be gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The setup makes no run.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The journal cannot be written, or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What the journal says did not happen in this run.
    #[error("the journal is not of this run, or of another version of the host: {0}")]
    Replay(String),
    /// A unit cannot be made.
    #[error("{what}: {source}")]
    Trial {
        /// Which.
        what: String,
        /// Why not.
        source: TrialError,
    },
    /// What came of a unit does not fit.
    #[error(transparent)]
    Desk(#[from] DeskError),
}

/// Sees how a run gets on, on whatever thread works on it.
pub trait Watcher: Sync {
    /// A unit is made and kept.
    fn made(&self, _state: &State) {}
    /// A question is answered.
    fn answered(&self, _state: &State, _answered: &Answered) {}
}

impl Watcher for () {}

impl State {
    /// A run of which nothing is made yet. `concurrency` is how many units are made at once; nothing that comes of
    /// it depends on that.
    pub fn new(setup: &TuneSetup, concurrency: usize) -> Result<Self, RunError> {
        let ahead = u32::try_from(concurrency).unwrap_or(u32::MAX);
        Ok(Self {
            start: setup.space().start(),
            seasons: Seasons::new(setup, ahead)?,
            final_pairs: setup.final_pairs,
            final_next: 0,
            final_back: Vec::new(),
            final_results: BTreeMap::new(),
            made: 0,
        })
    }

    /// Takes in what a journal says. What comes back are the answers that it lacks: they follow from its last lines.
    pub fn replay(&mut self, lines: Vec<Line>) -> Result<Vec<Line>, RunError> {
        let mut owed: Vec<Line> = Vec::new();
        // The first line is the setup.
        for (line, number) in lines.into_iter().zip(2_u64..) {
            let wrong =
                |reason: String| RunError::Replay(format!("{FILE}, line {number}: {reason}"));
            match line {
                Line::Unit(unit) => {
                    let answered = self.unit_made(&unit);
                    let answered = answered.map_err(|error| wrong(error.to_string()))?;
                    owed.extend(answered.into_iter().map(answer_line));
                }
                Line::Final(line) => self.final_replayed(&line).map_err(wrong)?,
                answer @ Line::Answer { .. } => match owed.iter().position(|it| *it == answer) {
                    Some(at) => drop(owed.remove(at)),
                    None => return Err(wrong("nothing before it brings this answer".into())),
                },
            }
        }
        let back = (0..self.final_next).filter(|pair| !self.final_results.contains_key(pair));
        self.final_back = back.collect();
        Ok(owed)
    }

    fn final_replayed(&mut self, line: &FinalLine) -> Result<(), String> {
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

    /// How many units were made, those beyond the end of a measurement among them.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// What engines did wrong in units that count and in the final match.
    pub fn faults(&self) -> Faults {
        let mut faults = self.seasons.faults();
        for line in self.final_results.values() {
            faults.add(line.fault.clone());
        }
        faults
    }

    /// Pairs of the final match by what they brought the weights that were found, 0 to 4 half points.
    pub fn final_match(&self) -> [u64; 5] {
        let mut pairs = [0; 5];
        for line in self.final_results.values() {
            if let Some(count) = pairs.get_mut(usize::from(line.half_points)) {
                *count += 1;
            }
        }
        pairs
    }

    /// Pairs that the final match has in all.
    pub fn final_pairs(&self) -> u32 {
        self.final_pairs
    }

    /// Whether there is nothing left to do.
    pub fn is_complete(&self) -> bool {
        self.seasons.end().is_some() && self.final_results.len() >= self.final_pairs as usize
    }

    fn unit_made(&mut self, line: &UnitLine) -> Result<Vec<Answered>, RunError> {
        self.made += 1;
        self.seasons.add(line.season, line.key, line.half_points, line.fault.clone())
    }

    fn take(&mut self) -> Option<Work> {
        if self.seasons.end().is_none() {
            return self.seasons.take().map(Work::Unit);
        }
        let pair = self.final_back.pop().or_else(|| {
            let next = self.final_next;
            (next < self.final_pairs).then(|| {
                self.final_next += 1;
                next
            })
        })?;
        let (plus, minus) = (self.seasons.best(), self.start.clone());
        Some(Work::Final { pair, asked: Asked::Duel { plus, minus } })
    }

    fn give_back(&mut self, work: &Work) {
        match work {
            Work::Unit(task) => self.seasons.give_back(task.season, task.unit.key),
            Work::Final { pair, .. } => self.final_back.push(*pair),
        }
    }
}

fn answer_line((season, question, answer): Answered) -> Line {
    Line::Answer { season, question, answer }
}

enum Work {
    Unit(Task),
    Final { pair: u32, asked: Asked },
}

impl Work {
    /// Which work it is, for whoever looks for its fault.
    fn in_words(&self, openings: u32) -> String {
        let (what, number) = match self {
            Self::Unit(Task { season, unit, .. }) => {
                let (key, season) = (unit.key, season + 1);
                let what = format!("season {season}, question {}, unit {}", key.question, key.unit);
                (what, unit.number)
            }
            Self::Final { pair, .. } => {
                (format!("pair {pair} of the final match"), FINAL.wrapping_add(*pair))
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
    trial: &'a dyn Trial,
    finals: &'a dyn Trial,
    watcher: &'a dyn Watcher,
    stop: &'a Stop,
    openings: u32,
}

/// What a run is made with.
pub struct Session<'a> {
    /// What makes units of measurements.
    pub trial: &'a dyn Trial,
    /// What makes pairs of the final match.
    pub finals: &'a dyn Trial,
    /// Units made at once, 1 at least.
    pub concurrency: usize,
    /// Says that units in hand are to be finished and none begun.
    pub stop: &'a Stop,
    /// Sees how it gets on.
    pub watcher: &'a dyn Watcher,
    /// How many openings units take in turn; 0 where there are none. Errors name theirs.
    pub openings: u32,
}

/// Makes what is left of a run, until nothing is left or somebody says stop. `owed` are the answers that its journal
/// lacks. The state that comes back is that of the journal; with an error, something went wrong on the way.
pub fn run(
    state: State,
    mut journal: Journal,
    owed: &[Line],
    session: &Session<'_>,
) -> (State, Result<(), RunError>) {
    for line in owed {
        if let Err(error) = journal.add(line) {
            return (state, Err(error.into()));
        }
        if let Line::Answer { season, question, answer } = line {
            session.watcher.answered(&state, &(*season, question.clone(), *answer));
        }
    }
    let shared = Shared {
        state: Mutex::new((state, journal, Ok(()))),
        changed: Condvar::new(),
        trial: session.trial,
        finals: session.finals,
        watcher: session.watcher,
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

/// A panic of one thread must not leave the others waiting for its unit.
struct Leaves<'a>(&'a Shared<'a>);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.stop();
            self.0.changed.notify_all();
        }
    }
}

type Held<'a> = MutexGuard<'a, (State, Journal, Result<(), RunError>)>;

impl Shared<'_> {
    fn lock(&self) -> Held<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let _leaves = Leaves(self);
        while let Some(work) = self.next() {
            let made = match &work {
                Work::Unit(Task { unit, rivals, .. }) => {
                    self.trial.make(&unit.asked, unit.number, rivals)
                }
                Work::Final { pair, asked } => self.finals.make(asked, FINAL + pair, &[]),
            };
            let mut held = self.lock();
            if let Err(error) = self.keep(&mut held, &work, made) {
                held.0.give_back(&work);
                // The first reason; others fail because of it, or of the like.
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
            // Of the final match nothing comes back to be made, unless somebody fails.
            if held.0.seasons.end().is_some() {
                return None;
            }
            let waited = self.changed.wait_timeout(held, TICK);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn keep(
        &self,
        held: &mut Held<'_>,
        work: &Work,
        made: Result<Made, TrialError>,
    ) -> Result<(), RunError> {
        let told = |source| RunError::Trial { what: work.in_words(self.openings), source };
        let Made { half_points, plies, fault } = made.map_err(told)?;
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
                for answered in state.unit_made(&line)? {
                    journal.add(&answer_line(answered.clone()))?;
                    self.watcher.answered(state, &answered);
                }
            }
        }
        self.watcher.made(state);
        Ok(())
    }
}
