//! Points that win at once or threaten to: the tactical moves. Works on whole
//! lines; each window of five points is tested for all its places at a time.

use super::board::Board;
use super::point::{Color, Direction, Point, PointSet, bits};
use super::rule::Rule;

/// The empty points of windows that `MISSING` stones of this colour turn into
/// a winning row.
pub(super) fn completing<const MISSING: u32>(board: &Board, rule: Rule, color: Color) -> PointSet {
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

/// The windows of five, named by their first point, that may win for what stands
/// just outside them. Where an overline does not win, this must not be a stone of
/// the same colour; where a blocked five does not, not an opponent's on both sides.
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

/// The empty points on which a stone stops at least one of these points from
/// winning for `color`: the points themselves, and where a blocked five does not
/// win, an end of the five to come, if its other end is blocked already.
pub(super) fn stopping(board: &Board, rule: Rule, color: Color, wins: &PointSet) -> PointSet {
    let mut stops = *wins;
    if !rule.blocked_five_wins() {
        for point in wins.iter() {
            if let Some(end) = end_that_stops(board, rule, color, point) {
                stops.insert(end);
            }
        }
    }
    stops
}

/// The end of the only five that a stone on a point makes, if a stone there
/// would block it.
fn end_that_stops(board: &Board, rule: Rule, color: Color, point: Point) -> Option<Point> {
    let mut with = board.clone();
    with.toggle(color, point);
    let makes_five = |direction: &Direction| {
        with.run(color, *direction, point) == 5 && !with.is_blocked_row(color, *direction, point)
    };
    let mut fives = Direction::ALL.into_iter().filter(makes_five);
    let (direction, None) = (fives.next()?, fives.next()) else { return None };
    let end = |step: i32| {
        let mut ends = (1..).map(|steps| point.step(direction, step * steps));
        ends.find(|end| end.is_none_or(|end| with.stone_at(end) != Some(color)))?
    };
    let [below, above] = [end(-1)?, end(1)?];
    let is_empty = |point: Point| with.contains(point) && with.stone_at(point).is_none();
    debug_assert!(!rule.blocked_five_wins());
    match (is_empty(below), is_empty(above)) {
        (true, false) if with.stone_at(above) == Some(color.other()) => Some(below),
        (false, true) if with.stone_at(below) == Some(color.other()) => Some(above),
        _ => None,
    }
}
