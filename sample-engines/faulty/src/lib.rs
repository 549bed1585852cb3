//! The engine that does everything wrong, one thing at a time: option `fault`
//! names the misbehaviour, `at` the number of its own move at which it begins.
//! Until then it plays at random. (`ask` is the one that is no misbehaviour.) It is how a host proves that an engine can
//! end its own game and nothing else.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fault;

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use fault::{FAULTS, Fault};

use sandboard_sdk::abi::{
    Barred, CellOp, Choice, Decision, Description, Level, Limits, Line, Setup, Unit,
};
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{
    BaseEngine, Cargo, Chooser, Engine, Host, Reply, Turn, export_engine, pick, whole,
};

/// Plays at random while it behaves.
#[derive(Default)]
struct AtRandom;

impl Chooser for AtRandom {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        turn.random_move().map_or_else(Reply::resign, Reply::play)
    }

    fn describe(description: &mut Description) {
        let words: Vec<_> = FAULTS.iter().map(|(word, _)| *word).collect();
        description.name = "Faulty".into();
        description.abilities.helpers = true;
        description.options = vec![
            pick("fault", &words, "none", "what it does wrong"),
            whole("at", 1..=1000, 1, "at which of its own moves it begins"),
        ];
    }
}

/// Choices that all instances of this process have made.
static CHOICES: AtomicU64 = AtomicU64::new(0);
/// Instances that are there now.
static INSTANCES: AtomicU64 = AtomicU64::new(0);

struct Faulty {
    behaved: BaseEngine<AtRandom>,
    host: Host,
    fault: Fault,
    at: u64,
    chosen: u64,
    last_move: String,
    /// Which of the instances it is, and how many there are beside the one that chooses.
    helper: u16,
    helpers: u16,
}

impl Faulty {
    fn is_due(&self) -> bool {
        self.chosen + 1 >= self.at
    }

    /// A choice that is legal but for what is wrong with it.
    fn behave(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        self.behaved.choose(limits, barred)
    }

    fn misbehave(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        let mut choice = self.behave(limits, barred)?;
        let legal = match &choice.decision {
            Decision::Play(mv) => mv.clone(),
            _ => String::new(),
        };
        match self.fault {
            Fault::Ask => self.ask(),
            Fault::Panic => panic!("asked to panic"),
            Fault::Loop => spin(),
            Fault::ReportThenLoop => self.report_then_loop(legal),
            Fault::ReportIllegalThenLoop => self.report_then_loop("a0".into()),
            Fault::Late => while self.host.left() > 0 {},
            Fault::Sleep => sleep(),
            Fault::Stack => drop(black_box(dig(&self.host, 1))),
            Fault::Memory => hoard(),
            Fault::Error => return Err("asked to fail".into()),
            Fault::Occupied => choice.decision = Decision::Play(self.last_move.clone()),
            Fault::OccupiedOnce if barred.is_empty() => {
                choice.decision = Decision::Play(self.last_move.clone());
            }
            Fault::Nonsense => choice.decision = Decision::Play("\u{1b}[2Jnot a move\n".into()),
            Fault::HugeMove => choice.decision = Decision::Play("h".repeat(1_000_000)),
            Fault::HugeLine => {
                choice.line = Some(Line { moves: "h8 ".repeat(100_000), ..Line::default() });
            }
            Fault::HugeLog => self.host.log(Level::Info, &legal.repeat(1 << 20)),
            Fault::LogFlood => self.flood(&legal),
            Fault::ReportFlood => loop {
                self.host.report(&Line { rank: 1, moves: legal.clone(), ..Line::default() });
            },
            Fault::Resign => choice.decision = Decision::Resign,
            Fault::OfferDraw => choice.offers_draw = true,
            Fault::AcceptDraw => choice.decision = Decision::AcceptDraw,
            Fault::Deaf if is_unlimited(limits) => spin(),
            Fault::IgnoreClock if limits.game_left.is_some() => spin(),
            Fault::IgnoreDepth if limits.depth.is_some() || limits.nodes.is_some() => {
                while self.host.left() > 0 {}
            }
            Fault::IgnoreBarred => return self.behave(limits, &[]),
            Fault::ForgetSeed => {
                let number = CHOICES.fetch_add(1, Ordering::Relaxed);
                choice.decision = self.numbered(number, barred)?;
            }
            Fault::Disturbed if INSTANCES.load(Ordering::SeqCst) > 1 => {
                choice.decision = self.numbered(0, barred)?;
            }
            Fault::Confer => self.hear_helpers(),
            Fault::Leak => drop(black_box(vec![1_u8; LEAK_BYTES].leak())),
            Fault::IllegalLine => self.report(format!("{legal} {legal}")),
            Fault::OtherLine => {
                let all = self.host.legal("")?;
                self.report(all.split(' ').find(|mv| *mv != legal).unwrap_or_default().into());
            }
            Fault::Deaf
            | Fault::IgnoreClock
            | Fault::IgnoreDepth
            | Fault::IgnoreUndo
            | Fault::Disturbed
            | Fault::AcceptNonsense
            | Fault::PanicOnNonsense
            | Fault::None
            | Fault::OccupiedOnce
            | Fault::PanicInPlayed
            | Fault::PanicInStart
            | Fault::LoopInStart
            | Fault::LoopInPlayed
            | Fault::RefuseStart
            | Fault::PanicAsHelper
            | Fault::LoopAsHelper
            | Fault::FloodAsHelper
            | Fault::RefuseAsHelper
            | Fault::ToilAsHelper => {}
        }
        Ok(choice)
    }

    /// Waits until every helper has been heard of, and says what each has left behind.
    fn hear_helpers(&self) {
        let host = &self.host;
        for helper in 1..=self.helpers {
            // Of what it stores before it counts, nothing may be missing after.
            while host.cell(helper as u8, CellOp::Get, 0) == 0 && host.left() > 0 {}
            let stored = host.probe(u64::from(helper) << 40);
            let (who, moves, of) = (stored % 100, stored / 100, self.open_moves());
            host.log(Level::Info, &format!("helper {who} counts {moves} moves of {of}"));
        }
        let count = host.cell(0, CellOp::Get, 0);
        host.log(Level::Info, &format!("of {} helpers {count} are here", self.helpers));
        for helper in 0..=self.helpers {
            host.cell(helper as u8, CellOp::Put, 0);
        }
    }

    /// How many moves there are in the position that it was told.
    fn open_moves(&self) -> u64 {
        self.host.legal("").map_or(0, |line| line.split(' ').count() as u64)
    }

    /// What it does where it helps.
    fn help(&self) {
        let host = &self.host;
        match self.fault {
            Fault::Confer => {
                let stored = self.open_moves() * 100 + u64::from(self.helper);
                host.store(u64::from(self.helper) << 40, stored);
                host.cell(0, CellOp::Add, 1);
                host.cell(self.helper as u8, CellOp::Put, 1);
            }
            Fault::PanicAsHelper => panic!("asked to panic as a helper"),
            Fault::LoopAsHelper => spin(),
            Fault::FloodAsHelper => loop {
                host.report(&Line { rank: 1, moves: "a1".into(), ..Line::default() });
            },
            Fault::ToilAsHelper => toil(TOIL_TURNS),
            _ => {}
        }
    }

    fn ask(&self) {
        let host = &self.host;
        let say = |text: String| host.log(Level::Info, &text);
        say(format!("left {}", host.left() > 0));
        say(format!("legal {:?}", host.legal("").map(|line| line.split(' ').count())));
        say(format!("legal a1 {:?}", host.legal("a1").map(|line| line.split(' ').count())));
        say(format!("legal a1 a1 {:?}", host.legal("a1 a1")));
        say(format!("look {:?}", host.look("a1")));
        say(format!("look won {:?}", host.look("a1 a2 b1 b2 c1 c2 d1 d2 e1")));
        say(format!("look nonsense {:?}", host.look("\u{7}")));
        say(format!("asset {:?}", host.asset("book", 2, 3)));
        say(format!("asset end {:?}", host.asset("book", 4, 100)));
        say(format!("asset past {:?}", host.asset("book", 100, 1)));
        say(format!("asset none {:?}", host.asset("no", 0, 1)));
        host.cell(63, CellOp::Put, 5);
        host.cell(63, CellOp::Max, 3);
        say(format!("cell {}", host.cell(63, CellOp::Add, 1)));
        say(format!("cell {}", host.cell(63, CellOp::Get, 0)));
        host.store(1, 2);
        say(format!("probe {}", host.probe(1)));
    }

    fn report(&self, moves: String) {
        self.host.report(&Line { rank: 1, depth: 1, nodes: 1, moves, ..Line::default() });
    }

    fn report_then_loop(&self, moves: String) {
        self.report(moves);
        spin();
    }

    /// The legal move of this number, counted round.
    fn numbered(&self, number: u64, barred: &[Barred]) -> Result<Decision, String> {
        let all = self.host.legal("")?;
        let open = all.split(' ').filter(|mv| barred.iter().all(|barred| barred.r#move != *mv));
        let open: Vec<&str> = open.collect();
        let index = number as usize % open.len().max(1);
        Ok(open.get(index).map_or(Decision::Resign, |mv| Decision::Play((*mv).into())))
    }

    fn flood(&self, text: &str) {
        let text = text.repeat(1000);
        for _ in 0..2000 {
            self.host.log(Level::Info, &text);
        }
    }
}

impl Engine for Faulty {
    fn describe(cargo: Cargo) -> Description {
        BaseEngine::<AtRandom>::describe(cargo)
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let option = |name: &str| setup.options.iter().find(|(key, _)| key == name);
        let word = option("fault").map_or("none", |(_, value)| value.as_str());
        let known = FAULTS.iter().find(|(name, _)| *name == word);
        let fault = known.map(|(_, fault)| *fault).ok_or("knows no such fault")?;
        match fault {
            Fault::PanicInStart => panic!("asked to panic in start"),
            Fault::LoopInStart => spin(),
            Fault::RefuseStart => return Err("asked not to start".into()),
            Fault::RefuseAsHelper if setup.helper > 0 => return Err("asked not to help".into()),
            _ => {}
        }
        let at = option("at").and_then(|(_, value)| value.parse().ok()).unwrap_or(1);
        let behaved = match BaseEngine::start(setup, host.clone()) {
            Err(_) if fault == Fault::AcceptNonsense => {
                let (game, variant) = ("gomoku".into(), String::new());
                let usual = Setup {
                    game,
                    variant,
                    start: String::new(),
                    moves: String::new(),
                    options: Vec::new(),
                    ..setup.clone()
                };
                BaseEngine::start(&usual, host.clone())?
            }
            Err(reason) if fault == Fault::PanicOnNonsense => panic!("{reason}"),
            started => started?,
        };
        INSTANCES.fetch_add(1, Ordering::SeqCst);
        let last_move = setup.moves.rsplit(' ').next().unwrap_or_default().to_owned();
        let (helper, helpers) = (setup.helper, setup.helpers);
        Ok(Self { behaved, host, fault, at, chosen: 0, last_move, helper, helpers })
    }

    fn played(&mut self, mv: &str) -> Result<(), String> {
        match self.fault {
            Fault::PanicInPlayed if self.is_due() => panic!("asked to panic in played"),
            Fault::LoopInPlayed if self.is_due() => spin(),
            _ => {}
        }
        self.last_move = mv.to_owned();
        self.behaved.played(mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        match self.fault {
            Fault::IgnoreUndo => Ok(()),
            _ => self.behaved.taken_back(plies),
        }
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        let choice = match self.is_due() {
            true => self.misbehave(limits, barred),
            false => self.behave(limits, barred),
        };
        self.chosen += 1;
        choice
    }

    fn think(&mut self) -> Result<(), String> {
        if self.helper > 0 {
            self.help();
        }
        while self.host.left() > 0 {}
        Ok(())
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        INSTANCES.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a leak loses with each choice.
const LEAK_BYTES: usize = 512 * 1024;

fn is_unlimited(limits: &Limits) -> bool {
    limits.unit == Unit::Unlimited && limits.depth.is_none() && limits.nodes.is_none()
}

/// Never comes back, and never asks what time it is.
fn spin() {
    toil(u64::MAX);
}

/// What a helper does that toils: some milliseconds, a unit of fuel or more each.
const TOIL_TURNS: u64 = 5_000_000;

/// Works, and never asks what time it is.
fn toil(most: u64) {
    let mut turns = 0_u64;
    while black_box(turns) < most {
        turns += 1;
    }
}

/// Never comes back, and waits for nothing; a sandbox lets nobody wait.
fn sleep() {
    while !cfg!(target_family = "wasm") {
        std::thread::park();
    }
    spin();
}

/// Digs a hole in the stack: the call in between keeps every level alive.
fn dig(host: &Host, depth: u64) -> u64 {
    if depth == u64::MAX {
        return 0;
    }
    dig(host, depth + 1) ^ host.left()
}

/// Takes memory and touches it until there is no more.
fn hoard() {
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop {
        held.push(black_box(vec![1; 1 << 20]));
    }
}

export_engine!(engine Faulty);
