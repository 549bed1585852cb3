//! How a command fails: what was asked for wrongly is told apart from what did
//! not work.

use std::process::ExitCode;

/// Something that was asked for wrongly: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Something that another process of ours has told already: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("see above")]
pub struct Told;

/// Something that is told already and says neither yes nor no: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("see above")]
pub struct Undecided;

/// An error for something that was asked for wrongly.
pub fn usage(reason: impl ToString) -> anyhow::Error {
    Usage(reason.to_string()).into()
}

/// Tells people what went wrong and the shell how it ended.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever read the answers has had enough of them.
        return ExitCode::SUCCESS;
    }
    if error.is::<Told>() {
        return ExitCode::FAILURE;
    }
    if error.is::<Undecided>() {
        return ExitCode::from(2);
    }
    eprintln!("error: {}", sentence(error));
    match error.downcast_ref::<Usage>() {
        Some(_) => ExitCode::from(2),
        None => ExitCode::FAILURE,
    }
}

/// The error and its causes, less those that it names itself.
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
    fn a_cause_is_named_once() {
        let cause = || std::io::Error::other("no disk");
        let check = |error: anyhow::Error, expected| assert_eq!(sentence(&error), expected);
        check(anyhow::Error::new(cause()).context("cannot write x"), "cannot write x: no disk");
        let told = anyhow::Error::new(cause()).context("cannot write x: no disk");
        check(told, "cannot write x: no disk");
    }
}
