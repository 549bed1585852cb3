//! From proofs about bounds to a score and a line of play.

use sandboard_sdk::games::reversi::bits::moves;

use super::Task;
use super::order::{Children, Guess};
use super::search::{Searcher, Stopped};
use super::table::Key;

/// What is proved of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl Bounds {
    /// Whether they say what the task asks for.
    pub(super) fn meet(self, task: &Task) -> bool {
        self.lower == self.upper || self.lower >= task.beta || self.upper <= task.alpha
    }
}

/// How far the next bound lies behind one that held: the next score for so many times,
/// then farther and farther, for an expectation that was far from right.
const SMALL_STEPS: u32 = 4;
const MOST_STEP: i32 = 8;

impl<G: Guess> Searcher<'_, G> {
    /// Closes in on the score by zero windows, from `expected` on (after "MTD(f)":
    /// Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax
    /// algorithms", 1996, with growing steps). What it had proved when stopped counts.
    pub(super) fn bounds(&mut self, task: &Task, expected: i32) -> Bounds {
        let mut bounds = Bounds { lower: -64, upper: 64 };
        // Scores are even.
        let mut target = expected.min(task.beta).max(task.alpha + 1).clamp(-62, 64) & !1;
        let mut steps = 0u32;
        while !bounds.meet(task) {
            let step = (2 << steps.saturating_sub(SMALL_STEPS).min(2)).min(MOST_STEP);
            match self.prove(task.own, task.opponent, target - 1) {
                Ok(score) if score >= target => {
                    bounds.lower = score;
                    target = (score + step).min(bounds.upper);
                }
                Ok(score) => {
                    bounds.upper = score;
                    target = (score - step + 2).max(bounds.lower + 2);
                }
                Err(Stopped) => break,
            }
            steps += 1;
        }
        bounds
    }

    /// How play goes on: to the end if the score is exact, else a first move.
    pub(super) fn line(&mut self, own: u64, opponent: u64, bounds: Bounds) -> Vec<Option<u32>> {
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
                let Ok(square) = self.reaching(own, opponent, legal, score) else { return line };
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
    fn reaching(
        &mut self,
        own: u64,
        opponent: u64,
        legal: u64,
        score: i32,
    ) -> Result<u32, Stopped> {
        let is_legal = |square: u8| square < 64 && legal >> square & 1 != 0;
        let known = self.table.get(Key::of(own, opponent));
        if let Some(known) = known.filter(|known| is_legal(known.moves[0])) {
            // Of a bound that says nothing the first move is as good as any.
            if i32::from(known.lower) >= score {
                return Ok(known.moves[0].into());
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
        // A proved score has a move for it; without one the line is short of an answer only.
        Ok(first)
    }
}
