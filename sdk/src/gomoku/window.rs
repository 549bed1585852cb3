//! Windows of five points: which stones are in the windows around a point, and
//! tables of what such a window is worth. A window with stones of one colour
//! can still become that colour's five; one with both can become nobody's.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Point};

/// How many windows can be told apart: five points of each colour's stones, and
/// for each colour whether a stone of it just outside spoils the window.
pub(super) const KINDS: usize = 1 << 12;

/// Whose five a window can still become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// Nobody's.
    Dead,
    /// Either colour's that is marked, black first: there is no stone in it.
    Empty([bool; 2]),
    /// This colour's, which has so many stones in it.
    Of(Color, u32),
}

impl Window {
    /// The window of this number.
    fn of(number: usize) -> Window {
        let black = (number & 31).count_ones();
        let white = (number >> 5 & 31).count_ones();
        let spoilt = [number >> 10 & 1 == 1, number >> 11 & 1 == 1];
        match (black, white) {
            (0, 0) => Window::Empty(spoilt.map(|spoilt| !spoilt)),
            (stones, 0) if !spoilt[0] => Window::Of(Color::Black, stones),
            (0, stones) if !spoilt[1] => Window::Of(Color::White, stones),
            _ => Window::Dead,
        }
    }
}

/// A value for every number of a window.
pub(super) fn table<T: Copy + Default>(value: impl Fn(Window) -> T) -> Box<[T; KINDS]> {
    let mut table = vec![T::default(); KINDS].into_boxed_slice();
    for (number, entry) in table.iter_mut().enumerate() {
        *entry = value(Window::of(number));
    }
    table.try_into().unwrap_or_else(|_| unreachable!("it was made that long"))
}

/// The 13 points of a line around one in the middle, at bit 6. Off the board
/// both colours stand everywhere, so that no window reaches out there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    stones: [u32; 2],
    /// The stones that spoil a window when they are just outside of it.
    spoilers: [u32; 2],
}

/// The middle point.
const MIDDLE: u32 = 6;

impl Segment {
    #[inline]
    pub(super) fn around(position: &Gomoku, direction: Direction, point: Point) -> Segment {
        let lines = Color::ALL.map(|color| position.line(color, direction, point));
        let off_board = u64::MAX << (lines[0].length + MIDDLE) | ((1 << MIDDLE) - 1);
        let own = lines.map(|line| u64::from(line.bits) << MIDDLE);
        let stones = own.map(|own| ((own | off_board) >> lines[0].at) as u32);
        let spoils = |color| !position.rule().overline_wins(color);
        let spoilers = Color::ALL.map(|color| match spoils(color) {
            true => (own[color.index()] >> lines[0].at) as u32,
            false => 0,
        });
        Segment { stones, spoilers }
    }

    /// The same with the stone in the middle put there, or taken away.
    #[inline]
    pub(super) fn toggled(mut self, position: &Gomoku, color: Color) -> Segment {
        self.stones[color.index()] ^= 1 << MIDDLE;
        let spoils = !position.rule().overline_wins(color);
        self.spoilers[color.index()] ^= u32::from(spoils) << MIDDLE;
        self
    }

    /// The number of the window that begins at a bit, not the lowest.
    #[inline]
    pub(super) fn number(&self, first: u32) -> usize {
        let [black, white] = self.stones.map(|stones| stones >> first & 31);
        let spoilt = |stones: u32| (stones >> (first - 1) | stones >> (first + 5)) & 1;
        let [black_spoilt, white_spoilt] = self.spoilers.map(spoilt);
        (black | white << 5 | black_spoilt << 10 | white_spoilt << 11) as usize
    }
}

/// The windows, by their first bit, that a stone in the middle of a segment
/// changes: the five with that point, and the two beside it where the point
/// just outside counts.
#[inline]
pub(super) fn touched(position: &Gomoku) -> std::ops::RangeInclusive<u32> {
    let all_overlines_win = Color::ALL.iter().all(|&color| position.rule().overline_wins(color));
    if all_overlines_win { MIDDLE - 4..=MIDDLE } else { MIDDLE - 5..=MIDDLE + 1 }
}

/// The steps from the middle to the first point of the window at a bit.
#[inline]
pub(super) fn offset(first: u32) -> i32 {
    first as i32 - MIDDLE as i32
}

/// Calls with every window of the board: direction, first point and number.
pub(super) fn all(position: &Gomoku, mut with: impl FnMut(Direction, Point, usize)) {
    for (direction, first) in position.lines() {
        let length = position.line(Color::Black, direction, first).length;
        for steps in 0..=length as i32 - 5 {
            let Some(point) = first.step(direction, steps) else { continue };
            let number = Segment::around(position, direction, point).number(MIDDLE);
            with(direction, point, number);
        }
    }
}
