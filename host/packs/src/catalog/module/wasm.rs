//! Inspects a component, an engine or the rules of a game: the ABI that it was built for, and the
//! faults that the runtime's scan finds in it.

use sandboard_abi::{ABI, GAME_ABI};
use wasmparser::Parser;

use super::describe_file_type;
use sandboard_common::text::quoted;
use sandboard_engine_wasm::scan::{
    ComponentInterface, LoadCaps, ScanError, World, admit_judge, scan, to_component,
};

/// The ABI numbers of a component, at least one. Err: why it is not an engine component. Adds other
/// faults to `faults`.
pub(super) fn inspect_module(
    bytes: &[u8],
    caps: &LoadCaps,
    faults: &mut Vec<String>,
) -> Result<Vec<u32>, String> {
    if !Parser::is_core_wasm(bytes) && !Parser::is_component(bytes) {
        return Err(format!("is not a WebAssembly component, but {}", describe_file_type(bytes)));
    }
    let component = to_component(bytes, caps).map_err(|error| error.to_string())?;
    let bytes = &*component;
    let scanned = scan(bytes, caps);
    let interface = ComponentInterface::read(bytes, caps).map_err(|error| match error {
        ScanError::Invalid { offset: at, reason } => {
            format!("is not a complete WebAssembly component: at byte {at}: {reason}")
        }
        other => other.to_string(),
    })?;
    if interface.engines.is_empty() && !interface.judges.is_empty() {
        return Err("has the rules of a game, and is not an engine".into());
    }
    // The imports must have the number of the export.
    let abis = if interface.engines.is_empty() { &[ABI][..] } else { &interface.engines };
    faults.extend(interface.check_imports(World::Engine, abis).map(|error| error.to_string()));
    faults.extend(scanned.err().map(|error| error.to_string()));
    if interface.engines.is_empty() {
        return Err(no_export(World::Engine, &interface));
    }
    Ok(interface.engines)
}

/// Why a component is not the rules of a game for this host, or is not compiled; empty if it is.
pub(super) fn judge_faults(bytes: &[u8], caps: &LoadCaps) -> Vec<String> {
    if !Parser::is_core_wasm(bytes) && !Parser::is_component(bytes) {
        return vec![format!("is not a WebAssembly component, but {}", describe_file_type(bytes))];
    }
    let mut faults: Vec<String> =
        admit_judge(bytes, caps).err().iter().map(ToString::to_string).collect();
    let Ok(interface) = ComponentInterface::read(bytes, caps) else { return faults };
    if interface.judges.is_empty() && !interface.engines.is_empty() {
        return vec!["is an engine, not the rules of a game".into()];
    }
    match interface.judges.iter().max() {
        None if Parser::is_component(bytes) => {
            faults.insert(0, no_export(World::Judge, &interface));
        }
        Some(number) if !interface.judges.contains(&GAME_ABI) => {
            faults.insert(0, format!("built for ABI {number}; this host speaks ABI {GAME_ABI}"));
        }
        _ => {}
    }
    faults
}

fn no_export(world: World, interface: &ComponentInterface) -> String {
    let expected = format!("exports no `{}/{}@N.x.y`", world.package(), world.export());
    match interface.other_exports.first() {
        Some(other) => format!("{expected}, but {}", quoted(other)),
        None => expected,
    }
}
