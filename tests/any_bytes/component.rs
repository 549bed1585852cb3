//! Any bytes as an engine: they are refused for a reason that can be shown, or they
//! compile and play, or fail with a fault; and under fuel they do it twice alike.
//! How long the compiler takes is for whoever calls this to bound.

use std::sync::{Arc, Mutex, OnceLock};

use sandboard_abi::{Level, Limits, Line, Setup, Unit};
use sandboard_host::contest::likeness::Fingerprint;
use sandboard_host::engine::wasm::scan::{LoadCaps, Profile, admit};
use sandboard_host::engine::wasm::{Metering, Runtime, WasmModule};
use sandboard_host::engine::{
    Assets, Caps, Engine, EngineSource, Fault, FaultCode, Listener, Spent,
};

/// A hundredth of what engines usually get: an input is to cost milliseconds.
const CAPS: Caps = Caps {
    memory_bytes: 8 << 20,
    start_us: 5_000,
    log_bytes: 64 << 10,
    deadlines: true,
    guard_us: 60_000_000,
};

/// Reads the bytes as a component, and has it play where it is one.
pub fn component(bytes: &[u8]) {
    let admitted = admit(bytes, runtime().load_caps());
    match Fingerprint::of(bytes) {
        Ok(print) => assert_eq!(Fingerprint::of(bytes), Ok(print)),
        Err(refusal) => {
            super::can_be_shown(&refusal.to_string());
            assert!(admitted.is_err(), "what is admitted can be compared with others: {refusal}");
        }
    }
    if let Err(refusal) = &admitted {
        super::can_be_shown(&refusal.to_string());
    }
    match load(bytes) {
        Err(fault) => {
            super::can_be_shown(&fault.sentence);
            assert_eq!(fault.code, FaultCode::Load);
        }
        Ok(module) => {
            assert!(admitted.is_ok(), "nothing is compiled that was not admitted");
            let once = life(&module);
            let again = life(&module);
            // Want of memory or of time is the host's, and may come once and not again.
            if !once.of_the_host && !again.of_the_host {
                assert_eq!(once.told, again.told);
            }
        }
    }
}

/// One that compiles what a contest does: more only takes longer.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().with_load_caps(LoadCaps::of(Profile::Contest)))
}

fn load(bytes: &[u8]) -> Result<WasmModule, Fault> {
    let assets = Assets::from([("book".to_owned(), b"abcdef".to_vec())]);
    WasmModule::load(runtime(), bytes, Metering::Fuel, CAPS, assets)
}

/// All that became of one instance.
#[derive(Default)]
struct Life {
    told: Vec<String>,
    of_the_host: bool,
}

impl Life {
    /// Notes what a call brought; false: the instance is of no more use.
    fn note<T>(&mut self, call: &str, result: Result<T, Fault>, told: fn(&T) -> String) -> bool {
        match result {
            Ok(value) => self.told.push(format!("{call}: {}", told(&value))),
            Err(fault) => {
                super::can_be_shown(&fault.sentence);
                self.of_the_host |= fault.code == FaultCode::Host;
                let told = (fault.code, &fault.sentence, counted(&fault.spent));
                self.told.push(format!("{call}: {told:?}"));
                return false;
            }
        }
        true
    }
}

/// What fuel decides of a call: all but its time.
fn counted(spent: &Spent) -> String {
    let Spent { fuel, peak_memory_bytes, logged_bytes, border, .. } = spent;
    format!("{fuel:?} {peak_memory_bytes:?} {logged_bytes} {border:?}")
}

/// Hears all that an engine says.
#[derive(Default)]
struct Ear(Mutex<Vec<String>>);

impl Listener for Ear {
    fn report(&self, line: &Line) {
        self.0.lock().expect("nobody panics here").push(format!("{line:?}"));
    }

    fn log(&self, level: Level, text: &str) {
        super::can_be_shown(text);
        self.0.lock().expect("nobody panics here").push(format!("{level:?} {text}"));
    }
}

fn life(module: &WasmModule) -> Life {
    let mut life = Life::default();
    if !life.note("describe", module.describe(), |description| format!("{description:?}")) {
        return life;
    }
    let ear = Arc::new(Ear::default());
    match module.open(ear.clone()) {
        Ok(mut engine) => play(&mut *engine, &mut life),
        Err(fault) => drop(life.note("open", Err::<(), _>(fault), |()| String::new())),
    }
    life.told.append(&mut ear.0.lock().expect("nobody panics here"));
    life
}

fn play(engine: &mut dyn Engine, life: &mut Life) {
    let setup = Setup { variant: "freestyle-5".into(), ..crate::gomoku(&[]) };
    let limits =
        Limits { unit: Unit::Fuel, call_max: Some(2_000_000), lines: 1, ..Limits::default() };
    let nothing = |(): &()| String::new();
    let chosen = |answer: &sandboard_host::engine::Answer| {
        format!("{:?} {}", answer.choice, counted(&answer.spent))
    };
    let _ = life.note("start", engine.start(&setup), counted)
        && life.note("choose", engine.choose(&limits, &[]), chosen)
        && life.note("played", engine.played("c3"), nothing)
        && life.note("choose", engine.choose(&limits, &[]), chosen)
        && life.note("taken back", engine.taken_back(1), nothing);
}
