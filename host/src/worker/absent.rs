//! Workers where there is no jail to put them in: there are none, and that is said.

use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::Description;

use super::CompileLimits;
use crate::engine::wasm::{Code, Compiler, Metering, Runtime, RuntimeOptions};
use crate::engine::{Assets, Caps, Engine, EngineSource, Fault, FaultCode, Listener, Patience};
use crate::jail::{Jail, Layer};

/// There is nobody to serve.
pub fn serve(_: crate::jail::Cell) -> i32 {
    1
}

/// Makes no workers.
pub struct Workers {
    program: PathBuf,
}

/// A module in workers; there is none here.
pub enum WorkerSource {}

impl Workers {
    /// Workers that cannot be had.
    pub fn new(program: PathBuf, _: CompileLimits, _: &[Layer]) -> Arc<Self> {
        Arc::new(Self { program })
    }

    /// Err, always: why there are none.
    pub fn jail(&self) -> Result<&Jail, Fault> {
        let why = Jail::start(&self.program).err().map(|error| error.to_string());
        let why = why.unwrap_or_default();
        Err(Fault::new(FaultCode::Host, format!("got no jail to run in: {why}")))
    }

    /// Err, as above.
    pub fn below_minimum(&self) -> Result<Option<String>, Fault> {
        self.jail().map(|_| None)
    }

    /// Err, as above.
    pub fn native(self: &Arc<Self>, _: &[u8], _: Caps, _: &Assets) -> Result<WorkerSource, Fault> {
        self.jail().and_then(|_| self.nothing())
    }

    /// Err, as above.
    pub fn wasm(
        self: &Arc<Self>,
        _: &Runtime,
        _: &[u8],
        _: Metering,
        _: Caps,
        _: &Assets,
    ) -> Result<WorkerSource, Fault> {
        self.jail().and_then(|_| self.nothing())
    }

    fn nothing<T>(&self) -> Result<T, Fault> {
        Err(Fault::new(FaultCode::Host, "got no jail to run in"))
    }
}

impl WorkerSource {
    /// There is nothing to hold to anything.
    pub fn within(self, _: &Patience) -> Self {
        self
    }

    /// There is nothing to describe.
    pub fn describe(&self) -> Result<Description, Fault> {
        match *self {}
    }
}

impl EngineSource for WorkerSource {
    fn open_for(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        match *self {}
    }
}

impl Compiler for Workers {
    fn compile(&self, _: &[u8], _: Metering, _: RuntimeOptions) -> Result<Code, Fault> {
        self.jail().and_then(|_| self.nothing())
    }
}
