//! Arbitrary bytes as an engine: they are refused with a displayable reason, or they compile and
//! play or fail with a fault; under fuel, two runs are equal. The caller must limit the compile
//! time.

use std::sync::{Arc, Mutex, OnceLock};

use sandboard_abi::{Level, Limits, Line, Setup, Unit};
use sandboard_contest::similarity::Fingerprint;
use sandboard_engine::{
    Assets, Caps, Engine, EngineSource, Fault, FaultCode, Listener, Resources, Usage,
};
use sandboard_engine_wasm::scan::{LoadCaps, Profile, admit};
use sandboard_engine_wasm::{Metering, Runtime, WasmModule};

/// A hundredth of the usual limits, so that an input costs milliseconds.
const CAPS: Caps = Caps {
    memory_bytes: 8 << 20,
    start_us: 5_000,
    log_bytes: 64 << 10,
    enforce_deadlines: true,
    guard_us: 60_000_000,
};

/// Loads the bytes as a component; if that succeeds, lets it play twice.
pub fn component(bytes: &[u8]) {
    let admitted = admit(bytes, runtime().load_caps());
    match Fingerprint::of(bytes) {
        Ok(print) => assert_eq!(Fingerprint::of(bytes), Ok(print)),
        Err(refusal) => {
            super::check_displayable(&refusal.to_string());
            assert!(admitted.is_err(), "an admitted module has a fingerprint: {refusal}");
        }
    }
    if let Err(refusal) = &admitted {
        super::check_displayable(&refusal.to_string());
    }
    match load(bytes) {
        Err(fault) => {
            super::check_displayable(&fault.sentence);
            assert_eq!(fault.code, FaultCode::Load);
        }
        Ok(module) => {
            assert!(admitted.is_ok(), "only admitted modules are compiled");
            let once = lifetime(&module);
            let again = lifetime(&module);
            // A lack of memory or time is the host's, and need not occur twice.
            if !once.of_the_host && !again.of_the_host {
                assert_eq!(once.results, again.results);
            }
        }
    }
}

/// A runtime with the load caps of contests, since more would only take longer.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().with_load_caps(LoadCaps::for_profile(Profile::Contest)))
}

fn load(bytes: &[u8]) -> Result<WasmModule, Fault> {
    let assets = Assets::from([("book".to_owned(), b"abcdef".to_vec())]);
    let resources = Resources { assets, ..Resources::default() };
    WasmModule::load(runtime(), bytes, Metering::Fuel, CAPS, resources)
}

/// The results of all calls of an instance.
#[derive(Default)]
struct Lifetime {
    results: Vec<String>,
    of_the_host: bool,
}

impl Lifetime {
    /// Records the result of a call; false if the instance cannot be used any more.
    fn note<T>(
        &mut self,
        call: &str,
        result: Result<T, Fault>,
        describe: fn(&T) -> String,
    ) -> bool {
        match result {
            Ok(value) => self.results.push(format!("{call}: {}", describe(&value))),
            Err(fault) => {
                super::check_displayable(&fault.sentence);
                self.of_the_host |= fault.code == FaultCode::Host;
                let parts = (fault.code, &fault.sentence, counted(&fault.spent));
                self.results.push(format!("{call}: {parts:?}"));
                return false;
            }
        }
        true
    }
}

/// The usage of a call without times, which fuel does not determine.
fn counted(spent: &Usage) -> String {
    let Usage { fuel, peak_memory_bytes, logged_bytes, transcript_hash, .. } = spent;
    format!("{fuel:?} {peak_memory_bytes:?} {logged_bytes} {transcript_hash:?}")
}

/// A listener that records all output of an engine.
#[derive(Default)]
struct OutputLog(Mutex<Vec<String>>);

impl Listener for OutputLog {
    fn report(&self, line: &Line) {
        self.0.lock().expect("no test panics here").push(format!("{line:?}"));
    }

    fn log(&self, level: Level, text: &str) {
        super::check_displayable(text);
        self.0.lock().expect("no test panics here").push(format!("{level:?} {text}"));
    }
}

fn lifetime(module: &WasmModule) -> Lifetime {
    let mut lifetime = Lifetime::default();
    if !lifetime.note("describe", module.describe(), |description| format!("{description:?}")) {
        return lifetime;
    }
    let output = Arc::new(OutputLog::default());
    match module.open(output.clone(), 1) {
        Ok(mut engine) => play(&mut *engine, &mut lifetime),
        Err(fault) => drop(lifetime.note("open", Err::<(), _>(fault), |()| String::new())),
    }
    lifetime.results.append(&mut output.0.lock().expect("no test panics here"));
    lifetime
}

fn play(engine: &mut dyn Engine, lifetime: &mut Lifetime) {
    let setup = Setup { variant: "freestyle-5".into(), ..crate::gomoku(&[]) };
    let limits =
        Limits { unit: Unit::Fuel, call_max: Some(2_000_000), lines: 1, ..Limits::default() };
    let nothing = |(): &()| String::new();
    let chosen = |answer: &sandboard_engine::ChooseResponse| {
        format!("{:?} {}", answer.choice, counted(&answer.spent))
    };
    let _ = lifetime.note("start", engine.start(&setup), counted)
        && lifetime.note("choose", engine.choose(&limits, &[]), chosen)
        && lifetime.note("played", engine.played("c3"), nothing)
        && lifetime.note("choose", engine.choose(&limits, &[]), chosen)
        && lifetime.note("taken back", engine.taken_back(1), nothing);
}
