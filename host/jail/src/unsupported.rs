//! The types of the jail for systems without one. Every call that needs a jail returns an error.

use std::convert::Infallible;
use std::path::Path;

use super::{Channel, ExitReport, JailError, Layer, Layers, ProbeReport, SpawnRequest, Zygote};
use sandboard_common::sys::cpu::CpuClock;

/// The handle of a zygote. No value exists on this system.
#[derive(Debug)]
pub struct Jail(Infallible);

impl Jail {
    /// Always fails: this system has no jail.
    pub fn start(program: &Path) -> Result<Self, JailError> {
        Self::start_without(program, &[])
    }

    /// Always fails: this system has no jail.
    pub fn start_without(_program: &Path, _without: &[Layer]) -> Result<Self, JailError> {
        let words: Vec<&str> = Layer::ALL.into_iter().map(Layer::word).collect();
        let words = words.join(", ");
        Err(JailError::Unsupported(format!("{words} need Linux; run contests on a Linux machine")))
    }

    /// The layers that confine its processes.
    pub fn layers(&self) -> &Layers {
        match self.0 {}
    }

    /// Tries the actions that the jail forbids.
    pub fn self_test(&self, _file: &Path) -> Result<Vec<ProbeReport>, JailError> {
        match self.0 {}
    }

    /// Makes a process that becomes a program.
    pub fn test_program(&self) -> Result<(), String> {
        match self.0 {}
    }

    /// Makes a jailed process.
    pub fn spawn(&self, _request: SpawnRequest) -> Result<JailedProcess, JailError> {
        match self.0 {}
    }
}

/// The host's handle of a jailed process.
#[derive(Debug)]
pub struct JailedProcess {
    /// The channel of the calls and answers.
    pub channel: Channel,
    /// The channel of stop requests.
    pub stop_channel: Channel,
    none: Infallible,
}

impl JailedProcess {
    /// A handle that can kill the process.
    pub fn kill_handle(&self) -> KillHandle {
        match self.none {}
    }

    /// The CPU clock of the whole process.
    pub fn cpu_clock(&self) -> CpuClock {
        match self.none {}
    }

    /// Waits for the process to end by itself.
    pub fn exits_within(&self, _timeout: std::time::Duration) -> bool {
        match self.none {}
    }

    /// Kills the process without waiting for its init.
    pub fn kill_and_report(&self) -> ExitReport {
        match self.none {}
    }

    /// Kills the process, waits for it and reports how it ended.
    pub fn kill_and_wait(self) -> ExitReport {
        match self.none {}
    }
}

/// Kills a jailed process.
#[derive(Clone, Debug)]
pub struct KillHandle(Infallible);

impl KillHandle {
    /// Kills the process at once.
    pub fn kill(&self) {
        match self.0 {}
    }
}

/// Reports that this system has no jail.
pub fn zygote_main(_zygote: &ZygoteHooks, _without: &[Layer]) -> std::process::ExitCode {
    eprintln!("error: this system cannot jail processes");
    std::process::ExitCode::from(2)
}
