//! Nodes per CPU second of an engine in some positions, native and sandboxed, in turns.

use std::sync::Arc;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_tests::{native, wasm};

use crate::table::{Bar, Table, median};

const NODES: u64 = 200_000;
const ROUNDS: usize = 5;

/// Measures an engine. `least` is the bar for native code, in millions of nodes per second.
pub(crate) fn measure_engine(table: &mut Table, engine: &str, setups: &[Setup], least: f64) {
    let native = native(engine, CallMode::Inline).expect("it loads");
    let wasm = wasm(engine, Metering::Deadline, Caps::default()).expect("it loads");
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let speeds = [nodes_per_s(&native, setups), nodes_per_s(&wasm, setups)];
        // The first round is a warm-up.
        if round > 0 {
            outside.push(speeds[0]);
            inside.push(speeds[1]);
        }
    }
    let ratios = inside.iter().zip(&outside).map(|(wasm, native)| wasm / native).collect();
    let bar = Some(Bar::AtLeast(least));
    table.add(format!("{engine}, native"), median(outside) / 1e6, "Mnodes/s", bar);
    table.add(format!("{engine}, wasm"), median(inside) / 1e6, "Mnodes/s", None);
    table.add("  wasm ÷ native", median(ratios), "", Some(Bar::AtLeast(0.5)));
}

/// Over all positions, each searched by a fresh instance.
fn nodes_per_s(source: &dyn EngineSource, setups: &[Setup]) -> f64 {
    let limits = Limits {
        unit: Unit::Cpu,
        call_max: Some(60_000_000),
        nodes: Some(NODES),
        ..Limits::default()
    };
    let (mut nodes, mut cpu_us) = (0, 0);
    for setup in setups {
        let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
        engine.start(setup).expect("it starts");
        let answer = engine.choose(&limits, &[]).expect("it searches");
        nodes += answer.choice.line.expect("the answer has a line").nodes;
        cpu_us += answer.spent.cpu_us.expect("CPU time is counted here");
    }
    nodes as f64 / cpu_us as f64 * 1e6
}
