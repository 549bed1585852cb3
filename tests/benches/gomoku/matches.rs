//! Matches over balanced openings: against the simple engine, for faults, and of each level against
//! the next lower one.

use sandboard_games::gomoku::INFO;
use sandboard_tests::root;
use serde_json::Value;

use crate::commands::{home, json};
use crate::parts::setting;
use crate::table::{Bar, Table};
use crate::views::{faults, percent};

/// Levels, each of which must beat the previous one.
const STEPS: [u32; 5] = [1, 3, 5, 7, 10];

/// The parameters of a match.
struct Match<'a> {
    a: &'a str,
    b: &'a str,
    variant: &'a str,
    pairs: &'a str,
    budget: &'a str,
}

impl Match<'_> {
    fn play(&self) -> Value {
        let home = home();
        let mut words = vec!["arena", "match", self.a, self.b, "--pairs", self.pairs];
        words.extend(["--budget", self.budget, "--variant", self.variant, "--seed", "1"]);
        let book = root().join("openings/gomoku").join(self.variant).with_extension("txt");
        let book = book.to_string_lossy();
        // Variants with an opening procedure need no openings.
        if std::path::Path::new(&*book).is_file() {
            words.extend(["--openings", &book]);
        }
        json(home.path(), &words)["view"].take()
    }
}

pub(crate) fn measure(table: &mut Table) {
    let (a, b) = (setting("a", "gomoku-alpha"), setting("b", "gomoku-simple"));
    let (pairs, budget) = (setting("pairs", "100"), setting("budget", "100ms/move"));
    let parameters = Match { a: &a, b: &b, variant: "freestyle", pairs: &pairs, budget: &budget };
    let result = parameters.play();
    let what = format!("{a} against {b}, {pairs} pairs, {budget}");
    table.add(what, percent(&result), "%", Some(Bar::AtLeast(80.0)));
    table.add("  faults", faults(&result, 0), "", Some(Bar::AtMost(0.0)));
}

/// Bouts of all variants; each fault counts against the engine.
pub(crate) fn measure_faults(table: &mut Table) {
    let (pairs, budget) = (setting("pairs", "14"), setting("budget", "50ms/move"));
    for variant in INFO.variants.iter().map(|variant| variant.id) {
        let engine = "gomoku-alpha";
        let parameters = Match { a: engine, b: engine, variant, pairs: &pairs, budget: &budget };
        let result = parameters.play();
        let all = faults(&result, 0) + faults(&result, 1);
        let what = format!("{engine} against itself, {variant}, {pairs} pairs, {budget}: faults");
        table.add(what, all, "", Some(Bar::AtMost(0.0)));
    }
}

/// The level itself limits the nodes, so the budget only has to suffice.
pub(crate) fn measure_levels(table: &mut Table) {
    let pairs = setting("pairs", "50");
    for engine in ["gomoku-alpha", "gomoku-simple"] {
        for step in STEPS.windows(2) {
            let [low, high] = [step[0], step[1]].map(|level| format!("{engine}:level={level}"));
            let parameters = Match {
                a: &high,
                b: &low,
                variant: "freestyle",
                pairs: &pairs,
                budget: "nodes:1e6",
            };
            let what = format!("{high} against {low}, {pairs} pairs");
            table.add(what, percent(&parameters.play()), "%", Some(Bar::AtLeast(60.0)));
        }
    }
}
