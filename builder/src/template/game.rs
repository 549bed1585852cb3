//! The folder of a new game that is plugged in: a sample game with other names.

use std::path::Path;

use anyhow::{Result, bail};

use super::names::{camel, check_name, check_type, title};
use super::new_folder::{NewFolder, put};
use super::{AUTHOR, SdkLocation, link};
use crate::c;
use crate::languages::Language;

const CARGO_TOML: &str = include_str!("../../templates/game-Cargo.toml.txt");

/// The template of games in one language: a sample game.
struct Sample {
    /// Its id, its name and, in Rust, its type.
    names: &'static [&'static str],
    /// Its files with their texts, except for the manifest of a crate; the rules first.
    files: &'static [(&'static str, &'static str)],
    /// The README of new games.
    readme: &'static str,
}

/// The named files of a sample game, with their texts.
macro_rules! sample {
    ($folder:literal, $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../embedded/sample-games/", $folder, "/", $file)))),+]
    };
}

const IN_RUST: Sample = Sample {
    names: &["connect-four", "Connect Four", "ConnectFour"],
    files: sample!("connect-four", "src/lib.rs", "src/tests.rs", "EngineConfigs.xml"),
    readme: include_str!("../../templates/game-README.md.txt"),
};
const IN_C: Sample = Sample {
    names: &["liars-dice", "Liar's dice"],
    files: sample!("liars-dice", "game.c", "EngineConfigs.xml"),
    readme: include_str!("../../templates/game-c-README.md.txt"),
};

/// Types of the template, which the game's type must not hide.
const USED_TYPES: &[&str] = &[
    "Board",
    "Color",
    "DynGame",
    "GameInfo",
    "Grid",
    "HighlightKind",
    "MoveSet",
    "Observer",
    "Outcome",
    "PositionError",
    "PositionFault",
    "Rules",
    "Seat",
    "Side",
    "SplitMix64",
    "Variant",
    "VariantInfo",
];

/// A new game that is plugged in, before its folder is written.
#[derive(Clone, Debug)]
pub struct GameTemplate {
    /// The language of its source: Rust or C.
    pub language: Language,
    /// The game's id, which in Rust is also the name of a crate.
    pub name: String,
    /// The location of the SDK.
    pub sdk: SdkLocation,
}

impl GameTemplate {
    /// Creates the folder, which must not exist. After an error nothing is left behind. Err: a name
    /// or a folder that cannot be used, or a language in which no game can be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        check_name(&self.name, "a game")?;
        let sample = self.sample()?;
        if self.language == Language::Rust {
            check_type(&self.name, USED_TYPES)?;
        }
        let target = NewFolder::at(folder)?;
        let root = target.path_to_clone(&self.sdk, &self.name)?;
        target.write(|folder| self.fill(sample, folder, root.as_deref()))
    }

    fn sample(&self) -> Result<&'static Sample> {
        match self.language {
            Language::Rust => Ok(&IN_RUST),
            Language::C => Ok(&IN_C),
            other => bail!("games are written in Rust or C, not in {}", other.info().name),
        }
    }

    fn fill(&self, sample: &Sample, folder: &Path, root: Option<&str>) -> Result<()> {
        put(folder, "README.md", &self.readme(sample, root))?;
        put(folder, ".gitignore", "/target/\n")?;
        for (name, text) in sample.files {
            put(folder, name, &self.rename_sample(sample, text))?;
        }
        if self.language == Language::C {
            let (header, text) = c::GAME_HEADER;
            return put(folder, header, text);
        }
        let sdk = self.sdk.dependency("game-sdk", root);
        let manifest = CARGO_TOML.replace("@NAME@", &self.name).replace("@SDK@", &sdk);
        put(folder, "Cargo.toml", &manifest)?;
        self.sdk.write_into(folder)
    }

    /// The file with the rules, relative to the folder. Err: as in [`Self::write`].
    pub fn main_file(&self) -> Result<&'static str> {
        Ok(self.sample()?.files[0].0)
    }

    fn readme(&self, sample: &Sample, root: Option<&str>) -> String {
        [
            ("@NAME@", self.name.as_str()),
            ("@TITLE@", &title(&self.name)),
            ("@SANDBOARD@", &link("Sandboard", "README.md", root)),
            ("@GUIDE@", &link("The guide", "docs/games.md", root)),
            ("@MANIFEST@", &link("The reference", "docs/manifest.md", root)),
        ]
        .iter()
        .fold(sample.readme.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }

    /// A text of the sample game with other names, and without an author.
    fn rename_sample(&self, sample: &Sample, text: &str) -> String {
        let names = [self.name.clone(), title(&self.name), camel(&self.name)];
        // Old names differ in case or spaces, so no new name contains one that is replaced later.
        let pairs = sample.names.iter().zip(&names);
        let text = text.replace(AUTHOR, "\"\"").replace("docs/manifest.md", "README.md");
        pairs.fold(text, |text, (old, new)| text.replace(old, new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(language: Language, name: &str, sdk: SdkLocation) -> GameTemplate {
        GameTemplate { language, name: name.into(), sdk }
    }

    fn clone() -> SdkLocation {
        SdkLocation::Clone(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
    }

    /// Writes a game called `my-game`; each file has these parts, and none of the sample's names.
    fn check_filled(language: Language, files: &[(&str, &[&str])]) {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        let template = template(language, "my-game", clone());
        template.write(&folder).unwrap();
        assert_eq!(Language::detect(&folder), Some(language));
        assert!(folder.join(template.main_file().unwrap()).is_file());
        assert_eq!(folder.join("Cargo.lock").is_file(), language == Language::Rust);
        for (file, parts) in files {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            for part in *parts {
                assert!(text.contains(part), "{part} is not in\n{text}");
            }
            let marks = ["Sandboard developers", "@NAME@", "@SDK@"];
            for mark in template.sample().unwrap().names.iter().chain(&marks) {
                assert!(!text.contains(mark), "{mark} is in\n{text}");
            }
        }
    }

    #[test]
    fn the_templates_are_filled() {
        let rules = "<GameRules id=\"my-game\" name=\"My Game\" author=\"\" version=\"0.1.0\"";
        let manifest = ("EngineConfigs.xml", &[rules, "module=\"my-game.wasm\""][..]);
        let play = "sandboard play my-game --seat human --seat human";
        let readme = ("README.md", &["# My Game", play][..]);
        let cargo = ["name = \"my-game\"", "/game-sdk\" }", "default = [\"export\"]"];
        let rust =
            ["//! My Game: ", "\"my-game\",", "pub struct MyGame {", "export_game!(MyGame);"];
        check_filled(
            Language::Rust,
            &[
                ("Cargo.toml", &cargo),
                ("src/lib.rs", &rust),
                ("src/tests.rs", &["MyGame::start("]),
                manifest,
                readme,
            ],
        );
        let c = ["/* My Game for two players.", "#include \"sandboard_game_v1.h\""];
        check_filled(
            Language::C,
            &[("game.c", &c), ("sandboard_game_v1.h", &["int game_start("]), manifest, readme],
        );
    }

    #[test]
    fn names_are_replaced_once() {
        let check = |name: &str, expected: &str| {
            let text = template(Language::Rust, name, clone())
                .rename_sample(&IN_RUST, "connect-four Connect Four ConnectFour");
            assert_eq!(text, expected);
        };
        check("nim", "nim Nim Nim");
        check("connect-four-2", "connect-four-2 Connect Four 2 ConnectFour2");
        check("big-connect-four", "big-connect-four Big Connect Four BigConnectFour");
    }

    #[test]
    fn the_sdk_is_found_in_each_location() {
        let temp = tempfile::tempdir().unwrap();
        let check = |sdk: SdkLocation, name: &str, dependency: &str, copied: bool| {
            let folder = temp.path().join(name);
            template(Language::Rust, name, sdk).write(&folder).unwrap();
            let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            assert!(text.contains(&format!("sandboard-game-sdk = {dependency}\n")), "{text}");
            assert_eq!(folder.join("sandboard/game-sdk/src/lib.rs").is_file(), copied);
        };
        let files: &[(&str, &str)] = &[("Cargo.lock", ""), ("game-sdk/src/lib.rs", "")];
        check(SdkLocation::Files(files), "a", "{ path = \"sandboard/game-sdk\" }", true);
        check(SdkLocation::Version("0.1.0"), "b", "\"0.1.0\"", false);
    }

    #[test]
    fn unusable_names_and_folders_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-games");
        let check = |language, name: &str, folder: &Path, expected: &str| {
            let template = template(language, name, clone());
            let error = template.write(&folder.join(name)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        let (rust, c, folder) = (Language::Rust, Language::C, temp.path());
        check(rust, "My Game", folder, "is no name for a game");
        check(c, "My Game", folder, "is no name for a game");
        check(rust, "human", folder, "is a reserved name");
        check(rust, "variant", folder, "would be the Rust type `Variant`");
        check(rust, "mine", &folder.join("missing"), "there is no folder");
        check(rust, "mine", &samples, "sample-games/ has the project's own games");
        check(rust, "src", &samples.join("connect-four"), "already exists");
        check(Language::Go, "mine", folder, "games are written in Rust or C, not in Go");
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
        // A game in C has no Rust type.
        template(c, "variant", clone()).write(&folder.join("any")).unwrap();
    }
}
