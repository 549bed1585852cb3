//! Windows of five points: the stones in the windows around a point, and tables of values by
//! window. A window with stones of one colour can still become that colour's five; one with stones
//! of both colours is dead.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Point};

/// The number of different windows: five bits for each colour's stones, and one bit for each colour
/// that has a spoiling stone next to the window.
pub(super) const WINDOW_CODES: usize = 1 << 12;

/// Which colour can still make a five in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FiveWindow {
    /// Neither colour can make a five.
    Dead,
    /// No stone. Whether black and white can make a five, in this order.
    Empty([bool; 2]),
    /// Only this colour, which has this many stones in the window.
    Of(Color, u32),
}

impl FiveWindow {
    /// The window with this code.
    fn from_code(code: usize) -> FiveWindow {
        let black = (code & 31).count_ones();
        let white = (code >> 5 & 31).count_ones();
        let spoilt = [code >> 10 & 1 == 1, code >> 11 & 1 == 1];
        match (black, white) {
            (0, 0) => FiveWindow::Empty(spoilt.map(|spoilt| !spoilt)),
            (stones, 0) if !spoilt[0] => FiveWindow::Of(Color::Black, stones),
            (0, stones) if !spoilt[1] => FiveWindow::Of(Color::White, stones),
            _ => FiveWindow::Dead,
        }
    }
}

/// A table with a value for each window code.
pub(super) fn window_table<T: Copy + Default>(
    value: impl Fn(FiveWindow) -> T,
) -> Box<[T; WINDOW_CODES]> {
    let mut table = vec![T::default(); WINDOW_CODES].into_boxed_slice();
    for (code, entry) in table.iter_mut().enumerate() {
        *entry = value(FiveWindow::from_code(code));
    }
    table.try_into().unwrap_or_else(|_| unreachable!("the vector has this length"))
}

/// The 13 points of a line around one point, which is at bit 6. Points off the board count as
/// occupied by both colours, so that windows that reach there are dead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    stones: [u32; 2],
    /// The stones that spoil a window next to them.
    spoilers: [u32; 2],
}

/// The bit of the middle point.
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

    /// The same segment with the middle stone of a colour added or removed.
    #[inline]
    pub(super) fn toggled(mut self, position: &Gomoku, color: Color) -> Segment {
        self.stones[color.index()] ^= 1 << MIDDLE;
        let spoils = !position.rule().overline_wins(color);
        self.spoilers[color.index()] ^= u32::from(spoils) << MIDDLE;
        self
    }

    /// The code of the window that begins at a bit, which must not be the lowest.
    #[inline]
    pub(super) fn window_code(&self, first: u32) -> usize {
        let [black, white] = self.stones.map(|stones| stones >> first & 31);
        let spoilt = |stones: u32| (stones >> (first - 1) | stones >> (first + 5)) & 1;
        let [black_spoilt, white_spoilt] = self.spoilers.map(spoilt);
        (black | white << 5 | black_spoilt << 10 | white_spoilt << 11) as usize
    }
}

/// The windows, by first bit, that change with the middle stone of a segment: the five that contain
/// it, and the two next to it if overlines do not win.
#[inline]
pub(super) fn changed_windows(position: &Gomoku) -> std::ops::RangeInclusive<u32> {
    let all_overlines_win = Color::ALL.iter().all(|&color| position.rule().overline_wins(color));
    if all_overlines_win { MIDDLE - 4..=MIDDLE } else { MIDDLE - 5..=MIDDLE + 1 }
}

/// The steps from the middle to the first point of the window at a bit.
#[inline]
pub(super) fn window_offset(first: u32) -> i32 {
    first as i32 - MIDDLE as i32
}

/// Calls `visit` for every window of the board, with direction, first point and code.
pub(super) fn for_each_window(position: &Gomoku, mut visit: impl FnMut(Direction, Point, usize)) {
    for (direction, first) in position.lines() {
        let length = position.line(Color::Black, direction, first).length;
        for steps in 0..=length as i32 - 5 {
            let Some(point) = first.step(direction, steps) else { continue };
            let code = Segment::around(position, direction, point).window_code(MIDDLE);
            visit(direction, point, code);
        }
    }
}
