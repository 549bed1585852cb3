//! What proofs remember: of positions, whether fours alone win, and how near a
//! proof by threes is. Two tables of fixed size that forget.

use sandboard_games::gomoku::Point;

/// What is known about continuous fours in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fours {
    /// They win, with this one first, after so many plies.
    Win(Point, u16),
    /// With so many of them there is no win; `u8::MAX`: with any number.
    None(u8),
}

#[derive(Clone, Copy, Debug)]
struct FourSlot {
    hash: u64,
    known: Option<Fours>,
}

/// Numbers of a position in a proof by threes: how many more positions have to
/// be proved or disproved to settle it, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// To prove that the attacker wins; 0: he does.
    pub(super) proof: u32,
    /// To prove that he does not; 0: he does not, by these threats. Of a won
    /// position: in how many plies it is over.
    pub(super) disproof: u32,
}

/// As good as infinite.
pub(super) const NEVER: u32 = 100_000_000;

impl Numbers {
    pub(super) const LOST: Numbers = Numbers { proof: NEVER, disproof: 0 };

    pub(super) const fn won(plies: u32) -> Numbers {
        Numbers { proof: 0, disproof: plies }
    }

    #[inline]
    pub(super) fn is_won(self) -> bool {
        self.proof == 0
    }

    /// The disproof number proper.
    #[inline]
    pub(super) fn against(self) -> u32 {
        if self.is_won() { NEVER } else { self.disproof }
    }
}

#[derive(Clone, Copy, Debug)]
struct ThreeSlot {
    hash: u64,
    numbers: Numbers,
}

/// The tables.
#[derive(Clone, Debug)]
pub(super) struct Proofs {
    fours: Vec<FourSlot>,
    threes: Vec<ThreeSlot>,
}

impl Proofs {
    /// Tables of at most so many bytes together.
    pub(super) fn new(bytes: usize) -> Proofs {
        let slots = |size: usize| {
            let fitting = bytes / 2 / size;
            if fitting < 2 { 2 } else { 1usize << fitting.ilog2() }
        };
        Proofs {
            fours: vec![FourSlot { hash: 0, known: None }; slots(size_of::<FourSlot>())],
            threes: vec![
                ThreeSlot { hash: 0, numbers: Numbers { proof: 1, disproof: 1 } };
                slots(size_of::<ThreeSlot>())
            ],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.fours.fill(FourSlot { hash: 0, known: None });
        self.threes.fill(ThreeSlot { hash: 0, numbers: Numbers { proof: 1, disproof: 1 } });
    }

    #[inline]
    pub(super) fn fours(&self, hash: u64) -> Option<Fours> {
        let slot = &self.fours[(hash >> 20) as usize & (self.fours.len() - 1)];
        if slot.hash == hash { slot.known } else { None }
    }

    #[inline]
    pub(super) fn keep_fours(&mut self, hash: u64, known: Fours) {
        let index = (hash >> 20) as usize & (self.fours.len() - 1);
        self.fours[index] = FourSlot { hash, known: Some(known) };
    }

    #[inline]
    pub(super) fn threes(&self, hash: u64) -> Option<Numbers> {
        let pair = self.pair(hash);
        let found = self.threes[pair..pair + 2].iter().find(|slot| slot.hash == hash);
        found.map(|slot| slot.numbers)
    }

    /// Of two places, the one with the same position, else that with less work in it.
    #[inline]
    pub(super) fn keep_threes(&mut self, hash: u64, numbers: Numbers) {
        let pair = self.pair(hash);
        let pair = &mut self.threes[pair..pair + 2];
        let settled = |slot: &ThreeSlot| {
            (slot.numbers.proof == 0 || slot.numbers.disproof == 0) as u32 * NEVER / 2
                + slot.numbers.proof.saturating_add(slot.numbers.against()).min(NEVER / 4)
        };
        let victim = if pair[0].hash == hash {
            0
        } else if pair[1].hash == hash {
            1
        } else {
            // The first keeps what took more work, the second takes what comes.
            usize::from(settled(&pair[0]) > settled(&ThreeSlot { hash, numbers }))
        };
        pair[victim] = ThreeSlot { hash, numbers };
    }

    #[inline]
    fn pair(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.threes.len() - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_into_their_bytes() {
        for bytes in [0, 100, 1 << 16, (1 << 20) + 5] {
            let proofs = Proofs::new(bytes);
            let four_bytes = proofs.fours.len() * size_of::<FourSlot>();
            let three_bytes = proofs.threes.len() * size_of::<ThreeSlot>();
            assert!(four_bytes + three_bytes <= bytes.max(128), "{bytes}");
        }
    }

    #[test]
    fn what_took_more_work_stays() {
        let mut proofs = Proofs::new(0);
        let easy = Numbers { proof: 1, disproof: 1 };
        proofs.keep_threes(1, Numbers::won(9));
        (2..20).for_each(|hash| proofs.keep_threes(hash, easy));
        assert_eq!(proofs.threes(1), Some(Numbers::won(9)));
        assert_eq!((proofs.threes(19), proofs.threes(18)), (Some(easy), None));
        proofs.keep_threes(1, Numbers::LOST);
        assert_eq!(proofs.threes(1), Some(Numbers::LOST));
        proofs.clear();
        assert_eq!((proofs.threes(1), proofs.fours(0)), (None, None));
    }
}
