//! Root splitting: the first root move is searched alone, then each member takes the next one and
//! shows with a null window that it is worse than the best so far, which all share. A better move
//! is searched again with the open window. This is the principal variation splitting of D. Hyatt
//! and others, at the root alone (T. Marsland and F. Popowich, "Parallel Game-Tree Search", 1985).
//! It is the simplest parallel search, and the baseline for others.

use sandboard_games::{MoveCode, Rules};

use super::root::root_moves;
use super::search_thread::{SearchThread, Window};
use super::shared_root::{
    HELPERS_MAX, HelperStatus, IterationTerms, SHARED_MOVES_MAX, SharedIteration,
};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::{Evaluator, WIN_BOUND};
use crate::host::Host;

/// How many times the leader looks at a helper that is about to take a move, before it gives the
/// helper up.
const LOOKS_MAX: u32 = 1 << 14;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// Searches all root moves but the first, together with the helpers. Returns the best value
    /// above the window and the index of its move, whose line becomes that of the root.
    pub(super) fn split_root(
        &mut self,
        root: &[Candidate<R::Move>],
        depth: u32,
        window: Window,
    ) -> Option<(i32, usize)> {
        let host = self.budget.host().clone();
        let terms =
            IterationTerms { depth, moves: root.len().min(SHARED_MOVES_MAX), beta: window.beta };
        let codes = root.iter().map(|candidate| candidate.mv.code());
        let iteration = SharedIteration::open(&host, terms, codes, window.alpha);
        self.budget.iteration = Some(iteration);
        let mut searched = vec![0];
        while let Some((_, index)) = SharedIteration::take(&host).filter(|(of, _)| *of == iteration)
        {
            searched.push(index);
            self.search_shared(iteration, terms, root, index);
        }
        for index in terms.moves..root.len() {
            self.search_shared(iteration, terms, root, index);
        }
        self.await_helpers(iteration, terms, root, searched);
        iteration.close(&host);
        self.budget.resume();
        self.budget.share_nodes();
        self.estimated |= iteration.is_estimated(&host);
        let (value, index) = SharedIteration::best(&host);
        if value <= window.alpha {
            return None;
        }
        let best = root.get(index)?.mv;
        if self.pv_lines[0].first() != Some(&best) {
            self.pv_lines[0] = self.line_from_table(best, depth);
        }
        Some((value, index))
    }

    /// Searches the moves of helpers that have not finished, until no helper works on this
    /// iteration. A helper that has died does not block the search: its move is searched here.
    fn await_helpers(
        &mut self,
        iteration: SharedIteration,
        terms: IterationTerms,
        root: &[Candidate<R::Move>],
        mut searched: Vec<usize>,
    ) {
        let host = self.budget.host().clone();
        let helpers = 1..=host.team().helpers.min(HELPERS_MAX);
        let mut looks = 0;
        while !self.budget.stopped {
            let index_of = |status| match status {
                HelperStatus::Searching(of, index) if of == iteration => Some(index),
                _ => None,
            };
            // A helper that names an index out of range has taken some move all the same.
            let is_unknown = |status| {
                status == HelperStatus::Taking
                    || index_of(status).is_some_and(|index| index >= terms.moves)
            };
            let statuses = helpers.clone().map(|helper| SharedIteration::status(&host, helper));
            let is_open = |index: &usize| *index < terms.moves && !searched.contains(index);
            let taken = statuses.clone().filter_map(index_of).find(is_open);
            let any_unknown = statuses.clone().any(is_unknown);
            let lost = || (1..terms.moves).find(|index| !searched.contains(index));
            let index = match taken {
                Some(index) => Some(index),
                None if !any_unknown => None,
                None if looks > LOOKS_MAX => lost(),
                None => {
                    looks += 1;
                    yield_thread();
                    continue;
                }
            };
            let Some(index) = index else { break };
            searched.push(index);
            self.search_shared(iteration, terms, root, index);
        }
    }

    /// Searches the shared root move at this index, which may come from another member. Does
    /// nothing if the index is out of range.
    fn search_shared(
        &mut self,
        iteration: SharedIteration,
        terms: IterationTerms,
        root: &[Candidate<R::Move>],
        index: usize,
    ) {
        if let Some(&candidate) = root.get(index) {
            self.search_shared_move(iteration, terms, candidate, index);
        }
    }

    /// Searches a move of a shared root, and shares its value.
    fn search_shared_move(
        &mut self,
        iteration: SharedIteration,
        terms: IterationTerms,
        candidate: Candidate<R::Move>,
        index: usize,
    ) {
        let host = self.budget.host().clone();
        let window = Window { alpha: SharedIteration::best(&host).0, beta: terms.beta };
        let Some(value) = self.try_root_move(candidate, index, terms.depth, window) else { return };
        if value <= window.alpha {
            return;
        }
        self.keep_line(candidate.mv, 0);
        iteration.record_value(&host, value, index);
        let wins = self.switches.iterative_deepening && value >= WIN_BOUND;
        if value >= window.beta || wins {
            iteration.close(&host);
        }
    }

    /// Helps the leader to split this root, until the host stops the helper.
    pub(super) fn help_split_root(&mut self) {
        let host = self.budget.host().clone();
        let root = root_moves(self, &[]);
        while !root.is_empty() && host.left() > 0 {
            if !SharedIteration::has_moves_left(&host) {
                yield_thread();
                continue;
            }
            SharedIteration::set_status(&host, HelperStatus::Taking);
            if let Some((iteration, index)) = SharedIteration::take(&host) {
                SharedIteration::set_status(&host, HelperStatus::Searching(iteration, index));
                self.help_with(&host, iteration, index, &root);
            }
            SharedIteration::set_status(&host, HelperStatus::Idle);
        }
    }

    fn help_with(
        &mut self,
        host: &Host,
        iteration: SharedIteration,
        index: usize,
        root: &[Candidate<R::Move>],
    ) {
        let (terms, mv) =
            (SharedIteration::terms(host), R::Move::from_code(SharedIteration::code(host, index)));
        self.generate_moves();
        let mv = mv.filter(|mv| self.moves.contains(mv));
        // Terms and move belong to this iteration only if it is still open now.
        let Some(mv) = mv.filter(|_| iteration.is_open(host)) else { return };
        let listed = root.iter().find(|candidate| candidate.mv == mv);
        let candidate = listed.copied().unwrap_or(Candidate { mv, score: 0 });
        self.budget.iteration = Some(iteration);
        self.estimated = false;
        self.search_shared_move(iteration, terms, candidate, index);
        if self.estimated {
            iteration.set_estimated(host);
        }
        self.budget.share_nodes();
        self.budget.resume();
    }

    fn generate_moves(&mut self) {
        self.moves.clear();
        self.board.position().generate(sandboard_games::MoveSet::All, &mut self.moves);
    }
}

/// Yields the processor to other threads. Does nothing in wasm, which has no threads.
fn yield_thread() {
    #[cfg(not(target_family = "wasm"))]
    std::thread::yield_now();
}
