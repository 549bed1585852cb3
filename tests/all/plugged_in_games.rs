//! Games that are plugged in: played, verified and offered like built-in ones, and what happens
//! when their rules fail.

use std::fs;
use std::path::PathBuf;

use sandboard_builder::component::{GAME_WIT, wrap_core_module};
use sandboard_tests::built;
use serde_json::{Value, json};

use crate::cli::{CommandOutput, TestHome};
use crate::server::Server;

/// The game of three plies that the fixture describes.
const PLIES: &str = include_str!("../fixtures/games/plies.wat");

/// Its manifest, with this version.
fn plies_manifest(version: &str) -> String {
    format!(
        "<EngineConfigs abi=\"1\"><GameRules id=\"plies\" name=\"Plies\" version=\"{version}\" \
         sides=\"red blue\" module=\"plies.wasm\"><Variant id=\"standard\"/></GameRules>\
         </EngineConfigs>"
    )
}

/// The component of the game with one part of its text replaced.
fn plies_with(old: &str, new: &str) -> Vec<u8> {
    assert!(PLIES.contains(old), "{old} is not in the game");
    let module = wat::parse_str(PLIES.replacen(old, new, 1)).unwrap();
    wrap_core_module(module, GAME_WIT).unwrap()
}

/// A home with an engines folder of its own.
struct GameHome {
    home: TestHome,
    engines: PathBuf,
}

impl GameHome {
    fn new() -> Self {
        let home = TestHome::new();
        let engines = home.file("engines");
        fs::create_dir(&engines).unwrap();
        Self { home, engines }
    }

    /// Puts the pack of a game of three plies into the folder.
    fn plug_in(&self, version: &str, module: &[u8]) {
        let pack = self.engines.join("plies");
        fs::create_dir_all(&pack).unwrap();
        fs::write(pack.join("plies.wasm"), module).unwrap();
        fs::write(pack.join("EngineConfigs.xml"), plies_manifest(version)).unwrap();
    }

    fn run(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let mut command = self.home.command(arguments);
        command.env("SANDBOARD_ENGINES", &self.engines);
        TestHome::finish(command, input)
    }

    fn succeed(&self, arguments: &[&str], input: &str) -> String {
        let CommandOutput { code, out, err } = self.run(arguments, input);
        assert_eq!(code, Some(0), "sandboard {arguments:?}\n{out}\n{err}");
        out
    }
}

/// Plays a game of two people who type these moves; the JSON line.
fn play_typed(home: &GameHome, game: &str, moves: &[&str]) -> Value {
    let arguments =
        ["play", game, "--seat", "human", "--seat", "human", "--json", "--record", "b.json"];
    let out = home.succeed(&arguments, &(moves.join("\n") + "\n"));
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

#[test]
fn a_game_in_a_folder_is_listed_and_its_rules_answer() {
    let home = GameHome::new();
    home.plug_in("1.5", &plies_with("", ""));
    let list = home.succeed(&["list"], "");
    assert!(list.contains("plugged-in games:\n\n  plies 1.5  Plies  plies/EngineConfigs.xml:1\n"));
    let json: Value = serde_json::from_str(&home.succeed(&["list", "--json"], "")).unwrap();
    assert_eq!(json["games"][0]["id"], "plies");
    let check = |question: Value, place: &str, expected: Value| {
        let out = home.run(&["rules", "plies"], &format!("{question}\n")).out;
        let answer: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(answer.pointer(place), Some(&expected), "{question}: {answer}");
    };
    check(json!({}), "/legal", json!(["a", "b"]));
    check(json!({"moves": ["a", "b"]}), "/position", json!("p2"));
    check(json!({"moves": ["a"]}), "/to_move", json!("blue"));
    check(json!({"moves": ["a", "a", "a"]}), "/outcome/winner", json!("red"));
    check(json!({"position": "p1"}), "/to_move", json!("blue"));
    check(json!({}), "/diagram", json!("xx\n"));
    let perft = home.succeed(&["perft", "plies", "--depth", "3"], "");
    assert!(perft.contains(": 8 nodes"), "{perft}");
    let playouts = ["playouts", "plies", "--games", "70", "--seed", "1", "--json"];
    let playouts: Value = serde_json::from_str(&home.succeed(&playouts, "")).unwrap();
    let expected = json!({
        "game": "plies",
        "variant": "standard",
        "position": null,
        "seed": 1,
        "games": 70,
        "unfinished": 0,
        "drawn": 0,
        "sides": [
            {"name": "red", "won": 70, "score_mean": 1.0, "score_error": 0.0},
            {"name": "blue", "won": 0, "score_mean": -1.0, "score_error": 0.0},
        ],
        "plies": {"min": 3, "max": 3, "mean": 3.0},
        "choices_mean": 2.0,
    });
    assert_eq!(playouts, expected);
    // The manifest of a game that cannot be played says why.
    fs::write(home.engines.join("plies/plies.wasm"), b"words").unwrap();
    let list = home.succeed(&["list"], "");
    let fault = "not usable:\n  plies 1.5\n    plies/EngineConfigs.xml:1: GameRules/@module: \
                 `plies.wasm`: is not a WebAssembly component";
    assert!(list.contains(fault), "{list}");
}

#[test]
fn people_play_it_and_the_record_names_the_rules() {
    let home = GameHome::new();
    home.plug_in("1.5", &plies_with("", ""));
    let line = play_typed(&home, "plies", &["a", "c c", "b", "a"]);
    assert_eq!(line["winner"], "red", "{line}");
    let record: Value =
        serde_json::from_slice(&fs::read(home.home.file("b.json")).unwrap()).unwrap();
    assert_eq!(record["rules"]["version"], "1.5");
    assert_eq!(record["rules"]["module_sha256"].as_str().unwrap().len(), 64);
    // Without the game the record cannot be read.
    fs::remove_dir_all(home.engines.join("plies")).unwrap();
    let CommandOutput { code, out, .. } = home.run(&["verify", "b.json"], "");
    assert_ne!(code, Some(0));
    let expected = "there is no game `plies`; it was plugged in: the engines folder needs its pack";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn engines_play_it_and_fuel_is_verified() {
    let home = TestHome::trusting();
    built("connect-four-mcts.wasm");
    let play = |first: &str, second: &str, budget: &str| {
        let seats = ["--seat", first, "--seat", second, "--budget", budget, "--record", "b.json"];
        home.play_json(&[&["connect-four", "--seed", "1"][..], &seats].concat())
    };
    let line = play("connect-four-mcts", "connect-four-mcts", "fuel:2e6/move");
    assert_eq!(line["result"]["rule"], "four in a row", "{line}");
    for runtime in ["wasmtime", "wasmi"] {
        // It runs the rules, too.
        let verified = home.succeed(&["verify", "b.json", "--runtime", runtime], "");
        assert_eq!(verified.matches(" verified: ").count(), 2, "{verified}");
    }
    // The same rules in a native library, whose process is jailed.
    let line = play("connect-four-mcts", "connect-four-mcts-native", "nodes:200");
    assert_eq!(line["result"]["termination"], "rules", "{line}");
    // Records of other rules are not verified.
    play("connect-four-mcts", "connect-four-mcts", "fuel:1e6/move");
    let file = home.file("b.json");
    let text = fs::read_to_string(&file).unwrap();
    let at = text.find("\"module_sha256\"").unwrap() + "\"module_sha256\": \"".len();
    let other = format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..]);
    fs::write(&file, other).unwrap();
    let CommandOutput { code, out, err } = home.run(&["verify", "b.json"], "");
    assert_ne!(code, Some(0), "{out}");
    let expected = "it was played by version 0.1.0 of the rules (SHA-256 0000";
    assert!(out.contains(expected) || err.contains(expected), "{out}{err}");
}

#[test]
fn an_engine_in_c_asks_the_host_for_the_rules() {
    let home = TestHome::new();
    built("connect-four-mcts.wasm");
    home.succeed(&["new", "four", "--game", "connect-four", "--lang", "c"], "");
    // Both the component and the library in a jailed process, which knows no such game itself.
    let out = home.succeed(&["check", "four"], "");
    assert_eq!(out.matches(" 0 failed").count(), 2, "{out}");
}

#[test]
fn an_arena_plays_it() {
    let home = TestHome::trusting();
    built("connect-four-mcts.wasm");
    let more = ["--pairs", "2", "--budget", "nodes:50", "--dir", "a", "--json"];
    let match_of = ["arena", "match", "connect-four-mcts", "connect-four-mcts-native"];
    let out = home.succeed(&[&match_of[..], &more].concat(), "");
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(last["view"]["state"], "complete", "{last}");
    let games = home.succeed(&["arena", "games", "a"], "");
    assert!(games.contains("pair-000002-2"), "{games}");
    let game = home.succeed(&["arena", "game", "a", "pair-000001-1"], "");
    assert!(game.contains("\"game\":\"connect-four\",\"rules\":"), "{game}");
}

#[test]
fn an_arena_is_resumed_with_the_same_rules_only() {
    let home = GameHome::new();
    home.plug_in("1.0", &plies_with("", ""));
    home.succeed(&["new", "guess", "--game", "plies", "--lang", "c"], "");
    home.succeed(&["build", "guess", "--kind", "wasm"], "");
    home.succeed(&["arena", "match", "guess", "guess", "--pairs", "1", "--dir", "a"], "");
    home.succeed(&["arena", "--resume", "a"], "");
    // A component with other bytes, which judges the same game.
    home.plug_in("1.1", &plies_with("out of moves", "out of plies"));
    let CommandOutput { code, err, .. } = home.run(&["arena", "--resume", "a"], "");
    assert_ne!(code, Some(0));
    let expected = "the arena was played by version 1.0 of the rules";
    assert!(err.contains(expected), "{err}");
}

#[test]
fn a_server_offers_it() {
    let server = Server::start(&[]);
    built("connect-four-mcts.wasm");
    let games = server.get("/games").json();
    let own = games.as_array().unwrap().iter().find(|game| game["id"] == "connect-four");
    assert_eq!(own.expect("the game is listed")["name"], "Connect Four", "{games}");
    let engine = json!({"id": "connect-four-mcts", "options": {}});
    let request = json!({
        "game": "connect-four", "variant": "standard",
        "players": [
            {"name": "Anna", "seats": [0], "budget": "none", "person": {}},
            {"name": "", "seats": [1], "budget": "nodes:50", "engine": engine},
        ],
    });
    let (room, tickets) = server.room(&request);
    let mut anna = server.enter(&room, Some(&tickets[0]), None);
    anna.until("began");
    let answer = anna.exchange("d", 0);
    assert_eq!(answer["ply"]["player"], 1, "{answer}");
    let view = server.get(&format!("/rooms/{room}")).json();
    let position = &view["position"];
    assert_eq!(position["board"]["elements"][0][0]["kind"], "grid", "{position}");
    assert_eq!(position["board"]["pieces"].as_array().unwrap().len(), 2);
    assert_eq!(position["facts"], json!({}), "a diagram is not needed");
}

#[test]
fn a_wrong_board_ends_the_game_in_a_room() {
    let home = GameHome::new();
    // The text `standard` is no JSON.
    let board = "(i32.store8 (i32.const 1540) (i32.const 1))
        (call $text (i32.const 1544) (i32.const 16) (i32.const 8))";
    home.plug_in("1.0", &plies_with("(i32.store8 (i32.const 1540) (i32.const 0))", board));
    let server = Server::start(&["--engines-dir", home.engines.to_str().unwrap()]);
    let person = |seat: u8| json!({"name": seat.to_string(), "seats": [seat], "budget": "none", "person": {}});
    let request =
        json!({"game": "plies", "variant": "standard", "players": [person(0), person(1)]});
    let (room, tickets) = server.room(&request);
    let [mut one, _two] = [0, 1].map(|seat| server.enter(&room, Some(&tickets[seat]), None));
    let ended = one.until("ended");
    let sentence = ended["result"]["sentence"].as_str().unwrap();
    let expected = "aborted: the rules of Plies failed: returned a board that is not valid: ";
    assert!(sentence.starts_with(expected), "{sentence}");
}

#[test]
fn rules_that_fail_end_the_bout_without_a_result() {
    let home = GameHome::new();
    let check = |old: &str, new: &str, expected: &str| {
        home.plug_in("1.0", &plies_with(old, new));
        let line = play_typed(&home, "plies", &["a", "b", "a"]);
        let result = &line["result"];
        assert_eq!((&result["termination"], &result["winner"]), (&json!("aborted"), &Value::Null));
        let sentence = result["sentence"].as_str().unwrap();
        let begin = "aborted: the rules of Plies failed: ";
        assert!(sentence.starts_with(&format!("{begin}{expected}")), "{sentence}");
        let record = home.home.file(line["record"].as_str().unwrap());
        assert!(fs::read_to_string(record).unwrap().contains(begin), "the record says why");
    };
    let play = "(param $game i32) (param $move i32) (param $bytes i32) (result i32)";
    let in_play = |code: &str, expected: &str| check(play, &format!("{play} {code}"), expected);
    in_play("(unreachable)", "trapped: wasm `unreachable` instruction executed");
    in_play("(loop (br 0))", "used up its 1e8 units of fuel in play");
    in_play("(drop (memory.grow (i32.const 65000))) (unreachable)", "used up its 64 MiB of memory");
    in_play("(call $log (i32.const 29) (i32.const 12)) (unreachable)", "gave up: out of moves");
    let text = "(call $text (i32.const 1104) (local.get $move) (local.get $bytes))";
    let large = "(call $text (i32.const 1104) (i32.const 16384) (i32.const 100000))";
    check(text, large, "returned a move with 100000 bytes; at most 64");
    let spaces = "(call $text (i32.const 1104) (i32.const 24) (i32.const 3))";
    check(text, spaces, "returned the move `a b`, which has white space");
    let refuses = "(i32.ne (i32.load8_u (local.get $move)) (i32.const 97))";
    let lies = "listed `b` as legal, but refused it: out of moves";
    check("(i32.ne (local.get $bytes) (i32.const 1))", refuses, lies);
    let three = "(i32.eq (local.get $plies) (i32.const 3))";
    let first = "(i32.shl (i32.eq (local.get $plies) (i32.const 1)) (i32.const 1))";
    check(three, first, "violated the ABI: ");
}

#[test]
fn rules_that_cannot_begin_are_named() {
    let home = GameHome::new();
    home.plug_in("1.0", &plies_with("(local $plies i32)", "(local $plies i32) (unreachable)"));
    let arguments = ["play", "plies", "--seat", "human", "--seat", "human"];
    let CommandOutput { code, err, .. } = home.run(&arguments, "");
    assert_ne!(code, Some(0));
    assert!(err.contains("the rules of plies failed: trapped: wasm `unreachable`"), "{err}");
}
