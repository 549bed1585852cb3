//! Tests of the protocol clients with scripted programs: each line that the host should send, and
//! the program's answers.

mod gomocup;
mod gtp;
mod nboard;
mod sandboard;
mod ucci;
mod uci;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use sandboard_abi::{Choice, Decision, Level, Limits, Setup};

use super::external_engine::ExternalEngine;
use super::fixture::{SHUFFLED, connect, connect_with_clock, patient, setup};
use sandboard_engine::{Engine, Fault, LineSender, Listener};
use sandboard_protocols::Protocol;

/// A script: `>` starts a line that the host should send; other lines are the program's. `…` at the
/// end of an expected line stands for any text.
pub(super) struct Script(pub(super) &'static str);

/// A game with a scripted program. [`end`](Self::end) checks that the whole script was used.
pub(super) struct ScriptedGame {
    pub(super) engine: ExternalEngine,
    program: JoinHandle<()>,
}

/// Collects what a program logs and reports.
#[derive(Default)]
pub(super) struct CollectingListener(pub(super) std::sync::Mutex<Vec<String>>);

impl Listener for CollectingListener {
    fn log(&self, _: Level, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    fn report(&self, line: &sandboard_abi::Line) {
        let score = line.score.map(|score| score.value);
        self.0.lock().unwrap().push(format!("{score:?} {} {}", line.depth, line.moves));
    }
}

/// Collects the lines of a protocol: `>` before those of the host.
#[derive(Default)]
struct DialogueListener(std::sync::Mutex<Vec<String>>);

impl Listener for DialogueListener {
    fn protocol_line(&self, sender: LineSender, line: &str) {
        let mark = if sender == LineSender::Host { "> " } else { "" };
        self.0.lock().unwrap().push(format!("{mark}{line}"));
    }
}

#[test]
fn a_listener_receives_every_line() {
    const SCRIPT: &str = ">uci\nwelcome\nuciok\n>isready\nreadyok\n>ucinewgame\n>isready\nreadyok";
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || follow(&program, SCRIPT));
    let listener = Arc::<DialogueListener>::default();
    let mut engine = connect(host, Protocol::Uci, &[], listener.clone());
    engine.start(&setup(SHUFFLED, "standard", "")).unwrap();
    drop(engine);
    program.join().unwrap();
    let received = listener.0.lock().unwrap().join("\n");
    assert_eq!(received.replace("> ", ">"), SCRIPT);
}

impl ScriptedGame {
    pub(super) fn new(protocol: Protocol, options: &[(&str, &str)], script: &Script) -> Self {
        Self::with_listener(protocol, options, script, Arc::<CollectingListener>::default())
    }

    /// Like [`new`](Self::new), with a listener for logs.
    pub(super) fn with_listener(
        protocol: Protocol,
        options: &[(&str, &str)],
        Script(script): &Script,
        listener: Arc<CollectingListener>,
    ) -> Self {
        let (host, program) = UnixStream::pair().unwrap();
        let script = *script;
        let program = std::thread::spawn(move || follow(&program, script));
        Self { engine: connect(host, protocol, options, listener), program }
    }

    /// Starts a game. Err: the sentence of the fault.
    pub(super) fn begin(&mut self, setup: &Setup) -> Result<(), String> {
        self.engine.start(setup).map(drop).map_err(|fault| fault.sentence)
    }

    /// Requests a move and plays it. Err: the sentence of the fault.
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

    /// Plays a move of the other side.
    pub(super) fn play(&mut self, mv: &str) {
        self.engine.played(mv).unwrap();
    }

    /// Ends the game. The program must have received its whole script and nothing else.
    #[track_caller]
    pub(super) fn end(self) {
        drop(self.engine);
        self.program.join().expect("the program received its script");
    }
}

fn follow(stream: &UnixStream, script: &str) {
    let mut received = BufReader::new(stream.try_clone().unwrap()).lines();
    for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        match line.strip_prefix('>') {
            Some(expected) => {
                let received =
                    received.next().map(|line| line.unwrap_or_default()).unwrap_or_default();
                let expected = expected.trim_start();
                let begin = expected.strip_suffix('…');
                let is_it = begin.map_or(received == expected, |begin| received.starts_with(begin));
                assert!(is_it, "received {received:?}, not {expected:?}");
            }
            None => {
                let line = line.replace("\\r", "\r").replace("\\n", "\n");
                // A program that is being killed cannot write.
                let _ = (&mut &*stream).write_all(format!("{line}\n").as_bytes());
            }
        }
    }
    let left: Vec<String> = received.map_while(Result::ok).collect();
    assert!(left.is_empty(), "the program received more: {left:?}");
}
