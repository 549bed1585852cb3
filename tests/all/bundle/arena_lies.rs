//! Lies about an arena outside of contests: gomoku-simple, random-mover with a clock of the game,
//! and faulty, which loses each game by an error.

use serde_json::{Value, json};

use super::forgery::{Unpacked, named, rank, sha256};
use super::game_lies::add;
use super::lies::Lie;

/// The players of the arena.
pub(super) const SIMPLE: &str = "gomoku-simple";
pub(super) const RANDOM: &str = "random-mover";
pub(super) const FAULTY: &str = "faulty";

/// A section without a meaning, which gives a module another hash.
pub(super) const CUSTOM_SECTION: &[u8] = b"\0\x03\x01ab";

/// The lies about the whole arena and its files.
pub(super) const ABOUT_THE_ARENA: &[Lie] = &[
    Lie::arena("half-points", "differs", ": the list says [0, 2] half points after 7", |it| {
        it.arena(|arena| {
            let list = arena["games"].as_array_mut().unwrap();
            list.iter_mut().for_each(|game| {
                let turned = json!([game["half_points"][1], game["half_points"][0]]);
                game["half_points"] = turned;
            });
        });
    }),
    Lie::arena("number-of-moves", "differs", "half points after 1 moves (", |it| {
        it.value("/arenas/0/games/1/plies", json!(1));
    }),
    Lie::arena("sentence", "differs", "(random-mover wins by a fine attack), but the", |it| {
        it.value("/arenas/0/games/0/sentence", json!("random-mover wins by a fine attack"));
    }),
    Lie::arena("table-in-another-order", "differs", ": row 1 of its table is 1. ", |it| {
        it.arena(|arena| {
            let rows = arena["table"].as_array_mut().unwrap();
            rows.swap(0, 1);
            (rows[0]["place"], rows[1]["place"]) = (json!(1), json!(2));
        });
    }),
    Lie::arena("points-in-the-table", "differs", " half points in 4 games, but the count", |it| {
        it.arena(|arena| {
            let rows = arena["table"].as_array_mut().unwrap();
            add(&mut rows[1]["half_points"], 1);
            rank(rows);
        });
    }),
    Lie::arena("games-in-the-table", "differs", " half points in 5 games, but the count", |it| {
        it.arena(|arena| add(&mut arena["table"][2]["games"], 1));
    }),
    Lie::arena("row-missing", "differs", ": row 3 of its table is missing, but the count", |it| {
        it.arena(|arena| drop(arena["table"].as_array_mut().unwrap().pop()));
    }),
    Lie::arena("row-added", "differs", ": its table has more rows than players", |it| {
        it.arena(|arena| {
            let row = json!({ "place": 3, "player": "Eve", "half_points": 0, "games": 4 });
            arena["table"].as_array_mut().unwrap().push(row);
        });
    }),
    Lie::arena("last-game-missing", "differs", "pair-000003-2: setup and seed give this", |it| {
        it.cut(5);
    }),
    Lie::arena("game-missing", "differs", "pair-000001-2: setup and seed give this game", |it| {
        let removed = it.0.join("records/autumn/pair-000001-2.json");
        std::fs::remove_file(removed).unwrap();
        it.arena(|arena| drop(arena["games"].as_array_mut().unwrap().remove(1)));
        it.repair();
    }),
    Lie::arena("game-added", "differs", "pair-000004-1: is in the list, but setup and", |it| {
        let records = it.0.join("records/autumn");
        let copied =
            std::fs::copy(records.join("pair-000003-1.json"), records.join("pair-000004-1.json"));
        copied.unwrap();
        it.arena(|arena| {
            let list = arena["games"].as_array_mut().unwrap();
            let mut game = list[4].clone();
            game["name"] = json!("pair-000004-1");
            list.push(game);
        });
        it.repair();
    }),
    Lie::arena("game-twice", "differs", "pair-000003-2: its seed is ", |it| {
        let records = it.0.join("records/autumn");
        let (one, other) = (records.join("pair-000003-1.json"), records.join("pair-000003-2.json"));
        std::fs::copy(one, other).unwrap();
        it.repair();
    }),
    Lie::arena("games-exchanged", "differs", "pair-000001-1: its start is ", |it| {
        it.exchange(0, 2)
    }),
    Lie::arena("games-of-a-pair-exchanged", "differs", "pair-000002-1: its seed is ", |it| {
        it.exchange(2, 3);
    }),
    Lie::arena("hash-of-a-record", "differs", "pair-000001-1.json: its SHA-256 is ", |it| {
        it.json("records/autumn/pair-000001-1.json", |record| {
            add(&mut record["plies"][0]["spent"]["fuel"], 1);
        });
    }),
    Lie::arena("record-missing", "differs", "2-1.json: is missing, but the index", |it| {
        std::fs::remove_file(it.0.join("records/autumn/pair-000002-1.json")).unwrap();
    }),
    Lie::arena("record-not-listed", "differs", "pair-000001-2.json: is not named in the", |it| {
        it.arena(|arena| drop(arena["games"].as_array_mut().unwrap().remove(1)));
    }),
    Lie::arena("file-added", "differs", "notes.txt: is not named in the index", |it| {
        std::fs::write(it.0.join("records/autumn/notes.txt"), "all games are true").unwrap();
    }),
    Lie::arena("module-changed", "differs", ".wasm: its SHA-256 is ", |it| {
        let mut bytes = std::fs::read(it.module()).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(it.module(), bytes).unwrap();
    }),
    Lie::arena("module-missing", "differs", "is missing, but the index names it", |it| {
        std::fs::remove_file(it.module()).unwrap();
    }),
    Lie::arena("module-withheld", "unverifiable", " cannot be verified: its module ", |it| {
        std::fs::remove_file(it.module()).unwrap();
        it.value("/modules/0/published", json!(false));
    }),
    Lie::arena("module-not-listed", "differs", " is not among the bundle's", |it| {
        std::fs::remove_file(it.module()).unwrap();
        it.index(|index| drop(index["modules"].as_array_mut().unwrap().remove(0)));
    }),
    // Everything that names the engine agrees.
    Lie::arena("module-of-another-player", "differs", ": random-mover: the replay ", |it| {
        let other = it.module_of(SIMPLE);
        it.player(
            RANDOM,
            |player| player["module_sha256"] = json!(other),
            |player| player["engine"]["module_sha256"] = json!(other),
        );
    }),
    // Another engine under a hash that no one knows.
    Lie::arena("module-with-new-hash", "differs", ": random-mover: the replay ", |it| {
        let [own, other] = [RANDOM, SIMPLE].map(|player| it.module_of(player));
        let code = std::fs::read(it.0.join(format!("modules/{other}.wasm"))).unwrap();
        it.replace("modules", &own, &[&code[..], CUSTOM_SECTION].concat());
    }),
    Lie::arena("module-cut-off", "unverifiable", " cannot be verified: its module ", |it| {
        let bytes = std::fs::read(it.module()).unwrap();
        it.replace("modules", &sha256(&it.module()), &bytes[..bytes.len() / 2]);
    }),
    Lie::arena("openings-with-new-hash", "differs", "pair-000001-1: its start is ", |it| {
        let openings = it.openings();
        it.replace("openings", &openings, b"e5 d5\na1 b2\n");
    }),
    Lie::arena("openings-in-another-order", "differs", "pair-000001-1: its start is ", |it| {
        let openings = it.openings();
        it.replace("openings", &openings, b"a1 b2\ne5 d4\n");
    }),
    Lie::arena("openings-added", "differs", "holds 3 openings, but the setup says 2", |it| {
        let openings = it.openings();
        it.replace("openings", &openings, b"e5 d4\na1 b2\nb1 c3\n");
    }),
    Lie::arena("openings-left-out", "differs", ": its start is ", |it| {
        let openings = it.openings();
        std::fs::remove_file(it.0.join(format!("openings/{openings}.txt"))).unwrap();
        it.value("/arenas/0/setup/openings", json!(null));
    }),
    Lie::arena("seed-of-the-arena", "differs", "autumn/pair-000001-1: its seed is ", |it| {
        it.value("/arenas/0/setup/seed", json!(5));
    }),
    Lie::arena("seed-key-added", "differs", "autumn/pair-000001-1: its seed is ", |it| {
        it.value("/arenas/0/setup/seed_key", json!("00".repeat(16)));
    }),
    Lie::arena("schedule", "differs", "pair-000004-1: setup and seed give this game", |it| {
        it.value("/arenas/0/setup/schedule/cycles", json!(2));
    }),
    Lie::arena("variant", "differs", ": its variant is freestyle-9, but setup", |it| {
        it.value("/arenas/0/setup/variant", json!("standard-9"));
    }),
    // Rules that make no difference to these games, but engines see them.
    Lie::arena("variant-everywhere", "differs", "but another transcript of the call", |it| {
        it.value("/arenas/0/setup/variant", json!("standard-9"));
        it.records(|record| record["variant"] = json!("standard-9"));
    }),
    Lie::arena("player-renamed", "differs", ": its name is random-mover, but setup", |it| {
        it.arena(|arena| named(&mut arena["setup"]["players"], RANDOM)["name"] = json!("Eve"));
    }),
    Lie::arena("players-renamed-after-each-other", "differs", ": its name is ", |it| {
        it.arena(|arena| {
            let players = &mut arena["setup"]["players"];
            (players[0]["name"], players[1]["name"]) = (json!(RANDOM), json!(SIMPLE));
        });
    }),
    Lie::arena("players-in-another-order", "differs", "player 0: its name is ", |it| {
        it.arena(|arena| arena["setup"]["players"].as_array_mut().unwrap().swap(0, 1));
    }),
    Lie::arena("player-added", "differs", "setup and seed give this game, but the list", |it| {
        it.arena(|arena| {
            let mut player = arena["setup"]["players"][0].clone();
            player["name"] = json!("Eve");
            arena["setup"]["players"].as_array_mut().unwrap().push(player);
        });
    }),
    Lie::arena("budget-everywhere", "differs", "but another transcript of the call", |it| {
        it.player(
            FAULTY,
            |player| player["budget"] = json!("fuel:2e6/move"),
            |player| player["budget"] = json!("fuel:2e6/move"),
        );
    }),
    Lie::arena("memory-everywhere", "differs", "but another transcript of the call", |it| {
        it.player(
            RANDOM,
            |player| player["limits"]["memory_bytes"] = json!(32 << 20),
            |player| player["engine"]["limits"]["memory_bytes"] = json!(32 << 20),
        );
    }),
    Lie::arena("options-everywhere", "differs", "but another transcript of the call", |it| {
        it.player(
            FAULTY,
            |player| player["options"]["at"] = json!("5"),
            |player| player["engine"]["options"]["at"] = json!("5"),
        );
    }),
    Lie::arena("threads-everywhere", "differs", "does not play on fuel alone, so its", |it| {
        it.player(
            SIMPLE,
            |player| player["threads"] = json!(2),
            |player| player["engine"]["threads"] = json!(2),
        );
    }),
    Lie::arena("pondering-everywhere", "differs", "does not play on fuel alone, so its", |it| {
        it.player(
            SIMPLE,
            |player| player["ponders"] = json!(true),
            |player| player["ponders"] = json!(true),
        );
    }),
    Lie::arena("plies-max", "differs", "result: the moves do not lead to an end", |it| {
        it.records(|record| record["settings"]["plies_max"] = json!(11));
        it.value("/arenas/0/setup/settings/plies_max", json!(11));
    }),
    Lie::arena("adjudication-rules", "differs", "no solver solves the last part of gomoku", |it| {
        let rules = "win=200/2,solver=12";
        it.records(|record| record["settings"]["adjudication"] = json!(rules));
        it.value("/arenas/0/setup/settings/adjudication", json!(rules));
    }),
    Lie::arena("start-limit", "differs", "limit in ms is 5000, but", |it| {
        it.value("/arenas/0/setup/players/0/limits/start_ms", json!(4999));
    }),
    Lie::arena("start-limit-too-long", "differs", "its start limit is 60001 ms; allowed", |it| {
        it.value("/arenas/0/setup/players/0/limits/start_ms", json!(60_001));
    }),
    Lie::arena("no-start-limit", "differs", "its start limit is 0 ms; allowed", |it| {
        it.value("/arenas/0/setup/players/0/limits/start_ms", json!(0));
    }),
    Lie::arena("stack-limit", "differs", "its stack limit is 1 slots, but this host gives", |it| {
        it.value("/arenas/0/setup/players/0/limits/stack_slots", json!(1));
    }),
    Lie::arena("prices", "differs", "its fuel was counted by ", |it| {
        it.value("/fuel_meter/prices", json!(99));
    }),
    Lie::arena("prices-everywhere", "unverifiable", "but this host has", |it| {
        count_by_another(it, "prices");
    }),
    Lie::arena("instrumentation-everywhere", "unverifiable", "but this host has", |it| {
        count_by_another(it, "instrumentation");
    }),
    Lie::arena("version-of-the-setup", "differs", "its setup has version 2, but this host", |it| {
        it.value("/arenas/0/setup/version", json!(2));
    }),
    Lie::arena("format-of-the-setup", "differs", "its setup has the format `x`", |it| {
        it.value("/arenas/0/setup/format", json!("x"));
    }),
    Lie::arena("unknown-game", "unverifiable", "which this host does not know", |it| {
        it.value("/arenas/0/setup/game", json!("gomoku-plus"));
    }),
    Lie::arena("sequential-test", "differs", "invalid setup: ", |it| {
        let test = json!({
            "model": "normalized", "elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05,
        });
        it.value("/arenas/0/setup/sprt", test);
    }),
    Lie::arena("void-pair", "incomplete", "`random-mover` is void", |it| {
        it.cut(4);
        it.value("/arenas/0/events", void_pair(2));
    }),
    Lie::arena("void-pair-with-games", "differs", "pair-000003-1: is in the list, but", |it| {
        it.value("/arenas/0/events", void_pair(2));
    }),
    Lie::arena("stopped-arena", "incomplete", "was stopped before pair 3", |it| {
        it.cut(4);
        it.value("/arenas/0/events", json!([{ "from_pair": 2, "change": "stop" }]));
    }),
    Lie::arena("player-who-left-the-arena", "incomplete", "left before pair 3", |it| {
        let pair = it.0.join("records/autumn/pair-000003-1.json");
        let record: Value = serde_json::from_slice(&std::fs::read(pair).unwrap()).unwrap();
        let name = record["players"][0]["name"].clone();
        it.cut(4);
        it.index(|index| {
            let players = index["arenas"][0]["setup"]["players"].as_array().unwrap();
            let number = players.iter().position(|player| player["name"] == name).unwrap();
            index["arenas"][0]["events"] =
                json!([{ "from_pair": 2, "change": { "withdraw": number } }]);
        });
    }),
    Lie::arena("player-withdrawn", "differs", "is in the list, but setup and seed give no", |it| {
        let left = json!([{ "from_pair": 1, "change": { "withdraw": 1 } }]);
        it.value("/arenas/0/events", left);
    }),
    Lie::arena("commitment-of-no-contest", "differs", "the contest's file: ", |it| {
        it.value(
            "/contest",
            json!({
                "file": "", "commitment": "00".repeat(32), "seed": "00".repeat(32), "entrants": [],
                "entries": [],
            }),
        );
    }),
];

/// Raises a version of what counted the fuel, everywhere.
fn count_by_another(it: &Unpacked, field: &str) {
    let later = |player: &mut Value| player[field] = json!(99);
    it.records(|record| {
        for player in record["players"].as_array_mut().unwrap() {
            later(&mut player["engine"]["fuel_meter"]);
        }
    });
    it.index(|index| {
        later(&mut index["fuel_meter"]);
        for player in index["arenas"][0]["setup"]["players"].as_array_mut().unwrap() {
            later(&mut player["fuel_meter"]);
        }
    });
}

/// The event of a void pair of the first two players.
fn void_pair(pair: u32) -> Value {
    let change = json!({ "void": { "players": [0, 1], "at_fault": null } });
    json!([{ "from_pair": pair, "change": change }])
}
