//! How much two entries have in common that others do not have.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::fingerprint::Fingerprint;
use super::sample::Sample;

/// From this share on, two entries are to be looked at by a person. Engines by different methods over one SDK had 0.48 at most, what
/// was made out of another's work 0.65 at least (`docs/contests.md`, "What is flagged").
pub const FLAGGED_SHARE: f64 = 0.6;

/// Hashes of its own that an entry needs for a share to say something; about as many lines of source. Who
/// has changed numbers of a house's engine and nothing else has none.
pub const LEAST_OWN: usize = 64;

/// What everybody has, and so tells of nobody: the engines of the house and its templates, with the SDK in them.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    functions: BTreeSet<u32>,
    grams: BTreeSet<u32>,
}

/// An entry to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Whose it is: entries of one owner are never compared.
    pub owner: u64,
    /// What is known of it.
    pub fingerprint: &'a Fingerprint,
}

/// What two entries of different owners have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likeness {
    /// The places of the two in the list, the smaller one first.
    pub pair: [usize; 2],
    /// How much of the smaller one's own code is in the other, from 0 to 1, where a piece counts as much as
    /// there are other entrants who do without it. Below [`LEAST_OWN`]: 0.
    pub share: f64,
    /// Code and data are the same, byte for byte.
    pub identical: bool,
    /// Functions of their own that are the same in both but for numbers.
    pub functions_shared: usize,
    /// Functions of its own of the one that has fewer.
    pub functions: usize,
}

impl Likeness {
    /// Whether a person is to look at it.
    pub fn is_flagged(&self) -> bool {
        self.identical || self.share >= FLAGGED_SHARE
    }
}

impl Baseline {
    /// Of these.
    pub fn new<'a>(house: impl IntoIterator<Item = &'a Fingerprint>) -> Self {
        let mut all = Self::default();
        for fingerprint in house {
            all.functions.extend(&fingerprint.functions.hashes);
            all.grams.extend(&fingerprint.grams.hashes);
        }
        all
    }

    /// How much of an entry is in the baseline, from 0 to 1.
    pub fn share(&self, fingerprint: &Fingerprint) -> f64 {
        let all = &fingerprint.grams.hashes;
        let common = all.iter().filter(|hash| self.grams.contains(hash)).count();
        common as f64 / all.len().max(1) as f64
    }

    /// Every two entries of different owners that have something in common, the most alike first. Takes a time that grows with the square of their number: half a
    /// second for 200.
    pub fn alike(&self, candidates: &[Candidate<'_>]) -> Vec<Likeness> {
        let own: Vec<Own> = candidates.iter().map(|it| self.own(it)).collect();
        let owners = Owners::of(&own);
        let mut found = Vec::new();
        for (second, b) in own.iter().enumerate() {
            for (first, a) in own[..second].iter().enumerate() {
                if a.owner == b.owner {
                    continue;
                }
                let identical =
                    candidates[first].fingerprint.program == candidates[second].fingerprint.program;
                let functions_shared = common(&a.functions, &b.functions).count();
                let share = owners.share(a, b);
                if identical || functions_shared > 0 || share > 0.0 {
                    let functions = a.functions.hashes.len().min(b.functions.hashes.len());
                    let pair = [first, second];
                    found.push(Likeness { pair, share, identical, functions_shared, functions });
                }
            }
        }
        found.sort_by(|a, b| {
            b.identical
                .cmp(&a.identical)
                .then(b.share.total_cmp(&a.share))
                .then(a.pair.cmp(&b.pair))
        });
        found
    }

    fn own(&self, candidate: &Candidate<'_>) -> Own {
        let without = |sample: &Sample, known: &BTreeSet<u32>| Sample {
            up_to: sample.up_to,
            hashes: sample.hashes.iter().copied().filter(|hash| !known.contains(hash)).collect(),
        };
        Own {
            owner: candidate.owner,
            functions: without(&candidate.fingerprint.functions, &self.functions),
            grams: without(&candidate.fingerprint.grams, &self.grams),
        }
    }
}

/// What an entry has that the baseline has not.
struct Own {
    owner: u64,
    functions: Sample,
    grams: Sample,
}

/// How many owners have a hash.
struct Owners {
    all: usize,
    with: BTreeMap<u32, usize>,
}

impl Owners {
    fn of(own: &[Own]) -> Self {
        let mut by_owner: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for it in own {
            by_owner.entry(it.owner).or_default().extend(&it.grams.hashes);
        }
        let mut with = BTreeMap::new();
        for hash in by_owner.values().flatten() {
            *with.entry(*hash).or_default() += 1;
        }
        Self { all: by_owner.len(), with }
    }

    /// How much of the smaller one is in the other.
    fn share(&self, a: &Own, b: &Own) -> f64 {
        let up_to = a.grams.up_to.min(b.grams.up_to);
        let (of_a, of_b) = (a.grams.within(up_to), b.grams.within(up_to));
        if of_a.len().min(of_b.len()) < LEAST_OWN {
            return 0.0;
        }
        let (mut in_a, mut in_b, mut in_both) = (0.0, 0.0, 0.0);
        for hash in of_a {
            let shared = b.grams.has(*hash);
            let weight = self.weight(*hash, 1 + usize::from(shared));
            in_a += weight;
            in_both += if shared { weight } else { 0.0 };
        }
        for hash in of_b {
            in_b += self.weight(*hash, 1 + usize::from(a.grams.has(*hash)));
        }
        in_both / f64::min(in_a, in_b)
    }

    /// The share of the other owners who do without it, of whom one is made up so that no weight is 0. As in inverse document frequency
    /// what many have counts little, but five who copied from each other do not clear each other.
    fn weight(&self, hash: u32, of_the_pair: usize) -> f64 {
        let others = self.all.saturating_sub(2);
        let with = self.with.get(&hash).copied().unwrap_or(0).saturating_sub(of_the_pair);
        1.0 - with.min(others) as f64 / (others + 1) as f64
    }
}

/// Hashes that both have, of those which both would have kept.
fn common<'a>(a: &'a Sample, b: &'a Sample) -> impl Iterator<Item = u32> + 'a {
    a.within(b.up_to).iter().copied().filter(|hash| b.has(*hash))
}
