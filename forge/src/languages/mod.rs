//! The languages that engines are written in: one table, from which folders are recognised, new ones
//! laid out and modules built. Each file beside this one calls the tool of its language; all of them but Java's
//! end in a component that imports nothing but the border.

mod assembly_script;
mod go;
mod java;
mod javascript;
mod python;
#[cfg(test)]
mod records;
mod zig;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::c::{self, Clang};
use crate::rust::Native;
use crate::tools::{self, Tool};

/// What an engine is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A crate on the SDK, with the game's rules and a search at hand.
    #[default]
    Rust,
    /// A file on the C header, which asks the host for the rules.
    C,
    /// A file on a C++ header, with a search that asks the host for the rules.
    Cpp,
    /// A file beside `sandboard.zig`.
    Zig,
    /// A file beside `sandboard.ts`.
    AssemblyScript,
    /// A file beside `sandboard.go`.
    Go,
    /// A file beside `sandboard.js`.
    JavaScript,
    /// A file beside `sandboard_engine.py`.
    Python,
    /// A class beside `Sandboard.java`.
    Java,
}

/// What the engines of a language become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// A component, and nothing else.
    Component,
    /// A component, and a library of this system.
    ComponentAndLibrary,
    /// A program of this system that speaks the border line by line, and runs jailed.
    Program(Needs),
}

/// What a program needs of whoever runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// All that the process may take, but what libraries and stacks take anyway.
    pub memory_bytes: u64,
    /// Until it is ready for a game.
    pub start_ms: u64,
}

/// A row of [`LANGUAGES`].
#[derive(Debug)]
pub struct Row {
    /// Which one.
    pub language: Language,
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The file that an author writes in, by which a folder is recognised too.
    pub main: &'static str,
    /// The sample engine that the template is: its id, and its name for people.
    pub sample: [&'static str; 2],
    /// The files of the sample engine that a new one begins with, and their texts: the main file first.
    pub files: &'static [(&'static str, &'static str)],
    /// Where its author reads on, in `docs/`.
    pub guide: &'static str,
    /// What makes an engine of it, as an author writes it.
    pub export: &'static str,
    /// What its engines become.
    pub makes: Makes,
    /// The tools that are fetched for it, pinned; none: compilers of the system.
    pub tools: &'static [Tool],
}

/// A file of a sample engine, with its name.
macro_rules! sample {
    ($folder:literal, $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../../sample-engines/", $folder, "/", $file)))),+]
    };
}

/// Every language, in the order in which they are listed.
pub const LANGUAGES: &[Row] = &[
    Row {
        language: Language::Rust,
        id: "rust",
        name: "Rust",
        main: "src/lib.rs",
        sample: ["random-mover", "Random Mover"],
        files: sample!("random-mover", "src/lib.rs"),
        guide: "authoring.md",
        export: "`export_engine!(…);` at the end of src/lib.rs",
        makes: Makes::ComponentAndLibrary,
        tools: &[],
    },
    Row {
        language: Language::C,
        id: "c",
        name: "C",
        main: "engine.c",
        sample: ["c-minimal", "C Minimal"],
        files: sample!("c-minimal", "engine.c"),
        guide: "c.md",
        export: "the function `sandboard_engine_v1`, not static,",
        makes: Makes::ComponentAndLibrary,
        tools: &[],
    },
    Row {
        language: Language::Cpp,
        id: "cpp",
        name: "C++",
        main: "engine.cpp",
        sample: ["cpp-simple", "C++ Simple"],
        files: sample!("cpp-simple", "engine.cpp", "sandboard.hpp", "sandboard_search.hpp"),
        guide: "languages.md",
        export: "`SANDBOARD_ENGINE(…)` at the end of engine.cpp",
        makes: Makes::ComponentAndLibrary,
        tools: &[],
    },
    Row {
        language: Language::Zig,
        id: "zig",
        name: "Zig",
        main: "engine.zig",
        sample: ["zig-simple", "Zig Simple"],
        files: sample!("zig-simple", "engine.zig", "sandboard.zig"),
        guide: "languages.md",
        export: "`sandboard.exportEngine(…)` in engine.zig",
        makes: Makes::ComponentAndLibrary,
        tools: &[tools::ZIG],
    },
    Row {
        language: Language::AssemblyScript,
        id: "assemblyscript",
        name: "AssemblyScript",
        main: "engine.ts",
        sample: ["assemblyscript-simple", "AssemblyScript Simple"],
        files: sample!("assemblyscript-simple", "engine.ts", "sandboard.ts"),
        guide: "languages.md",
        export: "`export { … } from \"./sandboard\";` in engine.ts",
        makes: Makes::Component,
        tools: &[tools::ASSEMBLY_SCRIPT],
    },
    Row {
        language: Language::Go,
        id: "go",
        name: "Go",
        main: "engine.go",
        sample: ["go-simple", "Go Simple"],
        files: sample!("go-simple", "engine.go", "sandboard.go", "go.mod"),
        guide: "languages.md",
        export: "the file sandboard.go",
        makes: Makes::Component,
        tools: &[tools::GO],
    },
    Row {
        language: Language::JavaScript,
        id: "javascript",
        name: "JavaScript",
        main: "engine.js",
        sample: ["javascript-simple", "JavaScript Simple"],
        files: sample!("javascript-simple", "engine.js", "sandboard.js"),
        guide: "languages.md",
        export: "`export const engine = …` in engine.js",
        makes: Makes::Component,
        tools: &[tools::COMPONENTIZE_JS],
    },
    Row {
        language: Language::Python,
        id: "python",
        name: "Python",
        main: "engine.py",
        sample: ["python-simple", "Python Simple"],
        files: sample!("python-simple", "engine.py", "sandboard_engine.py"),
        guide: "languages.md",
        export: "the class `Engine` in engine.py",
        makes: Makes::Component,
        tools: &[tools::COMPONENTIZE_PY],
    },
    Row {
        language: Language::Java,
        id: "java",
        name: "Java",
        main: "Engine.java",
        sample: ["java-simple", "Java Simple"],
        files: sample!("java-simple", "Engine.java", "Sandboard.java"),
        guide: "languages.md",
        export: "`Sandboard.play(…)` in the main function of Engine.java",
        // Of which 128 MiB are for objects; a busy machine takes its time to start.
        makes: Makes::Program(Needs { memory_bytes: 384 << 20, start_ms: 20_000 }),
        tools: &[],
    },
];

impl Language {
    /// Its row.
    pub fn row(self) -> &'static Row {
        // A test holds that every language has one.
        LANGUAGES.iter().find(|row| row.language == self).unwrap_or(&LANGUAGES[0])
    }

    /// The one with this id.
    pub fn named(id: &str) -> Option<Language> {
        LANGUAGES.iter().find(|row| row.id == id).map(|row| row.language)
    }

    /// What the folder of an engine is written in: by its files, of which the first in the table counts.
    pub fn of(folder: &Path) -> Option<Language> {
        if folder.join("Cargo.toml").is_file() {
            return Some(Language::Rust);
        }
        let other = LANGUAGES.iter().filter(|row| row.language != Language::Rust);
        let mut main = other.filter(|row| folder.join(row.main).is_file());
        let found = main.next().map(|row| row.language);
        found.or_else(|| c::source(folder).map(|_| Language::C))
    }
}

impl Row {
    /// Builds the native library of a folder: its file, in `out`, named after the folder.
    pub fn native(&self, folder: &Path, out: &Path, how: Native) -> Result<PathBuf> {
        match self.language {
            Language::C | Language::Cpp => c::native(folder, out, how),
            Language::Zig => zig::native(folder, out, how),
            Language::Java => bail!("{}", self.only_a_program()),
            _ => bail!(
                "an engine in {} becomes a WebAssembly component only: build it with `--kind wasm`",
                self.name
            ),
        }
    }

    /// Builds the component of a folder: its bytes. What comes between goes into `scratch`. Tools that
    /// are not here are fetched; it says so.
    pub fn wasm(&self, folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
        std::fs::create_dir_all(scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        match self.language {
            Language::Rust => bail!("an engine in Rust is built by cargo"),
            Language::C | Language::Cpp => c::wasm(folder, &Clang::find()?, scratch),
            Language::Zig => zig::wasm(folder, scratch),
            Language::AssemblyScript => assembly_script::wasm(folder, scratch),
            Language::Go => go::wasm(folder, scratch),
            Language::JavaScript => javascript::wasm(folder, scratch),
            Language::Python => python::wasm(folder, scratch),
            Language::Java => bail!("{}", self.only_a_program()),
        }
    }

    /// Builds the program of a folder: its bytes. What comes between goes into `scratch`.
    pub fn program(&self, folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
        std::fs::create_dir_all(scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        match self.language {
            Language::Java => java::program(folder, scratch),
            _ => bail!("an engine in {} becomes no program of its own", self.name),
        }
    }

    fn only_a_program(&self) -> String {
        format!(
            "an engine in {} becomes a program of this system, which runs jailed: build it without `--kind`",
            self.name
        )
    }
}

/// The bytes of a file that a tool has written.
fn written(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        for row in LANGUAGES {
            assert_eq!(row.language.row().id, row.id);
            assert_eq!(Language::named(row.id), Some(row.language));
            assert_eq!(row.files[0].0, row.main);
            let text = row.files[0].1;
            let named = row.language == Language::Rust
                || row.sample.iter().all(|name| text.contains(&format!("\"{name}\"")));
            assert!(named, "{} does not name {:?}", row.main, row.sample);
        }
        assert_eq!(Language::named("cobol"), None);
    }

    #[test]
    fn a_folder_is_of_the_language_of_its_main_file() {
        let check = |names: &[&str], expected: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            names.iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
            assert_eq!(Language::of(folder.path()).map(|found| found.row().id), expected);
        };
        check(&["Cargo.toml", "engine.c"], Some("rust"));
        check(&["engine.c"], Some("c"));
        check(&["mine.c"], Some("c"));
        check(&["engine.cpp", "book.c"], Some("cpp"));
        check(&["engine.zig", "sandboard.zig"], Some("zig"));
        check(&["engine.ts"], Some("assemblyscript"));
        check(&["engine.go", "go.mod"], Some("go"));
        check(&["engine.js"], Some("javascript"));
        check(&["engine.py"], Some("python"));
        check(&["Engine.java", "Sandboard.java"], Some("java"));
        check(&["Sandboard.java"], None);
        check(&["engine.rb"], None);
        check(&["main.go"], None);
        check(&[], None);
    }
}
