//! Which moves a search looks at, and in which order: the author's knowledge of
//! a game's threats. Proposes only; values no position and makes no move.

use sandboard_games::Rules;

use crate::search::Manner;

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

    /// Whether the list of candidates, amid no threat, surely holds this move, be it of any other
    /// position: then a search tries it, if it was best before, without the list, which it then
    /// seldom needs. False: that is not known without the list.
    fn is_candidate(&self, _position: &R, _mv: R::Move) -> bool {
        false
    }

    /// Begins anew in this position.
    fn reset(&mut self, _position: &R) {}

    /// `mv` was made; `after` is the position after it.
    fn made(&mut self, _after: &R, _mv: R::Move) {}

    /// The last made move is about to be taken back; `after` is still the
    /// position after it.
    fn unmade(&mut self, _after: &R, _mv: R::Move) {}

    /// Forgets what it has found out about earlier positions, if it keeps that.
    fn forget(&mut self) {}

    /// Whether it values positions, too: then a search tells it of every move,
    /// asks its [`value`](Self::value) and not the evaluator's, and takes
    /// [`NoValue`] for one.
    const VALUES: bool = false;

    /// What the position is worth to the side to move. Nobody has won yet.
    fn value(&self, _position: &R) -> i32 {
        0
    }

    /// Whether the side to move has to answer a threat: a search that ends here
    /// goes on with the candidates, which are answers then, and values nothing.
    fn must_answer(&self, _position: &R) -> bool {
        false
    }

    /// In which manner a search goes about with what is proposed here.
    const MANNER: Manner = Manner::USUAL;

    /// Whether it lists noisy moves: then a search that ends goes on with them, and values
    /// only positions in which the side to move would rather have none of them.
    const NOISY: bool = false;

    /// Appends the legal noisy moves, without those that can hardly bring the side to move as
    /// much as `least`; where it [must answer](Self::must_answer) a threat, every legal move.
    fn noisy(&mut self, _position: &R, _least: i32, _out: &mut Vec<Candidate<R::Move>>) {}

    /// Whether a move of this position makes a threat that has to be answered: such moves are
    /// neither left out nor searched less deep.
    fn threatens(&self, _position: &R, _mv: R::Move) -> bool {
        false
    }

    /// Whether some move is all but surely better than passing ([`Rules::make_null`]), so that
    /// a position in which even that is good needs no search. A search that passes tells
    /// neither analyzer nor evaluator.
    fn may_pass(&self, _position: &R) -> bool {
        false
    }

    /// The value, to the side to move, of an end that is foreseen before the rules see it: of a
    /// repetition, `plies` moves after the root. Forced wins are worth more.
    fn foreseen(&self, _position: &R, _plies: u32) -> Option<i32> {
        None
    }

    /// Whether it can look for forced wins.
    const PROVES: bool = false;

    /// A forced win of the side to move, if there is one within this effort. It
    /// asks `spend` before each move that it makes, and gives up when that says no.
    fn forced_win(
        &mut self,
        _position: &R,
        _effort: Effort,
        _spend: &mut dyn FnMut() -> bool,
    ) -> Option<Forced<R::Move>> {
        None
    }

    /// Appends the expected moves of the win that was found last, from its
    /// first move on, as far as they are known.
    fn forced_line(&mut self, _position: &R, _out: &mut Vec<R::Move>) {}
}

/// How much a search gives for a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few nodes, where the search would end and value the position.
    Glance,
    /// Some more, where it goes on.
    Look,
    /// So many nodes, at the root. What it found out stays for the next time.
    Study(u64),
}

/// A win that the opponent cannot avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced<M> {
    /// The move that wins.
    pub first: M,
    /// The game ends after so many plies at most.
    pub plies: u32,
    /// Every answer was looked at; else the win is as good as sure.
    pub proved: bool,
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

/// Values nothing: the evaluator where an analyzer does that ([`Analyzer::VALUES`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValue;

impl<R: Rules> crate::Evaluator<R> for NoValue {
    #[inline]
    fn value(&self, _: &R) -> i32 {
        0
    }
}
