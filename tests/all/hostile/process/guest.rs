//! The program of `tests/c/program`, built once, as a source of engines. Says nothing of what
//! the host makes of it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use sandboard_abi::{Description, GameSpec, Kind, OptionSpec};
use sandboard_host::engine::Caps;
use sandboard_host::process::{ProcessSource, Speech};
use sandboard_tests::{root, workers};

/// What loading and starting may take, in milliseconds: enough on a busy machine.
pub const START_MS: u64 = 2000;

/// The program, built as anybody builds one.
pub fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = root().join("tests/c/program");
        let entries = std::fs::read_dir(&folder).expect("the sources").flatten();
        let sources = entries.map(|entry| entry.path());
        let sources = sources.filter(|path| path.extension().is_some_and(|it| it == "c"));
        let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let file = place.join(format!("program-{}", std::process::id()));
        let built = Command::new("cc")
            .args(["-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-o"])
            .arg(&file)
            .args(sources)
            .output()
            .expect("cc runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        // It is the same for all that build it.
        let named = place.join("program");
        std::fs::rename(&file, &named).expect("it is moved");
        named
    })
}

/// What a manifest would say of it.
pub fn description() -> Description {
    let option = |name: &str, kind, initial: &str| OptionSpec {
        name: name.into(),
        about: String::new(),
        kind,
        initial: initial.into(),
        tunable: false,
    };
    Description {
        id: "program".into(),
        name: "Program".into(),
        version: "1".into(),
        games: vec![GameSpec { game: "gomoku".into(), variants: vec!["freestyle".into()] }],
        options: vec![
            option("skill", Kind::Whole(0, 99), "3"),
            option("style", Kind::Pick(vec!["calm".into(), "wild".into()]), "wild"),
        ],
        ..Description::default()
    }
}

/// What it is told beside: an act, with the command at which it is done and a number or a path.
pub fn speech(act: &str, at: &str) -> Speech {
    let (act, when) = act.split_once('@').unwrap_or((act, "go"));
    Speech {
        arguments: [act, when, at].map(str::to_owned).to_vec(),
        spoken: vec![("skill".into(), "Skill Level".into())],
        places: vec![("book".into(), "/usr/share/program/books/first".into())],
        ..Speech::default()
    }
}

/// The program in its jail, as it does an act.
pub fn source(act: &str, at: &str, caps: Caps) -> Arc<ProcessSource> {
    source_with(&speech(act, at), caps, &[("net", "weights"), ("book", "openings")])
}

/// The same, spoken to like this, with these files.
pub fn source_with(speech: &Speech, caps: Caps, files: &[(&str, &str)]) -> Arc<ProcessSource> {
    let bytes = std::fs::read(program()).expect("it was built");
    let asset = |&(name, text): &(&str, &str)| (name.to_owned(), text.as_bytes().to_vec());
    let assets = files.iter().map(asset).collect();
    let made = ProcessSource::new(workers(), &bytes, &description(), speech, caps, &assets);
    Arc::new(made.expect("there is a jail for programs"))
}

/// The caps of a case.
pub fn caps() -> Caps {
    Caps { start_us: START_MS * 1000, ..Caps::default() }
}
