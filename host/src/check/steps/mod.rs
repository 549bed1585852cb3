//! The steps of the check, by what they are about. Each takes the bench and
//! gives a sentence, or what is wrong.

pub mod begin;
pub mod budget;
pub mod module;
pub mod moves;
pub mod play;
pub mod pondering;
pub mod reports;
pub mod resources;
pub mod seed;
