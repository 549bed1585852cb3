//! Steps 6 and 7: positions of all kinds, and whole games by the referee.

use std::collections::BTreeSet;

use super::super::bench::{Bench, PATIENT, Way};
use super::super::outcome::{Finding, Verdict, Wrong};
use crate::bout::{self, BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place};
use crate::counted;
use crate::record::Start;
use crate::referee::{Settings, Termination};

/// Games without an end are cut off here, in plies.
const PLIES_MAX: u32 = 500;
/// A game that is given up or drawn before is hardly one, in plies.
const EARLY_PLIES: usize = 8;

pub fn positions(bench: &mut Bench<'_>) -> Verdict {
    let ask = bench.usual_ask();
    let (mut asked, mut resigned, mut forced) = (0, 0, 0);
    for (index, board) in bench.shown_boards().into_iter().enumerate() {
        let moves = board.random_game(bench.settings.seed.wrapping_add(index as u64));
        let last = moves.len().saturating_sub(1);
        let mut cases: Vec<Vec<String>> = Vec::new();
        let plies = BTreeSet::from([1, 2, last / 2, last.saturating_sub(1), last]);
        cases.extend(plies.range(..=last).map(|ply| moves[..*ply].to_vec()));
        if let Some(line) = board.forced(bench.settings.seed) {
            forced += 1;
            cases.push(line);
        }
        for moves in cases {
            for way in [Way::Start, Way::Moves, Way::Played] {
                let mut player = bench.seat(&board, &moves, way, ask.limits.unit)?;
                let chosen = player.choose(&ask, &[])?;
                resigned += usize::from(chosen.mv.is_none());
                asked += 1;
            }
        }
    }
    Ok(format!(
        "a legal answer to {asked} requests (as `start`, as `moves`, by `played`), from the first \
         ply to the last, {} with one legal move; resigned {resigned} times",
        counted(forced, "position")
    ))
}

pub fn games(bench: &mut Bench<'_>) -> Verdict {
    let budget = bench.settings.budget;
    let (mut games, mut plies, mut ends) = (0, 0, BTreeSet::new());
    for board in bench.small_boards() {
        let engine = bench.engine(budget.unit())?;
        let player = |seat: u8| Participant {
            name: format!("seat {seat}"),
            seats: vec![seat],
            budget,
            mover: Mover::Engine(EnginePlayer {
                options: bench.settings.options.clone(),
                memory_bytes: engine.caps.memory_bytes,
                ..EnginePlayer::new(engine.source.clone(), bench.subject.entry.id.clone())
            }),
            ponders: false,
        };
        let setup = BoutSetup {
            start: Start { game: board.info, variant: board.variant.clone(), position: None },
            seed: bench.settings.seed,
            settings: Settings {
                requests: 1,
                grace: bench.grace(),
                guard_us: PATIENT.us,
                plies_max: PLIES_MAX,
                ..Settings::default()
            },
            players: (0..board.info.seats).map(player).collect(),
            hint: None,
            live: None,
            place: Place::Nowhere,
            resumed: None,
        };
        let report = bout::run(setup, None, &mut Nobody)
            .map_err(|error| Wrong::Skipped(format!("no game of {}: {error}", board.text())))?;
        for said in &report.record.logs {
            bench.log.add(level(&said.level), &said.text);
        }
        let moves: Vec<&str> = report.record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
        let unfinished = || Wrong::Skipped(format!("a game of {} has no end", board.text()));
        let result = report.result.ok_or_else(unfinished)?;
        match &result.termination {
            Termination::Rules { rule } => {
                ends.insert(rule.clone());
            }
            Termination::PlyLimit => {
                ends.insert(format!("cut off after {PLIES_MAX} plies"));
            }
            Termination::Resignation | Termination::DrawAgreed => {
                if moves.len() < EARLY_PLIES {
                    bench.warn(Finding {
                        sentence: format!(
                            "a game against itself is over after {} plies: {}",
                            moves.len(),
                            result.sentence
                        ),
                        asked: format!("{}, both sides under {budget}", board.text()),
                        came_back: result.sentence.clone(),
                        expected: "a game that is played".into(),
                        help: bench.help(),
                    });
                }
                ends.insert(result.sentence.clone());
            }
            Termination::Aborted => {
                let sentence = &result.sentence;
                let reason = format!("a game of {} came to nothing: {sentence}", board.text());
                return Err(Wrong::Skipped(format!("{reason}, which is this host's doing")));
            }
            _ => {
                bench.log.add("fault", &result.sentence);
                return Err(bench.failed(Finding {
                    sentence: format!(
                        "a game ended badly after {} plies: {}",
                        moves.len(),
                        result.sentence
                    ),
                    asked: format!(
                        "{}, both sides under {budget}: `{}`",
                        board.text(),
                        moves.join(" ")
                    ),
                    came_back: result.sentence,
                    expected: "an end by the rules, or a resignation".into(),
                    help: bench.help(),
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
