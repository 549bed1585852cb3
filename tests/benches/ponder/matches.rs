//! Matches over balanced openings, one game at a time, so that each engine has a core if there are
//! two; and the measurements of these matches.

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
/// An engine that is limited by time only.
const SIMPLE: &str = "reversi-simple:depth=0";
/// A search of this depth takes about the time of a move in the other matches.
const DEPTH: u32 = 10;

/// The default: reversi in the sandbox.
const REVERSI: Field = Field { variant: "standard", openings: "openings/reversi/standard.txt" };
const GOMOKU: Field = Field { variant: "freestyle", openings: "openings/gomoku/freestyle.txt" };

/// Game and kind of the engines.
struct Field {
    variant: &'static str,
    openings: &'static str,
}

/// Which player ponders.
#[derive(Clone, Copy)]
enum Ponder {
    First,
    Neither,
}

/// Results of a match.
struct Played {
    result: Value,
    /// The mean depth of each player's moves.
    depth: [f64; 2],
    /// The match's folder, kept until its records are read.
    _home: TempDir,
}

impl Field {
    /// Plays `a` against `b`, each with the budget after its `@`.
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
            Ponder::Neither => "--ponder=off",
        });
        let result = json(home.path(), &words)["view"].take();
        Played { result, depth: depth::means(Path::new(&folder)), _home: home }
    }
}

impl Played {
    /// Score of the first player in percent.
    fn score(&self) -> f64 {
        percent(&self.result)
    }

    /// Microseconds per move: time of both players on their own clocks, and the first player's
    /// pondering time.
    fn times(&self) -> ([f64; 2], f64) {
        let player = |player: usize| &self.result["players"][player];
        let moves = |of: usize| player(of)["totals"]["moves"].as_f64().unwrap_or(0.0).max(1.0);
        let own =
            [0, 1].map(|of| player(of)["totals"]["wall_us"].as_f64().unwrap_or(0.0) / moves(of));
        (own, player(0)["pondering"]["wall_us"].as_f64().unwrap_or(0.0) / moves(0))
    }

    /// The share of the opponent's replies that the first player predicted.
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
        let elo = &self.result["match_statistics"];
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
            // Pondering gains if the predicted reply comes.
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

/// Milliseconds per move.
fn budget() -> u64 {
    setting("budget", "30").parse().expect("the budget is a number of milliseconds")
}

/// An engine with this percentage of the budget.
fn with(engine: &str, percent: u64) -> String {
    format!("{engine}@{}ms/move", budget() * percent / 100)
}

/// Against itself without pondering.
pub(crate) fn equal(table: &mut Table) {
    let player = with(STRONG, 100);
    let played = REVERSI.play(&player, &player, Ponder::First);
    played.report(table, "equal: itself, which does not ponder", Some(54.0));
}

/// Against a stronger engine with twice the time; and the same without pondering.
pub(crate) fn stronger(table: &mut Table) {
    against(table, "stronger: itself with twice the time", &with(STRONG, 200));
}

/// Against a weaker, unrelated engine.
pub(crate) fn weaker(table: &mut Table) {
    against(table, "weaker: reversi-simple", &with(SIMPLE, 100));
}

fn against(table: &mut Table, what: &str, opponent: &str) {
    let player = with(STRONG, 100);
    for (ponder, how) in [(Ponder::First, "on"), (Ponder::Neither, "off")] {
        let played = REVERSI.play(&player, opponent, ponder);
        played.report(table, &format!("{what}; pondering {how}"), None);
    }
}

/// Controls: the gain of more own time, and an opponent that moves at once, against which pondering
/// cannot gain.
pub(crate) fn controls(table: &mut Table) {
    let player = with(STRONG, 100);
    for percent in [150, 200] {
        let played = REVERSI.play(&with(STRONG, percent), &player, Ponder::Neither);
        played.report(table, &format!("control: {percent} % of the time, no pondering"), None);
    }
    let at_once = format!("{STRONG}@nodes:1");
    for (ponder, how) in [(Ponder::First, "on"), (Ponder::Neither, "off")] {
        let played = REVERSI.play(&player, &at_once, ponder);
        let what = format!("control: an opponent that answers at once; pondering {how}");
        played.report(table, &what, None);
    }
}

/// Own time at the same depth with a slower evaluation, of which pondering pays a part, compared
/// with the fast evaluation of [`SIMPLE`].
pub(crate) fn evaluation(table: &mut Table) {
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
pub(crate) fn native(table: &mut Table) {
    let player = with(&format!("{STRONG}-native:threads=1"), 100);
    let played = REVERSI.play(&player, &player, Ponder::First);
    played.report(table, "native: itself, which does not ponder", None);
}

/// Another game with the same search.
pub(crate) fn gomoku(table: &mut Table) {
    let player = with("gomoku-alpha", 100);
    let played = GOMOKU.play(&player, &player, Ponder::First);
    played.report(table, "gomoku-alpha against itself, which does not ponder", None);
}
