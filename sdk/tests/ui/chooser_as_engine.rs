//! Exports a chooser in the form for engines.

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, _turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        Reply::resign()
    }
}

export_engine!(engine Mine);

fn main() {}
