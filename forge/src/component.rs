//! From a core wasm module to the component that a host loads.

use anyhow::Result;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const WIT: &str = include_str!("../../abi/wit/since-v1/engine.wit");
const WORLD: &str = "sandboard";

/// Wraps a core module, whose sections tell its world, into a component.
pub fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default().module(module)?.validate(true).encode()
}

/// Wraps a core module that speaks the border's canonical ABI, but whose sections
/// do not tell so, into a component.
pub fn encode_plain(mut module: Vec<u8>) -> Result<Vec<u8>> {
    let mut wit = Resolve::default();
    let package = wit.push_str("engine.wit", WIT)?;
    let world = wit.select_world(&[package], Some(WORLD))?;
    embed_component_metadata(&mut module, &wit, world, StringEncoding::UTF8)?;
    encode(&module)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_no_module_makes_no_component() {
        assert!(super::encode(b"not wasm").is_err());
        assert!(super::encode_plain(b"not wasm".to_vec()).is_err());
    }

    #[test]
    fn a_module_without_the_calls_makes_no_component() {
        assert!(super::encode_plain(b"\0asm\x01\0\0\0".to_vec()).is_err());
    }
}
