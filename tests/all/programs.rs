//! Programs as engines: `sandboard add`, and players of an arena that are not installed, with the
//! games and dialogues that the arena writes. With Stockfish and Fairy-Stockfish from Debian.

use std::fs;
use std::path::PathBuf;

use sandboard_builder::packages;
use serde_json::Value;

use crate::chess::copy_pack;
use crate::cli::{CommandOutput, TestHome};

fn program(name: &str) -> String {
    let found = packages::find_game(name);
    let missing = || panic!("{name} is missing; `cargo xtask test` installs it");
    found.unwrap_or_else(missing).to_str().unwrap().to_owned()
}

/// A home whose engines folder has the game of chess only.
struct ProgramHome {
    home: TestHome,
    engines: PathBuf,
}

impl ProgramHome {
    fn new() -> Self {
        let home = TestHome::without_engines();
        let engines = home.file("engines");
        copy_pack("chess", &engines.join("chess"));
        Self { home, engines }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.home.command(arguments);
        command.env("SANDBOARD_ENGINES", &self.engines);
        TestHome::finish(command, "")
    }

    #[track_caller]
    fn succeed(&self, arguments: &[&str]) -> String {
        let CommandOutput { code, out, err } = self.run(arguments);
        assert_eq!(code, Some(0), "sandboard {arguments:?}\n{out}\n{err}");
        out
    }

    /// The command must fail with this code and this text, and print no result.
    #[track_caller]
    fn fail(&self, arguments: &[&str], code: i32, expected: &str) {
        let CommandOutput { code: found, out, err } = self.run(arguments);
        assert_eq!((found, &*out), (Some(code), ""), "sandboard {arguments:?}\n{err}");
        assert!(err.contains(expected), "sandboard {arguments:?}: no {expected:?} in {err}");
    }

    /// The names of the packs, without those that are hidden.
    fn packs(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.engines).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

#[test]
fn a_program_becomes_an_engine() {
    let home = ProgramHome::new();
    let stockfish = program("stockfish");
    let added = home.succeed(&["add", "uci", &stockfish, "--game", "chess", "--json"]);
    let added: Value = serde_json::from_str(&added).unwrap();
    let engine = &added["engine"];
    assert_eq!((&engine["id"], &engine["status"]), (&"stockfish".into(), &"usable".into()));
    assert!(engine["name"].as_str().unwrap().starts_with("Stockfish "), "{engine}");
    assert!(engine["author"].as_str().unwrap().contains("Stockfish"), "{engine}");
    assert_eq!(engine["games"][0]["variants"], serde_json::json!(["standard", "chess960"]));
    assert_eq!(added["first_move"].as_str().map(str::len), Some(4), "{added}");
    assert_eq!(engine["root"], home.engines.join("stockfish").to_str().unwrap());
    let options = home.succeed(&["options", "stockfish"]);
    assert!(options.contains("skill-level") && !options.contains("threads"), "{options}");
    // It plays, with an option by its new name.
    let seats = ["--seat", "stockfish:skill-level=3", "--seat", "stockfish:threads=2"];
    let limits = ["--budget", "depth:1", "--json", "--record", "b.json"];
    let played = home.succeed(&[&["play", "chess"][..], &seats, &limits].concat());
    let line: Value = serde_json::from_str(played.lines().last().unwrap()).unwrap();
    assert_eq!(line["faults"], serde_json::json!([]), "{line}");
    // Added again, with another default and a name; the text says what to do next.
    home.fail(&["add", "uci", &stockfish, "--game", "chess"], 2, "replace it with --replace");
    let again = ["add", "uci", &stockfish, "--game", "chess", "--name", "Weak fish", "--replace"];
    let text = home.succeed(&[&again[..], &["--option", "Skill Level=2"]].concat());
    assert!(text.contains(": Weak fish, by the Stockfish developers"), "{text}");
    assert!(text.contains("play: sandboard play chess --seat human --seat stockfish"), "{text}");
    let options = home.succeed(&["options", "stockfish"]);
    let level = options.lines().find(|line| line.contains("skill-level")).unwrap();
    assert!(
        level.contains("0 to 20") && level.split_whitespace().any(|word| word == "2"),
        "{level}"
    );
    assert_eq!(home.packs(), ["chess", "stockfish"]);
}

#[test]
fn a_program_that_cannot_be_an_engine_changes_nothing() {
    let home = ProgramHome::new();
    let stockfish = program("stockfish");
    let check = |words: &[&str], code: i32, expected: &str| {
        home.fail(&[&["add", "uci"][..], words].concat(), code, expected);
        assert_eq!(home.packs(), ["chess"]);
    };
    let chess = ["--game", "chess"];
    let with = |more: &[&'static str]| [&[stockfish.as_str()][..], &chess, more].concat();
    check(&["no-such-fish", "--game", "chess"], 2, "no-such-fish: no such program");
    check(&["/etc/passwd", "--game", "chess"], 1, "/etc/passwd ");
    check(&[&stockfish, "--game", "shogi"], 2, "unknown game `shogi`");
    check(&with(&["--variants", "atomic"]), 1, "chess has no variant `atomic`");
    check(&with(&["--option", "Skil Level=3"]), 1, "did you mean `Skill Level`?");
    check(&with(&["--option", "Skill Level=21"]), 1, "`21` is not a whole number from 0 to 20");
    check(&with(&["--id", "Fish"]), 2, "--id: `Fish` is not an id");
    check(&with(&["--file", "no-such.nnue"]), 1, "cannot read no-such.nnue");
    // It plays chess in a game that is not chess.
    check(&[&stockfish, "--game", "gomoku"], 1, "cannot play gomoku: at its first move it ");
    // A program that speaks no UCI: it says nothing, and is stopped.
    check(
        &["cat", "--game", "chess", "--start", "500ms"],
        1,
        "(it was started to tell its options",
    );
    check(&["true", "--game", "chess"], 1, "(it was started to tell its options by uci)");
    assert!(home.succeed(&["trust"]).starts_with("no native engine is trusted"));
    // The id of another engine, and a folder that is not a pack of this command.
    home.succeed(&["add", "uci", &stockfish, "--game", "chess"]);
    fs::rename(home.engines.join("stockfish"), home.engines.join("other")).unwrap();
    home.fail(
        &["add", "uci", &stockfish, "--game", "chess"],
        1,
        "has an engine `stockfish` already",
    );
    fs::create_dir(home.engines.join("mine")).unwrap();
    fs::write(home.engines.join("mine/notes.txt"), "").unwrap();
    let mine = ["add", "uci", &stockfish, "--game", "chess", "--id", "mine", "--replace"];
    home.fail(&mine, 1, "was not built by Sandboard, so it was not changed");
}

#[test]
fn the_notation_of_a_program_is_found_out() {
    let home = ProgramHome::new();
    let fairy = program("fairy-stockfish");
    let added = home.succeed(&["add", "uci", &fairy, "--game", "xiangqi", "--id", "fairy"]);
    assert!(added.contains("plays xiangqi (") && added.contains("its first move was "), "{added}");
    let manifest = fs::read_to_string(home.engines.join("fairy/EngineConfigs.xml")).unwrap();
    assert!(manifest.contains("moves=\"ranks-from-1\""), "{manifest}");
    assert!(manifest.contains("values=\"xiangqi\" default=\"xiangqi\""), "{manifest}");
    let seats = ["--seat", "fairy", "--seat", "fairy"];
    let more = ["--budget", "depth:1", "--json", "--record", "b.json"];
    let played = home.succeed(&[&["play", "xiangqi"][..], &seats, &more].concat());
    let line: Value = serde_json::from_str(played.lines().last().unwrap()).unwrap();
    assert_eq!(line["faults"], serde_json::json!([]), "{line}");
}

/// The games of a PGN file, in a fixed order: those of an arena end in any order.
fn games_of(pgn: &str) -> Vec<&str> {
    let mut games: Vec<&str> = pgn.split("[Event ").filter(|game| !game.is_empty()).collect();
    games.sort_unstable();
    games
}

/// The end of an arena's JSON.
fn end_of(output: &str) -> Value {
    let line: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    assert_eq!(line["event"], "end", "{line}");
    line["view"].clone()
}

#[test]
fn programs_play_an_arena_without_an_installation() {
    let home = ProgramHome::new();
    let stockfish = program("stockfish");
    let strong = format!("cmd={stockfish},name=strong,option.Hash=2,depth=3");
    let weak = format!("cmd={stockfish},name=weak,option.Skill Level=1,st=0.2");
    let engines = ["arena", "match", "--engine", &strong, "--engine", &weak];
    let game =
        ["--game", "chess", "--pairs", "1", "--plies-max", "30", "--dir", "a", "--seed", "3"];
    // On a busy machine, 200 ms of wall time may pass before a program runs at all.
    let words = [&engines[..], &game, &["--grace", "60s"]].concat();
    home.fail(
        &words,
        2,
        "trust all programs of this arena while it is played with --trust-programs",
    );
    home.fail(&engines, 2, "the following required arguments were not provided");
    home.fail(
        &["arena", "match", "--engine", &strong, "--engine", &weak, "--pairs", "1"],
        2,
        "--engine needs --game",
    );
    home.fail(
        &[
            "arena",
            "match",
            "--engine",
            &strong,
            "--game",
            "chess",
            "--pairs",
            "1",
            "--trust-programs",
        ],
        2,
        "an arena needs two players",
    );
    let unknown = format!("cmd={stockfish},option.Hsh=2");
    home.fail(
        &[
            "arena",
            "match",
            "--engine",
            &strong,
            "--engine",
            &unknown,
            "--game",
            "chess",
            "--pairs",
            "1",
            "--trust-programs",
        ],
        2,
        "unknown option `Hsh`; did you mean `hash`?",
    );
    assert!(!home.home.file("a").exists());
    let more = ["--trust-programs", "--export", "games.pgn", "--dialogue", "--json"];
    let view = end_of(&home.succeed(&[&words[..], &more].concat()));
    let names: Vec<&str> =
        view["players"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names.as_slice(), &view["state"]), (&["strong", "weak"][..], &"complete".into()));
    assert_eq!(view["faults"], serde_json::json!([]));
    // Nothing is installed, and the user's grants are as before.
    assert_eq!(home.packs(), ["chess"]);
    assert!(home.succeed(&["trust"]).starts_with("no native engine is trusted"));

    // Both games are in the file, with evaluation, depth and time of the moves.
    let pgn = fs::read_to_string(home.home.file("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[White \"").count(), 2, "{pgn}");
    assert!(pgn.contains("[White \"strong\"]") && pgn.contains("[White \"weak\"]"), "{pgn}");
    let comments: Vec<&str> =
        pgn.split('{').skip(1).filter_map(|it| it.split('}').next()).collect();
    assert!(comments.len() >= 30, "{pgn}");
    for tag in
        ["[Event \"a\"]", "[Round \"1.1\"]", "[Round \"1.2\"]", "[Termination \"adjudication\"]"]
    {
        assert!(pgn.contains(tag), "no {tag} in {pgn}");
    }
    let is_measured = |comment: &&str| {
        let (evaluation, time) = comment.split_once(' ').unwrap_or_default();
        let score = evaluation.trim_start_matches(['+', '-', 'M']).split('/').next();
        score.is_some_and(|it| it.parse::<f64>().is_ok()) && time.ends_with('s')
    };
    let measured = comments.iter().filter(|comment| is_measured(comment)).count();
    assert_eq!(measured, comments.len(), "{pgn}");
    let converted = home.run(&["convert", "a", "all.pgn"]);
    assert_eq!(converted.code, Some(0), "{}", converted.err);
    assert_eq!(games_of(&fs::read_to_string(home.home.file("all.pgn")).unwrap()), games_of(&pgn));

    // The dialogue of each game names both programs.
    let dialogue = fs::read_to_string(home.home.file("a/dialogue/pair-000001-2.txt")).unwrap();
    for expected in [
        " strong > uci\n",
        " strong < uciok\n",
        " strong > setoption name Hash value 2\n",
        " weak > setoption name Skill Level value 1\n",
        " strong > go depth 3\n",
        " weak > go movetime ",
        " weak < bestmove ",
    ] {
        assert!(dialogue.contains(expected), "no {expected:?} in {dialogue}");
    }

    // The arena has copies of its programs.
    let copies = ["strong", "weak"]
        .map(|name| fs::read(home.home.file(&format!("a/engines/{name}/program"))));
    assert!(copies.iter().all(|copy| copy.as_ref().unwrap() == &fs::read(&stockfish).unwrap()));

    // The arena is longer after it is resumed; its file has all games again.
    let longer = ["arena", "--resume", "a", "--pairs", "2"];
    home.fail(&longer, 2, "trust them while it is played with --trust-programs");
    // A file that is not the export of this arena is not replaced.
    fs::write(home.home.file("mine.pgn"), "mine").unwrap();
    let other = ["--trust-programs", "--export", "mine.pgn"];
    home.fail(&[&longer[..], &other].concat(), 2, "mine.pgn exists and is not the export");
    assert_eq!(fs::read_to_string(home.home.file("mine.pgn")).unwrap(), "mine");
    let more = ["--trust-programs", "--export", "games.pgn", "--json"];
    let view = end_of(&home.succeed(&[&longer[..], &more].concat()));
    assert_eq!(view["progress"]["games"], 4, "{}", view["progress"]);
    let longer = fs::read_to_string(home.home.file("games.pgn")).unwrap();
    let (before, after) = (games_of(&pgn), games_of(&longer));
    assert!(after.len() == 4 && before.iter().all(|game| after.contains(game)), "{longer}");
    let taken = ["--trust-programs", "--export", "games.pgn"];
    let new = [&engines[..], &game[..6], &["--dir", "b"], &taken].concat();
    home.fail(&new, 2, "games.pgn exists and is not the export of this arena");
    assert!(!home.home.file("b").exists());

    // The tournament as a file plays the same programs.
    home.succeed(&["arena", "config", "a", "--out", "t.toml"]);
    let config = fs::read_to_string(home.home.file("t.toml")).unwrap();
    assert!(
        config.contains("option.Skill Level=1") && config.contains("plies-max = 30"),
        "{config}"
    );
    let again = ["arena", "--config", "t.toml", "--pairs", "1", "--dir", "c", "--json"];
    let view = end_of(&home.succeed(&again));
    assert_eq!(
        (&view["players"][1]["name"], &view["progress"]["games"]),
        (&"weak".into(), &2.into())
    );
    assert_eq!(view["players"][1]["options"]["skill-level"], "1", "{view}");
}

/// Two programs of the same name, as testers build them, are two engines.
#[test]
fn programs_with_the_same_name_are_different_engines() {
    let home = ProgramHome::new();
    for (folder, name) in [("new", "stockfish"), ("old", "fairy-stockfish")] {
        fs::create_dir(home.home.file(folder)).unwrap();
        fs::copy(program(name), home.home.file(folder).join("fish")).unwrap();
    }
    home.succeed(&["add", "uci", "new/fish", "--game", "chess", "--copy"]);
    let match_of = |first: &str, second: &str, dir: &str| {
        let words = ["arena", "match", "--engine", first, "--engine", second, "--game", "chess"];
        let more = ["--pairs", "1", "--plies-max", "6", "--budget", "nodes:5", "--seed", "3"];
        let end = ["--trust-programs", "--dir", dir, "--json"];
        end_of(&home.succeed(&[&words[..], &more, &end].concat()))
    };
    let view = match_of("cmd=new/fish", "cmd=old/fish", "a");
    let player =
        |index: usize, field: &str| view["players"][index][field].as_str().unwrap().to_owned();
    assert_eq!([player(0, "engine"), player(1, "engine")], ["fish-2", "fish-3"]);
    assert_ne!(player(0, "module_sha256"), player(1, "module_sha256"));
    // As fastchess starts it: in its folder. The next build does not change the arena.
    let view = match_of("cmd=./fish,dir=old,name=x", "cmd=new/fish,name=x", "b");
    assert_ne!(view["players"][0]["module_sha256"], view["players"][1]["module_sha256"]);
    fs::copy(home.home.file("old/fish"), home.home.file("new/fish")).unwrap();
    let longer = ["arena", "--resume", "b", "--pairs", "2", "--trust-programs", "--json"];
    assert_eq!(end_of(&home.succeed(&longer))["progress"]["games"], 4);
    // Options by the names of the protocol, also of an installed program.
    let installed = ["arena", "match", "fish:Skill Level=3", "fish", "--option", "HASH=2"];
    let more = ["--game", "chess", "--pairs", "1", "--plies-max", "6", "--budget", "nodes:5"];
    let view = end_of(&home.succeed(&[&installed[..], &more, &["--dir", "c", "--json"]].concat()));
    assert_eq!(view["players"][0]["options"], serde_json::json!({"hash": "2", "skill-level": "3"}));
    // An option that the host sets is left out, and a file that a program cannot see is named.
    let words = ["arena", "match", "--engine", "cmd=new/fish,option.MultiPV=2,name=a"];
    let second = ["--engine", "cmd=new/fish,option.SyzygyPath=/tmp/tb,name=b", "--game", "chess"];
    let more = ["--pairs", "1", "--plies-max", "4", "--budget", "nodes:5", "--trust-programs"];
    let output = home.run(&[&words[..], &second, &more, &["--dir", "d"]].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.err.contains("a: the option MultiPV is set by the host"), "{}", output.err);
    assert!(output.err.contains("SyzygyPath=/tmp/tb: in its jail"), "{}", output.err);
}

/// Games that begin with moves of an opening can be written as PGN.
#[test]
fn openings_are_moves_of_exported_games() {
    let home = ProgramHome::new();
    let stockfish = program("stockfish");
    let engine = |name: &str| format!("cmd={stockfish},name={name},option.Hash=1");
    let (a, b) = (engine("a"), engine("b"));
    let play = |openings: &[&str], dir: &str| {
        let words = ["arena", "match", "--engine", &a, "--engine", &b, "--game", "chess"];
        let more = ["--pairs", "1", "--plies-max", "4", "--budget", "nodes:5", "--trust-programs"];
        let file = format!("{dir}.pgn");
        let end = ["--dir", dir, "--export", &file, "--seed", "3"];
        let output = home.run(&[&words[..], &more, &end, openings].concat());
        assert_eq!(output.code, Some(0), "{}", output.err);
        assert!(!output.err.contains("lacks game"), "{}", output.err);
        fs::read_to_string(home.home.file(&file)).unwrap()
    };
    fs::write(home.home.file("book.txt"), "e2e4 c7c5 g1f3\n").unwrap();
    let pgn = play(&["--openings", "book.txt"], "lines");
    // The last move of the opening can still be repeated, so the rules need it.
    assert_eq!(pgn.matches("8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"]\n\n2. Nf3 ").count(), 2, "{pgn}");
    assert_eq!(pgn.matches("[PlyCount \"5\"]").count(), 2, "{pgn}");
    let pgn = play(&["--opening-random", "3"], "random");
    assert_eq!(pgn.matches("[White \"").count(), 2, "{pgn}");
    // The files are read back.
    let converted = home.run(&["convert", "lines.pgn", "copy.pgn", "--game", "chess"]);
    assert_eq!(converted.code, Some(0), "{}", converted.err);
}
