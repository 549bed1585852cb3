//! Whole matches against external engines from Debian: Fairy-Stockfish by UCI and UCCI at xiangqi,
//! GRhino by GTP at reversi.

use std::fmt::Write as _;
use std::path::Path;

use sandboard_builder::packages;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::TestHome;

/// An external engine, as a manifest describes it.
struct Peer {
    program: &'static str,
    /// The attributes of its protocol.
    speech: &'static str,
    game: &'static str,
    /// The sample engine that plays against it.
    ours: &'static str,
    /// Its manifest elements.
    options: &'static str,
    /// A system folder and the files in it that the program reads.
    files: Option<(&'static str, &'static [&'static str])>,
}

const BY_UCI: Peer = Peer {
    program: "fairy-stockfish",
    speech: r#"protocol="uci" moves="ranks-from-1""#,
    game: "xiangqi",
    ours: "xiangqi-mt",
    options: r#"<Option name="variant" protocol_name="UCI_Variant" kind="pick" values="xiangqi" default="xiangqi"/>
                <Option name="hash" protocol_name="Hash" kind="whole" min="1" max="64" default="1"/>
                <Option name="skill" protocol_name="Skill Level" kind="whole" min="-20" max="20" default="20"/>"#,
    files: None,
};

const BY_UCCI: Peer = Peer {
    speech: r#"protocol="ucci""#,
    options: r#"<Option name="usemillisec" kind="toggle" default="true"/>
                <Option name="hash" protocol_name="Hash" kind="whole" min="1" max="64" default="1"/>
                <Option name="skill" protocol_name="Skill_Level" kind="whole" min="-20" max="20" default="20"/>"#,
    ..BY_UCI
};

const BY_GTP: Peer = Peer {
    program: "gtp-rhino",
    speech: r#"protocol="gtp""#,
    game: "reversi",
    ours: "reversi-simple",
    options: r#"<Argument value="--level=1"/>"#,
    files: Some((
        "/usr/share/grhino",
        &[
            "book/book.bin",
            "pattern/corner5x2.bin",
            "pattern/diag1.bin",
            "pattern/diag2.bin",
            "pattern/diag3.bin",
            "pattern/diag4.bin",
            "pattern/diag5.bin",
            "pattern/row1.bin",
            "pattern/row2.bin",
            "pattern/row3.bin",
            "pattern/row4.bin",
        ],
    )),
};

impl Peer {
    /// Copies its files into the pack; their manifest elements.
    fn assets(&self, pack: &Path) -> String {
        let Some((folder, files)) = self.files else { return String::new() };
        let mut elements = String::new();
        for (index, file) in files.iter().enumerate() {
            let at = format!("{folder}/{file}");
            let bytes = std::fs::read(&at).unwrap_or_else(|error| panic!("{at}: {error}"));
            std::fs::write(pack.join(format!("file-{index}")), &bytes).unwrap();
            let hash = sandboard_common::hex::hex(&Sha256::digest(&bytes));
            let name = file.replace('/', "-");
            let path = format!("file-{index}");
            let element = format!(
                r#"<Asset name="{name}" path="{path}" visible_at="{at}" sha256="{hash}"/>"#
            );
            writeln!(elements, "{element}").unwrap();
        }
        elements
    }

    /// A test home that trusts the program, and an engines folder with it and its opponent.
    fn seated(&self) -> (TestHome, String) {
        let Self { speech, game, ours, options, .. } = self;
        let missing = "the external engine is missing; `cargo xtask test` installs it";
        let program = packages::find_game(self.program).expect(missing);
        let program = program.display();
        let home = TestHome::new();
        let folder = home.file("e");
        std::fs::create_dir(&folder).unwrap();
        let module = format!("{ours}.wasm");
        std::fs::copy(sandboard_tests::built(&module), folder.join(&module)).unwrap();
        let assets = self.assets(&folder);
        let manifest = format!(
            r#"<EngineConfigs abi="1">
  <Engine id="theirs" version="1" kind="external" {speech} program="{program}">
    <Game id="{game}"/>
    <Limits memory_bytes="134217728" start_ms="30000"/>
    {options}
    {assets}
  </Engine>
  <Engine id="ours" version="1" kind="wasm" module="{module}"><Game id="{game}"/></Engine>
</EngineConfigs>"#
        );
        std::fs::write(folder.join("EngineConfigs.xml"), manifest).unwrap();
        let folder = folder.display().to_string();
        let trusted = home.run(&["trust", "theirs", "--engines-dir", &folder], "");
        assert_eq!(trusted.code, Some(0), "{}", trusted.err);
        (home, folder)
    }
}

/// Ends of games without a fault.
const BY_RULES: [&str; 7] = [
    "checkmate",
    "stalemate",
    "repetition",
    "perpetual",
    "without capture",
    "neither side can move",
    "board full",
];

/// Plays a match under this budget and checks each game.
#[track_caller]
fn check(peer: &Peer, budget: &str) {
    let (home, folder) = peer.seated();
    let words = "arena match theirs ours@depth:1 --pairs 2 --concurrency 1 --seed 1 --json";
    let mut words: Vec<&str> = words.split(' ').collect();
    let place = home.file("match").display().to_string();
    words.extend(["--budget", budget, "--dir", &place, "--engines-dir", &folder]);
    let played = home.run(&words, "");
    assert_eq!(played.code, Some(0), "{}{}", played.out, played.err);
    let events = played.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let games: Vec<Value> = events.filter(|event| event["event"] == "game").collect();
    assert_eq!(games.len(), 4, "{}", played.out);
    for game in &games {
        assert!(game["fault"].is_null(), "{game}");
        let sentence = game["sentence"].as_str().unwrap_or_default();
        assert!(BY_RULES.iter().any(|rule| sentence.contains(rule)), "{game}");
    }
}

#[test]
fn a_whole_match_is_played_by_uci() {
    check(&BY_UCI, "nodes:300");
}

#[test]
fn a_whole_match_is_played_by_ucci() {
    check(&BY_UCCI, "nodes:300");
}

#[test]
fn a_whole_match_is_played_by_gtp() {
    // It receives whole seconds and uses none at this level.
    check(&BY_GTP, "30s/move");
}

#[test]
fn it_plays_itself_to_a_regular_end() {
    let (home, folder) = BY_UCI.seated();
    let record = home.file("record.json");
    let place = record.display().to_string();
    let words =
        "play xiangqi --seat theirs:skill=3 --seat theirs:skill=-5 --budget nodes:200 --record";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.extend([place.as_str(), "--engines-dir", &folder]);
    let played = home.run(&words, "");
    assert_eq!(played.code, Some(0), "{}{}", played.out, played.err);
    let record: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    assert_eq!(record["result"]["termination"], "rules", "{}", record["result"]);
    assert!(record["plies"].as_array().is_some_and(|plies| plies.len() > 10));
}

/// The program mates within two moves, under a clock and under a move time. If it read the values
/// as seconds, it would exceed its time.
#[test]
fn times_are_sent_by_ucci() {
    let (home, folder) = BY_UCCI.seated();
    for budget in ["3s/move", "1m+1s"] {
        let record = home.file("record.json").display().to_string();
        let seat = format!("theirs@{budget}");
        let played = home.run(
            &[
                ["play", "xiangqi", "--seat", &seat, "--seat", "ours@depth:1"].as_slice(),
                &["--position", "4k4/9/9/9/R8/1R7/9/9/9/3K5 w - - 0 1", "--record", &record],
                &["--engines-dir", &folder],
            ]
            .concat(),
            "",
        );
        assert_eq!(played.code, Some(0), "{}{}", played.out, played.err);
        let record: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
        let (result, plies) = (&record["result"], record["plies"].as_array());
        assert_eq!((&result["termination"], &result["winner"]), (&"rules".into(), &0.into()));
        assert!(plies.is_some_and(|plies| plies.len() <= 5), "{record}");
    }
}

#[test]
fn its_scores_are_reported() {
    for (peer, budget) in [(&BY_UCI, "nodes:3000"), (&BY_UCCI, "nodes:3000")] {
        let (home, folder) = peer.seated();
        let words = format!("analyse theirs --game xiangqi --budget {budget}");
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend(["--engines-dir", &folder]);
        let found = home.run(&words, "{}\n");
        let answer: Value = serde_json::from_str(&found.out).unwrap_or_default();
        assert!(answer["score"].is_i64(), "{}{}", found.out, found.err);
    }
}
