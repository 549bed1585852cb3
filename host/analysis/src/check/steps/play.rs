//! Steps 6 and 7: positions of all kinds, and complete games with the referee.

use std::collections::BTreeSet;

use super::super::context::{CheckContext, GENEROUS_GRACE, SetupMode};
use super::super::outcome::{Finding, StepFailure, StepResult};
use sandboard_bout::driver as bout;
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination,
};
use sandboard_bout::referee::{BoutSettings, Termination};
use sandboard_bout::start::StartPosition;
use sandboard_common::text::counted;

/// The longest test game, in plies.
const PLIES_MAX: u32 = 500;
/// A resignation or an agreed draw before this number of plies is a warning.
const EARLY_PLIES: usize = 8;

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
    let budget = context.settings.budget;
    let (mut games, mut plies, mut ends) = (0, 0, BTreeSet::new());
    for board in context.smallest_boards() {
        let engine = context.engine(budget.unit())?;
        let player = |seat: u8| Participant {
            name: format!("seat {seat}"),
            seats: vec![seat],
            budget,
            engine: Some(EnginePlayer {
                options: context.settings.options.clone(),
                limits: engine.limits,
                ..EnginePlayer::new(engine.source.clone(), context.target.entry.id.clone())
            }),
            ponders: false,
        };
        let setup = BoutSetup {
            start: StartPosition {
                game: board.info,
                variant: board.variant.clone(),
                position: None,
            },
            seed: context.settings.seed,
            settings: BoutSettings {
                requests: 1,
                grace: context.grace(),
                guard_us: GENEROUS_GRACE.us,
                plies_max: PLIES_MAX,
                ..BoutSettings::default()
            },
            players: (0..board.seats()).map(player).collect(),
            hint: None,
            output_listener: None,
            destination: RecordDestination::Unsaved,
            resumed_from: None,
        };
        let report = bout::run(setup, None, &mut NullObserver).map_err(|error| {
            StepFailure::Skipped(format!("no game of {}: {error}", board.text()))
        })?;
        for text in &report.record.logs {
            context.log.add(level(&text.level), &text.text);
        }
        let moves: Vec<&str> = report.record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
        let unfinished = || StepFailure::Skipped(format!("a game of {} has no end", board.text()));
        let result = report.result.ok_or_else(unfinished)?;
        match &result.termination {
            Termination::Rules { rule } => {
                ends.insert(rule.clone());
            }
            Termination::PlyLimit => {
                ends.insert(format!("stopped after {PLIES_MAX} plies"));
            }
            Termination::Resignation | Termination::DrawAgreed => {
                if moves.len() < EARLY_PLIES {
                    context.warn(Finding {
                        sentence: format!(
                            "a game against itself is over after {} plies: {}",
                            moves.len(),
                            result.sentence
                        ),
                        request: format!("{}, both sides under {budget}", board.text()),
                        response: result.sentence.clone(),
                        expected: "a game that is played to its end".into(),
                        advice: context.advice(),
                    });
                }
                ends.insert(result.sentence.clone());
            }
            Termination::Aborted => {
                let sentence = &result.sentence;
                let reason = format!("a game of {} was void: {sentence}", board.text());
                return Err(StepFailure::Skipped(format!(
                    "{reason}, which is a fault of this host"
                )));
            }
            _ => {
                context.log.add("fault", &result.sentence);
                return Err(context.failed(Finding {
                    sentence: format!(
                        "a game was lost by a fault after {} plies: {}",
                        moves.len(),
                        result.sentence
                    ),
                    request: format!(
                        "{}, both sides under {budget}: `{}`",
                        board.text(),
                        moves.join(" ")
                    ),
                    response: result.sentence,
                    expected: "an end by the rules, or a resignation".into(),
                    advice: context.advice(),
                }));
            }
        }
        games += 1;
        plies += moves.len();
    }
    let ends: Vec<String> = ends.into_iter().collect();
    let games = counted(games, "game");
    Ok(format!("{games} against itself, {plies} plies; {}", ends.join(", ")))
}

fn level(text: &str) -> &'static str {
    let known = ["fatal", "warning", "info", "debug"];
    known.into_iter().find(|known| *known == text).unwrap_or("info")
}
