//! External engines for systems without a jail. Every call returns an error.

use std::sync::Arc;

use sandboard_abi::Description;

use crate::EngineProcesses;
use sandboard_engine::{Caps, Engine, EngineSource, Fault, Listener, Resources};
use sandboard_protocols::ProtocolConfig;

/// A source of external engines. No value exists on this system.
pub enum ExternalSource {}

impl ExternalSource {
    /// Always fails, with the reason.
    pub fn new(
        processes: &Arc<EngineProcesses>,
        _: &[u8],
        _: &Description,
        _: &ProtocolConfig,
        _: Caps,
        _: &Resources,
    ) -> Result<Self, Fault> {
        processes.jail()?;
        Err(Fault::new(sandboard_engine::FaultCode::Host, "has no jail to run in"))
    }

    /// The program's description; no value exists.
    pub fn describe(&self) -> Result<Description, Fault> {
        match *self {}
    }
}

impl ExternalSource {
    /// What the program says about itself; no value exists.
    pub fn identify(&self) -> Result<super::ProgramIdentity, Fault> {
        match *self {}
    }
}

impl EngineSource for ExternalSource {
    fn open(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        match *self {}
    }
}
