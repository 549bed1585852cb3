//! Inspects a component: the ABI that it was built for, and the faults that the runtime's scan
//! finds in it.

use sandboard_abi::{ABI, WIT_PACKAGE};
use wasmparser::Parser;

use super::describe_file_type;
use sandboard_common::text::quoted;
use sandboard_engine_wasm::scan::{ComponentInterface, LoadCaps, ScanError, scan, to_component};

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
    // The linker cannot match imports with another number than the export's.
    let abis = if interface.engines.is_empty() { &[ABI][..] } else { &interface.engines };
    faults.extend(interface.check_imports(abis).map(|error| error.to_string()));
    faults.extend(scanned.err().map(|error| error.to_string()));
    if interface.engines.is_empty() {
        return Err(no_export(&interface));
    }
    Ok(interface.engines)
}

fn no_export(interface: &ComponentInterface) -> String {
    let expected = format!("exports no `{WIT_PACKAGE}/engine@N.x.y`");
    match interface.other_exports.first() {
        Some(other) => format!("{expected}, but {}", quoted(other)),
        None => expected,
    }
}
