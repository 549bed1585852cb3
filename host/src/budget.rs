//! What a player may spend, as it is written on command lines and in records:
//! `5s/move`, `3m+2s`, `fuel:2e9/move`, `depth:8`. Reads and writes texts only;
//! what is left of a budget in a bout is a [`Clock`](crate::clock::Clock)'s business.

use std::fmt;
use std::str::FromStr;

use sandboard_abi::Unit;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest amount of anything that a budget may name: in microseconds some
/// 31,000 years, so that sums of a few of them stay within 64 bits.
pub const AMOUNT_MAX: u64 = 1_000_000_000_000_000_000;

/// The accepted forms, for error messages and help texts.
pub const FORMS: &str = "none, 5s/move, 500ms/move, 3m+2s, 3m, 40/5m, cpu:5s/move, cpu:3m+2s, \
                         fuel:2e9/move, fuel:5e10+1e8, depth:8, nodes:1e6, or several joined by \
                         a comma (5s/move,depth:8)";

/// What a player may spend in a bout: nothing limits it, or a limit per move, a
/// clock for the game, a depth, a number of nodes, or several of these at once.
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

/// The part of a budget that lasts for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameClock {
    /// What the clock holds at first, in the budget's unit; at least 1.
    pub base: u64,
    /// What each move adds.
    pub increment: u64,
    /// After how many moves the base is added again; none: never.
    pub moves: Option<u32>,
}

/// A text that is no budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is no budget: {reason}; write {FORMS}")]
pub struct BudgetError {
    /// The part of the text that is wrong.
    pub part: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Budget {
    /// No limit at all.
    pub const NONE: Budget =
        Budget { unit: Unit::Unlimited, per_move: None, game: None, depth: None, nodes: None };

    /// So much wall time for every move; 0 counts as 1.
    pub fn wall_per_move(us: u64) -> Self {
        let per_move = Some(us.clamp(1, AMOUNT_MAX));
        Self { unit: Unit::Wall, per_move, ..Self::NONE }
    }

    /// A budget for single moves that gives none of them more than this one, nor more than so many units, 1 at least: of
    /// a clock what it holds at first. Depth and nodes stay.
    pub fn at_most_per_move(self, units: u64) -> Self {
        let base = self.game.map(|clock| clock.base);
        let least = [self.per_move, base].into_iter().flatten().fold(units, u64::min);
        Self { per_move: Some(least.clamp(1, AMOUNT_MAX)), game: None, ..self }
    }

    /// What time is counted in: `Unlimited` where only depth, nodes or nothing
    /// limits. A driver asks here whether it can count that.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// For every move, in [`unit`](Self::unit).
    pub fn per_move(&self) -> Option<u64> {
        self.per_move
    }

    /// For the game, in [`unit`](Self::unit).
    pub fn game(&self) -> Option<GameClock> {
        self.game
    }

    /// Search depth at most.
    pub fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// Nodes at most.
    pub fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// Whether nothing limits at all.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    fn add_part(&mut self, part: &str) -> Result<(), BudgetError> {
        let wrong = |reason: String| BudgetError { part: part.to_owned(), reason };
        let twice = |what: &str| wrong(format!("{what} is given twice"));
        if let Some(number) = part.strip_prefix("depth:") {
            let depth = amount(number, &[("", 1)], "a depth").map_err(wrong)?;
            let depth = u32::try_from(depth)
                .map_err(|_| wrong(format!("a depth of {depth} is more than {}", u32::MAX)))?;
            return match self.depth.replace(depth) {
                Some(_) => Err(twice("the depth")),
                None => Ok(()),
            };
        }
        if let Some(number) = part.strip_prefix("nodes:") {
            let nodes = amount(number, &[("", 1)], "a number of nodes").map_err(wrong)?;
            return match self.nodes.replace(nodes) {
                Some(_) => Err(twice("the number of nodes")),
                None => Ok(()),
            };
        }
        let (unit, rest) = match part.split_once(':') {
            None => (Unit::Wall, part),
            Some(("cpu", rest)) => (Unit::Cpu, rest),
            Some(("fuel", rest)) => (Unit::Fuel, rest),
            Some((word, _)) => {
                return Err(wrong(format!("`{word}:` is none of cpu:, fuel:, depth:, nodes:")));
            }
        };
        if self.unit != Unit::Unlimited && self.unit != unit {
            return Err(wrong("one budget counts in one of wall time, cpu time and fuel".into()));
        }
        self.unit = unit;
        if let Some(text) = rest.strip_suffix("/move") {
            let per_move = units(unit, text).map_err(wrong)?;
            return match self.per_move.replace(per_move) {
                Some(_) => Err(twice("the limit per move")),
                None => Ok(()),
            };
        }
        let game = game_clock(unit, rest).map_err(wrong)?;
        match self.game.replace(game) {
            Some(_) => Err(twice("the clock of the game")),
            None => Ok(()),
        }
    }
}

/// Reads `3m`, `3m+2s`, `40/5m`, `40/5m+2s`.
fn game_clock(unit: Unit, text: &str) -> Result<GameClock, String> {
    let (moves, rest) = match text.split_once('/') {
        None => (None, text),
        Some((moves, rest)) => {
            let count = amount(moves, &[("", 1)], "a number of moves")?;
            let count = u32::try_from(count).map_err(|_| format!("`{moves}` is too many moves"))?;
            (Some(count), rest)
        }
    };
    // An exponent may carry a sign of its own: `fuel:5e+10+1e8` is not worth having.
    let (base, increment) = match rest.split_once('+') {
        None => (units(unit, rest)?, 0),
        Some((base, increment)) => (units(unit, base)?, units(unit, increment)?),
    };
    Ok(GameClock { base, increment, moves })
}

fn units(unit: Unit, text: &str) -> Result<u64, String> {
    const TIMES: &[(&str, u64)] =
        &[("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000)];
    match unit {
        Unit::Fuel => amount(text, &[("", 1)], "an amount of fuel"),
        _ => amount(text, TIMES, "a time with a unit of ms, s, m or h"),
    }
}

/// Reads a positive decimal number with one of these suffixes, exactly: no
/// rounding, no float.
fn amount(text: &str, suffixes: &[(&str, u64)], wanted: &str) -> Result<u64, String> {
    let garbage = || format!("`{text}` is not {wanted}");
    let end = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (_, scale) = suffixes.iter().find(|(name, _)| *name == suffix).ok_or_else(garbage)?;
    let (mantissa, exponent) = match number.split_once('e') {
        None => (number, 0),
        Some((mantissa, exponent)) => (mantissa, digits(exponent).ok_or_else(garbage)?),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if mantissa.ends_with('.') || whole.is_empty() {
        return Err(garbage());
    }
    let too_large = || format!("`{text}` is more than {AMOUNT_MAX:e}");
    let mut value = u128::from(*scale);
    let all: String = [whole, fraction].concat();
    if !all.bytes().all(|b| b.is_ascii_digit()) {
        return Err(garbage());
    }
    if all.len() > 30 {
        return Err(format!("`{text}` has more than 30 digits"));
    }
    let number: u128 = all.parse().map_err(|_| garbage())?;
    if number == 0 {
        return Err(format!("`{text}` is zero"));
    }
    value = value.checked_mul(number).ok_or_else(too_large)?;
    let shift = i64::from(exponent) - fraction.len() as i64;
    let power = u32::try_from(shift.unsigned_abs()).ok().and_then(|n| 10u128.checked_pow(n));
    let value = if shift >= 0 {
        power.and_then(|power| value.checked_mul(power)).ok_or_else(too_large)?
    } else {
        let power = power.ok_or_else(garbage)?;
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

fn digits(text: &str) -> Option<u32> {
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
                    _ => "`none` stands alone",
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

/// An amount as budgets write it: `1.5s`, `250ms`, `2e9`.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// What it is counted in; times have a unit, the rest is a plain number.
    pub unit: Unit,
    /// How much.
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
