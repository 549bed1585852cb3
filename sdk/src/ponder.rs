//! Thinking on the opponents' time, and a fallback move for choices that overrun: what
//! [`BaseEngine`](crate::BaseEngine) does for an author who writes neither. Knows no game and
//! searches nothing itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_abi::{CellOp, Level, Limits, Line, View};
use sandboard_games::Rules;

use crate::chooser::{Chooser, Turn};
use crate::host::{Host, HostCalls};
use crate::random::Random;

/// The moves that the line of the last choice predicts.
#[derive(Debug, Default)]
pub(crate) struct ExpectedMoves {
    /// Move texts, separated by blanks; empty if no move is expected.
    texts: String,
}

impl ExpectedMoves {
    /// Takes the moves of the line behind a choice.
    pub(crate) fn set_from(&mut self, line: Option<&Line>) {
        self.texts.clear();
        if let Some(line) = line {
            self.texts.push_str(&line.moves);
        }
    }

    /// A move was played: drops it from the front, or drops everything if it was not expected.
    pub(crate) fn played(&mut self, mv: &str) {
        if self.texts.is_empty() {
            return;
        }
        match self.texts.strip_prefix(mv).filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            Some(rest) => self.texts = rest.trim_start().to_owned(),
            None => self.texts.clear(),
        }
    }

    /// Drops all expected moves, as after moves were taken back.
    pub(crate) fn clear(&mut self) {
        self.texts.clear();
    }

    /// The position in which one of `seats` moves next if all play as expected, and the moves that
    /// lead there. `position` and no moves if the line does not reach that far.
    pub(crate) fn next_own_turn<R: Rules>(&self, position: &R, seats: &[u8]) -> (R, String) {
        let (mut ahead, mut moves) = (position.clone(), String::new());
        let mut texts = self.texts.split_ascii_whitespace();
        while !seats.contains(&ahead.to_move().0) && ahead.outcome().is_none() {
            let Some(text) = texts.next() else { return (position.clone(), String::new()) };
            if ahead.play(text).is_err() {
                return (position.clone(), String::new());
            }
            moves = if moves.is_empty() { text.to_owned() } else { moves + " " + text };
        }
        (ahead, moves)
    }
}

/// The default of [`Chooser::ponder`]: chooses in that position and drops the choice. Does nothing
/// for an engine that never read its clock, since it might not return.
pub(crate) fn ponder_by_choosing<C: Chooser>(chooser: &mut C, position: &C::Rules, host: &Host) {
    if !host.is_clock_reader() {
        return;
    }
    // Random numbers of its own: those of the game do not depend on the time it thinks.
    let mut turn = Turn {
        position,
        limits: &Limits::default(),
        barred: &[],
        host,
        random: &mut Random::seeded(0),
        moves: &mut Vec::new(),
    };
    chooser.next_move(&mut turn);
}

/// The host of a pondering engine: drops reported lines, and answers questions about the game from
/// the position that the engine ponders on. Passes everything else to the real host.
pub(crate) struct PonderHost {
    pub(crate) host: Host,
    /// The moves from the game's position to the pondered one.
    pub(crate) moves: String,
}

impl PonderHost {
    fn moves_from_game(&self, moves: &str) -> String {
        match (self.moves.as_str(), moves) {
            (before, "") => before.to_owned(),
            ("", after) => after.to_owned(),
            (before, after) => format!("{before} {after}"),
        }
    }
}

impl HostCalls for PonderHost {
    fn log(&self, level: Level, text: &str) {
        self.host.log(level, text);
    }
    fn left(&self) -> u64 {
        self.host.left()
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.host.legal(&self.moves_from_game(moves))
    }
    fn look(&self, moves: &str) -> Result<View, String> {
        self.host.look(&self.moves_from_game(moves))
    }
    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        self.host.asset(name, offset, length)
    }
    fn probe(&self, key: u64) -> u64 {
        self.host.probe(key)
    }
    fn store(&self, key: u64, value: u64) {
        self.host.store(key, value);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        self.host.cell(index, op, value)
    }
}

/// Records whether an engine reads its clock, and reports a fallback move for it.
///
/// The first look at the clock in a choice shows that the engine thinks, and that it can be
/// stopped. At that moment a legal move is reported: the host can play it if the engine overruns
/// before it reports a better one.
pub(crate) struct ClockMonitor {
    host: Host,
    /// Whether the engine has read the clock in some choice.
    has_read_clock: AtomicBool,
    /// Whether the engine has not read the clock yet in the current choice.
    awaits_first_look: AtomicBool,
    /// The legal move to report at the first look.
    fallback: Mutex<Option<String>>,
    /// Whether the fallback move was reported, and nothing by the engine itself since.
    reported_only_fallback: AtomicBool,
}

/// The real host, with all its calls seen by the monitor. The engine gets this one.
pub(crate) struct MonitoredHost(pub(crate) Arc<ClockMonitor>);

impl ClockMonitor {
    pub(crate) fn new(host: Host) -> Arc<Self> {
        Arc::new(Self {
            host,
            has_read_clock: AtomicBool::new(false),
            awaits_first_look: AtomicBool::new(false),
            fallback: Mutex::new(None),
            reported_only_fallback: AtomicBool::new(false),
        })
    }

    /// Whether the engine has read the clock in some choice.
    pub(crate) fn has_read_clock(&self) -> bool {
        self.has_read_clock.load(Ordering::Relaxed)
    }

    /// A choice begins, with this fallback move.
    pub(crate) fn begin_choice(&self, fallback: Option<String>) {
        if fallback.is_some() {
            *self.fallback.lock().unwrap_or_else(PoisonError::into_inner) = fallback;
        }
        self.awaits_first_look.store(true, Ordering::Relaxed);
    }

    /// The choice has ended. Returns whether the fallback move is the last report, which then is
    /// not the engine's own.
    pub(crate) fn end_choice(&self) -> bool {
        self.awaits_first_look.store(false, Ordering::Relaxed);
        self.reported_only_fallback.swap(false, Ordering::Relaxed)
    }

    #[cold]
    fn first_look(&self) {
        self.awaits_first_look.store(false, Ordering::Relaxed);
        self.has_read_clock.store(true, Ordering::Relaxed);
        let fallback = self.fallback.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(moves) = fallback {
            self.reported_only_fallback.store(true, Ordering::Relaxed);
            self.host.report(&Line { rank: 1, moves, ..Line::default() });
        }
    }
}

impl HostCalls for MonitoredHost {
    fn report(&self, line: &Line) {
        self.0.reported_only_fallback.store(false, Ordering::Relaxed);
        self.0.host.report(line);
    }
    fn log(&self, level: Level, text: &str) {
        self.0.host.log(level, text);
    }
    #[inline]
    fn left(&self) -> u64 {
        if self.0.awaits_first_look.load(Ordering::Relaxed) {
            self.0.first_look();
        }
        self.0.host.left()
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.0.host.legal(moves)
    }
    fn look(&self, moves: &str) -> Result<View, String> {
        self.0.host.look(moves)
    }
    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        self.0.host.asset(name, offset, length)
    }
    fn probe(&self, key: u64) -> u64 {
        self.0.host.probe(key)
    }
    fn store(&self, key: u64, value: u64) {
        self.0.host.store(key, value);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        self.0.host.cell(index, op, value)
    }
}

#[cfg(test)]
mod tests;
