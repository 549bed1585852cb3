//! What a worker is handed: files in memory that nobody can change any more.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// A file with this content, sealed. Its name shows in lists of open files only.
pub fn sealed(name: &str, content: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(name, flags())?);
    file.write_all(content)?;
    fcntl_add_seals(
        &file,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    Ok(file)
}

/// An empty file that somebody is to fill.
pub fn empty(name: &str) -> io::Result<File> {
    Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
}

fn flags() -> MemfdFlags {
    MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn what_is_sealed_stays_as_it_is() {
        let file = sealed("test", b"abc").unwrap();
        let mut found = [0; 3];
        file.read_exact_at(&mut found, 0).unwrap();
        assert_eq!(&found, b"abc");
        assert!(file.write_at(b"x", 0).is_err());
        assert!(file.set_len(2).is_err());
        assert!(file.set_len(4).is_err());
        let file = empty("test").unwrap();
        file.write_at(b"x", 0).unwrap();
    }
}
