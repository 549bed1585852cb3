//! Read-only queries for engines: stones, lines, threats and forbidden points.

use super::board::Line;
use super::forbidden::{self, Foul};
use super::point::{Color, Direction, Point, PointSet};
use super::procedure::Procedure;
use super::rule::Rule;
use super::{Gomoku, threats};

impl Gomoku {
    /// Board size, 5 to 22.
    #[inline]
    pub fn size(&self) -> u8 {
        self.board.size()
    }

    /// The rule that decides which rows win.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.rule_set.rule
    }

    /// The opening procedure of the variant.
    pub fn procedure(&self) -> Procedure {
        self.rule_set.procedure
    }

    /// The colour of the next stone, or the one that would be next after the end of the game. In
    /// ordinary play its holder moves. In a procedure the other seat may decide: see
    /// [`to_move`](crate::Rules::to_move).
    #[inline]
    pub fn color_to_move(&self) -> Color {
        self.to_move
    }

    /// Number of empty points.
    #[inline]
    pub fn empties(&self) -> u32 {
        u32::from(self.empties)
    }

    /// The stone on a point; `None` for an empty point or a point off the board.
    #[inline]
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        self.board.stone_at(point)
    }

    /// Whether a point is on the board and empty.
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.board.contains(point) && self.stone_at(point).is_none()
    }

    /// The empty points, from a1 upwards.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        self.board.empty_points()
    }

    /// The stones of a colour, from a1 upwards.
    pub fn stones(&self, color: Color) -> impl Iterator<Item = Point> + '_ {
        self.board.stones(color)
    }

    /// One colour's stones on the line through a point of the board.
    ///
    /// # Panics
    /// May panic if the point is not on the board.
    #[inline]
    pub fn line(&self, color: Color, direction: Direction, point: Point) -> Line {
        self.board.line(color, direction, point)
    }

    /// The number of the line through a point of the board, less than [`LINES`](super::LINES). For
    /// tables of per-line evaluation.
    #[inline]
    pub fn line_number(&self, direction: Direction, point: Point) -> usize {
        self.board.line_number(direction, point)
    }

    /// Every line of at least five points: its direction and first point.
    pub fn lines(&self) -> impl Iterator<Item = (Direction, Point)> + '_ {
        Direction::ALL.into_iter().flat_map(move |direction| {
            let first = move |number| (direction, self.board.first_point(direction, number));
            self.board.long_lines(direction).map(first)
        })
    }

    /// The empty points where a stone of this colour wins at once.
    pub fn winning_points(&self, color: Color) -> PointSet {
        threats::completing_points::<1>(&self.board, self.rule_set.rule, color)
    }

    /// The empty points where a stone of this colour makes a four: a row that one more stone
    /// completes to a winning one. If the colour already has fours, points that only extend one of
    /// them may be missing.
    pub fn four_points(&self, color: Color) -> PointSet {
        threats::completing_points::<2>(&self.board, self.rule_set.rule, color)
    }

    /// The points of [`MoveSet::Noisy`](crate::MoveSet::Noisy), the first non-empty set of: points
    /// that win; points that stop the opponent from winning with the next stone (any other move
    /// loses); points that make a four.
    pub fn noisy_points(&self) -> PointSet {
        let wins = self.winning_points(self.to_move);
        if !wins.is_empty() {
            return wins;
        }
        let opponent = self.to_move.other();
        let threats = self.winning_points(opponent);
        if !threats.is_empty() {
            return threats::blocking_points(&self.board, self.rule_set.rule, opponent, &threats);
        }
        self.four_points(self.to_move)
    }

    /// The foul that a black stone on this point would be, on the current board and regardless of
    /// the side to move. `None` if the point is not empty or the rule is not renju.
    #[inline]
    pub fn forbidden(&self, point: Point) -> Option<Foul> {
        if !self.rule_set.rule.forbids(Color::Black) || !self.is_empty(point) {
            return None;
        }
        forbidden::foul(&self.board, point)
    }

    /// All [`forbidden`](Gomoku::forbidden) points, from a1 upwards.
    pub fn forbidden_points(&self) -> impl Iterator<Item = (Point, Foul)> + '_ {
        let candidates = self.rule_set.rule.forbids(Color::Black).then(|| self.empty_points());
        candidates
            .into_iter()
            .flatten()
            .filter_map(|point| forbidden::foul(&self.board, point).map(|foul| (point, foul)))
    }
}
