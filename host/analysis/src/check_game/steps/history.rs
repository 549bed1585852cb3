//! Steps 4 and 5: copies of a game, and moves that are taken back.

use sandboard_common::text::{counted, quoted};
use sandboard_games::splitmix::SplitMix64;

use super::super::context::GameContext;
use super::super::game_state::GameState;
use super::super::random_game::RandomGame;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;

/// The number of positions over all boards, and the bounds for each random game.
const POSITIONS: usize = 120;
const POSITIONS_OF_GAME: (usize, usize) = (5, 30);
/// The most moves of a position whose canonical text is queried.
const CANONICAL_MAX: usize = 40;
/// The plies that a game and its copy play on.
const PLAYED_ON: usize = 6;

pub(crate) fn copies(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (fewest, most) = POSITIONS_OF_GAME;
    let (mut positions, mut random_numbers) = (0, context.random());
    for random in &games {
        let sampled = random.sampled_plies(context.share(POSITIONS).clamp(fewest, most));
        for plies in sampled {
            check_copies(context, random, plies, &mut random_numbers)?;
            positions += 1;
        }
    }
    let games = counted(games.len(), "random game");
    Ok(format!("copies in {} of {games}", counted(positions, "position")))
}

/// Copies a game in a position, and plays on with the original and with copies.
fn check_copies(
    context: &GameContext<'_>,
    random: &RandomGame,
    plies: usize,
    random_numbers: &mut SplitMix64,
) -> StepResult<()> {
    let mut original = context.game_at(random, plies)?;
    let state = original.state()?;
    let mut copy = original.copy()?;
    copy.expect(&state, "on a copy")?;
    check_history(&copy, &random.moves[..plies], "on a copy")?;
    if state.ending.is_some() {
        return Ok(());
    }
    let mut moves: Vec<&str> = state.legal.split_ascii_whitespace().collect();
    check_canonical(&original, &state, &moves)?;
    random_numbers.shuffle(&mut moves);
    let [one, .., other] = moves[..] else { return Ok(()) };
    let alone = |mv: &str| {
        let mut game = context.game_at(random, plies)?;
        game.play_listed(mv)?;
        game.state()
    };
    original.play_listed(one)?;
    copy.expect(&state, "on a copy, after a move on the original")?;
    copy.play_listed(other)?;
    original.expect(&alone(one)?, "on the original, after a move on a copy")?;
    copy.expect(&alone(other)?, "on a copy, after other moves on both")?;
    drop(copy);
    let mut second = original.copy()?;
    for _ in 0..PLAYED_ON {
        let state = original.state()?;
        let listed: Vec<&str> = state.legal.split_ascii_whitespace().collect();
        let Some(mv) = listed.get(random_numbers.below(listed.len())) else { break };
        if state.ending.is_some() {
            break;
        }
        original.play_listed(mv)?;
        second.play_listed(mv)?;
        second.expect(&original.state()?, "on a copy, after the same moves on both")?;
    }
    Ok(())
}

/// The query for the canonical text of a move does not play the move.
fn check_canonical(game: &TestGame, state: &GameState, moves: &[&str]) -> StepResult<()> {
    for mv in moves.iter().take(CANONICAL_MAX) {
        let call = format!("query the canonical text of {}", quoted(mv));
        let answer = game.ask(&call, |game| game.canonical(mv))?;
        if answer.as_deref() != Ok(*mv) {
            let found = answer.unwrap_or_else(|refusal| refusal.to_string());
            let sentence = format!("the canonical text of {} is another", quoted(mv));
            return Err(game.failure(sentence, &call, [quoted(&found), quoted(mv)]));
        }
    }
    game.expect(state, "after queries for canonical texts")
}

/// The moves so far are these.
fn check_history(game: &TestGame, moves: &[String], circumstance: &str) -> StepResult<()> {
    let found = game.ask("list the moves so far", |game| (game.moves(), game.plies()))?;
    if found.0 == moves && found.1 == moves.len() {
        return Ok(());
    }
    let text = |moves: &[String], plies| format!("{} in {plies} plies", quoted(&moves.join(" ")));
    let answers = [text(&found.0, found.1), text(moves, moves.len())];
    let sentence = format!("{circumstance}, the list of moves so far differs");
    Err(game.failure(sentence, "list the moves so far", answers))
}

/// The most plies that a game of the step plays again, over all boards.
const REPLAYED: usize = 60_000;
/// The most different numbers of plies that are taken back in one game.
const TAKEN_BACK_MAX: usize = 60;

pub(crate) fn undo(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (mut undone, mut random_numbers) = (0, context.random());
    let of_game = REPLAYED / games.len().max(1);
    for random in &games {
        let states = states(context, random)?;
        let last = random.moves.len();
        let mut game = context.game_at(random, last)?;
        // To take back n plies and play them again costs up to two times the game.
        let most = (of_game / (2 * last).max(1)).clamp(4, TAKEN_BACK_MAX);
        for plies in random.sampled_plies(most).into_iter().filter(|plies| *plies > 0) {
            take_back(&mut game, plies, plies)?;
            let circumstance = format!("after {plies} of {last} plies are taken back");
            game.expect(&states[last - plies], &circumstance)?;
            check_history(&game, &random.moves[..last - plies], &circumstance)?;
            other_move(&mut game, &states[last - plies], &mut random_numbers)?;
            for mv in &random.moves[last - plies..] {
                game.play_listed(mv)?;
            }
            let circumstance = format!("after {plies} plies are taken back and played again");
            game.expect(&states[last], &circumstance)?;
            check_history(&game, &random.moves, &circumstance)?;
            // The calls before this point no longer matter, if they were right.
            game = if undone % 8 == 7 { context.game_at(random, last)? } else { game };
            undone += 1;
        }
        // More plies than there are.
        take_back(&mut game, last + 1, last)?;
        game.expect(&states[0], "after more plies are taken back than were played")?;
    }
    let games = counted(games.len(), "random game");
    Ok(format!("{} in {games}", counted(undone, "undo")))
}

/// The states of a game after each number of plies.
fn states(context: &GameContext<'_>, random: &RandomGame) -> StepResult<Vec<GameState>> {
    let mut game = context.game_at(random, 0)?;
    let mut states = vec![game.state()?];
    for mv in &random.moves {
        game.play_listed(mv)?;
        states.push(game.state()?);
    }
    Ok(states)
}

fn take_back(game: &mut TestGame, plies: usize, expected: usize) -> StepResult<()> {
    let taken = game.take_back(plies)?;
    if taken == expected {
        return Ok(());
    }
    let sentence = format!("it takes back {taken} plies instead of {expected}");
    Err(game.failure(sentence, "count the plies", [taken.to_string(), expected.to_string()]))
}

/// Plays a move and takes it back again.
fn other_move(
    game: &mut TestGame,
    state: &GameState,
    random_numbers: &mut SplitMix64,
) -> StepResult<()> {
    let moves: Vec<&str> = state.legal.split_ascii_whitespace().collect();
    if let Some(mv) = moves.get(random_numbers.below(moves.len()))
        && state.ending.is_none()
    {
        game.play_listed(mv)?;
        take_back(game, 1, 1)?;
        game.expect(state, "after another move is played and taken back")?;
    }
    Ok(())
}
