//! The points that renju forbids to black: the fouls that a black stone there makes, and which
//! apparent threes are real. Follows the rules of the Renju International Federation (RIF, 1996),
//! sections 3 and 9. Ignores whose turn it is.
//!
//! A five wins, whatever else the stone makes. Otherwise more than five in a row are an overline. A
//! four is four stones that one more black stone makes exactly five; one line can hold two. A three
//! is three stones that one more black stone makes a straight four (open to a five at both ends).
//! That stone must make no five and must not be forbidden itself, which is the same question with
//! one more stone. The recursion ends in any position, because each step fills a point.
//! [`MAX_TRIAL_STONES`] limits the number of steps.

use super::board::Board;
use super::point::{Color, Direction, Point, bits};
use crate::messages;

/// A way in which a black stone breaks the rules of renju.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Foul {
    /// More than five stones in a row.
    Overline,
    /// Two fours made by one stone.
    DoubleFour,
    /// Two threes made by one stone.
    DoubleThree,
}

impl Foul {
    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Foul::Overline => "overline",
            Foul::DoubleFour => "double-four",
            Foul::DoubleThree => "double-three",
        }
    }

    /// The reason of a game that ended by this foul.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Foul::Overline => messages::OVERLINE_FOUL,
            Foul::DoubleFour => messages::DOUBLE_FOUR_FOUL,
            Foul::DoubleThree => messages::DOUBLE_THREE_FOUL,
        }
    }
}

/// Maximum number of trial stones per queried point; what is undecided then counts as no three.
/// Bounds the time for any board to some milliseconds. The worst case found by hill climbing takes
/// 288 stones on a board of 22 and 130 on one of 15, and no fixture takes 100. But there is no
/// proof that no board takes a billion.
const MAX_TRIAL_STONES: u32 = 1 << 15;

/// The foul that a black stone on an empty point would be.
#[inline]
pub(super) fn foul(board: &Board, point: Point) -> Option<Foul> {
    foul_within(board, point, MAX_TRIAL_STONES)
}

/// Like [`foul`], with a different limit of trial stones.
#[inline]
pub(super) fn foul_within(board: &Board, point: Point, stones: u32) -> Option<Foul> {
    if !may_be_foul(board, point) {
        return None;
    }
    match StoneEffect::of_stone(board, point) {
        StoneEffect::Five | StoneEffect::Nothing => None,
        StoneEffect::Foul(foul) => Some(foul),
        StoneEffect::Threes(threes) => {
            let mut search = ThreeSearch { board: board.clone(), stones };
            search.is_double_three(point, threes).then_some(Foul::DoubleThree)
        }
    }
}

/// A cheap pretest: a foul needs two lines with two black stones each near the point, or one with
/// four.
#[inline]
pub(super) fn may_be_foul(board: &Board, point: Point) -> bool {
    let mut lines = 0;
    for direction in Direction::ALL {
        let own = board.stones_around(Color::Black, direction, point);
        let but_one = own & own.wrapping_sub(1);
        if but_one != 0 {
            let but_two = but_one & (but_one - 1);
            let but_three = but_two & but_two.wrapping_sub(1);
            lines += 1 + u32::from(but_three != 0);
        }
    }
    lines >= 2
}

/// For each direction the points that would make the three there a straight four, as bits of
/// [`Board::around`]; 0 if there is no three.
type Threes = [u32; 4];

/// The effect of a black stone on an empty point, without recursion.
enum StoneEffect {
    Five,
    Foul(Foul),
    /// At least two lines that look like threes.
    Threes(Threes),
    Nothing,
}

impl StoneEffect {
    #[inline]
    fn of_stone(board: &Board, point: Point) -> StoneEffect {
        let (mut overline, mut fours, mut threes) = (false, 0, [0; 4]);
        for (direction, three) in Direction::ALL.into_iter().zip(&mut threes) {
            let (own, empty) = board.around(Color::Black, direction, point);
            if own & own.wrapping_sub(1) == 0 {
                continue;
            }
            let view = LineView { own: own | 1 << 5, empty: empty & !(1 << 5) };
            match view.run() {
                5 => return StoneEffect::Five,
                6.. => overline = true,
                _ => {
                    fours += view.fours();
                    *three = view.straight_four_points();
                }
            }
        }
        if overline {
            StoneEffect::Foul(Foul::Overline)
        } else if fours >= 2 {
            StoneEffect::Foul(Foul::DoubleFour)
        } else if count(threes) >= 2 {
            StoneEffect::Threes(threes)
        } else {
            StoneEffect::Nothing
        }
    }
}

#[inline]
fn count(threes: Threes) -> usize {
    threes.into_iter().filter(|&points| points != 0).count()
}

/// A line as seen from a point with a trial black stone. Bit 5 is that point; windows of five are
/// identified by their first bit.
#[derive(Clone, Copy)]
struct LineView {
    own: u32,
    empty: u32,
}

impl LineView {
    /// Number of stones in the row through the point.
    #[inline]
    fn run(self) -> u32 {
        (self.own >> 5).trailing_ones() + (self.own << 26).leading_ones() - 1
    }

    /// Number of fours that the stone is part of.
    #[inline]
    fn fours(self) -> u32 {
        let [o0, o1, o2, o3, o4] = [0, 1, 2, 3, 4].map(|cell| self.own >> cell);
        let gap = |cell: u32| self.empty >> cell;
        // Exactly five: no stone just outside. The window must contain the point.
        let open = !(self.own << 1 | self.own >> 5) & 0b11_1110;
        let low = open & gap(0) & o1 & o2 & o3 & o4;
        let high = open & gap(4) & o0 & o1 & o2 & o3;
        let middle = o0 & o4 & (gap(1) & o2 & o3 | o1 & gap(2) & o3 | o1 & o2 & gap(3));
        // A straight four is one four with two gaps: two windows with the same stones.
        let straight = low & high >> 1;
        (low | high | open & middle).count_ones() - straight.count_ones()
    }

    /// The empty points that would make the stone part of a straight four: four in a row, both ends
    /// empty, and no stone just beyond the ends.
    #[inline]
    fn straight_four_points(self) -> u32 {
        let [o0, o1, o2, o3] = [0, 1, 2, 3].map(|cell| self.own >> cell);
        let ends = self.empty << 1 & self.empty >> 4;
        let rows = ends & !(self.own << 2 | self.own >> 5) & 0b11_1100;
        let gap = |cell: u32| rows & self.empty >> cell;
        gap(0) & o1 & o2 & o3
            | (gap(1) & o0 & o2 & o3) << 1
            | (gap(2) & o0 & o1 & o3) << 2
            | (gap(3) & o0 & o1 & o2) << 3
    }
}

/// Recursive search for real threes, with trial stones on its own board.
struct ThreeSearch {
    board: Board,
    /// Number of trial stones that may still be used.
    stones: u32,
}

impl ThreeSearch {
    /// Whether two of these threes are real. Restores the board.
    fn is_double_three(&mut self, point: Point, threes: Threes) -> bool {
        self.board.toggle(Color::Black, point);
        let (mut found, mut left) = (0, count(threes));
        for (direction, points) in Direction::ALL.into_iter().zip(threes) {
            if found == 2 || found + left < 2 {
                break;
            }
            if points != 0 {
                left -= 1;
                found += usize::from(self.is_three(point, direction, points));
            }
        }
        self.board.toggle(Color::Black, point);
        found == 2
    }

    /// Whether one of these points can legally be played.
    fn is_three(&mut self, point: Point, direction: Direction, points: u32) -> bool {
        bits(points).any(|bit| {
            let at = point.step(direction, i32::from(bit) - 5);
            at.is_some_and(|at| self.is_allowed_without_five(at))
        })
    }

    /// Whether a stone here is allowed and makes no five.
    fn is_allowed_without_five(&mut self, point: Point) -> bool {
        let Some(stones) = self.stones.checked_sub(1) else { return false };
        self.stones = stones;
        match StoneEffect::of_stone(&self.board, point) {
            StoneEffect::Nothing => true,
            StoneEffect::Five | StoneEffect::Foul(_) => false,
            StoneEffect::Threes(threes) => !self.is_double_three(point, threes),
        }
    }
}
