//! An engine that misbehaves, for tests of the host: an engine may lose its own game and must
//! affect nothing else. The option `fault` selects the misbehaviour, and `at` the own move at which
//! it begins. Before that, the engine plays at random.
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
    BaseEngine, Chooser, CrateInfo, Engine, Host, Reply, Turn, export_engine, pick_option,
    whole_option,
};

/// Plays random moves.
#[derive(Default)]
struct RandomMover;

impl Chooser for RandomMover {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        turn.random_move().map_or_else(Reply::resign, Reply::play)
    }

    fn describe(description: &mut Description) {
        let words: Vec<_> = FAULTS.iter().map(|(word, _)| *word).collect();
        description.name = "Faulty".into();
        description.abilities.helpers = true;
        description.options = vec![
            pick_option("fault", &words, "none", "the misbehaviour"),
            whole_option("at", 1..=1000, 1, "the own move at which the misbehaviour begins"),
        ];
    }
}

/// The number of choices of all instances of this process.
static CHOICES: AtomicU64 = AtomicU64::new(0);
/// The number of existing instances.
static INSTANCES: AtomicU64 = AtomicU64::new(0);

struct Faulty {
    engine: BaseEngine<RandomMover>,
    host: Host,
    fault: Fault,
    at: u64,
    choices: u64,
    last_move: String,
    /// The number of this instance, and the number of helpers.
    helper: u16,
    helpers: u16,
}

impl Faulty {
    fn is_due(&self) -> bool {
        self.choices + 1 >= self.at
    }

    /// A correct choice.
    fn choose_correctly(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        self.engine.choose(limits, barred)
    }

    fn misbehave(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        let mut choice = self.choose_correctly(limits, barred)?;
        let legal = match &choice.decision {
            Decision::Play(mv) => mv.clone(),
            _ => String::new(),
        };
        match self.fault {
            Fault::QueryHost => self.query_host(),
            Fault::Panic => panic!("asked to panic"),
            Fault::Loop => spin(),
            Fault::ReportThenLoop => self.report_then_loop(legal),
            Fault::ReportIllegalThenLoop => self.report_then_loop("a0".into()),
            Fault::Overrun => while self.host.left() > 0 {},
            Fault::Sleep => sleep(),
            Fault::OverflowStack => drop(black_box(recurse(&self.host, 1))),
            Fault::ExhaustMemory => exhaust_memory(),
            Fault::Error => return Err("asked to fail".into()),
            Fault::OccupiedPoint => choice.decision = Decision::Play(self.last_move.clone()),
            Fault::OccupiedPointOnce if barred.is_empty() => {
                choice.decision = Decision::Play(self.last_move.clone());
            }
            Fault::MalformedMove => {
                choice.decision = Decision::Play("\u{1b}[2Jnot a move\n".into())
            }
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
            Fault::NullListener if is_unlimited(limits) => spin(),
            Fault::IgnoreClock if limits.game_left.is_some() => spin(),
            Fault::IgnoreDepth if limits.depth.is_some() || limits.nodes.is_some() => {
                while self.host.left() > 0 {}
            }
            Fault::IgnoreBarred => return self.choose_correctly(limits, &[]),
            Fault::IgnoreSeed => {
                let number = CHOICES.fetch_add(1, Ordering::Relaxed);
                choice.decision = self.numbered(number, barred)?;
            }
            Fault::DependOnInstances if INSTANCES.load(Ordering::SeqCst) > 1 => {
                choice.decision = self.numbered(0, barred)?;
            }
            Fault::UseSharedState => self.log_helpers(),
            Fault::Leak => drop(black_box(vec![1_u8; LEAK_BYTES].leak())),
            Fault::ReportIllegalLine => self.report(format!("{legal} {legal}")),
            Fault::ReportOtherMove => {
                let all = self.host.legal("")?;
                self.report(all.split(' ').find(|mv| *mv != legal).unwrap_or_default().into());
            }
            Fault::NullListener
            | Fault::IgnoreClock
            | Fault::IgnoreDepth
            | Fault::IgnoreUndo
            | Fault::DependOnInstances
            | Fault::AcceptInvalidSetup
            | Fault::PanicOnInvalidSetup
            | Fault::None
            | Fault::OccupiedPointOnce
            | Fault::PanicInPlayed
            | Fault::PanicInStart
            | Fault::LoopInStart
            | Fault::LoopInPlayed
            | Fault::RefuseStart
            | Fault::PanicAsHelper
            | Fault::LoopAsHelper
            | Fault::FloodAsHelper
            | Fault::RefuseAsHelper
            | Fault::IgnoreStopAsHelper => {}
        }
        Ok(choice)
    }

    /// Waits until every helper has registered, and logs what each has stored.
    fn log_helpers(&self) {
        let host = &self.host;
        for helper in 1..=self.helpers {
            // A helper stores its entry before it sets its cell.
            while host.cell(helper as u8, CellOp::Get, 0) == 0 && host.left() > 0 {}
            let stored = host.probe(u64::from(helper) << 40);
            let (number, moves, legal) = (stored % 100, stored / 100, self.count_legal_moves());
            host.log(Level::Info, &format!("helper {number} counts {moves} moves of {legal}"));
        }
        let count = host.cell(0, CellOp::Get, 0);
        host.log(Level::Info, &format!("of {} helpers {count} are here", self.helpers));
        for helper in 0..=self.helpers {
            host.cell(helper as u8, CellOp::Put, 0);
        }
    }

    /// The number of legal moves in the game's position.
    fn count_legal_moves(&self) -> u64 {
        self.host.legal("").map_or(0, |line| line.split(' ').count() as u64)
    }

    /// The behaviour of a helper.
    fn help(&self) {
        let host = &self.host;
        match self.fault {
            Fault::UseSharedState => {
                let stored = self.count_legal_moves() * 100 + u64::from(self.helper);
                host.store(u64::from(self.helper) << 40, stored);
                host.cell(0, CellOp::Add, 1);
                host.cell(self.helper as u8, CellOp::Put, 1);
            }
            Fault::PanicAsHelper => panic!("asked to panic as a helper"),
            Fault::LoopAsHelper => spin(),
            Fault::FloodAsHelper => loop {
                host.report(&Line { rank: 1, moves: "a1".into(), ..Line::default() });
            },
            Fault::IgnoreStopAsHelper => work(WORK_STEPS),
            _ => {}
        }
    }

    fn query_host(&self) {
        let host = &self.host;
        let log = |text: String| host.log(Level::Info, &text);
        log(format!("left {}", host.left() > 0));
        log(format!("legal {:?}", host.legal("").map(|line| line.split(' ').count())));
        log(format!("legal a1 {:?}", host.legal("a1").map(|line| line.split(' ').count())));
        log(format!("legal a1 a1 {:?}", host.legal("a1 a1")));
        log(format!("look {:?}", host.look("a1")));
        log(format!("look won {:?}", host.look("a1 a2 b1 b2 c1 c2 d1 d2 e1")));
        log(format!("look nonsense {:?}", host.look("\u{7}")));
        log(format!("asset {:?}", host.asset("book", 2, 3)));
        log(format!("asset end {:?}", host.asset("book", 4, 100)));
        log(format!("asset past {:?}", host.asset("book", 100, 1)));
        log(format!("asset none {:?}", host.asset("no", 0, 1)));
        host.cell(63, CellOp::Put, 5);
        host.cell(63, CellOp::Max, 3);
        log(format!("cell {}", host.cell(63, CellOp::Add, 1)));
        log(format!("cell {}", host.cell(63, CellOp::Get, 0)));
        host.store(1, 2);
        log(format!("probe {}", host.probe(1)));
    }

    fn report(&self, moves: String) {
        self.host.report(&Line { rank: 1, depth: 1, nodes: 1, moves, ..Line::default() });
    }

    fn report_then_loop(&self, moves: String) {
        self.report(moves);
        spin();
    }

    /// The legal move with this number, modulo their count.
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
    fn describe(crate_info: CrateInfo) -> Description {
        BaseEngine::<RandomMover>::describe(crate_info)
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let option = |name: &str| setup.options.iter().find(|(key, _)| key == name);
        let word = option("fault").map_or("none", |(_, value)| value.as_str());
        let known = FAULTS.iter().find(|(name, _)| *name == word);
        let fault = known.map(|(_, fault)| *fault).ok_or("has no such fault")?;
        match fault {
            Fault::PanicInStart => panic!("asked to panic in start"),
            Fault::LoopInStart => spin(),
            Fault::RefuseStart => return Err("asked not to start".into()),
            Fault::RefuseAsHelper if setup.helper > 0 => return Err("asked not to help".into()),
            _ => {}
        }
        let at = option("at").and_then(|(_, value)| value.parse().ok()).unwrap_or(1);
        let engine = match BaseEngine::start(setup, host.clone()) {
            Err(_) if fault == Fault::AcceptInvalidSetup => {
                let (game, variant) = ("gomoku".into(), String::new());
                let default_setup = Setup {
                    game,
                    variant,
                    start: String::new(),
                    moves: String::new(),
                    options: Vec::new(),
                    ..setup.clone()
                };
                BaseEngine::start(&default_setup, host.clone())?
            }
            Err(reason) if fault == Fault::PanicOnInvalidSetup => panic!("{reason}"),
            started => started?,
        };
        INSTANCES.fetch_add(1, Ordering::SeqCst);
        let last_move = setup.moves.rsplit(' ').next().unwrap_or_default().to_owned();
        let (helper, helpers) = (setup.helper, setup.helpers);
        Ok(Self { engine, host, fault, at, choices: 0, last_move, helper, helpers })
    }

    fn played(&mut self, mv: &str) -> Result<(), String> {
        match self.fault {
            Fault::PanicInPlayed if self.is_due() => panic!("asked to panic in played"),
            Fault::LoopInPlayed if self.is_due() => spin(),
            _ => {}
        }
        self.last_move = mv.to_owned();
        self.engine.played(mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        match self.fault {
            Fault::IgnoreUndo => Ok(()),
            _ => self.engine.taken_back(plies),
        }
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        let choice = match self.is_due() {
            true => self.misbehave(limits, barred),
            false => self.choose_correctly(limits, barred),
        };
        self.choices += 1;
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

/// The bytes leaked with each choice.
const LEAK_BYTES: usize = 512 * 1024;

fn is_unlimited(limits: &Limits) -> bool {
    limits.unit == Unit::Unlimited && limits.depth.is_none() && limits.nodes.is_none()
}

/// Never returns, and never reads the clock.
fn spin() {
    work(u64::MAX);
}

/// The steps of a helper that ignores stops: some milliseconds, two thirds of a unit of fuel each.
const WORK_STEPS: u64 = 20_000_000;

/// Works for this many steps, and never reads the clock.
fn work(steps: u64) {
    let mut done = 0_u64;
    while black_box(done) < steps {
        done += 1;
    }
}

/// Never returns and uses no CPU time; in wasm, which cannot wait, it spins.
fn sleep() {
    while !cfg!(target_family = "wasm") {
        std::thread::park();
    }
    spin();
}

/// Recurses until the stack overflows. The call after the recursion prevents tail calls.
fn recurse(host: &Host, depth: u64) -> u64 {
    if depth == u64::MAX {
        return 0;
    }
    recurse(host, depth + 1) ^ host.left()
}

/// Allocates and writes memory until there is no more.
fn exhaust_memory() {
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop {
        held.push(black_box(vec![1; 1 << 20]));
    }
}

export_engine!(engine Faulty);
