//! The loop over a node's moves, from best to worst: late move reductions and pruning, deferred
//! moves (ABDADA), and what killers and history learn from a refutation.

use sandboard_games::Rules;

use super::abdada::SearchingMark;
use super::move_ordering::bring_best;
use super::remote_table::RemoteTable;
use super::search_thread::{INFINITY, MoveTrial, NodePlace, SearchThread, Window, usable_value};
use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// Candidates from this index on are late moves.
const LATE_INDEX: usize = 3;
/// The smallest depth for late move reductions.
const REDUCTION_DEPTH_MIN: u32 = 3;

/// The smallest depth at which threads mark the moves that they search.
const MARK_DEPTH_MIN: u32 = 3;

/// The largest depth for late move pruning.
const LATE_MOVE_PRUNING_DEPTH_MAX: u32 = 4;

/// The node whose moves are searched.
#[derive(Clone, Copy)]
struct Node {
    place: NodePlace,
    window: Window,
    /// Whether futility pruning drops quiet moves.
    prunes_quiet: bool,
}

/// The best move searched so far.
#[derive(Clone, Copy)]
struct BestSoFar<M> {
    best: (i32, Option<M>),
    alpha: i32,
}

/// What follows after a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextStep {
    Next,
    /// Another thread is searching it: try again after the others.
    Defer,
    /// All later candidates are pruned.
    PruneRest,
    /// The candidate refuted, or the budget has stopped.
    Done,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// The value and the best move of a node; `best_known` is the table's move.
    pub(super) fn best_candidate(
        &mut self,
        place: NodePlace,
        window: Window,
        prunes_quiet: bool,
        best_known: Option<R::Move>,
    ) -> (i32, Option<R::Move>) {
        let mut list = std::mem::take(&mut self.candidate_lists[place.ply as usize]);
        let position = self.board.position();
        let table_move = best_known.filter(|&mv| {
            let quiet = self.switches.move_ordering && !self.analyzer.must_answer(position);
            quiet && self.analyzer.is_candidate(position, mv)
        });
        let mut node_place = place;
        if let Some(mv) = table_move {
            list.clear();
            list.push(Candidate { mv, score: i32::MAX });
        } else {
            let scope = self.list_candidates(&mut list, place.ply, best_known);
            let single_answer = scope == Scope::Answers && list.len() == 1;
            if self.switches.threat_extensions
                && single_answer
                && place.extension_plies > 0
                && place.depth > 0
            {
                node_place = place.extended();
            }
        }
        let node = Node { place: node_place, window, prunes_quiet };
        let best = self.search_moves(&mut list, node, table_move);
        self.candidate_lists[place.ply as usize] = list;
        best
    }

    /// Searches the candidates from best to worst. If `table_move` is given, the list holds only
    /// that move; the others are listed if it does not refute.
    fn search_moves(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        node: Node,
        mut table_move: Option<R::Move>,
    ) -> (i32, Option<R::Move>) {
        let mut so_far = BestSoFar { best: (-INFINITY, None), alpha: node.window.alpha };
        // The deferred candidates, one bit for each index.
        let mut deferred = 0u128;
        for index in 0.. {
            if index == 1
                && let Some(mv) = table_move.take()
            {
                self.list_candidates(list, node.place.ply, Some(mv));
                bring_best(list);
            }
            if index >= list.len() {
                break;
            }
            if self.switches.move_ordering {
                bring_best(&mut list[index..]);
            }
            match self.search_candidate(list, index, node, &mut so_far, index < 128) {
                NextStep::Next => {}
                NextStep::Defer => deferred |= 1 << index,
                NextStep::PruneRest => break,
                NextStep::Done => return so_far.best,
            }
        }
        if deferred != 0 {
            so_far = self.search_deferred(list, deferred, node, so_far);
        }
        if so_far.best.1.is_none() {
            // Every candidate was illegal, and so were all other moves.
            self.estimated = true;
            return (self.static_value(), None);
        }
        so_far.best
    }

    /// Searches the deferred candidates, even if other threads still do.
    #[cold]
    #[inline(never)]
    fn search_deferred(
        &mut self,
        list: &[Candidate<R::Move>],
        mut deferred: u128,
        node: Node,
        mut so_far: BestSoFar<R::Move>,
    ) -> BestSoFar<R::Move> {
        while deferred != 0 {
            let index = deferred.trailing_zeros() as usize;
            deferred &= deferred - 1;
            if self.search_candidate(list, index, node, &mut so_far, false) == NextStep::Done {
                break;
            }
        }
        so_far
    }

    /// Searches, prunes or defers the candidate at this index.
    #[inline(always)]
    fn search_candidate(
        &mut self,
        list: &[Candidate<R::Move>],
        index: usize,
        node: Node,
        so_far: &mut BestSoFar<R::Move>,
        may_defer: bool,
    ) -> NextStep {
        let Node { place, window, prunes_quiet } = node;
        let Candidate { mv, score } = list[index];
        if !self.board.position().is_legal(mv) {
            return NextStep::Next;
        }
        let pruned = prunes_quiet || self.is_late_move_pruned(place.depth, index);
        if place.depth > 1 && !pruned {
            self.prefetch(mv);
        }
        let reduction = self.reduction(place.depth, index);
        let quiet = score < URGENT
            && (pruned || reduction > 0)
            && !self.analyzer.makes_threat(self.board.position(), mv);
        if quiet && pruned && so_far.best.0 > -WIN_BOUND {
            self.estimated = true;
            // If moves do not make threats one by one, all later ones are pruned as well.
            return match A::PARAMS.extends_all_threats {
                true => NextStep::Next,
                false => NextStep::PruneRest,
            };
        }
        let first = so_far.best.1.is_none();
        let open_window = Window { alpha: so_far.alpha, beta: window.beta };
        let mark = self.mark(mv, place.depth);
        if !first && mark.is_some() {
            if let Some(settled) = self.settled_by_others(place, open_window) {
                so_far.best = settled;
                return NextStep::Done;
            }
            if may_defer && mark.is_some_and(|mark| mark.is_set(self.budget.host())) {
                return NextStep::Defer;
            }
        }
        if !self.budget.take_node() {
            return NextStep::Done;
        }
        let trial = MoveTrial { first, reduction: if quiet { reduction } else { 0 } };
        self.set_mark(mark);
        let value = self.try_move(mv, place.child(), open_window, trial);
        self.clear_mark(mark);
        if self.budget.stopped {
            return NextStep::Done;
        }
        if value > so_far.best.0 {
            so_far.best = (value, Some(mv));
        }
        if value > so_far.alpha {
            so_far.alpha = value;
            self.keep_line(mv, place.ply);
            if self.switches.alpha_beta && value >= window.beta {
                self.learn_refutation(list, index, place);
                return NextStep::Done;
            }
        }
        NextStep::Next
    }

    /// Prefetches the table entry of the position after this move.
    #[inline]
    fn prefetch(&self, mv: R::Move) {
        if let Some(hash) = self.board.position().hash_after(mv) {
            self.table.prefetch(hash);
        }
    }

    /// The value and best move that other threads have stored for this node in the meantime, if
    /// they settle it.
    #[cold]
    fn settled_by_others(
        &mut self,
        place: NodePlace,
        window: Window,
    ) -> Option<(i32, Option<R::Move>)> {
        let entry = self.probe(self.board.position().hash(), place)?;
        let value = usable_value(entry, place.depth, window)?;
        self.estimated |= entry.estimated;
        self.pv_lines[place.ply as usize].clear();
        Some((value, entry.best))
    }

    /// The mark of a move, if the depth is worth one.
    #[inline]
    pub(super) fn mark(&self, mv: R::Move, depth: u32) -> Option<SearchingMark> {
        let is_worth_mark = |table: &RemoteTable| table.is_worth_mark(depth);
        let marks = self.defers_moves
            && self.remote_table.as_ref().map_or(depth >= MARK_DEPTH_MIN, is_worth_mark);
        marks.then(|| SearchingMark::of(self.board.position(), mv))
    }

    /// Whether another thread is searching this move.
    pub(super) fn is_searched_elsewhere(&self, mv: R::Move, depth: u32) -> bool {
        self.mark(mv, depth).is_some_and(|mark| mark.is_set(self.budget.host()))
    }

    #[inline]
    pub(super) fn set_mark(&self, mark: Option<SearchingMark>) {
        if let Some(mark) = mark {
            mark.set(self.budget.host());
        }
    }

    #[inline]
    pub(super) fn clear_mark(&self, mark: Option<SearchingMark>) {
        if let Some(mark) = mark {
            mark.clear(self.budget.host());
        }
    }

    /// Updates killers and history: the candidate at this index refuted, those before it did not.
    #[inline]
    fn learn_refutation(&mut self, list: &[Candidate<R::Move>], index: usize, place: NodePlace) {
        let (tried, refuting) = list.split_at(index);
        let Some(refuting) = refuting.first() else { return };
        // Urgent moves are searched early in any case.
        if !A::LISTS_NOISY_MOVES || refuting.score < URGENT || refuting.score == i32::MAX {
            self.ordering_tables.reward(refuting.mv, place.ply, place.depth);
            self.ordering_tables.penalize(tried, place.depth);
        }
    }

    /// Whether late move pruning drops the candidates from this index on.
    #[inline]
    fn is_late_move_pruned(&self, depth: u32, index: usize) -> bool {
        self.switches.late_move_pruning
            && depth <= LATE_MOVE_PRUNING_DEPTH_MAX
            && index >= (A::PARAMS.late_move_count)(depth)
    }

    /// The late move reduction, in plies, of the candidate at this index.
    #[inline]
    pub(super) fn reduction(&self, depth: u32, index: usize) -> u32 {
        if !self.switches.late_move_reductions || depth < REDUCTION_DEPTH_MIN || index < LATE_INDEX
        {
            return 0;
        }
        (A::PARAMS.late_move_reduction)(depth, index).clamp(1, depth - 2)
    }
}
