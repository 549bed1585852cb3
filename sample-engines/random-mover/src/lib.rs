//! The template: an engine that plays any legal move, each as likely as another.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

/// What the engine keeps in mind from move to move: nothing.
#[derive(Default)]
struct RandomMover;

impl Chooser for RandomMover {
    type Rules = Gomoku;

    /// The next move: `turn.position` is the position, `turn.host.left()` the time that is left.
    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        match turn.random_move() {
            Some(mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

export_engine!(RandomMover);
