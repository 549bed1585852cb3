//! What being watched costs a search: the same one with neither deadline nor
//! fuel, with each and with both, against native.

use sandboard_host::engine::Caps;
use sandboard_host::engine::native::Calls;
use sandboard_host::engine::wasm::{Metering, Runtime, WasmModule};
use sandboard_tests::{built, native, runtime};

use crate::searches::{Contender, ENGINE, race, report};
use crate::table::{Bar, Table};

const DEADLINE: &str = "wasm, deadline";

pub fn measure(table: &mut Table) {
    let unstoppable = Runtime::unstoppable();
    let wasm = |name, runtime, metering| Contender::new(name, load(runtime, metering));
    let mut contenders = [
        Contender::new("native", native(ENGINE, Calls::Inline).expect("it loads")),
        wasm("wasm, neither", &unstoppable, Metering::Deadline),
        wasm(DEADLINE, runtime(), Metering::Deadline),
        wasm("wasm, fuel", &unstoppable, Metering::Fuel),
        wasm("wasm, deadline and fuel", runtime(), Metering::Fuel),
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
    let path = built(&format!("{ENGINE}.wasm"));
    WasmModule::load_file(runtime, &path, metering, Caps::default(), Default::default())
        .expect("it loads")
}
