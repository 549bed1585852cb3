//! Static evaluation: the value of a position without search. An evaluator holds the author's
//! knowledge of a game. Its values are whole numbers, the same on every platform.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::{Outcome, Rules};

/// The smallest value of a forced win, which is `WIN_SCORE` less the plies to it. Forced losses are
/// at most `-WIN_BOUND`; the values of an evaluator are between the two.
pub const WIN_BOUND: i32 = WIN_SCORE - 1_000;

/// How the value of a deep search depends on that of a shallow one (ProbCut): it is `slope / 256`
/// times the shallow value, plus `offset`. The error seldom exceeds `margin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbCut {
    /// The depth of the shallow search in plies, at least 1.
    pub depth: u32,
    /// In 256ths, more than 0.
    pub slope: i32,
    /// In the unit of values.
    pub offset: i32,
    /// In the unit of values. A larger margin gives safer and fewer cuts.
    pub margin: i32,
}

/// Evaluates positions, in the game's unit of score or a fraction of it ([`score`](Self::score)).
/// The search calls [`made`](Self::made) and [`unmade`](Self::unmade) for every move.
///
/// ```
/// use sandboard_sdk::games::{Rules, gomoku::{Gomoku, INFO, Point}};
/// use sandboard_sdk::{Evaluator, SearchBoard};
///
/// /// Prefers stones near the middle column.
/// #[derive(Clone, Default)]
/// struct Central;
///
/// impl Evaluator<Gomoku> for Central {
///     fn value(&self, position: &Gomoku) -> i32 {
///         let middle = i32::from(position.size() / 2);
///         let off = |point: Point| (i32::from(point.column()) - middle).abs();
///         let sum = |color| position.stones(color).map(off).sum::<i32>();
///         let mover = position.color_to_move();
///         sum(mover.other()) - sum(mover)
///     }
/// }
///
/// let start = Gomoku::start(&INFO.variant("freestyle-15").unwrap());
/// let mut board = SearchBoard::new(start, Central);
/// board.make(board.position().parse_move("a1").unwrap());
/// assert_eq!(board.value(), 7, "the opponent's stone is seven columns off");
/// board.unmake();
/// assert_eq!(board.value(), 0);
/// ```
pub trait Evaluator<R: Rules> {
    /// The half width of the first aspiration window, in the unit of values: values of a position
    /// after two consecutive iterations seldom differ by more.
    const ASPIRATION_MARGIN: i32 = 60;

    /// The static value for the side to move, of a game that is not over.
    fn value(&self, position: &R) -> i32;

    /// A value converted to the game's unit of score, for evaluators with a finer unit.
    fn score(&self, value: i32) -> i32 {
        value
    }

    /// How a shallow search predicts one of this depth, in plies; `None` if that is not known.
    fn prob_cut(&self, _position: &R, _depth: u32) -> Option<ProbCut> {
        None
    }

    /// A static score of a move for the side that makes it; used for move ordering only.
    fn move_value(&self, _position: &R, _mv: R::Move) -> i32 {
        0
    }

    /// The value of a finished game for the side that would be to move, `plies` from the root.
    /// Games with results other than win, loss and draw override it.
    fn final_value(&self, position: &R, outcome: Outcome, plies: u32) -> i32 {
        match outcome.winner {
            Some(winner) if winner == R::side(position.to_move()) => WIN_SCORE - plies as i32,
            Some(_) => plies as i32 - WIN_SCORE,
            None => 0,
        }
    }

    /// Starts from this position.
    fn reset(&mut self, _position: &R) {}

    /// The search has made `mv`; `after` is the position after it.
    fn made(&mut self, _after: &R, _mv: R::Move) {}

    /// The search is about to unmake `mv`; `after` is still the position after it.
    fn unmade(&mut self, _after: &R, _mv: R::Move) {}
}
