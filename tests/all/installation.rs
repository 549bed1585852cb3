//! What an installed `sandboard` finds: the engines beside its folder, and the units of systemd.

use std::path::{Path, PathBuf};
use std::process::Command;

use sandboard_tests::{binary, built};
use tempfile::TempDir;

/// A program with its engines, laid out as in the archive of a release, and a user without any
/// files.
struct Installation {
    folder: TempDir,
    program: PathBuf,
}

impl Installation {
    /// `bin` is the name of the folder of the program.
    fn new(bin: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (bin, engines) =
            (folder.path().join(bin), folder.path().join("share/sandboard/engines"));
        for folder in [&bin, &engines, &folder.path().join("home")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let program = bin.join("sandboard");
        std::fs::copy(binary(), &program).unwrap();
        for (module, name) in [
            ("gomoku-simple.wasm", "gomoku-simple-0.1.0.gomoku.wasm"),
            ("random-mover.wasm", "random-mover-0.1.0.gomoku.wasm"),
        ] {
            std::fs::copy(built(module), engines.join(name)).unwrap();
        }
        Self { folder, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the installed program. Returns its exit code and all output.
    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(&self.program)
            .args(words)
            .current_dir(self.path("home"))
            .env_remove("SANDBOARD_ENGINES")
            .env("SANDBOARD_HOME", self.path("home/data"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }

    /// Runs a command, and compares its exit code and parts of its output.
    #[track_caller]
    fn check(&self, words: &[&str], code: i32, parts: &[&str]) {
        let (found, text) = self.run(words);
        assert_eq!(found, Some(code), "{words:?}: {text}");
        for part in parts {
            assert!(text.contains(part), "{words:?}: {part}: {text}");
        }
    }
}

#[test]
fn the_engines_beside_the_program_are_used_last() {
    let installation = Installation::new("bin");
    let shipped = installation.path("share/sandboard/engines");
    let shipped = std::fs::canonicalize(&shipped).unwrap();
    let shipped = shipped.to_str().unwrap();
    installation.check(&["demo"], 0, &["gomoku-simple verified: ", "Sandboard works"]);
    installation.check(&["list"], 0, &[&format!("engines in {shipped}"), "random-mover"]);
    // A built engine does not go into the installation, whose next version replaces it.
    let source = installation.path("home/mine");
    installation.check(&["new", "mine", "--lang", "c"], 0, &[]);
    let advice = format!("copy it: cp -r {shipped} ");
    installation.check(&["build", source.to_str().unwrap()], 2, &[&advice]);
    // A folder of the user comes first.
    std::fs::create_dir(installation.path("home/data/engines")).unwrap();
    installation.check(&["list"], 0, &["data/engines", "no usable engine"]);
}

#[test]
fn a_program_elsewhere_has_no_engines_beside_it() {
    let installation = Installation::new("debug");
    installation.check(&["list"], 1, &["no engines folder found"]);
}

/// The units of systemd, each with its text.
fn units() -> Vec<(String, String)> {
    let folder = sandboard_tests::root().join("host/cli/systemd");
    let mut units: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    units.sort();
    units
}

#[test]
fn the_units_start_commands_that_exist() {
    let units = units();
    let names: Vec<&str> = units.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["sandboard-contest@.service", "sandboard-serve.service", "sandboard-worker.service"]
    );
    for (name, text) in &units {
        let start = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
        let words: Vec<&str> = start.split_whitespace().collect();
        assert_eq!(words[0], "/usr/bin/sandboard", "{name}");
        // The help of a command lists all of its options.
        let is_word = |word: &&&str| !word.starts_with(['-', '%', '$', '/']) && !word.contains('.');
        let command: Vec<&str> = words[1..].iter().take_while(is_word).copied().collect();
        assert!(!command.is_empty(), "{name}: {start}");
        let output = Command::new(binary()).args(&command).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {start}");
        for option in words.iter().filter(|word| word.starts_with("--")) {
            let option = option.split('=').next().unwrap();
            assert!(help.contains(&format!("{option} ")), "{name}: {option}: {help}");
        }
    }
}

/// Where systemd is installed, it finds no fault in the units.
#[test]
fn the_units_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in units() {
        // Only an installed program has this path.
        let program = binary();
        let text = text.replace("/usr/bin/sandboard", program.to_str().unwrap());
        verify_unit(folder.path(), &name.replace("@.", "@autumn."), &text, "");
    }
    // A near miss: an unknown setting is reported.
    let wrong = "[Service]\nExecStart=/bin/true\nProtectHomes=yes\n";
    verify_unit(folder.path(), "wrong.service", wrong, "ProtectHomes");
}

/// Compares what `systemd-analyze verify` says about a unit: nothing, or a text with this part.
fn verify_unit(folder: &Path, name: &str, text: &str, expected: &str) {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let output = Command::new("systemd-analyze").arg("verify").arg("--man=no").arg(&file).output();
    let output = output.expect("systemd-analyze is installed (package systemd)");
    let found = String::from_utf8(output.stderr).unwrap();
    let found: Vec<&str> = found.lines().filter(|line| line.contains(name)).collect();
    match expected {
        "" => assert_eq!(found, [""; 0], "{name}"),
        part => assert!(found.iter().any(|line| line.contains(part)), "{name}: {found:?}"),
    }
}
