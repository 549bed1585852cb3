//! Arena games on other machines: the messages, the files by hash, the execution of a job, and a
//! simulation of many workers. The feature `nats` adds the broker, NATS JetStream.
//! `docs/machines.md` explains it.
//!
//! Invariant: the queue only transports. It may be lost at any moment and is refilled from the
//! store. Invariant: a remote worker's record counts only after the checked rules accept it. Games
//! selected at random for verification must be played twice, under different keys, with the same
//! result. Invariant: no message counts for a key that has not signed it.
//!
//! Entry points: [`message`], [`keys`], [`job_executor::JobExecutor`], [`nats`],
//! [`simulation::simulate`].
#![forbid(unsafe_code)]

pub mod blobs;
pub mod job_executor;
pub mod keys;
pub mod message;
#[cfg(feature = "nats")]
pub mod nats;
pub mod simulation;
