//! Steps 8 and 9: moves that are refused, and moves that are taken back.

use super::super::bench::{Bench, Way};
use super::super::outcome::{Finding, Verdict};
use super::super::positions::legal;

/// How often in a row a position is asked about, each answer barred the next time.
const REFUSALS: usize = 4;

pub fn barred(bench: &mut Bench<'_>) -> Verdict {
    let ask = bench.usual_ask();
    let (mut requests, mut resigned) = (0, 0);
    for board in bench.small_boards() {
        let moves = board.random_game(bench.settings.seed);
        for ply in [0, moves.len() / 2, moves.len().saturating_sub(1)] {
            let mut player = bench.seat(&board, &moves[..ply], Way::Moves, ask.limits.unit)?;
            let open = legal(&*player.game);
            let mut refused: Vec<String> = Vec::new();
            while refused.len() < REFUSALS.min(open.len()) {
                requests += 1;
                match player.choose(&ask, &refused)?.mv {
                    Some(mv) => refused.push(mv),
                    None => {
                        resigned += 1;
                        break;
                    }
                }
            }
            // Two that differ: chance does not choose the right one twice.
            for only in [open.first(), open.last()].into_iter().flatten() {
                let others: Vec<String> = open.iter().filter(|mv| *mv != only).cloned().collect();
                requests += 1;
                resigned += usize::from(player.choose(&ask, &others)?.mv.is_none());
            }
        }
    }
    Ok(format!(
        "{requests} requests with up to all moves but one barred, none of them chosen; resigned \
         {resigned} times"
    ))
}

/// How far back it goes in a game of so many plies.
fn distances(plies: usize) -> Vec<usize> {
    let mut distances = vec![1, 3, plies];
    distances.retain(|distance| *distance <= plies && *distance > 0);
    distances.dedup();
    distances
}

pub fn undo(bench: &mut Bench<'_>) -> Verdict {
    let fixed = bench.fixed_ask();
    let (mut undone, mut compared) = (0, 0);
    for board in bench.small_boards() {
        let line = board.random_game(bench.settings.seed);
        let other = board.random_game(bench.settings.seed.wrapping_add(1));
        let plies = line.len() * 2 / 3;
        for back in distances(plies) {
            let kept = &line[..plies - back];
            // Nothing is asked before the undo, so that nothing kept from a search counts.
            let mut player = bench.seat(&board, &line[..plies], Way::Played, fixed.limits.unit)?;
            player.taken_back(back)?;
            let scene = player.scene.clone();
            let undone_choice = player.choose(&fixed, &[])?;
            // The same moves once more, then back again and others.
            line[kept.len()..plies].iter().try_for_each(|mv| player.played(mv))?;
            player.choose(&fixed, &[])?;
            player.taken_back(back)?;
            let fits = |player: &super::super::player::Player, mv: &String| {
                player.game.outcome().is_none() && player.game.canonical(mv).is_ok()
            };
            for mv in other.iter().take(back) {
                if fits(&player, mv) {
                    player.played(mv)?;
                }
            }
            if player.game.outcome().is_none() {
                player.choose(&fixed, &[])?;
            }
            drop(player);
            undone += 1;
            let mut fresh = bench.seat(&board, kept, Way::Played, fixed.limits.unit)?;
            let fresh_choice = fresh.choose(&fixed, &[])?;
            compared += 1;
            if fresh_choice.mv != undone_choice.mv {
                bench.warn(Finding {
                    sentence: format!(
                        "after {back} plies taken back it chooses another move than a fresh instance"
                    ),
                    asked: format!("{scene}; choose under {}", fixed.label),
                    came_back: shown(&undone_choice.mv),
                    expected: format!(
                        "{}, as a fresh instance chooses that was never told the moves",
                        shown(&fresh_choice.mv)
                    ),
                    help: bench.help(),
                });
            }
        }
    }
    Ok(format!(
        "{undone} times from 1 to all plies back, on with the same and with other moves; the same \
         move as a fresh instance {compared} times"
    ))
}

fn shown(mv: &Option<String>) -> String {
    mv.as_ref().map_or("resign".to_owned(), |mv| format!("`{mv}`"))
}
