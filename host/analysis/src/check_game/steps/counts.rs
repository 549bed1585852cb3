//! Step 6: counts of move sequences, by the game itself and by playing all moves on copies.

use sandboard_common::text::counted;

use super::super::context::GameContext;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;

/// The positions of each random game.
const POSITIONS_OF_GAME: usize = 3;
/// The greatest depth.
const DEPTH_MAX: u32 = 4;
/// A position is counted to the next depth if its last count was at most this.
const COUNT_MAX: u64 = 400;

pub(crate) fn counts(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (mut positions, mut sequences, mut deepest) = (0, 0, 0);
    for random in &games {
        for plies in random.sampled_plies(POSITIONS_OF_GAME) {
            let game = context.game_at(random, plies)?;
            for depth in 1..=DEPTH_MAX {
                let Some(count) = check_count(&game, depth)? else { break };
                sequences += count;
                deepest = deepest.max(depth);
                if count > COUNT_MAX {
                    break;
                }
            }
            positions += 1;
        }
    }
    Ok(format!(
        "{sequences} move sequences up to depth {deepest} in {}",
        counted(positions, "position")
    ))
}

/// Compares the two counts of a position. None: an adjudication ends a game within this depth, so
/// that the moves after it cannot be played.
fn check_count(game: &TestGame, depth: u32) -> StepResult<Option<u64>> {
    let Some(expected) = by_copies(game, depth)? else { return Ok(None) };
    let call = format!("count the move sequences of depth {depth}");
    let found = game.ask(&call, |game| game.perft(depth))?;
    if found == expected {
        return Ok(Some(found));
    }
    let sentence =
        format!("it counts {found} move sequences of depth {depth} instead of {expected}");
    let answers =
        [found.to_string(), format!("{expected}, as when all moves are played on copies")];
    Err(game.failure(sentence, &call, answers))
}

/// The number of move sequences of this depth, by playing all moves on copies. The moves of the
/// last ply are counted only.
fn by_copies(game: &TestGame, depth: u32) -> StepResult<Option<u64>> {
    if game.ask("ending", |game| game.ending())?.is_some() {
        return Ok((!game.board().info.adjudicates).then_some(1));
    }
    let legal = game.legal()?;
    let moves = legal.split_ascii_whitespace();
    if depth == 1 {
        return Ok(Some(moves.count() as u64));
    }
    let mut count = 0;
    for mv in moves {
        let mut after = game.copy()?;
        after.play_listed(mv)?;
        let Some(more) = by_copies(&after, depth - 1)? else { return Ok(None) };
        count += more;
    }
    Ok(Some(count))
}
