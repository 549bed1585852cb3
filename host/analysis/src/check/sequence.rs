//! Runs the steps of a check in their order. Knows nothing of what the steps test.

use super::outcome::{StepOutcome, StepReport};

/// One step of a check.
pub struct Step {
    /// Its number, from 1.
    pub number: u8,
    /// Its name: one word.
    pub name: &'static str,
    /// What the engine or the game must do to pass.
    pub requirement: &'static str,
    /// The steps that must pass before it.
    pub(crate) requires: &'static [&'static str],
}

/// Defines the steps of a check as `STEPS`, and their functions, in the same order, as `RUNS`.
macro_rules! steps {
    ($run_type:ty; $($number:literal $name:literal requires $requires:expr, $run:path:
        $requirement:literal)*) => {
        /// All steps in their order.
        pub const STEPS: &[$crate::check::Step] = &[$($crate::check::Step {
            number: $number,
            name: $name,
            requirement: $requirement,
            requires: &$requires,
        }),*];

        /// The functions of the steps, in the same order.
        const RUNS: &[$run_type] = &[$($run),*];
    };
}
pub(crate) use steps;

/// Receives the progress of a check.
pub trait CheckObserver {
    /// A step begins.
    fn step_started(&mut self, _step: &'static Step) {}
    /// A step has ended.
    fn step_finished(&mut self, _report: &StepReport) {}
}

/// The steps to run.
pub(crate) struct StepSequence<'a> {
    /// All steps of the check.
    pub steps: &'static [Step],
    /// The numbers of the steps to run in addition to step 1; empty: all steps.
    pub only: &'a [u8],
    /// Whether the time for all steps is used up.
    pub is_over: &'a dyn Fn() -> bool,
}

impl StepSequence<'_> {
    /// Runs the steps in their order; `run` gets the index of each. After a failed step only those
    /// that require it are skipped.
    pub(crate) fn run(
        &self,
        observer: &mut dyn CheckObserver,
        mut run: impl FnMut(usize) -> StepReport,
    ) -> Vec<StepReport> {
        let mut reports: Vec<StepReport> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            // Step 1 always runs, because it loads the module.
            let wanted = self.only.is_empty() || self.only.contains(&step.number);
            if !wanted && step.number != 1 {
                continue;
            }
            observer.step_started(step);
            let missing = step.requires.iter().find_map(|name| {
                reports.iter().find(|report| {
                    report.name == *name
                        && matches!(report.outcome, StepOutcome::Failed | StepOutcome::Skipped)
                })
            });
            let report = match missing {
                _ if (self.is_over)() => {
                    StepReport::skipped(step, "the time for all steps is used up".into())
                }
                Some(report) => {
                    let reason = format!(
                        "step {} ({}) {}, and this step requires it",
                        report.number,
                        report.name,
                        if report.outcome == StepOutcome::Failed {
                            "failed"
                        } else {
                            "was skipped"
                        }
                    );
                    StepReport::skipped(step, reason)
                }
                None => run(index),
            };
            observer.step_finished(&report);
            reports.push(report);
        }
        reports
    }
}
