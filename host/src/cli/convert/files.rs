//! The files of a conversion: read whole and no further than a reader may, written
//! whole or not at all, and not over others by accident. Knows no format.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use sandboard_games::formats::FILE_BYTES;

use crate::cli::usage;
use crate::record::store::write_atomically;

/// What stands for the number of a game in the name of OUT.
const NUMBER: &str = "%d";

/// Whether a path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// What a file is called in sentences.
pub(super) fn name(path: &Path, standard: &str) -> String {
    match is_standard(path) {
        true => standard.to_owned(),
        false => path.display().to_string(),
    }
}

/// The bytes of IN.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let name = name(path, "standard input");
    let mut bytes = Vec::new();
    let most = FILE_BYTES as u64 + 1;
    let read = match is_standard(path) {
        true => std::io::stdin().lock().take(most).read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    read.with_context(|| format!("cannot read {name}"))?;
    match bytes.len() > FILE_BYTES {
        true => {
            Err(anyhow!("{name} has more than {} MiB, the most that is read", FILE_BYTES >> 20))
        }
        false => Ok(bytes),
    }
}

/// Where the games go.
pub(super) struct Target {
    path: PathBuf,
    force: bool,
}

impl Target {
    /// Err: the one file of OUT is there already.
    pub fn new(path: &Path, force: bool) -> Result<Self> {
        let target = Self { path: path.to_owned(), force };
        if !is_standard(path) && !target.is_numbered() {
            target.check(path)?;
        }
        Ok(target)
    }

    /// Whether every game has a file of its own.
    pub fn is_numbered(&self) -> bool {
        self.file_name().contains(NUMBER)
    }

    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn check(&self, path: &Path) -> Result<()> {
        match !self.force && path.symlink_metadata().is_ok() {
            true => {
                Err(usage(format!("{} is there already: --force writes over it", path.display())))
            }
            false => Ok(()),
        }
    }

    /// Writes the games, each to its file or all to one, which `join` makes of them;
    /// gives back the files.
    pub fn write<'a>(
        &self,
        games: impl Iterator<Item = (usize, &'a [u8])>,
        join: impl Fn(&[&[u8]]) -> Result<Vec<u8>>,
    ) -> Result<Vec<String>> {
        if self.is_numbered() {
            let named = |(number, bytes): (usize, &'a [u8])| {
                let name = self.file_name().replace(NUMBER, &number.to_string());
                (self.path.with_file_name(name), bytes)
            };
            let files: Vec<_> = games.map(named).collect();
            files.iter().try_for_each(|(path, _)| self.check(path))?;
            for (path, bytes) in &files {
                write_atomically(path, bytes)?;
            }
            return Ok(files.iter().map(|(path, _)| path.display().to_string()).collect());
        }
        let games: Vec<&[u8]> = games.map(|(_, bytes)| bytes).collect();
        let all = join(&games)?;
        if is_standard(&self.path) {
            let mut out = std::io::stdout().lock();
            out.write_all(&all)?;
            out.flush()?;
            return Ok(Vec::new());
        }
        write_atomically(&self.path, &all)?;
        Ok(vec![self.path.display().to_string()])
    }
}
