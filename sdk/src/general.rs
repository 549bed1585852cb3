//! Engines for games of any kind: hidden information, chance, seats that decide at the same time,
//! and up to 16 seats. Contains no code for one game, and reads no clock but the host's.
//!
//! [`GeneralChooser`] and [`GeneralEngine`] are for [`GeneralRules`] what
//! [`Chooser`](crate::Chooser) and [`BaseEngine`](crate::BaseEngine) are for two-sided games of
//! perfect information.
//!
//! [`GeneralRules`]: sandboard_games::general::GeneralRules

mod chooser;
mod determinize;
mod engine;
mod evaluator;
mod is_mcts;
mod knowledge;
mod max_n;
mod replay_sampler;

pub use chooser::{GeneralChooser, GeneralReply, GeneralTask, GeneralTurn};
pub use determinize::Determinize;
pub use engine::GeneralEngine;
pub use evaluator::{RandomGames, SeatEvaluator, relative_scores};
pub use is_mcts::{IsMcts, IsMctsResult, MoveStatistics};
pub use knowledge::Knowledge;
pub use max_n::{MaxN, MaxNResult};
pub use replay_sampler::ReplaySampler;

#[cfg(test)]
mod tests;
