//! A run while it goes on: a progress bar on a terminal, and the list of
//! positions line by line as they are answered.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::text::{Columns, head};
use crate::suite::{Case, Change, Outcome, Run, Watcher, by_id};

/// Shows a run.
pub struct Screen<'a> {
    bar: ProgressBar,
    before: BTreeMap<&'a str, &'a Outcome>,
    columns: Columns,
    solved: usize,
    /// With --json there is no list.
    quiet: bool,
    /// The first failure to print.
    failed: std::io::Result<()>,
}

impl<'a> Screen<'a> {
    /// Begins to show it.
    pub fn new(
        header: &Run,
        cases: &[Case],
        before: Option<&'a Run>,
        quiet: bool,
    ) -> std::io::Result<Self> {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let columns = Columns::of(cases);
        if !quiet {
            let mut out = std::io::stdout().lock();
            writeln!(out, "{}\n\n{}", head(header, cases.len()), columns.titles())?;
        }
        let bar = ProgressBar::with_draw_target(Some(cases.len() as u64), target);
        let style = ProgressStyle::with_template(
            "{bar:20} {pos}/{len}  {msg}  {elapsed} passed, {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let before = before.map_or_else(BTreeMap::new, |run| by_id(&run.results));
        Ok(Self { bar, before, columns, solved: 0, quiet, failed: Ok(()) })
    }

    /// Takes the bar away.
    pub fn finish(self) -> std::io::Result<()> {
        self.bar.finish_and_clear();
        self.failed
    }
}

impl Watcher for Screen<'_> {
    fn begins(&mut self, case: &Case) {
        self.bar.set_message(format!("{} solved, now {}", self.solved, case.id));
        self.bar.tick();
    }

    fn done(&mut self, _case: &Case, outcome: &Outcome) {
        self.solved += usize::from(outcome.solved);
        self.bar.inc(1);
        if self.quiet || self.failed.is_err() {
            return;
        }
        let before = self.before.get(outcome.id.as_str());
        let line = self.columns.line(outcome, before.map(|it| Change::between(it, outcome)));
        self.failed = self.bar.suspend(|| writeln!(std::io::stdout().lock(), "{line}"));
    }
}
