//! Position texts, and the faults in them.

use super::*;

const START: &str = "b/bb/bbb/bbbb/13/12/11/10/9/10/11/12/13/rrrr/rrr/rr/r r 0 -";

fn position(variant: &str, text: &str) -> Result<ChineseCheckers, PositionError> {
    ChineseCheckers::parse_position(&INFO.variant(variant).unwrap(), text)
}

#[test]
fn positions_round_trip() {
    let check = |variant: &str, text: &str| {
        let game = position(variant, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(written(&game), text);
        assert_eq!(game.variant().id, variant);
    };
    assert_eq!(written(&arranged("two", "")), START);
    check("two", START);
    check("two", &START.replace(" r 0", " b 399"));
    check("two", &START.replace(" r 0", " - 400"));
    let three = "1/2/3/4/bbbb5gggg/bbb6ggg/bb7gg/b8g/9/10/11/12/13/rrrr/rrr/rr/r r 0 -";
    assert_eq!(written(&arranged("three", "")), three);
    check("three", three);
    let six =
        "y/yy/yyy/yyyy/gggg5pppp/ggg6ppp/gg7pp/g8p/9/b8w/bb7ww/bbb6www/bbbb5wwww/rrrr/rrr/rr/r";
    assert_eq!(written(&arranged("six", "")), format!("{six} r 0 -"));
    check("six", &format!("{six} w 1199 -"));
    // Red has arrived with one piece, and blue has still nine at home.
    let arrived = "r/bb/bbb/bbbb/b12/12/11/10/9/10/11/12/13/1rrr/rrr/rr/r - 20 r";
    check("two", arrived);
}

#[test]
fn faults_have_their_place() {
    let check = |text: &str, offset: usize, reason: &str| {
        let error = position("two", text).unwrap_err();
        assert_eq!((error.0[0].offset, &*error.0[0].reason), (offset, reason), "{text}");
    };
    let with = |was: &str, is: &str| {
        assert!(START.contains(was), "{was}");
        START.replacen(was, is, 1)
    };
    let parts = "expected four parts: the rows, who is to move, plies, who has arrived";
    check("", 0, parts);
    check(&with(" r 0 -", " r 0"), 0, parts);
    check(&with(" r 0 -", " r 0 - -"), 0, parts);
    check(&with("/r r", " r"), 0, "expected 17 rows with `/` between");
    check(&with("/r r", "/r/ r"), 0, "expected 17 rows with `/` between");
    check(&with("b/bb/", "b/b/"), 2, "row 2 has 1 holes in place of 2");
    check(&with("b/bb/", "b/b2/"), 2, "row 2 has 3 holes in place of 2");
    check(&with("/13/12", "/14/12"), 14, "`14` is no number of empty holes");
    check(&with("/13/12", "/0/12"), 14, "`0` is no number of empty holes");
    check(&with("/13/12", "/013/12"), 14, "`013` is no number of empty holes");
    check(&with("/13/12", "/99999/12"), 14, "`99999` is no number of empty holes");
    check(&with("b/bb/", "b/bg/"), 3, "`g` is no piece of the variant `two`");
    check(&with("b/bb/", "b/bé/"), 3, "`é` is no piece of the variant `two`");
    check(&with("b/bb/", "b/b1/"), 0, "blue has 9 pieces in place of 10");
    check(&with("/13/12", "/r12/12"), 0, "red has 11 pieces in place of 10");
    let player = "expected the letter of a player that has not arrived";
    check(&with(" r 0", " g 0"), 54, player);
    check(&with(" r 0", " - 0"), 54, player);
    check(&with(" r 0", " rr 0"), 54, player);
    check(&with(" r 0", "  0"), 54, player);
    let plies = "expected the number of plies, 0 to 400";
    check(&with(" r 0", " r 401"), 56, plies);
    check(&with(" r 0", " r 00"), 56, plies);
    check(&with(" r 0", " r -1"), 56, plies);
    check(&with(" r 0", " r 400"), 54, "the game is over: expected `-`");
    let arrived = "expected `-`, or the letter of each player that has arrived";
    check(&with(" 0 -", " 0 g"), 58, arrived);
    check(&with(" 0 -", " 0 r-"), 59, arrived);
    check(&with(" 0 -", " 0 rr"), 59, arrived);
    check(&with(" 0 -", " 0 "), 58, "expected `-`, or the players that have arrived");
    check(&with(" 0 -", " 0 r"), 58, "red has not arrived: no piece is in its target");
    let full = "r/bb/bbb/bbbb/b12/12/11/10/9/10/11/12/13/1rrr/rrr/rr/r r 20 -";
    check(full, 60, "red has arrived: its target triangle is full");
}
