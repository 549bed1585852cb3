//! Engines of a few instructions, whose `choose` does one thing. They speak the
//! canonical ABI by hand: all that comes in is put at one place and never read,
//! and what goes out is a page of zeros, which says `ok` and an empty move.

use std::sync::Arc;

use sandboard_forge::component;
use sandboard_host::engine::wasm::{Metering, WasmModule};
use sandboard_host::engine::{Caps, Deaf, Engine, EngineSource};
use sandboard_host::worker::WorkerSource;
use sandboard_tests::{gomoku, runtime, workers};

/// What a guest holds, in pages.
pub const SMALL: u32 = 2;
/// As much as an engine is given by default: 64 MiB.
pub const FULL: u32 = 1024;
pub const PAGE_BYTES: u32 = 64 * 1024;

/// An engine with these pages of memory, whose `choose` is this body. The body may
/// call `$left` and `$legal`, and write from the second page on.
pub fn guest(pages: u32, choose: &str) -> WasmModule {
    let (component, caps) = component(pages, choose);
    WasmModule::load(runtime(), &component, Metering::Deadline, caps, Default::default())
        .expect("the guest loads")
}

/// The same, each instance in a worker.
pub fn jailed_guest(pages: u32, choose: &str) -> WorkerSource {
    let (component, caps) = component(pages, choose);
    let metering = Metering::Deadline;
    workers().wasm(runtime(), &component, metering, caps, &Default::default()).expect("it loads")
}

fn component(pages: u32, choose: &str) -> (Vec<u8>, Caps) {
    let text = format!(
        r#"(module
          (import "sandboard:engine/host@1.0.0" "left" (func $left (result i64)))
          (import "sandboard:engine/host@1.0.0" "legal" (func $legal (param i32 i32 i32)))
          (memory (export "memory") {pages})
          (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 8192)
          (func (export "sandboard:engine/engine@1.0.0#describe") (result i32) i32.const 0)
          (func (export "sandboard:engine/engine@1.0.0#start") (param i32) (result i32)
            i32.const 0)
          (func (export "sandboard:engine/engine@1.0.0#played") (param i32 i32) (result i32)
            i32.const 0)
          (func (export "sandboard:engine/engine@1.0.0#taken-back") (param i32) (result i32)
            i32.const 0)
          (func (export "sandboard:engine/engine@1.0.0#choose") (param i32) (result i32)
            {choose} i32.const 0)
          (func (export "sandboard:engine/engine@1.0.0#think") (result i32) i32.const 0))"#
    );
    let module = wat::parse_str(&text).expect("the guest is WebAssembly");
    let component =
        component::of_core(module, component::WIT).expect("the guest speaks the border");
    // A page more: the component's own table of imports is counted, too.
    let memory_bytes = u64::from(pages + 1) * u64::from(PAGE_BYTES);
    (component, Caps { memory_bytes, ..Caps::default() })
}

/// An instance of it in a game that has begun.
pub fn started(source: &dyn EngineSource) -> Box<dyn Engine> {
    let mut engine = source.open(Arc::new(Deaf)).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine
}

/// Never comes back, asks for nothing.
pub const LOOP: &str = "(loop (br 0))";
