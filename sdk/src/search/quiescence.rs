//! Quiescence search: where the depth ends, noisy moves alone are searched until none gains.

use sandboard_games::Rules;

use super::MAX_PLY;
use super::move_ordering::bring_best;
use super::search_thread::{INFINITY, SearchThread, Window};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::Evaluator;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// The value of the position with the best of its noisy moves, or the static value if that is
    /// better and no threat must be answered. The game must not be over.
    pub(super) fn quiescence_value(&mut self, ply: u32, window: Window) -> i32 {
        self.estimated = true;
        let mut best = -INFINITY;
        let mut alpha = window.alpha;
        let must_answer = self.analyzer.must_answer(self.board.position());
        if !must_answer || ply >= MAX_PLY {
            best = self.static_value();
            if best >= window.beta || ply >= MAX_PLY {
                return best;
            }
            alpha = alpha.max(best);
        }
        let min_gain = if must_answer { -INFINITY } else { alpha.saturating_sub(best) };
        let mut list = std::mem::take(&mut self.candidate_lists[ply as usize]);
        list.clear();
        self.analyzer.noisy_moves(self.board.position(), min_gain, &mut list);
        if self.switches.move_ordering && must_answer {
            self.ordering_tables.adjust(&mut list, ply, false, self.switches.history);
        }
        for index in 0..list.len() {
            if self.switches.move_ordering {
                bring_best(&mut list[index..]);
            }
            let Candidate { mv, .. } = list[index];
            if !self.budget.take_node() {
                break;
            }
            let value = self.noisy_move_value(mv, ply + 1, Window { alpha, ..window });
            if self.budget.stopped {
                break;
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if value >= window.beta && self.switches.alpha_beta {
                break;
            }
        }
        self.candidate_lists[ply as usize] = list;
        best
    }

    /// The value of a noisy move for the side that makes it.
    fn noisy_move_value(&mut self, mv: R::Move, ply: u32, window: Window) -> i32 {
        let side = self.board.side();
        self.make(mv);
        let same_side = self.board.side() == side;
        let child_window = if same_side { window } else { window.opposite() };
        let position = self.board.position();
        let value = match position.outcome() {
            Some(outcome) => self.board.final_value(outcome, ply),
            None => match self.analyzer.repetition_value(position, self.board.plies() as u32) {
                Some(value) => value,
                None => self.quiescence_value(ply, child_window),
            },
        };
        self.unmake(mv);
        if same_side { value } else { -value }
    }
}
