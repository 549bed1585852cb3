//! One thread of a search: negamax alpha-beta below the root, with its state. The root module
//! decides which moves are searched at the root, and how deep.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::Rules;

use super::budget::Budget;
use super::move_ordering::OrderingTables;
use super::pruning::EarlyCutoff;
use super::remote_table::RemoteTable;
use super::{MAX_PLY, SearchParams, SearchParts, Switches};
use crate::analyzer::{Analyzer, Candidate, ProofEffort};
use crate::evaluator::{Evaluator, WIN_BOUND};
use crate::search_board::SearchBoard;
use crate::transposition_table::{BoundType, TableEntry, TranspositionTable};

/// Greater than every value.
pub(super) const INFINITY: i32 = 32_000;

/// The alpha-beta window: only values between the bounds change the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Window = Window { alpha: -INFINITY, beta: INFINITY };

    pub(super) fn opposite(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Where a node is in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePlace {
    /// Plies still to be searched.
    pub(super) depth: u32,
    /// Plies from the root.
    pub(super) ply: u32,
    /// Plies by which threats may still extend this line.
    pub(super) extension_plies: u32,
}

/// The smallest depth for ProbCut.
const PROB_CUT_DEPTH_MIN: u32 = 3;

impl NodePlace {
    /// The node after a root move.
    pub(super) fn after_root_move(depth: u32, params: &SearchParams) -> NodePlace {
        NodePlace { depth: depth - 1, ply: 1, extension_plies: params.extension_plies_max }
    }

    pub(super) fn child(self) -> NodePlace {
        NodePlace { depth: self.depth.saturating_sub(1), ply: self.ply + 1, ..self }
    }

    /// The same node with one more ply of depth, taken from the extension plies.
    pub(super) fn extended(self) -> NodePlace {
        NodePlace { depth: self.depth + 1, extension_plies: self.extension_plies - 1, ..self }
    }
}

/// How a move is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveTrial {
    /// Whether it is the first move, which is searched with the full window.
    pub(super) first: bool,
    /// Plies by which the first search of the move is shallower.
    pub(super) reduction: u32,
}

/// The state of one search thread; only the table is shared with others.
#[derive(Clone, Debug)]
pub(super) struct SearchThread<R: Rules, A, E> {
    pub(super) board: SearchBoard<R, E>,
    pub(super) analyzer: A,
    pub(super) switches: Switches,
    pub(super) budget: Budget,
    pub(super) ordering_tables: OrderingTables<R::Move>,
    pub(super) table: TranspositionTable<R::Move>,
    /// Whether the root's moves are divided among helpers.
    pub(super) splits_root: bool,
    /// Whether moves that other threads are searching are deferred.
    pub(super) defers_moves: bool,
    /// The table that the instances of a team share, beside their own ones.
    pub(super) remote_table: Option<RemoteTable>,
    /// Whether some value depends on an evaluation, and not on the ends of games alone.
    pub(super) estimated: bool,
    /// The principal variation from each ply on.
    pub(super) pv_lines: Vec<Vec<R::Move>>,
    /// The lists of candidates by ply, kept to reuse their memory.
    pub(super) candidate_lists: Vec<Vec<Candidate<R::Move>>>,
    pub(super) moves: Vec<R::Move>,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> SearchThread<R, A, E> {
    pub(super) fn new(position: &R, parts: SearchParts<A, E, R::Move>, budget: Budget) -> Self {
        Self {
            board: SearchBoard::new(position.clone(), parts.evaluator),
            analyzer: parts.analyzer,
            switches: Switches::ALL,
            budget,
            ordering_tables: OrderingTables::new(A::PARAMS),
            table: parts.table,
            splits_root: false,
            defers_moves: false,
            remote_table: None,
            estimated: false,
            pv_lines: vec![Vec::new(); MAX_PLY as usize + 2],
            candidate_lists: vec![Vec::new(); MAX_PLY as usize + 1],
            moves: Vec::new(),
        }
    }

    /// Begins a search of this position, alone until the caller sets it up for a team.
    pub(super) fn begin(&mut self, position: &R, switches: Switches, budget: Budget) {
        self.board.set(position);
        self.analyzer.reset(position);
        self.ordering_tables.clear();
        self.switches = switches;
        let host = budget.host();
        self.remote_table = host.team().shares_table.then(|| RemoteTable::new(host));
        self.defers_moves = false;
        self.budget = budget;
        self.splits_root = false;
    }

    /// The value of the move for the side that makes it: exact within the window, a bound outside
    /// it. Meaningless once the budget has stopped.
    pub(super) fn try_move(
        &mut self,
        mv: R::Move,
        place: NodePlace,
        window: Window,
        trial: MoveTrial,
    ) -> i32 {
        let side = self.board.side();
        self.make(mv);
        let same_side = self.board.side() == side;
        let window = if self.switches.alpha_beta { window } else { Window::FULL };
        let null_window = Window { alpha: window.alpha, beta: window.alpha + 1 };
        let full_only = trial.first || !self.switches.alpha_beta;
        let scouts = !full_only && self.switches.principal_variation_search;
        let mut value = null_window.beta;
        if !full_only && trial.reduction > 0 {
            let reduced = NodePlace { depth: place.depth.saturating_sub(trial.reduction), ..place };
            value = self.child_value(reduced, null_window, same_side);
        }
        let fails_low = value <= window.alpha;
        if scouts && !fails_low && !self.budget.stopped {
            value = self.child_value(place, null_window, same_side);
        }
        let inside = value > window.alpha && value < window.beta;
        let scout_suffices = scouts && !(inside && null_window.beta < window.beta);
        if !self.budget.stopped && !fails_low && !scout_suffices {
            value = self.child_value(place, window, same_side);
        }
        self.unmake(mv);
        value
    }

    /// Makes a move on the board; an analyzer that evaluates follows each one.
    #[inline]
    pub(super) fn make(&mut self, mv: R::Move) {
        self.board.make(mv);
        if A::EVALUATES {
            self.analyzer.made(self.board.position(), mv);
        }
    }

    #[inline]
    pub(super) fn unmake(&mut self, mv: R::Move) {
        if A::EVALUATES {
            self.analyzer.unmade(self.board.position(), mv);
        }
        self.board.unmake();
    }

    /// The static value for the side to move.
    #[inline]
    pub(super) fn static_value(&self) -> i32 {
        if A::EVALUATES {
            let value = self.analyzer.value(self.board.position());
            return value.clamp(1 - WIN_BOUND, WIN_BOUND - 1);
        }
        self.board.value()
    }

    /// The value of the current node for the side that moved before it. `same_side`: that side
    /// moves again, so that nothing is negated.
    #[inline]
    pub(super) fn child_value(&mut self, place: NodePlace, window: Window, same_side: bool) -> i32 {
        if same_side {
            self.node_value(place, window)
        } else {
            -self.node_value(place, window.opposite())
        }
    }

    pub(super) fn node_value(&mut self, place: NodePlace, window: Window) -> i32 {
        self.pv_lines[place.ply as usize].clear();
        if let Some(outcome) = self.board.position().outcome() {
            return self.board.final_value(outcome, place.ply);
        }
        if place.ply >= MAX_PLY {
            self.estimated = true;
            return self.static_value();
        }
        let plies = self.board.plies() as u32;
        if let Some(value) = self.analyzer.repetition_value(self.board.position(), plies) {
            self.estimated = true;
            return value.clamp(1 - WIN_BOUND, WIN_BOUND - 1);
        }
        let is_leaf = place.depth == 0;
        let sees_threats =
            self.switches.threat_extensions || self.switches.forced_wins && A::PROVES_WINS;
        let is_static = !(sees_threats || A::LISTS_NOISY_MOVES && self.switches.quiescence);
        if is_leaf && is_static {
            self.estimated = true;
            return self.static_value();
        }
        let last = self.board.last_move().filter(|_| !A::EVALUATES);
        if let Some(last) = last {
            self.analyzer.made(self.board.position(), last);
        }
        let place = if self.extends_threat(place) { place.extended() } else { place };
        let is_leaf = place.depth == 0;
        let value =
            if is_leaf { self.leaf_value(place, window) } else { self.inner_value(place, window) };
        if let Some(last) = last {
            self.analyzer.unmade(self.board.position(), last);
        }
        value
    }

    /// Whether a threat must be answered here, and the parameters extend for every threat.
    #[inline]
    fn extends_threat(&self, place: NodePlace) -> bool {
        let may_extend = A::PARAMS.extends_all_threats
            && self.switches.threat_extensions
            && place.extension_plies > 0;
        may_extend && self.analyzer.must_answer(self.board.position())
    }

    /// The value where the depth ends: a forced win, the answers to a threat, quiescence search, or
    /// the static value.
    fn leaf_value(&mut self, place: NodePlace, window: Window) -> i32 {
        if let Some(value) = self.forced_win_value(place.ply, ProofEffort::Leaf) {
            return value;
        }
        let position = self.board.position();
        if self.switches.threat_extensions
            && place.extension_plies > 0
            && self.analyzer.must_answer(position)
        {
            let place = NodePlace { extension_plies: place.extension_plies - 1, ..place };
            return self.inner_value(place, window);
        }
        if A::LISTS_NOISY_MOVES && self.switches.quiescence {
            return self.quiescence_value(place.ply, window);
        }
        self.estimated = true;
        self.static_value()
    }

    /// The value of a win that the analyzer proves, if it finds one.
    #[inline]
    fn forced_win_value(&mut self, ply: u32, effort: ProofEffort) -> Option<i32> {
        if !A::PROVES_WINS || !self.switches.forced_wins {
            return None;
        }
        let SearchThread { analyzer, board, budget, .. } = self;
        let forced = analyzer.forced_win(board.position(), effort, &mut || budget.take_node())?;
        // The line ends with the first move of the win; only the root looks for the rest.
        self.pv_lines[ply as usize].push(forced.first);
        Some(WIN_SCORE - (ply + forced.plies).min(WIN_SCORE as u32 - WIN_BOUND as u32) as i32)
    }

    /// The value from the transposition table, of a forced win, of a pruned node, or of the best
    /// candidate.
    pub(super) fn inner_value(&mut self, place: NodePlace, window: Window) -> i32 {
        let hash = self.board.position().hash();
        let mut entry = None;
        if self.switches.transposition_table {
            entry = self.probe(hash, place);
            if let Some(value) = entry.and_then(|entry| usable_value(entry, place.depth, window)) {
                self.estimated |= entry.is_some_and(|entry| entry.estimated);
                return value;
            }
        }
        if place.depth > 0
            && let Some(value) = self.forced_win_value(place.ply, ProofEffort::Inner)
        {
            return value;
        }
        if let Some(value) = self.prob_cut_value(place, window) {
            self.estimated = true;
            return value;
        }
        let cutoff = self.early_cutoff(place, window);
        if let EarlyCutoff::Value(value) = cutoff {
            self.estimated = true;
            return value;
        }
        let prunes_quiet = cutoff == EarlyCutoff::QuietMovesFailLow;
        let estimated_before = std::mem::replace(&mut self.estimated, false);
        let best_known = entry.and_then(|entry| entry.best);
        let (value, best) = self.best_candidate(place, window, prunes_quiet, best_known);
        if self.switches.transposition_table && !self.budget.stopped {
            let bound = match value {
                v if v <= window.alpha => BoundType::Upper,
                v if v >= window.beta => BoundType::Lower,
                _ => BoundType::Exact,
            };
            let (depth, estimated) = (place.depth as u8, self.estimated);
            self.store(hash, place, TableEntry { depth, bound, value, estimated, best });
        }
        self.estimated |= estimated_before;
        value
    }

    /// ProbCut: a bound of the window that the value very likely fails, as a shallow search shows.
    /// `None` if the window is not a null window.
    fn prob_cut_value(&mut self, place: NodePlace, window: Window) -> Option<i32> {
        let is_null_window = window.beta - window.alpha == 1 && self.switches.alpha_beta;
        if !self.switches.prob_cut || !is_null_window || place.depth < PROB_CUT_DEPTH_MIN {
            return None;
        }
        let evaluator = self.board.evaluator();
        let cut = evaluator.prob_cut(self.board.position(), place.depth)?;
        let (depth, slope) = (cut.depth.min(place.depth - 1), cut.slope.max(1));
        // The value of the shallow search that predicts this one.
        let shallow = |value: i32| (value - cut.offset) * 256 / slope;
        let high = self.static_value() >= window.beta;
        let (bound, value_if_cut) = match high {
            true => (shallow(window.beta + cut.margin), window.beta),
            false => (shallow(window.alpha - cut.margin), window.alpha),
        };
        if bound.abs() >= WIN_BOUND {
            return None;
        }
        let shallow_window = match high {
            true => Window { alpha: bound - 1, beta: bound },
            false => Window { alpha: bound, beta: bound + 1 },
        };
        let value = self.inner_value(NodePlace { depth, ..place }, shallow_window);
        self.pv_lines[place.ply as usize].clear();
        let cuts = if high { value >= bound } else { value <= bound };
        (cuts && !self.budget.stopped).then_some(value_if_cut)
    }

    /// Sets the principal variation from here: this move and the line after it.
    pub(super) fn keep_line(&mut self, mv: R::Move, ply: u32) {
        let (above, below) = self.pv_lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }
}

/// The value of a table entry, if it settles a node of this depth and window. An entry that is not
/// estimated holds for every depth.
#[inline]
pub(super) fn usable_value<M>(entry: TableEntry<M>, depth: u32, window: Window) -> Option<i32> {
    let settles = match entry.bound {
        BoundType::Exact => true,
        BoundType::Lower => entry.value >= window.beta,
        BoundType::Upper => entry.value <= window.alpha,
    };
    (settles && (u32::from(entry.depth) >= depth || !entry.estimated)).then_some(entry.value)
}
