//! What a run must reach: a share of the positions, or a number of them.

use std::fmt;
use std::str::FromStr;

/// A bar: `90%` of the positions, or `58` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// This share, in hundredths of a per cent.
    Share(u32),
    /// So many.
    Count(usize),
}

impl Bar {
    /// How many of `positions` must be solved.
    pub fn needed(self, positions: usize) -> usize {
        match self {
            Bar::Share(hundredths) => {
                let all = positions as u128 * u128::from(hundredths);
                usize::try_from(all.div_ceil(10_000)).unwrap_or(usize::MAX)
            }
            Bar::Count(count) => count,
        }
    }
}

impl FromStr for Bar {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let form = "a share from 0% to 100%, as 90% or 92.5%, or a number of positions, as 58";
            format!("`{text}` is no bar; write {form}")
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let Some(share) = text.strip_suffix('%') else {
            let count = digits(text).then(|| text.parse().ok()).flatten();
            return count.map(Bar::Count).ok_or_else(wrong);
        };
        let (whole, part) = share.split_once('.').unwrap_or((share, "0"));
        if !digits(whole) || !digits(part) || whole.len() > 3 || part.len() > 2 {
            return Err(wrong());
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let hundredths = number(whole)? * 100 + number(&format!("{part:0<2}"))?;
        if hundredths > 10_000 {
            return Err(wrong());
        }
        Ok(Bar::Share(hundredths))
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bar::Share(hundredths) => {
                let part = format!("{:02}", hundredths % 100);
                let part = part.trim_end_matches('0');
                let point = if part.is_empty() { "" } else { "." };
                write!(f, "{}{point}{part}%", hundredths / 100)
            }
            Bar::Count(count) => write!(f, "{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_read_and_met_exactly() {
        let check = |text: &str, positions, needed| {
            let bar: Bar = text.parse().unwrap();
            assert_eq!(bar.needed(positions), needed, "{text} of {positions}");
            assert_eq!(bar.to_string(), text);
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
    fn what_is_no_bar() {
        for text in ["", "%", "101%", "100.01%", "-1", "9.", "9.%", ".5%", "1.234%", "ninety", "+5"]
        {
            let error = text.parse::<Bar>().unwrap_err();
            assert!(error.contains(&format!("`{text}` is no bar")), "{error}");
        }
    }
}
