//! Runs the steps of a long command, and shows the progress of each.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::progress;

/// Runs one step of a long command. An error names the step and its duration.
pub(crate) fn step<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    run(name, work, true)
}

/// Runs the last step of a command, whose own output is the last one: nothing is printed after it.
pub(crate) fn last_step<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    run(name, work, false)
}

fn run<T>(name: &'static str, work: impl FnOnce() -> Result<T>, with_end: bool) -> Result<T> {
    let start = Instant::now();
    progress::begin(name, !with_end);
    let result = work();
    let duration = duration_text(start.elapsed());
    let end = format!("{name}: done in {duration}");
    progress::end((with_end && result.is_ok()).then_some(&*end));
    result.with_context(|| format!("step `{name}` failed after {duration}"))
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
