//! Engines as native libraries, loaded into this process. A library does what
//! it likes with the process: loading one is the operator's explicit choice.
//! What it says across the border is checked as any engine's.
//!
//! Two ways to run one: [`Calls::Abandonable`] keeps the engine on a thread of
//! its own, so that a call which does not come back is given up and the bout
//! goes on without it; [`Calls::Inline`] calls it directly, without a way to
//! get rid of it, for benches and for the SDK's tests.
#![allow(unsafe_code)]

mod abandon;
mod host_table;
mod instance;
mod load;

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::Description;

use super::{Assets, Caps, Engine, EngineSource, Fault, Listener};
use abandon::Abandonable;
use instance::NativeInstance;
use load::Library;

/// On which thread an engine's calls run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// On a thread of the engine's own, left behind when it does not answer.
    #[default]
    Abandonable,
    /// On the caller's thread: about 10 µs faster a call, and never interrupted.
    Inline,
}

/// A loaded library. Never unloaded: it may have left threads behind.
pub struct NativeModule {
    library: Library,
    calls: Calls,
    caps: Caps,
    assets: Assets,
}

impl NativeModule {
    /// Loads a library, which runs its constructors. Err: a load fault that
    /// says what is wrong with it.
    pub fn load(path: &Path, calls: Calls, caps: Caps, assets: Assets) -> Result<Self, Fault> {
        Ok(Self { library: Library::load(path)?, calls, caps, assets })
    }

    /// What the engine says of itself; a fault where that takes longer than any call
    /// beside a choice may, unless its calls are [`Calls::Inline`].
    pub fn describe(&self) -> Result<Description, Fault> {
        match self.calls {
            Calls::Inline => self.library.describe(),
            Calls::Abandonable => abandon::describe(self.library),
        }
    }
}

impl EngineSource for NativeModule {
    fn open(&self, listener: Arc<dyn Listener>) -> Result<Box<dyn Engine>, Fault> {
        let instance = NativeInstance::new(self.library, self.caps, self.assets.clone(), listener);
        Ok(match self.calls {
            Calls::Inline => Box::new(instance),
            Calls::Abandonable => Box::new(Abandonable::new(instance)?),
        })
    }
}
