//! Steps 8 and 9: barred moves, and moves taken back.

use super::super::context::{CheckContext, SetupMode};
use super::super::outcome::{Finding, StepResult};
use super::super::positions::legal;

/// The number of requests in one position; each answer is barred in the next request.
const REFUSALS: usize = 4;

pub(crate) fn barred(context: &mut CheckContext<'_>) -> StepResult {
    let move_request = context.default_request();
    let (mut requests, mut resigned) = (0, 0);
    for board in context.smallest_boards() {
        let moves = board.random_game(context.settings.seed);
        for ply in [0, moves.len() / 2, moves.len().saturating_sub(1)] {
            let mut instance = context.start_at(
                &board,
                &moves[..ply],
                SetupMode::Moves,
                move_request.limits.unit,
            )?;
            let open = legal(&*instance.game);
            let mut refused: Vec<String> = Vec::new();
            while refused.len() < REFUSALS.min(open.len()) {
                requests += 1;
                match instance.choose(&move_request, &refused)?.mv {
                    Some(mv) => refused.push(mv),
                    None => {
                        resigned += 1;
                        break;
                    }
                }
            }
            // Leaves only the first move, then only the last: no engine chooses both by chance.
            for only in [open.first(), open.last()].into_iter().flatten() {
                let others: Vec<String> = open.iter().filter(|mv| *mv != only).cloned().collect();
                requests += 1;
                resigned += usize::from(instance.choose(&move_request, &others)?.mv.is_none());
            }
        }
    }
    Ok(format!(
        "{requests} requests with up to all moves but one barred, no barred move chosen; resigned \
         {resigned} times"
    ))
}

/// The numbers of plies to take back in a game of `plies` plies.
fn distances(plies: usize) -> Vec<usize> {
    let mut distances = vec![1, 3, plies];
    distances.retain(|distance| *distance <= plies && *distance > 0);
    distances.dedup();
    distances
}

pub(crate) fn undo(context: &mut CheckContext<'_>) -> StepResult {
    let fixed = context.fixed_request();
    let (mut undone, mut compared) = (0, 0);
    for board in context.smallest_boards() {
        let line = board.random_game(context.settings.seed);
        let other = board.random_game(context.settings.seed.wrapping_add(1));
        let plies = line.len() * 2 / 3;
        for back in distances(plies) {
            let kept = &line[..plies - back];
            // No request before the undo, so that the engine keeps nothing from a search.
            let mut instance =
                context.start_at(&board, &line[..plies], SetupMode::Played, fixed.limits.unit)?;
            instance.taken_back(back)?;
            let history = instance.history.clone();
            let undone_choice = instance.choose(&fixed, &[])?;
            // Then the same moves again, another undo, and other moves.
            line[kept.len()..plies].iter().try_for_each(|mv| instance.played(mv))?;
            instance.choose(&fixed, &[])?;
            instance.taken_back(back)?;
            let fits = |instance: &super::super::test_instance::TestInstance, mv: &String| {
                !instance.game.is_over() && instance.game.canonical(mv).is_ok()
            };
            for mv in other.iter().take(back) {
                if fits(&instance, mv) {
                    instance.played(mv)?;
                }
            }
            if !instance.game.is_over() {
                instance.choose(&fixed, &[])?;
            }
            drop(instance);
            undone += 1;
            let mut fresh = context.start_at(&board, kept, SetupMode::Played, fixed.limits.unit)?;
            let fresh_choice = fresh.choose(&fixed, &[])?;
            compared += 1;
            if fresh_choice.mv != undone_choice.mv {
                context.warn(Finding {
                    sentence: format!(
                        "after taking back {back} plies it chooses another move than a fresh \
                         instance"
                    ),
                    request: format!("{history}; choose under {}", fixed.label),
                    response: move_text(&undone_choice.mv),
                    expected: format!(
                        "{}, as chosen by a fresh instance that never got the moves",
                        move_text(&fresh_choice.mv)
                    ),
                    advice: context.advice(),
                });
            }
        }
    }
    Ok(format!(
        "{undone} undos of 1 to all plies, followed by the same and by other moves; {compared} \
         choices compared with those of a fresh instance"
    ))
}

fn move_text(mv: &Option<String>) -> String {
    mv.as_ref().map_or("resign".to_owned(), |mv| format!("`{mv}`"))
}
