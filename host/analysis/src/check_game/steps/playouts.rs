//! Step 7: random games to their end, and their results; and those that the rules play themselves.

use std::collections::{BTreeMap, BTreeSet};

use sandboard_common::text::counted;
use sandboard_games::{DynGame, Ending, PlayoutPlan, Playouts, Seat, Side, playouts_by_text};

use super::super::context::GameContext;
use super::super::game_state::ending_text;
use super::super::test_game::TestGame;
use crate::check::outcome::StepResult;
use crate::check::positions::Board;

/// The most plies of all games, over all boards. Each board gets one game at least.
const PLIES: usize = 60_000;
/// The most games of a board.
const GAMES_OF_BOARD_MAX: usize = 100;
/// A random game that is longer than this number of plies is a warning.
const PLIES_MAX: usize = 10_000;
/// The games of a board that the rules play themselves, and their most plies.
const PLAYOUTS: u32 = 2;
const PLAYOUT_PLIES_MAX: u32 = 600;
/// The most reasons of endings that the summary names.
const REASONS_SHOWN: usize = 6;

/// The results of the games.
#[derive(Default)]
struct Tally {
    lengths: Vec<usize>,
    results: BTreeMap<String, usize>,
    reasons: BTreeSet<String>,
}

pub(crate) fn playouts(context: &mut GameContext<'_>) -> StepResult {
    let (of_board, mut tally, mut endless) = (context.share(PLIES), Tally::default(), 0);
    for board in context.boards.clone() {
        let mut plies = 0;
        for index in 0..GAMES_OF_BOARD_MAX {
            let random = context.random_game(&board, index, PLIES_MAX)?;
            let game = context.game_at(&random, random.moves.len())?;
            plies += random.moves.len();
            if let Some(refusal) = &random.refusal {
                let answers = [refusal.clone(), "it is played".into()];
                return Err(game.failure("it refuses a move that it lists", "play", answers));
            }
            match game.ask("ending", |game| game.ending())? {
                Some(ending) => {
                    check_end(&game, &ending)?;
                    tally.add(&game, random.moves.len(), ending)?;
                }
                None if random.moves.len() >= PLIES_MAX => {
                    endless += 1;
                    context.warn(unfinished(&game));
                }
                None => {
                    let answers = ["no move, and no ending".into(), "moves, or an ending".into()];
                    let sentence = "it lists no moves, but the game is in progress";
                    return Err(game.failure(sentence, "list the legal moves", answers));
                }
            }
            if plies >= of_board {
                break;
            }
        }
        check_own_games(context, &board)?;
    }
    Ok(format!("{}{}", tally.text(), if endless > 0 { "; others did not end" } else { "" }))
}

fn unfinished(game: &TestGame) -> crate::check::Finding {
    let sentence = format!("a random game has not ended after {PLIES_MAX} plies");
    let expected = "an end, such as a draw after a number of moves or by repetition";
    let request = format!("begin {}, play random moves", game.board().text());
    game.reporter.finding(sentence, request, ["in progress".into(), expected.into()])
}

/// Checks that the random games which the rules play themselves are those of their lists of moves.
fn check_own_games(context: &GameContext<'_>, board: &Board) -> StepResult<()> {
    let (seed, games, plies_max) = (context.settings.seed, PLAYOUTS, PLAYOUT_PLIES_MAX);
    let plan = PlayoutPlan { seed, games, plies_max };
    let position = board.info.deal.map(|deal| deal(&board.variant, seed));
    let [game, other] = [(); 2].map(|()| context.begin(board, position.as_deref()));
    let game = game?;
    let found = game.ask("playouts", |game| game.playouts(&plan))?;
    let by_text = |game: &dyn DynGame| playouts_by_text(game, &plan);
    let expected = other?.ask("playouts by `legal` and `play`", by_text)?;
    if found == expected {
        return Ok(());
    }
    let request = format!("playouts of {games} games with seed {seed}");
    let sentence = "its random games are not those of its lists of moves";
    Err(game.failure(sentence, &request, [results_text(&found), results_text(&expected)]))
}

fn results_text(results: &Playouts) -> String {
    let Playouts { plies, scores, unfinished, decisions, choices } = results;
    format!(
        "plies {plies:?}, scores {scores:?}, unfinished {unfinished:?}, {decisions} decisions with \
         {choices} legal moves"
    )
}

/// Checks what a finished game answers.
fn check_end(game: &TestGame, ending: &Ending) -> StepResult<()> {
    let (board, seats) = (game.board(), game.board().seats());
    let text = ending_text(Some(ending));
    let failed = |sentence: &str, found: String, expected: &str| {
        Err(game.failure(sentence, "ending", [found, expected.to_owned()]))
    };
    if ending.scores.len() != usize::from(seats) {
        let expected = format!("a score for each of {seats} seats");
        return failed("the number of scores is not that of the seats", text, &expected);
    }
    let side_of = |seat: u8| game.ask("side of a seat", |game| game.side(Seat(seat)).0);
    let mut scores: Vec<Option<i32>> = vec![None; board.sides().len()];
    for (seat, score) in (0..seats).zip(&ending.scores) {
        let side = side_of(seat)?;
        let Some(of_side) = scores.get_mut(usize::from(side)) else {
            let expected = format!("a side below {}", scores.len());
            return failed(
                "a seat has a side that the game does not have",
                side.to_string(),
                &expected,
            );
        };
        if of_side.is_some_and(|known| known != *score) {
            return failed("seats of one side have different scores", text, "the same score");
        }
        *of_side = Some(*score);
    }
    let highest = scores.iter().flatten().max();
    let mut best = (0..).zip(&scores).filter(|(_, score)| score.as_ref() == highest);
    let winner = best.next().filter(|_| best.next().is_none()).map(|(side, _)| Side(side));
    let found = game.ask("winner", |game| game.winner())?;
    if found != winner {
        let found = format!("{found:?} and {text}");
        return failed(
            "the winner is not the side with the higher score",
            found,
            "the same result",
        );
    }
    let legal = game.legal()?;
    if !board.info.adjudicates && !legal.is_empty() {
        return failed("it lists moves after the end of the game", legal, "no moves");
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, game: &TestGame, plies: usize, ending: Ending) -> StepResult<()> {
        self.lengths.push(plies);
        let sides = game.board().sides();
        // The name at the start of a game: seats may exchange colours.
        let result = match game.ask("winner", |game| game.winner())? {
            Some(side) => format!("won by {}", sides[usize::from(side.0)]),
            None => "drawn".to_owned(),
        };
        *self.results.entry(result).or_default() += 1;
        self.reasons.insert(ending.reason.into_owned());
        Ok(())
    }

    fn text(&self) -> String {
        let Self { lengths, results, reasons } = self;
        let Some((fewest, most)) = lengths.iter().min().zip(lengths.iter().max()) else {
            return "no random game ended".into();
        };
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        let results: Vec<String> =
            results.iter().map(|(result, count)| format!("{count} {result}")).collect();
        let more = match reasons.len().saturating_sub(REASONS_SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reasons: Vec<&str> = reasons.iter().take(REASONS_SHOWN).map(String::as_str).collect();
        format!(
            "{} of {fewest} to {most} plies, {mean:.1} on average: {}; ended by {}{more}",
            counted(lengths.len(), "random game"),
            results.join(", "),
            reasons.join(", ")
        )
    }
}
