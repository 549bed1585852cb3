//! Bundles by the real binary: written, verified elsewhere, and changed in every way that a cheater
//! might try.

mod contest;

use std::path::{Path, PathBuf};

use sandboard_bundle::Bundle;
use sandboard_common::hex::hex;
use sandboard_contest_rules::seed_commitment;
use sandboard_tests::root;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cli::{CommandOutput, TestHome};

/// The seed of a contest.
const SEED: [u8; 32] = *b"drawn in autumn, before entries.";
const ARENA: &str = "autumn";
const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\n\
                       budget = \"fuel:1e6/move\"\n";
const OPENINGS: &str = "e5 d4\na1 b2\n";
const FILE_BYTES_MAX: u64 = 1 << 30;

/// A test home with an arena of two engines and its bundle.
struct Autumn(TestHome);

impl Autumn {
    fn new(more: &[&str]) -> Self {
        let home = TestHome::new();
        std::fs::write(home.file("openings.txt"), OPENINGS).unwrap();
        let words = [
            &["arena", "match", "gomoku-simple", "random-mover", "--pairs", "2", "--seed", "7"][..],
            &["--variant", "freestyle-9", "--budget", "fuel:1e6/move", "--plies-max", "40"],
            &["--openings", "openings.txt", "--dir", ARENA, "--json"],
        ];
        home.succeed(&words.concat(), "");
        let words = [&["arena", "bundle", ARENA, "-o", "autumn.zip"][..], more];
        home.succeed(&words.concat(), "");
        Self(home)
    }

    fn verify(&self, bundle: &str, more: &[&str]) -> CommandOutput {
        // Other tests check the jail of this machine.
        let words = ["verify", "--bundle", bundle, "--contest", "--below-minimum"];
        self.0.run(&[&words[..], more].concat(), "")
    }

    /// Unpacks the bundle into a folder of this name.
    fn unpack(&self, name: &str) -> Unpacked {
        Unpacked::new(&self.0.file("autumn.zip"), self.0.file(name))
    }

    /// Verifying the bundle after `change` prints `expected` and exits with `code`.
    #[track_caller]
    fn check(&self, change: impl FnOnce(&Unpacked), code: i32, expected: &str) {
        let unpacked = self.unpack("changed");
        change(&unpacked);
        let ended = self.verify("changed", &[]);
        std::fs::remove_dir_all(&unpacked.0).unwrap();
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    }
}

/// An unpacked bundle.
struct Unpacked(PathBuf);

impl Unpacked {
    /// Unpacks a bundle into a folder.
    fn new(bundle: &Path, folder: PathBuf) -> Self {
        let bundle = Bundle::open(bundle).unwrap();
        let mut names = vec!["bundle.json".to_owned()];
        for module in bundle.index.modules.iter().filter(|module| module.published) {
            names.push(format!("modules/{}.wasm", module.sha256));
        }
        for arena in &bundle.index.arenas {
            let openings = arena.setup.openings.iter().map(|it| &it.sha256);
            names.extend(openings.map(|sha256| format!("openings/{sha256}.txt")));
            let game = |name: &String| format!("records/{}/{name}.json", arena.name);
            names.extend(arena.games.iter().map(|it| game(&it.name)));
        }
        // Two arenas may share their openings.
        names.sort();
        names.dedup();
        for name in names {
            let path = folder.join(&name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bundle.read(&name, FILE_BYTES_MAX).unwrap().unwrap()).unwrap();
        }
        Self(folder)
    }

    /// Gives an arena another name.
    fn rename_arena(&self, from: &str, to: &str) {
        let records = self.0.join("records");
        std::fs::rename(records.join(from), records.join(to)).unwrap();
        self.index(|index| {
            let arenas = index["arenas"].as_array_mut().unwrap();
            let arena = arenas.iter_mut().find(|arena| arena["name"] == from).unwrap();
            arena["name"] = json!(to);
        });
    }

    fn index(&self, change: impl FnOnce(&mut Value)) {
        self.json("bundle.json", change);
    }

    fn json(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let path = self.0.join(name);
        let mut value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        change(&mut value);
        std::fs::write(path, value.to_string()).unwrap();
    }

    /// Changes the record of a game, and its hash in the index.
    fn record(&self, number: usize, change: impl FnOnce(&mut Value)) {
        let name = format!("records/{ARENA}/pair-{:06}-{}.json", number / 2 + 1, number % 2 + 1);
        self.json(&name, change);
        let hash = sha256(&self.0.join(name));
        self.index(|index| index["arenas"][0]["games"][number]["sha256"] = json!(hash));
    }

    fn module(&self) -> PathBuf {
        let mut modules = std::fs::read_dir(self.0.join("modules")).unwrap();
        modules.next().unwrap().unwrap().path()
    }
}

fn sha256(path: &Path) -> String {
    hex(&Sha256::digest(std::fs::read(path).unwrap()))
}

/// The contest of an arena without entries.
fn contest(seed: &[u8], commitment: String, file: &str) -> Value {
    json!({
        "file": file, "openings_sha256": hex(&Sha256::digest(OPENINGS)), "commitment": commitment,
        "seed": hex(seed), "entrants": [], "entries": [],
    })
}

#[test]
fn every_change_of_a_bundle_is_found() {
    let autumn = Autumn::new(&["--title", "Autumn 2026"]);
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(out, "Autumn 2026: verified: 4 games of 1 arena are identical\n");
    // An interpreter in the same jailed processes agrees.
    let interpreted = autumn.verify("autumn.zip", &["--runtime", "wasmi"]);
    assert_eq!((interpreted.code, interpreted.out), (Some(0), out), "{}", interpreted.err);
    let CommandOutput { code, out, .. } =
        autumn.verify("autumn.zip", &["--sample", "25%", "--json"]);
    let sum: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((code, out.lines().count(), &sum["replayed"]), (Some(0), 2, &json!(1)), "{out}");
    autumn.check(|_| (), 0, "4 games of 1 arena are identical");

    let flip = |unpacked: &Unpacked| {
        let module = unpacked.module();
        let mut bytes = std::fs::read(&module).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(module, bytes).unwrap();
    };
    autumn.check(flip, 1, ".wasm: its SHA-256 is ");
    let remove = |unpacked: &Unpacked| std::fs::remove_file(unpacked.module()).unwrap();
    autumn.check(remove, 1, ".wasm: is missing, but the index names it");

    let first = format!("{ARENA}/pair-000001-1: ");
    let fuel = |record: &mut Value| {
        let fuel = &mut record["plies"][0]["spent"]["fuel"];
        *fuel = json!(fuel.as_u64().unwrap() + 1);
    };
    autumn.check(|it| it.record(0, fuel), 1, &format!("{first}ply 0 differs: "));
    let moved = |record: &mut Value| {
        let taken: Vec<Value> = ply_moves(record);
        let free = (1..=9).map(|row| json!(format!("i{row}"))).find(|mv| !taken.contains(mv));
        record["plies"][0]["move"] = free.unwrap();
    };
    autumn.check(|it| it.record(0, moved), 1, &first);
    let hash = |it: &Unpacked| it.json(&format!("records/{ARENA}/pair-000001-1.json"), fuel);
    autumn.check(hash, 1, "pair-000001-1.json: its SHA-256 is ");
    let other = |record: &mut Value| record["seed"] = json!(7);
    autumn.check(|it| it.record(2, other), 1, "autumn/pair-000002-1: its seed is 7, but setup");
    let greedy = |record: &mut Value| record["players"][0]["budget"] = json!("fuel:2e6/move");
    autumn.check(|it| it.record(1, greedy), 1, "player 0: its budget is fuel:2e6/move, but setup");

    let reloaded = |record: &mut Value| {
        let event = json!({ "at_ply": 0, "event": "reloaded" });
        record["events"].as_array_mut().unwrap().insert(0, event);
    };
    let again = format!("{first}events[0] resumes from a record, which no arena does");
    autumn.check(|it| it.record(0, reloaded), 1, &again);
    let undo = |it: &Unpacked| {
        it.record(0, |record| record["settings"]["undo"] = json!(true));
        it.index(|index| index["arenas"][0]["setup"]["settings"]["undo"] = json!(true));
    };
    autumn.check(undo, 1, &format!("{first}it allows taking moves back, which no arena does"));

    let index = |change: &dyn Fn(&mut Value), code, expected: &str| {
        autumn.check(|it| it.index(|index| change(index)), code, expected);
    };
    let left_out = |index: &mut Value| drop(games(index).remove(1));
    index(
        &left_out,
        1,
        "autumn/pair-000001-2: setup and seed give this game, but the list does not have it",
    );
    index(&left_out, 1, "pair-000001-2.json: is not named in the index");
    let more = |index: &mut Value| {
        let mut game = games(index)[0].clone();
        game["name"] = json!("pair-000003-1");
        games(index).push(game);
    };
    index(&more, 1, "pair-000003-1: is in the list, but setup and seed give no such game");
    let twice = |index: &mut Value| {
        let game = games(index)[0].clone();
        games(index).push(game);
    };
    index(&twice, 2, "the game pair-000001-1 of autumn is listed twice");
    let seed = |index: &mut Value| index["arenas"][0]["setup"]["seed"] = json!(5);
    index(&seed, 1, "autumn/pair-000001-1: its seed is ");
    let result = |index: &mut Value| {
        let half_points = &mut games(index)[0]["half_points"];
        let first = half_points[0].as_u64().unwrap();
        *half_points = json!([2 - first, first]);
        games(index)[0]["plies"] = json!(1);
    };
    index(&result, 1, "autumn/pair-000001-1: the list says ");
    let table = |index: &mut Value| index["arenas"][0]["table"][0]["half_points"] = json!(99);
    index(&table, 1, "autumn: row 1 of its table is ");
    let prices = |index: &mut Value| index["fuel_meter"]["prices"] = json!(99);
    index(&prices, 1, "its fuel was counted by ");
    let format = |index: &mut Value| index["format"] = json!("sandboard-record");
    index(&format, 2, "bundle.json: `format` is not \"sandboard-bundle\": this is not a bundle");
    let version = |index: &mut Value| index["version"] = json!(2);
    index(&version, 2, "bundle.json: `version` is 2, and this host reads version 1");
    let unknown = |index: &mut Value| index["prize"] = json!(2);
    index(&unknown, 2, "bundle.json: unknown field `prize`");
    let named = |name: &'static str| {
        move |index: &mut Value| index["arenas"][0]["setup"]["players"][0]["name"] = json!(name)
    };
    index(&named("random-mover"), 2, "two players of autumn are called `random-mover`");
    index(&named(""), 2, "a player of autumn has an empty name");
    index(&named(" gomoku-simple"), 2, "is called ` gomoku-simple`, with blanks at an end");
    index(&named("gomoku\u{200b}-simple"), 2, "with blanks at an end or hidden characters");
    let outside = |index: &mut Value| index["arenas"][0]["name"] = json!("../x");
    index(&outside, 2, "`../x` is not a valid name of an arena");
}

/// The limits of an instance decide games, so they are part of the setup.
#[test]
fn a_record_with_other_limits_than_the_setup_is_refused() {
    let autumn = Autumn::new(&[]);
    let name = |number: usize| format!("{ARENA}/pair-{:06}-{}", number / 2 + 1, number % 2 + 1);
    let in_record = |number: usize, limit: &str, more: u64, expected: &str| {
        let change = |record: &mut Value| {
            let value = &mut record["players"][1]["engine"]["limits"][limit];
            *value = json!(value.as_u64().unwrap() + more);
        };
        let place = format!("{}: player 1: its {expected}", name(number));
        match more {
            0 => autumn.check(|it| it.record(number, change), 0, "4 games of 1 arena"),
            _ => autumn.check(|it| it.record(number, change), 1, &place),
        }
    };
    in_record(0, "start_ms", 0, "");
    in_record(0, "start_ms", 1, "start limit in ms is 5001, but setup and seed give 5000");
    in_record(3, "memory_bytes", 1, "memory limit in bytes is 67108865, but setup");
    in_record(2, "log_bytes", 1, "log limit in bytes is 1048577, but setup");
    in_record(1, "stack_slots", 1, "stack limit in slots is 64513, but setup");

    let in_setup = |limit: &str, value: u64, code: i32, expected: &str| {
        let change = |index: &mut Value| {
            index["arenas"][0]["setup"]["players"][0]["limits"][limit] = json!(value);
        };
        autumn.check(|it| it.index(change), code, expected);
    };
    in_setup("start_ms", 4999, 1, "its start limit in ms is 5000, but setup and seed give 4999");
    in_setup("start_ms", 60_001, 1, "its start limit is 60001 ms; allowed are 1 to 60000");
    in_setup("start_ms", 0, 1, "its start limit is 0 ms; allowed are 1 to 60000");
    in_setup("stack_slots", 1, 1, "its stack limit is 1 slots, but this host gives 64512 slots");
}

/// What a reader ignores could decide a game, so nothing in a setup is ignored.
#[test]
fn an_unknown_field_of_a_setup_is_refused() {
    let autumn = Autumn::new(&[]);
    let check = |place: &str, code: i32, expected: &str| {
        let change = |index: &mut Value| {
            let place = format!("/arenas/0/setup{place}");
            let part = index.pointer_mut(&place).unwrap().as_object_mut().unwrap();
            part.insert("prize".into(), json!(1));
        };
        autumn.check(|it| it.index(change), code, expected);
    };
    for place in ["", "/settings", "/settings/grace", "/schedule", "/openings", "/players/0"] {
        check(place, 2, "bundle.json: unknown field `prize`");
    }
    check("/players/1/limits", 2, "bundle.json: unknown field `prize`");
    check("/players/1/fuel_meter", 2, "bundle.json: unknown field `prize`");
    // Options have any names; a value that is no text is refused, too.
    check("/players/1/options", 2, "bundle.json: invalid type: integer `1`, expected a string");
    let version = |index: &mut Value| index["arenas"][0]["setup"]["version"] = json!(2);
    autumn.check(|it| it.index(version), 1, "autumn: its setup has version 2, but this host reads");
    let format = |index: &mut Value| index["arenas"][0]["setup"]["format"] = json!("x");
    autumn.check(
        |it| it.index(format),
        1,
        "autumn: its setup has the format `x`, not `sandboard-a",
    );
}

/// A bundle whose fuel was metered with other prices can be neither confirmed nor refuted here.
#[test]
fn unknown_fuel_prices_are_undecided() {
    let autumn = Autumn::new(&[]);
    let later = |clock: &mut Value| clock["prices"] = json!(99);
    let change = |unpacked: &Unpacked| {
        for number in 0..4 {
            unpacked.record(number, |record| {
                for player in 0..2 {
                    later(&mut record["players"][player]["engine"]["fuel_meter"]);
                }
            });
        }
        unpacked.index(|index| {
            later(&mut index["fuel_meter"]);
            for player in 0..2 {
                later(&mut index["arenas"][0]["setup"]["players"][player]["fuel_meter"]);
            }
        });
    };
    autumn.check(change, 2, "but this host has");
}

#[test]
fn the_seed_of_a_contest_must_match_its_commitment() {
    let autumn = Autumn::new(&[]);
    let check = |contest: Value, expected: &str| {
        let change = |it: &Unpacked| {
            it.rename_arena(ARENA, "final");
            it.index(|index| index["contest"] = contest);
        };
        autumn.check(change, 1, expected);
    };
    let openings: [u8; 32] = Sha256::digest(OPENINGS).into();
    let commit =
        |seed: &[u8; 32], file: &str| seed_commitment::commitment(seed, file, Some(openings));
    let right = || contest(&SEED, commit(&SEED, CONTEST), CONTEST);
    check(right(), "final: its seed is 7, but the contest's seed and its roster give ");
    check(right(), "final: its seed key is not the one that the contest's seed and its roster");
    let place = "the contest's commitment: contest file, openings and revealed seed commit to ";
    let other = *b"drawn in autumn, after entries..";
    check(contest(&SEED, commit(&other, CONTEST), CONTEST), place);
    check(contest(&SEED, commit(&SEED, CONTEST), &format!("{CONTEST}# more\n")), place);
    let mut changed = right();
    changed["openings_sha256"] = json!("00".repeat(32));
    check(changed, place);
    for (seed, expected) in [
        ("0x", "the contest's seed: is not hexadecimal"),
        ("00", "the contest's seed: has 1 bytes instead of 32"),
    ] {
        let mut odd = right();
        odd["seed"] = json!(seed);
        check(odd, expected);
    }
    let renju = CONTEST.replace("freestyle-9", "renju");
    let played = "final: its variant is freestyle-9, but the contest file gives renju-15";
    check(contest(&SEED, commit(&SEED, &renju), &renju), played);
}

#[test]
fn an_omitted_module_is_searched_in_engine_folders() {
    let autumn = Autumn::new(&["--without-modules"]);
    let nowhere = autumn.0.file("nothing");
    std::fs::create_dir(&nowhere).unwrap();
    let elsewhere = ["--engines-dir", nowhere.to_str().unwrap()];
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &elsewhere);
    assert_eq!(code, Some(2), "{out}{err}");
    assert!(out.contains(" cannot be verified: its module "), "{out}");
    assert!(out.contains(" is missing: name a folder that has it with --modules"), "{out}");
    let engines = root().join("engines-dir");
    let named = [&elsewhere[..], &["--modules", engines.to_str().unwrap()]].concat();
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &named);
    assert_eq!(code, Some(0), "{out}{err}");
    // The default engines folder has the modules, too.
    assert_eq!(autumn.verify("autumn.zip", &[]).code, Some(0));
}

#[test]
fn invalid_bundles_are_reported() {
    let home = TestHome::new();
    let words =
        "arena match random-mover random-mover --pairs 1 --variant freestyle-5 --seed 1 --dir";
    let words: Vec<&str> = words.split(' ').collect();
    home.succeed(&[&words[..], &["timed", "--budget", "1s/move", "--json"]].concat(), "");
    let ended = home.run(&["arena", "bundle", "timed", "-o", "b.zip"], "");
    assert!(
        ended.err.contains("the arena `timed` cannot be replayed bit for bit"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("does not play on fuel"), "{}", ended.err);
    assert!(!home.file("b.zip").exists());
    std::fs::write(home.file("b.zip"), "PK").unwrap();
    let check = |file: &str, expected: &str| {
        let ended = home.run(&["verify", "--bundle", file, "--contest", "--below-minimum"], "");
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains(expected), "{}", ended.err);
    };
    check("b.zip", "b.zip: is truncated or damaged");
    check("nothing.zip", "nothing.zip: ");
    check("timed", "timed: is not a bundle: it holds no bundle.json");
}

fn games(index: &mut Value) -> &mut Vec<Value> {
    index["arenas"][0]["games"].as_array_mut().unwrap()
}

fn ply_moves(record: &Value) -> Vec<Value> {
    record["plies"].as_array().unwrap().iter().map(|ply| ply["move"].clone()).collect()
}
