//! `cargo xtask audit`: checks dependencies with cargo-deny against the database of advisories and
//! deny.toml. Installs nothing. A check that is not possible is reported and does not count as
//! passed.

use std::path::Path;
use std::process::{Command, ExitCode};

use sandboard_builder::command::{cargo, command_line, stdout_of};
use serde::Deserialize;

use crate::workspace::own_root;

const INSTALL: &str = "cargo install --locked cargo-deny";

/// The result of one or more checks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// The check could not run, with the reason.
    NotPossible(String),
}

impl Outcome {
    /// The worse of two outcomes. A failure is worse than a check that could not run.
    fn and(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
            (Outcome::Passed, other) => other,
            (not_possible, _) => not_possible,
        }
    }

    /// 0, 1 or 3; 2 is the exit code of a usage error.
    fn exit_code(&self) -> u8 {
        match self {
            Outcome::Passed => 0,
            Outcome::Failed => 1,
            Outcome::NotPossible(_) => 3,
        }
    }
}

/// The name of each check, the folder of its workspace, and the checks of cargo-deny. The fuzz
/// targets are not distributed, so that only advisories matter for them.
const CHECKS: &[(&str, &str, &[&str])] = &[
    ("licences, bans and sources", ".", &["bans", "licenses", "sources"]),
    ("advisories", ".", &["advisories"]),
    ("advisories of the fuzz targets", "tests/fuzz", &["advisories"]),
];

pub(crate) fn main() -> ExitCode {
    let root = own_root();
    let outcome = match stdout_of(cargo().args(["deny", "--version"])) {
        None => Outcome::NotPossible(format!("cargo-deny is not installed; install it: {INSTALL}")),
        Some(_) => CHECKS.iter().fold(Outcome::Passed, |total, (name, folder, checks)| {
            let outcome = check(&root, folder, checks);
            match &outcome {
                Outcome::Passed => eprintln!("{name}: passed"),
                Outcome::Failed => eprintln!("{name}: failed, see above"),
                Outcome::NotPossible(why) => eprintln!("{name}: not possible: {why}"),
            }
            total.and(outcome)
        }),
    };
    match &outcome {
        Outcome::Passed => eprintln!("the audit found nothing"),
        Outcome::Failed => eprintln!("error: the audit failed"),
        Outcome::NotPossible(why) => eprintln!(
            "error: a check was not possible: {why}\n\
             The advisories are at https://github.com/RustSec/advisory-db. With a network, \
             cargo-deny fetches them; without one, it uses the copy of an earlier run in \
             $CARGO_HOME/advisory-dbs."
        ),
    }
    ExitCode::from(outcome.exit_code())
}

fn check(root: &Path, folder: &str, checks: &[&str]) -> Outcome {
    let first = deny(root, folder, checks, &[]);
    // Without a network, the advisories of an earlier run may be there.
    let without_fetching = || deny(root, folder, checks, &["--disable-fetch"]);
    let (mut command, outcome) = match first {
        (_, Outcome::NotPossible(_)) if checks == ["advisories"] => without_fetching(),
        other => other,
    };
    if outcome == Outcome::Failed {
        // Runs again with output for people.
        drop(command.status());
    }
    outcome
}

/// Runs cargo-deny; returns the command with output for people, and the outcome.
fn deny(root: &Path, folder: &str, checks: &[&str], flags: &[&str]) -> (Command, Outcome) {
    let command = |format: &[&str]| {
        let mut command = cargo();
        command
            .arg("deny")
            .args(format)
            .arg("--manifest-path")
            .arg(root.join(folder).join("Cargo.toml"))
            .args(["check", "--config"])
            .arg(root.join("deny.toml"))
            .args(flags)
            .args(checks);
        command
    };
    let mut quiet = command(&["--format", "json"]);
    let outcome = match quiet.output() {
        Ok(done) => read_outcome(done.status.success(), &String::from_utf8_lossy(&done.stderr)),
        Err(error) => {
            Outcome::NotPossible(format!("cannot run `{}`: {error}", command_line(&quiet)))
        }
    };
    (command(&[]), outcome)
}

/// A line of cargo-deny's output in JSON.
#[derive(Deserialize)]
struct Line {
    r#type: String,
    fields: Fields,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    severity: String,
    level: String,
    message: String,
}

/// Reads the outcome from the output: the exit code is the same for a failure and for a check that
/// could not run.
fn read_outcome(success: bool, output: &str) -> Outcome {
    let lines: Vec<Line> =
        output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let found = |line: &Line| line.r#type == "diagnostic" && line.fields.severity == "error";
    if success {
        Outcome::Passed
    } else if lines.iter().any(found) {
        Outcome::Failed
    } else {
        let failed = |line: &&Line| line.r#type == "log" && line.fields.level == "ERROR";
        let why = lines.iter().find(failed).map(|line| line.fields.message.as_str());
        Outcome::NotPossible(why.unwrap_or("cargo-deny gave no reason").to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VULNERABLE: &str = r#"{"type":"diagnostic","fields":{"code":"vulnerability","severity":"error","message":"a hole","labels":[],"notes":[]}}"#;
    const WARNED: &str = r#"{"type":"diagnostic","fields":{"code":"unmaintained","severity":"warning","message":"old","labels":[]}}"#;
    const NO_DATABASE: &str = r#"{"type":"log","fields":{"level":"ERROR","message":"failed to fetch advisory database","timestamp":"now"}}"#;
    const SUMMARY: &str = r#"{"type":"summary","fields":{"advisories":{"errors":1}}}"#;

    #[test]
    fn a_failure_differs_from_a_check_that_could_not_run() {
        let check = |success, lines: &[&str], expected| {
            assert_eq!(read_outcome(success, &lines.join("\n")), expected, "{lines:?}");
        };
        check(true, &[SUMMARY], Outcome::Passed);
        check(true, &[WARNED, SUMMARY], Outcome::Passed);
        check(false, &[WARNED, VULNERABLE, SUMMARY], Outcome::Failed);
        let no_database = || Outcome::NotPossible("failed to fetch advisory database".into());
        check(false, &[NO_DATABASE], no_database());
        check(false, &["no JSON", WARNED, NO_DATABASE], no_database());
        let without_reason = Outcome::NotPossible("cargo-deny gave no reason".into());
        check(false, &[], without_reason);
    }

    #[test]
    fn the_exit_code_is_that_of_the_worst_outcome() {
        let not_possible = || Outcome::NotPossible("no network".into());
        let check = |outcomes: &[Outcome], expected: u8| {
            let all = outcomes.iter().cloned().fold(Outcome::Passed, Outcome::and);
            assert_eq!(all.exit_code(), expected, "{outcomes:?}");
        };
        check(&[], 0);
        check(&[Outcome::Passed, Outcome::Passed], 0);
        check(&[Outcome::Passed, not_possible(), Outcome::Passed], 3);
        check(&[not_possible(), Outcome::Failed], 1);
        check(&[Outcome::Failed, not_possible()], 1);
    }
}
