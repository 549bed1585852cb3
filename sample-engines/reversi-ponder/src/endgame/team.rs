//! Several threads on one proof: when the first move of a position has not settled
//! it, idle threads take its other moves ("young brothers wait": R. Feldmann,
//! "Game Tree Search on Massively Parallel Systems", 1993). They share the table.
//! Never used in wasm, which has no threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use sandboard_sdk::games::reversi::bits::moves;

use super::order::{Child, Guess};
use super::search::{Parts, Searcher, Stopped};

/// With fewer empty squares a position is not worth the telling.
pub(super) const SPLIT_FROM: u32 = 13;

/// What the threads of a proof share beside the table.
#[derive(Default)]
pub(super) struct Team {
    open: Mutex<Vec<Arc<Split>>>,
    news: Condvar,
    idle: AtomicUsize,
    over: AtomicBool,
    stopped: AtomicBool,
}

/// A position whose moves are open to all.
pub(super) struct Split {
    parent: Option<Arc<Split>>,
    children: Vec<Child>,
    alpha: i32,
    empties: u32,
    /// The first child that nobody has taken.
    next: AtomicUsize,
    /// How many threads but the owner are at it.
    busy: AtomicUsize,
    /// A move above `alpha` was found: nothing else matters.
    cut: AtomicBool,
    best: Mutex<(i32, u8)>,
}

/// Locks that no panic can spoil: what they guard is whole after every statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Split {
    fn is_open(&self) -> bool {
        !self.cut.load(SeqCst) && self.next.load(SeqCst) < self.children.len()
    }

    /// Whether this, or what it is part of, no longer matters.
    pub(super) fn is_void(&self) -> bool {
        self.cut.load(SeqCst) || self.parent.as_ref().is_some_and(|parent| parent.is_void())
    }

    fn is_within(&self, other: &Arc<Split>) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| Arc::ptr_eq(parent, other) || parent.is_within(other))
    }
}

/// Ends the work of a team, however its owner leaves.
struct End<'a>(&'a Team);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, SeqCst);
        let _open = lock(&self.0.open);
        self.0.news.notify_all();
    }
}

impl Team {
    /// Runs `work` with so many helpers, fewer if the system gives no more; with the
    /// nodes of the helpers.
    pub(super) fn run<G: Guess + Sync, T>(
        &self,
        helpers: usize,
        parts: Parts<'_, G>,
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
            let end = End(self);
            let helpers: Vec<_> = (0..helpers)
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, help).ok())
                .collect();
            let result = work();
            drop(end);
            let nodes = helpers.into_iter().map(|helper| helper.join().unwrap_or(0)).sum();
            (result, nodes)
        })
    }

    /// Tells everybody to stop.
    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    /// Whether somebody waits for work.
    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(SeqCst) > 0
    }

    /// Takes work until all is over.
    fn help<G: Guess + Sync>(&self, searcher: &mut Searcher<'_, G>) {
        loop {
            let mut open = lock(&self.open);
            self.idle.fetch_add(1, SeqCst);
            let split = loop {
                if self.over.load(SeqCst) {
                    return;
                }
                match Self::join(&open, |_| true) {
                    Some(split) => break split,
                    None => open = self.news.wait(open).unwrap_or_else(PoisonError::into_inner),
                }
            };
            self.idle.fetch_sub(1, SeqCst);
            drop(open);
            searcher.serve(&split);
            split.busy.fetch_sub(1, SeqCst);
        }
    }

    /// The open split with the largest tree, joined.
    fn join(open: &[Arc<Split>], wanted: impl Fn(&Split) -> bool) -> Option<Arc<Split>> {
        let fit = open.iter().filter(|split| split.is_open() && wanted(split));
        let split = fit.max_by_key(|split| split.empties)?;
        split.busy.fetch_add(1, SeqCst);
        Some(split.clone())
    }
}

impl<G: Guess> Searcher<'_, G> {
    /// Shares the moves of a position out; the best of them with its score. `best` is
    /// what was found before.
    pub(super) fn share(
        &mut self,
        team: &Team,
        children: Vec<Child>,
        alpha: i32,
        empties: u32,
        best: (i32, u8),
    ) -> Result<(i32, u8), Stopped> {
        let split = Arc::new(Split {
            parent: self.split.clone(),
            children,
            alpha,
            empties,
            next: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            best: Mutex::new(best),
        });
        {
            let mut open = lock(&team.open);
            open.push(split.clone());
            team.news.notify_all();
        }
        self.serve(&split);
        lock(&team.open).retain(|other| !Arc::ptr_eq(other, &split));
        // Who waits for helpers helps them.
        while split.busy.load(SeqCst) > 0 {
            let within = Team::join(&lock(&team.open), |other| other.is_within(&split));
            if let Some(within) = within {
                self.serve(&within);
                within.busy.fetch_sub(1, SeqCst);
            } else {
                if (self.stop)() {
                    team.stop();
                }
                thread::yield_now();
            }
        }
        if team.is_stopped() || split.parent.as_ref().is_some_and(|parent| parent.is_void()) {
            return Err(Stopped);
        }
        Ok(*lock(&split.best))
    }

    /// Searches moves of a split until none is left or it does not matter.
    fn serve(&mut self, split: &Arc<Split>) {
        let outer = self.split.replace(split.clone());
        while !split.is_void() {
            let Some(child) = split.children.get(split.next.fetch_add(1, SeqCst)) else { break };
            let replies = moves(child.own, child.opponent);
            let bound = -split.alpha - 1;
            let Ok(score) =
                self.above(child.own, child.opponent, bound, split.empties - 1, replies)
            else {
                break;
            };
            let mut best = lock(&split.best);
            if -score > best.0 {
                *best = (-score, child.square);
                if -score > split.alpha {
                    split.cut.store(true, SeqCst);
                }
            }
        }
        self.split = outer;
    }
}
