//! The simple analyzer of gomoku. For each line it knows on which points a stone of each colour
//! makes a five, a four or a three, and proposes moves from that. It looks one stone ahead and does
//! not evaluate positions.

use sandboard_games::gomoku::{Color, Direction, Gomoku, LINES, MAX_SIZE, Move, Point};

use super::line_shape::{LineShape, LineView};
use super::point_set::{LineGeometries, LineSet, PointSet, PointTally, lines_through};
use super::point_values::PointValues;
use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};

/// The score of a point that makes a five, which wins. If there is one, only such points are
/// listed.
pub const MAKE_FIVE: i32 = URGENT + 600_000;
/// The score of a point on which the opponent would make a five. If there is one, and no own five,
/// only such points are listed.
pub const BLOCK_FIVE: i32 = URGENT + 500_000;
/// The score of a point that makes a straight four or two fours, which no single stone can stop. If
/// there is one, and no five of either side, only such points are listed.
pub const STRAIGHT_FOUR: i32 = URGENT + 400_000;
/// The score of a point that stops every straight four and every two fours of the opponent, who has
/// an open three or two closed threes that meet. Then only these points and own fours are listed.
pub const BLOCK_FOUR: i32 = URGENT + 300_000;
/// The score of an own four against such a threat: the opponent must answer it.
pub const COUNTER_FOUR: i32 = URGENT + 200_000;

// Without threats, every empty point within two steps of a stone is listed, scored by the windows
// around it. The following bonuses are added. Without them a search of 29 middle-game positions to
// depth 7 took 26 million nodes instead of 11; with twice these bonuses, 15 million.

/// The bonus of a point that makes an own four.
pub const FOUR: i32 = 300;
/// The bonus of a point that makes an own open three.
pub const THREE: i32 = 500;
/// The bonus of a point on which the opponent would make a four.
pub const STOP_FOUR: i32 = 100;
/// The bonus of a point on which the opponent would make an open three.
pub const STOP_THREE: i32 = 200;

/// The largest distance of a listed point from a stone.
const NEAR_DISTANCE: usize = 2;

/// What one more stone of a colour makes.
#[derive(Clone, Copy, Debug)]
enum Threat {
    Five,
    Double,
    Four,
    Three,
}

impl LineShape {
    #[inline]
    fn points(&self, threat: Threat) -> u32 {
        match threat {
            Threat::Five => self.five,
            Threat::Double => self.double,
            Threat::Four => self.four,
            Threat::Three => self.three,
        }
    }
}

const THREATS: [Threat; 4] = [Threat::Five, Threat::Double, Threat::Four, Threat::Three];

/// What both colours can make on a line.
type LineShapes = [LineShape; 2];

/// The simple analyzer of gomoku. Its lists are in the order of points, from a1 on.
///
/// The first case that applies:
///
/// - The mover can make a five: these points, with [`MAKE_FIVE`].
/// - The opponent would make a five: these points, with [`BLOCK_FIVE`].
/// - The mover can make a straight four or two fours: these points, with [`STRAIGHT_FOUR`].
/// - The opponent could make a straight four or two fours: the points that stop all of them, with
///   [`BLOCK_FOUR`], and own fours, with [`COUNTER_FOUR`].
/// - No threat: every empty point within two steps of a stone. The score is the value of the
///   windows around it, plus [`FOUR`], [`THREE`], [`STOP_FOUR`] and [`STOP_THREE`] where they
///   apply.
/// - No stone: the centre.
#[derive(Clone, Debug)]
pub struct LineAnalyzer {
    geometries: LineGeometries,
    shapes: Box<[LineShapes; LINES]>,
    /// The lines with points that make a threat, by colour and threat.
    lines_with: [[LineSet; 4]; 2],
    stones: PointSet,
    point_values: PointValues,
    /// The shapes that each move has replaced.
    replaced: Vec<[LineShapes; 4]>,
}

impl Default for LineAnalyzer {
    fn default() -> Self {
        Self {
            geometries: LineGeometries::NONE,
            shapes: Box::new([LineShapes::default(); LINES]),
            lines_with: Default::default(),
            stones: PointSet::default(),
            point_values: PointValues::new(),
            replaced: Vec::new(),
        }
    }
}

impl LineAnalyzer {
    #[inline]
    fn set_shapes(&mut self, line: usize, shapes: LineShapes) {
        self.shapes[line] = shapes;
        for (shape, by_threat) in shapes.iter().zip(&mut self.lines_with) {
            for (threat, lines) in THREATS.into_iter().zip(by_threat) {
                lines.set(line, shape.points(threat) != 0);
            }
        }
    }

    #[inline]
    fn lines_with(&self, color: Color, threat: Threat) -> &LineSet {
        &self.lines_with[color.index()][threat as usize]
    }

    /// The points on which a colour makes this threat.
    #[inline]
    fn points(&self, color: Color, threat: Threat) -> PointSet {
        let mut rows = PointSet::default();
        for line in self.lines_with(color, threat).iter() {
            let bits = self.shapes[line][color.index()].points(threat);
            self.geometries.insert(line, bits, &mut rows);
        }
        rows
    }

    /// The same points, with those that make the threat in at least two lines.
    #[inline]
    fn tally(&self, color: Color, threat: Threat) -> PointTally {
        let mut tally = PointTally::default();
        for line in self.lines_with(color, threat).iter() {
            let bits = self.shapes[line][color.index()].points(threat);
            self.geometries.count(line, bits, &mut tally);
        }
        tally
    }

    /// The points that stop all of `doubles`, on each of which `color` would make two fives
    /// possible: the point itself, or the points of the two fives if there are only two. If no
    /// point stops all, those that stop one.
    fn stops(&self, position: &Gomoku, color: Color, doubles: &PointSet) -> PointSet {
        let mut all = PointSet([!0; MAX_SIZE as usize]);
        let mut any = PointSet::default();
        for point in doubles.iter() {
            let mut stops = self.fives_after(position, color, point);
            if stops.len() > 2 {
                stops = PointSet::default();
            }
            stops.insert(point);
            all = all.and(&stops);
            any = any.or(&stops);
        }
        if all.is_empty() { any } else { all }
    }

    /// The points on which `color` could make a five if it had a stone on `point`.
    fn fives_after(&self, position: &Gomoku, color: Color, point: Point) -> PointSet {
        let mut fives = PointSet::default();
        for (direction, number) in lines_through(position, point) {
            let own = position.line(color, direction, point);
            let other = position.line(color.other(), direction, point).bits;
            if self.shapes[number][color.index()].four >> own.at & 1 == 1 {
                let overline_wins = position.rule().overline_wins(color);
                let view = LineView::new(own.bits | 1 << own.at, other, own.length, overline_wins);
                self.geometries.insert(number, view.five(), &mut fives);
            }
        }
        fives
    }

    /// Lists the answers to threats; returns whether there are any.
    fn answers(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> bool {
        let mover = position.color_to_move();
        let mut list = |points: &PointSet, score| {
            out.extend(points.iter().map(|point| Candidate { mv: Move::Stone(point), score }));
            true
        };
        for (color, score) in [(mover, MAKE_FIVE), (mover.other(), BLOCK_FIVE)] {
            if !self.lines_with(color, Threat::Five).is_empty() {
                return list(&self.points(color, Threat::Five), score);
            }
        }
        let fours = self.tally(mover, Threat::Four);
        let doubles = self.doubles(mover, &fours);
        if !doubles.is_empty() {
            return list(&doubles, STRAIGHT_FOUR);
        }
        let threats = self.doubles(mover.other(), &self.tally(mover.other(), Threat::Four));
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

    /// The points on which a colour makes two fives possible at once, in one line or in two.
    fn doubles(&self, color: Color, fours: &PointTally) -> PointSet {
        match self.lines_with(color, Threat::Double).is_empty() {
            true => fours.twice,
            false => fours.twice.or(&self.points(color, Threat::Double)),
        }
    }

    /// The empty points near a stone.
    fn near(&self, size: u8) -> PointSet {
        let mut near = PointSet::default();
        let on_board = (1u32 << size) - 1;
        let size = usize::from(size);
        for row in 0..size {
            let around = &self.stones.0
                [row.saturating_sub(NEAR_DISTANCE)..(row + NEAR_DISTANCE + 1).min(size)];
            let column = around.iter().fold(0, |all, row| all | row);
            let wide = column | column << 1 | column << 2 | column >> 1 | column >> 2;
            near.0[row] = wide & on_board & !self.stones.0[row];
        }
        near
    }

    fn list_quiet(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) {
        let (size, mover) = (position.size(), position.color_to_move());
        if self.stones.is_empty() {
            let centre = Point::new(size / 2, size / 2);
            out.extend(centre.map(|point| Candidate { mv: Move::Stone(point), score: 0 }));
            return;
        }
        let extras = [
            (self.points(mover, Threat::Four), FOUR),
            (self.points(mover, Threat::Three), THREE),
            (self.points(mover.other(), Threat::Four), STOP_FOUR),
            (self.points(mover.other(), Threat::Three), STOP_THREE),
        ];
        for point in self.near(size).iter() {
            let extra =
                |(points, score): &(PointSet, i32)| i32::from(points.contains(point)) * score;
            let score =
                self.point_values.value(point, mover) + extras.iter().map(extra).sum::<i32>();
            out.push(Candidate { mv: Move::Stone(point), score });
        }
    }
}

impl Analyzer<Gomoku> for LineAnalyzer {
    fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
        if self.answers(position, out) {
            return Scope::Answers;
        }
        self.list_quiet(position, out);
        Scope::Quiet
    }

    fn reset(&mut self, position: &Gomoku) {
        self.geometries = LineGeometries::of(position);
        self.replaced.clear();
        self.shapes.fill(LineShapes::default());
        self.lines_with = Default::default();
        self.stones = PointSet::default();
        for (direction, first) in position.lines() {
            let number = position.line_number(direction, first);
            self.set_shapes(number, shapes_of(position, direction, first));
        }
        for color in Color::ALL {
            position.stones(color).for_each(|point| self.stones.insert(point));
        }
        self.point_values.reset(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        let Move::Stone(point) = mv else { return };
        let mut replaced = [LineShapes::default(); 4];
        for (old, (direction, number)) in replaced.iter_mut().zip(lines_through(after, point)) {
            *old = self.shapes[number];
            self.set_shapes(number, shapes_of(after, direction, point));
        }
        self.replaced.push(replaced);
        self.stones.insert(point);
        self.point_values.made(after, point, after.color_to_move().other());
    }

    #[inline]
    fn unmade(&mut self, after: &Gomoku, mv: Move) {
        let Move::Stone(point) = mv else { return };
        let replaced = self.replaced.pop().unwrap_or_default();
        for (old, (_, number)) in replaced.into_iter().zip(lines_through(after, point)) {
            self.set_shapes(number, old);
        }
        self.stones.remove(point);
        self.point_values.unmade(after, point, after.color_to_move().other());
    }
}

#[inline]
fn shapes_of(position: &Gomoku, direction: Direction, point: Point) -> LineShapes {
    let [black, white] = Color::ALL.map(|color| position.line(color, direction, point));
    let view = |own, other, color| {
        LineView::new(own, other, black.length, position.rule().overline_wins(color)).shape()
    };
    [view(black.bits, white.bits, Color::Black), view(white.bits, black.bits, Color::White)]
}

#[cfg(test)]
impl LineAnalyzer {
    /// Whether the updated state equals that of an analyzer reset to this position.
    pub(super) fn is_up_to_date(&self, position: &Gomoku) -> bool {
        let mut fresh = LineAnalyzer::default();
        fresh.reset(position);
        self.shapes == fresh.shapes
            && self.lines_with == fresh.lines_with
            && self.stones == fresh.stones
            && self.point_values == fresh.point_values
    }
}
