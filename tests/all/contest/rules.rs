//! What a contest holds to, whatever manifests, entrants and other users of the machine do: equal
//! limits, quotas, private files, copies that are named.

use std::path::Path;

use sandboard_arena::OpenFolder;
use sandboard_contest::ContestFolder;
use sandboard_contest::store::{FINAL_PROPERTY, Write};
use sandboard_engine::{Caps, InstanceLimits};
use sandboard_engine_wasm::Metering;
use sandboard_games::Games;
use sandboard_tests::built;
use serde_json::{Value, json};

use super::run::{Contest, module};

const FILE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-7\"\n\
                    budget = \"fuel:1e6/move\"\nmemory_bytes = 33554432\nhouse = [\"generous\"]\n";

/// An engines folder with a pack whose manifest requests more than others get, and presets an
/// option.
fn generous_pack(contest: &Contest, assets: &str) {
    let pack = contest.path("engines/generous");
    std::fs::create_dir_all(&pack).unwrap();
    std::fs::copy(built("gomoku-simple.wasm"), pack.join("engine.wasm")).unwrap();
    std::fs::write(pack.join("book.txt"), "").unwrap();
    let manifest = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<EngineConfigs abi="1">
  <Engine id="generous" name="Generous" version="1" kind="wasm" module="engine.wasm">
    <Game id="gomoku" variants="freestyle"/>
    <Limits memory_bytes="1073741824" start_ms="60000" log_bytes="0"/>
    <Option name="level" kind="whole" min="1" max="3" default="3"/>
    <Set name="level" value="1"/>
    {assets}
  </Engine>
</EngineConfigs>"#
    );
    std::fs::write(pack.join("EngineConfigs.xml"), manifest).unwrap();
}

fn with_engines<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &["--engines-dir", "engines"]].concat()
}

#[test]
fn a_manifest_changes_no_limit_in_a_contest() {
    let contest = Contest::new(FILE);
    generous_pack(&contest, "");
    contest.run_json(&with_engines(&["create", "autumn.toml", "--dir", "dir"]));
    let ann = contest.add_entrant("Ann");
    let mut run = contest.start_with(&["--engines-dir", "engines"]);
    assert_eq!(contest.submit(&module("random-mover"), &ann)["state"], "accepted");
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    let ladder = OpenFolder::open_to_read(&contest.path("dir/ladder")).unwrap();
    let loaded = ladder.load().unwrap();
    let caps = Caps { memory_bytes: 33_554_432, ..Caps::default() };
    let expected = InstanceLimits::new(&caps, Metering::Fuel.stack_limit());
    let names: Vec<&str> = loaded.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["generous", "Ann v1"]);
    for player in &loaded.players {
        let found = (player.limits, player.threads, player.options.len());
        assert_eq!(found, (expected, 1, 0), "{}", player.name);
    }
    // The record of a game says the same.
    let record: Value = serde_json::from_slice(&ladder.record("pair-000001-1").unwrap()).unwrap();
    for player in record["players"].as_array().unwrap() {
        assert_eq!(player["engine"]["limits"], json!(expected), "{player}");
        assert_eq!(player["engine"]["options"], json!({}), "{player}");
    }
}

#[test]
fn an_unsuitable_house_engine_is_refused_at_the_creation() {
    let contest = Contest::new(FILE);
    generous_pack(&contest, "");
    let check = |house: &str, expected: &str| {
        let file = FILE.replace("\"generous\"", house);
        std::fs::write(contest.path("autumn.toml"), file).unwrap();
        let words = with_engines(&["create", "autumn.toml", "--dir", "dir"]);
        contest.check_refused(&words, 2, expected);
        assert!(!contest.path("dir").exists());
    };
    check("\"generos\"", "`house`: `generos`: ");
    check("\"generos\"", "did you mean `generous`?");
    check("\"generous-1\"", "write `generous`, its id");
    check("\"generous:level=1\"", "`house`: `generous:level=1`: ");
    std::fs::copy(built("reversi-simple.wasm"), contest.path("engines/other-1.reversi.wasm"))
        .unwrap();
    check("\"other\"", "does not play gomoku");
    // The hash of an empty file.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    generous_pack(
        &contest,
        &format!("<Asset name=\"book\" path=\"book.txt\" sha256=\"{empty}\"/>"),
    );
    check("\"generous\"", "it reads files besides its module");
    generous_pack(&contest, "");
    std::fs::write(contest.path("autumn.toml"), FILE).unwrap();
    contest.run_json(&with_engines(&["create", "autumn.toml", "--dir", "dir"]));
}

/// The file of a contest without a ladder.
fn quiet_file(more: &str) -> String {
    let house = "house = [\"gomoku-simple\", \"random-mover\"]\nladder = false\n";
    format!("{}{more}", FILE.replace("house = [\"generous\"]\n", house))
}

#[test]
fn a_copy_of_a_house_engine_is_named() {
    let contest = Contest::new(&quiet_file("final_cycles = 1\n"));
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let [ann, bob] = ["Ann", "Bob"].map(|name| contest.add_entrant(name));
    let mut run = contest.start();
    let copy = module("gomoku-simple");
    assert_eq!(contest.submit(&copy, &ann)["state"], "accepted");
    assert_eq!(contest.submit(&module("gomoku-rows"), &bob)["state"], "accepted");
    let shown = contest.show();
    let expected = json!([{
        "entry": 1, "name": "Ann v1", "house": "gomoku-simple", "share_percent": 100,
        "identical": true,
    }]);
    assert_eq!(shown["house_copies"], expected, "{shown}");
    let text = contest.run(&["show", "dir"]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = "look at entry 1 (Ann v1): it is the same program as the house engine gomoku-simple";
    assert!(text.contains(line), "{text}");

    // The module of a house engine is in the bundle, even if an entrant submitted it, too.
    assert!(contest.run(&["withdraw", "dir", "Bob"]).status.success());
    assert!(contest.run(&["close", "dir"]).status.success());
    run.note("the contest is over");
    drop(run);
    let bundled = contest.run_json(&["bundle", "dir", "-o", "autumn.zip"]);
    // Ann plays the house engines; her module is one of theirs.
    assert_eq!((&bundled["modules"], &bundled["omitted"]), (&json!(2), &json!(0)), "{bundled}");
}

#[cfg(unix)]
fn mode(path: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    format!("{mode:o}")
}

#[cfg(unix)]
#[test]
fn files_of_a_contest_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let contest = Contest::new(&FILE.replace("generous", "random-mover\", \"gomoku-simple"));
    let set = |name: &str, mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(contest.path(name), mode).unwrap();
    };
    // A folder that others can reach is refused, as it may hold other files.
    std::fs::create_dir(contest.path("open")).unwrap();
    set("open", 0o755);
    let words = ["create", "autumn.toml", "--dir", "open"];
    contest.check_refused(&words, 1, "open exists, and other users can reach it");
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let mut run = contest.start();
    run.until(|event| event["event"] == "games" && event["arena"] == "ladder");
    drop(run);
    for (name, expected) in [
        ("dir", "700"),
        ("dir/contest.db", "600"),
        ("dir/ladder", "700"),
        ("dir/ladder/arena.db", "600"),
    ] {
        assert_eq!(mode(&contest.path(name)), expected, "{name}");
    }
    // Looser modes are mended, with a note.
    set("dir", 0o750);
    set("dir/contest.db", 0o644);
    let shown = contest.run(&["show", "dir"]);
    let errors = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(shown.status.success(), "{errors}");
    for note in [
        "dir had the mode 750, and now has 700: only you can read it",
        "contest.db had the mode 644, and now has 600: only you can read it",
    ] {
        assert!(errors.contains(note), "{note}: {errors}");
    }
    assert_eq!([mode(&contest.path("dir")), mode(&contest.path("dir/contest.db"))], ["700", "600"]);
    let again = contest.run(&["show", "dir"]).stderr;
    assert_eq!(String::from_utf8_lossy(&again), "");
}

#[test]
fn a_full_contest_plays_no_further_ladder_games() {
    let file = FILE.replace("generous", "random-mover\", \"gomoku-simple");
    let contest = Contest::new(&format!("{file}contest_bytes = 200000\nentrant_bytes = 10\n"));
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let ann = contest.add_entrant("Ann");
    let mut run = contest.start();
    run.note("the ladder ends: the contest stores ");
    // The next thing that is said about it: it ends, and is not full once more.
    let ended = run.until(|event| {
        let said = event["text"].as_str().unwrap_or_default();
        said.contains("the tournament ends with pair") || said.contains("the ladder ends")
    });
    assert!(ended["text"].as_str().unwrap().contains("ends with pair"), "{ended}");
    assert!(contest.show()["audit_log"].to_string().contains("`contest_bytes` is 200000"));
    drop(run);
    std::fs::write(contest.path("entry.wasm"), "eleven byte").unwrap();
    let words = ["submit", "entry.wasm", "--dir", "dir", "--token", &ann];
    let over = "what is stored of Ann takes 0 bytes already, 11 more would exceed the limit of 10";
    contest.check_refused(&words, 2, over);
}

/// A store that another program wrote cannot lead the host out of its folder.
#[test]
fn odd_names_in_a_store_are_refused() {
    let contest = Contest::new(&quiet_file(""));
    contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
    let elsewhere = contest.path("elsewhere");
    let set = |name: &str| {
        let folder = ContestFolder::open(&contest.path("dir"), &Games::default()).unwrap();
        let write = Write::Property { name: FINAL_PROPERTY.into(), text: name.into() };
        folder.wait(folder.store().commit(&[write])).unwrap();
    };
    for name in [elsewhere.to_str().unwrap(), "../elsewhere", "final-1", "ladder", ""] {
        set(name);
        for words in [&["show", "dir"][..], &["rerun", "dir", "--final"]] {
            contest.check_refused(words, 1, "cannot read the name of the final: ");
        }
    }
    set("final-2");
    assert!(contest.run(&["show", "dir"]).status.success());
}
