//! The root of the search: which moves are in question, how deep to look, what
//! counts when time ends, and what the host hears of it.

use sandboard_abi::{Bound, Limits, Line, Score, Unit};
use sandboard_games::Rules;

use super::worker::{Place, Window, Worker};
use super::{FIXED_DEPTH, Found, MAX_PLY, Task};
use crate::analyzer::{Analyzer, Candidate};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// A move that is the only one in question gets no more of a timed budget than
/// this depth takes, for the sake of its value.
const SINGLE_DEPTH: u32 = 4;

/// What is known of the root so far.
struct Best<M> {
    expected: Vec<M>,
    score: Option<Score>,
    depth: u32,
}

pub(super) fn run<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    task: Task<'_, R>,
) -> Found<R::Move> {
    let mut root = moves_in_question(worker, task.barred);
    let mut best = Best { expected: Vec::new(), score: None, depth: 0 };
    if let Some(first) = root.first() {
        best.expected.push(first.mv);
        if let Some((winning, value)) = winning_move(worker, &root) {
            let score = Score { value, bound: Bound::Exact };
            best = Best { expected: vec![winning], score: Some(score), depth: 1 };
        } else {
            deepen(worker, &mut root, &mut best, task);
        }
    }
    let line = line_of(worker, &best);
    Found { best: best.expected.first().copied(), expected: best.expected, line }
}

/// The candidates of the root that are legal and not barred, in their order; if
/// there is none, all such moves.
fn moves_in_question<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    barred: &[R::Move],
) -> Vec<Candidate<R::Move>> {
    let mut root = Vec::new();
    if worker.board.position().outcome().is_some() {
        return root;
    }
    let known = worker.table.probe(worker.board.position().hash(), 0);
    let known = known.filter(|_| worker.switches.transposition_table);
    worker.list_candidates(&mut root, 0, known.and_then(|known| known.best));
    let open = |position: &R, mv: R::Move| position.is_legal(mv) && !barred.contains(&mv);
    root.retain(|candidate| open(worker.board.position(), candidate.mv));
    if root.is_empty() {
        worker.list_all_moves(&mut root);
        root.retain(|candidate| open(worker.board.position(), candidate.mv));
    }
    if worker.switches.ordering {
        root.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    }
    root
}

/// The first move that wins at once, in a game where a win is all that counts,
/// and its value. Each move tried counts as a node.
fn winning_move<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &[Candidate<R::Move>],
) -> Option<(R::Move, i32)> {
    let side = worker.board.side();
    for candidate in root {
        if !worker.budget.take_node() {
            return None;
        }
        worker.board.make(candidate.mv);
        let ended = worker.board.position().outcome();
        let value = ended.map_or(0, |outcome| worker.board.final_value(outcome, 1));
        let value = if worker.board.side() == side { value } else { -value };
        worker.board.unmake();
        if value >= WIN_BOUND {
            return Some((candidate.mv, value));
        }
    }
    None
}

/// Searches deeper and deeper until the result is settled or the budget spent.
fn deepen<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut Best<R::Move>,
    task: Task<'_, R>,
) {
    let last = depth_max(worker.switches.iterative_deepening, task.limits, root.len());
    let first = if worker.switches.iterative_deepening { 1 } else { last };
    for depth in first..=last {
        if !worker.budget.may_begin() {
            return;
        }
        worker.estimated = false;
        iterate(worker, root, best, depth);
        if worker.budget.stopped {
            return;
        }
        task.host.report(&line_of(worker, best));
        let decided = best.score.is_some_and(|score| score.value.abs() >= WIN_BOUND);
        if decided || !worker.estimated {
            return;
        }
    }
}

fn depth_max(deepening: bool, limits: &Limits, candidates: usize) -> u32 {
    let last = limits.depth.unwrap_or(if deepening { MAX_PLY } else { FIXED_DEPTH }).min(MAX_PLY);
    let timed = limits.unit != Unit::Unlimited && limits.nodes.is_none() && limits.depth.is_none();
    if timed && candidates == 1 { last.min(SINGLE_DEPTH) } else { last }
}

/// One iteration. `best` changes once all moves are searched, or when the
/// budget is spent and the former best and a better one are. The best move
/// comes to the front of the root's moves.
fn iterate<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut Best<R::Move>,
    depth: u32,
) {
    // Before any iteration is finished, every finished move is better than none.
    let former = best.score.and(best.expected.first().copied());
    let mut former_searched = former.is_none();
    let mut alpha = Window::FULL.alpha;
    let mut leader = None;
    worker.lines[0].clear();
    for (index, candidate) in root.iter().enumerate() {
        let mv = candidate.mv;
        if !worker.budget.take_node() {
            break;
        }
        let window = Window { alpha, ..Window::FULL };
        let value = worker.try_move(mv, Place { depth: depth - 1, ply: 1 }, window, index == 0);
        if worker.budget.stopped {
            break;
        }
        former_searched |= former == Some(mv);
        if value > alpha {
            alpha = value;
            leader = Some(index);
            worker.keep_line(mv, 0);
        }
        if worker.switches.iterative_deepening && value >= WIN_BOUND {
            // A shorter way to win would have been found by a former iteration.
            former_searched = true;
            break;
        }
    }
    let Some(index) = leader.filter(|_| former_searched) else { return };
    let settled = alpha <= -WIN_BOUND || !worker.estimated;
    let proved = A::COMPLETE && (alpha >= WIN_BOUND || settled && !worker.budget.stopped);
    let bound = if proved { Bound::Exact } else { Bound::Estimate };
    best.expected.clone_from(&worker.lines[0]);
    best.score = Some(Score { value: alpha, bound });
    best.depth = depth;
    if worker.switches.ordering {
        root[..=index].rotate_right(1);
    }
}

/// The line for the border. An expected move that is none, which only a
/// mistaken table could bring, ends it.
fn line_of<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    best: &Best<R::Move>,
) -> Line {
    let mut moves = String::new();
    for (made, &mv) in best.expected.iter().enumerate() {
        if made > 0 {
            moves.push(' ');
        }
        worker.board.position().write_move(mv, &mut moves);
        worker.board.make(mv);
    }
    for _ in &best.expected {
        worker.board.unmake();
    }
    Line {
        rank: 1,
        score: best.score,
        depth: best.depth,
        nodes: worker.budget.nodes,
        spent: worker.budget.spent(),
        moves,
    }
}
