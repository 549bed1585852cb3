//! Free disk space: a first build that fills the disk would fail after minutes, in the compiler.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use sandboard_builder::command::stdout_of;

/// What the target folder takes after `cargo xtask test` in a fresh clone, rounded up.
const FIRST_BUILD_BYTES: u64 = 16 << 30;

/// Returns an error if nothing is built yet and the disk has no room for all of it. Where the free
/// space is unknown, the check passes.
pub(crate) fn ensure_room_for_first_build(root: &Path, target: &Path) -> Result<()> {
    // The target folder itself may not exist yet.
    let folder = target.ancestors().find(|path| path.is_dir()).unwrap_or(root);
    let is_built = target.join("debug").join("deps").is_dir();
    match free_bytes(folder) {
        Some(free) if !is_built => ensure_room(free, target),
        _ => Ok(()),
    }
}

fn ensure_room(free_bytes: u64, target: &Path) -> Result<()> {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    ensure!(
        free_bytes >= FIRST_BUILD_BYTES,
        "the first build needs {:.0} GiB in {}, and the disk has {:.1} GiB left: free some space, \
         or set CARGO_TARGET_DIR to a folder on another disk",
        gib(FIRST_BUILD_BYTES),
        target.display(),
        gib(free_bytes)
    );
    Ok(())
}

/// The bytes that this user may still write to the disk of a folder, as `df` reports them.
fn free_bytes(folder: &Path) -> Option<u64> {
    let table = stdout_of(Command::new("df").arg("-Pk").arg(folder))?;
    available_bytes(&table)
}

/// Reads the fourth column of the second line of `df -Pk` (POSIX), which counts KiB.
fn available_bytes(table: &str) -> Option<u64> {
    let kib: u64 = table.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_df_is_read() {
        let check = |row: &str, expected: Option<u64>| {
            let table = format!("Filesystem 1024-blocks Used Available Capacity Mounted on\n{row}");
            assert_eq!(available_bytes(&table), expected, "{row}");
        };
        check("/dev/vda 263174212 26112000 69000000 28% /", Some(69_000_000 * 1024));
        check("overlay 10 10 0 100% /", Some(0));
        check("/dev/vda 263174212 26112000 - 28% /", None);
        check("", None);
    }

    #[test]
    fn this_disk_has_free_space() {
        assert!(free_bytes(&std::env::temp_dir()).is_some_and(|bytes| bytes > 0));
    }

    #[test]
    fn a_first_build_needs_room() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let check = |free: u64, expected: bool| {
            assert_eq!(ensure_room(free, folder.path()).is_ok(), expected, "{free}");
        };
        check(FIRST_BUILD_BYTES, true);
        check(FIRST_BUILD_BYTES - 1, false);
        let message = ensure_room(4 << 30, folder.path()).expect_err("too little").to_string();
        assert!(message.contains("16 GiB") && message.contains("4.0 GiB left"), "{message}");
    }
}
