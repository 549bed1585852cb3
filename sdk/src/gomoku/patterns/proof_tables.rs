//! The tables of proofs: results of VCF, and proof numbers of VCT, by position. Two tables of fixed
//! size; new entries replace old ones.

use sandboard_games::gomoku::Point;

/// The result of VCF in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VcfResult {
    /// The side to move wins, with this first move and this number of plies.
    Win(Point, u16),
    /// There is no win with this many fours; `u8::MAX`: with any number.
    NoWin(u8),
}

#[derive(Clone, Copy, Debug)]
struct VcfSlot {
    hash: u64,
    result: Option<VcfResult>,
}

/// The proof numbers of a position in VCT: the least number of further positions that must be
/// proved or disproved to settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    /// To prove that the attacker wins; 0: proved.
    pub(super) proof: u32,
    /// To prove that the attacker does not win by these threats; 0: proved. For a won position: the
    /// plies to the win.
    pub(super) disproof: u32,
}

/// Stands for infinity.
pub(super) const INFINITE: u32 = 100_000_000;

impl ProofNumbers {
    pub(super) const LOST: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };

    pub(super) const fn won(plies: u32) -> ProofNumbers {
        ProofNumbers { proof: 0, disproof: plies }
    }

    #[inline]
    pub(super) fn is_won(self) -> bool {
        self.proof == 0
    }

    /// The disproof number, infinite for a won position.
    #[inline]
    pub(super) fn disproof_number(self) -> u32 {
        if self.is_won() { INFINITE } else { self.disproof }
    }
}

#[derive(Clone, Copy, Debug)]
struct VctSlot {
    hash: u64,
    numbers: ProofNumbers,
}

/// The tables of proofs.
#[derive(Clone, Debug)]
pub(super) struct ProofTables {
    vcf: Vec<VcfSlot>,
    vct: Vec<VctSlot>,
}

impl ProofTables {
    /// Tables of at most this many bytes together, but with at least two slots each.
    pub(super) fn new(bytes: usize) -> ProofTables {
        let slots = |size: usize| {
            let fitting = bytes / 2 / size;
            if fitting < 2 { 2 } else { 1usize << fitting.ilog2() }
        };
        ProofTables {
            vcf: vec![VcfSlot { hash: 0, result: None }; slots(size_of::<VcfSlot>())],
            vct: vec![
                VctSlot { hash: 0, numbers: ProofNumbers { proof: 1, disproof: 1 } };
                slots(size_of::<VctSlot>())
            ],
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.vcf.fill(VcfSlot { hash: 0, result: None });
        self.vct.fill(VctSlot { hash: 0, numbers: ProofNumbers { proof: 1, disproof: 1 } });
    }

    #[inline]
    pub(super) fn vcf_result(&self, hash: u64) -> Option<VcfResult> {
        let slot = &self.vcf[(hash >> 20) as usize & (self.vcf.len() - 1)];
        if slot.hash == hash { slot.result } else { None }
    }

    #[inline]
    pub(super) fn store_vcf(&mut self, hash: u64, result: VcfResult) {
        let index = (hash >> 20) as usize & (self.vcf.len() - 1);
        self.vcf[index] = VcfSlot { hash, result: Some(result) };
    }

    #[inline]
    pub(super) fn vct_numbers(&self, hash: u64) -> Option<ProofNumbers> {
        let pair = self.pair(hash);
        let found = self.vct[pair..pair + 2].iter().find(|slot| slot.hash == hash);
        found.map(|slot| slot.numbers)
    }

    /// Stores proof numbers, in one of two slots: that of the same position, or the one that took
    /// less work.
    #[inline]
    pub(super) fn store_vct(&mut self, hash: u64, numbers: ProofNumbers) {
        let pair = self.pair(hash);
        let pair = &mut self.vct[pair..pair + 2];
        let work = |slot: &VctSlot| {
            (slot.numbers.proof == 0 || slot.numbers.disproof == 0) as u32 * INFINITE / 2
                + slot
                    .numbers
                    .proof
                    .saturating_add(slot.numbers.disproof_number())
                    .min(INFINITE / 4)
        };
        let victim = if pair[0].hash == hash {
            0
        } else if pair[1].hash == hash {
            1
        } else {
            // The first slot keeps what took more work, the second one is always replaced.
            usize::from(work(&pair[0]) > work(&VctSlot { hash, numbers }))
        };
        pair[victim] = VctSlot { hash, numbers };
    }

    #[inline]
    fn pair(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.vct.len() - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_bytes() {
        for bytes in [0, 100, 1 << 16, (1 << 20) + 5] {
            let proofs = ProofTables::new(bytes);
            let vcf_bytes = proofs.vcf.len() * size_of::<VcfSlot>();
            let vct_bytes = proofs.vct.len() * size_of::<VctSlot>();
            assert!(vcf_bytes + vct_bytes <= bytes.max(128), "{bytes}");
        }
    }

    #[test]
    fn results_that_took_more_work_are_kept() {
        let mut proofs = ProofTables::new(0);
        let easy = ProofNumbers { proof: 1, disproof: 1 };
        proofs.store_vct(1, ProofNumbers::won(9));
        (2..20).for_each(|hash| proofs.store_vct(hash, easy));
        assert_eq!(proofs.vct_numbers(1), Some(ProofNumbers::won(9)));
        assert_eq!((proofs.vct_numbers(19), proofs.vct_numbers(18)), (Some(easy), None));
        proofs.store_vct(1, ProofNumbers::LOST);
        assert_eq!(proofs.vct_numbers(1), Some(ProofNumbers::LOST));
        proofs.clear();
        assert_eq!((proofs.vct_numbers(1), proofs.vcf_result(0)), (None, None));
    }
}
