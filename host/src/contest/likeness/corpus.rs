//! How much two entries have in common that others do not have.

use std::collections::BTreeSet;

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

    /// Every two entries of different owners that have something in common, the most alike first. Takes memory, and at worst
    /// time, by the square of their number.
    pub fn alike(&self, candidates: &[Candidate<'_>]) -> Vec<Likeness> {
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
                    found.push(Likeness { pair, share, identical, functions_shared, functions });
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

/// What an entry has that the baseline has not.
struct Own {
    owner: u64,
    functions: Sample,
    grams: Sample,
}

/// What entries have in common: each hash is looked at once, with all who have it.
struct Common {
    /// Of each pair how many hashes both have, and what these weigh.
    count: Vec<u32>,
    weight: Vec<f64>,
    /// Of each entry what its hashes up to each one weigh, against somebody who has none of them.
    up_to: Vec<Vec<f64>>,
    /// What a hash weighs more where the other one of a pair has it.
    step: f64,
}

/// Where a pair stands, the smaller place first.
fn place([first, second]: [usize; 2]) -> usize {
    second * second.saturating_sub(1) / 2 + first
}

impl Common {
    /// Of so many owners. A hash weighs the share of the other owners who do without it, of whom one is made up so that no weight is 0: as in
    /// inverse document frequency what many have counts little, but five who copied from each other do not clear each other.
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

    /// How much of the smaller one is in the other.
    fn share(&self, samples: [&Sample; 2], pair: [usize; 2]) -> f64 {
        // Of those that both would have kept.
        let up_to = samples[0].up_to.min(samples[1].up_to);
        let lengths = samples.map(|sample| sample.within(up_to).len());
        if lengths[0].min(lengths[1]) < LEAST_OWN {
            return 0.0;
        }
        let place = place(pair);
        let more = f64::from(self.count[place]) * self.step;
        let whole = [0, 1].map(|at| self.up_to[pair[at]][lengths[at] - 1] + more);
        (self.weight[place] / f64::min(whole[0], whole[1])).min(1.0)
    }
}
