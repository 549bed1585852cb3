//! Tests of reversi: the rules case by case, each with a near miss. Texts are in `texts`, random
//! games and boards in `properties`, a slow reference implementation in `reference`.

mod properties;
mod reference;
mod texts;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Color, INFO, Move, Reversi, Square};
use crate::info::Variant;
use crate::perft;
use crate::rules::{MoveSet, Rules};

fn variant(text: &str) -> Variant {
    INFO.variant(text).expect("a variant")
}

/// Reads a position whose rows are separated by spaces.
fn read(position: &str) -> Reversi {
    let (rows, side) = position.rsplit_once(' ').expect("rows and side");
    let text = format!("{} {side}", rows.replace(' ', ""));
    Reversi::parse_position(&variant("standard"), &text).expect("a position")
}

fn text_of(game: &Reversi) -> String {
    let mut text = String::new();
    game.write_position(&mut text);
    text
}

fn generated(game: &Reversi, set: MoveSet) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(set, &mut moves);
    moves.iter().map(Move::to_string).collect()
}

/// Plays one move and compares the resulting position.
#[track_caller]
fn check_move(position: &str, mv: &str, expected: &str) {
    let mut game = read(position);
    game.play(mv).expect("a legal move");
    assert_eq!(text_of(&game), text_of(&read(expected)), "{position}, {mv}");
}

/// Checks that a move is refused for this reason.
#[track_caller]
fn check_refused(position: &str, mv: &str, expected: &str) {
    let mut game = read(position);
    let before = game.clone();
    let refusal = game.play(mv).expect_err("not a legal move");
    assert_eq!(refusal.reason, expected, "{position}, {mv}");
    assert_eq!(game, before);
}

#[test]
fn enclosed_discs_flip_in_all_directions() {
    // From the centre in all eight directions, runs of one and two.
    let star = "X--X--X- -O-O-O-- --OOO--- XOO-OO-X --OOO--- -O-O-O-- X--X--X- -------- X";
    let flipped = "X--X--X- -X-X-X-- --XXX--- XXXXXXXX --XXX--- -X-X-X-- X--X--X- -------- O";
    let open = "X--X--X- -O-O-O-- --OOO--- XOO-OOO- --OOO--- -O-O-O-- X--X--X- -------- X";
    let but_right = "X--X--X- -X-X-X-- --XXX--- XXXXOOO- --XXX--- -X-X-X-- X--X--X- -------- O";
    let star = star.replace("XOO-OO-X", "XOO-OOOX");
    check_move(&star, "d4", flipped);
    // To the right the line ends on an empty square, not on an own disc.
    check_move(open, "d4", but_right);
    // The same lines with exchanged colours.
    let colors = |text: &str| text.replace('X', "?").replace('O', "X").replace('?', "O");
    check_move(&colors(&star), "d4", &colors(flipped));
}

#[test]
fn enclosed_lines_have_no_gaps_and_do_not_wrap() {
    // A run, a run with a gap, and runs with a wrong end.
    check_move(
        "XOO----- X------- -------- -------- -------- -------- -------- -------- X",
        "d1",
        "XXXX---- X------- -------- -------- -------- -------- -------- -------- O",
    );
    let none = |square: &str| format!("a disc on {square} would flip nothing");
    let one_line = |row: &str| {
        format!("{row} -------- ---XO--- -------- -------- -------- -------- -------- X")
    };
    check_refused(&one_line("XO-O----"), "e1", &none("e1"));
    check_refused(&one_line("-OO-----"), "d1", &none("d1"));
    check_refused(&one_line("XXX-----"), "d1", &none("d1"));
    // The end of a row is not next to the start of the next one.
    let wraps = "-----XOO -------- ---XO--- -------- -------- -------- -------- -------- X";
    check_refused(wraps, "a2", &none("a2"));
    let wraps = "-------- OOX----- ---XO--- -------- -------- -------- -------- -------- X";
    check_refused(wraps, "h1", &none("h1"));
    // Lines that run to the edges.
    check_move(
        "-OOOOOOX O------- O------- O------- O------- O------- O------- X------- X",
        "a1",
        "XXXXXXXX X------- X------- X------- X------- X------- X------- X------- O",
    );
    check_move(
        "X------- -O------ --O----- ---O---- ----O--- -----O-- ------O- -------- X",
        "h8",
        "X------- -X------ --X----- ---X---- ----X--- -----X-- ------X- -------X O",
    );
}

#[test]
fn lines_do_not_wrap_on_the_largest_board() {
    let row = |text: &str| format!("{text}{}", "-".repeat(16 - text.len()));
    let right = |text: &str| format!("{}{text}", "-".repeat(16 - text.len()));
    let board = |rows: &[String]| {
        let rest = vec!["-".repeat(16); 16 - rows.len()];
        [rows, &rest[..]].concat().join(" ")
    };
    let middle = row("---XO");
    check_move(
        &format!("{} X", board(&[right("XOO-"), row("OOX"), middle.clone()])),
        "p1",
        &format!("{} O", board(&[right("XXXX"), row("OOX"), middle.clone()])),
    );
    // The end of a row is not next to the start of the next one.
    let split = [right("XOO"), row("-"), middle];
    check_refused(&format!("{} X", board(&split)), "a2", "a disc on a2 would flip nothing");
}

#[test]
fn games_start_with_four_discs_crosswise() {
    let check = |text: &str, expected: &str, moves: &[&str]| {
        let game = Reversi::start(&variant(text));
        assert_eq!(game, read(expected), "{text}");
        assert_eq!(generated(&game, MoveSet::All), moves, "{text}");
    };
    check("standard-4", "---- -OX- -XO- ---- X", &["b1", "a2", "d3", "c4"]);
    check("standard-6", "------ ------ --OX-- --XO-- ------ ------ X", &["c2", "b3", "e4", "d5"]);
    let eight = "-------- -------- -------- ---OX--- ---XO--- -------- -------- -------- X";
    check("standard", eight, &["d3", "c4", "f5", "e6"]);
    check("standard-8", eight, &["d3", "c4", "f5", "e6"]);
    let [d4, e4] = [(3, 3), (4, 3)].map(|(column, row)| Square::new(column, row).unwrap());
    let game = Reversi::start(&variant("standard"));
    assert_eq!((game.disc_at(d4), game.disc_at(e4)), (Some(Color::White), Some(Color::Black)));
    assert_eq!(game.discs(), Some((1 << e4.bit() | 1 << 35, 1 << d4.bit() | 1 << 36)));
    assert_eq!(game.moves(), Some(1 << 19 | 1 << 26 | 1 << 37 | 1 << 44));
    assert_eq!(Reversi::start(&variant("standard-6")).discs(), None);
}

#[test]
fn only_even_sizes_are_played() {
    for size in 4..=16 {
        let text = format!("standard-{size}");
        assert_eq!(INFO.variant(&text).is_ok(), size % 2 == 0, "{text}");
    }
    let error = INFO.variant("standard-7").expect_err("an odd size").to_string();
    let known = "standard, standard-4, standard-6 to standard-16";
    assert_eq!(error, format!("reversi has no variant `standard-7`; it has {known}"));
    assert!(INFO.variant("standard-18").is_err() && INFO.variant("standard-2").is_err());
}

#[test]
fn a_side_passes_exactly_if_it_cannot_move() {
    let stuck = "XO-- ---- ---- ---- O";
    check_refused(stuck, "a2", "white cannot place a disc and must pass");
    check_refused(stuck, "a1", "a black disc is on a1");
    check_move(stuck, "pass", "XO-- ---- ---- ---- X");
    assert_eq!(generated(&read(stuck), MoveSet::All), ["pass"]);
    let free = "XO-- ---- ---- ---- X";
    check_refused(free, "pass", "black can place a disc and must not pass");
    check_move(free, "c1", "XXX- ---- ---- ---- O");
    assert_eq!(generated(&read(free), MoveSet::All), ["c1"]);
}

#[test]
fn the_game_ends_when_neither_side_can_move() {
    let check = |position: &str, expected: &str| {
        let game = read(position);
        let found = game.outcome().map_or("-".to_owned(), |outcome| {
            let winner = outcome.winner.map_or("draw", |side| game.side_name(side));
            format!("{winner} {}: {}", outcome.score, outcome.reason)
        });
        assert_eq!(found, expected, "{position}");
        assert_eq!(generated(&game, MoveSet::All).is_empty(), game.outcome().is_some());
    };
    check("XXXX XXXX OOOO OOOO X", "draw 0: board full");
    check("XXXX XXXX XOOO OOOO O", "black 2: board full");
    check("XXXX XXXO OOOO OOOO O", "white -2: board full");
    check("XXXX XXXX OOOO OOO- X", "-");
    check("XXXX XXXX OOOO OOO- O", "-");
    // Empty squares count for the winner; in a draw they count for neither side.
    check("X--X ---- ---- O--- X", "black 14: neither side can move");
    check("X--- ---- ---- O--O O", "white -14: neither side can move");
    check("X--X ---- ---- O--O X", "draw 0: neither side can move");
    // One colour has no discs left.
    check("XXX- ---- ---- ---- O", "black 16: neither side can move");
    check("---- ---- --O- ---- X", "white -16: neither side can move");
    check("---- ---- ---- ---- X", "draw 0: neither side can move");
    // One side still has a move, after a pass of the other.
    check("XO-- ---- ---- ---- O", "-");
    let over = "XXX- ---- ---- ---- O";
    check_refused(over, "d1", "the game is over: neither side can move");
    check_refused(over, "pass", "the game is over: neither side can move");
}

#[test]
fn noisy_moves_are_corners_and_the_forced_pass() {
    let check = |position: &str, expected: &[&str]| {
        assert_eq!(generated(&read(position), MoveSet::Noisy), expected, "{position}");
    };
    check("---- -OX- -XO- ---- X", &[]);
    check("-OX- -O-- -OX- ---- X", &["a1"]);
    check("-OX- -OX- -OX- -OX- X", &["a1", "a4"]);
    check("XO-- ---- ---- ---- X", &[]);
    check("XO-- ---- ---- ---- O", &["pass"]);
    check("XXX- ---- ---- ---- O", &[]);
}

#[test]
fn discs_must_not_overlap() {
    let start = Reversi::start(&variant("standard"));
    let (own, opponent) = start.discs().unwrap();
    assert_eq!(Reversi::from_discs(own, opponent, Color::Black), Some(start));
    assert_eq!(Reversi::from_discs(own, own | opponent, Color::Black), None);
}

#[test]
fn a_move_has_at_most_8_bytes() {
    assert!(size_of::<Move>() <= 8);
    for bit in 0..64 {
        let square = Square::from_bit(bit);
        assert_eq!(
            (square.bit(), square.column(), square.row()),
            (bit, bit as u8 % 8, bit as u8 / 8)
        );
        assert_eq!(Move::from_bit(bit), square.into());
    }
}

#[test]
fn perft_to_the_published_depths() {
    const FIXTURE: &str = include_str!("../../../tests/fixtures/reversi/perft.json");
    let fixture: Value = serde_json::from_str(FIXTURE).expect("the fixture is JSON");
    let published = &fixture["records"][0];
    assert_eq!(published["variant"], "standard");
    // The conformance test goes to depth 9.
    let mut depths = vec![10, 11];
    depths.extend(std::env::var_os("SLOW").map(|_| 12));
    for depth in depths {
        let games = perft(&mut Reversi::start(&variant("standard")), depth);
        assert_eq!(published["perft"][depth.to_string()], games, "depth {depth}");
    }
}

#[test]
fn hashes_of_different_positions_differ() {
    let check = |start: &Reversi, depth: u32| {
        let mut seen = HashMap::new();
        let mut layer = HashSet::from([text_of(start)]);
        for _ in 0..depth {
            let mut next = HashSet::new();
            for text in &layer {
                let game = Reversi::parse_position(&start.variant(), text).unwrap();
                let other = seen.insert(game.hash(), text.clone());
                assert!(other.as_ref().is_none_or(|other| other == text), "{other:?} and {text}");
                for mv in generated(&game, MoveSet::All) {
                    let mut after = game.clone();
                    after.play(&mv).unwrap();
                    next.insert(text_of(&after));
                }
            }
            layer = next;
        }
        assert!(seen.len() > 1000, "{}", seen.len());
    };
    check(&Reversi::start(&variant("standard")), 8);
    check(&Reversi::start(&variant("standard-6")), 7);
    check(&Reversi::start(&variant("standard-16")), 7);
    // The side to move and the size change the hash.
    let [black, white] = ["X", "O"].map(|side| read(&format!("---- -OX- -XO- ---- {side}")));
    assert_ne!(black.hash(), white.hash());
    let empty = |size: usize| read(&format!("{} X", "-".repeat(size * size))).hash();
    let hashes: HashSet<u64> = (4..=16).step_by(2).map(empty).collect();
    assert_eq!(hashes.len(), 7);
}
