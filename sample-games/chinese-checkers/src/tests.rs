//! Tests of the rules, of the texts, and of random games.

mod boards;
mod endings;
mod play;
mod positions;
mod random_games;
mod slow;

use super::*;

/// The start of a variant, after pieces were put elsewhere, whatever the rules say: `e14>i9`.
fn arranged(variant: &str, changes: &str) -> ChineseCheckers {
    let mut game = ChineseCheckers::start(&INFO.variant(variant).unwrap());
    let hole = |text: &str| usize::from(star::read(text).unwrap_or_else(|| panic!("{text}")));
    for (from, to) in changes.split_whitespace().map(|it| it.split_once('>').unwrap()) {
        let piece = game.holes[hole(from)].take();
        assert!(piece.is_some() && game.holes[hole(to)].is_none(), "{from}>{to}");
        game.holes[hole(to)] = piece;
    }
    game
}

fn written(game: &ChineseCheckers) -> String {
    let mut text = String::new();
    game.write_position(&mut text);
    text
}

fn actor(game: &ChineseCheckers) -> Actor {
    game.next().first().expect("in progress")
}

/// Plays legal moves of the players to move.
fn play(game: &mut ChineseCheckers, moves: &str) {
    for text in moves.split_whitespace() {
        let actor = actor(game);
        let mv = game.parse_move(actor, text).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        game.play(actor, &mv);
    }
}

/// The legal moves of the player to move.
fn legal(game: &ChineseCheckers) -> Vec<Move> {
    let mut moves = Vec::new();
    game.generate(Seat(game.to_move), &mut moves);
    moves
}

/// The holes in which a move of the piece can end.
fn ends(game: &ChineseCheckers, from: &str) -> String {
    let texts = legal(game).into_iter().map(|mv| mv.to_string());
    let of_piece = texts.filter_map(|text| {
        let (begin, end) = text.split_once('-')?;
        (begin == from).then(|| end.to_owned())
    });
    of_piece.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_manifest_declares_the_same() {
    let manifest = include_str!("../EngineConfigs.xml");
    let check = |expected: String| assert!(manifest.contains(&expected), "no {expected}");
    check(format!("id=\"{}\" name=\"{}\"", INFO.id, INFO.name));
    check(format!("sides=\"{}\"", INFO.sides.join(" ")));
    check(format!("move_texts=\"{}\"", INFO.move_texts));
    for VariantInfo { id, about, seats, .. } in INFO.variants {
        let seats = seats.expect("a number");
        check(format!("<Variant id=\"{id}\" seats=\"{seats}\" about=\"{about}\"/>"));
    }
}

#[test]
fn the_star_has_six_triangles_around_a_hexagon() {
    let names = |triangle: Option<usize>| {
        let holes = (0..HOLES as u8).filter(|hole| star::triangle_of(*hole) == triangle);
        holes.map(star::name).collect::<Vec<_>>().join(" ")
    };
    let check = |triangle: usize, expected: &str| assert_eq!(names(Some(triangle)), expected);
    check(0, "e14 f14 g14 h14 e15 f15 g15 e16 f16 e17");
    check(1, "d10 c11 d11 b12 c12 d12 a13 b13 c13 d13");
    check(2, "e5 f5 g5 h5 e6 f6 g6 e7 f7 e8");
    check(3, "m1 l2 m2 k3 l3 m3 j4 k4 l4 m4");
    check(4, "n5 o5 p5 q5 n6 o6 p6 n7 o7 n8");
    check(5, "m10 l11 m11 k12 l12 m12 j13 k13 l13 m13");
    assert_eq!(names(None).split(' ').count(), 61);
}

#[test]
fn holes_have_names() {
    let check = |text: &str, expected: bool| assert_eq!(star::read(text).is_some(), expected);
    for hole in 0..HOLES as u8 {
        assert_eq!(star::read(&star::name(hole)), Some(hole));
    }
    check("m1", true);
    check("l1", false);
    check("n1", false);
    check("e17", true);
    check("e18", false);
    check("e0", false);
    check("e014", false);
    check("e+14", false);
    check("E14", false);
    check("r9", false);
    check("e", false);
    check("14", false);
    check("", false);
    check("é9", false);
}
