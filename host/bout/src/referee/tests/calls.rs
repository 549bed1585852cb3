//! Each rule of calls, time, faults and ends, with a case just inside and one just outside.

use super::*;

#[test]
fn a_bout_from_begin_to_end() {
    let referee = check(
        EE,
        default_settings(),
        "0 move 0 #1 5 => no: the bout has not begun
         0 begin => began, start 0, start 1, ask 0 #1
         1 begin => no: the bout has already begun
         1 move 0 #1 9 => 0 moved 9, send 0 9, send 1 9, ask 1 #2
         2 move 1 #2 swap => 1 moved swap, swapped even/odd, send 0 swap, send 1 swap, ask 0 #3
         3 move 0 #3 9 => 0 moved 9, send 0 9, send 1 9, ask 1 #4
         4 move 1 #4 3 => 1 moved 3, send 0 3, send 1 3, end: side 1: n1 (odd) wins: counted out
         5 move 0 #5 3 => no: the bout is finished; a new one can start from any of its plies
         5 undo 1 => no: the bout is finished; a new one can start from any of its plies
         5 abort => no: the bout is finished; a new one can start from any of its plies",
    );
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Rules { rule: "counted out".into() });
    assert_eq!((&*result.scores, result.half_points(Side(0))), (&[-21, 21, -21, 21][..], Some(0)));
    assert_eq!(result.half_points(Side(1)), Some(2));
    assert_eq!(referee.plies().iter().filter_map(|ply| ply.seat).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn draws_by_the_rules_and_by_the_ply_limit() {
    let referee = check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, send 0 9, send 1 9, ask 1 #2
         0 move 1 #2 9 => 1 moved 9, send 0 9, send 1 9, ask 0 #3
         0 move 0 #3 2 => 0 moved 2, send 0 2, send 1 2, end: no winner: draw: twenty",
    );
    assert_eq!(referee.result().unwrap().half_points(Side(0)), Some(1));
    let referee = check(
        EE,
        BoutSettings { plies_max: 1, ..default_settings() },
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, send 0 9, send 1 9, \
             end: no winner: draw: the bout has 1 plies",
    );
    assert_eq!(referee.result().unwrap().termination, Termination::PlyLimit);
}

#[test]
fn only_the_open_call_can_be_answered() {
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 1 #1 5 => no: player 1 has no such request
         0 move 0 #2 5 => no: player 0 has no such request
         0 move 7 #1 5 => no: there is no player 7
         0 move 0 #1 5 => 0 moved 5, send 0 5, send 1 5, ask 1 #2
         0 move 0 #1 5 => no: player 0 has no such request
         0 begun #1 =>
         0 tick =>",
    );
}

#[test]
fn an_engine_has_two_requests_and_a_person_any_number() {
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x left 1, ask 0 #2 not x
         0 move 0 #2 5 => 0 moved 5, send 0 5, send 1 5, ask 1 #3
         0 move 1 #3 x => 1 refused x left 1, ask 1 #4 not x
         0 move 1 #4 y => 1 refused y left 0, \
             end: side 0: n1 (even) loses: the move `y` is illegal: not a number from 1 to 9",
    );
    let once = BoutSettings { requests: 1, ..default_settings() };
    let referee = check(
        EE,
        once,
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x left 0, \
             end: side 1: n0 (odd) loses: the move `x` is illegal: not a number from 1 to 9",
    );
    assert_eq!(referee.result().unwrap().termination, Termination::IllegalMove);
    check(
        PE,
        once,
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 x => 0 refused x
         0 move 0 #1 y => 0 refused y
         0 move 0 #1 5 => 0 moved 5, send 1 5, ask 1 #2",
    );
}

#[test]
fn refused_answers_are_cut_and_sanitized() {
    let mut referee = referee(EE, default_settings());
    let mut out = Vec::new();
    referee.handle(0, Event::Begin, &mut out);
    for (call, text) in [(1, "\u{1b}[2J".to_owned()), (2, "é".repeat(100))] {
        let decision = Decision::Play(text);
        let choice = Choice { decision, offers_draw: false, line: None };
        let response = ChooseResponse { choice, spent: Usage::default() };
        let reported = Vec::new();
        out.clear();
        referee.handle(0, Event::Answered { player: 0, call, response, reported }, &mut out);
    }
    let refused: Vec<_> = referee
        .events()
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Refused { r#move, .. } => Some(r#move.as_str()),
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
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         9 move 0 #1 1 spent 1050000 => 0 moved 1, send 0 1, send 1 1, arm 2050010, \
             ask 1 #2 left 1000000
         9 move 1 #2 1 spent 1050001 => 1 overrun 1050001/1000000, disarm, \
             end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s",
    );
    check(
        "e:fuel:100/move e:fuel:100/move",
        BoutSettings { grace: crate::clock::Grace { us: 1, fuel: 5 }, ..default_settings() },
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 fuel 105 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         9 move 1 #2 1 fuel 106 => 1 overrun 106/100, \
             end: side 0: n1 (even) loses on time: it took 106 and was allowed 100",
    );
    // Under a CPU budget the length of the calls does not matter.
    check(
        "e:cpu:1s/move e:cpu:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9000000 move 0 #1 1 spent 9000000 cpu 1050000 => 0 moved 1, send 0 1, send 1 1, \
             ask 1 #2 left 1000000
         18000000 move 1 #2 1 spent 9000000 cpu 1050001 => 1 overrun 1050001/1000000, \
             end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s of CPU \
             time",
    );
}

#[test]
fn a_missing_measurement_aborts_the_bout() {
    let referee = check(
        "e:fuel:100/move e:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 spent 5 => end: no winner: aborted: the host did not measure the fuel of n0",
    );
    assert_eq!(referee.result().unwrap().half_points(Side(0)), None);
    check(
        "e:cpu:1s/move e:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 move 0 #1 1 spent 5 => end: no winner: aborted: the host did not measure the CPU time \
             of n0",
    );
}

#[test]
fn the_referees_own_reading_is_a_guard() {
    // The engine reports 1 µs, but by the referee's reading the call exceeded the guard.
    check(
        "e:1s/move e:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         5 begun #1 => arm 2050006
         1000006 move 0 #1 1 spent 1 => 0 moved 1, send 0 1, send 1 1, arm 3050007, ask 1 #2
         3050007 move 1 #2 1 spent 1 => 1 overrun 2050001/1000000, disarm, \
             end: side 0: n1 (even) loses on time: it took 2050.001ms and was allowed 1s",
    );
    check(
        "e:1s/move e:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         2050000 tick => arm 2050001
         2050001 tick => 0 overrun 2050001/1000000, stop 0 #1, disarm, \
             end: side 1: n0 (odd) loses on time: it took 2050.001ms and was allowed 1s",
    );
}

#[test]
fn a_persons_first_move_is_free_for_a_time() {
    let settings = || BoutSettings { first_move_us: 500_000, ..default_settings() };
    let referee = check(
        "p:1s e:none",
        settings(),
        "10 begin => began, start 1, arm 1550011, ask 0 #1 left 1000000
         500011 move 0 #1 1 => 0 moved 1, send 1 1, disarm, ask 1 #2
         500020 move 1 #2 1 => 1 moved 1, send 1 1, arm 1550020, ask 0 #3 left 999999
         500030 move 0 #3 1 => 0 moved 1, send 1 1, disarm, ask 1 #4",
    );
    assert_eq!(referee.plies()[0].spent.wall_us, 500_001, "the record has the whole time");
    check(
        "p:1s e:none",
        settings(),
        "10 begin => began, start 1, arm 1550011, ask 0 #1 left 1000000
         1550011 tick => 0 overrun 1050001/1000000, disarm, \
             end: side 1: n0 (odd) loses on time: it took 1050.001ms and was allowed 1s",
    );
    // An engine's first move is not free.
    check(
        "e:1s p:none",
        BoutSettings { guard_us: 0, ..settings() },
        "10 begin => began, start 0, arm 1050011, ask 0 #1 left 1000000",
    );
}

#[test]
fn a_persons_time_comes_from_the_events() {
    check(
        "p:1s e:none",
        default_settings(),
        "10 begin => began, start 1, arm 1050011, ask 0 #1 left 1000000
         1050010 tick => arm 1050011
         1050010 move 0 #1 x spent 5 => 0 refused x
         1050010 move 0 #1 1 spent 5 => 0 moved 1, send 1 1, disarm, ask 1 #2
         2000000 move 1 #2 1 => 1 moved 1, send 1 1, arm 2000001, ask 0 #3 left 0
         2000001 tick => 0 overrun 1/0, disarm, \
             end: side 1: n0 (odd) loses on time: it took 0.001ms and was allowed 0s",
    );
    check(
        "p:1s e:none",
        play_reported(),
        "10 begin => began, start 1, arm 1050011, ask 0 #1 left 1000000
         1050011 move 0 #1 1 reported 5 => 0 overrun 1050001/1000000, disarm, \
             end: side 1: n0 (odd) loses on time: it took 1050.001ms and was allowed 1s",
    );
}

#[test]
fn the_last_legal_reported_move_may_be_played() {
    check(
        "e:1s/move e:1s/move",
        play_reported(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 move 0 #1 1 spent 2000000 reported x,5,6 => 0 overrun 2000000/1000000, \
             0 moved 5 reported, send 0 5, send 1 5, arm 2050002, ask 1 #2
         2 fault 1 #2 timeout spent 1050001 reported 4 => 1 fault timeout, \
             1 overrun 1050001/1000000, 1 moved 4 reported, send 0 4, start 1, arm 2050003, ask 0 #3
         3 move 0 #3 1 spent 2000000 reported x => 0 overrun 2000000/1000000, disarm, \
             end: side 1: n0 (odd) loses on time: it took 2s and was allowed 1s",
    );
    check(
        "e:1s/move e:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 fault 0 #1 timeout spent 1050001 reported 4 => 0 fault timeout, \
             0 overrun 1050001/1000000, disarm, end: side 1: n0 (odd) loses on time: it did it",
    );
    let referee = check(
        "e:cpu:1s/move e:none",
        play_reported(),
        "0 begin => began, start 0, start 1, ask 0 #1
         9 fault 0 #1 timeout spent 7 cpu 1050001 reported 4 => 0 fault timeout, \
             0 overrun 1050001/1000000, 0 moved 4 reported, start 0, send 1 4, ask 1 #2",
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
         0 fault 0 crash => no: player 0 has no such request
         0 move 0 #1 1 => 0 moved 1, send 1 1, ask 1 #2
         0 fault 1 #2 crash reported 4 => 1 fault crash, end: side 0: n1 (even) loses: it did it",
    );
    let fault = FaultCode::Crash;
    assert_eq!(referee.result().unwrap().termination, Termination::Fault { fault });
    check(
        "e:fuel:9/move e:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 fault 0 #1 fuel => 0 fault fuel, 0 overrun 50000010/9, \
             end: side 1: n0 (odd) loses on time: it did it",
    );
}

#[test]
fn resignation_in_turn_out_of_turn_and_as_an_answer() {
    check(PE, default_settings(), "0 resign 0 => no: the bout has not begun");
    check(
        PE,
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 resign 0 => end: side 1: n0 (odd) resigns",
    );
    check(
        PE,
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 move 0 #1 1 => 0 moved 1, send 1 1, ask 1 #2
         0 resign 0 => stop 1 #2, end: side 1: n0 (odd) resigns",
    );
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 resigns 0 #1 => end: side 1: n0 (odd) resigns",
    );
}

#[test]
fn aborted_bouts_and_disconnected_players() {
    let referee = check(PE, default_settings(), "0 abort => end: no winner: aborted: power");
    let result = referee.result().unwrap();
    assert_eq!((result.counts(), result.half_points(Side(0))), (false, None));
    check(
        EE,
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 abort => stop 0 #1, end: no winner: aborted: power",
    );
    check(
        PE,
        default_settings(),
        "0 begin => began, start 1, ask 0 #1
         0 disconnect 0 => end: side 1: n0 (odd) loses: the connection is lost",
    );
}

#[test]
fn time_does_not_run_backwards() {
    check(
        "p:1s/move e:none",
        default_settings(),
        "100 begin => began, start 1, arm 1050101, ask 0 #1
         50 move 0 #1 1 => 0 moved 1, send 1 1, disarm, ask 1 #2",
    );
}

#[test]
fn limits_contain_the_opponents_clock() {
    let referee = referee("e:10s e:3m", default_settings());
    assert_eq!(referee.limits(0).others_left, [(1, 180_000_000), (3, 180_000_000)]);
    assert_eq!(self::referee("e:10s e:fuel:5", default_settings()).limits(0).others_left, []);
}

#[test]
fn players_and_seats_must_fit() {
    let check_variant = |variant: &str, seats: &[&[u8]], expected: Option<&str>| {
        let player = |seats: &&[u8]| PlayerSetup {
            name: "n".into(),
            seats: seats.to_vec(),
            budget: "none".parse().unwrap(),
            kind: PlayerKind::Engine,
            ponder_threads: None,
        };
        let game = (COUNTING.new)(&COUNTING.variant(variant).unwrap(), None).unwrap();
        let referee = Referee::new(game, seats.iter().map(player).collect(), default_settings(), 0);
        assert_eq!(referee.err().map(|error| error.to_string()).as_deref(), expected);
    };
    let check = |seats: &[&[u8]], expected| check_variant("to-21", seats, Some(expected));
    check(&[], "seat 0 has no player");
    check(&[&[0, 2], &[1]], "seat 3 has no player");
    check(&[&[0, 2], &[]], "player 1 has no seat");
    check(&[&[0, 2], &[1, 3, 1]], "seat 1 has two players");
    check(&[&[0, 1], &[2, 3]], "player 0 has seats of several sides");
    check(&[&[0, 2], &[1, 4]], "player 1 has seat 4, but counting has seats 0 to 3");
    // A variant with fewer seats.
    check_variant("two", &[&[0], &[1]], None);
    check_variant("two", &[&[0]], Some("seat 1 has no player"));
    let unknown = "player 0 has seat 2, but counting has seats 0 to 1";
    check_variant("two", &[&[0, 2], &[1, 3]], Some(unknown));
}

#[test]
fn results_have_the_seats_of_the_variant() {
    let check = |variant: &str, seats: [&[u8]; 2], moves: &str, expected: &[i32]| {
        let player = |seats: &[u8]| PlayerSetup {
            name: "n".into(),
            seats: seats.to_vec(),
            budget: "none".parse().unwrap(),
            kind: PlayerKind::Person,
            ponder_threads: None,
        };
        let game = (COUNTING.new)(&COUNTING.variant(variant).unwrap(), None).unwrap();
        let players = seats.map(player).into();
        let mut referee = Referee::new(game, players, default_settings(), 0).unwrap();
        let mut out = Vec::new();
        referee.handle(0, Event::Begin, &mut out);
        moves.split(", ").for_each(|text| referee.handle(0, event(text), &mut out));
        assert_eq!(referee.result().unwrap().scores, expected, "{variant} {moves}");
    };
    check("two", [&[0], &[1]], "resign 0", &[-1, 1]);
    check("to-21", [&[0, 2], &[1, 3]], "resign 0", &[-1, 1, -1, 1]);
    let wins = "move 0 #1 9, move 1 #2 9, move 0 #3 9";
    check("two", [&[0], &[1]], wins, &[27, -27]);
    check("to-21", [&[0, 2], &[1, 3]], wins, &[27, -27, 27, -27]);
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
    assert!(game.is_over(), "the game is over at its start");
    let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), Some("19 3 0")).unwrap();
    let mut referee =
        Referee::new(game, (0..4).map(player).collect(), default_settings(), 0).unwrap();
    let mut out = Vec::new();
    referee.handle(0, Event::Begin, &mut out);
    assert_eq!(referee.to_move(), Some((3, Some(1))));
    referee.handle(0, event("move 3 #1 2"), &mut out);
    let result = referee.result().unwrap();
    assert_eq!(result.sentence, "n1 and n3 (even) wins: counted out");
}
