//! An engine for a plugged-in game: the SDK's Monte-Carlo tree search, over the rules of the crate
//! `connect-four`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use connect_four::ConnectFour;
use sandboard_sdk::{Chooser, Mcts, Reply, SearchTask, Turn, export_engine};

/// The engine: a search that keeps its tree from move to move.
#[derive(Default)]
struct ConnectFourMcts {
    search: Mcts<ConnectFour>,
}

impl Chooser for ConnectFourMcts {
    type Rules = ConnectFour;

    fn next_move(&mut self, turn: &mut Turn<'_, ConnectFour>) -> Reply<ConnectFour> {
        let task = SearchTask { limits: turn.limits, barred: turn.barred, host: turn.host };
        self.search.run(turn.position, task, turn.random).into()
    }

    fn played(&mut self, position: &ConnectFour, mv: u8) {
        self.search.advance(position, mv);
    }
}

export_engine!(ConnectFourMcts);
