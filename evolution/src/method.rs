//! The optimisation methods by name.

use serde::{Deserialize, Serialize};

use super::cmaes::{CmaEs, CmaEsRun};
use super::error::SetupError;
use super::generational::{Generational, GenerationalRun};
use super::optimizer::Optimizer;
use super::space::Space;
use super::spsa::{Spsa, SpsaRun};
use super::steady_state::{SteadyState, SteadyStateRun};

/// An optimisation method with its settings. A missing setting takes its default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Method {
    /// A genetic algorithm that replaces the worst member by one offspring at a time.
    SteadyState(SteadyState),
    /// A genetic algorithm that replaces all but the best members at once.
    Generational(Generational),
    /// Simultaneous perturbation stochastic approximation. The only method that measures duels; all
    /// others measure fitness.
    Spsa(Spsa),
    /// Covariance matrix adaptation evolution strategy.
    CmaEs(CmaEs),
}

impl Default for Method {
    fn default() -> Self {
        Self::SteadyState(SteadyState::default())
    }
}

impl Method {
    /// The name of the method in setups and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SteadyState(_) => "steady-state",
            Self::Generational(_) => "generational",
            Self::Spsa(_) => "spsa",
            Self::CmaEs(_) => "cma-es",
        }
    }

    /// The number of measurements in one generation; from fewer, the method learns nothing. 1 for
    /// SPSA, which learns from every measurement.
    pub fn generation_size(&self, space: &Space) -> u32 {
        match self {
            Self::SteadyState(settings) => settings.population,
            Self::Generational(settings) => settings.population,
            Self::Spsa(_) => 1,
            Self::CmaEs(settings) => settings.population(space.dimension()),
        }
    }

    /// Starts a run of the method after checking its settings. `measurements` is the budget, if
    /// known.
    pub(crate) fn start(
        &self,
        space: &Space,
        seed: u64,
        measurements: Option<u32>,
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
            Self::Spsa(settings) => Box::new(SpsaRun::new(settings, space, measurements)),
            Self::CmaEs(settings) => Box::new(CmaEsRun::new(settings, space, seed)),
        })
    }
}
