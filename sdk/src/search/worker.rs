//! One searcher: negamax alpha-beta below the root, and all that it holds. What
//! is searched at the root, and for how long, is decided elsewhere.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_games::Rules;

use super::budget::Budget;
use super::far::Far;
use super::leave_out::Outside;
use super::ordering::Learnt;
use super::{MAX_PLY, Manner, Parts, Switches};
use crate::analyzer::{Analyzer, Candidate, Effort};
use crate::evaluator::{Evaluator, WIN_BOUND};
use crate::predicted::PredictedBoard;
use crate::table::{Known, Limit, Table};

/// Beyond every value.
pub(super) const INFINITY: i32 = 32_000;

/// The open values between two bounds: only they change the result.
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

/// Where in the tree a node is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Plies still to be searched.
    pub(super) depth: u32,
    /// Plies from the root.
    pub(super) ply: u32,
    /// Plies by which threats may still lengthen the way.
    pub(super) extra: u32,
}

/// Only from this depth on is it asked whether a cut is probable.
const PROBABLE_FROM: u32 = 3;

impl Place {
    /// After a move of the root.
    pub(super) fn first(depth: u32, manner: &Manner) -> Place {
        Place { depth: depth - 1, ply: 1, extra: manner.extra }
    }

    pub(super) fn below(self) -> Place {
        Place { depth: self.depth.saturating_sub(1), ply: self.ply + 1, ..self }
    }

    /// The same at the cost of what threats may lengthen.
    pub(super) fn lengthened(self) -> Place {
        Place { depth: self.depth + 1, extra: self.extra - 1, ..self }
    }
}

/// How a move is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// It is the first, with which the others are compared.
    pub(super) first: bool,
    /// By so many plies less deep, to begin with.
    pub(super) reduced: u32,
}

/// The state of one searcher; nothing in it is shared.
#[derive(Clone, Debug)]
pub(super) struct Worker<R: Rules, A, E> {
    pub(super) board: PredictedBoard<R, E>,
    pub(super) analyzer: A,
    pub(super) switches: Switches,
    pub(super) budget: Budget,
    pub(super) learnt: Learnt<R::Move>,
    pub(super) table: Table<R::Move>,
    /// The moves of the root are shared with helpers.
    pub(super) splits_root: bool,
    /// Moves that others search are left for later.
    pub(super) defers: bool,
    /// The table that instances of a team share beside their own.
    pub(super) far: Option<Far>,
    /// Some value rests on an evaluation, not on the ends of games alone.
    pub(super) estimated: bool,
    /// By ply: the best line from there.
    pub(super) lines: Vec<Vec<R::Move>>,
    /// By ply: the candidates, kept for their memory.
    pub(super) lists: Vec<Vec<Candidate<R::Move>>>,
    pub(super) moves: Vec<R::Move>,
}

impl<R: Rules, A: Analyzer<R>, E: Evaluator<R>> Worker<R, A, E> {
    pub(super) fn new(position: &R, parts: Parts<A, E, R::Move>, budget: Budget) -> Self {
        Self {
            board: PredictedBoard::new(position.clone(), parts.evaluator),
            analyzer: parts.analyzer,
            switches: Switches::ALL,
            budget,
            learnt: Learnt::new(A::MANNER),
            table: parts.table,
            splits_root: false,
            defers: false,
            far: None,
            estimated: false,
            lines: vec![Vec::new(); MAX_PLY as usize + 2],
            lists: vec![Vec::new(); MAX_PLY as usize + 1],
            moves: Vec::new(),
        }
    }

    /// Begins a search of this position, on its own until somebody says otherwise.
    pub(super) fn begin(&mut self, position: &R, switches: Switches, budget: Budget) {
        self.board.set(position);
        self.analyzer.reset(position);
        self.learnt.clear();
        self.switches = switches;
        self.far = budget.host().team().shares_table.then(|| Far::new(budget.host()));
        self.defers = false;
        self.budget = budget;
        self.splits_root = false;
    }

    /// The value of the move for the side that makes it, within the window or
    /// on the right side of it. Meaningless once the budget has stopped.
    pub(super) fn try_move(
        &mut self,
        mv: R::Move,
        place: Place,
        window: Window,
        trial: Trial,
    ) -> i32 {
        let side = self.board.side();
        self.make(mv);
        let same = self.board.side() == side;
        let window = if self.switches.alpha_beta { window } else { Window::FULL };
        let empty = Window { alpha: window.alpha, beta: window.alpha + 1 };
        let alone = trial.first || !self.switches.alpha_beta;
        let scouts = !alone && self.switches.principal_variation;
        let mut value = empty.beta;
        if !alone && trial.reduced > 0 {
            let nearer = Place { depth: place.depth.saturating_sub(trial.reduced), ..place };
            value = self.value_above(nearer, empty, same);
        }
        let worse = value <= window.alpha;
        if scouts && !worse && !self.budget.stopped {
            value = self.value_above(place, empty, same);
        }
        let open = value > window.alpha && value < window.beta;
        let compared = scouts && !(open && empty.beta < window.beta);
        if !self.budget.stopped && !worse && !compared {
            value = self.value_above(place, window, same);
        }
        self.unmake(mv);
        value
    }

    /// Makes a move on the board; an analyzer that values is told of each.
    #[inline]
    pub(super) fn make(&mut self, mv: R::Move) {
        self.board.make(mv);
        if A::VALUES {
            self.analyzer.made(self.board.position(), mv);
        }
    }

    #[inline]
    pub(super) fn unmake(&mut self, mv: R::Move) {
        if A::VALUES {
            self.analyzer.unmade(self.board.position(), mv);
        }
        self.board.unmake();
    }

    /// The provisional value for the side to move.
    #[inline]
    pub(super) fn value(&self) -> i32 {
        if A::VALUES {
            let value = self.analyzer.value(self.board.position());
            return value.clamp(1 - WIN_BOUND, WIN_BOUND - 1);
        }
        self.board.value()
    }

    /// Negates only when the side to move has changed.
    #[inline]
    pub(super) fn value_above(&mut self, place: Place, window: Window, same_side: bool) -> i32 {
        if same_side { self.node(place, window) } else { -self.node(place, window.opposite()) }
    }

    pub(super) fn node(&mut self, place: Place, window: Window) -> i32 {
        self.lines[place.ply as usize].clear();
        if let Some(outcome) = self.board.position().outcome() {
            return self.board.final_value(outcome, place.ply);
        }
        if place.ply >= MAX_PLY {
            self.estimated = true;
            return self.value();
        }
        let plies = self.board.plies() as u32;
        if let Some(value) = self.analyzer.foreseen(self.board.position(), plies) {
            self.estimated = true;
            return value.clamp(1 - WIN_BOUND, WIN_BOUND - 1);
        }
        let ends = place.depth == 0;
        let knows_threats = self.switches.extensions || self.switches.forced_wins && A::PROVES;
        let is_valued = !(knows_threats || A::NOISY && self.switches.quiescence);
        if ends && is_valued {
            self.estimated = true;
            return self.value();
        }
        let last = self.board.last().filter(|_| !A::VALUES);
        if let Some(last) = last {
            self.analyzer.made(self.board.position(), last);
        }
        let place = if self.lengthens_here(place) { place.lengthened() } else { place };
        let ends = place.depth == 0;
        let value = if ends { self.end(place, window) } else { self.look_up(place, window) };
        if let Some(last) = last {
            self.analyzer.unmade(self.board.position(), last);
        }
        value
    }

    /// Whether a threat must be answered here, and that takes no depth.
    #[inline]
    fn lengthens_here(&self, place: Place) -> bool {
        let may = A::MANNER.lengthens_threats && self.switches.extensions && place.extra > 0;
        may && self.analyzer.must_answer(self.board.position())
    }

    /// Where the depth ends: a forced win, the answers to a threat, or a value.
    fn end(&mut self, place: Place, window: Window) -> i32 {
        if let Some(value) = self.forced_value(place.ply, Effort::Glance) {
            return value;
        }
        let position = self.board.position();
        if self.switches.extensions && place.extra > 0 && self.analyzer.must_answer(position) {
            return self.look_up(Place { extra: place.extra - 1, ..place }, window);
        }
        if A::NOISY && self.switches.quiescence {
            return self.quiet(place.ply, window);
        }
        self.estimated = true;
        self.value()
    }

    /// The value of a win that the analyzer proves, if it does.
    #[inline]
    fn forced_value(&mut self, ply: u32, effort: Effort) -> Option<i32> {
        if !A::PROVES || !self.switches.forced_wins {
            return None;
        }
        let Worker { analyzer, board, budget, .. } = self;
        let forced = analyzer.forced_win(board.position(), effort, &mut || budget.take_node())?;
        // A line ends with the win's first move: the rest is looked for at the root.
        self.lines[ply as usize].push(forced.first);
        Some(WIN_SCORE - (ply + forced.plies).min(WIN_SCORE as u32 - WIN_BOUND as u32) as i32)
    }

    /// What the table knows, a forced win, or the best of the candidates.
    pub(super) fn look_up(&mut self, place: Place, window: Window) -> i32 {
        let hash = self.board.position().hash();
        let mut known = None;
        if self.switches.transposition_table {
            known = self.probe(hash, place);
            if let Some(value) = known.and_then(|known| usable(known, place.depth, window)) {
                self.estimated |= known.is_some_and(|known| known.estimated);
                return value;
            }
        }
        if place.depth > 0
            && let Some(value) = self.forced_value(place.ply, Effort::Look)
        {
            return value;
        }
        if let Some(value) = self.probable_value(place, window) {
            self.estimated = true;
            return value;
        }
        let outside = self.outside(place, window);
        if let Outside::Is(value) = outside {
            self.estimated = true;
            return value;
        }
        let hopeless = outside == Outside::MayBe;
        let estimated_elsewhere = std::mem::replace(&mut self.estimated, false);
        let (value, best) = self.best_of(place, window, hopeless, known.and_then(|it| it.best));
        if self.switches.transposition_table && !self.budget.stopped {
            let limit = match value {
                v if v <= window.alpha => Limit::Upper,
                v if v >= window.beta => Limit::Lower,
                _ => Limit::Exact,
            };
            let (depth, estimated) = (place.depth as u8, self.estimated);
            self.store(hash, place, Known { depth, limit, value, estimated, best });
        }
        self.estimated |= estimated_elsewhere;
        value
    }

    /// A bound of the window beyond which the value lies in all likelihood: a search
    /// that is less deep says so. Where a value itself is asked for, none.
    fn probable_value(&mut self, place: Place, window: Window) -> Option<i32> {
        let asks_bound = window.beta - window.alpha == 1 && self.switches.alpha_beta;
        if !self.switches.probable_cuts || !asks_bound || place.depth < PROBABLE_FROM {
            return None;
        }
        let evaluator = self.board.evaluator();
        let cut = evaluator.probable_cut(self.board.position(), place.depth)?;
        let (depth, slope) = (cut.depth.min(place.depth - 1), cut.slope.max(1));
        // What the lesser search must say of a value.
        let said = |value: i32| (value - cut.offset) * 256 / slope;
        let high = self.value() >= window.beta;
        let (bound, limit) = match high {
            true => (said(window.beta + cut.margin), window.beta),
            false => (said(window.alpha - cut.margin), window.alpha),
        };
        if bound.abs() >= WIN_BOUND {
            return None;
        }
        let lesser = match high {
            true => Window { alpha: bound - 1, beta: bound },
            false => Window { alpha: bound, beta: bound + 1 },
        };
        let value = self.look_up(Place { depth, ..place }, lesser);
        self.lines[place.ply as usize].clear();
        let sure = if high { value >= bound } else { value <= bound };
        (sure && !self.budget.stopped).then_some(limit)
    }

    /// The best line from here is this move and the best line after it.
    pub(super) fn keep_line(&mut self, mv: R::Move, ply: u32) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }
}

/// What the table knows, if that settles a node of this depth and window. What
/// rests on the ends of games alone holds for every depth.
#[inline]
pub(super) fn usable<M>(known: Known<M>, depth: u32, window: Window) -> Option<i32> {
    let settles = match known.limit {
        Limit::Exact => true,
        Limit::Lower => known.value >= window.beta,
        Limit::Upper => known.value <= window.alpha,
    };
    (settles && (u32::from(known.depth) >= depth || !known.estimated)).then_some(known.value)
}
