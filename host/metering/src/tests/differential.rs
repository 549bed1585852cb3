//! Random modules: the instrumented module gives the same results, traps and memory as the
//! original, counts what the runtime counts, and does the same in an interpreter and under V8.

use std::sync::atomic::{AtomicU32, Ordering};

use wasm_smith::{Config, Module};
use wasmparser::Validator;
use wasmtime::OptLevel;

use super::interpreter::Interpreter;
use super::run::{DEEP, ENOUGH, End, Engines};
use super::v8::V8;
use crate::{FEATURES, InstrumentError, instrument};

/// The fuel of a run, in parts.
const BUDGET: i64 = 500_000;

/// Random numbers (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A random module with operators that are admitted, except for values of type `externref`.
fn module(seed: u64) -> Vec<u8> {
    let mut rng = Rng(seed);
    let bytes: Vec<u8> = (0..600).flat_map(|_| rng.next().to_le_bytes()).collect();
    let config = Config {
        export_everything: true,
        max_memory32_bytes: 3 << 16,
        max_table_elements: 500,
        max_tables: 3,
        min_imports: 3,
        max_imports: 10,
        max_data_segments: 5,
        min_funcs: 1,
        max_instructions: 60 + (seed % 200) as usize,
        reference_types_enabled: seed.is_multiple_of(4),
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        relaxed_simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        generate_custom_sections: seed.is_multiple_of(8),
        ..Config::default()
    };
    let mut input = arbitrary::Unstructured::new(&bytes);
    Module::new(config, &mut input).unwrap().to_bytes()
}

/// Counts of what the random modules do.
#[derive(Debug, Default)]
struct Counts {
    refused: AtomicU32,
    returned: AtomicU32,
    trapped: AtomicU32,
    out_of_fuel: AtomicU32,
    host_calls: AtomicU32,
}

/// Compares a random module with its instrumented form.
fn check(seed: u64, engines: &Engines, interpreter: &Interpreter, v8: &mut V8, counts: &Counts) {
    let module = module(seed);
    let count = |counter: &AtomicU32| counter.fetch_add(1, Ordering::Relaxed);
    let instrumented = match instrument(&module) {
        Err(InstrumentError::Invalid { reason, .. }) if reason.contains("gc types") => {
            count(&counts.refused);
            return;
        }
        result => result.unwrap_or_else(|error| panic!("seed {seed}: {error}")),
    };
    Validator::new_with_features(FEATURES)
        .validate_all(&instrumented)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(instrumented, instrument(&module).unwrap(), "seed {seed}");
    let original = engines.original(&module, BUDGET);
    let mut everywhere = |fuel| {
        let report = engines.instrumented(&module, fuel, DEEP);
        let other = interpreter.instrumented(&module, fuel, DEEP);
        assert_eq!(other, report, "seed {seed}: the interpreter differs");
        let other = v8.instrumented(&module, fuel, DEEP, &report);
        assert_eq!(other, report, "seed {seed}: V8 differs");
        report
    };
    let last = original.calls.last().unwrap().end.clone();
    if last == End::OutOfFuel {
        count(&counts.out_of_fuel);
        let report = everywhere(BUDGET - 1);
        // It traps at another place, perhaps for another reason, but it does not return.
        let end = &report.calls.last().unwrap().end;
        assert!(!matches!(end, End::Returned(_)), "seed {seed}: {end:?}");
        return;
    }
    let report = everywhere(ENOUGH);
    assert_eq!(report.calls.len(), original.calls.len(), "seed {seed}");
    let mut difference = None;
    for (one, other) in report.calls.iter().zip(&original.calls) {
        assert_eq!(one.end, other.end, "seed {seed}: {report:#?} {original:#?}");
        if let End::Returned(_) = one.end {
            // What the runtime charges for instantiation differs.
            let expected = *difference.get_or_insert(other.spent - one.spent);
            assert_eq!(other.spent - one.spent, expected, "seed {seed}");
        }
    }
    count(if matches!(last, End::Returned(_)) { &counts.returned } else { &counts.trapped });
    // Calls in the start function happen after the initialisation, as those of exports do.
    assert_eq!(report.host_calls.len(), original.host_calls.len(), "seed {seed}");
    for (one, other) in report.host_calls.iter().zip(&original.host_calls) {
        count(&counts.host_calls);
        let expected = *difference.get_or_insert(other - one);
        assert_eq!(other - one, expected, "seed {seed}: {report:#?} {original:#?}");
    }
    let total = report.calls.last().unwrap().spent;
    if let End::Returned(_) = last {
        // Exactly this fuel is enough, and one part less is not.
        let exact = engines.instrumented(&module, total, DEEP);
        assert_eq!(exact.calls, report.calls, "seed {seed}");
        if total > 0 {
            let less = everywhere(total - 1);
            assert_eq!(less.calls.last().unwrap().end, End::OutOfFuel, "seed {seed}");
        }
    }
    assert_eq!(report.state, original.state, "seed {seed}");
}

#[test]
fn random_modules_count_the_same_in_each_runtime() {
    let modules = if std::env::var_os("SLOW").is_some() { 100_000 } else { 400 };
    let threads = 2;
    let counts = Counts::default();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let counts = &counts;
            let run = move || {
                let engines = [OptLevel::Speed, OptLevel::None].map(Engines::new);
                let (interpreter, mut v8) = (Interpreter::new(), V8::start());
                for seed in (0..modules).filter(|seed| seed % threads == thread) {
                    let engines = &engines[(seed / threads % 2) as usize];
                    check(seed, engines, &interpreter, &mut v8, counts);
                }
            };
            // The runtime may use 16 MiB of the stack.
            std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, run).unwrap();
        }
    });
    println!("{modules} modules: {counts:?}");
    let at_least = |counter: &AtomicU32, share: u64| {
        assert!(u64::from(counter.load(Ordering::Relaxed)) * share >= modules, "{counts:?}");
    };
    at_least(&counts.returned, 5);
    at_least(&counts.trapped, 10);
    at_least(&counts.host_calls, 10);
}
