//! A new engine: a folder with a first version that plays, to begin from. What it
//! begins as is a sample engine of the project, so that the template is proved with it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::run::canonical;

const C: &str = include_str!("../../sample-engines/c-minimal/engine.c");
const RUST: &str = include_str!("../../sample-engines/random-mover/src/lib.rs");
const CARGO_TOML: &str = include_str!("../templates/Cargo.toml.txt");
const README: &str = include_str!("../templates/README.md.txt");

/// The longest name, in bytes: an id may have 64, and the native build adds to it.
const NAME_BYTES: usize = 48;

/// What the native build of an engine adds to its name.
pub const NATIVE_SUFFIX: &str = "-native";

/// Names that mean something else to cargo, Rust or `--seat`.
const TAKEN: &[&str] = &["human", "test", "core", "std", "alloc", "proc_macro", "deps", "build"];

/// What an engine is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A crate on the SDK, with the game's rules and a search at hand.
    #[default]
    Rust,
    /// A file on the C header, which asks the host for the rules.
    C,
}

/// Types that the template and the prelude name: an engine's type must not hide them.
const TYPES: &[&str] = &[
    "Box", "Chooser", "Clone", "Copy", "Default", "Drop", "Err", "Fn", "From", "Into", "Iterator",
    "None", "Ok", "Option", "Reply", "Result", "Self", "Send", "Some", "String", "Sync", "Turn",
    "Vec",
];

/// What a new engine begins as.
#[derive(Clone, Debug)]
pub struct Template {
    /// What it is written in.
    pub language: Language,
    /// The engine's id and the crate's name.
    pub name: String,
    /// The game's id; its rules are `games::<game>::<Game>` of the SDK.
    pub game: String,
    /// The folder with `sdk`, `docs` and the lock file.
    pub root: PathBuf,
}

impl Template {
    /// Makes the folder, which must not be there. Err leaves nothing behind.
    pub fn write(&self, folder: &Path) -> Result<()> {
        check_name(&self.name)?;
        let hides = TYPES.contains(&camel(&self.name).as_str()) || self.name == self.game;
        ensure!(
            self.language == Language::C || !hides,
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
        let root = canonical(&self.root)?;
        if parent.starts_with(root.join("sample-engines")) {
            bail!(
                "sample-engines/ is for the project's own engines, which are built and tested with \
                 it; make yours anywhere else, for example with --dir ../{}",
                self.name
            );
        }
        let file = folder.file_name().context("the folder needs a name")?;
        ensure!(
            self.language == Language::Rust || file == self.name.as_str(),
            "an engine in C is called as its folder is: end --dir in `{}`",
            self.name
        );
        let fresh = parent.join(format!(".{}.new-{}", file.display(), std::process::id()));
        let made = self.fill(&fresh, &relative(&parent.join(file), &root));
        let made = made.and_then(|()| {
            std::fs::rename(&fresh, parent.join(file))
                .with_context(|| format!("cannot make {}", folder.display()))
        });
        if made.is_err() {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        made
    }

    fn fill(&self, folder: &Path, root: &str) -> Result<()> {
        let mut texts =
            vec![("README.md", self.filled(README, root)), (".gitignore", "/target/\n".to_owned())];
        match self.language {
            Language::Rust => {
                texts.push(("Cargo.toml", self.filled(CARGO_TOML, root)));
                texts.push(("src/lib.rs", self.rust()));
            }
            Language::C => {
                texts.push(("engine.c", self.c()));
                texts.push(("sandboard_engine_v1.h", crate::c::HEADER.to_owned()));
            }
        }
        for (name, text) in texts {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(folder))
                .and_then(|()| std::fs::write(&file, text))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        if self.language == Language::C {
            return Ok(());
        }
        // The versions that the SDK is proved with, which are on this machine already.
        std::fs::copy(self.root.join("Cargo.lock"), folder.join("Cargo.lock"))
            .context("cannot copy the lock file of the SDK's workspace")?;
        Ok(())
    }

    fn filled(&self, text: &str, root: &str) -> String {
        let sdk = format!("{root}/sdk");
        let about = match self.language {
            Language::Rust => "`src/lib.rs` is all of it: one function, the next move.",
            Language::C => "`engine.c` is all of it: begin with `think_of_a_move`.",
        };
        let guide = match self.language {
            Language::Rust => "authoring.md",
            Language::C => "c.md",
        };
        [
            ("@NAME@", self.name.as_str()),
            ("@SDK@", &sdk),
            ("@ROOT@", root),
            ("@GAME@", &self.game),
            ("@GUIDE@", guide),
        ]
        .iter()
        .fold(text.replace("@ABOUT@", about), |text, (mark, value)| text.replace(mark, value))
    }

    /// The file that an author writes in, relative to the folder.
    pub fn main_file(&self) -> &'static str {
        match self.language {
            Language::Rust => "src/lib.rs",
            Language::C => "engine.c",
        }
    }

    fn c(&self) -> String {
        let defined = |text: String, name: &str, value: &str| {
            let line = format!("#define {name} ");
            let lines = text.lines().map(|old| match old.starts_with(&line) {
                true => format!("{line}\"{value}\""),
                false => old.to_owned(),
            });
            lines.map(|line| line + "\n").collect::<String>()
        };
        [("ENGINE_ID", &self.name), ("ENGINE_NAME", &self.name), ("ENGINE_GAME", &self.game)]
            .iter()
            .fold(C.to_owned(), |text, (name, value)| defined(text, name, value))
            .replace("\"The Sandboard developers\"", "\"\"")
    }

    fn rust(&self) -> String {
        let head =
            format!("//! {}: an engine that plays {}, so far at random.", self.name, self.game);
        let body = RUST.split_once('\n').map_or(RUST, |(_, rest)| rest);
        let body = body
            .replace("RandomMover", &camel(&self.name))
            .replace("gomoku::Gomoku", &format!("{}::{}", self.game, camel(&self.game)))
            .replace("Gomoku", &camel(&self.game));
        format!("{head}\n{body}")
    }
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

    #[test]
    fn the_template_is_filled() {
        let game = "other-game".to_owned();
        let language = Language::Rust;
        let template = Template { language, name: "my-engine".into(), game, root: PathBuf::new() };
        let text = template.rust();
        for part in
            ["games::other-game::OtherGame;", "struct MyEngine;", "export_engine!(MyEngine);"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        for mark in ["RandomMover", "Gomoku", "gomoku", "template"] {
            assert!(!text.contains(mark), "{mark} is in\n{text}");
        }
        let root = "../sandboard";
        for text in [template.filled(CARGO_TOML, root), template.filled(README, root)] {
            assert!(!text.contains('@') && text.contains("my-engine"), "{text}");
        }
    }

    #[test]
    fn the_template_in_c_is_filled() {
        let (name, game) = ("my-engine".to_owned(), "other".to_owned());
        let text = Template { language: Language::C, name, game, root: PathBuf::new() }.c();
        for part in ["ENGINE_ID \"my-engine\"\n", "ENGINE_GAME \"other\"\n"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        for mark in ["c-minimal", "C Minimal", "Sandboard developers"] {
            assert!(!text.contains(mark), "{mark} is in\n{text}");
        }
    }

    #[test]
    fn names_that_hide_another_type_are_refused() {
        let there = tempfile::tempdir().unwrap();
        let check = |language, name: &str, folder: &str, good: bool| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let template = Template { language, name: name.into(), game: "gomoku".into(), root };
            let made = template.write(&there.path().join(folder));
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
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let language = Language::Rust;
        let template = Template { language, name: "mine".into(), game: "gomoku".into(), root };
        let folder = there.path().join("mine");
        template.write(&folder).unwrap();
        assert!(folder.join("Cargo.lock").is_file());
        assert!(template.write(&folder).unwrap_err().to_string().contains("is there already"));
        let samples = template.root.join("sample-engines").join("mine");
        assert!(template.write(&samples).unwrap_err().to_string().contains("project's own"));
        assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 1);
    }
}
