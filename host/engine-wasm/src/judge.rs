//! Runs the rules of plugged-in games as components. A component gets no import but a log, and each
//! call has a limit of fuel, so that two hosts reach the same answers. Reads no manifest.
//!
//! Invariant: what a judge answers is untrusted: lengths, characters, seats and scores are checked
//! before they leave this module. After a fault, all calls on the same instance fail.

mod board;
mod checks;
mod description;
pub(crate) mod imports;
mod instance;
mod judged_game;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_engine::Fault;
use sandboard_games::{DynGame, GameInfo, SetupError, Variant};

use super::backend::{self, Backend, each_backend, map_backend};
use super::compiled_modules::CompiledModules;
use super::scan::{World, admit_judge};
use super::{Metering, Runtime, load_fault};
pub use description::{GameDescription, VariantDescription};
pub(crate) use imports::with_judge_imports;
pub(crate) use instance::JudgeState;
use judged_game::JudgedGame;

/// The most different reasons of endings that a judge may give.
const REASONS_MAX: usize = 256;

/// The compiled rules of a game.
pub struct JudgeModule(Rules);

/// The rules for the backend of their runtime.
enum Rules {
    #[cfg(not(target_family = "wasm"))]
    Wasmtime(Arc<JudgeTemplate<backend::wasmtime::Wasmtime>>),
    #[cfg(feature = "wasmi")]
    Wasmi(Arc<JudgeTemplate<backend::wasmi::Wasmi>>),
    #[cfg(target_family = "wasm")]
    JavaScript(Arc<JudgeTemplate<backend::javascript::JavaScript>>),
}

/// What all instances of a game's rules have in common.
struct JudgeTemplate<B: Backend> {
    backend: B,
    functions: B::HostFunctions<JudgeState<B>>,
    modules: CompiledModules<B>,
    reasons: Reasons,
}

/// The reasons of endings so far. They live as long as the process, like those of built-in games,
/// so their number is limited.
#[derive(Default)]
struct Reasons(Mutex<BTreeSet<&'static str>>);

impl JudgeModule {
    /// Scans and compiles the rules in a file, or takes their code from the runtime's cache. Err: a
    /// fault that says what is wrong with the file.
    pub fn load(runtime: &Runtime, bytes: &[u8]) -> Result<Arc<Self>, Fault> {
        admit_judge(bytes, runtime.load_caps()).map_err(|error| load_fault(&error))?;
        let modules = runtime.modules(Metering::Fuel, bytes, World::Judge)?;
        let rules = map_backend!(modules => Rules, |backend, modules| {
            JudgeTemplate::new(backend, modules)?
        });
        Ok(Arc::new(Self(rules)))
    }

    /// Begins a game of a variant, in its own instance of the component. Err: the variant or the
    /// position is refused, or the judge failed.
    pub fn set_up(
        &self,
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Box<dyn DynGame>, SetupError> {
        Ok(each_backend!(&self.0, Rules, rules => {
            Box::new(JudgedGame::set_up(rules, info, variant, position)?)
        }))
    }
}

impl<B: Backend> JudgeTemplate<B> {
    fn new(backend: B, modules: CompiledModules<B>) -> Result<Arc<Self>, Fault> {
        let functions = backend.judge_functions().map_err(|error| load_fault(&error))?;
        Ok(Arc::new(Self { backend, functions, modules, reasons: Reasons::default() }))
    }
}

impl Reasons {
    /// The same text with a lifetime as that of built-in games. None: there are too many.
    fn intern(&self, reason: &str) -> Option<&'static str> {
        let mut reasons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = reasons.get(reason) {
            return Some(known);
        }
        if reasons.len() >= REASONS_MAX {
            return None;
        }
        let reason: &'static str = Box::leak(reason.to_owned().into_boxed_str());
        reasons.insert(reason);
        Some(reason)
    }
}
