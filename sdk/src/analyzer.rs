//! Which moves a search looks at, and in which order: the author's knowledge of
//! a game's threats. Proposes only; values no position and makes no move.

use sandboard_games::Rules;

/// A move worth looking at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// Higher ones are searched first; those from [`URGENT`] up answer or make
    /// a threat and keep their place, whatever the search has learnt. To others
    /// it adds some hundreds, so that they had best spread over as much.
    pub score: i32,
}

/// Scores from here up are not moved by what a search learns on its way.
pub const URGENT: i32 = 1_000_000;

/// What a list of candidates leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// There is no threat: moves that look worse are left out.
    Quiet,
    /// There are threats, for or against: only their answers are listed, and
    /// no move left out is better than the best of them.
    Answers,
}

/// Proposes moves. A search tells it of every move on the way to a position
/// before it asks about that position, so that it can keep what it knows up to
/// date; it is not told of moves to positions that need no candidates.
///
/// ```
/// use sandboard_sdk::games::gomoku::{Gomoku, Move};
/// use sandboard_sdk::{Analyzer, Candidate, Scope, URGENT};
///
/// /// Wins, then stops wins, then fours; where there is none, the search takes all moves.
/// #[derive(Clone, Default)]
/// struct Noisy;
///
/// impl Analyzer<Gomoku> for Noisy {
///     fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
///         let points = position.noisy_points();
///         let urgent = |point| Candidate { mv: Move::Stone(point), score: URGENT };
///         out.extend(points.iter().map(urgent));
///         if out.is_empty() { Scope::Quiet } else { Scope::Answers }
///     }
/// }
/// ```
pub trait Analyzer<R: Rules> {
    /// Whether every list holds a best move, so that what a search has seen to
    /// the end is proved.
    const COMPLETE: bool = false;
    /// Whether candidates come with scores; if not, a search takes
    /// [`Evaluator::move_value`](crate::Evaluator::move_value).
    const RANKS: bool = true;

    /// Appends the moves worth looking at, in a fixed order that depends on the
    /// position alone. A search tests their legality, and takes all legal moves
    /// when there is none here.
    fn candidates(&mut self, position: &R, out: &mut Vec<Candidate<R::Move>>) -> Scope;

    /// Begins anew in this position.
    fn reset(&mut self, _position: &R) {}

    /// `mv` was made; `after` is the position after it.
    fn made(&mut self, _after: &R, _mv: R::Move) {}

    /// The last made move is about to be taken back; `after` is still the
    /// position after it.
    fn unmade(&mut self, _after: &R, _mv: R::Move) {}
}

/// Proposes nothing, so that a search takes every legal move: an analyzer for
/// games that need no other.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllMoves;

impl<R: Rules> Analyzer<R> for AllMoves {
    const COMPLETE: bool = true;
    const RANKS: bool = false;

    fn candidates(&mut self, _: &R, _: &mut Vec<Candidate<R::Move>>) -> Scope {
        // The search takes all moves itself, into a list it keeps.
        Scope::Quiet
    }
}
