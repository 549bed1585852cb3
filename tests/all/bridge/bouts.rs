//! Bouts and matches of bridge between engines that move at random: four hands, two players, losses
//! that add up to the result, and `verify` on changed records.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sandboard_arena::load_record;
use sandboard_bout::record::{PlyRecord, Record};
use sandboard_games::Games;
use sandboard_tests::root;
use serde_json::Value;

use super::lines;
use crate::cli::{CommandOutput, TestHome};

/// The files by name of a pack built from the C template as a bridge engine.
fn pack() -> &'static [(String, Vec<u8>)] {
    static PACK: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    PACK.get_or_init(|| {
        let home = TestHome::new();
        let template = root().join("sample-engines/c-minimal/engine.c");
        let text = std::fs::read_to_string(template).expect("the template is there");
        let text = text.replace("#define ENGINE_GAME \"gomoku\"", "#define ENGINE_GAME \"bridge\"");
        assert!(text.contains("#define ENGINE_GAME \"bridge\""));
        std::fs::create_dir_all(home.file("mine")).unwrap();
        std::fs::create_dir_all(home.file("engines")).unwrap();
        std::fs::write(home.file("mine/engine.c"), text).unwrap();
        home.succeed(&["build", "mine", "--kind", "wasm", "--engines-dir", "engines"], "");
        let entries = std::fs::read_dir(home.file("engines/mine")).unwrap().map(Result::unwrap);
        let file = |path: PathBuf| std::fs::read(path).unwrap();
        entries.map(|it| (it.file_name().into_string().unwrap(), file(it.path()))).collect()
    })
}

/// A test home with that engine in its folder `engines`.
fn home() -> TestHome {
    let home = TestHome::without_engines();
    std::fs::create_dir_all(home.file("engines/mine")).unwrap();
    for (name, bytes) in pack() {
        std::fs::write(home.file("engines/mine").join(name), bytes).unwrap();
    }
    home
}

fn run(home: &TestHome, words: &str) -> CommandOutput {
    let words: Vec<&str> = words.split_whitespace().collect();
    home.run(&[&words[..], &["--engines-dir", "engines"]].concat(), "")
}

fn succeed(home: &TestHome, words: &str) -> String {
    let ended = run(home, words);
    assert_eq!(ended.code, Some(0), "{words}: {}\n{}", ended.out, ended.err);
    ended.out
}

fn record(path: &Path) -> Record {
    load_record(path, &Games::default()).expect("the record is sound")
}

/// The losses of a bout must add up to its result.
fn check_sums(record: &Record) {
    let perfect_play =
        record.perfect_play.as_ref().expect("the record has the comparison with perfect play");
    let [ns, ew] = perfect_play.lost;
    assert_eq!(perfect_play.taken[0] + ns, perfect_play.value + ew, "{perfect_play:?}");
    let sum = |side: u8| -> u32 {
        record.plies.iter().filter(|ply| side_of(ply) == side).map(|ply| ply.loss).sum()
    };
    assert_eq!([sum(0), sum(1)], perfect_play.lost);
    let start = record.start.as_deref().expect("a deal");
    assert!(start.ends_with(&format!(" dd={}", perfect_play.value)), "{start}");
    let winner = match perfect_play.taken[0].cmp(&perfect_play.value) {
        std::cmp::Ordering::Greater => Some(0),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(1),
    };
    assert_eq!(record.result.as_ref().expect("it is over").winner, winner);
}

#[test]
fn the_losses_of_a_bout_add_up_to_its_result() {
    let home = home();
    let words = "play bridge --seat mine --seat mine --budget fuel:1e8/move --seed 5 --record b.json --json";
    let line = lines(&succeed(&home, words)).remove(0);
    assert_eq!((&line["seed"], &line["plies"]), (&5.into(), &52.into()));
    let bout = record(&home.file("b.json"));
    let dealt = lines(&succeed_without(&home, "deal bridge --seed 5 --json")).remove(0);
    assert_eq!(bout.start.as_deref(), dealt["position"].as_str());
    assert_eq!(line["perfect_play"]["value"], bout.perfect_play.as_ref().unwrap().value);
    check_sums(&bout);
    let [ns, ew] = bout.perfect_play.as_ref().unwrap().lost;
    assert!(ns + ew > 0, "random moves lose tricks");
    // A player owns both hands of its side, and can move twice in a row.
    assert_eq!((&bout.players[0].seats, &bout.players[1].seats), (&vec![0, 2], &vec![1, 3]));
    assert!(bout.plies.windows(2).any(|pair| side_of(&pair[0]) == side_of(&pair[1])));

    let verified = succeed(&home, "verify b.json");
    let expected = format!("the losses against perfect play are right: {ns} and {ew}");
    assert!(verified.contains(&expected), "{verified}");
    let ply = bout.plies.iter().position(|ply| ply.loss > 0).unwrap();
    check_tampered(&home, &format!("ply {ply} differs: "), |json| {
        json["plies"][ply].as_object_mut().unwrap().remove("loss");
    });
    check_tampered(&home, "`perfect_play.value` is 99, but perfect play gives", |json| {
        json["perfect_play"]["value"] = 99.into();
    });
    check_tampered(&home, "`perfect_play.taken` is ", |json| {
        json["perfect_play"]["taken"] = vec![0, 0].into()
    });
}

fn succeed_without(home: &TestHome, words: &str) -> String {
    home.succeed(&words.split_whitespace().collect::<Vec<_>>(), "")
}

/// `verify` reports a difference after `change` to the record.
fn check_tampered(home: &TestHome, expected: &str, change: impl Fn(&mut Value)) {
    let bytes = std::fs::read(home.file("b.json")).unwrap();
    let mut json: Value = serde_json::from_slice(&bytes).unwrap();
    change(&mut json);
    std::fs::write(home.file("t.json"), json.to_string()).unwrap();
    let ended = run(home, "verify t.json");
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.out.contains(expected), "no {expected:?} in {}", ended.out);
}

#[test]
fn each_pair_of_a_match_has_a_deal_of_its_own() {
    let home = home();
    let words =
        "arena match mine mine --pairs 3 --seed 9 --variant double-dummy-5 --budget nodes:10";
    let ended = run(&home, &format!("{words} --dir m --json"));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(!ended.err.contains("start from the same position"), "{}", ended.err);
    let game = |pair: usize, game: usize| record(&home.file(&format!("m/pair-{pair:06}-{game}")));
    let mut starts = Vec::new();
    for pair in 1..=3 {
        let (one, other) = (game(pair, 1), game(pair, 2));
        assert_eq!(one.start, other.start, "both games of a pair have one deal");
        assert_eq!((&one.players[0].seats, &other.players[0].seats), (&vec![0, 2], &vec![1, 3]));
        [&one, &other].into_iter().for_each(check_sums);
        starts.push(one.start.unwrap());
    }
    starts.sort();
    starts.dedup();
    assert_eq!(starts.len(), 3, "{starts:?}");
    // A resumed complete match prints the same result.
    let again = run(&home, "arena --resume m --json");
    assert_eq!(again.code, Some(0), "{}", again.err);
    let score = |out: &str| lines(out).last().unwrap()["view"]["match_statistics"].clone();
    assert_eq!(score(&again.out), score(&ended.out));
    assert!(score(&again.out)["score"].is_object());

    // Deals of a file serve as openings.
    let deals = succeed_without(&home, "deal bridge --variant double-dummy-5 --seed 1 --count 2");
    std::fs::write(home.file("deals.txt"), &deals).unwrap();
    succeed(&home, &format!("{words} --openings deals.txt --dir n --json"));
    let first = record(&home.file("n/pair-000001-1")).start.unwrap();
    assert!(deals.contains(&first), "{first} is not in {deals}");
}

#[test]
fn a_bout_started_from_a_record_is_compared_again() {
    let home = home();
    let words = "play bridge --seat mine --seat mine --budget nodes:10 --seed 2 \
                 --variant double-dummy-6 --json";
    succeed(&home, &format!("{words} --record b.json"));
    let bout = record(&home.file("b.json"));
    check_sums(&bout);
    succeed(&home, "play --from b.json@11 --budget nodes:10 --seed 3 --record c.json --json");
    let rest = record(&home.file("c.json"));
    let perfect_play = rest.perfect_play.as_ref().expect("it is over");
    assert_eq!(rest.plies.len(), 24 - 11);
    // Losses before the start position do not count.
    let before: i64 = bout.plies[..11]
        .iter()
        .map(|ply| if side_of(ply) == 0 { -i64::from(ply.loss) } else { i64::from(ply.loss) })
        .sum();
    let value = i64::from(bout.perfect_play.as_ref().unwrap().value) + before;
    assert_eq!(i64::from(perfect_play.value), value);
    check_sums(&rest);
}

/// The other commands on engines and records, with four seats and with two.
#[test]
fn every_command_supports_four_seats() {
    let home = home();
    let checked = run(&home, "check mine");
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
    let position = r#"{"position": "N:A2... 54... 76... 8... NT W SK", "moves": "SA S4"}"#;
    let analysed = home
        .run(&["analyse", "mine", "--engines-dir", "engines", "--budget", "nodes:10"], position);
    let answer = lines(&analysed.out).remove(0);
    assert!(["S6", "S7"].contains(&answer["move"].as_str().unwrap_or_default()), "{answer}");
    let suite = r#"{"game": "bridge", "records": [{"id": "a", "variant": "double-dummy-2",
        "position": "N:2... 5... 7... K... NT N - won=1-0", "best": ["S2"]}]}"#;
    std::fs::write(home.file("s.json"), suite).unwrap();
    let solved = run(&home, "suite mine s.json --budget nodes:10 --bar 1");
    assert_eq!(solved.code, Some(0), "{}\n{}", solved.out, solved.err);

    let words = "play bridge --seat mine --seat mine --seat mine --seat mine --budget fuel:1e8/move \
                 --seed 2 --variant double-dummy-3 --record b.json --json";
    succeed(&home, words);
    let bout = record(&home.file("b.json"));
    assert_eq!(bout.players.len(), 4);
    check_sums(&bout);
    succeed(&home, "verify b.json --strict");
    succeed(&home, "replay b.json --ply 5 --player 0");
    let perft = succeed_without(&home, "perft bridge --variant double-dummy-3 --depth 12 --json");
    assert!(lines(&perft)[0]["nodes"].as_u64().unwrap() > 1, "{perft}");
    succeed_without(&home, "convert b.json b.pbn");
    succeed_without(&home, "convert b.pbn c.json");
    let moves = |record: &Record| -> Vec<String> {
        record.plies.iter().map(|ply| ply.r#move.clone()).collect()
    };
    assert_eq!(moves(&record(&home.file("c.json"))), moves(&bout));
}

/// The side that made a move.
fn side_of(ply: &PlyRecord) -> u8 {
    ply.seat.expect("no chance in bridge") & 1
}
