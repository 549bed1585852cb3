//! Pondering: when it begins and ends, what a slow stop costs, and engines that use too much CPU
//! time.

use super::*;

fn default_settings() -> BoutSettings {
    BoutSettings::default()
}

#[test]
fn the_player_not_to_move_ponders_until_it_gets_a_call() {
    check(
        "t:none t:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ponder 0, ask 1 #2
         2 pondered 1 spent 1 stop 0 =>
         3 move 1 #2 9 => 1 moved 9, unponder 0, send 0 9, send 1 9, ponder 1, ask 0 #3
         4 pondered 0 =>
         5 move 0 #3 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, \
             end: side 0: n0 (odd) wins: counted out
         6 pondered 1 spent 3 =>",
    );
    check(
        "e:none e:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, send 0 9, send 1 9, ask 1 #2",
    );
}

#[test]
fn only_one_player_ponders_if_only_one_may() {
    check(
        "e:none t:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ask 1 #2
         2 move 1 #2 9 => 1 moved 9, send 0 9, send 1 9, ponder 1, ask 0 #3",
    );
}

/// In bridge the winner of a trick leads to the next: West, who plays last, moves twice in a row.
#[test]
fn an_engine_does_not_ponder_between_two_moves_of_its_own() {
    let game = |position: &str| {
        let info = Games::default().find("bridge").unwrap();
        (info.new)(&info.variant("").unwrap(), Some(position)).unwrap()
    };
    let deal = game("N:A2... K3... Q4... J5... NT N -");
    check_from(
        referee_of(deal, "t:none t:none", default_settings()),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 S2 => 0 moved S2, unponder 1, send 0 S2, send 1 S2, ponder 0, ask 1 #2
         2 move 1 #2 S3 => 1 moved S3, unponder 0, send 0 S3, send 1 S3, ponder 1, ask 0 #3
         3 move 0 #3 S4 => 0 moved S4, unponder 1, send 0 S4, send 1 S4, ponder 0, ask 1 #4
         4 move 1 #4 SJ => 1 moved SJ, unponder 0, send 0 SJ, send 1 SJ, ponder 0, ask 1 #5
         5 move 1 #5 S5 => 1 moved S5, unponder 0, send 0 S5, send 1 S5, ponder 1, ask 0 #6",
    );
    // A person who moved twice takes back the second move first.
    let deal = game("N:A... K... Q... J5... NT N S2,S3,S4");
    check_from(
        referee_of(deal, "t:none p:none", default_settings()),
        "0 begin => began, start 0, ponder 0, ask 1 #1
         1 move 1 #1 SJ => 1 moved SJ, unponder 0, send 0 SJ, ponder 0, ask 1 #2
         2 move 1 #2 S5 => 1 moved S5, unponder 0, send 0 S5, ask 0 #3
         3 undo by 1 => stop 0 #3, back 0 1, undone 1, ponder 0, ask 1 #4
         4 undo by 1 => unponder 0, back 0 1, undone 1, ponder 0, ask 1 #5
         5 undo by 1 => no: there is nothing to undo",
    );
}

#[test]
fn an_engine_ponders_on_a_persons_time() {
    check(
        "p:none t:none",
        default_settings(),
        "0 begin => began, start 1, ponder 1, ask 0 #1
         1 move 0 #1 x => 0 refused x
         2 offer 0 => 0 offers
         3 pause => unponder 1, paused
         4 resume => resumed, ponder 1
         5 move 0 #1 9 => 0 moved 9, unponder 1, send 1 9, ask 1 #2 draw
         6 move 1 #2 3 => 1 moved 3, 0 declined, send 1 3, ponder 1, ask 0 #3
         7 undo 1 => unponder 1, back 1 1, undone 1, ask 1 #4
         8 move 1 #4 3 => 1 moved 3, send 1 3, ponder 1, ask 0 #5
         9 resign 0 => unponder 1, end: side 1: n0 (odd) resigns",
    );
    // A move that was undone during a pause is requested on resume.
    check(
        "p:none t:none",
        default_settings(),
        "0 begin => began, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 1 9, ask 1 #2
         2 pause => stop 1 #2, paused
         3 undo 1 => stop 1 #2, back 1 1, undone 1
         4 resume => resumed, ponder 1, ask 0 #3
         5 abort => unponder 1, end: no winner: aborted: power",
    );
}

#[test]
fn a_refused_move_does_not_stop_pondering() {
    check(
        "e:none t:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 x => 0 refused x left 1, ask 0 #2 not x
         2 move 0 #2 x => 0 refused x left 0, unponder 1, \
             end: side 1: n0 (odd) loses: the move `x` is illegal: not a number from 1 to 9",
    );
}

#[test]
fn a_slow_stop_is_charged_to_the_next_move() {
    // With a limit per move, and with a game clock.
    let referee = check(
        "e:none t:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, arm 2050002, ask 1 #2
         2 pondered 1 spent 500 stop 400000 => arm 1650003, ask 1 #3 for 600000
         3 begun #3 => arm 1650004
         4 move 1 #3 8 spent 650000 => 1 moved 8, send 0 8, send 1 8, disarm, ponder 1, ask 0 #4",
    );
    let pondering = referee.plies()[1].pondering.as_deref();
    assert_eq!(pondering, Some(&PonderingTime { wall_us: 500, cpu_us: None, stop_us: 400_000 }));
    assert_eq!(referee.plies()[0].pondering, None);
    check(
        "e:none t:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, arm 2050002, ask 1 #2
         2 pondered 1 stop 400000 => arm 1650003, ask 1 #3 for 600000
         4 move 1 #3 8 spent 650001 => 1 overrun 1050001/1000000, disarm, \
             end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s",
    );
    let referee = check(
        "e:none t:1s",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, arm 2050002, \
             ask 1 #2 left 1000000
         2 pondered 1 stop 400000 => arm 1650003, ask 1 #3 left 600000
         4 move 1 #3 8 spent 100000 => 1 moved 8, send 0 8, send 1 8, disarm, ponder 1, ask 0 #4",
    );
    assert_eq!(referee.clock(1).unwrap().left(), Some(500_000));
}

#[test]
fn a_stop_without_delay_and_a_budget_without_time_cost_nothing() {
    check(
        "e:none t:1s/move",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, arm 2050002, ask 1 #2
         2 pondered 1 spent 500 stop 0 =>",
    );
    check(
        "e:none t:depth:3",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ask 1 #2
         2 pondered 1 spent 500 stop 400 =>",
    );
}

#[test]
fn under_a_cpu_budget_a_slow_stop_costs_the_cpu_time() {
    for (cpu, left) in [(300_000, 700_000), (500_000, 600_000), (0, 1_000_000)] {
        let script = "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
             1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ask 1 #2
             2 pondered 1 spent 500000 stop 400000 cpu CPU => AGAIN";
        let again = format!("ask 1 #3 for {left}");
        let again = if cpu == 0 { "" } else { &again };
        check(
            "e:none t:cpu:1s/move",
            default_settings(),
            &script.replace("CPU", &cpu.to_string()).replace("AGAIN", again),
        );
    }
}

#[test]
fn more_cpu_time_than_the_threads_allow_is_a_fault() {
    let check = |players: &str, cpu_us: u64, expected: &str| {
        let script = format!(
            "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
             1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ask 1 #2
             2 pondered 1 spent 1000000 cpu {cpu_us} => {expected}"
        );
        check(players, default_settings(), &script)
    };
    let fault = "1 fault cpu, stop 1 #2, end: side 0: n1 (even) loses: it used";
    let of_one = format!(
        "{fault} 1070 ms of CPU time while it pondered for 1000 ms with 1 thread: it slows down \
         its opponent"
    );
    check("e:none t:none", 1_070_000, "");
    let referee = check("e:none t:none", 1_070_001, &of_one);
    let termination = &referee.result().unwrap().termination;
    assert_eq!(termination, &Termination::Fault { fault: FaultCode::Cpu });
    check("e:none t2:none", 2_120_000, "");
    let of_two = of_one.replace("1070", "2120").replace("1 thread", "2 threads");
    check("e:none t2:none", 2_120_001, &of_two);
}

#[test]
fn an_engine_that_fails_while_pondering_loses() {
    check(
        "e:none t:none",
        default_settings(),
        "0 begin => began, start 0, start 1, ponder 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, unponder 1, send 0 9, send 1 9, ask 1 #2
         2 fault 1 timeout => 1 fault timeout, stop 1 #2, end: side 0: n1 (even) loses: it did it",
    );
}

#[test]
fn a_killed_engine_ponders_in_its_fresh_instance() {
    check(
        "t:1s/move e:none",
        BoutSettings { on_timeout: TimeoutPolicy::PlayReported, ..default_settings() },
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 fault 0 #1 timeout spent 1100000 reported 5 => 0 fault timeout, \
             0 overrun 1100000/1000000, \
             0 moved 5 reported, start 0, send 1 5, disarm, ponder 0, ask 1 #2",
    );
}

#[test]
fn invalid_pondering_settings_are_refused() {
    let check = |kind: PlayerKind, budget: &str, expected: Option<&str>| {
        let player = |seat: u8| PlayerSetup {
            name: format!("n{seat}"),
            seats: vec![seat, seat + 2],
            budget: budget.parse().unwrap(),
            kind,
            ponder_threads: (seat == 1).then_some(1),
        };
        let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
        let referee = Referee::new(game, vec![player(0), player(1)], default_settings(), 0);
        assert_eq!(referee.err().map(|error| error.to_string()).as_deref(), expected);
    };
    for budget in ["none", "1s/move", "cpu:1s/move", "depth:3", "3m+2s"] {
        check(PlayerKind::Engine, budget, None);
    }
    check(
        PlayerKind::Engine,
        "fuel:1e6/move",
        Some(
            "player 1 cannot ponder with the budget `fuel:1e6/move`: its moves would depend on the \
             clock, and no replay could repeat them",
        ),
    );
    let person = "player 1 is a person: pondering is an option of engines";
    check(PlayerKind::Person, "none", Some(person));
}
