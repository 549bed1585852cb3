//! The ABI's imports for components. Each passes its query on to the instance's host state or
//! meter; none works itself, blocks, or grows without bound. Where fuel is counted, each is charged
//! its price first.

use std::borrow::Cow;

use sandboard_abi::limits;
use sandboard_engine::{Fault, FaultCode};
use wasmtime::component::Linker;
use wasmtime::{StoreContextMut, Trap};

use super::bindings::sandboard::engine::types::{CellOp, Level, Line, View};
use super::instance::StoreState;
use super::{Metering, convert, prices};

type Store<'a> = StoreContextMut<'a, StoreState>;

const INTERFACE: &str = "sandboard:engine/host@1.0.0";

/// Adds all imports to a linker.
pub(super) fn add_to(linker: &mut Linker<StoreState>) -> wasmtime::Result<()> {
    let mut host = linker.instance(INTERFACE)?;
    host.func_wrap("report", |mut store: Store, (line,): (Line,)| {
        charge(&mut store, prices::REPORT.input_price(line.moves.len()))?;
        let state = &mut store.data_mut().host;
        state.report(convert::line(line)).map_err(error)
    })?;
    host.func_wrap("log", |mut store: Store, (level, text): (Level, String)| {
        charge(&mut store, prices::LOG.input_price(text.len()))?;
        store.data_mut().host.log(convert::level(level), &text).map_err(error)
    })?;
    host.func_wrap("left", |mut store: Store, (): ()| {
        charge(&mut store, prices::LEFT.input_price(0))?;
        let left = left(&store);
        store.data_mut().host.record_left(left);
        Ok((left,))
    })?;
    host.func_wrap("legal", |mut store: Store, (moves,): (String,)| {
        charge(&mut store, prices::LEGAL.input_price(moves.len()))?;
        let answer = store.data_mut().host.legal(&moves);
        let bytes = answer.as_ref().map_or_else(String::len, String::len);
        charge(&mut store, prices::LEGAL.output_price(bytes))?;
        Ok((answer,))
    })?;
    host.func_wrap("look", |mut store: Store, (moves,): (String,)| {
        charge(&mut store, prices::LOOK.input_price(moves.len()))?;
        let view: Result<View, String> = store.data_mut().host.look(&moves).map(convert::view);
        let bytes = view.as_ref().map_or_else(String::len, |view| view.position.len());
        charge(&mut store, prices::LOOK.output_price(bytes))?;
        Ok((view,))
    })?;
    host.func_wrap("asset", |mut store: Store, (name, offset, length): (String, u64, u32)| {
        charge(&mut store, prices::ASSET.input_price(name.len()))?;
        if length > limits::ASSET_READ_BYTES {
            return Err(error(asset_read_too_long(length)));
        }
        let bytes: Result<Vec<u8>, String> =
            store.data_mut().host.asset(&name, offset, length).map(Cow::into_owned);
        let given = bytes.as_ref().map_or_else(String::len, Vec::len);
        charge(&mut store, prices::ASSET.output_price(given))?;
        Ok((bytes,))
    })?;
    host.func_wrap("probe", |mut store: Store, (key,): (u64,)| {
        charge(&mut store, prices::PROBE.input_price(0))?;
        Ok((store.data_mut().host.probe(key),))
    })?;
    host.func_wrap("store", |mut store: Store, (key, value): (u64, u64)| {
        charge(&mut store, prices::STORE.input_price(0))?;
        store.data_mut().host.store(key, value);
        Ok(())
    })?;
    host.func_wrap("cell", |mut store: Store, (index, op, value): (u8, CellOp, i64)| {
        charge(&mut store, prices::CELL.input_price(0))?;
        let state = &mut store.data_mut().host;
        state.cell(index.into(), convert::cell_op(op), value).map(|old| (old,)).map_err(error)
    })
}

/// Charges a price, in parts of a unit, to the current call. Err: not enough fuel is left; the trap
/// is the same as when the engine's own code uses it up.
fn charge(store: &mut Store, parts: u64) -> wasmtime::Result<()> {
    if store.data().metering == Metering::Deadline {
        return Ok(());
    }
    let left = store.get_fuel()?;
    let state = store.data_mut();
    let left = state.fuel_role.settle(state.call.fuel_parts(), left);
    match left.checked_sub(parts) {
        Some(left) => store.set_fuel(left),
        None => {
            store.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}

/// The result of `left()`, in the budget's unit.
fn left(store: &Store) -> u64 {
    let state = store.data();
    match state.call.fuel.and_then(|fuel| fuel.grace) {
        Some(_) if state.meter.stop_handle().is_stopped() => 0,
        Some(grace) => {
            let left = prices::units_floor(store.get_fuel().unwrap_or(0));
            left.saturating_sub(grace)
        }
        None => state.meter.left_us(),
    }
}

fn asset_read_too_long(length: u32) -> Fault {
    let max = limits::ASSET_READ_BYTES;
    Fault::new(FaultCode::Protocol, format!("asked for {length} bytes at once; at most {max}"))
}

/// An error that ends the call with this fault.
fn error(fault: Fault) -> wasmtime::Error {
    wasmtime::Error::new(fault)
}
