//! What a search learns about moves on its way: killers and history. Makes no
//! move, and numbers moves the same way on every platform.

use std::hash::{Hash, Hasher};

use super::{MAX_PLY, Manner};
use crate::analyzer::{Candidate, URGENT};

/// Moves that were good elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Learnt<M> {
    manner: Manner,
    killers: Vec<[Option<M>; 2]>,
    history: Vec<i32>,
}

impl<M: Copy + Eq + Hash> Learnt<M> {
    pub(super) fn new(manner: Manner) -> Self {
        let killers = vec![[None; 2]; MAX_PLY as usize + 1];
        Self { manner, killers, history: vec![0; manner.history_entries.next_power_of_two()] }
    }

    /// Forgets everything, so that a search depends on nothing before it.
    pub(super) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    /// A move refuted the one before it.
    #[inline]
    pub(super) fn refuted(&mut self, mv: M, ply: u32, depth: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let place = self.place(mv);
        let entry = &mut self.history[place];
        *entry += (depth * depth) as i32;
        if *entry > self.manner.history_max {
            self.history.iter_mut().for_each(|entry| *entry /= 2);
        }
    }

    /// Moves were tried in vain before the one that refuted.
    #[inline]
    pub(super) fn in_vain(&mut self, tried: &[Candidate<M>], depth: u32) {
        if !self.manner.unlearns {
            return;
        }
        for candidate in tried.iter().filter(|candidate| candidate.score < URGENT) {
            let place = self.place(candidate.mv);
            let entry = &mut self.history[place];
            *entry = (*entry - (depth * depth) as i32).max(-self.manner.history_max);
        }
    }

    #[inline]
    fn place(&self, mv: M) -> usize {
        number(mv) & (self.history.len() - 1)
    }

    /// Adds what was learnt to the scores of candidates that are not urgent.
    #[inline]
    pub(super) fn adjust(
        &self,
        list: &mut [Candidate<M>],
        ply: u32,
        killers_count: bool,
        history_counts: bool,
    ) {
        let killers = if killers_count { self.killers[ply as usize] } else { [None; 2] };
        for candidate in list.iter_mut().filter(|candidate| candidate.score < URGENT) {
            if history_counts {
                candidate.score += self.history[self.place(candidate.mv)];
            }
            if killers.contains(&Some(candidate.mv)) {
                candidate.score += self.manner.killer;
            }
        }
    }
}

/// Brings the best candidate to the front; the others keep their order, and of
/// equals the first is best.
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
fn number<M: Hash>(mv: M) -> usize {
    let mut hasher = Fixed(0);
    mv.hash(&mut hasher);
    (hasher.0 >> 32) as usize
}

/// A hasher with the same results everywhere, which std's do not promise:
/// numbers of the platform's own width count as 64 bits.
struct Fixed(u64);

impl Fixed {
    #[inline]
    fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Fixed {
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
        // Moves are numbered as they come, so that equals can be told apart.
        let mut list: Vec<_> =
            (0..).zip(scores).map(|(mv, &score)| Candidate { mv, score }).collect();
        for from in 0..list.len() {
            bring_best(&mut list[from..]);
        }
        assert_eq!(list.iter().map(|candidate| candidate.mv).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_best_comes_first_and_equals_in_their_order() {
        check(&[], &[]);
        check(&[3, 5, 4], &[1, 2, 0]);
        check(&[1, 2, 2, 1, 2], &[1, 2, 4, 0, 3]);
    }

    #[test]
    fn moves_have_the_same_number_everywhere() {
        // Signed and unsigned of the platform's width alike; the figures are
        // those of a 64-bit build and must not depend on it.
        assert_eq!(number(7usize), number(7u64));
        assert_eq!(number(7isize), number(7u64));
    }

    #[test]
    fn killers_and_history_leave_urgent_candidates_alone() {
        let mut learnt = Learnt::new(Manner::USUAL);
        learnt.refuted(1u16, 3, 4);
        let mut list = [Candidate { mv: 1, score: 5 }, Candidate { mv: 1, score: URGENT }];
        learnt.adjust(&mut list, 3, true, true);
        assert_eq!(list.map(|candidate| candidate.score), [5 + Manner::USUAL.killer + 16, URGENT]);
        learnt.adjust(&mut list, 2, true, false);
        assert_eq!(list[0].score, 5 + Manner::USUAL.killer + 16);
    }
}
