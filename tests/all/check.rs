//! `sandboard check` on sound engines and on `faulty`, which misbehaves in one way at a time: each
//! misbehaviour fails exactly its own steps.

use sandboard_analysis::check::STEPS;
use sandboard_tests::{built, root};
use serde_json::Value;

use crate::cli::{CommandOutput, TestHome};

/// A small board, so that a game is short.
const SMALL: [&str; 3] = ["--variant", "freestyle-7", "--json"];

/// Runs `check`: the exit code, and the steps in order as `name outcome sentence`.
fn check_json(home: &TestHome, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let CommandOutput { code, out, err } = home.run(&[&["check"], arguments].concat(), "");
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
        for field in ["sentence", "request", "response", "expected", "advice"] {
            assert!(findings.iter().all(|finding| finding[field] != ""), "no {field}: {step}");
        }
    }
    let row =
        |step: &Value| [&step["name"], &step["outcome"], &step["sentence"]].map(text).join(" ");
    (code, steps.iter().map(row).collect())
}

/// A warning that a sound engine can get on a busy machine.
fn is_busy_machine(row: &str) -> bool {
    row.starts_with("budget warned the machine is too busy to judge")
        || row.starts_with("budget warned") && row.contains(" times it did not answer within")
}

#[test]
fn sound_engines_pass_every_step() {
    let home = TestHome::trusting();
    for stem in ["random-mover", "gomoku-alpha", "gomoku-rows", "gomoku-simple", "c-minimal"] {
        check_sound(&home, stem);
        check_sound(&home, &format!("{stem}-native"));
    }
}

fn check_sound(home: &TestHome, id: &str) {
    let (code, rows) = check_json(home, &[&[id][..], &SMALL].concat());
    assert_eq!((code, rows.len()), (Some(0), STEPS.len()), "{id}: {rows:#?}");
    for (step, row) in STEPS.iter().zip(&rows) {
        let passed = row.starts_with(&format!("{} passed ", step.name));
        // The C template declares that it does not ponder.
        let no_ability = row.starts_with("pondering skipped its description says");
        let fits = if id.starts_with("c-minimal") && step.name == "pondering" {
            no_ability
        } else {
            passed || is_busy_machine(row)
        };
        assert!(fits, "{id}: {row}");
    }
}

/// Checks an engine under options such as `fault=word at=2`. `expected` lists every step that does
/// not pass, as the start of its row.
fn check_fault(home: &TestHome, id: &str, options: &str, expected: &[&str]) {
    check_fault_of(home, &[id], options, expected);
}

/// The name of the step of a row.
fn step_of(row: &str) -> &str {
    row.split(' ').next().unwrap_or_default()
}

/// As [`check_fault`], for an engine id followed by more arguments.
fn check_fault_of(home: &TestHome, engine: &[&str], options: &str, expected: &[&str]) {
    let options = options.split(' ').flat_map(|option| ["--option", option]);
    let arguments: Vec<&str> = engine.iter().copied().chain(SMALL).chain(options).collect();
    // The option `at` is set, too, so step 5 tries no option.
    let (_, rows) = check_json(home, &arguments);
    let passed = |row: &&String| row.split(' ').nth(1) == Some("passed") || is_busy_machine(row);
    let found: Vec<&String> = rows.iter().filter(|row| !passed(row)).collect();
    // A step that a busy machine kept from a verdict has not found the fault.
    let undecided: Vec<&str> =
        rows.iter().filter(|row| is_busy_machine(row)).map(|row| step_of(row)).collect();
    let expected: Vec<&str> =
        expected.iter().copied().filter(|row| !undecided.contains(&step_of(row))).collect();
    let fits = |(found, expected): (&&String, &&str)| found.starts_with(expected);
    let matches = found.len() == expected.len() && found.iter().zip(&expected).all(fits);
    assert!(matches, "{arguments:?}: {found:#?}, not {expected:#?}");
}

/// The rows after step 4 if an engine does not answer at all.
const NOTHING_AFTER_ANSWERS: [&str; 12] = [
    "options skipped step 4 (answers) failed, and this step requires it",
    "positions skipped",
    "games skipped",
    "barred skipped",
    "undo skipped",
    "budget skipped",
    "seed skipped",
    "instances skipped step 11 (seed) was skipped, and this step requires it",
    "memory skipped",
    "reports skipped",
    "output skipped",
    "pondering skipped",
];

#[test]
fn an_engine_that_does_not_answer_fails_at_the_first_move() {
    let home = TestHome::new();
    let check = |options: &str, sentence: &str| {
        let expected: Vec<&str> = [sentence].into_iter().chain(NOTHING_AFTER_ANSWERS).collect();
        check_fault(&home, "faulty", options, &expected);
    };
    check("fault=loop at=1", "answers failed it did not answer within 20 ms and 3000 ms of grace");
    check("fault=panic at=1", "answers failed it gave up: panicked at sample-engines/faulty/");
    check("fault=error at=1", "answers failed it answered with an error: asked to fail");
    check("fault=stack at=1", "answers failed it used up its 1024 KiB of stack");
    check(
        "fault=malformed-move at=1",
        "answers failed it chose an illegal move, `\\u{1b}[2Jnot a move",
    );
    check("fault=huge-move at=1", "answers failed it sent a move of 1000000 bytes");
    check("fault=report-flood at=1", "answers failed it reported more than 100000 lines");
    check("fault=accept-draw at=1", "answers failed it accepted a draw that was not offered");
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
    let home = TestHome::new();
    let check = |options: &str, expected: &[&str]| {
        check_fault(&home, "faulty", options, expected);
    };
    check("fault=none at=1", &[]);
    check("fault=query-host at=1", &[]);
    let resigns = "games warned a game against itself is over after 0 plies: ";
    check("fault=resign at=1", &["answers warned it resigns before the first move", resigns]);
    check(
        "fault=ignore-stop at=1",
        &["budget failed it did not stop within 500 ms after a stop request"],
    );
    let overrun = "budget failed it did not answer within 10 ms and 50 ms of grace";
    check("fault=ignore-clock at=1", &[overrun]);
    check("fault=ignore-depth at=1", &["budget failed it exceeds the budget depth:1"]);
    check("fault=ignore-barred at=1", &["barred failed it chose `"]);
    check("fault=ignore-undo at=1", &["undo failed it answered with an error: `"]);
    check("fault=leak at=1", &["memory warned its memory grows from move to move, recently by "]);
    let line = "reports failed it reports a line whose move 2 is illegal: `";
    check("fault=report-illegal-line at=1", &[line]);
    check("fault=report-other-move at=1", &["reports warned it plays `"]);
    let accepts = "refusals warned it accepts an unknown game, and 4 more";
    check("fault=accept-invalid-setup at=1", &[accepts]);
    check("fault=panic-on-invalid-setup at=1", &["refusals failed it gave up: panicked at"]);
    check("fault=log-flood at=1", &["output warned it logs "]);
    // Faults from the second move on fail each step that uses one instance twice.
    let twice = |sentence: &str| -> Vec<String> {
        let row = |name: &str| match name {
            "games" => "games failed a game was lost by a fault after ".to_owned(),
            "instances" => "instances skipped step 11 (seed) failed".to_owned(),
            name => format!("{name} failed {sentence}"),
        };
        let names =
            ["games", "barred", "undo", "seed", "instances", "memory", "output", "pondering"];
        names.map(row).to_vec()
    };
    for (options, sentence) in [
        ("fault=occupied-point at=2", "it chose an illegal move, `"),
        ("fault=memory at=2", "it used up its 64 MiB of memory"),
    ] {
        let expected = twice(sentence);
        check(options, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let sentence = "failed it gave up: panicked at";
    let row = |name: &str| format!("{name} {sentence}");
    let expected =
        ["positions", "games", "undo", "seed", "instances", "memory", "output", "pondering"];
    let mut expected = expected.map(row).to_vec();
    expected[1] =
        "games failed a game was lost by a fault after 1 plies: seat 0 (black) loses".into();
    expected[4] = "instances skipped".into();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check("fault=panic-in-played at=1", &expected);
}

#[test]
fn state_shared_by_instances_is_found_in_one_process() {
    let home = TestHome::trusting();
    // Jailed instances never share a process; instances in this process do.
    let here = ["faulty-native", "--native", "in-process"];
    let shared = [
        "undo warned after taking back 1 plies it chooses another move than a fresh instance",
        "seed failed a second instance with the same seed plays other moves",
        "instances skipped",
    ];
    check_fault_of(&home, &here, "fault=ignore-seed at=1", &shared);
    check_fault(&home, "faulty-native", "fault=ignore-seed at=1", &[]);
    check_fault(&home, "faulty-native", "fault=depend-on-instances at=1", &[]);
    // Wasm instances share nothing.
    check_fault(&home, "faulty", "fault=ignore-seed at=1", &[]);
    check_fault(&home, "faulty", "fault=depend-on-instances at=1", &[]);
    let only = ["--option", "fault=depend-on-instances", "--step", "12"];
    let (_, rows) = check_json(&home, &[&here[..], &SMALL, &only].concat());
    let expected = "instances failed an instance beside another one plays other moves";
    assert_eq!((rows.len(), rows[1].as_str()), (2, expected));
}

/// The output must contain these parts in this order.
fn check_text(home: &TestHome, words: &str, parts: &[&str]) -> String {
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
fn a_failed_step_shows_request_response_and_engine_output() {
    let home = TestHome::new();
    let engine = "check faulty --variant freestyle-7 --option";
    check_text(
        &home,
        &format!("{engine} fault=ignore-barred --step 8"),
        &[
            "faulty 0.1.0 (EngineConfigs.xml), seed 1, test games at 20ms/move",
            "  8 barred       failed  it chose `",
            "request   gomoku freestyle-7, seat 0: start with the moves ``; choose under 20ms/move",
            "response  play `",
            "expected  one of ",
            "advice    echo '{\"position\": \"7/7/7/7/7/7/7 b\", \"exclude\": \"",
            "| sandboard analyse faulty:fault=ignore-barred --game gomoku --variant freestyle-7",
            "1 passed, 0 warned, 1 failed, 0 skipped in ",
        ],
    );
    check_text(
        &home,
        &format!("{engine} fault=panic-on-invalid-setup --step 15"),
        &[
            "request   start with an unknown game",
            "response  a fault (crash): it gave up: panicked at",
            "advice    sandboard check faulty --option fault=panic-on-invalid-setup --variant \
             freestyle-7 --seed 1 --step 15 --verbose; docs/check.md, 15 refusals",
            "the engine's own output:",
            "fatal   panicked at",
            "fault   it gave up: panicked at",
        ],
    );
    let asking = format!("{engine} fault=query-host --step 8");
    let verbose = ["  8 barred       passed", "the engine's own output:", "info    left true"];
    check_text(&home, &format!("{asking} --verbose"), &verbose);
    let quiet = check_text(&home, &asking, &verbose[..1]);
    assert!(!quiet.contains("left true"), "{quiet}");
}

#[test]
fn the_manifest_is_compared_with_the_engine_s_description() {
    let home = TestHome::new();
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
    let expected =
        "description warned its version is 9 in the manifest and 0.1.0 in its description";
    assert_eq!(rows[1], expected);
    let (code, rows) = check_json(&home, &[&["broken"][..], &folder].concat());
    assert_eq!((code, rows.len()), (Some(1), STEPS.len()));
    assert!(rows[0].starts_with("module failed the catalog reports 1 fault: "), "{rows:?}");
    assert!(rows[1..].iter().all(|row| row.contains(" skipped step ")), "{rows:?}");
    // A pack's folder stands for all engines in it.
    let pack = ["check", pack.to_str().unwrap(), "--step", "2", "--json"];
    let CommandOutput { code, out, .. } = home.run(&pack, "");
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let engines: Vec<&str> = objects.iter().filter_map(|it| it["engine"].as_str()).collect();
    assert_eq!((code, engines), (Some(1), vec!["renamed", "broken"]));
}

#[test]
fn usage_errors_have_a_hint() {
    let home = TestHome::new();
    let check = |words: &str, expected: &str| {
        let arguments: Vec<&str> = words.split(' ').collect();
        let CommandOutput { code, out, err } = home.run(&arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{words}: {err}");
        assert!(err.contains(expected), "{words}: no {expected:?} in {err}");
    };
    check("check random-movr", "did you mean `random-mover`");
    check("check faulty --option falt=x", "did you mean `fault`?");
    check("check faulty --option fault", "expected name=value");
    check("check faulty --step 99", "the steps are 1 to 17");
    check("check faulty --variant nonsense", "it has freestyle");
    check("check faulty --game gomok", "did you mean `gomoku`?");
    check("check faulty --budget none", "does not limit time");
    check("check faulty --budget depth:3", "step 10 tests depth and nodes");
    check("check faulty-native --budget fuel:1e7/move", "fuel is counted for wasm engines only");
    check("check faulty --kind wasm", "`faulty` is not the folder of an engine's source");
    check("check faulty --debug", "--kind and --debug apply to a build");
    check("build nowhere --kind wasm --debug", "--debug applies to the native library");
    check("dev nowhere --kind wasm --debug", "--debug applies to the native library");
    let file = format!("check {}", built("faulty.wasm").display());
    check(&file, "run sandboard check ID --engines-dir FOLDER");
    std::fs::create_dir(home.file("empty")).unwrap();
    check("check empty", "nor a pack (EngineConfigs.xml)");
}

#[test]
fn the_docs_have_a_heading_for_each_step() {
    let text = std::fs::read_to_string(root().join("docs/check.md")).unwrap();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let steps: Vec<String> = STEPS
        .iter()
        .map(|step| format!("{} {}: {}", step.number, step.name, step.requirement))
        .collect();
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
fn an_engine_that_crashes_its_process_is_reported() {
    let home = TestHome::new();
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
fn a_manifest_that_omits_options_gets_a_warning() {
    let home = TestHome::new();
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
    check(at, "the manifest lists options without fault, so that they cannot be set");
}
