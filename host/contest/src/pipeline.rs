//! Whether an entry is accepted: a numbered list of stages, the same for the entrant and the
//! organiser. The first failed stage ends the test and says what the entrant can do. The stages
//! themselves are in [`stages`](super::stages).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::stages;
use super::test_seed::test_budget;
use sandboard_analysis::check::{Finding, START_US, StepOutcome};
use sandboard_arena_plan::ArenaPlayer;
use sandboard_contest_rules::Contest;
use sandboard_engine::{Budget, Caps, FaultCode, TestBudget};
use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::Entry;
use sandboard_packs::loader::{LoadOptions, LoadedEngine, Loader};

/// One stage of the list.
pub struct Stage {
    /// Its number, from 1.
    pub number: u8,
    /// Its name, one word.
    pub name: &'static str,
    /// What it requires.
    pub asks: &'static str,
    run: fn(&mut Work<'_>) -> StageResult,
}

/// All stages, in order.
pub const STAGES: &[Stage] = &[
    Stage {
        number: 1,
        name: "size",
        asks: "the file is within the contest's size limit",
        run: stages::size,
    },
    Stage {
        number: 2,
        name: "format",
        asks: "it is a WebAssembly component of the ABI, imports nothing else, and is within the caps",
        run: stages::format,
    },
    Stage {
        number: 3,
        name: "compile",
        asks: "it compiles in a jailed process, describes itself, and plays the contest's game",
        run: stages::compile,
    },
    Stage {
        number: 4,
        name: "compliance",
        asks: "it passes the steps of `sandboard check` that matter in a contest",
        run: stages::compliance,
    },
    Stage {
        number: 5,
        name: "budget",
        asks: "it chooses a first move on the contest's own budget",
        run: stages::budget,
    },
    Stage {
        number: 6,
        name: "bouts",
        asks: "it plays three bouts against house engines without a fault",
        run: stages::bouts,
    },
];

/// The limits of a test.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most fuel for a move in test games and bouts, so that all stages together take seconds.
    pub fuel_per_move: u64,
    /// Fuel of all instances together outside the budgets of moves: instantiation, start,
    /// notifications, and overruns. An entry that uses more is refused, on any machine.
    pub fuel_beside: u64,
    /// The wall-time limit of the whole test. Afterwards the entry is undecided.
    pub time_limit: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            fuel_per_move: 20_000_000,
            fuel_beside: 6_000_000_000,
            time_limit: Duration::from_secs(30),
        }
    }
}

/// The test of an entry.
pub struct Pipeline<'a> {
    /// The contest with its limits.
    pub contest: &'a Contest,
    /// Loads the entry; must be [for contests](Loader::for_contest).
    pub loader: &'a Loader,
    /// The house engines that entries play; empty: entries play themselves.
    pub house: Vec<ArenaPlayer>,
    /// The seed of all randomness, and of the budget of its games.
    pub seed: u64,
    /// The limits of the test.
    pub bounds: Bounds,
}

/// The result of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageReport {
    pub number: u8,
    pub name: &'static str,
    /// The outcome of the stage.
    pub outcome: StepOutcome,
    /// The result in one sentence, with numbers.
    pub sentence: String,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// Problems, each with what to do.
    pub findings: Vec<Finding>,
}

/// The result of an entry's test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The SHA-256 of the entry, in hexadecimal.
    pub sha256: String,
    /// The length of the entry.
    pub bytes: u64,
    /// The id and version that the entry reports; empty if it was never loaded.
    pub engine: String,
    /// Whether the entry is accepted.
    pub accepted: bool,
    /// Whether the test failed without a fault of the entry, such as a full disk or a slow machine.
    /// The entry should be tested again.
    pub undecided: bool,
    /// The results of the stages.
    pub stages: Vec<StageReport>,
}

/// Follows the progress of a test.
pub trait Observer {
    /// A stage has started.
    fn started(&mut self, _stage: &'static Stage) {}
    /// A stage has ended.
    fn ended(&mut self, _report: &StageReport) {}
}

impl Observer for () {}

/// A passed stage gives a sentence and warnings; a failed one gives the refusal.
pub(super) type StageResult = Result<(String, Vec<Finding>), Box<Refusal>>;

/// Why an entry is not accepted.
pub(super) struct Refusal {
    pub sentence: String,
    pub findings: Vec<Finding>,
    /// Whether the failure is not the entry's fault, so that the entry stays undecided.
    pub is_void: bool,
}

impl Refusal {
    /// A refusal with one finding.
    pub(crate) fn of(finding: Finding) -> Box<Self> {
        let sentence = finding.sentence.clone();
        Box::new(Self { sentence, findings: vec![finding], is_void: false })
    }

    /// A failure that is the machine's fault, with one finding.
    pub(crate) fn void(finding: Finding) -> Box<Self> {
        Box::new(Self { is_void: true, ..*Self::of(finding) })
    }
}

/// The state that the stages of one test share.
pub(super) struct Work<'a> {
    pub pipeline: &'a Pipeline<'a>,
    pub bytes: &'a [u8],
    pub sha256: String,
    /// The entry as a catalog entry, with its file.
    pub entry: Entry,
    pub folder: tempfile::TempDir,
    pub loaded: Option<LoadedEngine>,
    /// What remains of the limits.
    pub test_budget: Arc<TestBudget>,
    /// Whether a stage failed without a fault of the entry.
    pub is_void: bool,
}

impl Work<'_> {
    /// The budget of its games.
    pub(crate) fn game_budget(&self) -> Budget {
        let Pipeline { contest, bounds, seed, .. } = self.pipeline;
        test_budget(contest.budget, bounds.fuel_per_move, *seed)
    }

    /// Loads the entry and asks for its description.
    pub(crate) fn load(&mut self) -> Result<&LoadedEngine, Box<Refusal>> {
        let (loader, test_budget) = (self.pipeline.loader, &self.test_budget);
        let usual = self.pipeline.contest.caps();
        let caps = Caps { start_us: usual.start_us.min(START_US), ..usual };
        let options = LoadOptions {
            test_budget: Some(test_budget),
            ..LoadOptions::new(Metering::Fuel, caps)
        };
        let loaded = loader.load_with(&self.entry, &options);
        let fault = match loaded {
            Ok(loaded) => return Ok(self.loaded.insert(loaded)),
            Err(fault) => fault,
        };
        let refused = if fault.code == FaultCode::Host { Refusal::void } else { Refusal::of };
        Err(refused(stages::finding(
            format!("it cannot be loaded: {}", fault.sentence),
            "compile in a jailed process, and describe itself",
            &fault.sentence,
            "a component that loads and describes itself",
            "sandboard check, on the same file; docs/limits.md has all caps",
        )))
    }
}

impl Pipeline<'_> {
    /// Runs all stages on an entry. Fails only if the system refuses a temporary file.
    pub fn run(&self, bytes: &[u8], observer: &mut dyn Observer) -> std::io::Result<Report> {
        let folder = tempfile::tempdir()?;
        let mut work = Work {
            pipeline: self,
            bytes,
            sha256: sandboard_common::hex::sha256_hex(bytes),
            entry: Entry::default(),
            folder,
            loaded: None,
            test_budget: TestBudget::new(self.bounds.time_limit, self.bounds.fuel_beside),
            is_void: false,
        };
        let mut reports: Vec<StageReport> = Vec::new();
        for stage in STAGES {
            let is_over = reports.last().is_some_and(|it| {
                it.outcome != StepOutcome::Passed && it.outcome != StepOutcome::Warned
            });
            let report = match is_over {
                true => skipped(stage),
                false => {
                    observer.started(stage);
                    timed(stage, &mut work)
                }
            };
            observer.ended(&report);
            reports.push(report);
        }
        let engine = work.loaded.as_ref().map_or_else(String::new, |loaded| {
            format!("{} {}", loaded.description.id, loaded.description.version).trim().to_owned()
        });
        let accepted = reports
            .iter()
            .all(|it| matches!(it.outcome, StepOutcome::Passed | StepOutcome::Warned));
        Ok(Report {
            sha256: work.sha256,
            bytes: bytes.len() as u64,
            engine,
            accepted,
            undecided: work.is_void,
            stages: reports,
        })
    }
}

fn skipped(stage: &Stage) -> StageReport {
    StageReport {
        number: stage.number,
        name: stage.name,
        outcome: StepOutcome::Skipped,
        sentence: "an earlier stage failed".into(),
        duration_ms: 0,
        findings: Vec::new(),
    }
}

fn timed(stage: &Stage, work: &mut Work<'_>) -> StageReport {
    let start = Instant::now();
    let result = match work.test_budget.is_over() {
        true => Err(Refusal::void(stages::time_limit_exceeded(&work.pipeline.bounds))),
        false => (stage.run)(work),
    };
    let (outcome, sentence, findings) = match result {
        Ok((sentence, findings)) if findings.is_empty() => {
            (StepOutcome::Passed, sentence, findings)
        }
        Ok((sentence, findings)) => (StepOutcome::Warned, sentence, findings),
        Err(refusal) => {
            work.is_void = refusal.is_void;
            (StepOutcome::Failed, refusal.sentence, refusal.findings)
        }
    };
    let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    StageReport { number: stage.number, name: stage.name, outcome, sentence, duration_ms, findings }
}

#[cfg(test)]
mod tests {
    use sandboard_games::Games;

    use super::*;

    /// Checks the outcomes of an invalid file, and whether it is undecided.
    fn check(time_limit: Duration, entry: &[u8], expected: [StepOutcome; 3], undecided: bool) {
        let contest =
            "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\nentry_bytes = 2000\n";
        let contest = Contest::parse(contest, &Games::default()).unwrap();
        let bounds = Bounds { time_limit, ..Bounds::default() };
        let loader = Loader::default();
        let pipeline =
            Pipeline { contest: &contest, loader: &loader, house: Vec::new(), seed: 1, bounds };
        let report = pipeline.run(entry, &mut ()).unwrap();
        let outcomes: Vec<StepOutcome> = report.stages.iter().map(|stage| stage.outcome).collect();
        assert_eq!(outcomes[..3], expected);
        assert!(
            outcomes[3..].iter().all(|it| *it == StepOutcome::Skipped)
                && outcomes.len() == STAGES.len()
        );
        assert_eq!((report.accepted, report.undecided), (false, undecided));
        assert_eq!(report.bytes, entry.len() as u64);
    }

    #[test]
    fn the_first_failed_stage_ends_the_test() {
        use StepOutcome::{Failed, Passed, Skipped};
        let thirty_s = Duration::from_secs(30);
        check(thirty_s, b"no entry", [Passed, Failed, Skipped], false);
        check(thirty_s, &[0; 2000], [Passed, Failed, Skipped], false);
        check(thirty_s, &[0; 2001], [Failed, Skipped, Skipped], false);
        // Exceeding the time limit may be the machine's fault.
        check(Duration::ZERO, b"no entry", [Failed, Skipped, Skipped], true);
    }
}
