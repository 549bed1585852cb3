//! The ABI's imports for components. Each passes its query on to the instance's host state or
//! meter; none works itself, blocks, or grows without bound. Where fuel is counted, each is charged
//! its price first.

use std::borrow::Cow;

use sandboard_abi::{CellOp, Level, Line, limits};
use sandboard_engine::{Fault, FaultCode};
use wasmtime::{AsContextMut, Caller, Linker, StoreContextMut, Trap};

use super::guest::{lower_result, params};
use super::instance::StoreState;
use super::program::HOST;
use super::{Metering, prices};

type Store<'a> = StoreContextMut<'a, StoreState>;

/// Adds a function of the host to a linker. For each core parameter its name and type; then what the
/// function does with the store and the bits of the parameters.
macro_rules! import {
    ($linker:ident, $name:literal, ($($param:ident: $core:ty),*) -> $result:ty, $call:expr) => {
        $linker.func_wrap(
            HOST,
            $name,
            |mut caller: Caller<'_, StoreState>, $($param: $core),*| -> wasmtime::Result<$result> {
                let call: fn(&mut Store<'_>, &[u64]) -> wasmtime::Result<$result> = $call;
                call(&mut caller.as_context_mut(), &[$($param.into()),*])
            },
        )?;
    };
}

/// Adds all imports to a linker.
pub(super) fn add_to(linker: &mut Linker<StoreState>) -> wasmtime::Result<()> {
    import!(
        linker,
        "report",
        (
            rank: u32,
            has_score: u32,
            score: u32,
            bound: u32,
            depth: u32,
            nodes: u64,
            spent: u64,
            moves: u32,
            moves_length: u32
        ) -> (),
        |store, bits| {
            let (line,): (Line,) = params(store, bits)?;
            charge(store, prices::REPORT.input_price(line.moves.len()))?;
            store.data_mut().host.report(line).map_err(error)
        }
    );
    import!(linker, "log", (level: u32, text: u32, text_length: u32) -> (), |store, bits| {
        let (level, text): (Level, String) = params(store, bits)?;
        charge(store, prices::LOG.input_price(text.len()))?;
        store.data_mut().host.log(level, &text).map_err(error)
    });
    import!(linker, "left", () -> u64, |store, bits| {
        let () = params(store, bits)?;
        charge(store, prices::LEFT.input_price(0))?;
        let left = left(store);
        store.data_mut().host.record_left(left);
        Ok(left)
    });
    import!(linker, "legal", (moves: u32, moves_length: u32, result: u32) -> (), |store, bits| {
        let (moves, target): (String, u32) = params(store, bits)?;
        charge(store, prices::LEGAL.input_price(moves.len()))?;
        let answer = store.data_mut().host.legal(&moves);
        let bytes = answer.as_ref().map_or_else(String::len, String::len);
        charge(store, prices::LEGAL.output_price(bytes))?;
        lower_result(store, target, &answer)
    });
    import!(linker, "look", (moves: u32, moves_length: u32, result: u32) -> (), |store, bits| {
        let (moves, target): (String, u32) = params(store, bits)?;
        charge(store, prices::LOOK.input_price(moves.len()))?;
        let view = store.data_mut().host.look(&moves);
        let bytes = view.as_ref().map_or_else(String::len, |view| view.position.len());
        charge(store, prices::LOOK.output_price(bytes))?;
        lower_result(store, target, &view)
    });
    import!(
        linker,
        "asset",
        (name: u32, name_length: u32, offset: u64, length: u32, result: u32) -> (),
        |store, bits| {
            let (name, offset, length, target): (String, u64, u32, u32) = params(store, bits)?;
            charge(store, prices::ASSET.input_price(name.len()))?;
            if length > limits::ASSET_READ_BYTES {
                return Err(error(asset_read_too_long(length)));
            }
            let bytes: Result<Vec<u8>, String> =
                store.data_mut().host.asset(&name, offset, length).map(Cow::into_owned);
            let given = bytes.as_ref().map_or_else(String::len, Vec::len);
            charge(store, prices::ASSET.output_price(given))?;
            lower_result(store, target, &bytes)
        }
    );
    import!(linker, "probe", (key: u64) -> u64, |store, bits| {
        let (key,): (u64,) = params(store, bits)?;
        charge(store, prices::PROBE.input_price(0))?;
        Ok(store.data_mut().host.probe(key))
    });
    import!(linker, "store", (key: u64, value: u64) -> (), |store, bits| {
        let (key, value): (u64, u64) = params(store, bits)?;
        charge(store, prices::STORE.input_price(0))?;
        store.data_mut().host.store(key, value);
        Ok(())
    });
    import!(linker, "cell", (index: u32, op: u32, value: u64) -> u64, |store, bits| {
        let (index, op, value): (u8, CellOp, i64) = params(store, bits)?;
        charge(store, prices::CELL.input_price(0))?;
        let old = store.data_mut().host.cell(index.into(), op, value).map_err(error)?;
        Ok(old.cast_unsigned())
    });
    Ok(())
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
