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

    /// The code of a module, where it is kept.
    pub(super) fn get(&self, engine: &wasmtime::Engine, module: &[u8]) -> Option<Code> {
        let path = self.folder.join(file_name(engine, module));
        std::fs::read(path).ok().map(Code::vouched)
    }

    /// Keeps the code of a module.
    pub(super) fn put(&self, engine: &wasmtime::Engine, module: &[u8], code: &Code) {
        let path = self.folder.join(file_name(engine, module));
        if let Err(error) = self.keep(code, &path) {
            log::warn!("compiled code is not kept in {}: {error}", self.folder.display());
        }
    }

    /// Written beside its place and moved there, so that no other process ever
    /// sees half a file.
    fn keep(&self, code: &Code, path: &Path) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut file, code.bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Machine code of a component: what some runtime like this one has made of it.
#[derive(Clone)]
pub struct Code(Vec<u8>);

impl Code {
    /// Code that whoever calls this vouches for: it is the output of wasmtime's compiler, of
    /// this host's doing, and nobody else could have changed it since.
    pub(crate) fn vouched(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// As it is written to a file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn component(&self, engine: &wasmtime::Engine) -> wasmtime::Result<Component> {
        // SAFETY: a `Code` is vouched for where it is made: it is wasmtime's own output, whole.
        // That it is for this version and configuration wasmtime checks itself.
        unsafe { Component::deserialize(engine, &self.0) }
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
