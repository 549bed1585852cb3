//! The allowances for limits, and the faults of calls that exceed them.

use super::*;

fn limits(unit: Unit, call_max: u64) -> Limits {
    Limits { unit, call_max: Some(call_max), grace: 50_000, ..Limits::default() }
}

#[test]
fn limits_become_allowances() {
    let wall = Allowance::for_limits(&limits(Unit::Wall, 5_000_000), GUARD_US);
    assert_eq!((wall.due_us, wall.grace_us), (5_000_000, 50_000));
    assert_eq!((wall.limit_source, wall.cpu), (LimitSource::Budget, CpuTime::CountedIfLong));

    let fuel = Allowance::for_limits(&limits(Unit::Fuel, 3_000_000_000), GUARD_US);
    assert_eq!((fuel.due_us, fuel.grace_us), (100_000_000, 0));
    assert_eq!(fuel.limit_source, LimitSource::Guard);

    let cpu = Allowance::for_limits(&limits(Unit::Cpu, 5_000_000), GUARD_US);
    assert_eq!((cpu.due_us, cpu.grace_us), (210_000_000, 0));
    assert_eq!(cpu.limit_source, LimitSource::Guard);
    assert_eq!(cpu.cpu, CpuTime::Limited { due_us: 5_000_000, grace_us: 50_000 });
    let sleeper = Allowance::for_sleeping_engine(&limits(Unit::Cpu, 5_000_000), GUARD_US);
    assert_eq!(sleeper, Allowance { limit_source: LimitSource::Sleep, ..cpu });

    // The game clock limits a call like a limit per move; without both there is no limit.
    let game = Limits { game_left: Some(1_000), ..limits(Unit::Cpu, 5_000_000) };
    assert_eq!(Allowance::for_limits(&game, 7).due_us, 30_007);
    let none = Allowance::for_limits(&Limits::default(), GUARD_US);
    assert_eq!((none.due_us, none.cpu), (NEVER, CpuTime::CountedIfLong));
    assert_eq!(none.with_cpu_time_if_unlimited(&Limits::default()).cpu, CpuTime::Counted);
}

fn meter(enforce_deadlines: bool) -> Arc<Meter> {
    Meter::new(Alarm::repeating(ALARM_REPEAT_US, || ()), enforce_deadlines, STOP_GRACE_US)
}

/// A meter whose call with these limits has begun on this thread.
#[track_caller]
fn begin(due_us: u64, limit_source: LimitSource, cpu: CpuTime) -> Arc<Meter> {
    let meter = self::meter(true);
    meter.begin(Allowance { due_us, grace_us: 0, limit_source, cpu });
    meter
}

#[track_caller]
fn check(meter: &Meter, code: FaultCode, sentence: &str) {
    assert!(meter.is_overdue());
    assert_eq!(meter.timeout_fault(), Fault::new(code, sentence));
    // After the call has returned the fault is the same.
    let usage = meter.end();
    assert_eq!(meter.overrun_fault(&usage), Some(Fault::new(code, sentence)));
}

const HOUR_US: u64 = 3_600_000_000;
const HOUR: CpuTime = CpuTime::Limited { due_us: HOUR_US, grace_us: 0 };

#[test]
fn a_call_in_time_has_no_fault() {
    let meter = begin(HOUR_US, LimitSource::Sleep, CpuTime::Counted);
    assert!(!meter.is_overdue());
    assert_eq!(meter.left_us(), NEVER, "`left()` does not report this limit");
    let usage = meter.end();
    assert_eq!(meter.overrun_fault(&usage), None);
}

#[test]
fn the_fault_of_a_wall_time_limit_depends_on_its_source() {
    check(
        &begin(0, LimitSource::Budget, CpuTime::Ignored),
        FaultCode::Timeout,
        "did not answer within 0 ms",
    );
    let stopped = "was stopped by the host's guard after 0 ms";
    check(&begin(0, LimitSource::Guard, HOUR), FaultCode::Host, stopped);
    let slept = "did not answer within 0 ms, in which it used 0 ms of CPU time";
    check(&begin(0, LimitSource::Sleep, HOUR), FaultCode::Timeout, slept);
}

#[test]
fn a_stop_between_two_calls_is_for_the_next_one() {
    let meter = begin(HOUR_US, LimitSource::Budget, CpuTime::Ignored);
    meter.end();
    meter.stop_handle().stop();
    assert_eq!(meter.alarm.at_us(), NEVER, "there is no call to kill");
    meter.begin(Allowance::UNLIMITED);
    assert!(meter.alarm.at_us() <= now_us() + STOP_GRACE_US);
    assert_eq!(meter.left_us(), 0);
    // An alarm that rang just before the end of the call finds it off, and leaves it off.
    meter.end();
    assert!(!meter.is_overdue());
    assert_eq!(meter.alarm.at_us(), NEVER);
}

#[cfg(target_os = "linux")]
mod counted {
    use super::*;

    #[test]
    fn cpu_time_ends_a_call_long_before_its_guard() {
        let cpu = CpuTime::Limited { due_us: 2_000, grace_us: 3_000 };
        for limit_source in [LimitSource::Guard, LimitSource::Sleep] {
            let meter = begin(HOUR_US, limit_source, cpu);
            let mut seen = [0; 2];
            while !meter.is_overdue() {
                seen[usize::from(meter.left_us() == 0)] += 1;
            }
            assert!(seen[0] > 0 && seen[1] > 0, "left() counts down, and is 0 in the grace");
            let sentence = "did not answer within 2 ms of CPU time and 3 ms of grace";
            check(&meter, FaultCode::Timeout, sentence);
            assert!(meter.current_usage().cpu_us >= Some(5_000));
        }
    }

    #[test]
    fn the_alarm_is_set_for_what_is_left_of_cpu_time() {
        let cpu = CpuTime::Limited { due_us: 50, grace_us: 100_000 };
        let meter = begin(HOUR_US, LimitSource::Guard, cpu);
        let start = meter.start_us.load(Ordering::Relaxed);
        let first = meter.alarm.at_us();
        assert!(first <= start + 100_050, "no earlier end is possible: {first} {start}");
        while meter.current_usage().cpu_us < Some(30_000) {}
        assert!(!meter.is_overdue());
        let (second, now) = (meter.alarm.at_us(), now_us());
        assert!(second > start && second <= now + 70_050, "{second} {now}");
        // A stop ends the call earlier.
        meter.stop_handle().stop();
        assert!(!meter.is_overdue());
        assert!(meter.alarm.at_us() <= now_us() + STOP_GRACE_US);
    }

    #[test]
    fn the_cpu_time_of_a_call_is_forgotten_before_the_next() {
        let cpu = CpuTime::Limited { due_us: 2_000, grace_us: 0 };
        let meter = begin(HOUR_US, LimitSource::Guard, cpu);
        while meter.left_us() > 0 {}
        assert!(meter.end().cpu_us >= Some(2_000));
        meter.reset_cpu_time();
        assert_eq!((meter.current_usage().cpu_us, meter.cpu_left_us(7)), (None, NEVER));
        // CPU time is counted only on request.
        meter.begin(Allowance::fixed(HOUR_US));
        assert_eq!(meter.end().cpu_us, None);
        meter.begin(Allowance::fixed(HOUR_US).with_cpu_time());
        assert!(meter.end().cpu_us.is_some());
    }

    #[test]
    fn a_choice_is_counted_if_the_previous_one_was_long() {
        let meter = CpuMeter::new(None);
        let check = |wall_us: u64, is_read: bool| {
            assert_eq!(meter.begin(CpuTime::CountedIfLong), NEVER);
            assert_eq!(meter.end(wall_us).is_some(), is_read);
        };
        check(5_000_000, true);
        check(7, true);
        check(100, false);
        check(99, true);
        check(7, false);
        // A limited call is always counted, and does not influence unlimited ones.
        let limited = CpuTime::Limited { due_us: 5, grace_us: 6 };
        assert_eq!(meter.begin(limited), 11);
        assert!(meter.end(5_000_000).is_some());
        check(7, false);
    }
}

#[test]
fn without_deadlines_no_call_is_overdue() {
    for allowance in [Allowance::fixed(0), zero(Unit::Wall), zero(Unit::Cpu), zero(Unit::Fuel)] {
        let meter = self::meter(false);
        meter.begin(allowance);
        assert!(!meter.is_overdue(), "{allowance:?}");
        let usage = meter.end();
        assert_eq!(meter.overrun_fault(&usage), None, "{allowance:?}");
        let strict = self::meter(true);
        strict.begin(Allowance::fixed(0));
        assert!(strict.is_overdue());
    }
}

/// The allowance for a limit of 0.
fn zero(unit: Unit) -> Allowance {
    Allowance::for_limits(&Limits { unit, call_max: Some(0), ..Limits::default() }, 0)
}

#[test]
fn the_guard_beside_cpu_time_is_as_the_page_on_budgets_says() {
    let page = include_str!("../../../../docs/play.md");
    let check = |call_max: u64, words: &str| {
        let limits = Limits { unit: Unit::Cpu, call_max: Some(call_max), ..Limits::default() };
        let sleeping = Allowance::for_sleeping_engine(&limits, GUARD_US);
        assert_eq!(sleeping.limit_source, LimitSource::Sleep);
        assert_eq!(sleeping.due_us, Allowance::for_limits(&limits, GUARD_US).due_us);
        let expected = words.replace("SECONDS", &(sleeping.due_us / 1_000_000).to_string());
        assert!(page.contains(&expected), "no {expected:?}");
    };
    check(300_000, "`cpu:300ms/move` that is SECONDS s,");
    check(5_000_000, "`cpu:5s/move` SECONDS s.");
}

#[test]
fn cpu_time_of_helpers_counts_for_the_leader() {
    let (leader, helper, idle) = (meter(true), meter(true), meter(true));
    leader.add_helpers(vec![helper.clone(), idle]);
    let limited = CpuTime::Limited { due_us: 20_000, grace_us: 1_000 };
    let allowance = Allowance { cpu: limited, ..Allowance::UNLIMITED };
    leader.begin(allowance);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            helper.begin(Allowance::UNLIMITED.with_cpu_time());
            while helper.current_usage().cpu_us < Some(5_000) {}
            helper.end();
        });
    });
    // The leader itself only waited, which takes almost no CPU time.
    let left_us = leader.left_us();
    assert!(left_us <= 15_000, "{left_us}");
    let usage = leader.end();
    assert!(usage.cpu_us >= Some(5_000), "{usage}");
    assert_eq!(leader.overrun_fault(&usage), None);
    // The next call is not charged for the last one.
    helper.reset_cpu_time();
    leader.begin(allowance);
    assert!(leader.left_us() > 15_000);
    // The leader's call is late if its helpers used too much.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            helper.begin(Allowance::UNLIMITED.with_cpu_time());
            while helper.current_usage().cpu_us < Some(21_000) {}
            helper.end();
        });
    });
    let sentence = "did not answer within 20 ms of CPU time and 1 ms of grace";
    check(&leader, FaultCode::Timeout, sentence);
}

#[test]
fn the_guard_beside_fuel_is_proportional_and_at_least_some_seconds() {
    let check = |fuel: u64, guard_us: u64, expected: u64| {
        assert_eq!(Allowance::guard_beside_fuel(fuel, guard_us).due_us, expected, "{fuel}");
    };
    check(0, GUARD_US, 5_000_000);
    check(100_000_000, GUARD_US, 5_000_000);
    check(150_000_000, GUARD_US, 5_000_000);
    check(300_000_000, GUARD_US, 10_000_000);
    check(u64::MAX, GUARD_US, u64::MAX / 30);
    // Tests choose a shorter one.
    check(0, 7, 7);
    check(300, 7, 10);
}
