//! Tests of the rules: counts of moves, endings, refusals, position texts, SAN.

mod endings;
mod notation;
mod perft;
mod positions;
mod random_games;
mod refusals;

use sandboard_game_sdk::games::DynGame;
use sandboard_game_sdk::games::general::Observer;

use super::*;

fn variant(text: &str) -> Variant {
    INFO.variant(text).unwrap()
}

/// A position of a variant; an empty text is the start position.
fn position(id: &str, text: &str) -> Chess {
    match text {
        "" => Chess::start(&variant(id)),
        text => Chess::parse_position(&variant(id), text).unwrap_or_else(|e| panic!("{text}: {e}")),
    }
}

/// A game as a host plays it, after these moves.
fn game(id: &str, text: &str, moves: &str) -> Box<dyn DynGame> {
    let text = Some(text).filter(|text| !text.is_empty());
    let mut game = (INFO.new)(&variant(id), text).unwrap();
    for mv in moves.split_whitespace() {
        game.play(mv)
            .unwrap_or_else(|refusal| panic!("{refusal}\n{}", game.diagram(Observer::Everything)));
    }
    game
}

fn legal(position: &Chess) -> Vec<Move> {
    let mut moves = Vec::new();
    position.generate(MoveSet::All, &mut moves);
    moves
}

fn position_text(position: &Chess) -> String {
    let mut text = String::new();
    position.write_position(&mut text);
    text
}

fn move_text(position: &Chess, mv: Move) -> String {
    let mut text = String::new();
    position.write_move(mv, &mut text);
    text
}

#[test]
fn the_manifest_declares_the_same() {
    let manifest = include_str!("../EngineConfigs.xml");
    let check = |expected: String| assert!(manifest.contains(&expected), "no {expected}");
    check(format!("id=\"{}\" name=\"{}\"", INFO.id, INFO.name));
    check(format!("sides=\"{}\" adjudicates=\"{}\"", INFO.sides.join(" "), INFO.adjudicates));
    check(format!("move_texts=\"{}\"", INFO.move_texts));
    for variant in INFO.variants {
        check(format!("<Variant id=\"{}\" about=\"{}\"/>", variant.id, variant.about));
    }
}

#[test]
fn the_diagram_marks_the_last_move() {
    let check = |id: &str, text: &str, moves: &str, expected: &str| {
        let board = game(id, text, moves).diagram(Observer::Everything);
        let lines: Vec<&str> = board.lines().map(str::trim_end).collect();
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(lines, expected, "{board}");
    };
    check(
        "standard",
        "",
        "e4",
        "8  r  n  b  q  k  b  n  r\n7  p  p  p  p  p  p  p  p\n6  .  .  .  .  .  .  .  .\n\
         5  .  .  .  .  .  .  .  .\n4  .  .  .  . [P] .  .  .\n3  .  .  .  .  .  .  .  .\n\
         2  P  P  P  P [.] P  P  P\n1  R  N  B  Q  K  B  N  R\n   a  b  c  d  e  f  g  h",
    );
    let empty = |ranks: std::ops::RangeInclusive<u8>| {
        ranks.rev().map(|rank| format!("{rank}  .  .  .  .  .  .  .  .\n")).collect::<String>()
    };
    let files = "   a  b  c  d  e  f  g  h";
    let castled = "1  .  .  .  . [.] R [K] .\n";
    let kings = "8  .  .  .  .  k  .  .  .\n";
    check(
        "standard",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "O-O",
        &format!("{kings}{}{castled}{files}", empty(2..=7)),
    );
    // The king castles to the square of its rook: only the king is marked.
    let castled = "1  .  .  .  .  . [R][K] .\n";
    check(
        "chess960",
        "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
        "f1g1",
        &format!("{kings}{}{castled}{files}", empty(2..=7)),
    );
}

#[test]
fn move_codes_are_unique() {
    use sandboard_game_sdk::games::MoveCode;
    for code in (0..=1 << 17).chain([u32::MAX]) {
        if let Some(mv) = Move::from_code(code) {
            assert_eq!(mv.code(), code, "{mv:?}");
            assert_eq!(Move::from(BoardMove::from(mv)), mv);
        }
    }
    assert_eq!(Move::from_code(0), None);
    assert_eq!((0..=1 << 17).filter(|code| Move::from_code(*code).is_some()).count(), 64 * 63 * 5);
}
