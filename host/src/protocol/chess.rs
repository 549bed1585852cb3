//! What UCI and UCCI have in common: positions with moves, scores, options as they are offered, and searches that may go on
//! until they are told to stop. Knows no game.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Choice, Kind, Limits, Line, OptionSpec, Unit};

use super::Act;
use super::table::{Decided, Table};
use crate::engine::Fault;

/// Scores so near to a won game tell in how many plies it is won.
const FORCED: i32 = 1000;

/// What stands in the way of a search.
pub(super) enum Barrier {
    /// There is nothing to be asked, for this reason, and no move.
    Nothing(String),
    /// Only our rules have ended the game, for this reason, and would end it in this position whatever came before: any legal
    /// move is one to the other program.
    Any(String, String),
}

/// What stands in the way of a search, where anything does; `refused`: why the last position is none.
pub(super) fn barrier(table: &Table, refused: Option<&str>) -> Option<Barrier> {
    if let Some(reason) = refused {
        return Some(Barrier::Nothing(format!("there is no position: {reason}")));
    }
    let reason = format!("the game is over: {}", table.game.outcome()?.reason);
    let legal = any_move(table).map(|mv| table.offer.dialect.to_program(&mv));
    Some(match legal {
        Some(mv) => Barrier::Any(reason, mv),
        None => Barrier::Nothing(reason),
    })
}

/// A search that goes on, and its answer if that waits for the word to stop.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Whether the engine thinks.
    pub(super) is_on: bool,
    /// Whether nothing may be answered before the word to stop.
    pub(super) waits: bool,
    held: Option<Result<Choice, Fault>>,
    /// Whether an instance is made ready, before which no other line is heard.
    prepares: bool,
}

impl Search {
    /// Makes the engine ready for the position as it stands, where that can be asked about: then
    /// [`prepared`](super::Session::prepared) is to say so. None: there is nothing to be made ready.
    pub(super) fn prepare(&mut self, table: &Table, refused: Option<&str>) -> Option<Act> {
        if self.is_on || barrier(table, refused).is_some() {
            return None;
        }
        self.prepares = true;
        Some(Act::Prepare(table.readiness()))
    }

    /// Whether a line has to wait: the engine is made ready, or it thinks, and the line `changes` something.
    pub(super) fn holds(&self, changes: bool) -> bool {
        self.prepares || self.is_on && changes
    }

    /// It is ready, or will not be, or need not be any more; whether somebody waits for that.
    pub(super) fn prepared(&mut self) -> bool {
        std::mem::take(&mut self.prepares)
    }

    /// One begins; `waits`: until it is told to stop.
    pub(super) fn begin(&mut self, waits: bool) {
        *self = Self { is_on: true, waits, ..Self::default() };
    }

    /// The engine has answered; what is to be said now.
    pub(super) fn answered(
        &mut self,
        answer: Result<Choice, Fault>,
    ) -> Option<Result<Choice, Fault>> {
        match self.waits {
            true => {
                self.held = Some(answer);
                None
            }
            false => {
                self.is_on = false;
                Some(answer)
            }
        }
    }

    /// Nobody will tell it to stop any more; the answer that waited for that.
    pub(super) fn ended(&mut self) -> Option<Result<Choice, Fault>> {
        self.is_on.then(|| self.stop()).flatten()
    }

    /// It is to stop; the answer that waited for it.
    pub(super) fn stop(&mut self) -> Option<Result<Choice, Fault>> {
        self.waits = false;
        let held = self.held.take();
        self.is_on &= held.is_none();
        held
    }
}

/// Sets up `fen … moves …` or `startpos moves …`. Err: why it is none, and nothing has changed.
pub(super) fn position(table: &mut Table, text: &str) -> Result<(), String> {
    let (place, moves) = match text.split_once(" moves") {
        Some((place, moves)) => (place.trim(), moves),
        None => (text.trim(), ""),
    };
    let variant = table.offer.variant.clone();
    let start = match place.split_once(char::is_whitespace) {
        None if place == "startpos" => "",
        Some(("fen", fen)) => fen.trim(),
        _ => return Err(format!("`{place}` is neither `startpos` nor `fen` with a position")),
    };
    let (dialect, before) = (table.offer.dialect, table.saved());
    table.set_up(&variant, start)?;
    let played = moves.split_ascii_whitespace().try_for_each(|mv| {
        let own = dialect.to_game(mv).ok_or_else(|| format!("`{mv}` is no move"))?;
        table.revive();
        table.play(&own).map(drop)
    });
    table.revive();
    if played.is_err() {
        table.restore(before);
    }
    played
}

/// The value behind each of these words of a command; a word of `alone` has none.
pub(super) fn words<'t>(text: &'t str, alone: &[&str]) -> Vec<(&'t str, &'t str)> {
    let mut words = text.split_ascii_whitespace();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let value = if alone.contains(&word) { "" } else { words.next().unwrap_or_default() };
        found.push((word, value));
    }
    found
}

/// A whole number of at least 0; a negative time is none.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number.max(0)).ok(),
        Err(_) => None,
    }
}

/// Limits of nothing but wall time, where there are any.
pub(super) fn timed(call_us: Option<u64>, game_us: Option<u64>, more: Limits) -> Limits {
    let unit = if call_us.or(game_us).is_some() { Unit::Wall } else { Unit::Unlimited };
    Limits { unit, call_max: call_us, game_left: game_us, ..more }
}

/// The moves that are legal and not among these, in the program's words.
pub(super) fn all_but(table: &Table, only: &[&str]) -> Vec<String> {
    let dialect = table.offer.dialect;
    let only: Vec<String> = only.iter().filter_map(|mv| dialect.to_game(mv)).collect();
    let legal = table.legal();
    // To choose among none is to choose among all.
    if !legal.iter().any(|mv| only.contains(mv)) {
        return Vec::new();
    }
    legal.into_iter().filter(|mv| !only.contains(mv)).collect()
}

/// What is behind a score of a forced win or loss: in how many plies, and who wins.
pub(super) fn forced(score: i32) -> Option<(i32, bool)> {
    let plies = WIN_SCORE - score.abs();
    (plies <= FORCED).then_some((plies.max(0), score > 0))
}

/// The moves of a line in the program's words, each after a blank.
pub(super) fn moves_of(table: &Table, line: &Line) -> String {
    let dialect = table.offer.dialect;
    line.moves.split_ascii_whitespace().map(|mv| format!(" {}", dialect.to_program(mv))).collect()
}

/// An option as it is offered: its kind and range, in the order in which UCI has them.
pub(super) fn offered(table: &Table, spec: &OptionSpec) -> String {
    let initial = match table.value(spec) {
        "" => "<empty>",
        value => value,
    };
    match &spec.kind {
        Kind::Toggle => format!("type check default {initial}"),
        Kind::Whole(min, max) => format!("type spin default {initial} min {min} max {max}"),
        Kind::Pick(words) => {
            let all: String = words.iter().map(|word| format!(" var {word}")).collect();
            format!("type combo default {initial}{all}")
        }
        // Numbers that are not whole are texts to these protocols.
        Kind::Real(..) | Kind::Text(_) => format!("type string default {initial}"),
    }
}

/// A value as it comes; words for none at all stand for it.
pub(super) fn value_of(text: &str) -> &str {
    if text == "<empty>" { "" } else { text }
}

/// What to answer when the engine gives up, or takes a draw: some legal move.
pub(super) fn any_move(table: &Table) -> Option<String> {
    table.legal().into_iter().next()
}

/// A decision in the program's words; the second is what else is said of it.
pub(super) fn spoken(table: &Table, decided: Decided) -> (Option<String>, &'static str) {
    let say = |mv: String| table.offer.dialect.to_program(&mv);
    match decided {
        Decided::Play(mv) => (Some(say(mv)), ""),
        Decided::Resign => (any_move(table).map(say), "resign"),
        Decided::AcceptDraw => (any_move(table).map(say), "draw"),
    }
}
