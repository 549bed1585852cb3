//! A move is answered instead of a reply.

use sandboard_sdk::games::gomoku::{Gomoku, Move};
use sandboard_sdk::{Chooser, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Option<Move> {
        turn.random_move()
    }
}

export_engine!(Mine);

fn main() {}
