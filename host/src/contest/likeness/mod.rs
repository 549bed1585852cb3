//! Whether two entries of different entrants are one piece of work: fingerprints of components, and what of them is shared. Judges
//! nobody: it says what a person is to look at.
//!
//! Invariant: pure: the same bytes give the same fingerprint on every machine; and any bytes give one or are refused. Nothing is
//! compiled or run.

mod corpus;
mod fingerprint;
mod flags;
mod sample;
#[cfg(test)]
mod tests;

pub use corpus::{Baseline, Candidate, FLAGGED_SHARE, LEAST_OWN, Likeness};
pub use fingerprint::Fingerprint;
pub use flags::{Flag, PAPER, flags};
