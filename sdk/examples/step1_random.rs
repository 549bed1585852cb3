//! Step 1 of the tutorial in docs/authoring.md: a random legal move. Uses only the rules of the
//! game.
#![forbid(unsafe_code)]

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        match turn.random_move() {
            Some(mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

export_engine!(Mine);
