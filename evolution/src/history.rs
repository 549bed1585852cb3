//! The history of a tuning run: every request, result and removal, and a summary of each
//! generation. For reports only; no decision depends on it.

use serde::{Deserialize, Serialize};

use super::measurement::{MeasurementRequest, MeasurementResult};
use super::weights::Weights;

/// Why a measurement was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Origin {
    /// A member of the initial population.
    Initial,
    /// Offspring of the weights that these requests introduced. With a single parent it is a
    /// mutated copy.
    Offspring {
        /// The numbers of the requests that introduced the parents.
        parents: Vec<u32>,
    },
    /// A repeated measurement of a member, so that a single lucky result does not keep it alive.
    Remeasurement {
        /// The request that introduced the weights.
        of: u32,
    },
    /// Sampled from a distribution (CMA-ES).
    Sample,
    /// The two sides of a perturbed point (SPSA).
    Perturbation,
}

/// Shares of the points within a generation, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// The highest share.
    pub best: f64,
    /// The mean share.
    pub mean: f64,
    /// The lowest share.
    pub worst: f64,
}

impl Shares {
    pub(crate) fn of(shares: &[f64]) -> Option<Self> {
        let best = shares.iter().copied().reduce(f64::max)?;
        let worst = shares.iter().copied().reduce(f64::min)?;
        Some(Self { best, mean: shares.iter().sum::<f64>() / shares.len() as f64, worst })
    }
}

/// A summary after some results: one generation of a generational method or of CMA-ES, as many
/// results as the population has members for the steady state, ten iterations for SPSA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// The number of the generation, from 0.
    pub number: u32,
    /// The number of measurements recorded so far.
    pub measurements: u32,
    /// The number of games of these measurements.
    pub games: u64,
    /// The weights that the method would return now.
    pub best: Weights,
    /// The mean of the population, or the current point of SPSA, in the units of the options; not
    /// rounded.
    pub mean: Vec<f64>,
    /// The shares of the members; `None` for a method that measures duels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// The mean distance between two members, 0 to 1: the root mean square over the parameters,
    /// each as a part of its range. `None` with fewer than two members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diversity: Option<f64>,
    /// The requests that introduced the members.
    pub members: Vec<u32>,
}

/// An event of a run, in the order in which they occurred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TunerEvent {
    /// The tuner requested a measurement.
    Requested {
        /// The requested measurement.
        request: MeasurementRequest,
        /// Why it was made.
        origin: Origin,
    },
    /// The tuner recorded a result. Results are recorded in the order of their requests.
    Recorded {
        /// The number of the request.
        number: u32,
        /// The measured result.
        result: MeasurementResult,
    },
    /// Weights were removed from the population.
    Removed {
        /// The number of the request that introduced them.
        number: u32,
    },
    /// A generation was completed.
    Generation(Generation),
}
