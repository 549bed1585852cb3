//! The threat map: what each colour makes on every empty point, updated with each stone. It has the
//! classes of the four lines through each point, their sums, and the sets of threats. It does not
//! know which side is to move, nor which points are forbidden.

use sandboard_games::gomoku::{Color, Direction, Gomoku, LINES, Point};

use super::line_classes::{self, ClassPlanes, LineWord, RuleMasks, WHITE_SHIFT, class_at};
use super::point_kinds::{POINT_CODES, POINT_KINDS, PointCode, PointCodes, PointKind};
use crate::gomoku::point_set::PointSet;

/// The points of a line as indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LineGeometry {
    /// The index of the first point.
    first: u16,
    /// The difference of indices between two consecutive points.
    stride: i16,
    /// The bits of both halves that are off the board; all bits for a line too short for a five.
    edge: LineWord,
}

/// A point's line and its bit there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LinePlace {
    pub(super) line: u8,
    pub(super) bit: u8,
}

/// The geometry of a board, which depends on its size alone.
#[derive(Clone, Debug)]
struct BoardGeometry {
    size: u8,
    lines: Box<[LineGeometry; LINES]>,
    places: Box<[[LinePlace; 4]; Point::INDICES]>,
}

impl BoardGeometry {
    fn of(position: &Gomoku) -> BoardGeometry {
        let size = position.size();
        let mut geometry = BoardGeometry {
            size,
            lines: Box::new([LineGeometry::default(); LINES]),
            places: Box::new([[LinePlace::default(); 4]; Point::INDICES]),
        };
        let points = (0..size).flat_map(|row| (0..size).filter_map(move |c| Point::new(c, row)));
        for point in points {
            for direction in Direction::ALL {
                let line = position.line(Color::Black, direction, point);
                let number = position.line_number(direction, point);
                let (column, row) = direction.step();
                let stride = (32 * row + column) as i16;
                let off = if line.length < 5 { u32::MAX } else { u32::MAX << line.length };
                geometry.lines[number] = LineGeometry {
                    first: (point.index() as i32 - i32::from(stride) * line.at as i32) as u16,
                    stride,
                    edge: LineWord::from(off) << WHITE_SHIFT | LineWord::from(off),
                };
                geometry.places[point.index()][direction.index()] =
                    LinePlace { line: number as u8, bit: line.at as u8 };
            }
        }
        geometry
    }
}

/// Sums over the board for one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColorTotals {
    /// The value of all points if the colour is to move, and if not.
    pub(super) value: [i32; 2],
    /// The number of points of each kind.
    pub(super) kinds: [u16; POINT_KINDS],
}

impl ColorTotals {
    #[inline]
    pub(super) fn count(&self, kind: PointKind) -> u16 {
        self.kinds[kind as usize]
    }
}

/// The state to restore when a stone is removed.
#[derive(Clone, Copy, Debug)]
struct UndoFrame {
    index: u16,
    color: Color,
    /// The length of the log before the stone.
    log_length: u32,
    planes: [ClassPlanes; 4],
    totals: [ColorTotals; 2],
}

/// A code that a stone has replaced.
#[derive(Clone, Copy, Debug)]
struct ReplacedCode {
    color: Color,
    index: u16,
    code: PointCode,
}

/// Sums and sets over all points.
#[derive(Clone, Debug)]
struct ThreatSummary {
    tables: PointCodes,
    totals: [ColorTotals; 2],
    /// By colour: points that make a four or more, and points that make an open three and no four.
    fours: [PointSet; 2],
    threes: [PointSet; 2],
}

impl ThreatSummary {
    fn clear(&mut self) {
        self.totals = Default::default();
        self.fours = Default::default();
        self.threes = Default::default();
    }

    /// Updates sums and sets for a point whose code has changed.
    #[inline]
    fn update(&mut self, color: Color, index: usize, before: PointCode, after: PointCode) {
        let (before, after) = (usize::from(before) % POINT_CODES, usize::from(after) % POINT_CODES);
        let total = &mut self.totals[color.index()];
        let (old, new) = (self.tables.value[before], self.tables.value[after]);
        total.value[0] += i32::from(new[0]) - i32::from(old[0]);
        total.value[1] += i32::from(new[1]) - i32::from(old[1]);
        let (from, to) = (self.tables.kinds[before], self.tables.kinds[after]);
        if from != to {
            total.kinds[from as usize] = total.kinds[from as usize].wrapping_sub(1);
            total.kinds[to as usize] = total.kinds[to as usize].wrapping_add(1);
            self.update_sets(color, index, from, to);
        }
    }

    /// Restores the sets for a point's previous code; the sums are restored separately.
    #[inline]
    fn restore(&mut self, color: Color, index: usize, current: PointCode, previous: PointCode) {
        let (from, to) = (self.kind(current), self.kind(previous));
        if from != to {
            self.update_sets(color, index, from, to);
        }
    }

    /// Updates the sets of threats for a point whose kind has changed.
    #[inline]
    fn update_sets(&mut self, color: Color, index: usize, from: PointKind, to: PointKind) {
        let (row, bit) = (index >> 5, 1u32 << (index & 31));
        if from.is_four() != to.is_four() {
            self.fours[color.index()].0[row] ^= bit;
        }
        if from.is_three() != to.is_three() {
            self.threes[color.index()].0[row] ^= bit;
        }
    }

    #[inline]
    fn kind(&self, code: PointCode) -> PointKind {
        self.tables.kinds[usize::from(code) % POINT_CODES]
    }
}

/// What each colour makes on every empty point of a board.
#[derive(Clone, Debug)]
pub(super) struct ThreatMap {
    rule_masks: RuleMasks,
    geometry: Option<BoardGeometry>,
    words: Box<[LineWord; LINES]>,
    planes: Box<[ClassPlanes; LINES]>,
    codes: [Box<[PointCode; Point::INDICES]>; 2],
    summary: ThreatSummary,
    stones: PointSet,
    frames: Vec<UndoFrame>,
    log: Vec<ReplacedCode>,
}

impl ThreatMap {
    pub(super) fn new(tables: PointCodes) -> ThreatMap {
        ThreatMap {
            rule_masks: RuleMasks::default(),
            geometry: None,
            words: Box::new([0; LINES]),
            planes: Box::new([[0; 3]; LINES]),
            codes: [Box::new([0; Point::INDICES]), Box::new([0; Point::INDICES])],
            summary: ThreatSummary {
                tables,
                totals: Default::default(),
                fours: Default::default(),
                threes: Default::default(),
            },
            stones: PointSet::default(),
            frames: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Starts from the stones of this position.
    pub(super) fn reset(&mut self, position: &Gomoku) {
        self.rule_masks = RuleMasks::of(position.rule());
        if self.geometry.as_ref().is_none_or(|geometry| geometry.size != position.size()) {
            self.geometry = Some(BoardGeometry::of(position));
        }
        self.words.fill(0);
        self.planes.fill([0; 3]);
        self.codes.iter_mut().for_each(|codes| codes.fill(0));
        self.summary.clear();
        self.stones = PointSet::default();
        self.frames.clear();
        for color in Color::ALL {
            position.stones(color).for_each(|point| self.add_stone(color, point));
        }
        self.frames.clear();
        self.log.clear();
    }

    /// Adds a stone on an empty point.
    pub(super) fn add_stone(&mut self, color: Color, point: Point) {
        let Some(geometry) = &self.geometry else { return };
        let places = geometry.places[point.index()];
        let mut frame = UndoFrame {
            index: point.index() as u16,
            color,
            log_length: self.log.len() as u32,
            planes: [[0; 3]; 4],
            totals: self.summary.totals,
        };
        for (direction, place) in places.into_iter().enumerate() {
            let line = usize::from(place.line);
            let LineGeometry { first, stride, edge } = geometry.lines[line];
            self.words[line] ^= 1 << (u32::from(place.bit) + WHITE_SHIFT * color.index() as u32);
            let old = self.planes[line];
            frame.planes[direction] = old;
            if edge == LineWord::MAX {
                continue;
            }
            let new = line_classes::classes(self.words[line], edge, self.rule_masks);
            self.planes[line] = new;
            let changed = (old[0] ^ new[0]) | (old[1] ^ new[1]) | (old[2] ^ new[2]);
            for color in Color::ALL {
                let half = WHITE_SHIFT * color.index() as u32;
                let mut bits = (changed >> half) as u32;
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    let index = (i32::from(first) + i32::from(stride) * bit as i32) as usize;
                    let class = class_at(&new, bit + half);
                    let shift = 3 * direction as u32;
                    let code = &mut self.codes[color.index()][index];
                    let before = *code;
                    *code = before & !(7 << shift) | PointCode::from(class) << shift;
                    self.log.push(ReplacedCode { color, index: index as u16, code: before });
                    let after = *code;
                    self.summary.update(color, index, before, after);
                }
            }
        }
        self.frames.push(frame);
        self.stones.insert(point);
    }

    /// Removes the stone that was added last.
    pub(super) fn remove_last_stone(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let Some(geometry) = &self.geometry else { return };
        let places = geometry.places[usize::from(frame.index)];
        for (place, planes) in places.into_iter().zip(frame.planes) {
            let line = usize::from(place.line);
            self.words[line] ^=
                1 << (u32::from(place.bit) + WHITE_SHIFT * frame.color.index() as u32);
            self.planes[line] = planes;
        }
        while self.log.len() > frame.log_length as usize {
            let Some(ReplacedCode { color, index, code }) = self.log.pop() else { break };
            let current =
                std::mem::replace(&mut self.codes[color.index()][usize::from(index)], code);
            self.summary.restore(color, usize::from(index), current, code);
        }
        self.summary.totals = frame.totals;
        let (row, column) = (frame.index >> 5, frame.index & 31);
        self.stones.0[usize::from(row)] &= !(1 << column);
    }

    #[inline]
    pub(super) fn total(&self, color: Color) -> &ColorTotals {
        &self.summary.totals[color.index()]
    }

    #[inline]
    pub(super) fn count(&self, color: Color, kind: PointKind) -> u16 {
        self.summary.totals[color.index()].count(kind)
    }

    /// The points on which a colour makes a four or more.
    #[inline]
    pub(super) fn fours(&self, color: Color) -> &PointSet {
        &self.summary.fours[color.index()]
    }

    /// The points on which a colour makes an open three and no four.
    #[inline]
    pub(super) fn threes(&self, color: Color) -> &PointSet {
        &self.summary.threes[color.index()]
    }

    #[inline]
    pub(super) fn stones(&self) -> &PointSet {
        &self.stones
    }

    #[inline]
    pub(super) fn rule_masks(&self) -> RuleMasks {
        self.rule_masks
    }

    #[inline]
    pub(super) fn kind(&self, color: Color, point: Point) -> PointKind {
        self.summary.kind(self.code(color, point))
    }

    #[inline]
    fn code(&self, color: Color, point: Point) -> PointCode {
        self.codes[color.index()][point.index()]
    }

    /// The move ordering score of a point for this colour.
    #[inline]
    pub(super) fn move_score(&self, color: Color, point: Point) -> i32 {
        let own = self.summary.tables.attack[usize::from(self.code(color, point))];
        let other = self.summary.tables.defence[usize::from(self.code(color.other(), point))];
        i32::from(own) + i32::from(other)
    }

    /// The first point of this kind.
    pub(super) fn first_point(&self, color: Color, kind: PointKind) -> Option<Point> {
        if self.count(color, kind) == 0 {
            return None;
        }
        let set = if kind.is_four() { self.fours(color) } else { self.threes(color) };
        set.iter().find(|&point| self.kind(color, point) == kind)
    }

    /// The points on which a colour could make a five if it had a stone on this empty point.
    pub(super) fn fives_after(&self, color: Color, point: Point) -> PointSet {
        let mut fives = PointSet::default();
        let Some(geometry) = &self.geometry else { return fives };
        let code = self.code(color, point);
        let half = WHITE_SHIFT * color.index() as u32;
        for (direction, place) in geometry.places[point.index()].into_iter().enumerate() {
            if code >> (3 * direction) & 7 < PointCode::from(line_classes::FOUR) {
                continue;
            }
            let line = usize::from(place.line);
            let LineGeometry { first, stride, edge } = geometry.lines[line];
            let word = self.words[line] | 1 << (u32::from(place.bit) + half);
            let mut bits = (line_classes::fives(word, edge, self.rule_masks) >> half) as u32;
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
impl ThreatMap {
    /// Whether the updated state equals that of a map reset to this position.
    pub(super) fn is_up_to_date(&self, position: &Gomoku) -> bool {
        let mut fresh = ThreatMap::new(self.summary.tables.clone());
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
