//! A clock of GTP: main time, and repeated overtime for a number of stones. Computes from given
//! times, reads no clock.

/// A clock. All times are in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// The time left; `None`: unlimited.
    pub(super) left: Option<u64>,
    /// The number of moves that the time left is for; 0: all.
    pub(super) stones: u32,
    /// The length of an overtime period and its number of moves; 0 moves: no overtime.
    pub(super) overtime: (u64, u32),
}

impl Clock {
    /// A clock from main time and overtime in seconds, and the stones of an overtime period.
    pub(super) fn of(arguments: &[&str]) -> Result<Self, String> {
        let numbers = arguments.iter().map(|text| text.parse().ok()).collect::<Option<Vec<u32>>>();
        let Some(&[main, overtime, stones]) = numbers.as_deref() else {
            return Err("syntax error: three whole numbers of seconds and stones".into());
        };
        let ms = |seconds: u32| u64::from(seconds) * 1000;
        Ok(match (main, stones) {
            // Overtime without stones means no time limit.
            (0, 0) if overtime > 0 => Self::default(),
            (0, _) => Self { left: Some(ms(overtime)), stones, overtime: (ms(overtime), stones) },
            _ => Self { left: Some(ms(main)), stones: 0, overtime: (ms(overtime), stones) },
        })
    }

    /// The clock after a move that took this many milliseconds.
    pub(super) fn after(self, spent_ms: u64) -> Self {
        let Some(left) = self.left else { return self };
        let (time, stones) = self.overtime;
        match (left.checked_sub(spent_ms), self.stones) {
            (Some(left), 0) => Self { left: Some(left), ..self },
            (None, 0) if stones > 0 => {
                let left = Some((left + time).saturating_sub(spent_ms));
                Self { left, stones, ..self }.after_stone()
            }
            (None, 0) => Self { left: Some(0), ..self },
            (left, _) => Self { left: Some(left.unwrap_or(0)), ..self }.after_stone(),
        }
    }

    fn after_stone(self) -> Self {
        match (self.stones, self.overtime) {
            // The next period is unknown.
            (1, (_, 0)) => Self::default(),
            (1, (time, stones)) => Self { left: Some(time), stones, ..self },
            (stones, _) => Self { stones: stones.saturating_sub(1), ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_use_main_time_and_then_overtime() {
        let clock = |left, stones, overtime| Clock { left: Some(left), stones, overtime };
        let check = |before: Clock, spent_ms: u64, expected: Clock| {
            assert_eq!(before.after(spent_ms), expected, "{before:?}, {spent_ms} ms");
        };
        check(Clock::default(), 9, Clock::default());
        check(clock(60_000, 0, (0, 0)), 10_000, clock(50_000, 0, (0, 0)));
        check(clock(5000, 0, (0, 0)), 6000, clock(0, 0, (0, 0)));
        // When main time is used up, the move counts in the first overtime period.
        check(clock(5000, 0, (30_000, 5)), 5000, clock(0, 0, (30_000, 5)));
        check(clock(5000, 0, (30_000, 5)), 6000, clock(29_000, 4, (30_000, 5)));
        check(clock(5000, 0, (30_000, 1)), 6000, clock(30_000, 1, (30_000, 1)));
        check(clock(29_000, 4, (30_000, 5)), 9000, clock(20_000, 3, (30_000, 5)));
        check(clock(2000, 1, (30_000, 5)), 1000, clock(30_000, 5, (30_000, 5)));
        check(clock(5000, 1, (0, 0)), 1000, Clock::default());
    }
}
