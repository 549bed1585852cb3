//! The driver with scripted engines, typed input and a clock of the test's own:
//! nothing here waits.

mod engines;
mod people;
mod pondering;
mod replayed;
mod words;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use sandboard_abi::{Barred, Choice, Decision, Level, Limits, Line, Setup};

use super::*;
use crate::engine::{Answer, Control, Engine, EngineSource, Fault, FaultCode, Listener, Spent};
use crate::referee::counting::{COUNTING, games};

/// A clock that stands still but for calls that say how long they take, and
/// jumps to whatever a driver waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct FakeTime(Arc<AtomicU64>);

impl Time for FakeTime {
    fn now_us(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn receive(&self, events: &Receiver<PersonEvent>, until_us: Option<u64>) -> Received {
        match (events.try_recv(), until_us) {
            (Ok(event), _) => Received::Event(event),
            (Err(_), Some(until_us)) => {
                self.0.fetch_max(until_us, Ordering::SeqCst);
                Received::TimeUp
            }
            (Err(_), None) => Received::Closed,
        }
    }

    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_782_909_296)
    }
}

/// What a scripted engine does in one call of `choose`.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Play(&'static str),
    Fault(FaultCode),
    /// Reports this line first.
    Report(&'static str),
    /// Lets a person do this while it thinks.
    Meanwhile(PersonInput, PersonEvent),
    Spend(u64),
    Resign,
}

/// What a scripted engine does in one call of `think`.
#[derive(Clone, Debug)]
pub(super) enum Thought {
    /// Comes back by itself.
    Return,
    /// Comes back when it is told to, so long after that.
    UntilStopped(FakeTime, u64),
    /// Reports this line and comes back.
    Report(&'static str),
    /// Has had so much CPU time, in so much wall time.
    Work {
        wall_us: u64,
        cpu_us: u64,
    },
    Fault(FaultCode),
}

/// What all instances of a script do and hear.
#[derive(Default)]
pub(super) struct Script {
    steps: Mutex<VecDeque<Step>>,
    pub thoughts: Mutex<VecDeque<Thought>>,
    /// What each `choose` might take.
    pub allowed: Mutex<Vec<Option<u64>>>,
    pub heard: Mutex<Vec<String>>,
    /// What `played` says; `start` and `open` fail when it names them.
    pub broken: Mutex<Option<&'static str>>,
}

impl Script {
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Arc<Self> {
        Arc::new(Self { steps: Mutex::new(steps.into_iter().collect()), ..Self::default() })
    }

    pub fn moves(moves: &'static str) -> Arc<Self> {
        Self::new(moves.split(' ').map(Step::Play))
    }

    pub fn heard(&self) -> String {
        self.heard.lock().unwrap().join(", ")
    }

    fn hear(&self, what: String) {
        self.heard.lock().unwrap().push(what);
    }

    fn fails(&self, at: &str) -> Result<(), Fault> {
        match *self.broken.lock().unwrap() {
            Some(broken) if broken == at => {
                Err(Fault::new(FaultCode::Crash, format!("broke at {at}")))
            }
            _ => Ok(()),
        }
    }
}

struct Scripted {
    script: Arc<Script>,
    control: Control,
    ears: Arc<dyn Listener>,
    poisoned: bool,
}

pub(super) struct Source(pub Arc<Script>);

impl EngineSource for Source {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        _threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        self.0.fails("open")?;
        let (script, control) = (self.0.clone(), Control::default());
        Ok(Box::new(Scripted { script, control, ears: listener, poisoned: false }))
    }
}

impl Engine for Scripted {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.script.fails("start")?;
        self.script.hear(format!("start {:?} [{}]", setup.seats, setup.moves));
        Ok(Spent::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        assert!(!self.poisoned, "a poisoned instance is called");
        self.script.hear(format!("played {mv}"));
        self.script.fails("played")
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        assert!(!self.poisoned, "a poisoned instance is called");
        self.script.hear(format!("back {plies}"));
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        assert!(!self.poisoned, "a poisoned instance is called");
        assert!(!self.control.is_stopped(), "stopped before it began");
        let barred: String =
            barred.iter().map(|barred| format!(" not {}", barred.r#move)).collect();
        self.script.hear(format!("choose{barred}"));
        self.script.allowed.lock().unwrap().push(limits.call_max.or(limits.game_left));
        self.ears.log(Level::Info, "thinking");
        let mut wall_us = 1;
        loop {
            let step = self.script.steps.lock().unwrap().pop_front();
            let decision = match step {
                None => Decision::Play("1".into()),
                Some(Step::Play(mv)) => Decision::Play(mv.into()),
                Some(Step::Resign) => Decision::Resign,
                Some(Step::Fault(code)) => {
                    self.poisoned = true;
                    let spent = Spent { wall_us, ..Spent::default() };
                    return Err(Fault { spent, ..Fault::new(code, "did it") });
                }
                Some(Step::Report(moves)) => {
                    let line = Line { rank: 1, depth: 3, moves: moves.into(), ..Line::default() };
                    self.ears.report(&line);
                    continue;
                }
                Some(Step::Meanwhile(input, event)) => {
                    self.script.hear(format!("meanwhile {event:?}"));
                    assert!(input.send(event));
                    if self.control.is_stopped() {
                        self.script.hear("stopped".into());
                    }
                    continue;
                }
                Some(Step::Spend(us)) => {
                    wall_us = us;
                    continue;
                }
            };
            let choice = Choice { decision, offers_draw: false, line: None };
            return Ok(Answer { choice, spent: Spent { wall_us, ..Spent::default() } });
        }
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        assert!(!self.poisoned, "a poisoned instance is called");
        self.script.hear("think".into());
        let thought = self.script.thoughts.lock().unwrap().pop_front();
        let mut spent = Spent { wall_us: 10, ..Spent::default() };
        match thought {
            None | Some(Thought::Return) => (),
            Some(Thought::UntilStopped(time, late_us)) => {
                while !self.control.is_stopped() {
                    std::thread::yield_now();
                }
                time.0.fetch_add(late_us, Ordering::SeqCst);
                spent.wall_us += late_us;
                self.script.hear("stopped".into());
            }
            Some(Thought::Report(moves)) => {
                self.ears.report(&Line { rank: 1, moves: moves.into(), ..Line::default() });
            }
            Some(Thought::Work { wall_us, cpu_us }) => {
                spent = Spent { wall_us, cpu_us: Some(cpu_us), ..spent };
            }
            Some(Thought::Fault(code)) => {
                self.poisoned = true;
                return Err(Fault::new(code, "did it"));
            }
        }
        Ok(spent)
    }

    fn control(&self) -> Control {
        self.control.clone()
    }
}

/// An observer that writes everything down.
#[derive(Clone, Default)]
pub(super) struct Diary(pub Rc<RefCell<Vec<String>>>);

impl Diary {
    fn note(&self, text: String) {
        self.0.borrow_mut().push(text);
    }

    pub fn text(&self) -> String {
        self.0.borrow().join("\n")
    }
}

impl Observer for Diary {
    fn notice(&mut self, scene: Scene<'_>, notice: &Notice) {
        if let Notice::Moved { player, mv, .. } = notice {
            let clocks = (0..2).filter_map(|p| scene.clock(p)).map(|clock| format!(" {clock}"));
            return self.note(format!("{player} moved {mv}{}", clocks.collect::<String>()));
        }
        let text = format!("{notice:?}");
        self.note(text.split([' ', '{']).next().unwrap_or_default().to_lowercase());
    }

    fn your_turn(&mut self, _: Scene<'_>, player: usize, _: &Limits) {
        self.note(format!("your turn {player}"));
    }

    fn show(&mut self, scene: Scene<'_>) {
        self.note(format!("show {}", scene.referee.game().position()));
    }

    fn rejected(&mut self, _: Scene<'_>, reason: &str) {
        self.note(format!("no: {reason}"));
    }

    fn hint(&mut self, _: Scene<'_>, hint: Result<&Choice, &str>) {
        self.note(format!("hint {:?}", hint.map(|choice| &choice.decision)));
    }

    fn saved(&mut self, saved: Result<&std::path::Path, &StoreError>) {
        self.note(format!("saved {}", saved.is_ok()));
    }

    fn ended(&mut self, _: Scene<'_>, result: &BoutResult) {
        self.note(format!("ended: {}", result.sentence));
    }
}

pub(super) fn engine(script: &Arc<Script>) -> EnginePlayer {
    EnginePlayer::new(Arc::new(Source(script.clone())), "scripted")
}

/// Two players, seats 0 and 2 against 1 and 3; none is a person.
pub(super) fn setup(players: [Option<&Arc<Script>>; 2], budget: &str) -> BoutSetup {
    let player = |(index, script): (usize, Option<&Arc<Script>>)| Participant {
        name: format!("n{index}"),
        seats: vec![index as u8, index as u8 + 2],
        budget: budget.parse().unwrap(),
        mover: script.map_or(Mover::Person, |script| Mover::Engine(engine(script))),
        ponders: false,
    };
    let variant = COUNTING.variant("").unwrap();
    BoutSetup {
        start: Start { game: &COUNTING, variant, position: None },
        seed: 7,
        settings: Settings::default(),
        players: players.into_iter().enumerate().map(player).collect(),
        hint: None,
        live: None,
        place: Place::Nowhere,
        resumed: None,
    }
}

/// The moves of a report, and its sentence.
pub(super) fn told(report: &BoutReport) -> String {
    let moves: Vec<_> = report.record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    let end = report.result.as_ref().map_or("unfinished", |result| &result.sentence);
    format!("{}: {end}", moves.join(" "))
}
