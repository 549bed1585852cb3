//! The position hash, computed from the words of the board on demand. A move flips discs all over
//! the board, so mixing two words is cheaper than updating a key per disc. The numbers are the same
//! in every build.

use super::board::Board;
use super::square::{Color, Square};
use crate::splitmix;

/// Odd pseudo-random multipliers: outputs of splitmix64 (Steele, Lea and Flood 2014,
/// <https://prng.di.unimi.it/splitmix64.c>).
const OWN: u64 = splitmix::output(0, 1) | 1;
const OPPONENT: u64 = splitmix::output(0, 2) | 1;
const BOTH: u64 = splitmix::output(0, 3) | 1;
const WHITE: u64 = splitmix::output(0, 4);

/// The hash of a board with this colour to move.
#[inline]
pub(super) fn hash(board: &Board, mover: Color) -> u64 {
    let turn = if mover == Color::White { WHITE } else { 0 };
    let key = match board {
        Board::Eight(eight) => mix(eight.own, eight.opponent),
        Board::Wide(wide) => {
            let (own, opponent) = wide.words();
            let size = splitmix::output(0, u64::from(board.size()) << 32);
            let word = |key: u64, at: usize| mix(key ^ own[at], key ^ opponent[at]);
            (0..4).fold(size, word)
        }
    };
    key ^ turn
}

/// Mixes two words into one; each output bit depends on all input bits.
#[inline]
fn mix(own: u64, opponent: u64) -> u64 {
    let key = own.wrapping_mul(OWN) ^ opponent.wrapping_mul(OPPONENT).rotate_left(32);
    let key = (key ^ key >> 29).wrapping_mul(BOTH);
    key ^ key >> 32
}

/// The smallest hash of the eight symmetric boards.
pub(super) fn symmetric_hash(board: &Board, mover: Color) -> u64 {
    let last = board.size() - 1;
    let transformed = |turn: u8| {
        let map = |square: Square| {
            let (column, row) = (square.column(), square.row());
            let column = if turn & 1 == 0 { column } else { last - column };
            let row = if turn & 2 == 0 { row } else { last - row };
            let (column, row) = if turn & 4 == 0 { (column, row) } else { (row, column) };
            Square::at(row << 4 | column)
        };
        let discs = |color: Color| {
            let here = move |square: &Square| board.disc_at(*square, mover) == Some(color);
            squares(board.size()).filter(here).map(map)
        };
        hash(&Board::new(board.size(), discs(mover), discs(mover.other())), mover)
    };
    (0..8).map(transformed).min().unwrap_or(0)
}

/// All squares of a board of this size, in order.
pub(super) fn squares(size: u8) -> impl Iterator<Item = Square> {
    (0..size).flat_map(move |row| (0..size).map(move |column| Square::at(row << 4 | column)))
}
