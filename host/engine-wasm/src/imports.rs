//! The ABI's imports for components. Each passes its query on to the instance's host state or
//! meter; none works itself, blocks, or grows without bound. Where fuel is counted, each is charged
//! its price first.

use std::borrow::Cow;

use sandboard_abi::{CellOp, Level, Line, limits};
use sandboard_engine::{Fault, FaultCode};

use super::backend::{Backend, Context};
use super::call_error::CallError;
use super::canonical_call::HostCall;
use super::instance::StoreState;
use super::prices;

/// What a function of the host sees of the store of an engine.
pub(crate) trait EngineContext:
    Context<Data = StoreState<<Self as Context>::Backend>>
{
}

impl<B: Backend, C: Context<Backend = B, Data = StoreState<B>>> EngineContext for C {}

/// Calls a macro with the functions of the host for engines: for each its name in the interface,
/// the function in this module, and the types of its core parameters and its core result. Arguments
/// of the macro are passed first.
macro_rules! with_engine_imports {
    ($callback:ident($($argument:tt)*)) => {
        $callback! {
            ($($argument)*)
            "report" report(
                rank: u32, has_score: u32, score: u32, bound: u32, depth: u32, nodes: u64,
                spent: u64, moves: u32, moves_length: u32
            ) -> ();
            "log" log(level: u32, text: u32, text_length: u32) -> ();
            "left" left() -> u64;
            "legal" legal(moves: u32, moves_length: u32, result: u32) -> ();
            "look" look(moves: u32, moves_length: u32, result: u32) -> ();
            "asset" asset(
                name: u32, name_length: u32, offset: u64, length: u32, result: u32
            ) -> ();
            "probe" probe(key: u64) -> u64;
            "store" store(key: u64, value: u64) -> ();
            "cell" cell(index: u32, op: u32, value: u64) -> u64;
        }
    };
}
pub(crate) use with_engine_imports;

pub(crate) fn report<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<(), CallError> {
    let (line,): (Line,) = call.params(bits)?;
    charge(&mut call.store, prices::REPORT.input_price(line.moves.len()))?;
    call.store.data_mut().host.report(line).map_err(CallError::Fault)
}

pub(crate) fn log<C: EngineContext>(mut call: HostCall<C>, bits: &[u64]) -> Result<(), CallError> {
    let (level, text): (Level, String) = call.params(bits)?;
    charge(&mut call.store, prices::LOG.input_price(text.len()))?;
    call.store.data_mut().host.log(level, &text).map_err(CallError::Fault)
}

pub(crate) fn left<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<u64, CallError> {
    let () = call.params(bits)?;
    charge(&mut call.store, prices::LEFT.input_price(0))?;
    let left = units_left(&mut call.store);
    call.store.data_mut().host.record_left(left);
    Ok(left)
}

pub(crate) fn legal<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<(), CallError> {
    let (moves, target): (String, u32) = call.params(bits)?;
    charge(&mut call.store, prices::LEGAL.input_price(moves.len()))?;
    let answer = call.store.data_mut().host.legal(&moves);
    let bytes = answer.as_ref().map_or_else(String::len, String::len);
    charge(&mut call.store, prices::LEGAL.output_price(bytes))?;
    call.lower_result(target, &answer)
}

pub(crate) fn look<C: EngineContext>(mut call: HostCall<C>, bits: &[u64]) -> Result<(), CallError> {
    let (moves, target): (String, u32) = call.params(bits)?;
    charge(&mut call.store, prices::LOOK.input_price(moves.len()))?;
    let view = call.store.data_mut().host.look(&moves);
    let bytes = view.as_ref().map_or_else(String::len, |view| view.position.len());
    charge(&mut call.store, prices::LOOK.output_price(bytes))?;
    call.lower_result(target, &view)
}

pub(crate) fn asset<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<(), CallError> {
    let (name, offset, length, target): (String, u64, u32, u32) = call.params(bits)?;
    charge(&mut call.store, prices::ASSET.input_price(name.len()))?;
    if length > limits::ASSET_READ_BYTES {
        return Err(CallError::Fault(asset_read_too_long(length)));
    }
    let bytes: Result<Vec<u8>, String> =
        call.store.data_mut().host.asset(&name, offset, length).map(Cow::into_owned);
    let given = bytes.as_ref().map_or_else(String::len, Vec::len);
    charge(&mut call.store, prices::ASSET.output_price(given))?;
    call.lower_result(target, &bytes)
}

pub(crate) fn probe<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<u64, CallError> {
    let (key,): (u64,) = call.params(bits)?;
    charge(&mut call.store, prices::PROBE.input_price(0))?;
    Ok(call.store.data_mut().host.probe(key))
}

pub(crate) fn store<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<(), CallError> {
    let (key, value): (u64, u64) = call.params(bits)?;
    charge(&mut call.store, prices::STORE.input_price(0))?;
    call.store.data_mut().host.store(key, value);
    Ok(())
}

pub(crate) fn cell<C: EngineContext>(
    mut call: HostCall<C>,
    bits: &[u64],
) -> Result<u64, CallError> {
    let (index, op, value): (u8, CellOp, i64) = call.params(bits)?;
    charge(&mut call.store, prices::CELL.input_price(0))?;
    let old = call.store.data_mut().host.cell(index.into(), op, value);
    Ok(old.map_err(CallError::Fault)?.cast_unsigned())
}

/// Charges a price, in parts of a unit, to the current call. Err: not enough fuel is left; the
/// error is the same as when the engine's own code uses it up.
fn charge(store: &mut impl EngineContext, parts: u64) -> Result<(), CallError> {
    let counter = store.data().counter;
    let Some(left) = counter.left(store) else { return Ok(()) };
    let state = store.data_mut();
    let left = state.fuel_role.settle(state.call.fuel_parts(), left);
    match left.checked_sub(parts) {
        Some(left) => {
            counter.set_left(store, left);
            Ok(())
        }
        None => Err(counter.use_up(store)),
    }
}

/// The result of `left()`, in the budget's unit.
fn units_left(store: &mut impl EngineContext) -> u64 {
    let counter = store.data().counter;
    let left = counter.left(store);
    let state = store.data();
    match state.call.fuel.and_then(|fuel| fuel.grace) {
        Some(_) if state.meter.stop_handle().is_stopped() => 0,
        Some(grace) => prices::units_floor(left.unwrap_or(0)).saturating_sub(grace),
        None => state.meter.left_us(),
    }
}

fn asset_read_too_long(length: u32) -> Fault {
    let max = limits::ASSET_READ_BYTES;
    Fault::new(FaultCode::Protocol, format!("asked for {length} bytes at once; at most {max}"))
}
