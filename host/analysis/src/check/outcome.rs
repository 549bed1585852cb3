//! The result of a step: passed, warned, failed or skipped, with request, response, expectation and
//! advice for each problem. Prints nothing.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::output::OutputLog;
use super::sequence::Step;
use sandboard_engine::{Fault, FaultCode};

/// The most warnings of a step that are kept.
const WARNINGS_KEPT: usize = 5;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// The engine or game does what the step requires.
    Passed,
    /// It works, but a host or a user may have trouble with it.
    Warned,
    /// It breaks the requirement. An engine would lose games, a game could not be played.
    Failed,
    /// The step was not run; the sentence gives the reason.
    Skipped,
}

impl StepOutcome {
    /// Its word for people.
    pub fn word(self) -> &'static str {
        match self {
            StepOutcome::Passed => "passed",
            StepOutcome::Warned => "warned",
            StepOutcome::Failed => "failed",
            StepOutcome::Skipped => "skipped",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One sentence, lower case, no full stop.
    pub sentence: String,
    /// The request to the engine or to the rules of the game.
    pub request: String,
    /// The response to it.
    pub response: String,
    /// The expected response.
    pub expected: String,
    /// A command to type, or a page to read.
    pub advice: String,
}

/// A log text of the engine, or the fault that ended it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputText {
    /// `fatal`, `warning`, `info`, `debug`, or `fault` for the host's sentence.
    pub level: &'static str,
    pub text: String,
}

/// One step as it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// The step's number.
    pub number: u8,
    pub name: &'static str,
    /// How it ended.
    pub outcome: StepOutcome,
    /// A summary in one sentence.
    pub sentence: String,
    /// Its duration, in milliseconds.
    pub duration_ms: u64,
    /// Its problems, the failure first.
    pub findings: Vec<Finding>,
    /// The first output of the engine in this step.
    pub output: Vec<OutputText>,
    /// The number of further texts that are not in `output`.
    pub output_omitted: u64,
}

impl StepReport {
    /// The report of a step that ran, without the engine's output.
    pub(crate) fn new(
        step: &Step,
        result: StepResult,
        warnings: Warnings,
        duration: Duration,
    ) -> Self {
        let Warnings { kept: mut findings, count } = warnings;
        let (outcome, sentence) = match result {
            Err(StepFailure::Skipped(reason)) => (StepOutcome::Skipped, reason),
            Err(StepFailure::Failed(finding)) => {
                let sentence = finding.sentence.clone();
                findings.insert(0, *finding);
                (StepOutcome::Failed, sentence)
            }
            Ok(sentence) => match findings.first() {
                None => (StepOutcome::Passed, sentence),
                Some(first) if count == 1 => (StepOutcome::Warned, first.sentence.clone()),
                Some(first) => {
                    (StepOutcome::Warned, format!("{}, and {} more", first.sentence, count - 1))
                }
            },
        };
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let report = Self::skipped(step, sentence);
        Self { outcome, duration_ms, findings, ..report }
    }

    /// The report of a step that was not run.
    pub(super) fn skipped(step: &Step, reason: String) -> Self {
        Self {
            number: step.number,
            name: step.name,
            outcome: StepOutcome::Skipped,
            sentence: reason,
            duration_ms: 0,
            findings: Vec::new(),
            output: Vec::new(),
            output_omitted: 0,
        }
    }
}

/// The warnings of a step; only the first few are kept.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    kept: Vec<Finding>,
    count: usize,
}

impl Warnings {
    /// Adds a warning.
    pub(crate) fn add(&mut self, finding: Finding) {
        self.count += 1;
        if self.kept.len() < WARNINGS_KEPT {
            self.kept.push(finding);
        }
    }
}

/// Why a step does not pass.
#[derive(Debug)]
pub(crate) enum StepFailure {
    /// The engine or game is at fault.
    Failed(Box<Finding>),
    /// The step cannot be judged, with the reason.
    Skipped(String),
}

/// The result of a step: a sentence if nothing failed.
pub(crate) type StepResult<T = String> = Result<T, StepFailure>;

/// Adds faults to the output of a step, and converts them to failures.
#[derive(Clone)]
pub(super) struct FaultReporter {
    /// The output of the step.
    pub log: Arc<OutputLog>,
    /// The command that runs the step again, and the page that explains it.
    pub advice: String,
}

impl FaultReporter {
    /// Adds a fault to the output of the step; returns its sentence.
    pub(crate) fn note(&self, fault: &Fault) -> String {
        let sentence = format!("it {}", fault.sentence);
        self.log.add("fault", &sentence);
        sentence
    }

    /// Converts a fault to a failure, or to a skipped step if it is the fault of the host.
    pub(crate) fn fault(&self, fault: &Fault, request: String, expected: &str) -> StepFailure {
        let sentence = self.note(fault);
        if fault.code == FaultCode::Host {
            return StepFailure::Skipped(format!(
                "{sentence}, which is a fault of this host: {request}"
            ));
        }
        StepFailure::Failed(Box::new(Finding {
            response: format!("a fault ({}): {sentence}", fault.code),
            sentence,
            request,
            expected: expected.to_owned(),
            advice: self.advice.clone(),
        }))
    }
}
