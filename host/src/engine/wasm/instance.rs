//! One instance of a component: a store of its own, armed before a single
//! instruction of the engine runs, poisoned by any error.

use std::sync::Arc;

use sandboard_abi::{Barred, Description, Limits, Setup, Unit, limits};
use wasmtime::{Store, UpdateDeadline};

use super::bindings::{Sandboard, SandboardPre};
use super::limiter::{MemoryLimiter, Refused};
use super::runtime::{MEMORY_BYTES_MAX, Metering};
use super::{convert, faults};
use crate::engine::desk::{Assets, Desk, checked_choice, checked_description, clean_text};
use crate::engine::meter::{self, Allowance, BOOKKEEPING_US, Meter};
use crate::engine::timer::{Alarm, NEVER};
use crate::engine::{Answer, Caps, Control, Engine, Fault, FaultCode, Listener, Spent};

/// Fuel of every call that no budget limits: far more than a call can burn
/// before its deadline.
const FUEL_UNLIMITED: u64 = 1 << 62;
/// Resource handles that an instance may hold at once; the border has none, so
/// these are of the engine's own making.
pub const HANDLES: usize = 1000;

/// What the store of an instance carries.
pub struct State {
    pub desk: Desk,
    pub meter: Arc<Meter>,
    pub memory: MemoryLimiter,
    /// Set while fuel decides the time: what is left at `left()` = 0.
    pub fuel_reserve: Option<u64>,
    /// The fuel that the call in progress was given.
    pub fuel_given: u64,
}

/// A component at play.
pub struct WasmInstance {
    store: Store<State>,
    component: Sandboard,
    metering: Metering,
    start_us: u64,
    guard_us: u64,
    poison: Option<Fault>,
}

impl WasmInstance {
    pub fn new(
        pre: &SandboardPre<State>,
        metering: Metering,
        caps: Caps,
        assets: Assets,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Fault> {
        let engine = pre.engine().clone();
        let alarm = Alarm::new({
            let engine = engine.weak();
            move || {
                if let Some(engine) = engine.upgrade() {
                    engine.increment_epoch();
                }
            }
        });
        let mut desk = Desk::new(listener, assets, caps.log_bytes);
        if metering == Metering::Fuel {
            desk.keep_transcript();
        }
        let state = State {
            desk,
            meter: Meter::new(alarm, caps.deadlines),
            memory: MemoryLimiter::new(caps.memory_bytes.min(MEMORY_BYTES_MAX as u64)),
            fuel_reserve: None,
            fuel_given: FUEL_UNLIMITED,
        };
        let mut store = Store::new(&engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(limits::HANDED_OVER_BYTES);
        store.set_max_component_handles(HANDLES);
        store.set_epoch_deadline(1);
        // The epoch is every bout's: whose deadline it was, each store finds out itself.
        store.epoch_deadline_callback(|store| match store.data().meter.is_overdue() {
            true => Err(wasmtime::Error::new(faults::Overdue)),
            false => Ok(UpdateDeadline::Continue(1)),
        });
        if metering == Metering::Fuel {
            store.set_fuel(FUEL_UNLIMITED).map_err(|error| host_fault(&error))?;
        }
        store.data().meter.begin(Allowance::exactly(caps.start_us));
        let instantiated = pre.instantiate(&mut store);
        let spent = store.data().meter.end();
        let component = match instantiated {
            Ok(component) => component,
            Err(error) => return Err(instantiation_fault(&error, store.data(), spent)),
        };
        let Caps { start_us, guard_us, .. } = caps;
        Ok(Self { store, component, metering, start_us, guard_us, poison: None })
    }

    /// What the engine says of itself.
    pub fn describe(&mut self) -> Result<Description, Fault> {
        self.call(Allowance::exactly(BOOKKEEPING_US), None, |component, store| {
            let description = component.sandboard_engine_engine().call_describe(store)?;
            Ok(Ok(convert::description(description)))
        })
        .and_then(|(description, _)| checked_description(description))
    }

    /// One call: armed, made, metered, and looked at once more after it came back.
    fn call<T>(
        &mut self,
        allowance: Allowance,
        fuel: Option<Fuel>,
        make: impl FnOnce(&Sandboard, &mut Store<State>) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<(T, Spent), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        let fuel_given = self.arm(fuel);
        self.store.data().meter.begin(allowance);
        let made = make(&self.component, &mut self.store);
        let taken = self.store.data().meter.end();
        let spent = self.spent(taken, fuel_given);
        let fault = match made {
            Ok(Ok(value)) => match self.store.data().meter.overrun(&spent) {
                None => return Ok((value, spent)),
                Some(timeout) => timeout,
            },
            Ok(Err(reason)) => {
                let reason = clean_text(&reason, limits::REASON_BYTES);
                Fault::new(FaultCode::Error, format!("answered with an error: {reason}"))
            }
            Err(error) => faults::fault_of(&error, self.store.data()),
        };
        Err(self.poison(Fault { spent, ..fault }))
    }

    fn arm(&mut self, fuel: Option<Fuel>) -> u64 {
        let state = self.store.data_mut();
        state.desk.call_begins();
        state.memory.refused = None;
        state.fuel_reserve = fuel.map(|fuel| fuel.reserve);
        let given = fuel.map_or(FUEL_UNLIMITED, |fuel| fuel.given);
        state.fuel_given = given;
        if self.metering == Metering::Fuel {
            // Only an engine without fuel would refuse, and this one counts it.
            let _ = self.store.set_fuel(given);
        }
        given
    }

    fn spent(&self, taken: Spent, fuel_given: u64) -> Spent {
        let state = self.store.data();
        Spent {
            fuel: match self.metering {
                Metering::Deadline => None,
                Metering::Fuel => {
                    Some(fuel_given.saturating_sub(self.store.get_fuel().unwrap_or(0)))
                }
            },
            peak_memory_bytes: Some(state.memory.held_bytes()),
            logged_bytes: state.desk.logged_bytes(),
            border: state.desk.border(),
            ..taken
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        self.poison = Some(fault.clone());
        fault
    }
}

/// The fuel of a call: all of it, and what of it is grace.
#[derive(Clone, Copy)]
struct Fuel {
    given: u64,
    reserve: u64,
}

impl Fuel {
    fn of(limits: &Limits) -> Option<Self> {
        let due = meter::tightest(limits);
        (limits.unit == Unit::Fuel && due != NEVER).then(|| Self {
            given: due.min(FUEL_UNLIMITED).saturating_add(limits.grace.min(FUEL_UNLIMITED)),
            reserve: limits.grace.min(FUEL_UNLIMITED),
        })
    }
}

impl Engine for WasmInstance {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.store.data_mut().desk.start(setup);
        let allowance = Allowance::exactly(self.start_us).metered();
        let started = self.call(allowance, None, |component, store| {
            component.sandboard_engine_engine().call_start(store, &convert::setup(setup))
        });
        match started {
            Ok(((), spent)) => Ok(spent),
            Err(fault) if fault.code == FaultCode::Error => {
                let fault = Fault { code: FaultCode::Start, ..fault };
                Err(self.poison(fault))
            }
            Err(fault) => Err(fault),
        }
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.store.data_mut().desk.played(mv);
        self.call(Allowance::exactly(BOOKKEEPING_US), None, |component, store| {
            component.sandboard_engine_engine().call_played(store, mv)
        })
        .map(drop)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.store.data_mut().desk.taken_back(plies);
        self.call(Allowance::exactly(BOOKKEEPING_US), None, |component, store| {
            component.sandboard_engine_engine().call_taken_back(store, plies)
        })
        .map(drop)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        if limits.unit == Unit::Fuel && self.metering == Metering::Deadline {
            let sentence = "was not loaded for a budget of this unit";
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        if limits.unit == Unit::Cpu
            && let Some(fault) = meter::no_cpu_clock()
        {
            return Err(fault);
        }
        let allowance = Allowance::of(limits, self.guard_us);
        let fuel = Fuel::of(limits);
        self.store.data_mut().desk.choose(limits, barred);
        let wit_limits = convert::limits(limits);
        let wit_barred: Vec<_> = barred.iter().map(convert::barred).collect();
        let (choice, spent) = self.call(allowance, fuel, |component, store| {
            component.sandboard_engine_engine().call_choose(store, &wit_limits, &wit_barred)
        })?;
        let choice = convert::choice(choice);
        self.store.data_mut().desk.chosen(&choice);
        let spent = Spent { border: self.store.data().desk.border(), ..spent };
        match checked_choice(choice) {
            Ok(choice) => Ok(Answer { choice, spent }),
            Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.store.data_mut().desk.think();
        self.call(Allowance::NONE.metered(), None, |component, store| {
            component.sandboard_engine_engine().call_think(store)
        })
        .map(|((), spent)| spent)
    }

    fn control(&self) -> Control {
        self.store.data().meter.control().clone()
    }
}

fn instantiation_fault(error: &wasmtime::Error, state: &State, spent: Spent) -> Fault {
    if state.memory.refused == Some(Refused::Bytes) {
        let cap = faults::binary(state.memory.cap_bytes());
        let sentence = format!("needs more than its {cap} of memory to begin with");
        return Fault { spent, ..Fault::new(FaultCode::Memory, sentence) };
    }
    Fault { spent, ..faults::fault_of(error, state) }
}

fn host_fault(error: &wasmtime::Error) -> Fault {
    Fault::new(FaultCode::Load, format!("cannot be started: {}", faults::one_line(error)))
}
