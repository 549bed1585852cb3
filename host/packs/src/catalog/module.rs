//! Inspects a module's file: its hash, the ABI that it was built for, and its faults.
//!
//! Invariant: no byte of the module is compiled or executed.

mod library;
mod program;
mod wasm;

#[cfg(test)]
pub(super) mod fixtures;
#[cfg(test)]
mod tests;

use std::path::Path;

use sandboard_abi::ABI;
use serde::Serialize;

use library::TargetSystem;

use crate::manifest::ModuleKind;
use sandboard_common::bounded_files::read_bounded;
use sandboard_common::hex::sha256_hex;
use sandboard_engine_wasm::scan::{LoadCaps, MODULE_BYTES_MAX};

/// The facts about a module that its file shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleInfo {
    /// The SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    pub bytes: u64,
    /// The ABI number that it was built for, if it names one; this host's, if it names several.
    pub abi: Option<u32>,
    /// All reasons why this host cannot run it, lower case, no full stop. Empty if none is visible
    /// without compiling it.
    pub faults: Vec<String>,
}

/// The largest program of an external engine, in bytes. Some contain their network.
const PROGRAM_BYTES_MAX: u64 = 256 << 20;

/// The largest module of this kind that is read, in bytes. For WebAssembly, [`LoadCaps`] may allow
/// less.
pub fn module_bytes_max(kind: ModuleKind) -> u64 {
    match kind {
        ModuleKind::Wasm | ModuleKind::Native => MODULE_BYTES_MAX,
        ModuleKind::External => PROGRAM_BYTES_MAX,
    }
}

/// Inspects a module; `caps` limits the size of WebAssembly. Err: the file cannot be read, or is
/// larger than [`module_bytes_max`].
pub fn inspect(path: &Path, kind: ModuleKind, caps: &LoadCaps) -> Result<ModuleInfo, String> {
    Ok(inspect_bytes(&read_bounded(path, module_bytes_max(kind))?, kind, caps))
}

/// As [`inspect`], for bytes in memory.
pub fn inspect_bytes(bytes: &[u8], kind: ModuleKind, caps: &LoadCaps) -> ModuleInfo {
    let (mut abis, mut faults) = (Vec::new(), Vec::new());
    let abi_numbers = match kind {
        _ if bytes.is_empty() => Err("is empty".to_owned()),
        ModuleKind::Wasm => wasm::inspect_module(bytes, caps, &mut faults),
        ModuleKind::Native => library::inspect_module(bytes, &TargetSystem::this()),
        ModuleKind::External => {
            program::inspect_module(bytes, &TargetSystem::this()).map(|()| Vec::new())
        }
    };
    match abi_numbers {
        Ok(found) => abis = found,
        Err(why) => faults.insert(0, why),
    }
    let abi = abis.iter().copied().find(|abi| *abi == ABI).or(abis.iter().copied().max());
    if let Some(abi) = abi.filter(|abi| *abi != ABI) {
        faults.insert(0, format!("built for ABI {abi}; this host speaks ABI {ABI}"));
    }
    ModuleInfo { sha256: sha256_hex(bytes), bytes: bytes.len() as u64, abi, faults }
}

/// As [`inspect_bytes`], for the rules of a game.
pub(super) fn inspect_judge(bytes: &[u8], caps: &LoadCaps) -> ModuleInfo {
    let faults = match bytes.is_empty() {
        true => vec!["is empty".to_owned()],
        false => wasm::judge_faults(bytes, caps),
    };
    ModuleInfo { sha256: sha256_hex(bytes), bytes: bytes.len() as u64, abi: None, faults }
}

/// The type of a file by its first bytes, for a fault message.
fn describe_file_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => "a WebAssembly component",
        [0, b'a', b's', b'm', ..] => "a core WebAssembly module",
        [0x7f, b'E', b'L', b'F', ..] => "an ELF file (a native library, or a precompiled `.cwasm`)",
        [b'M', b'Z', ..] => "a Windows executable or library",
        [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] => "a macOS universal library",
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => {
            "a macOS executable or library"
        }
        [b'(', ..] => "WebAssembly text; it must be assembled first",
        [b'P', b'K', 3, 4, ..] => "a zip archive; it must be unpacked first",
        _ => "a file of unknown type",
    }
}
