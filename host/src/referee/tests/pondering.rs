//! Thinking on the opponents' time, by the referee: when it begins and ends, what a slow
//! stop costs, and who takes more than its share.

use super::*;

fn usual() -> Settings {
    Settings::default()
}

#[test]
fn who_is_not_asked_thinks_until_it_is_told_something() {
    check(
        "t:none t:none",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, think 0, ask 1 #2
         2 back 1 spent 1 late 0 =>
         3 move 1 #2 9 => 1 moved 9, halt 0, tell 0 9, tell 1 9, think 1, ask 0 #3
         4 back 0 =>
         5 move 0 #3 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, end: side 0: n0 (odd) wins: counted out
         6 back 1 spent 3 =>",
    );
    check(
        "e:none e:none",
        usual(),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, tell 0 9, tell 1 9, ask 1 #2",
    );
}

#[test]
fn one_of_two_may_think() {
    check(
        "e:none t:none",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, ask 1 #2
         2 move 1 #2 9 => 1 moved 9, tell 0 9, tell 1 9, think 1, ask 0 #3",
    );
}

/// In bridge who wins a trick leads to the next: west, the last to play, moves twice in a row.
#[test]
fn nobody_thinks_between_two_moves_of_its_own() {
    let game = |position: &str| {
        let info = sandboard_games::game("bridge").unwrap();
        (info.new)(&info.variant("").unwrap(), Some(position)).unwrap()
    };
    let deal = game("N:A2... K3... Q4... J5... NT N -");
    check_from(
        referee_of(deal, "t:none t:none", usual()),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 S2 => 0 moved S2, halt 1, tell 0 S2, tell 1 S2, think 0, ask 1 #2
         2 move 1 #2 S3 => 1 moved S3, halt 0, tell 0 S3, tell 1 S3, think 1, ask 0 #3
         3 move 0 #3 S4 => 0 moved S4, halt 1, tell 0 S4, tell 1 S4, think 0, ask 1 #4
         4 move 1 #4 SJ => 1 moved SJ, halt 0, tell 0 SJ, tell 1 SJ, think 0, ask 1 #5
         5 move 1 #5 S5 => 1 moved S5, halt 0, tell 0 S5, tell 1 S5, think 1, ask 0 #6",
    );
    // A person who moves twice takes back the second of them first.
    let deal = game("N:A... K... Q... J5... NT N S2,S3,S4");
    check_from(
        referee_of(deal, "t:none p:none", usual()),
        "0 begin => began, start 0, think 0, ask 1 #1
         1 move 1 #1 SJ => 1 moved SJ, halt 0, tell 0 SJ, think 0, ask 1 #2
         2 move 1 #2 S5 => 1 moved S5, halt 0, tell 0 S5, ask 0 #3
         3 undo by 1 => stop 0 #3, back 0 1, undone 1, think 0, ask 1 #4
         4 undo by 1 => halt 0, back 0 1, undone 1, think 0, ask 1 #5
         5 undo by 1 => no: there is nothing to undo",
    );
}

#[test]
fn the_time_of_a_person_is_the_engines() {
    check(
        "p:none t:none",
        usual(),
        "0 begin => began, start 1, think 1, ask 0 #1
         1 move 0 #1 x => 0 refused x
         2 offer 0 => 0 offers
         3 pause => halt 1, paused
         4 resume => resumed, think 1
         5 move 0 #1 9 => 0 moved 9, halt 1, tell 1 9, ask 1 #2 draw
         6 move 1 #2 3 => 1 moved 3, 0 declined, tell 1 3, think 1, ask 0 #3
         7 undo 1 => halt 1, back 1 1, undone 1, ask 1 #4
         8 move 1 #4 3 => 1 moved 3, tell 1 3, think 1, ask 0 #5
         9 resign 0 => halt 1, end: side 1: n0 (odd) resigns",
    );
    // A move that was undone while the bout was paused is asked for when it goes on.
    check(
        "p:none t:none",
        usual(),
        "0 begin => began, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 1 9, ask 1 #2
         2 pause => stop 1 #2, paused
         3 undo 1 => stop 1 #2, back 1 1, undone 1
         4 resume => resumed, think 1, ask 0 #3
         5 abort => halt 1, end: nobody: aborted: power",
    );
}

#[test]
fn a_refused_move_leaves_the_opponent_thinking() {
    check(
        "e:none t:none",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 x => 0 refused x left 1, ask 0 #2 not x
         2 move 0 #2 x => 0 refused x left 0, halt 1, \
             end: side 1: n0 (odd) loses: the move `x` is illegal: it is not 1 to 9",
    );
}

#[test]
fn a_slow_stop_is_charged_to_the_next_move() {
    // Of a budget per move, and of a clock.
    let referee = check(
        "e:none t:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, arm 2050002, ask 1 #2
         2 back 1 spent 500 late 400000 => arm 1650003, ask 1 #3 for 600000
         3 asked #3 => arm 1650004
         4 move 1 #3 8 spent 650000 => 1 moved 8, tell 0 8, tell 1 8, disarm, think 1, ask 0 #4",
    );
    let pondered = referee.plies()[1].pondered.as_deref();
    assert_eq!(pondered, Some(&Pondered { wall_us: 500, cpu_us: None, late_us: 400_000 }));
    assert_eq!(referee.plies()[0].pondered, None);
    check(
        "e:none t:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, arm 2050002, ask 1 #2
         2 back 1 late 400000 => arm 1650003, ask 1 #3 for 600000
         4 move 1 #3 8 spent 650001 => 1 late 1050001/1000000, disarm, \
             end: side 0: n1 (even) loses on time: it took 1050.001ms and was allowed 1s",
    );
    let referee = check(
        "e:none t:1s",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, arm 2050002, ask 1 #2 left 1000000
         2 back 1 late 400000 => arm 1650003, ask 1 #3 left 600000
         4 move 1 #3 8 spent 100000 => 1 moved 8, tell 0 8, tell 1 8, disarm, think 1, ask 0 #4",
    );
    assert_eq!(referee.clock(1).unwrap().left(), Some(500_000));
}

#[test]
fn a_stop_without_delay_and_a_budget_without_time_cost_nothing() {
    check(
        "e:none t:1s/move",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, arm 2050002, ask 1 #2
         2 back 1 spent 500 late 0 =>",
    );
    check(
        "e:none t:depth:3",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, ask 1 #2
         2 back 1 spent 500 late 400 =>",
    );
}

#[test]
fn under_cpu_time_a_slow_stop_costs_what_was_worked() {
    for (cpu, left) in [(300_000, 700_000), (500_000, 600_000), (0, 1_000_000)] {
        let script = "0 begin => began, start 0, start 1, think 1, ask 0 #1
             1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, ask 1 #2
             2 back 1 spent 500000 late 400000 cpu CPU => AGAIN";
        let again = format!("ask 1 #3 for {left}");
        let again = if cpu == 0 { "" } else { &again };
        check(
            "e:none t:cpu:1s/move",
            usual(),
            &script.replace("CPU", &cpu.to_string()).replace("AGAIN", again),
        );
    }
}

#[test]
fn more_than_its_threads_can_take_is_a_fault() {
    let check = |players: &str, cpu_us: u64, expected: &str| {
        let script = format!(
            "0 begin => began, start 0, start 1, think 1, ask 0 #1
             1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, ask 1 #2
             2 back 1 spent 1000000 cpu {cpu_us} => {expected}"
        );
        check(players, usual(), &script)
    };
    let fault = "1 fault cpu, stop 1 #2, end: side 0: n1 (even) loses: it used";
    let of_one = format!(
        "{fault} 1070 ms of CPU time in 1000 ms of its opponent's time, with 1 thread to its name: \
         it slows its opponent"
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
fn an_engine_that_fails_on_its_opponents_time_loses() {
    check(
        "e:none t:none",
        usual(),
        "0 begin => began, start 0, start 1, think 1, ask 0 #1
         1 move 0 #1 9 => 0 moved 9, halt 1, tell 0 9, tell 1 9, ask 1 #2
         2 fault 1 timeout => 1 fault timeout, stop 1 #2, end: side 0: n1 (even) loses: it did it",
    );
}

#[test]
fn a_killed_engine_thinks_in_its_fresh_instance() {
    check(
        "t:1s/move e:none",
        Settings { on_timeout: OnTimeout::PlayReported, ..usual() },
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 fault 0 #1 timeout spent 1100000 reported 5 => 0 fault timeout, 0 late 1100000/1000000, \
             0 moved 5 late, start 0, tell 1 5, disarm, think 0, ask 1 #2",
    );
}

#[test]
fn who_may_not_think_is_refused() {
    let check = |kind: PlayerKind, budget: &str, expected: Option<&str>| {
        let player = |seat: u8| PlayerSetup {
            name: format!("n{seat}"),
            seats: vec![seat, seat + 2],
            budget: budget.parse().unwrap(),
            kind,
            ponder_threads: (seat == 1).then_some(1),
        };
        let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
        let referee = Referee::new(game, vec![player(0), player(1)], usual());
        assert_eq!(referee.err().map(|error| error.to_string()).as_deref(), expected);
    };
    for budget in ["none", "1s/move", "cpu:1s/move", "depth:3", "3m+2s"] {
        check(PlayerKind::Engine, budget, None);
    }
    check(
        PlayerKind::Engine,
        "fuel:1e6/move",
        Some(
            "player 1 cannot think on its opponent's time with the budget `fuel:1e6/move`: how much \
             it would think depends on the clock, and no replay could repeat it",
        ),
    );
    let person = "player 1 is a person, and needs no leave to think on its opponent's time";
    check(PlayerKind::Person, "none", Some(person));
}
