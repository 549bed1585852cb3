//! Limits the time and the unbudgeted fuel of all instances of an engine together, for a test of
//! the engine. Does not interrupt a call: it refuses the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sandboard_abi::{Barred, Limits, Setup, Unit};

use crate::meter::tightest_limit;
use crate::timer::now_us;
use crate::{
    ChooseResponse, Confinement, Engine, EngineSource, Fault, FaultCode, FuelMeter, Listener,
    StopHandle, Usage,
};

/// The time and fuel of an engine's test. Fuel is the same on every machine, so exceeding it is a
/// fault of the engine. The time may be up because the machine is slow, so that is a fault of the
/// host.
#[derive(Debug)]
pub struct TestBudget {
    deadline_us: u64,
    fuel_max: u64,
    fuel: AtomicU64,
}

impl TestBudget {
    /// A budget of wall time from now on, and of fuel, in units, for instantiation, `start`,
    /// notifications of moves, and what choices burn beyond their budgets.
    pub fn new(time: Duration, fuel_max: u64) -> Arc<Self> {
        let time_us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let deadline_us = now_us().saturating_add(time_us);
        Arc::new(Self { deadline_us, fuel_max, fuel: AtomicU64::new(0) })
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        now_us() >= self.deadline_us
    }

    /// Unbudgeted fuel burned so far, in units.
    pub fn fuel(&self) -> u64 {
        self.fuel.load(Ordering::SeqCst)
    }

    /// When the time is up, on the clock of [`now_us`].
    pub fn deadline_us(&self) -> u64 {
        self.deadline_us
    }

    /// Err: the budget is used up, and no further call may begin.
    fn check(&self) -> Result<(), Fault> {
        let (fuel, max) = (self.fuel(), self.fuel_max);
        if fuel > max {
            let sentence = format!(
                "burned {fuel} units of fuel outside of its move budgets (instantiating, starting, \
                 notifications of moves, and choices beyond their budgets); at most {max} are \
                 admitted for all games of the test"
            );
            return Err(Fault::new(FaultCode::Fuel, sentence));
        }
        match self.is_over() {
            true => Err(time_fault(Usage::default())),
            false => Ok(()),
        }
    }

    /// Charges a finished call and returns its result, or the fault that replaces it.
    fn charge<T>(&self, result: Result<T, Fault>, fuel: u64) -> Result<T, Fault> {
        self.fuel.fetch_add(fuel, Ordering::SeqCst);
        // After the time is up, neither a result nor a timeout says anything about the engine.
        let value = result.map_err(|fault| self.attribute(fault))?;
        self.check().map(|()| value)
    }

    /// Turns a fault into one of the host, if the end of the time explains it.
    pub fn attribute(&self, fault: Fault) -> Fault {
        match fault.code {
            FaultCode::Timeout | FaultCode::Host if self.is_over() => time_fault(fault.spent),
            _ => fault,
        }
    }
}

fn time_fault(spent: Usage) -> Fault {
    let sentence = "was stopped because the time for its whole test is up";
    Fault { spent, ..Fault::new(FaultCode::Host, sentence) }
}

/// A source whose instances share a [`TestBudget`].
pub struct BudgetedSource {
    source: Arc<dyn EngineSource>,
    budget: Arc<TestBudget>,
}

impl BudgetedSource {
    /// Limits all instances of `source` by `budget`.
    pub fn wrap(source: Arc<dyn EngineSource>, budget: Arc<TestBudget>) -> Arc<dyn EngineSource> {
        Arc::new(Self { source, budget })
    }
}

impl EngineSource for BudgetedSource {
    fn open(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<Box<dyn Engine>, Fault> {
        self.budget.check()?;
        let opened = self.source.open(listener, threads);
        let fuel = match &opened {
            Ok(engine) => engine.unbudgeted_fuel(),
            Err(fault) => fault.spent.fuel.unwrap_or(0),
        };
        let engine = self.budget.charge(opened, fuel)?;
        Ok(Box::new(BudgetedEngine { engine, budget: self.budget.clone() }))
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.source.fuel_meter()
    }

    fn confinement(&self) -> Option<Confinement> {
        self.source.confinement()
    }
}

/// An instance of a [`BudgetedSource`].
struct BudgetedEngine {
    engine: Box<dyn Engine>,
    budget: Arc<TestBudget>,
}

impl BudgetedEngine {
    /// Makes a call that no move budget covers.
    fn call_unbudgeted<T>(
        &mut self,
        call: impl FnOnce(&mut dyn Engine) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.budget.check()?;
        let before = self.engine.unbudgeted_fuel();
        let result = call(&mut *self.engine);
        let fuel = self.engine.unbudgeted_fuel().saturating_sub(before);
        self.budget.charge(result, fuel)
    }
}

impl Engine for BudgetedEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        self.call_unbudgeted(|engine| engine.start(setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.call_unbudgeted(|engine| engine.played(mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.call_unbudgeted(|engine| engine.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        self.budget.check()?;
        let result = self.engine.choose(limits, barred);
        let spent = match &result {
            Ok(response) => response.spent,
            Err(fault) => fault.spent,
        };
        let covered = if limits.unit == Unit::Fuel { tightest_limit(limits) } else { u64::MAX };
        self.budget.charge(result, spent.fuel.unwrap_or(0).saturating_sub(covered))
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call_unbudgeted(|engine| engine.think())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NullListener;
    use sandboard_abi::{Choice, Decision};

    /// An engine that burns `per_call` units of fuel in each unbudgeted call and `per_choice` in
    /// each choice. Calls fail with `fault`, if it is given.
    #[derive(Clone)]
    struct FuelBurner {
        per_call: u64,
        per_choice: u64,
        fault: Option<FaultCode>,
        burned: u64,
    }

    impl FuelBurner {
        fn call(&mut self) -> Result<Usage, Fault> {
            self.burned += self.per_call;
            match self.fault {
                Some(code) => Err(Fault::new(code, "failed")),
                None => Ok(Usage::default()),
            }
        }
    }

    impl Engine for FuelBurner {
        fn start(&mut self, _: &Setup) -> Result<Usage, Fault> {
            self.call()
        }
        fn played(&mut self, _: &str) -> Result<(), Fault> {
            self.call().map(drop)
        }
        fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
            self.call().map(drop)
        }
        fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<ChooseResponse, Fault> {
            let choice = Choice { decision: Decision::Resign, offers_draw: false, line: None };
            let spent = Usage { fuel: Some(self.per_choice), ..Usage::default() };
            Ok(ChooseResponse { choice, spent })
        }
        fn think(&mut self) -> Result<Usage, Fault> {
            self.call()
        }
        fn stop_handle(&self) -> StopHandle {
            StopHandle::default()
        }
        fn unbudgeted_fuel(&self) -> u64 {
            self.burned
        }
    }

    impl EngineSource for FuelBurner {
        fn open(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
            Ok(Box::new(self.clone()))
        }
    }

    const HOUR: Duration = Duration::from_secs(3600);

    /// Plays a game of one move under 100 units of unbudgeted fuel.
    fn check(burner: FuelBurner, time: Duration, expected: Result<(), FaultCode>, fuel: u64) {
        let budget = TestBudget::new(time, 100);
        let source = BudgetedSource::wrap(Arc::new(burner), budget.clone());
        let limits = Limits { unit: Unit::Fuel, call_max: Some(1000), ..Limits::default() };
        let game = || {
            let mut engine = source.open(Arc::new(NullListener), 1)?;
            engine.played("h8")?;
            engine.choose(&limits, &[])?;
            engine.taken_back(1)
        };
        assert_eq!(game().map_err(|fault| fault.code), expected);
        assert_eq!(budget.fuel(), fuel);
    }

    #[test]
    fn fuel_is_charged_to_the_engine_and_time_to_the_host() {
        let burner =
            |per_call, per_choice| FuelBurner { per_call, per_choice, fault: None, burned: 0 };
        check(burner(50, 1000), HOUR, Ok(()), 100);
        check(burner(51, 1000), HOUR, Err(FaultCode::Fuel), 102);
        check(burner(0, 1100), HOUR, Ok(()), 100);
        check(burner(0, 1101), HOUR, Err(FaultCode::Fuel), 101);
        check(burner(50, 1001), HOUR, Err(FaultCode::Fuel), 101);
        check(burner(0, 0), Duration::ZERO, Err(FaultCode::Host), 0);
        let failing = |code| FuelBurner { fault: Some(code), ..burner(7, 0) };
        check(failing(FaultCode::Timeout), HOUR, Err(FaultCode::Timeout), 7);
        check(failing(FaultCode::Crash), HOUR, Err(FaultCode::Crash), 7);
    }

    #[test]
    fn only_faults_that_the_time_explains_become_the_hosts() {
        let check = |time, code, expected| {
            let fault = TestBudget::new(time, 0).attribute(Fault::new(code, "failed"));
            assert_eq!(fault.code, expected);
        };
        check(Duration::ZERO, FaultCode::Timeout, FaultCode::Host);
        check(HOUR, FaultCode::Timeout, FaultCode::Timeout);
        check(Duration::ZERO, FaultCode::Crash, FaultCode::Crash);
        check(Duration::ZERO, FaultCode::Fuel, FaultCode::Fuel);
    }
}
