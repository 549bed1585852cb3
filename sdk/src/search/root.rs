//! The root of the search: which moves are in question, how deep to look, what
//! counts when time ends, and what the host hears of it.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Limits, Line, Score, Unit};
use sandboard_games::Rules;

use super::worker::{Place, Trial, Window, Worker};
use super::{FIXED_DEPTH, Found, MAX_PLY, Task};
use crate::analyzer::{Analyzer, Candidate, Effort, URGENT};
use crate::evaluator::{Evaluator, WIN_BOUND};

/// A move that is the only one in question gets no more of a timed budget than
/// this depth takes, for the sake of its value.
const SINGLE_DEPTH: u32 = 4;

/// From this depth on an iteration begins with a window of the last value and
/// the usual change on either side.
const ASPIRATION_FROM: u32 = 4;

/// So often such a window is opened before it is full.
const WIDENINGS: u32 = 3;

/// A study of forced wins at the root gets one node for so many of the search's.
const STUDY_SHARE: u64 = 3;

/// What is known of the root so far.
#[derive(Clone, Debug)]
pub(super) struct Best<M> {
    expected: Vec<M>,
    pub(super) score: Option<Score>,
    pub(super) depth: u32,
    /// The depth of the last iteration in which all moves were searched.
    finished: u32,
    /// Nothing deeper would change it.
    settled: bool,
}

impl<M> Best<M> {
    /// Nothing but a move, if there is one.
    pub(super) fn unsearched(first: Option<M>) -> Self {
        let expected = first.into_iter().collect();
        Self { expected, score: None, depth: 0, finished: 0, settled: false }
    }
}

pub(super) fn run<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    task: Task<'_, R>,
    begun: Option<Best<R::Move>>,
) -> (Found<R::Move>, Best<R::Move>) {
    let mut root = moves_in_question(worker, task.barred);
    let place =
        |best: &Best<R::Move>| root.iter().position(|it| Some(&it.mv) == best.expected.first());
    let begun = begun.filter(|best| best.score.is_some()).and_then(|it| Some((place(&it)?, it)));
    let mut best = Best::unsearched(root.first().map(|first| first.mv));
    if let Some((place, begun)) = begun {
        best = begun;
        root[..=place].rotate_right(1);
        task.host.report(&line_of(worker, &best));
        if !best.settled {
            deepen(worker, &mut root, &mut best, task);
        }
    } else if let Some(first) = root.first() {
        at_hand(worker, first.mv, task);
        if let Some((winning, value)) = winning_move(worker, &root) {
            let score = Some(Score { value, bound: Bound::Exact });
            best = Best { score, depth: 1, settled: true, ..Best::unsearched(Some(winning)) };
        } else if !force(worker, &root, &mut best, Effort::Look, task.limits) {
            deepen(worker, &mut root, &mut best, task);
        }
    }
    let line = line_of(worker, &best);
    let expected = best.expected.clone();
    (Found { best: expected.first().copied(), expected, line }, best)
}

/// What is known of a root that nobody was asked to search: a move, if there is one.
pub(super) fn unsearched<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
) -> (Found<R::Move>, Best<R::Move>) {
    let first = moves_in_question(worker, &[]).first().map(|first| first.mv);
    let best = Best::unsearched(first);
    let (line, expected) = (line_of(worker, &best), best.expected.clone());
    (Found { best: first, expected, line }, best)
}

/// Reports a move before it is searched: whatever happens, there is one to be played. Looks at
/// no clock.
fn at_hand<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &Worker<R, A, E>,
    mv: R::Move,
    task: Task<'_, R>,
) {
    let mut moves = String::new();
    worker.board.position().write_move(mv, &mut moves);
    task.host.report(&Line { rank: 1, moves, ..Line::default() });
}

/// The candidates of the root that are legal and not barred, in their order; if
/// there is none, all such moves.
pub(super) fn moves_in_question<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
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

/// Asks for a forced win with a move that is in question; whether there is one.
fn force<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &[Candidate<R::Move>],
    best: &mut Best<R::Move>,
    effort: Effort,
    limits: &Limits,
) -> bool {
    if !A::PROVES || !worker.switches.forced_wins {
        return false;
    }
    let Worker { analyzer, board, budget, .. } = worker;
    let forced = analyzer.forced_win(board.position(), effort, &mut || budget.take_node());
    // Where moves are barred, others than the candidates may be in question.
    let open = |mv| root.iter().any(|candidate| candidate.mv == mv);
    let Some(forced) = forced.filter(|forced| open(forced.first)) else { return false };
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

/// Searches deeper and deeper until the result is settled or the budget spent.
fn deepen<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut Best<R::Move>,
    task: Task<'_, R>,
) {
    let last = depth_max(worker.switches.iterative_deepening, task.limits, root.len());
    let deepens = worker.switches.iterative_deepening;
    let first = if deepens { best.finished + 1 } else { last.max(best.finished + 1) };
    let mut studied = 0;
    for depth in first..=last {
        if !worker.budget.may_begin() {
            return;
        }
        worker.estimated = false;
        iterate_around(worker, root, best, depth);
        if worker.budget.stopped {
            return;
        }
        best.finished = depth;
        task.host.report(&line_of(worker, best));
        let decided = best.score.is_some_and(|score| score.value.abs() >= WIN_BOUND);
        if decided || !worker.estimated {
            best.settled = true;
            return;
        }
        let searched = worker.budget.nodes - studied;
        let share = (searched / STUDY_SHARE).saturating_sub(studied);
        let before = worker.budget.nodes;
        if root.len() > 1 && force(worker, root, best, Effort::Study(share), task.limits) {
            task.host.report(&line_of(worker, best));
            return;
        }
        studied += worker.budget.nodes - before;
    }
}

/// One iteration, within a narrow window around the last value where that is
/// good for something, and with all values where the result lies outside.
pub(super) fn iterate_around<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut Best<R::Move>,
    depth: u32,
) {
    let last = best.score.map(|score| score.value).filter(|value| value.abs() < WIN_BOUND);
    if let Some(value) = last.filter(|_| {
        worker.switches.aspiration && worker.switches.alpha_beta && depth >= ASPIRATION_FROM
    }) {
        let mut window = Window { alpha: value - E::USUAL_CHANGE, beta: value + E::USUAL_CHANGE };
        for widening in 1..=WIDENINGS {
            let found = iterate(worker, root, best, depth, window);
            if found.is_none() || worker.budget.stopped {
                return;
            }
            if !A::MANNER.widens {
                break;
            }
            // Only to the side on which the value lies.
            let change = E::USUAL_CHANGE << (2 * widening);
            match found {
                Some(Outlier::Above) => window.beta = value + change,
                _ => window.alpha = value - change,
            }
        }
    }
    iterate(worker, root, best, depth, Window::FULL);
}

fn depth_max(deepening: bool, limits: &Limits, candidates: usize) -> u32 {
    let last = limits.depth.unwrap_or(if deepening { MAX_PLY } else { FIXED_DEPTH }).min(MAX_PLY);
    let timed = limits.unit != Unit::Unlimited && limits.nodes.is_none() && limits.depth.is_none();
    if timed && candidates == 1 { last.min(SINGLE_DEPTH) } else { last }
}

/// On which side of a window a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outlier {
    Above,
    Below,
}

/// One iteration. `best` changes once all moves are searched, or when the
/// budget is spent and the former best and a better one are. The best move
/// comes to the front of the root's moves. Where the value is, if not within the window.
fn iterate<R: Rules, A: Analyzer<R>, E: Evaluator<R>>(
    worker: &mut Worker<R, A, E>,
    root: &mut [Candidate<R::Move>],
    best: &mut Best<R::Move>,
    depth: u32,
    window: Window,
) -> Option<Outlier> {
    // Before any iteration is finished, every finished move is better than none.
    let former = best.score.and(best.expected.first().copied());
    let mut former_searched = former.is_none();
    let mut alpha = window.alpha;
    let mut leader = None;
    worker.lines[0].clear();
    // Those that others search just now come again behind the rest.
    let mut order: Vec<usize> = (0..root.len()).collect();
    let mut tried = 0;
    while let Some(&index) = order.get(tried) {
        tried += 1;
        let is_first_look = tried <= root.len();
        if is_first_look && index > 0 && worker.is_elsewhere(root[index].mv, depth) {
            order.push(index);
            continue;
        }
        let open = Window { alpha, ..window };
        if index == 1 && worker.splits_root {
            if let Some((value, place)) = worker.split(root, depth, open) {
                (alpha, leader) = (value, Some(place));
            }
            former_searched |= !worker.budget.stopped;
            if alpha >= window.beta && !worker.budget.stopped {
                root[..=leader.unwrap_or(0)].rotate_right(1);
                return Some(Outlier::Above);
            }
            break;
        }
        let mv = root[index].mv;
        let Some(value) = worker.try_root_move(root[index], index, depth, open) else { break };
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
        if value >= window.beta {
            root[..=index].rotate_right(1);
            return Some(Outlier::Above);
        }
    }
    let Some(index) = leader.filter(|_| former_searched) else { return Some(Outlier::Below) };
    if worker.defers && worker.lines[0].len() == 1 {
        // Another has searched what is behind it.
        worker.lines[0] = worker.line_by_table(root[index].mv, depth);
    }
    let settled = alpha <= -WIN_BOUND || !worker.estimated;
    let proved = A::COMPLETE && (alpha >= WIN_BOUND || settled && !worker.budget.stopped);
    let bound = if proved { Bound::Exact } else { Bound::Estimate };
    best.expected.clone_from(&worker.lines[0]);
    best.score = Some(Score { value: alpha, bound });
    best.depth = depth;
    if worker.switches.ordering {
        root[..=index].rotate_right(1);
    }
    None
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    /// The value of the root's move in this place, within the window or on the right side of it;
    /// none: the budget has stopped.
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
        let reduced = if urgent { 0 } else { self.reduction(depth, index) };
        let trial = Trial { first: index == 0, reduced };
        let mark = self.mark(candidate.mv, depth);
        self.set_mark(mark);
        let value = self.try_move(candidate.mv, Place::first(depth, &A::MANNER), window, trial);
        self.clear_mark(mark);
        (!self.budget.stopped).then_some(value)
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
    let evaluator = worker.board.evaluator();
    let score = |score: Score| Score { value: evaluator.score(score.value), ..score };
    Line {
        rank: 1,
        score: best.score.map(score),
        depth: best.depth,
        nodes: worker.budget.all_nodes(),
        spent: worker.budget.spent(),
        moves,
    }
}
