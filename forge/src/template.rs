//! A new engine: a folder with a first version that plays, to begin from. What it
//! begins as is a sample engine of the project, so that the template is proved with it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::languages::{Language, Makes, Row};
use crate::run::canonical;

const CARGO_TOML: &str = include_str!("../templates/Cargo.toml.txt");
const README: &str = include_str!("../templates/README.md.txt");

/// The longest name, in bytes: an id may have 64, and the native build adds to it.
const NAME_BYTES: usize = 48;

/// What the native build of an engine adds to its name.
pub const NATIVE_SUFFIX: &str = "-native";

/// Names that mean something else to cargo, Rust, Windows or `--seat`.
const TAKEN: &[&str] = &[
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

/// Types that the template and the prelude name: an engine's type must not hide them.
const TYPES: &[&str] = &[
    "Box", "Chooser", "Clone", "Copy", "Default", "Drop", "Err", "Fn", "From", "Into", "Iterator",
    "None", "Ok", "Option", "Reply", "Result", "Self", "Send", "Some", "String", "Sync", "Turn",
    "Vec",
];

/// The folder of a new engine in Rust that the SDK is copied into, where there is no clone.
const OWN_SDK: &str = "sandboard";

/// Who made the sample engines, which nobody else's engine says.
const AUTHOR: &str = "\"The Sandboard developers\"";

/// The game of the sample engines.
const GAME: &str = "\"gomoku\"";

/// Where the SDK for engines in Rust comes from, and the documents.
#[derive(Clone, Debug)]
pub enum Sdk {
    /// A clone: the folder with `sdk`, `docs` and the lock file.
    Clone(PathBuf),
    /// Files to be copied into the new folder, by their paths from the clone's root: a workspace
    /// with its lock file, and what the SDK is made of.
    Files(&'static [(&'static str, &'static str)]),
}

/// What a new engine begins as.
#[derive(Clone, Debug)]
pub struct Template {
    /// What it is written in.
    pub language: Language,
    /// The engine's id and the crate's name.
    pub name: String,
    /// The game's id; its rules are `games::<game>::<Game>` of the SDK.
    pub game: String,
    /// Where the SDK is.
    pub sdk: Sdk,
}

impl Template {
    /// Makes the folder, which must not be there. Err leaves nothing behind.
    pub fn write(&self, folder: &Path) -> Result<()> {
        check_name(&self.name)?;
        let row = self.language.row();
        let in_rust = self.language == Language::Rust;
        let hides =
            TYPES.contains(&camel(&self.name).as_str()) || camel(&self.name) == camel(&self.game);
        ensure!(
            !in_rust || !hides,
            "`{}` would be the Rust type `{}`, which is another one already; take another name",
            self.name,
            camel(&self.name)
        );
        ensure!(
            std::fs::symlink_metadata(folder).is_err(),
            "{} is there already; nothing was changed (another name, or --dir, makes another \
             folder)",
            folder.display()
        );
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let parent = canonical(parent)
            .with_context(|| format!("there is no folder {}", parent.display()))?;
        let file = folder.file_name().context("the folder needs a name")?;
        let root = match &self.sdk {
            Sdk::Clone(root) => {
                let root = canonical(root)?;
                if parent.starts_with(root.join("sample-engines")) {
                    bail!(
                        "sample-engines/ is for the project's own engines, which are built and \
                         tested with it; make yours anywhere else, for example with --dir ../{}",
                        self.name
                    );
                }
                Some(relative(&parent.join(file), &root))
            }
            Sdk::Files(_) => None,
        };
        ensure!(
            in_rust || file == self.name.as_str(),
            "an engine in {} is called as its folder is: end --dir in `{}`",
            row.name,
            self.name
        );
        let fresh = parent.join(format!(".{}.new-{}", file.display(), std::process::id()));
        let made = self.fill(&fresh, row, root.as_deref());
        let made = made.and_then(|()| {
            std::fs::rename(&fresh, parent.join(file))
                .with_context(|| format!("cannot make {}", folder.display()))
        });
        if made.is_err() {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        made
    }

    fn fill(&self, folder: &Path, row: &Row, root: Option<&str>) -> Result<()> {
        put(folder, "README.md", &self.readme(row, root))?;
        put(folder, ".gitignore", "/target/\n__pycache__/\n")?;
        for (at, (name, text)) in row.files.iter().enumerate() {
            let text = match (self.language, at) {
                (Language::Rust, 0) => self.rust(text),
                (_, 0) => self.named(row, text),
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
        let sdk = root.map_or(format!("{OWN_SDK}/sdk"), |root| format!("{root}/sdk"));
        let manifest = CARGO_TOML.replace("@NAME@", &self.name).replace("@SDK@", &sdk);
        put(folder, "Cargo.toml", &manifest)?;
        // The versions that the SDK is proved with, which may be on this machine already.
        match &self.sdk {
            Sdk::Clone(root) => std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
                .map(drop)
                .context("cannot copy the lock file of the SDK's workspace"),
            Sdk::Files(files) => files.iter().try_for_each(|(name, text)| match *name {
                "Cargo.lock" => put(folder, name, text),
                _ => put(&folder.join(OWN_SDK), name, text),
            }),
        }
    }

    fn readme(&self, row: &Row, root: Option<&str>) -> String {
        let link = |words: &str, file: &str| match root {
            Some(root) => format!("[{words}]({root}/{file})"),
            None => format!("{words} (Sandboard's {file})"),
        };
        let begin = match self.language {
            Language::Rust => "one function, the next move.",
            Language::C => "begin with `think_of_a_move`.",
            _ => "one function, the next move; the file beside it is the border to the host.",
        };
        let kinds = match row.makes {
            Makes::ComponentAndLibrary => format!(
                "`{0}` is the sandboxed build, a WebAssembly component, `{0}-native` the library \
                 of this system, for a debugger.",
                self.name
            ),
            Makes::Component => {
                format!("`{}` is a WebAssembly component, and runs in a sandbox.", self.name)
            }
            Makes::Program(_) => format!(
                "`{}` is a program of this system: each game has a process of its own, in a jail. It \
                 runs where it was built or is trusted (`sandboard trust {0}`), and in no contest.",
                self.name
            ),
        };
        let tools = row.tools.iter().map(|tool| format!("{} {}", tool.package, tool.version));
        let tools = tools.collect::<Vec<_>>().join(", ");
        let first = match (tools.is_empty(), self.language) {
            (false, _) => format!("the first build fetches {tools}"),
            (true, Language::Java) => "it needs a JDK, 17 or newer, and a C compiler".to_owned(),
            (true, Language::Rust) => "the first build takes a minute or two more".to_owned(),
            (true, _) => "compilers are the system's".to_owned(),
        };
        [
            ("@NAME@", self.name.as_str()),
            ("@SANDBOARD@", &link("Sandboard", "README.md")),
            ("@LANGUAGE@", row.name),
            ("@GAME@", &self.game),
            ("@ABOUT@", &format!("`{}` is all of it: {begin}", row.main)),
            ("@KINDS@", &kinds),
            ("@GUIDE@", &link("The guide", &format!("docs/{}", row.guide))),
            ("@FIRST@", &first),
        ]
        .iter()
        .fold(README.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }

    /// The file that an author writes in, relative to the folder.
    pub fn main_file(&self) -> &'static str {
        self.language.row().main
    }

    /// The sample engine under another name, of another game, by nobody.
    fn named(&self, row: &Row, text: &str) -> String {
        let quoted = |text: &str| format!("\"{text}\"");
        // The name last: it may be a game's.
        let text = text.replace(AUTHOR, "\"\"").replace(GAME, &quoted(&self.game));
        let names = row.sample.iter();
        names.fold(text, |text, old| text.replace(&quoted(old), &quoted(&self.name)))
    }

    fn rust(&self, text: &str) -> String {
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

/// Whether an engine may be called so. Err: why not.
pub fn check_name(name: &str) -> Result<()> {
    let letters =
        name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
    let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    ensure!(
        letters && begins && name.len() <= NAME_BYTES,
        "`{name}` cannot be an engine's name: lower-case letters, digits, `-` and `_`, a letter \
         first, {NAME_BYTES} at most (--dir says where it goes)"
    );
    ensure!(
        !TAKEN.contains(&name) && !name.ends_with(NATIVE_SUFFIX) && !name.starts_with("sandboard"),
        "`{name}` means something else already; take another name"
    );
    Ok(())
}

/// `my-engine` → `MyEngine`.
fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split(['-', '_']).map(word).collect()
}

/// How one gets from one folder to another, both absolute, as cargo and links write it.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.iter().collect(), to.iter().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // Another drive, or nothing in common: the place itself says it better.
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
    fn names_that_cannot_be() {
        let check = |name: &str, good: bool| assert_eq!(check_name(name).is_ok(), good, "{name}");
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
    fn a_folder_finds_the_sdk() {
        let check = |from: &str, to: &str, expected: &str| {
            assert_eq!(relative(Path::new(from), Path::new(to)), expected);
        };
        check("/code/sandboard/mine", "/code/sandboard", "..");
        check("/code/mine", "/code/sandboard", "../sandboard");
        check("/other/mine", "/code/sandboard", "/code/sandboard");
    }

    fn template(language: Language, name: &str, game: &str) -> Template {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Template { language, name: name.into(), game: game.into(), sdk: Sdk::Clone(root) }
    }

    #[test]
    fn the_template_is_filled() {
        let template = template(Language::Rust, "my-engine", "other-game");
        let text = template.rust(Language::Rust.row().files[0].1);
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
        let there = tempfile::tempdir().unwrap();
        for row in LANGUAGES {
            let folder = there.path().join(row.id).join("my-engine");
            std::fs::create_dir(folder.parent().unwrap()).unwrap();
            template(row.language, "my-engine", "other").write(&folder).unwrap();
            assert_eq!(Language::of(&folder), Some(row.language));
            let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
            let filled = readme.split_whitespace().all(|word| word.matches('@').count() < 2);
            assert!(filled && readme.contains("my-engine"), "{readme}");
            let text = std::fs::read_to_string(folder.join(row.main)).unwrap();
            for mark in [row.sample[0], row.sample[1], "gomoku", "Sandboard developers"] {
                assert!(!text.contains(mark), "{mark} is in\n{text}");
            }
            let other = text.contains("\"other\"") || row.language == Language::Rust;
            assert!(other, "{} does not play the game", row.id);
        }
    }

    #[test]
    fn without_a_clone_the_sdk_is_copied() {
        let there = tempfile::tempdir().unwrap();
        let folder = there.path().join("mine");
        let files: &[(&str, &str)] = &[("Cargo.lock", "locked"), ("sdk/src/lib.rs", "all")];
        let sdk = Sdk::Files(files);
        Template { sdk, ..template(Language::Rust, "mine", "gomoku") }.write(&folder).unwrap();
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(text("Cargo.lock"), "locked");
        assert_eq!(text("sandboard/sdk/src/lib.rs"), "all");
        assert!(text("Cargo.toml").contains("path = \"sandboard/sdk\""));
    }

    #[test]
    fn names_that_hide_another_type_are_refused() {
        let there = tempfile::tempdir().unwrap();
        let check = |language, name: &str, folder: &str, good: bool| {
            let made = template(language, name, "gomoku").write(&there.path().join(folder));
            assert_eq!(made.is_ok(), good, "{name}: {made:?}");
        };
        check(Language::Rust, "turn", "a", false);
        check(Language::Rust, "turning", "a", true);
        check(Language::Rust, "gomoku", "b", false);
        check(Language::Rust, "self", "b", false);
        check(Language::C, "turn", "turn", true);
        check(Language::C, "mine", "other", false);
    }

    #[test]
    fn what_is_there_stays() {
        let there = tempfile::tempdir().unwrap();
        let template = template(Language::Rust, "mine", "gomoku");
        let folder = there.path().join("mine");
        template.write(&folder).unwrap();
        assert!(folder.join("Cargo.lock").is_file());
        assert!(template.write(&folder).unwrap_err().to_string().contains("is there already"));
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-engines").join("mine");
        assert!(template.write(&samples).unwrap_err().to_string().contains("project's own"));
        assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 1);
    }
}
