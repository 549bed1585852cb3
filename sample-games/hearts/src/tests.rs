//! Tests of the rules of hearts, of what is hidden, and of random hands.

mod boards;
mod play;
mod positions;
mod random_games;
mod views;

use super::*;

/// The hands of most tests. South has the two of clubs, and no seat has a void suit.
const SOUTH: &str = "A876.AK.K43.A432";
const WEST: &str = "KQ5.QJT.AQ5.KJ65";
const NORTH: &str = "J432.987.J72.Q97";
const EAST: &str = "T9.65432.T986.T8";

fn position(variant: &str, text: &str) -> Result<Hearts, PositionError> {
    Hearts::parse_position(&INFO.variant(variant).unwrap(), text)
}

/// The hand of most tests without a pass, after these cards.
fn after(played: &str) -> Hearts {
    let text = format!("{SOUTH}:{WEST}:{NORTH}:{EAST}:,,,:s{played}");
    position("no-pass", &text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn written(game: &Hearts, observer: Observer) -> String {
    let mut text = String::new();
    text::write(game, observer, &mut text);
    text
}

/// The legal moves of a seat, with spaces between.
fn moves(game: &Hearts, seat: u8) -> String {
    let mut moves = Vec::new();
    game.generate(Seat(seat), &mut moves);
    moves.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

/// Plays the moves of a seat or of chance, each as a text.
fn play(game: &mut Hearts, actor: Actor, moves: &[&str]) {
    for text in moves {
        let card = game.parse_move(actor, text).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        game.play(actor, &card);
    }
}

#[test]
fn the_manifest_declares_the_same() {
    let manifest = include_str!("../EngineConfigs.xml");
    let check = |expected: String| assert!(manifest.contains(&expected), "no {expected}");
    check(format!("id=\"{}\" name=\"{}\"", INFO.id, INFO.name));
    check(format!("sides=\"{}\"", INFO.sides.join(" ")));
    check(format!("move_texts=\"{}\"", INFO.move_texts));
    for variant in INFO.variants {
        check(format!("<Variant id=\"{}\" about=\"{}\"/>", variant.id, variant.about));
    }
}
