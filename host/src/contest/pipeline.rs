//! Whether an entry is accepted: a numbered list of stages, the same at home and at the organiser's. Each that is not passed
//! ends it, and says what the entrant can do. Runs nothing itself: see [`stages`](super::stages).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Contest;
use super::stages;
use crate::arena::Rival;
use crate::catalog::Entry;
use crate::check::{Finding, Outcome, START_US};
use crate::engine::wasm::Metering;
use crate::engine::{Caps, FaultCode, Patience};
use crate::loader::{Loaded, Loader, caps};

/// One stage of the list.
pub struct Stage {
    /// Its number, from 1.
    pub number: u8,
    /// Its name: one word.
    pub name: &'static str,
    /// What it asks.
    pub asks: &'static str,
    run: fn(&mut Work<'_>) -> Verdict,
}

/// The list, in its order.
pub const STAGES: &[Stage] = &[
    Stage {
        number: 1,
        name: "size",
        asks: "the file is as short as the contest wants it",
        run: stages::size,
    },
    Stage {
        number: 2,
        name: "format",
        asks: "it is a WebAssembly component of this border, imports nothing else, and is within the caps",
        run: stages::format,
    },
    Stage {
        number: 3,
        name: "compile",
        asks: "a jailed worker compiles it, and it says what it is and that it plays the contest's game",
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
        asks: "it plays three bouts against the house without a fault of its own",
        run: stages::bouts,
    },
];

/// Within what a pipeline keeps.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Fuel of a move in test games and bouts, where the contest gives more: all stages together are to take
    /// seconds.
    pub fuel_per_move: u64,
    /// Fuel of all its instances together that no move's budget covers, in units: instantiating, starting, hearing of
    /// moves, and what choices burn beyond their budgets. Who burns more is not accepted, on any machine.
    pub fuel_beside: u64,
    /// The time for everything. What is still asked then is cut short, and it is undecided whether it is accepted.
    pub patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            fuel_per_move: 20_000_000,
            fuel_beside: 6_000_000_000,
            patience: Duration::from_secs(30),
        }
    }
}

/// What entries are put through.
pub struct Pipeline<'a> {
    /// What they are held to.
    pub contest: &'a Contest,
    /// What loads them: one [for contests](Loader::for_contest).
    pub loader: &'a Loader,
    /// Whom they play; nobody: themselves.
    pub house: Vec<Rival>,
    /// What all chance comes from.
    pub seed: u64,
    /// Within what it keeps.
    pub bounds: Bounds,
}

/// A stage as it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageReport {
    /// Its number.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// One sentence with the numbers.
    pub sentence: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What is not as it should be, with what to do.
    pub findings: Vec<Finding>,
}

/// What came of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The SHA-256 of the entry, in hexadecimal.
    pub sha256: String,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// What the entry calls itself: id and version; empty where it was not asked.
    pub engine: String,
    /// Whether it is accepted.
    pub accepted: bool,
    /// Whether it is not accepted for something that is no fault of it, as far as can be told: a full disk, a machine that is
    /// too slow. It is to be tried again.
    pub undecided: bool,
    /// The stages.
    pub stages: Vec<StageReport>,
}

/// Watches a pipeline.
pub trait Observer {
    /// A stage begins.
    fn begins(&mut self, _stage: &'static Stage) {}
    /// A stage has ended.
    fn ended(&mut self, _report: &StageReport) {}
}

impl Observer for () {}

/// How a stage ends: a sentence with what is worth a warning, or why the entry is not accepted.
pub(super) type Verdict = Result<(String, Vec<Finding>), Box<Refusal>>;

/// Why an entry is not accepted.
pub(super) struct Refusal {
    pub sentence: String,
    pub findings: Vec<Finding>,
    /// It is by no fault of the entry, as far as can be told: nobody knows whether it would be accepted.
    pub is_void: bool,
}

impl Refusal {
    /// With one thing that is wrong.
    pub fn of(finding: Finding) -> Box<Self> {
        let sentence = finding.sentence.clone();
        Box::new(Self { sentence, findings: vec![finding], is_void: false })
    }

    /// With one thing that is nobody's fault but the machine's.
    pub fn void(finding: Finding) -> Box<Self> {
        Box::new(Self { is_void: true, ..*Self::of(finding) })
    }
}

/// What the stages of one entry work with.
pub(super) struct Work<'a> {
    pub pipeline: &'a Pipeline<'a>,
    pub bytes: &'a [u8],
    pub sha256: String,
    /// The entry as a file, for what reads files.
    pub entry: Entry,
    pub folder: tempfile::TempDir,
    pub loaded: Option<Loaded>,
    /// What is left of the bounds for everything.
    pub patience: Arc<Patience>,
    /// A stage ended by no fault of the entry.
    pub is_void: bool,
}

impl Work<'_> {
    /// What the entry says of itself.
    pub fn load(&mut self) -> Result<&Loaded, Box<Refusal>> {
        let usual = caps(&self.entry);
        let caps = Caps { start_us: usual.start_us.min(START_US), ..usual };
        let (loader, patience) = (self.pipeline.loader, &self.patience);
        let loaded = loader.load_within(&self.entry, Metering::Fuel, caps, patience);
        let fault = match loaded {
            Ok(loaded) => return Ok(self.loaded.insert(loaded)),
            Err(fault) => fault,
        };
        let refused = if fault.code == FaultCode::Host { Refusal::void } else { Refusal::of };
        Err(refused(stages::finding(
            format!("it cannot be loaded: {}", fault.sentence),
            "compile it in a jailed worker, and describe itself",
            &fault.sentence,
            "a component that loads and describes itself",
            "sandboard check, on the same file; docs/limits.md has all caps",
        )))
    }
}

impl Pipeline<'_> {
    /// Puts an entry through all stages. Err: the system refused a temporary file.
    pub fn run(&self, bytes: &[u8], observer: &mut dyn Observer) -> std::io::Result<Report> {
        let folder = tempfile::tempdir()?;
        let mut work = Work {
            pipeline: self,
            bytes,
            sha256: crate::sha256_hex(bytes),
            entry: Entry::default(),
            folder,
            loaded: None,
            patience: Patience::new(self.bounds.patience, self.bounds.fuel_beside),
            is_void: false,
        };
        let mut reports: Vec<StageReport> = Vec::new();
        for stage in STAGES {
            let is_over = reports
                .last()
                .is_some_and(|it| it.outcome != Outcome::Passed && it.outcome != Outcome::Warned);
            let report = match is_over {
                true => skipped(stage),
                false => {
                    observer.begins(stage);
                    timed(stage, &mut work)
                }
            };
            observer.ended(&report);
            reports.push(report);
        }
        let engine = work.loaded.as_ref().map_or_else(String::new, |loaded| {
            format!("{} {}", loaded.description.id, loaded.description.version).trim().to_owned()
        });
        let accepted =
            reports.iter().all(|it| matches!(it.outcome, Outcome::Passed | Outcome::Warned));
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
        outcome: Outcome::Skipped,
        sentence: "a stage before was not passed".into(),
        took_ms: 0,
        findings: Vec::new(),
    }
}

fn timed(stage: &Stage, work: &mut Work<'_>) -> StageReport {
    let began = Instant::now();
    let verdict = match work.patience.is_over() {
        true => Err(Refusal::void(stages::late(&work.pipeline.bounds))),
        false => (stage.run)(work),
    };
    let (outcome, sentence, findings) = match verdict {
        Ok((sentence, findings)) if findings.is_empty() => (Outcome::Passed, sentence, findings),
        Ok((sentence, findings)) => (Outcome::Warned, sentence, findings),
        Err(refusal) => {
            work.is_void = refusal.is_void;
            (Outcome::Failed, refusal.sentence, refusal.findings)
        }
    };
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    StageReport { number: stage.number, name: stage.name, outcome, sentence, took_ms, findings }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcomes of a file that is no entry, and whether it is undecided.
    fn check(patience: Duration, entry: &[u8], expected: [Outcome; 3], undecided: bool) {
        let contest =
            "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\nentry_bytes = 2000\n";
        let contest = Contest::parse(contest).unwrap();
        let bounds = Bounds { patience, ..Bounds::default() };
        let loader = Loader::default();
        let pipeline =
            Pipeline { contest: &contest, loader: &loader, house: Vec::new(), seed: 1, bounds };
        let report = pipeline.run(entry, &mut ()).unwrap();
        let outcomes: Vec<Outcome> = report.stages.iter().map(|stage| stage.outcome).collect();
        assert_eq!(outcomes[..3], expected);
        assert!(
            outcomes[3..].iter().all(|it| *it == Outcome::Skipped)
                && outcomes.len() == STAGES.len()
        );
        assert_eq!((report.accepted, report.undecided), (false, undecided));
        assert_eq!(report.bytes, entry.len() as u64);
    }

    #[test]
    fn the_first_stage_that_is_not_passed_ends_it() {
        use Outcome::{Failed, Passed, Skipped};
        let patient = Duration::from_secs(30);
        check(patient, b"no entry", [Passed, Failed, Skipped], false);
        check(patient, &[0; 2000], [Passed, Failed, Skipped], false);
        check(patient, &[0; 2001], [Failed, Skipped, Skipped], false);
        // Who is to blame for the time is not known.
        check(Duration::ZERO, b"no entry", [Failed, Skipped, Skipped], true);
    }
}
