//! Fuel budgets: the fuel of every operation is frozen, it depends on nothing else, and engines use
//! and keep their budgets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sandboard_abi::{Decision, Limits, Setup, Unit};
use sandboard_builder::component;
use sandboard_engine::{Assets, Caps, Engine, EngineSource, Fault, NullListener, Resources};
use sandboard_engine_wasm::scan::Profile;
use sandboard_engine_wasm::{
    Allocator, CodeCache, IMPORT_PRICES, ImportPrice, Metering, OptLevel, PARTS_PER_UNIT,
    PRICE_CLASSES, PRICES_VERSION, PriceClass, Runtime, RuntimeOptions, WasmModule,
};
use sandboard_metering::INSTRUMENTATION_VERSION;
use sandboard_tests::kernels::{Kernel, guest, kernels};
use sandboard_tests::{built, gomoku, root, runtime, wasm};

const OPT_LEVELS: [OptLevel; 3] = [OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize];
const ALLOCATORS: [Allocator; 2] = [Allocator::Pool, Allocator::OnDemand];

fn fuel(units: u64, grace: u64) -> Limits {
    Limits { unit: Unit::Fuel, call_max: Some(units), grace, ..Limits::default() }
}

fn open(source: &dyn EngineSource, setup: &Setup) -> Result<Box<dyn Engine>, Fault> {
    let mut engine = source.open(Arc::new(NullListener), 1)?;
    engine.start(setup)?;
    Ok(engine)
}

/// Loads a guest in WebAssembly text, with fuel metering.
fn load(runtime: &Runtime, text: &str, caps: Caps) -> WasmModule {
    load_metered(runtime, Metering::Fuel, text, caps)
}

fn load_metered(runtime: &Runtime, metering: Metering, text: &str, caps: Caps) -> WasmModule {
    let core = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let bytes = component::wrap_core_module(core, sandboard_builder::component::WIT).unwrap();
    let assets = Assets::from([("b2".to_owned(), vec![7; 1 << 20])]);
    let resources = Resources { assets, ..Resources::default() };
    WasmModule::load(runtime, &bytes, metering, caps, resources).unwrap()
}

/// Rounds that each kernel runs.
const ROUNDS: u64 = 100;

fn fuel_of(runtime: &Runtime, metering: Metering, kernel: &Kernel) -> u64 {
    let module = load_metered(runtime, metering, &kernel.text(), Caps::default());
    let mut engine = open(&module, &gomoku(&[])).unwrap();
    let limits = Limits { nodes: Some(ROUNDS), ..fuel(1_000_000_000_000, 0) };
    engine.choose(&limits, &[]).unwrap().spent.fuel.unwrap()
}

#[test]
fn every_kernel_uses_the_frozen_fuel() {
    let file = format!("tests/fixtures/fuel/kernels-v{PRICES_VERSION}.tsv");
    let frozen = std::fs::read_to_string(root().join(&file)).unwrap_or_default();
    let frozen: BTreeMap<_, _> = frozen.lines().filter_map(|line| line.split_once('\t')).collect();
    let unoptimised = Runtime::new()
        .with_options(RuntimeOptions { opt_level: OptLevel::None, ..RuntimeOptions::default() });
    let mut wrong = String::new();
    for kernel in kernels() {
        let found = fuel_of(runtime(), Metering::Fuel, &kernel);
        let slow = fuel_of(&unoptimised, Metering::Fuel, &kernel);
        assert_eq!(found, slow, "{}, not optimised", kernel.name);
        if frozen.get(kernel.name) != Some(&found.to_string().as_str()) {
            wrong.push_str(&format!("{}\t{found}\n", kernel.name));
        }
    }
    assert!(
        wrong.is_empty() && frozen.len() == kernels().len(),
        "{file} differs from the measured fuel:\n{wrong}Records depend on the frozen \
         values. If the runtime counts differently or a price changes, raise PRICES_VERSION."
    );
}

/// Plays a game of an engine against itself: each move with its fuel.
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

/// Runs `work` while all cores are busy.
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
            let options = RuntimeOptions { opt_level, allocator, ..RuntimeOptions::default() };
            let runtime = Runtime::new().with_options(options);
            let (caps, resources) = (Caps::default(), Resources::default());
            let module =
                WasmModule::load(&runtime, &bytes, Metering::Fuel, caps, resources).unwrap();
            assert_eq!(game(&module, plies), expected, "{stem}, {options:?}");
            if options == RuntimeOptions::default() {
                assert_eq!(under_load(|| game(&module, plies)), expected, "{stem}, under load");
            }
        }
    }
}

#[test]
fn a_search_uses_the_same_fuel_under_every_runtime_option() {
    check_same_everywhere("gomoku-simple", 6);
}

#[test]
fn a_random_game_uses_the_same_fuel_under_every_runtime_option() {
    check_same_everywhere("random-mover", 40);
}

/// An engine whose memory begins with this number of bytes, without a zero among them.
fn guest_with_data(bytes: usize) -> String {
    guest(&format!("(data (i32.const 1024) \"{}\")", "x".repeat(bytes)))
}

/// The fuel of instantiating.
fn fuel_of_opening(source: &dyn EngineSource) -> u64 {
    source.open(Arc::new(NullListener), 1).unwrap().unbudgeted_fuel()
}

#[test]
fn initial_memory_costs_the_same_fuel_everywhere() {
    let of = |bytes: usize| {
        let expected = fuel_of_opening(&load(runtime(), &guest_with_data(bytes), Caps::default()));
        for opt_level in OPT_LEVELS {
            for allocator in ALLOCATORS {
                let options = RuntimeOptions { opt_level, allocator, ..RuntimeOptions::default() };
                let runtime = Runtime::new().with_options(options);
                let module = load(&runtime, &guest_with_data(bytes), Caps::default());
                assert_eq!(fuel_of_opening(&module), expected, "{bytes} bytes, {options:?}");
            }
        }
        // The jail of an engine process has no images of memories.
        #[cfg(target_os = "linux")]
        {
            let core = wat::parse_str(guest_with_data(bytes)).unwrap();
            let wit = sandboard_builder::component::WIT;
            let component = component::wrap_core_module(core, wit).unwrap();
            let (caps, resources) = (Caps::default(), Resources::default());
            let jailed = sandboard_tests::engine_processes()
                .wasm(runtime(), &component, Metering::Fuel, caps, &resources)
                .unwrap();
            assert_eq!(fuel_of_opening(&jailed), expected, "{bytes} bytes, jailed");
        }
        expected
    };
    // A byte costs one part, as in `memory.init`.
    let more = 600 * PARTS_PER_UNIT;
    assert_eq!(of(1000 + more as usize) - of(1000), 600);
}

#[test]
fn calls_that_return_use_the_same_fuel_if_the_runtime_counts() {
    for (stem, plies) in [("gomoku-simple", 6), ("random-mover", 40)] {
        let by = |metering| game(&wasm(stem, metering, Caps::default()).unwrap(), plies);
        assert_eq!(by(Metering::Fuel), by(Metering::RuntimeFuel), "{stem}");
    }
    let runtime = runtime();
    for kernel in kernels() {
        let by = |metering| fuel_of(runtime, metering, &kernel);
        assert_eq!(by(Metering::Fuel), by(Metering::RuntimeFuel), "{}", kernel.name);
    }
}

#[test]
fn cached_code_is_separate_for_each_optimisation_and_metering() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(built("random-mover.wasm")).unwrap();
    let mut file_counts = Vec::new();
    for opt_level in OPT_LEVELS {
        for metering in [Metering::Deadline, Metering::Fuel, Metering::RuntimeFuel] {
            for _ in 0..2 {
                let options = RuntimeOptions { opt_level, ..RuntimeOptions::default() };
                let cache = CodeCache::open(folder.path(), Profile::Everyday).unwrap();
                let runtime = Runtime::with_cache(cache).with_options(options);
                let (caps, resources) = (Caps::default(), Resources::default());
                let module = WasmModule::load(&runtime, &bytes, metering, caps, resources).unwrap();
                open(&module, &gomoku(&[])).unwrap();
                file_counts
                    .push(std::fs::read_dir(folder.path().join("everyday")).unwrap().count());
            }
        }
    }
    let expected: Vec<usize> = (1..=9).flat_map(|count| [count, count]).collect();
    assert_eq!(file_counts, expected);
}

/// Runs one round of a kernel with this fuel: the fuel used, or the fault.
fn run_with_fuel(name: &str, units: u64) -> String {
    let kernel = kernels().into_iter().find(|kernel| kernel.name == name).unwrap();
    let module = load(runtime(), &kernel.text(), Caps::default());
    let mut engine = open(&module, &gomoku(&[])).unwrap();
    let limits = Limits { nodes: Some(1), ..fuel(units, 0) };
    match engine.choose(&limits, &[]) {
        Ok(answer) => format!("used {}", answer.spent.fuel.unwrap()),
        Err(fault) => format!("{}: {fault}, used {}", fault.code, fault.spent.fuel.unwrap()),
    }
}

#[test]
fn an_import_without_enough_fuel_ends_the_call() {
    assert!(run_with_fuel("loop", 40).starts_with("used "));
    for name in ["look", "asset, 960 KiB", "log 4000 bytes", "fill 16 MiB"] {
        let expected = "fuel: used up its 40 units of fuel, used 40";
        assert_eq!(run_with_fuel(name, 40), expected, "{name}");
    }
    // Input is charged before the host reads it, output before the host writes it.
    assert_eq!(
        run_with_fuel("log 4000 bytes", 12_000),
        "fuel: used up its 12e3 units of fuel, used 12000"
    );
    assert_eq!(
        run_with_fuel("asset, 960 KiB", 30_000),
        "fuel: used up its 3e4 units of fuel, used 30000"
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
    // Instantiation can run code before the first call.
    let endless = load(runtime(), &guest("(start $f) (func $f (loop $l (br $l)))"), caps);
    let fault = endless.open(Arc::new(NullListener), 1).map(drop).unwrap_err();
    assert_eq!(fault.sentence, "used up its 5e7 units of fuel in start");
    assert_eq!(fault.spent.fuel, Some(50_000_000));
}

/// Middle-game positions from the fixtures, some of them decided.
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

/// The fuel that the SDK's search uses of a budget without grace, in two consecutive moves.
fn used(source: &dyn EngineSource, setup: &Setup, units: u64) -> [u64; 2] {
    let mut engine = open(source, setup).unwrap();
    [(), ()].map(|()| {
        let answer = engine.choose(&fuel(units, 0), &[]);
        let answer = answer.unwrap_or_else(|fault| panic!("{units}: {fault}, {}", setup.moves));
        answer.spent.fuel.unwrap()
    })
}

#[test]
fn a_search_uses_its_fuel_budget_and_never_more() {
    let source = wasm("gomoku-simple", Metering::Fuel, Caps::default()).unwrap();
    let nine_tenths = |units: u64| move |used: &u64| *used >= units / 10 * 9;
    // A decided position, or one with a single move, needs less than its budget.
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

/// The price rows that `docs/fuel.md` must have.
fn price_rows() -> Vec<String> {
    let operators = PRICE_CLASSES
        .iter()
        .map(|PriceClass { name, parts, reason, .. }| format!("| {name} | {parts} | {reason} |"));
    let imports = IMPORT_PRICES.iter().map(|price| {
        let ImportPrice { name, call_parts, input_byte_parts, output_byte_parts, reason } = price;
        format!("| `{name}` | {call_parts} | {input_byte_parts} | {output_byte_parts} | {reason} |")
    });
    operators.chain(imports).collect()
}

#[test]
fn the_fuel_page_has_the_prices_and_their_version() {
    let page = std::fs::read_to_string(root().join("docs/fuel.md")).unwrap();
    let missing: Vec<_> =
        price_rows().into_iter().filter(|row| !page.lines().any(|line| line == row)).collect();
    assert!(missing.is_empty(), "docs/fuel.md lacks\n{}", missing.join("\n"));
    let facts = [
        format!("Version {PRICES_VERSION}. Prices are in **parts**, {PARTS_PER_UNIT} to a unit"),
        format!("another version of the instrumentation (version {INSTRUMENTATION_VERSION} here)"),
        "| entering a function | 1 |".to_owned(),
    ];
    for fact in facts {
        assert!(page.contains(&fact), "docs/fuel.md does not say: {fact}");
    }
}

#[test]
fn a_fuel_clock_lasts_for_a_game() {
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
