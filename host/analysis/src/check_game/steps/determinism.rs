//! Step 8: two games that get the same calls, random games of the same seed, and questions that are
//! asked twice.

use sandboard_common::text::{counted, quoted};
use sandboard_games::general::Observer;

use super::super::context::GameContext;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;

pub(crate) fn determinism(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let again = context.playable_games()?;
    let mut plies = 0;
    for (random, again) in games.iter().zip(&again) {
        let [mut one, mut other] = [context.game_at(random, 0)?, context.game_at(random, 0)?];
        if random.moves != again.moves {
            let sentence = "the same seed gives other random games";
            let answers = [&again.moves, &random.moves].map(|moves| moves.join(" "));
            return Err(one.failure(sentence, "play random moves", answers));
        }
        check_same(&one, &other)?;
        for mv in &random.moves {
            let [found, expected] = [other.play_listed(mv)?, one.play_listed(mv)?];
            if found != expected {
                let sentence = "two games return different texts of a move";
                return Err(other.failure(sentence, "play", [quoted(&found), quoted(&expected)]));
            }
            check_same(&one, &other)?;
            plies += 1;
        }
    }
    let games = counted(games.len(), "random game");
    Ok(format!("the same answers of two games in {plies} plies of {games}"))
}

/// Two games with the same calls give the same answers.
fn check_same(one: &TestGame, other: &TestGame) -> StepResult<()> {
    other.expect(&one.state()?, "in a second game with the same calls")?;
    let diagram = |game: &TestGame| game.ask("diagram", |game| game.diagram(Observer::Everything));
    let board = |game: &TestGame| {
        game.ask("board", |game| game.board(Observer::Everything).map(|board| board.to_json()))
    };
    let prompt = |game: &TestGame| game.ask("prompt", |game| game.prompt().unwrap_or_default());
    for observer in other.observers() {
        let view = || other.ask("view", |game| game.view(observer));
        let [found, expected] = [view()?, view()?];
        if found != expected {
            let sentence = "the same view, asked for twice, differs";
            return Err(other.failure(sentence, "query a view twice", [found, expected]));
        }
    }
    check_answers(other, "the diagram", [diagram(other)?, diagram(one)?])?;
    let [found, expected] = [board(other)?, board(one)?].map(Option::unwrap_or_default);
    check_answers(other, "the board", [found, expected])?;
    check_answers(other, "the prompt", [prompt(other)?, prompt(one)?])
}

fn check_answers(game: &TestGame, answer: &str, [found, expected]: [String; 2]) -> StepResult<()> {
    if found == expected {
        return Ok(());
    }
    let sentence = format!("in a second game with the same calls, {answer} differs");
    Err(game.failure(sentence, &format!("query {answer}"), [found, expected]))
}
