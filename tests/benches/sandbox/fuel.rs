//! Fuel rates: units that real engines use per second, and each price compared with the time of its
//! operation. Prices are frozen: a deviation found here is a reason for a new version of the
//! prices.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Assets, Caps, Engine, EngineSource, NullListener, Resources};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::kernels::{Kernel, kernels};
use sandboard_tests::{gomoku, runtime, wasm};

use crate::searches::positions;
use crate::table::{Bar, Table, median};

/// Engine, number of choices per instance, and whether it is a typical search.
const ENGINES: [(&str, usize, bool); 3] =
    [("gomoku-alpha", 1, true), ("random-mover", 2_000, false), ("c-minimal", 40, false)];
/// Fuel of each search.
const BUDGET: u64 = 200_000_000;
const ROUNDS: usize = 5;

/// Duration of a kernel's sample: short, so that most samples are not interrupted.
const SAMPLE_US: u64 = 1_000;
const SAMPLES: usize = 21;
const ROUNDS_MAX: u64 = 50_000;
/// Maximum ratio between a price and its time.
const RATIO_MAX: f64 = 3.0;

pub(crate) fn measure(table: &mut Table) {
    for (name, choices, is_typical) in ENGINES {
        let rate = engine_rate(name, choices);
        let what = format!("{name}: units of fuel a nanosecond");
        table.add(what, rate, "", is_typical.then_some(Bar::AtLeast(0.75)));
        let bar = is_typical.then_some(Bar::AtLeast(0.8));
        table.add("  nanoseconds a unit of fuel", 1.0 / rate, "", bar);
    }
    for kernel in kernels() {
        let (ns, fuel) = kernel_cost(&kernel);
        let ratio = (fuel / ns).max(ns / fuel);
        let sign = if fuel > ns { "dearer" } else { "cheaper" };
        let what = format!("{}: {ns:.2} ns for {fuel:.2} units", kernel.name);
        let bar = kernel.deviation_reason.is_empty().then_some(Bar::AtMost(RATIO_MAX));
        table.add(what, ratio, sign, bar);
    }
}

/// Nanoseconds and fuel of one operation of a kernel.
fn kernel_cost(kernel: &Kernel) -> (f64, f64) {
    let core = wat::parse_str(kernel.text()).expect("kernels are sound");
    let bytes =
        sandboard_builder::component::wrap_core_module(core, sandboard_builder::component::WIT)
            .expect("it makes a component");
    let assets = Assets::from([("b2".to_owned(), vec![7; 1 << 20])]);
    let resources = Resources { assets, ..Resources::default() };
    let module = WasmModule::load(runtime(), &bytes, Metering::Fuel, Caps::default(), resources)
        .expect("it loads");
    let mut engine = started(&module, &gomoku(&[]));
    let mut run = |rounds: u64| {
        let limits = Limits { nodes: Some(rounds), ..endless() };
        let spent = engine.choose(&limits, &[]).expect("it comes back").spent;
        (spent.wall_us as f64 * 1e3, spent.fuel.expect("fuel is counted") as f64)
    };
    let mut rounds = 16;
    while run(rounds).0 < SAMPLE_US as f64 * 1e3 && rounds < ROUNDS_MAX {
        rounds *= 2;
    }
    let samples: Vec<_> = (0..SAMPLES).map(|_| run(rounds)).collect();
    let times = (rounds * kernel.times) as f64;
    let ns = median(samples.iter().map(|(ns, _)| *ns).collect());
    (ns / times, samples[0].1 / times)
}

/// Units of fuel per nanosecond of an engine's choices, including the calls themselves.
fn engine_rate(name: &str, choices: usize) -> f64 {
    let source = wasm(name, Metering::Fuel, Caps::default()).expect("it loads");
    let limits = Limits { call_max: Some(BUDGET), ..endless() };
    let setups = positions();
    let rate = || {
        let (mut fuel, mut ns) = (0, 0.0);
        for setup in &setups {
            let mut engine = started(&source, setup);
            let began = Instant::now();
            for _ in 0..choices {
                let spent = engine.choose(&limits, &[]).expect("it chooses").spent;
                fuel += spent.fuel.expect("fuel is counted");
            }
            ns += began.elapsed().as_secs_f64() * 1e9;
        }
        fuel as f64 / ns
    };
    median((0..ROUNDS).map(|_| rate()).collect())
}

fn endless() -> Limits {
    Limits { unit: Unit::Fuel, call_max: Some(1 << 50), ..Limits::default() }
}

fn started(source: &dyn EngineSource, setup: &Setup) -> Box<dyn Engine> {
    let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
    engine.start(setup).expect("it starts");
    engine
}
