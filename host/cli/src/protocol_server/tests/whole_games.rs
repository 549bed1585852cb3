//! Whole games with both ends of each protocol: an external engine whose process is a thread with
//! one of our sessions.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use sandboard_abi::Decision;
use sandboard_games::Games;

use super::{engine, engine_info};
use crate::protocol_server::{open_session, run_session};
use sandboard_engine::{Engine, NullListener};
use sandboard_engine_process::external::fixture::{connect, patient, setup};
use sandboard_protocols::{Dialect, Protocol};

/// A seat, and the thread at its other end.
fn seat(
    protocol: Protocol,
    id: &'static str,
    variant: &str,
) -> (impl Engine, std::thread::JoinHandle<()>) {
    let (host, program) = UnixStream::pair().unwrap();
    let engine_info = engine_info(id, variant, Dialect::Same);
    let answers = std::thread::spawn(move || {
        let mut session = open_session(protocol, engine_info).unwrap();
        let lines = BufReader::new(program.try_clone().unwrap()).lines();
        let lines = lines.map_while(Result::ok).map(Ok);
        // An error means that the host has closed the connection.
        let _ = run_session(session.as_mut(), engine(id), lines, &mut &program);
    });
    let options: &[(&str, &str)] = match protocol {
        // GTP sets options with a command, and the names of these options do not fit it.
        Protocol::Gtp => &[],
        // The protocol has no time limits.
        Protocol::Nboard => &[("skill", "7"), ("depth", "1")],
        _ => &[("skill", "7")],
    };
    (connect(host, protocol, options, Arc::new(NullListener)), answers)
}

/// Plays a game between two such seats to its end by the rules, with a move taken back now and
/// then.
fn check(protocol: Protocol, id: &'static str, variant: &str, reason: &str) {
    let seats = [seat(protocol, id, variant), seat(protocol, id, variant)];
    let info = Games::default().find(id).unwrap();
    let mut board = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
    let ([mut first, mut second], threads): ([_; 2], Vec<_>) = {
        let [(a, x), (b, y)] = seats;
        ([a, b], vec![x, y])
    };
    for engine in [&mut first, &mut second] {
        engine.start(&setup(id, variant, "")).unwrap();
    }
    let mut plies = 0;
    while !board.is_over() {
        let to_move = board.to_move().0;
        let mover = if to_move == 0 { &mut first } else { &mut second };
        let choice = mover.choose(&patient(), &[]).unwrap().choice;
        let Decision::Play(mv) = choice.decision else { panic!("it plays") };
        let mut legal = String::new();
        board.write_legal(&mut legal);
        assert_eq!(
            Some(mv.as_str()),
            legal.split(' ').next(),
            "{} at ply {plies}",
            protocol.word()
        );
        board.play(&mv).unwrap();
        plies += 1;
        let takes_back = plies % 7 == 0 && !board.is_over();
        for engine in [&mut first, &mut second] {
            engine.played(&mv).unwrap();
            if takes_back {
                engine.taken_back(1).unwrap();
            }
        }
        if takes_back {
            board.take_back(1);
        }
        assert!(plies < 2000, "the game has no end");
    }
    assert_eq!(board.ending().unwrap().reason, reason, "{}", protocol.word());
    drop((first, second));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn gomocup() {
    check(Protocol::Gomocup, "gomoku", "freestyle-15", "five in a row");
    check(Protocol::Gomocup, "gomoku", "standard-5", "five in a row");
    check(Protocol::Gomocup, "gomoku", "swap2", "five in a row");
}

#[test]
fn uci() {
    check(Protocol::Uci, "gomoku", "freestyle-15", "five in a row");
    check(Protocol::Uci, "reversi", "", "board full");
    check(Protocol::Uci, "xiangqi", "", XIANGQI);
}

#[test]
fn ucci() {
    check(Protocol::Ucci, "xiangqi", "", XIANGQI);
}

#[test]
fn gtp() {
    check(Protocol::Gtp, "gomoku", "standard-15", "five in a row");
    check(Protocol::Gtp, "reversi", "standard-8", "board full");
    check(Protocol::Gtp, "reversi", "standard-6", "board full");
}

#[test]
fn nboard() {
    check(Protocol::Nboard, "reversi", "", "board full");
}

/// The end of a xiangqi game in which both sides always play the first legal move.
const XIANGQI: &str = "third occurrence";
