//! The root of the search: its moves, iterative deepening with aspiration windows, the result when
//! time ends, and the reports to the host.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Limits, Line, Score, Unit};
use sandboard_games::Rules;

use super::search_thread::{MoveTrial, NodePlace, SearchThread, Window};
use super::{FIXED_DEPTH, MAX_PLY, SearchResult, SearchTask};
use crate::analyzer::{Analyzer, Candidate, ProofEffort, URGENT};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// A single root move is searched to this depth only if the budget is timed, for its value.
const SINGLE_MOVE_DEPTH: u32 = 4;

/// From this depth on an iteration begins with an aspiration window.
const ASPIRATION_DEPTH_MIN: u32 = 4;

/// The number of aspiration windows before the full window.
const ASPIRATION_WINDOWS: u32 = 3;

/// Proofs of forced wins at the root get one node for this many nodes of the search.
const PROOF_SHARE: u64 = 3;

/// The result at the root so far.
#[derive(Clone, Debug)]
pub(super) struct RootResult<M> {
    expected: Vec<M>,
    pub(super) score: Option<Score>,
    pub(super) depth: u32,
    /// The depth of the last iteration that searched all moves.
    finished_depth: u32,
    /// Whether deeper iterations cannot change the result.
    settled: bool,
}

impl<M> RootResult<M> {
    /// A move without a score, if there is a move.
    pub(super) fn unsearched(first: Option<M>) -> Self {
        let expected = first.into_iter().collect();
        Self { expected, score: None, depth: 0, finished_depth: 0, settled: false }
    }
}

pub(super) fn run<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    task: SearchTask<'_, R>,
    pondered: Option<RootResult<R::Move>>,
) -> (SearchResult<R::Move>, RootResult<R::Move>) {
    let mut root = root_moves(thread, task.barred);
    let index_of = |result: &RootResult<R::Move>| {
        root.iter().position(|it| Some(&it.mv) == result.expected.first())
    };
    let pondered = pondered
        .filter(|result| result.score.is_some())
        .and_then(|result| Some((index_of(&result)?, result)));
    let mut best = RootResult::unsearched(root.first().map(|first| first.mv));
    if let Some((index, pondered)) = pondered {
        best = pondered;
        root[..=index].rotate_right(1);
        task.host.report(&line_of(thread, &best));
        if !best.settled {
            deepen(thread, &mut root, &mut best, task);
        }
    } else if let Some(first) = root.first() {
        report_unsearched(thread, first.mv, task);
        if let Some((winning, value)) = winning_move(thread, &root) {
            let score = Some(Score { value, bound: Bound::Exact });
            let unsearched = RootResult::unsearched(Some(winning));
            best = RootResult { score, depth: 1, settled: true, ..unsearched };
        } else if !prove_win(thread, &root, &mut best, ProofEffort::Inner, task.limits) {
            deepen(thread, &mut root, &mut best, task);
        }
    }
    let line = line_of(thread, &best);
    let expected = best.expected.clone();
    (SearchResult { best: expected.first().copied(), expected, line }, best)
}

/// The result without a search: the first root move, if there is one.
pub(super) fn unsearched<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
) -> (SearchResult<R::Move>, RootResult<R::Move>) {
    let first = root_moves(thread, &[]).first().map(|first| first.mv);
    let result = RootResult::unsearched(first);
    let (line, expected) = (line_of(thread, &result), result.expected.clone());
    (SearchResult { best: first, expected, line }, result)
}

/// Reports a move before it is searched, so that the host can play one if the search overruns. Does
/// not read the clock.
fn report_unsearched<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &SearchThread<R, A, E>,
    mv: R::Move,
    task: SearchTask<'_, R>,
) {
    let mut moves = String::new();
    thread.board.position().write_move(mv, &mut moves);
    task.host.report(&Line { rank: 1, moves, ..Line::default() });
}

/// The root's candidates that are legal and not barred, in order. If there are none, all such
/// moves.
pub(super) fn root_moves<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    barred: &[R::Move],
) -> Vec<Candidate<R::Move>> {
    let mut root = Vec::new();
    if thread.board.position().outcome().is_some() {
        return root;
    }
    let entry = thread.table.probe(thread.board.position().hash(), 0);
    let entry = entry.filter(|_| thread.switches.transposition_table);
    thread.list_candidates(&mut root, 0, entry.and_then(|entry| entry.best));
    let allowed = |position: &R, mv: R::Move| position.is_legal(mv) && !barred.contains(&mv);
    root.retain(|candidate| allowed(thread.board.position(), candidate.mv));
    if root.is_empty() {
        thread.list_all_moves(&mut root);
        root.retain(|candidate| allowed(thread.board.position(), candidate.mv));
    }
    if thread.switches.move_ordering {
        root.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    }
    root
}

/// The first move that ends the game with the value of a win, and that value. Each move tried
/// counts as a node.
fn winning_move<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    root: &[Candidate<R::Move>],
) -> Option<(R::Move, i32)> {
    let side = thread.board.side();
    for candidate in root {
        if !thread.budget.take_node() {
            return None;
        }
        thread.board.make(candidate.mv);
        let ended = thread.board.position().outcome();
        let value = ended.map_or(0, |outcome| thread.board.final_value(outcome, 1));
        let value = if thread.board.side() == side { value } else { -value };
        thread.board.unmake();
        if value >= WIN_BOUND {
            return Some((candidate.mv, value));
        }
    }
    None
}

/// Asks the analyzer for a forced win by one of the root's moves; returns whether it found one.
fn prove_win<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    root: &[Candidate<R::Move>],
    best: &mut RootResult<R::Move>,
    effort: ProofEffort,
    limits: &Limits,
) -> bool {
    if !A::PROVES_WINS || !thread.switches.forced_wins {
        return false;
    }
    let SearchThread { analyzer, board, budget, .. } = thread;
    let forced = analyzer.forced_win(board.position(), effort, &mut || budget.take_node());
    // If moves are barred, the win may begin with one of them.
    let is_root_move = |mv| root.iter().any(|candidate| candidate.mv == mv);
    let Some(forced) = forced.filter(|forced| is_root_move(forced.first)) else { return false };
    best.expected.clear();
    analyzer.forced_line(board.position(), &mut best.expected);
    if best.expected.first() != Some(&forced.first) {
        best.expected = vec![forced.first];
    }
    let value = WIN_SCORE - forced.plies.min((WIN_SCORE - WIN_BOUND) as u32) as i32;
    let bound = if forced.proved { Bound::Exact } else { Bound::Estimate };
    best.score = Some(Score { value, bound });
    best.depth = forced.plies.min(limits.depth.unwrap_or(MAX_PLY));
    best.settled = true;
    true
}

/// Iterative deepening, until the result is settled or the budget is spent.
fn deepen<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut RootResult<R::Move>,
    task: SearchTask<'_, R>,
) {
    let deepens = thread.switches.iterative_deepening;
    let last = depth_max(deepens, task.limits, root.len());
    let next = best.finished_depth + 1;
    let first = if deepens { next } else { last.max(next) };
    let mut proof_nodes = 0;
    for depth in first..=last {
        if !thread.budget.may_begin() {
            return;
        }
        thread.estimated = false;
        search_iteration(thread, root, best, depth);
        if thread.budget.stopped {
            return;
        }
        best.finished_depth = depth;
        task.host.report(&line_of(thread, best));
        let decided = best.score.is_some_and(|score| score.value.abs() >= WIN_BOUND);
        if decided || !thread.estimated {
            best.settled = true;
            return;
        }
        let search_nodes = thread.budget.nodes - proof_nodes;
        let share = (search_nodes / PROOF_SHARE).saturating_sub(proof_nodes);
        let before = thread.budget.nodes;
        if root.len() > 1 && prove_win(thread, root, best, ProofEffort::Root(share), task.limits) {
            task.host.report(&line_of(thread, best));
            return;
        }
        proof_nodes += thread.budget.nodes - before;
    }
}

/// One iteration: with aspiration windows around the last value if they are in use, and with the
/// full window if the value is outside them.
pub(super) fn search_iteration<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut RootResult<R::Move>,
    depth: u32,
) {
    let last = best.score.map(|score| score.value).filter(|value| value.abs() < WIN_BOUND);
    if let Some(value) = last.filter(|_| {
        thread.switches.aspiration_windows
            && thread.switches.alpha_beta
            && depth >= ASPIRATION_DEPTH_MIN
    }) {
        let margin = E::ASPIRATION_MARGIN;
        let mut window = Window { alpha: value - margin, beta: value + margin };
        for attempt in 1..=ASPIRATION_WINDOWS {
            let failure = search_window(thread, root, best, depth, window);
            if failure.is_none() || thread.budget.stopped {
                return;
            }
            if !A::PARAMS.widens_gradually {
                break;
            }
            // Widen only the side that failed.
            let margin = margin << (2 * attempt);
            match failure {
                Some(WindowFailure::High) => window.beta = value + margin,
                _ => window.alpha = value - margin,
            }
        }
    }
    search_window(thread, root, best, depth, Window::FULL);
}

fn depth_max(deepens: bool, limits: &Limits, root_moves: usize) -> u32 {
    let last = limits.depth.unwrap_or(if deepens { MAX_PLY } else { FIXED_DEPTH }).min(MAX_PLY);
    let timed = limits.unit != Unit::Unlimited && limits.nodes.is_none() && limits.depth.is_none();
    if timed && root_moves == 1 { last.min(SINGLE_MOVE_DEPTH) } else { last }
}

/// The side on which a value is outside its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WindowFailure {
    High,
    Low,
}

/// One search of all root moves within a window. Returns on which side the value failed, if it did.
///
/// `best` changes once all moves are searched. If the budget ends before, it changes only if the
/// previous best move and a better one were searched. The best move comes to the front of `root`.
fn search_window<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut RootResult<R::Move>,
    depth: u32,
    window: Window,
) -> Option<WindowFailure> {
    // Before the first iteration is finished, any searched move is better than none.
    let previous = best.score.and(best.expected.first().copied());
    let mut previous_searched = previous.is_none();
    let mut alpha = window.alpha;
    let mut leader = None;
    thread.pv_lines[0].clear();
    // Moves that other threads are searching come again after the others.
    let mut order: Vec<usize> = (0..root.len()).collect();
    let mut tried = 0;
    while let Some(&index) = order.get(tried) {
        tried += 1;
        let is_first_try = tried <= root.len();
        if is_first_try && index > 0 && thread.is_searched_elsewhere(root[index].mv, depth) {
            order.push(index);
            continue;
        }
        let open_window = Window { alpha, ..window };
        if index == 1 && thread.splits_root {
            if let Some((value, place)) = thread.split_root(root, depth, open_window) {
                (alpha, leader) = (value, Some(place));
            }
            previous_searched |= !thread.budget.stopped;
            if alpha >= window.beta && !thread.budget.stopped {
                root[..=leader.unwrap_or(0)].rotate_right(1);
                return Some(WindowFailure::High);
            }
            break;
        }
        let mv = root[index].mv;
        let Some(value) = thread.try_root_move(root[index], index, depth, open_window) else {
            break;
        };
        previous_searched |= previous == Some(mv);
        if value > alpha {
            alpha = value;
            leader = Some(index);
            thread.keep_line(mv, 0);
        }
        if thread.switches.iterative_deepening && value >= WIN_BOUND {
            // A previous iteration would have found a shorter win.
            previous_searched = true;
            break;
        }
        if value >= window.beta {
            root[..=index].rotate_right(1);
            return Some(WindowFailure::High);
        }
    }
    let Some(index) = leader.filter(|_| previous_searched) else {
        return Some(WindowFailure::Low);
    };
    if thread.defers_moves && thread.pv_lines[0].len() == 1 {
        // Another thread has searched the positions after it.
        thread.pv_lines[0] = thread.line_from_table(root[index].mv, depth);
    }
    let settled = alpha <= -WIN_BOUND || !thread.estimated;
    let proved = A::COMPLETE && (alpha >= WIN_BOUND || settled && !thread.budget.stopped);
    let bound = if proved { Bound::Exact } else { Bound::Estimate };
    best.expected.clone_from(&thread.pv_lines[0]);
    best.score = Some(Score { value: alpha, bound });
    best.depth = depth;
    if thread.switches.move_ordering {
        root[..=index].rotate_right(1);
    }
    None
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    /// The value of the root move at this index: exact within the window, a bound outside it.
    /// `None` if the budget has stopped.
    pub(super) fn try_root_move(
        &mut self,
        candidate: Candidate<R::Move>,
        index: usize,
        depth: u32,
        window: Window,
    ) -> Option<i32> {
        if !self.budget.take_node() {
            return None;
        }
        let urgent = candidate.score >= URGENT;
        let reduction = if urgent { 0 } else { self.reduction(depth, index) };
        let trial = MoveTrial { first: index == 0, reduction };
        let mark = self.mark(candidate.mv, depth);
        self.set_mark(mark);
        let place = NodePlace::after_root_move(depth, &A::PARAMS);
        let value = self.try_move(candidate.mv, place, window, trial);
        self.clear_mark(mark);
        (!self.budget.stopped).then_some(value)
    }
}

/// The line for the host.
fn line_of<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    thread: &mut SearchThread<R, A, E>,
    result: &RootResult<R::Move>,
) -> Line {
    let mut moves = String::new();
    for (made, &mv) in result.expected.iter().enumerate() {
        if made > 0 {
            moves.push(' ');
        }
        thread.board.position().write_move(mv, &mut moves);
        thread.board.make(mv);
    }
    for _ in &result.expected {
        thread.board.unmake();
    }
    let evaluator = thread.board.evaluator();
    let score = |score: Score| Score { value: evaluator.score(score.value), ..score };
    Line {
        rank: 1,
        score: result.score.map(score),
        depth: result.depth,
        nodes: thread.budget.all_nodes(),
        spent: thread.budget.spent(),
        moves,
    }
}
