//! No engine is stopped by the deadline of another: searches without a time limit beside engines
//! that are stopped continuously, in one process and runtime. Their results are compared with those
//! of undisturbed searches.
//!
//! A deadline interrupts all instances of a runtime; each checks whether it was its own. The
//! overhead is a search's nodes per CPU second beside engines that are stopped every 5 ms, divided
//! by those beside engines that loop undisturbed: both use the same share of the cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Caps, EngineSource, FaultCode, NullListener, StopHandle};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, wasm};

use crate::guests::{LOOP, SMALL, guest};
use crate::progress;
use crate::searches::{ENGINE, Found, search};
use crate::table::{Bar, Table, median};

/// Quiet positions: no forced win ends the search early.
const OPENINGS: [&str; 2] = ["h8 i10", "h8 g9 j9"];
const NEIGHBOURS: usize = 4;
/// At least half a second of CPU time, in which hundreds of deadlines pass.
const NODES: u64 = 400_000;
const ROUNDS: u64 = 12;
const DEADLINE: Duration = Duration::from_millis(5);

/// The searching and the looping engines, and the results of undisturbed searches.
struct Scene {
    search: WasmModule,
    looping: WasmModule,
    setups: [Setup; OPENINGS.len()],
    alone: [Found; OPENINGS.len()],
}

/// How the looping engines are treated during a search.
#[derive(Clone, Copy)]
enum Neighbours {
    Killed,
    InPeace,
}

pub(crate) fn measure(table: &mut Table) {
    let scene = Scene::set();
    let progress = progress::bar("neighbours", ROUNDS);
    let (mut killed, mut ratios) = (Round::default(), Vec::new());
    for _ in 0..ROUNDS {
        let beside_killed = scene.round(Neighbours::Killed);
        let in_peace = scene.round(Neighbours::InPeace);
        ratios.push(beside_killed.nodes_per_cpu_s() / in_peace.nodes_per_cpu_s());
        killed = killed.and(&beside_killed);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let none = Some(Bar::AtMost(0.0));
    table.add("searches beside deadlines that others missed", killed.searches, "", None);
    table.add("  interrupted, or with another answer than alone", killed.spoilt, "", none);
    table.add("  neighbours killed before their own deadline", killed.early, "", none);
    table.add("  deadlines missed beside them", killed.kills, "", None);
    table.add("    per second", killed.kills / killed.wall_s, "/s", None);
    let what = "  nodes per CPU second, neighbours killed ÷ in peace";
    table.add(what, median(ratios), "", None);
}

/// Counts of a measurement.
#[derive(Default)]
struct Round {
    searches: f64,
    spoilt: f64,
    /// Neighbours killed before their own deadline.
    early: f64,
    kills: f64,
    wall_s: f64,
    nodes: f64,
    cpu_s: f64,
}

impl Round {
    fn nodes_per_cpu_s(&self) -> f64 {
        self.nodes / self.cpu_s
    }

    fn and(&self, other: &Round) -> Round {
        Round {
            searches: self.searches + other.searches,
            spoilt: self.spoilt + other.spoilt,
            early: self.early + other.early,
            kills: self.kills + other.kills,
            wall_s: self.wall_s + other.wall_s,
            nodes: self.nodes + other.nodes,
            cpu_s: self.cpu_s + other.cpu_s,
        }
    }
}

impl Scene {
    fn set() -> Self {
        let module = wasm(ENGINE, Metering::Deadline, Caps::default()).expect("it loads");
        let setups = OPENINGS.map(|moves| Setup { moves: moves.into(), ..gomoku(&[]) });
        let alone = setups.each_ref().map(|setup| {
            let (found, _) = search(&module, setup, NODES).expect("nothing interrupts it");
            assert!(found.1 >= NODES, "a search of {} nodes is too short to be disturbed", found.1);
            found
        });
        Self { search: module, looping: guest(SMALL, LOOP), setups, alone }
    }

    /// Runs all searches at once after all neighbours have started.
    fn round(&self, neighbours: Neighbours) -> Round {
        let over = AtomicBool::new(false);
        let (settled, controls) = channel();
        std::thread::scope(|scope| {
            let neighbour = |_| {
                let (over, settled) = (&over, settled.clone());
                scope.spawn(move || self.neighbour(neighbours, over, &settled))
            };
            let neighbours: Vec<_> = (0..NEIGHBOURS).map(neighbour).collect();
            drop(settled);
            let controls: Vec<StopHandle> = controls.iter().take(NEIGHBOURS).collect();

            let began = Instant::now();
            let searcher = |index| scope.spawn(move || self.searcher(index));
            let searchers: Vec<_> = (0..OPENINGS.len()).map(searcher).collect();
            let searched = searchers.into_iter().map(|thread| thread.join().expect("it measures"));
            let round = searched.fold(Round::default(), |sum, one| sum.and(&one));
            let wall_s = began.elapsed().as_secs_f64();

            over.store(true, Ordering::Relaxed);
            controls.iter().for_each(StopHandle::stop);
            let looped = neighbours.into_iter().map(|thread| thread.join().expect("it loops"));
            Round { wall_s, ..looped.fold(round, |sum, one| sum.and(&one)) }
        })
    }

    /// Loops until the round is over, in a new instance after each stop.
    fn neighbour(&self, how: Neighbours, over: &AtomicBool, settled: &Sender<StopHandle>) -> Round {
        let limits = match how {
            Neighbours::InPeace => Limits::default(),
            Neighbours::Killed => {
                let call_max = Some(DEADLINE.as_micros() as u64);
                Limits { unit: Unit::Wall, call_max, ..Limits::default() }
            }
        };
        let mut round = Round::default();
        while !over.load(Ordering::Relaxed) {
            let began = Instant::now();
            let ended = self.looping.open(Arc::new(NullListener), 1).and_then(|mut engine| {
                // The receiver is gone after all neighbours have started.
                let _ = settled.send(engine.stop_handle());
                engine.start(&gomoku(&[]))?;
                engine.choose(&limits, &[])
            });
            let fault = ended.expect_err("it cannot come back");
            assert_eq!(fault.code, FaultCode::Timeout, "{fault}");
            let due = match how {
                Neighbours::InPeace => over.load(Ordering::Relaxed),
                Neighbours::Killed => began.elapsed() >= DEADLINE,
            };
            *if due { &mut round.kills } else { &mut round.early } += 1.0;
            if matches!(how, Neighbours::InPeace) {
                // A new instance would not be stopped.
                break;
            }
        }
        round
    }

    fn searcher(&self, index: usize) -> Round {
        let cpu_s = cpu_s();
        let found = search(&self.search, &self.setups[index], NODES);
        let cpu_s = self::cpu_s() - cpu_s;
        let alone = &self.alone[index];
        let undisturbed = found.is_ok_and(|(found, _)| found == *alone);
        Round {
            searches: 1.0,
            spoilt: if undisturbed { 0.0 } else { 1.0 },
            nodes: alone.1 as f64,
            cpu_s,
            ..Round::default()
        }
    }
}

/// CPU time of this thread, in seconds.
fn cpu_s() -> f64 {
    let path = "/proc/thread-self/schedstat";
    let stat = std::fs::read_to_string(path).expect("this bench needs Linux's /proc");
    let nanoseconds = stat.split_ascii_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
    nanoseconds.expect("the first field is the CPU time") / 1e9
}
