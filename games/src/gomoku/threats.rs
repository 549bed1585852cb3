//! Tactical points: those that win at once or threaten to. Works on whole lines and tests each
//! window of five points at all positions at once.

use super::board::Board;
use super::point::{Color, Direction, Point, PointSet, bits};
use super::rule::Rule;

/// The empty points of windows that `MISSING` stones of this colour complete to a winning row.
pub(super) fn completing_points<const MISSING: u32>(
    board: &Board,
    rule: Rule,
    color: Color,
) -> PointSet {
    let mut points = PointSet::default();
    for direction in Direction::ALL {
        for number in board.long_lines(direction) {
            if board.stones_on(color, number).count_ones() + MISSING < 5 {
                continue;
            }
            let (own, empty) = board.own_and_empty(color, number);
            let open = open_windows(board, rule, color, number);
            let found = completing_in_line::<MISSING>(own, empty, open);
            for bit in bits(found) {
                points.insert(board.point_on(direction, number, bit));
            }
        }
    }
    points
}

/// The windows of five, by first point, that can win given the stones just outside them. Where an
/// overline does not win, no own stone may be there. Where a blocked five does not win, opponent's
/// stones may not be on both sides.
#[inline]
fn open_windows(board: &Board, rule: Rule, color: Color, number: usize) -> u32 {
    let mut open = !0;
    if !rule.overline_wins(color) {
        let own = board.stones_on(color, number);
        open &= !(own << 1 | own >> 5);
    }
    if !rule.blocked_five_wins() {
        let other = board.stones_on(color.other(), number);
        open &= !(other << 1 & other >> 5);
    }
    open
}

fn completing_in_line<const MISSING: u32>(own: u32, empty: u32, open: u32) -> u32 {
    let mut points = 0;
    for gaps in (1..32u32).filter(|gaps| gaps.count_ones() == MISSING) {
        let is_gap = |cell: u32| gaps >> cell & 1 == 1;
        let word = |cell| if is_gap(cell) { empty } else { own };
        let windows = (0..5).fold(open, |windows, cell| windows & word(cell) >> cell);
        for cell in (0..5).filter(|&cell| is_gap(cell)) {
            points |= windows << cell;
        }
    }
    points
}

/// The empty points where a stone stops at least one of these points from winning for `color`: the
/// points themselves, and where a blocked five does not win, an end of the resulting five whose
/// other end is already blocked.
pub(super) fn blocking_points(
    board: &Board,
    rule: Rule,
    color: Color,
    wins: &PointSet,
) -> PointSet {
    let mut blocking = *wins;
    if !rule.blocked_five_wins() {
        for point in wins.iter() {
            if let Some(end) = blocking_end(board, rule, color, point) {
                blocking.insert(end);
            }
        }
    }
    blocking
}

/// The end of the only five that a stone on `point` makes, if a stone there would block it.
fn blocking_end(board: &Board, rule: Rule, color: Color, point: Point) -> Option<Point> {
    let mut after = board.clone();
    after.toggle(color, point);
    let makes_five = |direction: &Direction| {
        after.run(color, *direction, point) == 5 && !after.is_blocked_row(color, *direction, point)
    };
    let mut fives = Direction::ALL.into_iter().filter(makes_five);
    let (direction, None) = (fives.next()?, fives.next()) else { return None };
    let end = |step: i32| {
        let mut ends = (1..).map(|steps| point.step(direction, step * steps));
        ends.find(|end| end.is_none_or(|end| after.stone_at(end) != Some(color)))?
    };
    let [below, above] = [end(-1)?, end(1)?];
    let is_empty = |point: Point| after.contains(point) && after.stone_at(point).is_none();
    debug_assert!(!rule.blocked_five_wins());
    match (is_empty(below), is_empty(above)) {
        (true, false) if after.stone_at(above) == Some(color.other()) => Some(below),
        (false, true) if after.stone_at(below) == Some(color.other()) => Some(above),
        _ => None,
    }
}
