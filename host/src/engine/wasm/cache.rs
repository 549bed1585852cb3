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

use crate::private;

/// A folder of compiled components.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in this folder, which is made if it is not there. Err: it
    /// cannot be made, or is another user's, or others may write to it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::open(folder)?;
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
