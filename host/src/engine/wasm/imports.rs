//! The border's imports as a component sees them. Each hands over to the
//! instance's desk or meter; none does work of its own, blocks or grows
//! without bound. Where fuel is counted, each pays its price first.

use std::borrow::Cow;

use sandboard_abi::limits;
use wasmtime::component::Linker;
use wasmtime::{StoreContextMut, Trap};

use super::bindings::sandboard::engine::types::{CellOp, Level, Line, View};
use super::instance::State;
use super::{Metering, convert, prices};
use crate::engine::{Fault, FaultCode};

type Store<'a> = StoreContextMut<'a, State>;

const INTERFACE: &str = "sandboard:engine/host@1.0.0";

pub fn add_to(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut host = linker.instance(INTERFACE)?;
    host.func_wrap("report", |mut store: Store, (line,): (Line,)| {
        pay(&mut store, prices::REPORT.of_taking(line.moves.len()))?;
        let desk = &mut store.data_mut().desk;
        desk.report(convert::line(line)).map_err(fault)
    })?;
    host.func_wrap("log", |mut store: Store, (level, text): (Level, String)| {
        pay(&mut store, prices::LOG.of_taking(text.len()))?;
        store.data_mut().desk.log(convert::level(level), &text).map_err(fault)
    })?;
    host.func_wrap("left", |mut store: Store, (): ()| {
        pay(&mut store, prices::LEFT.of_taking(0))?;
        let left = left(&store);
        store.data_mut().desk.left(left);
        Ok((left,))
    })?;
    host.func_wrap("legal", |mut store: Store, (moves,): (String,)| {
        pay(&mut store, prices::LEGAL.of_taking(moves.len()))?;
        let answer = store.data_mut().desk.legal(&moves);
        let bytes = answer.as_ref().map_or_else(String::len, String::len);
        pay(&mut store, prices::LEGAL.of_giving(bytes))?;
        Ok((answer,))
    })?;
    host.func_wrap("look", |mut store: Store, (moves,): (String,)| {
        pay(&mut store, prices::LOOK.of_taking(moves.len()))?;
        let view: Result<View, String> = store.data_mut().desk.look(&moves).map(convert::view);
        let bytes = view.as_ref().map_or_else(String::len, |view| view.position.len());
        pay(&mut store, prices::LOOK.of_giving(bytes))?;
        Ok((view,))
    })?;
    host.func_wrap("asset", |mut store: Store, (name, offset, length): (String, u64, u32)| {
        pay(&mut store, prices::ASSET.of_taking(name.len()))?;
        if length > limits::ASSET_READ_BYTES {
            return Err(fault(too_long(length)));
        }
        let bytes: Result<Vec<u8>, String> =
            store.data_mut().desk.asset(&name, offset, length).map(Cow::into_owned);
        let given = bytes.as_ref().map_or_else(String::len, Vec::len);
        pay(&mut store, prices::ASSET.of_giving(given))?;
        Ok((bytes,))
    })?;
    host.func_wrap("probe", |mut store: Store, (key,): (u64,)| {
        pay(&mut store, prices::PROBE.of_taking(0))?;
        Ok((store.data_mut().desk.probe(key),))
    })?;
    host.func_wrap("store", |mut store: Store, (key, value): (u64, u64)| {
        pay(&mut store, prices::STORE.of_taking(0))?;
        store.data_mut().desk.store(key, value);
        Ok(())
    })?;
    host.func_wrap("cell", |mut store: Store, (index, op, value): (u8, CellOp, i64)| {
        pay(&mut store, prices::CELL.of_taking(0))?;
        let desk = &mut store.data_mut().desk;
        desk.cell(index.into(), convert::cell_op(op), value).map(|old| (old,)).map_err(fault)
    })
}

/// Takes a price, in parts of a unit, off the fuel of the call in progress. Err:
/// there is not so much left, as when the engine's own code has used it up.
fn pay(store: &mut Store, parts: u64) -> wasmtime::Result<()> {
    if store.data().metering == Metering::Deadline {
        return Ok(());
    }
    let left = store.get_fuel()?;
    let state = store.data_mut();
    let left = state.share.settle(state.call.parts(), left);
    match left.checked_sub(parts) {
        Some(left) => store.set_fuel(left),
        None => {
            store.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}

fn left(store: &Store) -> u64 {
    let state = store.data();
    match state.call.fuel.and_then(|fuel| fuel.grace) {
        Some(_) if state.meter.control().is_stopped() => 0,
        Some(grace) => {
            let left = prices::whole_units(store.get_fuel().unwrap_or(0));
            left.saturating_sub(grace)
        }
        None => state.meter.left_us(),
    }
}

fn too_long(length: u32) -> Fault {
    let most = limits::ASSET_READ_BYTES;
    Fault::new(FaultCode::Protocol, format!("asked for {length} bytes at once; at most {most}"))
}

fn fault(fault: Fault) -> wasmtime::Error {
    wasmtime::Error::new(fault)
}
