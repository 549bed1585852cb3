//! Verifies a bundle inside of a JavaScript engine: reads it from memory, checks it, and replays
//! its games with its modules. For the page `verify.html` of the client, whose workers each hold an
//! instance of this program.
//!
//! Invariant: the verdict on a bundle is that of `sandboard verify --bundle`, with the same
//! sentences. What this program cannot decide, it calls unverifiable.
//!
//! Entry points: [`Session`] is what is verified, `exports` the functions that JavaScript calls.
#![deny(unsafe_code)]

mod engines;
mod exports;
mod session;

pub use session::Session;
