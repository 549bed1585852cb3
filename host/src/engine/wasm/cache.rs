//! Compiled components kept on disk: the host's own output only, found by the
//! content of the module and by wasmtime's compatibility hash. A module that a
//! user compiled himself is never loaded. The folder belongs to the user who
//! runs the host and to nobody else; engines cannot reach it.
//!
//! The one place outside the native backend that is unsafe: wasmtime trusts
//! what it deserialises.
#![allow(unsafe_code)]

use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

/// A folder of compiled components.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in this folder, which is made if it is not there. Err: it
    /// cannot be made, or is another user's, or others may write to it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        if !folder.exists() {
            make(folder)?;
        }
        check_private(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    pub(super) fn component(
        &self,
        engine: &wasmtime::Engine,
        bytes: &[u8],
    ) -> wasmtime::Result<Component> {
        let path = self.folder.join(file_name(engine, bytes));
        if let Some(component) = load(engine, &path) {
            return Ok(component);
        }
        let component = Component::from_binary(engine, bytes)?;
        if let Err(error) = self.keep(&component, &path) {
            log::warn!("compiled code is not kept in {}: {error}", self.folder.display());
        }
        Ok(component)
    }

    /// Written beside its place and moved there, so that no other process ever
    /// sees half a file.
    fn keep(&self, component: &Component, path: &Path) -> io::Result<()> {
        let code = component.serialize().map_err(|error| io::Error::other(error.to_string()))?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut file, &code)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn load(engine: &wasmtime::Engine, path: &Path) -> Option<Component> {
    if !path.is_file() {
        return None;
    }
    // SAFETY: the folder is this user's and was never writable by another since it
    // was made (checked when the cache was opened), so it holds nothing but what
    // `keep` wrote: wasmtime's own output, whole. A file of another version or configuration has another
    // name, and wasmtime checks its header besides.
    match unsafe { Component::deserialize_file(engine, path) } {
        Ok(component) => Some(component),
        Err(error) => {
            log::warn!("{} is of no use, compiled anew: {error}", path.display());
            None
        }
    }
}

fn file_name(engine: &wasmtime::Engine, bytes: &[u8]) -> String {
    let mut name = crate::hex(&Sha256::digest(bytes));
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    engine.precompile_compatibility_hash().hash(&mut hasher);
    name.push_str(&format!("-{:016x}.code", hasher.finish()));
    name
}

/// FNV-1a: a hash whose value is the same in every build, unlike std's.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(unix)]
fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// A folder that others could write to is not mended: it may hold their files.
#[cfg(unix)]
fn check_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let wrong = |reason: &str| {
        let place = folder.display();
        Err(io::Error::other(format!("{place} {reason}; delete it, and it is made anew")))
    };
    let metadata = std::fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return wrong("is no folder");
    }
    // Whose files this process makes is who it is.
    let own_uid = tempfile::tempfile_in(folder)?.metadata()?.uid();
    if metadata.uid() != own_uid {
        return wrong("is another user's");
    }
    match metadata.permissions().mode() & 0o022 {
        0 => Ok(()),
        _ => wrong("may be written to by others"),
    }
}

#[cfg(not(unix))]
fn check_private(_folder: &Path) -> io::Result<()> {
    // A user's own data folder is private on these systems by default.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_folder_that_others_may_write_to_is_no_cache() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        Cache::open(&folder).unwrap();
        for (mode, admitted) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(Cache::open(&folder).is_ok(), admitted, "{mode:o}");
        }
    }
}
