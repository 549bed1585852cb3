//! Shows a run in progress: a progress bar on a terminal, and a line for each position when it is
//! answered.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::text::{Columns, head};
use sandboard_analysis::suite::{
    Case, PositionChange, PositionResult, RunObserver, SuiteRun, by_id,
};

/// Shows a run in progress.
pub(super) struct Screen<'a> {
    bar: ProgressBar,
    before: BTreeMap<&'a str, &'a PositionResult>,
    columns: Columns,
    solved: usize,
    /// With --json, no list is printed.
    quiet: bool,
    /// The first error of printing.
    failed: std::io::Result<()>,
}

impl<'a> Screen<'a> {
    /// Prints the header of the list.
    pub(super) fn new(
        header: &SuiteRun,
        cases: &[Case],
        before: Option<&'a SuiteRun>,
        quiet: bool,
    ) -> std::io::Result<Self> {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let columns = Columns::of(cases);
        if !quiet {
            let mut out = crate::output::stdout();
            writeln!(out, "{}\n\n{}", head(header, cases.len()), columns.titles())?;
        }
        let bar = ProgressBar::with_draw_target(Some(cases.len() as u64), target);
        let style = ProgressStyle::with_template(
            "{bar:20} {pos}/{len}  {msg}  {elapsed} elapsed, {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let before = before.map_or_else(BTreeMap::new, |run| by_id(&run.results));
        Ok(Self { bar, before, columns, solved: 0, quiet, failed: Ok(()) })
    }

    /// Removes the bar.
    pub(super) fn finish(self) -> std::io::Result<()> {
        self.bar.finish_and_clear();
        self.failed
    }
}

impl RunObserver for Screen<'_> {
    fn position_started(&mut self, case: &Case) {
        self.bar.set_message(format!("{} solved, now {}", self.solved, case.id));
        self.bar.tick();
    }

    fn position_finished(&mut self, _case: &Case, outcome: &PositionResult) {
        self.solved += usize::from(outcome.solved);
        self.bar.inc(1);
        if self.quiet || self.failed.is_err() {
            return;
        }
        let before = self.before.get(outcome.id.as_str());
        let line =
            self.columns.line(outcome, before.map(|it| PositionChange::between(it, outcome)));
        self.failed = self.bar.suspend(|| writeln!(crate::output::stdout(), "{line}"));
    }
}
