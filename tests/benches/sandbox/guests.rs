//! Minimal guest engines whose `choose` runs one body. They use the canonical ABI directly: input
//! is written to one address and never read, and output is a page of zeros, which is `ok` and an
//! empty move.

use std::sync::Arc;

use sandboard_builder::component;
use sandboard_engine::{Caps, Engine, EngineSource, NullListener};
use sandboard_engine_process::EngineProcessSource;
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{engine_processes, gomoku, runtime};

/// Memory of a small guest in pages.
pub(crate) const SMALL: u32 = 2;
/// The default memory limit of an engine in pages: 64 MiB.
pub(crate) const FULL: u32 = 1024;
pub(crate) const PAGE_BYTES: u32 = 64 * 1024;

/// A guest with this number of memory pages, whose `choose` runs this body. The body may call
/// `$left` and `$legal`, and may write from the second page on.
pub(crate) fn guest(pages: u32, choose: &str) -> WasmModule {
    let (component, caps) = component(pages, choose);
    WasmModule::load(runtime(), &component, Metering::Deadline, caps, Default::default())
        .expect("the guest loads")
}

/// As [`guest`], with each instance in an engine process.
pub(crate) fn jailed_guest(pages: u32, choose: &str) -> EngineProcessSource {
    let (component, caps) = component(pages, choose);
    let metering = Metering::Deadline;
    engine_processes()
        .wasm(runtime(), &component, metering, caps, &Default::default())
        .expect("it loads")
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
        component::wrap_core_module(module, component::WIT).expect("the guest implements the ABI");
    // One more page, because the component's table of imports counts, too.
    let memory_bytes = u64::from(pages + 1) * u64::from(PAGE_BYTES);
    (component, Caps { memory_bytes, ..Caps::default() })
}

/// A started instance.
pub(crate) fn started(source: &dyn EngineSource) -> Box<dyn Engine> {
    let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    engine
}

/// A body that never returns and makes no host call.
pub(crate) const LOOP: &str = "(loop (br 0))";
