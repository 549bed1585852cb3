//! Logs every call of an engine at level `debug`: arguments, result and time. Changes no call.

use std::fmt;

use sandboard_abi::{Barred, Limits, Setup};

use crate::timer::now_us;
use crate::{ChooseResponse, Engine, Fault, StopHandle, Usage};

/// An engine whose calls are logged.
pub struct TracingEngine {
    engine: Box<dyn Engine>,
    name: String,
}

impl TracingEngine {
    /// Wraps `engine` if level `debug` is logged; otherwise returns it unchanged.
    pub fn wrap(engine: Box<dyn Engine>, name: &str) -> Box<dyn Engine> {
        match log::log_enabled!(log::Level::Debug) {
            true => Box::new(Self { engine, name: name.to_owned() }),
            false => engine,
        }
    }

    fn call<T: fmt::Debug>(
        &mut self,
        description: fmt::Arguments<'_>,
        call: impl FnOnce(&mut dyn Engine) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        log::debug!("{} <- {description}", self.name);
        let start_us = now_us();
        let result = call(&mut *self.engine);
        let wall_us = now_us().saturating_sub(start_us);
        match &result {
            Ok(value) => log::debug!("{} -> {value:?} in {wall_us} µs", self.name),
            Err(fault) => {
                log::debug!("{} -> fault {}: {fault} in {wall_us} µs", self.name, fault.code)
            }
        }
        result
    }
}

impl Engine for TracingEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        self.call(format_args!("start {setup:?}"), |engine| engine.start(setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.call(format_args!("played {mv}"), |engine| engine.played(mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.call(format_args!("taken-back {plies}"), |engine| engine.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        let description = format_args!("choose {limits:?} barred {barred:?}");
        self.call(description, |engine| engine.choose(limits, barred))
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call(format_args!("think"), |engine| engine.think())
    }

    fn stop_handle(&self) -> StopHandle {
        self.engine.stop_handle()
    }

    fn unbudgeted_fuel(&self) -> u64 {
        self.engine.unbudgeted_fuel()
    }

    fn lower_fuel_guard(&mut self, guard_us: u64) {
        self.engine.lower_fuel_guard(guard_us);
    }
}
