//! Chess as a plugged-in game: Stockfish by UCI plays whole games of both variants, against itself,
//! a person and in an arena. Its manifest is the one of the docs.

use std::fs;
use std::path::{Path, PathBuf};

use sandboard_analysis::check_game::STEPS;
use sandboard_builder::packages;
use sandboard_tests::{built, root};
use serde_json::{Value, json};

use crate::check_game::check_passes;
use crate::cli::{CommandOutput, TestHome};

/// A home with an engines folder of its own, which has the rules of chess and Stockfish.
struct ChessHome {
    home: TestHome,
    engines: PathBuf,
}

/// The manifest in docs/chess.md, with the program of this machine.
fn manifest() -> String {
    let page = fs::read_to_string(root().join("docs/chess.md")).unwrap();
    let (_, rest) = page.split_once("<<'XML'\n").expect("the page writes a manifest");
    let (manifest, _) = rest.split_once("XML\n").expect("the manifest ends");
    let missing = "Stockfish is missing; `cargo xtask test` installs it";
    let program = packages::find_game("stockfish").expect(missing);
    assert!(manifest.contains("/usr/games/stockfish"), "{manifest}");
    manifest.replace("/usr/games/stockfish", program.to_str().unwrap())
}

/// Copies the pack of a sample game into a folder.
pub(crate) fn copy_pack(game: &str, to: &Path) {
    let module = format!("{game}.wasm");
    let pack = built(&format!("{game}/{module}")).parent().unwrap().to_owned();
    fs::create_dir_all(to).unwrap();
    for name in [&module, "EngineConfigs.xml"] {
        fs::copy(pack.join(name), to.join(name)).unwrap();
    }
}

impl ChessHome {
    fn new() -> Self {
        let home = TestHome::without_engines();
        let engines = home.file("engines");
        copy_pack("chess", &engines.join("chess"));
        fs::create_dir_all(engines.join("stockfish")).unwrap();
        fs::write(engines.join("stockfish/EngineConfigs.xml"), manifest()).unwrap();
        let home = Self { home, engines };
        home.succeed(&["trust", "stockfish"], "");
        home
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

    /// A game of Stockfish against itself, without a fault; the JSON line and the record.
    fn play(&self, arguments: &[&str]) -> (Value, Value) {
        let play = ["play", "chess", "--seat", "stockfish", "--seat", "stockfish:hash=2"];
        let more = ["--json", "--record", "b.json"];
        let out = self.succeed(&[&play[..], arguments, &more].concat(), "");
        let line: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&line["faults"], &line["result"]["termination"]),
            (&json!([]), &json!("rules"))
        );
        let record = fs::read(self.home.file("b.json")).unwrap();
        (line, serde_json::from_slice(&record).unwrap())
    }

    /// What the rules say after the moves of a record.
    fn answer(&self, record: &Value) -> Value {
        let moves: Vec<&str> = moves_of(record).collect();
        let mut question = json!({"variant": record["variant"], "moves": moves});
        if let Some(start) = record["start"].as_str() {
            question["position"] = start.into();
        }
        let out = self.succeed(&["rules", "chess"], &format!("{question}\n"));
        serde_json::from_str(&out).unwrap()
    }
}

fn moves_of(record: &Value) -> impl Iterator<Item = &str> {
    record["plies"].as_array().unwrap().iter().map(|ply| ply["move"].as_str().unwrap())
}

#[test]
fn the_rules_pass_every_step() {
    let home = TestHome::without_engines();
    built("chess/chess.wasm");
    assert_eq!(STEPS.len(), 12);
    check_passes(&home, &["chess"], Some("0.1.0"));
}

#[test]
fn stockfish_plays_whole_games() {
    let home = ChessHome::new();
    let check = |arguments: &[&str], variant: &str| {
        let (line, record) = home.play(arguments);
        assert_eq!(record["variant"], variant);
        assert!(moves_of(&record).count() > 10, "{line}");
        // The rules accept every move, and end the game as the record says.
        let answer = home.answer(&record);
        assert_eq!(answer["outcome"]["reason"], line["result"]["rule"], "{answer}");
        let verified = home.run(&["verify", "b.json"], "");
        let accepted = verified.out.matches("its moves are accepted as recorded").count();
        assert_eq!(accepted, 2, "{}{}", verified.out, verified.err);
        // An edited record is refused: the rules are asked for each move.
        let text = fs::read_to_string(home.home.file("b.json")).unwrap();
        let first = format!("\"move\": \"{}\"", moves_of(&record).next().unwrap());
        assert!(text.contains(&first), "{first}");
        let edited = text.replacen(&first, "\"move\": \"e1e8\"", 1);
        fs::write(home.home.file("c.json"), edited).unwrap();
        let CommandOutput { code, out, err } = home.run(&["verify", "c.json"], "");
        assert_ne!(code, Some(0), "{out}{err}");
        assert!(format!("{out}{err}").contains("`e1e8` is refused"), "{out}{err}");
    };
    check(&["--budget", "nodes:300"], "standard");
    check(&["--budget", "nodes:300", "--variant", "chess960", "--position", "356"], "chess960");
}

#[test]
fn the_same_budget_gives_the_same_game() {
    let home = ChessHome::new();
    let play = || home.play(&["--budget", "depth:3"]).1;
    assert!(moves_of(&play()).eq(moves_of(&play())));
}

/// Only castling mates at once in these positions. In the second one the king takes its rook, which
/// the program writes only with `UCI_Chess960`.
#[test]
fn castling_is_written_as_the_variant_does() {
    let home = ChessHome::new();
    let check = |variant: &str, position: &str, expected: &str| {
        let of_variant = ["--variant", variant, "--position", position];
        let (line, record) = home.play(&[&of_variant[..], &["--budget", "depth:6"]].concat());
        assert_eq!(moves_of(&record).collect::<Vec<_>>(), [expected], "{line}");
        assert_eq!(line["result"]["rule"], "checkmate");
    };
    check("standard", "4R3/8/8/8/8/5k1P/7P/4K2R w K - 0 1", "e1g1");
    check("chess960", "2rkr3/2p1p3/8/8/8/8/8/2RK4 w C - 0 1", "d1c1");
}

/// The losing side can repeat a position for the third time. The program knows that only from the
/// moves before.
#[test]
fn the_program_gets_the_history() {
    let home = ChessHome::new();
    let score = |position: &str| {
        let question = json!({"position": position});
        let analyse = ["analyse", "stockfish", "--game", "chess", "--budget", "depth:6"];
        let out = home.succeed(&analyse, &format!("{question}\n"));
        let answer: Value = serde_json::from_str(&out).unwrap();
        answer["score"].as_i64().unwrap_or_else(|| panic!("no score: {answer}"))
    };
    let moves = "a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1";
    assert_eq!(score(&format!("7k/8/8/8/8/2K5/8/R7 w - - 0 1 moves {moves}")), 0);
    assert!(score("6k1/8/8/8/8/2K5/8/R7 b - - 7 4") < -100);
}

#[test]
fn a_person_plays_against_it() {
    let home = ChessHome::new();
    let play = ["play", "chess", "--seat", "human", "--seat", "stockfish@depth:3"];
    let out = home.run(&play, "Nf3\nNf6\nquit\n").out;
    for expected in ["stockfish plays ", "`Nf6` is refused: "] {
        assert!(out.contains(expected), "no {expected} in {out}");
    }
}

#[test]
fn an_arena_plays_it_from_numbered_positions() {
    let home = ChessHome::new();
    fs::write(home.home.file("openings.txt"), "0\n959 # the last one\n").unwrap();
    let words = "arena match stockfish stockfish:skill=0 --variant chess960 --pairs 2 \
                 --budget nodes:100 --openings openings.txt --dir a --json";
    let out = home.succeed(&words.split_whitespace().collect::<Vec<_>>(), "");
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(last["view"]["state"], "complete", "{last}");
    let games = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let games: Vec<Value> = games.filter(|event| event["event"] == "game").collect();
    assert_eq!(games.len(), 4, "{out}");
    assert!(games.iter().all(|game| game["fault"].is_null()), "{out}");
    let game = home.succeed(&["arena", "game", "a", "pair-000002-1"], "");
    assert!(game.contains("\"start\":\"rkrnnqbb/pppppppp/"), "{game}");
}

/// Two games: one with a variation, comments, marks and a result, one of Chess960 that is not
/// finished.
const PGN: &str = r#"[Event "?"]
[White "Anna"]
[Black "Bob"]
[Result "1-0"]

1. e4 {the king's pawn} e5 (1... c5 2. Nf3 d6) 2. Qh5 Nc6 $6 3. Bc4 Nf6?? 4. Qxf7# 1-0

[Event "?"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/2RK4 b C - 3 20"]

20... Ke7 21. O-O-O *
"#;

#[test]
fn pgn_is_read_and_written() {
    let home = ChessHome::new();
    let file = |name: &str| home.home.file(name);
    fs::write(file("games.pgn"), PGN).unwrap();
    // Xiangqi has files of this name, too.
    let refused = home.run(&["convert", "games.pgn", "again.pgn"], "");
    assert!(refused.err.contains("several games have the format `pgn`"), "{}", refused.err);
    let convert = |from: &str, to: &str| {
        home.succeed(&["convert", from, to, "--game", "chess", "--force"], "");
    };
    convert("games.pgn", "game-%d.json");
    let record =
        |name: &str| -> Value { serde_json::from_slice(&fs::read(file(name)).unwrap()).unwrap() };
    let (first, second) = (record("game-1.json"), record("game-2.json"));
    let moves = |record: &Value| moves_of(record).collect::<Vec<_>>().join(" ");
    assert_eq!(moves(&first), "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
    assert_eq!(first["result"]["rule"], "checkmate");
    assert_eq!(first["players"][1]["name"], "Bob");
    assert_eq!((second["variant"].as_str(), &*moves(&second)), (Some("chess960"), "e8e7 d1c1"));
    assert_eq!(second["result"], Value::Null);

    convert("games.pgn", "again.pgn");
    let text = fs::read_to_string(file("again.pgn")).unwrap();
    for part in [
        "[White \"Anna\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n",
        "1. e4 {the king's pawn}\n1... e5\n(1... c5\n2. Nf3 d6)\n2. Qh5 Nc6?!\n3. Bc4 Nf6??\n",
        "4. Qxf7#\n1-0\n",
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/2RK4 b C - 3 20\"]\n",
        "20... Ke7\n21. O-O-O\n*\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    convert("again.pgn", "third.pgn");
    assert_eq!(fs::read_to_string(file("third.pgn")).unwrap(), text);

    fs::write(file("wrong.pgn"), PGN.replace("Bc4", "Bb4")).unwrap();
    let refused = home.run(&["convert", "wrong.pgn", "x-%d.json", "--game", "chess"], "");
    let reason = "game 1: line 6: move 5: `Bb4` is refused: ";
    assert!(refused.code == Some(1) && refused.err.contains(reason), "{}", refused.err);
}

#[test]
fn positions_of_epd_and_fen_are_read() {
    let home = ChessHome::new();
    let check = |name: &str, text: &str, start: &str, moves: &str| {
        fs::write(home.home.file(name), text).unwrap();
        home.succeed(&["convert", name, "p.json", "--game", "chess", "--force"], "");
        let record: Value =
            serde_json::from_slice(&fs::read(home.home.file("p.json")).unwrap()).unwrap();
        assert_eq!(
            (record["start"].as_str(), record["variant"].as_str()),
            (Some(start), Some("standard"))
        );
        assert_eq!(moves_of(&record).collect::<Vec<_>>().join(" "), moves);
    };
    // Bratko-Kopec, position 1 (I. Bratko, D. Kopec, 1982).
    let first = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -";
    check("bk.epd", &format!("{first} bm Qd1+; id \"BK.01\";\n"), first, "");
    let rook = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
    check("line.fen", &format!("{rook} moves e1c1 e8e7\n"), rook, "e1c1 e8e7");
}
