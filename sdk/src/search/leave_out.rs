//! What is left out without a search of all its moves: positions whose value lies so far
//! outside the window that a margin, or a search after a passed turn, says so.

use sandboard_games::Rules;

use super::worker::{Place, Window, Worker};
use crate::analyzer::Analyzer;
use crate::evaluator::{Evaluator, WIN_BOUND};

/// Only from this depth on the turn is passed.
const PASS_FROM: u32 = 3;
/// From this depth on what a passed turn says is verified by a search that passes none.
const VERIFY_FROM: u32 = 10;
/// Up to this depth a margin above the window is enough, or below it for quiet moves.
const ABOVE_TO: u32 = 6;
const BELOW_TO: u32 = 4;

/// Where a value lies beside a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outside {
    /// Outside: this bounds it.
    Is(i32),
    /// Below, unless a move that is not quiet brings it back.
    MayBe,
    /// That is not known.
    No,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// Whether the value lies outside the window, if that can be told without its moves.
    #[inline]
    pub(super) fn outside(&mut self, place: Place, window: Window) -> Outside {
        let margin = A::MANNER.margin;
        let asks_bound = window.beta - window.alpha == 1 && self.switches.alpha_beta;
        let decided = window.beta.abs() >= WIN_BOUND || window.alpha.abs() >= WIN_BOUND;
        if margin == 0 || !asks_bound || decided || place.depth == 0 {
            return Outside::No;
        }
        if self.analyzer.must_answer(self.board.position()) {
            return Outside::No;
        }
        let value = self.value();
        let margin = margin * place.depth as i32;
        if self.switches.futility && place.depth <= ABOVE_TO && value - margin >= window.beta {
            return Outside::Is(value - margin);
        }
        let passes = self.switches.null_moves
            && value >= window.beta
            && place.depth >= PASS_FROM
            && self.board.last().is_some()
            && self.analyzer.may_pass(self.board.position());
        if passes && self.is_good_after_passing(place, window, value) {
            return Outside::Is(window.beta);
        }
        let below = self.switches.futility && place.depth <= BELOW_TO;
        if below && value + margin <= window.alpha { Outside::MayBe } else { Outside::No }
    }

    /// Whether the value is above the window although the turn is passed.
    fn is_good_after_passing(&mut self, place: Place, window: Window, value: i32) -> bool {
        let surplus = (value - window.beta) / (2 * A::MANNER.margin);
        let less = 3 + place.depth / 4 + surplus.clamp(0, 2) as u32;
        let depth = place.depth.saturating_sub(less);
        let side = self.board.side();
        if !self.board.pass() {
            return false;
        }
        let same = self.board.side() == side;
        let after = Place { depth, ply: place.ply + 1, ..place };
        let value = self.value_above(after, window, same);
        self.board.unmake();
        if value < window.beta || self.budget.stopped {
            return false;
        }
        if place.depth < VERIFY_FROM {
            return true;
        }
        // Zugzwang is rare, but deep cuts are dear.
        let null_moves = std::mem::replace(&mut self.switches.null_moves, false);
        let value = self.look_up(Place { depth, ..place }, window);
        self.switches.null_moves = null_moves;
        self.lines[place.ply as usize].clear();
        value >= window.beta && !self.budget.stopped
    }
}
