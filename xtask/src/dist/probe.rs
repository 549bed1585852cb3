//! A small program that shows whether compiled code depends on the folder where it is built. It has
//! all that names a folder: a source file, generated code, the standard library, C.

use std::path::Path;

use anyhow::{Context, Result};

use super::build::{Profile, program};
use super::leaks;
use super::remap::Remap;
use crate::workspace::Workspace;

const FILES: [(&str, &str); 4] = [
    (
        "Cargo.toml",
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [profile.dist-check]\ninherits = \"release\"\nstrip = \"symbols\"\n",
    ),
    ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"probe\"\nversion = \"0.0.0\"\n"),
    ("build.rs", include_str!("probe/build.rs.txt")),
    ("src/main.rs", include_str!("probe/main.rs.txt")),
];

/// The bytes of the program, built in a new folder. An error if they name the folder.
pub(super) fn build(folder: &Path) -> Result<Vec<u8>> {
    for (name, text) in FILES {
        let file = folder.join(name);
        file.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&file, text))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let mut workspace = Workspace::load_at(folder)?;
    // Also where CARGO_TARGET_DIR names one folder for all.
    workspace.target = folder.join("target");
    let remap = Remap::of(&workspace)?;
    let file = program(&workspace, &remap, Profile::DistCheck, "probe", "probe")?;
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    leaks::check(&super::compiled(&bytes, &Default::default())?, &remap.folders())?;
    Ok(bytes)
}
