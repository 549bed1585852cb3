//! Turns errors of wasmtime into faults: the cause in one sentence, with the exceeded limit.

use sandboard_abi::{Unit, limits};
use sandboard_common::text::clean_text;
use sandboard_engine::{Amount, Fault, FaultCode};
use wasmtime::Trap;

use super::instance::{Call, FuelLimit, RESOURCE_HANDLES_MAX, StoreState};
use super::memory_limiter::RefusedGrowth;
use super::runtime::{STACK_BYTES, TABLE_ELEMENTS};

/// Part of wasmtime's message when a call passes more bytes than the host allows. Its error type is
/// private.
const HOSTCALL_FUEL_ERROR: &str = "fuel allocated for hostcalls";

/// Part of wasmtime's message when a store has too many resource handles.
const HANDLE_LIMIT_ERROR: &str = "store handle limit exceeded";

/// The error that ends a call whose deadline has passed.
#[derive(Debug)]
pub(crate) struct Overdue;

impl std::fmt::Display for Overdue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("deadline passed")
    }
}

impl std::error::Error for Overdue {}

/// The fault of a failed call.
pub(crate) fn call_fault(error: &wasmtime::Error, state: &StoreState) -> Fault {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.clone();
    }
    if error.downcast_ref::<Overdue>().is_some() {
        return state.meter.timeout_fault();
    }
    if let Some(error) = &state.memory.system_error {
        let error = clean_text(error, limits::REASON_BYTES);
        let sentence = format!("was stopped because the system refused memory: {error}");
        return Fault::new(FaultCode::Host, sentence);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => out_of_fuel(&state.call),
        Some(Trap::StackOverflow) => {
            let sentence = format!("used up its {} KiB of stack", STACK_BYTES / 1024);
            Fault::new(FaultCode::Stack, sentence)
        }
        Some(trap) => trap_fault(*trap, state),
        None if error.to_string().contains(HOSTCALL_FUEL_ERROR) => {
            let kib = limits::TRANSFER_CALL_BYTES / 1024;
            Fault::new(FaultCode::Flood, format!("handed over more than {kib} KiB in one call"))
        }
        None if error.root_cause().to_string().contains(HANDLE_LIMIT_ERROR) => {
            let sentence = format!("held more than {RESOURCE_HANDLES_MAX} resource handles");
            Fault::new(FaultCode::Flood, sentence)
        }
        None => Fault::new(FaultCode::Protocol, format!("violated the ABI: {}", one_line(error))),
    }
}

/// The fault of a failed instantiation.
pub(crate) fn instantiation_fault(error: &wasmtime::Error, state: &StoreState) -> Fault {
    if state.memory.refused == Some(RefusedGrowth::Memory) {
        let cap = binary_size(state.memory.cap_bytes());
        let sentence = format!("needs more than its {cap} of memory to begin with");
        return Fault::new(FaultCode::Memory, sentence);
    }
    let mut fault = call_fault(error, state);
    if let Some(Trap::IndirectCallToNull) = error.downcast_ref::<Trap>() {
        fault.sentence += "; a `start` section runs before the host's functions are available: if \
                           its function calls them, export it as `_initialize` instead";
    }
    fault
}

/// The fault of a call that used up its fuel.
pub(crate) fn out_of_fuel(call: &Call) -> Fault {
    let amount = |value: u64| Amount { unit: Unit::Fuel, value };
    let sentence = match call.fuel {
        Some(FuelLimit { units, grace: None }) => {
            format!("used up its {} units of fuel in {}", amount(units), call.name)
        }
        Some(FuelLimit { units, grace: Some(grace @ 1..) }) => {
            let (units, grace) = (amount(units), amount(grace));
            format!("used up its {units} units of fuel and {grace} of grace")
        }
        Some(FuelLimit { units, .. }) => format!("used up its {} units of fuel", amount(units)),
        None => "used up all fuel that can be counted".to_owned(),
    };
    Fault::new(FaultCode::Fuel, sentence)
}

fn trap_fault(trap: Trap, state: &StoreState) -> Fault {
    match state.memory.refused {
        Some(RefusedGrowth::Memory) => {
            let cap = binary_size(state.memory.cap_bytes());
            return Fault::new(FaultCode::Memory, format!("used up its {cap} of memory"));
        }
        Some(RefusedGrowth::TableElements) => {
            let sentence = format!("used up the {TABLE_ELEMENTS} elements of a table");
            return Fault::new(FaultCode::Memory, sentence);
        }
        None => (),
    }
    match state.host.fatal_message() {
        Some(message) => Fault::new(FaultCode::Crash, format!("gave up: {message}")),
        None => Fault::new(FaultCode::Crash, format!("trapped: {}", trap_name(trap))),
    }
}

fn trap_name(trap: Trap) -> String {
    let text = trap.to_string();
    text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
}

/// A number of bytes in the largest unit in which it is a whole number.
fn binary_size(bytes: u64) -> String {
    match bytes {
        b if b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}

/// An error and its causes in one line.
pub(crate) fn one_line(error: &wasmtime::Error) -> String {
    clean_text(&format!("{error:#}").replace('\n', " "), limits::REASON_BYTES)
}
