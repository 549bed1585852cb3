//! Ends of games other than repetition: no legal move, plies without a capture, insufficient
//! material.

use super::read;
use crate::rules::{Rules, Side};

#[track_caller]
fn check(position: &str, expected: Option<(Option<Side>, &str)>) {
    let found = read(position).outcome().map(|outcome| (outcome.winner, outcome.reason));
    assert_eq!(found, expected, "{position}");
}

const RED: Option<Side> = Some(Side(0));
const DRAWN: Option<(Option<Side>, &str)> = Some((None, "insufficient material"));

#[test]
fn a_side_without_a_move_loses() {
    check("R3k4/9/9/9/9/9/9/9/9/3K5 b", None);
    check("R3k4/1R7/9/9/9/9/9/9/9/3K5 b", Some((RED, "checkmate")));
    check("3k5/4P4/9/9/9/9/9/9/9/4K4 b", Some((RED, "stalemate")));
    check("3k5/5P3/9/9/9/9/9/9/9/4K4 b", None);
}

#[test]
fn plies_without_a_capture_are_counted_to_120() {
    let rooks = |count: u16| format!("r2k5/9/9/9/9/9/9/9/9/R3K4 w - - {count} 70");
    check(&rooks(119), None);
    check(&rooks(120), Some((None, "120 plies without a capture")));
    check(&rooks(500), Some((None, "120 plies without a capture")));
    // A mate on the same ply takes precedence.
    let mut game = read("4k4/1R7/9/9/9/9/9/9/R8/3K5 w - - 119 70");
    game.play("a1a9").expect("a move");
    assert_eq!(game.outcome().map(|it| (it.winner, it.reason)), Some((RED, "checkmate")));
    let mut game = read("4k4/1R7/9/9/9/9/9/9/R8/3K5 w - - 119 70");
    game.play("a1a8").expect("a move");
    let drawn = Some((None, "120 plies without a capture"));
    assert_eq!(game.outcome().map(|it| (it.winner, it.reason)), drawn);
    // A capture resets the count.
    let mut game = read("r2k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 70");
    game.play("a0a9").expect("a move");
    assert_eq!((game.plies_since_capture(), game.number), (0, 70));
}

#[test]
fn checks_after_the_tenth_do_not_count() {
    // Positions repeat here, but that does not affect the count.
    let play = |position: &str, cycle: [&str; 4], rounds: usize| {
        let mut game = read(position);
        for mv in cycle.iter().cycle().take(4 * rounds) {
            game.make(crate::xiangqi::position::read_move(mv).expect("a move"));
        }
        game
    };
    let checked = "3k5/9/3R5/9/9/p8/9/9/9/5K3 b - - 0 1";
    let cycle = ["d9e9", "d7e7", "e9d9", "e7d7"];
    assert_eq!(play(checked, cycle, 5).plies_since_capture(), 20);
    assert_eq!(play(checked, cycle, 6).plies_since_capture(), 22);
    assert_eq!(play(checked, cycle, 60).plies_since_capture(), 130);
    // Every other move of red is a check: the eleventh is in round eleven.
    let cycle = ["d9e9", "d7c7", "e9d9", "c7d7"];
    assert_eq!(play(checked, cycle, 10).plies_since_capture(), 40);
    assert_eq!(play(checked, cycle, 11).plies_since_capture(), 43);
    // No check at all.
    let quiet = "3k5/9/R8/9/9/p8/9/9/9/4K4 w - - 0 1";
    assert_eq!(play(quiet, ["a7b7", "d9d8", "b7a7", "d8d9"], 30).plies_since_capture(), 120);
    // Moves that are taken back do not count.
    let mut game = play(checked, ["d9e9", "d7e7", "e9d9", "e7d7"], 6);
    (0..24).for_each(|_| game.retreat());
    assert_eq!(game, read(checked));
}

#[test]
fn insufficient_material_is_a_draw() {
    // No piece that can give check across the river.
    check("3k5/9/9/9/9/9/9/9/9/4K4 w", DRAWN);
    check("2bak4/4a4/4b4/9/9/9/9/4B4/4A4/2BK1A3 w", DRAWN);
    check("3k5/9/9/9/9/9/4P4/9/9/4K4 w", None);
    check("3k5/9/9/9/9/9/4N4/9/9/4K4 w", None);
    // A cannon without own advisors: against none, one and two.
    check("3k5/9/9/9/9/9/4C4/9/9/4K4 w", DRAWN);
    check("3k5/9/9/9/9/9/4C4/4B4/9/4K4 w", DRAWN);
    check("3k5/9/9/9/9/9/4C4/9/4A4/4K4 w", None);
    check("3k5/4a4/9/9/9/9/6C2/9/9/4K4 w", DRAWN);
    check("3k5/4a4/9/9/9/9/6C2/4B4/9/4K4 w", DRAWN);
    check("3aka3/9/9/9/9/9/6C2/9/9/3K5 w", DRAWN);
    check("3aka3/9/9/9/9/9/6C2/4B4/9/3K5 w", None);
    check("3aka3/9/9/9/9/9/6C2/9/4A4/3K5 w", None);
    // One cannon each and no advisor.
    check("3k5/9/9/9/9/2c6/6C2/9/9/4K4 w", DRAWN);
    check("3k5/9/4b4/9/9/2c6/6C2/9/9/4K4 w", DRAWN);
    check("3k5/4a4/9/9/9/2c6/6C2/9/9/4K4 w", None);
    check("3k5/9/9/9/9/2c6/6C2/9/6C2/4K4 w", None);
}

#[test]
fn a_possible_mate_in_one_keeps_the_game_open() {
    // Behind two advisors the king has no move: the cannon can reach its rank, or cannot.
    check("9/4a4/3ak4/9/9/9/9/9/9/C2K5 w", None);
    check("9/4a4/3ak4/9/9/9/9/9/9/C2K5 b", DRAWN);
    check("9/4a4/2Cak4/9/9/9/9/9/9/3K5 b", Some((RED, "checkmate")));
    check("4k4/4a4/3a5/9/9/9/9/9/9/C2K5 w", DRAWN);
    // One advisor, and an elephant as a screen.
    check("9/9/4ka3/9/9/9/9/4B4/9/3K4C w", None);
    check("9/9/4k4/9/9/9/9/4B4/9/3K4C w", DRAWN);
    check("9/9/4ka3/9/9/9/9/9/9/3K4C w", DRAWN);
}
