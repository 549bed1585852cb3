//! Compares docs/SECURITY.md with the implementation: the layers by name, the contest minimum, the
//! runtime, the files and commands it names.

use sandboard_engine_wasm::RUNTIME_VERSION;
use sandboard_jail::{Layer, LayerState, Layers};
use sandboard_tests::root;

use super::read;

fn page() -> String {
    read("docs/SECURITY.md")
}

/// The first cells of the rows of the table below this heading.
fn first_cells(heading: &str) -> Vec<String> {
    let page = page();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.map(|row| row.split(" | ").next().unwrap().to_owned());
    cells.skip(1).collect()
}

#[test]
fn every_layer_of_the_jail_has_a_row_in_order() {
    let cells = first_cells("Defences");
    let layers: Vec<&str> =
        cells.iter().filter_map(|cell| cell.strip_prefix('`')?.strip_suffix('`')).collect();
    assert_eq!(layers, Layer::ALL.map(Layer::word));
    // Rows that are not layers of the jail are in the table, too.
    assert!(cells.len() > layers.len() && cells.contains(&"the referee".to_owned()), "{cells:?}");
}

/// Whether exactly these layers meet the minimum of a contest.
fn is_enough(layers: &[Layer]) -> bool {
    let state = |layer: Layer| LayerState {
        layer,
        state: if layers.contains(&layer) { Ok(None) } else { Err("not here".into()) },
    };
    Layers::new(Layer::ALL.map(state).into()).meets_minimum().is_ok()
}

#[test]
fn the_minimum_of_a_contest_is_as_documented() {
    let sentence = "`seccomp`, `rlimits` and one of `landlock` and `mount-namespace`";
    assert!(page().contains(&format!("**A contest's minimum**: {sentence}.")));
    let [seccomp, rlimits] = [Layer::Seccomp, Layer::Rlimits];
    assert!(is_enough(&[seccomp, rlimits, Layer::Landlock]));
    assert!(is_enough(&[seccomp, rlimits, Layer::MountNamespace]));
    assert!(!is_enough(&[seccomp, rlimits]));
    assert!(!is_enough(&[seccomp, Layer::Landlock, Layer::MountNamespace]));
    assert!(!is_enough(&[rlimits, Layer::Landlock, Layer::MountNamespace]));
}

#[test]
fn the_documented_runtime_version_is_the_built_one() {
    let page = page().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&format!("The current version is `{RUNTIME_VERSION}`.")));
    let (_, version) = RUNTIME_VERSION.split_once(' ').unwrap();
    let major = version.split('.').next().unwrap();
    assert!(page.contains(&format!("`wasmtime` stays on {major},")));
    // Every twelfth major version is a long-term release.
    assert_eq!(major.parse::<u32>().unwrap() % 12, 0);
    assert!(read("Cargo.toml").contains(&format!("wasmtime = {{ version = \"{major}\"")));
    assert!(read("host/engine-wasm/src/runtime.rs").contains("pub const RUNTIME_VERSION"));
}

#[test]
fn the_named_files_and_commands_exist() {
    let page = page();
    for path in ["tests/fixtures/hostile", "tests/fixtures/fuzz", "tests/fuzz"] {
        assert!(page.contains(&format!("`{path}")), "{path} is not named");
        assert!(root().join(path).is_dir(), "{path}");
    }
    let tasks = read("xtask/src/main.rs");
    for task in ["Audit", "Fuzz", "Test", "Tidy"] {
        assert!(page.contains(&format!("`cargo xtask {}`", task.to_lowercase())), "{task}");
        assert!(tasks.contains(&format!("    {task}")), "{task}");
    }
    for (file, link) in [("README.md", "docs/SECURITY.md"), ("ARCHITECTURE.md", "docs/SECURITY.md")]
    {
        assert!(read(file).contains(&format!("]({link})")), "{file}");
    }
}
