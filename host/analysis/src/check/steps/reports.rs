//! Step 14: whether the reports of an engine are true, as far as the rules can decide that.

use sandboard_abi::{Limits, Line, limits};

use super::super::context::{CheckContext, MoveRequest, SetupMode};
use super::super::outcome::{Finding, StepFailure, StepResult};
use super::super::positions::Board;
use super::super::test_instance::{ChosenMove, TestInstance};

pub(crate) fn reports(context: &mut CheckContext<'_>) -> StepResult {
    let move_request = context.default_request();
    let (mut requests, mut lines, mut silent) = (0, 0, 0);
    for board in context.sampled_boards() {
        let moves = board.random_game(context.settings.seed);
        for ply in [0, moves.len() / 3, moves.len() * 2 / 3, moves.len().saturating_sub(1)] {
            let mut instance = context.start_at(
                &board,
                &moves[..ply],
                SetupMode::Moves,
                move_request.limits.unit,
            )?;
            let chosen = instance.choose(&move_request, &[])?;
            let request = format!("{}; {}", instance.history, instance.call(&move_request, &[]));
            for line in chosen.lines.iter().chain(&chosen.line) {
                check_line(context, &instance, line, &request)?;
            }
            check_order(context, &instance, &chosen, &request);
            requests += 1;
            lines += chosen.lines.len();
            silent += usize::from(chosen.lines.is_empty() && chosen.line.is_none());
            lines += request_lines(context, &board, &moves[..ply], &move_request)?;
            requests += 1;
        }
    }
    let nothing = match silent {
        0 => String::new(),
        _ => format!(
            "; without any report in {silent} requests, so that the host has no move to play when \
             time runs out"
        ),
    };
    Ok(format!("{lines} lines in {requests} requests, all legal{nothing}"))
}

/// Requests several lines and offers a draw, both of which an engine may ignore. Returns the number
/// of reported lines.
fn request_lines(
    context: &mut CheckContext<'_>,
    board: &Board,
    moves: &[String],
    move_request: &MoveRequest,
) -> StepResult<usize> {
    let limits = Limits { lines: 3, draw_offered: true, ..move_request.limits.clone() };
    let move_request = MoveRequest { limits, label: move_request.label.clone() };
    let mut instance =
        context.start_at(board, moves, SetupMode::Moves, move_request.limits.unit)?;
    instance.history += ", with 3 lines requested and a draw offered";
    let chosen = instance.choose(&move_request, &[])?;
    let request = format!("{}; {}", instance.history, instance.call(&move_request, &[]));
    for line in chosen.lines.iter().chain(&chosen.line) {
        check_line(context, &instance, line, &request)?;
    }
    Ok(chosen.lines.len())
}

fn check_line(
    context: &CheckContext<'_>,
    instance: &TestInstance,
    line: &Line,
    request: &str,
) -> StepResult<()> {
    let failure = |sentence: String, expected: &str| {
        let response = format!("{line:?}");
        let (request, expected, advice) =
            (request.to_owned(), expected.to_owned(), context.advice());
        StepFailure::Failed(Box::new(Finding { sentence, request, response, expected, advice }))
    };
    let mut game = instance.game.boxed_clone();
    for (index, mv) in line.moves.split_ascii_whitespace().enumerate() {
        if let Err(refusal) = game.play(mv) {
            let sentence =
                format!("it reports a line whose move {} is illegal: {refusal}", index + 1);
            return Err(failure(sentence, "a line of legal moves from the requested position"));
        }
    }
    if line.rank == 0 {
        return Err(failure("it reports a line of rank 0".into(), "1 for the best line"));
    }
    let most = limits::WIN_SCORE;
    if let Some(score) = line.score.filter(|score| score.value.abs() >= most) {
        let sentence = format!("it reports a score of {} or beyond", score.value);
        return Err(failure(
            sentence,
            &format!("less than {most}: a win in n plies is {most} - n"),
        ));
    }
    Ok(())
}

/// Warns of reports that are not false, but that a reader does not expect.
fn check_order(
    context: &mut CheckContext<'_>,
    instance: &TestInstance,
    chosen: &ChosenMove,
    request: &str,
) {
    let first: Vec<&Line> = chosen.lines.iter().filter(|line| line.rank == 1).collect();
    let fewer = first
        .windows(2)
        .find(|pair| pair[1].depth < pair[0].depth || pair[1].nodes < pair[0].nodes);
    let mut problems = Vec::new();
    if let Some(pair) = fewer {
        let text = |line: &Line| format!("depth {}, {} nodes", line.depth, line.nodes);
        problems.push((
            "depth or nodes of its lines go down within a call".to_owned(),
            format!("{}, then {}", text(pair[0]), text(pair[1])),
            "increasing numbers".to_owned(),
        ));
    }
    let last = chosen.line.as_ref().or(first.last().copied());
    let candidate = last.and_then(|line| line.moves.split_ascii_whitespace().next());
    let candidate = candidate.and_then(|text| instance.game.canonical(text).ok());
    if let (Some(candidate), Some(mv)) = (candidate, chosen.mv.as_ref())
        && candidate != *mv
    {
        problems.push((
            format!("it plays `{mv}`, but its last line begins with `{candidate}`"),
            format!("play `{mv}`, line `{}`", last.map_or("", |line| &line.moves)),
            "a line that begins with the move".to_owned(),
        ));
    }
    for (sentence, response, expected) in problems {
        let advice = context.advice();
        context.warn(Finding { sentence, request: request.to_owned(), response, expected, advice });
    }
}
