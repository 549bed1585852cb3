//! Machine code that this host made of a component, as bytes: the one place outside
//! the native backend that is unsafe, since wasmtime trusts what it deserialises.
#![allow(unsafe_code)]

use wasmtime::Engine;
use wasmtime::component::Component;

/// Wasmtime's output, whole and unchanged: fresh from a compiler of ours, or kept in the
/// cache and compared with its hash. Whoever makes one of other bytes lets them run
/// outside the sandbox.
pub struct Code(Vec<u8>);

impl Code {
    /// What a compiler of ours has just made, in this process or in one that it started; in such
    /// a one, what its host has handed to it.
    pub(crate) fn compiled(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// What was found in the cache, and found to be as it was written.
    pub(super) fn kept(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// To be kept or handed on.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The component that can be run. Err: it is another runtime's.
    pub(in super::super) fn component(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: the bytes are wasmtime's own output, unchanged: both constructors promise
        // it, and the cache has compared a hash and whose file it was. Wasmtime itself refuses
        // output of another version or configuration.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
