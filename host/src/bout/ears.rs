//! What a player's engine says while it thinks: the moves it would play, for
//! the case that time runs out, and its log, for the record. Costs nothing as
//! long as the engine is silent.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sandboard_abi::limits::LOG_TEXT_BYTES;
use sandboard_abi::{Level, Line};

use super::{Live, Remark};
use crate::engine::Listener;
use crate::record::LogRecord;
use crate::referee::tidy;

/// What the record keeps of one player's log, in bytes.
const LOG_KEPT_BYTES: usize = 64 * 1024;
/// What a text counts beside its own bytes, so that empty ones run out, too.
const LOG_ENTRY_BYTES: usize = 64;
/// How many candidate moves of one call are kept, for the last may be illegal.
const REPORTED_KEPT: usize = 8;

pub(crate) struct Ears {
    player: usize,
    live: Option<Live>,
    ply: AtomicU32,
    /// Whether it thinks on its opponents' time, when nobody is to hear its lines.
    pondering: AtomicBool,
    /// Whether `heard` holds anything.
    any: AtomicBool,
    heard: Mutex<Heard>,
    logged: Mutex<Logged>,
}

#[derive(Default)]
struct Heard {
    last: Option<Line>,
    /// First moves of lines, newest first, each once.
    moves: VecDeque<String>,
}

#[derive(Default)]
struct Logged {
    texts: Vec<LogRecord>,
    /// How many of them have been told.
    told: usize,
    bytes: usize,
}

impl Ears {
    pub fn new(player: usize, live: Option<Live>) -> Self {
        Self {
            player,
            live,
            ply: AtomicU32::new(0),
            pondering: AtomicBool::new(false),
            any: AtomicBool::new(false),
            heard: Mutex::default(),
            logged: Mutex::default(),
        }
    }

    /// A call begins: what was heard in the last one is forgotten.
    pub fn begin(&self, ply: u32) {
        self.ply.store(ply, Ordering::Relaxed);
        if self.any.swap(false, Ordering::Relaxed) {
            *lock(&self.heard) = Heard::default();
        }
    }

    /// It begins to think on its opponents' time: its log is kept, and told when it has come
    /// back; its lines are not. They are about a position that is not there yet, and would tell a person what is thought of it.
    pub fn begin_pondering(&self, ply: u32) {
        self.begin(ply);
        self.pondering.store(true, Ordering::Relaxed);
    }

    /// It has come back.
    pub fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Relaxed);
        self.tell(&mut lock(&self.logged));
    }

    /// Tells what it has logged and nobody has heard yet.
    fn tell(&self, logged: &mut Logged) {
        let Some(live) = self.live.as_ref().filter(|_| !self.pondering.load(Ordering::Relaxed))
        else {
            return;
        };
        for log in logged.texts.iter().skip(logged.told) {
            live(self.player, Remark::Log(log));
        }
        logged.told = logged.texts.len();
    }

    /// The last line of the call and the moves reported in it, newest first.
    pub fn heard(&self) -> (Option<Line>, Vec<String>) {
        if !self.any.load(Ordering::Relaxed) {
            return (None, Vec::new());
        }
        let mut heard = lock(&self.heard);
        (heard.last.take(), std::mem::take(&mut heard.moves).into())
    }

    pub fn logs(&self) -> Vec<LogRecord> {
        lock(&self.logged).texts.clone()
    }
}

impl Listener for Ears {
    fn report(&self, line: &Line) {
        if self.pondering.load(Ordering::Relaxed) {
            return;
        }
        if let Some(live) = &self.live {
            live(self.player, Remark::Line(line));
        }
        let Some(candidate) = line.moves.split(' ').next().filter(|_| line.rank == 1) else {
            return;
        };
        let mut heard = lock(&self.heard);
        self.any.store(true, Ordering::Relaxed);
        heard.last = Some(line.clone());
        if candidate.is_empty() || heard.moves.front().is_some_and(|newest| newest == candidate) {
            return;
        }
        heard.moves.retain(|mv| mv != candidate);
        heard.moves.truncate(REPORTED_KEPT - 1);
        heard.moves.push_front(candidate.to_owned());
    }

    fn log(&self, level: Level, text: &str) {
        let mut logged = lock(&self.logged);
        let text = tidy(text, LOG_TEXT_BYTES);
        let bytes = text.len() + LOG_ENTRY_BYTES;
        if logged.bytes + bytes > LOG_KEPT_BYTES {
            return;
        }
        logged.bytes += bytes;
        let level = match level {
            Level::Fatal => "fatal",
            Level::Warning => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
        };
        logged.texts.push(LogRecord {
            player: self.player,
            at_ply: self.ply.load(Ordering::Relaxed),
            level: level.into(),
            text,
        });
        self.tell(&mut logged);
    }
}

/// A listener that panicked has left nothing half-done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Ears, and what they tell: `ply text`.
    fn ears() -> (Ears, impl Fn() -> Vec<String>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = told.clone();
        let live: Live = Arc::new(move |player, remark| match remark {
            Remark::Log(log) => lock(&told).push(format!("{player} {} {}", log.at_ply, log.text)),
            Remark::Line(line) => lock(&told).push(format!("{player} line {}", line.moves)),
        });
        (Ears::new(1, Some(live)), move || std::mem::take(&mut *lock(&heard)))
    }

    #[test]
    fn texts_are_told_with_their_ply() {
        let (ears, told) = ears();
        ears.log(Level::Info, "hello");
        assert_eq!(told(), ["1 0 hello"]);
        ears.begin(2);
        ears.log(Level::Warning, "a\nb");
        ears.report(&Line { rank: 1, moves: "h8".into(), ..Line::default() });
        assert_eq!(told(), ["1 2 a\u{fffd}b", "1 line h8"]);
    }

    #[test]
    fn what_is_said_on_the_opponents_time_is_told_after_it() {
        let (ears, told) = ears();
        ears.begin_pondering(3);
        ears.log(Level::Info, "aside");
        ears.report(&Line { rank: 1, moves: "h8".into(), ..Line::default() });
        assert_eq!(told(), [] as [&str; 0]);
        ears.end_pondering();
        assert_eq!(told(), ["1 3 aside"]);
        ears.begin(4);
        ears.log(Level::Info, "aloud");
        assert_eq!(told(), ["1 4 aloud"]);
    }

    #[test]
    fn nothing_is_told_that_the_record_does_not_keep() {
        let (ears, told) = ears();
        let text = "x".repeat(LOG_TEXT_BYTES);
        let fit = LOG_KEPT_BYTES / (LOG_TEXT_BYTES + LOG_ENTRY_BYTES);
        (0..fit + 5).for_each(|_| ears.log(Level::Debug, &text));
        assert_eq!((told().len(), ears.logs().len()), (fit, fit));
    }
}
