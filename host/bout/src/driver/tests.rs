//! Tests of the driver with scripted engines, given inputs and a simulated clock. No test waits.

mod call_scripts;
mod engines;
mod inline;
mod people;
mod pondering;
mod tracked_inputs;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use sandboard_abi::{Barred, Choice, Decision, Level, Limits, Line, Setup};
use sandboard_engine::{
    ChooseResponse, Engine, EngineSource, Fault, FaultCode, Listener, StopHandle, Usage,
};

use super::*;
use crate::record::EngineRecord;
use crate::referee::BoutSettings;
use crate::referee::counting_game::{COUNTING, games};
use crate::start::StartPosition;

/// A clock that only moves when a test sets it, or when a driver waits for a time.
#[derive(Clone, Debug, Default)]
pub(super) struct FakeTime(Arc<AtomicU64>);

impl TimeSource for FakeTime {
    fn now_us(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn receive(&self, events: &Receiver<InputEvent>, until_us: Option<u64>) -> WaitResult {
        match (events.try_recv(), until_us) {
            (Ok(event), _) => WaitResult::Event(event),
            (Err(_), Some(until_us)) => {
                self.0.fetch_max(until_us, Ordering::SeqCst);
                WaitResult::TimedOut
            }
            (Err(_), None) => WaitResult::Closed,
        }
    }

    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_782_909_296)
    }
}

/// A step of a scripted engine in `choose`.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Play(&'static str),
    Fault(FaultCode),
    /// Reports this line, and continues.
    Report(&'static str),
    /// Sends this input while the engine thinks, and continues.
    Meanwhile(InputSender, InputEvent),
    Spend(u64),
    /// Answers only when it is stopped, and reports this CPU time.
    UntilStopped {
        cpu_us: u64,
    },
    Resign,
}

/// What a scripted engine does in a call of `think`.
#[derive(Clone, Debug)]
pub(super) enum PonderStep {
    /// Returns at once.
    Return,
    /// Returns this many microseconds after the stop request.
    UntilStopped(FakeTime, u64),
    /// Reports this line and returns.
    Report(&'static str),
    /// Returns with this usage.
    Work {
        wall_us: u64,
        cpu_us: u64,
    },
    Fault(FaultCode),
}

/// The script of all instances of an engine, and the calls that they received.
#[derive(Default)]
pub(super) struct Script {
    steps: Mutex<VecDeque<Step>>,
    pub ponder_steps: Mutex<VecDeque<PonderStep>>,
    /// The limit of each `choose` call.
    pub allowed: Mutex<Vec<Option<u64>>>,
    pub calls: Mutex<Vec<String>>,
    /// The call that fails: `open`, `start` or `played`.
    pub broken: Mutex<Option<&'static str>>,
}

impl Script {
    fn new(steps: impl IntoIterator<Item = Step>) -> Arc<Self> {
        Arc::new(Self { steps: Mutex::new(steps.into_iter().collect()), ..Self::default() })
    }

    fn moves(moves: &'static str) -> Arc<Self> {
        Self::new(moves.split(' ').map(Step::Play))
    }

    fn calls(&self) -> String {
        self.calls.lock().unwrap().join(", ")
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }

    fn check(&self, call: &str) -> Result<(), Fault> {
        match *self.broken.lock().unwrap() {
            Some(broken) if broken == call => {
                Err(Fault::new(FaultCode::Crash, format!("broke at {call}")))
            }
            _ => Ok(()),
        }
    }
}

struct ScriptedEngine {
    script: Arc<Script>,
    stop_handle: StopHandle,
    output: Arc<dyn Listener>,
    lost: bool,
}

pub(super) struct Source(pub Arc<Script>);

impl EngineSource for Source {
    fn open(&self, listener: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        self.0.check("open")?;
        let (script, stop_handle) = (self.0.clone(), StopHandle::default());
        Ok(Box::new(ScriptedEngine { script, stop_handle, output: listener, lost: false }))
    }
}

impl Engine for ScriptedEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        self.script.check("start")?;
        self.script.note(format!("start {:?} [{}]", setup.seats, setup.moves));
        Ok(Usage::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        assert!(!self.lost, "a lost instance is called");
        self.script.note(format!("played {mv}"));
        self.script.check("played")
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        assert!(!self.lost, "a lost instance is called");
        self.script.note(format!("back {plies}"));
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        assert!(!self.lost, "a lost instance is called");
        assert!(!self.stop_handle.is_stopped(), "stopped before the call");
        let barred: String =
            barred.iter().map(|barred| format!(" not {}", barred.r#move)).collect();
        self.script.note(format!("choose{barred}"));
        self.script.allowed.lock().unwrap().push(limits.call_max.or(limits.game_left));
        self.output.log(Level::Info, "thinking");
        let (mut wall_us, mut cpu_us) = (1, None);
        loop {
            let step = self.script.steps.lock().unwrap().pop_front();
            let decision = match step {
                None => Decision::Play("1".into()),
                Some(Step::Play(mv)) => Decision::Play(mv.into()),
                Some(Step::Resign) => Decision::Resign,
                Some(Step::Fault(code)) => {
                    self.lost = true;
                    let spent = Usage { wall_us, ..Usage::default() };
                    return Err(Fault { spent, ..Fault::new(code, "did it") });
                }
                Some(Step::Report(moves)) => {
                    let line = Line { rank: 1, depth: 3, moves: moves.into(), ..Line::default() };
                    self.output.report(&line);
                    continue;
                }
                Some(Step::Meanwhile(input, event)) => {
                    self.script.note(format!("meanwhile {event:?}"));
                    assert!(input.send(event));
                    if self.stop_handle.is_stopped() {
                        self.script.note("stopped".into());
                    }
                    continue;
                }
                Some(Step::Spend(us)) => {
                    wall_us = us;
                    continue;
                }
                Some(Step::UntilStopped { cpu_us: us }) => {
                    while !self.stop_handle.is_stopped() {
                        std::thread::yield_now();
                    }
                    cpu_us = Some(us);
                    continue;
                }
            };
            let choice = Choice { decision, offers_draw: false, line: None };
            let spent = Usage { wall_us, cpu_us, ..Usage::default() };
            return Ok(ChooseResponse { choice, spent });
        }
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        assert!(!self.lost, "a lost instance is called");
        self.script.note("think".into());
        let step = self.script.ponder_steps.lock().unwrap().pop_front();
        let mut spent = Usage { wall_us: 10, ..Usage::default() };
        match step {
            None | Some(PonderStep::Return) => (),
            Some(PonderStep::UntilStopped(time, stop_us)) => {
                while !self.stop_handle.is_stopped() {
                    std::thread::yield_now();
                }
                time.0.fetch_add(stop_us, Ordering::SeqCst);
                spent.wall_us += stop_us;
                self.script.note("stopped".into());
            }
            Some(PonderStep::Report(moves)) => {
                self.output.report(&Line { rank: 1, moves: moves.into(), ..Line::default() });
            }
            Some(PonderStep::Work { wall_us, cpu_us }) => {
                spent = Usage { wall_us, cpu_us: Some(cpu_us), ..spent };
            }
            Some(PonderStep::Fault(code)) => {
                self.lost = true;
                return Err(Fault::new(code, "did it"));
            }
        }
        Ok(spent)
    }

    fn stop_handle(&self) -> StopHandle {
        self.stop_handle.clone()
    }
}

/// An observer that writes down what it is called with.
#[derive(Clone, Default)]
pub(super) struct ObserverLog(pub Rc<RefCell<Vec<String>>>);

impl ObserverLog {
    fn note(&self, text: String) {
        self.0.borrow_mut().push(text);
    }

    fn text(&self) -> String {
        self.0.borrow().join("\n")
    }
}

impl Observer for ObserverLog {
    fn notice(&mut self, view: BoutView<'_>, notice: &Notice) {
        if let Notice::Moved { player, mv, .. } = notice {
            let clocks = (0..2).filter_map(|p| view.clock(p)).map(|clock| format!(" {clock}"));
            let player = player.map_or("chance".to_owned(), |player| player.to_string());
            return self.note(format!("{player} moved {mv}{}", clocks.collect::<String>()));
        }
        let text = format!("{notice:?}");
        self.note(text.split([' ', '{']).next().unwrap_or_default().to_lowercase());
    }

    fn person_to_move(&mut self, _: BoutView<'_>, player: usize, _: &Limits) {
        self.note(format!("person {player} to move"));
    }

    fn show_board(&mut self, view: BoutView<'_>) {
        self.note(format!("show {}", view.referee.game().position()));
    }

    fn input_rejected(&mut self, _: BoutView<'_>, reason: &str) {
        self.note(format!("rejected: {reason}"));
    }

    fn hint(&mut self, _: BoutView<'_>, hint: Result<&Choice, &str>) {
        self.note(format!("hint {:?}", hint.map(|choice| &choice.decision)));
    }

    fn record_saved(&mut self, saved: Result<&std::path::Path, &FileError>) {
        self.note(format!("saved {}", saved.is_ok()));
    }

    fn bout_ended(&mut self, _: BoutView<'_>, result: &BoutResult) {
        self.note(format!("ended: {}", result.sentence));
    }
}

pub(super) fn engine(script: &Arc<Script>) -> EnginePlayer {
    EnginePlayer::new(Arc::new(Source(script.clone())), "scripted")
}

/// Two players with seats 0 and 2 against 1 and 3; without a script a player is a person.
pub(super) fn setup(players: [Option<&Arc<Script>>; 2], budget: &str) -> BoutSetup {
    let player = |(index, script): (usize, Option<&Arc<Script>>)| Participant {
        name: format!("n{index}"),
        seats: vec![index as u8, index as u8 + 2],
        budget: budget.parse().unwrap(),
        engine: script.map(engine),
        ponders: false,
    };
    let variant = COUNTING.variant("").unwrap();
    BoutSetup {
        start: StartPosition::new(&COUNTING, variant, None),
        seed: 7,
        settings: BoutSettings::default(),
        players: players.into_iter().enumerate().map(player).collect(),
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    }
}

/// The moves of a report, and the sentence of its result.
pub(super) fn summary(report: &BoutReport) -> String {
    let moves: Vec<_> = report.record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    let end = report.result.as_ref().map_or("unfinished", |result| &result.sentence);
    format!("{}: {end}", moves.join(" "))
}
