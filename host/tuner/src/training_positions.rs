//! Positions of recorded games with the moves that were chosen there. Weights are measured by how
//! often the engine chooses the same move. Pure.

use sandboard_games::SetupError;

use sandboard_bout::convert::ConvertedGame;
use sandboard_bout::start::StartPosition;

/// A position and the move that was chosen in it.
#[derive(Clone, Debug)]
pub struct TrainingPosition {
    pub start: StartPosition,
    /// The move, in its canonical text.
    pub mv: String,
}

/// All positions on the main lines of these games with more than one legal move, shuffled by the
/// seed. A main line ends before an illegal move. Fails if a start position is invalid.
pub fn training_positions(
    games: &[ConvertedGame],
    seed: u64,
) -> Result<Vec<TrainingPosition>, SetupError> {
    let mut positions = Vec::new();
    for game in games {
        let mut position = game.start.set_up()?;
        for node in game.tree.main_line() {
            let is_choice = position.perft(1) > 1;
            let StartPosition { game, variant, .. } = game.start.clone();
            let start = StartPosition::new(game, variant, Some(position.position()));
            let Ok(mv) = position.play(node.mv) else { break };
            if is_choice {
                positions.push(TrainingPosition { start, mv });
            }
        }
    }
    // Fisher-Yates shuffle.
    for last in (1..positions.len()).rev() {
        let other = sandboard_bout::driver::player_seed(seed, last) % (last as u64 + 1);
        positions.swap(last, other as usize);
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use sandboard_games::formats::{GameTree, LocationUnit};

    use super::*;

    fn game(moves: &[String]) -> ConvertedGame {
        let info = sandboard_games::Games::default().find("gomoku").unwrap();
        let variant = info.variant("freestyle-5").unwrap();
        let mut tree = GameTree::new(LocationUnit::Lines);
        for (mv, depth) in moves.iter().zip(1..) {
            tree.add(depth, mv, 1).unwrap();
        }
        ConvertedGame { start: StartPosition::new(info, variant, None), tree }
    }

    /// The moves of the positions, each of which must be legal.
    fn chosen(games: &[ConvertedGame], seed: u64) -> Vec<String> {
        let positions = training_positions(games, seed).unwrap();
        for training in &positions {
            let mut position = training.start.set_up().unwrap();
            assert!(position.perft(1) > 1);
            position.play(&training.mv).unwrap();
        }
        positions.into_iter().map(|it| it.mv).collect()
    }

    #[test]
    fn positions_with_a_choice_are_shuffled_by_the_seed() {
        // All 25 points, in an order in which no side has five before the last move.
        let mut moves: Vec<String> = (1..=5)
            .flat_map(|row| "abcde".chars().map(move |column| format!("{column}{row}")))
            .collect();
        moves.swap(20, 21);
        let sorted = |mut moves: Vec<String>| {
            moves.sort();
            moves
        };
        let found = chosen(&[game(&moves)], 7);
        // The last point is the only move, so it is left out.
        assert_eq!(sorted(found.clone()), sorted(moves[..24].to_vec()));
        assert_eq!(chosen(&[game(&moves)], 7), found);
        assert_ne!(chosen(&[game(&moves)], 8), found);
        assert_ne!(found, moves[..24]);
        // An illegal move ends its own game only.
        let refused = ["a1".to_owned(), "a1".to_owned(), "b1".to_owned()];
        let both = chosen(&[game(&refused), game(&moves[..3])], 7);
        assert_eq!(sorted(both), ["a1", "a1", "b1", "c1"]);
        assert_eq!(chosen(&[], 7), [""; 0]);
    }
}
