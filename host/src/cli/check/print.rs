//! What [`check`](crate::check) finds, for people and as JSON. Judges nothing.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::catalog::Entry;
use crate::check::{Finding, Observer, Outcome, STEPS, Settings, Step, StepReport};
use crate::terminal::Paint;

/// Prints steps as they end, or everything at the end as JSON.
pub struct Printer {
    paint: Paint,
    verbose: bool,
    json: bool,
    bar: ProgressBar,
    failed: std::io::Result<()>,
}

impl Printer {
    pub fn new(verbose: bool, json: bool) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        let paint = Paint::for_stdout();
        Self { paint, verbose, json, bar, failed: Ok(()) }
    }

    /// What comes before the steps.
    pub fn header(&self, entry: &Entry, settings: &Settings) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let (id, version, source) = (&entry.id, &entry.version, entry.source.display());
        let (budget, seed) = (&settings.budget, settings.seed);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{id} {version} ({source}), seed {seed}, test games at {budget}")
    }

    /// What comes after them.
    pub fn finish(
        &self,
        entry: &Entry,
        settings: &Settings,
        reports: &[StepReport],
    ) -> std::io::Result<()> {
        if let Err(error) = &self.failed {
            return Err(error.kind().into());
        }
        let count = |outcome| reports.iter().filter(|report| report.outcome == outcome).count();
        let (passed, warned) = (count(Outcome::Passed), count(Outcome::Warned));
        let (failed, skipped) = (count(Outcome::Failed), count(Outcome::Skipped));
        let took_ms: u64 = reports.iter().map(|report| report.took_ms).sum();
        let mut out = std::io::stdout().lock();
        if self.json {
            let object = json!({
                "engine": entry.id, "version": entry.version, "module_sha256": entry.sha256,
                "seed": settings.seed, "budget": settings.budget, "options": settings.options,
                "steps": reports, "passed": passed, "warned": warned, "failed": failed,
                "skipped": skipped, "took_ms": took_ms,
            });
            return writeln!(out, "{object}");
        }
        let text = format!("{passed} passed, {warned} warned, {failed} failed, {skipped} skipped");
        let text = if failed > 0 { self.paint.bad(&text) } else { self.paint.strong(&text) };
        writeln!(out, "{text} in {}.{} s", took_ms / 1000, took_ms % 1000 / 100)
    }

    fn step(&self, report: &StepReport) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        let StepReport { number, name, outcome, sentence, .. } = report;
        let word = format!("{:7}", outcome.word());
        let word = match outcome {
            Outcome::Failed => self.paint.bad(&word),
            Outcome::Warned => self.paint.strong(&word),
            Outcome::Passed | Outcome::Skipped => self.paint.faint(&word),
        };
        writeln!(out, "{number:3} {name:12} {word} {sentence}")?;
        for Finding { sentence: own, asked, came_back, expected, help } in &report.findings {
            if report.findings.len() > 1 {
                writeln!(out, "      - {own}")?;
            }
            for (label, text) in
                [("asked", asked), ("came back", came_back), ("expected", expected), ("try", help)]
            {
                let text = if self.verbose { text.clone() } else { shortened(text) };
                writeln!(out, "      {} {text}", self.paint.faint(&format!("{label:9}")))?;
            }
        }
        let is_wrong = matches!(outcome, Outcome::Failed | Outcome::Warned);
        if (is_wrong || self.verbose) && !report.output.is_empty() {
            writeln!(out, "      {}", self.paint.faint("the engine's own output:"))?;
            for said in &report.output {
                writeln!(
                    out,
                    "        {} {}",
                    self.paint.faint(&format!("{:7}", said.level)),
                    said.text
                )?;
            }
            if report.output_left_out > 0 {
                writeln!(out, "        and {} more", report.output_left_out)?;
            }
        }
        Ok(())
    }
}

/// A text of at most a few lines of a terminal; its end says most.
fn shortened(text: &str) -> String {
    const LETTERS: usize = 320;
    let count = text.chars().count();
    match count > LETTERS {
        false => text.to_owned(),
        true => {
            let head: String = text.chars().take(LETTERS / 2).collect();
            let tail: String = text.chars().skip(count - LETTERS / 2).collect();
            format!("{head} … {tail}")
        }
    }
}

impl Observer for Printer {
    fn begins(&mut self, step: &'static Step) {
        self.bar.set_message(format!("{} {}: {}", step.number, step.name, step.asks));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn ended(&mut self, report: &StepReport) {
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let printed = match self.json {
            true => Ok(()),
            false => self.bar.suspend(|| self.step(report)),
        };
        if self.failed.is_ok() {
            self.failed = printed;
        }
        if usize::from(report.number) == STEPS.len() {
            self.bar.finish_and_clear();
        }
    }
}
