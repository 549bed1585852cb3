//! From a core wasm module to the component that a host loads.

use anyhow::Result;
use wit_component::ComponentEncoder;

/// Wraps a core module, whose sections tell its world, into a component.
pub fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default().module(module)?.validate(true).encode()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_no_module_makes_no_component() {
        assert!(super::encode(b"not wasm").is_err());
    }
}
