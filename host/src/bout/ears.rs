//! What a player's engine says while it thinks: the moves it would play, for
//! the case that time runs out, and its log, for the record. Costs nothing as
//! long as the engine is silent.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sandboard_abi::limits::LOG_TEXT_BYTES;
use sandboard_abi::{Level, Line};

use super::Live;
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

    /// It begins to think on its opponents' time: its log is kept, its lines are not. They are
    /// about a position that is not there yet, and would tell a person what is thought of it.
    pub fn begin_pondering(&self, ply: u32) {
        self.begin(ply);
        self.pondering.store(true, Ordering::Relaxed);
    }

    /// It has come back.
    pub fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Relaxed);
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
            live(self.player, line);
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
    }
}

/// A listener that panicked has left nothing half-done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
