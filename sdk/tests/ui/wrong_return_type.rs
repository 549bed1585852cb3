//! Returns an optional reply.

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, _turn: &mut Turn<'_, Gomoku>) -> Option<Reply<Gomoku>> {
        None
    }
}

export_engine!(Mine);

fn main() {}
