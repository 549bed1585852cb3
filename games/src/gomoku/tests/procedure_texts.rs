//! Position texts with words after the side: valid and invalid ones.

use super::{outcome_of, read, text_of, variant};
use crate::gomoku::Gomoku;
use crate::rules::Rules;

const THREE: &str = "15/15/15/15/15/8x6/7o7/7x7/15/15/15/15/15/15/15";
const FOUR: &str = "15/15/15/15/15/8x6/7o7/7x7/15/15/15/15/15/15/o14";

/// Compares the words of the position read, or the reason of a fault with its byte offset from the
/// first word.
#[track_caller]
fn check(variant_text: &str, rows: &str, words: &str, expected: &str) {
    let text = format!("{rows} {words}");
    let found = match Gomoku::parse_position(&variant(variant_text), &text) {
        Ok(game) => text_of(&game)[rows.len() + 1..].to_owned(),
        Err(error) => {
            let fault = &error.0[0];
            format!("{}: {}", fault.offset as isize - rows.len() as isize - 1, fault.reason)
        }
    };
    assert_eq!(found, expected, "{variant_text} {text}");
}

#[test]
fn valid_words_are_read_and_written() {
    for words in [
        "w",
        "w swapped",
        "w announce",
        "w fifths-12 swap",
        "w swapped fifths-1 opening",
        "w fifths-1 opening",
        "b passed",
        "w passed-twice",
        "w swapped passed",
    ] {
        check("yamaguchi", THREE, words, words);
    }
    for words in ["b fifths-2 offer", "b swapped fifths-2 offer b1", "b fifths-2 pick b1,c1"] {
        check("yamaguchi", FOUR, words, words);
    }
    for words in ["b offer", "b offer c1", "b pick b1,c1", "b swapped pick b1,c1"] {
        check("renju-rif", FOUR, words, words);
    }
    check("renju-rif", FOUR, "b pick  c1,B1", "b pick b1,c1");
    check("taraguchi-10", THREE, "w swapped opening", "w swapped opening");
    check("swap2", THREE, "w swap", "w swap");
    check("swap2", THREE, "w opening", "w opening");
    check("swap2", &FOUR.replacen("15", "x14", 1), "w swap", "w swap");
}

#[test]
fn invalid_words_are_reported_with_their_offset() {
    let nothing = "2: unexpected text after the side to move";
    check("freestyle", THREE, "b offers", nothing);
    check("renju", THREE, "b passed passed", "9: unexpected text");
    check("renju", THREE, "w swapped", "2: colours cannot be exchanged in renju");
    check("swap", THREE, "b passed", "2: passing is not allowed in swap");
    check("renju", THREE, "w swap", "2: renju has no phase swap with 3 stones on the board");
    check("swap2", FOUR, "b swap", "2: swap2 has no phase swap with 4 stones on the board");
    check("yamaguchi", THREE, "w fifths-1", "2: no number is announced in ordinary play");
    check("yamaguchi", THREE, "w swap", "2: fifths-N is missing before the phase");
    check("yamaguchi", THREE, "w fifths-13 swap", "2: at most 12 may be announced");
    check("renju-contest:fifths=2", THREE, "w fifths-3 swap", "2: at most 2 may be announced");
    check("yamaguchi", THREE, "w fifths-3 announce", "2: no number is announced in this phase");
    check("yamaguchi", THREE, "w fifths-0 swap", nothing);
    check("yamaguchi", THREE, "w fifths-03 swap", nothing);
    check(
        "yamaguchi",
        THREE,
        "w swapped announce",
        "2: colours cannot be exchanged before this phase",
    );
    let turns = "2: the stones and the side to move do not alternate from black";
    check("yamaguchi", THREE, "b announce", turns);
    check("yamaguchi", &THREE.replace('o', "x"), "w announce", turns);
    let far = "2: a stone is farther from the centre than the procedure allows";
    check("renju-rif", &THREE.replace("8x6", "10x4"), "w swap", far);
    check("renju-rif", &THREE.replace("8x6", "9x5"), "w swap", "w swap");
    check("renju-rif", &THREE.replace("7x7", "8x6"), "w swap", far);
    check("renju-rif", &THREE.replace("7o7", "9o5"), "w swap", far);
    check("taraguchi-10", FOUR, "b swap", far);
    check("renju-rif", FOUR, "b offer b1,c1", "11: more than 1 points are offered");
    check("renju-rif", FOUR, "b pick b1", "2: pick needs 2 offered points");
    check("renju-rif", FOUR, "b pick", "2: pick needs 2 offered points");
    check("renju-rif", FOUR, "b pick b1,b1", "10: b1 is equivalent to another offer");
    check("renju-rif", FOUR, "b offer a1", "8: a1 is offered but occupied");
    check(
        "renju-rif",
        FOUR,
        "b offer z1",
        "8: offered point: there is no column z; the columns are a to o",
    );
    let later = "passes and fouls are only possible after the procedure";
    check("renju-rif", THREE, "w swap passed", &format!("7: {later}"));
    check("renju-rif", THREE, "w swap foul-h8", &format!("7: {later}"));
    let over = "xxxxx10".to_owned() + &THREE[2..];
    check("renju", &over, "b passed", "2: the game has already ended on this board");
    check("renju", &over, "b", "b");
}

#[test]
fn fouls_and_passes_end_games() {
    let crossed = "15/15/15/15/15/15/8x6/8x6/6xx7/15/15/15/15/15/15 b";
    let check_move = |text: &str, expected: &str| {
        let mut game = read("renju", crossed);
        game.play(text).expect("it can be played");
        assert_eq!(outcome_of(&game), expected, "{text}");
        assert_eq!(read("renju", &text_of(&game)), game);
        text_of(&game)
    };
    let foul = check_move("i7", "white: double-three foul");
    assert!(foul.ends_with(" w foul-i7"));
    check_move("j7", "-");
    check_move("pass", "-");
    let mut game = read("renju", crossed);
    game.play("pass").expect("allowed");
    game.play("pass").expect("allowed");
    assert_eq!(outcome_of(&game), "two passes");
    assert!(game.play("a1").is_err());
    // A stone between two passes: no draw.
    let mut game = read("renju", crossed);
    for mv in ["pass", "a1", "pass"] {
        game.play(mv).expect("legal");
    }
    assert_eq!(outcome_of(&game), "-");
}

#[test]
fn a_foul_in_a_text_must_be_the_last_move() {
    let rows = "15/15/15/15/15/15/8x6/8x6/6xxx6/15/15/15/15/15/15";
    check("renju", rows, "w foul-i7", "w foul-i7");
    check("renju", rows, "w foul-j7", "2: j7 is not a foul just made");
    check("renju", rows, "w foul-a1", "2: a1 is not a foul just made");
    check("renju", rows, "b foul-i7", "2: i7 is not a foul just made");
    check("standard", rows, "w foul-i7", "2: i7 is not a foul just made");
    check(
        "renju",
        rows,
        "w foul-",
        "2: foul: it is empty; a point is a column a to o and a row 1 to 15, like h8",
    );
}

#[test]
fn the_guide_lists_every_variant_and_its_positions_are_valid() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gomoku.md");
    let guide = std::fs::read_to_string(path).expect(path);
    for info in crate::gomoku::INFO.variants {
        assert!(guide.contains(&format!("`{}`", info.id)), "{} is in {path}", info.id);
    }
    let examples: Vec<&str> = guide.lines().filter(|line| line.starts_with("15/")).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let game = read("renju-contest", example);
        assert_eq!(text_of(&game), example);
    }
}
