//! The flags for the organiser: for each two entrants, the most similar pair of entries, if it is
//! flagged; and entries that are copies of house engines.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::corpus::{Baseline, Candidate};
use super::fingerprint::Fingerprint;
use crate::roster::version_name;
use crate::store::Submission;

/// The property of a contest with the flags, as JSON. The runner writes it; the organiser reads it.
pub const PROPERTY: &str = "similarity";

/// An entry is flagged as a copy of a house engine if this part of its code is in that engine, and
/// this part of the engine's code is in the entry, in percent. One direction says little: 96 % of
/// the smallest engine on an SDK is in any other (`docs/contests.md`, "Similar entries").
pub const HOUSE_COPY_PERCENT: u8 = 90;

/// All flags of a contest: the JSON of [`PROPERTY`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flags {
    /// Similar entries, the most similar first.
    pub similar: Vec<Flag>,
    /// Copies of house engines, by entry.
    pub house_copies: Vec<HouseCopy>,
}

/// An entry that is a house engine, or nearly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HouseCopy {
    /// The number of the entry.
    pub entry: i64,
    /// The name of the entry.
    pub name: String,
    /// The id of the house engine.
    pub house: String,
    /// The part of the entry's code that the house engine has, or the part of the house engine's
    /// that the entry has, whichever is less; in percent, rounded down.
    pub share_percent: u8,
    /// Whether code and data are identical, byte for byte.
    pub identical: bool,
}

/// Two entries of different entrants that a person should look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flag {
    /// The numbers of the two entries, the earlier one first.
    pub entries: [i64; 2],
    /// The names of the two entries.
    pub names: [String; 2],
    /// As in [`Similarity::share`](super::Similarity::share), in percent, rounded down.
    pub share_percent: u8,
    /// Whether code and data are identical, byte for byte.
    pub identical: bool,
    /// The number of own functions that both have.
    pub functions_shared: usize,
    /// The number of own functions of the entry with fewer.
    pub functions: usize,
    /// How much of each is also in the house engines, in percent, rounded down.
    pub house_percent: [u8; 2],
}

/// The flags of these entries, the most similar first. Entries without a fingerprint are left out.
pub fn flags(
    baseline: &Baseline,
    entries: &[Submission],
    fingerprints: &BTreeMap<i64, Fingerprint>,
) -> Vec<Flag> {
    let owners: BTreeSet<&str> = entries.iter().map(|entry| entry.entrant.as_str()).collect();
    let owner = |name: &str| owners.iter().position(|it| *it == name).unwrap_or_default();
    let known: Vec<(&Submission, Candidate<'_>)> = entries
        .iter()
        .filter_map(|entry| {
            let fingerprint = fingerprints.get(&entry.number)?;
            Some((entry, Candidate { owner: owner(&entry.entrant) as u64, fingerprint }))
        })
        .collect();
    let candidates: Vec<Candidate<'_>> = known.iter().map(|(_, candidate)| *candidate).collect();
    let mut flagged_owners = BTreeSet::new();
    let mut flags = Vec::new();
    for found in baseline.similar_pairs(&candidates).iter().filter(|it| it.is_flagged()) {
        let mut pair = found.pair.map(|at| known[at]);
        pair.sort_by_key(|(entry, _)| entry.number);
        // The most similar pair of two entrants comes first; further pairs add nothing.
        let mut of = pair.map(|(_, candidate)| candidate.owner);
        of.sort_unstable();
        if flagged_owners.insert(of) {
            flags.push(Flag {
                entries: pair.map(|(entry, _)| entry.number),
                names: pair.map(|(entry, _)| version_name(entries, entry)),
                share_percent: percent(found.share),
                identical: found.identical,
                functions_shared: found.functions_shared,
                functions: found.functions,
                house_percent: pair
                    .map(|(_, candidate)| percent(baseline.share(candidate.fingerprint))),
            });
        }
    }
    flags
}

/// The entries that are copies of a house engine. Entries without a fingerprint are left out.
pub fn house_copies(
    house: &[(String, Fingerprint)],
    entries: &[Submission],
    fingerprints: &BTreeMap<i64, Fingerprint>,
) -> Vec<HouseCopy> {
    let baselines: Vec<Baseline> = house.iter().map(|(_, it)| Baseline::new([it])).collect();
    let mut copies = Vec::new();
    for entry in entries {
        let Some(fingerprint) = fingerprints.get(&entry.number) else { continue };
        for ((id, original), baseline) in house.iter().zip(&baselines) {
            let back = Baseline::new([fingerprint]).share(original);
            let share_percent = percent(baseline.share(fingerprint).min(back));
            let identical = original.program == fingerprint.program;
            if identical || share_percent >= HOUSE_COPY_PERCENT {
                copies.push(HouseCopy {
                    entry: entry.number,
                    name: version_name(entries, entry),
                    house: id.clone(),
                    share_percent,
                    identical,
                });
            }
        }
    }
    copies
}

fn percent(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0) as u8
}
