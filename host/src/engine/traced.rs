//! Every border call in the log, at level `debug`: what went in, what came
//! back, how long it took. Wrapped around an engine only when somebody listens.

use sandboard_abi::{Barred, Limits, Setup};

use super::timer::now_us;
use super::{Answer, Control, Engine, Fault, Spent};

/// An engine whose calls are logged.
pub struct Traced {
    engine: Box<dyn Engine>,
    name: String,
}

impl Traced {
    /// Wraps `engine` if the log takes `debug`, else gives it back as it is.
    pub fn wrap(engine: Box<dyn Engine>, name: &str) -> Box<dyn Engine> {
        match log::log_enabled!(log::Level::Debug) {
            true => Box::new(Self { engine, name: name.to_owned() }),
            false => engine,
        }
    }

    fn call<T: std::fmt::Debug>(
        &mut self,
        call: std::fmt::Arguments<'_>,
        make: impl FnOnce(&mut dyn Engine) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        log::debug!("{} <- {call}", self.name);
        let began = now_us();
        let result = make(&mut *self.engine);
        let took = now_us().saturating_sub(began);
        match &result {
            Ok(value) => log::debug!("{} -> {value:?} in {took} µs", self.name),
            Err(fault) => {
                log::debug!("{} -> fault {}: {fault} in {took} µs", self.name, fault.code)
            }
        }
        result
    }
}

impl Engine for Traced {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.call(format_args!("start {setup:?}"), |engine| engine.start(setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.call(format_args!("played {mv}"), |engine| engine.played(mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.call(format_args!("taken-back {plies}"), |engine| engine.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        let call = format_args!("choose {limits:?} barred {barred:?}");
        self.call(call, |engine| engine.choose(limits, barred))
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.call(format_args!("think"), |engine| engine.think())
    }

    fn control(&self) -> Control {
        self.engine.control()
    }

    fn own_fuel(&self) -> u64 {
        self.engine.own_fuel()
    }
}
