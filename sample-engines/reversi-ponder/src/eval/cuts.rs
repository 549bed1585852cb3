//! What a search of little depth says about a deeper one: the figures of
//! probable cuts (M. Buro, "ProbCut: An Effective Selective Extension of the
//! Alpha-Beta Algorithm", 1995, and "Experiments with Multi-ProbCut", 1997).
//! Three numbers for each depth and stage, fitted by the training.

/// The depths for which there are figures.
pub const CUT_DEPTHS: std::ops::RangeInclusive<u32> = 3..=12;
const DEPTHS: usize = 10;
/// The stages: twelve discs each.
pub const CUT_STAGES: usize = 5;
const STAGE_DISCS: u32 = 12;

/// What they take in a file.
pub(super) const CUT_BYTES: usize = DEPTHS * CUT_STAGES * 6;

/// How the value of a deeper search comes from that of a shallower one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// By how much the shallow value is multiplied, in 256ths; 0: nothing is known.
    pub slope: i16,
    /// What is added, in 128ths of a disc.
    pub offset: i16,
    /// The standard deviation of what is left, in 128ths of a disc.
    pub sigma: i16,
}

/// The figures of all depths and stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts([[Cut; CUT_STAGES]; DEPTHS]);

impl Default for Cuts {
    fn default() -> Self {
        Cuts([[Cut::default(); CUT_STAGES]; DEPTHS])
    }
}

/// The depth of the search that is asked about one of this depth: about half of
/// it, and both even or both odd, since values alternate with the side that moves last.
pub const fn shallow(depth: u32) -> u32 {
    2 * (depth / 4) + depth % 2
}

/// The stage of so many discs.
pub fn stage(discs: u32) -> usize {
    (discs.saturating_sub(4) / STAGE_DISCS) as usize % CUT_STAGES
}

impl Cuts {
    /// The figures for a search of this depth with so many discs, if there are any.
    pub fn get(&self, depth: u32, discs: u32) -> Option<Cut> {
        let row = self.0.get(depth.checked_sub(*CUT_DEPTHS.start())? as usize)?;
        let cut = row[stage(discs)];
        (cut.slope > 0).then_some(cut)
    }

    /// Sets the figures of a depth and a stage.
    pub fn set(&mut self, depth: u32, stage: usize, cut: Cut) {
        self.0[(depth - CUT_DEPTHS.start()) as usize][stage] = cut;
    }

    pub(super) fn read(bytes: &[u8]) -> Cuts {
        let mut numbers = bytes.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair));
        let mut next = || numbers.next().unwrap_or_default();
        let mut cuts = Cuts::default();
        for cut in cuts.0.as_flattened_mut() {
            *cut = Cut { slope: next(), offset: next(), sigma: next() };
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
