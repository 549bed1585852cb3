//! Bridge: compares our double-dummy solver with DDS, which is installed only in `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sandboard_builder::command::{cargo, run, stdout_of};

use crate::workspace::Workspace;

/// The Python package with DDS 2.9, in the version of the published figures.
const ENDPLAY: &str = "endplay==0.5.12";
const PACKAGE: &str = "sandboard-double-dummy";
const DEALS: &str = "tests/fixtures/bridge/dd.json";

/// Computes the twenty values of each deal with our solver and with DDS.
pub(super) fn main(workspace: &Workspace, arguments: &[std::ffi::OsString]) -> Result<()> {
    let python = with_endplay(&workspace.target.join("peers"))?;
    run(cargo()
        .args(["run", "--release", "--quiet", "--package", PACKAGE, "--example", "peers", "--"])
        .arg(python)
        .arg(workspace.root.join(DEALS))
        .args(arguments)
        .current_dir(&workspace.root))
}

/// The Python of a virtual environment with endplay, which is created if it is missing.
fn with_endplay(folder: &Path) -> Result<PathBuf> {
    let python = match cfg!(windows) {
        true => folder.join("Scripts").join("python.exe"),
        false => folder.join("bin").join("python"),
    };
    let has_endplay =
        || stdout_of(Command::new(&python).args(["-c", "import endplay.dds"])).is_some();
    if has_endplay() {
        return Ok(python);
    }
    let Some(system) = ["python3", "python"].into_iter().find(|name| is_python(name)) else {
        bail!("DDS is called from Python, and python3 is not on the path: install it");
    };
    eprintln!("creating a Python environment with {ENDPLAY} in {}", folder.display());
    run(Command::new(system).args(["-m", "venv"]).arg(folder)).with_context(|| {
        format!("{system} cannot create an environment; on Debian: apt-get install python3-venv")
    })?;
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        ENDPLAY,
    ]))
    .with_context(|| {
        format!("cannot install {ENDPLAY}, which needs a network or an index that pip knows")
    })?;
    match has_endplay() {
        true => Ok(python),
        false => bail!("{ENDPLAY} is installed in {}, but cannot be imported", folder.display()),
    }
}

fn is_python(name: &str) -> bool {
    stdout_of(Command::new(name).args(["-c", "import venv"])).is_some()
}
