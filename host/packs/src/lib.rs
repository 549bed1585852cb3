//! Engine packs on disk: manifests, the catalog of an engines folder, trust in native modules,
//! loading, and building a pack from an engine's source. Runs no engine to list it.
//!
//! Entry points: [`catalog::Catalog`], [`loader::Loader`], [`game_loader::GameLoader`],
//! [`manifest`], [`trust::TrustStore`], [`packaging`].
#![forbid(unsafe_code)]

pub mod builds;
pub mod catalog;
pub mod game_loader;
pub mod loader;
pub mod manifest;
pub mod pack_files;
pub mod packaging;
pub mod trust;
