//! Xiangqi: perft with and without bulk counting at the leaves, on one thread.

use std::time::Instant;

use sandboard_games::xiangqi::{INFO, MoveList, Xiangqi};
use sandboard_games::{MoveSet, Rules, perft};

use crate::table::{Bar, Table, median};

const ROUNDS: usize = 9;

/// The start position, and a middle game with a cannon facing a king.
const POSITIONS: [(&str, &str); 2] = [
    ("start", "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"),
    ("middle", "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1"),
];

pub(crate) fn measure(table: &mut Table) {
    for ((name, position), bar) in POSITIONS.into_iter().zip([Some(Bar::AtLeast(40.0)), None]) {
        let rate = |count: fn(&mut Xiangqi) -> u64| {
            median((0..ROUNDS).map(|_| nodes_per_s(position, count)).collect()) / 1e6
        };
        let counted = rate(|game| perft(game, 5));
        table.add(format!("xiangqi {name}, perft 5"), counted, "Mnodes/s", bar);
        let made = rate(|game| walk(game, 4));
        table.add(format!("xiangqi {name}, made and taken back"), made, "Mnodes/s", None);
    }
}

fn nodes_per_s(position: &str, count: fn(&mut Xiangqi) -> u64) -> f64 {
    let variant = INFO.variant("computer").expect("a variant");
    let mut game = Xiangqi::parse_position(&variant, position).expect("a position");
    let begun = Instant::now();
    let nodes = count(&mut game);
    nodes as f64 / begun.elapsed().as_secs_f64()
}

fn walk(game: &mut Xiangqi, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    game.moves(MoveSet::All, &mut moves);
    let mut nodes = 1;
    for &mv in moves.iter() {
        let undo = game.make(mv);
        nodes += walk(game, depth - 1);
        game.unmake(undo);
    }
    nodes
}
