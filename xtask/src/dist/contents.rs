//! The list of the files that a release installs, by their paths below `/usr` or the folder of the
//! tarball. Compiles nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sandboard_builder::command::command_line;

use super::archive::{Mode, Tree, gzip};
use crate::engines::{game_manifest, manifest};

/// The completions of each shell: its name for `sandboard completions`, and the file.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/sandboard"),
    ("zsh", "share/zsh/site-functions/_sandboard"),
    ("fish", "share/fish/vendor_completions.d/sandboard.fish"),
];

/// Where the pages for people are.
const DOCS: &str = "share/doc/sandboard";
/// The files at the root of the repository that are among them.
const ROOT_FILES: [&str; 6] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
];

/// What Debian requires as `copyright`.
const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sandboard

Files: *
Copyright: The Sandboard developers
License: MIT or Apache-2.0
 The texts are in the files LICENSE-MIT and LICENSE-APACHE beside this file.
 The licences of the libraries in the program are in sandboard.cdx.json.
";

/// What the files of a release are made from.
pub(super) struct Sources<'a> {
    /// The root of the repository, or of a copy.
    pub root: &'a Path,
    /// The program that prints manual pages and completions.
    pub generator: &'a Path,
    /// A folder for intermediate files, which is deleted first.
    pub scratch: PathBuf,
    /// The bytes to install as `bin/sandboard`.
    pub program: Vec<u8>,
    /// The component of each engine and of each game, by its name.
    pub engines: &'a BTreeMap<String, Vec<u8>>,
    /// The bill of materials.
    pub bill: &'a str,
}

impl Sources<'_> {
    /// All files of the release.
    pub(super) fn tree(&self) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.add("bin/sandboard", Mode::Program, self.program.as_slice())?;
        self.add_engines(&mut tree)?;
        self.add_generated(&mut tree)?;
        self.add_folder(&mut tree, "openings", "share/sandboard/openings", |_| true)?;
        let is_unit = |path: &str| path.ends_with(".service");
        self.add_folder(&mut tree, "host/cli/systemd", "lib/systemd/system", is_unit)?;
        for name in ROOT_FILES {
            tree.add(format!("{DOCS}/{name}"), Mode::Data, self.read(name)?)?;
        }
        self.add_folder(&mut tree, "docs", &format!("{DOCS}/docs"), |_| true)?;
        let container = "host/cli/container";
        let in_docs = format!("{DOCS}/container");
        tree.add(format!("{in_docs}/run"), Mode::Program, self.read(&format!("{container}/run"))?)?;
        self.add_folder(&mut tree, container, &in_docs, |path| path != "run")?;
        tree.add(format!("{DOCS}/copyright"), Mode::Data, COPYRIGHT)?;
        tree.add(format!("{DOCS}/sandboard.cdx.json"), Mode::Data, self.bill)?;
        Ok(tree)
    }

    fn add_engines(&self, tree: &mut Tree) -> Result<()> {
        let file = |name: &String| format!("{name}.wasm");
        let is_game = |name: &&String| self.root.join(game_manifest(name)).is_file();
        let engines = self.engines.keys().filter(|name| !is_game(name));
        let modules: BTreeSet<String> = engines.map(file).collect();
        let manifest = self.read(manifest::FILE)?;
        let manifest = manifest::filter(&String::from_utf8(manifest)?, &modules)?;
        let folder = "share/sandboard/engines";
        tree.add(format!("{folder}/EngineConfigs.xml"), Mode::Data, manifest)?;
        for (name, component) in self.engines {
            let folder = match is_game(&name) {
                true => format!("{folder}/{name}"),
                false => folder.to_owned(),
            };
            tree.add(format!("{folder}/{}", file(name)), Mode::Data, component.as_slice())?;
            if is_game(&name) {
                let manifest = self.read(&game_manifest(name))?;
                tree.add(format!("{folder}/EngineConfigs.xml"), Mode::Data, manifest)?;
            }
        }
        Ok(())
    }

    /// Adds what the program prints about itself.
    fn add_generated(&self, tree: &mut Tree) -> Result<()> {
        for (shell, path) in COMPLETIONS {
            tree.add(path, Mode::Data, self.generate(&["completions", shell])?)?;
        }
        let pages = &self.scratch;
        if pages.exists() {
            std::fs::remove_dir_all(pages)
                .with_context(|| format!("cannot delete {}", pages.display()))?;
        }
        std::fs::create_dir_all(pages)
            .with_context(|| format!("cannot create {}", pages.display()))?;
        let folder = pages.to_str().context("the path of the target folder is no UTF-8")?;
        self.generate(&["man", folder])?;
        let names = files_below(pages)?;
        ensure!(
            names.iter().any(|name| name == "sandboard.1"),
            "`sandboard man {folder}` has written no sandboard.1"
        );
        for name in names {
            let page = std::fs::read(pages.join(&name))?;
            tree.add(format!("share/man/man1/{name}.gz"), Mode::Data, gzip(&page)?)?;
        }
        Ok(())
    }

    /// The standard output of the program, which must not depend on the terminal or on the user.
    fn generate(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let mut command = Command::new(self.generator);
        command.args(arguments).env("LC_ALL", "C.UTF-8").env("COLUMNS", "100");
        let output = command.output();
        let output = output.with_context(|| format!("cannot run `{}`", command_line(&command)))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("`{}` failed ({}): {}", command_line(&command), output.status, errors.trim());
        }
        Ok(output.stdout)
    }

    /// Adds the files of a folder of the repository that are `wanted` by their path in it. A folder
    /// without any is an error.
    fn add_folder(
        &self,
        tree: &mut Tree,
        folder: &str,
        below: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let mut count = 0;
        for path in files_below(&self.root.join(folder))? {
            if wanted(&path) {
                let bytes = self.read(&format!("{folder}/{path}"))?;
                tree.add(format!("{below}/{path}"), Mode::Data, bytes)?;
                count += 1;
            }
        }
        ensure!(count > 0, "{folder}/ has none of the files that belong into a release");
        Ok(())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        std::fs::read(self.root.join(path)).with_context(|| format!("cannot read {path}"))
    }
}

/// The relative paths of the files below a folder, sorted, without hidden files and the copies that
/// editors leave.
fn files_below(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    collect(folder, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(root: &Path, inner: &str, found: &mut Vec<String>) -> Result<()> {
    let folder = root.join(inner);
    let entries = std::fs::read_dir(&folder);
    for entry in entries.with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        let path = if inner.is_empty() { name } else { format!("{inner}/{name}") };
        match entry.file_type()?.is_dir() {
            true => collect(root, &path, found)?,
            false => found.push(path),
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::archive::gunzip;
    use super::*;

    /// Stands for the program: prints its arguments, and writes two pages.
    const GENERATOR: &str = "#!/bin/sh\nif [ \"$1\" = man ]; then\n  echo page >\"$2\"/sandboard.1\n  \
                             echo play >\"$2\"/sandboard-play.1\nelse\n  echo \"$@\"\nfi\n";

    /// Makes a small repository, and returns its release or the error. `changes` are files that are
    /// written, or deleted where there is no text.
    fn release(changes: &[(&str, Option<&str>)]) -> Result<Tree> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let manifest = "<EngineConfigs><Engine module=\"a.wasm\"/></EngineConfigs>";
        let mut files: Vec<(&str, Option<&str>)> =
            ROOT_FILES.iter().map(|name| (*name, Some(*name))).collect();
        files.extend([
            ("sample-engines/EngineConfigs.xml", Some(manifest)),
            ("sample-games/g/EngineConfigs.xml", Some("<EngineConfigs/>")),
            ("openings/gomoku/renju.txt", Some("opening")),
            ("host/cli/systemd/sandboard.service", Some("unit")),
            ("host/cli/systemd/README.md", Some("no unit")),
            ("host/cli/container/Containerfile", Some("container")),
            ("host/cli/container/run", Some("script")),
            ("docs/play.md", Some("play")),
            ("docs/images/room.png", Some("image")),
            ("docs/.hidden", Some("hidden")),
            ("docs/play.md~", Some("of an editor")),
            ("program", Some(GENERATOR)),
        ]);
        files.extend(changes);
        for (name, text) in files {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("created");
            match text {
                Some(text) => std::fs::write(&file, text).expect("written"),
                None => std::fs::remove_file(&file).expect("deleted"),
            }
        }
        let generator = root.join("program");
        std::fs::set_permissions(&generator, PermissionsExt::from_mode(0o755)).expect("set");
        let engines = BTreeMap::from([
            ("a".to_owned(), b"component".to_vec()),
            ("g".to_owned(), b"rules".to_vec()),
        ]);
        let sources = Sources {
            root,
            generator: &generator,
            scratch: root.join("scratch"),
            program: b"program".to_vec(),
            engines: &engines,
            bill: "{}",
        };
        sources.tree()
    }

    #[test]
    fn a_release_has_every_file_at_its_place() {
        let tree = release(&[]).expect("a release");
        let check = |path: &str, expected: &str| {
            let (_, file) = tree.iter().find(|(own, _)| *own == path).expect(path);
            let bytes = match path.ends_with(".gz") {
                true => gunzip(&file.bytes).expect("compressed"),
                false => file.bytes.clone(),
            };
            let text = String::from_utf8_lossy(&bytes);
            assert!(text.contains(expected), "{path}: {text}");
            let is_program = ["bin/sandboard", "share/doc/sandboard/container/run"].contains(&path);
            assert_eq!(file.mode == Mode::Program, is_program, "{path}");
        };
        let expected = [
            ("bin/sandboard", "program"),
            ("lib/systemd/system/sandboard.service", "unit"),
            ("share/bash-completion/completions/sandboard", "completions bash\n"),
            ("share/doc/sandboard/ARCHITECTURE.md", "ARCHITECTURE.md"),
            ("share/doc/sandboard/CHANGELOG.md", "CHANGELOG.md"),
            ("share/doc/sandboard/CONTRIBUTING.md", "CONTRIBUTING.md"),
            ("share/doc/sandboard/LICENSE-APACHE", "LICENSE-APACHE"),
            ("share/doc/sandboard/LICENSE-MIT", "LICENSE-MIT"),
            ("share/doc/sandboard/README.md", "README.md"),
            ("share/doc/sandboard/container/Containerfile", "container"),
            ("share/doc/sandboard/container/run", "script"),
            ("share/doc/sandboard/copyright", "Apache-2.0"),
            ("share/doc/sandboard/docs/images/room.png", "image"),
            ("share/doc/sandboard/docs/play.md", "play"),
            ("share/doc/sandboard/sandboard.cdx.json", "{}"),
            ("share/fish/vendor_completions.d/sandboard.fish", "completions fish\n"),
            ("share/man/man1/sandboard-play.1.gz", "play\n"),
            ("share/man/man1/sandboard.1.gz", "page\n"),
            ("share/sandboard/engines/EngineConfigs.xml", "a.wasm"),
            ("share/sandboard/engines/a.wasm", "component"),
            ("share/sandboard/engines/g/EngineConfigs.xml", "<EngineConfigs/>"),
            ("share/sandboard/engines/g/g.wasm", "rules"),
            ("share/sandboard/openings/gomoku/renju.txt", "opening"),
            ("share/zsh/site-functions/_sandboard", "completions zsh\n"),
        ];
        expected.iter().for_each(|(path, text)| check(path, text));
        let paths: Vec<&str> = tree.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, expected.map(|(path, _)| path));
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |name: &str, text: Option<&str>, expected: &str| {
            let error = format!("{:#}", release(&[(name, text)]).expect_err("an error"));
            assert!(error.contains(expected), "{error}");
        };
        check("LICENSE-MIT", None, "cannot read LICENSE-MIT");
        check("host/cli/systemd/sandboard.service", None, "host/cli/systemd/ has none");
        check("openings/gomoku/renju.txt", None, "openings/ has none");
        check(
            "sample-engines/EngineConfigs.xml",
            Some("<EngineConfigs></EngineConfigs>"),
            "`a.wasm`",
        );
        check("program", Some("#!/bin/sh\necho no >&2\nexit 3\n"), "(exit status: 3): no");
        check("program", Some("#!/bin/sh\n"), "has written no sandboard.1");
    }
}
