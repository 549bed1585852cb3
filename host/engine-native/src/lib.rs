//! Runs engines as native libraries in this process. A library can do anything that the process
//! can, so loading one is the operator's explicit choice. Everything that a library sends through
//! the ABI is checked as for other engines.
//!
//! Entry point: [`NativeModule`] loads a library. [`CallMode`] selects the thread of its calls.
#![deny(unsafe_code)]

mod engine_thread;
mod host_functions;
mod instance;
mod library;
mod private_copy;
mod threaded_engine;

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::Description;
use sandboard_common::sys::cpu::CpuClock;
use sandboard_engine::{
    Caps, Engine, EngineSource, Fault, Listener, Resources, validate_description,
};

use instance::NativeInstance;
use library::Library;
use threaded_engine::ThreadedEngine;

/// On which thread an engine's calls run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallMode {
    /// On a thread of the engine's own, which is abandoned if a call does not return: the bout
    /// continues without it.
    #[default]
    OwnThread,
    /// As [`OwnThread`](Self::OwnThread), and the process runs no other engine, so that the
    /// engine's CPU time is that of all threads of the process.
    OwnProcess,
    /// On the caller's thread. Saves about 10 µs a call, but a call cannot be interrupted. For
    /// benches and tests.
    Inline,
}

/// A loaded library. It is never unloaded, because it may have left threads behind.
pub struct NativeModule {
    library: Library,
    calls: CallMode,
    caps: Caps,
    resources: Resources,
}

impl NativeModule {
    /// Loads a library, which runs its constructors. Err: a fault that says what is wrong with it.
    pub fn load(
        path: &Path,
        calls: CallMode,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        Ok(Self { library: Library::load(path)?, calls, caps, resources })
    }

    /// Loads a library from its bytes: exactly the bytes that were hashed run, even if the file
    /// changes. `name` appears in error messages. A process loads the same bytes once.
    pub fn from_bytes(
        bytes: &[u8],
        name: &str,
        calls: CallMode,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        Ok(Self { library: Library::from_bytes(bytes, name)?, calls, caps, resources })
    }

    /// Asks the engine for its description. Except for [`CallMode::Inline`], the time is limited as
    /// for a notification of a move.
    pub fn describe(&self) -> Result<Description, Fault> {
        let description = match self.calls {
            CallMode::Inline => self.library.describe(),
            CallMode::OwnThread | CallMode::OwnProcess => threaded_engine::describe(self.library),
        };
        validate_description(description?, &self.resources.games)
    }
}

impl EngineSource for NativeModule {
    fn open(&self, listener: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        let clock = match self.calls {
            CallMode::OwnProcess => CpuClock::of_process(std::process::id()),
            CallMode::OwnThread | CallMode::Inline => None,
        };
        let (caps, resources) = (self.caps, self.resources.clone());
        let instance = NativeInstance::new(self.library, clock, caps, resources, listener);
        Ok(match self.calls {
            CallMode::Inline => Box::new(instance),
            CallMode::OwnThread | CallMode::OwnProcess => Box::new(ThreadedEngine::new(instance)?),
        })
    }
}
