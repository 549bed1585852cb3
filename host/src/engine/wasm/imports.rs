//! The border's imports as a component sees them. Each hands over to the
//! instance's desk or meter; none does work of its own, blocks or grows
//! without bound.

use sandboard_abi::limits;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use super::bindings::sandboard::engine::types::{CellOp, Level, Line, View};
use super::convert;
use super::instance::State;
use crate::engine::{Fault, FaultCode};

type Store<'a> = StoreContextMut<'a, State>;

const INTERFACE: &str = "sandboard:engine/host@1.0.0";

pub fn add_to(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut host = linker.instance(INTERFACE)?;
    host.func_wrap("report", |mut store: Store, (line,): (Line,)| {
        let desk = &mut store.data_mut().desk;
        desk.report(convert::line(line)).map_err(fault)
    })?;
    host.func_wrap("log", |mut store: Store, (level, text): (Level, String)| {
        store.data_mut().desk.log(convert::level(level), &text).map_err(fault)
    })?;
    host.func_wrap("left", |mut store: Store, (): ()| {
        let left = left(&store);
        store.data_mut().desk.left(left);
        Ok((left,))
    })?;
    host.func_wrap("legal", |mut store: Store, (moves,): (String,)| {
        Ok((store.data_mut().desk.legal(&moves),))
    })?;
    host.func_wrap("look", |mut store: Store, (moves,): (String,)| {
        let view: Result<View, String> = store.data_mut().desk.look(&moves).map(convert::view);
        Ok((view,))
    })?;
    host.func_wrap("asset", |mut store: Store, (name, offset, length): (String, u64, u32)| {
        if length > limits::ASSET_READ_BYTES {
            return Err(fault(too_long(length)));
        }
        let bytes: Result<Vec<u8>, String> =
            store.data_mut().desk.asset(&name, offset, length).map(<[u8]>::to_vec);
        Ok((bytes,))
    })?;
    // No helpers yet, so no table: `setup.table-slots` says 0.
    host.func_wrap("probe", |mut store: Store, (key,): (u64,)| {
        Ok((store.data_mut().desk.probe(key),))
    })?;
    host.func_wrap("store", |mut store: Store, (key, value): (u64, u64)| {
        store.data_mut().desk.store(key, value);
        Ok(())
    })?;
    host.func_wrap("cell", |mut store: Store, (index, op, value): (u8, CellOp, i64)| {
        let desk = &mut store.data_mut().desk;
        desk.cell(index.into(), convert::cell_op(op), value).map(|old| (old,)).map_err(fault)
    })
}

fn left(store: &Store) -> u64 {
    let state = store.data();
    match state.fuel_reserve {
        Some(_) if state.meter.control().is_stopped() => 0,
        Some(reserve) => store.get_fuel().unwrap_or(0).saturating_sub(reserve),
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
