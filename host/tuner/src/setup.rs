//! The setup of a tuning run, as JSON. Setup and journal together determine the whole run.

use sandboard_evolution::Space;
use serde::{Deserialize, Serialize};

use sandboard_arena_plan::{Contestant, OpeningsSource};
use sandboard_bout::referee::BoutSettings;

/// The `format` of the first line of a journal.
pub const FORMAT: &str = "sandboard-tune";
/// The version of the journal that this host writes and reads.
pub const VERSION: u32 = 2;

/// The setup of a tuning run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneSetup {
    pub format: String,
    pub version: u32,
    /// The host's version.
    pub host: String,
    /// The start time, as RFC 3339.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant, with its board size.
    pub variant: String,
    /// The engine, with the options that are not tuned.
    pub engine: Contestant,
    /// Its opponents in every season. Empty if recorded games are the measure, or if it plays
    /// against its own start weights and earlier best weights.
    pub opponents: Vec<Contestant>,
    /// The kind and size of a measurement.
    pub measure: Measure,
    /// The file of openings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsSource>,
    /// The rules of the bouts.
    pub settings: BoutSettings,
    /// The tuned options, the method, and the budget of all seasons together.
    pub run: sandboard_evolution::Setup,
    /// The number of seasons, at least 1. Each season starts from the best weights of the previous
    /// one and plays against the best weights of all earlier ones.
    pub seasons: u32,
    /// The length, in pairs of games, of the final match between found and start weights.
    pub final_pairs: u32,
}

/// How the strength of weights is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// By games against opponents, in pairs.
    Games {
        /// The maximum number of pairs in a measurement.
        pairs: u32,
        /// The probability, from 0 to 1, of stopping a measurement of good weights early; `None`:
        /// all pairs are played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        race_error: Option<f64>,
    },
    /// By agreement with the moves chosen in a file of games.
    Agreement {
        /// The file's name.
        file: String,
        /// Its SHA-256 in hexadecimal.
        sha256: String,
        /// The number of positions in a measurement, a multiple of [`POSITIONS_PER_UNIT`].
        positions: u32,
        /// As for games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        race_error: Option<f64>,
    },
}

/// The number of positions in a unit. Each agreement counts a half point, so that a unit has as
/// many half points as a pair of games.
pub const POSITIONS_PER_UNIT: u32 = 4;

impl Measure {
    /// The number of units in a measurement: pairs of games, or blocks of positions.
    pub fn units(&self) -> u32 {
        match self {
            Self::Games { pairs, .. } => *pairs,
            Self::Agreement { positions, .. } => positions / POSITIONS_PER_UNIT,
        }
    }

    /// The probability of stopping a measurement of good weights early, if early stops are allowed.
    pub fn race_error(&self) -> Option<f64> {
        match self {
            Self::Games { race_error, .. } | Self::Agreement { race_error, .. } => *race_error,
        }
    }
}

impl TuneSetup {
    /// The tuned options with their ranges.
    pub fn space(&self) -> &Space {
        &self.run.space
    }
}
