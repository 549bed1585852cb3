//! The jail's face where the system has none of what it is made of: says so.

use std::convert::Infallible;
use std::path::Path;

use super::{Channel, End, JailError, Layer, Layers, Order, Trial, Zygote};
use crate::sys::cpu::CpuClock;

/// The handle of a zygote; there is none here.
#[derive(Debug)]
pub struct Jail(Infallible);

impl Jail {
    /// Err, always: this system has no jail.
    pub fn start(program: &Path) -> Result<Self, JailError> {
        Self::start_without(program, &[])
    }

    /// As above.
    pub fn start_without(_program: &Path, _without: &[Layer]) -> Result<Self, JailError> {
        let words: Vec<&str> = Layer::ALL.into_iter().map(Layer::word).collect();
        let words = words.join(", ");
        Err(JailError::NoJail(format!("{words} are Linux's; run contests on a Linux machine")))
    }

    /// What holds its inmates.
    pub fn layers(&self) -> &Layers {
        match self.0 {}
    }

    /// Tries what it forbids.
    pub fn examine(&self, _file: &Path) -> Result<Vec<Trial>, JailError> {
        match self.0 {}
    }

    /// Makes an inmate that becomes a program.
    pub fn try_program(&self) -> Result<(), String> {
        match self.0 {}
    }

    /// Makes a process.
    pub fn spawn(&self, _order: Order) -> Result<Inmate, JailError> {
        match self.0 {}
    }
}

/// A jailed process, seen from its host. Dropped, it is killed.
#[derive(Debug)]
pub struct Inmate {
    /// The protocol.
    pub channel: Channel,
    /// Words that overtake the protocol.
    pub stops: Channel,
    none: Infallible,
}

impl Inmate {
    /// What kills it.
    pub fn killer(&self) -> Killer {
        match self.none {}
    }

    /// The CPU time of all of it.
    pub fn cpu_clock(&self) -> CpuClock {
        match self.none {}
    }

    /// Waits as long at most for it to end by itself.
    pub fn has_ended_within(&self, _patience: std::time::Duration) -> bool {
        match self.none {}
    }

    /// As `end`, but without waiting for its init.
    pub fn fate(&self) -> End {
        match self.none {}
    }

    /// Kills it unless it has ended, waits until every process of it is gone, and says how it ended.
    pub fn end(self) -> End {
        match self.none {}
    }
}

/// Kills an inmate, from any thread, once or often.
#[derive(Clone, Debug)]
pub struct Killer(Infallible);

impl Killer {
    /// At once.
    pub fn kill(&self) {
        match self.0 {}
    }
}

/// What `sandboard zygote` does here: nothing.
pub fn zygote_main(_zygote: &Zygote, _without: &[Layer]) -> std::process::ExitCode {
    eprintln!("error: there are no jailed processes on this system");
    std::process::ExitCode::from(2)
}
