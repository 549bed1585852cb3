//! Where hostile engines play: a bout against a sound one, and next door, in
//! the same process and runtime, a bout that must not notice.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};

use sandboard_abi::Setup;
use sandboard_host::bout::{
    BoutSetup, EnginePlayer, Live, Mover, Nobody, Participant, People, Place, run,
};
use sandboard_host::engine::wasm::Metering;
use sandboard_host::engine::{Caps, Deaf, Engine, EngineSource, Fault};
use sandboard_host::record::{Record, Start};
use sandboard_host::referee::{BoutResult, Settings};
use sandboard_tests::wasm;

use super::guest::Guest;

/// What a case is given to play with; counts what it looked at.
pub struct Room {
    looked: AtomicUsize,
}

/// Whatever is not the point of a case.
pub struct Terms {
    pub budget: &'static str,
    pub caps: Caps,
    pub metering: Metering,
    pub variant: &'static str,
    pub live: Option<Live>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            budget: "60s/move",
            caps: Caps::default(),
            metering: Metering::Deadline,
            variant: "freestyle-5",
            live: None,
        }
    }
}

impl Terms {
    /// So long for a move.
    pub fn within(budget: &'static str) -> Self {
        Self { budget, ..Self::default() }
    }

    /// So long to start, in milliseconds.
    pub fn start_within(ms: u64) -> Self {
        let caps = Caps { start_us: ms * 1000, ..Caps::default() };
        Self { caps, ..Self::default() }
    }
}

impl Room {
    /// Plays `black`, called `hostile`, against a sound engine.
    pub fn bout(&self, black: Arc<dyn EngineSource>, terms: Terms) -> Record {
        self.bout_with(EnginePlayer::new(black, "hostile"), terms)
    }

    /// The same with options and the like.
    pub fn bout_with(&self, black: EnginePlayer, terms: Terms) -> Record {
        self.looked.fetch_add(1, Ordering::Relaxed);
        let player = |seat: u8, name: &str, budget: &str, engine| Participant {
            name: name.into(),
            seats: vec![seat],
            budget: budget.parse().expect("a budget"),
            mover: Mover::Engine(engine),
            ponders: false,
        };
        let white = EnginePlayer::new(sound(), "sound");
        let players =
            vec![player(0, "hostile", terms.budget, black), player(1, "sound", "none", white)];
        play(terms.variant, players, terms.live, None)
    }

    /// The same, of a guest.
    pub fn bout_of(&self, guest: &Guest, terms: Terms) -> Record {
        self.bout(guest.load(terms.metering, terms.caps), terms)
    }

    /// A guest loses its bout, and this is why.
    #[track_caller]
    pub fn loses(&self, guest: &Guest, terms: Terms, why: &str) -> Record {
        let record = self.bout_of(guest, terms);
        let result = result(&record);
        assert_eq!(result.sentence, format!("hostile (black) loses{why}"));
        assert_eq!(result.winner, Some(1));
        record
    }

    /// A guest trapped or the like: it loses, and the record has the fault.
    #[track_caller]
    pub fn faults(&self, guest: &Guest, terms: Terms, code: &str, sentence: &str) {
        let record = self.loses(guest, terms, &format!(": it {sentence}"));
        let events = serde_json::to_value(&record.events).expect("events are JSON");
        let events = events.as_array().cloned().unwrap_or_default();
        let fault = events.iter().find(|event| event["event"] == "fault").expect("a fault");
        assert_eq!(fault["code"], code);
        assert_eq!(fault["sentence"], sentence);
    }

    /// A guest plays its bout to the end.
    #[track_caller]
    pub fn plays(&self, guest: &Guest, terms: Terms) -> Record {
        let record = self.bout_of(guest, terms);
        let sentence = &result(&record).sentence;
        assert!(
            sentence.ends_with(": five in a row") || sentence.starts_with("draw"),
            "{sentence}"
        );
        record
    }

    /// An instance of a guest by itself, in which a game has begun.
    pub fn instance(&self, guest: &Guest, setup: &Setup) -> Box<dyn Engine> {
        self.looked.fetch_add(1, Ordering::Relaxed);
        let source = guest.load(Metering::Deadline, Caps::default());
        let mut engine = source.open(Arc::new(Deaf)).expect("it opens");
        engine.start(setup).expect("it starts");
        engine
    }

    /// Why this is not loaded, or does not describe itself.
    pub fn load_fault(&self, bytes: &[u8]) -> String {
        self.looked.fetch_add(1, Ordering::Relaxed);
        let loaded = super::guest::load(bytes, Metering::Deadline, Caps::default());
        let described = loaded.and_then(|module| module.describe());
        described.err().map(|fault| told(&fault)).unwrap_or_default()
    }

    /// Something else was looked at.
    pub fn looked(&self) {
        self.looked.fetch_add(1, Ordering::Relaxed);
    }

    /// Plays a person against a guest.
    pub fn against_person(&self, guest: &Guest, people: People) -> Record {
        self.looked.fetch_add(1, Ordering::Relaxed);
        let player = |seat: u8, name: &str, mover| Participant {
            name: name.into(),
            seats: vec![seat],
            budget: "none".parse().expect("a budget"),
            mover,
            ponders: false,
        };
        let source = guest.load(Metering::Deadline, Caps::default());
        let hostile = Mover::Engine(EnginePlayer::new(source, "hostile"));
        let players = vec![player(0, "hostile", hostile), player(1, "person", Mover::Person)];
        play("freestyle-5", players, None, Some(people))
    }
}

/// A fault as `code: sentence`.
pub fn told(fault: &Fault) -> String {
    format!("{}: {}", fault.code, fault.sentence)
}

/// The fault in a record, as `code: sentence`.
pub fn fault_of(record: &Record) -> String {
    let events = serde_json::to_value(&record.events).expect("events are JSON");
    let fault = events.as_array().into_iter().flatten().find(|event| event["event"] == "fault");
    let text = |name: &str| fault.and_then(|fault| fault[name].as_str()).unwrap_or_default();
    format!("{}: {}", text("code"), text("sentence"))
}

/// The result that a record must have.
pub fn result(record: &Record) -> &BoutResult {
    record.result.as_ref().expect("the bout is over")
}

fn play(
    variant: &str,
    players: Vec<Participant>,
    live: Option<Live>,
    people: Option<People>,
) -> Record {
    let game = sandboard_games::game("gomoku").expect("gomoku is a game");
    let variant = game.variant(variant).expect("it is a variant");
    let setup = BoutSetup {
        start: Start { game, variant, position: None },
        seed: 5,
        settings: Settings::default(),
        players,
        hint: None,
        live,
        place: Place::Nowhere,
        resumed: None,
    };
    let record = run(setup, people, &mut Nobody).expect("the bout begins").record;
    // Whatever an engine said, the record is one that can be read.
    let read = Record::parse(&record.to_json(), sandboard_games::game).expect("a record");
    assert_eq!(read, record);
    record
}

fn sound() -> Arc<dyn EngineSource> {
    static SOUND: OnceLock<Arc<dyn EngineSource>> = OnceLock::new();
    SOUND.get_or_init(|| Guest::sound().load(Metering::Deadline, Caps::default())).clone()
}

/// A bout of two sample engines: moves, events and result.
fn next_door() -> String {
    static BOTH: OnceLock<[Arc<dyn EngineSource>; 2]> = OnceLock::new();
    let sample = |stem| -> Arc<dyn EngineSource> {
        Arc::new(wasm(stem, Metering::Deadline, Caps::default()).expect("it loads"))
    };
    let both = BOTH.get_or_init(|| [sample("random-mover"), sample("gomoku-simple")]);
    let player = |seat: u8, name: &str, budget: &str| Participant {
        name: name.into(),
        seats: vec![seat],
        budget: budget.parse().expect("a budget"),
        mover: Mover::Engine(EnginePlayer::new(both[usize::from(seat)].clone(), name)),
        ponders: false,
    };
    // One counts its time, which is plenty, the other its nodes.
    let players = vec![player(0, "random", "60s/move"), player(1, "alpha", "nodes:50")];
    let record = play("freestyle-9", players, None, None);
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    format!("{}\n{:?}\n{:?}", moves.join(" "), record.events, record.result)
}

/// Raised when it is dropped, in a panic, too.
struct Flag<'a>(&'a AtomicBool);

impl Drop for Flag<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs a case while bouts are played next door, and compares every one of
/// them with an undisturbed one.
pub fn beside_a_bout(case: impl FnOnce(&Room)) {
    static UNDISTURBED: OnceLock<String> = OnceLock::new();
    let undisturbed = UNDISTURBED.get_or_init(next_door);
    let (over, door) = (AtomicBool::new(false), Barrier::new(2));
    let room = Room { looked: AtomicUsize::new(0) };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            door.wait();
            // The last one is going on when the case ends.
            while !over.load(Ordering::SeqCst) {
                assert_eq!(next_door(), *undisturbed, "the bout next door was disturbed");
            }
        });
        let _flag = Flag(&over);
        door.wait();
        case(&room);
    });
    assert!(room.looked.load(Ordering::Relaxed) > 0, "the case looked at nothing");
}
