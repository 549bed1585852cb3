//! Gomoku: perft without its short cut at the leaves, and how many points a
//! second are looked at for being forbidden, on one thread.

use std::hint::black_box;
use std::time::Instant;

use sandboard_games::gomoku::{Color, Direction, Gomoku, INFO, Point};
use sandboard_games::{Generate, Rules};
use serde_json::Value;

use crate::table::{Bar, Table, median};

const FORBIDDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/gomoku/forbidden.json"));
const ROUNDS: usize = 9;

pub fn measure(table: &mut Table) {
    for (variant, bar) in [("freestyle-9", None), ("renju-9", None)] {
        let nodes = median((0..ROUNDS).map(|_| nodes_per_s(variant)).collect());
        table.add(format!("gomoku {variant}, made and taken back"), nodes / 1e6, "Mnodes/s", bar);
    }
    for (name, group) in [("middle games", Some("game")), ("all records", None)] {
        let positions = positions(group);
        let all: Vec<Asked> = positions.iter().map(|game| asked(game, |_| true)).collect();
        let crowded = positions.iter().map(|game| asked(game, |p| is_crowded(game, p))).collect();
        let bar = Some(Bar::AtLeast(1.0));
        row(table, format!("is it forbidden? {name}, every empty point"), &all, bar);
        row(table, format!("  {name}, points where stones meet"), &crowded, None);
    }
}

/// A position and points of it.
type Asked<'a> = (&'a Gomoku, Vec<Point>);

fn asked(game: &Gomoku, which: impl Fn(Point) -> bool) -> Asked<'_> {
    (game, game.empty_points().filter(|&point| which(point)).collect())
}

fn row(table: &mut Table, what: String, asked: &Vec<Asked<'_>>, bar: Option<Bar>) {
    let points: usize = asked.iter().map(|(_, points)| points.len()).sum();
    let repeats = 1 + 2_000_000 / points;
    let round = |_| {
        let start = Instant::now();
        for _ in 0..repeats {
            for (game, points) in black_box(asked) {
                for &point in points {
                    black_box(game.forbidden(point));
                }
            }
        }
        (repeats * points) as f64 / start.elapsed().as_secs_f64()
    };
    let speed = median((0..ROUNDS).map(round).collect());
    table.add(format!("{what} ({points})"), speed / 1e6, "Mpoints/s", bar);
}

fn positions(group: Option<&str>) -> Vec<Gomoku> {
    let fixture: Value = serde_json::from_str(FORBIDDEN).expect("the fixture is JSON");
    let records = fixture["records"].as_array().expect("records").iter();
    let renju = INFO.variant("renju").expect("a variant");
    records
        .filter(|record| group.is_none_or(|group| record["group"] == group))
        .map(|record| record["position"].as_str().expect("a position"))
        .map(|text| Gomoku::parse_position(&renju, text).expect(text))
        .collect()
}

/// Whether two lines with two black stones within five meet here, or one with four.
fn is_crowded(game: &Gomoku, point: Point) -> bool {
    let lines = Direction::ALL.map(|direction| {
        let line = game.line(Color::Black, direction, point);
        (line.bits << 5 >> line.at & 0x7ff).count_ones()
    });
    lines.iter().filter(|&&stones| stones >= 2).count() >= 2
        || lines.iter().any(|&stones| stones >= 4)
}

fn nodes_per_s(variant: &str) -> f64 {
    let mut game = Gomoku::start(&INFO.variant(variant).expect("a variant"));
    let mut nodes = 0;
    let start = Instant::now();
    walk(&mut game, 4, &mut nodes, &mut Vec::new());
    nodes as f64 / start.elapsed().as_secs_f64()
}

fn walk(game: &mut Gomoku, depth: u32, nodes: &mut u64, moves: &mut Vec<<Gomoku as Rules>::Move>) {
    *nodes += 1;
    if depth == 0 || game.outcome().is_some() {
        return;
    }
    let begin = moves.len();
    game.generate(Generate::All, moves);
    for index in begin..moves.len() {
        if game.is_legal(moves[index]) {
            let undo = game.make(moves[index]);
            walk(game, depth - 1, nodes, moves);
            game.unmake(undo);
        }
    }
    moves.truncate(begin);
}
