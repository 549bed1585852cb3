//! Step 11: boards as data, as each seat and spectators see them.

use std::collections::HashSet;

use sandboard_common::text::{counted, quoted};
use sandboard_games::Seat;
use sandboard_games::board::{Board, Element};
use sandboard_games::general::Observer;

use super::super::context::GameContext;
use super::super::test_game::TestGame;
use crate::check::outcome::{Finding, StepResult};

/// The number of positions over all boards, and the bounds for each random game.
const POSITIONS: usize = 240;
const POSITIONS_OF_GAME: (usize, usize) = (8, 60);

pub(crate) fn boards(context: &mut GameContext<'_>) -> StepResult {
    let games = context.playable_games()?;
    let (fewest, most) = POSITIONS_OF_GAME;
    let (mut positions, mut with_board, mut places) = (0, 0, 0);
    for random in &games {
        let sampled = random.sampled_plies(context.share(POSITIONS).clamp(fewest, most));
        let mut game = context.game_at(random, 0)?;
        for plies in 0..=random.moves.len() {
            if sampled.contains(&plies) {
                let (of_board, warning) = check_position(&game)?;
                warning.into_iter().for_each(|warning| context.warn(warning));
                positions += 1;
                with_board += usize::from(of_board.is_some());
                places = places.max(of_board.unwrap_or(0));
                if with_board != 0 && with_board != positions {
                    let sentence = "it has a board in some positions only";
                    let answers = ["no board".into(), "a board in each position, or none".into()];
                    return Err(game.failure(sentence, "board", answers));
                }
            }
            if let Some(mv) = random.moves.get(plies) {
                game.play_listed(mv)?;
            }
        }
    }
    Ok(match with_board {
        0 => "it has no boards as data; its diagrams are shown".into(),
        _ => format!("boards in {}, of at most {places} places", counted(positions, "position")),
    })
}

/// The number of places on the board; `None` if there is no board.
fn check_position(game: &TestGame) -> StepResult<(Option<usize>, Option<Finding>)> {
    let seats_to_move = game.ask("who moves next", |game| game.next())?.seats();
    let legal = game.legal()?;
    let (mut of_spectators, mut warning) = (None, None);
    let seats = (0..game.board().seats()).map(|seat| Observer::Seat(Seat(seat)));
    for observer in seats.chain([Observer::Spectator]) {
        of_spectators = game.ask("board", |game| game.board(observer))?;
        let own = game.ask("list the legal moves", |game| {
            let mut line = String::new();
            if let Observer::Seat(seat) = observer {
                game.write_legal_of(seat, &mut line);
            }
            line
        })?;
        let allowed = if own.is_empty() { &legal } else { &own };
        let Some(board) = &of_spectators else { continue };
        check_board(game, board, allowed)?;
        if matches!(observer, Observer::Seat(seat) if seats_to_move.contains(seat)) {
            warning = warning.or_else(|| unlisted(game, board, &own));
        }
    }
    let places = |board: &Board| board.elements.iter().flatten().flat_map(Element::places).count();
    Ok((of_spectators.as_ref().map(places), warning))
}

/// A warning if the board of a seat to move lacks one of its legal moves.
fn unlisted(game: &TestGame, board: &Board, legal: &str) -> Option<Finding> {
    let listed: HashSet<&str> = board.moves.iter().map(|entry| entry.mv.as_str()).collect();
    let mv = legal.split_ascii_whitespace().find(|mv| !listed.contains(mv))?;
    let sentence = format!("the board does not list the legal move {}", quoted(mv));
    let expected = "each legal move, so that people need not type it";
    let request = format!("{}; board", game.history());
    Some(game.reporter.finding(sentence, request, [board.to_json(), expected.into()]))
}

/// The board is valid, and its JSON is read back.
fn check_board(game: &TestGame, board: &Board, legal: &str) -> StepResult<()> {
    let read = || Board::from_json(&board.to_json()).map(drop);
    board.check(legal).and_then(|()| read()).map_err(|reason| {
        let sentence = format!("the board is not valid: {reason}");
        game.failure(sentence, "board", [board.to_json(), "a board by docs/board.md".into()])
    })
}
