//! Gomoku: five in a row on boards of 5 to 22. Here are the position and its
//! rules; boards, texts, pictures and threats are in the files beside.
//!
//! Move texts are points, `h8`: columns from `a`, rows from 1, the lowest.
//! Position texts are `rows side`, as in `5/5/1xo2/5/5 b`: rows from the top
//! down, `x` black, `o` white, numbers for runs of empty points, side `b` or `w`.
//!
//! ```
//! use sandboard_games::{Rules, gomoku::{Gomoku, INFO}};
//!
//! let mut game = Gomoku::start(&INFO.variant("freestyle-5").unwrap());
//! game.play("c3").unwrap();
//! let mut text = String::new();
//! game.write_position(&mut text);
//! assert_eq!(text, "5/5/2x2/5/5 w");
//! ```

mod board;
mod forbidden;
mod moves;
mod notation;
mod picture;
mod point;
mod rule;
mod threats;
mod variants;
mod zobrist;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{GameInfo, Variant};
use crate::rules::{Generate, Outcome, PositionError, PositionFault, Rules, Seat, Side};
use board::Board;
pub use board::{LINES, Line};
pub use forbidden::Foul;
pub use moves::Move;
pub use point::{Color, Direction, MAX_SIZE, MIN_SIZE, Point, PointSet};
pub use rule::Rule;

/// The row of gomoku in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "gomoku",
    name: "Gomoku",
    seats: 2,
    sides: [Color::Black.name(), Color::White.name()],
    variants: &variants::VARIANTS,
    move_texts: "a point: the letter of its column and the number of its row, from the lower left: h8",
    new: Game::<Gomoku>::set_up,
};

/// A position of gomoku.
///
/// # Equality
/// Equal are positions with the same rule, size, stones and side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    board: Board,
    rule: Rule,
    to_move: Color,
    empties: u16,
    hash: u64,
    outcome: Option<Outcome>,
}

/// What takes back a move of [`Gomoku`]; none is a null move.
#[derive(Clone, Copy, Debug)]
pub struct Undo(Option<Point>);

/// What engines look at.
impl Gomoku {
    /// The length of the board's side, 5 to 22.
    #[inline]
    pub fn size(&self) -> u8 {
        self.board.size()
    }

    /// The rule of winning.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The colour that moves next; the one that would, when the game is over.
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
    /// [`LINES`]: for tables of what an evaluator knows of each line.
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
        threats::completing::<1>(&self.board, self.rule, color)
    }

    /// The empty points at which a stone of this colour would make a four: a
    /// row that one stone more makes a winning one. When the colour has fours
    /// already, points that only add to one of them need not be among these.
    pub fn four_points(&self, color: Color) -> PointSet {
        threats::completing::<2>(&self.board, self.rule, color)
    }

    /// The points of [`Generate::Noisy`], the first of these that are not none:
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
            return threats::stopping(&self.board, self.rule, opponent, &threats);
        }
        self.four_points(self.to_move)
    }

    /// The foul that a black stone on a point would be by the present board,
    /// whoever moves; none on a point that is not empty, and by other rules than
    /// renju's.
    #[inline]
    pub fn forbidden(&self, point: Point) -> Option<Foul> {
        if !self.rule.forbids(Color::Black) || !self.is_empty(point) {
            return None;
        }
        forbidden::foul(&self.board, point)
    }

    /// All points that are [`forbidden`](Gomoku::forbidden), a1 upwards.
    pub fn forbidden_points(&self) -> impl Iterator<Item = (Point, Foul)> + '_ {
        let asked = self.rule.forbids(Color::Black).then(|| self.empty_points());
        asked
            .into_iter()
            .flatten()
            .filter_map(|point| forbidden::foul(&self.board, point).map(|foul| (point, foul)))
    }
}

impl Gomoku {
    /// The position with these stones, of a colour at most one of which has won.
    fn from_board(rule: Rule, board: Board, to_move: Color) -> Gomoku {
        let mut position = Gomoku {
            rule,
            to_move,
            empties: board.empty_points().count() as u16,
            hash: zobrist::empty(rule, board.size()),
            outcome: None,
            board,
        };
        for color in Color::ALL {
            let keys = position.board.stones(color).map(|point| zobrist::stone(color, point));
            position.hash ^= keys.fold(0, |all, key| all ^ key);
        }
        if to_move == Color::White {
            position.hash ^= zobrist::WHITE_TO_MOVE;
        }
        let win = Color::ALL.into_iter().find_map(|color| position.win_of(color));
        position.outcome = win.or(position.draw());
        position
    }

    /// The win of a colour that has a winning row anywhere.
    fn win_of(&self, color: Color) -> Option<Outcome> {
        let run = |point| self.rule.winning_run(&self.board, color, point);
        let longest = self.board.stones(color).map(run).max().unwrap_or(0);
        (longest > 0).then(|| self.won(color, rule::won_by(longest)))
    }

    /// The end of the game when no point is left.
    #[inline]
    fn draw(&self) -> Option<Outcome> {
        (self.empties == 0).then_some(Outcome { winner: None, reason: "board full", score: 0 })
    }

    fn won(&self, color: Color, reason: &'static str) -> Outcome {
        Outcome { winner: Some(Side(color as u8)), reason, score: 0 }
    }

    /// The end of the game by a stone just put. There was no winning row before,
    /// so that one can only run through this stone.
    #[inline]
    fn outcome_after(&self, color: Color, point: Point) -> Option<Outcome> {
        match self.rule.winning_run(&self.board, color, point) {
            0 => self.draw(),
            run => Some(self.won(color, rule::won_by(run))),
        }
    }

    #[inline]
    fn pass_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.hash ^= zobrist::WHITE_TO_MOVE;
    }

    #[inline]
    fn toggle(&mut self, color: Color, point: Point) {
        self.board.toggle(color, point);
        self.hash ^= zobrist::stone(color, point);
    }
}

impl Rules for Gomoku {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        let size = variant.size.unwrap_or(rule::USUAL_SIZE);
        Self::from_board(variants::rule_of(variant.id), Board::empty(size), Color::Black)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let placement = notation::read_position(text, variant.size)?;
        let rule = variants::rule_of(variant.id);
        let position = Self::from_board(rule, placement.board, placement.to_move);
        if Color::ALL.into_iter().all(|color| position.win_of(color).is_some()) {
            let reason = "both colours have won".to_owned();
            return Err(PositionError(vec![PositionFault { at: 0, reason }]));
        }
        Ok(position)
    }

    fn write_position(&self, out: &mut String) {
        notation::write_position(&self.board, self.to_move, out);
    }

    fn variant(&self) -> Variant {
        Variant { id: self.rule.id(), size: Some(self.size()), setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.to_move as u8)
    }

    fn generate(&self, what: Generate, out: &mut Vec<Move>) {
        if self.outcome.is_some() {
            return;
        }
        match what {
            Generate::All => out.extend(self.empty_points().map(Move::Stone)),
            Generate::Noisy => out.extend(self.noisy_points().iter().map(Move::Stone)),
        }
    }

    #[inline]
    fn is_legal(&self, generated: Move) -> bool {
        let Move::Stone(point) = generated else { return true };
        !self.rule.forbids(self.to_move) || forbidden::foul(&self.board, point).is_none()
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        if let Some(outcome) = self.outcome {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        let point = notation::read_point(text, self.size())?;
        match self.stone_at(point) {
            Some(color) => Err(format!("a {} stone is on {point}", color.name())),
            None => Ok(Move::Stone(point)),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        notation::write_move(mv, out);
    }

    #[inline]
    fn make(&mut self, mv: Move) -> Undo {
        let Move::Stone(point) = mv else { unreachable!("{mv} is not generated") };
        debug_assert!(self.outcome.is_none() && self.is_empty(point), "{mv} cannot be played");
        let mover = self.to_move;
        self.toggle(mover, point);
        self.pass_turn();
        self.empties -= 1;
        self.outcome = self.outcome_after(mover, point);
        Undo(Some(point))
    }

    /// As [`make`](Rules::make), which takes it that the move is no foul.
    fn make_judged(&mut self, mv: Move) -> Undo {
        let mover = self.to_move;
        let foul = mv.point().filter(|_| self.rule.forbids(mover));
        let foul = foul.and_then(|point| self.forbidden(point));
        let undo = self.make(mv);
        if let Some(foul) = foul {
            self.outcome = Some(self.won(mover.other(), foul.reason()));
        }
        undo
    }

    #[inline]
    fn unmake(&mut self, undo: Undo) {
        self.pass_turn();
        if let Undo(Some(point)) = undo {
            self.toggle(self.to_move, point);
            self.empties += 1;
            self.outcome = None;
        }
    }

    /// The other colour moves next: by the rules nobody passes, but a search
    /// may ask what a second stone would threaten.
    fn make_null(&mut self) -> Option<Undo> {
        if self.outcome.is_some() {
            return None;
        }
        self.pass_turn();
        Some(Undo(None))
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.hash
    }

    fn write_board(&self, last: Option<Move>, out: &mut String) {
        picture::write_board(&self.board, last.and_then(Move::point), out);
    }
}
