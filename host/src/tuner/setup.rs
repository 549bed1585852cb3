//! What a tuning run is begun with: with its journal it is the whole run. A value, as JSON.

use sandboard_evolution::Space;
use serde::{Deserialize, Serialize};

use crate::arena::{Contestant, OpeningsSource};
use crate::referee::Settings;

/// What the first line of every journal names itself.
pub const FORMAT: &str = "sandboard-tune";
/// The version of the journal that this host writes and reads.
pub const VERSION: u32 = 2;

/// A tuning run as it was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneSetup {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The host's version.
    pub host: String,
    /// When, as RFC 3339.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant with the size in force.
    pub variant: String,
    /// The engine; of its options those that are not tuned.
    pub engine: Contestant,
    /// Whom it plays in every season. None where it is held against games that were played, and where it plays the engine as
    /// it begins and then what it found.
    pub opponents: Vec<Contestant>,
    /// What a measurement is.
    pub measure: Measure,
    /// The file of openings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsSource>,
    /// The rules of the bouts.
    pub settings: Settings,
    /// What is tuned, how, and how long, all seasons together.
    pub run: sandboard_evolution::Setup,
    /// In how many parts it is made, each of which begins with the best of the one before and plays the bests of all before,
    /// 1 at least.
    pub seasons: u32,
    /// Pairs of games of the weights that are found against those it began with, when the run is over.
    pub final_pairs: u32,
}

/// How well weights play, and how much of it is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// By pairs of games against the opponents.
    Games {
        /// Pairs of a measurement, at most.
        pairs: u32,
        /// The probability with which weights that are good enough may be given up early; none: all pairs are
        /// played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        race_error: Option<f64>,
    },
    /// By the moves that it chooses as somebody did in a file of games.
    Agreement {
        /// The file's name.
        file: String,
        /// Its SHA-256 in hexadecimal.
        sha256: String,
        /// Positions of a measurement, a multiple of [`BLOCK`].
        positions: u32,
        /// The same as for games.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        race_error: Option<f64>,
    },
}

/// So many positions are one unit of a measurement, as two games are: each that agrees brings a half point.
pub const BLOCK: u32 = 4;

impl Measure {
    /// How many units a measurement has: pairs of games, or blocks of positions.
    pub fn units(&self) -> u32 {
        match self {
            Self::Games { pairs, .. } => *pairs,
            Self::Agreement { positions, .. } => positions / BLOCK,
        }
    }

    /// The probability with which weights that are good enough may be given up early.
    pub fn race_error(&self) -> Option<f64> {
        match self {
            Self::Games { race_error, .. } | Self::Agreement { race_error, .. } => *race_error,
        }
    }
}

impl TuneSetup {
    /// What is tuned.
    pub fn space(&self) -> &Space {
        &self.run.space
    }
}
