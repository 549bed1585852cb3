//! Programs that speak the border itself as scripts.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};

use sandboard_abi::{Barred, Choice, Decision, Limits, Unit};

use super::{Ear, Script, Scripted, counted, over, patient, setup};
use crate::engine::{Deaf, Engine};
use crate::jail::CpuClock;
use crate::process::Protocol;

/// What a program is told of a game of reversi from its start, up to its answer.
const BEGUN: &str = ">sandboard 1\n>game reversi standard-6\n>moves\n>seats 0\n>seed 0\n\
    >memory-bytes 1048576\n>threads 1\n>begin\nready\n";
/// What it is told of its first choice.
const ASKED: &str =
    ">moves\n>to-move 0\n>unit wall\n>call-max 60000000\n>grace 0\n>lines 1\n>choose\n";

#[test]
fn a_game_is_told_whole_and_questions_are_answered() {
    let script = Script(
        ">sandboard 1
         >game reversi standard-6
         >moves b3
         >seats 0
         >seed 0
         >option level 3
         >memory-bytes 1048576
         >threads 1
         >begin
         log info good day
         look
         >view 1 …
         >open
         left
         >left unlimited
         ready
         >moves b3
         >to-move 1
         >unit wall
         >call-max 60000000
         >grace 0
         >lines 1
         >choose
         legal
         >legal b2 d2 b4
         legal b2
         >legal …
         legal a1
         >illegal …
         look b2 a1
         >illegal …
         left
         >left 59…
         report score 5 at-least depth 2 nodes 9 moves b2 a1
         log warning hm
         play b2
         >ping
         pong
         >moves b3 b2 d5
         >to-move 1
         >unit unlimited
         >depth 3
         >lines 2
         >draw-offered
         >choose
         left
         >left unlimited
         accept-draw
         >ping
         log debug at rest
         pong
         >moves
         >to-move 0
         >unit cpu
         >game-left 60000000
         >increment 5
         >grace 7
         >lines 1
         >others-left 1 9
         >barred b3 it was refused
         >choose
         resign
         >ping
         pong
         ",
    );
    let ear = Arc::<Ear>::default();
    let mut game = Scripted::heard(Protocol::Sandboard, &[("level", "3")], &script, ear.clone());
    game.begin(&setup("reversi", "standard-6", "b3")).unwrap();
    let choice = game.decide(&patient()).unwrap();
    assert_eq!(choice.decision, Decision::Play("b2".into()));
    assert_eq!(choice.line.unwrap().moves, "b2 a1");
    game.hears("b2");
    game.hears("d5");
    let offered = Limits { depth: Some(3), lines: 2, draw_offered: true, ..Limits::default() };
    assert_eq!(game.choose(&offered).unwrap(), "AcceptDraw");
    game.engine.taken_back(3).unwrap();
    let clock = Limits {
        unit: Unit::Cpu,
        game_left: Some(60_000_000),
        increment: 5,
        grace: 7,
        others_left: vec![(1, 9)],
        ..Limits::default()
    };
    let barred = Barred { r#move: "b3".into(), reason: "it was refused".into() };
    let answer = game.engine.choose(&clock, &[barred]).unwrap();
    assert_eq!(
        answer.choice,
        Choice { decision: Decision::Resign, offers_draw: false, line: None }
    );
    game.end();
    assert_eq!(ear.0.lock().unwrap()[..], ["good day", "Some(5) 2 b2 a1", "hm", "at rest"]);
}

/// What comes of a first choice.
#[track_caller]
fn check(told: &str, expected: &str) {
    let script = Script(told.to_owned().leak());
    let mut game = Scripted::new(Protocol::Sandboard, &[], &script);
    let found = game.begin(&setup("reversi", "standard-6", ""));
    let found = found.and_then(|()| game.choose(&patient()));
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

#[test]
fn answers() {
    let check = |answer: &str, expected: &str| check(&format!("{BEGUN}{ASKED}{answer}"), expected);
    check("play b3\n>ping\npong\n", "b3");
    check("play b3 offer-draw\n>ping\npong\n", "b3");
    // Whether it is a move is the rules' to say.
    check("play z9\n>ping\npong\n", "z9");
    check("error at a loss\n", "answered with an error: at a loss");
    check("ready\n", "answered `choose` with `ready`");
    check("pong\n", "answered what it was not asked: `pong`");
    check("play b3\n>ping\nplay b3\n", "answered what it was not asked: `play b3`");
    check("play b3\n>ping\nleft\n", "answered what it was not asked: `left`");
    let none = "printed a line that is none of sandboard: ";
    check("bestmove b3\n", &format!("{none}`bestmove b3`: it begins with no word of the protocol"));
    check("play\n", &format!("{none}`play`: behind `play` is to be a move"));
    let long = "x".repeat(65);
    check(&format!("play {long}\n"), "sent a move of 65 bytes; at most 64 are admitted");
}

/// What came before it was asked is no answer, right or wrong, whole or not.
#[test]
fn answers_to_what_was_not_asked_yet() {
    let unasked = |line: &str| Err(format!("answered what it was not asked: `{line}`"));
    let facts = ASKED.trim_end_matches(">choose\n");
    let check = |ahead: &str, expected: Result<String, String>| {
        let begun = BEGUN.trim_end_matches("ready\n");
        let told = format!("{begun}ready\\n{ahead}\n{facts}").leak();
        let mut game = Scripted::new(Protocol::Sandboard, &[], &Script(told));
        game.begin(&setup("reversi", "standard-6", "")).unwrap();
        assert_eq!(game.choose(&patient()), expected);
        game.end();
        let again = facts.replacen(">moves\n>to-move 0", ">moves b3\n>to-move 1", 1);
        let told = format!("{BEGUN}{ASKED}play b3\n>ping\npong\\n{ahead}\n{again}").leak();
        let mut game = Scripted::new(Protocol::Sandboard, &[], &Script(told));
        game.begin(&setup("reversi", "standard-6", "")).unwrap();
        assert_eq!(game.choose(&patient()).as_deref(), Ok("b3"));
        assert_eq!(game.choose(&patient()), expected);
        game.end();
    };
    check("play b3", unasked("play b3"));
    check("play d5\\nplay b3", unasked("play d5"));
    check("log info late\\nplay b3", unasked("play b3"));
    check("log", unasked("log"));
    check("\\n", unasked(""));
}

#[test]
fn what_it_logs_may_come_at_any_moment() {
    let begun = BEGUN.trim_end_matches("ready\n");
    let facts = ASKED.trim_end_matches(">choose\n");
    let told = format!(
        "{begun}ready\\nlog info late\\nlog debug later\n{facts}>choose\nplay b3\n>ping\npong\n"
    );
    let mut game = Scripted::new(Protocol::Sandboard, &[], &Script(told.leak()));
    game.begin(&setup("reversi", "standard-6", "")).unwrap();
    assert_eq!(game.choose(&patient()).as_deref(), Ok("b3"));
    game.end();
}

#[test]
fn beginnings() {
    let begun = BEGUN.trim_end_matches("ready\n");
    let check = |answer: &str, expected: &str| check(&format!("{begun}{answer}"), expected);
    check("error plays no small boards\n", "answered with an error: plays no small boards");
    check("play b3\n", "answered `begin` with `a choice`");
    check("pong\n", "answered what it was not asked: `pong`");
    check(
        "uciok\n",
        "printed a line that is none of sandboard: `uciok`: it begins with no word of the protocol",
    );
}

#[test]
fn what_it_is_it_says_itself() {
    let check = |told: &'static str, expected: Result<&str, &str>| {
        let mut game = Scripted::new(Protocol::Sandboard, &[], &Script(told));
        let found = game.engine.describe();
        let found = found.map(|it| format!("{} {} {} {:?}", it.id, it.name, it.version, it.games));
        assert_eq!(found.as_deref().map_err(|fault| fault.sentence.as_str()), expected);
        game.end();
    };
    check(
        ">sandboard 1\n>describe\nid mine\nname My Engine\nversion 0.1.0\ngame reversi standard-6\ndescribed\n",
        Ok("mine My Engine 0.1.0 [GameSpec { game: \"reversi\", variants: [\"standard-6\"] }]"),
    );
    check(
        ">sandboard 1\n>describe\nready\n",
        Err(
            "printed a line that is none of sandboard: `ready`: it begins with no word of a description",
        ),
    );
}

/// A program that asks without end, and chooses when nothing is left.
#[test]
fn questions_end_with_the_choice() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let lines = BufReader::new(program.try_clone().unwrap()).lines().map_while(Result::ok);
        let mut heard = lines.filter(|line| line != "stop");
        let say = |text: &str| (&program).write_all(text.as_bytes()).unwrap();
        heard.find(|line| line == "begin").unwrap();
        say("ready\n");
        heard.find(|line| line == "choose").unwrap();
        loop {
            say("legal\nleft\n");
            assert!(heard.next().unwrap().starts_with("legal "));
            if heard.next().unwrap() == "left 0" {
                break;
            }
        }
        say("resign\n");
        assert_eq!(heard.next().unwrap(), "ping");
        say("pong\n");
    });
    let mut engine = over(host, Protocol::Sandboard, &[], Arc::new(Deaf));
    engine.start(&setup("reversi", "standard-6", "")).unwrap();
    let grace = 60_000_000;
    let limits = Limits { unit: Unit::Wall, call_max: Some(20_000), grace, ..Limits::default() };
    assert_eq!(engine.choose(&limits, &[]).unwrap().choice.decision, Decision::Resign);
    program.join().unwrap();
}

/// A program that asks and never reads what is answered keeps the host for no longer than it has.
#[test]
fn who_hears_no_answer_is_late() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let lines = BufReader::new(program.try_clone().unwrap()).lines();
        let mut heard = lines.map_while(Result::ok);
        heard.find(|line| line == "begin").unwrap();
        (&program).write_all(b"ready\n").unwrap();
        heard.find(|line| line == "choose").unwrap();
        // Until it is killed.
        while (&program).write_all(&b"legal\n".repeat(1000)).is_ok() {}
    });
    let mut engine = over(host, Protocol::Sandboard, &[], Arc::new(Deaf));
    engine.start(&setup("gomoku", "freestyle-15", "")).unwrap();
    let limits = Limits { unit: Unit::Wall, call_max: Some(20_000), grace: 0, ..Limits::default() };
    let sentence = engine.choose(&limits, &[]).unwrap_err().sentence;
    assert_eq!(sentence, "did not answer within 20 ms");
    drop(engine);
    program.join().unwrap();
}

/// The clock of a thread that does nothing for as long as the sender lives.
fn clock_that_stands() -> (CpuClock, mpsc::Sender<()>) {
    let (tell, clock) = mpsc::channel();
    let (alive, waits) = mpsc::channel();
    std::thread::spawn(move || {
        tell.send(CpuClock::of_this_thread().unwrap()).unwrap();
        let _ = waits.recv();
    });
    (clock.recv().unwrap(), alive)
}

/// 20 ms of CPU time for a choice, and no moment more.
fn cpu_limits() -> Limits {
    Limits { unit: Unit::Cpu, call_max: Some(20_000), grace: 0, ..Limits::default() }
}

/// A program whose own clock stands asks until nothing is left: what it asks is work of its own.
#[test]
fn the_work_of_the_host_is_charged() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let mut heard = BufReader::new(program.try_clone().unwrap()).lines().map_while(Result::ok);
        let say = |text: &str| (&program).write_all(text.as_bytes()).unwrap();
        heard.find(|line| line == "begin").unwrap();
        say("ready\n");
        heard.find(|line| line == "choose").unwrap();
        loop {
            say(&("legal h8\n".repeat(100) + "left\n"));
            if heard.find(|line| line.starts_with("left ")).unwrap() == "left 0" {
                break;
            }
        }
        say("resign\n");
        heard.find(|line| line == "ping").unwrap();
        say("pong\n");
    });
    let (clock, _alive) = clock_that_stands();
    let mut engine = counted(host, Protocol::Sandboard, &[], (Arc::new(Deaf), Some(clock)));
    engine.start(&setup("gomoku", "freestyle-15", "")).unwrap();
    let limits = Limits { grace: 60_000_000, ..cpu_limits() };
    let answer = engine.choose(&limits, &[]).unwrap();
    assert_eq!(answer.choice.decision, Decision::Resign);
    let cpu_us = answer.spent.cpu_us.unwrap();
    assert!(cpu_us >= 20_000, "{cpu_us}");
    program.join().unwrap();
}

/// What a program works while it is not asked counts to its next choice. Its clock is that of this thread here.
#[test]
fn work_between_choices_is_charged() {
    let clock = CpuClock::of_this_thread().unwrap();
    let work = |us: u64| {
        let until_us = clock.now_us().unwrap() + us;
        while clock.now_us().unwrap() < until_us {}
    };
    let check = |limits: &Limits, expected: Result<&str, &str>| {
        let (host, program) = UnixStream::pair().unwrap();
        let program = std::thread::spawn(move || answer_all(&program));
        let ear = Arc::new(Deaf);
        let mut engine = counted(host, Protocol::Sandboard, &[], (ear, Some(clock)));
        engine.start(&setup("reversi", "standard-6", "")).unwrap();
        // What it does between its start and its first choice is its own affair.
        work(30_000);
        let first = engine.choose(&Limits { grace: 60_000_000, ..cpu_limits() }, &[]).unwrap();
        assert!(first.spent.cpu_us.unwrap() < 30_000, "{first:?}");
        for _ in 0..2 {
            work(30_000);
            let answer = engine.choose(limits, &[]);
            let chosen = answer.map(|it| (it.choice.decision, it.spent.cpu_us.unwrap() >= 25_000));
            let chosen = chosen.map_err(|fault| fault.sentence);
            let expected = expected.map(|mv| (Decision::Play(mv.to_owned()), true));
            assert_eq!(chosen, expected.map_err(str::to_owned));
        }
        drop(engine);
        program.join().unwrap();
    };
    check(&patient(), Ok("b3"));
    check(&Limits { grace: 60_000_000, ..cpu_limits() }, Ok("b3"));
    check(&cpu_limits(), Err("did not answer within 20 ms of CPU time"));
}

/// Always plays b3, until it is killed.
fn answer_all(program: &UnixStream) {
    for line in BufReader::new(program.try_clone().unwrap()).lines().map_while(Result::ok) {
        let answer = match line.as_str() {
            "begin" => "ready\n",
            "choose" => "play b3\n",
            "ping" => "pong\n",
            _ => continue,
        };
        let _ = (&mut &*program).write_all(answer.as_bytes());
    }
}
