//! Repetition rule by rule: attacks in the sense of a chase, each with a near miss, and the
//! verdicts on cycles.

use super::{read, variant};
use crate::rules::{Rules, Side};
use crate::xiangqi::chase::attacked;
use crate::xiangqi::{Color, Xiangqi};

/// Checks which points red attacks.
#[track_caller]
fn check(position: &str, expected: &str) {
    let mut game = read(position);
    let slots = attacked(&mut game.board, Color::Red);
    let of = (0..32).filter(|slot| slots >> slot & 1 != 0);
    let mut points: Vec<String> = of.map(|slot| game.board.square_of(slot).to_string()).collect();
    points.sort();
    assert_eq!(points.join(" "), expected, "{position}");
}

/// Also checks black's attacks on the rotated board with exchanged colours.
#[track_caller]
fn check_both(position: &str, expected: &str) {
    check(position, expected);
    let mut game = read(position);
    let mut rotated = crate::xiangqi::board::Board::new(Color::Red);
    for (mut piece, square) in read(position).pieces() {
        piece.color = piece.color.other();
        rotated.put(piece, square.rotated());
    }
    game.board = rotated;
    let slots = attacked(&mut game.board, Color::Black);
    let of = (0..32).filter(|slot| slots >> slot & 1 != 0);
    let mut points: Vec<String> =
        of.map(|slot| game.board.square_of(slot).rotated().to_string()).collect();
    points.sort();
    assert_eq!(points.join(" "), expected, "{position} turned");
}

#[test]
fn protected_pieces_are_not_attacked() {
    check_both("3k5/9/9/9/R1n6/9/9/9/9/4K4 w", "c5");
    check_both("2rk5/9/9/9/R1n6/9/9/9/9/4K4 w", "");
    // A pinned protector does not count.
    check_both("3k5/9/9/9/R1nr5/9/9/9/9/4K4 w", "");
    check_both("3k5/9/9/9/R1nr5/9/9/9/9/3RK4 w", "c5");
    // A cannon protects through the attacker's point only if there is a screen.
    check_both("3k5/9/9/9/R1n1p1c2/9/9/9/9/4K4 w", "");
    check_both("3k5/9/9/9/R1n3c2/9/9/9/9/4K4 w", "c5");
    // The king protects points that it may move to.
    check_both("9/3k5/R2n5/9/9/9/9/9/9/4K4 w", "");
    check_both("9/3k5/R2n5/9/9/9/9/9/3R5/4K4 w", "d7");
}

#[test]
fn horses_and_cannons_attack_protected_rooks() {
    check_both("3kr4/9/9/9/C1P1r4/9/9/9/9/5K3 w", "e5");
    check_both("3kr4/9/9/9/C1P1n4/9/9/9/9/5K3 w", "");
    check_both("3kr4/9/9/9/R3r4/9/9/9/9/5K3 w", "");
    check_both("3kr4/9/9/9/4r4/2N6/9/9/9/5K3 w", "e5");
    check_both("3kr4/9/9/9/4r4/2Np5/9/9/9/5K3 w", "");
    check_both("3kr4/9/9/9/4c4/2N6/9/9/9/5K3 w", "");
}

#[test]
fn advisors_and_elephants_attack_protected_rooks_horses_and_cannons() {
    check_both("3r1k3/9/9/9/9/9/9/3c5/4A4/4K4 w", "d2");
    check_both("3r1k3/9/9/9/9/9/9/3p5/4A4/4K4 w", "");
    check_both("5kr2/9/9/9/9/6n2/9/4B4/9/4K4 w", "g4");
    check_both("5kr2/9/9/9/9/6n2/5p3/4B4/9/4K4 w", "");
    check_both("5kr2/9/9/9/9/6r2/9/4B4/9/4K4 w", "g4");
}

#[test]
fn pawns_are_attacked_only_after_crossing_the_river() {
    check_both("3k5/9/9/9/9/R1p6/9/9/9/4K4 w", "c4");
    check_both("3k5/9/9/9/R1p6/9/9/9/9/4K4 w", "");
}

#[test]
fn kings_and_pawns_may_chase_and_kings_are_not_chased() {
    check_both("3k5/9/9/1nP6/9/9/9/9/9/4K4 w", "");
    check_both("3k5/9/9/1nR6/9/9/9/9/9/4K4 w", "b6");
    check_both("5k3/9/9/9/9/9/9/3n5/3K5/9 w", "");
    check_both("5k3/9/9/9/9/9/9/3n5/4A4/4K4 w", "d2");
    check_both("3k5/9/9/9/3R5/9/9/9/9/4K4 b", "");
}

#[test]
fn pinned_pieces_attack_only_the_pinning_piece() {
    check_both("3k5/4r4/9/9/9/1n2R4/9/9/9/4K4 w", "");
    check_both("3k5/5r3/9/9/9/1n2R4/9/9/9/4K4 w", "b4");
    check_both("3k5/9/9/9/9/9/4c4/1n2R4/4A4/4K4 w", "e3");
    check_both("3k5/9/9/9/9/9/6c2/1n2R4/4A4/4K4 w", "b2");
}

#[test]
fn equal_pieces_do_not_attack_each_other_unless_one_cannot_capture() {
    check_both("3k5/9/9/9/r7R/9/9/9/9/4K4 w", "");
    check_both("3k5/9/9/9/3r4R/9/9/9/9/3RK4 w", "d5");
    // The leg of the attacked horse is blocked, or free.
    check_both("3k5/9/9/9/3Pn4/2N6/9/9/9/4K4 w", "e5");
    check_both("3k5/9/9/9/4n4/2N6/9/9/9/4K4 w", "");
}

/// Checks the verdict on a cycle of moves that is played twice.
#[track_caller]
fn check_cycle(position: &str, cycle: &str, expected: (Option<Side>, &str)) {
    let mut game = Xiangqi::parse_position(&variant(), position).expect("a position");
    for (mv, round) in cycle.split(' ').cycle().zip(0..2 * cycle.split(' ').count()) {
        assert_eq!(game.outcome(), None, "{round} plies of {position}");
        game.play(mv).unwrap_or_else(|refusal| panic!("{refusal} in {position}"));
    }
    let found = game.outcome().map(|outcome| (outcome.winner, outcome.reason));
    assert_eq!(found, Some(expected), "{position}, {cycle}");
}

const RED: Option<Side> = Some(Side(0));
const BLACK: Option<Side> = Some(Side(1));

#[test]
fn perpetual_check_loses() {
    check_cycle(
        "3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 0 1",
        "d9e9 d7e7 e9d9 e7d7",
        (BLACK, "red loses: perpetual check"),
    );
    // One check and one neutral move.
    check_cycle(
        "3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 0 1",
        "d9e9 d7c7 e9d9 c7d7",
        (None, "third occurrence"),
    );
}

#[test]
fn perpetual_chase_loses() {
    check_cycle(
        "3k5/9/R8/9/2n6/9/9/9/9/4K4 w - - 0 1",
        "a7a5 c5d7 a5a7 d7c5",
        (BLACK, "red loses: perpetual chase of a horse"),
    );
    // On one of its two points the horse is protected.
    check_cycle(
        "2rk5/9/R8/9/2n6/9/9/9/9/4K4 w - - 0 1",
        "a7a5 c5d7 a5a7 d7c5",
        (None, "third occurrence"),
    );
    check_cycle(
        "r2k5/9/9/4P3C/r3P4/9/9/9/9/4K4 w - - 0 1",
        "i6i5 a5a6 i5i6 a6a5",
        (BLACK, "red loses: perpetual chase of a rook"),
    );
    check_cycle(
        "r2k5/9/9/8R/r8/9/9/9/9/4K4 w - - 0 1",
        "i6i5 a5a6 i5i6 a6a5",
        (None, "third occurrence"),
    );
    // Black chases, on the rotated board.
    check_cycle(
        "4k4/9/9/9/9/6N2/9/8r/9/5K3 b - - 0 1",
        "i2i4 g4f2 i4i2 f2g4",
        (RED, "black loses: perpetual chase of a horse"),
    );
}

#[test]
fn a_chase_attacks_the_same_piece_again_with_each_move() {
    // Two horses in turn.
    check_cycle(
        "3k5/9/R1n6/9/2n6/9/9/9/9/4K4 w - - 0 1",
        "a7a5 d9d8 a5a7 d8d9",
        (None, "third occurrence"),
    );
    // The rook keeps attacking while another piece moves.
    check_cycle(
        "3k5/9/9/9/R1n6/9/9/9/9/4K4 w - - 0 1",
        "e0e1 d9d8 e1e0 d8d9",
        (None, "third occurrence"),
    );
}

#[test]
fn both_sides_may_chase() {
    check_cycle(
        "5k3/9/9/9/9/9/7r1/9/2nRA3c/4K4 w - - 0 1",
        "e1f0 h3h1 f0e1 h1h3",
        (None, "third occurrence, both sides chase perpetually"),
    );
}

#[test]
fn a_capture_resets_repetition() {
    let mut game = read("3k5/9/R8/9/2n6/9/9/p8/9/4K4 w - - 0 1");
    let cycle = ["a7a5", "c5d7", "a5a7", "d7c5"];
    let play = |game: &mut Xiangqi, mv: &str| game.play(mv).expect("a move").1;
    for mv in cycle {
        play(&mut game, mv);
    }
    assert_eq!((game.earlier_occurrences(), game.plies_since_capture()), (1, 4));
    let before = game.clone();
    let undo = play(&mut game, "a7a2");
    assert_eq!(
        (game.earlier_occurrences(), game.plies_since_capture(), game.outcome()),
        (0, 0, None)
    );
    game.unmake(undo);
    assert_eq!(game, before);
    // Without the capture, the position occurs for the third time.
    for mv in cycle {
        play(&mut game, mv);
    }
    assert_eq!(
        game.play("a7a2").map(|_| ()).map_err(|refusal| refusal.reason),
        Err("the game is over: red loses: perpetual chase of a horse".to_owned())
    );
}
