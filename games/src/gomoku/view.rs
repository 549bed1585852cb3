//! What engines look at: stones, lines, threats and forbidden points. Changes
//! nothing.

use super::board::Line;
use super::forbidden::{self, Foul};
use super::point::{Color, Direction, Point, PointSet};
use super::procedure::Procedure;
use super::rule::Rule;
use super::{Gomoku, threats};

impl Gomoku {
    /// The length of the board's side, 5 to 22.
    #[inline]
    pub fn size(&self) -> u8 {
        self.board.size()
    }

    /// The rule of winning.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.terms.rule
    }

    /// The procedure by which games of this variant are opened.
    pub fn procedure(&self) -> Procedure {
        self.terms.procedure
    }

    /// The colour of the next stone, or the one that would be next when the game
    /// is over. In ordinary play its holder moves; in a procedure it can be the
    /// other who decides: see [`to_move`](crate::Rules::to_move).
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.to_move
    }

    /// How many points are empty.
    #[inline]
    pub fn empties(&self) -> u32 {
        u32::from(self.empties)
    }

    /// The stone on a point; none on an empty point or off the board.
    #[inline]
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        self.board.stone_at(point)
    }

    /// Whether a point is on the board and empty.
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.board.contains(point) && self.stone_at(point).is_none()
    }

    /// The empty points, a1 upwards.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        self.board.empty_points()
    }

    /// The stones of a colour, a1 upwards.
    pub fn stones(&self, color: Color) -> impl Iterator<Item = Point> + '_ {
        self.board.stones(color)
    }

    /// One colour's stones on the line that runs through a point of the board.
    ///
    /// # Panics
    /// May panic for a point that is not on the board.
    #[inline]
    pub fn line(&self, color: Color, direction: Direction, point: Point) -> Line {
        self.board.line(color, direction, point)
    }

    /// The number of the line that runs through a point of the board, below
    /// [`LINES`](super::LINES): for tables of what an evaluator knows of each line.
    #[inline]
    pub fn line_number(&self, direction: Direction, point: Point) -> usize {
        self.board.line_number(direction, point)
    }

    /// Every line that is long enough for a five: its direction and first point.
    pub fn lines(&self) -> impl Iterator<Item = (Direction, Point)> + '_ {
        Direction::ALL.into_iter().flat_map(move |direction| {
            let first = move |number| (direction, self.board.first_point(direction, number));
            self.board.long_lines(direction).map(first)
        })
    }

    /// The empty points at which a stone of this colour would win at once.
    pub fn winning_points(&self, color: Color) -> PointSet {
        threats::completing::<1>(&self.board, self.terms.rule, color)
    }

    /// The empty points at which a stone of this colour would make a four: a
    /// row that one stone more makes a winning one. When the colour has fours
    /// already, points that only add to one of them need not be among these.
    pub fn four_points(&self, color: Color) -> PointSet {
        threats::completing::<2>(&self.board, self.terms.rule, color)
    }

    /// The points of [`Generate::Noisy`](crate::Generate::Noisy), the first of these that are not none:
    /// those that win; those that keep the opponent from winning with the next
    /// stone (any other move loses); those that make a four.
    pub fn noisy_points(&self) -> PointSet {
        let wins = self.winning_points(self.to_move);
        if !wins.is_empty() {
            return wins;
        }
        let opponent = self.to_move.other();
        let threats = self.winning_points(opponent);
        if !threats.is_empty() {
            return threats::stopping(&self.board, self.terms.rule, opponent, &threats);
        }
        self.four_points(self.to_move)
    }

    /// The foul that a black stone on a point would be by the present board,
    /// whoever moves; none on a point that is not empty, and by other rules than
    /// renju's.
    #[inline]
    pub fn forbidden(&self, point: Point) -> Option<Foul> {
        if !self.terms.rule.forbids(Color::Black) || !self.is_empty(point) {
            return None;
        }
        forbidden::foul(&self.board, point)
    }

    /// All points that are [`forbidden`](Gomoku::forbidden), a1 upwards.
    pub fn forbidden_points(&self) -> impl Iterator<Item = (Point, Foul)> + '_ {
        let asked = self.terms.rule.forbids(Color::Black).then(|| self.empty_points());
        asked
            .into_iter()
            .flatten()
            .filter_map(|point| forbidden::foul(&self.board, point).map(|foul| (point, foul)))
    }
}
