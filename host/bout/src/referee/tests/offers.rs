//! Offers of draws and undone moves, with a case just inside and one just outside each rule.

use super::*;

#[test]
fn an_engines_offer_comes_with_its_move_and_ends_with_the_reply() {
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 offer => 0 moved 1, 0 offers, send 0 1, send 1 1, ask 1 #2 draw
         0 move 1 #2 1 => 1 moved 1, 0 declined, send 0 1, send 1 1, ask 0 #3
         0 accepts 0 #3 => 0 refused accept-draw left 1, ask 0 #4 not accept-draw
         0 move 0 #4 1 offer => 0 moved 1, 0 offers, send 0 1, send 1 1, ask 1 #5 draw
         0 accepts 1 #5 => end: no winner: draw: agreed",
    );
    check(
        EE,
        BoutSettings { draw_offers: false, ..default_settings() },
        "0 begin => began, start 0, start 1, ask 0 #1
         0 offer 0 => no: draws cannot be offered in this bout
         0 move 0 #1 1 offer => 0 moved 1, send 0 1, send 1 1, ask 1 #2",
    );
}

#[test]
fn a_persons_offer_stays_open_until_the_engine_has_seen_it() {
    check(
        PE,
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 accept 0 => no: no draw is offered
         0 move 0 #1 1 => 0 moved 1, send 1 1, ask 1 #2
         0 offer 0 => 0 offers
         0 offer 0 => no: the draw is already offered
         0 accept 0 => no: no draw is offered
         0 move 1 #2 1 => 1 moved 1, send 1 1, ask 0 #3
         0 move 0 #3 1 => 0 moved 1, send 1 1, ask 1 #4 draw
         0 move 1 #4 1 => 1 moved 1, 0 declined, send 1 1, ask 0 #5",
    );
}

#[test]
fn people_see_offers_at_once() {
    check(
        "p:none p:none",
        default_settings(),
        "0 begin => began, ask 0 #1
         0 offer 1 => 1 offers
         0 decline 1 => no: no draw is offered
         0 decline 0 => 1 declined
         0 offer 1 => 1 offers
         0 move 0 #1 1 => 0 moved 1, 1 declined, ask 1 #2
         0 offer 1 => 1 offers
         0 offer 0 => end: no winner: draw: agreed",
    );
    check(
        "p:none p:none",
        default_settings(),
        "0 begin => began, ask 0 #1
         0 offer 0 => 0 offers
         0 move 0 #1 1 => 0 moved 1, ask 1 #2 draw
         0 accept 1 => end: no winner: draw: agreed",
    );
}

#[test]
fn undo_at_the_start_and_by_numbers_of_moves() {
    check(
        EE,
        default_settings(),
        "0 undo 1 => no: the bout has not begun
         0 begin => began, start 0, start 1, ask 0 #1
         0 undo 1 => no: there is nothing to undo
         0 undo 1 by 9 => no: there is no player 9
         0 move 0 #1 1 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         0 undo 0 => no: there is nothing to undo
         0 undo 2 => no: 1 moves can be undone, not 2
         0 undo 1 => stop 1 #2, back 0 1, back 1 1, undone 1, ask 0 #3
         0 move 1 #2 1 => no: player 1 has no such request
         0 move 0 #3 2 => 0 moved 2, send 0 2, send 1 2, ask 1 #4
         0 move 1 #4 swap => 1 moved swap, swapped even/odd, send 0 swap, send 1 swap, ask 0 #5
         0 undo => stop 0 #5, back 0 1, back 1 1, undone 1, ask 1 #6
         0 move 1 #6 1 => 1 moved 1, send 0 1, send 1 1, ask 0 #7",
    );
    let forbidden = BoutSettings { undo: false, ..default_settings() };
    check(
        EE,
        forbidden,
        "0 begin => began, start 0, start 1, ask 0 #1
         0 undo 1 => no: moves cannot be undone in this bout",
    );
}

#[test]
fn undo_without_a_number_returns_the_turn_to_its_player() {
    check(
        PE,
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 1 1, ask 1 #2
         0 undo by 0 => stop 1 #2, back 1 1, undone 1, ask 0 #3
         0 undo by 0 => no: there is nothing to undo
         0 move 0 #3 1 => 0 moved 1, send 1 1, ask 1 #4
         0 move 1 #4 2 => 1 moved 2, send 1 2, ask 0 #5
         0 undo by 0 => back 1 2, undone 2, ask 0 #6",
    );
}

#[test]
fn undo_restores_the_clocks() {
    let referee = check(
        "e:10s+1s e:10s",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 11050001, ask 0 #1 left 10000000
         0 move 0 #1 1 spent 3000000 => 0 moved 1, send 0 1, send 1 1, arm 11050001, \
             ask 1 #2 left 10000000
         0 move 1 #2 x spent 2000000 => 1 refused x left 1, arm 9050001, ask 1 #3 left 8000000 not x
         0 move 1 #3 1 spent 1000000 => 1 moved 1, send 0 1, send 1 1, arm 9050001, \
             ask 0 #4 left 8000000
         0 move 0 #4 x spent 500000 => 0 refused x left 1, arm 8550001, ask 0 #5 left 7500000 not x
         0 undo 1 => stop 0 #5, back 0 1, back 1 1, undone 1, arm 11050001, ask 1 #6 left 10000000
         0 undo 1 => stop 1 #6, back 0 1, back 1 1, undone 1, arm 11050001, ask 0 #7 left 10000000",
    );
    let undone = |moves: &[&str]| EventKind::Undone {
        moves: moves.iter().map(|m| (*m).into()).collect(),
        thinking: false,
    };
    let newest: Vec<_> = referee.events().iter().rev().take(2).collect();
    assert_eq!((newest[1].at_ply, &newest[1].kind), (2, &undone(&["1"])));
    assert_eq!((newest[0].at_ply, &newest[0].kind), (1, &undone(&["1"])));
}
