//! The steps of the check, grouped by topic. Each step takes the context, and returns a summary or
//! a failure.

pub(super) mod boards;
pub(super) mod counts;
pub(super) mod determinism;
pub(super) mod history;
pub(super) mod module;
pub(super) mod moves;
pub(super) mod playouts;
pub(super) mod positions;
pub(super) mod speed;
pub(super) mod texts;
pub(super) mod views;
