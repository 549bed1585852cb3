//! How long the endgame solver takes for problems of the FFO suite: a line for each
//! with the seconds of the solving thread's CPU (wall seconds with several threads, or
//! where the system does not tell), nodes, and nodes a second; a last one for all.
//!
//! `cargo run --release -p reversi-ponder --example ffo -- [from=40] [to=44] [threads=1]
//! [table-mib=64] [json]`
#![forbid(unsafe_code)]

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use reversi_ponder::endgame::{Solution, Solver, Task};
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
        [("from", 40), ("to", 44), ("threads", 1)].map(|(name, usual)| setting(name, usual));
    let (from, to, threads) = (from?, to?, threads?);
    let table_bytes = setting("table-mib", 64)? << 20;
    let in_json = std::env::args().any(|word| word == "json");
    let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let file: Value = serde_json::from_str(&text).map_err(|error| format!("{FILE}: {error}"))?;
    let positions = file["positions"].as_array().ok_or(format!("{FILE}: no `positions`"))?;
    let wanted = from.checked_sub(1).and_then(|first| positions.get(first..to));
    let wanted =
        wanted.ok_or(format!("problems {from} to {to}: there are 1 to {}", positions.len()))?;
    let (mut seconds, mut nodes) = (0.0, 0);
    for position in wanted {
        let task = task(position)?;
        let mut solver = Solver::new(table_bytes, Weights::own()).with_threads(threads);
        let clock = Clock::start(threads);
        let solution = solver.solve(&task, &mut || false);
        let took = clock.seconds();
        say(position, &solution, took, in_json);
        seconds += took;
        nodes += solution.nodes;
    }
    if !in_json {
        println!("all    {}", figures(seconds, nodes));
    }
    Ok(())
}

/// What the command line says as `name=value`, or the usual.
fn setting(name: &str, usual: usize) -> Result<usize, String> {
    let mut set = std::env::args().filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    let Some(value) = set.next_back() else { return Ok(usual) };
    value.parse().map_err(|error| format!("`{name}={value}`: {error}"))
}

fn task(position: &Value) -> Result<Task, String> {
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
    Ok(Task::exact(own, opponent))
}

fn say(position: &Value, solution: &Solution, seconds: f64, in_json: bool) {
    let (id, score) = (&position["id"], &position["score"]);
    let solved = [solution.lower, solution.upper].iter().all(|bound| *score == *bound);
    if in_json {
        let nodes = solution.nodes;
        println!("{}", json!({"id": id, "seconds": seconds, "nodes": nodes, "solved": solved}));
        return;
    }
    let id = id.as_str().unwrap_or_default();
    let verdict = if solved { "" } else { "  WRONG" };
    println!("{id}  {}  score {:+}{verdict}", figures(seconds, solution.nodes), solution.lower);
}

fn figures(seconds: f64, nodes: u64) -> String {
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

    /// Linux says it in a file, in nanoseconds.
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
