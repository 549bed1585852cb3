//! Creates the folder of a new engine or game, with a first version that already plays. The
//! template is a sample of the project, so that the project's tests cover it.

mod game;
mod names;
mod new_folder;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

pub use game::GameTemplate;
pub(crate) use names::check_name;

use names::{camel, check_type};
use new_folder::{NewFolder, put};

use crate::languages::{BuildOutput, Language, LanguageInfo};

const CARGO_TOML: &str = include_str!("../templates/Cargo.toml.txt");
const README: &str = include_str!("../templates/README.md.txt");

/// The suffix of the id of an engine's native build.
pub const NATIVE_SUFFIX: &str = "-native";

/// Types of the template, which an engine's type must not hide.
const USED_TYPES: &[&str] = &["Chooser", "Reply", "Turn"];

/// The version of the SDK on crates.io that a new engine in Rust or a new game uses. None while the
/// SDK is not published: the new folder then gets a copy of its sources.
pub const PUBLISHED_SDK: Option<&str> = None;

/// The subfolder of a new engine in Rust or a new game for a copy of the SDK, without a clone.
const SDK_COPY: &str = "sandboard";

/// The author of the samples, who is removed from new engines and games.
const AUTHOR: &str = "\"The Sandboard developers\"";

/// The game that the sample engines play.
const GAME: &str = "\"gomoku\"";

/// The location of the SDKs for Rust and of the documentation.
#[derive(Clone, Debug)]
pub enum SdkLocation {
    /// A clone: the folder with `sdk`, `game-sdk`, `docs` and the lock file.
    Clone(PathBuf),
    /// Files to be copied into the new folder, with their paths relative to the clone's root: a
    /// workspace with its lock file, and the sources of the SDKs.
    Files(&'static [(&'static str, &'static str)]),
    /// The SDKs on crates.io, in this version or a compatible one.
    Version(&'static str),
}

impl SdkLocation {
    /// The value of a dependency on the crate in this folder of the SDK; `root` is the relative
    /// path to a clone.
    fn dependency(&self, folder: &str, root: Option<&str>) -> String {
        match (self, root) {
            (SdkLocation::Version(version), _) => format!("{version:?}"),
            (_, Some(root)) => format!("{{ path = \"{root}/{folder}\" }}"),
            (_, None) => format!("{{ path = \"{SDK_COPY}/{folder}\" }}"),
        }
    }

    /// Writes what a crate with such a dependency needs beside its own files: the lock file, and
    /// without a clone the sources.
    fn write_into(&self, folder: &Path) -> Result<()> {
        // The dependencies in the versions that the SDK is tested with; they may be in cargo's
        // cache.
        match self {
            SdkLocation::Clone(root) => {
                std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
                    .map(drop)
                    .context("cannot copy the lock file of the SDK's workspace")
            }
            SdkLocation::Files(files) => files.iter().try_for_each(|(name, text)| match *name {
                "Cargo.lock" => put(folder, name, text),
                _ => put(&folder.join(SDK_COPY), name, text),
            }),
            // Cargo takes the newest dependencies that fit.
            SdkLocation::Version(_) => Ok(()),
        }
    }
}

/// A reference to a file of the project; `root` is the relative path to a clone.
fn link(words: &str, file: &str, root: Option<&str>) -> String {
    match root {
        Some(root) => format!("[{words}]({root}/{file})"),
        None => format!("{words} (Sandboard's {file})"),
    }
}

/// A new engine, before its folder is written.
#[derive(Clone, Debug)]
pub struct EngineTemplate {
    /// The language of its source.
    pub language: Language,
    /// The engine's id, which is also the name of a crate.
    pub name: String,
    /// The game's id; its rules are `games::<game>::<Game>` of the SDK.
    pub game: String,
    /// The location of the SDK.
    pub sdk: SdkLocation,
}

impl EngineTemplate {
    /// Creates the folder, which must not exist. After an error nothing is left behind.
    pub fn write(&self, folder: &Path) -> Result<()> {
        check_name(&self.name, "an engine")?;
        let row = self.language.info();
        let in_rust = self.language == Language::Rust;
        if in_rust {
            check_type(&self.name, &[USED_TYPES, &[&camel(&self.game)]].concat())?;
        }
        let target = NewFolder::at(folder)?;
        let root = target.path_to_clone(&self.sdk, &self.name)?;
        ensure!(
            in_rust || target.file_name() == self.name.as_str(),
            "an engine in {} has the name of its folder: --dir must end in `{}`",
            row.name,
            self.name
        );
        target.write(|folder| self.fill(folder, row, root.as_deref()))
    }

    fn fill(&self, folder: &Path, row: &LanguageInfo, root: Option<&str>) -> Result<()> {
        put(folder, "README.md", &self.readme(row, root))?;
        put(folder, ".gitignore", "/target/\n__pycache__/\n")?;
        for (at, (name, text)) in row.template_files.iter().enumerate() {
            let text = match (self.language, at) {
                (Language::Rust, 0) => self.rename_rust_sample(text),
                (_, 0) => self.rename_sample(row, text),
                _ => (*text).to_owned(),
            };
            put(folder, name, &text)?;
        }
        if matches!(self.language, Language::C | Language::Cpp) {
            let (header, text) = crate::c::HEADER;
            put(folder, header, text)?;
        }
        if self.language != Language::Rust {
            return Ok(());
        }
        let sdk = self.sdk.dependency("sdk", root);
        let manifest = CARGO_TOML.replace("@NAME@", &self.name).replace("@SDK@", &sdk);
        put(folder, "Cargo.toml", &manifest)?;
        self.sdk.write_into(folder)
    }

    fn readme(&self, row: &LanguageInfo, root: Option<&str>) -> String {
        let begin = match self.language {
            Language::Rust => "one function, the next move.",
            Language::C => "begin with `think_of_a_move`.",
            _ => "one function, the next move; the file beside it is the interface to the host.",
        };
        let kinds = match row.output {
            BuildOutput::ComponentAndLibrary => format!(
                "`{0}` is the sandboxed build, a WebAssembly component; `{0}-native` is a native \
                 library, for a debugger.",
                self.name
            ),
            BuildOutput::Component => {
                format!("`{}` is a WebAssembly component and runs in a sandbox.", self.name)
            }
            BuildOutput::Program(_) => format!(
                "`{}` is a program of this system: each game runs it in a process of its own, in a \
                 jail. It runs where it was built or is trusted (`sandboard trust {0}`), and in no \
                 contest.",
                self.name
            ),
        };
        let tools = row.tools.iter().map(|tool| format!("{} {}", tool.package, tool.version));
        let tools = tools.collect::<Vec<_>>().join(", ");
        let first = match (tools.is_empty(), self.language) {
            (false, _) => format!("the first build fetches {tools}"),
            (true, Language::Java) => "it needs a JDK, 17 or newer, and a C compiler".to_owned(),
            (true, Language::Rust) => "the first build takes a minute or two more".to_owned(),
            (true, _) => "the compilers are the system's".to_owned(),
        };
        [
            ("@NAME@", self.name.as_str()),
            ("@SANDBOARD@", &link("Sandboard", "README.md", root)),
            ("@LANGUAGE@", row.name),
            ("@GAME@", &self.game),
            ("@ABOUT@", &format!("All of it is in `{}`: {begin}", row.main_file)),
            ("@KINDS@", &kinds),
            ("@GUIDE@", &link("The guide", &format!("docs/{}", row.guide_page), root)),
            ("@FIRST@", &first),
        ]
        .iter()
        .fold(README.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }

    /// The file with the author's code, relative to the folder.
    pub fn main_file(&self) -> &'static str {
        self.language.info().main_file
    }

    /// The sample engine with another name and game, and without an author.
    fn rename_sample(&self, row: &LanguageInfo, text: &str) -> String {
        let quoted = |text: &str| format!("\"{text}\"");
        // The name last, because it may be the id of a game.
        let text = text.replace(AUTHOR, "\"\"").replace(GAME, &quoted(&self.game));
        let names = row.sample_engine.iter();
        names.fold(text, |text, old| text.replace(&quoted(old), &quoted(&self.name)))
    }

    /// The sample engine in Rust with another name and game, in its header and its types.
    fn rename_rust_sample(&self, text: &str) -> String {
        let head =
            format!("//! {}: an engine that plays {}, so far at random.", self.name, self.game);
        let body = text.split_once('\n').map_or(text, |(_, rest)| rest);
        let body = body
            .replace("RandomMover", &camel(&self.name))
            .replace("gomoku::Gomoku", &format!("{}::{}", self.game, camel(&self.game)))
            .replace("Gomoku", &camel(&self.game));
        format!("{head}\n{body}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LANGUAGES;

    fn template(language: Language, name: &str, game: &str) -> EngineTemplate {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        EngineTemplate {
            language,
            name: name.into(),
            game: game.into(),
            sdk: SdkLocation::Clone(root),
        }
    }

    #[test]
    fn the_rust_template_is_filled() {
        let template = template(Language::Rust, "my-engine", "other-game");
        let text = template.rename_rust_sample(Language::Rust.info().template_files[0].1);
        for part in
            ["games::other-game::OtherGame;", "struct MyEngine;", "export_engine!(MyEngine);"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        for mark in ["RandomMover", "Gomoku", "gomoku", "template"] {
            assert!(!text.contains(mark), "{mark} is in\n{text}");
        }
    }

    #[test]
    fn every_template_is_filled() {
        let temp = tempfile::tempdir().unwrap();
        for row in LANGUAGES {
            let folder = temp.path().join(row.id).join("my-engine");
            std::fs::create_dir(folder.parent().unwrap()).unwrap();
            template(row.language, "my-engine", "other").write(&folder).unwrap();
            assert_eq!(Language::detect(&folder), Some(row.language));
            let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
            let filled = readme.split_whitespace().all(|word| word.matches('@').count() < 2);
            assert!(filled && readme.contains("my-engine"), "{readme}");
            let text = std::fs::read_to_string(folder.join(row.main_file)).unwrap();
            for mark in
                [row.sample_engine[0], row.sample_engine[1], "gomoku", "Sandboard developers"]
            {
                assert!(!text.contains(mark), "{mark} is in\n{text}");
            }
            let other = text.contains("\"other\"") || row.language == Language::Rust;
            assert!(other, "{} does not name the game", row.id);
        }
    }

    #[test]
    fn an_engine_without_a_clone_gets_a_copy_of_the_sdk() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("mine");
        let files: &[(&str, &str)] = &[("Cargo.lock", "locked"), ("sdk/src/lib.rs", "all")];
        let sdk = SdkLocation::Files(files);
        EngineTemplate { sdk, ..template(Language::Rust, "mine", "gomoku") }
            .write(&folder)
            .unwrap();
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(text("Cargo.lock"), "locked");
        assert_eq!(text("sandboard/sdk/src/lib.rs"), "all");
        assert!(text("Cargo.toml").contains("sandboard-sdk = { path = \"sandboard/sdk\" }"));
    }

    #[test]
    fn an_engine_with_the_published_sdk_gets_no_copy() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("mine");
        let sdk = SdkLocation::Version("0.1.0");
        EngineTemplate { sdk, ..template(Language::Rust, "mine", "gomoku") }
            .write(&folder)
            .unwrap();
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(text.contains("sandboard-sdk = \"0.1.0\"\n"), "{text}");
        assert!(!folder.join(SDK_COPY).exists() && !folder.join("Cargo.lock").exists());
        assert!(folder.join("src/lib.rs").is_file());
    }

    #[test]
    fn names_that_would_hide_another_type_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let check = |language, name: &str, folder: &str, good: bool| {
            let result = template(language, name, "gomoku").write(&temp.path().join(folder));
            assert_eq!(result.is_ok(), good, "{name}: {result:?}");
        };
        check(Language::Rust, "turn", "a", false);
        check(Language::Rust, "turning", "a", true);
        check(Language::Rust, "gomoku", "b", false);
        check(Language::Rust, "self", "b", false);
        check(Language::C, "turn", "turn", true);
        check(Language::C, "mine", "other", false);
    }

    #[test]
    fn existing_folders_are_not_changed() {
        let temp = tempfile::tempdir().unwrap();
        let template = template(Language::Rust, "mine", "gomoku");
        let folder = temp.path().join("mine");
        template.write(&folder).unwrap();
        assert!(folder.join("Cargo.lock").is_file());
        assert!(template.write(&folder).unwrap_err().to_string().contains("already exists"));
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-engines").join("mine");
        assert!(template.write(&samples).unwrap_err().to_string().contains("project's own"));
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
    }
}
