//! Engines as native libraries, loaded into this process. A library does what
//! it likes with the process: loading one is the operator's explicit choice.
//! What it says across the border is checked as any engine's.
//!
//! Ways to run one: [`Calls::Abandonable`] keeps the engine on a thread of
//! its own, so that a call which does not come back is given up and the bout
//! goes on without it; [`Calls::Inline`] calls it directly, without a way to
//! get rid of it, for benches and for the SDK's tests.
#![allow(unsafe_code)]

mod abandon;
mod copy;
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

use crate::sys::cpu::CpuClock;

/// On which thread an engine's calls run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// On a thread of the engine's own, left behind when it does not answer.
    #[default]
    Abandonable,
    /// As abandonable; but there is no other engine in this process, so that its CPU time is
    /// that of all its threads.
    Alone,
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

    /// The same of a library's bytes: what was hashed is what runs, whatever becomes of the
    /// file. `name` is what people know it by. One library is loaded once in a process.
    pub fn from_bytes(
        bytes: &[u8],
        name: &str,
        calls: Calls,
        caps: Caps,
        assets: Assets,
    ) -> Result<Self, Fault> {
        Ok(Self { library: Library::from_bytes(bytes, name)?, calls, caps, assets })
    }

    /// What the engine says of itself; a fault where that takes longer than any call
    /// beside a choice may, unless its calls are [`Calls::Inline`].
    pub fn describe(&self) -> Result<Description, Fault> {
        match self.calls {
            Calls::Inline => self.library.describe(),
            Calls::Abandonable | Calls::Alone => abandon::describe(self.library),
        }
    }
}

impl EngineSource for NativeModule {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        _threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        let clock = match self.calls {
            Calls::Alone => CpuClock::of_process(std::process::id()),
            Calls::Abandonable | Calls::Inline => None,
        };
        let (caps, assets) = (self.caps, self.assets.clone());
        let instance = NativeInstance::new(self.library, clock, caps, assets, listener);
        Ok(match self.calls {
            Calls::Inline => Box::new(instance),
            Calls::Abandonable | Calls::Alone => Box::new(Abandonable::new(instance)?),
        })
    }
}
