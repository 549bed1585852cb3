//! Lies about a contest of Ann, who submitted two entries, and Bob: about its file, its entries and
//! its final.

use sandboard_arena_plan::Contestant;
use sandboard_common::hex::{hex, unhex};
use sandboard_contest_rules::seed_commitment::{
    arena_seed, arena_seed_key, commitment, roster_hash,
};
use serde_json::{Value, json};

use super::arena_lies::CUSTOM_SECTION;
use super::contest::FILE;
use super::forgery::{Unpacked, sha256};
use super::lies::Lie;

const BEFORE: &str = "2020-01-01T00:00:00Z";

/// The lies about the contest file, the commitment and the lists of a contest.
pub(super) const ABOUT_THE_CONTEST: &[Lie] = &[
    Lie::contest("commitment", "differs", " commit to ", |it| {
        it.value("/contest/commitment", json!("00".repeat(32)));
    }),
    Lie::contest("seed-of-the-contest", "differs", "revealed seed commit to ", |it| {
        it.value("/contest/seed", json!("07".repeat(32)));
    }),
    Lie::contest("seed-with-its-commitment", "differs", "final: its seed is ", |it| {
        it.value("/contest/seed", json!("07".repeat(32)));
        commit(it);
    }),
    Lie::contest("seed-of-contest-and-final", "differs", "pair-000001-1: its seed is ", |it| {
        it.value("/contest/seed", json!("07".repeat(32)));
        commit(it);
        derive_seeds(it);
    }),
    Lie::contest("seed-that-is-no-number", "differs", ": is not hexadecimal", |it| {
        it.value("/contest/seed", json!("0x"));
    }),
    Lie::contest("short-seed", "differs", "the contest's seed: has 1 bytes instead of 32", |it| {
        it.value("/contest/seed", json!("00"));
    }),
    Lie::contest("name-of-the-contest", "differs", "revealed seed commit to ", |it| {
        it.value("/contest/file", json!(FILE.replace("Autumn", "Spring")));
    }),
    Lie::contest("closing-date", "differs", "revealed seed commit to ", |it| {
        it.value("/contest/file", json!(format!("{FILE}closes = 2100-01-01T00:00:00Z\n")));
    }),
    Lie::contest("quota-of-entries", "differs", "revealed seed commit to ", |it| {
        it.value("/contest/file", json!(format!("{FILE}entries_per_day = 1\n")));
    }),
    Lie::contest("invalid-file", "differs", "the contest's file: ", |it| {
        file(it, "final_cycles = 2\n", "final_cycles = 0\nladder = true\n");
    }),
    Lie::contest("budget-of-the-contest", "differs", "but the contest file gives fuel:2e6", |it| {
        file(it, "1e6", "2e6");
    }),
    Lie::contest("memory-of-the-contest", "differs", "but the contest file gives 8388608", |it| {
        file(it, "ladder", "memory_bytes = 8388608\nladder");
    }),
    Lie::contest("cycles-of-the-final", "differs", "gives RoundRobin { cycles: 3", |it| {
        file(it, "final_cycles = 2", "final_cycles = 3");
    }),
    Lie::contest("no-final", "differs", "final: the contest file has no final", |it| {
        file(it, "ladder = false\nfinal_cycles = 2", "ladder = true\nfinal_cycles = 0");
    }),
    Lie::contest("ladder-missing", "incomplete", "but the bundle has none", |it| {
        file(it, "ladder = false", "ladder = true");
    }),
    Lie::contest("variant-of-the-contest", "differs", "contest file gives freestyle-9", |it| {
        file(it, "freestyle-7", "freestyle-9");
    }),
    Lie::contest("no-openings", "differs", "disagree about openings", |it| {
        file(it, "openings = \"book.txt\"\n", "");
    }),
    Lie::contest("openings-of-the-contest", "differs", "SHA-256 of its openings is ", |it| {
        it.value("/contest/openings_sha256", json!("00".repeat(32)));
        commit(it);
    }),
    Lie::contest("openings-of-all", "differs", "revealed seed commit to ", |it| {
        let openings = it.openings();
        it.replace("openings", &openings, b"d4 c3\na1 b3\n");
    }),
    Lie::contest("openings-of-all-committed", "differs", ": its start is ", |it| {
        let openings = it.openings();
        it.replace("openings", &openings, b"d4 c3\na1 b3\n");
        commit(it);
    }),
    Lie::contest("hash-of-an-entry", "differs", "that of entry 2 is 0000", |it| {
        it.value("/contest/entries/1/sha256", json!("00".repeat(32)));
    }),
    Lie::contest("state-of-an-entry", "differs", "it plays, but entry 3 was not accepted", |it| {
        it.value("/contest/entries/2/state", json!("refused"));
    }),
    Lie::contest("owner-of-an-entry", "differs", "whose name is `Ann v1`", |it| {
        it.value("/contest/entries/0/entrant", json!("Bob"));
    }),
    Lie::contest("number-of-an-entry", "differs", "entry 7 is at the place of 2", |it| {
        it.value("/contest/entries/1/number", json!(7));
    }),
    Lie::contest("entry-left-out", "differs", "entry 2 is at the place of 1", |it| {
        let first =
            |index: &mut Value| index["contest"]["entries"].as_array_mut().unwrap().remove(0);
        it.index(|index| drop(first(index)));
    }),
    Lie::contest("entrant-twice", "differs", "the entrant `Ann` is listed twice", |it| {
        it.value("/contest/entrants/1/name", json!("Ann"));
    }),
    Lie::contest("entrant-left-out", "differs", "entry 3 is of `Bob`, who is no entrant", |it| {
        it.index(|index| drop(index["contest"]["entrants"].as_array_mut().unwrap().remove(1)));
    }),
    Lie::contest("unfinished-final", "incomplete", "was started, but not finished", |it| {
        it.value("/contest/unfinished", json!(["final-2"]));
    }),
    Lie::contest("gap-between-finals", "differs", "is missing, but there is final-3", |it| {
        it.value("/contest/unfinished", json!(["final-3"]));
    }),
    Lie::contest("final-twice", "differs", "final: is listed twice", |it| {
        it.value("/contest/unfinished", json!(["final"]));
    }),
    Lie::contest("second-final-only", "differs", "final: is missing, but there is final-2", |it| {
        it.rename_arena("final", "final-2");
    }),
    Lie::contest("name-of-the-final", "differs", "`finale`: is not the name of an arena", |it| {
        it.rename_arena("final", "finale");
    }),
    Lie::contest("number-of-the-final", "differs", "`final-02`: is not the name of an", |it| {
        it.rename_arena("final", "final-02");
    }),
    Lie::contest("final-as-ladder", "differs", "ladder: the contest file has no ladder", |it| {
        it.rename_arena("final", "ladder");
    }),
];

/// The lies about the final: its players, terms and games.
pub(super) const ABOUT_THE_FINAL: &[Lie] = &[
    Lie::contest("seed-of-the-final", "differs", "the contest's seed and its roster", |it| {
        it.value("/arenas/0/setup/seed", json!(1));
    }),
    Lie::contest("seed-key-of-the-final", "differs", "its seed key is not the one", |it| {
        it.value("/arenas/0/setup/seed_key", json!("00".repeat(16)));
    }),
    Lie::contest("seed-of-an-engine-in-a-final", "differs", "seed of the engine is 7", |it| {
        it.record(|_| true, |record| record["players"][1]["engine"]["seed"] = json!(7));
    }),
    // The list of entries has the new hash, too.
    Lie::contest("module-in-all-places", "differs", "but the contest's seed and its roste", |it| {
        let code = std::fs::read(it.module()).unwrap();
        it.replace("modules", &sha256(&it.module()), &[&code[..], CUSTOM_SECTION].concat());
    }),
    Lie::contest("older-entry", "differs", "but entry 2 was accepted later", |it| {
        it.index(|index| {
            let older = index["contest"]["entries"][0]["sha256"].clone();
            let player = &mut index["arenas"][0]["setup"]["players"][0];
            (player["engine"], player["name"]) = (json!("entry-1"), json!("Ann v1"));
            player["module_sha256"] = older;
        });
        derive_seeds(it);
    }),
    Lie::contest("later-entry-ignored", "differs", "but entry 4 was accepted later", |it| {
        add_entry(it, "Ann");
    }),
    Lie::contest("entrant-not-in-the-final", "incomplete", "but does not play", |it| {
        it.index(|index| {
            let entrants = index["contest"]["entrants"].as_array_mut().unwrap();
            entrants.push(json!({ "name": "Eve", "status": "in" }));
        });
        add_entry(it, "Eve");
    }),
    Lie::contest("name-of-a-player", "differs", "whose name is `Ann v2`", |it| {
        it.value("/arenas/0/setup/players/0/name", json!("Ann v1"));
    }),
    Lie::contest("player-without-an-entry", "differs", "is neither a listed entry", |it| {
        it.value("/arenas/0/setup/players/0/engine", json!("entry-9"));
    }),
    // Against a single entrant, the house engines would play.
    Lie::contest("opponent-left-out", "differs", "but the contest file gives gomoku-simpl", |it| {
        it.arena(|arena| arena["setup"]["players"].as_array_mut().unwrap().truncate(1));
        derive_seeds(it);
    }),
    Lie::contest("player-as-house-engine", "differs", "is not the house engine but", |it| {
        it.value("/arenas/0/setup/players/0/engine", json!("entry-9"));
        it.value("/arenas/0/setup/players/0/name", json!("gomoku-simple"));
    }),
    Lie::contest("order-of-entries", "differs", "not in the order of their entries", |it| {
        it.arena(|arena| arena["setup"]["players"].as_array_mut().unwrap().swap(0, 1));
        derive_seeds(it);
    }),
    Lie::contest("roster", "differs", "final: its seed is ", |it| {
        it.arena(|arena| arena["setup"]["players"].as_array_mut().unwrap().swap(0, 1));
    }),
    Lie::contest("joined-player", "differs", "players joined it, which no final allows", |it| {
        it.arena(|arena| {
            let mut player = arena["setup"]["players"][1].clone();
            player["name"] = json!("Bob v1 (2)");
            arena["joined"] = json!([player]);
        });
    }),
    Lie::contest("start-limit-of-a-player", "differs", "its start limit in ms is 6000", |it| {
        it.player(
            "Ann v2",
            |player| player["limits"]["start_ms"] = json!(6000),
            |player| player["engine"]["limits"]["start_ms"] = json!(6000),
        );
    }),
    Lie::contest("memory-of-a-player", "differs", "its memory limit in bytes is 33554432", |it| {
        it.player(
            "Bob v1",
            |player| player["limits"]["memory_bytes"] = json!(32 << 20),
            |player| player["engine"]["limits"]["memory_bytes"] = json!(32 << 20),
        );
    }),
    Lie::contest("budget-of-a-player", "differs", "its budget is fuel:2e6/move", |it| {
        it.player(
            "Bob v1",
            |player| player["budget"] = json!("fuel:2e6/move"),
            |player| player["budget"] = json!("fuel:2e6/move"),
        );
    }),
    Lie::contest("options-of-a-player", "differs", "it has options, which no player of a ", |it| {
        it.player(
            "Ann v2",
            |player| player["options"] = json!({ "depth": "3" }),
            |player| player["engine"]["options"] = json!({ "depth": "3" }),
        );
    }),
    Lie::contest("assets-of-a-player", "differs", "it has assets, which no player of a", |it| {
        let book = || json!({ "book": "00".repeat(32) });
        it.player(
            "Ann v2",
            |player| player["assets"] = book(),
            |player| player["engine"]["assets"] = book(),
        );
    }),
    Lie::contest("pondering-of-a-player", "differs", "it has pondering, which no player", |it| {
        it.player(
            "Ann v2",
            |player| player["ponders"] = json!(true),
            |player| player["ponders"] = json!(true),
        );
    }),
    Lie::contest("threads-of-a-player", "differs", "its number of threads is 2", |it| {
        it.player(
            "Ann v2",
            |player| player["threads"] = json!(2),
            |player| player["engine"]["threads"] = json!(2),
        );
    }),
    Lie::contest("rating-of-a-player", "differs", "its initial rating is 100", |it| {
        it.value("/arenas/0/setup/players/0/rating", json!(100));
    }),
    Lie::contest("adjudication-in-a-final", "differs", "final: its settings are ", |it| {
        let rules = "draw=10/8@40";
        it.value("/arenas/0/setup/settings/adjudication", json!(rules));
        it.records(|record| record["settings"]["adjudication"] = json!(rules));
    }),
    Lie::contest("grace-in-a-final", "differs", "final: its settings are ", |it| {
        it.value("/arenas/0/setup/settings/grace/us", json!(50_001));
        it.records(|record| record["settings"]["grace"]["us"] = json!(50_001));
    }),
    Lie::contest("sequential-test-in-a-final", "differs", "it has a sequential test", |it| {
        let test = json!({
            "model": "normalized", "elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05,
        });
        it.value("/arenas/0/setup/sprt", test);
    }),
    Lie::contest("stopped-final", "incomplete", "final: was stopped before pair 2", |it| {
        it.cut(2);
        it.value("/arenas/0/events", json!([{ "from_pair": 1, "change": "stop" }]));
    }),
    Lie::contest("stop-after-the-end", "incomplete", "final: was stopped before pair 3", |it| {
        it.value("/arenas/0/events", json!([{ "from_pair": 2, "change": "stop" }]));
    }),
    Lie::contest("player-who-left", "incomplete", "left before pair 2, but takes part", |it| {
        it.cut(2);
        it.value("/arenas/0/events", json!([{ "from_pair": 1, "change": { "withdraw": 1 } }]));
    }),
    Lie::contest("void-pair-of-a-final", "incomplete", "`Bob v1` is void", |it| {
        it.cut(2);
        let change = json!({ "void": { "players": [0, 1], "at_fault": null } });
        it.value("/arenas/0/events", json!([{ "from_pair": 1, "change": change }]));
    }),
];

/// Changes the contest file, and the commitment with it.
fn file(it: &Unpacked, from: &str, to: &str) {
    assert!(FILE.contains(from), "{from}");
    it.value("/contest/file", json!(FILE.replace(from, to)));
    commit(it);
}

/// Commits to the contest file, the openings and the seed that the bundle has now.
fn commit(it: &Unpacked) {
    it.index(|index| {
        let contest = &mut index["contest"];
        let seed = bytes(&contest["seed"]);
        let openings = bytes(&contest["openings_sha256"]);
        let file = contest["file"].as_str().unwrap();
        contest["commitment"] = json!(commitment(&seed, file, Some(openings)));
    });
}

/// Gives the final the seeds that follow from the contest's seed and the roster.
fn derive_seeds(it: &Unpacked) {
    it.index(|index| {
        let seed = bytes(&index["contest"]["seed"]);
        let setup = &mut index["arenas"][0]["setup"];
        let players: Vec<Contestant> = serde_json::from_value(setup["players"].clone()).unwrap();
        let roster = roster_hash(&players);
        setup["seed"] = json!(arena_seed(&seed, "final", roster));
        setup["seed_key"] = json!(hex(&arena_seed_key(&seed, "final", roster).0));
    });
}

fn bytes(text: &Value) -> [u8; 32] {
    unhex(text.as_str().unwrap()).unwrap().try_into().unwrap()
}

/// Adds a fourth entry, which was accepted before the final.
fn add_entry(it: &Unpacked, entrant: &str) {
    it.index(|index| {
        let entry = json!({
            "number": 4, "entrant": entrant, "sha256": "00".repeat(32), "state": "accepted",
            "tested_at": BEFORE,
        });
        index["contest"]["entries"].as_array_mut().unwrap().push(entry);
    });
}
