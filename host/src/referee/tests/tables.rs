//! Each rule of a bout with its near miss.

use super::*;

const EE: &str = "e:none e:none";
const PE: &str = "p:none e:none";

fn usual() -> Settings {
    Settings::default()
}

fn play_reported() -> Settings {
    Settings { on_timeout: OnTimeout::PlayReported, ..usual() }
}

#[test]
fn a_bout_from_begin_to_end() {
    let referee = check(
        EE,
        usual(),
        "0 move 0 #1 5 => no: the bout has not begun
         0 begin => began, start 0, start 1, ask 0 #1
         1 begin => no: the bout has begun already
         1 move 0 #1 9 => 0 moved 9, tell 0 9, tell 1 9, ask 1 #2
         2 move 1 #2 swap => 1 moved swap, swapped even/odd, tell 0 swap, tell 1 swap, ask 0 #3
         3 move 0 #3 9 => 0 moved 9, tell 0 9, tell 1 9, ask 1 #4
         4 move 1 #4 3 => 1 moved 3, tell 0 3, tell 1 3, end: side 1: n1 (odd) wins: counted out
         5 move 0 #5 3 => no: the bout is over; another one may start from any of its plies
         5 undo 1 => no: the bout is over; another one may start from any of its plies
         5 abort => no: the bout is over; another one may start from any of its plies",
    );
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Rules { rule: "counted out".into() });
    assert_eq!((result.score, result.is_draw()), (Some(21), false));
    assert_eq!(result.half_points(Side(1)), Some(2));
    assert_eq!(referee.plies().iter().map(|ply| ply.seat).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_draw_by_the_rules_and_one_by_length() {
    let referee = check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, tell 0 9, tell 1 9, ask 1 #2
         0 move 1 #2 9 => 1 moved 9, tell 0 9, tell 1 9, ask 0 #3
         0 move 0 #3 2 => 0 moved 2, tell 0 2, tell 1 2, end: nobody: draw: twenty",
    );
    assert!(referee.result().unwrap().is_draw());
    let referee = check(
        EE,
        Settings { plies_max: 1, ..usual() },
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, tell 0 9, tell 1 9, end: nobody: draw: the bout has 1 plies",
    );
    assert_eq!(referee.result().unwrap().termination, Termination::PlyLimit);
}

#[test]
fn only_the_call_that_was_made_is_answered() {
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 1 #1 5 => no: player 1 was not asked, or not any more
         0 move 0 #2 5 => no: player 0 was not asked, or not any more
         0 move 7 #1 5 => no: there is no player 7
         0 move 0 #1 5 => 0 moved 5, tell 0 5, tell 1 5, ask 1 #2
         0 move 0 #1 5 => no: player 0 was not asked, or not any more
         0 asked #1 =>
         0 tick =>",
    );
}

#[test]
fn an_engine_has_two_requests_and_a_person_any_number() {
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x left 1, ask 0 #2 not x
         0 move 0 #2 5 => 0 moved 5, tell 0 5, tell 1 5, ask 1 #3
         0 move 1 #3 x => 1 refused x left 1, ask 1 #4 not x
         0 move 1 #4 y => 1 refused y left 0, end: side 0: n1 (even) loses: the move `y` is illegal: it is not 1 to 9",
    );
    let once = Settings { requests: 1, ..usual() };
    let referee = check(
        EE,
        once,
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x left 0, end: side 1: n0 (odd) loses: the move `x` is illegal: it is not 1 to 9",
    );
    assert_eq!(referee.result().unwrap().termination, Termination::IllegalMove);
    check(
        PE,
        once,
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x
         0 move 0 #1 y => 0 refused y
         0 move 0 #1 5 => 0 moved 5, tell 1 5, ask 1 #2",
    );
}

#[test]
fn an_answer_that_is_no_text_is_cut_and_cleared() {
    let mut referee = referee(EE, usual());
    let mut out = Vec::new();
    referee.handle(0, Event::Begin, &mut out);
    for (call, text) in [(1, "\u{1b}[2J".to_owned()), (2, "é".repeat(100))] {
        let decision = Decision::Play(text);
        let choice = Choice { decision, offers_draw: false, line: None };
        let (spent, reported) = (Spent::default(), Vec::new());
        out.clear();
        referee.handle(0, Event::Chosen { player: 0, call, choice, spent, reported }, &mut out);
    }
    let refused: Vec<_> = referee
        .incidents()
        .iter()
        .filter_map(|incident| match &incident.what {
            What::Refused { r#move, .. } => Some(r#move.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(refused, ["\u{fffd}[2J", &("é".repeat(32) + "…")]);
    assert_eq!(referee.result().unwrap().termination, Termination::IllegalMove);
}

#[test]
fn a_timeout_begins_one_microsecond_after_the_grace() {
    check(
        "e:1s/move e:1s",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         9 move 0 #1 1 spent 1050000 => 0 moved 1, tell 0 1, tell 1 1, arm 2050010, ask 1 #2 left 1000000
         9 move 1 #2 1 spent 1050001 => 1 late 1050001/1000000, disarm, end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s",
    );
    check(
        "e:fuel:100/move e:fuel:100/move",
        Settings { grace: crate::clock::Grace { us: 1, fuel: 5 }, ..usual() },
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 fuel 105 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         9 move 1 #2 1 fuel 106 => 1 late 106/100, end: side 0: n1 (even) loses on time: it took 106 and was allowed 100",
    );
    // However long the calls last.
    check(
        "e:cpu:1s/move e:cpu:1s",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9000000 move 0 #1 1 spent 9000000 cpu 1050000 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2 left 1000000
         18000000 move 1 #2 1 spent 9000000 cpu 1050001 => 1 late 1050001/1000000, end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s of CPU time",
    );
}

#[test]
fn what_was_not_counted_ends_the_bout_without_a_result() {
    let referee = check(
        "e:fuel:100/move e:none",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 spent 5 => end: nobody: aborted: the host did not count what n0 spent in fuel",
    );
    assert_eq!(referee.result().unwrap().half_points(Side(0)), None);
    check(
        "e:cpu:1s/move e:none",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 spent 5 => end: nobody: aborted: the host did not count what n0 spent in cpu",
    );
}

#[test]
fn the_referees_own_reading_is_a_guard() {
    // The engine says 1 µs; the referee has seen the call last for longer than the guard.
    check(
        "e:1s/move e:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         5 asked #1 => arm 2050006
         1000006 move 0 #1 1 spent 1 => 0 moved 1, tell 0 1, tell 1 1, arm 3050007, ask 1 #2
         3050007 move 1 #2 1 spent 1 => 1 late 2050001/1000000, disarm, end: side 0: n1 (even) loses on time: it took 2050.001ms and was allowed 1s",
    );
    check(
        "e:1s/move e:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         2050000 tick => arm 2050001
         2050001 tick => 0 late 2050001/1000000, stop 0 #1, disarm, end: side 1: n0 (odd) loses on time: it took 2050.001ms and was allowed 1s",
    );
}

#[test]
fn a_person_is_measured_by_the_events() {
    check(
        "p:1s e:none",
        usual(),
        "10 begin => began, start 1, arm 1050011, ask 0 #1 left 1000000
         1050010 tick => arm 1050011
         1050010 move 0 #1 x spent 5 => 0 refused x
         1050010 move 0 #1 1 spent 5 => 0 moved 1, tell 1 1, disarm, ask 1 #2
         2000000 move 1 #2 1 => 1 moved 1, tell 1 1, arm 2000001, ask 0 #3 left 0
         2000001 tick => 0 late 1/0, disarm, end: side 1: n0 (odd) loses on time: it took 0.001ms and was allowed 0s",
    );
    check(
        "p:1s e:none",
        play_reported(),
        "10 begin => began, start 1, arm 1050011, ask 0 #1 left 1000000
         1050011 move 0 #1 1 reported 5 => 0 late 1050001/1000000, disarm, end: side 1: n0 (odd) loses on time: it took 1050.001ms and was allowed 1s",
    );
}

#[test]
fn the_last_legal_reported_move_may_be_played() {
    check(
        "e:1s/move e:1s/move",
        play_reported(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 move 0 #1 1 spent 2000000 reported x,5,6 => 0 late 2000000/1000000, 0 moved 5 late, tell 0 5, tell 1 5, arm 2050002, ask 1 #2
         2 fault 1 #2 timeout spent 1050001 reported 4 => 1 fault timeout, 1 late 1050001/1000000, 1 moved 4 late, tell 0 4, start 1, arm 2050003, ask 0 #3
         3 move 0 #3 1 spent 2000000 reported x => 0 late 2000000/1000000, disarm, end: side 1: n0 (odd) loses on time: it took 2s and was allowed 1s",
    );
    check(
        "e:1s/move e:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 fault 0 #1 timeout spent 1050001 reported 4 => 0 fault timeout, 0 late 1050001/1000000, disarm, end: side 1: n0 (odd) loses on time: it did it",
    );
    let referee = check(
        "e:cpu:1s/move e:none",
        play_reported(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 fault 0 #1 timeout spent 7 cpu 1050001 reported 4 => 0 fault timeout, 0 late 1050001/1000000, 0 moved 4 late, start 0, tell 1 4, ask 1 #2",
    );
    assert_eq!(referee.plies()[0].spent.cpu_us, Some(1_050_001));
}

#[test]
fn every_other_fault_loses_in_turn_and_out_of_turn() {
    check(
        EE,
        play_reported(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 fault 1 start => 1 fault start, stop 0 #1, end: side 0: n1 (even) loses: it did it",
    );
    let referee = check(
        PE,
        play_reported(),
        "0 begin => began, start 1, ask 0 #1
         0 fault 0 crash => no: player 0 was not asked, or not any more
         0 move 0 #1 1 => 0 moved 1, tell 1 1, ask 1 #2
         0 fault 1 #2 crash reported 4 => 1 fault crash, end: side 0: n1 (even) loses: it did it",
    );
    let fault = FaultCode::Crash;
    assert_eq!(referee.result().unwrap().termination, Termination::Fault { fault });
    check(
        "e:fuel:9/move e:none",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 fault 0 #1 fuel => 0 fault fuel, 0 late 50000010/9, end: side 1: n0 (odd) loses on time: it did it",
    );
}

#[test]
fn resignation_in_turn_out_of_turn_and_as_an_answer() {
    check(PE, usual(), "0 resign 0 => no: the bout has not begun");
    check(
        PE,
        usual(),
        "0 begin => began, start 1, ask 0 #1
         0 resign 0 => end: side 1: n0 (odd) resigns",
    );
    check(
        PE,
        usual(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, tell 1 1, ask 1 #2
         0 resign 0 => stop 1 #2, end: side 1: n0 (odd) resigns",
    );
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 gives-up 0 #1 => end: side 1: n0 (odd) resigns",
    );
}

#[test]
fn aborting_and_leaving() {
    let referee = check(PE, usual(), "0 abort => end: nobody: aborted: power");
    let result = referee.result().unwrap();
    assert!(!result.counts() && !result.is_draw());
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 abort => stop 0 #1, end: nobody: aborted: power",
    );
    check(
        PE,
        usual(),
        "0 begin => began, start 1, ask 0 #1
         0 gone 0 => end: side 1: n0 (odd) loses: the connection is gone",
    );
}

#[test]
fn an_engines_offer_goes_with_its_move_and_lapses_with_the_next() {
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 offer => 0 moved 1, 0 offers, tell 0 1, tell 1 1, ask 1 #2 draw
         0 move 1 #2 1 => 1 moved 1, 0 declined, tell 0 1, tell 1 1, ask 0 #3
         0 takes-draw 0 #3 => 0 refused accept-draw left 1, ask 0 #4 not accept-draw
         0 move 0 #4 1 offer => 0 moved 1, 0 offers, tell 0 1, tell 1 1, ask 1 #5 draw
         0 takes-draw 1 #5 => end: nobody: draw: agreed",
    );
    check(
        EE,
        Settings { draw_offers: false, ..usual() },
        "0 begin => began, start 0, start 1, ask 0 #1
         0 offer 0 => no: no draw can be agreed in this bout
         0 move 0 #1 1 offer => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2",
    );
}

#[test]
fn a_persons_offer_waits_until_the_engine_has_heard_it() {
    check(
        PE,
        usual(),
        "0 begin => began, start 1, ask 0 #1
         0 accept 0 => no: no draw is offered
         0 move 0 #1 1 => 0 moved 1, tell 1 1, ask 1 #2
         0 offer 0 => 0 offers
         0 offer 0 => no: the draw is offered already
         0 accept 0 => no: no draw is offered
         0 move 1 #2 1 => 1 moved 1, tell 1 1, ask 0 #3
         0 move 0 #3 1 => 0 moved 1, tell 1 1, ask 1 #4 draw
         0 move 1 #4 1 => 1 moved 1, 0 declined, tell 1 1, ask 0 #5",
    );
}

#[test]
fn people_hear_offers_at_once() {
    check(
        "p:none p:none",
        usual(),
        "0 begin => began, ask 0 #1
         0 offer 1 => 1 offers
         0 decline 1 => no: no draw is offered
         0 decline 0 => 1 declined
         0 offer 1 => 1 offers
         0 move 0 #1 1 => 0 moved 1, 1 declined, ask 1 #2
         0 offer 1 => 1 offers
         0 offer 0 => end: nobody: draw: agreed",
    );
    check(
        "p:none p:none",
        usual(),
        "0 begin => began, ask 0 #1
         0 offer 0 => 0 offers
         0 move 0 #1 1 => 0 moved 1, ask 1 #2 draw
         0 accept 1 => end: nobody: draw: agreed",
    );
}

#[test]
fn undo_at_the_start_and_by_counts() {
    check(
        EE,
        usual(),
        "0 undo 1 => no: the bout has not begun
         0 begin => began, start 0, start 1, ask 0 #1
         0 undo 1 => no: there is nothing to undo
         0 undo 1 by 9 => no: there is no player 9
         0 move 0 #1 1 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         0 undo 0 => no: there is nothing to undo
         0 undo 2 => no: 1 moves can be undone, not 2
         0 undo 1 => stop 1 #2, back 0 1, back 1 1, undone 1, ask 0 #3
         0 move 1 #2 1 => no: player 1 was not asked, or not any more
         0 move 0 #3 2 => 0 moved 2, tell 0 2, tell 1 2, ask 1 #4
         0 move 1 #4 swap => 1 moved swap, swapped even/odd, tell 0 swap, tell 1 swap, ask 0 #5
         0 undo => stop 0 #5, back 0 1, back 1 1, undone 1, ask 1 #6
         0 move 1 #6 1 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #7",
    );
    let forbidden = Settings { undo: false, ..usual() };
    check(
        EE,
        forbidden,
        "0 begin => began, start 0, start 1, ask 0 #1
         0 undo 1 => no: moves may not be undone in this bout",
    );
}

#[test]
fn undo_without_a_number_gives_the_turn_back_to_who_asks() {
    check(
        PE,
        usual(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, tell 1 1, ask 1 #2
         0 undo by 0 => stop 1 #2, back 1 1, undone 1, ask 0 #3
         0 undo by 0 => no: there is nothing to undo
         0 move 0 #3 1 => 0 moved 1, tell 1 1, ask 1 #4
         0 move 1 #4 2 => 1 moved 2, tell 1 2, ask 0 #5
         0 undo by 0 => back 1 2, undone 2, ask 0 #6",
    );
}

#[test]
fn undo_sets_clocks_to_what_they_were() {
    let referee = check(
        "e:10s+1s e:10s",
        usual(),
        "0 begin => began, start 0, start 1, arm 11050001, ask 0 #1 left 10000000
         0 move 0 #1 1 spent 3000000 => 0 moved 1, tell 0 1, tell 1 1, arm 11050001, ask 1 #2 left 10000000
         0 move 1 #2 x spent 2000000 => 1 refused x left 1, arm 9050001, ask 1 #3 left 8000000 not x
         0 move 1 #3 1 spent 1000000 => 1 moved 1, tell 0 1, tell 1 1, arm 9050001, ask 0 #4 left 8000000
         0 move 0 #4 x spent 500000 => 0 refused x left 1, arm 8550001, ask 0 #5 left 7500000 not x
         0 undo 1 => stop 0 #5, back 0 1, back 1 1, undone 1, arm 11050001, ask 1 #6 left 10000000
         0 undo 1 => stop 1 #6, back 0 1, back 1 1, undone 1, arm 11050001, ask 0 #7 left 10000000",
    );
    let undone = |moves: &[&str]| What::Undone {
        moves: moves.iter().map(|m| (*m).into()).collect(),
        thinking: false,
    };
    let told: Vec<_> = referee.incidents().iter().rev().take(2).collect();
    assert_eq!((told[1].at_ply, &told[1].what), (2, &undone(&["1"])));
    assert_eq!((told[0].at_ply, &told[0].what), (1, &undone(&["1"])));
}

#[test]
fn a_stale_timeout_costs_the_instance_and_a_stale_crash_the_bout() {
    let stopped = "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, tell 1 1, ask 1 #2
         0 undo by 0 => stop 1 #2, back 1 1, undone 1, ask 0 #3\n";
    let timeout = "0 fault 1 #2 timeout => 1 fault timeout, start 1";
    check(PE, usual(), &[stopped, timeout].concat());
    let crash = "0 fault 1 #2 crash => 1 fault crash, end: side 0: n1 (even) loses: it did it";
    check(PE, usual(), &[stopped, crash].concat());
    // Asked again meanwhile: the fresh instance gets a call of its own.
    check(
        EE,
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         0 move 1 #2 1 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #3
         0 undo 2 => stop 0 #3, back 0 2, back 1 2, undone 2, ask 0 #4
         0 fault 0 #3 timeout => 0 fault timeout, start 0, ask 0 #5",
    );
}

#[test]
fn a_pause_stops_a_persons_clock() {
    check(
        "p:1s/move e:none",
        usual(),
        "0 resume => no: the bout has not begun
         0 begin => began, start 1, arm 1050001, ask 0 #1
         0 resume => no: the bout is not paused
         600000 pause => disarm, paused
         600000 pause => no: the bout is paused
         700000 move 0 #1 1 => no: the bout is paused
         900000 tick =>
         9000000 resume => resumed, arm 9450001
         9450000 move 0 #1 1 => 0 moved 1, tell 1 1, disarm, ask 1 #2",
    );
    check(
        "p:1s/move e:none",
        usual(),
        "0 begin => began, start 1, arm 1050001, ask 0 #1
         600000 pause => disarm, paused
         9000000 resume => resumed, arm 9450001
         9450001 tick => 0 late 1050001/1000000, disarm, end: side 1: n0 (odd) loses on time: it took 1050.001ms and was allowed 1s",
    );
}

#[test]
fn a_pause_holds_an_engines_answer_back() {
    check(
        "e:1s e:1s",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         700 move 0 #1 1 spent 600 =>
         700 move 0 #1 2 spent 600 => no: player 0 was not asked, or not any more
         90000000 resume => resumed, 0 moved 1, tell 0 1, tell 1 1, arm 92050001, ask 1 #2 left 1000000
         90000001 pause => stop 1 #2, disarm, paused
         90000001 undo 1 => stop 1 #2, back 0 1, back 1 1, undone 1
         90000002 move 1 #2 1 spent 1 => no: player 1 was not asked, or not any more
         90000003 resume => resumed, arm 92050004, ask 0 #3 left 1000000",
    );
    check(
        "e:1s e:1s",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         501 fault 0 #1 timeout spent 400000 => 0 fault timeout, start 0
         600 resume => resumed, arm 1650601, ask 0 #2 left 600000",
    );
    check(
        "e:1s e:1s",
        usual(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         501 fault 0 #1 timeout spent 1050001 => 0 fault timeout, 0 late 1050001/1000000, end: side 1: n0 (odd) loses on time: it did it",
    );
    // On fuel nothing but a stop has a deadline of time, and not to heed it costs the instance only.
    check(
        "e:fuel:1e9 e:1s",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1 left 1000000000
         500 pause => stop 0 #1, paused
         501 fault 0 #1 timeout fuel 400000 => 0 fault timeout, start 0
         600 resume => resumed, ask 0 #2 left 999600000",
    );
}

#[test]
fn time_does_not_run_backwards() {
    check(
        "p:1s/move e:none",
        usual(),
        "100 begin => began, start 1, arm 1050101, ask 0 #1
         50 move 0 #1 1 => 0 moved 1, tell 1 1, disarm, ask 1 #2",
    );
}

#[test]
fn limits_tell_the_others_clock() {
    let referee = referee("e:10s e:3m", usual());
    assert_eq!(referee.limits(0).others_left, [(1, 180_000_000), (3, 180_000_000)]);
    assert_eq!(self::referee("e:10s e:fuel:5", usual()).limits(0).others_left, []);
}

#[test]
fn players_and_seats_have_to_fit() {
    let check = |seats: &[&[u8]], expected: &str| {
        let player = |seats: &&[u8]| PlayerSetup {
            name: "n".into(),
            seats: seats.to_vec(),
            budget: "none".parse().unwrap(),
            kind: PlayerKind::Engine,
            ponder_threads: None,
        };
        let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
        let referee = Referee::new(game, seats.iter().map(player).collect(), usual());
        assert_eq!(referee.err().map(|error| error.to_string()).as_deref(), Some(expected));
    };
    check(&[], "seat 0 has no player");
    check(&[&[0, 2], &[1]], "seat 3 has no player");
    check(&[&[0, 2], &[]], "player 1 has no seat");
    check(&[&[0, 2], &[1, 3, 1]], "seat 1 is given to two players");
    check(&[&[0, 1], &[2, 3]], "player 0 plays seats of both sides");
    check(&[&[0, 2], &[1, 4]], "player 1 is to play seat 4, but counting has seats 0 to 3");
}

#[test]
fn four_players_have_two_sides() {
    let player = |seat: u8| PlayerSetup {
        name: format!("n{seat}"),
        seats: vec![seat],
        budget: "none".parse().unwrap(),
        kind: PlayerKind::Person,
        ponder_threads: None,
    };
    let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), Some("20 3 0")).unwrap();
    assert!(game.outcome().is_some(), "a game that is over ends as it begins");
    let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), Some("19 3 0")).unwrap();
    let mut referee = Referee::new(game, (0..4).map(player).collect(), usual()).unwrap();
    let mut out = Vec::new();
    referee.handle(0, Event::Begin, &mut out);
    assert_eq!(referee.to_move(), Some((3, Some(1))));
    referee.handle(0, event("move 3 #1 2"), &mut out);
    let result = referee.result().unwrap();
    assert_eq!(result.sentence, "n1 and n3 (even) wins: counted out");
}
