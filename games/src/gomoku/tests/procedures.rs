//! Opening procedures, step by step as in their rules: who decides, among how many moves, and which
//! moves are refused.

use super::{legal_moves, read, text_of, variant};
use crate::erased::{DynGame, Game};
use crate::gomoku::Gomoku;
use crate::rules::{Rules, Side};

/// `seat colour phase moves`: `1 white swap 2`.
fn state(game: &Gomoku) -> String {
    let seat = game.to_move();
    let (name, phase) = (game.side_name(Gomoku::side(seat)), game.phase().name());
    format!("{} {name} {phase} {}", seat.0, legal_moves(game).len())
}

/// Plays `state | move` line by line. Every position text must read back, and at the end all moves
/// are taken back.
#[track_caller]
fn walk(variant_text: &str, lines: &[&str], end: &str) -> Gomoku {
    let mut game = Gomoku::start(&variant(variant_text));
    let mut undos = Vec::new();
    for line in lines {
        let (expected, text) = line.split_once(" | ").expect("a state and a move");
        assert_eq!(state(&game), expected, "{variant_text} before {text}: {}", text_of(&game));
        reads_back(variant_text, &game);
        assert!(legal_moves(&game).iter().any(|legal| legal == text), "{text} is legal");
        let before = game.clone();
        let (_, undo) = game.play(text).unwrap_or_else(|refusal| panic!("{refusal}"));
        undos.push((before, undo));
    }
    assert_eq!(state(&game), end, "{variant_text}: {}", text_of(&game));
    reads_back(variant_text, &game);
    let mut back = game.clone();
    while let Some((before, undo)) = undos.pop() {
        back.unmake(undo);
        assert_eq!(back, before);
        assert_eq!(back.hash(), before.hash());
    }
    game
}

#[track_caller]
fn reads_back(variant_text: &str, game: &Gomoku) {
    let again = read(variant_text, &text_of(game));
    assert_eq!(&again, game);
    assert_eq!(again.hash(), game.hash());
}

/// The position after these moves.
#[track_caller]
pub(super) fn after(variant_text: &str, moves: &str) -> Gomoku {
    let mut game = Gomoku::start(&variant(variant_text));
    for mv in moves.split_whitespace() {
        game.play(mv).unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    game
}

/// Checks that after these moves, this one is refused for this reason.
#[track_caller]
fn refuse(variant_text: &str, moves: &str, text: &str, reason: &str) {
    let mut game = after(variant_text, moves);
    let before = game.clone();
    assert_eq!(game.play(text).expect_err("it is refused").reason, reason, "{moves} {text}");
    assert_eq!(game, before);
}

const PLACED: [&str; 3] =
    ["0 black opening 1 | h8", "0 black opening 8 | h9", "0 black opening 23 | i10"];

fn placed_and(more: &[&'static str]) -> Vec<&'static str> {
    PLACED.iter().chain(more).copied().collect()
}

#[test]
fn the_contest_opening_has_announcement_swap_offers_and_pick() {
    let with_swap = placed_and(&[
        "0 black announce 12 | fifths-3",
        "1 white swap 2 | swap",
        "0 white opening 222 | g7",
        "1 black offer 221 | a1",
        "1 black offer 220 | a2",
        "1 black offer 219 | o15",
        "0 white pick 3 | a2",
        "0 white play 221 | a1",
        "1 black play 220 | pass",
    ]);
    let game = walk("renju-contest", &with_swap, "0 white play 220");
    assert!(text_of(&game).ends_with("w swapped passed"));
    let kept = placed_and(&[
        "0 black announce 12 | fifths-1",
        "1 white swap 2 | keep",
        "1 white opening 222 | g7",
        "0 black offer 221 | a1",
        "1 white pick 1 | a1",
    ]);
    walk("renju-contest", &kept, "1 white play 221");
    walk("yamaguchi", &kept, "1 white play 221");
    walk("renju-contest:fifths=6", &placed_and(&[]), "0 black announce 6");
}

#[test]
fn in_rif_two_fifths_are_offered_without_announcement() {
    let lines = placed_and(&[
        "1 white swap 2 | keep",
        "1 white opening 222 | c3",
        "0 black offer 221 | g7",
        "0 black offer 220 | g8",
        "1 white pick 2 | g7",
    ]);
    walk("renju-rif", &lines, "1 white play 221");
}

#[test]
fn in_soosorv_white_announces_with_the_fourth_stone() {
    let lines = placed_and(&[
        "1 white swap 2 | swap",
        "0 white opening 222 | c3",
        "0 white announce 8 | fifths-2",
        "1 black swap 2 | swap",
        "0 black offer 221 | g7",
        "0 black offer 220 | g8",
        "1 white pick 2 | g8",
    ]);
    walk("soosorv-8", &lines, "1 white play 221");
}

#[test]
fn in_taraguchi_players_swap_after_each_stone_or_offer_ten() {
    const FOUR: [&str; 7] = [
        "0 black opening 1 | h8",
        "1 white swap 2 | keep",
        "1 white opening 8 | i9",
        "0 black swap 2 | swap",
        "1 black opening 23 | j10",
        "0 white swap 2 | swap",
        "1 white opening 46 | e5",
    ];
    let with = |more: &[&'static str]| FOUR.iter().chain(more).copied().collect::<Vec<_>>();
    let stones = ["0 black swap 3 | keep", "0 black opening 77 | d12", "1 white swap 2 | swap"];
    walk("taraguchi-10", &with(&stones), "0 white play 221");
    // The stones are on a diagonal: points mirrored by it are equivalent.
    let offers = [
        "0 black swap 3 | fifths-10",
        "0 black offer 221 | a1",
        "0 black offer 220 | a2",
        "0 black offer 218 | a3",
        "0 black offer 216 | a4",
        "0 black offer 214 | a5",
        "0 black offer 212 | a6",
        "0 black offer 210 | a7",
        "0 black offer 208 | a8",
        "0 black offer 206 | a9",
        "0 black offer 204 | a10",
        "1 white pick 10 | a5",
    ];
    walk("taraguchi-10", &with(&offers), "1 white play 221");
}

#[test]
fn in_swap_the_opponent_chooses_a_colour() {
    let lines = [
        "0 black opening 225 | a1",
        "0 black opening 224 | o15",
        "0 black opening 223 | h8",
        "1 white swap 2 | keep",
    ];
    walk("swap", &lines, "1 white play 222");
    let swapped = [lines[0], lines[1], lines[2], "1 white swap 2 | swap"];
    walk("swap", &swapped, "0 white play 222");
}

#[test]
fn in_swap2_two_more_stones_return_the_choice() {
    let placed = ["0 black opening 25 | a1", "0 black opening 24 | e5", "0 black opening 23 | c3"];
    let with = |more: &[&'static str]| placed.iter().chain(more).copied().collect::<Vec<_>>();
    walk("swap2-5", &with(&["1 white swap 3 | swap"]), "0 white play 22");
    walk("swap2-5", &with(&["1 white swap 3 | keep"]), "1 white play 22");
    let two = |last| {
        with(&[
            "1 white swap 3 | put-two",
            "1 white opening 22 | b2",
            "1 white opening 21 | d4",
            last,
        ])
    };
    walk("swap2-5", &two("0 black swap 2 | swap"), "0 white play 20");
    walk("swap2-5", &two("0 black swap 2 | keep"), "1 white play 20");
}

#[test]
fn moves_that_a_phase_does_not_allow_are_refused_with_a_reason() {
    refuse("renju-rif", "", "h9", "place the first stone on h8");
    refuse("renju-rif", "", "swap", "place the first stone on h8");
    refuse("renju-rif", "h8", "h10", "place a white stone from g7 to i9");
    refuse("renju-rif", "h8", "h8", "a black stone is on h8");
    refuse("renju-rif", "h8 h9", "k8", "place a black stone from f6 to j10");
    refuse("renju-rif", "h8 h9", "pass", "place a black stone from f6 to j10");
    refuse("renju-rif", "h8 h9 i10", "c3", "choose swap or keep");
    refuse("renju-rif", "h8 h9 i10", "put-two", "choose swap or keep");
    refuse("renju-rif", "h8 h9 i10 keep", "pass", "place a white stone");
    refuse("renju-rif", "h8 h9 i10 keep", "i10", "a black stone is on i10");
    refuse("renju-contest:fifths=6", "h8 h9 i10", "fifths-7", "announce fifths-1 to fifths-6");
    refuse("yamaguchi", "h8 h9 i10", "fifths-13", "announce fifths-1 to fifths-12");
    refuse("yamaguchi", "h8 h9 i10", "fifths-01", "announce fifths-1 to fifths-12");
    refuse("yamaguchi", "h8 h9 i10", "swap", "announce fifths-1 to fifths-12");
    refuse("soosorv-8", "h8 h9 i10 keep c3", "fifths-9", "announce fifths-1 to fifths-8");
    refuse("taraguchi-10", "h8 swap h9 keep i10 keep", "h12", "place a white stone from e5 to k11");
    refuse(
        "taraguchi-10",
        "h8 swap h9 keep i10 keep g8",
        "fifths-9",
        "choose swap, keep or fifths-10",
    );
    refuse("swap2", "a1 b1 c1", "h8", "choose swap, keep or put-two");
    refuse("swap", "a1 b1 c1", "put-two", "choose swap or keep");
    refuse("swap", "a1 b1 c1 keep", "swap", "there is nothing to decide; place a stone");
    refuse("swap", "a1 b1 c1 keep", "pass", "passing is not allowed in swap");
    refuse("freestyle", "", "pass", "passing is not allowed in freestyle");
    refuse("renju", "", "keep", "there is nothing to decide; place a stone");
}

#[test]
fn offers_must_not_be_equivalent() {
    // The stones h8 h9 h10 h7 are symmetric left to right.
    let four = "h8 h9 h10 fifths-3 keep h7";
    let offered = format!("{four} g8");
    let same = "by symmetry it is equivalent to g8, which is already offered";
    refuse("yamaguchi", &offered, "i8", same);
    refuse("yamaguchi", &offered, "g8", "g8 is already offered");
    refuse("yamaguchi", &offered, "h9", "a white stone is on h9");
    let number = "offer point 2 of 3 for the fifth stone";
    refuse("yamaguchi", &offered, "keep", number);
    let three = format!("{offered} g7 h11");
    refuse("yamaguchi", &three, "i8", "pick one of the offered points: g7 g8 h11");
    // With one stone off the line, the symmetry is gone.
    after("yamaguchi", "h8 h9 h10 fifths-3 keep i7 g8 i8");
}

#[test]
fn only_rif_ignores_the_board_in_symmetries() {
    // Equivalent by a half turn about the centre of the stones, not of the board.
    let swap = |variant: &str| if variant == "renju-rif" { "keep" } else { "fifths-2 keep" };
    let moves = |variant: &str| format!("h8 h9 i9 {} i8 g9", swap(variant));
    let refusal = "by symmetry it is equivalent to g9, which is already offered";
    refuse("renju-rif", &moves("renju-rif"), "j8", refusal);
    let mut game = after("yamaguchi", &moves("yamaguchi"));
    game.play("j8").expect("a different point on the board");
}

#[test]
fn after_defaults_leads_to_ordinary_play() {
    let check = |variant_text: &str, moves: &str, text: &str, expected: &str| {
        let game = after(variant_text, moves);
        let mv = game.parse_move(text).expect(text);
        let text = text_of(&game.after_defaults(mv));
        let (rows, words) = text.split_once(' ').expect("rows and words");
        let stones = rows.chars().filter(|c| "xo".contains(*c)).count();
        assert_eq!(format!("{stones} {words}"), expected, "{moves} {text}");
        reads_back(variant_text, &game.after_defaults(mv));
    };
    check("yamaguchi", "h8 h9", "i10", "3 w");
    check("yamaguchi", "h8 h9 i10", "fifths-3", "3 w");
    check("yamaguchi", "h8 h9 i10 fifths-3", "swap", "3 w swapped");
    check("yamaguchi", "h8 h9 i10 fifths-3", "keep", "3 w");
    check("yamaguchi", "h8 h9 i10 fifths-3 swap", "c3", "4 b swapped");
    check("yamaguchi", "h8 h9 i10 fifths-3 swap c3", "d4", "5 w swapped");
    check("yamaguchi", "h8 h9 i10 fifths-1 keep c3 d4", "d4", "5 w");
    check("swap2", "a1 b1 c1", "put-two", "3 w");
    check("renju", "h8", "pass", "1 b passed");
    let game = after("yamaguchi", "h8 h9 i10 fifths-3 swap c3 d4");
    assert!(text_of(&game.without_procedure()).ends_with(" b swapped"));
}

#[test]
fn a_swap_changes_the_colours_of_the_seats() {
    let set_up = || Game::<Gomoku>::set_up(&variant("swap-5"), None).expect("it begins");
    let play = |game: &mut Box<dyn DynGame>, moves: &str| {
        moves.split(' ').for_each(|mv| drop(game.play(mv).expect(mv)));
    };
    let mut game = set_up();
    play(&mut game, "a1 a2 b1 swap");
    assert_eq!([Side(0), Side(1)].map(|side| game.side_name(side)), ["white", "black"]);
    // Seat 1 now plays black and wins.
    play(&mut game, "b2 c1 c2 d1 d3 e1");
    assert_eq!(game.winner(), Some(Side(1)));
    assert_eq!(game.take_back(100), 10);
    assert_eq!(game.position(), set_up().position());
}

#[test]
fn hashes_differ_by_procedure_state() {
    let rows = "15/15/15/15/15/8x6/7o7/7x7/15/15/15/15/15/15/15";
    let four = rows.replacen("15", "o14", 1);
    let texts = [
        format!("{rows} w"),
        format!("{rows} w swapped"),
        format!("{rows} w announce"),
        format!("{rows} w fifths-2 swap"),
        format!("{rows} w fifths-3 swap"),
        format!("{rows} w fifths-2 opening"),
        format!("{rows} w swapped fifths-2 opening"),
        format!("{rows} w passed"),
        format!("{four} b fifths-2 offer"),
        format!("{four} b fifths-2 offer a1"),
        format!("{four} b fifths-2 offer a2"),
        format!("{four} b fifths-2 pick a1,a2"),
        format!("{four} b fifths-2 pick a1,a3"),
    ];
    let hash = |text: &String| read("yamaguchi", text).hash();
    let hashes: std::collections::BTreeSet<u64> = texts.iter().map(hash).collect();
    assert_eq!(hashes.len(), texts.len());
    // The order of offers is irrelevant.
    let two = |offers| read("yamaguchi", &format!("{four} b fifths-2 pick {offers}"));
    assert_eq!(two("a1,a2"), two("a2,a1"));
    // What may be announced changes the continuation, but only before the announcement.
    let hash = |variant_text, text: &str| read(variant_text, text).hash();
    let announce = format!("{rows} w announce");
    let other = hash("renju-contest:fifths=6", &announce);
    assert_ne!(other, hash("renju-contest", &announce));
    assert_eq!(hash("renju", &texts[0]), hash("renju-rif", &texts[0]));
}
