//! Follows the README's instructions for writing an engine: runs its commands in a shell, makes its
//! change of the source, and checks the promised results.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use sandboard_tests::root;
use tempfile::TempDir;

use crate::cli::{TestHome, binary};

/// A folder that looks like a fresh clone to the README's commands. It is below the real clone, so
/// that cargo finds the workspace, and has an engines folder and a data folder of its own.
struct Clone {
    folder: TempDir,
    home: TestHome,
    path: String,
}

impl Clone {
    fn new(readme: &str) -> Self {
        let target = root().join("target");
        std::fs::create_dir_all(&target).unwrap();
        let folder = tempfile::Builder::new().prefix("first-steps-").tempdir_in(target).unwrap();
        let built = binary().ancestors().nth(2).expect("target/debug/sandboard").to_owned();
        std::os::unix::fs::symlink(built, folder.path().join("target")).unwrap();
        std::fs::create_dir(folder.path().join("engines-dir")).unwrap();
        let path = readme.lines().find(|line| line.starts_with("export PATH=")).expect("the path");
        Self { folder, home: TestHome::new(), path: path.to_owned() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A line of the README as a shell command, with `sandboard` in the path.
    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("bash");
        command
            .arg("-c")
            .arg(format!("{}\n{line}\n", self.path))
            .current_dir(self.folder.path())
            .env("SANDBOARD_HOME", self.home.path())
            .env_remove("SANDBOARD_ENGINES")
            .env_remove("RUST_LOG")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a line with this input; its output.
    fn run(&self, line: &str, typed: &str) -> String {
        let mut child = self.shell(line).spawn().expect("bash runs");
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [text, errors] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success(), "{line}: {}\n{text}\n{errors}", output.status);
        text
    }
}

/// Longer than any build; a session that is silent for this time hangs.
const TIMEOUT: Duration = Duration::from_secs(600);

/// A running `sandboard dev`, ended with Ctrl-C.
struct Dev {
    child: Child,
    lines: Receiver<String>,
}

impl Dev {
    fn begin(clone: &Clone, line: &str) -> Self {
        let errors = std::fs::File::create(clone.path("dev.err")).unwrap();
        let mut child = clone.shell(line).stderr(errors).spawn().expect("bash runs");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.all(|line| sender.send(line).is_ok());
        });
        Self { child, lines }
    }

    /// Reads until a line contains this text.
    fn wait_for(&mut self, text: &str) {
        let mut read = String::new();
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            read += &line.unwrap_or_else(|error| panic!("{error}: no {text:?} in\n{read}"));
            read.push('\n');
            if read.contains(text) {
                return;
            }
        }
    }

    fn end(mut self) {
        // Like a terminal, signals the whole process group.
        let group = format!("-{}", self.child.id());
        assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
        self.wait_for("the installed engine is used again");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}

/// The text between the first occurrences of these texts in the README.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin:?}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} after {begin:?}")).0
}

fn change(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "no {from:?} in\n{text}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn the_readme_s_instructions_produce_an_engine() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let section = between(&readme, "## Write an engine\n", "\n## ");
    let commands: Vec<&str> = between(section, "```sh\n", "```")
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .collect();
    let [new_engine, dev, play] = commands[..] else { panic!("{commands:?}") };
    // The authors' guide lists the other two.
    let guide = std::fs::read_to_string(root().join("docs/authoring.md")).unwrap();
    let guide = between(&guide, "## In five minutes\n\n```sh\n", "```");
    let in_guide = |command: &str| {
        let mut lines = guide.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        lines.find(|line| line.starts_with(command)).unwrap_or_else(|| panic!("no {command:?}"))
    };
    let (check, build) = (in_guide("sandboard check mine"), in_guide("sandboard build mine"));
    let clone = Clone::new(&readme);
    let source = clone.path("mine/src/lib.rs");

    clone.run(new_engine, "");
    let text = std::fs::read_to_string(&source).unwrap();
    let shown = between(section, "```rust\n", "```");
    assert!(text.ends_with(shown), "the README shows\n{shown}\nand this was made:\n{text}");

    let checked = clone.run(check, "");
    // Both builds. Step 10 may warn of a busy machine.
    assert_eq!(checked.matches(" warned, 0 failed, 0 skipped").count(), 2, "{checked}");
    assert!(!clone.path("engines-dir/mine").exists(), "checking installs nothing");

    let mut session = Dev::begin(&clone, dev);
    session.wait_for("waiting for changes");
    let game = clone.run(play, "h8\nresign\n");
    assert!(game.contains("mine 0.1.0") && game.contains("human (black) resigns"), "{game}");

    let (from, to) = (between(section, "replace `", "`"), between(section, "` by `", "`"));
    change(&source, from, to);
    session.wait_for("waiting for changes");
    let first = "mine plays a1";
    let game = clone.run(play, "h8\nresign\n");
    assert!(game.contains(first), "{game}");
    change(&source, "impl Chooser", "imple Chooser");
    session.wait_for("the last good build stays in use");
    assert!(clone.run(play, "h8\nresign\n").contains(first));
    session.end();
    change(&source, "imple Chooser", "impl Chooser");

    let gone = clone.shell(play).output().unwrap();
    assert_eq!(gone.status.code(), Some(2), "it was never installed");
    let built = clone.run(build, "");
    assert!(built.contains("mine 0.1.0: wasm, sandboxed"), "{built}");
    assert!(clone.path("engines-dir/mine/EngineConfigs.xml").is_file());
    assert!(clone.run(play, "h8\nresign\n").contains(first));
}
