//! The table that the instances of a team share, beside each one's own: behind the border,
//! where a look costs some ten times as much as at home, so only for what is deep enough.

use sandboard_games::Rules;

use super::worker::{Place, Worker};
use crate::analyzer::Analyzer;
use crate::evaluator::Evaluator;
use crate::table::{self, Known};

/// From this depth on. With 2, two instances searched reversi at 0.39 times the pace of one.
const FAR_FROM: u32 = 4;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// What one of the tables knows: the own one, or if that does not go as deep as is asked
    /// for, the shared one.
    #[inline]
    pub(super) fn probe(&self, hash: u64, place: Place) -> Option<Known<R::Move>> {
        let known = self.table.probe(hash, place.ply);
        let Some(far) = self.far.as_ref().filter(|_| place.depth >= FAR_FROM) else { return known };
        if known.is_some_and(|known| u32::from(known.depth) >= place.depth) {
            return known;
        }
        let shared = table::of_word::<R::Move>(far.probe(hash), place.ply);
        let depth = |known: Option<Known<_>>| known.map(|known| known.depth);
        if depth(shared) > depth(known) { shared } else { known }
    }

    #[inline]
    pub(super) fn store(&self, hash: u64, place: Place, known: Known<R::Move>) {
        self.table.store(hash, place.ply, known);
        if let Some(far) = self.far.as_ref().filter(|_| place.depth >= FAR_FROM) {
            far.store(hash, table::to_word(known, place.ply));
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
            let place = Place { depth: FAR_FROM, ply: line.len() as u32, extra: 0 };
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
