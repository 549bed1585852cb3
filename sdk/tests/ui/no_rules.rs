//! A chooser without its game.

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    fn next_move(&mut self, _turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        Reply::resign()
    }
}

export_engine!(Mine);

fn main() {}
