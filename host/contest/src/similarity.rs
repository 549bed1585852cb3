//! Similar entries: fingerprints of components, and how much two entries share. Decides nothing:
//! flags pairs for a person to look at.
//!
//! Invariant: pure. The same bytes give the same fingerprint on every machine, or are refused.
//! Nothing is compiled or run.

mod corpus;
mod fingerprint;
mod flags;
mod sample;
#[cfg(test)]
mod tests;

pub use corpus::{Baseline, Candidate, FLAGGED_SHARE, OWN_HASHES_MIN, Similarity};
pub use fingerprint::Fingerprint;
pub use flags::{Flag, Flags, HOUSE_COPY_PERCENT, HouseCopy, PROPERTY, flags, house_copies};
