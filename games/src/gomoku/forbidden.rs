//! The points that renju forbids to black: what one more black stone makes, and
//! of threes whether they are any. After the rules of the Renju International
//! Federation (RIF, 1996), sections 3 and 9. Asks nothing about whose turn it is.
//!
//! A five wins, whatever else the stone makes. Else more than five in a row are
//! an overline. A four is four stones that one more black stone makes exactly
//! five; one line can hold two. A three is three stones that one more black
//! stone makes a straight four (open to a five at both ends): a stone that makes
//! no five and is not forbidden itself, which is the same question with one
//! stone more. So the questions end, in any position: each fills a point. How
//! many there are is another matter: see [`MOST_STONES`].

use super::board::Board;
use super::point::{Color, Direction, Point, bits};

/// How a black stone breaks the rules of renju.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Foul {
    /// More than five in a row.
    Overline,
    /// Two fours at once.
    DoubleFour,
    /// Two threes at once.
    DoubleThree,
}

impl Foul {
    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Foul::Overline => "overline",
            Foul::DoubleFour => "double-four",
            Foul::DoubleThree => "double-three",
        }
    }

    /// Why a game that it has ended is over.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Foul::Overline => "overline foul",
            Foul::DoubleFour => "double-four foul",
            Foul::DoubleThree => "double-three foul",
        }
    }
}

/// So many stones are thought of for one point; what is not answered then
/// counts as no three. The worst that hill climbing found takes 242 on a board
/// of 22 and 130 on one of 15, and no record of the fixtures takes 100; but
/// nothing proves that no board takes a billion, and this bounds the time for
/// any board, by some milliseconds.
const MOST_STONES: u32 = 1 << 15;

/// The foul that a black stone on an empty point would be.
#[inline]
pub(super) fn foul(board: &Board, point: Point) -> Option<Foul> {
    foul_within(board, point, MOST_STONES)
}

/// The same with another bound on the stones that are thought of.
#[inline]
pub(super) fn foul_within(board: &Board, point: Point, stones: u32) -> Option<Foul> {
    if !may_be_foul(board, point) {
        return None;
    }
    match Making::of(board, point) {
        Making::Five | Making::Nothing => None,
        Making::Foul(foul) => Some(foul),
        Making::Threes(threes) => {
            let mut inquiry = Inquiry { board: board.clone(), stones };
            inquiry.is_double_three(point, threes).then_some(Foul::DoubleThree)
        }
    }
}

/// The cheap first look: a foul takes two lines with two black stones each near
/// the point, or one with four.
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

/// For each direction the points that would make the three there a straight
/// four, as bits of [`Board::around`]; 0 where there is no three.
type Threes = [u32; 4];

/// What a black stone on an empty point makes, as far as that can be seen.
enum Making {
    Five,
    Foul(Foul),
    /// At least two lines that look like threes.
    Threes(Threes),
    Nothing,
}

impl Making {
    #[inline]
    fn of(board: &Board, point: Point) -> Making {
        let (mut overline, mut fours, mut threes) = (false, 0, [0; 4]);
        for (direction, three) in Direction::ALL.into_iter().zip(&mut threes) {
            let (own, empty) = board.around(Color::Black, direction, point);
            if own & own.wrapping_sub(1) == 0 {
                continue;
            }
            let sight = Sight { own: own | 1 << 5, empty: empty & !(1 << 5) };
            match sight.run() {
                5 => return Making::Five,
                6.. => overline = true,
                _ => {
                    fours += sight.fours();
                    *three = sight.straight_points();
                }
            }
        }
        if overline {
            Making::Foul(Foul::Overline)
        } else if fours >= 2 {
            Making::Foul(Foul::DoubleFour)
        } else if count(threes) >= 2 {
            Making::Threes(threes)
        } else {
            Making::Nothing
        }
    }
}

#[inline]
fn count(threes: Threes) -> usize {
    threes.into_iter().filter(|&points| points != 0).count()
}

/// A line as seen from a point on which a black stone is thought of. Bit 5 is
/// that point; windows of five are named by their first bit.
#[derive(Clone, Copy)]
struct Sight {
    own: u32,
    empty: u32,
}

impl Sight {
    /// How many stones stand in a row here.
    #[inline]
    fn run(self) -> u32 {
        (self.own >> 5).trailing_ones() + (self.own << 26).leading_ones() - 1
    }

    /// How many fours the stone is part of.
    #[inline]
    fn fours(self) -> u32 {
        let [o0, o1, o2, o3, o4] = [0, 1, 2, 3, 4].map(|cell| self.own >> cell);
        let gap = |cell: u32| self.empty >> cell;
        // Exactly five: no stone just outside. And the window holds the point.
        let open = !(self.own << 1 | self.own >> 5) & 0b11_1110;
        let low = open & gap(0) & o1 & o2 & o3 & o4;
        let high = open & gap(4) & o0 & o1 & o2 & o3;
        let middle = o0 & o4 & (gap(1) & o2 & o3 | o1 & gap(2) & o3 | o1 & o2 & gap(3));
        // A straight four is one four with two gaps: two windows, the same stones.
        let straight = low & high >> 1;
        (low | high | open & middle).count_ones() - straight.count_ones()
    }

    /// The empty points that would make the stone part of a straight four: four
    /// in a row, both ends empty, and no stone just beyond these.
    #[inline]
    fn straight_points(self) -> u32 {
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

/// Asks on, with more and more stones on a board of its own.
struct Inquiry {
    board: Board,
    /// How many more stones may be thought of.
    stones: u32,
}

impl Inquiry {
    /// Whether two of these threes are threes. The board is as it was afterwards.
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

    /// Whether one of these points can really be used.
    fn is_three(&mut self, point: Point, direction: Direction, points: u32) -> bool {
        bits(points).any(|bit| {
            let at = point.step(direction, i32::from(bit) - 5);
            at.is_some_and(|at| self.is_plain(at))
        })
    }

    /// Whether a stone here is allowed and makes no five.
    fn is_plain(&mut self, point: Point) -> bool {
        let Some(stones) = self.stones.checked_sub(1) else { return false };
        self.stones = stones;
        match Making::of(&self.board, point) {
            Making::Nothing => true,
            Making::Five | Making::Foul(_) => false,
            Making::Threes(threes) => !self.is_double_three(point, threes),
        }
    }
}
