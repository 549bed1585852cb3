//! Collects the output of an engine during a step: the reports of the current call, and the first
//! log texts. Judges nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Level, Line};

use super::outcome::OutputText;
use sandboard_engine::Listener;

/// The most texts of a step that are kept.
const TEXTS_KEPT: usize = 24;
/// The most characters of a text that are kept.
const CHARS_KEPT: usize = 400;
/// The most reports of a call that are kept; if there are more, the last one as well.
const LINES_KEPT: usize = 1000;

/// The output of all instances in a step.
#[derive(Debug, Default)]
pub(super) struct OutputLog(Mutex<(Vec<OutputText>, u64)>);

impl OutputLog {
    /// Adds a text.
    pub(super) fn add(&self, level: &'static str, text: &str) {
        let (texts, omitted) = &mut *lock(&self.0);
        if texts.len() >= TEXTS_KEPT {
            *omitted += 1;
            return;
        }
        let mut kept: String = text.chars().take(CHARS_KEPT).collect();
        if kept.len() < text.len() {
            kept.push('…');
        }
        texts.push(OutputText { level, text: kept });
    }

    /// Takes the texts so far, and the number of texts that were not kept.
    pub(super) fn take(&self) -> (Vec<OutputText>, u64) {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// Collects the output of one instance.
#[derive(Debug, Default)]
pub(super) struct OutputCollector {
    log: Arc<OutputLog>,
    lines: Mutex<CollectedLines>,
}

#[derive(Debug, Default)]
struct CollectedLines {
    kept: Vec<Line>,
    count: u64,
}

impl OutputCollector {
    /// A collector that adds to the log of this step.
    pub(super) fn new(log: Arc<OutputLog>) -> Arc<Self> {
        Arc::new(Self { log, lines: Mutex::default() })
    }

    /// Takes the reports since the last call, and their number including those not kept.
    pub(super) fn lines(&self) -> (Vec<Line>, u64) {
        let collected = std::mem::take(&mut *lock(&self.lines));
        (collected.kept, collected.count)
    }
}

impl Listener for OutputCollector {
    fn report(&self, line: &Line) {
        let mut collected = lock(&self.lines);
        collected.count += 1;
        if collected.kept.len() > LINES_KEPT {
            collected.kept.pop();
        }
        collected.kept.push(line.clone());
    }

    fn log(&self, level: Level, text: &str) {
        let level = match level {
            Level::Fatal => "fatal",
            Level::Warning => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
        };
        self.log.add(level, text);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
