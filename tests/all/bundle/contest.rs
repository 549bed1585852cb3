//! The bundle of a contest by the real binary: its arenas must be those that the contest file, the
//! entries and the commitment give.

use std::process::Command;

use sandboard_tests::{binary, data_variables};
use serde_json::{Value, json};

use super::Unpacked;
use crate::cli::CommandOutput;
use crate::contest::run::{Contest, module};

const FILE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-7\"\n\
                    budget = \"fuel:1e6/move\"\nladder = false\nfinal_cycles = 2\n\
                    house = [\"gomoku-simple\"]\nopenings = \"book.txt\"\npublish_modules = true\n";

/// The bundle of a contest of Ann, who submitted two entries, and Bob.
struct Finished {
    contest: Contest,
    commitment: String,
}

impl Finished {
    fn new() -> Self {
        let contest = Contest::new(FILE);
        std::fs::write(contest.path("book.txt"), "d4 c3\na1 b2\n").unwrap();
        let made = contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
        let commitment = made["commitment"].as_str().unwrap().to_owned();
        let [ann, bob] = ["Ann", "Bob"].map(|name| contest.add_entrant(name));
        let mut run = contest.start();
        for (stem, token) in
            [("gomoku-simple", &ann), ("random-mover", &ann), ("gomoku-rows", &bob)]
        {
            assert_eq!(contest.submit(&module(stem), token)["state"], "accepted", "{stem}");
        }
        assert!(contest.run(&["close", "dir"]).status.success());
        run.note("the contest is over");
        assert!(run.child.wait().unwrap().success());
        contest.run_json(&["bundle", "dir", "-o", "autumn.zip"]);
        Self { contest, commitment }
    }

    fn verify(&self, bundle: &str, more: &[&str]) -> CommandOutput {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.contest.path("elsewhere"))).env_remove("RUST_LOG");
        // One game is replayed: other tests replay all.
        command.args(["verify", "--contest", "--below-minimum", "--sample", "1%", "--bundle"]);
        let output = command.arg(self.contest.path(bundle)).args(more).output().unwrap();
        CommandOutput {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Verifying the bundle after `change` prints `expected` and exits with `code`.
    #[track_caller]
    fn check(&self, change: impl FnOnce(&Unpacked), code: i32, expected: &str) {
        let unpacked =
            Unpacked::new(&self.contest.path("autumn.zip"), self.contest.path("changed"));
        change(&unpacked);
        let ended = self.verify("changed", &[]);
        std::fs::remove_dir_all(&unpacked.0).unwrap();
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    }

    /// As [`check`](Self::check), with another value at this place of the index.
    #[track_caller]
    fn check_value(&self, place: &str, value: Value, code: i32, expected: &str) {
        let change = |index: &mut Value| {
            // A field with its default value may be absent.
            let (parent, field) = place.rsplit_once('/').unwrap();
            let parent = index.pointer_mut(parent).expect(place);
            match parent.as_array_mut() {
                Some(list) => list[field.parse::<usize>().unwrap()] = value,
                None => parent[field] = value,
            }
        };
        self.check(|it| it.index(change), code, expected);
    }
}

#[test]
fn the_arenas_of_a_contest_are_those_of_its_file() {
    let finished = Finished::new();
    finished.check(|_| (), 0, "Autumn: verified: 1 games of 1 arena are identical");

    // The contest file says something else than was played.
    let file = |from: &str, to: &str, expected: &str| {
        assert!(FILE.contains(from), "{from}");
        finished.check_value("/contest/file", json!(FILE.replace(from, to)), 1, expected);
    };
    let but = "but the contest file gives";
    file("1e6", "2e6", &format!("its budget is fuel:1e6/move, {but} fuel:2e6/move"));
    let memory = format!("its memory limit in bytes is 67108864, {but} 8388608");
    file("ladder", "memory_bytes = 8388608\nladder", &memory);
    let cycles =
        format!("its schedule is RoundRobin {{ cycles: 2 }}, {but} RoundRobin {{ cycles: 3");
    file("final_cycles = 2", "final_cycles = 3", &cycles);
    file("final_cycles = 2\n", "final_cycles = 0\nladder = true\n", "duplicate key");
    file("ladder = false", "ladder = true", "but the bundle has none");
    let none = "ladder = true\nfinal_cycles = 0";
    file("ladder = false\nfinal_cycles = 2", none, "final: the contest file has no final");
    file("freestyle-7", "freestyle-9", &format!("its variant is freestyle-7, {but} freestyle-9"));
    file("openings = \"book.txt\"\n", "", "contest file and bundle disagree about openings");
    // A change of the file that concerns no arena breaks the commitment.
    let committed = "the contest's commitment: contest file, openings and revealed seed commit to ";
    file("Autumn", "Spring", committed);
    let value = |place: &str, value: Value, expected: &str| {
        finished.check_value(place, value, 1, expected);
    };
    value("/contest/openings_sha256", json!("00".repeat(32)), "the SHA-256 of its openings is ");

    // An arena was played on other terms.
    let setup = "/arenas/0/setup";
    let player = |rest: &str| format!("{setup}/players/0/{rest}");
    let start = format!("its start limit in ms is 6000, {but} 5000");
    value(&player("limits/start_ms"), json!(6000), &start);
    value(&player("options"), json!({ "depth": "3" }), "it has options, which no player of a con");
    value(&player("ponders"), json!(true), "it has pondering, which no player");
    value(&player("rating"), json!(100), "its initial rating is 100, but");
    value(&format!("{setup}/settings/adjudication"), json!("draw=10/8@40"), "its settings are ");
    value(&format!("{setup}/settings/grace/us"), json!(50_001), "its settings are ");
    value(
        &format!("{setup}/seed"),
        json!(1),
        "its seed is 1, but the contest's seed and its roster",
    );
    value(&format!("{setup}/seed_key"), json!("00".repeat(16)), "its seed key is not the one");

    // Names of arenas.
    let rename = |to: &str, expected: &str| {
        finished.check(|it| it.rename_arena("final", to), 1, expected);
    };
    rename("final-2", "final: is missing, but there is final-2");
    rename("finale", "`finale`: is not the name of an arena of a contest");
    rename("final-02", "`final-02`: is not the name of an arena");
    rename("ladder", "ladder: the contest file has no ladder");
    let unfinished = |names: Value, code: i32, expected: &str| {
        let change = |index: &mut Value| index["contest"]["unfinished"] = names;
        finished.check(|it| it.index(change), code, expected);
    };
    let named = "final-2: was started, but not finished, and is not in the bundle";
    unfinished(json!(["final-2"]), 3, named);
    unfinished(json!(["final-2"]), 3, "Autumn: incomplete: 1 games of 1 arena are identical");
    unfinished(json!(["final-3"]), 1, "final-2: is missing, but there is final-3");
    unfinished(json!(["final"]), 1, "final: is listed twice");
}

#[test]
fn the_players_of_a_final_are_the_listed_entries() {
    let finished = Finished::new();
    let value = |place: &str, value: Value, expected: &str| {
        finished.check_value(place, value, 1, expected);
    };
    let hash = "00".repeat(32);
    value("/contest/entries/1/sha256", json!(hash), &format!("that of entry 2 is {hash}"));
    value("/contest/entries/2/state", json!("refused"), "it plays, but entry 3 was not accepted");
    value("/contest/entries/0/entrant", json!("Bob"), "it plays entry 2, whose name is `Ann v1`");
    value("/contest/entries/1/number", json!(7), "entry 7 is at the place of 2");
    value("/contest/entrants/1/name", json!("Ann"), "the entrant `Ann` is listed twice");
    value("/contest/entrants/1/name", json!("Eve"), "entry 3 is of `Bob`, who is no entrant");
    let player = "/arenas/0/setup/players/0";
    value(&format!("{player}/name"), json!("Ann v1"), "it plays entry 2, whose name is `Ann v2`");
    value(
        &format!("{player}/engine"),
        json!("entry-1"),
        "it plays entry 1, but entry 2 was accepted",
    );
    value(&format!("{player}/engine"), json!("entry-9"), "is neither a listed entry nor a house");
    // With only one entry left, the house engines play, too.
    let house = "its house engines are none, but the contest file gives gomoku-simple";
    value(&format!("{player}/engine"), json!("entry-9"), house);
    let swap = |index: &mut Value| {
        index.pointer_mut("/arenas/0/setup/players").unwrap().as_array_mut().unwrap().swap(0, 1);
    };
    let order = "its first players are not in the order of their entries";
    finished.check(|it| it.index(swap), 1, order);
    let roster = "but the contest's seed and its roster give";
    finished.check(|it| it.index(swap), 1, roster);

    // An entry that was accepted before the final began, and one after.
    let another = |entrant: &'static str, tested_at: &'static str| {
        move |index: &mut Value| {
            let entries = index["contest"]["entries"].as_array_mut().unwrap();
            let entry = json!({
                "number": 4, "entrant": entrant, "sha256": "00".repeat(32), "state": "accepted",
                "tested_at": tested_at,
            });
            entries.push(entry);
            let entrants = index["contest"]["entrants"].as_array_mut().unwrap();
            if entrant == "Eve" {
                entrants.push(json!({ "name": "Eve", "status": "in" }));
            }
        }
    };
    let (before, after) = ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    let later = "it plays entry 2, but entry 4 was accepted later";
    finished.check(|it| it.index(another("Ann", before)), 1, later);
    finished.check(|it| it.index(another("Ann", after)), 0, "verified");
    let absent = "final: `Eve` takes part and has an accepted entry, but does not play";
    finished.check(|it| it.index(another("Eve", before)), 3, absent);
    finished.check(|it| it.index(another("Eve", after)), 0, "verified");
    let out = |index: &mut Value| {
        another("Eve", before)(index);
        index["contest"]["entrants"][2]["status"] = json!("withdrawn");
    };
    finished.check(|it| it.index(out), 0, "verified");
}

#[test]
fn the_published_commitment_is_compared() {
    let finished = Finished::new();
    let check = |more: &[&str], code: i32, expected: &str| {
        let ended = finished.verify("autumn.zip", more);
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    };
    let committed = &finished.commitment;
    check(&[], 0, &format!("note: its commitment is {committed}; compare it with the one"));
    check(&["--commitment", committed], 0, "Autumn: verified");
    check(&["--commitment", &committed.to_uppercase()], 0, "Autumn: verified");
    let other = "0".repeat(64);
    let expected = format!("the contest's commitment: is {committed}, but {other} was published");
    check(&["--commitment", &other], 1, &expected);
    check(&["--commitment", "0"], 2, "write the 64 hexadecimal digits");
}

/// A pair that was left out, or games after a stop, are never hidden behind the exit code 0.
#[test]
fn void_pairs_and_stops_have_an_exit_code_of_their_own() {
    let finished = Finished::new();
    // The second pair of the final is void: its games are gone, and the table counts the first.
    let void = |it: &Unpacked| {
        let (mut players, mut points) = (Vec::new(), 0);
        let record = std::fs::read(it.0.join("records/final/pair-000001-1.json")).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        let names = record["players"].as_array().unwrap().iter();
        players.extend(names.map(|player| player["name"].clone()));
        it.index(|index| {
            let arena = &mut index["arenas"][0];
            let games = arena["games"].as_array_mut().unwrap();
            for game in games.drain(2..) {
                let name = format!("records/final/{}.json", game["name"].as_str().unwrap());
                std::fs::remove_file(it.0.join(name)).unwrap();
            }
            points = games.iter().map(|game| game["half_points"][0].as_u64().unwrap()).sum();
            let of = |player: &Value| if *player == players[0] { points } else { 4 - points };
            let mut rows: Vec<Value> = arena["table"].as_array().unwrap().clone();
            for row in &mut rows {
                let half_points = of(&row["player"]);
                row["half_points"] = json!(half_points);
                row["games"] = json!(2);
                row["place"] = json!(if half_points >= 2 { 1 } else { 2 });
            }
            rows.sort_by_key(|row| row["place"].as_u64());
            arena["table"] = json!(rows);
            let change = json!({ "void": { "players": [0, 1], "at_fault": null } });
            arena["events"] = json!([{ "from_pair": 1, "change": change }]);
        });
    };
    let expected = "final: pair 2 of `Ann v2` and `Bob v1` is void";
    finished.check(void, 3, expected);
    finished.check(void, 3, "Autumn: incomplete: 1 games of 1 arena are identical");
    // A stop that cut nothing off is named, too.
    let stop = json!([{ "from_pair": 2, "change": "stop" }]);
    let stopped = |index: &mut Value| index["arenas"][0]["events"] = stop;
    finished.check(|it| it.index(stopped), 3, "final: was stopped before pair 3");
}
