//! Sessions survive arbitrary lines: no panic, and each output line is a single line.

use proptest::prelude::*;
use sandboard_abi::{Choice, Decision};

use super::engine_info;
use crate::protocol_server::{Action, Session, open_session};
use sandboard_engine::{Fault, FaultCode};
use sandboard_protocols::{Dialect, Protocol};

/// Words of all protocols, valid ones and others.
const WORDS: [&str; 66] = [
    "uci",
    "ucci",
    "isready",
    "setoption",
    "name",
    "value",
    "skill",
    "13",
    "MultiPV",
    "UCI_Variant",
    "standard-5",
    "position",
    "fen",
    "startpos",
    "moves",
    "h8",
    "pass",
    "go",
    "infinite",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "-5",
    "99999999999999999999",
    "searchmoves",
    "stop",
    "ponderhit",
    "banmoves",
    "time",
    "movestogo",
    "draw",
    "START",
    "15",
    "BEGIN",
    "TURN",
    "7,7",
    "0,0",
    "BOARD",
    "1,2,1",
    "3,3,2",
    "DONE",
    "SWAP2BOARD",
    "INFO",
    "rule",
    "1",
    "TAKEBACK",
    "PLAY",
    "RESTART",
    "RECTSTART",
    "9,9",
    "boardsize",
    "clear_board",
    "play",
    "b",
    "w",
    "genmove",
    "undo",
    "time_left",
    "showboard",
    "set",
    "game",
    "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)",
    "move",
    "hint",
    "é\u{1b}",
];

/// Sends lines to a session, and answers its search requests with moves, legal or not, and faults.
fn converse(session: &mut dyn Session, lines: &[String], answers: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    let mut answers = answers.iter().cycle();
    for line in lines {
        let mut action = session.handle_line(line, &mut out);
        // An answer may wait for the command to stop, which is sent below.
        for _ in 0..8 {
            if let Action::Prepare(_) = action {
                let failed = answers.next() == Some(&0);
                let fault = Fault::new(FaultCode::Start, "fell\nover");
                session.engine_prepared(if failed { Err(fault) } else { Ok(()) }, &mut out);
            }
            let Action::Search(_) = action else { break };
            let choice = |mv: &str| Choice {
                decision: Decision::Play(mv.into()),
                offers_draw: false,
                line: None,
            };
            let answer = match answers.next() {
                Some(0) => Err(Fault::new(FaultCode::Crash, "fell\nover")),
                Some(1) => Ok(choice("swap")),
                Some(2) => Ok(Choice { decision: Decision::Resign, ..choice("") }),
                Some(3) => Ok(choice("d3")),
                _ => Ok(choice("a1")),
            };
            action = session.engine_answered(answer, &mut out);
            session.handle_line("stop", &mut out);
        }
    }
    out
}

proptest! {
    #[test]
    fn no_line_ends_a_session(
        words in prop::collection::vec(prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..7), 1..24),
        noise in any::<String>(),
        answers in prop::collection::vec(0u8..6, 1..8),
    ) {
        let mut lines: Vec<String> = words.iter().map(|words| words.join(" ")).collect();
        lines.push(noise);
        for (protocol, id, variant) in [
            (Protocol::Uci, "gomoku", "swap2"),
            (Protocol::Uci, "xiangqi", ""),
            (Protocol::Ucci, "xiangqi", ""),
            (Protocol::Gomocup, "gomoku", ""),
            (Protocol::Gtp, "gomoku", "renju"),
            (Protocol::Gtp, "reversi", ""),
            (Protocol::Nboard, "reversi", ""),
        ] {
            let dialect = if id == "xiangqi" { Dialect::RanksFromOne } else { Dialect::Same };
            let mut session = open_session(protocol, engine_info(id, variant, dialect)).unwrap();
            let output = converse(session.as_mut(), &lines, &answers);
            let is_line = |line: &String| !line.contains(char::is_control);
            prop_assert!(output.iter().all(is_line), "{}: {:?}", protocol.word(), output);
        }
    }
}
