//! Whole games between both ends: a program that is a session of ours has a seat, and its process is a thread.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use sandboard_abi::Decision;
use sandboard_games::game;

use super::{offer, player};
use crate::engine::{Deaf, Engine};
use crate::process::tests::{over, patient, setup};
use crate::process::{Dialect, Protocol};
use crate::protocol::{drive, session};

/// A seat, and whoever answers at its other end.
fn seat(
    protocol: Protocol,
    id: &'static str,
    variant: &str,
) -> (impl Engine, std::thread::JoinHandle<()>) {
    let (host, program) = UnixStream::pair().unwrap();
    let offer = offer(id, variant, Dialect::Same);
    let answers = std::thread::spawn(move || {
        let mut session = session(protocol, offer).unwrap();
        let lines = BufReader::new(program.try_clone().unwrap()).lines();
        let lines = lines.map_while(Result::ok).map(Ok);
        // It is over when the host has left.
        let _ = drive(session.as_mut(), player(id), lines, &mut &program);
    });
    let options: &[(&str, &str)] = match protocol {
        // An option is a command there, and none of ours has one word.
        Protocol::Gtp => &[],
        // It has no words for time.
        Protocol::Nboard => &[("skill", "7"), ("depth", "1")],
        _ => &[("skill", "7")],
    };
    (over(host, protocol, options, Arc::new(Deaf)), answers)
}

/// A game of two such seats, of which a move is taken back now and then, comes to its end by the rules.
fn check(protocol: Protocol, id: &'static str, variant: &str, reason: &str) {
    let seats = [seat(protocol, id, variant), seat(protocol, id, variant)];
    let info = game(id).unwrap();
    let mut board = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
    let ([mut first, mut second], threads): ([_; 2], Vec<_>) = {
        let [(a, x), (b, y)] = seats;
        ([a, b], vec![x, y])
    };
    for engine in [&mut first, &mut second] {
        engine.start(&setup(id, variant, "")).unwrap();
    }
    let mut asked = 0;
    while board.outcome().is_none() {
        let to_move = board.to_move().0;
        let mover = if to_move == 0 { &mut first } else { &mut second };
        let choice = mover.choose(&patient(), &[]).unwrap().choice;
        let Decision::Play(mv) = choice.decision else { panic!("it plays") };
        let mut legal = String::new();
        board.write_legal(&mut legal);
        assert_eq!(
            Some(mv.as_str()),
            legal.split(' ').next(),
            "{} at ply {asked}",
            protocol.word()
        );
        board.play(&mv).unwrap();
        asked += 1;
        let takes_back = asked % 7 == 0 && board.outcome().is_none();
        for engine in [&mut first, &mut second] {
            engine.played(&mv).unwrap();
            if takes_back {
                engine.taken_back(1).unwrap();
            }
        }
        if takes_back {
            board.take_back(1);
        }
        assert!(asked < 2000, "the game has no end");
    }
    assert_eq!(board.outcome().unwrap().reason, reason, "{}", protocol.word());
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

/// How a game ends in which both play the first move that there is.
const XIANGQI: &str = "third occurrence";
