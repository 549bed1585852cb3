//! How much two entries share that others do not have.

use std::collections::BTreeSet;

use serde::Serialize;

use super::fingerprint::Fingerprint;
use super::sample::Sample;

/// Two entries with at least this share are flagged. Independent engines on one SDK reached at most
/// 0.48; derived work had at least 0.65 (`docs/contests.md`, "Similar entries").
pub const FLAGGED_SHARE: f64 = 0.6;

/// The number of own hashes that an entry needs for a meaningful share; about as many lines of
/// source. A copy of a house engine in which only numbers differ has none.
pub const OWN_HASHES_MIN: usize = 64;

/// Code that every entry may contain: the house engines and templates, with the SDK.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    functions: BTreeSet<u32>,
    grams: BTreeSet<u32>,
}

/// An entry to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The entrant; entries of one entrant are never compared.
    pub owner: u64,
    /// The entry's fingerprint.
    pub fingerprint: &'a Fingerprint,
}

/// What two entries of different entrants share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarity {
    /// The indices of the two in the list, the smaller one first.
    pub pair: [usize; 2],
    /// The share of the smaller entry's own code that is in the other, from 0 to 1. A piece weighs
    /// more the fewer other entrants have it. Below [`OWN_HASHES_MIN`]: 0.
    pub share: f64,
    /// Whether code and data are identical, byte for byte.
    pub identical: bool,
    /// The number of own functions that are the same in both, except for numbers.
    pub functions_shared: usize,
    /// The number of own functions of the entry with fewer.
    pub functions: usize,
}

impl Similarity {
    /// Whether a person should look at the pair.
    pub fn is_flagged(&self) -> bool {
        self.identical || self.share >= FLAGGED_SHARE
    }
}

impl Baseline {
    /// The baseline of these fingerprints.
    pub fn new<'a>(house: impl IntoIterator<Item = &'a Fingerprint>) -> Self {
        let mut all = Self::default();
        for fingerprint in house {
            all.functions.extend(&fingerprint.functions.hashes);
            all.grams.extend(&fingerprint.grams.hashes);
        }
        all
    }

    /// The share of an entry that is in the baseline, from 0 to 1.
    pub fn share(&self, fingerprint: &Fingerprint) -> f64 {
        let all = &fingerprint.grams.hashes;
        let common = all.iter().filter(|hash| self.grams.contains(hash)).count();
        common as f64 / all.len().max(1) as f64
    }

    /// All pairs of entries of different entrants that share anything, the most similar first.
    /// Memory, and at worst time, grow with the square of the number of entries.
    pub fn similar_pairs(&self, candidates: &[Candidate<'_>]) -> Vec<Similarity> {
        let own: Vec<Own> = candidates.iter().map(|it| self.own(it)).collect();
        let owners: BTreeSet<u64> = own.iter().map(|it| it.owner).collect();
        let functions = Common::of(&own, owners.len(), |it| &it.functions);
        let grams = Common::of(&own, owners.len(), |it| &it.grams);
        let mut found = Vec::new();
        for (second, b) in own.iter().enumerate() {
            for (first, a) in own[..second].iter().enumerate() {
                if a.owner == b.owner {
                    continue;
                }
                let pair = [first, second];
                let programs = pair.map(|at| &candidates[at].fingerprint.program);
                let identical = programs[0] == programs[1];
                let functions_shared = functions.count[place(pair)] as usize;
                let share = grams.share([&a.grams, &b.grams], pair);
                if identical || functions_shared > 0 || share > 0.0 {
                    let functions = a.functions.hashes.len().min(b.functions.hashes.len());
                    found.push(Similarity { pair, share, identical, functions_shared, functions });
                }
            }
        }
        found.sort_by(|a, b| {
            let of_shares = b.share.total_cmp(&a.share);
            b.identical.cmp(&a.identical).then(of_shares).then(a.pair.cmp(&b.pair))
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

/// The part of an entry that is not in the baseline.
struct Own {
    owner: u64,
    functions: Sample,
    grams: Sample,
}

/// The hashes that pairs of entries share: their number and weight.
struct Common {
    /// For each pair, at its [`place`]: the number of hashes that both entries have.
    count: Vec<u32>,
    /// For each pair, at its [`place`]: the total weight of these hashes.
    weight: Vec<f64>,
    /// For each entry, the running total of the weights of its hashes, in ascending order of the
    /// hashes. Each weight is the one in a pair whose other entry lacks the hash.
    up_to: Vec<Vec<f64>>,
    /// How much more a hash weighs in a pair if both entries have it than if one has it.
    step: f64,
}

/// The place of a pair in [`Common::count`] and [`Common::weight`]. `first` must be less than
/// `second`.
fn place([first, second]: [usize; 2]) -> usize {
    second * second.saturating_sub(1) / 2 + first
}

impl Common {
    /// Counts and weighs the shared hashes. A hash weighs the share of the other owners without it;
    /// one fictitious owner keeps every weight above 0. As in inverse document frequency, common
    /// hashes count little; but copies by a few owners remain visible.
    fn of(own: &[Own], owners: usize, sample: impl Fn(&Own) -> &Sample) -> Self {
        let of_entry = |(entry, it)| sample(it).hashes.iter().map(move |hash| (*hash, entry));
        let mut all: Vec<(u32, usize)> = own.iter().enumerate().flat_map(of_entry).collect();
        all.sort_unstable();
        let others = owners.saturating_sub(2);
        let mut common = Self {
            count: vec![0; place([0, own.len()])],
            weight: vec![0.0; place([0, own.len()])],
            up_to: vec![Vec::new(); own.len()],
            step: 1.0 / (others + 1) as f64,
        };
        for having in all.chunk_by(|a, b| a.0 == b.0) {
            let with: BTreeSet<u64> = having.iter().map(|(_, entry)| own[*entry].owner).collect();
            let weight =
                |of_pair: usize| 1.0 - with.len().saturating_sub(of_pair) as f64 * common.step;
            let (alone, both) = (weight(1), weight(2));
            for (at, (_, second)) in having.iter().enumerate() {
                let before = common.up_to[*second].last().copied().unwrap_or(0.0);
                common.up_to[*second].push(before + alone);
                for (_, first) in &having[..at] {
                    let place = place([*first, *second]);
                    common.count[place] += 1;
                    common.weight[place] += both;
                }
            }
        }
        common
    }

    /// The share of the smaller entry that is in the other, by weight, from 0 to 1.
    fn share(&self, samples: [&Sample; 2], pair: [usize; 2]) -> f64 {
        // Samples are complete only up to their limits, so larger hashes are not compared.
        let up_to = samples[0].up_to.min(samples[1].up_to);
        let lengths = samples.map(|sample| sample.within(up_to).len());
        if lengths[0].min(lengths[1]) < OWN_HASHES_MIN {
            return 0.0;
        }
        let place = place(pair);
        let more = f64::from(self.count[place]) * self.step;
        let whole = [0, 1].map(|at| self.up_to[pair[at]][lengths[at] - 1] + more);
        (self.weight[place] / f64::min(whole[0], whole[1])).min(1.0)
    }
}
