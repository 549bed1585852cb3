//! Stores runs: the last run of each combination of engine, options, suite and budget in the user's
//! data folder, and any run under a path that the user gives. Files are written atomically.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::result::{FORMAT, SuiteRun, VERSION};
use sandboard_common::files::{FileError, data_folder, read_regular, write_atomically};

/// The largest file of a run, in bytes.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Why a stored run cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is not a run, or is damaged.
    #[error("{} is not a readable run of a suite: {reason}", path.display())]
    Damaged {
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The path of the last run with the same engine, options, suite, game, variant and budget.
pub fn last_path(run: &SuiteRun) -> Result<PathBuf, FileError> {
    let options: Vec<_> = run.engine.options.iter().collect();
    let budget = run.budget.to_string();
    let key = (&run.engine.id, options, &run.suite.sha256, &run.game, &run.variant, budget);
    let digest = sandboard_common::hex::hex(&Sha256::digest(format!("{key:?}").as_bytes()));
    Ok(data_folder()?.join("suites").join(format!("{}-{}.json", run.engine.id, &digest[..16])))
}

/// Writes a run, and creates its folder if needed.
pub fn save(path: &Path, run: &SuiteRun) -> Result<(), FileError> {
    let io = |step, source| FileError::Io { step, path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(|e| io("create the folder of", e))?;
    }
    let mut bytes =
        serde_json::to_vec_pretty(run).map_err(|e| io("write", std::io::Error::other(e)))?;
    bytes.push(b'\n');
    write_atomically(path, &bytes)
}

/// Reads a run; none if the file does not exist.
pub fn load(path: &Path) -> Result<Option<SuiteRun>, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let damaged = |reason: String| LoadError::Damaged { path: path.to_owned(), reason };
    let bytes = match read_regular(path, FILE_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(failed)?,
    };
    if bytes.len() as u64 > FILE_BYTES {
        return Err(damaged(format!("it has more than {FILE_BYTES} bytes")));
    }
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    match (value["format"].as_str(), value["version"].as_u64()) {
        (Some(FORMAT), Some(version)) if version == u64::from(VERSION) => (),
        (Some(FORMAT), version) => {
            let version = version.map_or("none".to_owned(), |version| version.to_string());
            return Err(damaged(format!("its version is {version}, not {VERSION}")));
        }
        _ => return Err(damaged(format!("its format is not {FORMAT}"))),
    }
    serde_json::from_value(value).map(Some).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_damaged(content: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        std::fs::write(&path, content).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{content}: {error}");
        assert!(load(&folder.path().join("missing.json")).unwrap().is_none());
    }

    #[test]
    fn damaged_runs_differ_from_missing_ones() {
        check_damaged("", "EOF while parsing");
        check_damaged("{}", "its format is not sandboard-suite-run");
        check_damaged(r#"{"format": "other", "version": 1}"#, "its format is not");
        check_damaged(r#"{"format": "sandboard-suite-run", "version": 2}"#, "version is 2, not 1");
        check_damaged(r#"{"format": "sandboard-suite-run", "version": 1}"#, "missing field");
    }
}
