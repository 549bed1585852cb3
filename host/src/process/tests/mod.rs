//! Games with programs that are scripts: each line that the host is to say, and what the program answers to it.

mod gomocup;
mod gtp;
mod nboard;
mod sandboard;
mod ucci;

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use sandboard_abi::{Choice, Decision, Kind, Level, Limits, OptionSpec, Setup, Unit};

use super::instance::{Facts, ProcessInstance};
use super::{Dialect, Protocol, Speech};
use crate::engine::{Caps, Engine, Fault, Listener};
use crate::jail::CpuClock;
use crate::worker::leash::Leash;

/// What the host says and what the program answers, `>` before each line of the host; a line `…` stands for any one.
pub(super) struct Script(pub(super) &'static str);

/// A game with a program; what it was told is held against the script when it ends.
pub(super) struct Scripted {
    pub(super) engine: ProcessInstance,
    program: JoinHandle<()>,
}

/// Keeps what a program logs.
#[derive(Default)]
pub(super) struct Ear(pub(super) std::sync::Mutex<Vec<String>>);

impl Listener for Ear {
    fn log(&self, _: Level, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    fn report(&self, line: &sandboard_abi::Line) {
        let score = line.score.map(|score| score.value);
        self.0.lock().unwrap().push(format!("{score:?} {} {}", line.depth, line.moves));
    }
}

/// A program over a stream, in this protocol; its options are as a manifest names them, `ours=theirs` where it has
/// another name for one.
pub(crate) fn over(
    stream: UnixStream,
    protocol: Protocol,
    options: &[(&str, &str)],
    ear: Arc<dyn Listener>,
) -> ProcessInstance {
    counted(stream, protocol, options, (ear, None))
}

/// The same; its CPU time is this clock's.
pub(super) fn counted(
    stream: UnixStream,
    protocol: Protocol,
    options: &[(&str, &str)],
    (ear, clock): (Arc<dyn Listener>, Option<CpuClock>),
) -> ProcessInstance {
    let spoken = |(name, _): &(&str, &str)| {
        name.split_once('=').map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
    };
    let option = |(name, initial): &(&str, &str)| OptionSpec {
        name: name.split('=').next().unwrap_or_default().into(),
        about: String::new(),
        kind: Kind::Text(64),
        initial: (*initial).into(),
        tunable: false,
    };
    let spoken = options.iter().filter_map(spoken).collect();
    let speech = Speech { protocol, dialect: Dialect::Same, spoken, ..Speech::default() };
    let options = options.iter().map(option).collect::<Vec<_>>().into();
    let facts = Facts { speech: Arc::new(speech), options, has_files: false };
    let killed = stream.try_clone().unwrap();
    let kill = move || drop(killed.shutdown(Shutdown::Both));
    let leash = |herald| Leash::new(kill, true, clock, herald);
    ProcessInstance::over(stream, facts, Caps::default(), ear, leash).unwrap()
}

impl Scripted {
    pub(super) fn new(protocol: Protocol, options: &[(&str, &str)], script: &Script) -> Self {
        Self::heard(protocol, options, script, Arc::<Ear>::default())
    }

    /// The same, and what it logs is heard.
    pub(super) fn heard(
        protocol: Protocol,
        options: &[(&str, &str)],
        Script(script): &Script,
        ear: Arc<Ear>,
    ) -> Self {
        let (host, program) = UnixStream::pair().unwrap();
        let script = *script;
        let program = std::thread::spawn(move || follow(&program, script));
        Self { engine: over(host, protocol, options, ear), program }
    }

    /// Begins a game; Err: the sentence of the fault.
    pub(super) fn begin(&mut self, setup: &Setup) -> Result<(), String> {
        self.engine.start(setup).map(drop).map_err(|fault| fault.sentence)
    }

    /// Asks for a move within this time and plays it; Err: the sentence of the fault.
    pub(super) fn choose(&mut self, limits: &Limits) -> Result<String, String> {
        let choice = self.decide(limits).map_err(|fault| fault.sentence)?;
        match choice.decision {
            Decision::Play(mv) => {
                self.engine.played(&mv).unwrap();
                Ok(mv)
            }
            other => Ok(format!("{other:?}")),
        }
    }

    pub(super) fn decide(&mut self, limits: &Limits) -> Result<Choice, Fault> {
        self.engine.choose(limits, &[]).map(|answer| answer.choice)
    }

    /// Hears a move that was played.
    pub(super) fn hears(&mut self, mv: &str) {
        self.engine.played(mv).unwrap();
    }

    /// The game is over; the program has heard all of its script and nothing else.
    #[track_caller]
    pub(super) fn end(self) {
        drop(self.engine);
        self.program.join().expect("it was told what the script says");
    }
}

fn follow(stream: &UnixStream, script: &str) {
    let mut heard = BufReader::new(stream.try_clone().unwrap()).lines();
    for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        match line.strip_prefix('>') {
            Some(expected) => {
                let heard = heard.next().map(|line| line.unwrap_or_default()).unwrap_or_default();
                let expected = expected.trim_start();
                let begin = expected.strip_suffix('…');
                let is_it = begin.map_or(heard == expected, |begin| heard.starts_with(begin));
                assert!(is_it, "heard {heard:?}, not {expected:?}");
            }
            None => {
                let line = line.replace("\\r", "\r").replace("\\n", "\n");
                // Who is killed meanwhile is told so by the host.
                let _ = (&mut &*stream).write_all(format!("{line}\n").as_bytes());
            }
        }
    }
    let left: Vec<String> = heard.map_while(Result::ok).collect();
    assert!(left.is_empty(), "was told more: {left:?}");
}

/// A game as it begins.
pub(crate) fn setup(game: &str, variant: &str, moves: &str) -> Setup {
    Setup {
        game: game.into(),
        variant: variant.into(),
        start: String::new(),
        moves: moves.into(),
        seats: vec![0],
        seed: 0,
        options: Vec::new(),
        memory_bytes: 1 << 20,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// So much time for a move that no busy machine uses it up.
pub(crate) fn patient() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(60_000_000), ..Limits::default() }
}
