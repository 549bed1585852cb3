//! `sandboard check` on games: built-in ones, plugged-in ones of the engines folder, and packs.

use std::fs;

use sandboard_analysis::check_game::STEPS;
use sandboard_builder::component::{GAME_WIT, wrap_core_module};
use sandboard_tests::{built, root};
use serde_json::Value;

use crate::cli::{CommandOutput, TestHome};

/// Runs `check`: the exit code and the objects that it prints.
fn check_json(home: &TestHome, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let CommandOutput { code, out, .. } = home.run(&[&["check", "--json"], arguments].concat(), "");
    let objects = out.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
    (code, objects.collect())
}

/// The steps in order as `name outcome sentence`.
fn rows(object: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row =
        |step: &Value| [&step["name"], &step["outcome"], &step["sentence"]].map(text).join(" ");
    object["steps"].as_array().expect("steps are a list").iter().map(row).collect()
}

/// Every step of this check passes.
pub(crate) fn check_passes(home: &TestHome, arguments: &[&str], version: Option<&str>) {
    let (code, objects) = check_json(home, arguments);
    let [object] = &objects[..] else { panic!("{arguments:?}: {objects:#?}") };
    let rows = rows(object);
    for (step, row) in STEPS.iter().zip(&rows) {
        assert!(row.starts_with(&format!("{} passed ", step.name)), "{arguments:?}: {rows:#?}");
    }
    assert_eq!((code, rows.len()), (Some(0), STEPS.len()), "{arguments:?}");
    assert_eq!(object["version"].as_str(), version, "{arguments:?}");
    assert_eq!(object["passed"], STEPS.len(), "{arguments:?}");
}

#[test]
fn sound_games_pass_every_step() {
    let home = TestHome::new();
    let module = built("connect-four/connect-four.wasm");
    let pack = module.parent().unwrap();
    check_passes(&home, &["connect-four"], Some("0.1.0"));
    check_passes(&home, &[pack.to_str().unwrap(), "--seed", "2"], Some("0.1.0"));
    check_passes(&home, &["reversi", "--variant", "standard-6"], None);
}

#[test]
fn the_text_has_one_line_for_each_step() {
    let home = TestHome::new();
    let CommandOutput { code, out, err } = home.run(&["check", "connect-four", "--step", "3"], "");
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    let starts = [
        "game connect-four 0.1.0 (connect-four/EngineConfigs.xml), seed 1",
        "  1 module       passed  wasm, ",
        "  3 moves        passed  ",
        "2 passed, 0 warned, 0 failed, 0 skipped in ",
    ];
    let fits = |(line, start): (&&str, &&str)| line.starts_with(start);
    assert!(lines.len() == 4 && lines.iter().zip(&starts).all(fits), "{out}");
}

/// A pack with the game of three plies in a folder of the home, with one part of it replaced, and
/// with more elements in its manifest.
fn plies(home: &TestHome, (old, new): (&str, &str), more: &str) -> String {
    let game = fs::read_to_string(root().join("tests/fixtures/games/plies.wat")).unwrap();
    assert!(game.contains(old), "{old} is not in the game");
    let module = wat::parse_str(game.replacen(old, new, 1)).unwrap();
    let pack = home.file("pack");
    fs::create_dir_all(&pack).unwrap();
    fs::write(pack.join("plies.wasm"), wrap_core_module(module, GAME_WIT).unwrap()).unwrap();
    let manifest = format!(
        "<EngineConfigs abi=\"1\"><GameRules id=\"plies\" name=\"Plies\" version=\"1.5\" \
         sides=\"red blue\" module=\"plies.wasm\"><Variant id=\"standard\"/></GameRules>\
         {more}</EngineConfigs>"
    );
    fs::write(pack.join("EngineConfigs.xml"), manifest).unwrap();
    pack.to_str().unwrap().to_owned()
}

#[test]
fn wrong_rules_fail_with_a_command_that_repeats_it() {
    let home = TestHome::new();
    let play = "(func (export \"sandboard:game/judge@1.0.0#diagram\")\n      (param $game i32) \
                (param $observer i32) (param $seat i32) (result i32)";
    let pack = plies(&home, (play, &format!("{play} (unreachable)")), "");
    let CommandOutput { code, out, err } = home.run(&["check", &pack, "--seed", "5"], "");
    assert_eq!(code, Some(1), "{out}{err}");
    let advice = format!(
        "advice    sandboard check {pack} --seed 5 --step 9 --verbose; docs/check.md, game step 9, texts"
    );
    let sentence = "failed  the rules failed: trapped: wasm `unreachable` instruction executed";
    for expected in [&format!("  9 texts        {sentence}"), &advice] {
        assert!(out.contains(expected), "no {expected} in {out}");
    }
    assert!(err.contains("game `plies` failed "), "{err}");
}

#[test]
fn games_and_engines_of_a_pack_are_both_checked() {
    let home = TestHome::new();
    let engine = "<Engine id=\"mover\" name=\"M\" author=\"A\" version=\"0.1.0\" kind=\"wasm\" \
                  module=\"mover.wasm\"><Game id=\"gomoku\" variants=\"freestyle\"/></Engine>";
    let pack = plies(&home, ("", ""), engine);
    fs::copy(built("random-mover.wasm"), home.file("pack").join("mover.wasm")).unwrap();
    let subjects = |arguments: &[&str]| {
        let (code, objects) = check_json(&home, &[&[&*pack], arguments].concat());
        let name = |object: &Value| {
            ["game", "engine"].iter().find_map(|key| object[key].as_str()).map(str::to_owned)
        };
        (code, objects.iter().filter_map(name).collect::<Vec<_>>())
    };
    let both = vec!["plies".to_owned(), "mover".to_owned()];
    assert_eq!(subjects(&["--step", "2"]), (Some(0), both.clone()));
    // Only engines have a step 15.
    assert_eq!(subjects(&["--step", "15"]), (Some(0), both[1..].to_vec()));
    assert_eq!(subjects(&["--step", "2", "--game", "gomoku"]), (Some(0), both[1..].to_vec()));
}

#[test]
fn unusable_games_fail_the_first_step() {
    let home = TestHome::new();
    let pack = plies(&home, ("", ""), "");
    fs::write(home.file("pack").join("plies.wasm"), "no component").unwrap();
    let (code, objects) = check_json(&home, &[&pack]);
    let rows = rows(&objects[0]);
    assert_eq!((code, rows.len()), (Some(1), STEPS.len()), "{rows:#?}");
    assert!(rows[0].starts_with("module failed the catalog reports 1 fault: "), "{rows:#?}");
    assert!(rows[1..].iter().all(|row| row.contains(" skipped step ")), "{rows:#?}");
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
    check("check conect-four", "there is a game `connect-four`");
    check("check connect-four --step 13", "the steps for a game are 1 to 12");
    check("check connect-four --variant nonsense", "it has standard");
    check("check connect-four --budget 5ms/move", "--option and --budget apply to engines");
    check("check connect-four --option a=b", "--option and --budget apply to engines");
    check("check connect-four --game gomoku", "`connect-four` has no game `gomoku`");
    check("check connect-four --kind wasm", "--kind and --debug apply to a build");
}

#[test]
fn the_docs_have_a_heading_for_each_step() {
    let text = fs::read_to_string(root().join("docs/check.md")).unwrap();
    let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let heading = |step: &sandboard_analysis::check::Step| {
        format!("Game step {}, {}: {}", step.number, step.name, step.requirement)
    };
    assert_eq!(found, STEPS.iter().map(heading).collect::<Vec<_>>());
}
