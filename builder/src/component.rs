//! Wraps core WebAssembly modules of our own compilers into components. Modules from strangers are
//! wrapped by [`wrapper`](crate::wrapper), which does not parse them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// The WIT text of the engine interface.
pub const WIT: &str = include_str!("../embedded/wit/since-v1/engine.wit");
/// The name of the world in [`WIT`] that engines implement.
pub const WORLD: &str = "sandboard";
/// The WIT text of the interface of plugged-in games.
pub const GAME_WIT: &str = include_str!("../embedded/wit/game-since-v1/game.wit");

/// A module that replaces WASI preview 1, without files, arguments or a real clock. What a program
/// prints goes to the engine's log. The build script assembles it from `support/wasi_stub.wat`,
/// which documents each function.
pub const WASI_STUB: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wasi_stub.wasm"));
/// The world of [`WASI_STUB`], which only imports.
const STUB_WORLD: &str = "wasi-stub";
/// The import module name of WASI preview 1.
pub const WASI_MODULE: &str = "wasi_snapshot_preview1";

/// The properties of a core module that wrapping depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreModuleOptions {
    /// Its strings are UTF-16 instead of UTF-8.
    pub utf16: bool,
    /// It imports WASI preview 1, which the stub replaces.
    pub wasi: bool,
}

/// Wraps a core module that has its world in a custom section.
pub fn wrap_described_module(module: &[u8]) -> Result<Vec<u8>> {
    encode_component(module, false)
}

/// Wraps a core module without such a section, for the world in this WIT text.
pub fn wrap_core_module(module: Vec<u8>, wit: &str) -> Result<Vec<u8>> {
    wrap_with(module, wit, CoreModuleOptions::default())
}

/// Like [`wrap_core_module`], for modules with other [properties](CoreModuleOptions).
pub fn wrap_with(mut module: Vec<u8>, wit: &str, core: CoreModuleOptions) -> Result<Vec<u8>> {
    let (resolve, world) = resolve_world(wit)?;
    let encoding = if core.utf16 { StringEncoding::UTF16 } else { StringEncoding::UTF8 };
    embed_component_metadata(&mut module, &resolve, world, encoding)?;
    encode_component(&module, core.wasi)
}

/// Wraps a core module that has its world in a custom section; with `wasi`, the stub replaces WASI
/// preview 1.
pub(crate) fn encode_component(module: &[u8], wasi: bool) -> Result<Vec<u8>> {
    let mut encoder = ComponentEncoder::default().module(module)?.validate(true);
    if wasi {
        encoder = encoder.adapter(WASI_MODULE, &described_stub()?)?;
    }
    encoder.encode()
}

/// The stub with its own world, which imports the host's functions. Its texts are UTF-8 also where
/// those of the module are UTF-16.
fn described_stub() -> Result<Vec<u8>> {
    let text = format!("{WIT}\nworld {STUB_WORLD} {{ import host; }}\n");
    let (resolve, world) = select_world(&text, Some(STUB_WORLD))?;
    let mut stub = WASI_STUB.to_vec();
    embed_component_metadata(&mut stub, &resolve, world, StringEncoding::UTF8)?;
    Ok(stub)
}

/// Parses a WIT text and selects its only world.
pub(crate) fn resolve_world(wit: &str) -> Result<(Resolve, WorldId)> {
    select_world(wit, None)
}

/// Parses a WIT text and selects the world with this name, or its only one.
fn select_world(wit: &str, name: Option<&str>) -> Result<(Resolve, WorldId)> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("world.wit", wit)?;
    let world = resolve.select_world(&[package], name)?;
    Ok((resolve, world))
}

/// Writes the WIT of the engine interface into a folder of its own, for tools that read one;
/// returns the folder.
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
    fn bytes_that_are_no_module_are_refused() {
        assert!(wrap_described_module(b"not wasm").is_err());
    }

    #[test]
    fn a_module_without_the_exports_is_refused() {
        let empty = b"\0asm\x01\0\0\0".to_vec();
        assert!(wrap_core_module(empty, WIT).is_err());
    }
}
