//! One searcher: negamax alpha-beta below the root, and all that it holds. What
//! is searched at the root, and for how long, is decided elsewhere.

use sandboard_games::{Generate, Rules};

use super::budget::Budget;
use super::ordering::{Learnt, bring_best};
use super::{MAX_PLY, Switches};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::Evaluator;
use crate::predicted::PredictedBoard;
use crate::table::{Known, Limit, Table};

/// Beyond every value.
pub(super) const INFINITY: i32 = 32_000;

/// The open values between two bounds: only they change the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Window = Window { alpha: -INFINITY, beta: INFINITY };

    fn opposite(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Where in the tree a node is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Plies still to be searched.
    pub(super) depth: u32,
    /// Plies from the root.
    pub(super) ply: u32,
}

impl Place {
    fn below(self) -> Place {
        Place { depth: self.depth - 1, ply: self.ply + 1 }
    }
}

/// The state of one searcher; nothing in it is shared.
#[derive(Clone, Debug)]
pub(super) struct Worker<R: Rules, A, E> {
    pub(super) board: PredictedBoard<R, E>,
    pub(super) analyzer: A,
    pub(super) switches: Switches,
    pub(super) budget: Budget,
    pub(super) learnt: Learnt<R::Move>,
    pub(super) table: Table<R::Move>,
    /// Some value rests on an evaluation, not on the ends of games alone.
    pub(super) estimated: bool,
    /// By ply: the best line from there.
    pub(super) lines: Vec<Vec<R::Move>>,
    /// By ply: the candidates, kept for their memory.
    pub(super) lists: Vec<Vec<Candidate<R::Move>>>,
    pub(super) moves: Vec<R::Move>,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// The value of the move for the side that makes it, within the window or
    /// on the right side of it. Meaningless once the budget has stopped.
    pub(super) fn try_move(
        &mut self,
        mv: R::Move,
        place: Place,
        window: Window,
        first: bool,
    ) -> i32 {
        let side = self.board.side();
        self.board.make(mv);
        let same = self.board.side() == side;
        let window = if self.switches.alpha_beta { window } else { Window::FULL };
        let empty = Window { alpha: window.alpha, beta: window.alpha + 1 };
        let scouts = !first && self.switches.alpha_beta && self.switches.principal_variation;
        let mut value = empty.beta;
        if scouts {
            value = self.value_above(place, empty, same);
        }
        let open = value > window.alpha && value < window.beta;
        if !self.budget.stopped && (!scouts || open && empty.beta < window.beta) {
            value = self.value_above(place, window, same);
        }
        self.board.unmake();
        value
    }

    /// Negates only when the side to move has changed.
    #[inline]
    fn value_above(&mut self, place: Place, window: Window, same_side: bool) -> i32 {
        if same_side { self.node(place, window) } else { -self.node(place, window.opposite()) }
    }

    fn node(&mut self, place: Place, window: Window) -> i32 {
        self.lines[place.ply as usize].clear();
        if let Some(outcome) = self.board.position().outcome() {
            return self.board.final_value(outcome, place.ply);
        }
        if place.depth == 0 || place.ply >= MAX_PLY {
            self.estimated = true;
            return self.board.value();
        }
        let hash = self.board.position().hash();
        let mut known = None;
        if self.switches.transposition_table {
            known = self.table.probe(hash, place.ply);
            if let Some(value) = known.and_then(|known| usable(known, place.depth, window)) {
                self.estimated |= known.is_some_and(|known| known.estimated);
                return value;
            }
        }
        let Some(last) = self.board.last() else { return self.board.value() };
        self.analyzer.made(self.board.position(), last);
        let estimated_elsewhere = std::mem::replace(&mut self.estimated, false);
        let mut list = std::mem::take(&mut self.lists[place.ply as usize]);
        self.list_candidates(&mut list, place.ply, known.and_then(|known| known.best));
        let (value, best) = self.expand(&mut list, place, window);
        self.lists[place.ply as usize] = list;
        self.analyzer.unmade(self.board.position(), last);
        if self.switches.transposition_table && !self.budget.stopped {
            let limit = match value {
                v if v <= window.alpha => Limit::Upper,
                v if v >= window.beta => Limit::Lower,
                _ => Limit::Exact,
            };
            let (depth, estimated) = (place.depth as u8, self.estimated);
            self.table.store(hash, place.ply, Known { depth, limit, value, estimated, best });
        }
        self.estimated |= estimated_elsewhere;
        value
    }

    /// The best of the candidates, which are taken from best to worst.
    fn expand(
        &mut self,
        list: &mut [Candidate<R::Move>],
        place: Place,
        window: Window,
    ) -> (i32, Option<R::Move>) {
        let mut best = (-INFINITY, None);
        let mut alpha = window.alpha;
        for index in 0..list.len() {
            if self.switches.ordering {
                bring_best(&mut list[index..]);
            }
            let mv = list[index].mv;
            if !self.board.position().is_legal(mv) {
                continue;
            }
            if !self.budget.take_node() {
                return best;
            }
            let window = Window { alpha, beta: window.beta };
            let value = self.try_move(mv, place.below(), window, best.1.is_none());
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
                    self.learnt.refuted(mv, place.ply, place.depth);
                    break;
                }
            }
        }
        if best.1.is_none() {
            // Every candidate was illegal, and so were all other moves.
            self.estimated = true;
            return (self.board.value(), None);
        }
        best
    }

    /// Fills the list for the position on the board.
    pub(super) fn list_candidates(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        ply: u32,
        known_best: Option<R::Move>,
    ) {
        list.clear();
        let position = self.board.position();
        self.analyzer.candidates(position, list);
        if !list.iter().any(|candidate| position.is_legal(candidate.mv)) {
            self.list_all_moves(list);
        }
        if self.switches.ordering {
            self.rank(list, ply, known_best);
        }
    }

    pub(super) fn list_all_moves(&mut self, list: &mut Vec<Candidate<R::Move>>) {
        self.moves.clear();
        self.board.position().generate(Generate::All, &mut self.moves);
        list.clear();
        list.extend(self.moves.iter().map(|&mv| Candidate { mv, score: 0 }));
    }

    fn rank(&mut self, list: &mut [Candidate<R::Move>], ply: u32, known_best: Option<R::Move>) {
        if !A::RANKS {
            let (position, evaluator) = (self.board.position(), self.board.evaluator());
            for candidate in list.iter_mut() {
                candidate.score = evaluator.move_value(position, candidate.mv);
            }
        }
        self.learnt.adjust(list, ply, self.switches.killers, self.switches.history);
        let best = known_best.and_then(|best| list.iter_mut().find(|c| c.mv == best));
        if let Some(best) = best {
            best.score = i32::MAX;
        }
    }

    /// The best line from here is this move and the best line after it.
    pub(super) fn keep_line(&mut self, mv: R::Move, ply: u32) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }
}

/// What the table knows, if that settles a node of this depth and window. What
/// rests on the ends of games alone holds for every depth.
#[inline]
fn usable<M>(known: Known<M>, depth: u32, window: Window) -> Option<i32> {
    let settles = match known.limit {
        Limit::Exact => true,
        Limit::Lower => known.value >= window.beta,
        Limit::Upper => known.value <= window.alpha,
    };
    (settles && (u32::from(known.depth) >= depth || !known.estimated)).then_some(known.value)
}
