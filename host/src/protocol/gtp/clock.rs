//! A clock of GTP: main time, and overtime that comes again for so many stones. Runs down by what it is told, and reads none.

/// A clock, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// None: it is not limited.
    pub(super) left: Option<u64>,
    /// For so many moves; 0: for all.
    pub(super) stones: u32,
    /// The overtime that comes then, and again, and for how many moves; of none: there is no overtime.
    pub(super) overtime: (u64, u32),
}

impl Clock {
    /// Of main time and overtime in seconds, and the stones of the overtime.
    pub(super) fn of(arguments: &[&str]) -> Result<Self, String> {
        let numbers = arguments.iter().map(|text| text.parse().ok()).collect::<Option<Vec<u32>>>();
        let Some(&[main, overtime, stones]) = numbers.as_deref() else {
            return Err("syntax error: three whole numbers of seconds and stones".into());
        };
        let ms = |seconds: u32| u64::from(seconds) * 1000;
        Ok(match (main, stones) {
            // No stones in some overtime: nothing is limited.
            (0, 0) if overtime > 0 => Self::default(),
            (0, _) => Self { left: Some(ms(overtime)), stones, overtime: (ms(overtime), stones) },
            _ => Self { left: Some(ms(main)), stones: 0, overtime: (ms(overtime), stones) },
        })
    }

    /// After a move that took so many milliseconds.
    pub(super) fn after(self, took: u64) -> Self {
        let Some(left) = self.left else { return self };
        let (time, stones) = self.overtime;
        match (left.checked_sub(took), self.stones) {
            (Some(left), 0) => Self { left: Some(left), ..self },
            (None, 0) if stones > 0 => {
                let left = Some((left + time).saturating_sub(took));
                Self { left, stones, ..self }.less_a_stone()
            }
            (None, 0) => Self { left: Some(0), ..self },
            (left, _) => Self { left: Some(left.unwrap_or(0)), ..self }.less_a_stone(),
        }
    }

    fn less_a_stone(self) -> Self {
        match (self.stones, self.overtime) {
            // What comes then nobody has told.
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
    fn clocks_run_down() {
        let clock = |left, stones, overtime| Clock { left: Some(left), stones, overtime };
        let check = |before: Clock, took: u64, expected: Clock| {
            assert_eq!(before.after(took), expected, "{before:?}, {took} ms");
        };
        check(Clock::default(), 9, Clock::default());
        check(clock(60_000, 0, (0, 0)), 10_000, clock(50_000, 0, (0, 0)));
        check(clock(5000, 0, (0, 0)), 6000, clock(0, 0, (0, 0)));
        // Main time that is used up is followed by overtime, in which the move counts.
        check(clock(5000, 0, (30_000, 5)), 5000, clock(0, 0, (30_000, 5)));
        check(clock(5000, 0, (30_000, 5)), 6000, clock(29_000, 4, (30_000, 5)));
        check(clock(5000, 0, (30_000, 1)), 6000, clock(30_000, 1, (30_000, 1)));
        check(clock(29_000, 4, (30_000, 5)), 9000, clock(20_000, 3, (30_000, 5)));
        check(clock(2000, 1, (30_000, 5)), 1000, clock(30_000, 5, (30_000, 5)));
        check(clock(5000, 1, (0, 0)), 1000, Clock::default());
    }
}
