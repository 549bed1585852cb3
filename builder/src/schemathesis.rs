//! Finds Schemathesis, which tests an HTTP API by its OpenAPI document. It is a Python package, and
//! is kept like the tools of languages: pinned by hashes, in the user's cache.

use std::process::Command;

use anyhow::Result;

use crate::registry::{Registry, pypi_package};
use crate::tools::Tool;

/// The package with all its dependencies, which no other tool from PyPI has. It needs Python 3.11.
const SCHEMATHESIS: Tool = Tool {
    registry: pypi_package!("schemathesis"),
    package: "schemathesis",
    version: "4.32.5",
    file: "schemathesis/cli/__main__.py",
    disk_mb: 60,
};

/// A command that runs Schemathesis, without arguments. It is fetched first if it is missing.
pub fn command() -> Result<Command> {
    let mut command = SCHEMATHESIS.find()?.python_command()?;
    command.args(["-m", "schemathesis.cli"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_by_hashes() {
        let Registry::PyPi { wheels } = SCHEMATHESIS.registry else { panic!("it is PyPI's") };
        let lines: Vec<&str> = wheels.lines().filter(|line| !line.starts_with('#')).collect();
        let packages = lines.iter().filter(|line| !line.starts_with(' '));
        let names: Vec<&str> = packages.filter_map(|line| line.split(' ').next()).collect();
        let own = format!("schemathesis=={}", SCHEMATHESIS.version);
        assert!(names.contains(&own.as_str()), "{names:?}");
        assert!(names.iter().all(|name| name.contains("==")), "{names:?}");
        for (line, next) in lines.iter().zip(lines.iter().skip(1)) {
            let is_hash = next.trim_start().starts_with("--hash=sha256:");
            assert_eq!(line.ends_with('\\'), is_hash, "{line}");
        }
    }
}
