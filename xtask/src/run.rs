//! Running other programs and telling people about it. Never prints to standard
//! output: that belongs to the answers (`--print-packages`) and to the programs run.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a program to its end; an error names the command and how it ended.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run `{}`", show(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", show(command));
    }
    Ok(())
}

/// What a program printed, if it could be run and succeeded.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(std::process::Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program of this name is on the search path.
pub fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&file).is_file())
}

/// A command as one would type it: the variables that were set, the program, its arguments.
pub fn show(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let program = std::path::Path::new(command.get_program());
    let name = match program.file_stem() {
        Some(stem) if stem == "cargo" && program.parent() != Some("/usr/bin".as_ref()) => {
            "cargo".into()
        }
        _ => program.to_string_lossy(),
    };
    let arguments = command.get_args().map(|argument| quoted(&argument.to_string_lossy()));
    set.chain([quoted(&name)]).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // cargo separates the flags of CARGO_ENCODED_RUSTFLAGS by a control character.
    format!("'{}'", word.replace('\'', "'\\''").replace('\u{1f}', "\\x1f"))
}

/// The steps of a long command: a line as each begins, saying what the last one
/// took. Nothing is printed after the last step, so its own words stand at the end.
pub struct Steps {
    began: Instant,
    last: Option<(&'static str, Instant)>,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { began: Instant::now(), last: None }
    }

    /// Runs one step; an error says which step it was.
    pub fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let now = Instant::now();
        match self.last {
            None => eprintln!("== {name}"),
            Some((last, since)) => eprintln!(
                "== {name} ({last} took {}, {} since the start)",
                short(now - since),
                short(now - self.began)
            ),
        }
        self.last = Some((name, now));
        work().with_context(|| format!("step `{name}` after {}", short(now.elapsed())))
    }
}

fn short(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["build", "-p", "a b"]).env("RUSTFLAGS", "-C x").env_remove("CARGO");
        assert_eq!(show(&command), "RUSTFLAGS='-C x' /usr/bin/cargo build -p 'a b'");
    }

    #[test]
    fn times_are_short() {
        let check = |ms, expected: &str| assert_eq!(short(Duration::from_millis(ms)), expected);
        check(1_234, "1.2 s");
        check(59_900, "59 s");
        check(61_000, "1 min 01 s");
    }
}
