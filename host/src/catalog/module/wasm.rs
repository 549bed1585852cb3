//! What a component is built for, and everything that the runtime's own scan has
//! against it, in words for a list.

use sandboard_abi::{ABI, WIT_PACKAGE};
use wasmparser::Parser;

use super::nature;
use crate::engine::wasm::scan::{Border, LoadCaps, Refusal, component, scan};
use crate::manifest::quoted;

/// The ABI numbers of a component, one at least. Err: why it is none of ours.
/// What else is wrong with it is added to `wrongs`.
pub(super) fn look(
    bytes: &[u8],
    caps: &LoadCaps,
    wrongs: &mut Vec<String>,
) -> Result<Vec<u32>, String> {
    if !Parser::is_core_wasm(bytes) && !Parser::is_component(bytes) {
        return Err(format!("is not a WebAssembly component, but {}", nature(bytes)));
    }
    let component = component(bytes, caps).map_err(|refusal| refusal.to_string())?;
    let bytes = &*component;
    let scanned = scan(bytes, caps);
    let border = Border::read(bytes, caps).map_err(|refusal| match refusal {
        Refusal::Invalid { at, reason } => {
            format!("is not a whole WebAssembly component: at byte {at}: {reason}")
        }
        other => other.to_string(),
    })?;
    // Of another number than the export's: the linker could not match it.
    let abis = if border.engines.is_empty() { &[ABI][..] } else { &border.engines };
    wrongs.extend(border.strange_imports(abis).map(|refusal| refusal.to_string()));
    wrongs.extend(scanned.err().map(|refusal| refusal.to_string()));
    if border.engines.is_empty() {
        return Err(no_export(&border));
    }
    Ok(border.engines)
}

fn no_export(border: &Border) -> String {
    let wanted = format!("exports no `{WIT_PACKAGE}/engine@N.x.y`");
    match border.other_exports.first() {
        Some(other) => format!("{wanted}, but {}", quoted(other)),
        None => wanted,
    }
}
