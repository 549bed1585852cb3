//! Every format by the command line: who meets whom, and when it is over.

use super::Home;

const PLAYERS: &str = "gomoku-simple random-mover random-mover:threads=1 gomoku-simple@depth:2";

/// Games, and players in the order of their places, as `first second`.
fn check(home: &Home, words: &str, games: usize, best: &str) {
    let view = home.play(&format!("{words} --seed 3 --budget depth:1 --variant freestyle-9"));
    assert_eq!(view["progress"]["games"], games, "{words}");
    let first = view["ranking"][0].as_u64().unwrap() as usize;
    let name = view["players"][first]["name"].as_str().unwrap();
    assert!(name.starts_with(best), "{words}: {name}");
    assert_eq!(view["progress"]["pairs_left_most"], 0);
}

#[test]
fn everybody_plays_whom_the_format_says() {
    let home = Home::new();
    check(&home, &format!("gauntlet {PLAYERS} --folds 2"), 12, "gomoku-simple");
    check(&home, &format!("gauntlet {PLAYERS} --heroes 2"), 8, "gomoku-simple");
    check(&home, &format!("round-robin {PLAYERS}"), 12, "gomoku-simple");
    check(&home, &format!("double-round-robin {PLAYERS}"), 24, "gomoku-simple");
    check(&home, &format!("swiss {PLAYERS} --rounds 2"), 8, "gomoku-simple");
    check(&home, &format!("knockout {PLAYERS} --tie-breaks 0"), 6, "gomoku-simple");
    check(&home, &format!("ladder {PLAYERS} --pairs 7"), 14, "gomoku-simple");
}

#[test]
fn a_test_ends_a_match() {
    let home = Home::new();
    let view = home.play(
        "match gomoku-simple random-mover --sprt 0,50 --budget depth:1 --seed 1 --variant freestyle-9 --concurrency 3",
    );
    let sprt = &view["duel"]["sprt"];
    assert_eq!(sprt["verdict"], "upper", "{sprt}");
    assert!(sprt["llr"].as_f64() >= sprt["upper"].as_f64());
    assert!(view["progress"]["pairs"].as_u64().unwrap() < 1000);
    for (words, expected) in [
        ("match a b", "--pairs"),
        ("match random-mover random-mover --pairs 1 --sprt 5,0", "the first must be the lower one"),
        ("swiss random-mover --rounds 2", "PLAYER"),
        ("gauntlet random-mover random-mover --heroes 2", "cannot run the gauntlet"),
        ("round-robin random-mover nobody", "nobody"),
        (
            "round-robin random-mover reversi-simple",
            "random-mover plays gomoku; reversi-simple plays reversi",
        ),
        ("ladder random-mover random-mover --pairs 1 --ratings 1,2,3", "3 ratings for 2 players"),
    ] {
        assert!(home.fail(words, 2).contains(expected), "{words}");
    }
}
