//! From an engine's source folder to its modules: finds compilers, calls them,
//! makes components, lays out new folders. Serves `cargo xtask` and the binary
//! `sandboard` alike; what it has to say goes to standard error, as what its
//! compilers say does. Never loads or runs an engine, and knows no game.

#![forbid(unsafe_code)]

pub mod c;
pub mod component;
pub mod frame;
mod languages;
pub mod metadata;
pub mod nats;
pub mod node;
pub mod packages;
pub mod postgres;
mod registry;
pub mod run;
pub mod rust;
mod source;
mod template;
pub mod toolchain;
mod tools;

pub use languages::{LANGUAGES, Language, Makes, Needs, Row};
pub use rust::Native;
pub use source::Source;
pub use template::{NATIVE_SUFFIX, Sdk, Template};
