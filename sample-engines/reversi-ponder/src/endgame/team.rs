//! Several threads on one proof: if the first move of a position does not settle it, idle threads
//! take its other moves ("young brothers wait": R. Feldmann, "Game Tree Search on Massively
//! Parallel Systems", 1993). They share the table. Not used in wasm, which has no threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use sandboard_sdk::games::reversi::bits::moves;

use super::move_ordering::{Child, OrderingEvaluator};
use super::search::{SearchStopped, Searcher, SharedParts};

/// The fewest empty squares of a position that is split among threads.
pub(super) const SPLIT_EMPTIES_MIN: u32 = 13;

/// The state that the threads of a proof share beside the table.
#[derive(Default)]
pub(super) struct Team {
    open: Mutex<Vec<Arc<SplitPoint>>>,
    changed: Condvar,
    idle: AtomicUsize,
    is_over: AtomicBool,
    stopped: AtomicBool,
}

/// A position whose moves are divided among threads.
pub(super) struct SplitPoint {
    parent: Option<Arc<SplitPoint>>,
    children: Vec<Child>,
    alpha: i32,
    empties: u32,
    /// The index of the next child to take.
    next: AtomicUsize,
    /// The number of threads that work on it, without its owner.
    helpers: AtomicUsize,
    /// A move above `alpha` was found; the other moves are not needed.
    is_cut: AtomicBool,
    best: Mutex<(i32, u8)>,
}

/// Locks a mutex even if a thread has panicked: the guarded data is valid after every statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SplitPoint {
    fn is_open(&self) -> bool {
        !self.is_cut.load(SeqCst) && self.next.load(SeqCst) < self.children.len()
    }

    /// Whether the results of this split point or of an outer one are not needed any more.
    pub(super) fn is_useless(&self) -> bool {
        self.is_cut.load(SeqCst) || self.parent.as_ref().is_some_and(|parent| parent.is_useless())
    }

    fn is_within(&self, other: &Arc<SplitPoint>) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| Arc::ptr_eq(parent, other) || parent.is_within(other))
    }
}

/// Ends the work of a team when dropped, even after a panic.
struct EndTeam<'a>(&'a Team);

impl Drop for EndTeam<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, SeqCst);
        let _open = lock(&self.0.open);
        self.0.changed.notify_all();
    }
}

impl Team {
    /// Runs `work` with this many helper threads, or fewer if the system cannot start them. Returns
    /// its result and the nodes of the helpers.
    pub(super) fn run<G: OrderingEvaluator + Sync, T>(
        &self,
        helpers: usize,
        parts: SharedParts<'_, G>,
        work: impl FnOnce() -> T,
    ) -> (T, u64) {
        thread::scope(|scope| {
            let help = move || {
                let mut never = || false;
                let mut searcher = Searcher::new(parts, &mut never);
                searcher.team = Some(self);
                self.help(&mut searcher);
                searcher.nodes
            };
            let end_team = EndTeam(self);
            let helpers: Vec<_> = (0..helpers)
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, help).ok())
                .collect();
            let result = work();
            drop(end_team);
            let nodes = helpers.into_iter().map(|helper| helper.join().unwrap_or(0)).sum();
            (result, nodes)
        })
    }

    /// Stops all members.
    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    /// Whether a thread waits for work.
    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(SeqCst) > 0
    }

    /// Takes work until the proof is over.
    fn help<G: OrderingEvaluator + Sync>(&self, searcher: &mut Searcher<'_, G>) {
        loop {
            let mut open = lock(&self.open);
            self.idle.fetch_add(1, SeqCst);
            let split = loop {
                if self.is_over.load(SeqCst) {
                    return;
                }
                match Self::join(&open, |_| true) {
                    Some(split) => break split,
                    None => open = self.changed.wait(open).unwrap_or_else(PoisonError::into_inner),
                }
            };
            self.idle.fetch_sub(1, SeqCst);
            drop(open);
            searcher.search_moves_of(&split);
            split.helpers.fetch_sub(1, SeqCst);
        }
    }

    /// Joins the open split point with the most empty squares, whose tree is the largest.
    fn join(
        open: &[Arc<SplitPoint>],
        wanted: impl Fn(&SplitPoint) -> bool,
    ) -> Option<Arc<SplitPoint>> {
        let candidates = open.iter().filter(|split| split.is_open() && wanted(split));
        let split = candidates.max_by_key(|split| split.empties)?;
        split.helpers.fetch_add(1, SeqCst);
        Some(split.clone())
    }
}

impl<G: OrderingEvaluator> Searcher<'_, G> {
    /// Divides the moves of a position among threads. Returns the best score and its move; `best`
    /// is the result of the moves before.
    pub(super) fn search_split(
        &mut self,
        team: &Team,
        children: Vec<Child>,
        alpha: i32,
        empties: u32,
        best: (i32, u8),
    ) -> Result<(i32, u8), SearchStopped> {
        let split = Arc::new(SplitPoint {
            parent: self.split.clone(),
            children,
            alpha,
            empties,
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            is_cut: AtomicBool::new(false),
            best: Mutex::new(best),
        });
        {
            let mut open = lock(&team.open);
            open.push(split.clone());
            team.changed.notify_all();
        }
        self.search_moves_of(&split);
        lock(&team.open).retain(|other| !Arc::ptr_eq(other, &split));
        // While it waits for helpers, this thread helps them.
        while split.helpers.load(SeqCst) > 0 {
            let within = Team::join(&lock(&team.open), |other| other.is_within(&split));
            if let Some(within) = within {
                self.search_moves_of(&within);
                within.helpers.fetch_sub(1, SeqCst);
            } else {
                if (self.stop)() {
                    team.stop();
                }
                thread::yield_now();
            }
        }
        if team.is_stopped() || split.parent.as_ref().is_some_and(|parent| parent.is_useless()) {
            return Err(SearchStopped);
        }
        Ok(*lock(&split.best))
    }

    /// Searches moves of a split point until none is left or they are not needed.
    fn search_moves_of(&mut self, split: &Arc<SplitPoint>) {
        let outer = self.split.replace(split.clone());
        while !split.is_useless() {
            let Some(child) = split.children.get(split.next.fetch_add(1, SeqCst)) else { break };
            let replies = moves(child.own, child.opponent);
            let bound = -split.alpha - 1;
            let Ok(score) =
                self.prove_with(child.own, child.opponent, bound, split.empties - 1, replies)
            else {
                break;
            };
            let mut best = lock(&split.best);
            if -score > best.0 {
                *best = (-score, child.square);
                if -score > split.alpha {
                    split.is_cut.store(true, SeqCst);
                }
            }
        }
        self.split = outer;
    }
}
