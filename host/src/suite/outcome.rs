//! What came of a suite: for each position and in sum, as it is kept and
//! printed. Plain values; no clock is read here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::engine::{Fault, FaultCode};

/// What a kept run is known by.
pub const FORMAT: &str = "sandboard-suite-run";
/// The version of its layout.
pub const VERSION: u32 = 1;

/// A suite, put to an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the host.
    pub host: String,
    /// When it began, RFC 3339.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant that positions were limited to.
    pub variant: Option<String>,
    /// The positions.
    pub suite: SuiteOfRun,
    /// Who was asked.
    pub engine: EngineOfRun,
    /// What each answer could spend.
    pub budget: Budget,
    /// The seed.
    pub seed: u64,
    /// Position by position, in the order of the file.
    pub results: Vec<Outcome>,
}

/// The file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteOfRun {
    /// Its name as it was typed.
    pub file: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// How many positions it has, those left out included.
    pub positions: usize,
}

/// The engine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineOfRun {
    /// Its id.
    pub id: String,
    /// Its version, in its own scheme.
    pub version: String,
    /// The SHA-256 of its module in hexadecimal.
    pub module_sha256: String,
    /// The options that are set.
    pub options: BTreeMap<String, String>,
}

/// What came of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// From 1, in the file.
    pub number: usize,
    /// The position's name.
    pub id: String,
    /// Whether the answer is right.
    pub solved: bool,
    /// What was wanted, for people.
    pub wanted: String,
    /// The move that was chosen; none: the engine resigned, or failed.
    pub r#move: Option<String>,
    /// What the engine did wrong.
    pub fault: Option<FaultOfRun>,
    /// The score of its last line of rank 1.
    pub score: Option<i32>,
    /// How that is to be read: estimate, at-least, at-most, exact.
    pub bound: Option<String>,
    /// Whether that is the known score; none: none is known.
    pub score_fits: Option<bool>,
    /// The depth of that line, in plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Wall time, in microseconds.
    pub time_us: u64,
    /// Fuel, where it is counted.
    pub fuel: Option<u64>,
    /// From when on the engine stayed with a right answer; none: not solved.
    pub solved_at: Option<At>,
}

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultOfRun {
    /// The kind.
    pub code: FaultCode,
    /// One sentence; the engine is its unnamed subject.
    pub sentence: String,
}

impl From<&Fault> for FaultOfRun {
    fn from(fault: &Fault) -> Self {
        Self { code: fault.code, sentence: fault.sentence.clone() }
    }
}

/// A moment of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// Wall time, in microseconds.
    pub time_us: u64,
    /// In plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

/// Results in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// How many positions were asked.
    pub positions: usize,
    /// How many are solved.
    pub solved: usize,
    /// How many ended with a fault of the engine.
    pub faults: usize,
    /// How many have a known score, and on how many of them the engine's is it.
    pub scores: usize,
    /// See `scores`.
    pub scores_right: usize,
    /// Wall time of all answers, in microseconds.
    pub time_us: u64,
    /// Nodes of all answers.
    pub nodes: u64,
    /// Nodes in a second; none: no time passed.
    pub nodes_per_second: Option<u64>,
}

impl Totals {
    /// The sum of results.
    pub fn of(results: &[Outcome]) -> Self {
        let count = |wanted: fn(&&Outcome) -> bool| results.iter().filter(wanted).count();
        let sum = |of: fn(&Outcome) -> u64| results.iter().map(of).fold(0, u64::saturating_add);
        let (time_us, nodes) = (sum(|it| it.time_us), sum(|it| it.nodes));
        let per_second = (u128::from(nodes) * 1_000_000).checked_div(time_us.into());
        Self {
            positions: results.len(),
            solved: count(|it| it.solved),
            faults: count(|it| it.fault.is_some()),
            scores: count(|it| it.score_fits.is_some()),
            scores_right: count(|it| it.score_fits == Some(true)),
            time_us,
            nodes,
            nodes_per_second: per_second.and_then(|nodes| nodes.try_into().ok()),
        }
    }
}
