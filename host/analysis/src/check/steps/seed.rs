//! Steps 11 and 12: repeated runs with the same inputs, one after another and at the same time.

use std::sync::Barrier;

use sandboard_abi::Line;

use super::super::bouts::play_bout;
use super::super::context::CheckContext;
use super::super::outcome::{Finding, StepFailure, StepResult};
use super::super::positions::Board;

/// The moves of one run.
const PLIES: usize = 6;
/// The number of instances that play at the same time.
const CONCURRENT_INSTANCES: usize = 2;

/// The moves and reports of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    moves: Vec<String>,
    lines: Vec<Line>,
}

/// Plays both sides with one instance for a few plies. With a barrier, waits until the other
/// instances have started.
fn run(
    context: &CheckContext<'_>,
    board: &Board,
    seed: u64,
    barrier: Option<&Barrier>,
) -> StepResult<Run> {
    let move_request = context.fixed_request();
    let refused = || StepFailure::Skipped(format!("the rules reject {}", board.text()));
    // The rules accept every board of the context, so every thread reaches the barrier.
    let game = board.new_game().ok_or_else(refused)?;
    let seats = (0..board.seats()).collect();
    let setup =
        sandboard_abi::Setup { seats, seed, ..context.setup(&*game, move_request.limits.unit) };
    let history = format!("{}, all seats, seed {seed}: start", board.text());
    let began = context.start(game, &setup, history, move_request.limits.unit);
    if let Some(barrier) = barrier {
        barrier.wait();
    }
    let mut instance = began?;
    let mut run = Run { moves: Vec::new(), lines: Vec::new() };
    while run.moves.len() < PLIES && !instance.game.is_over() {
        let chosen = instance.choose(&move_request, &[])?;
        // Fuel is reproducible, time is not.
        let untimed = |line| if context.is_native() { Line { spent: 0, ..line } } else { line };
        run.lines.extend(chosen.lines.into_iter().chain(chosen.line).map(untimed));
        let Some(mv) = chosen.mv else { break };
        instance.played(&mv)?;
        run.moves.push(mv);
    }
    Ok(run)
}

pub(crate) fn seed(context: &mut CheckContext<'_>) -> StepResult {
    let label = context.fixed_request().label;
    let seed = context.settings.seed;
    let (mut plies, mut lines, mut same) = (0, 0, true);
    for board in context.smallest_boards() {
        let first = run(context, &board, seed, None)?;
        let second = run(context, &board, seed, None)?;
        check_same(context, &board, &first, &second, "a second instance with the same seed")?;
        same &= run(context, &board, seed.wrapping_add(1), None)?.moves == first.moves;
        plies += first.moves.len();
        lines += first.lines.len();
    }
    for board in context.general_boards.clone() {
        let game = context.repeatable_game();
        let [one, other] = [0; 2].map(|_| play_bout(context, &board, &game));
        let runs = [one?, other?].map(|bout| Run { moves: bout.moves, lines: Vec::new() });
        let [first, second] = &runs;
        check_same(context, &board, first, second, "a second bout with the same seed")?;
        plies += first.moves.len();
    }
    if context.has_only_general_boards() {
        return Ok(format!("{plies} plies were the same in two bouts under {label}"));
    }
    let other = if same { "the same moves" } else { "other moves" };
    Ok(format!(
        "{plies} moves and {lines} reported lines were the same in two runs under {label}; another \
         seed gives {other}"
    ))
}

pub(crate) fn instances(context: &mut CheckContext<'_>) -> StepResult {
    let seed = context.settings.seed;
    let mut plies = 0;
    for board in context.smallest_boards() {
        let alone = run(context, &board, seed, None)?;
        let shared: &CheckContext<'_> = context;
        let barrier = Barrier::new(CONCURRENT_INSTANCES);
        let together: Vec<StepResult<Run>> = std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(|| run(shared, &board, seed, Some(&barrier)));
            let threads: Vec<_> = (0..CONCURRENT_INSTANCES).map(spawn).collect();
            let crashed = || Err(StepFailure::Skipped("a thread of the check failed".into()));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| crashed())).collect()
        });
        for other in together {
            check_same(context, &board, &alone, &other?, "an instance beside another one")?;
        }
        plies += alone.moves.len();
    }
    Ok(format!(
        "{CONCURRENT_INSTANCES} instances at the same time play the same {plies} moves as one alone"
    ))
}

/// Fails if two runs differ.
fn check_same(
    context: &CheckContext<'_>,
    board: &Board,
    one: &Run,
    other: &Run,
    run_name: &str,
) -> StepResult<()> {
    if one == other {
        return Ok(());
    }
    let label = context.fixed_request().label;
    let what = if one.moves == other.moves { "reports other lines" } else { "plays other moves" };
    let text = |run: &Run| match one.moves == other.moves {
        false => run.moves.join(" "),
        true => {
            let at = one.lines.iter().zip(&other.lines).position(|(a, b)| a != b);
            format!("line {:?}", at.and_then(|at| run.lines.get(at)))
        }
    };
    Err(context.failed(Finding {
        sentence: format!("{run_name} {what}"),
        request: format!(
            "{}, both sides by one instance, seed {}, choose under {label}, played",
            board.text(),
            context.settings.seed
        ),
        response: format!("`{}`, then `{}`", text(one), text(other)),
        expected: "the same: only the module, its inputs and the seed may matter; no clock, no \
                   address, no state outside the instance"
            .into(),
        advice: context.advice(),
    }))
}
