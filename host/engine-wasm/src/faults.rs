//! Turns errors of calls into faults: the cause in one sentence, with the exceeded limit.

use sandboard_abi::{Unit, limits};
use sandboard_common::text::{clean_text, quoted};
use sandboard_component::canonical::ValueError;
use sandboard_engine::messages;
use sandboard_engine::{Amount, Fault, FaultCode, IN_FUNCTION};

use super::backend::Backend;
use super::call_error::{CallError, Exhausted, Trap};
use super::counters::STACK_SLOTS;
use super::instance::{Call, FuelLimit, StoreState};
use super::memory_limiter::{MemoryLimiter, RefusedGrowth};
use super::runtime::{STACK_BYTES, TABLE_ELEMENTS};

/// What is known about a failed call beside its error.
pub(crate) struct Circumstances<'a> {
    pub(crate) memory: &'a MemoryLimiter,
    /// The text that the component logged about its failure.
    pub(crate) message: Option<&'a str>,
    /// The fault of a call that used up its fuel.
    pub(crate) out_of_fuel: Fault,
}

/// The fault of a failed call of an engine.
pub(crate) fn call_fault<B: Backend>(error: &CallError, state: &StoreState<B>) -> Fault {
    if let CallError::Overdue = error {
        return state.meter.timeout_fault();
    }
    let circumstances = Circumstances {
        memory: &state.memory,
        message: state.host.fatal_message(),
        out_of_fuel: out_of_fuel(&state.call),
    };
    fault_in(error, circumstances)
}

/// The fault of a failed call of any component, in these circumstances.
pub(crate) fn fault_in(error: &CallError, circumstances: Circumstances<'_>) -> Fault {
    let Circumstances { memory, message, out_of_fuel } = circumstances;
    if let CallError::Fault(fault) = error {
        return fault.clone();
    }
    if let Some(error) = &memory.system_error {
        let error = clean_text(error, limits::REASON_BYTES);
        let sentence = messages::memory_refused(error);
        return Fault::new(FaultCode::Host, sentence);
    }
    match error {
        CallError::Exhausted(Exhausted::Fuel) | CallError::Trap { trap: Trap::OutOfFuel, .. } => {
            out_of_fuel
        }
        CallError::Exhausted(Exhausted::Stack) => {
            let sentence = messages::used_stack_slots(STACK_SLOTS);
            Fault::new(FaultCode::Stack, sentence)
        }
        CallError::Trap { trap: Trap::StackOverflow, .. } => {
            let sentence = messages::used_stack(STACK_BYTES / 1024);
            Fault::new(FaultCode::Stack, sentence)
        }
        CallError::Trap { trap, function } => {
            trap_fault(*trap, function.as_deref(), memory, message)
        }
        CallError::Value(ValueError::TooLarge(_)) => {
            let kib = limits::TRANSFER_CALL_BYTES / 1024;
            Fault::new(FaultCode::Flood, messages::too_much_output(kib))
        }
        CallError::Fault(_) | CallError::Value(_) | CallError::Overdue | CallError::Other(_) => {
            Fault::new(FaultCode::Protocol, messages::violated_abi(one_line(error)))
        }
    }
}

/// The fault of an instance whose memory exceeds its cap from the start; none: it does not.
pub(crate) fn initial_memory_fault(memory: &MemoryLimiter) -> Option<Fault> {
    let cap = (memory.refused == Some(RefusedGrowth::Memory)).then(|| memory.cap_bytes())?;
    let sentence = messages::needs_memory(binary_size(cap));
    Some(Fault::new(FaultCode::Memory, sentence))
}

/// The fault of a failed instantiation.
pub(crate) fn instantiation_fault<B: Backend>(error: &CallError, state: &StoreState<B>) -> Fault {
    if let Some(fault) = initial_memory_fault(&state.memory) {
        return fault;
    }
    let mut fault = call_fault(error, state);
    if let CallError::Trap { trap: Trap::IndirectCallToNull, .. } = error {
        fault.sentence += "; a `start` section runs before the host's functions are available: if \
                           its function calls them, export it as `_initialize` instead";
    }
    fault
}

/// The fault of a call that used up its fuel.
pub(crate) fn out_of_fuel(call: &Call) -> Fault {
    let amount = |value: u64| Amount { unit: Unit::Fuel, value };
    let sentence = match call.fuel {
        Some(FuelLimit { units, grace: None }) => messages::used_fuel_in(amount(units), call.name),
        Some(FuelLimit { units, grace: Some(grace @ 1..) }) => {
            let (units, grace) = (amount(units), amount(grace));
            messages::used_fuel_and_grace(units, grace)
        }
        Some(FuelLimit { units, .. }) => messages::used_fuel(amount(units)),
        None => messages::USED_ALL_COUNTABLE_FUEL.to_owned(),
    };
    Fault::new(FaultCode::Fuel, sentence)
}

fn trap_fault(
    trap: Trap,
    function: Option<&str>,
    memory: &MemoryLimiter,
    message: Option<&str>,
) -> Fault {
    match memory.refused {
        Some(RefusedGrowth::Memory) => {
            let cap = binary_size(memory.cap_bytes());
            return Fault::new(FaultCode::Memory, messages::used_memory(cap));
        }
        Some(RefusedGrowth::TableElements) => {
            let sentence = messages::used_table(TABLE_ELEMENTS);
            return Fault::new(FaultCode::Memory, sentence);
        }
        None => (),
    }
    match message {
        Some(message) => Fault::new(FaultCode::Crash, messages::gave_up(message)),
        None => {
            let place = |name| format!("{IN_FUNCTION}{}", quoted(name));
            let place = function.map_or_else(String::new, place);
            Fault::new(FaultCode::Crash, messages::trapped(format!("{trap}{place}")))
        }
    }
}

/// A number of bytes in the largest unit in which it is a whole number.
fn binary_size(bytes: u64) -> String {
    match bytes {
        b if b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}

/// An error in one line.
pub(crate) fn one_line(error: &CallError) -> String {
    clean_text(&error.to_string().replace('\n', " "), limits::REASON_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_trapped_is_quoted() {
        let check = |function: Option<&str>, expected: &str| {
            let trap = Trap::IntegerDivisionByZero;
            let fault = trap_fault(trap, function, &MemoryLimiter::new(0), None);
            assert_eq!(fault.sentence, format!("trapped: integer divide by zero{expected}"));
        };
        check(None, "");
        check(Some("search"), " in the module's function `search`");
        check(Some("a\u{202e}b\n"), " in the module's function `a\\u{202e}b\\u{a}`");
        let long = format!(" in the module's function `{}…`", "x".repeat(80));
        check(Some(&"x".repeat(81)), &long);
    }
}
