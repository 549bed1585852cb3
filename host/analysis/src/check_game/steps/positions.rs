//! Step 2: position texts, which a host writes into records and sets up again.

use sandboard_common::text::counted;
use sandboard_games::Variant;

use super::super::context::GameContext;
use super::super::game_state::GameState;
use super::super::random_game::RandomGame;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;
use crate::check::positions::Board;

/// The number of positions over all boards, and the bounds for each random game.
const POSITIONS: usize = 240;
const POSITIONS_OF_GAME: (usize, usize) = (8, 60);

pub(crate) fn positions(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (fewest, most) = POSITIONS_OF_GAME;
    let mut texts = 0;
    for random in &games {
        let sampled = random.sampled_plies(context.share(POSITIONS).clamp(fewest, most));
        let mut game = context.game_at(random, 0)?;
        for plies in 0..=random.moves.len() {
            if sampled.contains(&plies) {
                check_position(context, random, &game)?;
                texts += 1;
            }
            if let Some(mv) = random.moves.get(plies) {
                game.play_listed(mv)?;
            }
        }
    }
    let games = counted(games.len(), "random game");
    Ok(format!("{} of {games} set up again", counted(texts, "position")))
}

/// Sets the position of a game up again from its text.
fn check_position(
    context: &GameContext<'_>,
    random: &RandomGame,
    game: &TestGame,
) -> StepResult<()> {
    let state = game.state()?;
    set_up(context, &random.board, game, &state)?;
    if random.board.variant.size.is_some() {
        // A variant without a size has the size of the text.
        let variant = Variant { size: None, ..random.board.variant.clone() };
        let sizeless = Board { variant, ..random.board.clone() };
        let again = set_up(context, &sizeless, game, &state)?;
        let [found, expected] =
            [&again, game].map(|it| it.ask("variant", |it| it.variant().text()));
        let (found, expected) = (found?, expected?);
        if found != expected {
            let sentence = "a position text without a size in the variant gets another size";
            return Err(again.failure(sentence, "variant", [found, expected]));
        }
    }
    Ok(())
}

fn set_up(
    context: &GameContext<'_>,
    board: &Board,
    game: &TestGame,
    state: &GameState,
) -> StepResult<TestGame> {
    let text = &state.position;
    let begun = TestGame::try_begin(board, Some(text), context.reporter());
    let again = begun.map_err(|error| {
        let call = format!("begin {} in `{text}`", board.text());
        game.failure(
            format!("its own position text is refused: {error}"),
            &call,
            [error.to_string(), "a game in the same position".into()],
        )
    })?;
    again.expect(state, "after a position is set up again from its text")?;
    Ok(again)
}
