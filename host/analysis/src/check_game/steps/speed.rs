//! Step 11: how fast the rules are. Compares nothing with a limit.

use std::time::{Duration, Instant};

use super::super::context::GameContext;
use crate::check::outcome::StepResult;
use crate::check::positions::Board;

/// How long each of the two rates is measured, over all boards.
const MEASURED: Duration = Duration::from_millis(200);
/// The longest random game, in plies.
const PLIES_MAX: usize = 600;

/// Calls of `play` and random games in a second.
#[derive(Clone, Copy)]
struct Rates {
    plays: f64,
    games: f64,
}

pub(crate) fn speed(context: &mut GameContext<'_>) -> StepResult {
    let mut measured: Vec<(&Board, Rates)> = Vec::new();
    for board in &context.boards {
        measured.push((board, rates(context, board)?));
    }
    measured.sort_by(|(_, one), (_, other)| one.plays.total_cmp(&other.plays));
    let text = |(board, rates): &(&Board, Rates)| {
        format!(
            "{:.0} plays and {:.1} random games a second ({})",
            rates.plays,
            rates.games,
            board.text()
        )
    };
    Ok(match &measured[..] {
        [slowest, .., fastest] => format!("from {} to {}", text(slowest), text(fastest)),
        of_board => of_board.iter().map(text).collect(),
    })
}

fn rates(context: &GameContext<'_>, board: &Board) -> StepResult<Rates> {
    let time = MEASURED / u32::try_from(context.boards.len()).unwrap_or(u32::MAX);
    let random = context.random_game(board, 0, PLIES_MAX)?;
    let (began, mut plays) = (Instant::now(), 0);
    while plays == 0 || began.elapsed() < time {
        context.game_at(&random, random.moves.len())?;
        // A game without a move counts, so that the loop ends.
        plays += random.moves.len().max(1);
    }
    let plays = plays as f64 / began.elapsed().as_secs_f64();
    let (began, mut games) = (Instant::now(), 0);
    while games == 0 || began.elapsed() < time {
        context.random_game(board, games, PLIES_MAX)?;
        games += 1;
    }
    Ok(Rates { plays, games: games as f64 / began.elapsed().as_secs_f64() })
}
