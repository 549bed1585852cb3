//! The proof that a score is above a bound, or is not: a null window search with the table, down to
//! the last four squares. Reads no clock; it calls `stop`.

use std::sync::Arc;

use sandboard_sdk::games::reversi::bits::moves;

use super::last_squares::{final_score, four_empty};
use super::move_ordering::{
    Children, LookAhead, MOVES_MAX, OrderingEvaluator, rank_by_evaluation, rank_by_mobility,
};
use super::squares::{QUADRANT, QUADRANT_SQUARES, odd_quadrants};
use super::stability::StabilityTable;
use super::table::{Key, NO_MOVE, ProvedEntry, Table};
use super::team::{SPLIT_EMPTIES_MIN, SplitPoint, Team};

/// The fewest empty squares of positions in the table.
const TABLE_EMPTIES_MIN: u32 = 9;
/// The fewest empty squares for probing the table for all children (enhanced transposition cutoff).
const ETC_EMPTIES_MIN: u32 = 11;
/// The fewest empty squares for ordering moves by mobility; below, only by parity.
const MOBILITY_EMPTIES_MIN: u32 = 7;
/// The fewest empty squares for ordering moves by evaluation.
const EVALUATION_EMPTIES_MIN: u32 = 13;

/// The search was stopped; results of unfinished nodes do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchStopped;

/// The parts that searchers share.
pub(super) struct SharedParts<'a, G> {
    pub(super) table: &'a Table,
    pub(super) stability: &'a StabilityTable,
    pub(super) evaluator: &'a G,
}

impl<G> Clone for SharedParts<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for SharedParts<'_, G> {}

/// One searcher: the shared parts and its own state.
pub(super) struct Searcher<'a, G> {
    pub(super) table: &'a Table,
    stability: &'a StabilityTable,
    evaluator: &'a G,
    pub(super) nodes: u64,
    /// The node count of the next call of `stop`.
    next_stop_check: u64,
    pub(super) stop: &'a mut dyn FnMut() -> bool,
    /// The team of a search with several threads.
    pub(super) team: Option<&'a Team>,
    /// The split point that this searcher works on.
    pub(super) split: Option<Arc<SplitPoint>>,
}

/// The nodes between two calls of `stop`.
pub(super) const STOP_CHECK_NODES: u64 = 20_000;
/// The same in a team, whose other members may make a search useless at any time.
pub(super) const STOP_CHECK_TEAM_NODES: u64 = 2_000;

impl<'a, G: OrderingEvaluator> Searcher<'a, G> {
    pub(super) fn new(parts: SharedParts<'a, G>, stop: &'a mut dyn FnMut() -> bool) -> Self {
        let SharedParts { table, stability, evaluator } = parts;
        let (nodes, next_stop_check) = (0, 0);
        Self { table, stability, evaluator, nodes, next_stop_check, stop, team: None, split: None }
    }

    /// A bound of the score: an upper one if it is at most `alpha`, otherwise a lower one.
    pub(super) fn prove(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
    ) -> Result<i32, SearchStopped> {
        let empty = !(own | opponent);
        self.prove_with(own, opponent, alpha, empty.count_ones(), moves(own, opponent))
    }

    /// Like [`Searcher::prove`], with the number of empty squares and the legal moves.
    pub(super) fn prove_with(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        legal: u64,
    ) -> Result<i32, SearchStopped> {
        if empties < TABLE_EMPTIES_MIN {
            let odd = odd_quadrants(!(own | opponent));
            return Ok(self.prove_near_end(own, opponent, alpha, empties, odd));
        }
        if self.nodes >= self.next_stop_check {
            self.check_stop()?;
        }
        if legal == 0 {
            let replies = moves(opponent, own);
            if replies == 0 {
                self.nodes += 1;
                return Ok(final_score(own, opponent));
            }
            return Ok(-self.prove_with(opponent, own, -alpha - 1, empties, replies)?);
        }
        self.nodes += 1;
        if let Some(bound) = self.stability_cutoff(own, opponent, alpha, empties) {
            return Ok(bound);
        }
        let key = Key::of(own, opponent);
        let entry = self.table.get(key).unwrap_or(ProvedEntry::UNKNOWN);
        if i32::from(entry.lower) > alpha {
            return Ok(entry.lower.into());
        }
        if i32::from(entry.upper) <= alpha {
            return Ok(entry.upper.into());
        }
        let mut children = Children::<MOVES_MAX>::of(own, opponent, legal);
        if empties >= ETC_EMPTIES_MIN
            && let Some(bound) = self.transposition_cutoff(&mut children, alpha)
        {
            return Ok(bound);
        }
        self.rank(&mut children, own, opponent, empties, entry.moves);
        let before = self.nodes;
        let (mut best, mut best_move) = (-65, NO_MOVE);
        for at in 0..children.all().len() {
            if let Some(team) = self.team_for(at, empties) {
                let rest = (at..children.all().len()).map(|at| children.next(at)).collect();
                (best, best_move) =
                    self.search_split(team, rest, alpha, empties, (best, best_move))?;
                break;
            }
            let child = children.next(at);
            if empties > TABLE_EMPTIES_MIN {
                self.table.prefetch(Key::of(child.own, child.opponent));
            }
            let replies = moves(child.own, child.opponent);
            let score =
                -self.prove_with(child.own, child.opponent, -alpha - 1, empties - 1, replies)?;
            if score > best {
                (best, best_move) = (score, child.square);
                if best > alpha {
                    break;
                }
            }
        }
        let cost = (self.nodes - before).max(1).ilog2() as u8;
        self.table.put(key, alpha, alpha + 1, best, best_move, cost);
        Ok(best)
    }

    /// The team, if it may take the moves from index `at` on.
    #[inline]
    fn team_for(&self, at: usize, empties: u32) -> Option<&'a Team> {
        self.team.filter(|team| at > 0 && empties >= SPLIT_EMPTIES_MIN && team.has_idle())
    }

    /// Calls `stop`, and checks whether the team has stopped or no longer needs this search.
    #[cold]
    fn check_stop(&mut self) -> Result<(), SearchStopped> {
        let interval = if self.team.is_some() { STOP_CHECK_TEAM_NODES } else { STOP_CHECK_NODES };
        self.next_stop_check = self.nodes + interval;
        let stop = (self.stop)();
        if let Some(team) = self.team.filter(|_| stop) {
            team.stop();
        }
        let stopped = stop || self.team.is_some_and(Team::is_stopped);
        let useless = self.split.as_ref().is_some_and(|split| split.is_useless());
        if stopped || useless { Err(SearchStopped) } else { Ok(()) }
    }

    /// An upper bound by the opponent's stable discs, if it is at most `alpha`.
    #[inline(always)]
    fn stability_cutoff(&self, own: u64, opponent: u64, alpha: i32, empties: u32) -> Option<i32> {
        /// Below this alpha, the opponent would need more stable discs than most positions have.
        const ALPHA_MIN: [i32; 64] = stability_alpha_min();
        if alpha < ALPHA_MIN[empties as usize % 64] {
            return None;
        }
        let bound = 64 - 2 * self.stability.stable_discs(opponent, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// A lower bound above `alpha` by a move that takes all discs, or by a child in the table
    /// ("enhanced transposition cut-off": Plaat, Schaeffer, Pijls and de Bruin, 1996).
    #[inline]
    fn transposition_cutoff(&self, children: &mut Children, alpha: i32) -> Option<i32> {
        let mut keys = [Key::default(); MOVES_MAX];
        for (child, key) in children.all().iter().zip(&mut keys) {
            if child.own == 0 {
                return Some(64);
            }
            *key = Key::of(child.own, child.opponent);
            self.table.prefetch(*key);
        }
        for (child, key) in children.all().iter_mut().zip(keys) {
            if let Some(entry) = self.table.get(key) {
                let lower = -i32::from(entry.upper);
                if lower > alpha {
                    return Some(lower);
                }
                // Moves that are proved too low come last.
                if -i32::from(entry.lower) <= alpha {
                    child.rank -= 1 << 20;
                }
            }
        }
        None
    }

    fn rank(&self, children: &mut Children, own: u64, opponent: u64, empties: u32, first: [u8; 2]) {
        let odd = odd_quadrants(!(own | opponent));
        if empties < EVALUATION_EMPTIES_MIN {
            for child in children.all() {
                child.rank += rank_by_mobility(child, odd);
            }
        } else {
            let look_ahead = LookAhead::new(self.evaluator, own, opponent);
            let depth = (empties - EVALUATION_EMPTIES_MIN) / 4;
            for child in children.all() {
                child.rank += rank_by_evaluation(child, odd, depth, &look_ahead, self.stability);
            }
        }
        for child in children.all() {
            for (square, bonus) in first.into_iter().zip([1 << 24, 1 << 23]) {
                child.rank += if child.square == square { bonus } else { 0 };
            }
        }
    }

    /// The proof without the table; `odd` is the set of quadrants with an odd number of empty
    /// squares.
    fn prove_near_end(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        odd: u8,
    ) -> i32 {
        if empties <= 4 {
            return self.prove_last_squares(own, opponent, alpha, empties, odd);
        }
        self.nodes += 1;
        if let Some(bound) = self.stability_cutoff(own, opponent, alpha, empties) {
            return bound;
        }
        let legal = moves(own, opponent);
        if legal == 0 {
            if moves(opponent, own) == 0 {
                return final_score(own, opponent);
            }
            self.nodes -= 1;
            return -self.prove_near_end(opponent, own, -alpha - 1, empties, odd);
        }
        if empties < MOBILITY_EMPTIES_MIN {
            self.search_by_parity(own, opponent, alpha, empties, odd, legal)
        } else {
            self.search_by_mobility(own, opponent, alpha, empties, odd, legal)
        }
    }

    #[inline(always)]
    fn search_by_parity(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        odd: u8,
        legal: u64,
    ) -> i32 {
        let first = QUADRANT_SQUARES[odd as usize % 16];
        let mut best = -65;
        for mut group in [legal & first, legal & !first] {
            while group != 0 {
                let square = group.trailing_zeros();
                group &= group - 1;
                let flipped = sandboard_sdk::games::reversi::bits::flips(square, own, opponent);
                let odd = odd ^ QUADRANT[square as usize % 64];
                let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
                best = best.max(-self.prove_near_end(next, then, -alpha - 1, empties - 1, odd));
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn search_by_mobility(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        odd: u8,
        legal: u64,
    ) -> i32 {
        let mut children = Children::<8>::of(own, opponent, legal);
        for child in children.all() {
            child.rank = rank_by_mobility(child, odd);
        }
        let mut best = -65;
        for at in 0..children.all().len() {
            let child = children.next(at);
            let odd = odd ^ QUADRANT[child.square as usize % 64];
            best = best.max(-self.prove_near_end(
                child.own,
                child.opponent,
                -alpha - 1,
                empties - 1,
                odd,
            ));
            if best > alpha {
                break;
            }
        }
        best
    }

    /// The proof with at most four empty squares.
    fn prove_last_squares(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        odd: u8,
    ) -> i32 {
        use super::last_squares::{one_empty, three_empty, two_empty};
        let empty = !(own | opponent);
        let a = empty.trailing_zeros();
        let rest = empty & empty.wrapping_sub(1);
        let b = rest.trailing_zeros();
        let c = (rest & rest.wrapping_sub(1)).trailing_zeros();
        match empties {
            4 => four_empty(&mut self.nodes, own, opponent, alpha, odd),
            3 => three_empty(&mut self.nodes, own, opponent, alpha, [a, b, c]),
            2 => two_empty(&mut self.nodes, own, opponent, alpha, [a, b]),
            1 => one_empty(&mut self.nodes, own, a),
            _ => {
                self.nodes += 1;
                final_score(own, opponent)
            }
        }
    }
}

/// The least alpha for a stability cutoff, by number of empty squares: with few of them, most discs
/// are stable.
const fn stability_alpha_min() -> [i32; 64] {
    let mut alpha_min = [65; 64];
    let mut empties = 0;
    while empties < 64 {
        alpha_min[empties] = if empties < 5 { 65 } else { -12 + 3 * empties as i32 };
        empties += 1;
    }
    alpha_min
}
