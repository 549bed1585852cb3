//! Moves: counts of the first plies, steps, jumps, and texts that are refused.

use sandboard_game_sdk::games::general::GeneralGame;

use super::*;

/// From the start each piece of the front row has two steps, and each of the six pieces behind it
/// that can jump over the front row has its own hole to land in: e15 over e14 to e13, and over f14
/// to g13, and so on. That is 8 + 6. The first move of one player gives no other one more.
#[test]
fn the_first_moves_are_eight_steps_and_six_jumps() {
    let game = arranged("two", "");
    assert_eq!(ends(&game, "e14"), "e13 f13");
    assert_eq!(ends(&game, "h14"), "h13 i13");
    assert_eq!(ends(&game, "e15"), "e13 g13");
    assert_eq!(ends(&game, "g15"), "g13 i13");
    assert_eq!(ends(&game, "e16"), "");
    let check = |variant: &str, expected: [u64; 3]| {
        let variant = INFO.variant(variant).unwrap();
        let game = GeneralGame::<ChineseCheckers>::set_up(&variant, None).unwrap();
        assert_eq!([0, 1, 2].map(|depth| game.perft(depth)), expected, "{}", variant.text());
    };
    check("two", [1, 14, 196]);
    check("three", [1, 14, 196]);
}

/// The numbers of plies beyond those that are counted by hand agree with the slow search.
#[test]
fn counts_agree_with_a_slow_search() {
    fn slow(game: &ChineseCheckers, depth: u32) -> u64 {
        let texts = slow::legal_texts(game);
        if depth == 1 {
            return texts.len() as u64;
        }
        let after = |text: &String| {
            let mut after = game.clone();
            play(&mut after, text);
            slow(&after, depth - 1)
        };
        texts.iter().map(after).sum()
    }
    for info in INFO.variants {
        let variant = INFO.variant(info.id).unwrap();
        let game = GeneralGame::<ChineseCheckers>::set_up(&variant, None).unwrap();
        let expected = slow(&arranged(info.id, ""), 2);
        assert_eq!(game.perft(2), expected, "{}", info.id);
    }
}

#[test]
fn the_players_move_clockwise() {
    let check = |variant: &str, moves: &str, expected: &[u8]| {
        let mut game = arranged(variant, "");
        let mut order = vec![game.to_move];
        for mv in moves.split(' ') {
            play(&mut game, mv);
            order.push(game.to_move);
        }
        assert_eq!(order, expected, "{variant}");
    };
    check("two", "e14-e13 m4-m5", &[0, 1, 0]);
    check("three", "e14-e13 e8-e9 n8-m8", &[0, 1, 2, 0]);
    check("four", "e14-e13 d13-e12 m4-m5 n5-m6", &[0, 1, 2, 3, 0]);
}

#[test]
fn pieces_step_and_jump() {
    let check = |changes: &str, from: &str, expected: &str| {
        assert_eq!(ends(&arranged("two", changes), from), expected, "{changes}");
    };
    // Alone in the middle: the six neighbours.
    check("e14>i9", "i9", "i8 j8 h9 j9 h10 i10");
    // Over a piece of the other player, and one of its own.
    check("e14>i9 m4>j9", "i9", "i8 j8 h9 k9 h10 i10");
    check("e14>i9 f14>j9", "i9", "i8 j8 h9 k9 h10 i10");
    // Two pieces in a row cannot be jumped over.
    check("e14>i9 f14>j9 g14>k9", "i9", "i8 j8 h9 h10 i10");
    // A chain, over pieces of both, with a turn. From k9 the piece at k8 leads to k7.
    check("e14>i9 f14>j9 m4>k8", "i9", "k7 i8 j8 h9 k9 h10 i10");
    // No jump follows a step.
    check("e14>i9 f14>k9", "i9", "i8 j8 h9 j9 h10 i10");
    // A ring of jumps ends where it began, which is no move, and each hole is listed once.
    check("e14>i9 f14>j9 g14>k8 h14>j8", "i9", "k7 i8 h9 k9 h10 i10");
}

#[test]
fn jumps_may_go_through_a_foreign_triangle_and_end_there() {
    // d11 belongs to no player of the variant; a jump over d10 ends at d9, which is no hole.
    let game = arranged("two", "e14>e11 f14>e10");
    assert_eq!(ends(&game, "e11"), "e9 f10 d11 f11 d12 e12");
    // Over d12 to c13, and on over c12 to c11.
    let game = arranged("two", "e14>e11 f14>d12 g14>c12");
    assert_eq!(ends(&game, "e11"), "e10 f10 c11 d11 f11 e12 c13");
}

#[test]
fn a_piece_in_its_target_triangle_stays_there() {
    // Red's target is the upper triangle, whose lowest row is j4 to m4; k5 is outside.
    let game = arranged("two", "k4>i9 e14>k4 j4>h9");
    assert_eq!(ends(&game, "k4"), "j4");
    let refused = |game: &ChineseCheckers, text: &str| game.parse_move(actor(game), text);
    let stays = Err("a piece in its target triangle stays there".to_owned());
    assert_eq!(refused(&game, "k4-k5"), stays);
    // Nor does it leave by a jump, over k5 to k6, to come back by another, over l5 to m4.
    let around = "k4>i9 l3>k5 l4>h9 m4>l5";
    let game = arranged("two", &format!("{around} e14>k4"));
    assert_eq!((ends(&game, "k4"), refused(&game, "k4-k6")), ("l3 l4".into(), stays));
    let game = arranged("two", &format!("{around} e14>k6"));
    assert_eq!(ends(&game, "k6"), "k4 m4 j6 l6 j7 k7");
    // A piece that is not at home yet may go anywhere.
    let game = arranged("two", "k4>i9 e14>k5 j4>h9");
    assert_eq!(ends(&game, "k5"), "k4 j5 l5 j6 k6");
}

#[test]
fn other_texts_are_refused_with_a_reason() {
    let check = |text: &str, expected: &str| {
        let game = arranged("two", "");
        assert_eq!(game.parse_move(Actor::Seat(Seat(0)), text), Err(expected.into()), "{text}");
    };
    check("e14-g12", "no step or jump leads from e14 to g12");
    check("e17-e16", "e16 is not empty");
    check("m4-m5", "the piece on m4 is blue, and red is to move");
    check("i9-i8", "i9 is empty");
    check("e14-e14", "the piece would not move");
    check("pass", "only a player without a move may pass");
    let form = "a move is two holes of the star, such as e14-e13, or pass";
    check("", form);
    check("e14", form);
    check("e14e13", form);
    check("e14-e13-e12", form);
    check("e14-d14", form);
    check("E14-E13", form);
    let other = arranged("two", "").parse_move(Actor::Seat(Seat(1)), "m4-m5");
    assert_eq!(other, Err("it is another player's turn".into()));
}

#[test]
fn a_player_without_a_move_passes() {
    // All of red at the left of the star, walled in by blue would need more than ten pieces; so
    // this is the corner of one piece, with the others in a position that no game reaches.
    let mut game = arranged("two", "");
    game.holes = [None; HOLES];
    let hole = |text: &str| usize::from(star::read(text).unwrap());
    game.holes[hole("e17")] = Some(0);
    for text in ["e16", "f16", "e15", "g15"] {
        game.holes[hole(text)] = Some(1);
    }
    assert_eq!(legal(&game), [Move::Pass]);
    play(&mut game, "pass");
    assert_eq!((game.to_move, game.plies), (1, 1));
    // With one piece less behind the wall, it jumps.
    game.to_move = 0;
    game.holes[hole("g15")] = None;
    assert_eq!(ends(&game, "e17"), "g15");
    let refused = game.parse_move(Actor::Seat(Seat(0)), "pass");
    assert_eq!(refused, Err("only a player without a move may pass".into()));
}
