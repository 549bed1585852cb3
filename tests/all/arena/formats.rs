//! Every format by the command line: pairings, and when the arena is complete.

use super::TestHome;

const PLAYERS: &str = "gomoku-simple random-mover random-mover:threads=1 gomoku-simple@depth:2";

/// The arena plays this number of games, and a player whose name starts with `best` ranks first.
fn check(home: &TestHome, words: &str, games: usize, best: &str) {
    let view = home.play(&format!("{words} --seed 3 --budget depth:1 --variant freestyle-9"));
    assert_eq!(view["progress"]["games"], games, "{words}");
    let first = view["ranking"][0].as_u64().unwrap() as usize;
    let name = view["players"][first]["name"].as_str().unwrap();
    assert!(name.starts_with(best), "{words}: {name}");
    assert_eq!(view["progress"]["pairs_left_max"], 0);
}

#[test]
fn each_format_plays_its_number_of_games() {
    let home = TestHome::new();
    check(&home, &format!("gauntlet {PLAYERS} --cycles 2"), 12, "gomoku-simple");
    check(&home, &format!("gauntlet {PLAYERS} --challengers 2"), 8, "gomoku-simple");
    check(&home, &format!("round-robin {PLAYERS}"), 12, "gomoku-simple");
    check(&home, &format!("double-round-robin {PLAYERS}"), 24, "gomoku-simple");
    check(&home, &format!("swiss {PLAYERS} --rounds 2"), 8, "gomoku-simple");
    check(&home, &format!("knockout {PLAYERS} --tie-breaks 0"), 6, "gomoku-simple");
    check(&home, &format!("ladder {PLAYERS} --pairs 7"), 14, "gomoku-simple");
}

#[test]
fn sprt_ends_a_match() {
    let home = TestHome::new();
    let view = home.play(
        "match gomoku-simple random-mover --sprt 0,50 --budget depth:1 --seed 1 --variant freestyle-9 --concurrency 3",
    );
    let sprt = &view["match_statistics"]["sprt"];
    assert_eq!(sprt["verdict"], "upper", "{sprt}");
    assert!(sprt["llr"].as_f64() >= sprt["upper"].as_f64());
    assert!(view["progress"]["pairs"].as_u64().unwrap() < 1000);
    for (words, expected) in [
        ("match a b", "--pairs"),
        ("match random-mover random-mover --pairs 1 --sprt 5,0", "must be below the upper bound"),
        ("swiss random-mover --rounds 2", "an arena needs two players"),
        (
            "gauntlet random-mover random-mover --challengers 2",
            "cannot be challengers of a gauntlet",
        ),
        ("round-robin random-mover missing", "missing"),
        (
            "round-robin random-mover reversi-simple",
            "random-mover plays gomoku; reversi-simple plays reversi",
        ),
        ("ladder random-mover random-mover --pairs 1 --ratings 1,2,3", "3 ratings for 2 players"),
    ] {
        assert!(home.fail(words, 2).contains(expected), "{words}");
    }
}
