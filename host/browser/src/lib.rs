//! What pages do inside of a JavaScript engine, without a server: verify a bundle, and play against
//! an engine. Each worker of a page holds an instance of this program.
//!
//! Invariant: the verdict on a bundle is that of `sandboard verify --bundle`, with the same
//! sentences. What this program cannot decide, it calls unverifiable.
//!
//! Entry points: [`Session`] is what is verified, [`Play`](play::Play) what is played, `exports`
//! the functions that JavaScript calls.
#![deny(unsafe_code)]

mod exports;
pub mod play;
mod verify;

pub use verify::Session;
