//! The program of `tests/c/program`, built once, as a source of engines. Independent of the host's
//! reaction.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use sandboard_abi::{Description, GameSpec, Kind, OptionSpec};
use sandboard_engine::{Caps, Resources};
use sandboard_engine_process::external::ExternalSource;
use sandboard_protocols::ProtocolConfig;
use sandboard_tests::{engine_processes, root};

/// Start limit in milliseconds, enough on a busy machine.
pub(crate) const START_MS: u64 = 2000;

/// The path of the program, compiled by `cc`.
pub(crate) fn program() -> &'static PathBuf {
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
        // Concurrent builds produce the same file, so the rename is safe.
        let named = place.join("program");
        std::fs::rename(&file, &named).expect("it is moved");
        named
    })
}

/// The description that a manifest would give.
pub(crate) fn description() -> Description {
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

/// Protocol settings with an act, the command at which it runs, and a number or path for it.
pub(crate) fn protocol_config(act: &str, at: &str) -> ProtocolConfig {
    let (act, when) = act.split_once('@').unwrap_or((act, "go"));
    ProtocolConfig {
        arguments: [act, when, at].map(str::to_owned).to_vec(),
        option_names: vec![("skill".into(), "Skill Level".into())],
        asset_paths: vec![("book".into(), "/usr/share/program/books/first".into())],
        ..ProtocolConfig::default()
    }
}

/// The jailed program that does an act.
pub(crate) fn source(act: &str, at: &str, caps: Caps) -> Arc<ExternalSource> {
    source_with(&protocol_config(act, at), caps, &[("net", "weights"), ("book", "openings")])
}

/// The jailed program with these protocol settings and files.
pub(crate) fn source_with(
    protocol_config: &ProtocolConfig,
    caps: Caps,
    files: &[(&str, &str)],
) -> Arc<ExternalSource> {
    let bytes = std::fs::read(program()).expect("it was built");
    let asset = |&(name, text): &(&str, &str)| (name.to_owned(), text.as_bytes().to_vec());
    let assets = files.iter().map(asset).collect();
    let resources = Resources { assets, ..Resources::default() };
    let made = ExternalSource::new(
        engine_processes(),
        &bytes,
        &description(),
        protocol_config,
        caps,
        &resources,
    );
    Arc::new(made.expect("there is a jail for programs"))
}

/// The default caps with the start limit.
pub(crate) fn caps() -> Caps {
    Caps { start_us: START_MS * 1000, ..Caps::default() }
}
