//! Prints the results of the checks of engines and games for people and as JSON. Judges nothing.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};

use crate::terminal::TextStyle;
use sandboard_analysis::check::{CheckObserver, Finding, Step, StepOutcome, StepReport};

/// Prints steps as they end, or everything at the end as JSON.
pub(super) struct Printer {
    style: TextStyle,
    verbose: bool,
    json: bool,
    bar: ProgressBar,
    failed: std::io::Result<()>,
}

impl Printer {
    pub(super) fn new(verbose: bool, json: bool) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        let style = TextStyle::for_stdout();
        Self { style, verbose, json, bar, failed: Ok(()) }
    }

    /// Prints the line before the steps.
    pub(super) fn header(&self, text: &str) -> std::io::Result<()> {
        if self.json { Ok(()) } else { writeln!(crate::output::stdout(), "{text}") }
    }

    /// Prints the summary after the steps. `subject` has the first fields of the JSON: what was
    /// checked, and how.
    pub(super) fn finish(
        &self,
        subject: Map<String, Value>,
        reports: &[StepReport],
    ) -> std::io::Result<()> {
        self.bar.finish_and_clear();
        if let Err(error) = &self.failed {
            return Err(error.kind().into());
        }
        let count = |outcome| reports.iter().filter(|report| report.outcome == outcome).count();
        let (passed, warned) = (count(StepOutcome::Passed), count(StepOutcome::Warned));
        let (failed, skipped) = (count(StepOutcome::Failed), count(StepOutcome::Skipped));
        let duration_ms: u64 = reports.iter().map(|report| report.duration_ms).sum();
        let mut out = crate::output::stdout();
        if self.json {
            let mut object = subject;
            object.insert("steps".into(), serde_json::to_value(reports)?);
            for (name, count) in
                [("passed", passed), ("warned", warned), ("failed", failed), ("skipped", skipped)]
            {
                object.insert(name.into(), count.into());
            }
            object.insert("duration_ms".into(), duration_ms.into());
            return writeln!(out, "{}", Value::Object(object));
        }
        let text = format!("{passed} passed, {warned} warned, {failed} failed, {skipped} skipped");
        let text = if failed > 0 { self.style.error(&text) } else { self.style.strong(&text) };
        writeln!(out, "{text} in {}.{} s", duration_ms / 1000, duration_ms % 1000 / 100)
    }

    fn step(&self, report: &StepReport) -> std::io::Result<()> {
        let mut out = crate::output::stdout();
        let StepReport { number, name, outcome, sentence, .. } = report;
        let word = format!("{:7}", outcome.word());
        let word = match outcome {
            StepOutcome::Failed => self.style.error(&word),
            StepOutcome::Warned => self.style.strong(&word),
            StepOutcome::Passed | StepOutcome::Skipped => self.style.dim(&word),
        };
        writeln!(out, "{number:3} {name:12} {word} {sentence}")?;
        for Finding { sentence: own, request, response, expected, advice } in &report.findings {
            if report.findings.len() > 1 {
                writeln!(out, "      - {own}")?;
            }
            for (label, text) in [
                ("request", request),
                ("response", response),
                ("expected", expected),
                ("advice", advice),
            ] {
                let text = if self.verbose { text.clone() } else { shortened(text) };
                writeln!(out, "      {} {text}", self.style.dim(&format!("{label:9}")))?;
            }
        }
        let is_wrong = matches!(outcome, StepOutcome::Failed | StepOutcome::Warned);
        if (is_wrong || self.verbose) && !report.output.is_empty() {
            writeln!(out, "      {}", self.style.dim("the engine's own output:"))?;
            for line in &report.output {
                writeln!(
                    out,
                    "        {} {}",
                    self.style.dim(&format!("{:7}", line.level)),
                    line.text
                )?;
            }
            if report.output_omitted > 0 {
                writeln!(out, "        and {} more", report.output_omitted)?;
            }
        }
        Ok(())
    }
}

/// At most 320 characters of a text: its beginning and its end.
fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 320;
    let count = text.chars().count();
    match count > CHARS_MAX {
        false => text.to_owned(),
        true => {
            let head: String = text.chars().take(CHARS_MAX / 2).collect();
            let tail: String = text.chars().skip(count - CHARS_MAX / 2).collect();
            format!("{head} … {tail}")
        }
    }
}

impl CheckObserver for Printer {
    fn step_started(&mut self, step: &'static Step) {
        self.bar.set_message(format!("{} {}: {}", step.number, step.name, step.requirement));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn step_finished(&mut self, report: &StepReport) {
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let printed = match self.json {
            true => Ok(()),
            false => self.bar.suspend(|| self.step(report)),
        };
        if self.failed.is_ok() {
            self.failed = printed;
        }
    }
}
