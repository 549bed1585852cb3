//! Reversi: perft without bulk counting at the leaves, on one thread.

use std::time::Instant;

use sandboard_games::reversi::{INFO, Reversi};
use sandboard_games::{MoveSet, Rules};

use crate::table::{Bar, Table, median};

const ROUNDS: usize = 9;

pub(crate) fn measure(table: &mut Table) {
    let rows = [("standard", 8, Some(Bar::AtLeast(25.0))), ("standard-10", 7, None)];
    for (variant, depth, bar) in rows {
        let nodes = median((0..ROUNDS).map(|_| nodes_per_s(variant, depth)).collect());
        table.add(format!("reversi {variant}, made and taken back"), nodes / 1e6, "Mnodes/s", bar);
    }
}

fn nodes_per_s(variant: &str, depth: u32) -> f64 {
    let mut game = Reversi::start(&INFO.variant(variant).expect("a variant"));
    let mut nodes = 0;
    let start = Instant::now();
    walk(&mut game, depth, &mut nodes, &mut Vec::new());
    nodes as f64 / start.elapsed().as_secs_f64()
}

fn walk(
    game: &mut Reversi,
    depth: u32,
    nodes: &mut u64,
    moves: &mut Vec<<Reversi as Rules>::Move>,
) {
    *nodes += 1;
    if depth == 0 || game.outcome().is_some() {
        return;
    }
    let begin = moves.len();
    game.generate(MoveSet::All, moves);
    for index in begin..moves.len() {
        let undo = game.make(moves[index]);
        walk(game, depth - 1, nodes, moves);
        game.unmake(undo);
    }
    moves.truncate(begin);
}
