//! One instance of a component, with a store of its own. Its limits are set before any instruction
//! of the engine runs, and any error poisons it.

use std::sync::Arc;

use sandboard_abi::{Barred, Description, Limits, Setup, Unit, limits};
use sandboard_common::text::clean_text;
use sandboard_engine::messages;
use sandboard_engine::meter::{
    ALARM_REPEAT_US, Allowance, BOOKKEEPING_US, Meter, cpu_clock_fault, tightest_limit,
};
use sandboard_engine::timer::{Alarm, NEVER};
use sandboard_engine::{
    Caps, ChooseResponse, Engine, Fault, FaultCode, HostState, Listener, SharedTable, StopHandle,
    Usage, validate_choice, validate_description,
};

use super::InstanceTemplate;
use super::backend::{Backend, Context, StoreData};
use super::call_error::CallError;
use super::canonical_call::{CanonicalState, GuestFunction};
use super::compiled_modules::Instantiated;
use super::counters::{Counter, ModuleCounters};
use super::fuel_pool::FuelRole;
use super::imports::EngineContext;
use super::memory_limiter::MemoryLimiter;
use super::runtime::{MEMORY_BYTES_MAX, Metering};
use super::{faults, prices};

/// Where fuel is counted, the units of fuel for a microsecond of a wall time limit.
const FUEL_PER_US: u64 = 1_000;
/// Where fuel is counted, the limit of `played` and `taken-back`, in units. No budget covers these
/// calls, so the limit is enough for bookkeeping only: as much as the default grace.
const BOOKKEEPING_FUEL: u64 = 50_000_000;

/// The data of an instance's store.
pub(crate) struct StoreState<B: Backend> {
    pub(crate) host: HostState,
    canonical_state: CanonicalState<B>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) memory: MemoryLimiter,
    pub(crate) counter: Counter<B::Counters>,
    pub(crate) fuel_role: FuelRole,
    /// The current call and its limits.
    pub(crate) call: Call,
}

impl<B: Backend> StoreData<B> for StoreState<B> {
    fn canonical_state(&mut self) -> &mut CanonicalState<B> {
        &mut self.canonical_state
    }

    fn memory_limiter(&mut self) -> &mut MemoryLimiter {
        &mut self.memory
    }

    fn is_overdue(&self) -> bool {
        self.meter.is_overdue()
    }
}

/// A call and its limits, except for memory.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// The function's name in the ABI.
    pub(crate) name: &'static str,
    allowance: Allowance,
    /// The limit of fuel, if there is one.
    pub(crate) fuel: Option<FuelLimit>,
    /// Whether a helper makes the call and its leader is charged for the fuel.
    charges_leader: bool,
}

/// The limit of fuel of a call, in units.
#[derive(Clone, Copy)]
pub(crate) struct FuelLimit {
    pub(crate) units: u64,
    /// By how much the call may exceed its budget; none: this is a limit of the host, which
    /// `left()` does not report.
    pub(crate) grace: Option<u64>,
}

/// An instance of a component.
pub(crate) struct WasmInstance<B: Backend> {
    store: B::Store<StoreState<B>>,
    functions: Functions<B::Function>,
    metering: Metering,
    caps: Caps,
    /// The longest guard beside fuel, in microseconds.
    fuel_guard_us: u64,
    /// Fuel burned by calls that no budget covers, in units.
    unbudgeted_fuel: u64,
    poison: Option<Fault>,
}

/// The functions of the engine. `F` is a core function of a backend.
struct Functions<F> {
    describe: GuestFunction<F>,
    start: GuestFunction<F>,
    played: GuestFunction<F>,
    taken_back: GuestFunction<F>,
    choose: GuestFunction<F>,
    think: GuestFunction<F>,
}

impl<F> Functions<F> {
    fn of<B: Backend<Function = F>>(
        instantiated: &Instantiated<'_, B>,
        store: &mut B::Store<StoreState<B>>,
    ) -> Result<Self, CallError> {
        Ok(Self {
            describe: instantiated.function(store, "describe")?,
            start: instantiated.function(store, "start")?,
            played: instantiated.function(store, "played")?,
            taken_back: instantiated.function(store, "taken-back")?,
            choose: instantiated.function(store, "choose")?,
            think: instantiated.function(store, "think")?,
        })
    }
}

impl<B: Backend> WasmInstance<B> {
    /// Instantiates a component, alone. A call must return within `stop_grace_us` after a stop
    /// request.
    pub(crate) fn new(
        template: &InstanceTemplate<B>,
        listener: Arc<dyn Listener>,
        stop_grace_us: u64,
    ) -> Result<Self, Fault> {
        let InstanceTemplate { backend, functions, modules, metering, caps, resources } = template;
        let (metering, caps) = (*metering, *caps);
        let alarm = Alarm::repeating(ALARM_REPEAT_US, backend.interrupter());
        let mut host = HostState::new(listener, resources.clone(), caps.log_bytes);
        if metering.counts_fuel() {
            host.keep_transcript();
        }
        let state = StoreState {
            host,
            canonical_state: CanonicalState::default(),
            meter: Meter::new(alarm, caps.enforce_deadlines, stop_grace_us),
            memory: MemoryLimiter::new(caps.memory_bytes.min(MEMORY_BYTES_MAX as u64)),
            counter: Counter::None,
            fuel_role: FuelRole::Single,
            call: Call::start(metering, &caps),
        };
        let mut store = backend.new_store(state);
        let counter = match metering {
            Metering::Deadline => Counter::None,
            Metering::Fuel => {
                let counters = B::new_counters(&mut store).map_err(|error| begin_fault(&error))?;
                Counter::Modules(ModuleCounters(counters))
            }
            Metering::RuntimeFuel => Counter::Runtime,
        };
        store.data_mut().counter = counter;
        begin_call(&mut store);
        let instantiated = modules.instantiate(&mut store, functions, counter.of_modules());
        let times = store.data().meter.end();
        let functions = instantiated.and_then(|it| Functions::of(&it, &mut store));
        let functions = match ended_by_counters(functions, &mut store) {
            Ok(functions) => functions,
            Err(error) => return Err(instantiation_fault(&error, &mut store, times)),
        };
        let unbudgeted_fuel = usage_of_call(&mut store, times).fuel.unwrap_or(0);
        let (fuel_guard_us, poison) = (NEVER, None);
        Ok(Self { store, functions, metering, caps, fuel_guard_us, unbudgeted_fuel, poison })
    }

    /// Asks the engine for its description.
    pub(crate) fn describe(&mut self) -> Result<Description, Fault> {
        self.call(Call::describe(self.metering, &self.caps), |functions, store| {
            functions.describe.call(store, &()).map(Ok)
        })
        .and_then(|(description, _)| {
            validate_description(description, self.store.data().host.games())
        })
    }

    /// Adds the instance to a team, before it is started.
    pub(crate) fn join(&mut self, table: Arc<SharedTable>, fuel_role: FuelRole) {
        let state = self.store.data_mut();
        state.host.set_shared_table(table);
        state.fuel_role = fuel_role;
    }

    /// The meter of the instance's calls.
    pub(crate) fn meter(&self) -> Arc<Meter> {
        self.store.data().meter.clone()
    }

    /// Thinks during a leader's call, with this limit of fuel in units.
    pub(crate) fn help(&mut self, fuel: Option<u64>) -> Result<Usage, Fault> {
        self.store.data_mut().host.record_think();
        self.call(Call::help(fuel), |functions, store| functions.think.call(store, &()))
            .map(|((), usage)| usage)
    }

    /// Adds the helpers' fuel and CPU time to the usage of the leader's last call, after all
    /// helpers have returned. Returns a fault if the call exceeded its limits with them.
    pub(crate) fn settle(&mut self, usage: &mut Usage) -> Option<Fault> {
        if self.metering.counts_fuel() {
            settle_fuel(&mut self.store);
            usage.fuel = usage_of_call(&mut self.store, *usage).fuel;
        }
        let StoreState { meter, fuel_role, call, .. } = self.store.data();
        usage.cpu_us = meter.current_usage().cpu_us;
        match fuel_role.is_overdrawn() {
            true => Some(faults::out_of_fuel(call)),
            false => meter.overrun_fault(usage),
        }
    }

    /// Makes a call with its limits, and checks after its return whether it exceeded them.
    fn call<T>(
        &mut self,
        call: Call,
        make: impl FnOnce(
            &Functions<B::Function>,
            &mut B::Store<StoreState<B>>,
        ) -> Result<Result<T, String>, CallError>,
    ) -> Result<(T, Usage), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        self.store.data_mut().call = call;
        begin_call(&mut self.store);
        let result = make(&self.functions, &mut self.store);
        let result = ended_by_counters(result, &mut self.store);
        if call.fuel.is_some() {
            settle_fuel(&mut self.store);
        }
        let times = self.store.data().meter.end();
        let usage = usage_of_call(&mut self.store, times);
        if call.fuel.is_none_or(|fuel| fuel.grace.is_none()) {
            self.unbudgeted_fuel = self.unbudgeted_fuel.saturating_add(usage.fuel.unwrap_or(0));
        }
        let state = self.store.data();
        let host_fault = state.host.rules_fault();
        let fault = match result {
            _ if let Some(fault) = host_fault => fault,
            Ok(Ok(value)) => match state.meter.overrun_fault(&usage) {
                None => return Ok((value, usage)),
                Some(timeout) => timeout,
            },
            Ok(Err(reason)) => {
                let reason = clean_text(&reason, limits::REASON_BYTES);
                Fault::new(FaultCode::Error, messages::answered_with_error(reason))
            }
            Err(error) => faults::call_fault(&error, self.store.data()),
        };
        let spent = with_transcript_hash(&mut self.store, usage);
        Err(self.poison(Fault { spent, ..fault }))
    }

    /// Makes this fault the result of all further calls.
    pub(crate) fn poison(&mut self, fault: Fault) -> Fault {
        self.poison = Some(fault.clone());
        fault
    }
}

/// Begins the current call: sets its fuel and starts its meter.
fn begin_call(store: &mut impl EngineContext) {
    let state = store.data_mut();
    state.host.begin_call();
    state.memory.refused = None;
    let (counter, call) = (state.counter, state.call);
    state.fuel_role.begin(call.charges_leader);
    counter.begin(store, call.fuel_parts());
    store.data().meter.begin(call.allowance);
}

/// The result of a call, unless the counters of the modules say that it ended because of them.
fn ended_by_counters<T>(
    result: Result<T, CallError>,
    store: &mut impl EngineContext,
) -> Result<T, CallError> {
    let counters = store.data().counter.of_modules();
    match counters.and_then(|counters| counters.exhausted(store)) {
        Some(exhausted) => Err(CallError::Exhausted(exhausted)),
        None => result,
    }
}

/// Charges helpers' fuel to a leader, or reports a helper's fuel.
fn settle_fuel(store: &mut impl EngineContext) {
    let counter = store.data().counter;
    let Some(left) = counter.left(store) else { return };
    let state = store.data_mut();
    let settled = state.fuel_role.settle(state.call.fuel_parts(), left);
    if settled != left {
        counter.set_left(store, settled);
    }
}

/// The usage of a call that has returned; `times` are its wall and CPU time.
fn usage_of_call(store: &mut impl EngineContext, times: Usage) -> Usage {
    let counter = store.data().counter;
    let left = counter.left(store);
    let state = store.data();
    let burned = |left: u64| prices::units_ceil(state.call.fuel_parts().saturating_sub(left));
    Usage {
        fuel: left.map(burned),
        peak_memory_bytes: Some(state.memory.used_bytes()),
        logged_bytes: state.host.logged_bytes(),
        ..times
    }
}

/// Adds the transcript hash. Only for calls whose usage is recorded, because the hash costs as much
/// as the smallest call.
fn with_transcript_hash(store: &mut impl EngineContext, usage: Usage) -> Usage {
    Usage { transcript_hash: store.data_mut().host.transcript_hash(), ..usage }
}

impl Call {
    /// A call that no budget of the engine covers. Where fuel is counted only fuel limits it, so
    /// that a busy machine makes no difference.
    fn unbudgeted(
        name: &'static str,
        metering: Metering,
        caps: &Caps,
        wall_us: u64,
        units: u64,
    ) -> Self {
        match metering {
            Metering::Deadline => {
                let allowance = Allowance::fixed(wall_us);
                Self { name, allowance, fuel: None, charges_leader: false }
            }
            Metering::Fuel | Metering::RuntimeFuel => {
                let fuel = Some(FuelLimit { units, grace: None });
                let allowance = Allowance::guard_beside_fuel(units, caps.guard_us);
                Self { name, allowance, fuel, charges_leader: false }
            }
        }
    }

    fn start(metering: Metering, caps: &Caps) -> Self {
        let (wall_us, units) = (caps.start_us, caps.start_us.saturating_mul(FUEL_PER_US));
        let call = Self::unbudgeted("start", metering, caps, wall_us, units);
        Self { allowance: call.allowance.with_cpu_time(), ..call }
    }

    fn describe(metering: Metering, caps: &Caps) -> Self {
        let units = BOOKKEEPING_US * FUEL_PER_US;
        Self::unbudgeted("describe", metering, caps, BOOKKEEPING_US, units)
    }

    fn notification(name: &'static str, metering: Metering, caps: &Caps) -> Self {
        Self::unbudgeted(name, metering, caps, BOOKKEEPING_US, BOOKKEEPING_FUEL)
    }

    fn choose(limits: &Limits, caps: &Caps, fuel_guard_us: u64) -> Self {
        let units = tightest_limit(limits);
        let fuel = (limits.unit == Unit::Fuel && units != NEVER)
            .then_some(FuelLimit { units, grace: Some(limits.grace) });
        let mut allowance = Allowance::for_limits(limits, caps.guard_us);
        if fuel.is_some() {
            allowance = allowance.with_guard_at_most(fuel_guard_us);
        }
        Self { name: "choose", allowance, fuel, charges_leader: false }
    }

    /// The fuel of a `choose` call including its grace, in units; none: fuel is not limited.
    pub(crate) fn fuel_with_grace(limits: &Limits) -> Option<u64> {
        let units = tightest_limit(limits);
        (limits.unit == Unit::Fuel && units != NEVER).then(|| units.saturating_add(limits.grace))
    }

    fn think() -> Self {
        let allowance = Allowance::UNLIMITED.with_cpu_time();
        Self { name: "think", allowance, fuel: None, charges_leader: false }
    }

    fn help(fuel: Option<u64>) -> Self {
        let fuel = fuel.map(|units| FuelLimit { units, grace: None });
        Self { fuel, charges_leader: true, ..Self::think() }
    }

    /// All fuel of the call, in parts of a unit.
    pub(crate) fn fuel_parts(&self) -> u64 {
        let units = |fuel: FuelLimit| fuel.units.saturating_add(fuel.grace.unwrap_or(0));
        prices::parts(self.fuel.map_or(u64::MAX, units))
    }
}

impl<B: Backend> Engine for WasmInstance<B> {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        self.store.data_mut().host.start(setup);
        let call = Call::start(self.metering, &self.caps);
        let result = self.call(call, |functions, store| functions.start.call(store, &(setup,)));
        match result {
            Ok(((), usage)) => Ok(with_transcript_hash(&mut self.store, usage)),
            Err(fault) if fault.code == FaultCode::Error => {
                let fault = Fault { code: FaultCode::Start, ..fault };
                Err(self.poison(fault))
            }
            Err(fault) => Err(fault),
        }
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.store.data_mut().host.played(mv);
        let call = Call::notification("played", self.metering, &self.caps);
        self.call(call, |functions, store| functions.played.call(store, &(mv,))).map(|((), _)| ())
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.store.data_mut().host.taken_back(plies);
        let call = Call::notification("taken-back", self.metering, &self.caps);
        self.call(call, |functions, store| functions.taken_back.call(store, &(plies,)))
            .map(|((), _)| ())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        if limits.unit == Unit::Fuel && !self.metering.counts_fuel() {
            let sentence = "cannot be limited in fuel: it was loaded without fuel metering";
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        if limits.unit == Unit::Cpu
            && let Some(fault) = cpu_clock_fault()
        {
            return Err(fault);
        }
        self.store.data_mut().host.record_choose(limits, barred);
        let call = Call::choose(limits, &self.caps, self.fuel_guard_us);
        // The ABI promises at least one line.
        let lines = limits.lines.max(1);
        let at_least_one = Limits { lines, ..limits.clone() };
        let (choice, usage) = self.call(call, |functions, store| {
            functions.choose.call(store, &(&at_least_one, barred))
        })?;
        self.store.data_mut().host.record_choice(&choice);
        let spent = with_transcript_hash(&mut self.store, usage);
        match validate_choice(choice) {
            Ok(choice) => Ok(ChooseResponse { choice, spent }),
            Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.store.data_mut().host.record_think();
        let result = self.call(Call::think(), |functions, store| functions.think.call(store, &()));
        result.map(|((), usage)| with_transcript_hash(&mut self.store, usage))
    }

    fn stop_handle(&self) -> StopHandle {
        self.store.data().meter.stop_handle().clone()
    }

    fn unbudgeted_fuel(&self) -> u64 {
        self.unbudgeted_fuel
    }

    fn lower_fuel_guard(&mut self, guard_us: u64) {
        self.fuel_guard_us = guard_us;
    }
}

fn instantiation_fault(error: &CallError, store: &mut impl EngineContext, times: Usage) -> Fault {
    let usage = usage_of_call(store, times);
    let spent = with_transcript_hash(store, usage);
    Fault { spent, ..faults::instantiation_fault(error, store.data()) }
}

fn begin_fault(error: &CallError) -> Fault {
    Fault::new(FaultCode::Load, messages::cannot_be_started(faults::one_line(error)))
}
