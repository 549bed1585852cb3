//! Games of more than two players, and games with chance: tables in which the players take turns at
//! the seats, with the same deal.

use std::collections::BTreeSet;

use sandboard_tests::{binary, data_variables, root};
use serde_json::Value;

use super::TestHome;

/// Four players of hearts, without a pass: hands are shorter to read.
const FOUR: &str = "random-legal random-legal random-legal random-legal --game hearts \
                    --variant no-pass --budget fuel:1e8/move";

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(Value::to_string).collect()
}

/// The outcomes of chance in a record.
fn chance(record: &Value) -> Vec<String> {
    let plies = record["plies"].as_array().unwrap().iter();
    plies.filter(|ply| ply["seat"].is_null()).map(|ply| ply["move"].to_string()).collect()
}

#[test]
fn a_match_of_four_plays_every_deal_from_every_seat() {
    let home = TestHome::new();
    let view = home.play(&format!("match {FOUR} --pairs 3 --seed 5 --dir m"));
    assert_eq!((&view["seats"], &view["progress"]["games"]), (&4.into(), &12.into()));
    let mut deals = BTreeSet::new();
    for table in home.games("m").chunks(4) {
        let records: Vec<Value> =
            table.iter().map(|game| home.record("m", game["name"].as_str().unwrap())).collect();
        let of_table: BTreeSet<Vec<String>> = records.iter().map(chance).collect();
        assert_eq!(of_table.len(), 1, "the games of a table have the same deal");
        assert_eq!(of_table.first().map(Vec::len), Some(52));
        deals.extend(of_table);
        // Each player has each seat once, and engines have seeds of their own.
        let orders: BTreeSet<Vec<String>> =
            table.iter().map(|game| strings(&game["players"])).collect();
        assert_eq!(orders.len(), 4);
        let first_seat: BTreeSet<&String> = orders.iter().map(|players| &players[0]).collect();
        assert_eq!(first_seat.len(), 4);
        let seeds = records.iter().flat_map(|record| {
            let players = record["players"].as_array().unwrap().iter();
            players.map(|player| player["engine"]["seed"].to_string()).collect::<Vec<_>>()
        });
        assert_eq!(seeds.collect::<BTreeSet<_>>().len(), 16);
    }
    assert_eq!(deals.len(), 3);
    // In each game, six pairs of players share two half points each.
    let players = view["players"].as_array().unwrap();
    let half_points: u64 = players.iter().map(|it| it["half_points"].as_u64().unwrap()).sum();
    assert_eq!(half_points, 12 * 12);
    let sum = |field: &str| -> f64 {
        players.iter().map(|it| it[field]["value"].as_f64().unwrap()).sum()
    };
    // All points of a hand are 26, or 78 if a seat has taken all.
    assert!((-78.0..=-26.0).contains(&sum("mean_score")), "{view}");
    assert!(sum("duplicate_score").abs() < 1e-9, "{view}");
    let skills = players.iter().map(|it| it["skill"]["sigma"].as_f64().unwrap());
    assert!(skills.clone().all(|sigma| sigma < 25.0 / 3.0), "{view}");
    assert!(players.iter().all(|it| it["rating"].is_null() && it["unrated"].is_null()));

    // The same seed gives the same arena, and the text has the figures.
    let again = home.play(&format!("match {FOUR} --pairs 3 --seed 5 --dir n --concurrency 3"));
    assert_eq!(again, view);
    let text = home.succeed("show m");
    for expected in ["3 tables", "12 games", "skill", "mean score", "duplicate", "each opponent"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    home.succeed("show m --games-csv games.csv");
    let csv = std::fs::read_to_string(home.path("games.csv")).unwrap();
    assert!(csv.contains("player_4,points_1,points_2,points_3,points_4"), "{csv}");
    // Any reader can verify the arena.
    home.succeed("bundle m -o m.zip");
    let mut verify = std::process::Command::new(binary());
    verify.envs(data_variables(home.0.path())).current_dir(home.0.path());
    verify.env("SANDBOARD_ENGINES", root().join("engines-dir"));
    let verified = verify.args(["verify", "--bundle", "m.zip"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn formats_for_more_than_two_players() {
    let home = TestHome::new();
    let five = format!("random-legal {FOUR}");
    let check = |words: &str, tables: u64| {
        let view = home.play(&format!("{words} --seed 3"));
        assert_eq!(view["progress"]["pairs"], tables, "{words}");
        assert_eq!(view["progress"]["games"], 4 * tables, "{words}");
    };
    // Five players have five sets of four; in a Swiss system one has a bye in each round.
    check(&format!("round-robin {five}"), 5);
    check(&format!("swiss {five} --rounds 3"), 3);
    check(&format!("ladder {five} --pairs 4"), 4);
    for (words, expected) in [
        (format!("match {five} --pairs 1"), "a match needs exactly 4 players, not 5"),
        (format!("knockout {five}"), "a knockout needs a game of 2 players, not of 4"),
        (format!("gauntlet {five}"), "a gauntlet or a knockout needs a game of 2 players"),
        (
            "match random-legal random-legal --game hearts --pairs 1".to_owned(),
            "a tournament needs at least 4 players, not 2",
        ),
        (
            "match random-mover random-mover random-mover --pairs 1".to_owned(),
            "a match needs exactly 2 players, not 3",
        ),
    ] {
        let error = home.fail(&words, 2);
        assert!(error.contains(expected), "{words}: {error}");
    }
}

#[test]
fn a_pair_of_two_has_the_same_deal_in_both_games() {
    let home = TestHome::new();
    let view = home.play(
        "match kuhn-equilibrium random-legal --game kuhn-poker --pairs 40 --seed 2 --dir k \
         --budget fuel:1e8/move",
    );
    for pair in home.games("k").chunks(2) {
        let deals =
            pair.iter().map(|game| chance(&home.record("k", game["name"].as_str().unwrap())));
        assert_eq!(deals.collect::<BTreeSet<_>>().len(), 1, "{pair:?}");
    }
    assert!(view["players"][0]["rating"].is_object(), "two players have a rating in Elo");
    // Equilibrium play beats random play, and the two scores cancel out.
    let score = |player: usize| view["players"][player]["mean_score"]["value"].as_f64().unwrap();
    assert!(score(0) > 0.0 && (score(0) + score(1)).abs() < 1e-9, "{view}");
}

/// The players of a table are those of the variant, and so are the sides.
#[test]
fn the_variant_decides_how_many_play() {
    let home = TestHome::new();
    let check = |variant: &str, players: usize, pairs: usize, sides: &str| {
        let engines = vec!["random-legal"; players].join(" ");
        let view = home.play(&format!(
            "match {engines} --game chinese-checkers --variant {variant} --pairs {pairs} --seed 5 \
             --dir {variant} --budget fuel:1e8/move"
        ));
        assert_eq!(view["seats"], players, "{view}");
        assert_eq!(view["progress"]["games"], players * pairs, "{view}");
        assert_eq!(strings(&view["sides"]).join(" ").replace('"', ""), sides, "{view}");
        for game in home.games(variant) {
            let record = home.record(variant, game["name"].as_str().unwrap());
            let scores = record["result"]["scores"].as_array().unwrap();
            assert_eq!(scores.len(), players, "{record}");
            assert_eq!(scores.iter().map(|it| it.as_i64().unwrap()).sum::<i64>(), 0);
        }
    };
    check("two", 2, 1, "red blue");
    check("three", 3, 2, "red blue green");
    check("six", 6, 1, "red blue green yellow purple white");
    let three = "random-legal random-legal random-legal --game chinese-checkers";
    let error = home.fail(&format!("match {three} --pairs 1"), 2);
    assert!(error.contains("a match needs exactly 2 players, not 3"), "{error}");
    let error = home.fail(&format!("match {three} --variant four --pairs 1"), 2);
    assert!(error.contains("a tournament needs at least 4 players, not 3"), "{error}");
}
