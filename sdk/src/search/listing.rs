//! The list of a position's candidates, best ones marked: the analyzer's moves or all of
//! them, with the scores of whoever ranks, the table's move and what the search has learnt.

use sandboard_games::{Generate, Rules};

use super::worker::Worker;
use crate::analyzer::{Analyzer, Candidate, Scope};
use crate::evaluator::Evaluator;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// Fills the list for the position on the board.
    pub(super) fn list_candidates(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        ply: u32,
        known_best: Option<R::Move>,
    ) -> Scope {
        list.clear();
        let position = self.board.position();
        let scope = self.analyzer.candidates(position, list);
        if !list.iter().any(|candidate| position.is_legal(candidate.mv)) {
            self.list_all_moves(list);
        }
        if self.switches.ordering {
            self.rank(list, ply, known_best);
        }
        scope
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
}
