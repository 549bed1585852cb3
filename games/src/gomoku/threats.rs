//! Points that win at once or threaten to: the tactical moves. Works on whole
//! lines; each window of five points is tested for all its places at a time.

use super::board::Board;
use super::point::{Color, Direction, PointSet, bits};
use super::rule::Rule;

/// The empty points of windows that `MISSING` stones of this colour turn into
/// a winning row.
pub(super) fn completing<const MISSING: u32>(board: &Board, rule: Rule, color: Color) -> PointSet {
    let overline_wins = rule.overline_wins(color);
    let mut points = PointSet::default();
    for direction in Direction::ALL {
        for number in board.long_lines(direction) {
            if board.stones_on(color, number).count_ones() + MISSING < 5 {
                continue;
            }
            let (own, empty) = board.own_and_empty(color, number);
            let found = completing_in_line::<MISSING>(own, empty, overline_wins);
            for bit in bits(found) {
                points.insert(board.point_on(direction, number, bit));
            }
        }
    }
    points
}

/// Windows are named by their first point. Where an overline does not win, the
/// points just outside the window must not be of the same colour.
fn completing_in_line<const MISSING: u32>(own: u32, empty: u32, overline_wins: bool) -> u32 {
    let apart = if overline_wins { !0 } else { !(own << 1 | own >> 5) };
    let mut points = 0;
    for gaps in (1..32u32).filter(|gaps| gaps.count_ones() == MISSING) {
        let is_gap = |cell: u32| gaps >> cell & 1 == 1;
        let word = |cell| if is_gap(cell) { empty } else { own };
        let windows = (0..5).fold(apart, |windows, cell| windows & word(cell) >> cell);
        for cell in (0..5).filter(|&cell| is_gap(cell)) {
            points |= windows << cell;
        }
    }
    points
}
