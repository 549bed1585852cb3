//! Measures the endgame solver on problems of the FFO suite. Prints a line for each problem with
//! CPU seconds of the solving thread, nodes, and nodes per second, and a last line for all. Seconds
//! are wall time with several threads, or if the system does not report CPU time.
//!
//! `cargo run --release -p reversi-ponder --example ffo -- [from=40] [to=44] [threads=1]
//! [table-mib=64] [json]`
#![forbid(unsafe_code)]

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use reversi_ponder::endgame::{Solution, Solver, SolverTask};
use reversi_ponder::eval::Weights;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/reversi/ffo.json");

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let [from, to, threads] =
        [("from", 40), ("to", 44), ("threads", 1)].map(|(name, default)| setting(name, default));
    let (from, to, threads) = (from?, to?, threads?);
    let table_bytes = setting("table-mib", 64)? << 20;
    let in_json = std::env::args().any(|word| word == "json");
    let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let file: Value = serde_json::from_str(&text).map_err(|error| format!("{FILE}: {error}"))?;
    let positions = file["positions"].as_array().ok_or(format!("{FILE}: no `positions`"))?;
    let selected = from.checked_sub(1).and_then(|first| positions.get(first..to));
    let selected = selected
        .ok_or(format!("no problems {from} to {to}: the suite has 1 to {}", positions.len()))?;
    let (mut seconds, mut nodes) = (0.0, 0);
    for position in selected {
        let task = task(position)?;
        let mut solver = Solver::new(table_bytes, Weights::built_in()).with_threads(threads);
        let clock = Clock::start(threads);
        let solution = solver.solve(&task, &mut || false);
        let elapsed = clock.seconds();
        print_result(position, &solution, elapsed, in_json);
        seconds += elapsed;
        nodes += solution.nodes;
    }
    if !in_json {
        println!("all    {}", statistics(seconds, nodes));
    }
    Ok(())
}

/// The value of `name=value` on the command line, or the default.
fn setting(name: &str, default: usize) -> Result<usize, String> {
    let mut set = std::env::args().filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    let Some(value) = set.next_back() else { return Ok(default) };
    value.parse().map_err(|error| format!("`{name}={value}`: {error}"))
}

fn task(position: &Value) -> Result<SolverTask, String> {
    let id = &position["id"];
    let board = position["board"].as_str().filter(|board| board.len() == 64);
    let board = board.ok_or(format!("{FILE}: {id}: no `board` of 64 squares"))?;
    let side = position["side"].as_str().ok_or(format!("{FILE}: {id}: no `side`"))?;
    let (mut own, mut opponent) = (0, 0);
    for (square, cell) in board.chars().enumerate() {
        match cell {
            '-' => {}
            _ if side.starts_with(cell) => own |= 1 << square,
            _ => opponent |= 1 << square,
        }
    }
    Ok(SolverTask::exact(own, opponent))
}

fn print_result(position: &Value, solution: &Solution, seconds: f64, in_json: bool) {
    let (id, score) = (&position["id"], &position["score"]);
    let solved = [solution.lower, solution.upper].iter().all(|bound| *score == *bound);
    if in_json {
        let nodes = solution.nodes;
        println!("{}", json!({"id": id, "seconds": seconds, "nodes": nodes, "solved": solved}));
        return;
    }
    let id = id.as_str().unwrap_or_default();
    let verdict = if solved { "" } else { "  WRONG" };
    println!("{id}  {}  score {:+}{verdict}", statistics(seconds, solution.nodes), solution.lower);
}

fn statistics(seconds: f64, nodes: u64) -> String {
    let millions = nodes as f64 / 1e6;
    format!("{seconds:7.3} s  {millions:7.2} M nodes  {:5.1} M nodes/s", millions / seconds)
}

/// CPU time of this thread, or wall time.
struct Clock {
    cpu: Option<f64>,
    wall: Instant,
}

impl Clock {
    fn start(threads: usize) -> Self {
        let cpu = if threads == 1 { Self::cpu() } else { None };
        Self { cpu, wall: Instant::now() }
    }

    /// The CPU time of this thread in seconds, which Linux reports in a file in nanoseconds.
    fn cpu() -> Option<f64> {
        let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    }

    fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64();
        self.cpu.and_then(|start| Some(Self::cpu()? - start)).unwrap_or(wall)
    }
}
