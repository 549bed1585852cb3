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
            let is_choice = position.perft(1) > 1;
            let start = Start { position: Some(position.position()), ..game.start.clone() };
            let Ok(mv) = position.play(node.mv) else { break };
            if is_choice {
                lessons.push(Lesson { start, mv });
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

#[cfg(test)]
mod tests {
    use sandboard_games::formats::{GameTree, Unit};

    use super::*;

    fn game(moves: &[String]) -> Game {
        let info = sandboard_games::game("gomoku").unwrap();
        let variant = info.variant("freestyle-5").unwrap();
        let mut tree = GameTree::new(Unit::Lines);
        for (mv, depth) in moves.iter().zip(1..) {
            tree.add(depth, mv, 1).unwrap();
        }
        Game { start: Start { game: info, variant, position: None }, tree }
    }

    /// The moves of the lessons of these games, each of which is legal where it was chosen.
    fn chosen(games: &[Game], seed: u64) -> Vec<String> {
        let lessons = lessons(games, seed).unwrap();
        for lesson in &lessons {
            let mut position = lesson.start.set_up().unwrap();
            assert!(position.perft(1) > 1);
            position.play(&lesson.mv).unwrap();
        }
        lessons.into_iter().map(|it| it.mv).collect()
    }

    #[test]
    fn lessons_are_choices_in_the_order_of_the_seed() {
        // All 25 points, in an order in which nobody has five before the last.
        let mut moves: Vec<String> = (1..=5)
            .flat_map(|row| "abcde".chars().map(move |column| format!("{column}{row}")))
            .collect();
        moves.swap(20, 21);
        let sorted = |mut moves: Vec<String>| {
            moves.sort();
            moves
        };
        let found = chosen(&[game(&moves)], 7);
        // The last point is no choice.
        assert_eq!(sorted(found.clone()), sorted(moves[..24].to_vec()));
        assert_eq!(chosen(&[game(&moves)], 7), found);
        assert_ne!(chosen(&[game(&moves)], 8), found);
        assert_ne!(found, moves[..24]);
        // What the rules refuse ends its game, and no other.
        let refused = ["a1".to_owned(), "a1".to_owned(), "b1".to_owned()];
        let both = chosen(&[game(&refused), game(&moves[..3])], 7);
        assert_eq!(sorted(both), ["a1", "a1", "b1", "c1"]);
        assert_eq!(chosen(&[], 7), [""; 0]);
    }
}
