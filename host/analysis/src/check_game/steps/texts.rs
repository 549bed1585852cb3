//! Step 9: texts for people: diagrams, names of sides, and prompts.

use sandboard_common::text::{counted, quoted};
use sandboard_games::general::Observer;
use sandboard_games::{Phase, Side};

use super::super::context::GameContext;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;

/// The number of positions over all boards, and the bounds for each random game.
const POSITIONS: usize = 240;
const POSITIONS_OF_GAME: (usize, usize) = (8, 60);
/// The longest line of a diagram, in characters.
const COLUMNS_MAX: usize = 200;

pub(crate) fn texts(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (fewest, most) = POSITIONS_OF_GAME;
    let (mut positions, mut lines, mut columns) = (0, 0, 0);
    for random in &games {
        let sampled = random.sampled_plies(context.share(POSITIONS).clamp(fewest, most));
        let mut game = context.game_at(random, 0)?;
        for plies in 0..=random.moves.len() {
            if sampled.contains(&plies) {
                let (height, width) = check_diagram(&game)?;
                (lines, columns) = (lines.max(height), columns.max(width));
                check_sides(&game)?;
                check_prompt(&game)?;
                check_last_move(&game, random.moves[..plies].last().map_or("", String::as_str))?;
                positions += 1;
            }
            if let Some(mv) = random.moves.get(plies) {
                game.play_listed(mv)?;
            }
        }
    }
    Ok(format!(
        "texts in {}; diagrams of at most {lines} lines with {columns} characters",
        counted(positions, "position")
    ))
}

/// Returns the numbers of lines and of characters in the longest line.
fn check_diagram(game: &TestGame) -> StepResult<(usize, usize)> {
    let diagram = game.ask("diagram", |game| game.diagram(Observer::Everything))?;
    let columns = diagram.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if diagram.trim().is_empty() {
        let answers = [quoted(&diagram), "a text diagram".into()];
        return Err(game.failure("the diagram is empty", "diagram", answers));
    }
    if columns > COLUMNS_MAX {
        let sentence = format!("the diagram has a line of {columns} characters");
        let answers = [diagram, format!("at most {COLUMNS_MAX}, so that a terminal can show it")];
        return Err(game.failure(sentence, "diagram", answers));
    }
    Ok((diagram.lines().count(), columns))
}

/// The names of the sides are those of the declaration, in any order.
fn check_sides(game: &TestGame) -> StepResult<()> {
    let declared = game.board().sides();
    let names = game.ask("names of the sides", |game| {
        (0..declared.len() as u8).map(|side| game.side_name(Side(side))).collect::<Vec<_>>()
    })?;
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        names.sort();
        names.join(", ")
    };
    let (found, expected) = (sorted(&names), sorted(declared));
    if found == expected {
        return Ok(());
    }
    let sentence = "the names of the sides are not those that are declared";
    Err(game.failure(sentence, "names of the sides", [found, expected]))
}

/// In ordinary play there is no prompt.
fn check_prompt(game: &TestGame) -> StepResult<()> {
    let (prompt, phase) = game.ask("prompt", |game| (game.prompt(), game.phase()))?;
    match prompt {
        Some(prompt) if phase == Phase::Play => {
            let answers = [quoted(&prompt), "no prompt".into()];
            Err(game.failure("it has a prompt in ordinary play", "prompt", answers))
        }
        Some(prompt) if prompt.trim().is_empty() => {
            let answers = [quoted(&prompt), "what the mover must choose, or no prompt".into()];
            Err(game.failure("it has an empty prompt", "prompt", answers))
        }
        _ => Ok(()),
    }
}

fn check_last_move(game: &TestGame, expected: &str) -> StepResult<()> {
    let last = game.ask("text of the last move", |game| {
        let mut text = String::new();
        game.write_last_move(&mut text);
        text
    })?;
    if last == expected {
        return Ok(());
    }
    let sentence = "the text of the last move is not the move that was played";
    Err(game.failure(sentence, "text of the last move", [quoted(&last), quoted(expected)]))
}
