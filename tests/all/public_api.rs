//! The interfaces of the crates that others use, compared with the lists in `tests/public-api/`: an
//! incompatible change needs a new version, by cargo's rules for versions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates that are published, with the folders of their manifests.
const CRATES: [(&str, &str); 8] = [
    ("sandboard-abi", "abi"),
    ("sandboard-builder", "builder"),
    ("sandboard-double-dummy", "solvers/double-dummy"),
    ("sandboard-game-sdk", "game-sdk"),
    ("sandboard-games", "games"),
    ("sandboard-reversi-endings", "solvers/reversi-endings"),
    ("sandboard-sdk", "sdk"),
    ("sandboard-tournament", "tournament"),
];

/// Marks an item of a trait that each implementation must have.
const REQUIRED: &str = " // required";

/// What one version of a crate offers: a line for each item that other crates can name.
#[derive(Clone)]
struct Interface {
    version: String,
    items: BTreeSet<String>,
}

impl Interface {
    /// Reads the text of a file in `tests/public-api/`: the version, then the items.
    fn parse(text: &str) -> Interface {
        let mut lines = text.lines();
        let version = lines.next().expect("the first line is the version").to_owned();
        Interface { version, items: lines.map(str::to_owned).collect() }
    }

    fn to_text(&self) -> String {
        let items = self.items.iter().map(String::as_str);
        [self.version.as_str()].into_iter().chain(items).flat_map(|line| [line, "\n"]).collect()
    }

    /// What may keep code that uses this interface from compiling with `newer`: a `-` begins an
    /// item that is gone, a `+` an item that an author must now add.
    fn incompatible_with(&self, newer: &Interface) -> Vec<String> {
        // An item that a trait no longer requires is still there.
        let is_optional_now = |item: &&String| {
            item.strip_suffix(REQUIRED).is_some_and(|item| newer.items.contains(item))
        };
        let gone = self.items.difference(&newer.items).filter(|item| !is_optional_now(item));
        let gone = gone.map(|item| format!("-{item}"));
        let added = newer.items.difference(&self.items).filter(|item| self.must_be_added(item));
        gone.chain(added.map(|item| format!("+{item}"))).collect()
    }

    /// Whether code that uses this interface must mention a new item: one that a known trait
    /// requires, or a variant or a field of a known type that is not `non_exhaustive`.
    fn must_be_added(&self, item: &str) -> bool {
        let Some(rest) = item.strip_prefix("pub ") else { return false };
        let has = |kind: &str, path: &str| {
            let begin = format!("pub {kind} {path}");
            self.items.iter().any(|known| {
                known.strip_prefix(&begin).is_some_and(|rest| {
                    // Not another item whose path begins in the same way.
                    !rest.starts_with("::")
                        && !rest
                            .starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                })
            })
        };
        if let Some(rest) = rest.strip_suffix(REQUIRED) {
            let path = rest.split(' ').find(|word| word.contains("::"));
            return path.and_then(parent).is_some_and(|path| has("trait", path));
        }
        // The lines of variants and fields have no keyword.
        let path = rest.split(['(', '{']).next().unwrap_or(rest);
        let path = path.split(": ").next().unwrap_or(path);
        let plain = !path.contains(' ');
        plain && parent(path).is_some_and(|path| has("enum", path) || has("struct", path))
    }
}

/// The path of the item that contains the item at the beginning of this text.
fn parent(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
    let path = &text[..end.unwrap_or(text.len())];
    Some(path.trim_end_matches(':').rsplit_once("::")?.0)
}

/// Whether cargo takes the newer version where the older one is asked for.
fn is_compatible(older: &str, newer: &str) -> bool {
    let parts = |version: &str| -> Vec<u32> {
        version
            .split(['-', '+'])
            .next()
            .unwrap_or(version)
            .split('.')
            .map(|part| part.parse().expect("a number"))
            .collect()
    };
    let (older, newer) = (parts(older), parts(newer));
    let significant = older.iter().position(|part| *part != 0).unwrap_or(2);
    older[..=significant] == newer[..=significant] && older <= newer
}

/// The interface of a crate as it is now.
fn interface_of(name: &str, folder: &str, target: &Path) -> Interface {
    let root = sandboard_tests::root();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(["rustdoc", "--locked", "--lib", "--manifest-path"]);
    command.arg(root.join(folder).join("Cargo.toml")).arg("--target-dir").arg(target);
    command.args(["--", "-Zunstable-options", "--output-format=json"]);
    // The format is unstable, and rustc 1.95 writes the one that `public-api` reads.
    command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTDOCFLAGS");
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let file = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    let listed = public_api::Builder::from_rustdoc_json(&file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .unwrap_or_else(|error| panic!("{name}: {error}; this test needs rustc 1.95"));
    let required = required_items(&file);
    let line = |item: &public_api::PublicItem| {
        let mark = if required.contains(&item.id().0) { REQUIRED } else { "" };
        format!("{item}{mark}")
    };
    let items = listed.items().map(line).collect();
    Interface { version: env!("CARGO_PKG_VERSION").to_owned(), items }
}

/// The numbers of the items that a trait of the crate requires of its implementations.
fn required_items(file: &Path) -> BTreeSet<u32> {
    let text = std::fs::read(file).expect("rustdoc wrote it");
    let all: Value = serde_json::from_slice(&text).expect("it is JSON");
    let index = all["index"].as_object().expect("a table of items");
    let is_required = |item: &Value| {
        let inner = &item["inner"];
        let function = inner["function"]["has_body"] == Value::Bool(false);
        let constant = inner.get("assoc_const").is_some_and(|it| it["value"].is_null());
        let of_type = inner.get("assoc_type").is_some_and(|it| it["type"].is_null());
        function || constant || of_type
    };
    let of_traits = index.values().filter_map(|item| item["inner"]["trait"]["items"].as_array());
    let numbers = of_traits.flatten().filter_map(Value::as_u64);
    numbers.filter(|id| is_required(&index[&id.to_string()])).map(|id| id as u32).collect()
}

fn recorded(name: &str) -> PathBuf {
    sandboard_tests::root().join("tests/public-api").join(format!("{name}.txt"))
}

#[test]
fn an_incompatible_interface_has_a_new_version() {
    let target = sandboard_tests::binary().with_file_name("public-api");
    let mut faults = String::new();
    for (name, folder) in CRATES {
        let now = interface_of(name, folder, &target);
        assert!(!now.items.is_empty(), "{name} offers nothing");
        if std::env::var_os("UPDATE").is_some() {
            let file = recorded(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
            std::fs::write(file, now.to_text()).expect("it can be written");
            continue;
        }
        let text = std::fs::read_to_string(recorded(name));
        let before = Interface::parse(&text.unwrap_or_else(|error| panic!("{name}: {error}")));
        let changes = before.incompatible_with(&now);
        if is_compatible(&before.version, &now.version) && !changes.is_empty() {
            faults += &format!("{name} {}:\n{}\n", before.version, changes.join("\n"));
        }
    }
    assert!(
        faults.is_empty(),
        "code that uses these crates may not compile any more:\n{faults}Keep the old interface, or \
         raise the version in Cargo.toml. While the recorded version is not published, the list \
         may change: `UPDATE=1 cargo test --workspace --test all public_api`"
    );
}

#[test]
fn a_crate_that_is_published_is_compared() {
    let folders: BTreeSet<&str> = CRATES.iter().map(|(_, folder)| *folder).collect();
    let mut found = BTreeSet::new();
    for folder in
        ["abi", "builder", "evolution", "game-sdk", "games", "sdk", "tournament", "tests", "xtask"]
            .into_iter()
            .map(PathBuf::from)
            .chain(
                ["host", "solvers", "sample-engines", "sample-games"]
                    .iter()
                    .flat_map(|folder| subfolders(folder)),
            )
    {
        let manifest = sandboard_tests::root().join(&folder).join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(manifest) else { continue };
        let is_private = ["publish.workspace = true", "publish = false"];
        if !is_private.iter().any(|line| text.lines().any(|own| own == *line)) {
            found.insert(folder.to_string_lossy().into_owned());
        }
    }
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), folders);
}

/// The folders in a folder of the workspace, relative to the workspace.
fn subfolders(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sandboard_tests::root().join(folder)).expect("it exists");
    entries.map(|entry| Path::new(folder).join(entry.expect("an entry").file_name())).collect()
}

#[test]
fn what_breaks_users_of_a_crate_is_incompatible() {
    let check = |before: &str, now: &str, expected: &str| {
        let [before, now] = [before, now].map(|items| Interface {
            version: "0.1.0".into(),
            items: items.split("; ").map(str::to_owned).collect(),
        });
        assert_eq!(before.incompatible_with(&now).join("; "), expected);
    };
    let function = "pub fn a::f(u8)";
    check(function, function, "");
    check(function, "pub fn a::f(u8); pub fn a::g()", "");
    check("pub fn a::f(u8); pub fn a::g()", function, "-pub fn a::g()");
    check(function, "pub fn a::f(u16)", "-pub fn a::f(u8)");
    let listed = "pub enum a::E; pub a::E::One";
    check(listed, &format!("{listed}; pub a::E::Two(u8)"), "+pub a::E::Two(u8)");
    check("pub fn a::g()", &format!("pub fn a::g(); {listed}"), "");
    let open = "#[non_exhaustive] pub enum a::E; pub a::E::One";
    check(open, &format!("{open}; pub a::E::Two"), "");
    let fields = "pub struct a::S<T>; pub a::S::x: u8";
    check(fields, &format!("{fields}; pub a::S::y: b::T"), "+pub a::S::y: b::T");
    check(fields, &format!("{fields}; pub a::St::y: b::T"), "");
    let rules = "pub trait a::T: b::C; pub fn a::T::f(&self) // required";
    check(rules, &format!("{rules}; pub fn a::T::g(&self)"), "");
    let new = "pub fn a::T::g(&self) // required";
    check(rules, &format!("{rules}; {new}"), &format!("+{new}"));
    let new = "pub unsafe fn a::T::g(&self) // required";
    check(rules, &format!("{rules}; {new}"), &format!("+{new}"));
    let provided = "pub trait a::T: b::C; pub fn a::T::f(&self)";
    check(rules, provided, "");
    check(provided, rules, "-pub fn a::T::f(&self); +pub fn a::T::f(&self) // required");
}

#[test]
fn versions_are_compatible_as_cargo_says() {
    let check = |older: &str, newer: &str, expected: bool| {
        assert_eq!(is_compatible(older, newer), expected, "{older} {newer}");
    };
    check("0.1.0", "0.1.0", true);
    check("0.1.0", "0.1.1", true);
    check("0.1.1", "0.1.0", false);
    check("0.1.0", "0.2.0", false);
    check("0.0.1", "0.0.2", false);
    check("1.0.0", "1.9.0", true);
    check("1.0.0", "2.0.0", false);
    check("0.1.0", "0.2.0-rc.1", false);
    check("0.1.0", "0.1.1-rc.1", true);
}
