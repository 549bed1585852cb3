//! Steps 11 and 12: the same again, one after another and at the same time.

use std::sync::Barrier;

use sandboard_abi::Line;

use super::super::bench::Bench;
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::positions::Board;

/// Own moves of one run.
const PLIES: usize = 6;
/// Instances that play at the same time.
const AT_ONCE: usize = 2;

/// What one instance did: its moves, and what it said of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    moves: Vec<String>,
    lines: Vec<Line>,
}

/// Plays both sides by one instance for a few plies; waits at the gate, where
/// there is one, until the others have begun.
fn run(bench: &Bench<'_>, board: &Board, seed: u64, gate: Option<&Barrier>) -> Verdict<Run> {
    let ask = bench.fixed_ask();
    let refused = || Wrong::Skipped(format!("the rules do not set up {}", board.text()));
    // Every board of the bench is one that the rules set up, so that no thread waits in vain.
    let game = board.set_up().ok_or_else(refused)?;
    let seats = (0..board.info.seats).collect();
    let setup = sandboard_abi::Setup { seats, seed, ..bench.setup(&*game, ask.limits.unit) };
    let scene = format!("{}, all seats, seed {seed}: start", board.text());
    let began = bench.begin(game, &setup, scene, ask.limits.unit);
    if let Some(gate) = gate {
        gate.wait();
    }
    let mut player = began?;
    let mut run = Run { moves: Vec::new(), lines: Vec::new() };
    while run.moves.len() < PLIES && player.game.outcome().is_none() {
        let chosen = player.choose(&ask, &[])?;
        // Time is nothing that could be the same twice; fuel is.
        let untimed = |line| if bench.is_native() { Line { spent: 0, ..line } } else { line };
        run.lines.extend(chosen.lines.into_iter().chain(chosen.line).map(untimed));
        let Some(mv) = chosen.mv else { break };
        player.played(&mv)?;
        run.moves.push(mv);
    }
    Ok(run)
}

pub fn seed(bench: &mut Bench<'_>) -> Verdict {
    let label = bench.fixed_ask().label;
    let seed = bench.settings.seed;
    let (mut plies, mut lines, mut same) = (0, 0, true);
    for board in bench.small_boards() {
        let first = run(bench, &board, seed, None)?;
        let second = run(bench, &board, seed, None)?;
        differs(bench, &board, &first, &second, "a second instance with the same seed")?;
        same &= run(bench, &board, seed.wrapping_add(1), None)?.moves == first.moves;
        plies += first.moves.len();
        lines += first.lines.len();
    }
    let other = if same { "the same too" } else { "other moves" };
    Ok(format!(
        "{plies} moves and {lines} reported lines came out the same twice under {label}; another \
         seed plays {other}"
    ))
}

pub fn instances(bench: &mut Bench<'_>) -> Verdict {
    let seed = bench.settings.seed;
    let mut plies = 0;
    for board in bench.small_boards() {
        let alone = run(bench, &board, seed, None)?;
        let shared: &Bench<'_> = bench;
        let gate = Barrier::new(AT_ONCE);
        let together: Vec<Verdict<Run>> = std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(|| run(shared, &board, seed, Some(&gate)));
            let threads: Vec<_> = (0..AT_ONCE).map(spawn).collect();
            let crashed = || Err(Wrong::Skipped("a thread of the check did not end".into()));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| crashed())).collect()
        });
        for other in together {
            differs(bench, &board, &alone, &other?, "an instance beside another one")?;
        }
        plies += alone.moves.len();
    }
    Ok(format!("{AT_ONCE} instances on as many threads play the same {plies} moves as one alone"))
}

/// Fails where two runs are not the same.
fn differs(bench: &Bench<'_>, board: &Board, one: &Run, other: &Run, whose: &str) -> Verdict<()> {
    if one == other {
        return Ok(());
    }
    let label = bench.fixed_ask().label;
    let what = if one.moves == other.moves { "reports other lines" } else { "plays other moves" };
    let text = |run: &Run| match one.moves == other.moves {
        false => run.moves.join(" "),
        true => {
            let at = one.lines.iter().zip(&other.lines).position(|(a, b)| a != b);
            format!("line {:?}", at.and_then(|at| run.lines.get(at)))
        }
    };
    Err(bench.failed(Finding {
        sentence: format!("{whose} {what}"),
        asked: format!(
            "{}, both sides by one instance, seed {}, choose under {label}, played",
            board.text(),
            bench.settings.seed
        ),
        came_back: format!("`{}`, then `{}`", text(one), text(other)),
        expected: "the same: nothing but module, inputs and seed decides; no clock, no address, \
                   no state beside the instance"
            .into(),
        help: bench.help(),
    }))
}
