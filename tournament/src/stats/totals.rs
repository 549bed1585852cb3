//! Resource use and faults of players, as plain sums. The meaning of a fault and of a unit of fuel
//! is defined by the caller.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The sums of one player over any number of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The number of games.
    pub games: u64,
    /// The number of moves made.
    pub moves: u64,
    /// The wall time of the moves in microseconds.
    pub wall_us: u64,
    /// The number of moves whose CPU time was measured.
    pub cpu_moves: u64,
    /// The CPU time of those moves in microseconds.
    pub cpu_us: u64,
    /// The fuel used by the moves.
    pub fuel: u64,
    /// The fuel used by the moves whose CPU time was measured.
    #[serde(default)]
    pub cpu_fuel: u64,
    /// The largest memory use in any game, in bytes.
    pub memory_bytes_max: u64,
    /// The number of games lost by a fault, by the name of the fault.
    pub faults: BTreeMap<String, u64>,
}

impl Totals {
    /// Adds the sums of other games. Sums saturate.
    pub fn add(&mut self, other: &Totals) {
        let sums = [
            (&mut self.games, other.games),
            (&mut self.moves, other.moves),
            (&mut self.wall_us, other.wall_us),
            (&mut self.cpu_moves, other.cpu_moves),
            (&mut self.cpu_us, other.cpu_us),
            (&mut self.fuel, other.fuel),
            (&mut self.cpu_fuel, other.cpu_fuel),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
        self.memory_bytes_max = self.memory_bytes_max.max(other.memory_bytes_max);
        for (fault, games) in &other.faults {
            let sum = self.faults.entry(fault.clone()).or_default();
            *sum = sum.saturating_add(*games);
        }
    }

    /// The number of games lost by any fault.
    pub fn faults(&self) -> u64 {
        self.faults.values().fold(0, |sum, games| sum.saturating_add(*games))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: u64, fuel: u64, memory_bytes_max: u64, fault: Option<&str>) -> Totals {
        let faults = fault.map(|fault| (fault.to_owned(), 1)).into_iter().collect();
        Totals { games: 1, moves, fuel, memory_bytes_max, faults, ..Totals::default() }
    }

    /// `games moves fuel memory faults`
    fn check(games: &[Totals], expected: &str) {
        let mut sum = Totals::default();
        games.iter().for_each(|game| sum.add(game));
        let text = format!(
            "{} {} {} {} {:?} {}",
            sum.games,
            sum.moves,
            sum.fuel,
            sum.memory_bytes_max,
            sum.faults,
            sum.faults()
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn sums() {
        check(&[], "0 0 0 0 {} 0");
        let games = [
            game(3, 10, 900, None),
            game(4, 20, 500, Some("crash")),
            game(0, 0, 0, Some("timeout")),
            game(1, 5, 901, Some("crash")),
        ];
        check(&games, r#"4 8 35 901 {"crash": 2, "timeout": 1} 3"#);
        check(
            &[game(1, u64::MAX, 0, None), game(1, 1, 0, None)],
            "2 2 18446744073709551615 0 {} 0",
        );
    }
}
