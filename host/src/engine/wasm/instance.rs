//! One instance of a component: a store of its own, armed before a single
//! instruction of the engine runs, poisoned by any error.

use std::sync::Arc;

use sandboard_abi::{Barred, Description, Limits, Setup, Unit, limits};
use wasmtime::{Store, UpdateDeadline};

use super::Recipe;
use super::bindings::Sandboard;
use super::limiter::{MemoryLimiter, Refused};
use super::purse::Share;
use super::runtime::{MEMORY_BYTES_MAX, Metering};
use super::{convert, faults, prices};
use crate::engine::commons::Commons;
use crate::engine::desk::{Desk, checked_choice, checked_description, clean_text};
use crate::engine::meter::{self, Allowance, BOOKKEEPING_US, Meter};
use crate::engine::timer::{Alarm, NEVER};
use crate::engine::{Answer, Caps, Control, Engine, Fault, FaultCode, Listener, Spent};

/// Where fuel is counted, what a microsecond of a limit in wall time is worth.
const FUEL_PER_US: u64 = 1_000;
/// Where fuel is counted, what `played` and `taken-back` may burn. No budget pays for it, so it
/// is kept to what bookkeeping takes: as much as the usual grace.
const BOOKKEEPING_FUEL: u64 = 50_000_000;
/// Resource handles that an instance may hold at once; the border has none, so
/// these are of the engine's own making.
pub const HANDLES: usize = 1000;

/// What the store of an instance carries.
pub struct State {
    pub desk: Desk,
    pub meter: Arc<Meter>,
    pub memory: MemoryLimiter,
    pub metering: Metering,
    /// What it does about the fuel of others.
    pub share: Share,
    /// The call in progress and what limits it.
    pub call: Call,
}

/// A call and what limits it beside the memory.
#[derive(Clone, Copy)]
pub struct Call {
    /// Its name at the border.
    pub name: &'static str,
    allowance: Allowance,
    /// Where fuel limits it.
    pub fuel: Option<Fuel>,
    /// Whether a helper makes it on its leader's account.
    on_account: bool,
}

/// The fuel of a call, in units.
#[derive(Clone, Copy)]
pub struct Fuel {
    pub units: u64,
    /// How far it may overrun its own budget; none: the limit is the host's, and the
    /// engine is told nothing of it.
    pub grace: Option<u64>,
}

/// A component at play.
pub struct WasmInstance {
    store: Store<State>,
    component: Sandboard,
    caps: Caps,
    /// Fuel of all calls that no budget covers, in units.
    own_fuel: u64,
    poison: Option<Fault>,
}

impl WasmInstance {
    /// A fresh instance, alone; one that is told to stop has `stop_grace_us` from then on.
    pub fn new(
        recipe: &Recipe,
        listener: Arc<dyn Listener>,
        stop_grace_us: u64,
    ) -> Result<Self, Fault> {
        let Recipe { pre, metering, caps, assets } = recipe;
        let (metering, caps) = (*metering, *caps);
        let engine = pre.engine().clone();
        let alarm = Alarm::new({
            let engine = engine.weak();
            move || {
                if let Some(engine) = engine.upgrade() {
                    engine.increment_epoch();
                }
            }
        });
        let mut desk = Desk::new(listener, assets.clone(), caps.log_bytes);
        if metering == Metering::Fuel {
            desk.keep_transcript();
        }
        let state = State {
            desk,
            meter: Meter::new(alarm, caps.deadlines, stop_grace_us),
            memory: MemoryLimiter::new(caps.memory_bytes.min(MEMORY_BYTES_MAX as u64)),
            metering,
            share: Share::Alone,
            call: Call::of_start(metering, &caps),
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
        arm(&mut store).map_err(|error| host_fault(&error))?;
        let instantiated = pre.instantiate(&mut store);
        let taken = store.data().meter.end();
        let component = match instantiated {
            Ok(component) => component,
            Err(error) => return Err(instantiation_fault(&error, &mut store, taken)),
        };
        let own_fuel = spent(&store, taken).fuel.unwrap_or(0);
        Ok(Self { store, component, caps, own_fuel, poison: None })
    }

    /// What the engine says of itself.
    pub fn describe(&mut self) -> Result<Description, Fault> {
        self.call(Call::of_describe(self.metering(), &self.caps), |component, store| {
            let description = component.sandboard_engine_engine().call_describe(store)?;
            Ok(Ok(convert::description(description)))
        })
        .and_then(|(description, _)| checked_description(description))
    }

    /// Makes it one of a team; before it is started.
    pub fn join(&mut self, commons: Arc<Commons>, share: Share) {
        let state = self.store.data_mut();
        state.desk.share(commons);
        state.share = share;
    }

    /// What its calls spend.
    pub fn meter(&self) -> Arc<Meter> {
        self.store.data().meter.clone()
    }

    /// Thinks along with a leader, with so much fuel at most, in units.
    pub fn help(&mut self, fuel: Option<u64>) -> Result<Spent, Fault> {
        self.store.data_mut().desk.think();
        self.call(Call::of_helping(fuel), |component, store| {
            component.sandboard_engine_engine().call_think(store)
        })
        .map(|((), spent)| spent)
    }

    /// Enters what its helpers took, who are all back, into the receipt of its last call; the
    /// fault of a call that took too much with them.
    pub fn settle(&mut self, spent: &mut Spent) -> Option<Fault> {
        if self.metering() == Metering::Fuel {
            share_fuel(&mut self.store);
            spent.fuel = self::spent(&self.store, *spent).fuel;
        }
        let State { meter, share, call, .. } = self.store.data();
        spent.cpu_us = meter.so_far().cpu_us;
        match share.is_overdrawn() {
            true => Some(faults::out_of_fuel(call)),
            false => meter.overrun(spent),
        }
    }

    fn metering(&self) -> Metering {
        self.store.data().metering
    }

    /// One call: armed, made, metered, and looked at once more after it came back.
    fn call<T>(
        &mut self,
        call: Call,
        make: impl FnOnce(&Sandboard, &mut Store<State>) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<(T, Spent), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        self.store.data_mut().call = call;
        arm(&mut self.store).map_err(|error| host_fault(&error))?;
        let made = make(&self.component, &mut self.store);
        if call.fuel.is_some() {
            share_fuel(&mut self.store);
        }
        let taken = self.store.data().meter.end();
        let spent = spent(&self.store, taken);
        if call.fuel.is_none_or(|fuel| fuel.grace.is_none()) {
            self.own_fuel = self.own_fuel.saturating_add(spent.fuel.unwrap_or(0));
        }
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
        let spent = with_border(&mut self.store, spent);
        Err(self.poison(Fault { spent, ..fault }))
    }

    /// Makes this its answer to all that it is asked from now on.
    pub fn poison(&mut self, fault: Fault) -> Fault {
        self.poison = Some(fault.clone());
        fault
    }
}

/// The call in progress begins: from here on it is metered.
fn arm(store: &mut Store<State>) -> wasmtime::Result<()> {
    let state = store.data_mut();
    state.desk.call_begins();
    state.memory.refused = None;
    let (metering, call) = (state.metering, state.call);
    if metering == Metering::Fuel {
        state.share.begin(call.on_account);
        store.set_fuel(call.parts())?;
    }
    store.data().meter.begin(call.allowance);
    Ok(())
}

/// Pays for the helpers of a leader, or tells what a helper has burnt so far.
fn share_fuel(store: &mut Store<State>) {
    let left = store.get_fuel().unwrap_or(0);
    let state = store.data_mut();
    let settled = state.share.settle(state.call.parts(), left);
    if settled != left {
        // It counts fuel, or there would be none to pay.
        let _ = store.set_fuel(settled);
    }
}

/// The receipt of a call that has come back, and took this by its meter.
fn spent(store: &Store<State>, taken: Spent) -> Spent {
    let state = store.data();
    let burnt = |left: u64| prices::units_begun(state.call.parts().saturating_sub(left));
    Spent {
        fuel: match state.metering {
            Metering::Deadline => None,
            Metering::Fuel => Some(burnt(store.get_fuel().unwrap_or(0))),
        },
        peak_memory_bytes: Some(state.memory.held_bytes()),
        logged_bytes: state.desk.logged_bytes(),
        ..taken
    }
}

/// A receipt with the hash of all that has crossed the border by now: made only where somebody keeps it, for it
/// costs as much as the smallest call.
fn with_border(store: &mut Store<State>, spent: Spent) -> Spent {
    Spent { border: store.data_mut().desk.border(), ..spent }
}

impl Call {
    /// A call that the engine's budget does not cover. Where fuel is counted nothing but
    /// fuel limits it, so that no machine is too busy for it.
    fn own(name: &'static str, metering: Metering, caps: &Caps, wall_us: u64, units: u64) -> Self {
        match metering {
            Metering::Deadline => {
                let allowance = Allowance::exactly(wall_us);
                Self { name, allowance, fuel: None, on_account: false }
            }
            Metering::Fuel => {
                let fuel = Some(Fuel { units, grace: None });
                let allowance = Allowance::beside_fuel(units, caps.guard_us);
                Self { name, allowance, fuel, on_account: false }
            }
        }
    }

    fn of_start(metering: Metering, caps: &Caps) -> Self {
        let start_us = caps.start_us;
        let call =
            Self::own("start", metering, caps, start_us, start_us.saturating_mul(FUEL_PER_US));
        Self { allowance: call.allowance.metered(), ..call }
    }

    fn of_describe(metering: Metering, caps: &Caps) -> Self {
        Self::own("describe", metering, caps, BOOKKEEPING_US, BOOKKEEPING_US * FUEL_PER_US)
    }

    fn of_bookkeeping(name: &'static str, metering: Metering, caps: &Caps) -> Self {
        Self::own(name, metering, caps, BOOKKEEPING_US, BOOKKEEPING_FUEL)
    }

    fn of_choose(limits: &Limits, caps: &Caps) -> Self {
        let due = meter::tightest(limits);
        let fuel = (limits.unit == Unit::Fuel && due != NEVER)
            .then_some(Fuel { units: due, grace: Some(limits.grace) });
        let allowance = Allowance::of(limits, caps.guard_us);
        Self { name: "choose", allowance, fuel, on_account: false }
    }

    /// All fuel that these limits allow, grace and all, in units; none: it does not limit.
    pub fn fuel_of(limits: &Limits) -> Option<u64> {
        let due = meter::tightest(limits);
        (limits.unit == Unit::Fuel && due != NEVER).then(|| due.saturating_add(limits.grace))
    }

    fn of_think() -> Self {
        let allowance = Allowance::NONE.metered();
        Self { name: "think", allowance, fuel: None, on_account: false }
    }

    fn of_helping(fuel: Option<u64>) -> Self {
        let fuel = fuel.map(|units| Fuel { units, grace: None });
        Self { fuel, on_account: true, ..Self::of_think() }
    }

    /// All fuel that it is given, in the runtime's parts of a unit.
    pub fn parts(&self) -> u64 {
        let units = |fuel: Fuel| fuel.units.saturating_add(fuel.grace.unwrap_or(0));
        prices::parts(self.fuel.map_or(u64::MAX, units))
    }
}

impl Engine for WasmInstance {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.store.data_mut().desk.start(setup);
        let call = Call::of_start(self.metering(), &self.caps);
        let started = self.call(call, |component, store| {
            component.sandboard_engine_engine().call_start(store, &convert::setup(setup))
        });
        match started {
            Ok(((), spent)) => Ok(with_border(&mut self.store, spent)),
            Err(fault) if fault.code == FaultCode::Error => {
                let fault = Fault { code: FaultCode::Start, ..fault };
                Err(self.poison(fault))
            }
            Err(fault) => Err(fault),
        }
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.store.data_mut().desk.played(mv);
        let call = Call::of_bookkeeping("played", self.metering(), &self.caps);
        self.call(call, |component, store| {
            component.sandboard_engine_engine().call_played(store, mv)
        })
        .map(drop)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.store.data_mut().desk.taken_back(plies);
        let call = Call::of_bookkeeping("taken-back", self.metering(), &self.caps);
        self.call(call, |component, store| {
            component.sandboard_engine_engine().call_taken_back(store, plies)
        })
        .map(drop)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        if limits.unit == Unit::Fuel && self.metering() == Metering::Deadline {
            let sentence = "was not loaded for a budget of this unit";
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        if limits.unit == Unit::Cpu
            && let Some(fault) = meter::no_cpu_clock()
        {
            return Err(fault);
        }
        self.store.data_mut().desk.choose(limits, barred);
        let wit_limits = convert::limits(limits);
        let wit_barred: Vec<_> = barred.iter().map(convert::barred).collect();
        let call = Call::of_choose(limits, &self.caps);
        let (choice, spent) = self.call(call, |component, store| {
            component.sandboard_engine_engine().call_choose(store, &wit_limits, &wit_barred)
        })?;
        let choice = convert::choice(choice);
        self.store.data_mut().desk.chosen(&choice);
        let spent = with_border(&mut self.store, spent);
        match checked_choice(choice) {
            Ok(choice) => Ok(Answer { choice, spent }),
            Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.store.data_mut().desk.think();
        let thought = self.call(Call::of_think(), |component, store| {
            component.sandboard_engine_engine().call_think(store)
        });
        thought.map(|((), spent)| with_border(&mut self.store, spent))
    }

    fn control(&self) -> Control {
        self.store.data().meter.control().clone()
    }

    fn own_fuel(&self) -> u64 {
        self.own_fuel
    }
}

fn instantiation_fault(error: &wasmtime::Error, store: &mut Store<State>, taken: Spent) -> Fault {
    let spent = spent(store, taken);
    let (spent, state) = (with_border(store, spent), store.data());
    if state.memory.refused == Some(Refused::Bytes) {
        let cap = faults::binary(state.memory.cap_bytes());
        let sentence = format!("needs more than its {cap} of memory to begin with");
        return Fault { spent, ..Fault::new(FaultCode::Memory, sentence) };
    }
    Fault { spent, ..faults::fault_of_making(error, state) }
}

fn host_fault(error: &wasmtime::Error) -> Fault {
    Fault::new(FaultCode::Load, format!("cannot be started: {}", faults::one_line(error)))
}
