//! Where hostile native engines play, each in a worker, beside a bout in the next room:
//! against a sound engine, or one call after the other by themselves.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use sandboard_abi::{Decision, Limits, Unit};
use sandboard_host::bout::EnginePlayer;
use sandboard_host::engine::{Assets, Caps, Deaf, Engine, EngineSource, Fault};
use sandboard_host::record::Record;
use sandboard_host::worker::WorkerSource;
use sandboard_tests::{Ear, gomoku, workers};

use super::guest::{self, Border, Place, library};
use crate::engines::patient;
use crate::hostile::room::{Room, Terms, fault_of, result, told};

/// What comes of a call that takes longer than it may.
pub const LATE: &str = "timeout: did not answer within 60 ms and 50 ms of grace";
/// What loading and starting may take: enough on a busy machine.
pub const START_MS: u64 = 2000;

/// The room of native engines.
pub struct Cell<'a>(pub &'a Room);

/// An act and the call in which it is done, written `act@call`; without, `choose`.
fn act_and_call(text: &str) -> (&str, &str) {
    text.split_once('@').unwrap_or((text, "choose"))
}

fn caps() -> Caps {
    Caps { start_us: START_MS * 1000, ..Caps::default() }
}

/// A library in workers.
fn source(library: &Path, caps: Caps) -> WorkerSource {
    let bytes = std::fs::read(library).expect("it was built");
    workers().native(&bytes, caps, &Assets::default()).expect("there are workers")
}

/// The one whose border is as it should be.
fn sound() -> &'static Arc<WorkerSource> {
    static SOUND: OnceLock<Arc<WorkerSource>> = OnceLock::new();
    SOUND.get_or_init(|| Arc::new(source(&library(Border::Sound, None), caps())))
}

/// One whose act is done while it is loaded or described, or whose border is broken:
/// `load:act`, `entry:act`, `describe:act`, `broken:3`.
fn early(text: &str) -> WorkerSource {
    let (place, act) = text.split_once(':').expect("a place and an act");
    let place = match place {
        "broken" => {
            let border = Border::Broken(act.parse().expect("a number"));
            return source(&library(border, None), caps());
        }
        "load" => Place::Load,
        "entry" => Place::Entry,
        _ => Place::Describe,
    };
    source(&library(Border::Sound, Some((place, act))), caps())
}

impl Cell<'_> {
    /// It loses its game, and this is how the reason begins.
    #[track_caller]
    pub fn loses(&self, act: &str, why: &str) {
        // Who crashes has the time to, however busy the machine is.
        let budget = if why == LATE { "60ms/move" } else { "30s/move" };
        let (name, call) = act_and_call(act);
        let found = match call {
            "taken-back" | "think" => told(&self.fails(name, call)),
            _ => {
                let record = self.bout(budget, name, call);
                assert_eq!(result(&record).winner, Some(1), "{act}");
                fault_of(&record)
            }
        };
        assert!(found.starts_with(why), "{act}: {found:?}, not {why:?}");
    }

    /// It ends its game by what the host takes for its answer.
    #[track_caller]
    pub fn resigns(&self, act: &str) {
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

    /// The fault of a call that no bout makes.
    fn fails(&self, act: &str, call: &str) -> Fault {
        let (mut engine, _) = self.started(sound(), act, call, "").expect("it starts");
        engine.played("a1").expect("it plays");
        let failed = match call {
            "think" => {
                engine.control().stop();
                engine.think().map(drop)
            }
            _ => engine.taken_back(1),
        };
        failed.expect_err("it fails")
    }

    fn started(
        &self,
        source: &WorkerSource,
        act: &str,
        call: &str,
        at: &str,
    ) -> Result<(Box<dyn Engine>, Arc<Ear>), Fault> {
        self.0.looked();
        let ear = Ear::new();
        let mut engine = source.open(ear.clone())?;
        engine.start(&gomoku(&[("act", act), ("when", call), ("at", at)]))?;
        Ok((engine, ear))
    }

    /// It plays on, and logs what the system said to each step.
    #[track_caller]
    pub fn plays(&self, act: &str, at: &str) -> Vec<String> {
        self.plays_of(sound(), act, at)
    }

    #[track_caller]
    fn plays_of(&self, source: &WorkerSource, act: &str, at: &str) -> Vec<String> {
        let (name, call) = act_and_call(act);
        let (mut engine, ear) = self.started(source, name, call, at).expect("it starts");
        engine.played("a1").unwrap_or_else(|fault| panic!("{act}: {}", told(&fault)));
        let answer = engine.choose(&patient(), &[]);
        let answer = answer.unwrap_or_else(|fault| panic!("{act}: {}", told(&fault)));
        assert_eq!(answer.choice.decision, Decision::Play("b1".into()), "{act}");
        drop(engine);
        std::mem::take(&mut *ear.log.lock().expect("nobody panics"))
    }

    /// It plays on; each step of the act came to one of these.
    #[track_caller]
    pub fn is_refused(&self, act: &str, at: &str, outcomes: &[&str]) {
        let steps = self.plays(act, at);
        assert!(!steps.is_empty(), "{act}");
        for step in steps {
            let outcome = step.rsplit_once(": ").map_or("", |(_, outcome)| outcome);
            assert!(outcomes.contains(&outcome), "{act}: {step}");
        }
    }

    /// It cannot be loaded, or not described, and this is how the reason begins.
    #[track_caller]
    pub fn is_not_loaded(&self, what: &str, why: &str) {
        self.0.looked();
        let found = early(what).describe().err().map(|fault| told(&fault)).unwrap_or_default();
        assert!(found.starts_with(why), "{what}: {found:?}, not {why:?}");
    }

    /// What it did while it was loaded or described did not keep it from playing.
    #[track_caller]
    pub fn plays_early(&self, what: &str) -> Vec<String> {
        let source = early(what);
        source.describe().unwrap_or_else(|fault| panic!("{what}: {}", told(&fault)));
        self.plays_of(&source, "none", "")
    }

    /// It may take longer to start than to move, and not longer than to start.
    #[track_caller]
    pub fn starts_slowly(&self, act: &str) {
        let of = |start_us: u64| {
            let caps = Caps { start_us, ..Caps::default() };
            match act.split_once(':') {
                Some((place, act)) => {
                    let place = if place == "load" { Place::Load } else { Place::Entry };
                    source(&library(Border::Sound, Some((place, act))), caps)
                }
                None => source(&library(Border::Sound, None), caps),
            }
        };
        let (name, call) = if act.contains(':') { ("none", "choose") } else { act_and_call(act) };
        let limits = Limits { unit: Unit::Wall, call_max: Some(150_000), ..patient() };
        let (mut engine, _) =
            self.started(&of(30_000_000), name, call, "").expect("it has the time");
        engine.choose(&limits, &[]).expect("it answers");
        let fault = self.started(&of(200_000), name, call, "").err().expect("it has no time");
        assert_eq!(told(&fault), "timeout: did not answer within 200 ms", "{act}");
    }

    /// An exception across the border ends its process.
    #[track_caller]
    pub fn throws(&self, whys: &[&str]) {
        let scratch = tempfile::tempdir().expect("a folder");
        let source = source(&guest::strict(true, scratch.path()), caps());
        let (mut engine, _) = self.started(&source, "throw", "choose", "").expect("it starts");
        let fault = engine.choose(&patient(), &[]).expect_err("it throws");
        let found = told(&fault);
        assert!(whys.iter().any(|why| found.starts_with(why)), "{found}");
    }

    /// Threads beside the one that was called are on its budget of CPU time.
    pub fn is_charged_for_its_threads(&self) {
        let (mut engine, _) =
            self.started(sound(), "threads-beside", "choose", "").expect("it starts");
        let limits =
            Limits { unit: Unit::Cpu, call_max: Some(40_000), grace: 10_000, ..Limits::default() };
        let fault = engine.choose(&limits, &[]).expect_err("they burn while it sleeps");
        let why = "timeout: did not answer within 40 ms of CPU time and 10 ms of grace";
        assert_eq!(told(&fault), why);
    }

    /// What it changes of its process is changed nowhere else: neither here nor in the
    /// process of its next game.
    pub fn leaves_no_mark(&self, act: &str) {
        let own = || (std::env::current_dir().ok(), std::env::vars_os().collect::<Vec<_>>());
        let before = own();
        let steps = self.plays(act, "");
        assert_eq!(own(), before, "{act}");
        assert_eq!(self.plays(act, ""), steps, "{act}: the second game found another world");
    }

    /// An instance that is sound plays from the same source.
    pub fn next_game_is_sound(&self) {
        let mut engine = sound().open(Arc::new(Deaf)).expect("it opens");
        engine.start(&gomoku(&[])).expect("it starts");
        engine.choose(&patient(), &[]).expect("it answers");
    }
}
