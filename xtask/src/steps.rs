//! Runs the steps of a long command, one after another or two at once, and shows the progress of
//! each.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};

use crate::progress;

/// The first error of two sequences of steps.
type FirstError = Arc<Mutex<Option<Error>>>;

thread_local! {
    /// Set while this thread runs one of two sequences.
    static SEQUENCE: RefCell<Option<FirstError>> = const { RefCell::new(None) };
}

/// Runs two sequences of steps at once, which saves time where steps download or use one core. Two
/// compilations at once are no faster than one after the other. After an error in one sequence, the
/// other one completes the step that it is in, and begins no further step. The first error is
/// returned.
pub(crate) fn both<A: Send, B: Send>(
    one: impl FnOnce() -> Result<A> + Send,
    other: impl FnOnce() -> Result<B> + Send,
) -> Result<(A, B)> {
    let first_error = FirstError::default();
    let results = thread::scope(|scope| {
        let one = scope.spawn(|| run_sequence(&first_error, one));
        let other = run_sequence(&first_error, other);
        let one = one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Some((one?, other?))
    });
    match lock(&first_error).take() {
        Some(error) => Err(error),
        None => results.context("a sequence of steps has no result"),
    }
}

/// Runs a sequence of steps; returns None after an error, which is stored.
fn run_sequence<T>(first_error: &FirstError, steps: impl FnOnce() -> Result<T>) -> Option<T> {
    let outer = SEQUENCE.replace(Some(first_error.clone()));
    let result = steps();
    SEQUENCE.set(outer);
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            lock(first_error).get_or_insert(error);
            None
        }
    }
}

/// Whether the other one of two sequences has failed.
fn is_stopped() -> bool {
    SEQUENCE.with_borrow(|sequence| sequence.as_ref().is_some_and(|error| lock(error).is_some()))
}

fn lock(error: &FirstError) -> std::sync::MutexGuard<'_, Option<Error>> {
    error.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one step of a long command. An error names the step and its duration.
pub(crate) fn step<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    run(name, work, true)
}

/// Runs the last step of a command, whose own output is the last one: nothing is printed after it.
pub(crate) fn last_step<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    run(name, work, false)
}

fn run<T>(name: &'static str, work: impl FnOnce() -> Result<T>, with_end: bool) -> Result<T> {
    if is_stopped() {
        bail!("step `{name}` was not begun");
    }
    let start = Instant::now();
    progress::begin(name, !with_end);
    let result = work();
    let duration = duration_text(start.elapsed());
    let outcome = if result.is_ok() { "done in" } else { "failed after" };
    let end = format!("{name}: {outcome} {duration}");
    progress::end((with_end || result.is_err()).then_some(&*end));
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
    fn after_an_error_no_further_step_begins() {
        use std::sync::mpsc::channel;
        let (failed, has_failed) = channel::<()>();
        let begun = Mutex::new(Vec::new());
        let begin = &|name| begun.lock().unwrap().push(name);
        let one = || {
            step("compile", || -> Result<()> { bail!("no compiler") }).inspect_err(|_| drop(failed))
        };
        let other = move || {
            step("lint", || {
                begin("lint");
                // Returns when the sender is gone; then the error is about to be stored.
                has_failed.recv().unwrap_err();
                while !is_stopped() {
                    thread::yield_now();
                }
                Ok(())
            })?;
            step("rustdoc", || {
                begin("rustdoc");
                Ok(())
            })
        };
        let error = format!("{:#}", both(one, other).map(drop).unwrap_err());
        assert!(error.starts_with("step `compile` failed after "), "{error}");
        assert!(error.ends_with(": no compiler"), "{error}");
        assert_eq!(*begun.lock().unwrap(), ["lint"]);
        assert!(!is_stopped());
    }

    #[test]
    fn both_results_are_returned() {
        let check = |one: Result<u8>, other: Result<u8>, expected: Result<(u8, u8), &str>| {
            let result = both(|| one, || other);
            assert_eq!(
                result.as_ref().map_err(|error| error.to_string()).copied(),
                expected.map_err(str::to_owned)
            );
        };
        check(Ok(1), Ok(2), Ok((1, 2)));
        check(Err(Error::msg("a")), Ok(2), Err("a"));
        check(Ok(1), Err(Error::msg("b")), Err("b"));
    }

    #[test]
    fn durations_are_rounded() {
        let check =
            |ms, expected: &str| assert_eq!(duration_text(Duration::from_millis(ms)), expected);
        check(1_234, "1.2 s");
        check(59_900, "59 s");
        check(61_000, "1 min 01 s");
    }
}
