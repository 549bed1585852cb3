//! Pauses, and answers to calls that are no longer open.

use super::*;

#[test]
fn a_stale_timeout_costs_the_instance_and_a_stale_crash_the_bout() {
    let stopped = "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 1 1, ask 1 #2
         0 undo by 0 => stop 1 #2, back 1 1, undone 1, ask 0 #3\n";
    let timeout = "0 fault 1 #2 timeout => 1 fault timeout, start 1";
    check(PE, default_settings(), &[stopped, timeout].concat());
    let crash = "0 fault 1 #2 crash => 1 fault crash, end: side 0: n1 (even) loses: it did it";
    check(PE, default_settings(), &[stopped, crash].concat());
    // With a new request meanwhile, the fresh instance gets a call of its own.
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         0 move 1 #2 1 => 1 moved 1, send 0 1, send 1 1, ask 0 #3
         0 undo 2 => stop 0 #3, back 0 2, back 1 2, undone 2, ask 0 #4
         0 fault 0 #3 timeout => 0 fault timeout, start 0, ask 0 #5",
    );
}

#[test]
fn a_pause_stops_a_persons_clock() {
    check(
        "p:1s/move e:none",
        default_settings(),
        "0 resume => no: the bout has not begun
         0 begin => began, start 1, arm 1050001, ask 0 #1
         0 resume => no: the bout is not paused
         600000 pause => disarm, paused
         600000 pause => no: the bout is paused
         700000 move 0 #1 1 => no: the bout is paused
         900000 tick =>
         9000000 resume => resumed, arm 9450001
         9450000 move 0 #1 1 => 0 moved 1, send 1 1, disarm, ask 1 #2",
    );
    check(
        "p:1s/move e:none",
        default_settings(),
        "0 begin => began, start 1, arm 1050001, ask 0 #1
         600000 pause => disarm, paused
         9000000 resume => resumed, arm 9450001
         9450001 tick => 0 overrun 1050001/1000000, disarm, \
             end: side 1: n0 (odd) loses on time: it took 1050.001ms and was allowed 1s",
    );
}

#[test]
fn a_pause_holds_an_engines_answer_back() {
    check(
        "e:1s e:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         700 move 0 #1 1 spent 600 =>
         700 move 0 #1 2 spent 600 => no: player 0 has no such request
         90000000 resume => resumed, 0 moved 1, send 0 1, send 1 1, arm 92050001, \
             ask 1 #2 left 1000000
         90000001 pause => stop 1 #2, disarm, paused
         90000001 undo 1 => stop 1 #2, back 0 1, back 1 1, undone 1
         90000002 move 1 #2 1 spent 1 => no: player 1 has no such request
         90000003 resume => resumed, arm 92050004, ask 0 #3 left 1000000",
    );
    check(
        "e:1s e:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         501 fault 0 #1 timeout spent 400000 => 0 fault timeout, start 0
         600 resume => resumed, arm 1650601, ask 0 #2 left 600000",
    );
    check(
        "e:1s e:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         500 pause => stop 0 #1, disarm, paused
         501 fault 0 #1 timeout spent 1050001 => 0 fault timeout, 0 overrun 1050001/1000000, \
             end: side 1: n0 (odd) loses on time: it did it",
    );
    // Under fuel only a stop has a time limit; ignoring it costs the instance only.
    check(
        "e:fuel:1e9 e:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1 left 1000000000
         500 pause => stop 0 #1, paused
         501 fault 0 #1 timeout fuel 400000 => 0 fault timeout, start 0
         600 resume => resumed, ask 0 #2 left 999600000",
    );
}

#[test]
fn a_request_that_has_not_begun_is_repeated_after_a_pause() {
    // The driver has not started the call: it drops the command, and gets it again.
    let referee = check(
        "p:none e:1s",
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 1 1, arm 2050001, ask 1 #2 left 1000000
         1 pause => stop 1 #2, disarm, paused
         2 offer 0 => 0 offers",
    );
    assert!(!referee.is_call_due(2));
    let referee = check_from(
        referee,
        "3 resume => resumed, arm 2050003, ask 1 #2 left 1000000
         4 begun #2 => arm 2050004
         5 move 1 #2 1 => 1 moved 1, send 1 1, disarm, ask 0 #3
         6 move 0 #3 1 => 0 moved 1, send 1 1, arm 2050007, ask 1 #4 left 1000000 draw",
    );
    assert!(referee.is_call_due(4));
    // A call that has begun goes on: its answer is judged on resume.
    check(
        "p:none e:1s",
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 1 1, arm 2050001, ask 1 #2 left 1000000
         0 begun #2 =>
         1 pause => stop 1 #2, disarm, paused
         2 resume => resumed, arm 2050002",
    );
}
