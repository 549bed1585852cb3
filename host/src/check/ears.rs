//! What an engine says during a step: the lines of the call in progress, and
//! the first of its log. Judges nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Level, Line};

use super::outcome::Said;
use crate::engine::Listener;

/// Texts of a step that are kept.
const TEXTS_KEPT: usize = 24;
/// Letters of a text that are kept.
const LETTERS_KEPT: usize = 400;
/// Lines of a call that are kept; of more, the last one too.
const LINES_KEPT: usize = 1000;

/// What was said in a step, by whichever instance.
#[derive(Debug, Default)]
pub struct Log(Mutex<(Vec<Said>, u64)>);

impl Log {
    /// Adds a text.
    pub fn add(&self, level: &'static str, text: &str) {
        let (texts, left_out) = &mut *lock(&self.0);
        if texts.len() >= TEXTS_KEPT {
            *left_out += 1;
            return;
        }
        let mut kept: String = text.chars().take(LETTERS_KEPT).collect();
        if kept.len() < text.len() {
            kept.push('…');
        }
        texts.push(Said { level, text: kept });
    }

    /// Everything said so far, and how much more was said; then it is empty.
    pub fn take(&self) -> (Vec<Said>, u64) {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// The ears of one instance.
#[derive(Debug, Default)]
pub struct Ears {
    log: Arc<Log>,
    lines: Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    kept: Vec<Line>,
    count: u64,
}

impl Ears {
    /// Ears that hear for this step.
    pub fn new(log: Arc<Log>) -> Arc<Self> {
        Arc::new(Self { log, lines: Mutex::default() })
    }

    /// The lines reported since the last time, and how many there were.
    pub fn lines(&self) -> (Vec<Line>, u64) {
        let heard = std::mem::take(&mut *lock(&self.lines));
        (heard.kept, heard.count)
    }
}

impl Listener for Ears {
    fn report(&self, line: &Line) {
        let mut heard = lock(&self.lines);
        heard.count += 1;
        if heard.kept.len() > LINES_KEPT {
            heard.kept.pop();
        }
        heard.kept.push(line.clone());
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
