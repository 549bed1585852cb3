//! Tests of the rules: counts of moves, endings, refusals, position texts, SAN, boards.

mod boards;
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
