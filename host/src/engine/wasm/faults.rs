//! From what wasmtime reports to what a person reads: the cause in one
//! sentence, with the number in it.

use sandboard_abi::{Unit, limits};
use wasmtime::Trap;

use super::instance::{Call, Fuel, HANDLES, State};
use super::limiter::Refused;
use super::runtime::{STACK_BYTES, TABLE_ELEMENTS};
use crate::budget::Amount;
use crate::engine::desk::clean_text;
use crate::engine::{Fault, FaultCode};

/// What wasmtime says, in a type of its own that it keeps to itself, when a call
/// brings more than the host admits.
const HANDED_OVER: &str = "fuel allocated for hostcalls";

/// The same of resource handles.
const HELD_HANDLES: &str = "store handle limit exceeded";

/// Stops a call whose deadline has passed.
#[derive(Debug)]
pub struct Overdue;

impl std::fmt::Display for Overdue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("deadline passed")
    }
}

impl std::error::Error for Overdue {}

/// The fault behind a failed call.
pub fn fault_of(error: &wasmtime::Error, state: &State) -> Fault {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.clone();
    }
    if error.downcast_ref::<Overdue>().is_some() {
        return state.meter.timeout();
    }
    if let Some(starved) = &state.memory.starved {
        let starved = clean_text(starved, limits::REASON_BYTES);
        let sentence = format!("was stopped because the system refused it memory: {starved}");
        return Fault::new(FaultCode::Host, sentence);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => out_of_fuel(&state.call),
        Some(Trap::StackOverflow) => {
            let sentence = format!("used up its {} KiB of stack", STACK_BYTES / 1024);
            Fault::new(FaultCode::Stack, sentence)
        }
        Some(trap) => trapped(*trap, state),
        None if error.to_string().contains(HANDED_OVER) => {
            let kib = limits::HANDED_OVER_BYTES / 1024;
            Fault::new(FaultCode::Flood, format!("handed over more than {kib} KiB in one call"))
        }
        None if error.root_cause().to_string().contains(HELD_HANDLES) => {
            Fault::new(FaultCode::Flood, format!("held more than {HANDLES} resource handles"))
        }
        None => Fault::new(FaultCode::Protocol, format!("broke the border: {}", one_line(error))),
    }
}

/// The fault behind an instance that could not be made.
pub fn fault_of_making(error: &wasmtime::Error, state: &State) -> Fault {
    let mut fault = fault_of(error, state);
    if let Some(Trap::IndirectCallToNull) = error.downcast_ref::<Trap>() {
        fault.sentence += "; a `start` section runs before the host's functions are there: if its function calls them, \
                           export it as `_initialize` in its place";
    }
    fault
}

/// The fault of a call that used up its fuel.
pub fn out_of_fuel(call: &Call) -> Fault {
    let amount = |value: u64| Amount { unit: Unit::Fuel, value };
    let sentence = match call.fuel {
        Some(Fuel { units, grace: None }) => {
            format!("used up its {} units of fuel in {}", amount(units), call.name)
        }
        Some(Fuel { units, grace: Some(grace @ 1..) }) => {
            let (units, grace) = (amount(units), amount(grace));
            format!("used up its {units} units of fuel and {grace} of grace")
        }
        Some(Fuel { units, .. }) => format!("used up its {} units of fuel", amount(units)),
        None => "used up all fuel that can be counted".to_owned(),
    };
    Fault::new(FaultCode::Fuel, sentence)
}

fn trapped(trap: Trap, state: &State) -> Fault {
    match state.memory.refused {
        Some(Refused::Bytes) => {
            let cap = binary(state.memory.cap_bytes());
            return Fault::new(FaultCode::Memory, format!("used up its {cap} of memory"));
        }
        Some(Refused::Elements) => {
            let sentence = format!("used up the {TABLE_ELEMENTS} elements of a table");
            return Fault::new(FaultCode::Memory, sentence);
        }
        None => (),
    }
    match &state.desk.fatal {
        Some(fatal) => Fault::new(FaultCode::Crash, format!("gave up: {fatal}")),
        None => Fault::new(FaultCode::Crash, format!("trapped: {}", trap_name(trap))),
    }
}

fn trap_name(trap: Trap) -> String {
    let text = trap.to_string();
    text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
}

/// A number of bytes in the largest unit that keeps it whole.
pub fn binary(bytes: u64) -> String {
    match bytes {
        b if b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}

/// An error and its causes in one line.
pub fn one_line(error: &wasmtime::Error) -> String {
    clean_text(&format!("{error:#}").replace('\n', " "), limits::REASON_BYTES)
}
