//! From a core wasm module to the component that a host loads.

use anyhow::Result;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// The border of engines.
pub const WIT: &str = include_str!("../../abi/wit/since-v1/engine.wit");
const WORLD: &str = "sandboard";

/// Wraps a core module, whose sections tell its world, into a component.
pub fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default().module(module)?.validate(true).encode()
}

/// Adds to a core module the world that it is a part of, that of engines in
/// this [`WIT`], and wraps it.
pub fn of_core(mut module: Vec<u8>, wit: &str) -> Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("engine.wit", wit)?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    encode(&module)
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
