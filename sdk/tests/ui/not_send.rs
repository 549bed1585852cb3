//! A chooser that is not `Send`.

use std::rc::Rc;

use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine(Rc<()>);

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, _turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        Reply::resign()
    }
}

export_engine!(Mine);

fn main() {}
