//! Sets of hashes, reduced to a fixed size so that two of them can still be compared.

use serde::{Deserialize, Serialize};

/// Hashes in ascending order: all of them, or all up to a limit. A limited set is a random sample,
/// and two files sample the same hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredSample")]
pub(super) struct Sample {
    /// All hashes up to this one are in the sample.
    pub up_to: u32,
    /// The hashes, ascending.
    pub hashes: Vec<u32>,
}

/// A stored sample. It is sorted again, because comparisons rely on the order.
#[derive(Deserialize)]
struct StoredSample {
    up_to: u32,
    hashes: Vec<u32>,
}

impl From<StoredSample> for Sample {
    fn from(stored: StoredSample) -> Self {
        let up_to = stored.up_to;
        let hashes = stored.hashes.into_iter().filter(|hash| *hash <= up_to).collect();
        Self { up_to, ..Self::new(hashes, usize::MAX) }
    }
}

impl Sample {
    /// The smallest `len_max` of these hashes.
    pub(super) fn new(mut hashes: Vec<u32>, len_max: usize) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        let up_to = match hashes.len() > len_max {
            true => hashes[..len_max].last().copied().unwrap_or(0),
            false => u32::MAX,
        };
        hashes.truncate(len_max);
        hashes.shrink_to_fit();
        Self { up_to, hashes }
    }

    /// The hashes up to a limit.
    pub(super) fn within(&self, up_to: u32) -> &[u32] {
        &self.hashes[..self.hashes.partition_point(|hash| *hash <= up_to)]
    }
}
