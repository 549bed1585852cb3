//! Machine code of a component, compiled by this host. Contains the only unsafe code of this crate,
//! because wasmtime trusts the code that it deserialises.
#![allow(unsafe_code)]

use wasmtime::Engine;
use wasmtime::component::Component;

/// Unchanged output of wasmtime's compiler. Bytes from any other source would run outside the
/// sandbox.
pub struct CompiledCode(Vec<u8>);

impl CompiledCode {
    /// Wraps the output of a compiler in this process or in a process that this host started. In
    /// such a process, wraps the code that it received from its host.
    pub fn from_compiler(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// Wraps code from the cache whose hash was checked.
    pub(super) fn from_cache(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// The bytes, for the cache or another process.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Deserialises the component. Err: the code is that of another runtime.
    pub(crate) fn component(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: the bytes are unchanged output of wasmtime. Both constructors require it, and the
        // cache checks the hash and the owner of a file. Wasmtime itself refuses output of another
        // version or configuration.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
