//! Lies about an arena and about a contest. A liar repairs hashes, results and tables as well as
//! possible, so that each lie is found by what it is about. The binary must find each of them, and
//! so must the page, which gets them as files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandboard_tests::{binary, data_variables};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Autumn;
use super::contest::Finished;
use super::forgery::Unpacked;
use super::{arena_lies, contest_lies, game_lies};

/// What a lie is about.
#[derive(Clone, Copy)]
enum Source {
    Arena,
    Contest,
}

/// A lie, and how verifying finds it.
pub(crate) struct Lie {
    /// A unique name, which is also that of the file.
    pub name: &'static str,
    of: Source,
    change: fn(&Unpacked),
    /// The verdict in JSON.
    pub verdict: &'static str,
    /// A part of a message about it.
    pub fragment: &'static str,
}

impl Lie {
    pub(super) const fn arena(
        name: &'static str,
        verdict: &'static str,
        fragment: &'static str,
        change: fn(&Unpacked),
    ) -> Self {
        Self { name, of: Source::Arena, change, verdict, fragment }
    }

    pub(super) const fn contest(
        name: &'static str,
        verdict: &'static str,
        fragment: &'static str,
        change: fn(&Unpacked),
    ) -> Self {
        Self { name, of: Source::Contest, change, verdict, fragment }
    }
}

/// The lies in groups by what they are about.
pub(crate) const LIES: &[&[Lie]] = &[
    game_lies::ABOUT_GAMES,
    arena_lies::ABOUT_THE_ARENA,
    contest_lies::ABOUT_THE_CONTEST,
    contest_lies::ABOUT_THE_FINAL,
];

fn lies() -> impl Iterator<Item = &'static Lie> {
    LIES.iter().copied().flatten()
}

/// The page gets every third lie: it finds them by the same code as the binary, but takes a second
/// for each.
const PAGE_SHARE: usize = 3;

/// The honest bundles, and a folder for changed ones.
struct Honest {
    arena: Autumn,
    contest: Finished,
    changed: TempDir,
}

impl Honest {
    fn new() -> Self {
        let (arena, contest) = (Autumn::new(&[]), Finished::new());
        Self { arena, contest, changed: tempfile::tempdir().unwrap() }
    }

    fn bundle(&self, of: Source) -> PathBuf {
        match of {
            Source::Arena => self.arena.0.file("autumn.zip"),
            Source::Contest => self.contest.contest.path("autumn.zip"),
        }
    }

    /// The bundle with this lie, as a folder.
    fn unpack(&self, lie: &Lie) -> Unpacked {
        let unpacked = Unpacked::new(&self.bundle(lie.of), self.changed.path().join(lie.name));
        (lie.change)(&unpacked);
        unpacked
    }

    /// Writes the bundle with this lie into a folder, as a ZIP file.
    fn write(&self, lie: &Lie, folder: &Path) -> PathBuf {
        let unpacked = self.unpack(lie);
        let file = folder.join(format!("{}.zip", lie.name));
        unpacked.pack(&file);
        std::fs::remove_dir_all(unpacked.0).unwrap();
        file
    }

    /// Verifies a bundle with nothing but its own modules: verdict, messages and exit code.
    fn verify(&self, bundle: &Path) -> (String, String, Option<i32>) {
        let nowhere = self.changed.path().join("no-engines");
        std::fs::create_dir_all(&nowhere).unwrap();
        let mut command = Command::new(binary());
        command.envs(data_variables(self.changed.path())).env_remove("RUST_LOG");
        // Other tests check the jail of this machine.
        command.args(["verify", "--contest", "--below-minimum", "--json", "--jobs", "1"]);
        command.arg("--engines-dir").arg(nowhere).arg("--bundle").arg(bundle);
        let output = command.output().unwrap();
        let (mut verdict, mut messages) = (String::new(), Vec::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            verdict = line["verdict"].as_str().unwrap().to_owned();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            messages.extend(line["messages"].as_array().into_iter().flatten().map(text));
            for finding in line["findings"].as_array().into_iter().flatten() {
                messages.push(format!(
                    "{}: {}",
                    text(&finding["location"]),
                    text(&finding["reason"])
                ));
            }
        }
        messages.push(String::from_utf8_lossy(&output.stderr).into_owned());
        (verdict, messages.join("\n"), output.status.code())
    }

    /// How this lie is not found as expected; none: it is.
    fn failure(&self, lie: &Lie) -> Option<String> {
        let unpacked = self.unpack(lie);
        let (verdict, messages, code) = self.verify(&unpacked.0);
        std::fs::remove_dir_all(unpacked.0).unwrap();
        let expected = match lie.verdict {
            "differs" => 1,
            "unverifiable" => 2,
            _ => 3,
        };
        let is_found = verdict == lie.verdict && messages.contains(lie.fragment);
        (!is_found || code != Some(expected)).then(|| {
            let Lie { name, verdict: wanted, fragment, .. } = lie;
            format!("{name}: not {wanted} with {fragment:?}, but {verdict} ({code:?})\n{messages}")
        })
    }
}

#[test]
fn every_lie_is_found_by_the_binary() {
    let names: BTreeSet<&str> = lies().map(|lie| lie.name).collect();
    assert_eq!(names.len(), lies().count(), "a name occurs twice");
    assert!(names.len() >= 50, "{} lies", names.len());
    assert!(lies().all(|lie| !lie.fragment.is_empty()), "an empty fragment is in every message");
    let honest = Honest::new();
    for of in [Source::Arena, Source::Contest] {
        let (verdict, messages, _) = honest.verify(&honest.bundle(of));
        assert_eq!(verdict, "verified", "{messages}");
    }
    let all: Vec<&Lie> = lies().collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(lie) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    failures.lock().unwrap().extend(honest.failure(lie));
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} lies:\n{}", failures.len(), failures.join("\n"));
}

/// Writes the lies for the page and the honest bundles as ZIP files, and `lies.json` with what is
/// expected of each lie. `SLOW` gives the page all lies.
pub(crate) fn write_lies(folder: &Path) {
    let honest = Honest::new();
    let mut list = Vec::new();
    let share = if std::env::var_os("SLOW").is_some() { 1 } else { PAGE_SHARE };
    for lie in lies().step_by(share) {
        let file = honest.write(lie, folder);
        let name = file.file_name().unwrap().to_str();
        list.push(json!({ "file": name, "verdict": lie.verdict, "fragment": lie.fragment }));
    }
    std::fs::write(folder.join("lies.json"), json!(list).to_string()).unwrap();
    for (of, name) in [(Source::Arena, "arena"), (Source::Contest, "contest")] {
        std::fs::copy(honest.bundle(of), folder.join(format!("honest-{name}.zip"))).unwrap();
    }
}
