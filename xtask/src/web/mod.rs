//! `cargo xtask web`: the client in the browser and what its tests need, by npm and only where
//! something changed. Knows of the client no more than its folder and the names of its scripts.

mod stamp;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sandboard_forge::node::Node;
use sandboard_forge::packages::{self, Purpose};
use sandboard_forge::run::run;
use sandboard_forge::toolchain::Install;

use crate::workspace::Workspace;
use crate::{engines, setup};
use stamp::Stamp;

/// The client.
const CLIENT: &str = "host/web";
/// Its tests in a browser.
const BROWSER_TESTS: &str = "tests/web";
/// Where both keep what was fetched and built, and are not looked at.
const MADE: [&str; 4] = ["node_modules", "dist", "test-results", ".svelte-kit"];

#[derive(clap::Args)]
pub struct Args {
    /// Take the pictures of docs/images anew, in a real browser
    #[arg(long)]
    screenshots: bool,
}

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    if !args.screenshots {
        return prove(&workspace);
    }
    setup::for_tests()?;
    crate::play::build(&workspace)?;
    let npm = prepare_tests(&workspace)?;
    let mut command = npm.script("screenshots");
    command.env("SANDBOARD_BINARY", engines::host(&workspace).get_program());
    command.env("SANDBOARD_BROWSER", packages::browser().context("there is no browser")?);
    run(&mut command)
}

/// The client as the host embeds it; nothing is built that is up to date.
pub fn build(workspace: &Workspace) -> Result<()> {
    packages::ensure(&[Purpose::Web])?;
    let node = node(workspace)?;
    let client = Npm::install(&node, workspace.root.join(CLIENT))?;
    client.build(&workspace.target)
}

/// The client built, its types checked, its unit tests run; the types of its tests in a browser checked.
pub fn prove(workspace: &Workspace) -> Result<()> {
    packages::ensure(&[Purpose::Web])?;
    let node = node(workspace)?;
    eprintln!("web: {}", node.describe());
    let client = Npm::install(&node, workspace.root.join(CLIENT))?;
    for script in ["check", "test"] {
        run(&mut client.script(script))?;
    }
    client.build(&workspace.target)?;
    run(&mut client.script("size"))?;
    run(&mut prepare_tests(workspace)?.script("check"))
}

/// What the tests in a browser need beside the browser.
fn prepare_tests(workspace: &Workspace) -> Result<Npm> {
    Npm::install(&node(workspace)?, workspace.root.join(BROWSER_TESTS))
}

/// Where it is fetched to, the tests look for it, too.
fn node(workspace: &Workspace) -> Result<Node> {
    Node::find(&workspace.root.join("target").join("node"), Install::IfPossible)
}

/// A folder with a package.json whose lock file is fulfilled.
struct Npm {
    node: Node,
    folder: PathBuf,
}

impl Npm {
    /// Fetches what the lock file names, unless that very file was fulfilled before. Nothing of
    /// what is fetched is run by that.
    fn install(node: &Node, folder: PathBuf) -> Result<Npm> {
        let npm = Npm { node: node.clone(), folder };
        let wanted = Stamp::of_files(&npm.folder, &["package.json", "package-lock.json"])?;
        let place = npm.folder.join("node_modules").join(".sandboard-fits");
        if !wanted.stands_in(&place) {
            eprintln!(
                "web: fetching what {} names",
                npm.folder.join("package-lock.json").display()
            );
            let mut command = npm.command();
            command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
            run(&mut command)?;
            wanted.write(&place)?;
        }
        Ok(npm)
    }

    /// Runs the script `build`, unless `dist` is what it made of these very sources.
    fn build(&self, target: &Path) -> Result<()> {
        let place = target.join("web").join("client-built");
        let dist = self.folder.join("dist");
        let both = || -> Result<Stamp> {
            Ok(Stamp::of_folder(&self.folder, &MADE)?.and(Stamp::of_folder(&dist, &[])?))
        };
        if dist.join("index.html").is_file() && both()?.stands_in(&place) {
            eprintln!("web: the client is up to date");
            return Ok(());
        }
        run(&mut self.script("build"))?;
        both()?.write(&place)
    }

    fn script(&self, name: &str) -> std::process::Command {
        let mut command = self.command();
        command.args(["run", "--silent", name]);
        command
    }

    /// Its words go to the error stream: standard output belongs to what is run after it.
    fn command(&self) -> std::process::Command {
        let mut command = self.node.npm();
        command.current_dir(&self.folder).stdout(std::io::stderr());
        command
    }
}
