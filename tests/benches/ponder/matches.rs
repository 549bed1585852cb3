//! Matches over balanced openings, one game at a time, so that each engine has a core where there
//! are two, and what is read off them.

use std::path::{Path, PathBuf};

use sandboard_tests::root;
use serde_json::Value;
use tempfile::TempDir;

use crate::commands::{home, json};
use crate::depth;
use crate::parts::setting;
use crate::table::{Bar, Table};
use crate::views::{faults, percent};

const STRONG: &str = "reversi-ponder";
/// As deep as its time allows.
const SIMPLE: &str = "reversi-simple:depth=0";
/// A search of so many plies takes each player about as long as a move of the other matches.
const DEPTH: u32 = 10;

/// Reversi, and the sandbox: what is measured unless it says otherwise.
const REVERSI: Field = Field { variant: "standard", openings: "openings/reversi/standard.txt" };
const GOMOKU: Field = Field { variant: "freestyle", openings: "openings/gomoku/freestyle.txt" };

/// What is played.
struct Field {
    variant: &'static str,
    openings: &'static str,
}

/// Who of the two players thinks on the opponent's time.
#[derive(Clone, Copy)]
enum Ponder {
    First,
    Nobody,
}

/// What a match came to.
struct Played {
    result: Value,
    /// The mean depth of each player's moves.
    depth: [f64; 2],
    /// Its records are read before it goes.
    _home: TempDir,
}

impl Field {
    /// Plays `a` against `b`, each with the budget behind its `@`.
    fn play(&self, a: &str, b: &str, ponder: Ponder) -> Played {
        let home = home();
        let folder: PathBuf = home.path().join("match");
        let (pairs, dir) = (setting("pairs", "100"), folder.to_string_lossy().into_owned());
        let openings = root().join(self.openings).to_string_lossy().into_owned();
        let mut words = vec!["arena", "match", a, b, "--pairs", &pairs, "--concurrency", "1"];
        words.extend(["--variant", self.variant, "--openings", &openings, "--seed", "1"]);
        words.extend(["--dir", &dir]);
        words.push(match ponder {
            Ponder::First => "--ponder=a",
            Ponder::Nobody => "--ponder=off",
        });
        let result = json(home.path(), &words)["view"].take();
        Played { result, depth: depth::means(Path::new(&folder)), _home: home }
    }
}

impl Played {
    /// Points of the first player in a hundred.
    fn score(&self) -> f64 {
        percent(&self.result)
    }

    /// Microseconds a move: what both spent on their own clocks, and what the first one thought on
    /// its opponent's.
    fn times(&self) -> ([f64; 2], f64) {
        let player = |player: usize| &self.result["players"][player];
        let moves = |of: usize| player(of)["totals"]["moves"].as_f64().unwrap_or(0.0).max(1.0);
        let own =
            [0, 1].map(|of| player(of)["totals"]["wall_us"].as_f64().unwrap_or(0.0) / moves(of));
        (own, player(0)["pondering"]["wall_us"].as_f64().unwrap_or(0.0) / moves(0))
    }

    /// The share of the opponent's replies that the first player had expected.
    fn hit_rate(&self) -> Option<f64> {
        let pondering = &self.result["players"][0]["pondering"];
        let predictions = pondering["predictions"].as_f64().filter(|count| *count > 0.0)?;
        Some(pondering["hits"].as_f64()? / predictions)
    }

    /// Games lost by a fault, of either player.
    fn faults(&self) -> f64 {
        faults(&self.result, 0) + faults(&self.result, 1)
    }

    fn report(&self, table: &mut Table, what: &str, at_least: Option<f64>) {
        table.add(what, self.score(), "%", at_least.map(Bar::AtLeast));
        let elo = &self.result["duel"];
        for (name, field) in
            [("Elo", "elo"), ("  at least, 95 %", "elo_low"), ("  at most", "elo_high")]
        {
            if let Some(value) = elo[field].as_f64() {
                table.add(format!("  {name}"), value, "", None);
            }
        }
        let (own, pondered) = self.times();
        if let Some(rate) = self.hit_rate() {
            table.add("  replies that were expected", rate * 100.0, "%", None);
            // What is found on the opponent's time counts where the reply comes that was expected.
            let factor = 1.0 + rate * pondered / own[0].max(1.0);
            table.add("  effective time, misses included", factor, "×", None);
        }
        table.add(
            "  depth, first less second player",
            self.depth[0] - self.depth[1],
            "plies",
            None,
        );
        table.add("  games lost by a fault", self.faults(), "", Some(Bar::AtMost(0.0)));
    }
}

/// Milliseconds a move.
fn budget() -> u64 {
    setting("budget", "30").parse().expect("the budget is a number of milliseconds")
}

/// An engine with some percent of the budget.
fn with(engine: &str, percent: u64) -> String {
    format!("{engine}@{}ms/move", budget() * percent / 100)
}

/// Against itself without pondering.
pub fn equal(table: &mut Table) {
    let player = with(STRONG, 100);
    let played = REVERSI.play(&player, &player, Ponder::First);
    played.report(table, "equal: itself, which does not ponder", Some(54.0));
}

/// Against one that is stronger, by twice the time; and the same without pondering.
pub fn stronger(table: &mut Table) {
    against(table, "stronger: itself with twice the time", &with(STRONG, 200));
}

/// Against one that is weaker and unrelated.
pub fn weaker(table: &mut Table) {
    against(table, "weaker: reversi-simple", &with(SIMPLE, 100));
}

fn against(table: &mut Table, what: &str, opponent: &str) {
    let player = with(STRONG, 100);
    for (ponder, how) in [(Ponder::First, "on"), (Ponder::Nobody, "off")] {
        let played = REVERSI.play(&player, opponent, ponder);
        played.report(table, &format!("{what}; pondering {how}"), None);
    }
}

/// What so much more time of one's own is worth, and an opponent that takes none: there nothing can
/// be gained.
pub fn controls(table: &mut Table) {
    let player = with(STRONG, 100);
    for percent in [150, 200] {
        let played = REVERSI.play(&with(STRONG, percent), &player, Ponder::Nobody);
        played.report(table, &format!("control: {percent} % of the time, no pondering"), None);
    }
    let at_once = format!("{STRONG}@nodes:1");
    for (ponder, how) in [(Ponder::First, "on"), (Ponder::Nobody, "off")] {
        let played = REVERSI.play(&player, &at_once, ponder);
        let what = format!("control: an opponent that answers at once; pondering {how}");
        played.report(table, &what, None);
    }
}

/// The same depth with a costlier evaluation: how much of its own time it takes when the opponent's
/// time pays for the rest, beside the cheap evaluation of [`SIMPLE`].
pub fn evaluation(table: &mut Table) {
    let (cheap, costly) = (format!("{SIMPLE}@depth:{DEPTH}"), format!("{STRONG}@depth:{DEPTH}"));
    let ms = |us: f64| us / 1000.0;
    let played = REVERSI.play(&costly, &costly, Ponder::First);
    let ([on, off], _) = played.times();
    let against_cheap = REVERSI.play(&costly, &cheap, Ponder::First);
    let ([_, cheap], _) = against_cheap.times();
    table.add(format!("own time a move, depth {DEPTH}: costly evaluation"), ms(off), "ms", None);
    table.add("  the same, pondering", ms(on), "ms", None);
    table.add("  time saved at the same depth", off / on.max(1.0), "×", None);
    table.add("  cheap evaluation", ms(cheap), "ms", None);
    let what = format!("depth {DEPTH}: costly evaluation and pondering against the cheap one");
    against_cheap.report(table, &what, None);
}

/// Outside the sandbox.
pub fn native(table: &mut Table) {
    let player = with(&format!("{STRONG}-native:threads=1"), 100);
    let played = REVERSI.play(&player, &player, Ponder::First);
    played.report(table, "native: itself, which does not ponder", None);
}

/// Another game, by the same search.
pub fn gomoku(table: &mut Table) {
    let player = with("gomoku-alpha", 100);
    let played = GOMOKU.play(&player, &player, Ponder::First);
    played.report(table, "gomoku-alpha against itself, which does not ponder", None);
}
