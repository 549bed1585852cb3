//! The table of the methods.

use serde::{Deserialize, Serialize};

use super::cmaes::{CmaEs, CmaEsRun};
use super::desk::Optimizer;
use super::error::SetupError;
use super::generational::{Generational, GenerationalRun};
use super::space::Space;
use super::spsa::{Spsa, SpsaRun};
use super::steady::{SteadyState, SteadyStateRun};

/// How good weights are looked for. A setting that is left out has its default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Method {
    /// A genetic algorithm: one child at a time, and the worst goes.
    SteadyState(SteadyState),
    /// A genetic algorithm: all but the best are replaced at once.
    Generational(Generational),
    /// Simultaneous perturbation stochastic approximation. It asks for duels, all others for fitness.
    Spsa(Spsa),
    /// Covariance matrix adaptation.
    CmaEs(CmaEs),
}

impl Default for Method {
    fn default() -> Self {
        Self::SteadyState(SteadyState::default())
    }
}

impl Method {
    /// Its name, as it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SteadyState(_) => "steady-state",
            Self::Generational(_) => "generational",
            Self::Spsa(_) => "spsa",
            Self::CmaEs(_) => "cma-es",
        }
    }

    /// How many questions it takes to learn anything at all: those of a generation. SPSA learns of each.
    pub fn generation(&self, space: &Space) -> u32 {
        match self {
            Self::SteadyState(settings) => settings.population,
            Self::Generational(settings) => settings.population,
            Self::Spsa(_) => 1,
            Self::CmaEs(settings) => settings.population(space.dimension()),
        }
    }

    /// A run of it, if its settings make sense.
    pub(crate) fn run(
        &self,
        space: &Space,
        seed: u64,
        questions: Option<u32>,
    ) -> Result<Box<dyn Optimizer>, SetupError> {
        let checked = match self {
            Self::SteadyState(settings) => settings.check(),
            Self::Generational(settings) => settings.check(),
            Self::Spsa(settings) => settings.check(),
            Self::CmaEs(settings) => settings.check(),
        };
        checked.map_err(|error| SetupError::Settings { method: self.name(), error })?;
        Ok(match *self {
            Self::SteadyState(settings) => Box::new(SteadyStateRun::new(settings)),
            Self::Generational(settings) => Box::new(GenerationalRun::new(settings)),
            Self::Spsa(settings) => Box::new(SpsaRun::new(settings, space, questions)),
            Self::CmaEs(settings) => Box::new(CmaEsRun::new(settings, space, seed)),
        })
    }
}
