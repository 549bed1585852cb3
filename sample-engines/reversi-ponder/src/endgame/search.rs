//! The proof that a score is, or is not, above a bound: a search by zero windows
//! over the table, down to the last four squares. Knows nothing of time but
//! whether it is to stop.

use std::sync::Arc;

use sandboard_sdk::games::reversi::bits::moves;

use super::last::{ended, four};
use super::order::{Ahead, Children, Guess, MOST_MOVES, by_guess, by_mobility};
use super::squares::{OF_QUADRANTS, QUADRANT, odd_quadrants};
use super::stable::Stable;
use super::table::{Key, Known, NO_MOVE, Table};
use super::team::{SPLIT_FROM, Split, Team};

/// From so many empty squares on positions are kept in the table.
const TABLE_FROM: u32 = 9;
/// From so many on it is asked what it knows of the positions a move leads to.
const CHILDREN_FROM: u32 = 11;
/// From so many on moves are ordered by the replies they leave; below, by parity alone.
const MOBILITY_FROM: u32 = 7;
/// From so many on moves are ordered by guesses.
const GUESS_FROM: u32 = 13;

/// The search was told to stop: nothing that was under way counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// What searchers share.
pub(super) struct Parts<'a, G> {
    pub(super) table: &'a Table,
    pub(super) stable: &'a Stable,
    pub(super) guess: &'a G,
}

impl<G> Clone for Parts<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Parts<'_, G> {}

/// One searcher: the shared parts, and what is its own.
pub(super) struct Searcher<'a, G> {
    pub(super) table: &'a Table,
    stable: &'a Stable,
    guess: &'a G,
    pub(super) nodes: u64,
    /// Asked whether to stop at the node with this count.
    ask_at: u64,
    pub(super) stop: &'a mut dyn FnMut() -> bool,
    /// Who may help, if anybody, and what this is part of.
    pub(super) team: Option<&'a Team>,
    pub(super) split: Option<Arc<Split>>,
}

/// Between two questions whether to stop.
pub(super) const ASK_NODES: u64 = 20_000;
/// In a team, where what others find may make a search void at any time.
pub(super) const ASK_TEAM_NODES: u64 = 2_000;

impl<'a, G: Guess> Searcher<'a, G> {
    pub(super) fn new(parts: Parts<'a, G>, stop: &'a mut dyn FnMut() -> bool) -> Self {
        let Parts { table, stable, guess } = parts;
        Self { table, stable, guess, nodes: 0, ask_at: 0, stop, team: None, split: None }
    }

    /// A bound of the score: at most it if it is not above `alpha`, at least it if it is.
    pub(super) fn prove(&mut self, own: u64, opponent: u64, alpha: i32) -> Result<i32, Stopped> {
        let empty = !(own | opponent);
        self.above(own, opponent, alpha, empty.count_ones(), moves(own, opponent))
    }

    /// As [`Searcher::prove`], with what the caller knows.
    pub(super) fn above(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        legal: u64,
    ) -> Result<i32, Stopped> {
        if empties < TABLE_FROM {
            let odd = odd_quadrants(!(own | opponent));
            return Ok(self.near_end(own, opponent, alpha, empties, odd));
        }
        if self.nodes >= self.ask_at {
            self.ask()?;
        }
        if legal == 0 {
            let replies = moves(opponent, own);
            if replies == 0 {
                self.nodes += 1;
                return Ok(ended(own, opponent));
            }
            return Ok(-self.above(opponent, own, -alpha - 1, empties, replies)?);
        }
        self.nodes += 1;
        if let Some(bound) = self.unstable(own, opponent, alpha, empties) {
            return Ok(bound);
        }
        let key = Key::of(own, opponent);
        let known = self.table.get(key).unwrap_or(Known::NOTHING);
        if i32::from(known.lower) > alpha {
            return Ok(known.lower.into());
        }
        if i32::from(known.upper) <= alpha {
            return Ok(known.upper.into());
        }
        let mut children = Children::<MOST_MOVES>::of(own, opponent, legal);
        if empties >= CHILDREN_FROM
            && let Some(bound) = self.known_children(&mut children, alpha)
        {
            return Ok(bound);
        }
        self.rank(&mut children, own, opponent, empties, known.moves);
        let before = self.nodes;
        let (mut best, mut best_move) = (-65, NO_MOVE);
        for at in 0..children.all().len() {
            if let Some(team) = self.team_for(at, empties) {
                let rest = (at..children.all().len()).map(|at| children.next(at)).collect();
                (best, best_move) = self.share(team, rest, alpha, empties, (best, best_move))?;
                break;
            }
            let child = children.next(at);
            if empties > TABLE_FROM {
                self.table.fetch(Key::of(child.own, child.opponent));
            }
            let replies = moves(child.own, child.opponent);
            let score = -self.above(child.own, child.opponent, -alpha - 1, empties - 1, replies)?;
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

    /// Those who may take the moves from `at` on.
    #[inline]
    fn team_for(&self, at: usize, empties: u32) -> Option<&'a Team> {
        self.team.filter(|team| at > 0 && empties >= SPLIT_FROM && team.has_idle())
    }

    /// Asks whether to go on.
    #[cold]
    fn ask(&mut self) -> Result<(), Stopped> {
        let every = if self.team.is_some() { ASK_TEAM_NODES } else { ASK_NODES };
        self.ask_at = self.nodes + every;
        let stop = (self.stop)();
        if let Some(team) = self.team.filter(|_| stop) {
            team.stop();
        }
        let stopped = stop || self.team.is_some_and(Team::is_stopped);
        let void = self.split.as_ref().is_some_and(|split| split.is_void());
        if stopped || void { Err(Stopped) } else { Ok(()) }
    }

    /// An upper bound that the opponent's stable discs give, if it is not above `alpha`.
    #[inline(always)]
    fn unstable(&self, own: u64, opponent: u64, alpha: i32, empties: u32) -> Option<i32> {
        /// Below it the opponent would need more stable discs than positions mostly have.
        const FROM: [i32; 64] = stability_from();
        if alpha < FROM[empties as usize % 64] {
            return None;
        }
        let bound = 64 - 2 * self.stable.of(opponent, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// Whether a move that wins all, or a child in the table, settles it ("enhanced
    /// transposition cut-off": Plaat, Schaeffer, Pijls and de Bruin, 1996).
    #[inline]
    fn known_children(&self, children: &mut Children, alpha: i32) -> Option<i32> {
        let mut keys = [Key::default(); MOST_MOVES];
        for (child, key) in children.all().iter().zip(&mut keys) {
            if child.own == 0 {
                return Some(64);
            }
            *key = Key::of(child.own, child.opponent);
            self.table.fetch(*key);
        }
        for (child, key) in children.all().iter_mut().zip(keys) {
            if let Some(known) = self.table.get(key) {
                let at_least = -i32::from(known.upper);
                if at_least > alpha {
                    return Some(at_least);
                }
                // Proved too low: last.
                if -i32::from(known.lower) <= alpha {
                    child.rank -= 1 << 20;
                }
            }
        }
        None
    }

    fn rank(&self, children: &mut Children, own: u64, opponent: u64, empties: u32, first: [u8; 2]) {
        let odd = odd_quadrants(!(own | opponent));
        if empties < GUESS_FROM {
            for child in children.all() {
                child.rank += by_mobility(child, odd);
            }
        } else {
            let ahead = Ahead::new(self.guess, own, opponent);
            let depth = (empties - GUESS_FROM) / 4;
            for child in children.all() {
                child.rank += by_guess(child, odd, depth, &ahead, self.stable);
            }
        }
        for child in children.all() {
            for (square, bonus) in first.into_iter().zip([1 << 24, 1 << 23]) {
                child.rank += if child.square == square { bonus } else { 0 };
            }
        }
    }

    /// Without the table; `odd` is the set of quadrants with an odd number of empty squares.
    fn near_end(&mut self, own: u64, opponent: u64, alpha: i32, empties: u32, odd: u8) -> i32 {
        if empties <= 4 {
            return self.last(own, opponent, alpha, empties, odd);
        }
        self.nodes += 1;
        if let Some(bound) = self.unstable(own, opponent, alpha, empties) {
            return bound;
        }
        let legal = moves(own, opponent);
        if legal == 0 {
            if moves(opponent, own) == 0 {
                return ended(own, opponent);
            }
            self.nodes -= 1;
            return -self.near_end(opponent, own, -alpha - 1, empties, odd);
        }
        if empties < MOBILITY_FROM {
            self.by_parity(own, opponent, alpha, empties, odd, legal)
        } else {
            self.fastest_first(own, opponent, alpha, empties, odd, legal)
        }
    }

    #[inline(always)]
    fn by_parity(
        &mut self,
        own: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        odd: u8,
        legal: u64,
    ) -> i32 {
        let first = OF_QUADRANTS[odd as usize % 16];
        let mut best = -65;
        for mut group in [legal & first, legal & !first] {
            while group != 0 {
                let square = group.trailing_zeros();
                group &= group - 1;
                let flipped = sandboard_sdk::games::reversi::bits::flips(square, own, opponent);
                let odd = odd ^ QUADRANT[square as usize % 64];
                let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
                best = best.max(-self.near_end(next, then, -alpha - 1, empties - 1, odd));
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn fastest_first(
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
            child.rank = by_mobility(child, odd);
        }
        let mut best = -65;
        for at in 0..children.all().len() {
            let child = children.next(at);
            let odd = odd ^ QUADRANT[child.square as usize % 64];
            best =
                best.max(-self.near_end(child.own, child.opponent, -alpha - 1, empties - 1, odd));
            if best > alpha {
                break;
            }
        }
        best
    }

    /// At most four empty squares.
    fn last(&mut self, own: u64, opponent: u64, alpha: i32, empties: u32, odd: u8) -> i32 {
        use super::last::{one, three, two};
        let empty = !(own | opponent);
        let a = empty.trailing_zeros();
        let rest = empty & empty.wrapping_sub(1);
        let b = rest.trailing_zeros();
        let c = (rest & rest.wrapping_sub(1)).trailing_zeros();
        match empties {
            4 => four(&mut self.nodes, own, opponent, alpha, odd),
            3 => three(&mut self.nodes, own, opponent, alpha, [a, b, c]),
            2 => two(&mut self.nodes, own, opponent, alpha, [a, b]),
            1 => one(&mut self.nodes, own, a),
            _ => {
                self.nodes += 1;
                ended(own, opponent)
            }
        }
    }
}

/// With few empty squares most discs are stable or nearly so.
const fn stability_from() -> [i32; 64] {
    let mut from = [65; 64];
    let mut empties = 0;
    while empties < 64 {
        from[empties] = if empties < 5 { 65 } else { -12 + 3 * empties as i32 };
        empties += 1;
    }
    from
}
