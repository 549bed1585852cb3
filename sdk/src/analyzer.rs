//! Move candidates: which moves a search looks at, and in which order. An analyzer holds the
//! author's knowledge of a game's threats. It proposes moves and makes none.

use sandboard_games::Rules;

use crate::search::SearchParams;

/// A move that the search should consider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<M> {
    /// The proposed move.
    pub mv: M,
    /// Higher scores are searched first. Scores from [`URGENT`] up are for moves that make or
    /// answer a threat; the search leaves them as they are. To all others it adds some hundreds
    /// by what it has learnt, so such scores should spread over about that range.
    pub score: i32,
}

/// From this score up, killers and history do not change a candidate's score.
pub const URGENT: i32 = 1_000_000;

/// What a list of candidates leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// There is no threat; the list may leave out moves that look worse.
    Quiet,
    /// One of the sides has a threat; the list holds only answers, and no other move is better
    /// than the best of them.
    Answers,
}

/// Proposes moves for a search.
///
/// The search calls [`made`](Self::made) and [`unmade`](Self::unmade) for every move on the way to
/// a position before it asks about that position, so that an analyzer can be kept up to date. It
/// leaves out moves to positions for which it needs no candidates, unless the analyzer
/// [evaluates](Self::EVALUATES).
///
/// ```
/// use sandboard_sdk::games::gomoku::{Gomoku, Move};
/// use sandboard_sdk::{Analyzer, Candidate, Scope, URGENT};
///
/// /// Wins, then stops wins, then fours; if there are none, the search takes all moves.
/// #[derive(Clone, Default)]
/// struct NoisyMoves;
///
/// impl Analyzer<Gomoku> for NoisyMoves {
///     fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
///         let points = position.noisy_points();
///         let urgent = |point| Candidate { mv: Move::Stone(point), score: URGENT };
///         out.extend(points.iter().map(urgent));
///         if out.is_empty() { Scope::Quiet } else { Scope::Answers }
///     }
/// }
/// ```
pub trait Analyzer<R: Rules> {
    /// Whether every list holds a best move. If so, results that a search has followed to the ends
    /// of games are proved.
    const COMPLETE: bool = false;
    /// Whether candidates have scores. If not, the search uses
    /// [`Evaluator::move_value`](crate::Evaluator::move_value).
    const SCORES_MOVES: bool = true;

    /// Appends the candidates, in a fixed order that depends on the position alone. The search
    /// drops illegal ones, and takes all legal moves if none is left.
    fn candidates(&mut self, position: &R, out: &mut Vec<Candidate<R::Move>>) -> Scope;

    /// Whether the candidates of this position, if there is no threat, certainly contain this
    /// move, which may come from any other position. The search then tries a stored best move
    /// before it makes the list. Return false if only the list can tell.
    fn is_candidate(&self, _position: &R, _mv: R::Move) -> bool {
        false
    }

    /// Starts from this position.
    fn reset(&mut self, _position: &R) {}

    /// The search has made `mv`; `after` is the position after it.
    fn made(&mut self, _after: &R, _mv: R::Move) {}

    /// The search is about to unmake `mv`; `after` is still the position after it.
    fn unmade(&mut self, _after: &R, _mv: R::Move) {}

    /// Clears what the analyzer stores about earlier positions.
    fn clear(&mut self) {}

    /// Whether the analyzer also evaluates positions. The search then calls [`made`](Self::made)
    /// for every move, and uses [`value`](Self::value) instead of the evaluator's; take
    /// [`NullEvaluator`] for that one.
    const EVALUATES: bool = false;

    /// The static value for the side to move, of a game that is not over.
    fn value(&self, _position: &R) -> i32 {
        0
    }

    /// Whether the side to move has to answer a threat, as in check. A search that reaches its
    /// depth here continues with the candidates, which are then answers.
    fn must_answer(&self, _position: &R) -> bool {
        false
    }

    /// Parameters of the search that suit this analyzer and its game.
    const PARAMS: SearchParams = SearchParams::DEFAULT;

    /// Whether the analyzer lists noisy moves, for quiescence search: where the depth ends, the
    /// search continues with them until the static value is at least as good.
    const LISTS_NOISY_MOVES: bool = false;

    /// Appends the legal noisy moves, without those that can hardly gain `min_gain`, in the unit of
    /// values. If the side to move [must answer](Self::must_answer) a threat: all legal moves.
    fn noisy_moves(&mut self, _position: &R, _min_gain: i32, _out: &mut Vec<Candidate<R::Move>>) {}

    /// Whether a move of this position makes a threat that must be answered. The search neither
    /// reduces nor prunes such moves.
    fn makes_threat(&self, _position: &R, _mv: R::Move) -> bool {
        false
    }

    /// Whether null move pruning is sound here: some move is almost certainly better than passing
    /// ([`Rules::make_null`]). Neither analyzer nor evaluator is called for a null move.
    fn allows_null_move(&self, _position: &R) -> bool {
        false
    }

    /// The value, for the side to move, of a position that repeats one since the root, before the
    /// rules end the game. `plies` is the distance from the root. Values of forced wins are higher.
    fn repetition_value(&self, _position: &R, _plies: u32) -> Option<i32> {
        None
    }

    /// Whether the analyzer can search for forced wins.
    const PROVES_WINS: bool = false;

    /// A forced win of the side to move, if one is found with this effort. Calls `take_node` before
    /// each move that it makes, and stops when that returns false.
    fn forced_win(
        &mut self,
        _position: &R,
        _effort: ProofEffort,
        _take_node: &mut dyn FnMut() -> bool,
    ) -> Option<ForcedWin<R::Move>> {
        None
    }

    /// Appends the expected moves of the forced win found last, from its first move on, as far as
    /// they are known.
    fn forced_line(&mut self, _position: &R, _out: &mut Vec<R::Move>) {}
}

/// How much a search spends on a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofEffort {
    /// A few nodes: where the depth ends.
    Leaf,
    /// Some more nodes: at inner nodes.
    Inner,
    /// This many nodes: at the root. The result is kept for later proofs.
    Root(u64),
}

/// A win that the opponent cannot avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedWin<M> {
    /// The winning move.
    pub first: M,
    /// The most plies until the game ends.
    pub plies: u32,
    /// Whether all answers were searched; if not, the win is almost certain.
    pub proved: bool,
}

/// Proposes nothing, so that a search takes every legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllMoves;

impl<R: Rules> Analyzer<R> for AllMoves {
    const COMPLETE: bool = true;
    const SCORES_MOVES: bool = false;

    fn candidates(&mut self, _: &R, _: &mut Vec<Candidate<R::Move>>) -> Scope {
        // The search itself generates all moves, into a list that it reuses.
        Scope::Quiet
    }
}

/// An evaluator that returns 0, for analyzers that [evaluate](Analyzer::EVALUATES).
#[derive(Clone, Copy, Debug, Default)]
pub struct NullEvaluator;

impl<R: Rules> crate::Evaluator<R> for NullEvaluator {
    #[inline]
    fn value(&self, _: &R) -> i32 {
        0
    }
}
