//! Engines in Java: a program that holds their classes and starts a Java virtual machine of the system for them. No
//! compiler of Java makes components that a host admits: what there is needs a garbage collector of the runtime.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::written;
use crate::c::{absolute, c_compiler};
use crate::packages::command_for;
use crate::run::{found_in, run, search_path};

/// The program around the classes, and the class that finds the others.
const LAUNCHER: &str = include_str!("../../../abi/java/launcher.c");
const LOADER: &str = include_str!("../../../abi/java/Loader.java");

/// The class that is first in the program, as its file.
const FIRST: &str = "sandboard/Loader.class";

/// The version of the language, and of the oldest JDK that will do.
const RELEASE: u32 = 17;
/// What installs one.
const PACKAGES: &[&str] = &["default-jdk-headless"];
/// What a jail shows: a virtual machine that lies elsewhere would not be found there.
const SHOWN: &[&str] = &["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64"];
/// Where systems keep them.
const HOMES: &str = "/usr/lib/jvm";

/// How the folders of builds are called.
const FRESH: &str = "java-";

/// Removes what builds that were broken off have left more than a day ago.
fn forget_broken_off(scratch: &Path) {
    const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in
        entries.filter(|it| it.file_name().as_encoded_bytes().starts_with(FRESH.as_bytes()))
    {
        let age =
            entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > DAY) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Builds the program of a folder: its bytes.
pub(super) fn program(folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
    if !cfg!(target_os = "linux") {
        bail!("an engine in Java becomes a program that runs jailed, which needs Linux");
    }
    let jdk = Jdk::find()?;
    forget_broken_off(scratch);
    // Each build has a folder of its own, in which no class of another one lies.
    let fresh = tempfile::Builder::new().prefix(FRESH).tempdir_in(absolute(scratch)?);
    let fresh = fresh.with_context(|| format!("cannot make a folder in {}", scratch.display()))?;
    let (own, classes) = (fresh.path(), fresh.path().join("classes"));
    std::fs::create_dir(&classes).with_context(|| format!("cannot make {}", classes.display()))?;
    let put = |name: &str, bytes: &[u8]| {
        let file = own.join(name);
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))
    };
    put("Loader.java", LOADER.as_bytes())?;
    put("launcher.c", LAUNCHER.as_bytes())?;
    run(jdk.compiler(&classes).current_dir(own).arg("Loader.java"))?;
    run(jdk.compiler(&classes).current_dir(folder).args(["-sourcepath", ".", "Engine.java"]))?;
    put("classes.bin", &packed(&classes)?)?;
    let (compiler, first) = c_compiler()?;
    let mut command = Command::new(compiler);
    command.current_dir(own).args(first).args(["-O2", "-Wall", "-Wextra", "-pthread"]);
    command.arg(format!("-DLIBJVM=\"{}\"", jdk.machine().display()));
    command.arg(format!("-DRELEASE={RELEASE}"));
    for include in ["include", "include/linux"] {
        command.arg("-I").arg(jdk.home.join(include));
    }
    run(command.args(["launcher.c", "-o", "engine", "-ldl"]).stdout(std::io::stderr()))?;
    written(&own.join("engine"))
}

/// A Java development kit that engines can be built with, and run by in a jail.
struct Jdk {
    home: PathBuf,
}

impl Jdk {
    /// `$JAVA_HOME`, that of the `javac` on the path, or the first in the system's place for them.
    fn find() -> Result<Jdk> {
        let named = std::env::var_os("JAVA_HOME").filter(|name| !name.is_empty());
        let on_path = found_in(&search_path(), "javac").and_then(|javac| {
            let javac = std::fs::canonicalize(javac).ok()?;
            Some(javac.parent()?.parent()?.to_owned())
        });
        let kept = std::fs::read_dir(HOMES).into_iter().flatten().flatten();
        let mut kept: Vec<PathBuf> = kept.map(|entry| entry.path()).collect();
        kept.sort();
        Self::among(named.map(PathBuf::from).into_iter().chain(on_path).chain(kept))
    }

    /// The first of these folders with one that will do. Err: why none does.
    fn among(homes: impl Iterator<Item = PathBuf>) -> Result<Jdk> {
        let mut hidden = None;
        for home in homes.filter_map(|home| std::fs::canonicalize(home).ok()) {
            let jdk = Jdk { home };
            let is_shown = SHOWN.iter().any(|folder| jdk.home.starts_with(folder));
            match jdk.is_whole() {
                true if is_shown => return Ok(jdk),
                true if hidden.is_none() => hidden = Some(jdk.home),
                _ => (),
            }
        }
        let way = format!("this installs one: {}", command_for(PACKAGES));
        match hidden {
            None => bail!("no Java compiler is here (JDK {RELEASE} or newer); {way}"),
            Some(home) => bail!(
                "the JDK in {} cannot be used: an engine runs in a jail, which shows nothing but {}; {way}",
                home.display(),
                SHOWN.join(", ")
            ),
        }
    }

    /// Whether it has a compiler, a virtual machine and the header for both, and is new enough.
    fn is_whole(&self) -> bool {
        let release = std::fs::read_to_string(self.home.join("release")).unwrap_or_default();
        let has = |file: &str| self.home.join(file).is_file();
        release_of(&release).is_some_and(|number| number >= RELEASE)
            && has("bin/javac")
            && has("include/jni.h")
            && self.machine().is_file()
    }

    /// The virtual machine.
    fn machine(&self) -> PathBuf {
        self.home.join("lib/server/libjvm.so")
    }

    /// The compiler, which looks for nothing where it was not told to.
    fn compiler(&self, classes: &Path) -> Command {
        let mut command = Command::new(self.home.join("bin/javac"));
        command.env_remove("JDK_JAVAC_OPTIONS").env_remove("CLASSPATH");
        command.args(["--release", &RELEASE.to_string(), "-encoding", "UTF-8", "-proc:none"]);
        // Texts are put together without what takes time when it is first used.
        command.args(["-Xlint:all", "-g:source,lines", "-XDstringConcat=inline"]);
        command.arg("-cp").arg(classes).arg("-d").arg(classes).stdout(std::io::stderr());
        command
    }
}

/// The number of a JDK by its file `release`.
fn release_of(text: &str) -> Option<u32> {
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let digits = version.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

/// The classes below a folder as the launcher has them, in one order everywhere: `Loader.java` says how.
fn packed(classes: &Path) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    find_classes(classes, &mut files)?;
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| file.strip_prefix(classes).ok()?.to_str().map(str::to_owned))
        .collect();
    names.sort_by_key(|name| (name != FIRST, name.clone()));
    let mut bytes = Vec::new();
    let mut put = |part: &[u8]| {
        let length = u32::try_from(part.len()).context("a class of more than 4 GiB")?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(part);
        anyhow::Ok(())
    };
    for name in names {
        let class = name.trim_end_matches(".class").replace('/', ".");
        put(class.as_bytes())?;
        put(&written(&classes.join(name))?)?;
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
    fn releases() {
        let check = |text: &str, expected| assert_eq!(release_of(text), expected, "{text}");
        check("IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17));
        check("JAVA_VERSION=\"25\"", Some(25));
        check("JAVA_VERSION=\"1.8.0_402\"", Some(1));
        check("JAVA_RUNTIME_VERSION=\"17\"", None);
        check("JAVA_VERSION=\"x\"", None);
        check("", None);
    }

    #[test]
    fn without_a_jdk_it_is_said_what_to_do() {
        let there = tempfile::tempdir().unwrap();
        let check = |release: Option<&str>, expected: &str| {
            let home = there.path().join("jdk");
            for file in ["bin/javac", "include/jni.h", "lib/server/libjvm.so"] {
                std::fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
                std::fs::write(home.join(file), "").unwrap();
            }
            if let Some(release) = release {
                std::fs::write(home.join("release"), release).unwrap();
            }
            let found = Jdk::among([there.path().join("nothing"), home].into_iter());
            let said = found.err().unwrap().to_string();
            assert!(said.contains(expected), "{said}");
            assert!(said.contains("install --yes default-jdk-headless"), "{said}");
        };
        check(None, "no Java compiler is here");
        check(Some("JAVA_VERSION=\"16.0.2\""), "no Java compiler is here");
        check(Some("JAVA_VERSION=\"17\""), "cannot be used: an engine runs in a jail");
        assert!(crate::packages::PACKAGES.iter().any(|package| PACKAGES.contains(&package.name)));
    }

    #[test]
    fn the_loader_is_first_and_the_others_follow_by_name() {
        let there = tempfile::tempdir().unwrap();
        for name in ["Sandboard$Turn.class", "a/b/Board.class", FIRST, "Engine.class"] {
            let file = there.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "xy").unwrap();
        }
        let class = |name: &str| {
            let length = [0, 0, 0, name.len() as u8];
            [&length, name.as_bytes(), &[0, 0, 0, 2], b"xy"].concat()
        };
        let names = ["sandboard.Loader", "Engine", "Sandboard$Turn", "a.b.Board"];
        assert_eq!(packed(there.path()).unwrap(), names.map(class).concat());
    }
}
