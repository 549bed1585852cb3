//! The scored list of a position's candidates: the analyzer's moves, or all moves if it has none.
//! Scores come from the analyzer or evaluator, the table's move, killers and history.

use sandboard_games::{MoveSet, Rules};

use super::search_thread::SearchThread;
use crate::analyzer::{Analyzer, Candidate, Scope};
use crate::evaluator::Evaluator;

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// Fills the list for the position on the board. `best_known` is the table's move.
    pub(super) fn list_candidates(
        &mut self,
        list: &mut Vec<Candidate<R::Move>>,
        ply: u32,
        best_known: Option<R::Move>,
    ) -> Scope {
        list.clear();
        let position = self.board.position();
        let scope = self.analyzer.candidates(position, list);
        if !list.iter().any(|candidate| position.is_legal(candidate.mv)) {
            self.list_all_moves(list);
        }
        if self.switches.move_ordering {
            self.score(list, ply, best_known);
        }
        scope
    }

    pub(super) fn list_all_moves(&mut self, list: &mut Vec<Candidate<R::Move>>) {
        self.moves.clear();
        self.board.position().generate(MoveSet::All, &mut self.moves);
        list.clear();
        list.extend(self.moves.iter().map(|&mv| Candidate { mv, score: 0 }));
    }

    fn score(&mut self, list: &mut [Candidate<R::Move>], ply: u32, best_known: Option<R::Move>) {
        if !A::SCORES_MOVES {
            let (position, evaluator) = (self.board.position(), self.board.evaluator());
            for candidate in list.iter_mut() {
                candidate.score = evaluator.move_value(position, candidate.mv);
            }
        }
        self.ordering_tables.adjust(list, ply, self.switches.killers, self.switches.history);
        let best = best_known.and_then(|best| list.iter_mut().find(|c| c.mv == best));
        if let Some(best) = best {
            best.score = i32::MAX;
        }
    }
}
