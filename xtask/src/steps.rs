//! Prints the progress of a long command, step by step.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The steps of a long command. A line is printed when each begins, with the duration of the
/// previous one. Nothing is printed after the last step, so that its own output comes last.
pub(crate) struct Steps {
    start: Instant,
    previous: Option<(&'static str, Instant)>,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps { start: Instant::now(), previous: None }
    }

    /// Runs one step; an error names the step and its duration.
    pub(crate) fn step(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let now = Instant::now();
        match self.previous {
            None => eprintln!("== {name}"),
            Some((previous, since)) => eprintln!(
                "== {name} ({previous} took {}, {} since the start)",
                duration_text(now - since),
                duration_text(now - self.start)
            ),
        }
        self.previous = Some((name, now));
        work()
            .with_context(|| format!("step `{name}` failed after {}", duration_text(now.elapsed())))
    }
}

fn duration_text(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded() {
        let check =
            |ms, expected: &str| assert_eq!(duration_text(Duration::from_millis(ms)), expected);
        check(1_234, "1.2 s");
        check(59_900, "59 s");
        check(61_000, "1 min 01 s");
    }
}
