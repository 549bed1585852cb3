//! Fairy-Stockfish as an engine of this host: found or installed, and seated beside ours in an
//! engines folder of the bench alone, where trust in them is nobody else's.

use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sandboard_forge::packages;
use sandboard_forge::run::{output, run};

use crate::engines;
use crate::workspace::Workspace;

/// Its package in Debian, and its program.
const NAME: &str = "fairy-stockfish";
/// Where Debian puts games.
const GAMES: &str = "/usr/games";
/// What newer ones evaluate by unless they are told not to. Versions before 14 have no such option,
/// and to set one that is not there is a fault.
const NETWORK: &str = "Use NNUE";

/// What it is called here.
pub const ID: &str = "fairy-xiangqi";
/// Our engine.
pub const OURS: &str = "xiangqi-mt";

/// Two engines in a folder, and the data folder in which they are trusted.
pub struct Seats {
    engines: PathBuf,
    home: PathBuf,
    host: PathBuf,
    /// Fairy-Stockfish's version.
    pub version: String,
}

impl Seats {
    /// Fills an engines folder below this one, and has the host trust what is in it.
    pub fn prepare(workspace: &Workspace, folder: &Path) -> Result<Self> {
        let program = program()?;
        let library = engines::library(workspace, OURS)?;
        engines::build_host(workspace)?;
        let (engines, home) = (folder.join("engines"), folder.join("home"));
        std::fs::create_dir_all(&engines)?;
        let bytes = std::fs::read(&program)
            .with_context(|| format!("cannot read {}", program.display()))?;
        let (ours, version) = (&workspace.member(OURS)?.version, version(&program));
        let has_network = bytes.windows(NETWORK.len()).any(|part| part == NETWORK.as_bytes());
        // A jail runs a copy of its bytes, whatever their mode.
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
        let seats = Self { engines, home, host, version };
        // What it says of taking that back is not about this data folder.
        run(seats.host(&["trust", OURS, ID]).stdout(Stdio::null()))
            .context("the engines are not trusted")?;
        let (seen, home) = (program.display(), seats.home.display());
        eprintln!("{OURS} and {seen} {} are trusted where SANDBOARD_HOME={home}", seats.version);
        Ok(seats)
    }

    /// The host with these words, its engines and its data in the bench's folders.
    pub fn host(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.host);
        command.args(words).arg("--engines-dir").arg(&self.engines);
        command.env("SANDBOARD_HOME", &self.home);
        command
    }
}

/// The program, which is installed where that can be done.
fn program() -> Result<PathBuf> {
    if let Some(program) = packages::game(NAME) {
        return Ok(program);
    }
    if !packages::may_install() {
        bail!("{NAME} is missing; this installs it: {}", packages::command_for(&[NAME]));
    }
    packages::install(&[NAME])?;
    packages::game(NAME).with_context(|| format!("`{NAME}` was installed and is still missing"))
}

/// What Debian says of its package; of another program, that it is another.
fn version(program: &Path) -> String {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${Version}", NAME]);
    match output(&mut query).filter(|_| program.starts_with(GAMES)) {
        Some(version) => upstream(&version).to_owned(),
        None => "0-unpackaged".to_owned(),
    }
}

/// The version of a Debian package without what Debian adds to it.
fn upstream(version: &str) -> &str {
    let version = version.trim().split_once(':').map_or(version.trim(), |(_, rest)| rest);
    version.rsplit_once('-').map_or(version, |(upstream, _)| upstream)
}

fn manifest(ours: &str, theirs: &str, has_network: bool) -> String {
    let network = match has_network {
        true => {
            format!(r#"<Option name="network" spoken="{NETWORK}" kind="toggle" default="false"/>"#)
        }
        false => String::new(),
    };
    format!(
        r#"<EngineConfigs abi="1">
  <Engine id="{OURS}" version="{ours}" kind="native" module="{OURS}.{DLL_EXTENSION}">
    <Game id="xiangqi"/>
  </Engine>
  <Engine id="{ID}" version="{theirs}" kind="process" protocol="uci" moves="ranks-from-1" module="{NAME}">
    <Game id="xiangqi"/>
    <Limits memory_bytes="134217728"/>
    <Option name="variant" spoken="UCI_Variant" kind="pick" values="xiangqi" default="xiangqi"/>
    <Option name="hash" spoken="Hash" kind="whole" min="1" max="64" default="16"/>
    <Option name="threads" spoken="Threads" kind="whole" min="1" max="1" default="1"/>
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
    fn versions_without_what_debian_adds() {
        let check = |version, expected: &str| assert_eq!(upstream(version), expected, "{version}");
        check("11.1-1+b1", "11.1");
        check("1:14.0.1-2~exp1\n", "14.0.1");
        check("11.1", "11.1");
        check("14.0-rc-1-3", "14.0-rc-1");
    }
}
