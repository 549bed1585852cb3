//! The results of a suite, for each position and in total, as they are stored and printed. Reads no
//! clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use sandboard_engine::{Budget, Fault, FaultCode};

/// The format name in a stored run.
pub const FORMAT: &str = "sandboard-suite-run";
/// The version of the format.
pub const VERSION: u32 = 1;

/// The results of an engine in a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteRun {
    pub format: String,
    pub version: u32,
    /// The version of the host.
    pub host: String,
    /// The start time, RFC 3339.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The only variant that was tested; none: all.
    pub variant: Option<String>,
    /// The suite file.
    pub suite: RunSuite,
    pub engine: RunEngine,
    /// The budget of each answer.
    pub budget: Budget,
    pub seed: u64,
    /// Position by position, in the order of the file.
    pub results: Vec<PositionResult>,
}

/// The file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSuite {
    /// Its path as given by the user.
    pub file: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// The number of its positions, including those not tested.
    pub positions: usize,
}

/// The engine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEngine {
    pub id: String,
    /// Its version, in its own scheme.
    pub version: String,
    /// The SHA-256 of its module in hexadecimal.
    pub module_sha256: String,
    /// The options that were set.
    pub options: BTreeMap<String, String>,
}

/// The result of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionResult {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The id of the position.
    pub id: String,
    /// Whether the engine solved it.
    pub solved: bool,
    /// The solution, for people.
    pub wanted: String,
    /// The chosen move; none if the engine resigned or had a fault.
    pub r#move: Option<String>,
    /// The fault of the engine.
    pub fault: Option<RunFault>,
    /// The score of its last line of rank 1.
    pub score: Option<i32>,
    /// The bound of that score: estimate, at-least, at-most, exact.
    pub bound: Option<String>,
    /// Whether the score is the known one; none if no score is known.
    pub score_fits: Option<bool>,
    /// The depth of that line, in plies.
    pub depth: u32,
    pub nodes: u64,
    /// Wall time, in microseconds.
    pub time_us: u64,
    /// Fuel, if it is counted.
    pub fuel: Option<u64>,
    /// The point of the search from which on the engine's answer was always correct; none if not
    /// solved.
    pub solved_at: Option<SearchPoint>,
}

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFault {
    /// The fault code.
    pub code: FaultCode,
    /// One sentence; the engine is its unnamed subject.
    pub sentence: String,
}

impl From<&Fault> for RunFault {
    fn from(fault: &Fault) -> Self {
        Self { code: fault.code, sentence: fault.sentence.clone() }
    }
}

/// A point in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPoint {
    /// Wall time, in microseconds.
    pub time_us: u64,
    /// Depth, in plies.
    pub depth: u32,
    pub nodes: u64,
}

/// The totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// The number of positions that were tested.
    pub positions: usize,
    /// The number of solved positions.
    pub solved: usize,
    /// The number of positions with a fault of the engine.
    pub faults: usize,
    /// The number of positions with a known score.
    pub scores: usize,
    /// The number of positions where the engine reported the known score.
    pub scores_right: usize,
    /// Wall time of all answers, in microseconds.
    pub time_us: u64,
    /// Nodes of all answers.
    pub nodes: u64,
    /// Nodes per second; none if no time passed.
    pub nodes_per_second: Option<u64>,
}

impl Totals {
    /// Sums up results.
    pub fn of(results: &[PositionResult]) -> Self {
        let count = |wanted: fn(&&PositionResult) -> bool| results.iter().filter(wanted).count();
        let sum =
            |of: fn(&PositionResult) -> u64| results.iter().map(of).fold(0, u64::saturating_add);
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
