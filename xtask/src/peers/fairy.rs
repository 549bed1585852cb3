//! Sets up Fairy-Stockfish and our engine in an engines folder and a data folder of the benchmark,
//! so that the trust in them applies nowhere else.

use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sandboard_builder::command::{run, stdout_of};
use sandboard_builder::packages;

use crate::engines;
use crate::workspace::Workspace;

/// The name of its Debian package and of its program.
const NAME: &str = "fairy-stockfish";
/// Debian's folder of games.
const GAMES_FOLDER: &str = "/usr/games";
/// The option for a neural network, which versions from 14 use unless it is off. Setting an option
/// that does not exist is a fault, so that it is set only if the program contains the name.
const NETWORK: &str = "Use NNUE";

/// The id of Fairy-Stockfish in the benchmark's manifest.
pub(super) const ID: &str = "fairy-xiangqi";
/// The id of our engine.
pub(super) const OURS: &str = "xiangqi-mt";

/// An engines folder with two engines, and the data folder in which they are trusted.
pub(super) struct BenchEngines {
    engines: PathBuf,
    home: PathBuf,
    host: PathBuf,
    /// The version of Fairy-Stockfish.
    pub version: String,
}

impl BenchEngines {
    /// Fills an engines folder inside `folder`, and has the host trust its engines.
    pub(super) fn prepare(workspace: &Workspace, folder: &Path) -> Result<Self> {
        let program = program()?;
        let library = engines::library(workspace, OURS)?;
        engines::build_host(workspace)?;
        let (engines, home) = (folder.join("engines"), folder.join("home"));
        std::fs::create_dir_all(&engines)?;
        let bytes = std::fs::read(&program)
            .with_context(|| format!("cannot read {}", program.display()))?;
        let (ours, version) = (&workspace.member(OURS)?.version, version(&program));
        let has_network = bytes.windows(NETWORK.len()).any(|part| part == NETWORK.as_bytes());
        // A jail runs a copy of the bytes, so that the file mode does not matter.
        let files = [
            (NAME.to_owned(), bytes),
            (format!("{OURS}.{DLL_EXTENSION}"), std::fs::read(library)?),
            ("EngineConfigs.xml".to_owned(), manifest(ours, &version, has_network).into_bytes()),
        ];
        for (name, bytes) in files {
            let file = engines.join(name);
            std::fs::write(&file, bytes)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        let host = engines::host(workspace).get_program().into();
        let bench = Self { engines, home, host, version };
        // Its output explains how to withdraw trust in the default data folder, not in this one.
        run(bench.host(&["trust", OURS, ID]).stdout(Stdio::null()))
            .context("cannot trust the engines")?;
        let (path, home) = (program.display(), bench.home.display());
        eprintln!("{OURS} and {path} {} are trusted with SANDBOARD_HOME={home}", bench.version);
        Ok(bench)
    }

    /// A command that runs the host with these arguments on the benchmark's folders.
    pub(super) fn host(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.host);
        command.args(arguments).arg("--engines-dir").arg(&self.engines);
        command.env("SANDBOARD_HOME", &self.home);
        command
    }
}

/// Finds the program, and installs it where that is allowed.
fn program() -> Result<PathBuf> {
    if let Some(program) = packages::find_game(NAME) {
        return Ok(program);
    }
    if !packages::may_install() {
        bail!("{NAME} is missing; install it: {}", packages::install_command(&[NAME]));
    }
    packages::install(&[NAME])?;
    packages::find_game(NAME)
        .with_context(|| format!("`{NAME}` was installed, but is still not found"))
}

/// The version of Debian's package; a placeholder for a program from elsewhere.
fn version(program: &Path) -> String {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${Version}", NAME]);
    match stdout_of(&mut query).filter(|_| program.starts_with(GAMES_FOLDER)) {
        Some(version) => upstream(&version).to_owned(),
        None => "0-unpackaged".to_owned(),
    }
}

/// The upstream version in the version of a Debian package.
fn upstream(version: &str) -> &str {
    let version = version.trim().split_once(':').map_or(version.trim(), |(_, rest)| rest);
    version.rsplit_once('-').map_or(version, |(upstream, _)| upstream)
}

fn manifest(ours: &str, theirs: &str, has_network: bool) -> String {
    let network = match has_network {
        true => {
            format!(
                r#"<Option name="network" protocol_name="{NETWORK}" kind="toggle" default="false"/>"#
            )
        }
        false => String::new(),
    };
    format!(
        r#"<EngineConfigs abi="1">
  <Engine id="{OURS}" version="{ours}" kind="native" module="{OURS}.{DLL_EXTENSION}">
    <Game id="xiangqi"/>
  </Engine>
  <Engine id="{ID}" version="{theirs}" kind="external" protocol="uci" moves="ranks-from-1" module="{NAME}">
    <Game id="xiangqi"/>
    <Limits memory_bytes="134217728"/>
    <Option name="variant" protocol_name="UCI_Variant" kind="pick" values="xiangqi" default="xiangqi"/>
    <Option name="hash" protocol_name="Hash" kind="whole" min="1" max="64" default="16"/>
    <Option name="threads" protocol_name="Threads" kind="whole" min="1" max="1" default="1"/>
    {network}
  </Engine>
</EngineConfigs>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upstream_version_is_read() {
        let check = |version, expected: &str| assert_eq!(upstream(version), expected, "{version}");
        check("11.1-1+b1", "11.1");
        check("1:14.0.1-2~exp1\n", "14.0.1");
        check("11.1", "11.1");
        check("14.0-rc-1-3", "14.0-rc-1");
    }
}
