//! `sandboard check` on engines that are sound and on one that does everything
//! wrong, one thing at a time: each misbehaviour turns its own steps red and no
//! others.

use sandboard_host::check::STEPS;
use sandboard_tests::{built, root};
use serde_json::Value;

use crate::cli::{Ended, Home};

/// A small board, so that a game is short.
const SMALL: [&str; 3] = ["--variant", "freestyle-7", "--json"];

/// The exit code, and each step as `name outcome sentence`, in their order.
fn check_json(home: &Home, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let Ended { code, out, err } = home.run(&[&["check"], arguments].concat(), "");
    assert_eq!(out.lines().count(), 1, "one line and nothing else: {out}{err}");
    let object: Value = serde_json::from_str(&out).expect("it is JSON");
    let steps = object["steps"].as_array().expect("steps are a list");
    let count = |outcome: &str| steps.iter().filter(|step| step["outcome"] == outcome).count();
    for outcome in ["passed", "warned", "failed", "skipped"] {
        assert_eq!(object[outcome], count(outcome), "{outcome}: {object}");
    }
    assert_eq!(code, Some(i32::from(count("failed") > 0)), "{err}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for step in steps {
        let wants_finding = step["outcome"] == "failed" || step["outcome"] == "warned";
        let findings = step["findings"].as_array().expect("findings are a list");
        assert_eq!(wants_finding, !findings.is_empty(), "{step}");
        for field in ["sentence", "asked", "came_back", "expected", "help"] {
            assert!(findings.iter().all(|finding| finding[field] != ""), "no {field}: {step}");
        }
    }
    let row =
        |step: &Value| [&step["name"], &step["outcome"], &step["sentence"]].map(text).join(" ");
    (code, steps.iter().map(row).collect())
}

/// What a sound engine may hear of on a machine that gives it no time.
fn is_busy_machine(row: &str) -> bool {
    row.starts_with("budget warned the machine is too busy to judge")
        || row.starts_with("budget warned") && row.contains(" times it did not answer within")
}

#[test]
fn sound_engines_pass_every_step() {
    let home = Home::trusting();
    for stem in ["random-mover", "gomoku-alpha", "gomoku-rows", "gomoku-simple", "c-minimal"] {
        check_sound(&home, stem);
        check_sound(&home, &format!("{stem}-native"));
    }
}

fn check_sound(home: &Home, id: &str) {
    let (code, rows) = check_json(home, &[&[id][..], &SMALL].concat());
    assert_eq!((code, rows.len()), (Some(0), STEPS.len()), "{id}: {rows:#?}");
    for (step, row) in STEPS.iter().zip(&rows) {
        let passed = row.starts_with(&format!("{} passed ", step.name));
        // The template in C does not think on its opponent's time, and says so.
        let no_ability = row.starts_with("pondering skipped it says of itself");
        let fits = if id.starts_with("c-minimal") && step.name == "pondering" {
            no_ability
        } else {
            passed || is_busy_machine(row)
        };
        assert!(fits, "{id}: {row}");
    }
}

/// `fault=word` or `fault=word at=2`; `expected` names every step that does not
/// pass, and how it begins to say so.
fn check_fault(home: &Home, id: &str, options: &str, expected: &[&str]) {
    check_fault_of(home, &[id], options, expected);
}

/// The same of an engine and how it is to run.
fn check_fault_of(home: &Home, engine: &[&str], options: &str, expected: &[&str]) {
    let options = options.split(' ').flat_map(|option| ["--option", option]);
    let arguments: Vec<&str> = engine.iter().copied().chain(SMALL).chain(options).collect();
    // What `at` says is set, too: step 5 then tries no option.
    let (_, rows) = check_json(home, &arguments);
    let passed = |row: &&String| row.split(' ').nth(1) == Some("passed") || is_busy_machine(row);
    let found: Vec<&String> = rows.iter().filter(|row| !passed(row)).collect();
    let alike = |(found, expected): (&&String, &&str)| found.starts_with(expected);
    let same = found.len() == expected.len() && found.iter().zip(expected).all(alike);
    assert!(same, "{arguments:?}: {found:#?}, not {expected:#?}");
}

/// What is left when an engine does not answer at all.
const NOTHING_AFTER_ANSWERS: [&str; 12] = [
    "options skipped step 4 (answers) failed, and this one builds on it",
    "positions skipped",
    "games skipped",
    "barred skipped",
    "undo skipped",
    "budget skipped",
    "seed skipped",
    "instances skipped step 11 (seed) was skipped, and this one builds on it",
    "memory skipped",
    "reports skipped",
    "output skipped",
    "pondering skipped",
];

#[test]
fn an_engine_that_does_not_answer_fails_at_the_first_move() {
    let home = Home::new();
    let check = |options: &str, sentence: &str| {
        let expected: Vec<&str> = [sentence].into_iter().chain(NOTHING_AFTER_ANSWERS).collect();
        check_fault(&home, "faulty", options, &expected);
    };
    check("fault=loop at=1", "answers failed it did not answer within 20 ms and 3000 ms of grace");
    check("fault=panic at=1", "answers failed it gave up: panicked at sample-engines/faulty/");
    check("fault=error at=1", "answers failed it answered with an error: asked to fail");
    check("fault=stack at=1", "answers failed it used up its 1024 KiB of stack");
    check("fault=nonsense at=1", "answers failed it chose an illegal move, `\\u{1b}[2Jnot a move");
    check("fault=huge-move at=1", "answers failed it sent a move of 1000000 bytes");
    check("fault=report-flood at=1", "answers failed it reported more than 100000 lines");
    check("fault=accept-draw at=1", "answers failed it accepts a draw that nobody offers");
    let mut expected = vec!["starts failed it answered with an error: asked not to start"];
    expected.push("answers skipped step 3 (starts) failed");
    expected.push("options skipped step 4 (answers) was skipped");
    expected.extend(&NOTHING_AFTER_ANSWERS[1..10]);
    expected.extend(["refusals skipped step 3 (starts) failed", "output skipped"]);
    expected.push("pondering skipped");
    check_fault(&home, "faulty", "fault=refuse-start at=1", &expected);
}

#[test]
fn each_misbehaviour_fails_its_own_steps() {
    let home = Home::new();
    let check = |options: &str, expected: &[&str]| {
        check_fault(&home, "faulty", options, expected);
    };
    check("fault=none at=1", &[]);
    check("fault=ask at=1", &[]);
    let resigns = "games warned a game against itself is over after 0 plies: ";
    check("fault=resign at=1", &["answers warned it resigns before the first move", resigns]);
    check("fault=deaf at=1", &["budget failed it did not stop within 500 ms when told to"]);
    let late = "budget failed it did not answer within 10 ms and 50 ms of grace";
    check("fault=ignore-clock at=1", &[late]);
    check("fault=ignore-depth at=1", &["budget failed it does not keep the budget depth:1"]);
    check("fault=ignore-barred at=1", &["barred failed it chose `"]);
    check("fault=ignore-undo at=1", &["undo failed it answered with an error: `"]);
    check("fault=leak at=1", &["memory warned its memory grows from move to move, by "]);
    let line = "reports failed it reports a line whose move 2 is illegal: `";
    check("fault=illegal-line at=1", &[line]);
    check("fault=other-line at=1", &["reports warned it plays `"]);
    let accepts = "refusals warned it starts with an unknown game and does not refuse, and 4 more";
    check("fault=accept-nonsense at=1", &[accepts]);
    check("fault=panic-on-nonsense at=1", &["refusals failed it gave up: panicked at"]);
    check("fault=log-flood at=1", &["output warned it logs "]);
    // From its second move on: whatever asks one instance twice.
    let twice = |sentence: &str| -> Vec<String> {
        let row = |name: &str| match name {
            "games" => "games failed a game ended badly after ".to_owned(),
            "instances" => "instances skipped step 11 (seed) failed".to_owned(),
            name => format!("{name} failed {sentence}"),
        };
        let names =
            ["games", "barred", "undo", "seed", "instances", "memory", "output", "pondering"];
        names.map(row).to_vec()
    };
    for (options, sentence) in [
        ("fault=occupied at=2", "it chose an illegal move, `"),
        ("fault=memory at=2", "it used up its 64 MiB of memory"),
    ] {
        let expected = twice(sentence);
        check(options, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let told = "failed it gave up: panicked at";
    let told = |name: &str| format!("{name} {told}");
    let expected =
        ["positions", "games", "undo", "seed", "instances", "memory", "output", "pondering"];
    let mut expected = expected.map(told).to_vec();
    expected[1] = "games failed a game ended badly after 1 plies: seat 0 (black) loses".into();
    expected[4] = "instances skipped".into();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check("fault=panic-in-played at=1", &expected);
}

#[test]
fn what_instances_share_is_found_where_they_can_share() {
    let home = Home::trusting();
    // In workers no two instances share a process; in this one they do.
    let here = ["faulty-native", "--native", "in-process"];
    let shared = [
        "undo warned after 1 plies taken back it chooses another move than a fresh instance",
        "seed failed a second instance with the same seed plays other moves",
        "instances skipped",
    ];
    check_fault_of(&home, &here, "fault=forget-seed at=1", &shared);
    check_fault(&home, "faulty-native", "fault=forget-seed at=1", &[]);
    check_fault(&home, "faulty-native", "fault=disturbed at=1", &[]);
    // In the sandbox an instance has nothing to share.
    check_fault(&home, "faulty", "fault=forget-seed at=1", &[]);
    check_fault(&home, "faulty", "fault=disturbed at=1", &[]);
    let only = ["--option", "fault=disturbed", "--step", "12"];
    let (_, rows) = check_json(&home, &[&here[..], &SMALL, &only].concat());
    let expected = "instances failed an instance beside another one plays other moves";
    assert_eq!((rows.len(), rows[1].as_str()), (2, expected));
}

/// The parts that the text must have, in this order.
fn check_text(home: &Home, words: &str, parts: &[&str]) -> String {
    let arguments: Vec<&str> = words.split(' ').collect();
    let text = home.run(&arguments, "").out;
    let mut rest = text.as_str();
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("no {part:?} in {rest}\nof {text}") };
        rest = &rest[at + part.len()..];
    }
    text
}

#[test]
fn a_failed_step_shows_what_was_asked_and_what_the_engine_said() {
    let home = Home::new();
    let engine = "check faulty --variant freestyle-7 --option";
    check_text(
        &home,
        &format!("{engine} fault=ignore-barred --step 8"),
        &[
            "faulty 0.1.0 (EngineConfigs.xml), seed 1, test games at 20ms/move",
            "  8 barred       failed  it chose `",
            "asked     gomoku freestyle-7, seat 0: start with the moves ``; choose under 20ms/move",
            "came back play `",
            "expected  one of ",
            "try       echo '{\"position\": \"7/7/7/7/7/7/7 b\", \"exclude\": \"",
            "| sandboard analyse faulty:fault=ignore-barred --game gomoku --variant freestyle-7",
            "1 passed, 0 warned, 1 failed, 0 skipped in ",
        ],
    );
    check_text(
        &home,
        &format!("{engine} fault=panic-on-nonsense --step 15"),
        &[
            "asked     start with an unknown game",
            "came back a fault (crash): it gave up: panicked at",
            "try       sandboard check faulty --option fault=panic-on-nonsense --variant \
             freestyle-7 --seed 1 --step 15 --verbose; docs/check.md, 15 refusals",
            "the engine's own output:",
            "fatal   panicked at",
            "fault   it gave up: panicked at",
        ],
    );
    let asking = format!("{engine} fault=ask --step 8");
    let verbose = ["  8 barred       passed", "the engine's own output:", "info    left true"];
    check_text(&home, &format!("{asking} --verbose"), &verbose);
    let quiet = check_text(&home, &asking, &verbose[..1]);
    assert!(!quiet.contains("left true"), "{quiet}");
}

#[test]
fn what_the_folder_says_is_held_against_what_the_engine_says() {
    let home = Home::new();
    let pack = home.file("folder").join("pack");
    std::fs::create_dir_all(&pack).unwrap();
    std::fs::copy(built("random-mover.wasm"), pack.join("mover.wasm")).unwrap();
    let manifest = "<EngineConfigs abi=\"1\">\n\
         <Engine id=\"renamed\" name=\"R\" author=\"A\" version=\"9\" kind=\"wasm\" module=\"mover.wasm\">\n\
         <Game id=\"gomoku\" variants=\"freestyle\"/>\n</Engine>\n\
         <Engine id=\"broken\" name=\"B\" author=\"A\" version=\"1\" kind=\"wasm\" module=\"none.wasm\">\n\
         <Game id=\"gomoku\" variants=\"freestyle\"/>\n</Engine>\n</EngineConfigs>\n";
    std::fs::write(pack.join("EngineConfigs.xml"), manifest).unwrap();
    let folder = home.file("folder");
    let folder = ["--engines-dir", folder.to_str().unwrap(), "--json"];
    let (code, rows) = check_json(&home, &[&["renamed", "--step", "2"][..], &folder].concat());
    assert_eq!((code, rows.len()), (Some(0), 2), "{rows:?}");
    let expected = "description warned the manifest calls it version 9, it says 0.1.0";
    assert_eq!(rows[1], expected);
    let (code, rows) = check_json(&home, &[&["broken"][..], &folder].concat());
    assert_eq!((code, rows.len()), (Some(1), STEPS.len()));
    assert!(rows[0].starts_with("module failed the catalog found 1 fault: "), "{rows:?}");
    assert!(rows[1..].iter().all(|row| row.contains(" skipped step ")), "{rows:?}");
    // The folder of the pack means all engines in it.
    let pack = ["check", pack.to_str().unwrap(), "--step", "2", "--json"];
    let Ended { code, out, .. } = home.run(&pack, "");
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let engines: Vec<&str> = objects.iter().filter_map(|it| it["engine"].as_str()).collect();
    assert_eq!((code, engines), (Some(1), vec!["renamed", "broken"]));
}

#[test]
fn what_is_asked_for_wrongly_gets_a_hint() {
    let home = Home::new();
    let check = |words: &str, expected: &str| {
        let arguments: Vec<&str> = words.split(' ').collect();
        let Ended { code, out, err } = home.run(&arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{words}: {err}");
        assert!(err.contains(expected), "{words}: no {expected:?} in {err}");
    };
    check("check random-movr", "did you mean `random-mover`");
    check("check faulty --option falt=x", "did you mean `fault`?");
    check("check faulty --option fault", "an option is written name=value");
    check("check faulty --step 99", "there are 1 to 17");
    check("check faulty --variant nonsense", "it has freestyle");
    check("check faulty --game gomok", "did you mean `gomoku`?");
    check("check faulty --budget none", "does not end by itself");
    check("check faulty --budget depth:3", "step 10 tries depth and nodes");
    check("check faulty-native --budget fuel:1e7/move", "only a wasm engine's fuel is counted");
    check("check faulty --kind wasm", "`faulty` is no folder of an engine's source");
    check("check faulty --debug", "--kind and --debug are about what is built");
    check("build nowhere --kind wasm --debug", "--debug is about the native library");
    check("dev nowhere --kind wasm --debug", "--debug is about the native library");
    let file = format!("check {}", built("faulty.wasm").display());
    check(&file, "type sandboard check ID --engines-dir FOLDER");
    std::fs::create_dir(home.file("empty")).unwrap();
    check("check empty", "nor a pack (EngineConfigs.xml)");
}

#[test]
fn the_docs_explain_every_step_and_no_other() {
    let text = std::fs::read_to_string(root().join("docs/check.md")).unwrap();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let steps: Vec<String> =
        STEPS.iter().map(|step| format!("{} {}: {}", step.number, step.name, step.asks)).collect();
    let found: Vec<&&str> =
        headings.iter().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(
        found,
        steps.iter().map(|s| s.as_str()).collect::<Vec<_>>().iter().collect::<Vec<_>>()
    );
    let numbers: Vec<usize> = STEPS.iter().map(|step| usize::from(step.number)).collect();
    assert_eq!(numbers, (1..=STEPS.len()).collect::<Vec<_>>());
}

#[test]
fn an_engine_that_ends_its_process_is_told_of() {
    let home = Home::new();
    let template = root().join("sample-engines/c-minimal/engine.c");
    let text = std::fs::read_to_string(template).unwrap();
    let (head, body) =
        ("engine_played(void *self, sb_text move) {\n", "  *(volatile int *)8 = 1;\n");
    assert!(text.contains(head));
    let folder = home.file("wild");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("engine.c"), text.replace(head, &[head, body].concat())).unwrap();
    let check = ["check", "wild", "--kind", "native", "--variant", "freestyle-5"];
    let ended = home.run(&check, "");
    assert_eq!(ended.code, Some(1), "{}\n{}", ended.out, ended.err);
    assert!(ended.out.contains("  4 answers      passed"), "{}", ended.out);
    assert!(ended.out.contains("was killed by SIGSEGV"), "{}", ended.out);
    assert!(ended.err.contains("engine `wild-native` failed"), "{}", ended.err);
}

#[test]
fn a_manifest_that_leaves_options_out_is_warned_of() {
    let home = Home::new();
    let check = |options: &str, expected: &str| {
        let pack = home.file("pack");
        std::fs::create_dir_all(&pack).unwrap();
        std::fs::copy(built("faulty.wasm"), pack.join("faulty.wasm")).unwrap();
        let text = format!(
            "<EngineConfigs abi=\"1\">\n<Engine id=\"some\" version=\"0.1.0\" kind=\"wasm\" \
             module=\"faulty.wasm\">\n<Game id=\"gomoku\" variants=\"freestyle standard\"/>\n\
             {options}</Engine>\n</EngineConfigs>\n"
        );
        std::fs::write(pack.join("EngineConfigs.xml"), text).unwrap();
        let out = home.succeed(&["check", "pack", "--step", "2"], "");
        assert!(out.contains(expected), "no {expected:?} in\n{out}");
    };
    check("", "2 description  passed");
    let at = "<Option name=\"at\" kind=\"whole\" min=\"1\" max=\"1000\" default=\"1\"/>\n";
    check(at, "the manifest names some options and not fault, which nobody can set then");
}
