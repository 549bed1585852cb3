//! Statistics of results: scores, cross tables, rankings, ratings and sequential tests. Pure
//! arithmetic on counts. Each file names the sources of its formulas; `docs/ratings.md` explains
//! them.

mod connectivity;
mod cross_table;
mod elo;
mod fit;
mod glicko;
mod likelihood;
mod matrix;
mod mean_score;
mod nelo;
mod normal;
mod plackett_luce;
pub mod ranking;
mod score;
mod sprt;
mod totals;

#[cfg(test)]
mod tests;

pub use cross_table::{CrossTable, HeadToHead, OpeningResults, PairResult};
pub use elo::{Elo, Sample};
pub use fit::{CovarianceMethod, Estimate, Fit, FitOptions, PlayerRating, SeatAdvantage};
pub use glicko::{Glicko2, GlickoRating, PeriodGame};
pub use mean_score::{MeanScore, ScoreMethod, SeatScore, mean_scores};
pub use nelo::NormalizedElo;
pub use plackett_luce::{PlackettLuce, SkillRating};
pub use ranking::{RankedPlayer, TieBreak, rank_players};
pub use score::{MatchScore, Tally};
pub use sprt::{EloModel, Sprt, SprtError, SprtSetup, SprtState, Verdict};
pub use totals::Totals;
