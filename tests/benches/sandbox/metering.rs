//! Overhead of metering on a search: without deadline and fuel, with each and with both, with fuel
//! that the runtime counts and that the module counts, compared with native.

use sandboard_engine::Caps;
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::{Metering, Runtime, WasmModule};
use sandboard_tests::{built, native, runtime};

use crate::searches::{Contender, ENGINE, race, report};
use crate::table::{Bar, Table};

const DEADLINE: &str = "wasm, deadline";

pub(crate) fn measure(table: &mut Table) {
    let unstoppable = Runtime::without_interruption();
    let wasm = |name, runtime, metering| Contender::new(name, load(runtime, metering));
    let mut contenders = [
        Contender::new("native", native(ENGINE, CallMode::Inline).expect("it loads")),
        wasm("wasm, neither", &unstoppable, Metering::Deadline),
        wasm(DEADLINE, runtime(), Metering::Deadline),
        wasm("wasm, fuel", &unstoppable, Metering::Fuel),
        wasm("wasm, deadline and fuel", runtime(), Metering::Fuel),
        wasm("wasm, fuel by runtime", &unstoppable, Metering::RuntimeFuel),
        wasm("wasm, deadline and fuel by runtime", runtime(), Metering::RuntimeFuel),
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
    let bytes = std::fs::read(built(&format!("{ENGINE}.wasm"))).expect("the component is built");
    WasmModule::load(runtime, &bytes, metering, Caps::default(), Default::default())
        .expect("it loads")
}
