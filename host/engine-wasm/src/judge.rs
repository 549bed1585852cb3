//! Runs the rules of plugged-in games as components. A component gets no import but a log, and each
//! call has a limit of fuel, so that two hosts reach the same answers. Reads no manifest.
//!
//! Invariant: what a judge answers is untrusted: lengths, characters, seats and scores are checked
//! before they leave this module. After a fault, all calls on the same instance fail.

mod board;
mod checks;
mod instance;
mod judged_game;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_engine::Fault;
use sandboard_games::{DynGame, GameInfo, SetupError, Variant};
use wasmtime::{Engine, Linker};

use super::compiled_modules::CompiledModules;
use super::scan::{World, admit_judge};
use super::{Metering, Runtime, load_error, load_fault};
use instance::JudgeState;
use judged_game::JudgedGame;

/// The most different reasons of endings that a judge may give.
const REASONS_MAX: usize = 256;

/// The compiled rules of a game.
pub struct JudgeModule {
    engine: Engine,
    /// The functions of the host.
    linker: Linker<JudgeState>,
    modules: CompiledModules,
    /// The reasons of endings so far. They live as long as the process, like those of built-in
    /// games, so their number is limited.
    reasons: Mutex<BTreeSet<&'static str>>,
}

impl JudgeModule {
    /// Scans and compiles the rules in a file, or takes their code from the runtime's cache. Err: a
    /// fault that says what is wrong with the file.
    pub fn load(runtime: &Runtime, bytes: &[u8]) -> Result<Arc<Self>, Fault> {
        admit_judge(bytes, runtime.load_caps()).map_err(|error| load_fault(&error))?;
        let modules = runtime.modules(Metering::Fuel, bytes, World::Judge)?;
        let engine = runtime.variant(Metering::Fuel).map_err(load_error)?.engine.clone();
        let mut linker = Linker::new(&engine);
        instance::add_imports(&mut linker).map_err(load_error)?;
        Ok(Arc::new(Self { engine, linker, modules, reasons: Mutex::default() }))
    }

    /// Begins a game of a variant, in its own instance of the component. Err: the variant or the
    /// position is refused, or the judge failed.
    pub fn set_up(
        self: &Arc<Self>,
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Box<dyn DynGame>, SetupError> {
        Ok(Box::new(JudgedGame::set_up(self, info, variant, position)?))
    }

    /// The same text with a lifetime as that of built-in games. None: there are too many.
    fn intern(&self, reason: &str) -> Option<&'static str> {
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
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
