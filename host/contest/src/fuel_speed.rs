//! The CPU time that an entry takes for a unit of fuel. Fuel cannot see how far away the memory is
//! that code touches, so such code can take many times the time that its fuel stands for. Pure.

use std::fmt;

use sandboard_tournament::stats::Totals;

/// From this CPU time for a unit of fuel on, an entry is flagged, in nanoseconds. Usual code takes
/// about one.
pub const FLAGGED_NS: f64 = 10.0;
/// From this CPU time for a unit of fuel on, an entry is suspended, in nanoseconds.
pub const SUSPENDED_NS: f64 = 50.0;
/// CPU time of each move that needs no fuel: calls, and the host's part of them. In microseconds.
const OVERHEAD_US: u64 = 1_000;
/// The least CPU time beside the overhead, in microseconds, that says anything about an entry.
const LEAST_US: u64 = 1_000_000;

/// The CPU time for fuel in the games of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuelSpeed {
    /// CPU time for a unit of fuel, in nanoseconds.
    pub ns_per_unit: f64,
    /// The CPU time that was measured, without the overhead of moves, in microseconds.
    pub cpu_us: u64,
    /// The fuel of the same moves, in units.
    pub fuel: u64,
}

/// What follows from a [`FuelSpeed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpeedVerdict {
    /// Time and fuel go together.
    Usual,
    /// The organiser should look at the entry.
    Flagged,
    /// The entry does not play on.
    Suspended,
}

impl FuelSpeed {
    /// The speed in these games. None: too little was measured.
    pub fn of(totals: &Totals) -> Option<Self> {
        let cpu_us = totals.cpu_us.saturating_sub(totals.cpu_moves.saturating_mul(OVERHEAD_US));
        let fuel = totals.cpu_fuel;
        let is_enough = cpu_us >= LEAST_US && fuel > 0;
        is_enough.then(|| Self { ns_per_unit: cpu_us as f64 * 1000.0 / fuel as f64, cpu_us, fuel })
    }

    /// What follows for the entry.
    pub fn verdict(&self) -> SpeedVerdict {
        match self.ns_per_unit {
            ns if ns >= SUSPENDED_NS => SpeedVerdict::Suspended,
            ns if ns >= FLAGGED_NS => SpeedVerdict::Flagged,
            _ => SpeedVerdict::Usual,
        }
    }
}

/// Writes `57.3 ns of CPU time for a unit of fuel (2.9 s for 50000000 units)`.
impl fmt::Display for FuelSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ns_per_unit, cpu_us, fuel } = self;
        let seconds = *cpu_us as f64 / 1e6;
        write!(
            f,
            "{ns_per_unit:.1} ns of CPU time for a unit of fuel ({seconds:.1} s for {fuel} units)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the nanoseconds and the verdict of moves with this CPU time, in microseconds, and
    /// fuel.
    fn check(moves: u64, cpu_us: u64, fuel: u64, expected: Option<(&str, SpeedVerdict)>) {
        let totals = Totals { cpu_moves: moves, cpu_us, cpu_fuel: fuel, ..Totals::default() };
        let found = FuelSpeed::of(&totals);
        let found = found.map(|it| (format!("{:.1}", it.ns_per_unit), it.verdict()));
        let expected = expected.map(|(text, verdict)| (text.to_owned(), verdict));
        assert_eq!(found, expected, "{moves} {cpu_us} {fuel}");
    }

    #[test]
    fn slow_code_for_its_fuel_is_flagged_and_suspended() {
        use SpeedVerdict::{Flagged, Suspended, Usual};
        // A search: a nanosecond a unit.
        check(100, 10_100_000, 10_000_000_000, Some(("1.0", Usual)));
        check(100, 99_000_000, 10_000_000_000, Some(("9.9", Usual)));
        check(100, 100_100_000, 10_000_000_000, Some(("10.0", Flagged)));
        check(100, 500_100_000, 10_000_000_000, Some(("50.0", Suspended)));
        // A pointer chase over 64 MiB: 33 s for 1e8 units.
        check(1, 33_001_000, 100_000_000, Some(("330.0", Suspended)));
        // A thousand quick moves without much work: their time is overhead.
        check(1_000, 900_000, 2_000_000, None);
        check(1_000, 1_900_000, 2_000_000, None);
        check(0, 0, 0, None);
        check(1, 5_000_000, 0, None);
        check(u64::MAX, u64::MAX, u64::MAX, None);
    }

    #[test]
    fn the_sentence_has_the_numbers() {
        let speed = FuelSpeed { ns_per_unit: 57.34, cpu_us: 2_867_000, fuel: 50_000_000 };
        let expected = "57.3 ns of CPU time for a unit of fuel (2.9 s for 50000000 units)";
        assert_eq!(speed.to_string(), expected);
    }
}
