//! Test harness of hostile native engines, each in an engine process: bouts against a sound engine
//! beside the concurrent bout, or single calls.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use sandboard_abi::{Decision, Limits, Unit};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::Record;
use sandboard_engine::{Caps, Engine, EngineSource, Fault, NullListener, Resources};
use sandboard_engine_process::EngineProcessSource;
use sandboard_tests::{RecordingListener, engine_processes, gomoku};

use super::guest::{self, ActTime, InterfaceState, library};
use crate::engines::lenient_limits;
use crate::hostile::harness::{Harness, Terms, code_and_sentence, fault_of, result};

/// The fault of a move that exceeds its time.
pub(super) const OVERRUN: &str = "timeout: did not answer within 60 ms and 50 ms of grace";
/// Start limit in milliseconds, enough on a busy machine.
pub(super) const START_MS: u64 = 2000;

/// A harness of hostile native engines.
pub(super) struct NativeHarness<'a>(pub &'a Harness);

/// Splits `act@call`; the default call is `choose`.
fn act_and_call(text: &str) -> (&str, &str) {
    text.split_once('@').unwrap_or((text, "choose"))
}

fn caps() -> Caps {
    Caps { start_us: START_MS * 1000, ..Caps::default() }
}

/// A library run in engine processes.
fn source(library: &Path, caps: Caps) -> EngineProcessSource {
    let bytes = std::fs::read(library).expect("it was built");
    engine_processes()
        .native(&bytes, caps, &Resources::default())
        .expect("engine processes can be started")
}

/// The library with a sound interface.
fn sound() -> &'static Arc<EngineProcessSource> {
    static SOUND: OnceLock<Arc<EngineProcessSource>> = OnceLock::new();
    SOUND.get_or_init(|| Arc::new(source(&library(InterfaceState::Sound, None), caps())))
}

/// A library that acts during load or describe, or has a broken interface: `load:act`, `entry:act`,
/// `describe:act`, `broken:3`.
fn early(text: &str) -> EngineProcessSource {
    let (place, act) = text.split_once(':').expect("a place and an act");
    let place = match place {
        "broken" => {
            let border = InterfaceState::Broken(act.parse().expect("a number"));
            return source(&library(border, None), caps());
        }
        "load" => ActTime::Load,
        "entry" => ActTime::Entry,
        _ => ActTime::Describe,
    };
    source(&library(InterfaceState::Sound, Some((place, act))), caps())
}

impl NativeHarness<'_> {
    /// The engine loses its game by a fault that starts with `why`.
    #[track_caller]
    pub(super) fn loses(&self, act: &str, why: &str) {
        // A long budget, so that a crash comes first on a busy machine, too.
        let budget = if why == OVERRUN { "60ms/move" } else { "30s/move" };
        let (name, call) = act_and_call(act);
        let found = match call {
            "taken-back" | "think" => code_and_sentence(&self.fails(name, call)),
            _ => {
                let record = self.bout(budget, name, call);
                assert_eq!(result(&record).winner, Some(1), "{act}");
                fault_of(&record)
            }
        };
        assert!(found.starts_with(why), "{act}: {found:?}, not {why:?}");
    }

    /// The host takes the forged answer as a resignation.
    #[track_caller]
    pub(super) fn resigns(&self, act: &str) {
        let record = self.bout("30s/move", act, "choose");
        assert_eq!(result(&record).sentence, "hostile (black) resigns", "{act}");
    }

    fn bout(&self, budget: &'static str, act: &str, call: &str) -> Record {
        let options = [("act", act), ("when", call)];
        let player = EnginePlayer {
            options: options.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..EnginePlayer::new(sound().clone(), "hostile")
        };
        self.0.bout_with(player, Terms::within(budget))
    }

    /// The fault of a call that bouts do not make.
    fn fails(&self, act: &str, call: &str) -> Fault {
        let (mut engine, _) = self.started(sound(), act, call, "").expect("it starts");
        engine.played("a1").expect("it plays");
        let failed = match call {
            "think" => {
                engine.stop_handle().stop();
                engine.think().map(drop)
            }
            _ => engine.taken_back(1),
        };
        failed.expect_err("it fails")
    }

    fn started(
        &self,
        source: &EngineProcessSource,
        act: &str,
        call: &str,
        at: &str,
    ) -> Result<(Box<dyn Engine>, Arc<RecordingListener>), Fault> {
        self.0.count_check();
        let listener = RecordingListener::new();
        let mut engine = source.open(listener.clone(), 1)?;
        engine.start(&gomoku(&[("act", act), ("when", call), ("at", at)]))?;
        Ok((engine, listener))
    }

    /// The engine plays on; its log has the system's result of each step.
    #[track_caller]
    pub(super) fn plays(&self, act: &str, at: &str) -> Vec<String> {
        self.plays_of(sound(), act, at)
    }

    #[track_caller]
    fn plays_of(&self, source: &EngineProcessSource, act: &str, at: &str) -> Vec<String> {
        let (name, call) = act_and_call(act);
        let (mut engine, listener) = self.started(source, name, call, at).expect("it starts");
        engine.played("a1").unwrap_or_else(|fault| panic!("{act}: {}", code_and_sentence(&fault)));
        let answer = engine.choose(&lenient_limits(), &[]);
        let answer = answer.unwrap_or_else(|fault| panic!("{act}: {}", code_and_sentence(&fault)));
        assert_eq!(answer.choice.decision, Decision::Play("b1".into()), "{act}");
        drop(engine);
        std::mem::take(&mut *listener.log.lock().expect("no test panics here"))
    }

    /// The engine plays on, and each step of the act has one of these results.
    #[track_caller]
    pub(super) fn is_refused(&self, act: &str, at: &str, outcomes: &[&str]) {
        let steps = self.plays(act, at);
        assert!(!steps.is_empty(), "{act}");
        for step in steps {
            let outcome = step.rsplit_once(": ").map_or("", |(_, outcome)| outcome);
            assert!(outcomes.contains(&outcome), "{act}: {step}");
        }
    }

    /// Loading or describing fails with a reason that starts with `why`.
    #[track_caller]
    pub(super) fn fails_to_load(&self, what: &str, why: &str) {
        self.0.count_check();
        let found =
            early(what).describe().err().map(|fault| code_and_sentence(&fault)).unwrap_or_default();
        assert!(found.starts_with(why), "{what}: {found:?}, not {why:?}");
    }

    /// The engine plays despite an act during load or describe; its log.
    #[track_caller]
    pub(super) fn plays_early(&self, what: &str) -> Vec<String> {
        let source = early(what);
        source.describe().unwrap_or_else(|fault| panic!("{what}: {}", code_and_sentence(&fault)));
        self.plays_of(&source, "none", "")
    }

    /// Starting may take longer than a move, but not longer than the start limit.
    #[track_caller]
    pub(super) fn starts_slowly(&self, act: &str) {
        let of = |start_us: u64| {
            let caps = Caps { start_us, ..Caps::default() };
            match act.split_once(':') {
                Some((place, act)) => {
                    let place = if place == "load" { ActTime::Load } else { ActTime::Entry };
                    source(&library(InterfaceState::Sound, Some((place, act))), caps)
                }
                None => source(&library(InterfaceState::Sound, None), caps),
            }
        };
        let (name, call) = if act.contains(':') { ("none", "choose") } else { act_and_call(act) };
        let limits = Limits { unit: Unit::Wall, call_max: Some(150_000), ..lenient_limits() };
        let (mut engine, _) =
            self.started(&of(30_000_000), name, call, "").expect("it has the time");
        engine.choose(&limits, &[]).expect("it answers");
        let fault = self.started(&of(200_000), name, call, "").err().expect("it has no time");
        assert_eq!(code_and_sentence(&fault), "timeout: did not answer within 200 ms", "{act}");
    }

    /// An exception that crosses the ABI ends the process.
    #[track_caller]
    pub(super) fn throws(&self, whys: &[&str]) {
        let scratch = tempfile::tempdir().expect("a folder");
        let source = source(&guest::strict(true, scratch.path()), caps());
        let (mut engine, _) = self.started(&source, "throw", "choose", "").expect("it starts");
        let fault = engine.choose(&lenient_limits(), &[]).expect_err("it throws");
        let found = code_and_sentence(&fault);
        assert!(whys.iter().any(|why| found.starts_with(why)), "{found}");
    }

    /// CPU time of additional threads counts for the budget.
    pub(super) fn is_charged_for_its_threads(&self) {
        let (mut engine, _) =
            self.started(sound(), "threads-beside", "choose", "").expect("it starts");
        let limits =
            Limits { unit: Unit::Cpu, call_max: Some(40_000), grace: 10_000, ..Limits::default() };
        let fault = engine.choose(&limits, &[]).expect_err("its threads burn CPU time");
        let why = "timeout: did not answer within 40 ms of CPU time and 10 ms of grace";
        assert_eq!(code_and_sentence(&fault), why);
    }

    /// Changes of the process do not reach this process or the process of the next game.
    pub(super) fn changes_stay_in_process(&self, act: &str) {
        let own = || (std::env::current_dir().ok(), std::env::vars_os().collect::<Vec<_>>());
        let before = own();
        let steps = self.plays(act, "");
        assert_eq!(own(), before, "{act}");
        assert_eq!(self.plays(act, ""), steps, "{act}: the second game had another environment");
    }

    /// A sound instance of the same source plays.
    pub(super) fn next_game_is_sound(&self) {
        let mut engine = sound().open(Arc::new(NullListener), 1).expect("it opens");
        engine.start(&gomoku(&[])).expect("it starts");
        engine.choose(&lenient_limits(), &[]).expect("it answers");
    }
}
