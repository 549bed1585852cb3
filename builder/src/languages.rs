//! The languages of engines, as one table that detects folders, creates new ones and builds
//! modules. Each inner module runs the tools of one language. Java's makes a program; the others
//! make a component that imports only the engine interface.

mod assembly_script;
mod go;
mod java;
mod javascript;
mod python;
#[cfg(test)]
mod record_offsets;
mod zig;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::c::{self, Clang};
use crate::rust::NativeProfile;
use crate::tools::{self, Tool};

/// The language of an engine's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A crate that uses the SDK, which has the game's rules and a search.
    #[default]
    Rust,
    /// A file that uses the C header; the host provides the rules.
    C,
    /// A file that uses a C++ header with a search; the host provides the rules.
    Cpp,
    /// The file `engine.zig` beside `sandboard.zig`.
    Zig,
    /// The file `engine.ts` beside `sandboard.ts`.
    AssemblyScript,
    /// The file `engine.go` beside `sandboard.go`.
    Go,
    /// The file `engine.js` beside `sandboard.js`.
    JavaScript,
    /// The file `engine.py` beside `sandboard_engine.py`.
    Python,
    /// The class `Engine` beside `Sandboard.java`.
    Java,
}

/// The kinds of module that are built from engines in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildOutput {
    /// A WebAssembly component only.
    Component,
    /// A WebAssembly component, and a native library.
    ComponentAndLibrary,
    /// A native program that speaks the project's own text protocol and runs in a jail.
    Program(ProgramLimits),
}

/// The resources that a host must allow the program of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramLimits {
    /// The memory of the process, without libraries and stacks.
    pub memory_bytes: u64,
    /// The time from its start until it is ready for a game.
    pub start_ms: u64,
}

/// A language: a row of [`LANGUAGES`].
#[derive(Debug)]
pub struct LanguageInfo {
    /// The language that this row describes.
    pub language: Language,
    /// The name on the command line.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The file with the author's code. A folder with this file is an engine in this language.
    pub main_file: &'static str,
    /// The id and the name of the sample engine that is the template of new engines.
    pub sample_engine: [&'static str; 2],
    /// The files of the template with their texts, the main file first.
    pub template_files: &'static [(&'static str, &'static str)],
    /// The page in `docs/` for authors.
    pub guide_page: &'static str,
    /// The code that exports the engine, for messages to the author.
    pub export_hint: &'static str,
    /// The kinds of module that can be built.
    pub output: BuildOutput,
    /// The pinned tools that are fetched for it; empty if the system's compilers are used.
    pub tools: &'static [Tool],
}

/// The named files of a sample engine, with their texts.
macro_rules! sample {
    ($folder:literal, $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../embedded/sample-engines/", $folder, "/", $file)))),+]
    };
}

/// Every language, in the order of lists and help texts.
pub const LANGUAGES: &[LanguageInfo] = &[
    LanguageInfo {
        language: Language::Rust,
        id: "rust",
        name: "Rust",
        main_file: "src/lib.rs",
        sample_engine: ["random-mover", "Random Mover"],
        template_files: sample!("random-mover", "src/lib.rs"),
        guide_page: "authoring.md",
        export_hint: "`export_engine!(…);` at the end of src/lib.rs",
        output: BuildOutput::ComponentAndLibrary,
        tools: &[],
    },
    LanguageInfo {
        language: Language::C,
        id: "c",
        name: "C",
        main_file: "engine.c",
        sample_engine: ["c-minimal", "C Minimal"],
        template_files: sample!("c-minimal", "engine.c"),
        guide_page: "c.md",
        export_hint: "a function `sandboard_engine_v1` that is not static",
        output: BuildOutput::ComponentAndLibrary,
        tools: &[],
    },
    LanguageInfo {
        language: Language::Cpp,
        id: "cpp",
        name: "C++",
        main_file: "engine.cpp",
        sample_engine: ["cpp-simple", "C++ Simple"],
        template_files: sample!(
            "cpp-simple",
            "engine.cpp",
            "sandboard.hpp",
            "sandboard_search.hpp"
        ),
        guide_page: "languages.md",
        export_hint: "`SANDBOARD_ENGINE(…)` at the end of engine.cpp",
        output: BuildOutput::ComponentAndLibrary,
        tools: &[],
    },
    LanguageInfo {
        language: Language::Zig,
        id: "zig",
        name: "Zig",
        main_file: "engine.zig",
        sample_engine: ["zig-simple", "Zig Simple"],
        template_files: sample!("zig-simple", "engine.zig", "sandboard.zig"),
        guide_page: "languages.md",
        export_hint: "`sandboard.exportEngine(…)` in engine.zig",
        output: BuildOutput::ComponentAndLibrary,
        tools: &[tools::ZIG],
    },
    LanguageInfo {
        language: Language::AssemblyScript,
        id: "assemblyscript",
        name: "AssemblyScript",
        main_file: "engine.ts",
        sample_engine: ["assemblyscript-simple", "AssemblyScript Simple"],
        template_files: sample!("assemblyscript-simple", "engine.ts", "sandboard.ts"),
        guide_page: "languages.md",
        export_hint: "`export { … } from \"./sandboard\";` in engine.ts",
        output: BuildOutput::Component,
        tools: &[tools::ASSEMBLY_SCRIPT],
    },
    LanguageInfo {
        language: Language::Go,
        id: "go",
        name: "Go",
        main_file: "engine.go",
        sample_engine: ["go-simple", "Go Simple"],
        template_files: sample!("go-simple", "engine.go", "sandboard.go", "go.mod"),
        guide_page: "languages.md",
        export_hint: "the file sandboard.go",
        output: BuildOutput::Component,
        tools: &[tools::GO],
    },
    LanguageInfo {
        language: Language::JavaScript,
        id: "javascript",
        name: "JavaScript",
        main_file: "engine.js",
        sample_engine: ["javascript-simple", "JavaScript Simple"],
        template_files: sample!("javascript-simple", "engine.js", "sandboard.js"),
        guide_page: "languages.md",
        export_hint: "`export const engine = …` in engine.js",
        output: BuildOutput::Component,
        tools: &[tools::COMPONENTIZE_JS],
    },
    LanguageInfo {
        language: Language::Python,
        id: "python",
        name: "Python",
        main_file: "engine.py",
        sample_engine: ["python-simple", "Python Simple"],
        template_files: sample!("python-simple", "engine.py", "sandboard_engine.py"),
        guide_page: "languages.md",
        export_hint: "the class `Engine` in engine.py",
        output: BuildOutput::Component,
        tools: &[tools::COMPONENTIZE_PY],
    },
    LanguageInfo {
        language: Language::Java,
        id: "java",
        name: "Java",
        main_file: "Engine.java",
        sample_engine: ["java-simple", "Java Simple"],
        template_files: sample!("java-simple", "Engine.java", "Sandboard.java"),
        guide_page: "languages.md",
        export_hint: "`Sandboard.play(…)` in the main function of Engine.java",
        // 128 MiB of the memory are for objects. A busy machine needs long to start a Java virtual
        // machine.
        output: BuildOutput::Program(ProgramLimits { memory_bytes: 384 << 20, start_ms: 20_000 }),
        tools: &[],
    },
];

impl Language {
    /// The row of this language.
    pub fn info(self) -> &'static LanguageInfo {
        // A test checks that every language has a row.
        LANGUAGES.iter().find(|row| row.language == self).unwrap_or(&LANGUAGES[0])
    }

    /// The language with this id.
    pub fn from_id(id: &str) -> Option<Language> {
        LANGUAGES.iter().find(|row| row.id == id).map(|row| row.language)
    }

    /// Detects the language of an engine's folder by its files. If several languages match, the
    /// first in the table is taken.
    pub fn detect(folder: &Path) -> Option<Language> {
        if folder.join("Cargo.toml").is_file() {
            return Some(Language::Rust);
        }
        let other = LANGUAGES.iter().filter(|row| row.language != Language::Rust);
        let mut main = other.filter(|row| folder.join(row.main_file).is_file());
        let found = main.next().map(|row| row.language);
        found.or_else(|| c::find_main_file(folder).map(|_| Language::C))
    }
}

impl LanguageInfo {
    /// Builds the native library of a folder into `out`; returns its path. The file has the name of
    /// the folder.
    pub fn build_library(&self, folder: &Path, out: &Path, how: NativeProfile) -> Result<PathBuf> {
        match self.language {
            Language::C | Language::Cpp => c::build_library(folder, out, how),
            Language::Zig => zig::build_library(folder, out, how),
            Language::Java => bail!("{}", self.only_a_program()),
            _ => bail!(
                "an engine in {} is built to a WebAssembly component only: use `--kind wasm`",
                self.name
            ),
        }
    }

    /// Builds the component of a folder; returns its bytes. Intermediate files are in `scratch`.
    /// Missing tools are fetched, with a message.
    pub fn build_component(&self, folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
        std::fs::create_dir_all(scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        match self.language {
            Language::Rust => bail!("an engine in Rust is built by cargo"),
            Language::C | Language::Cpp => c::build_component(folder, &Clang::find()?, scratch),
            Language::Zig => zig::build_component(folder, scratch),
            Language::AssemblyScript => assembly_script::build_component(folder, scratch),
            Language::Go => go::build_component(folder, scratch),
            Language::JavaScript => javascript::build_component(folder, scratch),
            Language::Python => python::build_component(folder, scratch),
            Language::Java => bail!("{}", self.only_a_program()),
        }
    }

    /// Builds the component of the rules of a game; returns its bytes. Intermediate files are in
    /// `scratch`.
    pub fn build_game(&self, folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
        match self.language {
            Language::Rust => bail!("a game in Rust is built by cargo"),
            Language::C => c::build_game(folder, &Clang::find()?, scratch),
            _ => bail!("the rules of a game are written in Rust or C, not in {}", self.name),
        }
    }

    /// Builds the program of a folder; returns its bytes. Intermediate files are in `scratch`.
    pub fn build_program(&self, folder: &Path, scratch: &Path) -> Result<Vec<u8>> {
        std::fs::create_dir_all(scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        match self.language {
            Language::Java => java::build_program(folder, scratch),
            _ => bail!("an engine in {} is not built to a program", self.name),
        }
    }

    fn only_a_program(&self) -> String {
        format!(
            "an engine in {} is built to a program, which runs in a jail: build it without `--kind`",
            self.name
        )
    }
}

/// Reads a file that a tool has written.
fn read_output(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete() {
        for row in LANGUAGES {
            assert_eq!(row.language.info().id, row.id);
            assert_eq!(Language::from_id(row.id), Some(row.language));
            assert_eq!(row.template_files[0].0, row.main_file);
            let text = row.template_files[0].1;
            let named = row.language == Language::Rust
                || row.sample_engine.iter().all(|name| text.contains(&format!("\"{name}\"")));
            assert!(named, "{} does not name {:?}", row.main_file, row.sample_engine);
        }
        assert_eq!(Language::from_id("cobol"), None);
    }

    #[test]
    fn the_main_file_determines_the_language() {
        let check = |names: &[&str], expected: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            names.iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
            assert_eq!(Language::detect(folder.path()).map(|found| found.info().id), expected);
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
