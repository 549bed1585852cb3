//! The referee's rules as tables: lines of `time event => commands`. Only the
//! helpers here know how events and commands are built.

mod adjudication;
mod pondering;
mod properties;
mod tables;

use std::fmt::Write;

use sandboard_abi::{Bound, Choice, Decision, Score};
use sandboard_games::DynGame;

use super::counting::COUNTING;
use super::*;
use crate::engine::{Fault, FaultCode};

/// Two players of the counting game, `kind:budget` each: `e` an engine, `p` a person, `t` an
/// engine that thinks on its opponent's time, with one thread or, as in `t2`, with more.
pub(super) fn referee(players: &str, settings: Settings) -> Referee {
    let variant = COUNTING.variant("").unwrap();
    referee_of((COUNTING.new)(&variant, None).unwrap(), players, settings)
}

/// The same of any game of four seats.
fn referee_of(game: Box<dyn DynGame>, players: &str, settings: Settings) -> Referee {
    let setup = |(index, text): (usize, &str)| {
        let (kind, budget) = text.split_once(':').unwrap();
        let ponder_threads = kind.strip_prefix('t').map(|threads| threads.parse().unwrap_or(1));
        let kind = if kind == "p" { PlayerKind::Person } else { PlayerKind::Engine };
        let seats = vec![index as u8, index as u8 + 2];
        let (name, budget) = (format!("n{index}"), budget.parse().unwrap());
        PlayerSetup { name, seats, budget, kind, ponder_threads }
    };
    let players = players.split(' ').enumerate().map(setup).collect();
    Referee::new(game, players, settings).unwrap()
}

/// Runs a script; a line is `time event => command, command, …`.
fn check(players: &str, settings: Settings, script: &str) -> Referee {
    check_from(referee(players, settings), script)
}

/// The same from any beginning.
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

/// A score as tests write it: `700`, proved `700!`, `700+` or more, `700-` or less.
fn score(text: &str) -> Score {
    let (value, bound) = match text.as_bytes().last() {
        Some(b'!') => (&text[..text.len() - 1], Bound::Exact),
        Some(b'+') => (&text[..text.len() - 1], Bound::AtLeast),
        Some(b'-') => (&text[..text.len() - 1], Bound::AtMost),
        _ => (text, Bound::Estimate),
    };
    Score { value: value.parse().unwrap(), bound }
}

/// `move 0 #1 5 spent 7 offer says 700 reported 3,4`, `settle #5 -2`, `fault 0 #1 crash`, `undo 2 by 1`, …
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
    let spent = Spent { wall_us, cpu_us, fuel, ..Spent::default() };
    let list = |texts: &str| texts.split(',').map(str::to_owned).collect();
    let reported = after("reported").map_or(Vec::new(), list);
    let line = after("says").map(|said| Line { score: Some(score(said)), ..Line::default() });
    let chosen = |decision| {
        let offers_draw = words.contains(&"offer");
        let choice = Choice { decision, offers_draw, line: line.clone() };
        Event::Chosen { player, call: call.unwrap(), choice, spent, reported: reported.clone() }
    };
    match words[0] {
        "begin" => Event::Begin,
        "asked" => Event::Asked { call: call.unwrap() },
        "move" => chosen(Decision::Play(words[3].to_owned())),
        "gives-up" => chosen(Decision::Resign),
        "takes-draw" => chosen(Decision::AcceptDraw),
        "fault" => {
            let code = [FaultCode::Timeout, FaultCode::Fuel, FaultCode::Crash, FaultCode::Start];
            let code = code.into_iter().find(|code| words.contains(&code.to_string().as_str()));
            let sentence = "did it".to_owned();
            let fault = Fault { spent, ..Fault::new(code.unwrap(), sentence) };
            Event::Fault { player, call, fault, reported }
        }
        "back" => {
            let late_us = after("late").map_or(0, |us| us.parse().unwrap());
            Event::Pondered { player, spent, late_us }
        }
        "settle" => Event::Settled { call: call.unwrap(), score: words[2].parse().unwrap() },
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
        "gone" => Event::Disconnect { player },
        word => panic!("no event `{word}`"),
    }
}

/// A command in a few words; nothing for [`Command::Store`].
fn brief(referee: &Referee, command: &Command) -> String {
    match command {
        Command::Start { player } => format!("start {player}"),
        Command::Ask { player, call, limits, barred } => {
            let mut text = format!("ask {player} #{call}");
            if let Some(left) = limits.game_left {
                write!(text, " left {left}").unwrap();
            }
            // Said only where it is not what the budget says.
            let call = referee.clock(*player).and_then(|clock| clock.budget().per_move());
            if let Some(less) = limits.call_max.filter(|_| limits.call_max != call) {
                write!(text, " for {less}").unwrap();
            }
            for barred in barred {
                write!(text, " not {}", barred.r#move).unwrap();
            }
            text + if limits.draw_offered { " draw" } else { "" }
        }
        Command::Tell { player, mv } => format!("tell {player} {mv}"),
        Command::TakeBack { player, plies } => format!("back {player} {plies}"),
        Command::Ponder { player } => format!("think {player}"),
        Command::StopPondering { player } => format!("halt {player}"),
        Command::Settle { call } => format!("settle #{call}"),
        Command::Stop { player, call } => format!("stop {player} #{call}"),
        Command::Arm { at_us } => format!("arm {at_us}"),
        Command::Disarm => "disarm".into(),
        Command::Store => String::new(),
        Command::Rejected(reason) => format!("no: {reason}"),
        Command::End(result) => {
            let winner = result.winner.map_or("nobody".to_owned(), |side| format!("side {side}"));
            format!("end: {winner}: {}", result.sentence)
        }
        Command::Show(notice) => match notice {
            Notice::Began => "began".into(),
            Notice::Moved { player, mv, mark: None, .. } => format!("{player} moved {mv}"),
            Notice::Moved { player, mv, .. } => format!("{player} moved {mv} late"),
            Notice::Swapped { names } => format!("swapped {}", names.join("/")),
            Notice::Refused { player, mv, requests_left, .. } => match requests_left {
                Some(left) => format!("{player} refused {mv} left {left}"),
                None => format!("{player} refused {mv}"),
            },
            Notice::Faulted { player, fault } => format!("{player} fault {}", fault.code),
            Notice::Late { player, spent, allowed } => format!("{player} late {spent}/{allowed}"),
            Notice::DrawOffered { player } => format!("{player} offers"),
            Notice::DrawDeclined { player } => format!("{player} declined"),
            Notice::Undone { plies } => format!("undone {plies}"),
            Notice::Paused => "paused".into(),
            Notice::Resumed => "resumed".into(),
        },
    }
}
