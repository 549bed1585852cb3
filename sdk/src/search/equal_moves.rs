//! Root moves that are proved to be exactly as good as the best one. An engine may choose at random
//! among them without giving anything away. Compares proved values only, since equal estimates do
//! not mean that two moves are equally good.

use sandboard_abi::{Bound, Limits, Line, OptionSpec};
use sandboard_games::Rules;

use super::budget::Budget;
use super::root::root_moves;
use super::search_thread::{MoveTrial, NodePlace, SearchThread, Window};
use super::{MAX_PLY, Search, SearchResult, SearchTask};
use crate::analyzer::Analyzer;
use crate::chooser::{NewGame, Turn};
use crate::evaluator::Evaluator;
use crate::options::pick_option;

const OPTION_NAME: &str = "equal-moves";
const FIRST: &str = "first";
const RANDOM: &str = "random";

/// Nodes that may be spent on equal moves even if the search itself needed fewer.
const NODES_MIN: u64 = 4_096;

/// The option `equal-moves` for a description: which of several proved moves of the same value is
/// played.
pub fn equal_moves_option() -> OptionSpec {
    let about = "among moves proved to be equally good, play the first one found, or a random one \
                 by the game's seed";
    pick_option(OPTION_NAME, &[FIRST, RANDOM], FIRST, about)
}

/// Whether the option [`equal_moves_option`] of a game selects a random move.
pub fn wants_random_equal_move<R: Rules>(game: &NewGame<'_, R>) -> bool {
    game.text(OPTION_NAME) == RANDOM
}

impl<R, A, E> Search<R, A, E>
where
    R: Rules,
    A: Analyzer<R> + Clone + Send,
    E: Evaluator<R> + Clone + Send,
{
    /// The moves that are proved to be exactly as good as the result that [`run`](Self::run) has
    /// just returned for the same task, with that result's move first.
    ///
    /// Spends at most the nodes of that search again, within the task's limits, so the list may be
    /// incomplete. It has only the result's move if the value is an estimate, and is empty if there
    /// is no move.
    pub fn equal_moves(
        &mut self,
        position: &R,
        task: SearchTask<'_, R>,
        result: &SearchResult<R::Move>,
    ) -> Vec<R::Move> {
        let mut equals: Vec<R::Move> = result.best.into_iter().collect();
        let Line { score: Some(score), depth, nodes, .. } = result.line else { return equals };
        let (Some(best), Bound::Exact) = (result.best, score.bound) else { return equals };
        let more = nodes.max(NODES_MIN);
        let left = task.limits.nodes.map_or(more, |max| max.saturating_sub(nodes).min(more));
        let limits = Limits { nodes: Some(left), ..task.limits.clone() };
        let thread = self.prepare(position, Budget::new(&limits, task.host));
        thread.add_equal_moves(best, depth, task.barred, &mut equals);
        equals
    }

    /// Like [`run`](Self::run), but chooses at random among the [`equal_moves`](Self::equal_moves)
    /// if the result is proved, by the turn's random numbers. The result keeps its value; the line
    /// is cut to one move if another move is chosen.
    pub fn run_varied(&mut self, turn: &mut Turn<'_, R>, limits: &Limits) -> SearchResult<R::Move> {
        let task = SearchTask { limits, barred: turn.barred, host: turn.host };
        let mut result = self.run(turn.position, task);
        let equals = self.equal_moves(turn.position, task, &result);
        let chosen = equals.get(turn.random.below(equals.len())).copied();
        if chosen.is_some() && chosen != result.best {
            result.line.moves.clear();
            chosen.into_iter().for_each(|mv| turn.position.write_move(mv, &mut result.line.moves));
            result.expected = chosen.into_iter().collect();
            result.best = chosen;
        }
        result
    }
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// Appends the root moves that are proved to reach the value of `best`, which was proved at
    /// this depth.
    fn add_equal_moves(
        &mut self,
        best: R::Move,
        depth: u32,
        barred: &[R::Move],
        equals: &mut Vec<R::Move>,
    ) {
        let root = root_moves(self, barred);
        // Proved results are still in the table, unless later ones have replaced them.
        let Some(value) = self.proved_value(best, depth, Window::FULL) else { return };
        let window = Window { alpha: value - 1, beta: value };
        for candidate in root.iter().filter(|candidate| candidate.mv != best) {
            match self.proved_value(candidate.mv, depth, window) {
                Some(reached) if reached >= value => equals.push(candidate.mv),
                _ if self.budget.stopped => return,
                _ => {}
            }
        }
    }

    /// The value of a root move, exact within the window and a bound outside it. It is proved at
    /// this depth, or at a greater one since another move may have needed less depth.
    fn proved_value(&mut self, mv: R::Move, depth: u32, window: Window) -> Option<i32> {
        let trial = MoveTrial { first: true, reduction: 0 };
        for depth in depth.max(1)..=MAX_PLY {
            if !self.budget.take_node() {
                return None;
            }
            self.estimated = false;
            let place = NodePlace::after_root_move(depth, &A::PARAMS);
            let value = self.try_move(mv, place, window, trial);
            if self.budget.stopped || !self.estimated {
                return (!self.budget.stopped).then_some(value);
            }
        }
        None
    }
}
