//! From what wasmtime reports to what a person reads: the cause in one
//! sentence, with the number in it.

use sandboard_abi::limits;
use wasmtime::Trap;

use super::instance::State;
use super::runtime::STACK_BYTES;
use crate::engine::{Fault, FaultCode};

/// What wasmtime says, in a type of its own that it keeps to itself, when a call
/// brings more than the host admits.
const HANDED_OVER: &str = "fuel allocated for hostcalls";

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
        let sentence = format!("stopped because the system refused it memory: {starved}");
        return Fault::new(FaultCode::Load, sentence);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => {
            Fault::new(FaultCode::Fuel, format!("used up its {} units of fuel", state.fuel_given))
        }
        Some(Trap::StackOverflow) => {
            let sentence = format!("used up its {} KiB of stack", STACK_BYTES / 1024);
            Fault::new(FaultCode::Stack, sentence)
        }
        Some(trap) => trapped(*trap, state),
        None if error.to_string().contains(HANDED_OVER) => {
            let kib = limits::HANDED_OVER_BYTES / 1024;
            Fault::new(FaultCode::Flood, format!("handed over more than {kib} KiB in one call"))
        }
        None => Fault::new(FaultCode::Protocol, format!("broke the border: {}", one_line(error))),
    }
}

fn trapped(trap: Trap, state: &State) -> Fault {
    if state.memory.refused {
        let mib = state.memory.cap_bytes() as f64 / f64::from(1024 * 1024);
        return Fault::new(FaultCode::Memory, format!("used up its {mib} MiB of memory"));
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

/// An error and its causes in one line.
pub fn one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").replace('\n', " ")
}
