//! Bundles by the real binary: written, verified from elsewhere, and changed in every way that somebody might wish to get
//! away with.

use std::path::{Path, PathBuf};

use sandboard_host::bundle::Bundle;
use sandboard_host::contest::lot;
use sandboard_host::hex;
use sandboard_tests::root;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cli::{Ended, Home};

/// What the lot of the contest was drawn from.
const SEED: &[u8] = b"drawn in autumn";
const ARENA: &str = "autumn";
const CONTEST: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-9\"\n\
                       budget = \"fuel:1e6/move\"\n";
const OPENINGS: &str = "e5 d4\na1 b2\n";
const MOST: u64 = 1 << 30;

/// A data folder with an arena of two engines in it, and its bundle.
struct Autumn(Home);

impl Autumn {
    fn new(more: &[&str]) -> Self {
        let home = Home::new();
        std::fs::write(home.file("openings.txt"), OPENINGS).unwrap();
        let seed = lot::arena_seed(SEED, ARENA).to_string();
        let words = [
            &["arena", "match", "gomoku-simple", "random-mover", "--pairs", "2", "--seed", &seed][..],
            &["--variant", "freestyle-9", "--budget", "fuel:1e6/move", "--plies-max", "40"],
            &["--openings", "openings.txt", "--dir", ARENA, "--json"],
        ];
        home.succeed(&words.concat(), "");
        let words = [&["arena", "bundle", ARENA, "-o", "autumn.zip"][..], more];
        home.succeed(&words.concat(), "");
        Self(home)
    }

    fn verify(&self, bundle: &str, more: &[&str]) -> Ended {
        // What the jail lacks on this machine is another test's business.
        let words = ["verify", "--bundle", bundle, "--contest", "--below-minimum"];
        self.0.run(&[&words[..], more].concat(), "")
    }

    /// The bundle as a folder of this name.
    fn unpack(&self, name: &str) -> Unpacked {
        let bundle = Bundle::open(&self.0.file("autumn.zip")).unwrap();
        let folder = self.0.file(name);
        let mut names = vec!["bundle.json".to_owned()];
        for module in bundle.index.modules.iter().filter(|module| module.published) {
            names.push(format!("modules/{}.wasm", module.sha256));
        }
        for arena in &bundle.index.arenas {
            names.extend(
                arena.setup.openings.iter().map(|it| format!("openings/{}.txt", it.sha256)),
            );
            let game = |name: &String| format!("records/{}/{name}.json", arena.name);
            names.extend(arena.games.iter().map(|it| game(&it.name)));
        }
        for name in names {
            let path = folder.join(&name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bundle.read(&name, MOST).unwrap().unwrap()).unwrap();
        }
        Unpacked(folder)
    }

    /// What is said of the bundle after a change, with its exit code.
    #[track_caller]
    fn check(&self, change: impl FnOnce(&Unpacked), code: i32, expected: &str) {
        let unpacked = self.unpack("changed");
        change(&unpacked);
        let ended = self.verify("changed", &[]);
        std::fs::remove_dir_all(&unpacked.0).unwrap();
        let said = format!("{}{}", ended.out, ended.err);
        assert!(said.contains(expected), "{expected:?} is not in\n{said}");
        assert_eq!(ended.code, Some(code), "{said}");
    }
}

/// A bundle as a folder.
struct Unpacked(PathBuf);

impl Unpacked {
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

fn contest(seed: &[u8], commitment: String) -> Value {
    json!({ "file": CONTEST, "commitment": commitment, "seed": hex(seed) })
}

#[test]
fn a_bundle_is_verified_elsewhere_and_every_change_is_found() {
    let autumn = Autumn::new(&["--title", "Autumn 2026"]);
    let Ended { code, out, err } = autumn.verify("autumn.zip", &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(out, "Autumn 2026: verified: 4 games of 1 arena are equal bit for bit\n");
    let Ended { code, out, .. } = autumn.verify("autumn.zip", &["--sample", "25%", "--json"]);
    let sum: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((code, out.lines().count(), &sum["replayed"]), (Some(0), 2, &json!(1)), "{out}");
    autumn.check(|_| (), 0, "4 games of 1 arena are equal bit for bit");

    let flip = |unpacked: &Unpacked| {
        let module = unpacked.module();
        let mut bytes = std::fs::read(&module).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(module, bytes).unwrap();
    };
    autumn.check(flip, 1, ".wasm: its SHA-256 is ");
    let gone = |unpacked: &Unpacked| std::fs::remove_file(unpacked.module()).unwrap();
    autumn.check(gone, 1, ".wasm: is not there, though the index names it");

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
    autumn.check(|it| it.record(2, other), 1, "autumn/pair-000002-1: its seed is 7, and setup");
    let greedy = |record: &mut Value| record["players"][0]["budget"] = json!("fuel:2e6/move");
    autumn.check(|it| it.record(1, greedy), 1, "player 0: its budget is fuel:2e6/move, and setup");

    let reloaded = |record: &mut Value| {
        let event = json!({ "at_ply": 0, "event": "reloaded" });
        record["events"].as_array_mut().unwrap().insert(0, event);
    };
    let again = format!("{first}events[0] goes on from a record, which no arena does");
    autumn.check(|it| it.record(0, reloaded), 1, &again);
    let undo = |it: &Unpacked| {
        it.record(0, |record| record["settings"]["undo"] = json!(true));
        it.index(|index| index["arenas"][0]["setup"]["settings"]["undo"] = json!(true));
    };
    autumn.check(undo, 1, &format!("{first}its moves may be taken back, which no arena allows"));

    let index = |change: &dyn Fn(&mut Value), code, expected: &str| {
        autumn.check(|it| it.index(|index| change(index)), code, expected);
    };
    let left_out = |index: &mut Value| drop(games(index).remove(1));
    index(
        &left_out,
        1,
        "autumn/pair-000001-2: setup and seed give this game, and it is not in the",
    );
    index(&left_out, 1, "pair-000001-2.json: is a file that the index does not name");
    let more = |index: &mut Value| {
        let mut game = games(index)[0].clone();
        game["name"] = json!("pair-000003-1");
        games(index).push(game);
    };
    index(&more, 1, "pair-000003-1: is in the list, and setup and seed give no such game");
    let twice = |index: &mut Value| {
        let game = games(index)[0].clone();
        games(index).push(game);
    };
    index(&twice, 2, "the game pair-000001-1 of autumn is listed twice");
    let seed = |index: &mut Value| index["arenas"][0]["setup"]["seed"] = json!(5);
    index(&seed, 1, "autumn/pair-000001-1: its seed is ");
    let result = |index: &mut Value| {
        let half_points = &mut games(index)[0]["half_points"];
        *half_points = json!(2 - half_points.as_u64().unwrap());
        games(index)[0]["plies"] = json!(1);
    };
    index(&result, 1, "autumn/pair-000001-1: the list says ");
    let table = |index: &mut Value| index["arenas"][0]["table"][0]["half_points"] = json!(99);
    index(&table, 1, "autumn: row 1 of its table is ");
    let prices = |index: &mut Value| index["fuel_clock"]["prices"] = json!(99);
    index(&prices, 1, "its fuel was counted by ");
    let format = |index: &mut Value| index["format"] = json!("sandboard-record");
    index(&format, 2, "bundle.json: `format` is not \"sandboard-bundle\": this is no bundle");
    let version = |index: &mut Value| index["version"] = json!(2);
    index(&version, 2, "bundle.json: `version` is 2, and this host reads version 1");
    let unknown = |index: &mut Value| index["prize"] = json!(2);
    index(&unknown, 2, "bundle.json: unknown field `prize`");
    let outside = |index: &mut Value| index["arenas"][0]["name"] = json!("../x");
    index(&outside, 2, "`../x` is no name of an arena");
}

/// Everything that says so is counted by prices that this host does not have: nobody can tell here.
#[test]
fn another_version_of_the_prices_is_undecided() {
    let autumn = Autumn::new(&[]);
    let later = |clock: &mut Value| clock["prices"] = json!(99);
    let change = |unpacked: &Unpacked| {
        for number in 0..4 {
            unpacked.record(number, |record| {
                for player in 0..2 {
                    later(&mut record["players"][player]["engine"]["fuel_clock"]);
                }
            });
        }
        unpacked.index(|index| {
            later(&mut index["fuel_clock"]);
            for player in 0..2 {
                later(&mut index["arenas"][0]["setup"]["players"][player]["fuel_clock"]);
            }
        });
    };
    autumn.check(change, 2, "and this host has");
}

#[test]
fn the_seed_of_a_contest_is_the_one_that_was_committed_to() {
    let autumn = Autumn::new(&[]);
    let check = |contest: Value, code, expected: &str| {
        autumn.check(|it| it.index(|index| index["contest"] = contest), code, expected);
    };
    // All is as it should be but that no contest plays an arena without a seal; `contest::run` has one that does.
    let unsealed =
        "autumn: its seal is not the one that the contest's seed gives\nautumn: differs: 4";
    check(contest(SEED, lot::commitment(SEED)), 1, unsealed);
    check(
        contest(SEED, lot::commitment(b"other")),
        1,
        "the contest's seed: the revealed one commits",
    );
    check(contest(b"other", lot::commitment(b"other")), 1, "and the contest's seed gives");
    let mut odd = contest(SEED, lot::commitment(SEED));
    odd["seed"] = json!("0x");
    check(odd, 1, "the contest's seed: is no text of digits in hexadecimal");
    let mut other = contest(SEED, lot::commitment(SEED));
    other["file"] = json!(CONTEST.replace("freestyle-9", "renju"));
    check(other, 1, "autumn: it plays gomoku freestyle-9, and the contest gomoku renju-15");
}

#[test]
fn a_module_that_is_left_out_is_looked_for() {
    let autumn = Autumn::new(&["--without-modules"]);
    let nowhere = autumn.0.file("nothing");
    std::fs::create_dir(&nowhere).unwrap();
    let elsewhere = ["--engines-dir", nowhere.to_str().unwrap()];
    let Ended { code, out, err } = autumn.verify("autumn.zip", &elsewhere);
    assert_eq!(code, Some(2), "{out}{err}");
    assert!(out.contains(" cannot be verified: its module "), "{out}");
    assert!(out.contains(" is not here: name the folder that has it with --modules"), "{out}");
    let engines = root().join("engines-dir");
    let named = [&elsewhere[..], &["--modules", engines.to_str().unwrap()]].concat();
    let Ended { code, out, err } = autumn.verify("autumn.zip", &named);
    assert_eq!(code, Some(0), "{out}{err}");
    // The engines folder has them, too.
    assert_eq!(autumn.verify("autumn.zip", &[]).code, Some(0));
}

#[test]
fn what_cannot_be_a_bundle_is_said() {
    let home = Home::new();
    let words =
        "arena match random-mover random-mover --pairs 1 --variant freestyle-5 --seed 1 --dir";
    let words: Vec<&str> = words.split(' ').collect();
    home.succeed(&[&words[..], &["timed", "--budget", "1s/move", "--json"]].concat(), "");
    let ended = home.run(&["arena", "bundle", "timed", "-o", "b.zip"], "");
    assert!(ended.err.contains("the arena `timed` cannot be played again"), "{}", ended.err);
    assert!(ended.err.contains("does not play on fuel"), "{}", ended.err);
    assert!(!home.file("b.zip").exists());
    std::fs::write(home.file("b.zip"), "PK").unwrap();
    let check = |file: &str, expected: &str| {
        let ended = home.run(&["verify", "--bundle", file, "--contest", "--below-minimum"], "");
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains(expected), "{}", ended.err);
    };
    check("b.zip", "b.zip: is no whole zip archive");
    check("nothing.zip", "nothing.zip: ");
    check("timed", "timed: is no bundle: it holds no bundle.json");
}

fn games(index: &mut Value) -> &mut Vec<Value> {
    index["arenas"][0]["games"].as_array_mut().unwrap()
}

fn ply_moves(record: &Value) -> Vec<Value> {
    record["plies"].as_array().unwrap().iter().map(|ply| ply["move"].clone()).collect()
}
