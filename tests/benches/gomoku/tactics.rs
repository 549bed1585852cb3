//! The tactics of the fixtures: how many are solved within 5 s each, and in which time. A position
//! is solved by a move that is known to win.

use serde_json::Value;

use crate::commands::{home, json};
use crate::parts::setting;
use crate::table::{Bar, Table, median};

const FILE: &str = "tests/fixtures/gomoku/tactics.json";

pub(crate) fn measure(table: &mut Table) {
    let home = home();
    let budget = setting("budget", "5s/move");
    for engine in ["gomoku-alpha", "gomoku-alpha-native"] {
        let run = json(home.path(), &["suite", engine, FILE, "--budget", &budget, "--seed", "1"]);
        let totals = &run["totals"];
        let share = number(&totals["solved"]) / number(&totals["positions"]) * 100.0;
        table.add(
            format!("{engine}, tactics solved, {budget}"),
            share,
            "%",
            Some(Bar::AtLeast(90.0)),
        );
        let results = run["results"].as_array().expect("there are results");
        let solved = results.iter().filter(|result| result["solved"] == true);
        let seconds = |result: &Value| number(&result["solved_at"]["time_us"]) / 1e6;
        let times: Vec<f64> = solved.map(seconds).collect();
        let longest = times.iter().copied().fold(0.0, f64::max);
        table.add("  solved at, median", median(times), "s", None);
        table.add("  solved at, longest", longest, "s", None);
        for failed in results.iter().filter(|result| result["solved"] != true) {
            println!("{engine}: {} is not solved: {}", failed["id"], failed["move"]);
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}
