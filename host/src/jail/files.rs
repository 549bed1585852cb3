//! What inmates are handed: files in memory that nobody can change any more.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// A file with this content, sealed. Its name shows in lists of open files only.
pub fn sealed(name: &str, content: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(name, flags())?);
    file.write_all(content)?;
    seal(&file)?;
    Ok(file)
}

/// A program, sealed: whoever is handed it may run it and not read it, so that nobody attaches to
/// what it becomes.
pub fn sealed_program(content: &[u8]) -> io::Result<File> {
    let make = |more| memfd_create("program", flags() | more);
    // Before Linux 6.3 every one may be run, and there is no word for it.
    let made = make(MemfdFlags::EXEC).or_else(|error| match error {
        rustix::io::Errno::INVAL => make(MemfdFlags::empty()),
        other => Err(other),
    });
    let mut file = File::from(made?);
    file.write_all(content)?;
    rustix::fs::fchmod(&file, rustix::fs::Mode::from_raw_mode(0o111))?;
    seal(&file)?;
    Ok(file)
}

/// An empty file that somebody is to fill.
pub fn empty(name: &str) -> io::Result<File> {
    Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
}

fn seal(file: &File) -> rustix::io::Result<()> {
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(file, seals)
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
