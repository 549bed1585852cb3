//! An engine without an evaluation: the SDK's Monte-Carlo tree search, which plays games at random
//! to their end and searches more where they went well. Part of docs/authoring.md.
#![forbid(unsafe_code)]

use sandboard_sdk::games::gomoku::{Gomoku, Move};
use sandboard_sdk::{Chooser, Mcts, Reply, SearchTask, Turn, export_engine};

#[derive(Default)]
struct Mine {
    search: Mcts<Gomoku>,
}

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let task = SearchTask { limits: turn.limits, barred: turn.barred, host: turn.host };
        self.search.run(turn.position, task, turn.random).into()
    }

    fn played(&mut self, position: &Gomoku, mv: Move) {
        self.search.advance(position, mv);
    }
}

export_engine!(Mine);
