//! `cargo xtask web`: installs, checks, builds and tests the browser client with npm, and builds
//! the pages that work without a server. Knows only the folder of the client and the names of its
//! scripts.

mod content_hash;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sandboard_builder::command::{run, run_tool};
use sandboard_builder::node::Node;
use sandboard_builder::output::{detail, note};
use sandboard_builder::packages::{self, Purpose};
use sandboard_builder::rust::{Crates, Warnings};
use sandboard_builder::toolchain::{self, InstallPolicy, Target};

use crate::steps::step;
use crate::workspace::Workspace;
use crate::{engines, progress, setup};
use content_hash::ContentHash;

const CLIENT_FOLDER: &str = "host/server/web";
/// The crate of the program in the pages that work without a server.
const PROGRAM: &str = "sandboard-browser";
const BROWSER_TESTS_FOLDER: &str = "tests/web";
/// The names of generated folders, whose contents are not sources.
const GENERATED_FOLDERS: [&str; 6] =
    ["node_modules", "dist", "dist-published", "dist-verify", "test-results", ".svelte-kit"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Take the screenshots of docs/images again, in a real browser
    #[arg(long)]
    screenshots: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    if !args.screenshots {
        step("web client", || verify(&workspace))?;
        return step("pages without a server", || build_pages(&workspace, Warnings::Allow));
    }
    setup::for_tests()?;
    crate::play::build(&workspace)?;
    let tests = install_browser_tests(&workspace)?;
    let mut command = tests.script("screenshots");
    command.env("SANDBOARD_BINARY", engines::host(&workspace).get_program());
    command.env("SANDBOARD_BROWSER", packages::find_browser().context("no browser is installed")?);
    run(&mut command)
}

/// Builds the client that the host embeds, unless it is up to date.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    packages::ensure(&[Purpose::Web])?;
    let node = find_node(workspace)?;
    let client = NpmPackage::install(&node, workspace.root.join(CLIENT_FOLDER))?;
    client.build(&workspace.target)
}

/// Builds the pages that work without a server, which the host embeds, too: for verifying bundles,
/// and for `sandboard publish`. Playing does not need them.
pub(crate) fn build_pages(workspace: &Workspace, warnings: Warnings) -> Result<()> {
    packages::ensure(&[Purpose::Web])?;
    let toolchain = toolchain::find(Target::Wasm, InstallPolicy::IfPossible)?;
    if toolchain.is_older_than(env!("CARGO_PKG_RUST_VERSION")) {
        note("web: Debian's compiler is too old for the pages that work without a server");
        return Ok(());
    }
    let program = workspace.members().find(|package| package.name == PROGRAM);
    let program = program.context("the workspace has no program for pages")?;
    let crates = Crates { metadata: &workspace.metadata, packages: &[program], warnings };
    let built = crates.build_small_core_modules(toolchain)?;
    let module = built.get(PROGRAM).context("cargo has built no program for pages")?;
    let client = NpmPackage::install(&find_node(workspace)?, workspace.root.join(CLIENT_FOLDER))?;
    // Tests verify in Node.js, too.
    let node_module = workspace.target.join("verifier");
    run_tool(client.script("pages").arg("--").arg(module).arg(node_module))
}

/// Fetches the Node.js for 64-bit ARM with which tests replay records in an emulator. A machine
/// with this processor has its own.
pub(crate) fn fetch_node_for_emulator(workspace: &Workspace) -> Result<()> {
    if cfg!(not(target_arch = "aarch64")) {
        Node::for_aarch64(&node_folder(workspace), InstallPolicy::IfPossible)?;
    }
    Ok(())
}

/// Checks format, lint rules, types and unit tests of the client, builds it and checks its size;
/// then checks format, lint rules and types of the browser tests.
pub(crate) fn verify(workspace: &Workspace) -> Result<()> {
    packages::ensure(&[Purpose::Web])?;
    let node = find_node(workspace)?;
    detail(&format!("web: {}", node.describe()));
    let client = NpmPackage::install(&node, workspace.root.join(CLIENT_FOLDER))?;
    // The browser tests use the formatter and the linter of the client.
    let tests = install_browser_tests(workspace)?;
    // Two scripts at once: each leaves a part of two cores idle.
    let test_and_build = || -> Result<()> {
        client.run_script("test")?;
        client.build(&workspace.target)?;
        client.run_script("size")
    };
    let check = || -> Result<()> {
        for package in [&client, &tests] {
            for script in ["format:check", "lint", "check"] {
                package.run_script(script)?;
            }
        }
        Ok(())
    };
    let own_step = progress::own_step();
    std::thread::scope(|scope| {
        let checked = scope.spawn(|| {
            progress::work_for(own_step);
            check()
        });
        let built = test_and_build();
        checked.join().expect("the scripts' thread does not panic").and(built)
    })
}

/// Installs the npm packages of the browser tests. The browser itself is not among them.
fn install_browser_tests(workspace: &Workspace) -> Result<NpmPackage> {
    NpmPackage::install(&find_node(workspace)?, workspace.root.join(BROWSER_TESTS_FOLDER))
}

/// Finds Node.js, or downloads it into the folder where the browser tests look for it, too.
fn find_node(workspace: &Workspace) -> Result<Node> {
    Node::find(&node_folder(workspace), InstallPolicy::IfPossible)
}

fn node_folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target").join("node")
}

/// A folder with a `package.json` whose dependencies are installed.
struct NpmPackage {
    node: Node,
    folder: PathBuf,
}

impl NpmPackage {
    /// Installs the dependencies of the lock file, unless they are installed already. Runs no
    /// install scripts of the dependencies.
    fn install(node: &Node, folder: PathBuf) -> Result<NpmPackage> {
        let package = NpmPackage { node: node.clone(), folder };
        let lock_files = ["package.json", "package-lock.json"];
        let required = ContentHash::of_files(&package.folder, &lock_files)?;
        let hash_file = package.folder.join("node_modules").join(".sandboard-installed");
        if !required.is_stored_in(&hash_file) {
            let lock_file = package.folder.join("package-lock.json");
            note(&format!("web: installing the packages of {}", lock_file.display()));
            let mut command = package.npm();
            command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
            run_tool(&mut command)?;
            required.store(&hash_file)?;
        }
        Ok(package)
    }

    /// Runs the script `build`, unless `dist` was built from the current sources.
    fn build(&self, target: &Path) -> Result<()> {
        let hash_file = target.join("web").join("client-built");
        let dist = self.folder.join("dist");
        let current_hash = || -> Result<ContentHash> {
            let sources = ContentHash::of_folder(&self.folder, &GENERATED_FOLDERS)?;
            Ok(sources.combine(ContentHash::of_folder(&dist, &[])?))
        };
        if dist.join("index.html").is_file() && current_hash()?.is_stored_in(&hash_file) {
            detail("web: the client is up to date");
            return Ok(());
        }
        self.run_script("build")?;
        current_hash()?.store(&hash_file)
    }

    fn run_script(&self, name: &str) -> Result<()> {
        progress::part(name);
        run_tool(&mut self.script(name))
    }

    fn script(&self, name: &str) -> std::process::Command {
        let mut command = self.npm();
        command.args(["run", "--silent", name]);
        command
    }

    /// An npm command in the folder. Its output goes to standard error: standard output belongs to
    /// the program that xtask runs afterwards.
    fn npm(&self) -> std::process::Command {
        let mut command = self.node.npm();
        command.current_dir(&self.folder).stdout(std::io::stderr());
        // The output of a script that fails is shown in colours, too.
        if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            command.env("FORCE_COLOR", "1");
        }
        command
    }
}
