//! The moves of a node, one after another from best to worst: which of them are left out or
//! searched less deep, and what is learnt from the one that refutes.

use sandboard_games::Rules;

use super::far::Far;
use super::marks::Mark;
use super::ordering::bring_best;
use super::worker::{INFINITY, Place, Trial, Window, Worker, usable};
use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// Candidates after so many are late ones.
const LATE: usize = 3;
/// Only from this depth on is anything searched less deep.
const REDUCED_FROM: u32 = 3;

/// From this depth on others may be told what is searched.
const MARKED_FROM: u32 = 3;

/// Up to this depth the last candidates are left out.
const CUT_TO: u32 = 4;

/// Where the moves stand.
#[derive(Clone, Copy)]
struct Node {
    place: Place,
    window: Window,
    /// Only what is not quiet can bring the value into the window.
    hopeless: bool,
}

/// The best of the moves so far.
#[derive(Clone, Copy)]
struct SoFar<M> {
    best: (i32, Option<M>),
    alpha: i32,
}

/// What comes after a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Next,
    /// It is searched elsewhere: look again after the others.
    Later,
    /// The others are left out, too.
    Enough,
    /// It refuted, or nothing more may be spent.
    Done,
}

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
        let best = self.expand(&mut list, Node { place: below, window, hopeless }, alone);
        self.lists[place.ply as usize] = list;
        best
    }

    /// The best of the candidates, which are taken from best to worst. One that stands `alone`
    /// in the list is the best of them: the others are listed when it did not refute.
    fn expand(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        node: Node,
        mut alone: Option<R::Move>,
    ) -> (i32, Option<R::Move>) {
        let mut so_far = SoFar { best: (-INFINITY, None), alpha: node.window.alpha };
        // Those that others search just now, by their places.
        let mut later = 0u128;
        for index in 0.. {
            if index == 1
                && let Some(mv) = alone.take()
            {
                self.list_candidates(list, node.place.ply, Some(mv));
                bring_best(list);
            }
            if index >= list.len() {
                break;
            }
            if self.switches.ordering {
                bring_best(&mut list[index..]);
            }
            match self.visit(list, index, node, &mut so_far, index < 128) {
                Step::Next => {}
                Step::Later => later |= 1 << index,
                Step::Enough => break,
                Step::Done => return so_far.best,
            }
        }
        if later != 0 {
            so_far = self.visit_later(list, later, node, so_far);
        }
        if so_far.best.1.is_none() {
            // Every candidate was illegal, and so were all other moves.
            self.estimated = true;
            return (self.value(), None);
        }
        so_far.best
    }

    /// The candidates in these places, whoever else searches them.
    #[cold]
    #[inline(never)]
    fn visit_later(
        &mut self,
        list: &[Candidate<R::Move>],
        mut later: u128,
        node: Node,
        mut so_far: SoFar<R::Move>,
    ) -> SoFar<R::Move> {
        while later != 0 {
            let index = later.trailing_zeros() as usize;
            later &= later - 1;
            if self.visit(list, index, node, &mut so_far, false) == Step::Done {
                break;
            }
        }
        so_far
    }

    /// Searches the candidate in this place, or leaves it out, or for later if others search it.
    #[inline(always)]
    fn visit(
        &mut self,
        list: &[Candidate<R::Move>],
        index: usize,
        node: Node,
        so_far: &mut SoFar<R::Move>,
        may_defer: bool,
    ) -> Step {
        let Node { place, window, hopeless } = node;
        let Candidate { mv, score } = list[index];
        if !self.board.position().is_legal(mv) {
            return Step::Next;
        }
        let cut = hopeless || self.is_cut(place.depth, index);
        if place.depth > 1 && !cut {
            self.expect(mv);
        }
        let reduced = self.reduction(place.depth, index);
        let calm = score < URGENT
            && (cut || reduced > 0)
            && !self.analyzer.threatens(self.board.position(), mv);
        if calm && cut && so_far.best.0 > -WIN_BOUND {
            self.estimated = true;
            // Without threats that are seen one by one, all the others are as late.
            return if A::MANNER.lengthens_threats { Step::Next } else { Step::Enough };
        }
        let first = so_far.best.1.is_none();
        let open = Window { alpha: so_far.alpha, beta: window.beta };
        let mark = self.mark(mv, place.depth);
        if !first && mark.is_some() {
            if let Some(known) = self.settled_elsewhere(place, open) {
                so_far.best = known;
                return Step::Done;
            }
            if may_defer && mark.is_some_and(|mark| mark.is_set(self.budget.host())) {
                return Step::Later;
            }
        }
        if !self.budget.take_node() {
            return Step::Done;
        }
        let trial = Trial { first, reduced: if calm { reduced } else { 0 } };
        self.set_mark(mark);
        let value = self.try_move(mv, place.below(), open, trial);
        self.clear_mark(mark);
        if self.budget.stopped {
            return Step::Done;
        }
        if value > so_far.best.0 {
            so_far.best = (value, Some(mv));
        }
        if value > so_far.alpha {
            so_far.alpha = value;
            self.keep_line(mv, place.ply);
            if self.switches.alpha_beta && value >= window.beta {
                self.learn(list, index, place);
                return Step::Done;
            }
        }
        Step::Next
    }

    /// What the table knows of the position after this move will be asked for soon.
    #[inline]
    fn expect(&self, mv: R::Move) {
        if let Some(hash) = self.board.position().hash_after(mv) {
            self.table.expect(hash);
        }
    }

    /// What others have found out about this very position meanwhile, if that settles it.
    #[cold]
    fn settled_elsewhere(
        &mut self,
        place: Place,
        window: Window,
    ) -> Option<(i32, Option<R::Move>)> {
        let known = self.probe(self.board.position().hash(), place)?;
        let value = usable(known, place.depth, window)?;
        self.estimated |= known.estimated;
        self.lines[place.ply as usize].clear();
        Some((value, known.best))
    }

    /// The mark of a move, where it is worth one.
    #[inline]
    pub(super) fn mark(&self, mv: R::Move, depth: u32) -> Option<Mark> {
        let is_worth_one = |far: &Far| far.is_worth_mark(depth);
        let marks = self.defers && self.far.as_ref().map_or(depth >= MARKED_FROM, is_worth_one);
        marks.then(|| Mark::of(self.board.position(), mv))
    }

    /// Whether others search this move just now.
    pub(super) fn is_elsewhere(&self, mv: R::Move, depth: u32) -> bool {
        self.mark(mv, depth).is_some_and(|mark| mark.is_set(self.budget.host()))
    }

    #[inline]
    pub(super) fn set_mark(&self, mark: Option<Mark>) {
        if let Some(mark) = mark {
            mark.set(self.budget.host());
        }
    }

    #[inline]
    pub(super) fn clear_mark(&self, mark: Option<Mark>) {
        if let Some(mark) = mark {
            mark.clear(self.budget.host());
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
