//! Optimisation methods that find good weights for an engine's options from the results of games.
//!
//! This crate never reads a clock, a file or the environment, starts no threads, and knows no
//! engine and no rules of a game. All random numbers come from the seed of the setup. The same
//! results give the same run, in whatever order they arrive.
//!
//! A [`Tuner`] has an ask-and-tell interface:
//!
//! ```
//! use sandboard_evolution::{Fitness, MeasurementResult, Setup, Subject, Tuner};
//!
//! let setup: Setup = serde_json::from_str(
//!     r#"{
//!         "space": [{ "name": "centre", "kind": "whole", "min": 0, "max": 100, "start": 20 }],
//!         "method": { "name": "steady-state", "population": 4 },
//!         "seed": 7,
//!         "budget": { "measurements": 40 }
//!     }"#,
//! )?;
//! let mut tuner = Tuner::new(setup)?;
//! while tuner.end().is_none() {
//!     for request in tuner.ask() {
//!         let Subject::Fitness { weights, .. } = request.subject else { unreachable!() };
//!         // Here games are played. This engine plays best with 50.
//!         let share = 1.0 - (weights.values()[0] - 50.0).abs() / 100.0;
//!         let fitness = Fitness { share, standard_error: 0.0, games: 1 };
//!         tuner.tell(request.number, MeasurementResult::Fitness(fitness))?;
//!     }
//! }
//! assert!((tuner.best().values()[0] - 50.0).abs() < 10.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cmaes;
mod error;
mod generational;
mod history;
mod measurement;
mod method;
mod optimizer;
mod racing;
mod rng;
mod space;
mod spsa;
mod steady_state;
mod tuner;
mod variation;
mod weights;

#[cfg(test)]
mod tests;

pub use cmaes::CmaEs;
pub use error::{JournalError, SettingsError, SetupError, TellError};
pub use generational::Generational;
pub use history::{Generation, Origin, Shares, TunerEvent};
pub use measurement::{Fitness, MeasurementRequest, MeasurementResult, Subject};
pub use method::Method;
pub use racing::{Race, RaceError, RaceSetup, RaceStatus};
pub use space::{PARAMETERS_MAX, Parameter, ParameterKind, Space, SpaceError};
pub use spsa::Spsa;
pub use steady_state::SteadyState;
pub use tuner::{Budget, End, Progress, Setup, Tuner};
pub use variation::Variation;
pub use weights::Weights;
