//! Which moves of a root are exactly as good as the best: what one may choose among at random and
//! give nothing away. Asked only when the best is proved, for estimates that are equal say nothing of
//! the positions behind them.

use sandboard_abi::{Bound, Limits, Line, OptionSpec};
use sandboard_games::Rules;

use super::budget::Budget;
use super::root::moves_in_question;
use super::worker::{Place, Trial, Window, Worker};
use super::{Found, MAX_PLY, Search, Task};
use crate::analyzer::Analyzer;
use crate::engine::{NewGame, Turn, pick};
use crate::evaluator::Evaluator;

/// The option's name, and its words.
const NAME: &str = "equals";
const FIRST: &str = "first";
const RANDOM: &str = "random";

/// Nodes that may be spent on equals where the search itself needed fewer.
const NODES_LEAST: u64 = 4_096;

/// The option `equals` for a description: which of several proved moves of the same value is played.
pub fn equals_option() -> OptionSpec {
    let about = "of moves that are proved to be equally good, play the one found first, or one by the game's seed";
    pick(NAME, &[FIRST, RANDOM], FIRST, about)
}

/// Whether the option [`equals_option`] of a game asks for a random one.
pub fn varies<R: Rules>(game: &NewGame<'_, R>) -> bool {
    game.text(NAME) == RANDOM
}

impl<R, A, E> Search<R, A, E>
where
    R: Rules,
    A: Analyzer<R> + Clone + Send,
    E: Evaluator<R> + Clone + Send,
{
    /// The moves that are proved to be exactly as good as the one that [`run`](Self::run) has just
    /// found for this task: that one first, and the others as far as the nodes of that search, spent
    /// once more within the task's limits, go. Of an estimate nothing is proved: that one alone. None, if none was found.
    pub fn equals(
        &mut self,
        position: &R,
        task: Task<'_, R>,
        found: &Found<R::Move>,
    ) -> Vec<R::Move> {
        let mut equals: Vec<R::Move> = found.best.into_iter().collect();
        let Line { score: Some(score), depth, nodes, .. } = found.line else { return equals };
        let (Some(best), Bound::Exact) = (found.best, score.bound) else { return equals };
        let more = nodes.max(NODES_LEAST);
        let left = task.limits.nodes.map_or(more, |most| most.saturating_sub(nodes).min(more));
        let limits = Limits { nodes: Some(left), ..task.limits.clone() };
        let worker = self.prepare(position, Budget::new(&limits, task.host));
        worker.add_equals(best, depth, task.barred, &mut equals);
        equals
    }

    /// Chooses as [`run`](Self::run) does and then, if the move is proved, at random among its
    /// [`equals`](Self::equals), by the turn's random numbers. The line stays that of the value, and
    /// is cut to the move if it was of another.
    pub fn vary(&mut self, turn: &mut Turn<'_, R>, limits: &Limits) -> Found<R::Move> {
        let task = Task { limits, barred: turn.barred, host: turn.host };
        let mut found = self.run(turn.position, task);
        let equals = self.equals(turn.position, task, &found);
        let chosen = equals.get(turn.random.below(equals.len())).copied();
        if chosen.is_some() && chosen != found.best {
            found.line.moves.clear();
            chosen.into_iter().for_each(|mv| turn.position.write_move(mv, &mut found.line.moves));
            found.expected = chosen.into_iter().collect();
            found.best = chosen;
        }
        found
    }
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// Adds the moves of the root that are proved to reach the value of `best`, which was proved at
    /// this depth.
    fn add_equals(
        &mut self,
        best: R::Move,
        depth: u32,
        barred: &[R::Move],
        equals: &mut Vec<R::Move>,
    ) {
        let root = moves_in_question(self, barred);
        // What is proved is in the table, unless others have taken its place there.
        let Some(value) = self.proved(best, depth, Window::FULL) else { return };
        let window = Window { alpha: value - 1, beta: value };
        for candidate in root.iter().filter(|candidate| candidate.mv != best) {
            match self.proved(candidate.mv, depth, window) {
                Some(reached) if reached >= value => equals.push(candidate.mv),
                _ if self.budget.stopped => return,
                _ => {}
            }
        }
    }

    /// The value of a move of the root, within the window or on the right side of it, proved at
    /// this depth or, since another move may have taken less than it, a greater one.
    fn proved(&mut self, mv: R::Move, depth: u32, window: Window) -> Option<i32> {
        let trial = Trial { first: true, reduced: 0 };
        for depth in depth.max(1)..=MAX_PLY {
            if !self.budget.take_node() {
                return None;
            }
            self.estimated = false;
            let value = self.try_move(mv, Place::first(depth, &A::MANNER), window, trial);
            if self.budget.stopped || !self.estimated {
                return (!self.budget.stopped).then_some(value);
            }
        }
        None
    }
}
