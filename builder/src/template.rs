//! Creates the folder of a new engine, with a first version that already plays. The template is a
//! sample engine of the project, so that the project's tests cover it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::command::canonical_path;
use crate::languages::{BuildOutput, Language, LanguageInfo};

const CARGO_TOML: &str = include_str!("../templates/Cargo.toml.txt");
const README: &str = include_str!("../templates/README.md.txt");

/// The longest name, in bytes: an id has at most 64, and the native build adds a suffix.
const NAME_BYTES: usize = 48;

/// The suffix of the id of an engine's native build.
pub const NATIVE_SUFFIX: &str = "-native";

/// Names with another meaning for cargo, Rust, Windows or `--seat`.
const RESERVED_NAMES: &[&str] = &[
    "human",
    "test",
    "core",
    "std",
    "alloc",
    "proc_macro",
    "deps",
    "build",
    "con",
    "prn",
    "aux",
    "nul",
    "com1",
    "com2",
    "com3",
    "com4",
    "com5",
    "com6",
    "com7",
    "com8",
    "com9",
    "lpt1",
    "lpt2",
    "lpt3",
    "lpt4",
    "lpt5",
    "lpt6",
    "lpt7",
    "lpt8",
    "lpt9",
];

/// Types of the template and the prelude, which an engine's type must not hide.
const USED_TYPES: &[&str] = &[
    "Box", "Chooser", "Clone", "Copy", "Default", "Drop", "Err", "Fn", "From", "Into", "Iterator",
    "None", "Ok", "Option", "Reply", "Result", "Self", "Send", "Some", "String", "Sync", "Turn",
    "Vec",
];

/// The version of the SDK on crates.io that a new engine in Rust uses. None while the SDK is not
/// published: the engine then gets a copy of its sources.
pub const PUBLISHED_SDK: Option<&str> = None;

/// The subfolder of a new engine in Rust for a copy of the SDK, without a clone.
const SDK_COPY: &str = "sandboard";

/// The author of the sample engines, which is removed from new engines.
const AUTHOR: &str = "\"The Sandboard developers\"";

/// The game that the sample engines play.
const GAME: &str = "\"gomoku\"";

/// The location of the Rust SDK and of the documentation.
#[derive(Clone, Debug)]
pub enum SdkLocation {
    /// A clone: the folder with `sdk`, `docs` and the lock file.
    Clone(PathBuf),
    /// Files to be copied into the new folder, with their paths relative to the clone's root: a
    /// workspace with its lock file, and the sources of the SDK.
    Files(&'static [(&'static str, &'static str)]),
    /// The SDK on crates.io, in this version or a compatible one.
    Version(&'static str),
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
        check_engine_name(&self.name)?;
        let row = self.language.info();
        let in_rust = self.language == Language::Rust;
        let hides = USED_TYPES.contains(&camel(&self.name).as_str())
            || camel(&self.name) == camel(&self.game);
        ensure!(
            !in_rust || !hides,
            "`{}` would be the Rust type `{}`, which already exists; choose another name",
            self.name,
            camel(&self.name)
        );
        ensure!(
            std::fs::symlink_metadata(folder).is_err(),
            "{} already exists; nothing was changed (choose another name, or another folder with \
             --dir)",
            folder.display()
        );
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let parent = canonical_path(parent)
            .with_context(|| format!("there is no folder {}", parent.display()))?;
        let file = folder.file_name().context("the folder needs a name")?;
        let root = match &self.sdk {
            SdkLocation::Clone(root) => {
                let root = canonical_path(root)?;
                if parent.starts_with(root.join("sample-engines")) {
                    bail!(
                        "sample-engines/ has the project's own engines, which are built and \
                         tested with it; choose another folder, for example --dir ../{}",
                        self.name
                    );
                }
                Some(relative(&parent.join(file), &root))
            }
            SdkLocation::Files(_) | SdkLocation::Version(_) => None,
        };
        ensure!(
            in_rust || file == self.name.as_str(),
            "an engine in {} has the name of its folder: --dir must end in `{}`",
            row.name,
            self.name
        );
        let fresh = parent.join(format!(".{}.new-{}", file.display(), std::process::id()));
        let filled = self.fill(&fresh, row, root.as_deref());
        let result = filled.and_then(|()| {
            std::fs::rename(&fresh, parent.join(file))
                .with_context(|| format!("cannot make {}", folder.display()))
        });
        if result.is_err() {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        result
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
            put(folder, "sandboard_engine_v1.h", crate::c::HEADER)?;
        }
        if self.language != Language::Rust {
            return Ok(());
        }
        let sdk = match (&self.sdk, root) {
            (SdkLocation::Version(version), _) => format!("{version:?}"),
            (_, Some(root)) => format!("{{ path = \"{root}/sdk\" }}"),
            (_, None) => format!("{{ path = \"{SDK_COPY}/sdk\" }}"),
        };
        let manifest = CARGO_TOML.replace("@NAME@", &self.name).replace("@SDK@", &sdk);
        put(folder, "Cargo.toml", &manifest)?;
        // The dependencies in the versions that the SDK is tested with; they may be in cargo's
        // cache.
        match &self.sdk {
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

    fn readme(&self, row: &LanguageInfo, root: Option<&str>) -> String {
        let link = |words: &str, file: &str| match root {
            Some(root) => format!("[{words}]({root}/{file})"),
            None => format!("{words} (Sandboard's {file})"),
        };
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
            ("@SANDBOARD@", &link("Sandboard", "README.md")),
            ("@LANGUAGE@", row.name),
            ("@GAME@", &self.game),
            ("@ABOUT@", &format!("All of it is in `{}`: {begin}", row.main_file)),
            ("@KINDS@", &kinds),
            ("@GUIDE@", &link("The guide", &format!("docs/{}", row.guide_page))),
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

fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap_or(folder))
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Checks the name of an engine. An error says why the name is refused.
pub(crate) fn check_engine_name(name: &str) -> Result<()> {
    let letters =
        name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
    let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    ensure!(
        letters && begins && name.len() <= NAME_BYTES,
        "`{name}` is no name for an engine: use lower-case letters, digits, `-` and `_`, a letter \
         first, at most {NAME_BYTES} bytes (--dir chooses the folder)"
    );
    ensure!(
        !RESERVED_NAMES.contains(&name)
            && !name.ends_with(NATIVE_SUFFIX)
            && !name.starts_with("sandboard"),
        "`{name}` is a reserved name; choose another one"
    );
    Ok(())
}

/// Converts a name to camel case: `my-engine` becomes `MyEngine`.
fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split(['-', '_']).map(word).collect()
}

/// The relative path from one folder to another, with `/` on every platform. Both are absolute.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.iter().collect(), to.iter().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // Another drive, or only the root in common: the absolute path is clearer.
    if common <= 1 {
        let whole: PathBuf = to.iter().collect();
        return whole.to_string_lossy().replace('\\', "/");
    }
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LANGUAGES;

    #[test]
    fn names_are_checked() {
        let check =
            |name: &str, good: bool| assert_eq!(check_engine_name(name).is_ok(), good, "{name}");
        check("mine", true);
        check("my-engine_2", true);
        check("Mine", false);
        check("2mine", false);
        check("-mine", false);
        check("", false);
        check("my engine", false);
        check("human", false);
        check("humane", true);
        check("mine-native", false);
        check(&"a".repeat(48), true);
        check(&"a".repeat(49), false);
    }

    #[test]
    fn the_path_to_the_sdk_is_relative_where_possible() {
        let check = |from: &str, to: &str, expected: &str| {
            assert_eq!(relative(Path::new(from), Path::new(to)), expected);
        };
        check("/code/sandboard/mine", "/code/sandboard", "..");
        check("/code/mine", "/code/sandboard", "../sandboard");
        check("/other/mine", "/code/sandboard", "/code/sandboard");
    }

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
