//! What testers of engines use: tournaments as files, translated commands of other programs, random
//! openings, options of all players, games in a file, and two revisions of an engine.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::TestHome;

/// The names and options of the players of a view.
fn players(view: &Value) -> Vec<(String, Value)> {
    let players = view["players"].as_array().unwrap();
    let player = |it: &Value| (it["name"].as_str().unwrap().to_owned(), it["options"].clone());
    players.iter().map(player).collect()
}

#[test]
fn a_tournament_is_a_file() {
    let home = TestHome::new();
    let words = "match random-mover:name=old gomoku-simple:name=new@depth:1 --pairs 2 --seed 7 \
                 --variant freestyle-9 --plies-max 40 --grace 80ms --adjudicate resign=900/2 \
                 --opening-random 3 --budget 2s/move --dir first";
    let view = home.play(words);
    assert_eq!(home.succeed("config first --out t.toml"), "t.toml\n");
    let text = fs::read_to_string(home.path("t.toml")).unwrap();
    for line in [
        "format = \"match\"",
        "    \"random-mover:name=old@2s/move\",",
        "    \"gomoku-simple:name=new@depth:1\",",
        "pairs = 2",
        "game = \"gomoku\"",
        "variant = \"freestyle-9\"",
        "seed = \"7\"",
        "opening-random = 3",
        "adjudicate = \"resign=900/2\"",
        "plies-max = 40",
        "grace = \"80ms\"",
    ] {
        assert!(text.lines().any(|it| it == line), "no {line} in {text}");
    }
    // The same games, from the file alone.
    let again = home.play("--config t.toml --dir second");
    assert_eq!(players(&again), players(&view));
    let moves = |dir: &str| {
        let games =
            home.games(dir).into_iter().map(|game| game["name"].as_str().unwrap().to_owned());
        let moves = games.map(|name| {
            let record = home.record(dir, &name);
            let plies = record["plies"].as_array().unwrap().iter().map(|ply| ply["move"].clone());
            (record["start"].clone(), plies.collect::<Vec<_>>())
        });
        moves.collect::<Vec<_>>()
    };
    assert_eq!(moves("second"), moves("first"));
    // Openings of a file are written beside it.
    fs::write(home.path("o.txt"), "a1 b1\nc1 d1\n").unwrap();
    let random = "random-mover random-mover --variant freestyle-9 --seed 7 --plies-max 9";
    home.play(&format!("match {random} --pairs 1 --openings o.txt --opening-start 2 --dir lines"));
    home.succeed("config lines --out l.toml");
    assert_eq!(fs::read_to_string(home.path("l-openings.txt")).unwrap(), "c1 d1\na1 b1\n");
    let text = fs::read_to_string(home.path("l.toml")).unwrap();
    assert!(text.contains("openings = \"l-openings.txt\"\n"), "{text}");
    assert!(home.succeed("config lines").contains("openings = \"o.txt\"\n"));
    // Options of the command line replace those of the file.
    let longer = home.play("--config t.toml --pairs 3 --dir third");
    assert_eq!(longer["progress"]["games"], 6);
    // What is wrong is named with its line.
    let check = |text: &str, expected: &str| {
        fs::write(home.path("bad.toml"), text).unwrap();
        let error = home.fail("--config bad.toml", 2);
        assert!(error.contains(expected), "{error}");
    };
    check(
        "format = \"match\"\npairz = 3",
        "bad.toml:2: `pairz`: is unknown; did you mean `pairs`?",
    );
    check("format = \"match\"\npairs = true", "--pairs");
    check("format = \"duel\"", "bad.toml:1: `format`: unknown format");
    check("format = [", "bad.toml:1: ");
    check(
        "format = \"match\"\nplayers = [\"random-mover\"]\npairs = 1",
        "an arena needs two players",
    );
    assert!(home.fail("--config none.toml", 1).contains("cannot read none.toml"));
    assert!(home.fail("match a b --config t.toml", 2).contains("remove `match`"));
    fs::write(home.path("mine.txt"), "mine").unwrap();
    assert!(home.fail("config first --out mine.txt", 2).contains("is not a tournament"));
    assert_eq!(fs::read_to_string(home.path("mine.txt")).unwrap(), "mine");
}

#[test]
fn commands_of_other_programs_are_translated() {
    let home = TestHome::new();
    let words = "import -- fastchess -games 2 -engine cmd=./a name=new -engine cmd=./b name=old \
                 -each tc=10+0.1 option.Hash=16 -rounds 50 -resign movecount=3 score=400 -noswap";
    let output = home.run(words);
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{err}");
    assert!(err.contains("note: -noswap is left out; here: nothing: without"), "{err}");
    for line in ["pairs = 50", "adjudicate = \"resign=400/3\"", "trust-programs = true"] {
        assert!(out.lines().any(|it| it == line), "no {line} in {out}");
    }
    assert!(out.lines().any(|it| it == "budget = \"10s+100ms\""), "{out}");
    // The translation is a tournament: only its programs are missing here.
    fs::write(home.path("t.toml"), out).unwrap();
    let engines = "--engines-dir chess-only";
    let pack = home.path("chess-only/chess");
    crate::chess::copy_pack("chess", &pack);
    let error = home.fail(&format!("--config t.toml {engines}"), 2);
    assert!(error.contains("./a: no such program there"), "{error}");
    let json = r#"{"engines": [{"cmd": "a"}, {"cmd": "b"}], "rounds": 7}"#;
    fs::write(home.path("config.json"), json).unwrap();
    assert!(home.succeed("import config.json").contains("pairs = 7\n"));
    assert!(home.fail("import none.json", 1).contains("cannot read none.json"));
    assert!(home.fail("import -- fastchess -rounds 3", 2).contains("the command has no engine"));
    // A foreign option gets a hint where it is typed.
    let error = home.fail("match random-mover random-mover -rounds 5", 2);
    assert!(error.contains("-rounds of fastchess and cutechess-cli is here: --pairs N"), "{error}");
    let plain = home.fail("match random-mover random-mover --pear 5", 2);
    assert!(!plain.contains("fastchess"), "{plain}");
}

#[test]
fn openings_are_judged_by_games() {
    let home = TestHome::new();
    // A row of four that is open at both ends wins for the side to move; two stones decide
    // nothing.
    let won = "9/9/9/2xxxx3/9/2oooo3/9/9/9";
    fs::write(home.path("o.txt"), format!("a1 b1\n{won} b\n{won} w\n")).unwrap();
    home.play(
        "match gomoku-simple random-mover --budget depth:1 --pairs 6 --seed 7 --openings o.txt \
         --variant freestyle-9 --dir m",
    );
    let text = home.succeed("openings --report m --out open.txt --json");
    let report: Value = serde_json::from_str(&text).unwrap();
    let rows = report["openings"].as_array().unwrap();
    let row = |index: usize| {
        let row = &rows[index];
        ["first_side", "second_side", "drawn", "open"].map(|name| row[name].as_u64().unwrap())
    };
    assert_eq!(rows.len(), 3);
    // The better player wins both games of a pair where the opening leaves it to the players.
    assert_eq!(row(0), [0, 0, 0, 2], "{text}");
    assert_eq!(
        report["all"]["open"],
        rows.iter().map(|row| row["open"].as_u64().unwrap()).sum::<u64>()
    );
    let open = fs::read_to_string(home.path("open.txt")).unwrap();
    assert!(open.contains("\na1 b1\n"), "{open}");
    // Two players that are the same play the same game twice.
    let words = "--budget depth:1 --pairs 3 --seed 7 --openings o.txt --variant freestyle-9";
    home.play(&format!("match gomoku-simple gomoku-simple {words} --dir same"));
    let output = home.run("openings --report same --json");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("note: both players are the same engine"), "{errors}");
    let same: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(same["openings"][1]["first_side"], 1, "{same}");
    assert_eq!(same["openings"][2]["second_side"], 1, "{same}");
    assert_eq!(same["all"]["open"], 0, "{same}");
    let people = home.succeed("openings --report m");
    assert!(people.starts_with("3 openings, 6 complete pairs\n"), "{people}");
    assert!(home.fail("openings --report nowhere", 1).contains("nowhere"));
    home.play("match random-mover random-mover --pairs 1 --seed 7 --variant freestyle-9 --dir n");
    assert!(home.fail("openings --report n", 2).contains("the arena has no openings"));
    assert!(home.fail("openings gomoku-simple", 2).contains("--out"));
    assert!(home.fail("openings gomoku-simple --report m", 2).contains("cannot be used with"));
}

#[test]
fn options_of_all_players_and_games_in_a_file() {
    let home = TestHome::new();
    let words = "match gomoku-simple:name=a gomoku-simple:depth=1:name=b --option depth=2 --pairs 1 \
                 --seed 7 --variant freestyle-9 --plies-max 20 --export games.sgf --dir m";
    let view = home.play(words);
    let depths: Vec<(String, Value)> = players(&view)
        .into_iter()
        .map(|(name, options)| (name, options["depth"].clone()))
        .collect();
    assert_eq!(depths, [("a".to_owned(), "2".into()), ("b".to_owned(), "1".into())]);
    let sgf = fs::read_to_string(home.path("games.sgf")).unwrap();
    assert_eq!((sgf.matches("(;").count(), sgf.matches("PB[").count()), (2, 2), "{sgf}");
    assert!(sgf.contains("]C[+") && sgf.contains("s]"), "{sgf}");
    let unknown = "match gomoku-simple random-mover --option depth=2 --pairs 1 --seed 7";
    let error = home.fail(unknown, 2);
    assert!(error.contains("engine `random-mover`: unknown option `depth`"), "{error}");
    let threads = home.fail("match random-mover random-mover --option threads=2 --pairs 1", 2);
    assert!(threads.contains("belongs to each player"), "{threads}");
    let format = "match random-mover random-mover --pairs 1 --variant freestyle-9 --export";
    let error = home.fail(&format!("{format} games.psq"), 2);
    assert!(error.contains("that can be continued: .sgf"), "{error}");
    let taken = home.fail(&format!("{format} games.sgf --dir n"), 2);
    assert!(taken.contains("games.sgf exists and is not the export of this arena"), "{taken}");
    assert!(!home.path("n").exists());
}

#[test]
fn two_revisions_of_an_engine_are_compared() {
    let home = TestHome::new();
    let run = |program: &str, words: &str| {
        let mut command = Command::new(program);
        command.current_dir(home.path("")).args(words.split_whitespace());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let git =
        |words: &str| run("git", &format!("-C repo -c user.name=a -c user.email=a@b.c {words}"));
    fs::create_dir(home.path("repo")).unwrap();
    let mut new = Command::new(sandboard_tests::binary());
    new.current_dir(home.path("repo")).args(["new", "mine", "--lang", "c", "--game", "gomoku"]);
    assert!(new.envs(sandboard_tests::data_variables(home.0.path())).status().unwrap().success());
    git("init --quiet");
    git("add .");
    git("commit --quiet -m first");
    let source = home.path("repo/mine/engine.c");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, format!("{text}\nconst int another_build = 1;\n")).unwrap();
    let words = "--pairs 1 --budget fuel:1e6/move --variant freestyle-9 --plies-max 20 --seed 7";
    // The constant is not used, so both builds are the same.
    let same = home.fail(&format!("compare repo/mine HEAD . {words}"), 1);
    assert!(same.contains("are the same, byte for byte"), "{same}");
    let version = text.replacen("0.1.0", "0.2.0", 1);
    assert_ne!(version, text, "the engine has a version");
    fs::write(&source, &version).unwrap();
    let view = home.play(&format!("compare repo/mine HEAD . {words} --dir m"));
    let names: Vec<String> = players(&view).into_iter().map(|(name, _)| name).collect();
    assert!(names[0] == "mine working tree" && names[1].starts_with("mine HEAD ("), "{names:?}");
    // The builds are in the arena, so it goes on after the source has changed.
    fs::write(&source, "int broken").unwrap();
    let longer = home.play("--resume m --pairs 2");
    assert_eq!(longer["progress"]["games"], 4);
    // Two revisions that are both committed; the working tree stays as it is.
    fs::write(&source, &version).unwrap();
    git("commit --quiet -a -m second");
    fs::write(&source, "int broken").unwrap();
    home.play(&format!("compare repo/mine HEAD~1 HEAD {words} --dir n"));
    assert_eq!(fs::read_to_string(&source).unwrap(), "int broken");
    fs::create_dir(home.path("plain")).unwrap();
    let error = home.fail(&format!("compare plain HEAD . {words}"), 2);
    assert!(error.contains("plain is in no git repository"), "{error}");
    let error = home.fail(&format!("compare repo/mine no-such HEAD {words}"), 2);
    assert!(error.contains("`no-such` is no revision of repo/mine"), "{error}");
    let error = home.fail(&format!("compare repo/mine HEAD . {words}"), 1);
    assert!(error.contains("error"), "{error}");
}
