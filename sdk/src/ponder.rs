//! Thinking on the opponents' time, and a move at hand from the first moment on: what
//! [`BaseEngine`](crate::BaseEngine) does of both for an author who writes nothing. Knows no game and
//! searches nothing itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_abi::{CellOp, Level, Limits, Line, View};
use sandboard_games::Rules;

use crate::engine::{Chooser, Turn};
use crate::host::{Host, HostCalls};
use crate::random::Random;

/// The moves that are expected next, by the line of the last choice.
#[derive(Debug, Default)]
pub(crate) struct Foresight {
    /// Texts, separated by blanks; empty: nothing is expected.
    expected: String,
}

impl Foresight {
    /// A choice was made, with this line behind it.
    pub(crate) fn chosen(&mut self, line: Option<&Line>) {
        self.expected.clear();
        if let Some(line) = line {
            self.expected.push_str(&line.moves);
        }
    }

    /// A move was played: what was expected after it stays so, or nothing does.
    pub(crate) fn played(&mut self, mv: &str) {
        if self.expected.is_empty() {
            return;
        }
        match self.expected.strip_prefix(mv).filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            Some(rest) => self.expected = rest.trim_start().to_owned(),
            None => self.expected.clear(),
        }
    }

    /// Moves were taken back: nothing is expected any more.
    pub(crate) fn forget(&mut self) {
        self.expected.clear();
    }

    /// The position in which one of `seats` will move if everybody plays as expected, and the moves
    /// that lead there; `position` and none where nobody knows.
    pub(crate) fn expected<R: Rules>(&self, position: &R, seats: &[u8]) -> (R, String) {
        let (mut ahead, mut moves) = (position.clone(), String::new());
        let mut texts = self.expected.split_ascii_whitespace();
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

/// What the default of [`Chooser::ponder`] does: it chooses in that position, and forgets the
/// choice. Only of an engine that has been seen to look at its clock: another one might never
/// come back.
pub(crate) fn by_choosing<C: Chooser>(chooser: &mut C, position: &C::Rules, host: &Host) {
    if !host.is_watched() {
        return;
    }
    // Its own randomness: the game's draws are the same, however long it thinks.
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

/// The host of a pondering engine: the clock and the log of the real one, whose lines nobody
/// hears, and whose game stands where the engine looks.
pub(crate) struct Ahead {
    pub(crate) host: Host,
    /// The moves from the game's position to there.
    pub(crate) moves: String,
}

impl Ahead {
    fn after(&self, moves: &str) -> String {
        match (self.moves.as_str(), moves) {
            (before, "") => before.to_owned(),
            ("", after) => after.to_owned(),
            (before, after) => format!("{before} {after}"),
        }
    }
}

impl HostCalls for Ahead {
    fn log(&self, level: Level, text: &str) {
        self.host.log(level, text);
    }
    fn left(&self) -> u64 {
        self.host.left()
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.host.legal(&self.after(moves))
    }
    fn look(&self, moves: &str) -> Result<View, String> {
        self.host.look(&self.after(moves))
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

/// Watches what an engine asks of its host. The first look at the clock in a choice shows that
/// it thinks, and that it can be told to stop: then a legal move is reported for it, which can be
/// played if it overruns before it reports a better one.
pub(crate) struct Watch {
    host: Host,
    /// It has looked at the clock in some choice.
    looks: AtomicBool,
    /// A choice is being made in which it neither looked at the clock nor reported yet.
    fresh: AtomicBool,
    /// The move that is at hand.
    ready: Mutex<Option<String>>,
    /// It was reported, and the engine has reported nothing itself since.
    lent: AtomicBool,
}

/// The host that an engine sees: the real one, watched.
pub(crate) struct Watched(pub(crate) Arc<Watch>);

impl Watch {
    pub(crate) fn new(host: Host) -> Arc<Self> {
        let (looks, fresh) = (AtomicBool::new(false), AtomicBool::new(false));
        let lent = AtomicBool::new(false);
        Arc::new(Self { host, looks, fresh, ready: Mutex::new(None), lent })
    }

    /// Whether it has looked at the clock in a choice.
    pub(crate) fn looks(&self) -> bool {
        self.looks.load(Ordering::Relaxed)
    }

    /// A choice begins, with this move at hand.
    pub(crate) fn begin(&self, ready: Option<String>) {
        if ready.is_some() {
            *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = ready;
        }
        self.fresh.store(true, Ordering::Relaxed);
    }

    /// The choice is made. Whether the move that was at hand is all that was reported: it is not
    /// what the engine thinks.
    pub(crate) fn end(&self) -> bool {
        self.fresh.store(false, Ordering::Relaxed);
        self.lent.swap(false, Ordering::Relaxed)
    }

    #[cold]
    fn first_look(&self) {
        self.fresh.store(false, Ordering::Relaxed);
        self.looks.store(true, Ordering::Relaxed);
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(moves) = ready {
            self.lent.store(true, Ordering::Relaxed);
            self.host.report(&Line { rank: 1, moves, ..Line::default() });
        }
    }
}

impl HostCalls for Watched {
    fn report(&self, line: &Line) {
        self.0.lent.store(false, Ordering::Relaxed);
        self.0.host.report(line);
    }
    fn log(&self, level: Level, text: &str) {
        self.0.host.log(level, text);
    }
    #[inline]
    fn left(&self) -> u64 {
        if self.0.fresh.load(Ordering::Relaxed) {
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
