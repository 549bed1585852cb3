//! Time management: how much of its limits a move may spend, in the unit of the limits. Reads no
//! clock.

use sandboard_abi::{Limits, Unit};

/// What one call may spend, in the unit of its limits; `u64::MAX`: not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// After this, no new iteration begins.
    pub soft: u64,
    /// At this, the search stops in the middle of an iteration.
    pub hard: u64,
}

/// The expected number of moves for a clock without `moves_to_go`.
const MOVES_EXPECTED: u64 = 30;

/// The fuel of one or two nodes and of the return from the call.
const FUEL_MARGIN: u64 = 6_000;

/// The allotment of a call; `left` is what the host has left for it at its start.
///
/// A budget per move is spent except for a margin, which covers the return of the answer. With a
/// clock, the share of a move is the clock divided by the expected moves, plus 3/4 of the
/// increment. The soft limit is 3/5 of the share. The hard limit is 5/2 of it, but at most half of
/// the clock if more moves follow.
pub fn allot(limits: &Limits, left: u64) -> Allotment {
    if limits.unit == Unit::Unlimited {
        return Allotment { soft: u64::MAX, hard: u64::MAX };
    }
    let call = left.min(limits.call_max.unwrap_or(u64::MAX));
    let Some(clock) = limits.game_left else {
        let hard = without_margin(limits.unit, call);
        return Allotment { soft: hard, hard };
    };
    let moves = limits.moves_to_go.map_or(MOVES_EXPECTED, |moves| u64::from(moves.max(1)));
    let share = (clock / moves).saturating_add(limits.increment / 4 * 3);
    let most = without_margin(limits.unit, clock.min(call));
    let most = if moves > 1 { most.min(clock / 2) } else { most };
    let hard = (share / 2).saturating_mul(5).min(most);
    Allotment { soft: (share / 5).saturating_mul(3).min(hard), hard }
}

/// A total without the margin for the return of the answer. The margin is 1/64 of the total, and
/// never more than half. For time it is 1 to 50 ms. For fuel, which does not run on while the host
/// works, it is at least the fuel of one or two nodes, but at most 1/16 of the total.
fn without_margin(unit: Unit, total: u64) -> u64 {
    if total == u64::MAX {
        return total;
    }
    let margin = match unit {
        Unit::Wall | Unit::Cpu => (total / 64).clamp(1_000, 50_000),
        Unit::Unlimited | Unit::Fuel => (total / 64).max(FUEL_MARGIN).min(total / 16),
    };
    total - margin.min(total / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    #[track_caller]
    fn check(limits: Limits, left: u64, soft: u64, hard: u64) {
        assert_eq!(allot(&limits, left), Allotment { soft, hard });
    }

    fn per_move(unit: Unit, max: u64) -> Limits {
        Limits { unit, call_max: Some(max), ..Limits::default() }
    }

    fn clock(left: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        let game_left = Some(left);
        Limits { unit: Unit::Wall, game_left, increment, moves_to_go, ..Limits::default() }
    }

    #[test]
    fn without_a_budget_the_allotment_is_not_limited() {
        check(Limits::default(), u64::MAX, u64::MAX, u64::MAX);
        check(Limits { depth: Some(4), ..Limits::default() }, 5, u64::MAX, u64::MAX);
    }

    #[test]
    fn a_budget_per_move_is_spent_except_for_a_margin() {
        check(per_move(Unit::Wall, 5 * SECOND), 5 * SECOND, 4_950_000, 4_950_000);
        check(per_move(Unit::Cpu, 100_000), 100_000, 98_438, 98_438);
        check(per_move(Unit::Wall, 10_000), 10_000, 9_000, 9_000);
        check(per_move(Unit::Wall, 100), 100, 50, 50);
        check(per_move(Unit::Fuel, 6_400), 6_400, 6_000, 6_000);
        check(per_move(Unit::Fuel, 100_000), 100_000, 94_000, 94_000);
        check(per_move(Unit::Fuel, 2_000_000_000), 2_000_000_000, 1_968_750_000, 1_968_750_000);
        check(per_move(Unit::Wall, 0), 0, 0, 0);
        // The smaller of the limit and the host's clock applies.
        check(per_move(Unit::Fuel, 6_400), 640, 600, 600);
    }

    #[test]
    fn a_clock_is_divided_among_moves() {
        check(clock(60 * SECOND, 0, None), 60 * SECOND, 1_200_000, 5_000_000);
        check(clock(60 * SECOND, SECOND, None), 60 * SECOND, 1_650_000, 6_875_000);
        check(clock(10 * SECOND, 0, Some(2)), 10 * SECOND, 3_000_000, 5_000_000);
        check(clock(10 * SECOND, 0, Some(1)), 10 * SECOND, 6_000_000, 9_950_000);
        check(clock(0, SECOND, None), 0, 0, 0);
        // A limit per move caps the share.
        let capped = Limits { call_max: Some(SECOND), ..clock(60 * SECOND, 0, None) };
        check(capped, SECOND, 984_375, 984_375);
    }

    #[test]
    fn a_clock_of_fuel_is_divided_like_one_of_time() {
        for (left, increment) in
            [(5e10 as u64, 1e8 as u64), (1e9 as u64, 0), (1e7 as u64, 1e6 as u64)]
        {
            for to_go in [None, Some(2), Some(40)] {
                let time = clock(left, increment, to_go);
                let fuel = Limits { unit: Unit::Fuel, ..time.clone() };
                assert_eq!(allot(&fuel, left), allot(&time, left), "{left}+{increment}");
            }
        }
        // 3/5 and 5/2 of a share of 1/30 of the clock and 3/4 of the increment.
        let limits = Limits { unit: Unit::Fuel, ..clock(50_000_000_000, 100_000_000, None) };
        check(limits, 50_000_000_000, 1_044_999_999, 4_354_166_665);
    }

    #[test]
    fn no_allotment_exceeds_the_clock() {
        for left in [0, 1, 2, 63, 64, 1_000, 12_345, SECOND, 3_600 * SECOND] {
            for increment in [0, 1, SECOND] {
                for to_go in [None, Some(0), Some(1), Some(40)] {
                    let allotment = allot(&clock(left, increment, to_go), left);
                    assert!(allotment.soft <= allotment.hard && allotment.hard <= left);
                }
            }
        }
    }
}
