//! Bridge beside DDS, which is installed below `target/` and nowhere else.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sandboard_forge::run::{cargo, output, run};

use crate::workspace::Workspace;

/// The Python package with DDS 2.9, and its version: figures are told of one.
const ENDPLAY: &str = "endplay==0.5.12";
const PACKAGE: &str = "sandboard-double-dummy";
const DEALS: &str = "tests/fixtures/bridge/dd.json";

/// The twenty values of deals, with the solver and with DDS.
pub fn main(workspace: &Workspace, arguments: &[std::ffi::OsString]) -> Result<()> {
    let python = with_endplay(&workspace.target.join("peers"))?;
    run(cargo()
        .args(["run", "--release", "--quiet", "--package", PACKAGE, "--example", "peers", "--"])
        .arg(python)
        .arg(workspace.root.join(DEALS))
        .args(arguments)
        .current_dir(&workspace.root))
}

/// A Python of our own that has endplay; made and filled where it is not there yet.
fn with_endplay(folder: &Path) -> Result<PathBuf> {
    let python = match cfg!(windows) {
        true => folder.join("Scripts").join("python.exe"),
        false => folder.join("bin").join("python"),
    };
    let has_it = || output(Command::new(&python).args(["-c", "import endplay.dds"])).is_some();
    if has_it() {
        return Ok(python);
    }
    let Some(system) = ["python3", "python"].into_iter().find(|name| is_python(name)) else {
        bail!("DDS is reached through Python, and there is no python3 on the path: install it");
    };
    eprintln!("making a Python environment in {} and installing {ENDPLAY} in it", folder.display());
    run(Command::new(system).args(["-m", "venv"]).arg(folder)).with_context(|| {
        format!("{system} makes no environment; on Debian this installs what it lacks: apt-get install python3-venv")
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
        format!("{ENDPLAY} cannot be installed; that takes a network, or an index that pip knows")
    })?;
    match has_it() {
        true => Ok(python),
        false => bail!("{ENDPLAY} is installed in {} and cannot be imported", folder.display()),
    }
}

fn is_python(name: &str) -> bool {
    output(Command::new(name).args(["-c", "import venv"])).is_some()
}
