//! `sandboard suite` by the real binary with sample engines: solved and failed positions,
//! comparisons with earlier runs, refusals. Every example of `docs/suite.md` runs here.

use std::path::Path;

use sandboard_tests::root;
use serde_json::Value;

use crate::cli::{CommandOutput, TestHome};

/// A test home with the gomoku tactics, under their names in a clone, too.
fn home() -> TestHome {
    let home = TestHome::new();
    let place = "tests/fixtures/gomoku";
    std::fs::create_dir_all(home.file(place)).unwrap();
    for name in ["tactics.json", "tactics.epd"] {
        let fixture = root().join(place).join(name);
        std::fs::copy(&fixture, home.file(name)).unwrap();
        std::fs::copy(&fixture, home.file(place).join(name)).unwrap();
    }
    home
}

fn suite(home: &TestHome, words: &str) -> CommandOutput {
    home.run(&[&["suite"], words.split(' ').collect::<Vec<_>>().as_slice()].concat(), "")
}

/// The suite exits with `code`; `out` and `err` are parts of its output.
fn check(home: &TestHome, words: &str, code: i32, out: &[&str], err: &str) {
    let ended = suite(home, words);
    assert_eq!(ended.code, Some(code), "{words}: {}\n{}", ended.out, ended.err);
    for part in out {
        assert!(ended.out.contains(part), "{words}: no {part:?} in\n{}", ended.out);
    }
    assert!(ended.err.contains(err), "{words}: no {err:?} in\n{}", ended.err);
}

fn json(home: &TestHome, words: &str) -> Value {
    let ended = suite(home, &format!("{words} --json"));
    assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
    assert_eq!(ended.out.lines().count(), 1, "{}", ended.out);
    serde_json::from_str(&ended.out).expect("it is JSON")
}

/// The ids of the solved or of the failed positions.
fn ids(run: &Value, solved: bool) -> Vec<&str> {
    let results = run["results"].as_array().unwrap().iter();
    let wanted = results.filter(|it| it["solved"] == solved);
    wanted.map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn the_bar_decides_the_exit_code() {
    let home = home();
    // One position needs more nodes.
    let run = "gomoku-simple tactics.json --variant freestyle --budget nodes:200";
    let list = [" 1  TS000  solved  l11", "\nsolved ", "skipped: 38 positions", "nodes/s"];
    check(&home, run, 0, &list, "");
    let (few, all) = (format!("{run} --bar 70%"), format!("{run} --bar 17"));
    check(&home, &few, 0, &["the bar of 70% (12 of 17) is met"], "");
    check(&home, &all, 1, &["the bar of 17 (17 of 17) is missed"], "the bar of 17 is missed: ");
    check(&home, &format!("{run} --bar 18"), 2, &[], "there are only 17 positions");
}

#[test]
fn positions_have_the_same_results_in_both_formats() {
    let home = home();
    let of_lines = json(&home, "gomoku-simple tactics.epd --budget nodes:1000");
    let only: Vec<&str> = of_lines["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["id"].as_str().unwrap())
        .collect();
    let words = format!("gomoku-simple tactics.json --budget nodes:1000 --only {}", only.join(" "));
    let of_json = json(&home, &words);
    for field in ["id", "solved", "wanted", "move", "score", "nodes"] {
        let of = |run: &Value| -> Vec<Value> {
            run["results"].as_array().unwrap().iter().map(|it| it[field].clone()).collect()
        };
        assert_eq!(of(&of_lines), of(&of_json), "{field}");
    }
    assert_eq!((&of_json["saved_to"], &of_json["skipped"]), (&Value::Null, &45.into()));
    // The EPD lines have a score, too: a win in a number of moves.
    assert_eq!(
        (&of_lines["totals"]["scores"], &of_json["totals"]["scores"]),
        (&10.into(), &0.into())
    );
    assert!(of_lines["totals"]["scores_right"].as_u64().unwrap() > 0, "{of_lines}");
    let settled = of_lines["results"].as_array().unwrap().iter().filter(|it| it["solved"] == true);
    let (mut count, mut before_end) = (0, 0);
    for result in settled {
        let at = result["solved_at"]["nodes"].as_u64().unwrap();
        assert!(at <= result["nodes"].as_u64().unwrap(), "{result}");
        count += 1;
        before_end += usize::from(at < result["nodes"].as_u64().unwrap());
    }
    assert!(count > 5 && before_end > 0, "{of_lines}");
}

#[test]
fn a_run_is_compared_with_the_previous_one() {
    let home = home();
    let run = "gomoku-simple tactics.epd --budget nodes:30";
    check(&home, run, 0, &["no earlier run of this suite to compare with", "saved: "], "");
    let again = json(&home, run);
    let against = &again["comparison"];
    assert_eq!(against["newly_solved"].as_array().unwrap().len(), 0, "{against}");
    assert_eq!(against["newly_failed"].as_array().unwrap().len(), 0, "{against}");
    assert_eq!((&against["nodes_ratio"], &against["same_module"]), (&1.0.into(), &true.into()));
    check(&home, run, 0, &["no difference; nodes x1.00", "module is the same"], "");
    // A run of some positions is compared with the full run and does not replace it.
    check(
        &home,
        &format!("{run} --only TS000"),
        0,
        &["no difference", "9 only in the earlier one"],
        "",
    );
    check(&home, run, 0, &["no difference; nodes x1.00"], "");
    check(&home, &format!("{run} --against none"), 0, &["\ntime "], "");

    // Other options or another budget make another run, compared only on request.
    let base = home.file("base.json");
    let base = base.to_str().unwrap();
    check(&home, &format!("{run} --save {base}"), 0, &["base.json"], "");
    let other = "gomoku-simple:depth=2 tactics.epd --budget nodes:200";
    check(&home, other, 0, &["no earlier run of this suite"], "");
    let other = json(&home, &format!("{other} --against {base}"));
    assert_eq!(other["comparison"]["differences"][0], "options none, now depth=2");
    assert_eq!(other["comparison"]["differences"][1], "budget nodes:30, now nodes:200");
    let newly: Vec<&Value> =
        other["comparison"]["newly_solved"].as_array().unwrap().iter().collect();
    let failed_before = ids(&again, false);
    let expected: Vec<_> =
        ids(&other, true).into_iter().filter(|id| failed_before.contains(id)).collect();
    assert!(!expected.is_empty(), "{other}");
    assert_eq!(newly, expected);
    // The output of --json can be compared with, too.
    std::fs::write(home.file("printed.json"), other.to_string()).unwrap();
    let backward = format!("{run} --against printed.json");
    check(&home, &backward, 0, &["newly failed: ", "  newly failed"], "");
}

#[test]
fn a_damaged_run_is_a_warning() {
    let home = home();
    let run = "random-mover tactics.epd --budget depth:1";
    let kept = json(&home, run)["saved_to"].as_str().unwrap().to_owned();
    assert!(Path::new(&kept).starts_with(home.path().join("suites")), "{kept}");
    std::fs::write(&kept, "{\"half\": ").unwrap();
    check(&home, run, 0, &["no earlier run of this suite"], "warning: the run is not compared: ");
    check(&home, run, 0, &["no difference"], "");
    let mine = home.file("mine.txt");
    std::fs::write(&mine, "a poem").unwrap();
    let mine = mine.to_str().unwrap();
    check(&home, &format!("{run} --against {mine}"), 0, &[], "warning: the run is not compared");
    check(&home, &format!("{run} --against missing"), 2, &[], "missing does not exist");
    check(&home, &format!("{run} --save {mine}"), 2, &[], "it is not overwritten");
    assert_eq!(std::fs::read_to_string(mine).unwrap(), "a poem");
}

#[test]
fn a_fault_of_the_engine_is_a_failed_position() {
    let home = home();
    let check = |seat: &str, code: &str, sentence: &str| {
        let run = json(&home, &format!("{seat} tactics.epd --only TS000 TS043"));
        let faults: Vec<&Value> =
            run["results"].as_array().unwrap().iter().map(|it| &it["fault"]).collect();
        assert_eq!(faults.len(), 2);
        for fault in faults {
            assert_eq!(fault["code"], code, "{run}");
            assert!(fault["sentence"].as_str().unwrap().contains(sentence), "{run}");
        }
        assert_eq!((&run["totals"]["solved"], &run["totals"]["faults"]), (&0.into(), &2.into()));
    };
    check("faulty:fault=loop@60ms/move", "timeout", "did not answer within 60 ms");
    check("faulty:fault=panic", "crash", "panicked");
    check("faulty:fault=malformed-move", "illegal-move", "chose an illegal move, `");
    check("faulty:fault=refuse-start", "start", "");
    check("faulty:fault=report-illegal-then-loop@60ms/move", "timeout", "");
    let resigns = json(&home, "faulty:fault=resign tactics.epd --only TS000");
    let result = &resigns["results"][0];
    assert_eq!((&result["move"], &result["fault"]), (&Value::Null, &Value::Null));
    assert_eq!(result["solved"], false);
}

#[test]
fn all_errors_are_reported_and_nothing_is_run() {
    let home = home();
    let faulty = "bm h8; id a;\nx b bm h8;\nbm p1; variant freestyle;\n\nmoves h8 h8 bm a1;\n";
    std::fs::write(home.file("bad.epd"), faulty).unwrap();
    let ended = suite(&home, "random-mover bad.epd");
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
    for part in [
        "the suite bad.epd has 3 faults; nothing was run",
        "\nbad.epd:2: position: not a position of gomoku",
        "\nbad.epd:3: bm: `p1` is refused: ",
        "\nbad.epd:5: moves: move 2: `h8` is refused",
    ] {
        assert!(ended.err.contains(part), "no {part:?} in {}", ended.err);
    }
    std::fs::write(home.file("bad.json"), r#"[{"id": "x", "best": "p1"}, {"id": "y"}]"#).unwrap();
    let bad = "bad.json: record 1 (`x`): best: `p1` is refused";
    check(&home, "random-mover bad.json", 2, &[], bad);
    std::fs::write(home.file("of.json"), r#"{"game": "gomokuu", "records": [{"bm": "a1"}]}"#)
        .unwrap();
    check(&home, "random-mover of.json", 2, &[], "did you mean `gomoku`?");
    check(&home, "random-mover missing.epd", 2, &[], "missing.epd cannot be read");
    check(&home, "random-mover tactics.epd --only TS", 2, &[], "has no position `TS`");
    check(&home, "random-mover tactics.epd --variant freestyle-9", 2, &[], "no position of");
    check(&home, "random-mover tactics.epd --bar 9.", 2, &[], "`9.` is not a valid threshold");
    check(&home, "random-mover tactics.epd --budget none", 2, &[], "can prove a result");
    check(&home, "random-movr tactics.epd", 2, &[], "did you mean `random-mover`");
    check(&home, "human tactics.epd", 2, &[], "an engine is needed here");
}

/// The fenced blocks with this info string.
fn blocks<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let begin = format!("```{mark}\n");
    let rest = text.split(begin.as_str()).skip(1);
    rest.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_example_in_the_docs_works() {
    let home = home();
    let text = std::fs::read_to_string(root().join("docs/suite.md")).unwrap();
    let help = home.succeed(&["suite", "--help"], "");
    // A command of the page may continue on the next line.
    let of_text = blocks(&text, "sh").concat().replace("\\\n    ", "");
    let of_help = help.replace("\n  sand", "\nsand");
    let lines = of_text.lines().chain(of_help.lines());
    let commands: Vec<&str> =
        lines.filter_map(|line| line.strip_prefix("sandboard suite gomoku")).collect();
    assert_eq!(commands.len(), 9, "{commands:?}");
    for command in commands {
        check(&home, &format!("gomoku{command}"), 0, &[], "");
    }
    for (mark, positions) in [("json", 3), ("epd", 3)] {
        let [block] = blocks(&text, mark)[..] else { panic!("one block of {mark}") };
        let name = format!("example.{mark}");
        std::fs::write(home.file(&name), block).unwrap();
        let run = json(&home, &format!("gomoku-simple {name} --budget nodes:1e4"));
        assert_eq!(ids(&run, true).len(), positions, "{run}");
    }
    let first = help.lines().filter(|line| line.trim().starts_with("{\"records\""));
    let second = help.lines().filter(|line| line.trim().starts_with("15/15/"));
    for (index, line) in first.chain(second).enumerate() {
        let name = format!("help{index}");
        std::fs::write(home.file(&name), line.trim()).unwrap();
        assert_eq!(json(&home, &format!("random-mover {name}"))["totals"]["positions"], 1);
        assert!(index < 2, "{help}");
    }
}
