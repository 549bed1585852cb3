//! The transposition table that the instances of a team share, beside each one's own. It is behind
//! the ABI, where an access costs about ten times as much as a local one, so only deep nodes use
//! it. Each instance adapts the least depth to the nodes that it searches between two accesses.

use std::cell::Cell;

use sandboard_games::Rules;

use super::search_thread::{NodePlace, SearchThread};
use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::Host;
use crate::transposition_table::{TableEntry, entry_from_word, entry_to_word};

/// The least depth at the start of a search, and its range.
const DEPTH_INITIAL: u32 = 4;
const DEPTH_MIN: u32 = 3;
const DEPTH_MAX: u32 = 12;
/// Accesses between two adaptations of the least depth.
const ADAPT_INTERVAL: u32 = 256;
/// With fewer nodes between two accesses than this, the accesses cost more than they save: at 3
/// nodes, two instances searched reversi at 0.39 times the pace of one.
const NODES_MIN: u64 = 16;
/// With more nodes than this, accesses are cheap and the least depth can fall: a ply less makes
/// about three times as many accesses.
const NODES_MAX: u64 = 128;
/// Marks take three accesses: they are used from this many plies above the least depth on.
const MARK_DEPTH_EXTRA: u32 = 2;

/// The instance's access to the shared table.
#[derive(Clone, Debug)]
pub(super) struct RemoteTable {
    host: Host,
    depth_min: Cell<u32>,
    /// Accesses since the last adaptation.
    accesses: Cell<u32>,
    /// The node count at the last adaptation.
    nodes_at_adaptation: Cell<u64>,
}

impl RemoteTable {
    pub(super) fn new(host: &Host) -> Self {
        Self {
            host: host.clone(),
            depth_min: Cell::new(DEPTH_INITIAL),
            accesses: Cell::new(0),
            nodes_at_adaptation: Cell::new(0),
        }
    }

    /// Whether a node of this depth is worth an access.
    #[inline]
    fn is_worth_access(&self, depth: u32) -> bool {
        depth >= self.depth_min.get()
    }

    /// Whether a move at this depth is worth a mark.
    #[inline]
    pub(super) fn is_worth_mark(&self, depth: u32) -> bool {
        depth >= self.depth_min.get() + MARK_DEPTH_EXTRA
    }

    /// Counts an access; `nodes` is the node count of the search.
    #[inline]
    fn count_access(&self, nodes: u64) {
        self.accesses.set(self.accesses.get() + 1);
        if self.accesses.get() == ADAPT_INTERVAL {
            self.adapt_depth(nodes);
        }
    }

    #[cold]
    fn adapt_depth(&self, nodes: u64) {
        let nodes_per_access =
            nodes.saturating_sub(self.nodes_at_adaptation.get()) / u64::from(ADAPT_INTERVAL);
        let depth_min = self.depth_min.get();
        self.depth_min.set(match nodes_per_access {
            ..NODES_MIN => (depth_min + 1).min(DEPTH_MAX),
            NODES_MAX.. => (depth_min - 1).max(DEPTH_MIN),
            _ => depth_min,
        });
        self.accesses.set(0);
        self.nodes_at_adaptation.set(nodes);
    }
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// The entry of a position: the local one, or the shared one if it is deeper and the local one
    /// is too shallow.
    #[inline]
    pub(super) fn probe(&self, hash: u64, place: NodePlace) -> Option<TableEntry<R::Move>> {
        let local = self.table.probe(hash, place.ply);
        let remote = self.remote_table.as_ref();
        let Some(remote) = remote.filter(|remote| remote.is_worth_access(place.depth)) else {
            return local;
        };
        if local.is_some_and(|entry| u32::from(entry.depth) >= place.depth) {
            return local;
        }
        remote.count_access(self.budget.nodes);
        let shared = entry_from_word::<R::Move>(remote.host.probe(hash), place.ply);
        let depth = |entry: Option<TableEntry<_>>| entry.map(|entry| entry.depth);
        if depth(shared) > depth(local) { shared } else { local }
    }

    #[inline]
    pub(super) fn store(&self, hash: u64, place: NodePlace, entry: TableEntry<R::Move>) {
        self.table.store(hash, place.ply, entry);
        let remote = self.remote_table.as_ref();
        if let Some(remote) = remote.filter(|remote| remote.is_worth_access(place.depth)) {
            remote.count_access(self.budget.nodes);
            remote.host.store(hash, entry_to_word(entry, place.ply));
        }
    }

    /// The principal variation after this move, as far as the tables have it: at most `depth`
    /// moves, `first` included.
    pub(super) fn line_from_table(&mut self, first: R::Move, depth: u32) -> Vec<R::Move> {
        let mut line = vec![first];
        self.make(first);
        while line.len() < depth as usize {
            let position = self.board.position();
            if position.outcome().is_some() {
                break;
            }
            let place = NodePlace { depth: DEPTH_MAX, ply: line.len() as u32, extension_plies: 0 };
            let best = self.probe(position.hash(), place).and_then(|entry| entry.best);
            let mut moves = std::mem::take(&mut self.moves);
            moves.clear();
            position.generate(sandboard_games::MoveSet::All, &mut moves);
            let next = best.filter(|mv| moves.contains(mv) && position.is_legal(*mv));
            self.moves = moves;
            let Some(next) = next else { break };
            self.make(next);
            line.push(next);
        }
        for &mv in line.iter().rev() {
            self.unmake(mv);
        }
        line
    }
}
