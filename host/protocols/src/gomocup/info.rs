//! The values of `INFO`: numbers of rules, and times in milliseconds.

use sandboard_abi::{Limits, Unit};

/// The time that means no limit.
const UNLIMITED_MS: u64 = 2_147_483_647;

/// The number of `INFO rule` for a variant, without its size; None: the variant has no number.
pub fn rule_number(variant: &str) -> Option<u8> {
    match variant {
        "freestyle" => Some(0),
        "standard" | "swap2" => Some(1),
        "renju" => Some(4),
        "caro" => Some(9),
        _ => None,
    }
}

/// The variant of a rule number. Its bits: 1 for exactly five, 2 for a game that continues after a
/// five, 4 for renju, 8 for caro (here with exactly five). None: there is no such variant.
pub fn variant_of(rule: u8) -> Option<&'static str> {
    match rule {
        0 => Some("freestyle"),
        1 => Some("standard"),
        4 | 5 => Some("renju"),
        9 => Some("caro"),
        _ => None,
    }
}

/// The times of a move, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// For this move.
    pub turn_ms: u64,
    /// For the whole game; 0: no limit.
    pub match_ms: u64,
    /// The rest of the game.
    pub left_ms: u64,
}

impl Times {
    /// The times for these limits, when `left_us` remains of the call. CPU time is sent as wall
    /// time. `whole_us`: the game's clock at its start.
    pub fn from_limits(limits: &Limits, left_us: Option<u64>, whole_us: Option<u64>) -> Self {
        let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
        let Some(left_us) = left_us.filter(|_| timed) else {
            return Self { turn_ms: UNLIMITED_MS, match_ms: 0, left_ms: UNLIMITED_MS };
        };
        let ms = |us: u64| (us / 1000).clamp(1, UNLIMITED_MS);
        match limits.game_left {
            Some(game_us) => Self {
                turn_ms: ms(left_us),
                match_ms: ms(whole_us.unwrap_or(game_us)),
                left_ms: ms(game_us.min(left_us)),
            },
            None => Self { turn_ms: ms(left_us), match_ms: 0, left_ms: UNLIMITED_MS },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomocup::VARIANTS;

    #[test]
    fn rules_in_both_directions() {
        for variant in VARIANTS {
            let number = rule_number(variant).unwrap();
            let back = variant_of(number).unwrap();
            assert!(back == variant || variant == "swap2", "{variant}");
        }
        assert_eq!((rule_number("soosorv-8"), variant_of(2), variant_of(8)), (None, None, None));
    }

    #[test]
    fn times_of_limits() {
        let check = |limits: Limits, left_us: Option<u64>, expected: (u64, u64, u64)| {
            let times = Times::from_limits(&limits, left_us, Some(180_000_000));
            assert_eq!((times.turn_ms, times.match_ms, times.left_ms), expected, "{limits:?}");
        };
        let wall = Limits { unit: Unit::Wall, ..Limits::default() };
        check(Limits::default(), None, (2_147_483_647, 0, 2_147_483_647));
        let turn = Limits { call_max: Some(5_000_000), ..wall.clone() };
        check(turn.clone(), Some(4_999_100), (4999, 0, 2_147_483_647));
        check(turn.clone(), Some(900), (1, 0, 2_147_483_647));
        check(Limits { unit: Unit::Cpu, ..turn }, Some(5_000_000), (5000, 0, 2_147_483_647));
        let clock = Limits { game_left: Some(90_000_000), ..wall };
        check(clock, Some(90_000_000), (90_000, 180_000, 90_000));
    }
}
