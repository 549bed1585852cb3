//! Steps 3 to 5 and 15: starts that must succeed, and starts that must be refused. Plays at most
//! one move.

use sandboard_abi::{Kind, OptionSpec, Setup, Unit};

use super::super::bouts::{BoutPlan, play_bout};
use super::super::context::{CheckContext, SetupMode};
use super::super::outcome::{Finding, StepFailure, StepResult};
use super::super::positions::{Board, legal};
use super::super::test_instance::TestInstance;
use super::module::nothing_to_try;
use sandboard_common::text::counted;
use sandboard_engine::FaultCode;

pub(crate) fn starts(context: &mut CheckContext<'_>) -> StepResult {
    if context.boards.is_empty() && context.general_boards.is_empty() {
        return Err(nothing_to_try(context));
    }
    for board in context.general_boards.clone() {
        play_bout(context, &board, &BoutPlan { plies_max: 0, ..context.beginning() })?;
    }
    let mut slowest_us = 0;
    for board in context.boards.clone() {
        for seat in 0..board.seats() {
            slowest_us =
                slowest_us.max(start(context, &board, seat, Unit::Wall, &[])?.started.wall_us);
        }
    }
    let boards = counted(context.boards.len() + context.general_boards.len(), "board");
    Ok(match context.has_only_general_boards() {
        true => format!("bouts of {boards} begin, with the engine in each seat"),
        false => format!("{boards} in each seat; the slowest start took {} ms", slowest_us / 1000),
    })
}

/// Starts an instance with these additional options.
fn start(
    context: &CheckContext<'_>,
    board: &Board,
    seat: u8,
    unit: Unit,
    more: &[(String, String)],
) -> StepResult<TestInstance> {
    let refused = || StepFailure::Skipped(format!("the rules reject {}", board.text()));
    let game = board.new_game().ok_or_else(refused)?;
    let mut setup = Setup { seats: vec![seat], ..context.setup(&*game, unit) };
    setup.options.extend_from_slice(more);
    let mut history = format!("{}, seat {seat}: start", board.text());
    for (name, value) in more {
        history += &format!(" with option {name}={value}");
    }
    context.start(game, &setup, history, unit)
}

pub(crate) fn options(context: &mut CheckContext<'_>) -> StepResult {
    let Some(board) = context.boards.first().cloned() else { return Err(nothing_to_try(context)) };
    let move_request = context.default_request();
    let unit = move_request.limits.unit;
    let all = context.engine(unit)?.description.options.clone();
    let fixed_options = &context.settings.fixed_options;
    let free: Vec<OptionSpec> =
        all.into_iter().filter(|spec| !fixed_options.contains(&spec.name)).collect();
    let mut values = 0;
    for spec in &free {
        for value in test_values(spec) {
            let mut instance = start(context, &board, 0, unit, &[(spec.name.clone(), value)])?;
            instance.choose(&move_request, &[])?;
            values += 1;
        }
    }
    Ok(format!(
        "starts and answers with {} of {}: the initial, smallest and largest values, and every \
         choice",
        counted(values, "value"),
        counted(free.len(), "option")
    ))
}

/// The values of an option to test: the initial value, both ends of its range, and every word of a
/// choice.
fn test_values(spec: &OptionSpec) -> Vec<String> {
    let mut values = vec![spec.initial.clone()];
    match &spec.kind {
        Kind::Toggle => values.extend(["true".into(), "false".into()]),
        Kind::Whole(first, last) => values.extend([first.to_string(), last.to_string()]),
        Kind::Real(first, last) => values.extend([first.to_string(), last.to_string()]),
        Kind::Pick(words) => values.extend_from_slice(words),
        Kind::Text(most) => values.extend([String::new(), "x".repeat((*most).min(4096) as usize)]),
    }
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    values
}

pub(crate) fn answers(context: &mut CheckContext<'_>) -> StepResult {
    let move_request = context.default_request();
    let mut slowest_us = 0;
    for board in context.boards.clone() {
        let mut instance =
            context.start_at(&board, &[], SetupMode::Moves, move_request.limits.unit)?;
        let chosen = instance.choose(&move_request, &[])?;
        slowest_us = slowest_us.max(chosen.spent.wall_us);
        if chosen.mv.is_none() {
            let moves = legal(&*instance.game).len();
            context.warn(Finding {
                sentence: "it resigns before the first move".into(),
                request: format!("{}; {}", instance.history, instance.call(&move_request, &[])),
                response: "resign".into(),
                expected: format!("one of {moves} legal moves"),
                advice: context.advice(),
            });
        }
    }
    for board in context.general_boards.clone() {
        play_bout(context, &board, &context.beginning())?;
    }
    let boards = counted(context.boards.len() + context.general_boards.len(), "board");
    let label = move_request.label;
    Ok(match context.has_only_general_boards() {
        true => format!("legal moves at the beginning of bouts of {boards} under {label}"),
        false => format!(
            "a legal first move on {boards} under {label}, the slowest after {} ms",
            slowest_us / 1000
        ),
    })
}

/// A setup that no engine can play, and its description.
struct InvalidSetup {
    description: &'static str,
    setup: Setup,
}

pub(crate) fn refusals(context: &mut CheckContext<'_>) -> StepResult {
    let Some(board) = context.boards.first().cloned() else { return Err(nothing_to_try(context)) };
    let Some(game) = board.new_game() else { return Err(nothing_to_try(context)) };
    let valid = context.setup(&*game, Unit::Wall);
    let mut moves = legal(&*game);
    moves.truncate(1);
    let illegal = [moves.concat(), "no-such-move".into()].join(" ");
    let with = |name: &str, value: &str| {
        let mut options = valid.options.clone();
        options.push((name.into(), value.into()));
        Setup { options, ..valid.clone() }
    };
    let cases = [
        ("an unknown game", Setup { game: "no-such-game".into(), ..valid.clone() }),
        ("an unknown variant", Setup { variant: "no-such-variant".into(), ..valid.clone() }),
        ("an invalid position", Setup { start: "?!/é 7 nonsense".into(), ..valid.clone() }),
        ("a line with an illegal move", Setup { moves: illegal, ..valid.clone() }),
        ("an unknown option", with("no-such-option", "1")),
    ];
    let cases = cases.map(|(description, setup)| InvalidSetup { description, setup });
    let count = cases.len();
    let mut accepted = 0;
    for InvalidSetup { description, setup } in cases {
        let history = format!("start with {description}");
        match context.try_start(game.boxed_clone(), &setup, history.clone(), Unit::Wall)? {
            Ok(_) => {
                accepted += 1;
                context.warn(Finding {
                    sentence: format!("it accepts {description}"),
                    request: history,
                    response: "started".into(),
                    expected: "an error with the reason".into(),
                    advice: context.advice(),
                });
            }
            Err(fault) if fault.code == FaultCode::Start => drop(context.reporter().note(&fault)),
            Err(fault) => {
                let expected = "an error with the reason, returned by `start`";
                return Err(context.reporter().fault(&fault, history, expected));
            }
        }
    }
    Ok(format!("{} of {count} invalid starts refused with a reason", count - accepted))
}
