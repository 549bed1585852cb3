//! Budgets of fuel: what everything burns, that nothing else changes it, and that
//! an engine's budget is used and kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sandboard_abi::{Decision, Limits, Setup, Unit};
use sandboard_forge::component;
use sandboard_host::engine::wasm::prices::{CLASSES, Class, IMPORTS, ImportPrice, PARTS_PER_UNIT};
use sandboard_host::engine::wasm::{
    Allocator, Cache, Metering, OptLevel, PRICES_VERSION, RUNTIME_VERSION, Runtime, RuntimeOptions,
    WasmModule,
};
use sandboard_host::engine::{Assets, Caps, Deaf, Engine, EngineSource, Fault};
use sandboard_tests::kernels::{Kernel, guest, kernels};
use sandboard_tests::{built, gomoku, root, runtime, wasm};

const OPT_LEVELS: [OptLevel; 3] = [OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize];
const ALLOCATORS: [Allocator; 2] = [Allocator::Pool, Allocator::OnDemand];

fn fuel(units: u64, grace: u64) -> Limits {
    Limits { unit: Unit::Fuel, call_max: Some(units), grace, ..Limits::default() }
}

fn open(source: &dyn EngineSource, setup: &Setup) -> Result<Box<dyn Engine>, Fault> {
    let mut engine = source.open(Arc::new(Deaf))?;
    engine.start(setup)?;
    Ok(engine)
}

/// A guest in WebAssembly's text format, its fuel counted.
fn load(runtime: &Runtime, text: &str, caps: Caps) -> WasmModule {
    let core = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let bytes = component::of_core(core, sandboard_forge::component::WIT).unwrap();
    let assets = Assets::from([("b2".to_owned(), vec![7; 1 << 20])]);
    WasmModule::load(runtime, &bytes, Metering::Fuel, caps, assets).unwrap()
}

/// How often each kernel does its thing.
const ROUNDS: u64 = 100;

fn burnt(runtime: &Runtime, kernel: &Kernel) -> u64 {
    let module = load(runtime, &kernel.text(), Caps::default());
    let mut engine = open(&module, &gomoku(&[])).unwrap();
    let limits = Limits { nodes: Some(ROUNDS), ..fuel(1_000_000_000_000, 0) };
    engine.choose(&limits, &[]).unwrap().spent.fuel.unwrap()
}

#[test]
fn every_kernel_burns_what_was_frozen() {
    let file = format!("tests/fixtures/fuel/kernels-v{PRICES_VERSION}.tsv");
    let frozen = std::fs::read_to_string(root().join(&file)).unwrap_or_default();
    let frozen: BTreeMap<_, _> = frozen.lines().filter_map(|line| line.split_once('\t')).collect();
    let unoptimised = Runtime::new()
        .with_options(RuntimeOptions { opt_level: OptLevel::None, ..RuntimeOptions::default() });
    let mut wrong = String::new();
    for kernel in kernels() {
        let found = burnt(runtime(), &kernel);
        assert_eq!(found, burnt(&unoptimised, &kernel), "{}, not optimised", kernel.name);
        if frozen.get(kernel.name) != Some(&found.to_string().as_str()) {
            wrong.push_str(&format!("{}\t{found}\n", kernel.name));
        }
    }
    assert!(
        wrong.is_empty() && frozen.len() == kernels().len(),
        "{file} holds other figures than are burnt now:\n{wrong}Records were made under the frozen \
         ones. A runtime that counts otherwise, or another price, means a new PRICES_VERSION."
    );
}

/// A game of an engine against itself: each move with what it burnt.
fn game(source: &dyn EngineSource, plies: usize) -> Vec<(String, u64)> {
    let setup = Setup { moves: "h8 i9 g7".into(), ..gomoku(&[]) };
    let mut engine = open(source, &setup).unwrap();
    let mut game = Vec::new();
    for _ in 0..plies {
        let answer = engine.choose(&fuel(20_000_000, 50_000_000), &[]).unwrap();
        let Decision::Play(mv) = answer.choice.decision else { panic!("it gave up") };
        engine.played(&mv).unwrap();
        game.push((mv, answer.spent.fuel.unwrap()));
    }
    game
}

/// Runs `work` while every core is busy with something else.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[track_caller]
fn check_same_everywhere(stem: &str, plies: usize) {
    let bytes = std::fs::read(built(&format!("{stem}.wasm"))).unwrap();
    let expected = game(&wasm(stem, Metering::Fuel, Caps::default()).unwrap(), plies);
    assert!(expected.iter().all(|(_, fuel)| *fuel > 0), "{expected:?}");
    for opt_level in OPT_LEVELS {
        for allocator in ALLOCATORS {
            let options = RuntimeOptions { opt_level, allocator };
            let runtime = Runtime::new().with_options(options);
            let (caps, assets) = (Caps::default(), Assets::default());
            let module = WasmModule::load(&runtime, &bytes, Metering::Fuel, caps, assets).unwrap();
            assert_eq!(game(&module, plies), expected, "{stem}, {options:?}");
            if options == RuntimeOptions::default() {
                assert_eq!(under_load(|| game(&module, plies)), expected, "{stem}, under load");
            }
        }
    }
}

#[test]
fn a_search_is_the_same_however_it_is_compiled_and_run() {
    check_same_everywhere("gomoku-simple", 6);
}

#[test]
fn a_random_game_is_the_same_however_it_is_compiled_and_run() {
    check_same_everywhere("random-mover", 40);
}

#[test]
fn compiled_code_is_kept_apart_by_optimisation_and_metering() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(built("random-mover.wasm")).unwrap();
    let mut kept = Vec::new();
    for opt_level in OPT_LEVELS {
        for metering in [Metering::Deadline, Metering::Fuel] {
            for _ in 0..2 {
                let options = RuntimeOptions { opt_level, ..RuntimeOptions::default() };
                let cache = Cache::open(&folder.path().join("cache")).unwrap();
                let runtime = Runtime::with_cache(cache).with_options(options);
                let (caps, assets) = (Caps::default(), Assets::default());
                let module = WasmModule::load(&runtime, &bytes, metering, caps, assets).unwrap();
                open(&module, &gomoku(&[])).unwrap();
                kept.push(std::fs::read_dir(folder.path().join("cache")).unwrap().count());
            }
        }
    }
    assert_eq!(kept, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
}

/// What a kernel is found to have done with so much fuel.
fn starved(name: &str, units: u64) -> String {
    let kernel = kernels().into_iter().find(|kernel| kernel.name == name).unwrap();
    let module = load(runtime(), &kernel.text(), Caps::default());
    let mut engine = open(&module, &gomoku(&[])).unwrap();
    let limits = Limits { nodes: Some(1), ..fuel(units, 0) };
    match engine.choose(&limits, &[]) {
        Ok(answer) => format!("burnt {}", answer.spent.fuel.unwrap()),
        Err(fault) => format!("{}: {fault}, burnt {}", fault.code, fault.spent.fuel.unwrap()),
    }
}

#[test]
fn an_import_that_cannot_be_paid_ends_the_call_as_code_does() {
    assert!(starved("loop", 40).starts_with("burnt "));
    for name in ["look", "asset, 960 KiB", "log 4000 bytes", "fill 16 MiB"] {
        let expected = "fuel: used up its 40 units of fuel, burnt 40";
        assert_eq!(starved(name, 40), expected, "{name}");
    }
    // What is handed over is paid before the host looks at it, what is given before it is given.
    assert_eq!(
        starved("log 4000 bytes", 12_000),
        "fuel: used up its 12e3 units of fuel, burnt 12000"
    );
    assert_eq!(
        starved("asset, 960 KiB", 30_000),
        "fuel: used up its 3e4 units of fuel, burnt 30000"
    );
}

#[test]
fn calls_without_a_budget_are_limited_by_fuel_alone() {
    let caps = Caps { start_us: 50_000, ..Caps::default() };
    let faulty = wasm("faulty", Metering::Fuel, caps).unwrap();
    let run = |word: &str| {
        let mut engine = open(&faulty, &gomoku(&[("fault", word)]))?;
        engine.played("h8").and_then(|()| engine.choose(&fuel(1_000_000, 1_000), &[])).map(drop)
    };
    let check = |word: &str, expected: &str| {
        let fault = run(word).unwrap_err();
        assert_eq!(format!("{}: {fault}", fault.code), expected, "{word}");
        fault.spent.fuel.unwrap()
    };
    let started = check("loop-in-start", "fuel: used up its 5e7 units of fuel in start");
    assert_eq!(started, 50_000_000);
    let played = check("loop-in-played", "fuel: used up its 5e7 units of fuel in played");
    assert_eq!(played, 50_000_000);
    check("loop", "fuel: used up its 1e6 units of fuel and 1e3 of grace");
    assert_eq!(run("none"), Ok(()));
    // Before the first call of all there is instantiation, which may run code.
    let endless = load(runtime(), &guest("(start $f) (func $f (loop $l (br $l)))"), caps);
    let fault = endless.open(Arc::new(Deaf)).map(drop).unwrap_err();
    assert_eq!(fault.sentence, "used up its 5e7 units of fuel in start");
    assert_eq!(fault.spent.fuel, Some(50_000_000));
}

/// Middle games from the fixtures, some of them decided.
fn middle_games(count: usize) -> Vec<Setup> {
    let text = std::fs::read_to_string(root().join("tests/fixtures/gomoku/tactics.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let records = json["records"].as_array().unwrap().iter();
    let line = |record: &serde_json::Value| {
        let moves = record["moves"].as_array().unwrap().iter().take(12);
        moves.map(|mv| mv.as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let freestyle = records.filter(|record| record["rule"] == "freestyle").take(count);
    freestyle.map(|record| Setup { moves: line(record), ..gomoku(&[]) }).collect()
}

/// What the SDK's search burns of a budget, twice in a row and without any grace.
fn used(source: &dyn EngineSource, setup: &Setup, units: u64) -> [u64; 2] {
    let mut engine = open(source, setup).unwrap();
    [(), ()].map(|()| {
        let answer = engine.choose(&fuel(units, 0), &[]);
        let answer = answer.unwrap_or_else(|fault| panic!("{units}: {fault}, {}", setup.moves));
        answer.spent.fuel.unwrap()
    })
}

#[test]
fn a_search_uses_its_budget_of_fuel_and_never_more() {
    let source = wasm("gomoku-simple", Metering::Fuel, Caps::default()).unwrap();
    let nine_tenths = |units: u64| move |used: &u64| *used >= units / 10 * 9;
    // A game that is decided, or has but one move left, takes no longer than it takes.
    let (open, decided): (Vec<_>, Vec<_>) = middle_games(20)
        .into_iter()
        .partition(|setup| used(&source, setup, 10_000_000).iter().all(nine_tenths(10_000_000)));
    assert!(open.len() > 8, "only {} games are open", open.len());
    for units in [100_000, 150_000, 200_000, 500_000, 1_000_000, 5_000_000] {
        for setup in &open {
            let used = used(&source, setup, units);
            assert!(used.iter().all(nine_tenths(units)), "{used:?} of {units}: {}", setup.moves);
        }
        for setup in &decided {
            used(&source, setup, units);
        }
    }
    let opening = Setup { moves: "h8 i9 g7".into(), ..gomoku(&[]) };
    for units in [30_000_000, 1_000_000_000] {
        let used = used(&source, &opening, units);
        assert!(used.iter().all(nine_tenths(units)), "{used:?} of {units}");
    }
}

/// The rows of `docs/fuel.md` that show the prices.
fn price_rows() -> Vec<String> {
    let operators = CLASSES
        .iter()
        .map(|Class { what, parts, why, .. }| format!("| {what} | {parts} | {why} |"));
    let imports = IMPORTS.iter().map(|price| {
        let ImportPrice { name, call_parts, taken_parts, given_parts, why } = price;
        format!("| `{name}` | {call_parts} | {taken_parts} | {given_parts} | {why} |")
    });
    operators.chain(imports).collect()
}

#[test]
fn the_page_on_fuel_shows_the_prices_and_what_they_hold_for() {
    let page = std::fs::read_to_string(root().join("docs/fuel.md")).unwrap();
    let missing: Vec<_> =
        price_rows().into_iter().filter(|row| !page.lines().any(|line| line == row)).collect();
    assert!(missing.is_empty(), "docs/fuel.md lacks\n{}", missing.join("\n"));
    let facts = [
        format!("Version {PRICES_VERSION}. Prices are in **parts**, {PARTS_PER_UNIT} to a unit"),
        format!("another version of the runtime (`{RUNTIME_VERSION}`)"),
        "| entering a function | 1 |".to_owned(),
    ];
    for fact in facts {
        assert!(page.contains(&fact), "docs/fuel.md does not say: {fact}");
    }
}

#[test]
fn a_clock_of_fuel_lasts_for_a_game() {
    let source = wasm("gomoku-simple", Metering::Fuel, Caps::default()).unwrap();
    let mut engine = open(&source, &gomoku(&[])).unwrap();
    let (mut left, increment) = (30_000_000_u64, 200_000);
    for ply in 0..40 {
        let limits =
            Limits { unit: Unit::Fuel, game_left: Some(left), increment, ..Limits::default() };
        let answer = engine.choose(&limits, &[]).unwrap_or_else(|fault| panic!("{ply}: {fault}"));
        left = left - answer.spent.fuel.unwrap() + increment;
        let Decision::Play(mv) = answer.choice.decision else { panic!("it gave up") };
        if engine.played(&mv).is_err() || answer.choice.line.is_none_or(|line| line.nodes == 1) {
            break;
        }
    }
    assert!(left < 25_000_000, "{left} was left over");
}
