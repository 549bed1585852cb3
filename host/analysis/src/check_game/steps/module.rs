//! Step 1: the rules load, and begin games. Plays no move.

use std::time::{Duration, Instant};

use sandboard_common::text::counted;
use sandboard_engine_wasm::scan::CapKind;
use sandboard_packs::catalog::GameEntry;

use super::super::context::{GameContext, boards};
use super::super::{GameTarget, test_game::TestGame};
use crate::check::outcome::{Finding, StepFailure, StepResult};
use crate::check::positions::Board;

pub(crate) fn module(context: &mut GameContext<'_>) -> StepResult {
    let target = context.target;
    let info = target.info().map_err(unusable)?;
    context.boards = boards(info, context.settings.variant.as_deref());
    let mut durations = Vec::new();
    for board in &context.boards {
        let began = Instant::now();
        let game = context.begin(board, None)?;
        durations.push(began.elapsed());
        check_variant(&game, board)?;
    }
    let Some((first, board)) = durations.first().zip(context.boards.first()) else {
        return Err(StepFailure::Skipped("the game has no such variant".into()));
    };
    // The first game also waits for the compiler.
    let began = Instant::now();
    context.begin(board, None)?;
    let start = began.elapsed();
    let slowest = durations[1..].iter().copied().fold(start, Duration::max);
    let games = counted(context.boards.len(), "game");
    let begun = format!("{games} begun, in at most {} µs each", slowest.as_micros());
    Ok(match target {
        GameTarget::BuiltIn(_) => format!("built in; {begun}"),
        GameTarget::PluggedIn { entry, loader } => {
            let most = loader.load_caps().limit(CapKind::Bytes) / 1024;
            let (kib, loading) = (entry.module_bytes / 1024, first.saturating_sub(start));
            let loading_ms = loading.as_millis();
            format!("wasm, {kib} of at most {most} KiB; loaded in {loading_ms} ms; {begun}")
        }
    })
}

fn unusable(entry: &GameEntry) -> StepFailure {
    let faults: Vec<String> = entry.faults().iter().map(ToString::to_string).collect();
    StepFailure::Failed(Box::new(Finding {
        sentence: format!("the catalog reports {}: {}", counted(faults.len(), "fault"), faults[0]),
        request: format!("list {}", entry.source.display()),
        response: faults.join("; "),
        expected: "a manifest and a module without faults".into(),
        advice: "sandboard list; docs/manifest.md".into(),
    }))
}

/// A game has the variant and the size that it was begun with.
fn check_variant(game: &TestGame, board: &Board) -> StepResult<()> {
    let variant = game.ask("variant", |game| game.variant())?;
    let is_same = variant.id == board.variant.id
        && (board.variant.size.is_none() || variant.size == board.variant.size);
    if is_same {
        return Ok(());
    }
    let (found, expected) = (variant.text(), board.variant.text());
    let sentence = format!("it begins `{found}` instead of `{expected}`");
    Err(game.failure(sentence, "variant", [format!("`{found}`"), format!("`{expected}`")]))
}
