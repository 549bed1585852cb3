//! What a step of the check comes to: passed, warned, failed or skipped, with
//! what was asked, what came back and what was expected. Prints nothing.

use std::sync::Arc;

use serde::Serialize;

use super::Step;
use super::ears::Log;
use crate::engine::{Fault, FaultCode};

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All was as it should be.
    Passed,
    /// It works, but a host or an author may not like it.
    Warned,
    /// The engine would lose games by it.
    Failed,
    /// It was not tried, and the sentence says why.
    Skipped,
}

impl Outcome {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Warned => "warned",
            Outcome::Failed => "failed",
            Outcome::Skipped => "skipped",
        }
    }
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One sentence, lower case, no full stop.
    pub sentence: String,
    /// What was asked of the engine.
    pub asked: String,
    /// What came back.
    pub came_back: String,
    /// What was expected.
    pub expected: String,
    /// What to type or read next.
    pub help: String,
}

/// What the engine said of its own accord, or the fault that ended it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// `fatal`, `warning`, `info`, `debug`, or `fault` for the host's sentence.
    pub level: &'static str,
    /// The text.
    pub text: String,
}

/// One step as it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// The step's number.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// One sentence with the numbers.
    pub sentence: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What is wrong: the failure first.
    pub findings: Vec<Finding>,
    /// The engine's own output in this step, the first of it.
    pub output: Vec<Said>,
    /// Further texts of the engine that are not in `output`.
    pub output_left_out: u64,
}

impl StepReport {
    /// A step that was not tried.
    pub(super) fn skipped(step: &Step, reason: String) -> Self {
        Self {
            number: step.number,
            name: step.name,
            outcome: Outcome::Skipped,
            sentence: reason,
            took_ms: 0,
            findings: Vec::new(),
            output: Vec::new(),
            output_left_out: 0,
        }
    }
}

/// Why a step does not pass.
#[derive(Debug)]
pub(super) enum Wrong {
    /// The engine is at fault.
    Failed(Box<Finding>),
    /// There is nothing to judge, and why.
    Skipped(String),
}

/// What a step comes to: a sentence when nothing failed.
pub(super) type Verdict<T = String> = Result<T, Wrong>;

/// Writes faults down: into the output of a step, and as what they come to.
#[derive(Clone)]
pub(super) struct Scribe {
    /// What was said in the step.
    pub log: Arc<Log>,
    /// The command that tries the step again, and where it is explained.
    pub help: String,
}

impl Scribe {
    /// The fault's sentence, added to the output of the step.
    pub fn note(&self, fault: &Fault) -> String {
        let sentence = format!("it {}", fault.sentence);
        self.log.add("fault", &sentence);
        sentence
    }

    /// What a fault comes to: the engine fails, unless the host is at fault.
    pub fn fault(&self, fault: &Fault, asked: String, expected: &str) -> Wrong {
        let sentence = self.note(fault);
        if fault.code == FaultCode::Host {
            return Wrong::Skipped(format!("{sentence}, which is this host's doing: {asked}"));
        }
        Wrong::Failed(Box::new(Finding {
            came_back: format!("a fault ({}): {sentence}", fault.code),
            sentence,
            asked,
            expected: expected.to_owned(),
            help: self.help.clone(),
        }))
    }
}
