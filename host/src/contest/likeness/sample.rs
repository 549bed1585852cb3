//! Sets of hashes, cut to a size in a way that lets two of them still be compared.

use serde::{Deserialize, Serialize};

/// Hashes in rising order: all there are, or all of them up to a limit, which is a random sample, and of two files the same
/// one where both have the hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Sample {
    /// Every hash up to this one is kept.
    pub up_to: u32,
    /// The hashes.
    pub hashes: Vec<u32>,
}

/// As it is read: sorted again, since all comparing counts on it.
#[derive(Deserialize)]
struct Kept {
    up_to: u32,
    hashes: Vec<u32>,
}

impl From<Kept> for Sample {
    fn from(kept: Kept) -> Self {
        let up_to = kept.up_to;
        let hashes = kept.hashes.into_iter().filter(|hash| *hash <= up_to).collect();
        Self { up_to, ..Self::new(hashes, usize::MAX) }
    }
}

impl Sample {
    /// The smallest of these, at most so many.
    pub fn new(mut hashes: Vec<u32>, most: usize) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        let up_to = match hashes.len() > most {
            true => hashes[..most].last().copied().unwrap_or(0),
            false => u32::MAX,
        };
        hashes.truncate(most);
        hashes.shrink_to_fit();
        Self { up_to, hashes }
    }

    /// Those up to a limit.
    pub fn within(&self, up_to: u32) -> &[u32] {
        &self.hashes[..self.hashes.partition_point(|hash| *hash <= up_to)]
    }
}
