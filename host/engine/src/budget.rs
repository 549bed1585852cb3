//! Parses and writes budgets, as they appear on command lines and in records: `5s/move`, `3m+2s`,
//! `fuel:2e9/move`, `depth:8`. Does not count what is left of a budget during a bout.

use std::fmt;
use std::str::FromStr;

use sandboard_abi::Unit;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest amount in a budget: about 31,000 years in microseconds. Sums of a few such amounts
/// fit into 64 bits.
pub const AMOUNT_MAX: u64 = 1_000_000_000_000_000_000;

/// The accepted forms, for error messages.
const FORMS: &str = "none, 5s/move, 500ms/move, 3m+2s, 3m, 40/5m, cpu:5s/move, cpu:3m+2s, \
                         fuel:2e9/move, fuel:5e10+1e8, depth:8, nodes:1e6, or several joined by \
                         a comma (5s/move,depth:8)";

/// The limits of a player in a bout: per move, for the game, search depth and number of nodes, in
/// any combination, or none.
///
/// [`Display`](fmt::Display) writes a text that reads back equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    unit: Unit,
    per_move: Option<u64>,
    game: Option<GameClock>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

/// The limit of a budget for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameClock {
    /// Initial amount on the clock, in the budget's unit; at least 1.
    pub base: u64,
    /// Amount that each move adds, in the budget's unit.
    pub increment: u64,
    /// Number of moves after which the base is added again; none: never.
    pub moves: Option<u32>,
}

/// A text that is not a valid budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is not a valid budget: {reason}; use {FORMS}")]
pub struct BudgetError {
    /// The invalid part of the text.
    pub part: String,
    /// Why that part is invalid.
    pub reason: String,
}

impl Budget {
    /// A budget without limits.
    pub const NONE: Budget =
        Budget { unit: Unit::Unlimited, per_move: None, game: None, depth: None, nodes: None };

    /// A limit of wall time per move, in microseconds; 0 counts as 1.
    pub fn wall_per_move(us: u64) -> Self {
        let per_move = Some(us.clamp(1, AMOUNT_MAX));
        Self { unit: Unit::Wall, per_move, ..Self::NONE }
    }

    /// This budget with a single limit per move instead of a game clock: the least of `units`, the
    /// limit per move and the base of the game clock, but at least 1. Keeps depth and nodes.
    pub fn at_most_per_move(self, units: u64) -> Self {
        let base = self.game.map(|clock| clock.base);
        let least = [self.per_move, base].into_iter().flatten().fold(units, u64::min);
        Self { per_move: Some(least.clamp(1, AMOUNT_MAX)), game: None, ..self }
    }

    /// The unit of the limits per move and for the game; `Unlimited` if there are none. A driver
    /// checks here whether it can measure the unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Limit per move, in [`unit`](Self::unit).
    pub fn per_move(&self) -> Option<u64> {
        self.per_move
    }

    /// Limit for the game, in [`unit`](Self::unit).
    pub fn game_clock(&self) -> Option<GameClock> {
        self.game
    }

    /// Maximum search depth in plies.
    pub fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// Maximum number of search nodes.
    pub fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// Whether the budget has no limits.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    fn add_part(&mut self, part: &str) -> Result<(), BudgetError> {
        let error = |reason: String| BudgetError { part: part.to_owned(), reason };
        let duplicate = |what: &str| error(format!("{what} is given twice"));
        if let Some(number) = part.strip_prefix("depth:") {
            let depth = parse_amount(number, &[("", 1)], "a depth").map_err(error)?;
            let depth = u32::try_from(depth)
                .map_err(|_| error(format!("a depth of {depth} is more than {}", u32::MAX)))?;
            return match self.depth.replace(depth) {
                Some(_) => Err(duplicate("the depth")),
                None => Ok(()),
            };
        }
        if let Some(number) = part.strip_prefix("nodes:") {
            let nodes = parse_amount(number, &[("", 1)], "a number of nodes").map_err(error)?;
            return match self.nodes.replace(nodes) {
                Some(_) => Err(duplicate("the number of nodes")),
                None => Ok(()),
            };
        }
        let (unit, rest) = match part.split_once(':') {
            None => (Unit::Wall, part),
            Some(("cpu", rest)) => (Unit::Cpu, rest),
            Some(("fuel", rest)) => (Unit::Fuel, rest),
            Some((word, _)) => {
                return Err(error(format!("`{word}:` is not one of cpu:, fuel:, depth:, nodes:")));
            }
        };
        if self.unit != Unit::Unlimited && self.unit != unit {
            return Err(error("a budget has one unit: wall time, CPU time or fuel".into()));
        }
        self.unit = unit;
        if let Some(text) = rest.strip_suffix("/move") {
            let per_move = parse_units(unit, text).map_err(error)?;
            return match self.per_move.replace(per_move) {
                Some(_) => Err(duplicate("the limit per move")),
                None => Ok(()),
            };
        }
        let game = parse_game_clock(unit, rest).map_err(error)?;
        match self.game.replace(game) {
            Some(_) => Err(duplicate("the clock of the game")),
            None => Ok(()),
        }
    }
}

/// Parses `3m`, `3m+2s`, `40/5m`, `40/5m+2s`.
fn parse_game_clock(unit: Unit, text: &str) -> Result<GameClock, String> {
    let (moves, rest) = match text.split_once('/') {
        None => (None, text),
        Some((moves, rest)) => {
            let count = parse_amount(moves, &[("", 1)], "a number of moves")?;
            let count = u32::try_from(count).map_err(|_| format!("`{moves}` is too many moves"))?;
            (Some(count), rest)
        }
    };
    // Exponents have no sign, so the first `+` precedes the increment.
    let (base, increment) = match rest.split_once('+') {
        None => (parse_units(unit, rest)?, 0),
        Some((base, increment)) => (parse_units(unit, base)?, parse_units(unit, increment)?),
    };
    Ok(GameClock { base, increment, moves })
}

/// Parses an amount in a unit: times in microseconds, fuel in units of fuel.
fn parse_units(unit: Unit, text: &str) -> Result<u64, String> {
    const TIMES: &[(&str, u64)] =
        &[("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000)];
    match unit {
        Unit::Fuel => parse_amount(text, &[("", 1)], "an amount of fuel"),
        _ => parse_amount(text, TIMES, "a time with a unit of ms, s, m or h"),
    }
}

/// Parses a positive decimal number with one of these suffixes and its factor. The result is exact:
/// there is no rounding and no floating point.
fn parse_amount(text: &str, suffixes: &[(&str, u64)], expected: &str) -> Result<u64, String> {
    let malformed = || format!("`{text}` is not {expected}");
    let end = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (_, scale) = suffixes.iter().find(|(name, _)| *name == suffix).ok_or_else(malformed)?;
    let (mantissa, exponent) = match number.split_once('e') {
        None => (number, 0),
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent).ok_or_else(malformed)?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if mantissa.ends_with('.') || whole.is_empty() {
        return Err(malformed());
    }
    let too_large = || format!("`{text}` is more than {AMOUNT_MAX:e}");
    let mut value = u128::from(*scale);
    let all: String = [whole, fraction].concat();
    if !all.bytes().all(|b| b.is_ascii_digit()) {
        return Err(malformed());
    }
    if all.len() > 30 {
        return Err(format!("`{text}` has more than 30 digits"));
    }
    let number: u128 = all.parse().map_err(|_| malformed())?;
    if number == 0 {
        return Err(format!("`{text}` is zero"));
    }
    value = value.checked_mul(number).ok_or_else(too_large)?;
    let shift = i64::from(exponent) - fraction.len() as i64;
    let power = u32::try_from(shift.unsigned_abs()).ok().and_then(|n| 10u128.checked_pow(n));
    let value = if shift >= 0 {
        power.and_then(|power| value.checked_mul(power)).ok_or_else(too_large)?
    } else {
        let power = power.ok_or_else(malformed)?;
        if value % power != 0 {
            let least = if suffix.is_empty() { "1" } else { "a microsecond" };
            return Err(format!("`{text}` is finer than {least}"));
        }
        value / power
    };
    match u64::try_from(value) {
        Ok(value) if value <= AMOUNT_MAX => Ok(value),
        _ => Err(too_large()),
    }
}

fn parse_exponent(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        if text == "none" {
            return Ok(Self::NONE);
        }
        let mut budget = Self::NONE;
        for part in text.split(',') {
            let part = part.trim();
            if part == "none" || part.is_empty() {
                let reason = match part {
                    "" => "it is empty",
                    _ => "`none` cannot be combined with limits",
                };
                return Err(BudgetError { part: text.to_owned(), reason: reason.into() });
            }
            budget.add_part(part)?;
        }
        Ok(budget)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        let amount = |value| Amount { unit: self.unit, value };
        let prefix = match self.unit {
            Unit::Cpu => "cpu:",
            Unit::Fuel => "fuel:",
            _ => "",
        };
        let mut comma = "";
        if let Some(per_move) = self.per_move {
            write!(f, "{prefix}{}/move", amount(per_move))?;
            comma = ",";
        }
        if let Some(game) = self.game {
            write!(f, "{comma}{prefix}")?;
            if let Some(moves) = game.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", amount(game.base))?;
            if game.increment > 0 {
                write!(f, "+{}", amount(game.increment))?;
            }
            comma = ",";
        }
        if let Some(depth) = self.depth {
            write!(f, "{comma}depth:{depth}")?;
            comma = ",";
        }
        if let Some(nodes) = self.nodes {
            write!(f, "{comma}nodes:{}", Amount { unit: Unit::Fuel, value: nodes })?;
        }
        Ok(())
    }
}

/// Writes an amount as in budgets: `1.5s`, `250ms`, `2e9`.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The unit. Times are written with a unit, other amounts as plain numbers.
    pub unit: Unit,
    /// The amount, in microseconds for times.
    pub value: u64,
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        match self.unit {
            Unit::Fuel | Unit::Unlimited => {
                let zeros =
                    (0..18).take_while(|n| value.is_multiple_of(10u64.pow(n + 1))).count() as u32;
                match zeros {
                    3.. if value > 0 => write!(f, "{}e{zeros}", value / 10u64.pow(zeros)),
                    _ => write!(f, "{value}"),
                }
            }
            Unit::Wall | Unit::Cpu => match value {
                0 => f.write_str("0s"),
                _ if value.is_multiple_of(3_600_000_000) => write!(f, "{}h", value / 3_600_000_000),
                _ if value.is_multiple_of(60_000_000) => write!(f, "{}m", value / 60_000_000),
                _ if value.is_multiple_of(1_000_000) => write!(f, "{}s", value / 1_000_000),
                _ if value.is_multiple_of(1_000) => write!(f, "{}ms", value / 1_000),
                _ => {
                    let fraction = format!("{:03}", value % 1_000);
                    write!(f, "{}.{}ms", value / 1_000, fraction.trim_end_matches('0'))
                }
            },
        }
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
