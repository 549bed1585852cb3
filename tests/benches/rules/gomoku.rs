//! Gomoku: perft without bulk counting at the leaves, and checks of forbidden points per second, on
//! one thread.

use std::hint::black_box;
use std::time::Instant;

use sandboard_games::gomoku::{Color, Direction, Gomoku, INFO, Point};
use sandboard_games::{MoveSet, Rules};
use serde_json::Value;

use crate::table::{Bar, Table, median};

const FORBIDDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/gomoku/forbidden.json"));
const ROUNDS: usize = 9;
/// The board found by hill climbing on which the check of one point (t18) examines the most stones,
/// 288.
const WORST: &str = "5x15o/9x3x1x6/4o1xxxxox4xx4/1o2x1x3xxx1x1xox1x1/2xx1x1x4xx3xx3/\
    o3x4xx2xxx1x3o/x2oo1x1x6x1x4/o2x1x3x7x1x2/3x1x5xx4x1x2/4x1x3x3xxx1x1x1/6xx3x1x4x1x1/\
    1xo3x2xx4x1x1x2/2xx2x2x2x4oox2/ox2o1x4xxx3xx1oo/1ox1o1o1x8x1xox/1xo4x1xx6ox2o/\
    o3o2ox2x3xxoo1x1/4x7o2xo1ox2/xx1o1x1oo1x2x1o3ox1/o1xxo1x3oxx1x1oo1oo1/\
    o1o2o1xo1o3ooo2x2/3x1o1xoo1x1x4o2o b";

pub(crate) fn measure(table: &mut Table) {
    for (variant, bar) in [("freestyle-9", None), ("renju-9", None)] {
        let nodes = median((0..ROUNDS).map(|_| nodes_per_s(variant)).collect());
        table.add(format!("gomoku {variant}, made and taken back"), nodes / 1e6, "Mnodes/s", bar);
    }
    for (name, group) in [("middle games", Some("game")), ("all records", None)] {
        let positions = positions(group);
        let all: Vec<Queries> = positions.iter().map(|game| queries(game, |_| true)).collect();
        let crowded = positions.iter().map(|game| queries(game, |p| is_crowded(game, p))).collect();
        let bar = Some(Bar::AtLeast(1.0));
        row(table, format!("is it forbidden? {name}, every empty point"), &all, bar);
        row(table, format!("  {name}, points where stones meet"), &crowded, None);
    }
    worst(table);
}

/// Time to check every point of the worst known board.
fn worst(table: &mut Table) {
    let renju = INFO.variant("renju").expect("a variant");
    let game = Gomoku::parse_position(&renju, WORST).expect(WORST);
    let round = |_| {
        let start = Instant::now();
        black_box(black_box(&game).forbidden_points().count());
        start.elapsed().as_secs_f64() * 1e3
    };
    let time = median((0..100 * ROUNDS).map(round).collect());
    table.add("the worst board known, all points", time, "ms", Some(Bar::AtMost(1.0)));
}

/// A position and the points to check.
type Queries<'a> = (&'a Gomoku, Vec<Point>);

fn queries(game: &Gomoku, which: impl Fn(Point) -> bool) -> Queries<'_> {
    (game, game.empty_points().filter(|&point| which(point)).collect())
}

fn row(table: &mut Table, what: String, queries: &Vec<Queries<'_>>, bar: Option<Bar>) {
    let points: usize = queries.iter().map(|(_, points)| points.len()).sum();
    let repeats = 1 + 2_000_000 / points;
    let round = |_| {
        let start = Instant::now();
        for _ in 0..repeats {
            for (game, points) in black_box(queries) {
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
    game.generate(MoveSet::All, moves);
    for index in begin..moves.len() {
        if game.is_legal(moves[index]) {
            let undo = game.make(moves[index]);
            walk(game, depth - 1, nodes, moves);
            game.unmake(undo);
        }
    }
    moves.truncate(begin);
}
