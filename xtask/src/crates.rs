//! The crates that others use: checks that each can be published. Publishes nothing.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use sandboard_builder::command::{cargo, cargo_home, run_tool};
use sandboard_builder::metadata::Package;

use crate::workspace::Workspace;

/// The files that each of these crates has beside its manifest.
const FILES: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Makes the package of each crate that may be published, and compiles it from the files in that
/// package alone. A crate of the workspace that it uses is taken from its package, too.
pub(crate) fn verify(workspace: &Workspace) -> Result<()> {
    let crates: Vec<&Package> = workspace.members().filter(|it| it.is_published()).collect();
    ensure!(!crates.is_empty(), "no crate of the workspace may be published");
    for package in &crates {
        check(package, &workspace.root)?;
    }
    let sources = cargo_home().context("cargo's home folder is unknown: set CARGO_HOME")?;
    remove_unpacked(&sources.join("registry").join("src"), &crates)?;
    let mut command = cargo();
    // The author of a change tests it before committing it.
    command.args(["package", "--locked", "--allow-dirty"]).current_dir(&workspace.root);
    // Its own folder: it does not wait for the locks of other builds.
    command.arg("--target-dir").arg(workspace.target.join("crates"));
    // Only errors matter here, not speed and debugging.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "false");
    for package in &crates {
        command.args(["--package", &package.name]);
    }
    run_tool(&mut command)
}

/// Removes what cargo has unpacked from the packages of an earlier run. It would use the old
/// sources again, because the version is the same. `sources` has a folder for each registry; the
/// name of one without a host, such as that of `cargo package`, begins with a hyphen.
fn remove_unpacked(sources: &Path, crates: &[&Package]) -> Result<()> {
    // Without the folder, nothing was unpacked.
    let registries = std::fs::read_dir(sources).into_iter().flatten().flatten();
    let is_local = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"-");
    for registry in registries.filter(|it| is_local(&it.file_name())) {
        for package in crates {
            let folder = registry.path().join(format!("{}-{}", package.name, package.version));
            if folder.exists() {
                std::fs::remove_dir_all(&folder)
                    .with_context(|| format!("cannot remove {}", folder.display()))?;
            }
        }
    }
    Ok(())
}

/// Checks what cargo only warns about.
fn check(package: &Package, root: &Path) -> Result<()> {
    let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
    let shown = folder.strip_prefix(root).unwrap_or(folder).display();
    for (what, is_missing) in [
        ("description", package.description.is_none()),
        ("readme", package.readme.is_none()),
        ("keywords", package.keywords.is_empty()),
        ("categories", package.categories.is_empty()),
    ] {
        ensure!(!is_missing, "{shown}/Cargo.toml has no `{what}`, which crates.io shows");
    }
    for name in FILES {
        ensure!(folder.join(name).is_file(), "{shown} has no {name}; the package needs it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_packages_of_local_registries_are_removed() {
        let sources = tempfile::tempdir().unwrap();
        let package: Package = serde_json::from_value(serde_json::json!({
            "id": "a", "name": "a", "version": "1.0.0", "license": "MIT", "source": null,
            "manifest_path": "Cargo.toml", "targets": [], "dependencies": [], "publish": null,
            "description": "d", "readme": "README.md", "keywords": ["k"], "categories": ["c"],
        }))
        .unwrap();
        let folders = ["-12/a-1.0.0/src", "-12/a-1.0.1/src", "-12/b-1.0.0/src", "example/a-1.0.0"];
        for folder in folders {
            std::fs::create_dir_all(sources.path().join(folder)).unwrap();
        }
        remove_unpacked(sources.path(), &[&package]).unwrap();
        let is_left = folders.map(|folder| sources.path().join(folder).exists());
        assert_eq!(is_left, [false, true, true, true]);
        remove_unpacked(&sources.path().join("missing"), &[&package]).unwrap();
    }

    #[test]
    fn a_crate_lacks_nothing_that_crates_io_shows() {
        let folder = tempfile::tempdir().unwrap();
        for name in FILES {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let package = |change: &dyn Fn(&mut serde_json::Value)| -> Package {
            let mut value = serde_json::json!({
                "id": "a", "name": "a", "version": "1.0.0", "license": "MIT", "source": null,
                "manifest_path": folder.path().join("Cargo.toml"), "targets": [],
                "dependencies": [], "publish": null, "description": "d", "readme": "README.md",
                "keywords": ["k"], "categories": ["c"],
            });
            change(&mut value);
            serde_json::from_value(value).unwrap()
        };
        let verdict = |change: &dyn Fn(&mut serde_json::Value)| {
            check(&package(change), folder.path()).err().map(|error| error.to_string())
        };
        assert_eq!(verdict(&|_| ()), None);
        for (key, empty) in [
            ("description", serde_json::Value::Null),
            ("readme", serde_json::Value::Null),
            ("keywords", serde_json::json!([])),
            ("categories", serde_json::json!([])),
        ] {
            let error = verdict(&|value| value[key] = empty.clone()).unwrap();
            assert!(error.contains(&format!("`{key}`")), "{error}");
        }
        std::fs::remove_file(folder.path().join("LICENSE-MIT")).unwrap();
        assert!(verdict(&|_| ()).unwrap().contains("LICENSE-MIT"));
        assert!(package(&|_| ()).is_published());
        assert!(!package(&|value| value["publish"] = serde_json::json!([])).is_published());
    }
}
