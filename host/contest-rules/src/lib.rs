//! What a contest decides, as pure values: its file and dates, the arenas that follow from it, the
//! commitment to its seed, and the states of entrants and entries. The runner of a contest plays by
//! it, and the check of a bundle compares with it.
//!
//! Invariant: no clock, file, random number or store. The same contest file, players and seed give
//! the same arenas and seeds.
//!
//! Entry points: [`Contest`], [`arena_rules::ArenaKind`], [`seed_commitment::commitment`].
#![forbid(unsafe_code)]

pub mod arena_rules;
mod entries;
mod file;
pub mod seed_commitment;

pub use entries::{State, Status, engine_id};
pub use file::{Contest, ContestError, Phase};
