//! The reference implementation: an exhaustive search that uses only the rules of the game and its
//! scores.

use sandboard_games::reversi::{Color, Reversi};
use sandboard_games::{MoveSet, Rules};

/// The exact score of the player to move, who has the discs `own`.
pub(super) fn score(own: u64, opponent: u64) -> i32 {
    let mut game = Reversi::from_discs(own, opponent, Color::Black).expect("no two on a square");
    best(&mut game)
}

fn best(game: &mut Reversi) -> i32 {
    if let Some(outcome) = game.outcome() {
        let of_black = outcome.score;
        return if game.color_to_move() == Color::Black { of_black } else { -of_black };
    }
    let mut moves = Vec::new();
    game.generate(MoveSet::All, &mut moves);
    let mut best = -99;
    for mv in moves {
        let undo = game.make(mv);
        best = best.max(-self::best(game));
        game.unmake(undo);
    }
    best
}
