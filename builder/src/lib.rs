//! Builds engines from their source folders: finds or fetches compilers, runs them, wraps modules
//! into components, and creates the folders of new engines and games. `cargo xtask` and the
//! binary `sandboard` use it.
//!
//! Entry points: [`SourceFolder`] is a folder to build, [`LANGUAGES`] the table of languages,
//! [`EngineTemplate`] a new engine, [`GameTemplate`] a new game; [`packages`] and [`toolchain`]
//! find what a build needs.
//!
//! It never loads or runs an engine, and knows no game. Messages, also those of compilers, go to
//! standard error, or to the listener of [`output`].

#![forbid(unsafe_code)]

pub mod c;
pub mod cargo;
pub mod command;
pub mod component;
pub mod emulator;
mod languages;
pub mod metadata;
pub mod nats;
pub mod node;
pub mod output;
pub mod packages;
pub mod postgres;
mod registry;
pub mod rust;
pub mod schemathesis;
mod source;
mod template;
pub mod toolchain;
mod tools;
pub mod wrapper;

pub use languages::{BuildOutput, LANGUAGES, Language, LanguageInfo, ProgramLimits};
pub use rust::NativeProfile;
pub use source::SourceFolder;
pub use template::{EngineTemplate, GameTemplate, NATIVE_SUFFIX, PUBLISHED_SDK, SdkLocation};

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
