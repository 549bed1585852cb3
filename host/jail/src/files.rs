//! Files in memory for jailed processes, sealed so that no process can change them.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// Makes a sealed file with this content. The name appears only in lists of open files.
pub fn sealed_file(name: &str, content: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(name, flags())?);
    file.write_all(content)?;
    seal(&file)?;
    Ok(file)
}

/// Makes a sealed program. Its receiver can execute it but not read it, so that no process can
/// attach to the running program.
pub fn sealed_program(content: &[u8]) -> io::Result<File> {
    let make = |extra| memfd_create("program", flags() | extra);
    // Before Linux 6.3 every such file is executable, and the flag does not exist.
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

/// Makes an empty file for a process to write to.
pub fn empty_file(name: &str) -> io::Result<File> {
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
    fn sealed_files_cannot_change() {
        let file = sealed_file("test", b"abc").unwrap();
        let mut found = [0; 3];
        file.read_exact_at(&mut found, 0).unwrap();
        assert_eq!(&found, b"abc");
        assert!(file.write_at(b"x", 0).is_err());
        assert!(file.set_len(2).is_err());
        assert!(file.set_len(4).is_err());
        let file = empty_file("test").unwrap();
        file.write_at(b"x", 0).unwrap();
    }
}
