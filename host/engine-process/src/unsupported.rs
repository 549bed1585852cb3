//! The types of this crate for systems without a jail. Every call that needs a process returns an
//! error.

use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::Description;

use super::CompileLimits;
use sandboard_engine::{
    Caps, Engine, EngineSource, Fault, FaultCode, Listener, Resources, TestBudget,
};
use sandboard_engine_wasm::{CompiledCode, Compiler, Metering, Runtime, RuntimeOptions};
use sandboard_jail::{Jail, Layer};

/// Never serves: there are no engine processes.
pub fn serve(_: sandboard_jail::ChildContext) -> i32 {
    1
}

/// Engine processes, which this system does not have.
pub struct EngineProcesses {
    program: PathBuf,
}

/// A source of engines in processes. No value exists on this system.
pub enum EngineProcessSource {}

impl EngineProcesses {
    /// Remembers the program for the error message.
    pub fn new(program: PathBuf, _: CompileLimits, _: &[Layer]) -> Arc<Self> {
        Arc::new(Self { program })
    }

    /// Always fails, with the reason.
    pub fn jail(&self) -> Result<&Jail, Fault> {
        let why = Jail::start(&self.program).err().map(|error| error.to_string());
        let why = why.unwrap_or_default();
        Err(Fault::new(FaultCode::Host, format!("has no jail to run in: {why}")))
    }

    /// Always fails, with the reason.
    pub fn below_minimum(&self) -> Result<Option<String>, Fault> {
        self.jail().map(|_| None)
    }

    /// Always fails, with the reason.
    pub fn native(
        self: &Arc<Self>,
        _: &[u8],
        _: Caps,
        _: &Resources,
    ) -> Result<EngineProcessSource, Fault> {
        self.jail().and_then(|_| self.no_jail())
    }

    /// Always fails, with the reason.
    pub fn wasm(
        self: &Arc<Self>,
        _: &Runtime,
        _: &[u8],
        _: Metering,
        _: Caps,
        _: &Resources,
    ) -> Result<EngineProcessSource, Fault> {
        self.jail().and_then(|_| self.no_jail())
    }

    fn no_jail<T>(&self) -> Result<T, Fault> {
        Err(Fault::new(FaultCode::Host, "has no jail to run in"))
    }
}

impl EngineProcessSource {
    /// The same source; no value exists.
    pub fn within(self, _: &TestBudget) -> Self {
        self
    }

    /// The engine's description; no value exists.
    pub fn describe(&self) -> Result<Description, Fault> {
        match *self {}
    }
}

impl EngineSource for EngineProcessSource {
    fn open(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        match *self {}
    }
}

impl Compiler for EngineProcesses {
    fn compile(&self, _: &[u8], _: Metering, _: RuntimeOptions) -> Result<CompiledCode, Fault> {
        self.jail().and_then(|_| self.no_jail())
    }
}
