//! Collects the output of a player's engine: the best moves of the current call, in case its time
//! runs out, and its log, for the record. Costs nothing while the engine is silent.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::limits::LOG_TEXT_BYTES;
use sandboard_abi::{Level, Line};
use sandboard_engine::{Listener, Observation};

use super::setup::LogAllowance;
use crate::record::LogRecord;
use crate::text::sanitize;

/// What the record keeps of one player's log, in bytes.
const LOG_KEPT_BYTES: usize = 64 * 1024;
/// What each log text counts in addition to its bytes, so that empty texts are limited, too.
const LOG_ENTRY_BYTES: usize = 64;
/// How many candidate moves of one call are kept: the newest may be illegal.
const REPORTED_KEPT: usize = 8;

/// Receives the index of a player and an output of its engine. Must return at once.
pub type OutputListener = Arc<dyn Fn(usize, EngineOutput<'_>) + Send + Sync>;

/// An output of an engine during the bout.
#[derive(Clone, Copy, Debug)]
pub enum EngineOutput<'a> {
    /// A reported line.
    Line(&'a Line),
    /// A log text that the record keeps. Texts logged while pondering arrive when pondering ends,
    /// because they are about moves that the opponent has yet to choose.
    Log(&'a LogRecord),
}

/// The [`Listener`] of a player's engine.
pub(crate) struct OutputCollector {
    player: usize,
    listener: Option<OutputListener>,
    /// The number of plies when the current call began.
    ply: AtomicU32,
    /// The engine is pondering: its lines are ignored, its log texts delayed.
    pondering: AtomicBool,
    /// Whether `lines` contains anything.
    has_lines: AtomicBool,
    lines: Mutex<Lines>,
    logs: Mutex<Logs>,
    /// What this record and others together may still keep of the log, in bytes.
    allowance: Option<LogAllowance>,
    /// What the player's seat sees, in a game with hidden information.
    observation: Mutex<Option<Observation>>,
}

#[derive(Default)]
struct Lines {
    last: Option<Line>,
    /// The first moves of the lines, newest first, each once.
    moves: VecDeque<String>,
}

#[derive(Default)]
struct Logs {
    texts: Vec<LogRecord>,
    /// The number of texts that the listener has received.
    sent: usize,
    bytes: usize,
}

impl OutputCollector {
    pub(crate) fn new(player: usize, listener: Option<OutputListener>) -> Self {
        Self {
            player,
            listener,
            ply: AtomicU32::new(0),
            pondering: AtomicBool::new(false),
            has_lines: AtomicBool::new(false),
            lines: Mutex::default(),
            logs: Mutex::default(),
            allowance: None,
            observation: Mutex::default(),
        }
    }

    /// The same collector, whose record keeps log texts only within this allowance.
    pub(crate) fn within(self, allowance: Option<LogAllowance>) -> Self {
        Self { allowance, ..self }
    }

    /// Sets what the player's seat sees from now on; none: everything.
    pub(crate) fn observe(&self, observation: Option<Observation>) {
        *lock(&self.observation) = observation;
    }

    /// Begins a call at this ply: lines of the previous call are dropped.
    pub(crate) fn begin_call(&self, ply: u32) {
        self.ply.store(ply, Ordering::Relaxed);
        if self.has_lines.swap(false, Ordering::Relaxed) {
            *lock(&self.lines) = Lines::default();
        }
    }

    /// Begins pondering at this ply. Log texts are kept, and sent when pondering ends. Lines are
    /// ignored: they are about a future position, and would show a person what the engine thinks of
    /// it.
    pub(super) fn begin_pondering(&self, ply: u32) {
        self.begin_call(ply);
        self.pondering.store(true, Ordering::Relaxed);
    }

    /// Ends pondering, and sends the delayed log texts.
    pub(super) fn end_pondering(&self) {
        self.pondering.store(false, Ordering::Relaxed);
        self.send(&mut lock(&self.logs));
    }

    /// Sends the log texts that the listener has not received.
    fn send(&self, logs: &mut Logs) {
        let listener = self.listener.as_ref().filter(|_| !self.pondering.load(Ordering::Relaxed));
        let Some(listener) = listener else { return };
        for log in logs.texts.iter().skip(logs.sent) {
            listener(self.player, EngineOutput::Log(log));
        }
        logs.sent = logs.texts.len();
    }

    /// Takes the last line of the call, and the best moves reported in it, newest first.
    pub(crate) fn take_lines(&self) -> (Option<Line>, Vec<String>) {
        if !self.has_lines.load(Ordering::Relaxed) {
            return (None, Vec::new());
        }
        let mut lines = lock(&self.lines);
        (lines.last.take(), std::mem::take(&mut lines.moves).into())
    }

    /// All log texts that the record keeps.
    pub(super) fn logs(&self) -> Vec<LogRecord> {
        lock(&self.logs).texts.clone()
    }
}

impl Listener for OutputCollector {
    fn observation(&self) -> Option<Observation> {
        lock(&self.observation).clone()
    }

    fn report(&self, line: &Line) {
        if self.pondering.load(Ordering::Relaxed) {
            return;
        }
        if let Some(listener) = &self.listener {
            listener(self.player, EngineOutput::Line(line));
        }
        let Some(candidate) = line.moves.split(' ').next().filter(|_| line.rank == 1) else {
            return;
        };
        let mut lines = lock(&self.lines);
        self.has_lines.store(true, Ordering::Relaxed);
        lines.last = Some(line.clone());
        if candidate.is_empty() || lines.moves.front().is_some_and(|newest| newest == candidate) {
            return;
        }
        lines.moves.retain(|mv| mv != candidate);
        lines.moves.truncate(REPORTED_KEPT - 1);
        lines.moves.push_front(candidate.to_owned());
    }

    fn log(&self, level: Level, text: &str) {
        let mut logs = lock(&self.logs);
        let text = sanitize(text, LOG_TEXT_BYTES);
        let bytes = text.len() + LOG_ENTRY_BYTES;
        if logs.bytes + bytes > LOG_KEPT_BYTES {
            return;
        }
        if let Some(allowance) = &self.allowance {
            let less = |left: u64| left.checked_sub(bytes as u64);
            if allowance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
                return;
            }
        }
        logs.bytes += bytes;
        let level = match level {
            Level::Fatal => "fatal",
            Level::Warning => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
        };
        logs.texts.push(LogRecord {
            player: self.player,
            at_ply: self.ply.load(Ordering::Relaxed),
            level: level.into(),
            text,
        });
        self.send(&mut logs);
    }
}

/// Ignores that a listener panicked while it held the lock: the value is still consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collector of player 1, and a function that takes what its listener has received:
    /// `player ply text`, or `player line moves`.
    fn collector() -> (OutputCollector, impl Fn() -> Vec<String>) {
        let received = Arc::new(Mutex::new(Vec::new()));
        let sink = received.clone();
        let listener: OutputListener = Arc::new(move |player, output| match output {
            EngineOutput::Log(log) => {
                lock(&sink).push(format!("{player} {} {}", log.at_ply, log.text));
            }
            EngineOutput::Line(line) => lock(&sink).push(format!("{player} line {}", line.moves)),
        });
        (OutputCollector::new(1, Some(listener)), move || std::mem::take(&mut *lock(&received)))
    }

    #[test]
    fn several_records_share_an_allowance() {
        let text = "four";
        let bytes = (text.len() + LOG_ENTRY_BYTES) as u64;
        let check = |allowance: u64, kept: [usize; 2]| {
            let allowance = LogAllowance::new(allowance.into());
            let of = |_| OutputCollector::new(0, None).within(Some(allowance.clone()));
            let collectors = [0, 1].map(of);
            for collector in collectors.iter().chain(&collectors) {
                collector.log(Level::Info, text);
            }
            assert_eq!(collectors.map(|it| it.logs().len()), kept, "{allowance:?}");
        };
        check(0, [0, 0]);
        check(bytes - 1, [0, 0]);
        check(bytes, [1, 0]);
        check(3 * bytes, [2, 1]);
        check(9 * bytes, [2, 2]);
    }

    #[test]
    fn log_texts_are_sent_with_their_ply() {
        let (output, received) = collector();
        output.log(Level::Info, "hello");
        assert_eq!(received(), ["1 0 hello"]);
        output.begin_call(2);
        output.log(Level::Warning, "a\nb");
        output.report(&Line { rank: 1, moves: "h8".into(), ..Line::default() });
        assert_eq!(received(), ["1 2 a\u{fffd}b", "1 line h8"]);
    }

    #[test]
    fn log_texts_of_pondering_are_sent_after_it() {
        let (output, received) = collector();
        output.begin_pondering(3);
        output.log(Level::Info, "pondering");
        output.report(&Line { rank: 1, moves: "h8".into(), ..Line::default() });
        assert_eq!(received(), [] as [&str; 0]);
        output.end_pondering();
        assert_eq!(received(), ["1 3 pondering"]);
        output.begin_call(4);
        output.log(Level::Info, "thinking");
        assert_eq!(received(), ["1 4 thinking"]);
    }

    #[test]
    fn log_texts_beyond_the_quota_are_not_sent() {
        let (output, received) = collector();
        let text = "x".repeat(LOG_TEXT_BYTES);
        let fit = LOG_KEPT_BYTES / (LOG_TEXT_BYTES + LOG_ENTRY_BYTES);
        (0..fit + 5).for_each(|_| output.log(Level::Debug, &text));
        assert_eq!((received().len(), output.logs().len()), (fit, fit));
    }
}
