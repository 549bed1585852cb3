//! The same search on the same positions to the same number of nodes, in the
//! sandbox and outside: nodes per second, in turns, and that all found the same.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Limits, Setup};
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, Deaf, EngineSource};
use sandboard_tests::{gomoku, native, native_name, root, wasm};

use crate::table::{Bar, Table, median};

const ENGINE: &str = "gomoku-alpha";
const POSITIONS: usize = 12;
/// Plies played of each game: enough stones for a middle game, and no win yet.
const PLIES: usize = 16;
const NODES: u64 = 60_000;
const ROUNDS: usize = 7;

struct Contender {
    name: &'static str,
    source: Box<dyn EngineSource>,
    nodes_per_s: Vec<f64>,
}

pub fn measure(table: &mut Table) {
    let setups = positions();
    let mut contenders = contenders();
    let mut found = Vec::new();
    for round in 0..=ROUNDS {
        for contender in &mut contenders {
            let (answers, nodes_per_s) = search_all(&*contender.source, &setups);
            if round > 0 {
                contender.nodes_per_s.push(nodes_per_s);
            }
            found.push((contender.name, answers));
        }
    }
    for (name, answers) in &found {
        assert_eq!(answers, &found[0].1, "{name} found something else than {}", found[0].0);
    }
    report(table, &contenders);
}

fn report(table: &mut Table, contenders: &[Contender]) {
    let native = &contenders[0];
    for contender in contenders {
        let speed = median(contender.nodes_per_s.clone());
        table.add(format!("{ENGINE}, {}", contender.name), speed / 1e6, "Mnodes/s", None);
    }
    for contender in &contenders[1..] {
        let ratios = contender.nodes_per_s.iter().zip(&native.nodes_per_s).map(|(a, b)| a / b);
        let bar = (contender.name == WASM).then_some(Bar::AtLeast(0.45));
        let what = format!("  {} ÷ {}", contender.name, native.name);
        table.add(what, median(ratios.collect()), "", bar);
    }
}

const WASM: &str = "wasm, deadline only";

fn contenders() -> Vec<Contender> {
    let contender = |name, source| Contender { name, source, nodes_per_s: Vec::new() };
    let wasm = |metering| -> Box<dyn EngineSource> {
        Box::new(wasm(ENGINE, metering, Caps::default()).expect("it loads"))
    };
    let native = native(ENGINE, Calls::Inline).expect("it loads");
    let mut contenders = vec![
        contender("native, baseline", Box::new(native)),
        contender(WASM, wasm(Metering::Deadline)),
        contender("wasm, deadline and fuel", wasm(Metering::Fuel)),
    ];
    match v3() {
        Ok(source) => contenders.push(contender("native, x86-64-v3", source)),
        Err(reason) => println!("no x86-64-v3 build to compare with: {reason}"),
    }
    contenders
}

/// The engine built for processors with AVX2, in a folder of its own.
fn v3() -> Result<Box<dyn EngineSource>, String> {
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("bmi2")
    {
        return Err("this processor is older".into());
    }
    let folder = root().join("target/engines-v3");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", ENGINE, "--target-dir"])
        .arg(&folder)
        .env("RUSTFLAGS", "-Ctarget-cpu=x86-64-v3")
        .current_dir(root())
        .output()
        .map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let name = native_name(&ENGINE.replace('-', "_"));
    let path: PathBuf =
        folder.join("release").join(format!("{}{name}", std::env::consts::DLL_PREFIX));
    let module = NativeModule::load(&path, Calls::Inline, Caps::default(), Default::default());
    module
        .map(|module| Box::new(module) as Box<dyn EngineSource>)
        .map_err(|fault| fault.to_string())
}

/// Middle games from the fixtures.
fn positions() -> Vec<Setup> {
    let path = root().join("tests/fixtures/gomoku/tactics.json");
    let text = std::fs::read_to_string(path).expect("the fixtures are there");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the fixtures are JSON");
    let records = json["records"].as_array().expect("there are records");
    let freestyle = records.iter().filter(|record| record["rule"] == "freestyle");
    let line = |record: &serde_json::Value| {
        let moves = record["moves"].as_array().expect("a record has moves");
        let texts = moves.iter().take(PLIES).map(|mv| mv.as_str().expect("a move is a text"));
        texts.collect::<Vec<_>>().join(" ")
    };
    let setup = |record| Setup { moves: line(record), ..gomoku(&[]) };
    freestyle.take(POSITIONS).map(setup).collect()
}

/// What was chosen at what count of nodes, and nodes per second over all.
fn search_all(source: &dyn EngineSource, setups: &[Setup]) -> (Vec<(String, u64)>, f64) {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let (mut answers, mut seconds) = (Vec::new(), 0.0);
    for setup in setups {
        let mut engine = source.open(Arc::new(Deaf)).expect("it opens");
        engine.start(setup).expect("it starts");
        let began = Instant::now();
        let answer = engine.choose(&limits, &[]).expect("it chooses");
        seconds += began.elapsed().as_secs_f64();
        let line = answer.choice.line.expect("it says what it searched");
        answers.push((line.moves, line.nodes));
    }
    let nodes: u64 = answers.iter().map(|(_, nodes)| nodes).sum();
    (answers, nodes as f64 / seconds)
}
