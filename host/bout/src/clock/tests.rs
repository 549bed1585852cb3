//! Tests of clocks: deadlines to the microsecond, increments, deficits, and displayed values.

use super::*;

const GRACE: Grace = Grace { us: 50_000, fuel: 10 };

fn clock(budget: &str) -> Clock {
    Clock::new(budget.parse().unwrap())
}

/// A request that spends exactly the deadline is within it; one unit more exceeds it.
fn check_deadline(clock: &Clock, deadline: Option<u64>) {
    assert_eq!(clock.deadline(GRACE), deadline);
    if let Some(deadline) = deadline {
        assert!(!clock.is_exceeded_by(deadline, GRACE));
        assert!(clock.is_exceeded_by(deadline + 1, GRACE));
    } else {
        assert!(!clock.is_exceeded_by(u64::MAX, GRACE));
    }
}

#[test]
fn deadlines_are_limit_plus_grace() {
    check_deadline(&clock("none"), None);
    check_deadline(&clock("depth:3"), None);
    check_deadline(&clock("5s/move"), Some(5_050_000));
    check_deadline(&clock("3m+2s"), Some(180_050_000));
    check_deadline(&clock("3m,5s/move"), Some(5_050_000));
    check_deadline(&clock("4s,5s/move"), Some(4_050_000));
    check_deadline(&clock("fuel:100/move"), Some(110));
}

#[test]
fn a_game_clock_runs_down_and_earns_its_increment() {
    let mut clock = clock("3m+2s");
    clock.charge(10_000_000);
    assert_eq!(clock.left(), Some(170_000_000), "a refused request stays spent");
    clock.charge(1_000_000);
    clock.complete_move();
    assert_eq!(clock.left(), Some(171_000_000));
    let limits = clock.limits(GRACE);
    assert_eq!(limits.game_left, Some(171_000_000));
    assert_eq!((limits.call_max, limits.increment), (None, 2_000_000));
    assert_eq!((limits.grace, limits.moves_to_go), (50_000, None));
}

#[test]
fn overruns_add_up_to_one_grace() {
    let mut clock = clock("1s");
    clock.charge(1_020_000);
    clock.complete_move();
    assert_eq!(clock.left(), Some(-20_000));
    assert_eq!(clock.allowed(), Some(0));
    check_deadline(&clock, Some(30_000));
    assert_eq!(clock.limits(GRACE).grace, 30_000);
    assert_eq!(clock.limits(GRACE).game_left, Some(0));
    clock.charge(30_000);
    check_deadline(&clock, Some(0));
    clock.charge(u64::MAX);
    clock.charge(u64::MAX);
    check_deadline(&clock, Some(0));
}

#[test]
fn a_limit_per_move_applies_to_every_request() {
    let mut clock = clock("5s/move");
    clock.charge(5_040_000);
    check_deadline(&clock, Some(5_050_000));
    assert_eq!(clock.left(), None);
    let limits = clock.limits(GRACE);
    assert_eq!((limits.call_max, limits.game_left, limits.grace), (Some(5_000_000), None, 50_000));
}

#[test]
fn a_clock_gets_its_base_time_after_each_period() {
    let mut clock = clock("2/10s+1s");
    assert_eq!(clock.limits(GRACE).moves_to_go, Some(2));
    clock.charge(4_000_000);
    clock.complete_move();
    assert_eq!((clock.left(), clock.moves_to_go), (Some(7_000_000), Some(1)));
    clock.complete_move();
    assert_eq!((clock.left(), clock.moves_to_go), (Some(18_000_000), Some(2)));
    let again = Clock::restored(*clock.budget(), Some(18_000_000), 2);
    assert_eq!(again, clock);
    assert_eq!(Clock::restored(*clock.budget(), None, 3).moves_to_go, Some(1));
}

#[test]
fn readings_use_the_unit_of_the_budget() {
    let spent = Usage { wall_us: 7, cpu_us: Some(5), fuel: Some(9), ..Usage::default() };
    assert_eq!(clock("none").reading(&spent), Some(7));
    assert_eq!(clock("3m").reading(&spent), Some(7));
    assert_eq!(clock("fuel:5").reading(&spent), Some(9));
    assert_eq!(clock("fuel:5").reading(&Usage::default()), None);
    assert_eq!(clock("cpu:5s").reading(&spent), Some(5));
    assert_eq!(clock("cpu:5s").reading(&Usage::default()), None);
}

#[test]
fn remaining_amounts_as_text() {
    for (budget, spent, expected) in [
        ("3m+2s", 0, "3:00"),
        ("3m+2s", 1_000, "2:59"),
        ("3m", 160_000_000, "0:20"),
        ("3m", 160_000_001, "0:19.9"),
        ("3m", 175_700_000, "0:04.3"),
        ("3m", 999_000_000, "0:00.0"),
        ("2h", 3_477_000_000, "1:02:03"),
        ("30s/move", 1_000_000, "0:29"),
        ("cpu:3m", 1_000, "2:59 CPU"),
        ("fuel:100", 1, "99 fuel"),
    ] {
        assert_eq!(clock(budget).remaining(spent).unwrap().to_string(), expected, "{budget}");
    }
    assert_eq!(clock("depth:3").remaining(0), None);
}
