//! The steps of the check, grouped by topic. Each step takes the context, and returns a summary or
//! a failure.

pub(super) mod begin;
pub(super) mod budget;
pub(super) mod module;
pub(super) mod moves;
pub(super) mod play;
pub(super) mod pondering;
pub(super) mod reports;
pub(super) mod resources;
pub(super) mod seed;
