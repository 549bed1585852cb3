//! The root of the solver: from proofs about bounds to a score and a line of play.

use sandboard_sdk::games::reversi::bits::moves;

use super::SolverTask;
use super::move_ordering::{Children, OrderingEvaluator};
use super::search::{SearchStopped, Searcher};
use super::table::Key;

/// The proved bounds of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoreBounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl ScoreBounds {
    /// Whether the bounds settle the task.
    pub(super) fn settle(self, task: &SolverTask) -> bool {
        self.lower == self.upper || self.lower >= task.beta || self.upper <= task.alpha
    }
}

/// The distance to the next bound after a proof: the next score for the first steps, then larger
/// distances, for expectations that were far off.
const SMALL_STEPS: u32 = 4;
const STEP_MAX: i32 = 8;

impl<G: OrderingEvaluator> Searcher<'_, G> {
    /// Proves the score with null windows, starting at `expected`: MTD(f) with growing steps
    /// (Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996).
    /// If stopped, returns the bounds proved so far.
    pub(super) fn prove_bounds(&mut self, task: &SolverTask, expected: i32) -> ScoreBounds {
        let mut bounds = ScoreBounds { lower: -64, upper: 64 };
        // Scores are even.
        let mut target = expected.min(task.beta).max(task.alpha + 1).clamp(-62, 64) & !1;
        let mut steps = 0u32;
        while !bounds.settle(task) {
            let step = (2 << steps.saturating_sub(SMALL_STEPS).min(2)).min(STEP_MAX);
            match self.prove(task.own, task.opponent, target - 1) {
                Ok(score) if score >= target => {
                    bounds.lower = score;
                    target = (score + step).min(bounds.upper);
                }
                Ok(score) => {
                    bounds.upper = score;
                    target = (score - step + 2).max(bounds.lower + 2);
                }
                Err(SearchStopped) => break,
            }
            steps += 1;
        }
        bounds
    }

    /// The line of play: to the end if the score is exact, otherwise a first move.
    pub(super) fn line(
        &mut self,
        own: u64,
        opponent: u64,
        bounds: ScoreBounds,
    ) -> Vec<Option<u32>> {
        let (mut own, mut opponent, mut score) = (own, opponent, bounds.lower);
        let mut line = Vec::new();
        loop {
            let legal = moves(own, opponent);
            if legal == 0 {
                if moves(opponent, own) == 0 {
                    return line;
                }
                line.push(None);
                (own, opponent, score) = (opponent, own, -score);
            } else {
                let Ok(square) = self.move_reaching(own, opponent, legal, score) else {
                    return line;
                };
                line.push(Some(square));
                let mut child = Children::<34>::of(own, opponent, 1 << square);
                let child = child.next(0);
                (own, opponent, score) = (child.own, child.opponent, -score);
            }
            if bounds.lower != bounds.upper {
                return line;
            }
        }
    }

    /// A move that reaches at least `score`, which is a bound of the position.
    fn move_reaching(
        &mut self,
        own: u64,
        opponent: u64,
        legal: u64,
        score: i32,
    ) -> Result<u32, SearchStopped> {
        let is_legal = |square: u8| square < 64 && legal >> square & 1 != 0;
        let entry = self.table.get(Key::of(own, opponent));
        if let Some(entry) = entry.filter(|entry| is_legal(entry.moves[0])) {
            // With a trivial bound any move will do.
            if i32::from(entry.lower) >= score {
                return Ok(entry.moves[0].into());
            }
        }
        let mut children = Children::<34>::of(own, opponent, legal);
        let first = u32::from(children.next(0).square);
        if score <= -64 {
            return Ok(first);
        }
        for child in children.all().to_vec() {
            if self.prove(child.own, child.opponent, -score)? <= -score {
                return Ok(child.square.into());
            }
        }
        // A proved score always has such a move; without one, only the line would be wrong.
        Ok(first)
    }
}
