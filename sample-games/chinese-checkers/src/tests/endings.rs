//! Who arrives, when a game ends, and the scores.

use super::*;

/// Red's ten pieces in the upper triangle, and blue's in the lower one, except for these changes.
fn exchanged(changes: &str) -> ChineseCheckers {
    let mut game = arranged("two", "");
    for hole in &mut game.holes {
        *hole = hole.map(|seat| 1 - seat);
    }
    let hole = |text: &str| usize::from(star::read(text).unwrap());
    for (from, to) in changes.split_whitespace().map(|it| it.split_once('>').unwrap()) {
        game.holes[hole(to)] = game.holes[hole(from)].take();
    }
    game
}

fn check(game: &ChineseCheckers, moves: &str, expected: Option<(&[i32], &str)>) {
    let mut game = game.clone();
    play(&mut game, moves);
    let found = game.ending().map(|ending| (ending.scores, ending.reason.into_owned()));
    assert_eq!(found, expected.map(|(scores, reason)| (scores.to_vec(), reason.into())), "{moves}");
}

const FULL: &str = "the target triangle is full";
const LIMIT: &str = "the limit of 200 plies for each player";

#[test]
fn a_player_wins_with_its_pieces_in_the_target_triangle() {
    // The last piece of red steps in; before that, and with another move, the game goes on.
    let game = exchanged("m4>m5 e14>e13");
    check(&game, "", None);
    check(&game, "m5-m4", Some((&[1, -1], FULL)));
    check(&game, "m5-m6", None);
    check(&game, "m5-m6 e13-e14", Some((&[-1, 1], FULL)));
}

#[test]
fn pieces_that_stay_at_home_do_not_block() {
    // Blue has left one piece at j4; red fills the other nine holes.
    let game = exchanged("j4>i9 e14>j4 m4>m5");
    check(&game, "", None);
    check(&game, "m5-m4", Some((&[1, -1], FULL)));
    // The same triangle is not full with a hole in it.
    let game = exchanged("j4>i9 e14>h9 m4>m5");
    check(&game, "m5-m4", None);
    // A triangle that is full of other players' pieces alone is that of the start.
    check(&arranged("two", ""), "e14-e13", None);
    // Blue fills the last hole of red's triangle itself. Then red has arrived.
    let game = exchanged("j4>i9 e14>j5");
    check(&game, "i9-i8 j5-j4", Some((&[1, -1], FULL)));
}

#[test]
fn the_game_goes_on_until_the_places_are_decided() {
    // Red, green and blue play in the triangles 0, 2 and 4; red's target is the upper triangle.
    let mut game =
        arranged("three", "e14>m1 f14>l2 g14>m2 h14>k3 e15>l3 f15>m3 g15>j4 e16>k4 f16>l4 e17>m5");
    check(&game, "m5-m4", None);
    play(&mut game, "m5-m4");
    assert_eq!((&*game.arrived, game.to_move), (&[0][..], 1));
    // Red is left out from now on.
    play(&mut game, "e8-e9 n8-m8 e9-e10 m8-l8");
    assert_eq!(game.to_move, 1);
    // Blue's target is the lower right triangle. When blue has arrived, green is the last.
    let changes = "e5>m10 f5>l11 g5>m11 h5>k12 e6>l12 f6>m12 g6>j13 e7>k13 f7>l13 e10>m9";
    for (from, to) in changes.split(' ').map(|it| it.split_once('>').unwrap()) {
        let [from, to] = [from, to].map(|text| usize::from(star::read(text).unwrap()));
        game.holes[to] = game.holes[from].take();
    }
    // The hole m13 is still empty; with green in it, the triangle is full.
    check(&game, "m9-l9", None);
    let [from, to] = ["l8", "m13"].map(|text| usize::from(star::read(text).unwrap()));
    game.holes[to] = game.holes[from].take();
    check(&game, "m9-l9", Some((&[2, 0, -2], "all places are decided")));
}

#[test]
fn places_give_scores_that_add_up_to_0() {
    let check = |variant: &str, arrived: &[u8], changes: &str, expected: &[i32]| {
        let mut game = arranged(variant, changes);
        game.arrived = arrived.to_vec();
        assert_eq!(game.scores(), expected, "{variant} {arrived:?}");
        assert_eq!(expected.iter().sum::<i32>(), 0);
    };
    check("two", &[], "", &[0, 0]);
    check("two", &[0], "", &[1, -1]);
    check("two", &[1, 0], "", &[-1, 1]);
    check("three", &[2], "", &[-1, -1, 2]);
    check("three", &[2, 0], "", &[0, -2, 2]);
    // The number of pieces in the target counts for those that have not arrived.
    check("three", &[2], "e5>m10", &[-2, 0, 2]);
    check("three", &[2], "e5>m10 e14>m1", &[-1, -1, 2]);
    check("three", &[0], "e5>m10", &[2, 0, -2]);
    check("four", &[], "", &[0, 0, 0, 0]);
    check("four", &[3, 1], "", &[-2, 1, -2, 3]);
    check("six", &[5, 4, 3, 2, 1], "", &[-5, -3, -1, 1, 3, 5]);
    check("six", &[5], "", &[-1, -1, -1, -1, -1, 5]);
}

#[test]
fn a_game_ends_after_200_plies_for_each_player() {
    let mut game = arranged("two", "k4>i9 j4>h9 e14>k4");
    game.plies = 399;
    check(&game, "f14-f13", Some((&[1, -1], LIMIT)));
    game.plies = 398;
    check(&game, "f14-f13", None);
    // With equal numbers of pieces in the target triangles, it is a draw.
    let mut game = arranged("two", "");
    game.plies = 399;
    check(&game, "e14-e13", Some((&[0, 0], LIMIT)));
    let mut game = arranged("six", "");
    game.plies = 1199;
    check(&game, "e14-e13", Some((&[0; 6], LIMIT)));
}
