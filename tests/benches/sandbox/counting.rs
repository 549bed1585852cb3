//! Who counts fuel: searches of several sample engines without fuel, with fuel that the runtime
//! counts, and with fuel that the modules count. How code is laid out in memory changes a search by
//! some per cent, so each method is compiled several times, and only the mean over all engines
//! tells the methods apart. Times are CPU times without those of other programs.

use std::sync::Arc;

use sandboard_abi::{Limits, Setup};
use sandboard_common::sys::cpu::CpuClock;
use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_wasm::{Metering, Runtime, WasmModule};
use sandboard_tests::{built, gomoku};

use crate::searches::positions;
use crate::table::{Bar, Table};

/// How often each method is compiled.
const COPIES: usize = 2;
const ROUNDS: usize = 8;

/// The searches of an engine that are timed together.
struct Kernel {
    engine: &'static str,
    setups: Vec<Setup>,
    nodes: u64,
}

/// A method of counting.
struct Method {
    name: &'static str,
    metering: Metering,
}

const UNMETERED: Method = Method { name: "none", metering: Metering::Deadline };
const METHODS: &[Method] = &[
    Method { name: "runtime", metering: Metering::RuntimeFuel },
    Method { name: "module", metering: Metering::Fuel },
];

pub(crate) fn measure(table: &mut Table) {
    let runtime = Runtime::without_interruption();
    let mut products = vec![1.0_f64; METHODS.len()];
    let kernels = kernels();
    for kernel in &kernels {
        let bytes = std::fs::read(built(&format!("{}.wasm", kernel.engine))).expect("it is built");
        let seconds = best_seconds(&runtime, kernel, &bytes);
        for ((method, seconds_counted), product) in
            METHODS.iter().zip(&seconds[1..]).zip(&mut products)
        {
            let speed = seconds[0] / seconds_counted;
            *product *= speed;
            table.add(
                format!("{}, counted by {} ÷ not counted", kernel.engine, method.name),
                speed,
                "",
                None,
            );
        }
    }
    let means: Vec<f64> = products.iter().map(|p| p.powf(1.0 / kernels.len() as f64)).collect();
    for (method, mean) in METHODS.iter().zip(&means) {
        table.add(format!("geometric mean, counted by {}", method.name), *mean, "", None);
    }
    let relative = means[1] / means[0];
    table.add("counted by module ÷ by runtime", relative, "", Some(Bar::AtLeast(1.0)));
}

/// The shortest time of each method, beginning with [`UNMETERED`].
fn best_seconds(runtime: &Runtime, kernel: &Kernel, bytes: &[u8]) -> Vec<f64> {
    let methods = || std::iter::once(&UNMETERED).chain(METHODS);
    let copies: Vec<(usize, WasmModule)> = (0..COPIES)
        .flat_map(|_| methods().enumerate())
        .map(|(method, Method { metering, .. })| (method, module(runtime, bytes, *metering)))
        .collect();
    let mut best = vec![f64::INFINITY; methods().count()];
    let mut answers = Vec::new();
    for round in 0..=ROUNDS {
        for (method, source) in &copies {
            let (answer, seconds) = search_all(source, kernel);
            answers.push(answer);
            // The first round is a warm-up.
            if round > 0 {
                best[*method] = best[*method].min(seconds);
            }
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{}", kernel.engine);
    best
}

/// The answers of an engine, and the CPU time that it took for them.
fn search_all(source: &WasmModule, kernel: &Kernel) -> (Vec<String>, f64) {
    let clock = CpuClock::of_this_thread().expect("the system counts CPU time");
    let now = || clock.now_us().expect("the thread is alive");
    let limits = Limits { nodes: Some(kernel.nodes), ..Limits::default() };
    let mut answers = Vec::new();
    let mut spent = 0;
    for setup in &kernel.setups {
        let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
        engine.start(setup).expect("it starts");
        let began = now();
        let answer = engine.choose(&limits, &[]).expect("it answers");
        spent += now() - began;
        answers.push(answer.choice.line.map_or(String::new(), |line| line.moves));
    }
    (answers, spent as f64 / 1e6)
}

fn module(runtime: &Runtime, bytes: &[u8], metering: Metering) -> WasmModule {
    WasmModule::load(runtime, bytes, metering, Caps::default(), Default::default())
        .expect("it loads")
}

fn kernels() -> Vec<Kernel> {
    let setup = |game: &str, variant: &str, moves: &str| Setup {
        game: game.into(),
        variant: variant.into(),
        moves: moves.into(),
        ..gomoku(&[])
    };
    let reversi = ["", "d3 c3 c4"].map(|moves| setup("reversi", "standard", moves));
    vec![
        Kernel { engine: "gomoku-alpha", setups: positions(), nodes: 60_000 },
        Kernel { engine: "gomoku-simple", setups: positions(), nodes: 20_000 },
        Kernel { engine: "gomoku-rows", setups: positions(), nodes: 20_000 },
        Kernel { engine: "reversi-ponder", setups: reversi.to_vec(), nodes: 200_000 },
        Kernel {
            engine: "xiangqi-mt",
            setups: vec![setup("xiangqi", "computer", "")],
            nodes: 60_000,
        },
    ]
}
