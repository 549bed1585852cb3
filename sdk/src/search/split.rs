//! Root splitting: the first move of a root is searched alone, then everybody takes the next
//! of its brothers and shows with an empty window that it is worse than the best so far, which
//! all share; one that is better is searched again with the open window (after D. Hyatt and
//! others' "principal variation splitting", T. Marsland and F. Popowich, "Parallel Game-Tree
//! Search", 1985, at the root alone). The easy way to search in parallel, and the yardstick of others.

use sandboard_games::{Coded, Rules};

use super::cells::{HELPERS, SHARED, Status, Task, Terms};
use super::root::moves_in_question;
use super::worker::{Window, Worker};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::{Evaluator, WIN_BOUND};
use crate::host::Host;

/// So often a helper that is about to take a move is looked at before it is given up.
const LOOKS_MOST: u32 = 1 << 14;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// Searches all moves of the root but the first, together with the helpers: the best value
    /// above the window and the place of its move, whose line is then that of the root.
    pub(super) fn split(
        &mut self,
        root: &[Candidate<R::Move>],
        depth: u32,
        window: Window,
    ) -> Option<(i32, usize)> {
        let host = self.budget.host().clone();
        let terms = Terms { depth, moves: root.len().min(SHARED), beta: window.beta };
        let codes = root.iter().map(|candidate| candidate.mv.code());
        let task = Task::open(&host, terms, codes, window.alpha);
        self.budget.task = Some(task);
        let mut own = vec![0];
        while let Some((_, place)) = Task::take(&host).filter(|(of, _)| *of == task) {
            own.push(place);
            self.search_shared(task, terms, root, place);
        }
        for place in terms.moves..root.len() {
            self.search_shared(task, terms, root, place);
        }
        self.await_helpers(task, terms, root, own);
        task.close(&host);
        self.budget.resume();
        self.budget.tell();
        self.estimated |= task.is_estimated(&host);
        let (value, place) = Task::best(&host);
        if value <= window.alpha {
            return None;
        }
        let best = root.get(place)?.mv;
        if self.lines[0].first() != Some(&best) {
            self.lines[0] = self.line_by_table(best, depth);
        }
        Some((value, place))
    }

    /// Helps helpers with what they are at, until they are at nothing of this task. One that
    /// is gone holds nobody up: its move is searched here.
    fn await_helpers(
        &mut self,
        task: Task,
        terms: Terms,
        root: &[Candidate<R::Move>],
        mut own: Vec<usize>,
    ) {
        let host = self.budget.host().clone();
        let helpers = 1..=host.team().helpers.min(HELPERS);
        let mut looks = 0;
        while !self.budget.stopped {
            let at = |status| match status {
                Status::At(of, place) if of == task => Some(place),
                _ => None,
            };
            // One who names a place that is none has taken one all the same.
            let is_unknown = |status| {
                status == Status::About || at(status).is_some_and(|place| place >= terms.moves)
            };
            let statuses = helpers.clone().map(|helper| Task::status(&host, helper));
            let is_open = |place: &usize| *place < terms.moves && !own.contains(place);
            let taken = statuses.clone().filter_map(at).find(is_open);
            let is_about = statuses.clone().any(is_unknown);
            let lost = || (1..terms.moves).find(|place| !own.contains(place));
            let place = match taken {
                Some(place) => Some(place),
                None if !is_about => None,
                None if looks > LOOKS_MOST => lost(),
                None => {
                    looks += 1;
                    relax();
                    continue;
                }
            };
            let Some(place) = place else { break };
            own.push(place);
            self.search_shared(task, terms, root, place);
        }
    }

    /// Searches the move of a shared root in this place, which others named: none, if it has no
    /// such place.
    fn search_shared(
        &mut self,
        task: Task,
        terms: Terms,
        root: &[Candidate<R::Move>],
        place: usize,
    ) {
        if let Some(&candidate) = root.get(place) {
            self.search_candidate(task, terms, candidate, place);
        }
    }

    /// Searches a move of a shared root; what it finds, all know.
    fn search_candidate(
        &mut self,
        task: Task,
        terms: Terms,
        candidate: Candidate<R::Move>,
        place: usize,
    ) {
        let host = self.budget.host().clone();
        let window = Window { alpha: Task::best(&host).0, beta: terms.beta };
        let Some(value) = self.try_root_move(candidate, place, terms.depth, window) else { return };
        if value <= window.alpha {
            return;
        }
        self.keep_line(candidate.mv, 0);
        task.found(&host, value, place);
        let wins = self.switches.iterative_deepening && value >= WIN_BOUND;
        if value >= window.beta || wins {
            task.close(&host);
        }
    }

    /// Helps whoever splits this root, until told to stop.
    pub(super) fn help_to_split(&mut self) {
        let host = self.budget.host().clone();
        let root = moves_in_question(self, &[]);
        while !root.is_empty() && host.left() > 0 {
            if !Task::is_any_left(&host) {
                relax();
                continue;
            }
            Task::set_status(&host, Status::About);
            if let Some((task, place)) = Task::take(&host) {
                Task::set_status(&host, Status::At(task, place));
                self.help_with(&host, task, place, &root);
            }
            Task::set_status(&host, Status::Idle);
        }
    }

    fn help_with(&mut self, host: &Host, task: Task, place: usize, root: &[Candidate<R::Move>]) {
        let (terms, mv) = (Task::terms(host), R::Move::of_code(Task::code(host, place)));
        self.list_everything();
        let mv = mv.filter(|mv| self.moves.contains(mv));
        // Terms and move are of this task if it is still open now.
        let Some(mv) = mv.filter(|_| task.is_open(host)) else { return };
        let known = root.iter().find(|candidate| candidate.mv == mv);
        let candidate = known.copied().unwrap_or(Candidate { mv, score: 0 });
        self.budget.task = Some(task);
        self.estimated = false;
        self.search_candidate(task, terms, candidate, place);
        if self.estimated {
            task.set_estimated(host);
        }
        self.budget.tell();
        self.budget.resume();
    }

    fn list_everything(&mut self) {
        self.moves.clear();
        self.board.position().generate(sandboard_games::Generate::All, &mut self.moves);
    }
}

/// Lets others have the processor for a moment, where there is such a thing.
fn relax() {
    #[cfg(not(target_family = "wasm"))]
    std::thread::yield_now();
}
