//! The ABI's imports for components. Each passes its query on to the instance's host state or
//! meter; none works itself, blocks, or grows without bound. Where fuel is counted, each is charged
//! its price first.

use std::borrow::Cow;

use sandboard_abi::{CellOp, Level, Line, limits};
use sandboard_component::canonical::Encoding;
use sandboard_engine::{Fault, FaultCode};
use wasmtime::{AsContextMut, Caller, Linker, StoreContextMut};

use super::canonical_call::HostCall;
use super::compiled_modules::{ENCODINGS, host_name};
use super::instance::StoreState;
use super::prices;

type Store<'a> = StoreContextMut<'a, StoreState>;

/// Adds a function of the host to a linker. For each core parameter its name and type; then what
/// the function does with a call and the bits of its parameters.
macro_rules! import {
    (
        $linker:ident, $encoding:ident,
        $name:literal, ($($param:ident: $core:ty),*) -> $result:ty, $run:expr
    ) => {
        $linker.func_wrap(
            host_name($encoding),
            $name,
            move |mut caller: Caller<'_, StoreState>, $($param: $core),*| {
                let run: fn(HostCall<'_, StoreState>, &[u64]) -> wasmtime::Result<$result> = $run;
                let (store, encoding) = (caller.as_context_mut(), $encoding);
                run(HostCall { store, encoding }, &[$($param.into()),*])
            },
        )?;
    };
}

/// Adds all imports to a linker, for each encoding of texts.
pub(super) fn add_to(linker: &mut Linker<StoreState>) -> wasmtime::Result<()> {
    ENCODINGS.into_iter().try_for_each(|encoding| add_with(linker, encoding))
}

fn add_with(linker: &mut Linker<StoreState>, encoding: Encoding) -> wasmtime::Result<()> {
    import!(
        linker,
        encoding,
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
        |mut call, bits| {
            let (line,): (Line,) = call.params(bits)?;
            charge(&mut call.store, prices::REPORT.input_price(line.moves.len()))?;
            call.store.data_mut().host.report(line).map_err(error)
        }
    );
    import!(
        linker,
        encoding,
        "log",
        (level: u32, text: u32, text_length: u32) -> (),
        |mut call, bits| {
            let (level, text): (Level, String) = call.params(bits)?;
            charge(&mut call.store, prices::LOG.input_price(text.len()))?;
            call.store.data_mut().host.log(level, &text).map_err(error)
        }
    );
    import!(linker, encoding, "left", () -> u64, |mut call, bits| {
        let () = call.params(bits)?;
        charge(&mut call.store, prices::LEFT.input_price(0))?;
        let left = left(&mut call.store);
        call.store.data_mut().host.record_left(left);
        Ok(left)
    });
    import!(
        linker,
        encoding,
        "legal",
        (moves: u32, moves_length: u32, result: u32) -> (),
        |mut call, bits| {
            let (moves, target): (String, u32) = call.params(bits)?;
            charge(&mut call.store, prices::LEGAL.input_price(moves.len()))?;
            let answer = call.store.data_mut().host.legal(&moves);
            let bytes = answer.as_ref().map_or_else(String::len, String::len);
            charge(&mut call.store, prices::LEGAL.output_price(bytes))?;
            call.lower_result(target, &answer)
        }
    );
    import!(
        linker,
        encoding,
        "look",
        (moves: u32, moves_length: u32, result: u32) -> (),
        |mut call, bits| {
            let (moves, target): (String, u32) = call.params(bits)?;
            charge(&mut call.store, prices::LOOK.input_price(moves.len()))?;
            let view = call.store.data_mut().host.look(&moves);
            let bytes = view.as_ref().map_or_else(String::len, |view| view.position.len());
            charge(&mut call.store, prices::LOOK.output_price(bytes))?;
            call.lower_result(target, &view)
        }
    );
    import!(
        linker,
        encoding,
        "asset",
        (name: u32, name_length: u32, offset: u64, length: u32, result: u32) -> (),
        |mut call, bits| {
            let (name, offset, length, target): (String, u64, u32, u32) = call.params(bits)?;
            charge(&mut call.store, prices::ASSET.input_price(name.len()))?;
            if length > limits::ASSET_READ_BYTES {
                return Err(error(asset_read_too_long(length)));
            }
            let bytes: Result<Vec<u8>, String> =
                call.store.data_mut().host.asset(&name, offset, length).map(Cow::into_owned);
            let given = bytes.as_ref().map_or_else(String::len, Vec::len);
            charge(&mut call.store, prices::ASSET.output_price(given))?;
            call.lower_result(target, &bytes)
        }
    );
    import!(linker, encoding, "probe", (key: u64) -> u64, |mut call, bits| {
        let (key,): (u64,) = call.params(bits)?;
        charge(&mut call.store, prices::PROBE.input_price(0))?;
        Ok(call.store.data_mut().host.probe(key))
    });
    import!(linker, encoding, "store", (key: u64, value: u64) -> (), |mut call, bits| {
        let (key, value): (u64, u64) = call.params(bits)?;
        charge(&mut call.store, prices::STORE.input_price(0))?;
        call.store.data_mut().host.store(key, value);
        Ok(())
    });
    import!(linker, encoding, "cell", (index: u32, op: u32, value: u64) -> u64, |mut call, bits| {
        let (index, op, value): (u8, CellOp, i64) = call.params(bits)?;
        charge(&mut call.store, prices::CELL.input_price(0))?;
        let old = call.store.data_mut().host.cell(index.into(), op, value).map_err(error)?;
        Ok(old.cast_unsigned())
    });
    Ok(())
}

/// Charges a price, in parts of a unit, to the current call. Err: not enough fuel is left; the
/// error is the same as when the engine's own code uses it up.
fn charge(store: &mut Store, parts: u64) -> wasmtime::Result<()> {
    let counter = store.data().counter;
    let Some(left) = counter.left(&mut *store) else { return Ok(()) };
    let state = store.data_mut();
    let left = state.fuel_role.settle(state.call.fuel_parts(), left);
    match left.checked_sub(parts) {
        Some(left) => counter.set_left(store, left),
        None => counter.use_up(store),
    }
}

/// The result of `left()`, in the budget's unit.
fn left(store: &mut Store) -> u64 {
    let counter = store.data().counter;
    let left = counter.left(&mut *store);
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

/// An error that ends the call with this fault.
fn error(fault: Fault) -> wasmtime::Error {
    wasmtime::Error::new(fault)
}
