//! Reads and writes the files of a conversion: reads within a size limit, writes completely or not
//! at all, and replaces no file by accident. Knows no format.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use sandboard_games::formats::FILE_BYTES;

use crate::usage;
use sandboard_common::files::{read_regular, write_atomically};

/// The placeholder for a game's number in the name of OUT.
const NUMBER: &str = "%d";

/// Whether a path means standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of a file in messages.
pub(super) fn name(path: &Path, standard: &str) -> String {
    match is_standard(path) {
        true => standard.to_owned(),
        false => path.display().to_string(),
    }
}

/// Reads IN, up to the size limit of formats.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let name = name(path, "standard input");
    let most = FILE_BYTES as u64;
    let read = match is_standard(path) {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes).map(|_| bytes)
        }
        false => read_regular(path, most),
    };
    let bytes = read.with_context(|| format!("cannot read {name}"))?;
    match bytes.len() > FILE_BYTES {
        true => Err(anyhow!("{name} is larger than {} MiB, the limit", FILE_BYTES >> 20)),
        false => Ok(bytes),
    }
}

/// The output of a conversion.
pub(super) struct Target {
    path: PathBuf,
    force: bool,
}

impl Target {
    /// Err: OUT is a single file that exists.
    pub(super) fn new(path: &Path, force: bool) -> Result<Self> {
        let target = Self { path: path.to_owned(), force };
        if !is_standard(path) && !target.is_numbered() {
            target.check(path)?;
        }
        Ok(target)
    }

    /// Whether each game gets a file of its own.
    pub(super) fn is_numbered(&self) -> bool {
        self.file_name().contains(NUMBER)
    }

    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn check(&self, path: &Path) -> Result<()> {
        match !self.force && path.symlink_metadata().is_ok() {
            true => Err(usage(format!("{} exists: use --force to replace it", path.display()))),
            false => Ok(()),
        }
    }

    /// Writes each game to its own file, or all to one file that `join` makes; returns the
    /// names of the files.
    pub(super) fn write<'a>(
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
            crate::output::write_file(&all)?;
            return Ok(Vec::new());
        }
        write_atomically(&self.path, &all)?;
        Ok(vec![self.path.display().to_string()])
    }
}
