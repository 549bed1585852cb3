//! `cargo xtask audit`: what is known against the packages that we build on, by
//! cargo-deny and its database of advisories, and whether deny.toml holds. Installs
//! nothing; where it cannot look it says so, and does not pass for clean.

use std::path::Path;
use std::process::{Command, ExitCode};

use sandboard_forge::run::{cargo, output, show};
use serde::Deserialize;

use crate::workspace::own_root;

const INSTALL: &str = "cargo install --locked cargo-deny";

/// What came of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    Clean,
    Found,
    /// And why.
    NotPossible(String),
}

impl Look {
    /// Something that was found is worse than something that was not looked at.
    fn and(self, other: Look) -> Look {
        match (self, other) {
            (Look::Found, _) | (_, Look::Found) => Look::Found,
            (Look::Clean, other) => other,
            (not_possible, _) => not_possible,
        }
    }

    /// 0, 1 and 3; 2 is what a wrong command line ends with.
    fn exit_code(&self) -> u8 {
        match self {
            Look::Clean => 0,
            Look::Found => 1,
            Look::NotPossible(_) => 3,
        }
    }
}

/// What is looked at: a name, the folder of the workspace, the checks. The fuzz targets
/// reach nobody but us: of them only what is known against them counts.
const LOOKS: &[(&str, &str, &[&str])] = &[
    ("licences, bans and sources", ".", &["bans", "licenses", "sources"]),
    ("advisories", ".", &["advisories"]),
    ("advisories of the fuzz targets", "tests/fuzz", &["advisories"]),
];

pub fn main() -> ExitCode {
    let root = own_root();
    let look = match output(cargo().args(["deny", "--version"])) {
        None => Look::NotPossible(format!("cargo-deny is not here; this installs it: {INSTALL}")),
        Some(_) => LOOKS.iter().fold(Look::Clean, |so_far, (name, folder, checks)| {
            let look = look(&root, folder, checks);
            match &look {
                Look::Clean => eprintln!("{name}: clean"),
                Look::Found => eprintln!("{name}: see above"),
                Look::NotPossible(why) => eprintln!("{name}: could not look: {why}"),
            }
            so_far.and(look)
        }),
    };
    match &look {
        Look::Clean => eprintln!("nothing is known against what we build on"),
        Look::Found => eprintln!("error: the audit has found something"),
        Look::NotPossible(why) => eprintln!(
            "error: the audit could not look everywhere: {why}\n\
             The advisories are at https://github.com/RustSec/advisory-db; with a network \
             cargo-deny gets them itself, without one it uses the copy in \
             $CARGO_HOME/advisory-dbs, if an earlier run left one there."
        ),
    }
    ExitCode::from(look.exit_code())
}

fn look(root: &Path, folder: &str, checks: &[&str]) -> Look {
    let first = deny(root, folder, checks, &[]);
    // Without a network: what an earlier run brought may still be there.
    let without_fetching = || deny(root, folder, checks, &["--disable-fetch"]);
    let (mut command, look) = match first {
        (_, Look::NotPossible(_)) if checks == ["advisories"] => without_fetching(),
        other => other,
    };
    if look == Look::Found {
        // Once more, for people to read.
        drop(command.status());
    }
    look
}

/// Runs cargo-deny; the command for people, and what it found.
fn deny(root: &Path, folder: &str, checks: &[&str], flags: &[&str]) -> (Command, Look) {
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
    let look = match quiet.output() {
        Ok(done) => judge(done.status.success(), &String::from_utf8_lossy(&done.stderr)),
        Err(error) => Look::NotPossible(format!("cannot run `{}`: {error}", show(&quiet))),
    };
    (command(&[]), look)
}

/// A line of what cargo-deny says in JSON.
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

/// It ends alike whether it found something or could not look; what it says differs.
fn judge(success: bool, told: &str) -> Look {
    let lines: Vec<Line> =
        told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let found = |line: &Line| line.r#type == "diagnostic" && line.fields.severity == "error";
    if success {
        Look::Clean
    } else if lines.iter().any(found) {
        Look::Found
    } else {
        let failed = |line: &&Line| line.r#type == "log" && line.fields.level == "ERROR";
        let why = lines.iter().find(failed).map(|line| line.fields.message.as_str());
        Look::NotPossible(why.unwrap_or("cargo-deny does not say why").to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VULNERABLE: &str = r#"{"type":"diagnostic","fields":{"code":"vulnerability","severity":"error","message":"a hole","labels":[],"notes":[]}}"#;
    const WARNED: &str = r#"{"type":"diagnostic","fields":{"code":"unmaintained","severity":"warning","message":"nobody","labels":[]}}"#;
    const NO_DATABASE: &str = r#"{"type":"log","fields":{"level":"ERROR","message":"failed to fetch advisory database","timestamp":"now"}}"#;
    const SUMMARY: &str = r#"{"type":"summary","fields":{"advisories":{"errors":1}}}"#;

    #[test]
    fn what_was_found_differs_from_what_was_not_looked_at() {
        let check = |success, lines: &[&str], expected| {
            assert_eq!(judge(success, &lines.join("\n")), expected, "{lines:?}");
        };
        check(true, &[SUMMARY], Look::Clean);
        check(true, &[WARNED, SUMMARY], Look::Clean);
        check(false, &[WARNED, VULNERABLE, SUMMARY], Look::Found);
        let no_database = || Look::NotPossible("failed to fetch advisory database".into());
        check(false, &[NO_DATABASE], no_database());
        check(false, &["no JSON", WARNED, NO_DATABASE], no_database());
        let mute = Look::NotPossible("cargo-deny does not say why".into());
        check(false, &[], mute);
    }

    #[test]
    fn the_exit_code_is_that_of_the_worst() {
        let not_possible = || Look::NotPossible("no network".into());
        let check = |looks: &[Look], expected: u8| {
            let all = looks.iter().cloned().fold(Look::Clean, Look::and);
            assert_eq!(all.exit_code(), expected, "{looks:?}");
        };
        check(&[], 0);
        check(&[Look::Clean, Look::Clean], 0);
        check(&[Look::Clean, not_possible(), Look::Clean], 3);
        check(&[not_possible(), Look::Found], 1);
        check(&[Look::Found, not_possible()], 1);
    }
}
