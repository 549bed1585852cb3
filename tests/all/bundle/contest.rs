//! The honest bundle of a contest by the real binary. `contest_lies` has the lies about it.

use std::process::Command;

use sandboard_tests::{binary, data_variables};
use serde_json::{Value, json};

use super::forgery::Unpacked;
use crate::cli::CommandOutput;
use crate::contest::run::{Contest, module};

pub(super) const FILE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nvariant = \"freestyle-7\"\n\
                    budget = \"fuel:1e6/move\"\nladder = false\nfinal_cycles = 2\n\
                    house = [\"gomoku-simple\"]\nopenings = \"book.txt\"\npublish_modules = true\n";

/// The bundle of a contest of Ann, who submitted two entries, and Bob.
pub(super) struct Finished {
    pub(super) contest: Contest,
    commitment: String,
}

impl Finished {
    pub(super) fn new() -> Self {
        let contest = Contest::new(FILE);
        std::fs::write(contest.path("book.txt"), "d4 c3\na1 b2\n").unwrap();
        let made = contest.run_json(&["create", "autumn.toml", "--dir", "dir"]);
        let commitment = made["commitment"].as_str().unwrap().to_owned();
        let [ann, bob] = ["Ann", "Bob"].map(|name| contest.add_entrant(name));
        let mut run = contest.start();
        for (stem, token) in
            [("gomoku-simple", &ann), ("random-mover", &ann), ("gomoku-rows", &bob)]
        {
            assert_eq!(contest.submit(&module(stem), token)["state"], "accepted", "{stem}");
        }
        assert!(contest.run(&["close", "dir"]).status.success());
        run.note("the contest is over");
        assert!(run.child.wait().unwrap().success());
        contest.run_json(&["bundle", "dir", "-o", "autumn.zip"]);
        Self { contest, commitment }
    }

    fn verify(&self, bundle: &str, more: &[&str]) -> CommandOutput {
        let mut command = Command::new(binary());
        command.envs(data_variables(self.contest.path("elsewhere"))).env_remove("RUST_LOG");
        // One game is replayed: other tests replay all.
        command.args(["verify", "--contest", "--below-minimum", "--sample", "1%", "--bundle"]);
        let output = command.arg(self.contest.path(bundle)).args(more).output().unwrap();
        CommandOutput {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Verifying the bundle after `change` prints `expected` and exits with `code`.
    #[track_caller]
    fn check(&self, change: impl FnOnce(&Unpacked), code: i32, expected: &str) {
        let unpacked =
            Unpacked::new(&self.contest.path("autumn.zip"), self.contest.path("changed"));
        change(&unpacked);
        let ended = self.verify("changed", &[]);
        std::fs::remove_dir_all(&unpacked.0).unwrap();
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    }
}

/// Later entries, and those of entrants who left, may be absent from a final.
#[test]
fn an_honest_contest_is_verified() {
    let finished = Finished::new();
    finished.check(|_| (), 0, "Autumn: verified: 1 games of 1 arena are identical");
    let entry = |entrant: &str, tested_at: &str| {
        json!({
            "number": 4, "entrant": entrant, "sha256": "00".repeat(32), "state": "accepted",
            "tested_at": tested_at,
        })
    };
    let check = |entrant: &str, status: &str, tested_at: &str| {
        let change = |index: &mut Value| {
            let contest = &mut index["contest"];
            contest["entries"].as_array_mut().unwrap().push(entry(entrant, tested_at));
            let entrants = contest["entrants"].as_array_mut().unwrap();
            if entrant == "Eve" {
                entrants.push(json!({ "name": "Eve", "status": status }));
            }
        };
        finished.check(|it| it.index(change), 0, "Autumn: verified: 1 games of 1 arena");
    };
    let (before, after) = ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    check("Ann", "in", after);
    check("Eve", "in", after);
    check("Eve", "withdrawn", before);
}

#[test]
fn the_published_commitment_is_compared() {
    let finished = Finished::new();
    let check = |more: &[&str], code: i32, expected: &str| {
        let ended = finished.verify("autumn.zip", more);
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    };
    let committed = &finished.commitment;
    check(&[], 0, &format!("note: its commitment is {committed}; compare it with the one"));
    check(&["--commitment", committed], 0, "Autumn: verified");
    check(&["--commitment", &committed.to_uppercase()], 0, "Autumn: verified");
    let other = "0".repeat(64);
    let expected = format!("the contest's commitment: is {committed}, but {other} was published");
    check(&["--commitment", &other], 1, &expected);
    check(&["--commitment", "0"], 2, "write the 64 hexadecimal digits");
}

/// What a bundle cannot show is never hidden behind the exit code 0.
#[test]
fn an_incomplete_bundle_has_an_exit_code_of_its_own() {
    let finished = Finished::new();
    let unfinished = |it: &Unpacked| it.value("/contest/unfinished", json!(["final-2"]));
    finished.check(unfinished, 3, "Autumn: incomplete: 1 games of 1 arena are identical");
}
