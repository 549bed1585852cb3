//! Test harness of hostile engines: bouts against a sound engine, while a concurrent bout in the
//! same process and runtime must not be disturbed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};

use sandboard_abi::Setup;
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, InputReceiver, NullObserver, OutputListener, Participant,
    RecordDestination, run,
};
use sandboard_bout::record::Record;
use sandboard_bout::referee::{BoutResult, BoutSettings};
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, Engine, EngineSource, Fault, NullListener};
use sandboard_engine_wasm::Metering;
use sandboard_games::Games;
use sandboard_tests::wasm;

use super::guest::Guest;

/// Runs the checks of a test and counts them.
pub(super) struct Harness {
    checks: AtomicUsize,
}

/// Conditions of a bout, with defaults for what a test does not vary.
pub(super) struct Terms {
    pub budget: &'static str,
    pub caps: Caps,
    pub metering: Metering,
    pub variant: &'static str,
    pub output_listener: Option<OutputListener>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            budget: "60s/move",
            caps: Caps::default(),
            metering: Metering::Deadline,
            variant: "freestyle-5",
            output_listener: None,
        }
    }
}

impl Terms {
    /// The default terms with this budget.
    pub(super) fn within(budget: &'static str) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The default terms with this start limit in milliseconds.
    pub(super) fn start_within(ms: u64) -> Self {
        let caps = Caps { start_us: ms * 1000, ..Caps::default() };
        Self { caps, ..Self::default() }
    }
}

impl Harness {
    /// Plays `black`, called `hostile`, against a sound engine.
    pub(super) fn bout(&self, black: Arc<dyn EngineSource>, terms: Terms) -> Record {
        self.bout_with(EnginePlayer::new(black, "hostile"), terms)
    }

    /// As [`bout`](Self::bout), with options of the engine.
    pub(super) fn bout_with(&self, black: EnginePlayer, terms: Terms) -> Record {
        self.checks.fetch_add(1, Ordering::Relaxed);
        let player = |seat: u8, name: &str, budget: &str, engine| Participant {
            name: name.into(),
            seats: vec![seat],
            budget: budget.parse().expect("a budget"),
            engine: Some(engine),
            ponders: false,
        };
        let white = EnginePlayer::new(sound(), "sound");
        let players =
            vec![player(0, "hostile", terms.budget, black), player(1, "sound", "none", white)];
        play(terms.variant, players, terms.output_listener, None)
    }

    /// As [`bout`](Self::bout), for a guest.
    pub(super) fn bout_of(&self, guest: &Guest, terms: Terms) -> Record {
        self.bout(guest.load(terms.metering, terms.caps), terms)
    }

    /// The guest loses its bout; `why` is the end of the sentence.
    #[track_caller]
    pub(super) fn loses(&self, guest: &Guest, terms: Terms, why: &str) -> Record {
        let record = self.bout_of(guest, terms);
        let result = result(&record);
        assert_eq!(result.sentence, format!("hostile (black) loses{why}"));
        assert_eq!(result.winner, Some(1));
        record
    }

    /// The guest loses by a fault with this code and sentence, which is in the record.
    #[track_caller]
    pub(super) fn faults(&self, guest: &Guest, terms: Terms, code: &str, sentence: &str) {
        let record = self.loses(guest, terms, &format!(": it {sentence}"));
        let events = serde_json::to_value(&record.events).expect("events are JSON");
        let events = events.as_array().cloned().unwrap_or_default();
        let fault = events.iter().find(|event| event["event"] == "fault").expect("a fault");
        assert_eq!(fault["code"], code);
        assert_eq!(fault["sentence"], sentence);
    }

    /// The guest plays its bout to a regular end.
    #[track_caller]
    pub(super) fn plays(&self, guest: &Guest, terms: Terms) -> Record {
        let record = self.bout_of(guest, terms);
        let sentence = &result(&record).sentence;
        assert!(
            sentence.ends_with(": five in a row") || sentence.starts_with("draw"),
            "{sentence}"
        );
        record
    }

    /// A started instance of a guest, without a bout.
    pub(super) fn instance(&self, guest: &Guest, setup: &Setup) -> Box<dyn Engine> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        let source = guest.load(Metering::Deadline, Caps::default());
        let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
        engine.start(setup).expect("it starts");
        engine
    }

    /// The fault of loading or describing these bytes; empty if there is none.
    pub(super) fn load_fault(&self, bytes: &[u8]) -> String {
        self.checks.fetch_add(1, Ordering::Relaxed);
        let loaded = super::guest::load(bytes, Metering::Deadline, Caps::default());
        let described = loaded.and_then(|module| module.describe());
        described.err().map(|fault| code_and_sentence(&fault)).unwrap_or_default()
    }

    /// Counts a check that the test makes itself.
    pub(super) fn count_check(&self) {
        self.checks.fetch_add(1, Ordering::Relaxed);
    }

    /// Plays a guest against a person.
    pub(super) fn against_person(&self, guest: &Guest, people: InputReceiver) -> Record {
        self.checks.fetch_add(1, Ordering::Relaxed);
        let player = |seat: u8, name: &str, engine| Participant {
            name: name.into(),
            seats: vec![seat],
            budget: "none".parse().expect("a budget"),
            engine,
            ponders: false,
        };
        let source = guest.load(Metering::Deadline, Caps::default());
        let hostile = Some(EnginePlayer::new(source, "hostile"));
        let players = vec![player(0, "hostile", hostile), player(1, "person", None)];
        play("freestyle-5", players, None, Some(people))
    }
}

/// A fault as `code: sentence`.
pub(super) fn code_and_sentence(fault: &Fault) -> String {
    format!("{}: {}", fault.code, fault.sentence)
}

/// The fault in a record, as `code: sentence`.
pub(super) fn fault_of(record: &Record) -> String {
    let events = serde_json::to_value(&record.events).expect("events are JSON");
    let fault = events.as_array().into_iter().flatten().find(|event| event["event"] == "fault");
    let text = |name: &str| fault.and_then(|fault| fault[name].as_str()).unwrap_or_default();
    format!("{}: {}", text("code"), text("sentence"))
}

/// The result of a finished bout.
pub(super) fn result(record: &Record) -> &BoutResult {
    record.result.as_ref().expect("the bout is over")
}

fn play(
    variant: &str,
    players: Vec<Participant>,
    output_listener: Option<OutputListener>,
    people: Option<InputReceiver>,
) -> Record {
    let game = Games::default().find("gomoku").expect("gomoku is a game");
    let variant = game.variant(variant).expect("it is a variant");
    let setup = BoutSetup {
        start: StartPosition::new(game, variant, None),
        seed: 5,
        settings: BoutSettings::default(),
        players,
        hint: None,
        output_listener,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let record = run(setup, people, &mut NullObserver).expect("the bout begins").record;
    // The record can be read despite any engine output.
    let read = Record::parse(&record.to_json(), &Games::default()).expect("a record");
    assert_eq!(read, record);
    record
}

fn sound() -> Arc<dyn EngineSource> {
    static SOUND: OnceLock<Arc<dyn EngineSource>> = OnceLock::new();
    SOUND.get_or_init(|| Guest::sound().load(Metering::Deadline, Caps::default())).clone()
}

/// Plays the concurrent bout of two sample engines: moves, events and result.
fn concurrent_bout() -> String {
    static BOTH: OnceLock<[Arc<dyn EngineSource>; 2]> = OnceLock::new();
    let sample = |stem| -> Arc<dyn EngineSource> {
        Arc::new(wasm(stem, Metering::Deadline, Caps::default()).expect("it loads"))
    };
    let both = BOTH.get_or_init(|| [sample("random-mover"), sample("gomoku-simple")]);
    let player = |seat: u8, name: &str, budget: &str| Participant {
        name: name.into(),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        engine: Some(EnginePlayer::new(both[usize::from(seat)].clone(), name)),
        ponders: false,
    };
    // One engine has ample time, the other a node limit.
    let players = vec![player(0, "random", "60s/move"), player(1, "alpha", "nodes:50")];
    let record = play("freestyle-9", players, None, None);
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    format!("{}\n{:?}\n{:?}", moves.join(" "), record.events, record.result)
}

/// Sets the flag on drop, also during a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs a test while the concurrent bout is played repeatedly, and compares each with an
/// undisturbed one.
pub(super) fn beside_a_concurrent_bout(case: impl FnOnce(&Harness)) {
    static UNDISTURBED: OnceLock<String> = OnceLock::new();
    let undisturbed = UNDISTURBED.get_or_init(concurrent_bout);
    let (over, both_started) = (AtomicBool::new(false), Barrier::new(2));
    let harness = Harness { checks: AtomicUsize::new(0) };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            both_started.wait();
            // The last bout is running when the test ends.
            while !over.load(Ordering::SeqCst) {
                assert_eq!(concurrent_bout(), *undisturbed, "the concurrent bout was disturbed");
            }
        });
        let _flag = SetOnDrop(&over);
        both_started.wait();
        case(&harness);
    });
    assert!(harness.checks.load(Ordering::Relaxed) > 0, "the test checked nothing");
}
