//! Steps 6 and 7: positions of all kinds, and complete games with the referee.

use std::collections::BTreeSet;

use super::super::bouts::{TestBout, play_bout};
use super::super::context::{CheckContext, SetupMode};
use super::super::outcome::StepResult;
use sandboard_common::text::counted;

pub(crate) fn positions(context: &mut CheckContext<'_>) -> StepResult {
    let move_request = context.default_request();
    let (mut requests, mut resigned, mut forced) = (0, 0, 0);
    for (index, board) in context.sampled_boards().into_iter().enumerate() {
        let moves = board.random_game(context.settings.seed.wrapping_add(index as u64));
        let last = moves.len().saturating_sub(1);
        let mut cases: Vec<Vec<String>> = Vec::new();
        let plies = BTreeSet::from([1, 2, last / 2, last.saturating_sub(1), last]);
        cases.extend(plies.range(..=last).map(|ply| moves[..*ply].to_vec()));
        if let Some(line) = board.forced(context.settings.seed) {
            forced += 1;
            cases.push(line);
        }
        for moves in cases {
            for mode in [SetupMode::Position, SetupMode::Moves, SetupMode::Played] {
                let mut instance =
                    context.start_at(&board, &moves, mode, move_request.limits.unit)?;
                let chosen = instance.choose(&move_request, &[])?;
                resigned += usize::from(chosen.mv.is_none());
                requests += 1;
            }
        }
    }
    Ok(format!(
        "a legal answer to {requests} requests (by `start`, `moves` and `played`), from the first \
         ply to the last, {} with one legal move; resigned {resigned} times",
        counted(forced, "position")
    ))
}

pub(crate) fn games(context: &mut CheckContext<'_>) -> StepResult {
    let (mut games, mut plies, mut ends) = (0, 0, BTreeSet::new());
    for board in context.smallest_boards().into_iter().chain(context.general_boards.clone()) {
        let TestBout { moves, ending } = play_bout(context, &board, &context.whole_game())?;
        games += 1;
        plies += moves.len();
        ends.insert(ending);
    }
    let ends: Vec<String> = ends.into_iter().collect();
    let games = counted(games, "game");
    Ok(format!("{games} against itself, {plies} plies; {}", ends.join(", ")))
}
