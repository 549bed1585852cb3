//! Steps 3 to 5 and 15: how games begin, and which must not. Plays one move at most.

use sandboard_abi::{Kind, OptionSpec, Setup, Unit};

use super::super::bench::{Bench, Way};
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::player::Player;
use super::super::positions::{Board, legal};
use super::module::nothing_to_try;
use crate::counted;
use crate::engine::FaultCode;

pub fn starts(bench: &mut Bench<'_>) -> Verdict {
    if bench.boards.is_empty() {
        return Err(nothing_to_try(bench));
    }
    let mut slowest_us = 0;
    for board in bench.boards.clone() {
        for seat in 0..board.info.seats {
            slowest_us =
                slowest_us.max(start(bench, &board, seat, Unit::Wall, &[])?.started.wall_us);
        }
    }
    let boards = counted(bench.boards.len(), "board");
    Ok(format!("{boards} in each seat; the slowest start took {} ms", slowest_us / 1000))
}

/// An instance that has begun a game with these further options.
fn start(
    bench: &Bench<'_>,
    board: &Board,
    seat: u8,
    unit: Unit,
    more: &[(String, String)],
) -> Verdict<Player> {
    let refused = || Wrong::Skipped(format!("the rules do not set up {}", board.text()));
    let game = board.set_up().ok_or_else(refused)?;
    let mut setup = Setup { seats: vec![seat], ..bench.setup(&*game, unit) };
    setup.options.extend_from_slice(more);
    let mut scene = format!("{}, seat {seat}: start", board.text());
    for (name, value) in more {
        scene += &format!(" with option {name}={value}");
    }
    bench.begin(game, &setup, scene, unit)
}

pub fn options(bench: &mut Bench<'_>) -> Verdict {
    let Some(board) = bench.boards.first().cloned() else { return Err(nothing_to_try(bench)) };
    let ask = bench.usual_ask();
    let unit = ask.limits.unit;
    let all = bench.engine(unit)?.description.options.clone();
    let held = &bench.settings.held;
    let free: Vec<OptionSpec> = all.into_iter().filter(|spec| !held.contains(&spec.name)).collect();
    let mut values = 0;
    for spec in &free {
        for value in ends(spec) {
            let mut player = start(bench, &board, 0, unit, &[(spec.name.clone(), value)])?;
            player.choose(&ask, &[])?;
            values += 1;
        }
    }
    Ok(format!(
        "starts and answers with {} of {}: initial, first, last, and each to pick",
        counted(values, "value"),
        counted(free.len(), "option")
    ))
}

/// The values of an option at which a start is tried: the initial one and both
/// ends of its range; every word of a pick, for those have no order.
fn ends(spec: &OptionSpec) -> Vec<String> {
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

pub fn answers(bench: &mut Bench<'_>) -> Verdict {
    let ask = bench.usual_ask();
    let mut slowest_us = 0;
    for board in bench.boards.clone() {
        let mut player = bench.seat(&board, &[], Way::Moves, ask.limits.unit)?;
        let chosen = player.choose(&ask, &[])?;
        slowest_us = slowest_us.max(chosen.spent.wall_us);
        if chosen.mv.is_none() {
            let moves = legal(&*player.game).len();
            bench.warn(Finding {
                sentence: "it resigns before the first move".into(),
                asked: format!("{}; {}", player.scene, player.call(&ask, &[])),
                came_back: "resign".into(),
                expected: format!("one of {moves} legal moves"),
                help: bench.help(),
            });
        }
    }
    let boards = counted(bench.boards.len(), "board");
    Ok(format!(
        "a legal first move on {boards} under {}, the slowest after {} ms",
        ask.label,
        slowest_us / 1000
    ))
}

/// Something that no engine plays, and the words for it.
struct Nonsense {
    what: &'static str,
    setup: Setup,
}

pub fn refusals(bench: &mut Bench<'_>) -> Verdict {
    let Some(board) = bench.boards.first().cloned() else { return Err(nothing_to_try(bench)) };
    let Some(game) = board.set_up() else { return Err(nothing_to_try(bench)) };
    let sound = bench.setup(&*game, Unit::Wall);
    let mut moves = legal(&*game);
    moves.truncate(1);
    let illegal = [moves.concat(), "no-such-move".into()].join(" ");
    let with = |name: &str, value: &str| {
        let mut options = sound.options.clone();
        options.push((name.into(), value.into()));
        Setup { options, ..sound.clone() }
    };
    let cases = [
        ("an unknown game", Setup { game: "no-such-game".into(), ..sound.clone() }),
        ("an unknown variant", Setup { variant: "no-such-variant".into(), ..sound.clone() }),
        ("a position of nonsense", Setup { start: "?!/é 7 nonsense".into(), ..sound.clone() }),
        ("a line with an illegal move", Setup { moves: illegal, ..sound.clone() }),
        ("an unknown option", with("no-such-option", "1")),
    ];
    let cases = cases.map(|(what, setup)| Nonsense { what, setup });
    let count = cases.len();
    let mut accepted = 0;
    for Nonsense { what, setup } in cases {
        let scene = format!("start with {what}");
        match bench.try_begin(game.boxed_clone(), &setup, scene.clone(), Unit::Wall)? {
            Ok(_) => {
                accepted += 1;
                bench.warn(Finding {
                    sentence: format!("it starts with {what} and does not refuse"),
                    asked: scene,
                    came_back: "started".into(),
                    expected: "an error that says why".into(),
                    help: bench.help(),
                });
            }
            Err(fault) if fault.code == FaultCode::Start => drop(bench.scribe().note(&fault)),
            Err(fault) => {
                let expected = "an error that says why, returned by `start`";
                return Err(bench.scribe().fault(&fault, scene, expected));
            }
        }
    }
    Ok(format!("{} of {count} nonsensical starts refused with a reason", count - accepted))
}
