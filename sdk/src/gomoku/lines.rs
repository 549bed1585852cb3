//! The analyzer of gomoku: knows, for the line through each point in the four
//! directions, where each colour makes what, and proposes from that. Looks one
//! stone ahead of the board and values nothing.

use sandboard_games::gomoku::{Color, Direction, Gomoku, LINES, MAX_SIZE, Move, Point};

use super::rows::{Courses, LineSet, Rows, Tally, lines_through};
use super::shape::{Shape, View};
use super::worth::Worth;
use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};

/// A five, which wins now. Where there is one, only such points are listed.
pub const MAKE_FIVE: i32 = URGENT + 600_000;
/// Else: a point on which the opponent would make a five with his next stone.
/// Where there is one, only such points are listed.
pub const BLOCK_FIVE: i32 = URGENT + 500_000;
/// Else: a straight four or two fours at once, which no single stone can stop.
/// Where there is one, only such points are listed.
pub const STRAIGHT_FOUR: i32 = URGENT + 400_000;
/// Else: a point that stops every such point of the opponent (he has an open
/// three, or two closed ones that meet). Where he has one, only these are
/// listed and the next.
pub const BLOCK_FOUR: i32 = URGENT + 300_000;
/// An own four while the opponent threatens such a point: he must answer it.
pub const COUNTER_FOUR: i32 = URGENT + 200_000;

// Without threats, every empty point within two of a stone is listed, by what
// is going on around it; these are added where they apply. Without them a
// search of 29 middle-game positions to depth 7 took 26 million nodes instead
// of 11, with twice as much 15.

/// An own four.
pub const FOUR: i32 = 300;
/// An own open three.
pub const THREE: i32 = 500;
/// A point on which the opponent would make a four.
pub const STOP_FOUR: i32 = 100;
/// A point on which the opponent would make an open three.
pub const STOP_THREE: i32 = 200;

/// A point within this distance of a stone is near.
const NEAR: usize = 2;

/// What one colour makes somewhere.
#[derive(Clone, Copy, Debug)]
enum Making {
    Five,
    Double,
    Four,
    Three,
}

impl Shape {
    #[inline]
    fn points(&self, making: Making) -> u32 {
        match making {
            Making::Five => self.five,
            Making::Double => self.double,
            Making::Four => self.four,
            Making::Three => self.three,
        }
    }
}

const MAKINGS: [Making; 4] = [Making::Five, Making::Double, Making::Four, Making::Three];

/// What both colours make on a line.
type Shapes = [Shape; 2];

/// The analyzer of gomoku. Its lists are in the order of points, a1 upwards.
///
/// | the first of these that there is | listed, with the score |
/// |---|---|
/// | the mover makes a five | these points: [`MAKE_FIVE`] |
/// | the opponent would make a five | these points: [`BLOCK_FIVE`] |
/// | the mover makes a straight four or two fours | these points: [`STRAIGHT_FOUR`] |
/// | the opponent would make such | what stops all of them: [`BLOCK_FOUR`]; own fours: [`COUNTER_FOUR`] |
/// | no threat | every empty point within two of a stone, by windows of five around it, and [`FOUR`], [`THREE`], [`STOP_FOUR`], [`STOP_THREE`] |
/// | no stone | the centre |
#[derive(Clone, Debug)]
pub struct Lines {
    courses: Courses,
    shapes: Box<[Shapes; LINES]>,
    /// By colour and making: the lines where there are such points.
    present: [[LineSet; 4]; 2],
    stones: Rows,
    worth: Worth,
    /// The shapes that each move replaced.
    replaced: Vec<[Shapes; 4]>,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            courses: Courses::NONE,
            shapes: Box::new([Shapes::default(); LINES]),
            present: Default::default(),
            stones: Rows::default(),
            worth: Worth::new(),
            replaced: Vec::new(),
        }
    }
}

impl Lines {
    #[inline]
    fn put_shapes(&mut self, line: usize, shapes: Shapes) {
        self.shapes[line] = shapes;
        for (shape, present) in shapes.iter().zip(&mut self.present) {
            for (making, lines) in MAKINGS.into_iter().zip(present) {
                lines.set(line, shape.points(making) != 0);
            }
        }
    }

    #[inline]
    fn present(&self, color: Color, making: Making) -> &LineSet {
        &self.present[color.index()][making as usize]
    }

    /// The points where a colour makes something.
    #[inline]
    fn points(&self, color: Color, making: Making) -> Rows {
        let mut rows = Rows::default();
        for line in self.present(color, making).iter() {
            let bits = self.shapes[line][color.index()].points(making);
            self.courses.insert(line, bits, &mut rows);
        }
        rows
    }

    /// The same with those where it does so in two lines or more.
    #[inline]
    fn tally(&self, color: Color, making: Making) -> Tally {
        let mut tally = Tally::default();
        for line in self.present(color, making).iter() {
            let bits = self.shapes[line][color.index()].points(making);
            self.courses.count(line, bits, &mut tally);
        }
        tally
    }

    /// What stops all of these points, on each of which `color` would get two
    /// ways to a five at once: the point itself, or either way if there are but two.
    fn stops(&self, position: &Gomoku, color: Color, doubles: &Rows) -> Rows {
        let mut all = Rows([!0; MAX_SIZE as usize]);
        let mut any = Rows::default();
        for point in doubles.iter() {
            let mut stops = self.ways_after(position, color, point);
            if stops.len() > 2 {
                stops = Rows::default();
            }
            stops.insert(point);
            all = all.and(&stops);
            any = any.or(&stops);
        }
        if all.is_empty() { any } else { all }
    }

    /// Where `color` could make a five if it had a stone on `point`.
    fn ways_after(&self, position: &Gomoku, color: Color, point: Point) -> Rows {
        let mut ways = Rows::default();
        for (direction, number) in lines_through(position, point) {
            let own = position.line(color, direction, point);
            let other = position.line(color.other(), direction, point).bits;
            if self.shapes[number][color.index()].four >> own.at & 1 == 1 {
                let overline_wins = position.rule().overline_wins(color);
                let view = View::new(own.bits | 1 << own.at, other, own.length, overline_wins);
                self.courses.insert(number, view.five(), &mut ways);
            }
        }
        ways
    }

    /// The answers to threats, if there are any.
    fn answers(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> bool {
        let mover = position.color_to_move();
        let mut list = |points: &Rows, score| {
            out.extend(points.iter().map(|point| Candidate { mv: Move::Stone(point), score }));
            true
        };
        for (color, score) in [(mover, MAKE_FIVE), (mover.other(), BLOCK_FIVE)] {
            if !self.present(color, Making::Five).is_empty() {
                return list(&self.points(color, Making::Five), score);
            }
        }
        let fours = self.tally(mover, Making::Four);
        let doubles = self.doubles(mover, &fours);
        if !doubles.is_empty() {
            return list(&doubles, STRAIGHT_FOUR);
        }
        let threats = self.doubles(mover.other(), &self.tally(mover.other(), Making::Four));
        if threats.is_empty() {
            return false;
        }
        let stops = self.stops(position, mover.other(), &threats);
        let score = |point| if stops.contains(point) { BLOCK_FOUR } else { COUNTER_FOUR };
        let both = stops.or(&fours.once);
        let candidate = |point| Candidate { mv: Move::Stone(point), score: score(point) };
        out.extend(both.iter().map(candidate));
        true
    }

    /// The points where a colour gets two ways to a five at once, in one line
    /// or in two.
    fn doubles(&self, color: Color, fours: &Tally) -> Rows {
        match self.present(color, Making::Double).is_empty() {
            true => fours.twice,
            false => fours.twice.or(&self.points(color, Making::Double)),
        }
    }

    /// The empty points near a stone.
    fn near(&self, size: u8) -> Rows {
        let mut near = Rows::default();
        let on_board = (1u32 << size) - 1;
        let size = usize::from(size);
        for row in 0..size {
            let around = &self.stones.0[row.saturating_sub(NEAR)..(row + NEAR + 1).min(size)];
            let column = around.iter().fold(0, |all, row| all | row);
            let wide = column | column << 1 | column << 2 | column >> 1 | column >> 2;
            near.0[row] = wide & on_board & !self.stones.0[row];
        }
        near
    }

    fn quiet(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) {
        let (size, mover) = (position.size(), position.color_to_move());
        if self.stones.is_empty() {
            let centre = Point::new(size / 2, size / 2);
            out.extend(centre.map(|point| Candidate { mv: Move::Stone(point), score: 0 }));
            return;
        }
        let extras = [
            (self.points(mover, Making::Four), FOUR),
            (self.points(mover, Making::Three), THREE),
            (self.points(mover.other(), Making::Four), STOP_FOUR),
            (self.points(mover.other(), Making::Three), STOP_THREE),
        ];
        for point in self.near(size).iter() {
            let extra = |(points, score): &(Rows, i32)| i32::from(points.contains(point)) * score;
            let score = self.worth.of(point, mover) + extras.iter().map(extra).sum::<i32>();
            out.push(Candidate { mv: Move::Stone(point), score });
        }
    }
}

impl Analyzer<Gomoku> for Lines {
    fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
        if self.answers(position, out) {
            return Scope::Answers;
        }
        self.quiet(position, out);
        Scope::Quiet
    }

    fn reset(&mut self, position: &Gomoku) {
        self.courses = Courses::of(position);
        self.replaced.clear();
        self.shapes.fill(Shapes::default());
        self.present = Default::default();
        self.stones = Rows::default();
        for (direction, first) in position.lines() {
            let number = position.line_number(direction, first);
            self.put_shapes(number, shapes_of(position, direction, first));
        }
        for color in Color::ALL {
            position.stones(color).for_each(|point| self.stones.insert(point));
        }
        self.worth.reset(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        let Move::Stone(point) = mv else { return };
        let mut replaced = [Shapes::default(); 4];
        for (old, (direction, number)) in replaced.iter_mut().zip(lines_through(after, point)) {
            *old = self.shapes[number];
            self.put_shapes(number, shapes_of(after, direction, point));
        }
        self.replaced.push(replaced);
        self.stones.insert(point);
        self.worth.made(after, point, after.color_to_move().other());
    }

    #[inline]
    fn unmade(&mut self, after: &Gomoku, mv: Move) {
        let Move::Stone(point) = mv else { return };
        let replaced = self.replaced.pop().unwrap_or_default();
        for (old, (_, number)) in replaced.into_iter().zip(lines_through(after, point)) {
            self.put_shapes(number, old);
        }
        self.stones.remove(point);
        self.worth.unmade(after, point, after.color_to_move().other());
    }
}

#[inline]
fn shapes_of(position: &Gomoku, direction: Direction, point: Point) -> Shapes {
    let [black, white] = Color::ALL.map(|color| position.line(color, direction, point));
    let view = |own, other, color| {
        View::new(own, other, black.length, position.rule().overline_wins(color)).shape()
    };
    [view(black.bits, white.bits, Color::Black), view(white.bits, black.bits, Color::White)]
}

#[cfg(test)]
impl Lines {
    /// Whether everything kept is what an analyzer reset to this position has.
    pub(super) fn is_up_to_date(&self, position: &Gomoku) -> bool {
        let mut fresh = Lines::default();
        fresh.reset(position);
        self.shapes == fresh.shapes
            && self.present == fresh.present
            && self.stones == fresh.stones
            && self.worth == fresh.worth
    }
}
