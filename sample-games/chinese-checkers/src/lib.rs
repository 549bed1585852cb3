//! Chinese checkers (Stern-Halma) for two, three, four or six players, each for itself, with ten
//! pieces each on the star of 121 holes.
//!
//! # Rules
//! They are those of Masters Traditional Games ("The Rules of Chinese Checkers",
//! <https://www.mastersgames.com/rules/chinese-checkers-rules.htm>), except for the two rules that
//! have their own source or reason below.
//!
//! - **Triangles.** Two players begin in opposite triangles, three in every other one, four in two
//!   pairs of opposite ones, six in all. Triangles without a player are empty. The players move in
//!   turn, clockwise. Each wants to bring its pieces into the triangle opposite its own.
//! - **Moves.** A piece goes to an empty hole beside it; or it jumps over a piece beside it, of any
//!   player, into the empty hole behind, and may go on jumping. Nothing is captured.
//! - **Foreign triangles.** A piece may pass through every triangle, and rest in it. A piece in its
//!   target triangle stays there: it moves and jumps only within it.
//! - **Blocking.** A player has arrived as soon as its target triangle is full and at least one
//!   piece in it is its own. So a player that leaves pieces at home cannot prevent this. Masters
//!   Traditional Games lets the other player exchange the pieces in place of this; that a full
//!   triangle wins is the choice of other descriptions
//!   (<https://htfbw.com/games-cards/Board-Games/38888.shtml>). It needs no further kind of move.
//!   Whether a triangle is full is checked after every move: for the player that moved, then for
//!   the others in the order of play.
//! - **No move.** A player without a move passes. It may not pass otherwise.
//! - **Places.** A player that has arrived moves no more. The game goes on until all players but
//!   one have arrived.
//! - **Limit.** Rules for people leave it to the players to make progress. Here the game ends after
//!   200 plies for each player. Players that have not arrived by then are placed by the number of
//!   their pieces in the target triangle; equal numbers share a place.
//!
//! The score of a player is the number of players placed behind it minus the number of those placed
//! before it: 1 and -1 for two, 2, 0 and -2 for three, and so on. All scores add up to 0.
//!
//! # Texts
//! A hole has the letter of its column and its row from the top: `m1` is the upper point of the
//! star, `e17` the lower one. A move has the holes in which the piece begins and ends, `e14-e13`.
//! It does not name the holes between: different jumps to one hole are one move.
//!
//! A position text has four parts, with spaces between: the 17 rows from the top, with a letter for
//! a piece and a number for empty holes in a row; the player to move, or `-` after the end; the
//! number of plies; the players that have arrived, in their order, or `-`. The start of two players
//! is `b/bb/bbb/bbbb/13/12/11/10/9/10/11/12/13/rrrr/rrr/rr/r r 0 -`.
#![forbid(unsafe_code)]

mod board;
mod moves;
mod star;
mod text;

use std::array;
use std::cmp::Reverse;

use sandboard_game_sdk::games::board::Board;
use sandboard_game_sdk::games::general::{Actor, GeneralRules, Next, Observer, SeatSet};
use sandboard_game_sdk::games::{
    Ending, Features, GameInfo, PositionError, Seat, Variant, VariantInfo,
};

use star::{HOLES, TRIANGLE_HOLES, TRIANGLES};

pub use moves::Move;

/// The most players.
const SEATS: usize = 6;
/// The plies of a game for each player.
const PLIES_OF_SEAT: u16 = 200;

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of_general::<ChineseCheckers>(
    "chinese-checkers",
    "Chinese Checkers",
    &["red", "blue", "green", "yellow", "purple", "white"],
    Features::NONE,
    &[
        // The default, since a match of two players is the most usual one.
        VariantInfo::of_one_size("two", "two players in opposite triangles").with_seats(2),
        VariantInfo::of_one_size("three", "three players in every other triangle").with_seats(3),
        VariantInfo::of_one_size("four", "four players in two pairs of opposite triangles")
            .with_seats(4),
        VariantInfo::of_one_size("six", "six players in all triangles").with_seats(6),
    ],
    "the hole of a piece and where it goes, such as e14-e13; or pass",
);

/// A position: the pieces, who is to move, and who has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChineseCheckers {
    variant: Variant,
    /// The number of players.
    count: u8,
    /// The seat whose piece is in each hole.
    holes: [Option<u8>; HOLES],
    /// The seat to move; 0 after the end.
    to_move: u8,
    plies: u16,
    /// The seats that have arrived, in this order.
    arrived: Vec<u8>,
}

impl ChineseCheckers {
    fn empty(variant: &Variant) -> Self {
        let (variant, count) = (variant.clone(), INFO.seats_of(variant));
        let holes = [None; HOLES];
        Self { variant, count, holes, to_move: 0, plies: 0, arrived: Vec::new() }
    }

    /// The triangle in which a seat begins.
    fn home_of(&self, seat: u8) -> usize {
        let homes: &[usize] = match self.count {
            2 => &[0, 3],
            3 => &[0, 2, 4],
            4 => &[0, 1, 3, 4],
            _ => &[0, 1, 2, 3, 4, 5],
        };
        homes[usize::from(seat)]
    }

    /// The triangle that a seat wants to fill.
    fn target_of(&self, seat: u8) -> usize {
        (self.home_of(seat) + TRIANGLES / 2) % TRIANGLES
    }

    /// The number of pieces of each seat in the target triangle of `seat`.
    fn pieces_in_target(&self, seat: u8) -> [usize; SEATS] {
        let (mut pieces, target) = ([0; SEATS], self.target_of(seat));
        for (hole, owner) in (0..).zip(&self.holes) {
            if let Some(owner) = owner.filter(|_| star::triangle_of(hole) == Some(target)) {
                pieces[usize::from(owner)] += 1;
            }
        }
        pieces
    }

    /// Whether the target triangle of a seat is full, with a piece of its own in it.
    fn has_full_target(&self, seat: u8) -> bool {
        let pieces = self.pieces_in_target(seat);
        pieces[usize::from(seat)] > 0 && pieces.iter().sum::<usize>() == TRIANGLE_HOLES
    }

    fn has_arrived(&self, seat: u8) -> bool {
        self.arrived.contains(&seat)
    }

    /// Adds the seats that have just arrived, beginning with the seat that moved.
    fn note_arrivals(&mut self, mover: u8) {
        for step in 0..self.count {
            let seat = (mover + step) % self.count;
            if !self.has_arrived(seat) && self.has_full_target(seat) {
                self.arrived.push(seat);
            }
        }
    }

    fn plies_max(&self) -> u16 {
        PLIES_OF_SEAT * u16::from(self.count)
    }

    /// Whether all seats but one have arrived.
    fn is_decided(&self) -> bool {
        self.arrived.len() + 1 >= usize::from(self.count)
    }

    fn is_over(&self) -> bool {
        self.is_decided() || self.plies >= self.plies_max()
    }

    /// The score of each seat after the end.
    fn scores(&self) -> Vec<i32> {
        // A larger value is a better place.
        let value = |seat: u8| match self.arrived.iter().position(|arrived| *arrived == seat) {
            Some(index) => (true, Reverse(index), 0),
            None => (false, Reverse(0), self.pieces_in_target(seat)[usize::from(seat)]),
        };
        let values: [_; SEATS] = array::from_fn(|seat| {
            let is_seat = seat < usize::from(self.count);
            is_seat.then(|| value(seat as u8))
        });
        let values = &values[..self.count.into()];
        let score = |own: &_| {
            let behind = values.iter().filter(|other| *other < own).count() as i32;
            behind - values.iter().filter(|other| *other > own).count() as i32
        };
        values.iter().map(score).collect()
    }
}

impl GeneralRules for ChineseCheckers {
    type Move = Move;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        let mut position = Self::empty(variant);
        for seat in 0..position.count {
            let home = Some(position.home_of(seat));
            for hole in (0..HOLES).filter(|hole| star::triangle_of(*hole as u8) == home) {
                position.holes[hole] = Some(seat);
            }
        }
        position
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        text::read(variant, text)
    }

    fn variant(&self) -> Variant {
        self.variant.clone()
    }

    fn next(&self) -> Next {
        match self.is_over() {
            true => Next::Over,
            false => Next::Seats(SeatSet::one(Seat(self.to_move))),
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<Move>) {
        if self.next().has_seat(seat) {
            moves::generate(self, seat.0, out);
        }
    }

    fn play(&mut self, actor: Actor, mv: &Move) {
        if let Move::Piece { from, to } = *mv {
            self.holes[usize::from(to)] = self.holes[usize::from(from)].take();
        }
        let Actor::Seat(Seat(mover)) = actor else { return };
        self.plies += 1;
        self.note_arrivals(mover);
        let mut later = (1..=self.count).map(|step| (mover + step) % self.count);
        let next = later.find(|seat| !self.has_arrived(*seat) && !self.is_over());
        self.to_move = next.unwrap_or(0);
    }

    fn ending(&self) -> Option<Ending> {
        let reason = match (self.is_decided(), self.count) {
            (true, 2) => "the target triangle is full",
            (true, _) => "all places are decided",
            (false, _) => "the limit of 200 plies for each player",
        };
        self.is_over().then(|| Ending { scores: self.scores(), reason: reason.into() })
    }

    fn write_position(&self, out: &mut String) {
        text::write(self, out);
    }

    fn board(&self, observer: Observer, last: Option<&Move>) -> Option<Board> {
        Some(board::of(self, observer, last))
    }

    fn write_move(&self, _actor: Actor, mv: &Move, out: &mut String) {
        out.push_str(&mv.to_string());
    }

    fn parse_move(&self, actor: Actor, text: &str) -> Result<Move, String> {
        moves::read(self, actor, text)
    }
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_general_game!(ChineseCheckers);

#[cfg(test)]
mod tests;
