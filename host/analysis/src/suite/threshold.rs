//! The pass threshold of a run: a share of the positions, or a number of them.

use std::fmt;
use std::str::FromStr;

/// The positions that must be solved: `90%` of all, or `58`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassThreshold {
    /// A share, in hundredths of a percent.
    Share(u32),
    /// A number of positions.
    Count(usize),
}

impl PassThreshold {
    /// The number of `positions` that must be solved, rounded up.
    pub fn needed(self, positions: usize) -> usize {
        match self {
            PassThreshold::Share(hundredths) => {
                let all = positions as u128 * u128::from(hundredths);
                usize::try_from(all.div_ceil(10_000)).unwrap_or(usize::MAX)
            }
            PassThreshold::Count(count) => count,
        }
    }
}

impl FromStr for PassThreshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || {
            let form = "a share from 0% to 100%, as 90% or 92.5%, or a number of positions, as 58";
            format!("`{text}` is not a valid threshold; write {form}")
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let Some(share) = text.strip_suffix('%') else {
            let count = digits(text).then(|| text.parse().ok()).flatten();
            return count.map(PassThreshold::Count).ok_or_else(invalid);
        };
        let (whole, part) = share.split_once('.').unwrap_or((share, "0"));
        if !digits(whole) || !digits(part) || whole.len() > 3 || part.len() > 2 {
            return Err(invalid());
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| invalid());
        let hundredths = number(whole)? * 100 + number(&format!("{part:0<2}"))?;
        if hundredths > 10_000 {
            return Err(invalid());
        }
        Ok(PassThreshold::Share(hundredths))
    }
}

impl fmt::Display for PassThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassThreshold::Share(hundredths) => {
                let part = format!("{:02}", hundredths % 100);
                let part = part.trim_end_matches('0');
                let point = if part.is_empty() { "" } else { "." };
                write!(f, "{}{point}{part}%", hundredths / 100)
            }
            PassThreshold::Count(count) => write!(f, "{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_parsed_and_rounded_up() {
        let check = |text: &str, positions, needed| {
            let threshold: PassThreshold = text.parse().unwrap();
            assert_eq!(threshold.needed(positions), needed, "{text} of {positions}");
            assert_eq!(threshold.to_string(), text);
        };
        check("90%", 10, 9);
        check("90%", 11, 10);
        check("92.5%", 40, 37);
        check("92.55%", 40, 38);
        check("0%", 7, 0);
        check("100%", 7, 7);
        check("58", 60, 58);
        check("0", 60, 0);
    }

    #[test]
    fn invalid_thresholds_are_refused() {
        for text in ["", "%", "101%", "100.01%", "-1", "9.", "9.%", ".5%", "1.234%", "ninety", "+5"]
        {
            let error = text.parse::<PassThreshold>().unwrap_err();
            assert!(error.contains(&format!("`{text}` is not a valid threshold")), "{error}");
        }
    }
}
