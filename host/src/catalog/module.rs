//! What a module's file tells without running or compiling it: its hash, and
//! the border's number it was built for. Nothing here executes a byte of it.

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

pub use library::System;

use super::files::read_bounded;
use crate::engine::wasm::scan::{LoadCaps, MODULE_BYTES};
use crate::manifest::ModuleKind;
use crate::sha256_hex;

/// What a file tells of the module in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleFacts {
    /// The hash of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// How long it is.
    pub bytes: u64,
    /// The number of the border it was built for, where it says one: this
    /// host's, if it speaks several.
    pub abi: Option<u32>,
    /// Everything that keeps this host from running it, lower case, no full
    /// stop. Empty: nothing that can be told without compiling it.
    pub wrongs: Vec<String>,
}

/// Looks at a module, of which wasm may be as large as `caps` say. Err: it could not be read, or is larger than [`MODULE_BYTES`].
pub fn inspect(path: &Path, kind: ModuleKind, caps: &LoadCaps) -> Result<ModuleFacts, String> {
    Ok(inspect_bytes(&read_bounded(path, MODULE_BYTES)?, kind, caps))
}

/// As [`inspect`], of bytes in memory.
pub fn inspect_bytes(bytes: &[u8], kind: ModuleKind, caps: &LoadCaps) -> ModuleFacts {
    let (mut abis, mut wrongs) = (Vec::new(), Vec::new());
    let told = match kind {
        _ if bytes.is_empty() => Err("is empty".to_owned()),
        ModuleKind::Wasm => wasm::look(bytes, caps, &mut wrongs),
        ModuleKind::Native => library::look(bytes, &System::this()),
        ModuleKind::Process => program::look(bytes, &System::this()).map(|()| Vec::new()),
    };
    match told {
        Ok(found) => abis = found,
        Err(why) => wrongs.insert(0, why),
    }
    let abi = abis.iter().copied().find(|abi| *abi == ABI).or(abis.iter().copied().max());
    if let Some(abi) = abi.filter(|abi| *abi != ABI) {
        wrongs.insert(0, format!("built for border ABI {abi}; this host speaks ABI {ABI}"));
    }
    ModuleFacts { sha256: sha256_hex(bytes), bytes: bytes.len() as u64, abi, wrongs }
}

/// What a file that is not what it should be is, by its first bytes.
fn nature(bytes: &[u8]) -> &'static str {
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
        _ => "neither WebAssembly nor a library of any system known here",
    }
}
