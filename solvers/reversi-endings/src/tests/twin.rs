//! A search that knows nothing but the rules of the game: every move of every position to the
//! end, the score by the game itself.

use sandboard_games::reversi::{Color, Reversi};
use sandboard_games::{Generate, Rules};

/// The exact score of who moves and has `own`.
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
    game.generate(Generate::All, &mut moves);
    let mut best = -99;
    for mv in moves {
        let undo = game.make(mv);
        best = best.max(-self::best(game));
        game.unmake(undo);
    }
    best
}
