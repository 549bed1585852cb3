//! The statistics of ProbCut: how a shallow search predicts a deeper one (M. Buro, "ProbCut: An
//! Effective Selective Extension of the Alpha-Beta Algorithm", 1995, and "Experiments with
//! Multi-ProbCut", 1997). Three numbers for each depth and stage, fitted by the training.

/// The depths with statistics.
pub const CUT_DEPTHS: std::ops::RangeInclusive<u32> = 3..=12;
const DEPTHS: usize = 10;
/// The number of stages, of twelve discs each.
pub const CUT_STAGES: usize = 5;
const STAGE_DISCS: u32 = 12;

/// Their size in a file, in bytes.
pub(super) const CUT_BYTES: usize = DEPTHS * CUT_STAGES * 6;

/// How the value of a deep search depends on that of a shallow one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutStatistics {
    /// The factor of the shallow value, in 256ths; 0: no statistics.
    pub slope: i16,
    /// The term added to it, in 128ths of a disc.
    pub offset: i16,
    /// The standard deviation of the error, in 128ths of a disc.
    pub sigma: i16,
}

/// The statistics of all depths and stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutTable([[CutStatistics; CUT_STAGES]; DEPTHS]);

impl Default for CutTable {
    fn default() -> Self {
        CutTable([[CutStatistics::default(); CUT_STAGES]; DEPTHS])
    }
}

/// The depth of the shallow search for one of this depth: about half of it. Both are even or both
/// odd, since values alternate with the side that moves last.
pub const fn shallow_depth(depth: u32) -> u32 {
    2 * (depth / 4) + depth % 2
}

/// The stage of a position with this number of discs.
pub fn stage(discs: u32) -> usize {
    (discs.saturating_sub(4) / STAGE_DISCS) as usize % CUT_STAGES
}

impl CutTable {
    /// The statistics for a search of this depth with this number of discs, if there are any.
    pub fn get(&self, depth: u32, discs: u32) -> Option<CutStatistics> {
        let row = self.0.get(depth.checked_sub(*CUT_DEPTHS.start())? as usize)?;
        let cut = row[stage(discs)];
        (cut.slope > 0).then_some(cut)
    }

    /// Sets the statistics of a depth and a stage.
    pub fn set(&mut self, depth: u32, stage: usize, cut: CutStatistics) {
        self.0[(depth - CUT_DEPTHS.start()) as usize][stage] = cut;
    }

    pub(super) fn read(bytes: &[u8]) -> CutTable {
        let mut numbers = bytes.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair));
        let mut next = || numbers.next().unwrap_or_default();
        let mut cuts = CutTable::default();
        for cut in cuts.0.as_flattened_mut() {
            *cut = CutStatistics { slope: next(), offset: next(), sigma: next() };
        }
        cuts
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for cut in self.0.as_flattened() {
            for number in [cut.slope, cut.offset, cut.sigma] {
                out.extend(number.to_le_bytes());
            }
        }
    }
}
