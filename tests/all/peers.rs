//! Whole matches against a program of others: Debian's Fairy-Stockfish, which speaks UCI, has a seat at xiangqi.

use sandboard_forge::packages;
use serde_json::Value;

use crate::cli::Home;

/// A data folder in which it is trusted, and an engines folder with it and what plays against it.
fn seated() -> (Home, String) {
    let missing = "fairy-stockfish is missing; `cargo xtask test` installs it";
    let program = packages::game("fairy-stockfish").expect(missing);
    let program = program.display();
    let home = Home::new();
    let folder = home.file("e");
    std::fs::create_dir(&folder).unwrap();
    let ours = sandboard_tests::built("xiangqi-mt.wasm");
    std::fs::copy(ours, folder.join("xiangqi-mt.wasm")).unwrap();
    let manifest = format!(
        r#"<EngineConfigs abi="1">
  <Engine id="fairy" version="11.1" kind="process" protocol="uci" moves="ranks-from-1" program="{program}">
    <Game id="xiangqi"/>
    <Limits memory_bytes="134217728" start_ms="30000"/>
    <Option name="variant" spoken="UCI_Variant" kind="pick" values="xiangqi" default="xiangqi"/>
    <Option name="hash" spoken="Hash" kind="whole" min="1" max="64" default="1"/>
    <Option name="skill" spoken="Skill Level" kind="whole" min="-20" max="20" default="20"/>
  </Engine>
  <Engine id="ours" version="1" kind="wasm" module="xiangqi-mt.wasm"><Game id="xiangqi"/></Engine>
</EngineConfigs>"#
    );
    std::fs::write(folder.join("EngineConfigs.xml"), manifest).unwrap();
    let folder = folder.display().to_string();
    let trusted = home.run(&["trust", "fairy", "--engines-dir", &folder], "");
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
    (home, folder)
}

/// How games of xiangqi end when nobody does wrong.
const BY_RULES: [&str; 5] =
    ["checkmate", "stalemate", "repetition", "perpetual", "without capture"];

#[test]
fn a_whole_match_is_played_without_a_fault() {
    let (home, folder) = seated();
    let words = "arena match fairy ours@depth:1 --pairs 2 --budget nodes:300 --concurrency 1 --seed 1 --json";
    let mut words: Vec<&str> = words.split(' ').collect();
    let place = home.file("match").display().to_string();
    words.extend(["--dir", &place, "--engines-dir", &folder]);
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
fn it_plays_itself_to_an_end_by_the_rules() {
    let (home, folder) = seated();
    let record = home.file("record.json");
    let place = record.display().to_string();
    let words =
        "play xiangqi --seat fairy:skill=3 --seat fairy:skill=-5 --budget nodes:200 --record";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.extend([place.as_str(), "--engines-dir", &folder]);
    let played = home.run(&words, "");
    assert_eq!(played.code, Some(0), "{}{}", played.out, played.err);
    let record: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    assert_eq!(record["result"]["termination"], "rules", "{}", record["result"]);
    assert!(record["plies"].as_array().is_some_and(|plies| plies.len() > 10));
}
