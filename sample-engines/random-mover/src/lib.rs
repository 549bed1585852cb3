//! The template for engines in Rust: it plays a random legal move.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

/// The engine; add fields to keep state from move to move.
#[derive(Default)]
struct RandomMover;

impl Chooser for RandomMover {
    type Rules = Gomoku;

    /// Chooses the next move. `turn.position` is the position; `turn.host.left()` is the time left,
    /// in the unit of `turn.limits`.
    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        match turn.random_move() {
            Some(mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

export_engine!(RandomMover);
