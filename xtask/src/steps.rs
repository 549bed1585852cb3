//! The steps of a long command, as people see them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The steps of a long command: a line as each begins, saying what the last one
/// took. Nothing is printed after the last step, so its own words stand at the end.
pub struct Steps {
    began: Instant,
    last: Option<(&'static str, Instant)>,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { began: Instant::now(), last: None }
    }

    /// Runs one step; an error says which step it was.
    pub fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let now = Instant::now();
        match self.last {
            None => eprintln!("== {name}"),
            Some((last, since)) => eprintln!(
                "== {name} ({last} took {}, {} since the start)",
                short(now - since),
                short(now - self.began)
            ),
        }
        self.last = Some((name, now));
        work().with_context(|| format!("step `{name}` after {}", short(now.elapsed())))
    }
}

fn short(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let check = |ms, expected: &str| assert_eq!(short(Duration::from_millis(ms)), expected);
        check(1_234, "1.2 s");
        check(59_900, "59 s");
        check(61_000, "1 min 01 s");
    }
}
