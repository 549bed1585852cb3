//! Finding good weights for an engine's options, as values: which weights are to be tried next, given
//! how those before them played. Pure: no clock, file, thread, engine or rule of any game, and no
//! randomness but a seed's. The same answers to the same questions give the same run, in whatever
//! order they came in.
//!
//! A [`Tuner`] asks and is told:
//!
//! ```
//! use sandboard_evolution::{Answer, Asked, Fitness, Setup, Tuner};
//!
//! let setup: Setup = serde_json::from_str(
//!     r#"{
//!         "space": [{ "name": "centre", "kind": "whole", "min": 0, "max": 100, "start": 20 }],
//!         "method": { "name": "steady-state", "population": 4 },
//!         "seed": 7,
//!         "budget": { "questions": 40 }
//!     }"#,
//! )?;
//! let mut tuner = Tuner::new(setup)?;
//! while tuner.end().is_none() {
//!     for question in tuner.ask() {
//!         let Asked::Fitness { weights, .. } = question.asked else { unreachable!() };
//!         // Here games are played. This engine plays best with 50.
//!         let share = 1.0 - (weights.values()[0] - 50.0).abs() / 100.0;
//!         tuner.tell(question.number, Answer::Fitness(Fitness { share, error: 0.0, games: 1 }))?;
//!     }
//! }
//! assert!((tuner.best().values()[0] - 50.0).abs() < 10.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod breeding;
mod cmaes;
mod desk;
mod draw;
mod error;
mod generational;
mod history;
mod method;
mod race;
mod space;
mod spsa;
mod steady;
mod tuner;
mod weights;

#[cfg(test)]
mod bench;
#[cfg(test)]
mod functions;
#[cfg(test)]
mod properties;

pub use answer::{Answer, Asked, Fitness, Question};
pub use breeding::Breeding;
pub use cmaes::CmaEs;
pub use error::{JournalError, SettingsError, SetupError, TellError};
pub use generational::Generational;
pub use history::{Event, Generation, Origin, Shares};
pub use method::Method;
pub use race::{Race, RaceError, RaceSetup, Standing};
pub use space::{Kind, PARAMETERS_MAX, Parameter, Space, SpaceError};
pub use spsa::Spsa;
pub use steady::SteadyState;
pub use tuner::{Budget, End, Progress, Setup, Tuner};
pub use weights::Weights;
