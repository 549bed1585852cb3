//! Rules of any kind: up to 16 seats, chance, hidden information, and seats that decide at the same
//! time. Contains no rule of any particular game.
//!
//! Two-sided games of perfect information implement [`Rules`](crate::Rules), which is made for
//! searches; [`TwoSided`] makes [`GeneralRules`] of them. The notions are those of OpenSpiel (M.
//! Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019): chance
//! nodes, simultaneous nodes, observations and returns.

mod game;
mod seat_set;
mod transcripts;
mod two_sided;

use std::fmt;
use std::hash::Hash;

use crate::board::Board;
use crate::ending::Ending;
use crate::info::{GameInfo, Variant};
use crate::phase::Phase;
use crate::rules::{PositionError, Seat, Side};
use crate::splitmix::SplitMix64;

pub use game::GeneralGame;
pub use seat_set::SeatSet;
pub use transcripts::{Choices, LegalMoves, Transcripts, step};
pub use two_sided::TwoSided;

/// Who moves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// These seats, at the same time if there are several: a step. A seat that has moved leaves the
    /// set.
    Seats(SeatSet),
    /// Chance, with one of the outcomes of [`GeneralRules::chance`].
    Chance,
    /// The game is over.
    Over,
}

/// Who makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The player at a seat.
    Seat(Seat),
    /// Chance: dice, or the deal of a card.
    Chance,
}

/// Who sees a position or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observer {
    /// The player at a seat.
    Seat(Seat),
    /// A person without a seat.
    Spectator,
    /// Sees everything, such as a reader of a finished game. The whole position is its view.
    Everything,
}

/// The rules of a game of any kind. A value is a position, with all that is hidden.
///
/// # Hidden information
/// An observer knows the view of the position ([`write_view`](Self::write_view)), and how each move
/// looked to it ([`write_seen`](Self::write_seen)). Nothing else leaves the referee while the game
/// is in progress. Two positions that differ only in what an observer may not know have the same
/// view for it, and moves look the same to it.
///
/// # Seats that decide at the same time
/// The referee asks all of them before it plays a move. It then plays their moves in the order of
/// the seats, and only after the last one tells observers how each of them looked in the position
/// before the first. So the legal moves of a seat do not depend on what the others chose in the
/// same step.
pub trait GeneralRules: Clone + fmt::Debug + Send + Sync + 'static {
    /// A move of a seat, or an outcome of chance.
    type Move: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// This game's row in the table of games.
    const INFO: &'static GameInfo;

    /// The start position of a variant.
    fn start(variant: &Variant) -> Self;

    /// Reads the text of a whole position, with all that is hidden. If the variant names no size,
    /// the text determines it. The error lists all faults of the text.
    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError>;

    /// The variant, including the actual board size.
    fn variant(&self) -> Variant;

    /// The number of seats of the variant, see [`GameInfo::seats_of`].
    fn seats(&self) -> u8 {
        Self::INFO.seats_of(&self.variant())
    }

    /// This position as the start of a game: without the moves played before, and with history
    /// counters reset.
    fn without_history(&self) -> Self {
        self.clone()
    }

    /// The side of a seat: the seats that win or lose together. Default: each seat is a side of its
    /// own.
    fn side(seat: Seat) -> Side {
        Side(seat.0)
    }

    /// The current name of a side that has a seat in the variant: the colour it plays, one of
    /// [`GameInfo::sides_of`].
    fn side_name(&self, side: Side) -> &'static str {
        Self::INFO.sides[usize::from(side.0)]
    }

    /// Who moves next.
    fn next(&self) -> Next;

    /// The seat that moves next, the lowest of several; after the end of the game the seat that
    /// would have moved. Default: seat 0 if no seat moves next.
    fn to_move(&self) -> Seat {
        self.next().seats().lowest().unwrap_or(Seat(0))
    }

    /// The kind of decision that comes next.
    fn phase(&self) -> Phase {
        Phase::Play
    }

    /// What the mover must choose, for people, in one sentence without a full stop. `None` in
    /// ordinary play. It is the same for all positions that differ only in what is hidden. Clients
    /// show it beside the board, so the board does not repeat it.
    fn prompt(&self) -> Option<String> {
        None
    }

    /// Appends the legal moves of a seat, in a fixed order: at least one if the seat is to move,
    /// else none. After an end by adjudication ([`GameInfo::adjudicates`]) the moves of the seat
    /// that would have moved may be listed.
    fn generate(&self, seat: Seat, out: &mut Vec<Self::Move>);

    /// The number of legal moves of the seat that moves next, where
    /// [`nth_move`](Self::nth_move) finds each of them without a list. Default: `None`.
    fn count_moves(&self, _seat: Seat) -> Option<usize> {
        None
    }

    /// The move with this index in the list of [`generate`](Self::generate); `None` if there are
    /// fewer. Called only where [`count_moves`](Self::count_moves) returns a number. For random
    /// games.
    fn nth_move(&self, _seat: Seat, _number: usize) -> Option<Self::Move> {
        None
    }

    /// Appends the outcomes of chance with their weights, in a fixed order: at least one if chance
    /// is next, else none. The probability of an outcome is its weight, at least 1, divided by the
    /// sum of all weights. Default: none.
    fn chance(&self, _out: &mut Vec<(Self::Move, u32)>) {}

    /// Plays a move that [`generate`](Self::generate), [`chance`](Self::chance) or
    /// [`parse_move`](Self::parse_move) has returned in this position for this actor. Any other
    /// move is a bug of the caller: it may panic or corrupt the position, but causes no undefined
    /// behaviour.
    fn play(&mut self, actor: Actor, mv: &Self::Move);

    /// The result of each seat, or `None` while the game is in progress.
    fn ending(&self) -> Option<Ending>;

    /// Appends the scores of [`ending`](Self::ending); nothing while the game is in progress. For
    /// random games, where an override may save the allocations of an [`Ending`].
    fn append_scores(&self, out: &mut Vec<i32>) {
        out.extend(self.ending().into_iter().flat_map(|ending| ending.scores));
    }

    /// Appends the text of the whole position, with all that is hidden.
    fn write_position(&self, out: &mut String);

    /// Appends the text of the position as an observer other than [`Observer::Everything`] sees
    /// it. Default: the whole position, as in games of perfect information.
    fn write_view(&self, _observer: Observer, out: &mut String) {
        self.write_position(out);
    }

    /// The board as data, as an observer sees it. `last` is the move that led to the position; what
    /// the observer may not know of it is left out. Moves are listed only for a seat to move, and
    /// for a spectator of a game of perfect information. Default: none.
    fn board(&self, _observer: Observer, _last: Option<&Self::Move>) -> Option<Board> {
        None
    }

    /// Appends the text of a move in the position before it. It contains no white space, and
    /// differs between the moves of one actor.
    fn write_move(&self, actor: Actor, mv: &Self::Move, out: &mut String);

    /// Appends a legal move in the notation that people write in files, such as SAN in chess.
    /// [`parse_move`](Self::parse_move) reads it. Default: nothing, and the text of the move is
    /// used.
    fn write_notation(&self, _actor: Actor, _mv: &Self::Move, _out: &mut String) {}

    /// Appends the text of a move as an observer other than [`Observer::Everything`] sees it, in
    /// the position before it, or before the first move of its step; nothing if the observer does
    /// not notice the move. Default: the whole text, as in games of perfect information.
    fn write_seen(&self, _observer: Observer, actor: Actor, mv: &Self::Move, out: &mut String) {
        self.write_move(actor, mv, out);
    }

    /// Reads the text of a legal move, a foul or an outcome of chance. The error is one sentence
    /// that fits after "`text` is refused: ". Default: compares it with the texts of all legal
    /// moves or outcomes.
    fn parse_move(&self, actor: Actor, text: &str) -> Result<Self::Move, String> {
        let mut moves = Vec::new();
        match actor {
            Actor::Seat(seat) => self.generate(seat, &mut moves),
            Actor::Chance => {
                let mut outcomes = Vec::new();
                self.chance(&mut outcomes);
                moves.extend(outcomes.into_iter().map(|(mv, _)| mv));
            }
        }
        let mut written = String::new();
        let found = moves.into_iter().find(|mv| {
            written.clear();
            self.write_move(actor, mv, &mut written);
            written == text
        });
        found.ok_or_else(|| match self.next() {
            Next::Over => "the game is over".into(),
            _ => "it is not a legal move".into(),
        })
    }

    /// Appends a text diagram of the position as an observer sees it, in lines that end with `\n`.
    /// Default: the view, or for [`Observer::Everything`] the position, in one line.
    fn write_diagram(
        &self,
        observer: Observer,
        _last: Option<(Actor, Self::Move)>,
        out: &mut String,
    ) {
        match observer {
            Observer::Everything => self.write_position(out),
            observer => self.write_view(observer, out),
        }
        out.push('\n');
    }
}

/// Draws one of these outcomes of chance, each with the probability `weight / sum of all weights`,
/// up to 2⁻³². `None` if there is no outcome with a weight.
pub fn draw<'a, M>(outcomes: &'a [(M, u32)], random: &mut SplitMix64) -> Option<&'a M> {
    let sum: u64 = outcomes.iter().map(|(_, weight)| u64::from(*weight)).sum();
    // The product has at most 128 bits.
    let mut number = ((u128::from(random.next_u64()) * u128::from(sum)) >> 64) as u64;
    for (outcome, weight) in outcomes {
        match number.checked_sub(u64::from(*weight)) {
            Some(rest) => number = rest,
            None => return Some(outcome),
        }
    }
    None
}

#[cfg(test)]
mod tests;
