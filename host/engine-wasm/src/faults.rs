//! Turns errors of wasmtime into faults: the cause in one sentence, with the exceeded limit.

use sandboard_abi::{Unit, limits};
use sandboard_common::text::{clean_text, quoted};
use sandboard_component::canonical::ValueError;
use sandboard_engine::{Amount, Fault, FaultCode};
use wasmtime::{Trap, WasmBacktrace};

use super::counters::{Exhausted, STACK_SLOTS};
use super::instance::{Call, FuelLimit, StoreState};
use super::memory_limiter::{MemoryLimiter, RefusedGrowth};
use super::runtime::{STACK_BYTES, TABLE_ELEMENTS};

/// The error that ends a call whose deadline has passed.
#[derive(Debug)]
pub(crate) struct Overdue;

impl std::fmt::Display for Overdue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("deadline passed")
    }
}

impl std::error::Error for Overdue {}

/// What is known about a failed call beside its error.
pub(crate) struct Circumstances<'a> {
    pub(crate) memory: &'a MemoryLimiter,
    /// The text that the component logged about its failure.
    pub(crate) message: Option<&'a str>,
    /// The fault of a call that used up its fuel.
    pub(crate) out_of_fuel: Fault,
}

/// The fault of a failed call of an engine.
pub(crate) fn call_fault(error: &wasmtime::Error, state: &StoreState) -> Fault {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.clone();
    }
    if error.downcast_ref::<Overdue>().is_some() {
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
pub(crate) fn fault_in(error: &wasmtime::Error, circumstances: Circumstances<'_>) -> Fault {
    let Circumstances { memory, message, out_of_fuel } = circumstances;
    if let Some(error) = &memory.system_error {
        let error = clean_text(error, limits::REASON_BYTES);
        let sentence = format!("was stopped because the system refused memory: {error}");
        return Fault::new(FaultCode::Host, sentence);
    }
    match error.downcast_ref::<Trap>() {
        _ if let Some(exhausted) = error.downcast_ref::<Exhausted>() => match exhausted {
            Exhausted::Fuel => out_of_fuel,
            Exhausted::Stack => {
                let sentence = format!("used up its {STACK_SLOTS} slots of stack");
                Fault::new(FaultCode::Stack, sentence)
            }
        },
        Some(Trap::OutOfFuel) => out_of_fuel,
        Some(Trap::StackOverflow) => {
            let sentence = format!("used up its {} KiB of stack", STACK_BYTES / 1024);
            Fault::new(FaultCode::Stack, sentence)
        }
        Some(trap) => trap_fault(*trap, error, memory, message),
        None if matches!(error.downcast_ref(), Some(ValueError::TooLarge(_))) => {
            let kib = limits::TRANSFER_CALL_BYTES / 1024;
            Fault::new(FaultCode::Flood, format!("handed over more than {kib} KiB in one call"))
        }
        None => Fault::new(FaultCode::Protocol, format!("violated the ABI: {}", one_line(error))),
    }
}

/// The fault of an instance whose memory exceeds its cap from the start; none: it does not.
pub(crate) fn initial_memory_fault(memory: &MemoryLimiter) -> Option<Fault> {
    let cap = (memory.refused == Some(RefusedGrowth::Memory)).then(|| memory.cap_bytes())?;
    let sentence = format!("needs more than its {} of memory to begin with", binary_size(cap));
    Some(Fault::new(FaultCode::Memory, sentence))
}

/// The fault of a failed instantiation.
pub(crate) fn instantiation_fault(error: &wasmtime::Error, state: &StoreState) -> Fault {
    if let Some(fault) = initial_memory_fault(&state.memory) {
        return fault;
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

fn trap_fault(
    trap: Trap,
    error: &wasmtime::Error,
    memory: &MemoryLimiter,
    message: Option<&str>,
) -> Fault {
    match memory.refused {
        Some(RefusedGrowth::Memory) => {
            let cap = binary_size(memory.cap_bytes());
            return Fault::new(FaultCode::Memory, format!("used up its {cap} of memory"));
        }
        Some(RefusedGrowth::TableElements) => {
            let sentence = format!("used up the {TABLE_ELEMENTS} elements of a table");
            return Fault::new(FaultCode::Memory, sentence);
        }
        None => (),
    }
    match message {
        Some(message) => Fault::new(FaultCode::Crash, format!("gave up: {message}")),
        None => {
            let place = function_name(error)
                .map_or_else(String::new, |name| format!(" in the module's function {name}"));
            Fault::new(FaultCode::Crash, format!("trapped: {}{place}", trap_name(trap)))
        }
    }
}

/// The name, in backquotes, of the function that trapped; none: its module gives it no name. It is
/// a text of the engine like any other. It depends only on the module and the call: wasmtime
/// inlines no function (`Inlining::No`), and moves no instruction that traps out of its function.
fn function_name(error: &wasmtime::Error) -> Option<String> {
    let innermost = error.downcast_ref::<WasmBacktrace>()?.frames().first()?;
    innermost.func_name().filter(|name| !name.is_empty()).map(quoted)
}

/// An error and its causes, the outermost first, without the backtrace.
fn causes(error: &wasmtime::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    error.chain().skip(usize::from(error.is::<WasmBacktrace>()))
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
    let causes: Vec<String> = causes(error).map(ToString::to_string).collect();
    clean_text(&causes.join(": ").replace('\n', " "), limits::REASON_BYTES)
}

#[cfg(test)]
mod tests {
    use wasmtime::{Engine, Instance, Module, Store};

    use super::*;
    use crate::{Metering, OptLevel, Runtime, RuntimeOptions};

    /// A module whose function with this name divides by 0; the result is not used.
    fn module(name: Option<&str>) -> Vec<u8> {
        let escaped =
            |name: &str| -> String { name.bytes().map(|byte| format!("\\{byte:02x}")).collect() };
        let name = name.map_or_else(String::new, |it| format!("(@name \"{}\")", escaped(it)));
        let text = format!(
            r#"(module
                (func {name} (param i32) (result i32)
                    (i32.div_u (i32.const 1) (local.get 0)))
                (func $caller (export "go") (drop (call 0 (i32.const 0)))))"#
        );
        wat::parse_str(text).unwrap()
    }

    /// The error of calling the module.
    fn error_of(engine: &Engine, module: &[u8]) -> wasmtime::Error {
        let module = Module::from_binary(engine, module).unwrap();
        let mut store = Store::new(engine, ());
        store.set_epoch_deadline(1);
        // Err: this engine counts no fuel.
        let _ = store.set_fuel(1_000_000);
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let go = instance.get_typed_func::<(), ()>(&mut store, "go").unwrap();
        go.call(&mut store, ()).unwrap_err()
    }

    #[test]
    fn the_function_that_trapped_is_named_alike_at_each_level_of_optimisation() {
        for opt_level in [OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize] {
            for metering in [Metering::Deadline, Metering::RuntimeFuel] {
                let options = RuntimeOptions { opt_level, ..RuntimeOptions::default() };
                let runtime = Runtime::new().with_options(options);
                let engine = &runtime.variant(metering).unwrap().engine;
                let check = |name: Option<&str>, expected: Option<&str>| {
                    let error = error_of(engine, &module(name));
                    assert_eq!(error.downcast_ref::<Trap>(), Some(&Trap::IntegerDivisionByZero));
                    assert_eq!(function_name(&error).as_deref(), expected, "{opt_level}");
                };
                check(Some("search"), Some("`search`"));
                check(Some("a\u{202e}b\n"), Some("`a\\u{202e}b\\u{a}`"));
                check(Some(&"x".repeat(81)), Some(&format!("`{}…`", "x".repeat(80))));
                check(Some(""), None);
                check(None, None);
            }
        }
    }

    #[test]
    fn the_words_of_an_error_have_no_backtrace() {
        let runtime = Runtime::new();
        let engine = &runtime.variant(Metering::Deadline).unwrap().engine;
        let error = error_of(engine, &module(Some("search")));
        assert_eq!(one_line(&error), "wasm trap: integer divide by zero");
    }
}
