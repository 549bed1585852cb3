//! What results say of strength. Pure arithmetic: counts in, estimates out; each file names the
//! sources of its formulas, and `docs/ratings.md` explains them.

mod connect;
mod elo;
mod fit;
mod glicko;
mod likelihood;
mod matrix;
mod nelo;
mod normal;
mod score;
mod sprt;
mod table;
mod ties;
mod totals;

#[cfg(test)]
mod tests_fit;
#[cfg(test)]
mod tests_simulation;

pub use elo::{Elo, Sample, elo_of, score_of};
pub use fit::{Bars, Estimate, Fit, FitOptions, SeatStrength, Strength};
pub use glicko::{Glicko2, GlickoRating, PeriodGame};
pub use nelo::{NELO_OF_T, NormalizedElo};
pub use score::{Score, Tally};
pub use sprt::{EloModel, Sprt, SprtError, SprtSetup, SprtState, Verdict};
pub use table::{Meeting, OpeningRow, PlayedPair, Tables};
pub use ties::{Rank, TieBreak, ranking};
pub use totals::Totals;
