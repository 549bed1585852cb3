//! Results of the methods of `sandboard tune` on degraded weights: all nine weights of
//! `gomoku-rows` start equal. After the same number of games for each method, the found weights
//! play 400 games against the start weights and 400 against the hand-tuned ones. The bars are for
//! the steady-state genetic algorithm; the other methods are for comparison. Prints a table and
//! writes `target/bench-tune.json`.
//!
//! `cargo xtask bench tune`, or some methods:
//! `… tune steady-state spsa games=40000 seeds=3 seasons=1`

#![forbid(unsafe_code)]

#[path = "../shared/commands.rs"]
mod commands;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "not every bench has medians")]
mod table;

use std::path::Path;
use std::time::Instant;

use parts::{Part, setting};
use serde_json::Value;
use table::{Bar, Table};

/// The start value of every weight.
const SPOILT: &str = "30";
/// The engine with the options that both sides share.
const ENGINE: &str = "gomoku-rows:table-mib=1";
const OPENINGS: &str = "openings/gomoku/freestyle.txt";
/// Openings of another variant, which no run has used.
const UNSEEN: [&str; 2] = ["openings/gomoku/standard.txt", "standard-15"];
/// Pairs of the matches that have bars.
const PAIRS: &str = "200";

const PARTS: &[Part] = &[
    ("steady-state", |table| measure("steady-state", "16", Some([65.0, 45.0]), table)),
    ("generational", |table| measure("generational", "16", None, table)),
    // Many imprecise steps are better for it than few precise ones.
    ("spsa", |table| measure("spsa", "2", None, table)),
    ("cma-es", |table| measure("cma-es", "16", None, table)),
];

fn main() {
    parts::run("tune", PARTS);
}

/// Measures a method with the requested number of seeds; `pairs` is the default of a measurement.
fn measure(method: &str, pairs: &str, bars: Option<[f64; 2]>, table: &mut Table) {
    let seeds: u32 = setting("seeds", "1").parse().expect("seeds=N");
    for seed in 1..=seeds {
        run((method, seed), &setting("pairs", pairs), bars, table);
    }
}

fn run((method, seed): (&str, u32), pairs: &str, bars: Option<[f64; 2]>, table: &mut Table) {
    let home = commands::home();
    let home = home.path();
    let begun = Instant::now();
    let dir = home.join("run");
    let (seed_text, games) = (seed.to_string(), setting("games", "40000"));
    let budget = setting("budget", "depth:2");
    let start_weights = start_weights();
    let mut words =
        vec!["tune", &start_weights, "--method", method, "--games", &games, "--pairs", pairs];
    words.extend(["--budget", &budget, "--openings", OPENINGS, "--final-pairs", PAIRS]);
    words.extend(["--seed", &seed_text, "--dir", path(&dir)]);
    // SPSA plays against itself in any case.
    let seasons = setting("seasons", "");
    if !seasons.is_empty() && method != "spsa" {
        words.extend(["--seasons", &seasons]);
    }
    let found = commands::json(home, &words);
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    let name = |what: &str| format!("{method}, seed {seed}: {what}");
    println!("{}: {}", name("weights"), found["weights"]);
    table.add(
        name("time with the match against the start"),
        minutes,
        "min",
        bars.map(|_| Bar::AtMost(30.0)),
    );
    table.add(name("games"), found["games"].as_f64().unwrap_or(f64::NAN), "", None);
    let file = dir.join("weights.options");
    let tuned = format!("{ENGINE}:options={}", path(&file));
    let [against_start, against_hand] =
        bars.map_or([None; 2], |bars| bars.map(|bar| Some(Bar::AtLeast(bar))));
    let mut add = |what: &str, other: &str, [openings, variant]: [&str; 2], bar| {
        let [share, half_width] = play(home, [&tuned, other], [openings, variant], &budget);
        table.add(name(what), share, "%", bar);
        table.add(name(&format!("{what}, ±")), half_width, "%", None);
    };
    let seen = [OPENINGS, "freestyle-15"];
    add("against the start", &start_weights, seen, against_start);
    add("against those by hand", ENGINE, seen, against_hand);
    add("against those by hand, openings unseen", ENGINE, UNSEEN, None);
}

/// The engine with equal weights.
fn start_weights() -> String {
    let names = [
        "closed-two",
        "open-two",
        "closed-three",
        "open-three",
        "closed-four",
        "open-four",
        "three-three",
        "four-three",
        "four-four",
    ];
    let weights: String = names.iter().map(|name| format!(":{name}={SPOILT}")).collect();
    format!("{ENGINE}{weights}")
}

/// Score of the first engine in 400 games and half of its 95 % interval, in percent.
fn play(
    home: &Path,
    [one, other]: [&str; 2],
    [openings, variant]: [&str; 2],
    budget: &str,
) -> [f64; 2] {
    let dir = tempfile::tempdir_in(home).expect("a folder can be made");
    let mut words = vec!["arena", "match", one, other, "--pairs", PAIRS, "--seed", "99"];
    words.extend(["--budget", budget, "--openings", openings, "--variant", variant]);
    words.extend(["--dir", path(dir.path())]);
    shares(&commands::json(home, &words)["view"])
}

fn shares(view: &Value) -> [f64; 2] {
    let figure =
        |name: &str| 100.0 * view["match_statistics"]["score"][name].as_f64().unwrap_or(f64::NAN);
    [figure("value"), (figure("high") - figure("low")) / 2.0]
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path of a temporary folder is UTF-8")
}
