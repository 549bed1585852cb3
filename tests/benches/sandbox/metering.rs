//! Overhead of metering on a search: without deadline and fuel, with each and with both, with fuel
//! that the runtime counts and that the module counts, compared with native.

use sandboard_engine::Caps;
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::{Metering, Runtime, WasmModule};
use sandboard_tests::{built, native, runtime};

use crate::instrumented::{Placement, component};
use crate::searches::{Contender, ENGINE, race, report};
use crate::table::{Bar, Table};

const DEADLINE: &str = "wasm, deadline";

pub(crate) fn measure(table: &mut Table) {
    let unstoppable = Runtime::without_interruption();
    let wasm = |name, runtime, metering| Contender::new(name, load(runtime, metering));
    let counting =
        |name, runtime, placement| Contender::new(name, instrumented(runtime, placement));
    let mut contenders = [
        Contender::new("native", native(ENGINE, CallMode::Inline).expect("it loads")),
        wasm("wasm, neither", &unstoppable, Metering::Deadline),
        wasm(DEADLINE, runtime(), Metering::Deadline),
        wasm("wasm, fuel", &unstoppable, Metering::Fuel),
        wasm("wasm, deadline and fuel", runtime(), Metering::Fuel),
        counting("wasm, instrumented", &unstoppable, Placement::Shared),
        counting("wasm, deadline and instrumented", runtime(), Placement::Shared),
    ];
    race(&mut contenders);
    report(table, &contenders, |name| (name == DEADLINE).then_some(Bar::AtLeast(0.45)));
    let [_, neither, watched @ ..] = &contenders;
    for contender in watched {
        let what = format!("  {} ÷ {}", contender.name, neither.name);
        table.add(what, contender.speed_against(neither), "", None);
    }
}

fn load(runtime: &Runtime, metering: Metering) -> WasmModule {
    load_bytes(runtime, &engine(), metering)
}

/// The engine whose core modules count their fuel themselves.
fn instrumented(runtime: &Runtime, placement: Placement) -> WasmModule {
    load_bytes(runtime, &component(&engine(), placement), Metering::Deadline)
}

fn load_bytes(runtime: &Runtime, bytes: &[u8], metering: Metering) -> WasmModule {
    WasmModule::load(runtime, bytes, metering, Caps::default(), Default::default())
        .expect("it loads")
}

fn engine() -> Vec<u8> {
    std::fs::read(built(&format!("{ENGINE}.wasm"))).expect("the component can be read")
}
