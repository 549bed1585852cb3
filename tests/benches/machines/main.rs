//! Costs of a game that a remote worker plays: arena, broker, store, and the idle time of a worker
//! between two games, with real processes and a real broker. A model extrapolates them to up to
//! 1,000 workers.
//!
//! Costs are CPU time, so that processes that share this machine's cores do not affect each other.
//! Prints two tables and writes `target/bench-machines.json`.
//!
//! `cargo xtask bench machines`, or `… machines pairs=2000`

#![forbid(unsafe_code)]

#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/processes.rs"]
#[expect(dead_code, reason = "only the list of descendants is used here")]
mod processes;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "no figure here is a median or has a bar")]
mod table;

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use parts::{Part, setting};
use sandboard_arena::store::{Attempt, FILE, PackedRecord, ResultSummary, Sqlite, Store, Write};
use sandboard_arena_plan::GameKey;
use sandboard_builder::nats::Broker;
use sandboard_cluster::simulation::{Costs, Fleet, simulate};
use sandboard_tests::{binary, built, root};
use table::Table;

const PARTS: &[Part] = &[("machines", measure)];
/// Interval between samples of the processes' CPU time.
const LOOK: Duration = Duration::from_millis(20);
/// Clock ticks per second, Linux's unit of CPU time.
const TICKS: f64 = 100.0;
/// Size of a stored record of a game of about sixty moves, in bytes.
const RECORD_BYTES: usize = 6 * 1024;

fn main() {
    parts::run("machines", PARTS);
}

fn measure(table: &mut Table) {
    built("random-mover.wasm");
    let pairs: u32 = setting("pairs", "1500").parse().expect("a number");
    let home = tempfile::tempdir().expect("a folder");
    let broker = Broker::start().expect("a broker");
    let games = 2.0 * f64::from(pairs);
    let words = format!(
        "arena match random-mover random-mover --pairs {pairs} --seed 1 --budget fuel:1e6/move"
    );
    let alone = play(&home, &format!("{words} --concurrency 1 --dir alone"), &mut []);
    let mut workers = [worker(&home, &broker)];
    let shared = format!("{words} --replays 0 --nats {}", broker.url());
    let one = play(&home, &format!("{shared} --dir one"), &mut workers);
    let us = |seconds: f64| seconds * 1e6 / games;
    let (group_us, game_us) = commits(&home);
    let arena_us = us(one.cpu_s("sandboard arena") - one.cpu_s("store"));
    let costs = Costs {
        offer_us: arena_us / 2.0,
        take_us: arena_us / 2.0,
        broker_us: us(one.cpu_s("nats-server")),
        group_us,
        game_us,
        between_us: (us(one.wall_s) - us(alone.wall_s)).max(0.0),
    };
    let mut add = |what: &str, value: f64| table.add(what, value, "µs", None);
    add("a game of random movers alone, wall time", us(alone.wall_s));
    add("the same by one worker, wall time", us(one.wall_s));
    add("the arena, CPU time of a game, its store left out", arena_us);
    add("the broker, CPU time of a game", costs.broker_us);
    add("the worker, CPU time of a game", us(one.cpu_s("sandboard worker")));
    add("a commit without its games, wall time", group_us);
    add("a game of a commit, wall time", game_us);
    drop(workers);
    print(costs);
}

/// Prints the model for up to a thousand workers.
fn print(costs: Costs) {
    println!("\n{:>8} {:>8} {:>10} {:>11}  limit", "game", "workers", "games/s", "efficiency");
    for seconds in [0.1, 1.0, 10.0, 60.0] {
        for workers in [1, 2, 4, 16, 64, 250, 500, 1000] {
            let range = (16, 8192);
            let fleet =
                Fleet { workers, game_us: seconds * 1e6, offered: 2.0, offered_range: range };
            let found = simulate(costs, fleet);
            let (rate, efficiency) = (found.games_per_s, 100.0 * found.efficiency);
            println!(
                "{seconds:>6} s {workers:>8} {rate:>10.1} {efficiency:>9.1} %  {:?}",
                found.limit
            );
        }
    }
}

/// Costs of a run.
struct Run {
    wall_s: f64,
    /// CPU ticks by process name.
    ticks: BTreeMap<String, u64>,
}

impl Run {
    fn cpu_s(&self, who: &str) -> f64 {
        self.ticks.get(who).copied().unwrap_or(0) as f64 / TICKS
    }
}

fn command(home: &tempfile::TempDir) -> Command {
    let mut command = Command::new(binary());
    command.env("SANDBOARD_HOME", home.path()).current_dir(home.path());
    command.env("SANDBOARD_ENGINES", root().join("engines-dir")).env_remove("RUST_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A worker process that is killed on drop.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn worker(home: &tempfile::TempDir, broker: &Broker) -> Worker {
    let mut command = command(home);
    command.args(["worker", "--concurrency", "1", "--nats", &broker.url()]);
    Worker(command.spawn().expect("a worker"))
}

fn play(home: &tempfile::TempDir, words: &str, workers: &mut [Worker]) -> Run {
    let began = Instant::now();
    let before = ticks(None);
    let mut arena = command(home).args(words.split_whitespace()).spawn().expect("an arena");
    let mut now = before.clone();
    while arena.try_wait().expect("it can be waited for").is_none() {
        for (who, ticks) in ticks(Some(arena.id())) {
            let last = now.entry(who).or_default();
            *last = ticks.max(*last);
        }
        std::thread::park_timeout(LOOK);
    }
    for worker in workers {
        assert!(worker.0.try_wait().expect("it can be waited for").is_none(), "it works");
    }
    for (who, ticks) in before {
        now.entry(who).and_modify(|now| *now = now.saturating_sub(ticks));
    }
    Run { wall_s: began.elapsed().as_secs_f64(), ticks: now }
}

/// The CPU time so far, in ticks, of the arena, the threads of its store, the broker and the
/// worker.
fn ticks(arena: Option<u32>) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for pid in processes::below() {
        let name = text(&format!("/proc/{pid}/comm"));
        let words = text(&format!("/proc/{pid}/cmdline"));
        let who = match name.as_str() {
            "nats-server" => "nats-server",
            "sandboard" if words.contains("\0zygote") => continue,
            "sandboard" if Some(pid) == arena => "sandboard arena",
            "sandboard" => "sandboard worker",
            _ => continue,
        };
        *all.entry(who.to_owned()).or_default() += of_stat(&format!("/proc/{pid}/stat"));
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().flatten().filter(|_| Some(pid) == arena) {
            let of = |file: &str| thread.path().join(file).display().to_string();
            if ["arena store", "sqlx-sqlite"].iter().any(|it| text(&of("comm")).starts_with(it)) {
                *all.entry("store".into()).or_default() += of_stat(&of("stat"));
            }
        }
    }
    all
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// User and system time: the 14th and 15th field, of which the second may hold blanks.
fn of_stat(path: &str) -> u64 {
    let text = text(path);
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Wall time of a commit and of each game in it, in microseconds.
fn commits(home: &tempfile::TempDir) -> (f64, f64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let store = Sqlite::open(&home.path().join(FILE)).await.expect("a store");
        let mut pair = 0;
        let mut time = async |games: u32, times: u32| {
            let began = Instant::now();
            for _ in 0..times {
                let writes: Vec<Write> = (pair..pair + games).map(write).collect();
                pair += games;
                store.commit(&writes).await.expect("the games are stored");
            }
            began.elapsed().as_secs_f64() * 1e6 / f64::from(times)
        };
        let (one, many) = (time(1, 50).await, time(500, 4).await);
        let game = ((many - one) / 499.0).max(0.0);
        store.close().await.expect("the store can be closed");
        ((one - game).max(0.0), game)
    })
}

fn write(pair: u32) -> Write {
    let result = ResultSummary {
        half_points: [1, 1].into(),
        plies: 60,
        fault: None,
        result: "{}".repeat(200),
    };
    Write::Attempt(Box::new(Attempt {
        game: GameKey { pair, game: 0 },
        job: [0; 16],
        round: 0,
        opening: None,
        players: [0, 1].into(),
        result: Some(result),
        sentence: "a draw".into(),
        record: PackedRecord((0..RECORD_BYTES).map(|byte| ((byte * byte) >> 3) as u8).collect()),
        worker: Some("worker".into()),
        stored_ms: 0,
    }))
}
