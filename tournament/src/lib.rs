//! Tournaments as values: which pairs of games are to be played, and what their results say of the
//! players. Pure: no clock, file, thread, engine or rule of any game, and no randomness but a
//! seed's. The same results give the same pairs and the same figures, whatever the order in which
//! they came.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod schedule;
pub mod seed;
pub mod stats;
