//! What an organiser is told of likeness: of every two entrants the pair of entries that is most alike, where it is flagged.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::corpus::{Baseline, Candidate};
use super::fingerprint::Fingerprint;
use crate::contest::roster::version_name;
use crate::contest::store::Submission;

/// The paper of a contest that holds the flags, as JSON: whoever runs it writes them, its organiser reads them.
pub const PAPER: &str = "likeness";

/// Two entries of different entrants that a person is to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flag {
    /// The numbers of the two entries, the earlier one first.
    pub entries: [i64; 2],
    /// Their names.
    pub names: [String; 2],
    /// As in [`Likeness::share`](super::Likeness::share), in hundredths, rounded down.
    pub share_percent: u8,
    /// Code and data are the same, byte for byte.
    pub identical: bool,
    /// Functions of their own that both have.
    pub functions_shared: usize,
    /// Functions of its own of the one that has fewer.
    pub functions: usize,
    /// How much of each is in the house's engines, in hundredths, rounded down.
    pub house_percent: [u8; 2],
}

/// Flags of these entries, the most alike first. Entries without a fingerprint are left out.
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
    let mut told = BTreeSet::new();
    let mut flags = Vec::new();
    for found in baseline.alike(&candidates).iter().filter(|it| it.is_flagged()) {
        let mut pair = found.pair.map(|at| known[at]);
        pair.sort_by_key(|(entry, _)| entry.number);
        // Most alike first: what two others of the same entrants have in common says no more.
        let mut of = pair.map(|(_, candidate)| candidate.owner);
        of.sort_unstable();
        if told.insert(of) {
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

fn percent(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0) as u8
}
