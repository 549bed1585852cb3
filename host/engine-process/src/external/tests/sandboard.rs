//! Tests of the client of the Sandboard protocol with scripted programs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};

use sandboard_abi::{Barred, Choice, Decision, Limits, Unit};

use super::{
    CollectingListener, Script, ScriptedGame, connect, connect_with_clock, patient, setup,
};
use sandboard_engine::{Engine, NullListener};
use sandboard_jail::CpuClock;
use sandboard_protocols::Protocol;

/// The start of a script: a game of reversi from its start position.
const START_LINES: &str = ">sandboard 1\n>game reversi standard-6\n>moves\n>seats 0\n>seed 0\n\
    >memory-bytes 1048576\n>threads 1\n>begin\nready\n";
/// The lines of a first request.
const REQUEST_LINES: &str =
    ">moves\n>to-move 0\n>unit wall\n>call-max 60000000\n>grace 0\n>lines 1\n>choose\n";

#[test]
fn all_facts_are_sent_and_questions_are_answered() {
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
    let listener = Arc::<CollectingListener>::default();
    let mut game = ScriptedGame::with_listener(
        Protocol::Sandboard,
        &[("level", "3")],
        &script,
        listener.clone(),
    );
    game.begin(&setup("reversi", "standard-6", "b3")).unwrap();
    let choice = game.decide(&patient()).unwrap();
    assert_eq!(choice.decision, Decision::Play("b2".into()));
    assert_eq!(choice.line.unwrap().moves, "b2 a1");
    game.play("b2");
    game.play("d5");
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
    assert_eq!(listener.0.lock().unwrap()[..], ["good day", "Some(5) 2 b2 a1", "hm", "at rest"]);
}

/// Makes a first request.
#[track_caller]
fn check(script_text: &str, expected: &str) {
    let script = Script(script_text.to_owned().leak());
    let mut game = ScriptedGame::new(Protocol::Sandboard, &[], &script);
    let found = game.begin(&setup("reversi", "standard-6", ""));
    let found = found.and_then(|()| game.choose(&patient()));
    assert_eq!(found.unwrap_or_else(|sentence| sentence), expected);
    game.end();
}

#[test]
fn answers() {
    let check = |answer: &str, expected: &str| {
        check(&format!("{START_LINES}{REQUEST_LINES}{answer}"), expected)
    };
    check("play b3\n>ping\npong\n", "b3");
    check("play b3 offer-draw\n>ping\npong\n", "b3");
    // The rules decide whether it is a legal move.
    check("play z9\n>ping\npong\n", "z9");
    check("error at a loss\n", "answered with an error: at a loss");
    check("ready\n", "answered `choose` with `ready`");
    check("pong\n", "answered without a question: `pong`");
    check("play b3\n>ping\nplay b3\n", "answered without a question: `play b3`");
    check("play b3\n>ping\nleft\n", "answered without a question: `left`");
    let none = "printed an invalid line of the sandboard protocol: ";
    check(
        "bestmove b3\n",
        &format!("{none}`bestmove b3`: its first word is not part of the protocol"),
    );
    check("play\n", &format!("{none}`play`: `play` needs a move"));
    let long = "x".repeat(65);
    check(&format!("play {long}\n"), "sent a move of 65 bytes; at most 64 are admitted");
}

/// A line that arrives before its request is not an answer, even if it is valid or incomplete.
#[test]
fn answers_before_the_request() {
    let unrequested_answer_fault =
        |line: &str| Err(format!("answered without a question: `{line}`"));
    let facts = REQUEST_LINES.trim_end_matches(">choose\n");
    let check = |ahead: &str, expected: Result<String, String>| {
        let begun = START_LINES.trim_end_matches("ready\n");
        let script_text = format!("{begun}ready\\n{ahead}\n{facts}").leak();
        let mut game = ScriptedGame::new(Protocol::Sandboard, &[], &Script(script_text));
        game.begin(&setup("reversi", "standard-6", "")).unwrap();
        assert_eq!(game.choose(&patient()), expected);
        game.end();
        let again = facts.replacen(">moves\n>to-move 0", ">moves b3\n>to-move 1", 1);
        let script_text =
            format!("{START_LINES}{REQUEST_LINES}play b3\n>ping\npong\\n{ahead}\n{again}").leak();
        let mut game = ScriptedGame::new(Protocol::Sandboard, &[], &Script(script_text));
        game.begin(&setup("reversi", "standard-6", "")).unwrap();
        assert_eq!(game.choose(&patient()).as_deref(), Ok("b3"));
        assert_eq!(game.choose(&patient()), expected);
        game.end();
    };
    check("play b3", unrequested_answer_fault("play b3"));
    check("play d5\\nplay b3", unrequested_answer_fault("play d5"));
    check("log info late\\nplay b3", unrequested_answer_fault("play b3"));
    check("log", unrequested_answer_fault("log"));
    check("\\n", unrequested_answer_fault(""));
}

#[test]
fn logs_may_come_at_any_time() {
    let begun = START_LINES.trim_end_matches("ready\n");
    let facts = REQUEST_LINES.trim_end_matches(">choose\n");
    let script_text = format!(
        "{begun}ready\\nlog info late\\nlog debug later\n{facts}>choose\nplay b3\n>ping\npong\n"
    );
    let mut game = ScriptedGame::new(Protocol::Sandboard, &[], &Script(script_text.leak()));
    game.begin(&setup("reversi", "standard-6", "")).unwrap();
    assert_eq!(game.choose(&patient()).as_deref(), Ok("b3"));
    game.end();
}

#[test]
fn answers_to_begin() {
    let begun = START_LINES.trim_end_matches("ready\n");
    let check = |answer: &str, expected: &str| check(&format!("{begun}{answer}"), expected);
    check("error plays no small boards\n", "answered with an error: plays no small boards");
    check("play b3\n", "answered `begin` with `a choice`");
    check("pong\n", "answered without a question: `pong`");
    check(
        "uciok\n",
        "printed an invalid line of the sandboard protocol: `uciok`: its first word is not part of the protocol",
    );
}

#[test]
fn descriptions() {
    let check = |script_text: &'static str, expected: Result<&str, &str>| {
        let mut game = ScriptedGame::new(Protocol::Sandboard, &[], &Script(script_text));
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
            "printed an invalid line of the sandboard protocol: `ready`: its first word is not part of a description",
        ),
    );
}

/// A program that asks until its time is up, and then chooses.
#[test]
fn questions_end_with_the_choice() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let lines = BufReader::new(program.try_clone().unwrap()).lines().map_while(Result::ok);
        let mut received = lines.filter(|line| line != "stop");
        let send = |text: &str| (&program).write_all(text.as_bytes()).unwrap();
        received.find(|line| line == "begin").unwrap();
        send("ready\n");
        received.find(|line| line == "choose").unwrap();
        loop {
            send("legal\nleft\n");
            assert!(received.next().unwrap().starts_with("legal "));
            if received.next().unwrap() == "left 0" {
                break;
            }
        }
        send("resign\n");
        assert_eq!(received.next().unwrap(), "ping");
        send("pong\n");
    });
    let mut engine = connect(host, Protocol::Sandboard, &[], Arc::new(NullListener));
    engine.start(&setup("reversi", "standard-6", "")).unwrap();
    let grace = 60_000_000;
    let limits = Limits { unit: Unit::Wall, call_max: Some(20_000), grace, ..Limits::default() };
    assert_eq!(engine.choose(&limits, &[]).unwrap().choice.decision, Decision::Resign);
    program.join().unwrap();
}

/// A program that asks and never reads the replies delays the host no longer than its time limit.
#[test]
fn a_program_that_reads_no_replies_exceeds_its_time() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let lines = BufReader::new(program.try_clone().unwrap()).lines();
        let mut received = lines.map_while(Result::ok);
        received.find(|line| line == "begin").unwrap();
        (&program).write_all(b"ready\n").unwrap();
        received.find(|line| line == "choose").unwrap();
        // Until the program is killed.
        while (&program).write_all(&b"legal\n".repeat(1000)).is_ok() {}
    });
    let mut engine = connect(host, Protocol::Sandboard, &[], Arc::new(NullListener));
    engine.start(&setup("gomoku", "freestyle-15", "")).unwrap();
    let limits = Limits { unit: Unit::Wall, call_max: Some(20_000), grace: 0, ..Limits::default() };
    let sentence = engine.choose(&limits, &[]).unwrap_err().sentence;
    assert_eq!(sentence, "did not answer within 20 ms");
    drop(engine);
    program.join().unwrap();
}

/// The clock of a thread that is idle until the sender is dropped.
fn idle_thread_clock() -> (CpuClock, mpsc::Sender<()>) {
    let (clock_sender, clock) = mpsc::channel();
    let (alive, waits) = mpsc::channel();
    std::thread::spawn(move || {
        clock_sender.send(CpuClock::of_this_thread().unwrap()).unwrap();
        let _ = waits.recv();
    });
    (clock.recv().unwrap(), alive)
}

/// 20 ms of CPU time for a choice, without grace.
fn cpu_limits() -> Limits {
    Limits { unit: Unit::Cpu, call_max: Some(20_000), grace: 0, ..Limits::default() }
}

/// A program whose own clock stands still asks until its time is up: the host's work for it counts.
#[test]
fn the_work_of_the_host_is_charged() {
    let (host, program) = UnixStream::pair().unwrap();
    let program = std::thread::spawn(move || {
        let mut received =
            BufReader::new(program.try_clone().unwrap()).lines().map_while(Result::ok);
        let send = |text: &str| (&program).write_all(text.as_bytes()).unwrap();
        received.find(|line| line == "begin").unwrap();
        send("ready\n");
        received.find(|line| line == "choose").unwrap();
        loop {
            send(&("legal h8\n".repeat(100) + "left\n"));
            if received.find(|line| line.starts_with("left ")).unwrap() == "left 0" {
                break;
            }
        }
        send("resign\n");
        received.find(|line| line == "ping").unwrap();
        send("pong\n");
    });
    let (clock, _alive) = idle_thread_clock();
    let mut engine =
        connect_with_clock(host, Protocol::Sandboard, &[], (Arc::new(NullListener), Some(clock)));
    engine.start(&setup("gomoku", "freestyle-15", "")).unwrap();
    let limits = Limits { grace: 60_000_000, ..cpu_limits() };
    let answer = engine.choose(&limits, &[]).unwrap();
    assert_eq!(answer.choice.decision, Decision::Resign);
    let cpu_us = answer.spent.cpu_us.unwrap();
    assert!(cpu_us >= 20_000, "{cpu_us}");
    program.join().unwrap();
}

/// Work between two choices counts to the next one. The program's clock is that of this thread.
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
        let listener = Arc::new(NullListener);
        let mut engine =
            connect_with_clock(host, Protocol::Sandboard, &[], (listener, Some(clock)));
        engine.start(&setup("reversi", "standard-6", "")).unwrap();
        // Work between the start and the first choice does not count.
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

/// A program that always plays b3, until it is killed.
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
