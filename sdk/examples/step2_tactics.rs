//! Step 2 of the tutorial in docs/authoring.md: win at once, otherwise block a win, otherwise play
//! at random. Looks one move ahead and evaluates nothing.
#![forbid(unsafe_code)]

use sandboard_sdk::games::Rules;
use sandboard_sdk::games::gomoku::{Gomoku, Move};
use sandboard_sdk::{Chooser, Reply, Turn, export_engine};

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let moves = turn.legal_moves().to_vec();
        if let Some(win) = winning_move(turn.position, &moves) {
            return Reply::play(win);
        }
        // Block a point on which the opponent would win after a null move.
        let mut passed = turn.position.clone();
        if passed.make_null().is_some()
            && let Some(block) = winning_move(&passed, &moves)
        {
            return Reply::play(block);
        }
        match turn.random_move() {
            Some(mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

/// The first of these moves that wins at once for the side to move.
fn winning_move(position: &Gomoku, moves: &[Move]) -> Option<Move> {
    let mut position = position.clone();
    moves.iter().copied().find(|&mv| {
        let undo = position.make(mv);
        let won = position.outcome().is_some_and(|outcome| outcome.winner.is_some());
        position.unmake(undo);
        won
    })
}

export_engine!(Mine);
