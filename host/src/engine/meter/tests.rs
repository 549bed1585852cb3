//! What limits allow, and what is said of a call that broke them.

use super::*;

fn limits(unit: Unit, call_max: u64) -> Limits {
    Limits { unit, call_max: Some(call_max), grace: 50_000, ..Limits::default() }
}

#[test]
fn what_limits_allow() {
    let wall = Allowance::of(&limits(Unit::Wall, 5_000_000), GUARD_US);
    assert_eq!((wall.due_us, wall.grace_us, wall.whose), (5_000_000, 50_000, Whose::Budget));
    assert_eq!(wall.cpu, CpuTime::ReadIfLong);

    let fuel = Allowance::of(&limits(Unit::Fuel, 3_000_000_000), GUARD_US);
    assert_eq!((fuel.due_us, fuel.grace_us, fuel.whose), (160_000_000, 0, Whose::Guard));

    let cpu = Allowance::of(&limits(Unit::Cpu, 5_000_000), GUARD_US);
    assert_eq!((cpu.due_us, cpu.grace_us, cpu.whose), (210_000_000, 0, Whose::Guard));
    assert_eq!(cpu.cpu, CpuTime::Limited { due_us: 5_000_000, grace_us: 50_000 });
    let sleeper = Allowance::of_sleeper(&limits(Unit::Cpu, 5_000_000), GUARD_US);
    assert_eq!(sleeper, Allowance { whose: Whose::Patience, ..cpu });

    // The clock of a game is a limit as good as one per move; without either there is none.
    let game = Limits { game_left: Some(1_000), ..limits(Unit::Cpu, 5_000_000) };
    assert_eq!(Allowance::of(&game, 7).due_us, 30_007);
    let none = Allowance::of(&Limits::default(), GUARD_US);
    assert_eq!((none.due_us, none.cpu), (NEVER, CpuTime::ReadIfLong));
}

fn meter(deadlines: bool) -> Arc<Meter> {
    Meter::new(Alarm::new(|| ()), deadlines, STOP_GRACE_US)
}

/// A call with these limits has begun on this thread.
#[track_caller]
fn begun(due_us: u64, whose: Whose, cpu: CpuTime) -> Arc<Meter> {
    let meter = self::meter(true);
    meter.begin(Allowance { due_us, grace_us: 0, whose, cpu });
    meter
}

#[track_caller]
fn check(meter: &Meter, code: FaultCode, sentence: &str) {
    assert!(meter.is_overdue());
    assert_eq!(meter.timeout(), Fault::new(code, sentence));
    // Once it has come back, the same.
    let spent = meter.end();
    assert_eq!(meter.overrun(&spent), Some(Fault::new(code, sentence)));
}

const HOUR_US: u64 = 3_600_000_000;
const HOUR: CpuTime = CpuTime::Limited { due_us: HOUR_US, grace_us: 0 };

#[test]
fn a_call_in_time_is_left_alone() {
    let meter = begun(HOUR_US, Whose::Patience, CpuTime::Read);
    assert!(!meter.is_overdue());
    assert_eq!(meter.left_us(), NEVER, "nothing that it is told of limits it");
    let spent = meter.end();
    assert_eq!(meter.overrun(&spent), None);
}

#[test]
fn wall_time_ends_a_call_by_whoever_set_the_limit() {
    check(
        &begun(0, Whose::Budget, CpuTime::Unread),
        FaultCode::Timeout,
        "did not answer within 0 ms",
    );
    let stopped = "was stopped by the host's guard after 0 ms";
    check(&begun(0, Whose::Guard, HOUR), FaultCode::Host, stopped);
    let slept = "did not answer within 0 ms, in which it used 0 ms of CPU time";
    check(&begun(0, Whose::Patience, HOUR), FaultCode::Timeout, slept);
}

#[cfg(target_os = "linux")]
mod counted {
    use super::*;

    #[test]
    fn cpu_time_ends_a_call_long_before_its_guard() {
        let cpu = CpuTime::Limited { due_us: 2_000, grace_us: 3_000 };
        for whose in [Whose::Guard, Whose::Patience] {
            let meter = begun(HOUR_US, whose, cpu);
            let mut seen = [0; 2];
            while !meter.is_overdue() {
                seen[usize::from(meter.left_us() == 0)] += 1;
            }
            assert!(seen[0] > 0 && seen[1] > 0, "left() counts down, and is 0 in the grace");
            let late = "did not answer within 2 ms of CPU time and 3 ms of grace";
            check(&meter, FaultCode::Timeout, late);
            assert!(meter.so_far().cpu_us >= Some(5_000));
        }
    }

    #[test]
    fn the_alarm_is_set_for_what_is_left_of_cpu_time() {
        let meter =
            begun(HOUR_US, Whose::Guard, CpuTime::Limited { due_us: 50, grace_us: 100_000 });
        let began = meter.began_us.load(Ordering::Relaxed);
        let first = meter.alarm.at_us();
        assert!(first <= began + 100_050, "no earlier end is possible: {first} {began}");
        while meter.so_far().cpu_us < Some(30_000) {}
        assert!(!meter.is_overdue());
        let (again, now) = (meter.alarm.at_us(), now_us());
        assert!(again > began && again <= now + 70_050, "{again} {now}");
        // A stop ends it earlier.
        meter.control().stop();
        assert!(!meter.is_overdue());
        assert!(meter.alarm.at_us() <= now_us() + STOP_GRACE_US);
    }

    #[test]
    fn a_call_is_told_of_no_other_calls_time() {
        let meter = begun(HOUR_US, Whose::Guard, CpuTime::Limited { due_us: 2_000, grace_us: 0 });
        while meter.left_us() > 0 {}
        assert!(meter.end().cpu_us >= Some(2_000));
        meter.call_follows();
        assert_eq!((meter.so_far().cpu_us, meter.cpu_left_us(7)), (None, NEVER));
        // Where nobody asks, nothing is read.
        meter.begin(Allowance::exactly(HOUR_US));
        assert_eq!(meter.end().cpu_us, None);
        meter.begin(Allowance::exactly(HOUR_US).metered());
        assert!(meter.end().cpu_us.is_some());
    }

    #[test]
    fn a_choice_is_read_when_the_one_before_was_long() {
        let meter = CpuMeter::new(None);
        let check = |wall_us: u64, is_read: bool| {
            assert_eq!(meter.begin(CpuTime::ReadIfLong), NEVER);
            assert_eq!(meter.end(wall_us).is_some(), is_read);
        };
        check(5_000_000, true);
        check(7, true);
        check(100, false);
        check(99, true);
        check(7, false);
        // What is limited is always read, and says nothing of what is not.
        let limited = CpuTime::Limited { due_us: 5, grace_us: 6 };
        assert_eq!(meter.begin(limited), 11);
        assert!(meter.end(5_000_000).is_some());
        check(7, false);
    }
}

#[test]
fn without_deadlines_nothing_is_too_late() {
    for allowance in [Allowance::exactly(0), of(Unit::Wall), of(Unit::Cpu), of(Unit::Fuel)] {
        let meter = self::meter(false);
        meter.begin(allowance);
        // As a deadline of its own would have it, this one is over.
        assert!(!meter.is_overdue(), "{allowance:?}");
        let spent = meter.end();
        assert_eq!(meter.overrun(&spent), None, "{allowance:?}");
        let strict = self::meter(true);
        strict.begin(Allowance::exactly(0));
        assert!(strict.is_overdue());
    }
}

/// What a limit of nothing at all allows.
fn of(unit: Unit) -> Allowance {
    Allowance::of(&Limits { unit, call_max: Some(0), ..Limits::default() }, 0)
}

#[test]
fn the_guard_beside_fuel_is_generous_and_the_hosts() {
    let meter = self::meter(true);
    meter.begin(Allowance::beside_fuel(3_000_000_000, GUARD_US));
    assert_eq!(meter.left_us(), NEVER);
    let took = |wall_us| Spent { wall_us, ..Spent::default() };
    assert_eq!(meter.overrun(&took(159_000_000)), None);
    let fault = meter.overrun(&took(161_000_000)).unwrap();
    assert_eq!(fault.code, FaultCode::Host);
    assert_eq!(fault.sentence, "was stopped by the host's guard after 160000 ms");
    meter.end();
}

#[test]
fn what_others_take_beside_a_call_is_its_own() {
    let (leader, helper, idle) = (meter(true), meter(true), meter(true));
    leader.work_beside(vec![helper.clone(), idle]);
    let limited = CpuTime::Limited { due_us: 20_000, grace_us: 1_000 };
    let allowance = Allowance { cpu: limited, ..Allowance::NONE };
    leader.begin(allowance);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            helper.begin(Allowance::NONE.metered());
            while helper.so_far().cpu_us < Some(5_000) {}
            helper.end();
        });
    });
    // It did nothing itself but wait, which takes next to nothing.
    let left_us = leader.left_us();
    assert!(left_us <= 15_000, "{left_us}");
    let spent = leader.end();
    assert!(spent.cpu_us >= Some(5_000), "{spent}");
    assert_eq!(leader.overrun(&spent), None);
    // The next call pays for nothing of the last one.
    helper.call_follows();
    leader.begin(allowance);
    assert!(leader.left_us() > 15_000);
    // Nor is it in time, if they are not.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            helper.begin(Allowance::NONE.metered());
            while helper.so_far().cpu_us < Some(21_000) {}
            helper.end();
        });
    });
    let sentence = "did not answer within 20 ms of CPU time and 1 ms of grace";
    check(&leader, FaultCode::Timeout, sentence);
}
