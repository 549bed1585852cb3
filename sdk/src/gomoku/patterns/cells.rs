//! What each colour makes on every empty point, kept up to date with the stones:
//! the classes of the four lines through each point, their sums, and where
//! threats are. Knows neither whose turn it is nor what is forbidden.

use sandboard_games::gomoku::{Color, Direction, Gomoku, LINES, Point};

use super::kinds::{CODES, Code, Codes, KINDS, Kind};
use super::lanes::{self, HALF, Law, Planes, Word, class_at};
use crate::gomoku::rows::Rows;

/// A line of the board as it is laid out in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Course {
    /// The index of the first point.
    first: u16,
    /// To the index of the next point.
    stride: i16,
    /// Bits of both halves that are off the board; all of them for a line too short for a five.
    edge: Word,
}

/// Where a point is on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u8,
    pub(super) bit: u8,
}

/// What of the cells depends on nothing but the board's size.
#[derive(Clone, Debug)]
struct Layout {
    size: u8,
    courses: Box<[Course; LINES]>,
    places: Box<[[Place; 4]; Point::INDICES]>,
}

impl Layout {
    fn of(position: &Gomoku) -> Layout {
        let size = position.size();
        let mut layout = Layout {
            size,
            courses: Box::new([Course::default(); LINES]),
            places: Box::new([[Place::default(); 4]; Point::INDICES]),
        };
        let points = (0..size).flat_map(|row| (0..size).filter_map(move |c| Point::new(c, row)));
        for point in points {
            for direction in Direction::ALL {
                let line = position.line(Color::Black, direction, point);
                let number = position.line_number(direction, point);
                let (column, row) = direction.step();
                let stride = (32 * row + column) as i16;
                let off = if line.length < 5 { u32::MAX } else { u32::MAX << line.length };
                layout.courses[number] = Course {
                    first: (point.index() as i32 - i32::from(stride) * line.at as i32) as u16,
                    stride,
                    edge: Word::from(off) << HALF | Word::from(off),
                };
                layout.places[point.index()][direction.index()] =
                    Place { line: number as u8, bit: line.at as u8 };
            }
        }
        layout
    }
}

/// What one colour makes on the whole board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// The worth of all points, if the colour moves and if it waits.
    pub(super) worth: [i32; 2],
    /// How many points are of each kind.
    pub(super) kinds: [u16; KINDS],
}

impl Total {
    #[inline]
    pub(super) fn count(&self, kind: Kind) -> u16 {
        self.kinds[kind as usize]
    }
}

/// What is needed to take back one stone.
#[derive(Clone, Copy, Debug)]
struct Frame {
    index: u16,
    color: Color,
    /// How long the log was.
    log: u32,
    planes: [Planes; 4],
    totals: [Total; 2],
}

/// A code as it was.
#[derive(Clone, Copy, Debug)]
struct Former {
    color: Color,
    index: u16,
    code: Code,
}

/// What is known of all points together.
#[derive(Clone, Debug)]
struct Summary {
    tables: Codes,
    totals: [Total; 2],
    /// By colour: the points that make a four or more, and those that make an open three.
    fours: [Rows; 2],
    threes: [Rows; 2],
}

impl Summary {
    fn clear(&mut self) {
        self.totals = Default::default();
        self.fours = Default::default();
        self.threes = Default::default();
    }

    /// Counts a point whose code has changed.
    #[inline]
    fn account(&mut self, color: Color, index: usize, before: Code, after: Code) {
        let (before, after) = (usize::from(before) % CODES, usize::from(after) % CODES);
        let total = &mut self.totals[color.index()];
        let (former, now) = (self.tables.worth[before], self.tables.worth[after]);
        total.worth[0] += i32::from(now[0]) - i32::from(former[0]);
        total.worth[1] += i32::from(now[1]) - i32::from(former[1]);
        let (from, to) = (self.tables.kinds[before], self.tables.kinds[after]);
        if from != to {
            total.kinds[from as usize] = total.kinds[from as usize].wrapping_sub(1);
            total.kinds[to as usize] = total.kinds[to as usize].wrapping_add(1);
            self.mark(color, index, from, to);
        }
    }

    /// Gives a point back its former code; the totals come back as a whole.
    #[inline]
    fn restore(&mut self, color: Color, index: usize, now: Code, former: Code) {
        let (from, to) = (self.kind(now), self.kind(former));
        if from != to {
            self.mark(color, index, from, to);
        }
    }

    /// Keeps the sets of threats.
    #[inline]
    fn mark(&mut self, color: Color, index: usize, from: Kind, to: Kind) {
        let (row, bit) = (index >> 5, 1u32 << (index & 31));
        if from.is_four() != to.is_four() {
            self.fours[color.index()].0[row] ^= bit;
        }
        if from.is_three() != to.is_three() {
            self.threes[color.index()].0[row] ^= bit;
        }
    }

    #[inline]
    fn kind(&self, code: Code) -> Kind {
        self.tables.kinds[usize::from(code) % CODES]
    }
}

/// The cells of a board.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    law: Law,
    layout: Option<Layout>,
    words: Box<[Word; LINES]>,
    planes: Box<[Planes; LINES]>,
    codes: [Box<[Code; Point::INDICES]>; 2],
    summary: Summary,
    stones: Rows,
    frames: Vec<Frame>,
    log: Vec<Former>,
}

impl Cells {
    pub(super) fn new(tables: Codes) -> Cells {
        Cells {
            law: Law::default(),
            layout: None,
            words: Box::new([0; LINES]),
            planes: Box::new([[0; 3]; LINES]),
            codes: [Box::new([0; Point::INDICES]), Box::new([0; Point::INDICES])],
            summary: Summary {
                tables,
                totals: Default::default(),
                fours: Default::default(),
                threes: Default::default(),
            },
            stones: Rows::default(),
            frames: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Begins anew with the stones of this position.
    pub(super) fn reset(&mut self, position: &Gomoku) {
        self.law = Law::of(position.rule());
        if self.layout.as_ref().is_none_or(|layout| layout.size != position.size()) {
            self.layout = Some(Layout::of(position));
        }
        self.words.fill(0);
        self.planes.fill([0; 3]);
        self.codes.iter_mut().for_each(|codes| codes.fill(0));
        self.summary.clear();
        self.stones = Rows::default();
        self.frames.clear();
        for color in Color::ALL {
            position.stones(color).for_each(|point| self.put(color, point));
        }
        self.frames.clear();
        self.log.clear();
    }

    /// Puts a stone on an empty point.
    pub(super) fn put(&mut self, color: Color, point: Point) {
        let Some(layout) = &self.layout else { return };
        let places = layout.places[point.index()];
        let mut frame = Frame {
            index: point.index() as u16,
            color,
            log: self.log.len() as u32,
            planes: [[0; 3]; 4],
            totals: self.summary.totals,
        };
        for (direction, place) in places.into_iter().enumerate() {
            let line = usize::from(place.line);
            let Course { first, stride, edge } = layout.courses[line];
            self.words[line] ^= 1 << (u32::from(place.bit) + HALF * color.index() as u32);
            let old = self.planes[line];
            frame.planes[direction] = old;
            if edge == Word::MAX {
                continue;
            }
            let new = lanes::classes(self.words[line], edge, self.law);
            self.planes[line] = new;
            let changed = (old[0] ^ new[0]) | (old[1] ^ new[1]) | (old[2] ^ new[2]);
            for color in Color::ALL {
                let half = HALF * color.index() as u32;
                let mut bits = (changed >> half) as u32;
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    let index = (i32::from(first) + i32::from(stride) * bit as i32) as usize;
                    let class = class_at(&new, bit + half);
                    let shift = 3 * direction as u32;
                    let code = &mut self.codes[color.index()][index];
                    let before = *code;
                    *code = before & !(7 << shift) | Code::from(class) << shift;
                    self.log.push(Former { color, index: index as u16, code: before });
                    let after = *code;
                    self.summary.account(color, index, before, after);
                }
            }
        }
        self.frames.push(frame);
        self.stones.insert(point);
    }

    /// Takes back the stone put last.
    pub(super) fn take(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let Some(layout) = &self.layout else { return };
        let places = layout.places[usize::from(frame.index)];
        for (place, planes) in places.into_iter().zip(frame.planes) {
            let line = usize::from(place.line);
            self.words[line] ^= 1 << (u32::from(place.bit) + HALF * frame.color.index() as u32);
            self.planes[line] = planes;
        }
        while self.log.len() > frame.log as usize {
            let Some(Former { color, index, code }) = self.log.pop() else { break };
            let now = std::mem::replace(&mut self.codes[color.index()][usize::from(index)], code);
            self.summary.restore(color, usize::from(index), now, code);
        }
        self.summary.totals = frame.totals;
        let (row, column) = (frame.index >> 5, frame.index & 31);
        self.stones.0[usize::from(row)] &= !(1 << column);
    }

    #[inline]
    pub(super) fn total(&self, color: Color) -> &Total {
        &self.summary.totals[color.index()]
    }

    #[inline]
    pub(super) fn count(&self, color: Color, kind: Kind) -> u16 {
        self.summary.totals[color.index()].count(kind)
    }

    /// The points where a colour makes a four or more.
    #[inline]
    pub(super) fn fours(&self, color: Color) -> &Rows {
        &self.summary.fours[color.index()]
    }

    /// The points where a colour makes an open three and no four.
    #[inline]
    pub(super) fn threes(&self, color: Color) -> &Rows {
        &self.summary.threes[color.index()]
    }

    #[inline]
    pub(super) fn stones(&self) -> &Rows {
        &self.stones
    }

    #[inline]
    pub(super) fn law(&self) -> Law {
        self.law
    }

    #[inline]
    pub(super) fn kind(&self, color: Color, point: Point) -> Kind {
        self.summary.kind(self.code(color, point))
    }

    #[inline]
    fn code(&self, color: Color, point: Point) -> Code {
        self.codes[color.index()][point.index()]
    }

    /// How early a stone of this colour is to be tried on a point.
    #[inline]
    pub(super) fn urgency(&self, color: Color, point: Point) -> i32 {
        let own = self.summary.tables.attack[usize::from(self.code(color, point))];
        let other = self.summary.tables.defence[usize::from(self.code(color.other(), point))];
        i32::from(own) + i32::from(other)
    }

    /// The first point of this kind.
    pub(super) fn first(&self, color: Color, kind: Kind) -> Option<Point> {
        if self.count(color, kind) == 0 {
            return None;
        }
        let set = if kind.is_four() { self.fours(color) } else { self.threes(color) };
        set.iter().find(|&point| self.kind(color, point) == kind)
    }

    /// Where a colour could make a five if it had a stone on this empty point.
    pub(super) fn fives_after(&self, color: Color, point: Point) -> Rows {
        let mut fives = Rows::default();
        let Some(layout) = &self.layout else { return fives };
        let code = self.code(color, point);
        let half = HALF * color.index() as u32;
        for (direction, place) in layout.places[point.index()].into_iter().enumerate() {
            if code >> (3 * direction) & 7 < Code::from(lanes::FOUR) {
                continue;
            }
            let line = usize::from(place.line);
            let Course { first, stride, edge } = layout.courses[line];
            let word = self.words[line] | 1 << (u32::from(place.bit) + half);
            let mut bits = (lanes::fives(word, edge, self.law) >> half) as u32;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let index = (i32::from(first) + i32::from(stride) * bit as i32) as usize;
                fives.0[index >> 5] |= 1 << (index & 31);
            }
        }
        fives
    }
}

#[cfg(test)]
impl Cells {
    /// Whether everything kept is what cells reset to this position have.
    pub(super) fn are_up_to_date(&self, position: &Gomoku) -> bool {
        let mut fresh = Cells::new(self.summary.tables.clone());
        fresh.reset(position);
        self.words == fresh.words
            && self.planes == fresh.planes
            && self.codes == fresh.codes
            && self.summary.totals == fresh.summary.totals
            && self.summary.fours == fresh.summary.fours
            && self.summary.threes == fresh.summary.threes
            && self.stones == fresh.stones
    }
}
