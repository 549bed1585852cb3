//! Games played on other machines: what a job says ([`message`]), where modules lie by their hashes ([`blobs`]), how a
//! worker plays ([`hand`]), when two records tell of the same play ([`compare`]), and what many workers would come to ([`simulation`]). Over a broker of NATS JetStream
//! (`nats`, the feature of that name) jobs and results go their way. `docs/machines.md` explains it.
//!
//! Invariant: the queue is transport only: it may be lost at any moment, and is filled again from the store of the arena.
//! Invariant: what comes from a worker is believed no further than the checked rules and the games that others played again.

pub mod blobs;
pub mod compare;
pub mod hand;
pub mod message;
#[cfg(feature = "nats")]
pub mod nats;
pub mod simulation;
