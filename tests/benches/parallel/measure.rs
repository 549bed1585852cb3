//! One search thread and several, in turns: the same position by one thread and by several in each
//! parallel mode, repeated, so that noise affects all conditions.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_tests::{native, wasm};

use crate::games::Game;
use crate::parts::setting;
use crate::table::{Bar, Table};

/// Values of the option `parallel`.
const WAYS: [&str; 2] = ["shared-table", "root-splitting"];
/// Searches of each position under each condition.
const ROUNDS: usize = 3;
/// Shorter searches are not measured.
const LEAST_S: f64 = 0.01;
/// Time limit of a search to a depth, in seconds.
const MOST_US: u64 = 60_000_000;

/// Grace: late answers do not matter here.
const GRACE_US: u64 = 1_000_000;

/// Costs and results of a search.
#[derive(Clone, Copy, Debug)]
struct Run {
    seconds: f64,
    cpu_s: f64,
    nodes: f64,
    depth: f64,
}

/// A condition compared with a single thread, position by position.
#[derive(Default)]
struct Against {
    gains: Vec<f64>,
    nodes: Vec<f64>,
    speeds: Vec<f64>,
    /// CPU seconds and wall seconds.
    used: [f64; 2],
    deeper: Vec<f64>,
}

pub(crate) fn measure(table: &mut Table, game: &Game) {
    let workers: u16 = setting("workers", "2").parse().expect("a number of workers");
    let most: usize = setting("positions", "1000").parse().expect("a number of positions");
    let setups = &game.setups[..game.setups.len().min(most)];
    let kinds = setting("kinds", "native,wasm");
    for kind in kinds.split(',') {
        let source: Box<dyn EngineSource> = match kind {
            "native" => Box::new(native(game.engine, CallMode::Inline).expect("it loads")),
            _ => {
                let caps = Caps { memory_bytes: 256 << 20, ..Caps::default() };
                Box::new(wasm(game.engine, Metering::Deadline, caps).expect("it loads"))
            }
        };
        let mut against = WAYS.map(|_| Against::default());
        let mut independent = Vec::new();
        for setup in setups {
            compare(&*source, setup, game.depth, workers, &mut against);
            independent.push(independent_speedup(&*source, setup, game.depth, workers));
            eprint!(".");
        }
        eprintln!();
        let what = format!("{}, {kind}, {workers} independent: nodes a second", game.engine);
        table.add(what, Interval::of_ratios(&independent).mean, "of one", None);
        for (parallel_mode, against) in WAYS.into_iter().zip(&against) {
            report(table, &format!("{}, {kind}, {parallel_mode}", game.engine), workers, against);
        }
    }
}

/// Speed of several independent searches of the position at the same time, divided by that of one:
/// the upper limit of the gain.
fn independent_speedup(
    source: &dyn EngineSource,
    setup: &Setup,
    depth: Option<u32>,
    workers: u16,
) -> f64 {
    let limits = to_depth(depth);
    let search = || run(source, setup, &limits, 1, WAYS[0]);
    let alone = search();
    let pace = |run: Run| run.nodes / run.seconds;
    let together: f64 = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..workers).map(|_| scope.spawn(search)).collect();
        runs.into_iter().map(|run| pace(run.join().expect("it searches"))).sum()
    });
    together / pace(alone)
}

/// A search to a depth without a time limit.
fn to_depth(depth: Option<u32>) -> Limits {
    Limits {
        unit: Unit::Wall,
        call_max: Some(MOST_US),
        depth,
        grace: GRACE_US,
        ..Limits::default()
    }
}

/// Searches a position under all conditions.
fn compare(
    source: &dyn EngineSource,
    setup: &Setup,
    depth: Option<u32>,
    workers: u16,
    against: &mut [Against; 2],
) {
    let ms: u64 = setting("ms", "300").parse().expect("milliseconds");
    let to_depth = to_depth(depth);
    let for_time = Limits { depth: None, call_max: Some(ms * 1_000), ..to_depth.clone() };
    for (limits, is_timed) in [(&to_depth, false), (&for_time, true)] {
        let mut alone = Vec::new();
        let mut together = WAYS.map(|_| Vec::new());
        for _ in 0..ROUNDS {
            alone.push(run(source, setup, limits, 1, WAYS[0]));
            for (parallel_mode, runs) in WAYS.into_iter().zip(&mut together) {
                runs.push(run(source, setup, limits, workers, parallel_mode));
            }
        }
        let alone = mean(&alone);
        for (against, runs) in against.iter_mut().zip(together) {
            against.add(alone, mean(&runs), is_timed);
        }
    }
}

impl Against {
    fn add(&mut self, alone: Run, together: Run, is_timed: bool) {
        if is_timed {
            self.deeper.push(together.depth - alone.depth);
        } else if alone.seconds >= LEAST_S {
            self.gains.push(alone.seconds / together.seconds);
            self.nodes.push(together.nodes / alone.nodes);
            self.speeds.push(together.nodes / together.seconds / (alone.nodes / alone.seconds));
            self.used[0] += together.cpu_s;
            self.used[1] += together.seconds;
        }
    }
}

fn run(
    source: &dyn EngineSource,
    setup: &Setup,
    limits: &Limits,
    threads: u16,
    parallel_mode: &str,
) -> Run {
    let mut setup = Setup { threads, memory_bytes: 256 << 20, ..setup.clone() };
    setup.options.push(("parallel".into(), parallel_mode.into()));
    let mut engine = source.open(Arc::new(NullListener), threads).expect("it opens");
    engine.start(&setup).expect("it starts");
    let (before, began) = (process_cpu_s(), Instant::now());
    let answer = engine.choose(limits, &[]).expect("it searches");
    let (seconds, cpu_s) = (began.elapsed().as_secs_f64(), process_cpu_s() - before);
    let line = answer.choice.line.expect("the answer has a line");
    Run { seconds, cpu_s, nodes: line.nodes as f64, depth: line.depth.into() }
}

/// CPU time of all threads of this process, including ended ones, in seconds.
fn process_cpu_s() -> f64 {
    // In ticks of 10 ms, after the name, which may contain spaces.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = text.rsplit(')').next().unwrap_or_default();
    let ticks =
        behind.split_ascii_whitespace().skip(11).take(2).filter_map(|it| it.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The mean of some runs.
fn mean(runs: &[Run]) -> Run {
    let of = |value: fn(&Run) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
    Run {
        seconds: of(|run| run.seconds),
        cpu_s: of(|run| run.cpu_s),
        nodes: of(|run| run.nodes),
        depth: of(|run| run.depth),
    }
}

fn report(table: &mut Table, what: &str, workers: u16, against: &Against) {
    let bar = match (what.contains("shared-table"), what.contains("native"), workers) {
        (true, true, 2) => Some(Bar::AtLeast(1.6)),
        (true, false, 2) => Some(Bar::AtLeast(1.4)),
        _ => None,
    };
    let gains = Interval::of_ratios(&against.gains);
    let of = format!("of {} positions", against.gains.len());
    table.add(format!("{what}, {workers}: time to depth, 1 ÷ {workers}"), gains.mean, "", bar);
    table.add(format!("  95 % from, {of}"), gains.low, "", None);
    table.add("  to", gains.high, "", None);
    table.add("  nodes", Interval::of_ratios(&against.nodes).mean, "of one", None);
    table.add("  nodes a second", Interval::of_ratios(&against.speeds).mean, "of one", None);
    table.add("  cores in use", against.used[0] / against.used[1].max(1e-9), "", None);
    let deeper = Interval::of(&against.deeper);
    table.add("  plies deeper in the same time", deeper.mean, "plies", None);
    table.add("  95 % from", deeper.low, "plies", None);
    table.add("  to", deeper.high, "plies", None);
    if workers == 2 && what.contains("shared-table") {
        // An extrapolation: each doubling gains the same as the first.
        for (count, doublings) in [(4, 2), (8, 3), (16, 4)] {
            let modelled = gains.mean.powi(doublings);
            table.add(
                format!("  MODEL of {count}: each doubling as the first"),
                modelled,
                "",
                None,
            );
        }
    }
}

/// A mean with its 95 % interval.
struct Interval {
    mean: f64,
    low: f64,
    high: f64,
}

impl Interval {
    fn of(values: &[f64]) -> Interval {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let error = (squares / (count - 1.0).max(1.0) / count).sqrt() * 1.96;
        Interval { mean, low: mean - error, high: mean + error }
    }

    /// The geometric mean.
    fn of_ratios(ratios: &[f64]) -> Interval {
        let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.max(1e-9).ln()).collect();
        let Interval { mean, low, high } = Interval::of(&logarithms);
        Interval { mean: mean.exp(), low: low.exp(), high: high.exp() }
    }
}
