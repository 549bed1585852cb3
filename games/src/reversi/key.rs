//! The hash of a position: made of the words of the board whenever it is asked for.
//! A move flips discs all over the board; to mix two words costs less than to keep
//! a number for every disc. The same numbers in every build.

use super::board::Board;
use super::square::{Color, Square};
use crate::splitmix::splitmix;

/// Odd numbers without pattern: outputs of splitmix64 (Steele, Lea and Flood 2014,
/// <https://prng.di.unimi.it/splitmix64.c>).
const OWN: u64 = splitmix(1) | 1;
const OPPONENT: u64 = splitmix(2) | 1;
const BOTH: u64 = splitmix(3) | 1;
const WHITE: u64 = splitmix(4);

/// The key of a board on which this colour moves.
#[inline]
pub(super) fn of(board: &Board, mover: Color) -> u64 {
    let turn = if mover == Color::White { WHITE } else { 0 };
    let key = match board {
        Board::Eight(eight) => mixed(eight.own, eight.opponent),
        Board::Wide(wide) => {
            let (own, opponent) = wide.words();
            let size = splitmix(u64::from(board.size()) << 32);
            let word = |key: u64, at: usize| mixed(key ^ own[at], key ^ opponent[at]);
            (0..4).fold(size, word)
        }
    };
    key ^ turn
}

/// Two words in one, each bit of which depends on all of them.
#[inline]
fn mixed(own: u64, opponent: u64) -> u64 {
    let key = own.wrapping_mul(OWN) ^ opponent.wrapping_mul(OPPONENT).rotate_left(32);
    let key = (key ^ key >> 29).wrapping_mul(BOTH);
    key ^ key >> 32
}

/// The least key of the eight boards that turns and reflections make of this one.
pub(super) fn symmetric(board: &Board, mover: Color) -> u64 {
    let last = board.size() - 1;
    let turned = |turn: u8| {
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
        of(&Board::new(board.size(), discs(mover), discs(mover.other())), mover)
    };
    (0..8).map(turned).min().unwrap_or(0)
}

/// Every square of a board of this size, in their order.
pub(super) fn squares(size: u8) -> impl Iterator<Item = Square> {
    (0..size).flat_map(move |row| (0..size).map(move |column| Square::at(row << 4 | column)))
}
