//! Commands and configuration files with their translations.

use super::*;

/// The keys of a translation without those that are always there, and its notes.
fn translated(text: &str) -> String {
    let words: Vec<String> = shell(text);
    match translate(&words) {
        Err(error) => error,
        Ok(Translation { config, notes }) => {
            let always = ["#", "game = \"chess\"", "trust-programs"];
            let text = config.text().replace("[\n", "[").replace(",\n", ", ");
            let lines = text.lines().map(str::trim);
            let lines = lines
                .filter(|line| !line.is_empty() && !always.iter().any(|it| line.starts_with(it)));
            let lines: Vec<_> = lines.map(|line| line.replace("    ", "")).collect();
            let notes = notes.iter().filter(|note| !note.starts_with("trust-programs"));
            let notes: String = notes.map(|note| format!("; note {note}")).collect();
            lines.join("; ") + &notes
        }
    }
}

/// Splits a command at blanks, except inside quotes.
fn shell(text: &str) -> Vec<String> {
    let parts = text.split('"').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(translated(text), expected, "{text}");
}

const TWO: &str = "fastchess -rounds 1 -engine cmd=./a name=new -engine cmd=b";
const TWO_HERE: &str = r#"engine = ["cmd=./a,name=new", "cmd=b", ]"#;

#[test]
fn commands_are_translated() {
    check(TWO, &format!("format = \"match\"; pairs = 1; {TWO_HERE}"));
    let with = |options: &str, keys: &str| {
        let pairs = "pairs = 1; ";
        check(
            &format!("{TWO} {options}"),
            &format!("format = \"match\"; {keys}; {pairs}{TWO_HERE}").replace("; ; ", "; "),
        );
    };
    check(
        &format!("{TWO} -each proto=uci tc=10+0.1 option.Hash=16"),
        "format = \"match\"; pairs = 1; engine = [\"cmd=./a,name=new,proto=uci,option.Hash=16\", \
         \"cmd=b,proto=uci,option.Hash=16\", ]; budget = \"10s+100ms\"",
    );
    // Words for each engine replace its own; limits of several kinds apply together.
    check(
        "fastchess -rounds 1 -engine cmd=a depth=3 option.Hash=1 -engine cmd=b -each tc=1 option.Hash=16",
        "format = \"match\"; pairs = 1; engine = [\"cmd=a,depth=3,tc=1,option.Hash=16\", \
         \"cmd=b,tc=1,option.Hash=16\", ]",
    );
    with("-concurrency 2 -srand 7", "concurrency = 2; seed = \"7\"");
    with("-sprt elo0=0 elo1=3 alpha=0.1 beta=0.05", "sprt = \"0,3,alpha=0.1,beta=0.05\"");
    with("-sprt elo0=0 elo1=3 model=logistic", "sprt = \"0,3,alpha=0.05,beta=0.05,logistic\"");
    with(
        "-openings file=b.epd format=epd order=random plies=8 start=3",
        "openings = \"b.epd\"; opening-order = \"random\"; opening-plies = 8; opening-start = 3",
    );
    with("-openings file=b.epd", "openings = \"b.epd\"; opening-order = \"random\"");
    with("-openings file=b.epd order=sequential", "openings = \"b.epd\"");
    check(
        "cutechess-cli -rounds 3 -games 2 -engine cmd=a -engine cmd=b -openings file=b.pgn \
         -sprt elo0=0 elo1=3",
        "format = \"match\"; openings = \"b.pgn\"; sprt = \"0,3,alpha=0.05,beta=0.05,logistic\"; \
         pairs = 3; engine = [\"cmd=a\", \"cmd=b\", ]",
    );
    with("-variant fischerandom", "variant = \"chess960\"");
    with("-maxmoves 100", "plies-max = 200");
    with("-pgnout file=x.pgn notation=san", "export = \"x.pgn\"");
    with("-pgnout x.pgn", "export = \"x.pgn\"");
    with("-recover -repeat -ratinginterval 5", "table-every = 5");
    check(
        &format!("{TWO} -resign movecount=3 score=600 -draw movenumber=40 movecount=8 score=10"),
        &format!(
            "format = \"match\"; pairs = 1; {TWO_HERE}; \
             adjudicate = \"resign=600/3,draw=10/16@80\""
        ),
    );
    check(
        &format!("{TWO} -resign movecount=3 score=600 twosided=true -each timemargin=20"),
        &format!(
            "format = \"match\"; pairs = 1; {TWO_HERE}; grace = \"20ms\"; \
             adjudicate = \"win=600/6\""
        ),
    );
    check(
        "fastchess -rounds 1 -engine cmd=a \"option.Skill Level=3\" \"args=-x, -y\" -engine cmd=b",
        r#"format = "match"; pairs = 1; engine = ['cmd=a,option.Skill Level=3,args=-x\, -y', "cmd=b", ]"#,
    );
}

#[test]
fn the_length_follows_from_rounds_and_games() {
    let check = |options: &str, engines: usize, expected: &str| {
        let engines = "-engine cmd=a ".repeat(engines);
        let found = translated(&format!("fastchess {engines}{options}"));
        let found = found.split("; engine").next().unwrap_or_default().to_owned()
            + found.split_once("; note ").map_or("", |(_, note)| note);
        assert_eq!(found, expected, "{options}");
    };
    check("-rounds 50", 2, "format = \"match\"; pairs = 50");
    check("-rounds 50 -games 2 -repeat", 2, "format = \"match\"; pairs = 50");
    check(
        "-rounds 51 -games 1",
        2,
        "format = \"match\"; pairs = 2651 rounds of 1 games: 26 pairs of two games with exchanged \
         seats",
    );
    check("", 2, "format = \"match\"; pairs = 2");
    let cutechess = translated("cutechess-cli -engine cmd=a -engine cmd=b -rounds 100");
    assert!(cutechess.contains("pairs = 50; "), "{cutechess}");
    assert!(cutechess.contains("note 100 rounds of 1 games: 50 pairs"), "{cutechess}");
    check("-rounds 4", 3, "format = \"round-robin\"; cycles = 4");
    check(
        "-rounds 4 -tournament gauntlet -seeds 2",
        3,
        "format = \"gauntlet\"; cycles = 4; challengers = 2",
    );
    check("-rounds 4 -tournament knockout", 4, "format = \"knockout\"; pairs = 4");
    check("-tournament pyramid", 4, "-tournament pyramid: there is no such format here");
    check("-rounds x", 2, "-rounds x: not a whole number");
}

#[test]
fn what_is_not_translated_is_said() {
    let note = |options: &str| {
        let found = translated(&format!("{TWO} {options}"));
        found.split_once("; note ").map_or(found.clone(), |(_, note)| note.to_owned())
    };
    assert!(note("-noswap").starts_with("-noswap is left out; here: nothing: without"));
    assert!(note("-frobnicate 3").starts_with("-frobnicate is unknown, and left out"));
    assert!(note("-variant crazyhouse").starts_with("-variant crazyhouse: set game and variant"));
    assert!(note("-openings file=b.txt format=pgn").contains("must end with .pgn"));
    assert!(note("-each stderr=log").starts_with("stderr=log of an engine is left out"));
    assert!(note("-each ponder").starts_with("programs by text protocols do not think"));
    let check = |text: &str, expected: &str| assert_eq!(translated(text), expected);
    check("fastchess -rounds 3", "the command has no engine: `-engine cmd=PATH …`");
    let with =
        |own: &str, expected: &str| check(&format!("x -engine cmd=b -engine {own}"), expected);
    check("x -engine cmd=a", "the command has one engine, and a tournament needs two");
    with("name=a", "the engine `name=a` has no cmd=PATH");
    with("cmd=a proto=xboard", "proto=xboard: only uci of these protocols is spoken here");
    with("cmd=a tc=inf", "`tc=inf`: with an infinite time, a game might not end");
    with("conf=Fish", "conf=Fish: write cmd=PATH, the program of this name");
    with("cmd=a -draw movecount=x", "-draw movecount=x: not a whole number");
    assert!(note("-each option.Ponder=true").contains("the host sets this option"));
    assert!(
        !translated(&format!("{TWO} -each option.Ponder=true")).contains("option.Ponder=true,")
    );
    assert!(note("-each option.EvalFile=/a/n.nnue").contains("sees no file of this machine"));
    assert!(note("-log file=x level=warn").starts_with("format"), "no dialogue, no note");
    assert!(translated(&format!("{TWO} -log file=x engine=true")).contains("dialogue = true"));
    assert!(note("-concurrency 100").starts_with("-concurrency 100: at most 64"));
    let moved = translated("x -engine cmd=./a dir=new -engine cmd=/b dir=old");
    assert!(moved.contains("[\"cmd=new/a\", \"cmd=/b\", ]"), "{moved}");
    assert!(moved.contains("note dir=new: in its jail"), "{moved}");
}

#[test]
fn configuration_files_of_fastchess_are_translated() {
    let json = serde_json::json!({
        "engines": [
            {"name": "new", "cmd": "/opt/a", "dir": "", "args": "", "options": [["Hash", "16"]],
             "limit": {"tc": {"increment": 100, "fixed_time": 0, "time": 10_000, "moves": 0,
                              "timemargin": 50}, "nodes": 0, "plies": 0}},
            {"name": "old", "cmd": "/opt/b", "args": "-x", "options": [],
             "limit": {"tc": {"fixed_time": 500}, "nodes": 7, "plies": 3}},
        ],
        "rounds": 30, "games": 2, "concurrency": 4, "seed": 18_446_744_073_709_551_615_u64,
        "type": "ROUNDROBIN", "variant": "FRC", "ratinginterval": 10,
        "sprt": {"alpha": 0.05, "beta": 0.05, "elo0": 0.0, "elo1": 2.0, "model": "normalized",
                 "enabled": true},
        "draw": {"move_number": 40, "move_count": 8, "score": 8, "enabled": true},
        "resign": {"move_count": 3, "score": 400, "twosided": false, "enabled": false},
        "maxmoves": {"move_count": 1, "enabled": false},
        "opening": {"file": "Books/UHO.epd", "format": "EPD", "order": "RANDOM", "plies": -1, "start": 1},
        "pgn": {"file": "Games.pgn"},
    });
    let words = words_of_json(&json).unwrap();
    let text = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ");
    check(
        &text,
        "format = \"match\"; concurrency = 4; seed = \"18446744073709551615\"; \
         table-every = 10; variant = \"chess960\"; openings = \"Books/UHO.epd\"; \
         opening-order = \"random\"; sprt = \"0.0,2.0,alpha=0.05,beta=0.05\"; export = \"Games.pgn\"; pairs = 30; \
         engine = [\"cmd=/opt/a,name=new,option.Hash=16,tc=10+0.1\", \
         \"cmd=/opt/b,name=old,args=-x,st=0.5,nodes=7,plies=3\", ]; grace = \"50ms\"; \
         adjudicate = \"draw=8/16@80\"",
    );
    assert!(words_of_json(&serde_json::json!({"a": 1})).is_err());
    // Newer versions write numbers in place of words.
    let numbers = serde_json::json!({
        "engines": [{"cmd": "a"}, {"cmd": "b"}, {"cmd": "c"}], "rounds": 4,
        "type": 1, "gauntlet_seeds": 2, "variant": 1,
        "opening": {"file": "b.pgn", "format": 1, "order": 0, "plies": 6, "start": 2},
    });
    let text = words_of_json(&numbers).unwrap().join(" ");
    check(
        &text,
        "format = \"gauntlet\"; variant = \"chess960\"; openings = \"b.pgn\"; \
         opening-order = \"random\"; opening-plies = 6; opening-start = 2; cycles = 4; \
         challengers = 2; engine = [\"cmd=a\", \"cmd=b\", \"cmd=c\", ]",
    );
}
