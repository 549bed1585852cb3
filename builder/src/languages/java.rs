//! Builds engines in Java: a program with the compiled classes, which starts the system's Java
//! virtual machine. No Java compiler makes components that a host accepts: the existing ones need
//! the garbage collection proposal of WebAssembly.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::read_output;
use crate::c::{absolute, c_compiler};
use crate::command::{find_program_in, run_compiler, search_path};
use crate::packages::install_command;

/// The source of the program around the classes, and of the class loader.
const LAUNCHER: &str = include_str!("../../embedded/java/launcher.c");
const LOADER: &str = include_str!("../../embedded/java/Loader.java");

/// The file of the class that comes first in the program.
const FIRST_CLASS: &str = "sandboard/Loader.class";

/// The version of the language, and the oldest supported JDK.
const RELEASE: u32 = 17;
/// The Debian packages with a JDK.
const PACKAGES: &[&str] = &["default-jdk-headless"];
/// The system folders that are visible in a jail; a virtual machine elsewhere could not run there.
const VISIBLE_IN_JAIL: &[&str] = &["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64"];
/// The folder in which Linux distributions install JDKs.
const JVM_FOLDER: &str = "/usr/lib/jvm";

/// The prefix of the names of build folders.
const BUILD_PREFIX: &str = "java-";

/// Removes folders of interrupted builds that are older than a day.
fn remove_interrupted_builds(scratch: &Path) {
    const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in
        entries.filter(|it| it.file_name().as_encoded_bytes().starts_with(BUILD_PREFIX.as_bytes()))
    {
        let age =
            entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > DAY) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Builds the engine of a folder; returns the bytes of the program.
pub(super) fn build_program(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    if !cfg!(target_os = "linux") {
        bail!("an engine in Java is built to a program that runs in a jail, which needs Linux");
    }
    let jdk = Jdk::find()?;
    remove_interrupted_builds(scratch);
    // Each build has a folder of its own, so that classes of other builds are not packed.
    let fresh = tempfile::Builder::new().prefix(BUILD_PREFIX).tempdir_in(absolute(scratch)?);
    let fresh = fresh.with_context(|| format!("cannot make a folder in {}", scratch.display()))?;
    let (own, classes) = (fresh.path(), fresh.path().join("classes"));
    std::fs::create_dir(&classes).with_context(|| format!("cannot make {}", classes.display()))?;
    let put = |name: &str, bytes: &[u8]| {
        let file = own.join(name);
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))
    };
    put("Loader.java", LOADER.as_bytes())?;
    put("launcher.c", LAUNCHER.as_bytes())?;
    run_compiler(jdk.compiler(&classes).current_dir(own).arg("Loader.java"))?;
    run_compiler(jdk.compiler(&classes).current_dir(folder).args([
        "-sourcepath",
        ".",
        "Engine.java",
    ]))?;
    put("classes.bin", &pack_classes(&classes)?)?;
    let (compiler, first) = c_compiler()?;
    let mut command = Command::new(compiler);
    command.current_dir(own).args(first).args(["-O2", "-Wall", "-Wextra", "-pthread"]);
    command.arg(format!("-DLIBJVM=\"{}\"", jdk.virtual_machine().display()));
    command.arg(format!("-DRELEASE={RELEASE}"));
    for include in ["include", "include/linux"] {
        command.arg("-I").arg(jdk.home.join(include));
    }
    run_compiler(command.args(["launcher.c", "-o", "engine", "-ldl"]).stdout(std::io::stderr()))?;
    read_output(&own.join("engine"))
}

/// A Java development kit that can build engines, and run them in a jail.
struct Jdk {
    home: PathBuf,
}

impl Jdk {
    /// Looks at `$JAVA_HOME`, the JDK of the `javac` on the path, and [`JVM_FOLDER`], in this
    /// order.
    fn find() -> Result<Jdk> {
        let configured = std::env::var_os("JAVA_HOME").filter(|value| !value.is_empty());
        let on_path = find_program_in(&search_path(), "javac").and_then(|javac| {
            let javac = std::fs::canonicalize(javac).ok()?;
            Some(javac.parent()?.parent()?.to_owned())
        });
        let installed = std::fs::read_dir(JVM_FOLDER).into_iter().flatten().flatten();
        let mut installed: Vec<PathBuf> = installed.map(|entry| entry.path()).collect();
        installed.sort();
        Self::first_of(configured.map(PathBuf::from).into_iter().chain(on_path).chain(installed))
    }

    /// The first of these folders with a suitable JDK. An error says why none is suitable.
    fn first_of(homes: impl Iterator<Item = PathBuf>) -> Result<Jdk> {
        let mut hidden = None;
        for home in homes.filter_map(|home| std::fs::canonicalize(home).ok()) {
            let jdk = Jdk { home };
            let is_visible = VISIBLE_IN_JAIL.iter().any(|folder| jdk.home.starts_with(folder));
            match jdk.is_complete() {
                true if is_visible => return Ok(jdk),
                true if hidden.is_none() => hidden = Some(jdk.home),
                _ => (),
            }
        }
        let advice = format!("install one: {}", install_command(PACKAGES));
        match hidden {
            None => bail!("no JDK {RELEASE} or newer was found; {advice}"),
            Some(home) => bail!(
                "the JDK in {} cannot be used: an engine runs in a jail, which sees only {}; \
                 {advice}",
                home.display(),
                VISIBLE_IN_JAIL.join(", ")
            ),
        }
    }

    /// Whether it is new enough and has a compiler, a virtual machine and the header `jni.h`.
    fn is_complete(&self) -> bool {
        let release = std::fs::read_to_string(self.home.join("release")).unwrap_or_default();
        let has = |file: &str| self.home.join(file).is_file();
        major_version(&release).is_some_and(|number| number >= RELEASE)
            && has("bin/javac")
            && has("include/jni.h")
            && self.virtual_machine().is_file()
    }

    /// The library of the virtual machine.
    fn virtual_machine(&self) -> PathBuf {
        self.home.join("lib/server/libjvm.so")
    }

    /// A command that runs the compiler without the user's options and class path.
    fn compiler(&self, classes: &Path) -> Command {
        let mut command = Command::new(self.home.join("bin/javac"));
        command.env_remove("JDK_JAVAC_OPTIONS").env_remove("CLASSPATH");
        command.args(["--release", &RELEASE.to_string(), "-encoding", "UTF-8", "-proc:none"]);
        // Inline concatenation of strings: `invokedynamic` is slow on its first use.
        command.args(["-Xlint:all", "-g:source,lines", "-XDstringConcat=inline"]);
        command.arg("-cp").arg(classes).arg("-d").arg(classes).stdout(std::io::stderr());
        command
    }
}

/// The major version in the text of a JDK's file `release`.
fn major_version(text: &str) -> Option<u32> {
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let digits = version.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

/// The classes below a folder in the format that `Loader.java` describes. Their order is the same
/// on every machine.
fn pack_classes(classes: &Path) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    find_classes(classes, &mut files)?;
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| file.strip_prefix(classes).ok()?.to_str().map(str::to_owned))
        .collect();
    names.sort_by_key(|name| (name != FIRST_CLASS, name.clone()));
    let mut bytes = Vec::new();
    let mut put = |part: &[u8]| {
        let length = u32::try_from(part.len()).context("a class is larger than 4 GiB")?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(part);
        anyhow::Ok(())
    };
    for name in names {
        let class = name.trim_end_matches(".class").replace('/', ".");
        put(class.as_bytes())?;
        put(&read_output(&classes.join(name))?)?;
    }
    Ok(bytes)
}

fn find_classes(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        match path.is_dir() {
            true => find_classes(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        let check = |text: &str, expected| assert_eq!(major_version(text), expected, "{text}");
        check("IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17));
        check("JAVA_VERSION=\"25\"", Some(25));
        check("JAVA_VERSION=\"1.8.0_402\"", Some(1));
        check("JAVA_RUNTIME_VERSION=\"17\"", None);
        check("JAVA_VERSION=\"x\"", None);
        check("", None);
    }

    #[test]
    fn an_unsuitable_jdk_is_an_error_with_advice() {
        let temp = tempfile::tempdir().unwrap();
        let check = |release: Option<&str>, expected: &str| {
            let home = temp.path().join("jdk");
            for file in ["bin/javac", "include/jni.h", "lib/server/libjvm.so"] {
                std::fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
                std::fs::write(home.join(file), "").unwrap();
            }
            if let Some(release) = release {
                std::fs::write(home.join("release"), release).unwrap();
            }
            let found = Jdk::first_of([temp.path().join("nothing"), home].into_iter());
            let error = found.err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains("install --yes default-jdk-headless"), "{error}");
        };
        check(None, "no JDK 17 or newer was found");
        check(Some("JAVA_VERSION=\"16.0.2\""), "no JDK 17 or newer was found");
        check(Some("JAVA_VERSION=\"17\""), "cannot be used: an engine runs in a jail");
        assert!(crate::packages::PACKAGES.iter().any(|package| PACKAGES.contains(&package.name)));
    }

    #[test]
    fn the_loader_is_first_and_the_other_classes_are_sorted() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["Sandboard$Turn.class", "a/b/Board.class", FIRST_CLASS, "Engine.class"] {
            let file = temp.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "xy").unwrap();
        }
        let class = |name: &str| {
            let length = [0, 0, 0, name.len() as u8];
            [&length, name.as_bytes(), &[0, 0, 0, 2], b"xy"].concat()
        };
        let names = ["sandboard.Loader", "Engine", "Sandboard$Turn", "a.b.Board"];
        assert_eq!(pack_classes(temp.path()).unwrap(), names.map(class).concat());
    }
}
