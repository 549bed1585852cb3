//! What all instances of an engine may take together: until when they are called, and how much fuel they may burn that no
//! budget of a move covers. Judges nothing else, and starts no thread but by an alarm.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sandboard_abi::{Barred, Limits, Setup, Unit};

use super::meter::tightest;
use super::timer::now_us;
use super::{
    Answer, Confinement, Control, Engine, EngineSource, Fault, FaultCode, FuelClock, Listener,
    Spent,
};

/// The time and the fuel of one engine's test. Fuel decides about the engine and is the same on every machine; when the time
/// is over before, the machine may be to blame, and so it is the host's fault.
#[derive(Debug)]
pub struct Patience {
    until_us: u64,
    fuel_most: u64,
    fuel: AtomicU64,
}

impl Patience {
    /// So long from now on; and so much fuel, in units, for instantiating, starting, hearing of moves, and for what choices
    /// burn beyond their budgets.
    pub fn new(time: Duration, fuel_most: u64) -> Arc<Self> {
        let time_us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let until_us = now_us().saturating_add(time_us);
        Arc::new(Self { until_us, fuel_most, fuel: AtomicU64::new(0) })
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        now_us() >= self.until_us
    }

    /// Fuel that was burnt so far and that no budget covers, in units.
    pub fn fuel(&self) -> u64 {
        self.fuel.load(Ordering::SeqCst)
    }

    /// When the time is over, on this process's clock in microseconds.
    pub(crate) fn until_us(&self) -> u64 {
        self.until_us
    }

    /// Err: it is over, and what follows is not to be begun.
    fn holds(&self) -> Result<(), Fault> {
        let (fuel, most) = (self.fuel(), self.fuel_most);
        if fuel > most {
            let sentence = format!(
                "burnt {fuel} units of fuel that no move's budget covers (instantiating, starting, hearing of moves, and \
                 beyond the budgets of choices); there are {most} for all games of the test"
            );
            return Err(Fault::new(FaultCode::Fuel, sentence));
        }
        match self.is_over() {
            true => Err(over(Spent::default())),
            false => Ok(()),
        }
    }

    /// What a call brought that burnt so much, with what it means for the whole.
    fn after<T>(&self, brought: Result<T, Fault>, fuel: u64) -> Result<T, Fault> {
        self.fuel.fetch_add(fuel, Ordering::SeqCst);
        // An answer that was cut short says nothing, and neither does how it was cut.
        let brought = brought.map_err(|fault| self.blamed(fault))?;
        self.holds().map(|()| brought)
    }

    /// A fault that is no fault of the engine, if the time was over when it came.
    pub(crate) fn blamed(&self, fault: Fault) -> Fault {
        match fault.code {
            FaultCode::Timeout | FaultCode::Host if self.is_over() => over(fault.spent),
            _ => fault,
        }
    }
}

/// The fault of who was not waited for: the host's.
fn over(spent: Spent) -> Fault {
    let sentence = "was not waited for any longer: the time for all of its test is over";
    Fault { spent, ..Fault::new(FaultCode::Host, sentence) }
}

/// Instances that share one patience.
pub struct PatientSource {
    source: Arc<dyn EngineSource>,
    patience: Arc<Patience>,
}

impl PatientSource {
    /// All instances of the source, held to this.
    pub fn wrap(source: Arc<dyn EngineSource>, patience: Arc<Patience>) -> Arc<dyn EngineSource> {
        Arc::new(Self { source, patience })
    }
}

impl EngineSource for PatientSource {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        self.patience.holds()?;
        let opened = self.source.open_for(listener, threads);
        let fuel = match &opened {
            Ok(engine) => engine.own_fuel(),
            Err(fault) => fault.spent.fuel.unwrap_or(0),
        };
        let engine = self.patience.after(opened, fuel)?;
        Ok(Box::new(Patient { engine, patience: self.patience.clone() }))
    }

    fn fuel_clock(&self) -> Option<FuelClock> {
        self.source.fuel_clock()
    }

    fn confinement(&self) -> Option<Confinement> {
        self.source.confinement()
    }
}

/// One of them.
struct Patient {
    engine: Box<dyn Engine>,
    patience: Arc<Patience>,
}

impl Patient {
    /// A call that no budget covers.
    fn own<T>(
        &mut self,
        call: impl FnOnce(&mut dyn Engine) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.patience.holds()?;
        let before = self.engine.own_fuel();
        let brought = call(&mut *self.engine);
        let fuel = self.engine.own_fuel().saturating_sub(before);
        self.patience.after(brought, fuel)
    }
}

impl Engine for Patient {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.own(|engine| engine.start(setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.own(|engine| engine.played(mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.own(|engine| engine.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        self.patience.holds()?;
        let chosen = self.engine.choose(limits, barred);
        let spent = match &chosen {
            Ok(answer) => answer.spent,
            Err(fault) => fault.spent,
        };
        let allowed = if limits.unit == Unit::Fuel { tightest(limits) } else { u64::MAX };
        self.patience.after(chosen, spent.fuel.unwrap_or(0).saturating_sub(allowed))
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.own(|engine| engine.think())
    }

    fn control(&self) -> Control {
        self.engine.control()
    }

    fn own_fuel(&self) -> u64 {
        self.engine.own_fuel()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Deaf;
    use sandboard_abi::{Choice, Decision};

    /// Burns so much in each call that no budget covers, and so much in each choice; `ends`: with this fault.
    #[derive(Clone)]
    struct Burner {
        own: u64,
        choice: u64,
        ends: Option<FaultCode>,
        burnt: u64,
    }

    impl Burner {
        fn call(&mut self) -> Result<Spent, Fault> {
            self.burnt += self.own;
            match self.ends {
                Some(code) => Err(Fault::new(code, "ended")),
                None => Ok(Spent::default()),
            }
        }
    }

    impl Engine for Burner {
        fn start(&mut self, _: &Setup) -> Result<Spent, Fault> {
            self.call()
        }
        fn played(&mut self, _: &str) -> Result<(), Fault> {
            self.call().map(drop)
        }
        fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
            self.call().map(drop)
        }
        fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<Answer, Fault> {
            let choice = Choice { decision: Decision::Resign, offers_draw: false, line: None };
            let spent = Spent { fuel: Some(self.choice), ..Spent::default() };
            Ok(Answer { choice, spent })
        }
        fn think(&mut self) -> Result<Spent, Fault> {
            self.call()
        }
        fn control(&self) -> Control {
            Control::default()
        }
        fn own_fuel(&self) -> u64 {
            self.burnt
        }
    }

    impl EngineSource for Burner {
        fn open_for(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
            Ok(Box::new(self.clone()))
        }
    }

    const HOUR: Duration = Duration::from_secs(3600);

    /// A game of one move: how it ends, and what was burnt that no budget covers.
    fn check(burner: Burner, time: Duration, expected: Result<(), FaultCode>, burnt: u64) {
        let patience = Patience::new(time, 100);
        let source = PatientSource::wrap(Arc::new(burner), patience.clone());
        let limits = Limits { unit: Unit::Fuel, call_max: Some(1000), ..Limits::default() };
        let game = || {
            let mut engine = source.open(Arc::new(Deaf))?;
            engine.played("h8")?;
            engine.choose(&limits, &[])?;
            engine.taken_back(1)
        };
        assert_eq!(game().map_err(|fault| fault.code), expected);
        assert_eq!(patience.fuel(), burnt);
    }

    #[test]
    fn fuel_decides_and_time_is_nobodys_fault() {
        let burner = |own, choice| Burner { own, choice, ends: None, burnt: 0 };
        check(burner(50, 1000), HOUR, Ok(()), 100);
        check(burner(51, 1000), HOUR, Err(FaultCode::Fuel), 102);
        check(burner(0, 1100), HOUR, Ok(()), 100);
        check(burner(0, 1101), HOUR, Err(FaultCode::Fuel), 101);
        check(burner(50, 1001), HOUR, Err(FaultCode::Fuel), 101);
        check(burner(0, 0), Duration::ZERO, Err(FaultCode::Host), 0);
        let ends = |code| Burner { ends: Some(code), ..burner(7, 0) };
        check(ends(FaultCode::Timeout), HOUR, Err(FaultCode::Timeout), 7);
        check(ends(FaultCode::Crash), HOUR, Err(FaultCode::Crash), 7);
    }

    #[test]
    fn only_what_time_explains_is_excused() {
        let check = |time, code, expected| {
            let blamed = Patience::new(time, 0).blamed(Fault::new(code, "ended"));
            assert_eq!(blamed.code, expected);
        };
        check(Duration::ZERO, FaultCode::Timeout, FaultCode::Host);
        check(HOUR, FaultCode::Timeout, FaultCode::Timeout);
        check(Duration::ZERO, FaultCode::Crash, FaultCode::Crash);
        check(Duration::ZERO, FaultCode::Fuel, FaultCode::Fuel);
    }
}
