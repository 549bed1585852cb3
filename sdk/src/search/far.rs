//! The table that the instances of a team share, beside each one's own: behind the border,
//! where a look costs some ten times as much as at home, so only for what is deep enough. How deep
//! that is each instance finds out as it goes, by how many nodes it searches between two looks.

use std::cell::Cell;

use sandboard_games::Rules;

use super::worker::{Place, Worker};
use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::host::Host;
use crate::table::{self, Known};

/// A search begins with this least depth, and comes to its own within these.
const FROM: u32 = 4;
const FROM_MIN: u32 = 3;
const FROM_MAX: u32 = 12;
/// The least depth is thought over after so many looks.
const LOOKS: u32 = 256;
/// With fewer nodes from look to look than this, looking costs more than it brings: at 3 nodes,
/// two instances searched reversi at 0.39 times the pace of one.
const NODES_MIN: u64 = 16;
/// With more there is room for others to be told more: by a ply, looks grow some three times as many.
const NODES_MAX: u64 = 128;
/// So many plies deeper is what is worth a mark, which takes three looks.
const MARKED: u32 = 2;

/// The way to the shared table.
#[derive(Clone, Debug)]
pub(super) struct Far {
    host: Host,
    /// From this depth on.
    from: Cell<u32>,
    /// Looks since it was thought over, and the nodes counted then.
    looks: Cell<u32>,
    nodes: Cell<u64>,
}

impl Far {
    pub(super) fn new(host: &Host) -> Self {
        let (from, looks, nodes) = (Cell::new(FROM), Cell::new(0), Cell::new(0));
        Self { host: host.clone(), from, looks, nodes }
    }

    /// Whether what is so deep is worth a look.
    #[inline]
    fn is_worth(&self, depth: u32) -> bool {
        depth >= self.from.get()
    }

    /// Whether what is so deep is worth a mark.
    #[inline]
    pub(super) fn is_worth_mark(&self, depth: u32) -> bool {
        depth >= self.from.get() + MARKED
    }

    /// A look is taken, with so many nodes counted until now.
    #[inline]
    fn look(&self, nodes: u64) {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() == LOOKS {
            self.think_over(nodes);
        }
    }

    #[cold]
    fn think_over(&self, nodes: u64) {
        let between = nodes.saturating_sub(self.nodes.get()) / u64::from(LOOKS);
        let from = self.from.get();
        self.from.set(match between {
            ..NODES_MIN => (from + 1).min(FROM_MAX),
            NODES_MAX.. => (from - 1).max(FROM_MIN),
            _ => from,
        });
        self.looks.set(0);
        self.nodes.set(nodes);
    }
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// What one of the tables knows: the own one, or if that does not go as deep as is asked
    /// for, the shared one.
    #[inline]
    pub(super) fn probe(&self, hash: u64, place: Place) -> Option<Known<R::Move>> {
        let known = self.table.probe(hash, place.ply);
        let Some(far) = self.far.as_ref().filter(|far| far.is_worth(place.depth)) else {
            return known;
        };
        if known.is_some_and(|known| u32::from(known.depth) >= place.depth) {
            return known;
        }
        far.look(self.budget.nodes);
        let shared = table::of_word::<R::Move>(far.host.probe(hash), place.ply);
        let depth = |known: Option<Known<_>>| known.map(|known| known.depth);
        if depth(shared) > depth(known) { shared } else { known }
    }

    #[inline]
    pub(super) fn store(&self, hash: u64, place: Place, known: Known<R::Move>) {
        self.table.store(hash, place.ply, known);
        if let Some(far) = self.far.as_ref().filter(|far| far.is_worth(place.depth)) {
            far.look(self.budget.nodes);
            far.host.store(hash, table::to_word(known, place.ply));
        }
    }

    /// The moves that the tables know to be best after this one, as far as they do.
    pub(super) fn line_by_table(&mut self, first: R::Move, depth: u32) -> Vec<R::Move> {
        let mut line = vec![first];
        self.make(first);
        while line.len() < depth as usize {
            let position = self.board.position();
            if position.outcome().is_some() {
                break;
            }
            let place = Place { depth: FROM_MAX, ply: line.len() as u32, extra: 0 };
            let known = self.probe(position.hash(), place).and_then(|known| known.best);
            let mut moves = std::mem::take(&mut self.moves);
            moves.clear();
            position.generate(sandboard_games::Generate::All, &mut moves);
            let next = known.filter(|mv| moves.contains(mv) && position.is_legal(*mv));
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
