//! Checks the dependencies between the crates of the workspace against
//! [`CRATES`], the table of allowed directions. Reads the answer of `cargo metadata`, not
//! manifests.

use sandboard_builder::metadata::Package;

use super::Finding;
use crate::workspace::Workspace;

/// The crates of the workspace from the bottom up: the name without `sandboard-`, and what it may
/// depend on, as a normal, build or development dependency. A crate may also depend on whatever
/// the named crates may depend on. A row names only crates above it, so there are no cycles. A name
/// that ends with `/` stands for all packages of that folder. A package without a row is a finding,
/// and so is a row without a package.
#[rustfmt::skip]
const CRATES: &[(&str, &str)] = &[
    ("abi",             ""),
    ("builder",         ""),
    ("evolution",       ""),
    ("games",           ""),
    ("tournament",      "games"),
    ("double-dummy",    "games"),
    ("reversi-endings", "games"),
    ("sdk",             "abi games"),
    ("game-sdk",        "games"),
    // The crates of `host/`.
    ("common",          ""),
    ("archive",         "common"),
    ("jail",            "common"),
    ("engine",          "abi common games"),
    ("metering",        "builder"),
    ("component",       "abi metering"),
    ("engine-wasm",     "builder component engine"),
    ("engine-native",   "engine"),
    ("protocols",       "abi common games"),
    ("engine-process",  "engine-native engine-wasm jail protocols"),
    ("packs",           "archive builder engine-process"),
    ("bout",            "builder double-dummy engine reversi-endings"),
    ("analysis",        "bout packs"),
    ("arena-plan",      "bout tournament"),
    ("arena",           "arena-plan packs"),
    ("cluster",         "arena"),
    ("tuner",           "arena evolution"),
    ("contest-rules",   "arena-plan engine-wasm"),
    ("bundle",          "archive contest-rules"),
    ("browser",         "bundle"),
    ("contest",         "analysis arena bundle"),
    ("server",          "analysis arena contest"),
    ("cli",             "cluster server tuner"),
    // No other crate depends on these.
    ("tests",           "cli sdk sample-games/"),
    ("xtask",           "builder"),
];

/// Folders of samples, and what their packages may depend on, and nothing else. A name that ends
/// with `/` stands for all packages of that folder.
const SAMPLES: &[(&str, &str)] = &[
    ("sample-games/", "game-sdk"),
    ("tests/games/", "game-sdk"),
    ("sample-engines/", "sdk double-dummy sample-games/"),
];

/// A package as the rules see it.
pub(super) struct Member {
    pub name: String,
    /// The manifest's path relative to the root.
    pub manifest: String,
    /// The names of its dependencies of every kind.
    pub dependencies: Vec<String>,
}

/// The packages of the workspace.
pub(super) fn members(workspace: &Workspace) -> Vec<Member> {
    let member = |package: &Package| {
        let manifest = workspace.relative(&package.manifest_path);
        Member {
            name: package.name.clone(),
            manifest,
            dependencies: package.dependencies.iter().map(|d| d.name.clone()).collect(),
        }
    };
    workspace.members().map(member).collect()
}

/// Compares the packages with the table, and checks the table itself.
pub(super) fn directions(members: &[Member]) -> Vec<Finding> {
    compare(CRATES, SAMPLES, members)
}

fn compare(table: &[(&str, &str)], samples: &[(&str, &str)], members: &[Member]) -> Vec<Finding> {
    let mut findings = table_faults(table);
    let mut named: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    let of_samples = samples.iter().flat_map(|(_, uses)| uses.split_whitespace());
    named.extend(of_samples.filter(|name| !name.ends_with('/')));
    named.sort_unstable();
    named.dedup();
    for name in named.into_iter().map(package_name) {
        if !members.iter().any(|member| member.name == name) {
            findings.push(Finding::new("Cargo.toml", 1, format!("there is no package `{name}`")));
        }
    }
    for member in members {
        let row = table.iter().position(|(name, _)| package_name(name) == member.name);
        let sample = samples.iter().find(|(folder, _)| member.manifest.starts_with(folder));
        let allowed = match (sample, row) {
            (Some((_, uses)), _) => named_in(uses, members),
            (None, Some(row)) => named_in(&reachable(table, row), members),
            (None, None) => {
                let message = format!("`{}` has no row in xtask's table of crates", member.name);
                findings.push(Finding::new(&member.manifest, 1, message));
                continue;
            }
        };
        let inner =
            member.dependencies.iter().filter(|name| members.iter().any(|m| m.name == **name));
        for name in inner.filter(|name| !allowed.contains(name)) {
            let message = format!("`{}` may not depend on `{name}`", member.name);
            findings.push(Finding::new(&member.manifest, 1, message));
        }
    }
    findings
}

/// The packages that a text of names stands for.
fn named_in(uses: &str, members: &[Member]) -> Vec<String> {
    let packages = |name: &str| match name.ends_with('/') {
        false => vec![package_name(name)],
        true => {
            let inside = members.iter().filter(|member| member.manifest.starts_with(name));
            inside.map(|member| member.name.clone()).collect()
        }
    };
    uses.split_whitespace().flat_map(packages).collect()
}

/// Crates with two rows, and dependencies that have no row above.
fn table_faults(table: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = |message: String| findings.push(Finding::new(file!(), 1, message));
    for (row, (name, uses)) in table.iter().enumerate() {
        let above = &table[..row];
        if above.iter().any(|(other, _)| other == name) {
            found(format!("the table of crates has two rows `{name}`"));
        }
        for used in uses.split_whitespace().filter(|used| !used.ends_with('/')) {
            if !above.iter().any(|(other, _)| *other == used) {
                found(format!("the row `{name}` names `{used}`, which is no row above it"));
            }
        }
    }
    findings
}

/// The names that stand for what the crate of a row may depend on: those of the row, and theirs in
/// turn.
fn reachable(table: &[(&str, &str)], row: usize) -> String {
    let mut names: Vec<&str> = table[row].1.split_whitespace().collect();
    // Rows name rows above, so that one pass from the bottom of the table finds all.
    for (name, uses) in table[..row].iter().rev() {
        if names.contains(name) {
            names.extend(uses.split_whitespace());
        }
    }
    names.join(" ")
}

/// The package of a row.
fn package_name(row: &str) -> String {
    match row {
        "xtask" => row.to_owned(),
        _ => format!("sandboard-{row}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small workspace: `c` may depend on `b`, and so on `a`.
    const TABLE: &[(&str, &str)] =
        &[("a", ""), ("b", "a"), ("c", "b games/"), ("d", ""), ("xtask", "d")];

    /// Samples: engines may use `b` and the games.
    const SAMPLES: &[(&str, &str)] = &[("games/", "a"), ("engines/", "b games/")];

    /// A package; one in a folder of samples has the folder in its name.
    fn member(name: &str, dependencies: &str) -> Member {
        let package = |name: &str| match name.rsplit_once('/') {
            Some((_, name)) => name.to_owned(),
            None => package_name(name),
        };
        Member {
            name: package(name),
            manifest: format!("{name}/Cargo.toml"),
            dependencies: dependencies.split_whitespace().map(package).collect(),
        }
    }

    /// Checks the findings about a workspace in which `extra` replaces or joins the packages.
    fn check(extra: Member, expected: &[&str]) {
        let mut members: Vec<Member> =
            TABLE.iter().map(|(name, uses)| member(name, uses)).collect();
        members.retain(|member| member.name != extra.name);
        members.push(extra);
        check_found(&compare(TABLE, SAMPLES, &members), expected);
    }

    fn check_found(found: &[Finding], expected: &[&str]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(
            found.iter().zip(expected).all(|(f, words)| f.message.contains(words)),
            "{found:?}"
        );
    }

    #[test]
    fn dependencies_point_one_way() {
        check(member("c", "b a serde"), &[]);
        check(member("c", "d"), &["`sandboard-c` may not depend on `sandboard-d`"]);
        check(member("a", "b"), &["`sandboard-a` may not depend on `sandboard-b`"]);
        check(member("xtask", "d a"), &["`xtask` may not depend on `sandboard-a`"]);
        check(member("e", ""), &["`sandboard-e` has no row"]);
    }

    #[test]
    fn samples_use_only_listed_crates() {
        check(member("engines/x", "b serde"), &[]);
        check(member("engines/x", "a"), &["`x` may not depend on `sandboard-a`"]);
        check(member("games/x", "a"), &[]);
        check(member("games/x", "b"), &["`x` may not depend on `sandboard-b`"]);
        let members = |uses: &str| {
            let table = TABLE.iter().map(|(name, uses)| member(name, uses));
            table.chain([member("games/g", "a"), member("engines/e", uses)]).collect::<Vec<_>>()
        };
        check_found(&compare(TABLE, SAMPLES, &members("games/g b")), &[]);
        let found = compare(TABLE, SAMPLES, &members("engines/e"));
        check_found(&found, &["`e` may not depend on `e`"]);
    }

    #[test]
    fn a_row_may_name_a_folder_of_samples() {
        let members = |user: Member| {
            let mut members: Vec<Member> =
                TABLE.iter().map(|(name, uses)| member(name, uses)).collect();
            members.retain(|member| member.name != user.name);
            members.extend([member("games/g", "a"), user]);
            members
        };
        check_found(&compare(TABLE, SAMPLES, &members(member("c", "games/g"))), &[]);
        let found = compare(TABLE, SAMPLES, &members(member("b", "games/g")));
        check_found(&found, &["`sandboard-b` may not depend on `g`"]);
    }

    #[test]
    fn a_row_without_a_package_is_found() {
        let members = [member("a", ""), member("xtask", "")];
        let expected = ["package `sandboard-b`", "`sandboard-c`", "`sandboard-d`"];
        check_found(&compare(TABLE, SAMPLES, &members), &expected);
    }

    #[test]
    fn rows_name_rows_above_them() {
        let check = |table: &[(&str, &str)], expected: &[&str]| {
            check_found(&table_faults(table), expected);
        };
        check(CRATES, &[]);
        check(TABLE, &[]);
        check(&[("a", "b"), ("b", "")], &["`a` names `b`, which is no row above"]);
        check(&[("a", "a")], &["`a` names `a`"]);
        check(&[("a", ""), ("b", ""), ("a", "b")], &["two rows `a`"]);
    }

    #[test]
    fn the_real_table_keeps_the_invariants() {
        let may = |name: &str, other: &str| {
            let row = CRATES.iter().position(|(row, _)| *row == name).unwrap();
            reachable(CRATES, row).split_whitespace().any(|used| used == other)
        };
        assert!(!may("games", "abi") && !may("sdk", "builder"));
        assert!(may("tests", "games") && may("tests", "sdk"));
        assert!(may("xtask", "builder") && !may("xtask", "games"));
    }
}
