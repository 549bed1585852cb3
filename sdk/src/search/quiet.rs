//! The search behind the end of depth: with noisy moves alone, until none is worth while.

use sandboard_games::Rules;

use super::MAX_PLY;
use super::ordering::bring_best;
use super::worker::{INFINITY, Window, Worker};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::Evaluator;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// The value of the position with the best of its noisy moves or none, of a game that is
    /// not over.
    pub(super) fn quiet(&mut self, ply: u32, window: Window) -> i32 {
        self.estimated = true;
        let mut best = -INFINITY;
        let mut alpha = window.alpha;
        let answers = self.analyzer.must_answer(self.board.position());
        if !answers || ply >= MAX_PLY {
            best = self.value();
            if best >= window.beta || ply >= MAX_PLY {
                return best;
            }
            alpha = alpha.max(best);
        }
        let least = if answers { -INFINITY } else { alpha.saturating_sub(best) };
        let mut list = std::mem::take(&mut self.lists[ply as usize]);
        list.clear();
        self.analyzer.noisy(self.board.position(), least, &mut list);
        if self.switches.ordering && answers {
            self.learnt.adjust(&mut list, ply, false, self.switches.history);
        }
        for index in 0..list.len() {
            if self.switches.ordering {
                bring_best(&mut list[index..]);
            }
            let Candidate { mv, .. } = list[index];
            if !self.budget.take_node() {
                break;
            }
            let value = self.quiet_after(mv, ply + 1, Window { alpha, ..window });
            if self.budget.stopped {
                break;
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if value >= window.beta && self.switches.alpha_beta {
                break;
            }
        }
        self.lists[ply as usize] = list;
        best
    }

    /// The value of a noisy move for the side that makes it.
    fn quiet_after(&mut self, mv: R::Move, ply: u32, window: Window) -> i32 {
        let side = self.board.side();
        self.make(mv);
        let same = self.board.side() == side;
        let inner = if same { window } else { window.opposite() };
        let position = self.board.position();
        let value = match position.outcome() {
            Some(outcome) => self.board.final_value(outcome, ply),
            None => match self.analyzer.foreseen(position, self.board.plies() as u32) {
                Some(value) => value,
                None => self.quiet(ply, inner),
            },
        };
        self.unmake(mv);
        if same { value } else { -value }
    }
}
