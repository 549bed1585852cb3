//! Move ordering by what the search has learnt: killer moves and history. Hashes moves the same way
//! on every platform.

use std::hash::{Hash, Hasher};

use super::{MAX_PLY, SearchParams};
use crate::analyzer::{Candidate, URGENT};

/// The killer moves and history scores of a search.
#[derive(Clone, Debug)]
pub(super) struct OrderingTables<M> {
    params: SearchParams,
    killers: Vec<[Option<M>; 2]>,
    history: Vec<i32>,
}

impl<M: Copy + Eq + Hash> OrderingTables<M> {
    pub(super) fn new(params: SearchParams) -> Self {
        let killers = vec![[None; 2]; MAX_PLY as usize + 1];
        Self { params, killers, history: vec![0; params.history_entries.next_power_of_two()] }
    }

    /// Clears everything, so that a search does not depend on earlier ones.
    pub(super) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    /// Rewards a move that refuted the previous one: it becomes a killer and gains history.
    #[inline]
    pub(super) fn reward(&mut self, mv: M, ply: u32, depth: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let index = self.history_index(mv);
        let entry = &mut self.history[index];
        *entry += (depth * depth) as i32;
        if *entry > self.params.history_max {
            self.history.iter_mut().for_each(|entry| *entry /= 2);
        }
    }

    /// Lowers the history of moves that were searched before the refuting one, if the parameters
    /// have a history malus.
    #[inline]
    pub(super) fn penalize(&mut self, tried: &[Candidate<M>], depth: u32) {
        if !self.params.history_malus {
            return;
        }
        for candidate in tried.iter().filter(|candidate| candidate.score < URGENT) {
            let index = self.history_index(candidate.mv);
            let entry = &mut self.history[index];
            *entry = (*entry - (depth * depth) as i32).max(-self.params.history_max);
        }
    }

    #[inline]
    fn history_index(&self, mv: M) -> usize {
        stable_hash(mv) & (self.history.len() - 1)
    }

    /// Adds killer bonuses and history to the scores of candidates that are not urgent.
    #[inline]
    pub(super) fn adjust(
        &self,
        list: &mut [Candidate<M>],
        ply: u32,
        uses_killers: bool,
        uses_history: bool,
    ) {
        let killers = if uses_killers { self.killers[ply as usize] } else { [None; 2] };
        for candidate in list.iter_mut().filter(|candidate| candidate.score < URGENT) {
            if uses_history {
                candidate.score += self.history[self.history_index(candidate.mv)];
            }
            if killers.contains(&Some(candidate.mv)) {
                candidate.score += self.params.killer_bonus;
            }
        }
    }
}

/// Moves the best candidate to the front; the others keep their order. Of equal scores the first
/// wins.
#[inline]
pub(super) fn bring_best<M: Copy>(list: &mut [Candidate<M>]) {
    let (mut best, mut score) = (0, i32::MIN);
    for (index, candidate) in list.iter().enumerate() {
        let better = candidate.score > score;
        best = if better { index } else { best };
        score = score.max(candidate.score);
    }
    if let Some(list) = list.get_mut(..=best) {
        list.rotate_right(1);
    }
}

#[inline]
fn stable_hash<M: Hash>(mv: M) -> usize {
    let mut hasher = StableHasher(0);
    mv.hash(&mut hasher);
    (hasher.0 >> 32) as usize
}

/// A hasher with the same results on every platform, which std's hashers do not promise: integers
/// of the platform's width are hashed as 64 bits.
struct StableHasher(u64);

impl StableHasher {
    #[inline]
    fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }
    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }
    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.add(value.into());
    }
    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }
    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }
    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.add(value as i64 as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scores: &[i32], expected: &[i32]) {
        // Each candidate's move is its index, to distinguish equal scores.
        let mut list: Vec<_> =
            (0..).zip(scores).map(|(mv, &score)| Candidate { mv, score }).collect();
        for from in 0..list.len() {
            bring_best(&mut list[from..]);
        }
        assert_eq!(list.iter().map(|candidate| candidate.mv).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn best_candidates_come_first_and_equal_ones_in_order() {
        check(&[], &[]);
        check(&[3, 5, 4], &[1, 2, 0]);
        check(&[1, 2, 2, 1, 2], &[1, 2, 4, 0, 3]);
    }

    #[test]
    fn hashes_do_not_depend_on_the_platform() {
        // Signed and unsigned integers of the platform's width hash as 64 bits.
        assert_eq!(stable_hash(7usize), stable_hash(7u64));
        assert_eq!(stable_hash(7isize), stable_hash(7u64));
    }

    #[test]
    fn killers_and_history_do_not_change_urgent_candidates() {
        let mut tables = OrderingTables::new(SearchParams::DEFAULT);
        tables.reward(1u16, 3, 4);
        let mut list = [Candidate { mv: 1, score: 5 }, Candidate { mv: 1, score: URGENT }];
        tables.adjust(&mut list, 3, true, true);
        assert_eq!(
            list.map(|candidate| candidate.score),
            [5 + SearchParams::DEFAULT.killer_bonus + 16, URGENT]
        );
        tables.adjust(&mut list, 2, true, false);
        assert_eq!(list[0].score, 5 + SearchParams::DEFAULT.killer_bonus + 16);
    }
}
