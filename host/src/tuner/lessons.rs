//! Games that somebody played, as positions and the moves that were chosen there: what weights are held against.
//! Pure.

use sandboard_games::SetupError;

use crate::convert::Game;
use crate::record::Start;

/// A position and what was chosen there.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The position.
    pub start: Start,
    /// The move, in its canonical text.
    pub mv: String,
}

/// The lessons of these games in an order that the seed gives: each position of a main line in which there was a
/// choice. Err: a game cannot begin.
pub fn lessons(games: &[Game], seed: u64) -> Result<Vec<Lesson>, SetupError> {
    let mut lessons = Vec::new();
    for game in games {
        let mut position = game.start.set_up()?;
        for node in game.tree.main_line() {
            if position.perft(1) > 1 {
                let start = Start { position: Some(position.position()), ..game.start.clone() };
                lessons.push(Lesson { start, mv: node.mv.to_owned() });
            }
            if position.play(node.mv).is_err() {
                break;
            }
        }
    }
    // Fisher and Yates; a number of its own for each place.
    for last in (1..lessons.len()).rev() {
        let other = crate::bout::player_seed(seed, last) % (last as u64 + 1);
        lessons.swap(last, other as usize);
    }
    Ok(lessons)
}
