//! The errors of a command and their exit codes: a usage error ends with 2, a failure with 1.

use crate::output::error_line;
use std::process::ExitCode;

/// A usage error: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub String);

/// A failure that is already printed: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("see above")]
pub(crate) struct AlreadyReported;

/// An inconclusive result that is already printed: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("see above")]
pub(crate) struct Inconclusive;

/// A bundle that agrees with itself but cannot show everything, already printed: exit code 3.
#[derive(Debug, thiserror::Error)]
#[error("see above")]
pub(crate) struct IncompleteBundle;

/// Makes a usage error from a reason.
pub(crate) fn usage(reason: impl ToString) -> anyhow::Error {
    UsageError(reason.to_string()).into()
}

/// Prints an error to standard error and returns the exit code of the process.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // The reader of standard output closed it, which is no failure.
        return ExitCode::SUCCESS;
    }
    if error.is::<AlreadyReported>() {
        return ExitCode::FAILURE;
    }
    if error.is::<Inconclusive>() {
        return ExitCode::from(2);
    }
    if error.is::<IncompleteBundle>() {
        return ExitCode::from(3);
    }
    error_line!("error: {}", sentence(error));
    match error.downcast_ref::<UsageError>() {
        Some(_) => ExitCode::from(2),
        None => ExitCode::FAILURE,
    }
}

/// Joins an error and its causes; a cause that the text already contains is left out.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match text.as_str() {
            "" => text = cause,
            text_so_far if text_so_far.contains(&cause) => (),
            _ => text = format!("{text}: {cause}"),
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = std::io::ErrorKind::BrokenPipe;
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_printed_once() {
        let cause = || std::io::Error::other("no disk");
        let check = |error: anyhow::Error, expected| assert_eq!(sentence(&error), expected);
        check(anyhow::Error::new(cause()).context("cannot write x"), "cannot write x: no disk");
        let repeated = anyhow::Error::new(cause()).context("cannot write x: no disk");
        check(repeated, "cannot write x: no disk");
    }
}
