//! How much of its limits one move may spend: a function of numbers, in
//! whatever unit they come. Reads no clock.

use sandboard_abi::{Limits, Unit};

/// What one call may spend; `u64::MAX`: not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// After this nothing new is begun.
    pub soft: u64,
    /// At this the search stops where it is.
    pub hard: u64,
}

/// Moves that a clock is expected to last for when nobody says.
const MOVES_EXPECTED: u64 = 30;

/// What a node or two and the way home burn, in units of fuel.
const FUEL_MARGIN: u64 = 6_000;

/// The allotment of a call at whose start the host has `left` units for it.
///
/// A budget per move is spent but for a margin, in which the answer goes home.
/// Of a clock, a move gets its share and most of the increment: it may begin
/// something new in the first 3/5 of the share and stops at 5/2 of it, or half
/// of the clock if moves are to follow.
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

/// What is left when the answer has to be home in time: 1/64 less, of a time at
/// least 1 ms and at most 50 ms, but never more than half. Fuel waits for nobody: of it, what a
/// node or two and the way home burn is enough, and 1/16 if that is less.
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
    fn without_a_budget_nothing_is_limited() {
        check(Limits::default(), u64::MAX, u64::MAX, u64::MAX);
        check(Limits { depth: Some(4), ..Limits::default() }, 5, u64::MAX, u64::MAX);
    }

    #[test]
    fn a_budget_per_move_is_spent_but_for_a_margin() {
        check(per_move(Unit::Wall, 5 * SECOND), 5 * SECOND, 4_950_000, 4_950_000);
        check(per_move(Unit::Cpu, 100_000), 100_000, 98_438, 98_438);
        check(per_move(Unit::Wall, 10_000), 10_000, 9_000, 9_000);
        check(per_move(Unit::Wall, 100), 100, 50, 50);
        check(per_move(Unit::Fuel, 6_400), 6_400, 6_000, 6_000);
        check(per_move(Unit::Fuel, 100_000), 100_000, 94_000, 94_000);
        check(per_move(Unit::Fuel, 2_000_000_000), 2_000_000_000, 1_968_750_000, 1_968_750_000);
        check(per_move(Unit::Wall, 0), 0, 0, 0);
        // What the host says is left counts where it is less.
        check(per_move(Unit::Fuel, 6_400), 640, 600, 600);
    }

    #[test]
    fn a_clock_is_shared_out() {
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
    fn a_clock_of_fuel_is_shared_out_as_one_of_time() {
        for (left, increment) in
            [(5e10 as u64, 1e8 as u64), (1e9 as u64, 0), (1e7 as u64, 1e6 as u64)]
        {
            for to_go in [None, Some(2), Some(40)] {
                let time = clock(left, increment, to_go);
                let fuel = Limits { unit: Unit::Fuel, ..time.clone() };
                assert_eq!(allot(&fuel, left), allot(&time, left), "{left}+{increment}");
            }
        }
        // 1/30 of the clock and 3/4 of the increment, of which 3/5 and 5/2.
        let limits = Limits { unit: Unit::Fuel, ..clock(50_000_000_000, 100_000_000, None) };
        check(limits, 50_000_000_000, 1_044_999_999, 4_354_166_665);
    }

    #[test]
    fn no_allotment_exceeds_what_there_is() {
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
