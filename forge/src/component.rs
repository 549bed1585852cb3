//! From a core wasm module to the component that a host loads.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// The border of engines.
pub const WIT: &str = include_str!("../../abi/wit/since-v1/engine.wit");
/// The world of engines in it.
pub const WORLD: &str = "sandboard";

/// Stands in for WASI preview 1 without files, arguments or clock: assembled by the build script
/// out of `adapter/wasi_stub.wat`, which says what each call comes to.
pub(crate) const WASI_STUB: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wasi_stub.wasm"));
pub(crate) const WASI_MODULE: &str = "wasi_snapshot_preview1";

/// What has to be known of a core module to wrap it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Core {
    /// Its texts are UTF-16, not UTF-8.
    pub utf16: bool,
    /// It imports WASI preview 1, of which it gets the stub.
    pub wasi: bool,
}

/// Wraps a core module, whose sections tell its world, into a component.
pub fn encode(module: &[u8]) -> Result<Vec<u8>> {
    encode_with(module, false)
}

/// Adds to a core module the world that it is a part of, that of engines in this [`WIT`], and wraps it.
pub fn of_core(module: Vec<u8>, wit: &str) -> Result<Vec<u8>> {
    wrap(module, wit, Core::default())
}

/// As [`of_core`], for modules of other languages.
pub fn wrap(mut module: Vec<u8>, wit: &str, core: Core) -> Result<Vec<u8>> {
    let (resolve, world) = resolved(wit)?;
    let encoding = if core.utf16 { StringEncoding::UTF16 } else { StringEncoding::UTF8 };
    embed_component_metadata(&mut module, &resolve, world, encoding)?;
    encode_with(&module, core.wasi)
}

/// Wraps a core module, whose sections tell its world; `wasi`: with the stub in place of WASI preview 1.
pub(crate) fn encode_with(module: &[u8], wasi: bool) -> Result<Vec<u8>> {
    let mut encoder = ComponentEncoder::default();
    encoder.module(module)?.validate(true);
    if wasi {
        encoder.adapter(WASI_MODULE, WASI_STUB)?;
    }
    encoder.encode()
}

/// The world of engines in a WIT.
pub(crate) fn resolved(wit: &str) -> Result<(Resolve, WorldId)> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("engine.wit", wit)?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    Ok((resolve, world))
}

/// Writes the border's WIT for tools that read it from a folder of its own: that folder.
pub fn write_wit(scratch: &Path) -> Result<PathBuf> {
    let folder = scratch.join("wit");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("engine.wit"), WIT))
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_makes_no_component() {
        assert!(encode(b"not wasm").is_err());
    }

    #[test]
    fn a_module_without_the_calls_makes_no_component() {
        let empty = b"\0asm\x01\0\0\0".to_vec();
        assert!(of_core(empty, WIT).is_err());
    }
}
