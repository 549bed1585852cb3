//! The moves of a node, one after another from best to worst: which of them are left out or
//! searched less deep, and what is learnt from the one that refutes.

use sandboard_games::Rules;

use super::ordering::bring_best;
use super::worker::{INFINITY, Place, Trial, Window, Worker};
use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// Candidates after so many are late ones.
const LATE: usize = 3;
/// Only from this depth on is anything searched less deep.
const REDUCED_FROM: u32 = 3;

/// Up to this depth the last candidates are left out.
const CUT_TO: u32 = 4;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// The best value and move at a node, of which the table knew a best move, perhaps.
    pub(super) fn best_of(
        &mut self,
        place: Place,
        window: Window,
        hopeless: bool,
        known: Option<R::Move>,
    ) -> (i32, Option<R::Move>) {
        let mut list = std::mem::take(&mut self.lists[place.ply as usize]);
        let position = self.board.position();
        let alone = known.filter(|&mv| {
            let quiet = self.switches.ordering && !self.analyzer.must_answer(position);
            quiet && self.analyzer.is_candidate(position, mv)
        });
        let mut below = place;
        if let Some(mv) = alone {
            list.clear();
            list.push(Candidate { mv, score: i32::MAX });
        } else {
            let scope = self.list_candidates(&mut list, place.ply, known);
            let only = scope == Scope::Answers && list.len() == 1;
            if self.switches.extensions && only && place.extra > 0 && place.depth > 0 {
                below = place.lengthened();
            }
        }
        let best = self.expand(&mut list, below, window, hopeless, alone);
        self.lists[place.ply as usize] = list;
        best
    }

    /// The best of the candidates, which are taken from best to worst. One that stands `alone`
    /// in the list is the best of them: the others are listed when it did not refute.
    fn expand(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        place: Place,
        window: Window,
        hopeless: bool,
        mut alone: Option<R::Move>,
    ) -> (i32, Option<R::Move>) {
        let mut best = (-INFINITY, None);
        let mut alpha = window.alpha;
        for index in 0.. {
            if index == 1
                && let Some(mv) = alone.take()
            {
                self.list_candidates(list, place.ply, Some(mv));
                bring_best(list);
            }
            if index >= list.len() {
                break;
            }
            if self.switches.ordering {
                bring_best(&mut list[index..]);
            }
            let Candidate { mv, score } = list[index];
            if !self.board.position().is_legal(mv) {
                continue;
            }
            let cut = hopeless || self.is_cut(place.depth, index);
            if place.depth > 1 && !cut {
                self.expect(mv);
            }
            let reduced = self.reduction(place.depth, index);
            let calm = score < URGENT
                && (cut || reduced > 0)
                && !self.analyzer.threatens(self.board.position(), mv);
            if calm && cut && best.0 > -WIN_BOUND {
                self.estimated = true;
                // Without threats that are seen one by one, all the others are as late.
                if !A::MANNER.lengthens_threats {
                    break;
                }
                continue;
            }
            if !self.budget.take_node() {
                return best;
            }
            let window = Window { alpha, beta: window.beta };
            let reduced = if calm { reduced } else { 0 };
            let trial = Trial { first: best.1.is_none(), reduced };
            let value = self.try_move(mv, place.below(), window, trial);
            if self.budget.stopped {
                return best;
            }
            if value > best.0 {
                best = (value, Some(mv));
            }
            if value > alpha {
                alpha = value;
                self.keep_line(mv, place.ply);
                if self.switches.alpha_beta && value >= window.beta {
                    self.learn(list, index, place);
                    break;
                }
            }
        }
        if best.1.is_none() {
            // Every candidate was illegal, and so were all other moves.
            self.estimated = true;
            return (self.value(), None);
        }
        best
    }

    /// What the table knows of the position after this move will be asked for soon.
    #[inline]
    fn expect(&self, mv: R::Move) {
        if let Some(hash) = self.board.position().hash_after(mv) {
            self.table.expect(hash);
        }
    }

    /// The candidate at this place of the list refuted the move before; those before it did not.
    #[inline]
    fn learn(&mut self, list: &[Candidate<R::Move>], index: usize, place: Place) {
        let (tried, refuting) = list.split_at(index);
        let Some(refuting) = refuting.first() else { return };
        // What is urgent is tried early in any case.
        if !A::NOISY || refuting.score < URGENT || refuting.score == i32::MAX {
            self.learnt.refuted(refuting.mv, place.ply, place.depth);
            self.learnt.in_vain(tried, place.depth);
        }
    }

    /// Whether candidates from this place of the list on are left out.
    #[inline]
    fn is_cut(&self, depth: u32, index: usize) -> bool {
        self.switches.late_cuts && depth <= CUT_TO && index >= (A::MANNER.cut_after)(depth)
    }

    /// By how many plies less deep a candidate at this place of the list is tried.
    #[inline]
    pub(super) fn reduction(&self, depth: u32, index: usize) -> u32 {
        if !self.switches.reductions || depth < REDUCED_FROM || index < LATE {
            return 0;
        }
        (A::MANNER.reduction)(depth, index).clamp(1, depth - 2)
    }
}
