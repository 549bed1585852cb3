//! One instance of a native engine, called on the caller's thread.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup, Unit, c, limits};
use sandboard_common::sys::cpu::CpuClock;
use sandboard_engine::meter::{Allowance, BOOKKEEPING_US, Meter, cpu_clock_fault};
use sandboard_engine::timer::Alarm;
use sandboard_engine::{
    Caps, ChooseResponse, Engine, Fault, FaultCode, HostState, Listener, Resources, StopHandle,
    Usage, move_too_long, validate_choice,
};

use super::host_functions::{HostContext, read_line};
use super::library::{Library, read_text};

/// An instance of a native engine.
pub(super) struct NativeInstance {
    library: Library,
    context: Arc<HostContext>,
    /// Boxed, because the engine keeps a pointer to it until it is dropped.
    table: Box<c::HostV1>,
    this: *mut c_void,
    start_us: u64,
    guard_us: u64,
    poison: Option<Fault>,
}

// SAFETY: the header permits calls of an instance from any thread, one at a time; the other fields
// may be used from any thread.
unsafe impl Send for NativeInstance {}

impl NativeInstance {
    pub(super) fn new(
        library: Library,
        clock: Option<CpuClock>,
        caps: Caps,
        resources: Resources,
        listener: Arc<dyn Listener>,
    ) -> Self {
        // Native code on its own thread cannot be interrupted. `ThreadedEngine` watches the same
        // meter and abandons the thread.
        let alarm = Alarm::new(|| ());
        let stop_handle = StopHandle::with_alarm(alarm.clone());
        let meter = Arc::new(Meter::with_clock(stop_handle, alarm, caps.enforce_deadlines, clock));
        let state = HostState::new(listener, resources, caps.log_bytes);
        let context = Arc::new(HostContext::new(meter, state));
        let table = Box::new(context.table());
        Self {
            library,
            context,
            table,
            this: ptr::null_mut(),
            start_us: caps.start_us,
            guard_us: caps.guard_us,
            poison: None,
        }
    }

    /// The context of the instance's host functions.
    pub(super) fn context(&self) -> &Arc<HostContext> {
        &self.context
    }

    /// Wall time limit of `start`, in microseconds.
    pub(super) fn start_us(&self) -> u64 {
        self.start_us
    }

    /// The guard beside CPU time, in microseconds; see [`Caps`].
    pub(super) fn guard_us(&self) -> u64 {
        self.guard_us
    }

    /// Makes a call and measures it. `make` returns the engine's result code.
    fn call(
        &mut self,
        allowance: Allowance,
        make: impl FnOnce(&Library, *mut c_void) -> i32,
    ) -> Result<Usage, Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        if self.this.is_null() {
            return Err(self.poison(Fault::new(FaultCode::Start, "was called before `start`")));
        }
        self.context.state().begin_call();
        self.context.meter.begin(allowance);
        let result = make(&self.library, self.this);
        let spent = self.spent();
        let fault = if let Some(fault) = self.host_fault() {
            fault
        } else if result != c::OK {
            self.error(result, FaultCode::Error)
        } else if let Some(timeout) = self.context.meter.overrun_fault(&spent) {
            timeout
        } else {
            return Ok(spent);
        };
        Err(self.poison(Fault { spent, ..fault }))
    }

    fn error(&self, result: i32, code: FaultCode) -> Fault {
        if result != c::ERROR && result != c::CRASHED {
            return Fault::new(
                FaultCode::Protocol,
                format!("returned the unknown result {result}"),
            );
        }
        // SAFETY: `this` is an instance, or null after a failed start; the text is valid until the
        // next call.
        let reason =
            unsafe { read_text((self.library.functions.error)(self.this), limits::REASON_BYTES) };
        match result {
            c::CRASHED => Fault::new(FaultCode::Crash, sandboard_engine::messages::gave_up(reason)),
            _ => Fault::new(code, sandboard_engine::messages::answered_with_error(reason)),
        }
    }

    /// The fault of a call that a host function, or the rules behind it, have found.
    fn host_fault(&self) -> Option<Fault> {
        let of_rules = self.context.state().rules_fault();
        of_rules.or_else(|| self.context.take_fault())
    }

    /// Ends the measurement of a call that has returned.
    fn spent(&self) -> Usage {
        let usage = self.context.meter.end();
        Usage { logged_bytes: self.context.state().logged_bytes(), ..usage }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        self.poison = Some(fault.clone());
        fault
    }
}

impl Engine for NativeInstance {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        if self.poison.is_some() || !self.this.is_null() {
            let fault = Fault::new(FaultCode::Start, "was started twice");
            return Err(self.poison.clone().unwrap_or(fault));
        }
        self.context.state().start(setup);
        let options: Vec<_> = setup
            .options
            .iter()
            .map(|(name, value)| c::Setting {
                name: c::Text::borrow(name),
                value: c::Text::borrow(value),
            })
            .collect();
        let c_setup = c_setup(setup, &options);
        let mut this = ptr::null_mut();
        self.context.meter.begin(Allowance::fixed(self.start_us).with_cpu_time());
        // SAFETY: the setup is valid for the call, the table until the drop.
        let result =
            unsafe { (self.library.functions.start)(&c_setup, &raw const *self.table, &mut this) };
        let spent = self.spent();
        self.this = this;
        let fault = if let Some(fault) = self.host_fault() {
            fault
        } else if result != c::OK {
            self.error(result, FaultCode::Start)
        } else if this.is_null() {
            Fault::new(FaultCode::Protocol, "started without an instance")
        } else if let Some(timeout) = self.context.meter.overrun_fault(&spent) {
            timeout
        } else {
            return Ok(spent);
        };
        Err(self.poison(Fault { spent, ..fault }))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.context.state().played(mv);
        self.call(Allowance::fixed(BOOKKEEPING_US), |library, this| {
            // SAFETY: `this` is a started instance; the text is valid for the call.
            unsafe { (library.functions.played)(this, c::Text::borrow(mv)) }
        })
        .map(drop)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.context.state().taken_back(plies);
        self.call(Allowance::fixed(BOOKKEEPING_US), |library, this| {
            // SAFETY: `this` is a started instance.
            unsafe { (library.functions.taken_back)(this, plies) }
        })
        .map(drop)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        let unsupported = match limits.unit {
            Unit::Unlimited | Unit::Wall => None,
            Unit::Cpu => cpu_clock_fault(),
            Unit::Fuel => {
                let sentence = "cannot be limited in fuel: it is a native library";
                Some(Fault::new(FaultCode::Host, sentence))
            }
        };
        if let Some(fault) = unsupported {
            return Err(fault);
        }
        let others: Vec<_> = limits
            .others_left
            .iter()
            .map(|(seat, left)| c::SeatLeft { seat: (*seat).into(), reserved: 0, left: *left })
            .collect();
        let c_limits = c_limits(limits, &others);
        let barred: Vec<_> = barred
            .iter()
            .map(|b| c::Barred {
                r#move: c::Text::borrow(&b.r#move),
                reason: c::Text::borrow(&b.reason),
            })
            .collect();
        let mut choice = NO_CHOICE;
        let allowance = Allowance::for_sleeping_engine(limits, self.guard_us);
        let spent = self.call(allowance, |library, this| {
            let n = barred.len() as u32;
            // The header requires NULL for an empty list; the pointer of an empty slice dangles.
            let list = if n == 0 { ptr::null() } else { barred.as_ptr() };
            // SAFETY: `this` is a started instance; all inputs are valid for the call.
            unsafe { (library.functions.choose)(this, &c_limits, list, n, &mut choice) }
        })?;
        // SAFETY: the texts of a choice are valid until the engine's next call.
        match unsafe { read_choice(&choice) }.and_then(validate_choice) {
            Ok(choice) => Ok(ChooseResponse { choice, spent }),
            Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call(Allowance::UNLIMITED.with_cpu_time(), |library, this| {
            // SAFETY: `this` is a started instance.
            unsafe { (library.functions.think)(this) }
        })
    }

    fn stop_handle(&self) -> StopHandle {
        self.context.meter.stop_handle().clone()
    }
}

impl Drop for NativeInstance {
    fn drop(&mut self) {
        // SAFETY: `this` is an instance that is not called any more, or null.
        unsafe { (self.library.functions.drop)(self.this) }
    }
}

const NO_CHOICE: c::Choice = c::Choice {
    size: size_of::<c::Choice>() as u32,
    decision: u32::MAX,
    r#move: c::Text::EMPTY,
    offers_draw: 0,
    reserved: 0,
    line: ptr::null(),
};

fn c_setup(setup: &Setup, options: &[c::Setting]) -> c::Setup {
    c::Setup {
        size: size_of::<c::Setup>() as u32,
        n_seats: setup.seats.len() as u32,
        seats: setup.seats.as_ptr(),
        game: c::Text::borrow(&setup.game),
        variant: c::Text::borrow(&setup.variant),
        start: c::Text::borrow(&setup.start),
        moves: c::Text::borrow(&setup.moves),
        seed: setup.seed,
        options: options.as_ptr(),
        n_options: options.len() as u32,
        threads: setup.threads,
        helper: setup.helper,
        helpers: setup.helpers,
        reserved: 0,
        memory_bytes: setup.memory_bytes,
        table_slots: setup.table_slots,
    }
}

fn c_limits(limits: &Limits, others: &[c::SeatLeft]) -> c::Limits {
    c::Limits {
        size: size_of::<c::Limits>() as u32,
        unit: limits.unit as u32,
        call_max: limits.call_max.unwrap_or(c::NONE),
        game_left: limits.game_left.unwrap_or(c::NONE),
        increment: limits.increment,
        grace: limits.grace,
        moves_to_go: limits.moves_to_go.map_or(c::NONE, u64::from),
        depth: limits.depth.map_or(c::NONE, u64::from),
        nodes: limits.nodes.unwrap_or(c::NONE),
        others: others.as_ptr(),
        n_others: others.len() as u32,
        draw_offered: limits.draw_offered.into(),
        lines: limits.lines.max(1).into(),
        reserved: 0,
    }
}

/// # Safety
/// What the choice points to is valid.
unsafe fn read_choice(choice: &c::Choice) -> Result<Choice, Fault> {
    // SAFETY: as above.
    unsafe {
        let decision = match choice.decision {
            0 if choice.r#move.len as usize > limits::MOVE_BYTES => {
                return Err(move_too_long(choice.r#move.len as usize));
            }
            0 => Decision::Play(read_text(choice.r#move, limits::MOVE_BYTES)),
            1 => Decision::Resign,
            2 => Decision::AcceptDraw,
            other => {
                let sentence = format!("made the unknown decision {other}");
                return Err(Fault::new(FaultCode::Protocol, sentence));
            }
        };
        let line = (!choice.line.is_null()).then(|| read_line(choice.line)).transpose()?;
        Ok(Choice { decision, offers_draw: choice.offers_draw != 0, line })
    }
}
