//! The binary `sandboard` as scripts and other programs run it: by arguments and pipes. `terminal`
//! tests the interactive use.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sandboard_bout::record::{Record, load};
use sandboard_bout::referee::MoveOrigin;
use sandboard_games::Games;
pub(crate) use sandboard_tests::binary;
use sandboard_tests::{built, data_variables, native_name, root, trust_samples};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A temporary folder that is data folder and working directory of the commands. Engines come from
/// `engines-dir` of the repository; nothing is trusted.
pub(crate) struct TestHome(TempDir);

/// Exit code and output of a command.
pub(crate) struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        built("faulty.wasm");
        Self(tempfile::tempdir().expect("a temporary folder can be created"))
    }

    /// A test home for commands that need no sample engine.
    pub(crate) fn without_engines() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be created"))
    }

    /// A test home in which the native sample engines are trusted.
    pub(crate) fn trusting() -> Self {
        let home = Self::new();
        trust_samples(home.path());
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.path())
            .envs(data_variables(self.path()))
            .env("SANDBOARD_ENGINES", root().join("engines-dir"))
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end with `input` on standard input.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> CommandOutput {
        Self::finish(self.command(arguments), input)
    }

    /// Runs a [`command`](Self::command) to its end with `input` on standard input.
    pub(crate) fn finish(mut command: Command, input: &str) -> CommandOutput {
        let mut child = command.spawn().expect("the binary runs");
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = input.to_owned();
        // The command may answer before it has read all input.
        let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
        writer.join().expect("writing does not panic");
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        CommandOutput { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// As [`run`](Self::run); fails unless the exit code is 0.
    pub(crate) fn succeed(&self, arguments: &[&str], input: &str) -> String {
        let ended = self.run(arguments, input);
        let CommandOutput { code, out, err } = &ended;
        assert_eq!(*code, Some(0), "sandboard {arguments:?}\n{out}\n{err}");
        ended.out
    }

    /// Runs `play --json`; its line of output.
    pub(crate) fn play_json(&self, arguments: &[&str]) -> Value {
        let out = self.succeed(&[&["play", "--json"], arguments].concat(), "");
        assert_eq!(out.lines().count(), 1, "one line and nothing else: {out}");
        serde_json::from_str(&out).expect("it is JSON")
    }
}

/// Loads the record that a `--json` line names.
fn record_of(line: &Value) -> Record {
    let path = line["record"].as_str().expect("the path is printed");
    load(Path::new(path), &Games::default()).expect("the record is sound")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// An engines folder with a usable engine, one that needs trust, and invalid packs.
fn mixed_folder(home: &TestHome) -> PathBuf {
    let folder = home.file("mixed");
    let broken = folder.join("broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::copy(built("random-mover.wasm"), folder.join("good-1.0.0.gomoku.wasm")).unwrap();
    let native = native_name("native-1.0.0.gomoku");
    std::fs::copy(built(&native_name("random-mover")), folder.join(native)).unwrap();
    std::fs::write(folder.join("nameless.wasm"), b"not a module").unwrap();
    std::fs::write(
        broken.join("EngineConfigs.xml"),
        "<EngineConfigs abi=\"1\">\n\
         <Engine id=\"Bad Id\" version=\"1\" kind=\"wasm\"\n modul=\"x.wasm\">\n\
         <Game id=\"gomokuu\"/>\n</Engine>\n</EngineConfigs>\n",
    )
    .unwrap();
    folder
}

#[test]
fn list_shows_all_engines_and_all_faults() {
    let home = TestHome::new();
    let folder = mixed_folder(&home);
    let folder = folder.to_str().unwrap();
    let text = home.succeed(&["list", "--engines-dir", folder], "");
    for expected in [
        "good 1.0.0",
        "native, needs trust",
        "broken/EngineConfigs.xml:2: Engine/@id: ",
        "broken/EngineConfigs.xml:3: Engine/@modul: ",
        "did you mean `module`?",
        "broken/EngineConfigs.xml:4: Game/@id: ",
        "did you mean `gomoku`?",
        "nameless.wasm: its name has no game",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }

    let json = home.succeed(&["list", "--json", "--engines-dir", folder], "");
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let engines = json["engines"].as_array().expect("engines are a list");
    let status = |id: &str| {
        let found = engines.iter().find(|engine| engine["id"] == id);
        found.unwrap_or_else(|| panic!("no {id} in {json}"))["status"].clone()
    };
    assert_eq!((status("good"), status("native")), ("usable".into(), "usable".into()));
    let need_trust: Vec<_> = engines.iter().filter(|it| it["needs_trust"] == true).collect();
    assert_eq!(need_trust.len(), 1, "{json}");
    let good = engines.iter().find(|engine| engine["id"] == "good").unwrap();
    assert_eq!((&need_trust[0]["trusted"], &good["trusted"]), (&false.into(), &Value::Null));
    let faults = engines.iter().filter_map(|engine| engine["faults"].as_array()).flatten();
    let attributes: Vec<_> = faults.filter_map(|fault| fault["attribute"].as_str()).collect();
    assert!(["id", "modul"].iter().all(|name| attributes.contains(name)), "{json}");
}

#[test]
fn options_come_from_the_engine_or_its_manifest() {
    let home = TestHome::new();
    let text = home.succeed(&["options", "gomoku-rows"], "");
    let (fixed, tunable) = text.split_once("\ntunable options\n").expect("two parts");
    assert!(fixed.starts_with("gomoku-rows 0.1.0: 14 options, 9 tunable\n\noptions\n"), "{text}");
    let line = |part: &str, name: &str| {
        let found = part.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        found
            .into_iter()
            .find(|words| words.first() == Some(&name))
            .map(|words| words[..5].join(" "))
    };
    assert_eq!(line(tunable, "open-two").as_deref(), Some("open-two 0 to 10000 30"), "{text}");
    assert_eq!(line(fixed, "table-mib").as_deref(), Some("table-mib 1 to 1024 16"), "{text}");
    assert_eq!(tunable.lines().count(), 9, "{text}");

    let json = home.succeed(&["options", "gomoku-rows", "--json"], "");
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let options = json["options"].as_array().expect("options are a list");
    let open_two = options.iter().find(|option| option["name"] == "open-two").unwrap();
    let (kind, max) = (&open_two["kind"], &open_two["max"]);
    assert_eq!((kind, max), (&Value::from("whole"), &Value::from(10_000)));
    let tunable = options.iter().filter(|option| option["tunable"] == true).count();
    assert_eq!((&json["id"], tunable), (&Value::from("gomoku-rows"), 9));

    // The manifest's options replace the engine's, and its presets replace defaults.
    let folder = home.file("engines");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(built("gomoku-rows.wasm"), folder.join("rows.wasm")).unwrap();
    let manifest = r#"<EngineConfigs abi="1">
      <Engine id="few" version="1" kind="wasm" module="rows.wasm">
        <Game id="gomoku" variants="freestyle"/>
        <Option name="open-two" kind="whole" min="10" max="50" default="30" tunable="true"/>
        <Set name="open-two" value="44"/>
      </Engine>
    </EngineConfigs>"#;
    std::fs::write(folder.join("EngineConfigs.xml"), manifest).unwrap();
    let folder = folder.to_str().unwrap();
    let text = home.succeed(&["options", "few", "--engines-dir", folder], "");
    let expected = "few 1: 1 option, 1 tunable\n\ntunable options\n  open-two  10 to 50  44\n";
    assert_eq!(text, expected);
}

#[test]
fn engines_play_to_the_end_and_write_a_record() {
    let home = TestHome::new();
    let two = ["--seat", "random-mover", "--seat", "faulty"];
    let file = home.file("b.json");
    let record = ["--record", file.to_str().unwrap(), "--seed", "7"];
    let all = [&["play", "gomoku", "--variant", "freestyle-7"][..], &two, &record].concat();
    let text = home.succeed(&all, "");
    for expected in ["gomoku freestyle-7, seed 7", "black  random-mover", "   1. ", "record: "] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
    let record = load(&file, &Games::default()).unwrap();
    assert_eq!((record.seed, record.variant.as_str()), (7, "freestyle-7"));
    let result = record.result.as_ref().expect("it is finished");
    assert!(text.contains(&result.sentence), "no {:?} in:\n{text}", result.sentence);

    // Without --record a record is written, too; the same seed plays the same game.
    let line = home.play_json(&[&all[1..4], &two, &["--seed", "7"]].concat());
    let again = record_of(&line);
    let moves = |record: &Record| {
        let mut text = String::new();
        record.plies.iter().for_each(|ply| write!(text, "{} ", ply.r#move).unwrap());
        text
    };
    assert!(line["record"].as_str().unwrap().starts_with(home.path().to_str().unwrap()));
    assert_eq!(moves(&again), moves(&record));
    assert_eq!(line["plies"], again.plies.len());
}

#[test]
fn a_bout_can_start_at_any_ply_of_a_record() {
    let home = TestHome::new();
    let seats = ["--seat", "random-mover", "--seat", "random-mover"];
    let first = home.play_json(&[&["gomoku", "--variant", "freestyle-9"][..], &seats].concat());
    let path = first["record"].as_str().unwrap();
    let game = record_of(&first);
    let moves = |record: &Record| -> Vec<String> {
        let opening = record.opening.iter().map(|mv| mv.r#move.clone());
        opening.chain(record.plies.iter().map(|ply| ply.r#move.clone())).collect()
    };
    let expected = moves(&game)[..5].to_vec();
    let from = format!("{path}@5");
    // Without --seat, the record's players play.
    for seats in [&seats[..], &[]] {
        let line = home.play_json(&[&["--from", &from][..], seats].concat());
        let next = record_of(&line);
        assert_eq!((&next.start, next.opening.len()), (&None, 5));
        assert_eq!(moves(&next)[..5], expected);
        assert_eq!((next.plies[0].seat, next.players.len()), (Some(1), 2));
        // A bout that begins in the middle of this one keeps the moves of both.
        let from = format!("{}@1", line["record"].as_str().unwrap());
        let third = record_of(&home.play_json(&["--from", &from]));
        assert_eq!((&third.start, third.opening.len()), (&None, 6));
        assert_eq!(moves(&third)[..6], moves(&next)[..6]);
        // Files of other formats have all moves.
        let path = line["record"].as_str().unwrap();
        home.succeed(&["convert", path, "next.sgf", "--force"], "");
        home.succeed(&["convert", "next.sgf", "back.json", "--force"], "");
        let back = std::fs::read(home.file("back.json")).unwrap();
        let back = Record::parse(&back, &Games::default()).unwrap();
        assert_eq!((moves(&back), back.opening.len()), (moves(&next), 0));
    }
    let past = home.run(&["play", "--from", &format!("{path}@9999")], "");
    assert_eq!(past.code, Some(2));
    assert!(past.err.contains("plies, not 9999"), "{}", past.err);
}

/// Plays `seat` as black against the random mover. `expected` is a part of winner, termination and
/// sentence.
fn check_fault(home: &TestHome, seat: &str, more: &[&str], expected: &str) -> Record {
    let game = ["gomoku", "--variant", "freestyle-5", "--seed", "2"];
    let seats = ["--seat", seat, "--seat", "random-mover"];
    let line = home.play_json(&[&game[..], &seats, more].concat());
    let result = &line["result"];
    let found = format!("{} {} {}", line["winner"], result["termination"], result["sentence"]);
    assert!(found.replace('"', "").contains(expected), "{seat}: {found}, not {expected}");
    record_of(&line)
}

#[test]
fn engine_faults_lose_the_game() {
    let home = TestHome::new();
    let check = |seat: &str, expected: &str| drop(check_fault(&home, seat, &[], expected));
    check("faulty:fault=loop@60ms/move", "white timeout faulty (black) loses on time");
    check("faulty:fault=occupied-point:at=2", "white illegal-move faulty (black) loses: the move");
    check("faulty:fault=panic:at=2", "white fault faulty (black) loses: it gave up: panicked");
    check("faulty:fault=memory", "white fault faulty (black) loses: it used up its 64 MiB");
    check("faulty:fault=refuse-start", "white fault faulty (black) loses: it answered");
    check("faulty:fault=resign:at=2", "white resignation faulty (black) resigns");
    let once = check_fault(&home, "faulty:fault=occupied-point-once:at=2", &[], "rules");
    assert!(once.result.is_some() && once.events.len() > 3, "{:?}", once.events);
    let strict = &["--requests", "1"];
    check_fault(&home, "faulty:fault=occupied-point-once:at=2", strict, "white illegal-move");
}

#[test]
fn a_timeout_can_play_the_reported_move() {
    let home = TestHome::new();
    let setting = &["--on-timeout", "play-reported"];
    let seat = "faulty:fault=report-then-loop:at=11@400ms/move";
    let record = check_fault(&home, seat, setting, "rules");
    let marked =
        record.plies.iter().filter(|ply| ply.origin == Some(MoveOrigin::ReportedOnTimeout));
    let marked: Vec<u8> = marked.filter_map(|ply| ply.seat).collect();
    assert!(!marked.is_empty() && marked.iter().all(|seat| *seat == 0), "{marked:?}");
    // The reported move is illegal, so there is nothing to play.
    let seat = "faulty:fault=report-illegal-then-loop@60ms/move";
    check_fault(&home, seat, setting, "white timeout");
}

#[test]
fn fuel_overruns_are_reproducible() {
    let home = TestHome::new();
    let seats = ["--seat", "faulty:fault=loop:at=3@fuel:1e8/move", "--seat", "random-mover"];
    let game = ["gomoku", "--variant", "freestyle-7", "--seed", "3"];
    let play = || record_of(&home.play_json(&[&game[..], &seats].concat()));
    let (first, second) = (play(), play());
    assert_eq!(first.plies.len(), 4);
    let spent =
        |record: &Record| -> Vec<_> { record.plies.iter().map(|ply| ply.spent.fuel).collect() };
    assert_eq!(spent(&first), spent(&second));
    assert!(first.result.unwrap().sentence.contains("loses on time"));
}

/// The command must exit with `code` and print `expected` on standard error only.
fn check_refused(home: &TestHome, arguments: &[&str], code: i32, expected: &str) {
    let CommandOutput { code: found, out, err } = home.run(arguments, "");
    assert_eq!(found, Some(code), "{arguments:?}: {err}");
    assert!(err.contains(expected), "{arguments:?}: no {expected:?} in {err}");
    assert_eq!(out, "", "{arguments:?}");
}

#[test]
fn usage_errors_exit_with_a_hint() {
    let home = TestHome::new();
    let check = |words: &str, code, expected: &str| {
        let arguments: Vec<&str> = words.split(' ').collect();
        check_refused(&home, &arguments, code, expected);
    };
    let native = format!("random-mover-native{}", "@fuel:1e9/move");
    check("play gomok --seat human", 2, "did you mean `gomoku`?");
    check("play gomoku --seat human", 2, "sandboard play gomoku --seat human --seat");
    check("play gomoku --seat random-movr --seat human", 2, "did you mean `random-mover`");
    check("play gomoku --seat faulty:falt=x --seat human", 2, "did you mean `fault`?");
    check("play gomoku --seat faulty:at=0 --seat human", 2, "a whole number from 1 to 1000");
    check("play gomoku --seat faulty@5 --seat human", 2, "`5` is not a valid budget");
    check(
        "play gomoku --seat human@cpu:5s/move --seat faulty",
        2,
        "a person cannot have a CPU time budget",
    );
    check(&format!("play gomoku --seat {native} --seat human"), 2, "native library");
    check(
        "play gomoku --seat human@fuel:1e9/move --seat faulty",
        2,
        "a person cannot have a fuel budget",
    );
    check("play gomoku --variant nonsense --seat human --seat human", 2, "it has freestyle");
    check("play gomoku --position x --seat human --seat human", 2, "not a position of gomoku");
    check("play --resume missing.json", 1, "missing.json");
    check("play gomoku --engines-dir missing --seat faulty --seat human", 1, "missing");
    check("analyse random-mover --budget none", 2, "can prove a result");
    check("perft gomoku", 2, "--depth");
    check("playouts gomoku --games 0", 2, "0 is not in 1..=100000000");
    check("playouts gomoku --position x", 2, "not a position of gomoku");
    check("playouts chequers", 2, "unknown game `chequers`");
    check("nonsense", 2, "unrecognized subcommand");
    let refused = "play gomoku --native refuse --seat random-mover-native --seat human";
    check(refused, 1, "is a native library, and those are refused here");
}

#[test]
fn rules_answers_each_line_even_invalid_ones() {
    let home = TestHome::new();
    let input = [
        r#"{"moves": ["h8", "i9"]}"#,
        "nonsense",
        r#"{"moves": "h8 h8"}"#,
        "",
        r#"{"position": "5/5/5/oooo1/xxxx1 b", "moves": "e1"}"#,
        r#"{"variant": "freestyle-5"}"#,
        r#"{"variant": "freestyle-99"}"#,
    ];
    let answers = lines(&home.succeed(&["rules", "gomoku"], &input.join("\n")));
    assert_eq!(answers.len(), 6);
    assert_eq!((&answers[0]["to_move"], &answers[0]["outcome"]), (&"black".into(), &Value::Null));
    assert_eq!(answers[0]["legal"].as_array().unwrap().len(), 223);
    let error = |index: usize| answers[index]["error"].as_str().unwrap_or_default();
    assert!(error(1).contains("a line must be a JSON object"), "{}", error(1));
    assert!(error(2).contains("move 2: `h8` is refused"), "{}", error(2));
    assert_eq!(answers[3]["outcome"]["winner"], "black");
    assert_eq!(answers[3]["legal"], Value::Array(Vec::new()));
    assert_eq!(answers[4]["position"], "5/5/5/5/5 b");
    assert!(error(5).contains("no variant `freestyle-99`"), "{}", error(5));
}

#[test]
fn rules_answers_while_the_pipe_is_open() {
    use std::io::{BufRead, BufReader};
    let home = TestHome::new();
    let mut child = home.command(&["rules", "gomoku"]).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    for moves in ["h8", "a1 b1"] {
        writeln!(stdin, "{{\"moves\": \"{moves}\"}}").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.starts_with("{\"position\":"), "{answer}");
    }
    drop(stdin);
    assert!(answers.next().is_none() && child.wait().unwrap().success());
}

#[test]
fn analyse_answers_each_line_despite_engine_faults() {
    let home = TestHome::new();
    let input = [
        r#"{"position": "5/5/5/5/5 b"}"#,
        "nonsense",
        r#"{"position": "5/5/5/oooo1/xxxx1 b", "moves": ["e1"]}"#,
        r#"{"position": "xxoox/ooxxo/xxoox/ooxxo/xxoo1 b", "exclude": ["e1"]}"#,
        r#"{"position": "xxoox/ooxxo/xxoox/ooxxo/xxoo1 b"}"#,
    ];
    let arguments = ["analyse", "random-mover", "--exclude", "a1", "--budget", "1s/move"];
    let answers = lines(&home.succeed(&arguments, &input.join("\n")));
    assert_eq!(answers.len(), 5);
    let fields = ["move", "score", "depth", "nodes", "pv"];
    assert!(fields.iter().all(|field| answers[0].get(field).is_some()), "{}", answers[0]);
    assert_ne!(answers[0]["move"], "a1");
    let error = |index: usize| answers[index]["error"].as_str().unwrap_or_default();
    assert!(error(1).contains("a line must be a JSON object"), "{}", error(1));
    assert!(error(2).contains("the game is over: five in a row"), "{}", error(2));
    assert!(error(3).contains("every legal move is excluded"), "{}", error(3));
    assert_eq!(answers[4]["move"], "e1");
    let two_left = r#"{"position": "xxoox/ooxxo/xxoox/ooxxo/xxo2 b"}"#;
    let excluded = |moves: &str, expected: &str| {
        let arguments = ["analyse", "random-mover", "--exclude", moves, "--budget", "1s/move"];
        let answers = lines(&home.succeed(&arguments, two_left));
        assert_eq!(answers[0]["move"].as_str().unwrap_or("none"), expected, "{moves}");
    };
    excluded("d1", "e1");
    excluded("a1,e1", "d1");
    excluded("a1, e1,", "d1");
    excluded("e1 d1", "none");
    excluded("e1,d1", "none");

    let check = |seat: &str, fault: &str| {
        let arguments = ["analyse", seat, "--game", "gomoku", "--budget", "60ms/move"];
        let answers = lines(&home.succeed(&arguments, "{}\nnonsense\n{}\n"));
        let faults: Vec<&Value> = answers.iter().map(|answer| &answer["fault"]).collect();
        assert_eq!(faults, [&fault.into(), &Value::Null, &fault.into()], "{answers:?}");
        assert!(answers[0]["error"].as_str().unwrap().contains("engine `faulty`"));
    };
    check("faulty:fault=panic", "crash");
    check("faulty:fault=loop", "timeout");
    check("faulty:fault=occupied-point", "illegal-move");
}

#[test]
fn playouts_describe_a_game() {
    let home = TestHome::new();
    let playouts = |arguments: &str| -> Value {
        let arguments: Vec<&str> = arguments.split(' ').chain(["--json"]).collect();
        serde_json::from_str(&home.succeed(&[&["playouts"], &*arguments].concat(), "")).unwrap()
    };
    // More games than a thread plays at once. Each game has at most 36 - 4 discs and some passes.
    let reversi = playouts("reversi --variant standard-6 --games 200 --seed 3");
    assert_eq!(reversi, playouts("reversi --variant standard-6 --games 200 --seed 3"));
    let number = |place: &str| reversi.pointer(place).and_then(Value::as_f64).expect(place);
    assert_eq!(number("/games"), 200.0);
    assert_eq!(number("/sides/0/won") + number("/sides/1/won") + number("/drawn"), 200.0);
    assert_eq!(number("/sides/0/score_mean"), -number("/sides/1/score_mean"));
    assert!((28.0..36.0).contains(&number("/plies/mean")), "{reversi}");
    assert!(number("/sides/0/score_error") > 0.1, "{reversi}");
    // Each game has a deal of its own: their scores differ. One deal has few different scores.
    let deals = playouts("bridge --variant double-dummy-2 --games 50 --seed 1");
    assert_eq!(deals["plies"], json!({"min": 8, "max": 8, "mean": 8.0}), "{deals}");
    let short = playouts("gomoku --games 3 --plies-max 4 --seed 1");
    assert_eq!((&short["unfinished"], &short["drawn"]), (&json!(3), &json!(0)), "{short}");
    assert_eq!(short["sides"][0]["score_mean"], Value::Null);
    // 225, 224, 223 and 222 moves.
    assert_eq!(short["choices_mean"], 223.5);
    let text = home.succeed(&["playouts", "reversi", "--games", "10", "--seed", "1"], "");
    assert!(
        text.starts_with("reversi standard-8: 10 random games, seed 1\n  black  won "),
        "{text}"
    );
}

#[test]
fn perft_counts_nodes() {
    let home = TestHome::new();
    let perft = |more: &[&str]| home.succeed(&[&["perft", "gomoku"][..], more].concat(), "");
    assert_eq!(perft(&["--depth", "2", "--json"]), "{\"nodes\":50400}\n");
    let position = ["--position", "5/5/5/oooo1/xxxx1 b", "--depth", "2", "--json"];
    // One of the 17 moves wins: it ends the game and counts as one node.
    assert_eq!(perft(&position), "{\"nodes\":257}\n");
    let text = perft(&["--variant", "freestyle-5", "--depth", "3"]);
    assert!(text.starts_with("gomoku freestyle-5, depth 3: 13800 nodes\n"), "{text}");
}
