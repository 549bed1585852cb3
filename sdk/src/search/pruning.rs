//! Pruning of nodes by the static value: futility pruning and null move pruning. Both decide
//! before the node's moves are searched, and only in null windows.

use sandboard_games::Rules;

use super::search_thread::{NodePlace, SearchThread, Window};
use crate::analyzer::Analyzer;
use crate::evaluator::{Evaluator, WIN_BOUND};

/// The smallest depth for null move pruning.
const NULL_MOVE_DEPTH_MIN: u32 = 3;
/// From this depth on, a search without null moves verifies a null move cutoff.
const VERIFY_DEPTH_MIN: u32 = 10;
/// The largest depth for reverse futility pruning: a static value far above the window.
const REVERSE_FUTILITY_DEPTH_MAX: u32 = 6;
/// The largest depth for futility pruning: quiet moves, with a static value far below the window.
const FUTILITY_DEPTH_MAX: u32 = 4;

/// What is known of a node before its moves are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyCutoff {
    /// The value is outside the window; this is a bound of it.
    Value(i32),
    /// Quiet moves fail low; only other moves can reach the window.
    QuietMovesFailLow,
    /// No cutoff is known.
    None,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// Whether the value is outside the window, if the static value or a null move shows it.
    #[inline]
    pub(super) fn early_cutoff(&mut self, place: NodePlace, window: Window) -> EarlyCutoff {
        let margin = A::PARAMS.margin_per_ply;
        let is_null_window = window.beta - window.alpha == 1 && self.switches.alpha_beta;
        let decided = window.beta.abs() >= WIN_BOUND || window.alpha.abs() >= WIN_BOUND;
        if margin == 0 || !is_null_window || decided || place.depth == 0 {
            return EarlyCutoff::None;
        }
        if self.analyzer.must_answer(self.board.position()) {
            return EarlyCutoff::None;
        }
        let value = self.static_value();
        let margin = margin * place.depth as i32;
        if self.switches.futility_pruning
            && place.depth <= REVERSE_FUTILITY_DEPTH_MAX
            && value - margin >= window.beta
        {
            return EarlyCutoff::Value(value - margin);
        }
        let tries_null_move = self.switches.null_move_pruning
            && value >= window.beta
            && place.depth >= NULL_MOVE_DEPTH_MIN
            && self.board.last_move().is_some()
            && self.analyzer.allows_null_move(self.board.position());
        if tries_null_move && self.null_move_fails_high(place, window, value) {
            return EarlyCutoff::Value(window.beta);
        }
        let is_shallow = self.switches.futility_pruning && place.depth <= FUTILITY_DEPTH_MAX;
        if is_shallow && value + margin <= window.alpha {
            EarlyCutoff::QuietMovesFailLow
        } else {
            EarlyCutoff::None
        }
    }

    /// Whether the value is above the window even after a null move.
    fn null_move_fails_high(&mut self, place: NodePlace, window: Window, value: i32) -> bool {
        let surplus = (value - window.beta) / (2 * A::PARAMS.margin_per_ply);
        let reduction = 3 + place.depth / 4 + surplus.clamp(0, 2) as u32;
        let depth = place.depth.saturating_sub(reduction);
        let side = self.board.side();
        if !self.board.make_null() {
            return false;
        }
        let same_side = self.board.side() == side;
        let after = NodePlace { depth, ply: place.ply + 1, ..place };
        let value = self.child_value(after, window, same_side);
        self.board.unmake();
        if value < window.beta || self.budget.stopped {
            return false;
        }
        if place.depth < VERIFY_DEPTH_MIN {
            return true;
        }
        // Zugzwang is rare, but a wrong cutoff at a high depth is expensive.
        let null_moves = std::mem::replace(&mut self.switches.null_move_pruning, false);
        let value = self.inner_value(NodePlace { depth, ..place }, window);
        self.switches.null_move_pruning = null_moves;
        self.pv_lines[place.ply as usize].clear();
        value >= window.beta && !self.budget.stopped
    }
}
