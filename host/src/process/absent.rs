//! Programs where there is no jail to put them in: none runs, and that is said.

use std::sync::Arc;

use sandboard_abi::Description;

use super::Speech;
use crate::engine::{Assets, Caps, Engine, EngineSource, Fault, Listener};
use crate::worker::Workers;

/// A program each instance of which is a process; there is none here.
pub enum ProcessSource {}

impl ProcessSource {
    /// Err, always: why there is no jail.
    pub fn new(
        workers: &Arc<Workers>,
        _: &[u8],
        _: &Description,
        _: &Speech,
        _: Caps,
        _: &Assets,
    ) -> Result<Self, Fault> {
        workers.jail()?;
        Err(Fault::new(crate::engine::FaultCode::Host, "got no jail to run in"))
    }

    /// What the program says that it is; there is none.
    pub fn describe(&self) -> Result<Description, Fault> {
        match *self {}
    }
}

impl EngineSource for ProcessSource {
    fn open_for(&self, _: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        match *self {}
    }
}
