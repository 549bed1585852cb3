//! Tests of the referee as scripts of lines `time event => command, command, …`. Only the helpers
//! here know how events and commands are built.

mod adjudication;
mod calls;
mod general;
mod offers;
mod pauses;
mod pondering;
mod properties;
mod rules_faults;

use std::fmt::Write;

use sandboard_abi::{Bound, Choice, Decision, Score};
use sandboard_engine::{Fault, FaultCode};
use sandboard_games::{DynGame, Games};

use super::counting_game::COUNTING;
use super::*;

const EE: &str = "e:none e:none";
const PE: &str = "p:none e:none";

fn default_settings() -> BoutSettings {
    BoutSettings::default()
}

fn play_reported() -> BoutSettings {
    BoutSettings { on_timeout: TimeoutPolicy::PlayReported, ..default_settings() }
}

/// Two players of the counting game, each as `kind:budget`: `e` is an engine, `p` a person, `t` an
/// engine that ponders with one thread, `t2` with two.
pub(super) fn referee(players: &str, settings: BoutSettings) -> Referee {
    let variant = COUNTING.variant("").unwrap();
    referee_of((COUNTING.new)(&variant, None).unwrap(), players, settings)
}

/// As [`referee`], for any game of four seats.
fn referee_of(game: Box<dyn DynGame>, players: &str, settings: BoutSettings) -> Referee {
    let setup = |(index, text): (usize, &str)| {
        let (kind, budget) = text.split_once(':').unwrap();
        let ponder_threads = kind.strip_prefix('t').map(|threads| threads.parse().unwrap_or(1));
        let kind = if kind == "p" { PlayerKind::Person } else { PlayerKind::Engine };
        let seats = vec![index as u8, index as u8 + 2];
        let (name, budget) = (format!("n{index}"), budget.parse().unwrap());
        PlayerSetup { name, seats, budget, kind, ponder_threads }
    };
    let players = players.split(' ').enumerate().map(setup).collect();
    Referee::new(game, players, settings, 0).unwrap()
}

/// Runs a script and compares the commands.
fn check(players: &str, settings: BoutSettings, script: &str) -> Referee {
    check_from(referee(players, settings), script)
}

/// As [`check`], for a given referee.
fn check_from(mut referee: Referee, script: &str) -> Referee {
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (input, expected) = line.split_once("=>").unwrap();
        let (at, text) = input.trim().split_once(' ').unwrap();
        let mut out = Vec::new();
        referee.handle(at.parse().unwrap(), event(text), &mut out);
        let shown: Vec<_> = out
            .iter()
            .map(|command| brief(&referee, command))
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(shown.join(", "), expected.trim(), "after `{text}` in\n{script}");
    }
    referee
}

/// A score in scripts: `700`, proved `700!`, at least `700+`, at most `700-`.
fn score(text: &str) -> Score {
    let (value, bound) = match text.as_bytes().last() {
        Some(b'!') => (&text[..text.len() - 1], Bound::Exact),
        Some(b'+') => (&text[..text.len() - 1], Bound::AtLeast),
        Some(b'-') => (&text[..text.len() - 1], Bound::AtMost),
        _ => (text, Bound::Estimate),
    };
    Score { value: value.parse().unwrap(), bound }
}

/// An event in scripts: `move 0 #1 5 spent 7 offer score 700 reported 3,4`, `solve #5 -2`,
/// `fault 0 #1 crash`, `undo 2 by 1`, …
fn event(text: &str) -> Event {
    let words: Vec<_> = text.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().position(|w| *w == word)?;
        words.get(at + 1).copied()
    };
    let player = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let call = words.iter().find_map(|word| word.strip_prefix('#')?.parse().ok());
    let wall_us = after("spent").map_or(0, |us| us.parse().unwrap());
    let fuel = after("fuel").map(|fuel| fuel.parse().unwrap());
    let cpu_us = after("cpu").map(|us| us.parse().unwrap());
    let spent = Usage { wall_us, cpu_us, fuel, ..Usage::default() };
    let list = |texts: &str| texts.split(',').map(str::to_owned).collect();
    let reported = after("reported").map_or(Vec::new(), list);
    let line = after("score").map(|text| Line { score: Some(score(text)), ..Line::default() });
    let answered = |decision| {
        let offers_draw = words.contains(&"offer");
        let choice = Choice { decision, offers_draw, line: line.clone() };
        let response = ChooseResponse { choice, spent };
        Event::Answered { player, call: call.unwrap(), response, reported: reported.clone() }
    };
    match words[0] {
        "begin" => Event::Begin,
        "begun" => Event::CallBegan { call: call.unwrap() },
        "move" => answered(Decision::Play(words[3].to_owned())),
        "resigns" => answered(Decision::Resign),
        "accepts" => answered(Decision::AcceptDraw),
        "fault" => {
            let code = [FaultCode::Timeout, FaultCode::Fuel, FaultCode::Crash, FaultCode::Start];
            let code = code.into_iter().find(|code| words.contains(&code.to_string().as_str()));
            let sentence = "did it".to_owned();
            let fault = Fault { spent, ..Fault::new(code.unwrap(), sentence) };
            Event::Fault { player, call, fault, reported }
        }
        "pondered" => {
            let stop_us = after("stop").map_or(0, |us| us.parse().unwrap());
            Event::PonderingEnded { player, spent, stop_us }
        }
        "solve" => Event::Solved { call: call.unwrap(), score: words[2].parse().unwrap() },
        "tick" => Event::Tick,
        "pause" => Event::Pause,
        "resume" => Event::Resume,
        "undo" => Event::Undo {
            plies: words.get(1).and_then(|word| word.parse().ok()),
            by: after("by").map(|by| by.parse().unwrap()),
        },
        "resign" => Event::Resign { player },
        "offer" => Event::OfferDraw { player },
        "accept" => Event::AcceptDraw { player },
        "decline" => Event::DeclineDraw { player },
        "abort" => Event::Abort { reason: "power".into() },
        "disconnect" => Event::Disconnect { player },
        word => panic!("no event `{word}`"),
    }
}

/// A command in scripts; empty for [`Command::SaveRecord`].
fn brief(referee: &Referee, command: &Command) -> String {
    match command {
        Command::Start { player, .. } => format!("start {player}"),
        Command::Observe { player, observation } => {
            format!("{player} sees {} [{}]", observation.view.position, observation.legal)
        }
        Command::RequestMove { player, call, limits, barred } => {
            let mut text = format!("ask {player} #{call}");
            if let Some(left) = limits.game_left {
                write!(text, " left {left}").unwrap();
            }
            // Omitted if it is the limit per move of the budget.
            let call = referee.clock(*player).and_then(|clock| clock.budget().per_move());
            if let Some(limit) = limits.call_max.filter(|_| limits.call_max != call) {
                write!(text, " for {limit}").unwrap();
            }
            for barred in barred {
                write!(text, " not {}", barred.r#move).unwrap();
            }
            text + if limits.draw_offered { " draw" } else { "" }
        }
        Command::SendMove { player, mv } => format!("send {player} {mv}"),
        Command::TakeBack { player, plies } => format!("back {player} {plies}"),
        Command::Ponder { player } => format!("ponder {player}"),
        Command::StopPondering { player } => format!("unponder {player}"),
        Command::Solve { call } => format!("solve #{call}"),
        Command::Stop { player, call } => format!("stop {player} #{call}"),
        Command::SetTimer { at_us } => format!("arm {at_us}"),
        Command::ClearTimer => "disarm".into(),
        Command::SaveRecord => String::new(),
        Command::Reject(reason) => format!("no: {reason}"),
        Command::Finish(result) => {
            let winner =
                result.winner.map_or("no winner".to_owned(), |side| format!("side {side}"));
            format!("end: {winner}: {}", result.sentence)
        }
        Command::Notify(notice) => match notice {
            Notice::Began => "began".into(),
            Notice::Moved { player: None, mv, .. } => format!("chance gave {mv}"),
            Notice::Moved { player: Some(player), mv, origin, .. } => {
                let how = if origin.is_some() { " reported" } else { "" };
                format!("{player} moved {mv}{how}")
            }
            Notice::SidesSwapped { names } => format!("swapped {}", names.join("/")),
            Notice::Refused { player, mv, requests_left, .. } => match requests_left {
                Some(left) => format!("{player} refused {mv} left {left}"),
                None => format!("{player} refused {mv}"),
            },
            Notice::Faulted { player, fault } => format!("{player} fault {}", fault.code),
            Notice::Overrun { player, spent, allowed } => {
                format!("{player} overrun {spent}/{allowed}")
            }
            Notice::DrawOffered { player } => format!("{player} offers"),
            Notice::DrawDeclined { player } => format!("{player} declined"),
            Notice::Undone { plies } => format!("undone {plies}"),
            Notice::Paused => "paused".into(),
            Notice::Resumed => "resumed".into(),
        },
    }
}
