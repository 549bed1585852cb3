//! What a position is worth before anybody has looked ahead: the author's
//! knowledge of a game. Whole numbers only, and the same ones everywhere.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::{Outcome, Rules};

/// Values from here up are forced wins, `WIN_SCORE` less the plies to them, and
/// from minus this down forced losses; an evaluator's own stay between.
pub const WIN_BOUND: i32 = WIN_SCORE - 1_000;

/// How the value of a deep search follows from that of one less deep: it is
/// `slope / 256` times that, plus `offset`, and seldom off by more than `margin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbableCut {
    /// The lesser depth, at least 1.
    pub depth: u32,
    /// In 256ths, more than 0.
    pub slope: i32,
    /// In the unit of values.
    pub offset: i32,
    /// In the unit of values. The larger, the surer, and the fewer the cuts.
    pub margin: i32,
}

/// Values positions, in the game's unit of score or a part of it
/// ([`score`](Self::score)). A search tells it of every
/// move made and taken back.
///
/// ```
/// use sandboard_sdk::games::{Rules, gomoku::{Gomoku, INFO, Point}};
/// use sandboard_sdk::{Evaluator, PredictedBoard};
///
/// /// Likes stones near the centre, whoever moves next: columns only.
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
/// let mut board = PredictedBoard::new(start, Central);
/// board.make(board.position().parse_move("a1").unwrap());
/// assert_eq!(board.value(), 7, "the other's stone is seven columns off");
/// board.unmake();
/// assert_eq!(board.value(), 0);
/// ```
pub trait Evaluator<R: Rules> {
    /// Values of one position after two searches, one a ply deeper, seldom differ
    /// by more: how far to either side of the last value an iteration begins to look.
    const USUAL_CHANGE: i32 = 60;

    /// The value for the side to move. Nobody has won yet.
    fn value(&self, position: &R) -> i32;

    /// A value in the game's unit of score, for evaluators that reckon in a finer one.
    fn score(&self, value: i32) -> i32 {
        value
    }

    /// What a search that is less deep says about one of this depth, if that is known.
    fn probable_cut(&self, _position: &R, _depth: u32) -> Option<ProbableCut> {
        None
    }

    /// What a move by itself changes, for the side that makes it.
    fn move_value(&self, _position: &R, _mv: R::Move) -> i32 {
        0
    }

    /// The value of a game that has ended, for the side that would move, in
    /// `plies` from the root. Games that know more than win and loss say here
    /// what the result is worth.
    fn final_value(&self, position: &R, outcome: Outcome, plies: u32) -> i32 {
        match outcome.winner {
            Some(winner) if winner == R::side(position.to_move()) => WIN_SCORE - plies as i32,
            Some(_) => plies as i32 - WIN_SCORE,
            None => 0,
        }
    }

    /// Begins anew in this position.
    fn reset(&mut self, _position: &R) {}

    /// `mv` was made; `after` is the position after it.
    fn made(&mut self, _after: &R, _mv: R::Move) {}

    /// The last made move is about to be taken back; `after` is still the
    /// position after it.
    fn unmade(&mut self, _after: &R, _mv: R::Move) {}
}
