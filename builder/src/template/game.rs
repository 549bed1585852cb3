//! The folder of a new game that is plugged in: the sample game with other names.

use std::path::Path;

use anyhow::Result;

use super::names::{camel, check_name, check_type, title};
use super::new_folder::{NewFolder, put};
use super::{AUTHOR, SdkLocation, link};

const CARGO_TOML: &str = include_str!("../../templates/game-Cargo.toml.txt");
const README: &str = include_str!("../../templates/game-README.md.txt");

/// The id, the name and the type of the sample game.
const SAMPLE: [&str; 3] = ["connect-four", "Connect Four", "ConnectFour"];

/// The named file of the sample game, with its text.
macro_rules! sample {
    ($file:literal) => {
        ($file, include_str!(concat!("../../embedded/sample-games/connect-four/", $file)))
    };
}

/// The files of the sample game, except for the manifest of the crate.
const FILES: [(&str, &str); 3] =
    [sample!("src/lib.rs"), sample!("src/tests.rs"), sample!("EngineConfigs.xml")];

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

/// A new game that is plugged in, before its folder is written. Its source is in Rust.
#[derive(Clone, Debug)]
pub struct GameTemplate {
    /// The game's id, which is also the name of a crate.
    pub name: String,
    /// The location of the SDK.
    pub sdk: SdkLocation,
}

impl GameTemplate {
    /// The file with the rules, relative to the folder.
    pub const MAIN_FILE: &str = FILES[0].0;

    /// Creates the folder, which must not exist. After an error nothing is left behind.
    pub fn write(&self, folder: &Path) -> Result<()> {
        check_name(&self.name, "a game")?;
        check_type(&self.name, USED_TYPES)?;
        let target = NewFolder::at(folder)?;
        let root = target.path_to_clone(&self.sdk, &self.name)?;
        target.write(|folder| self.fill(folder, root.as_deref()))
    }

    fn fill(&self, folder: &Path, root: Option<&str>) -> Result<()> {
        put(folder, "README.md", &self.readme(root))?;
        put(folder, ".gitignore", "/target/\n")?;
        for (name, text) in FILES {
            put(folder, name, &self.rename_sample(text))?;
        }
        let sdk = self.sdk.dependency("game-sdk", root);
        let manifest = CARGO_TOML.replace("@NAME@", &self.name).replace("@SDK@", &sdk);
        put(folder, "Cargo.toml", &manifest)?;
        self.sdk.write_into(folder)
    }

    fn readme(&self, root: Option<&str>) -> String {
        [
            ("@NAME@", self.name.as_str()),
            ("@TITLE@", &title(&self.name)),
            ("@SANDBOARD@", &link("Sandboard", "README.md", root)),
            ("@GUIDE@", &link("The guide", "docs/games.md", root)),
            ("@MANIFEST@", &link("The reference", "docs/manifest.md", root)),
        ]
        .iter()
        .fold(README.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }

    /// The text of the sample game with other names, and without an author.
    fn rename_sample(&self, text: &str) -> String {
        let names = [self.name.clone(), title(&self.name), camel(&self.name)];
        // Old names differ in case or spaces, so no new name contains one that is replaced later.
        let pairs = SAMPLE.iter().zip(&names);
        let text = text.replace(AUTHOR, "\"\"").replace("docs/manifest.md", "README.md");
        pairs.fold(text, |text, (old, new)| text.replace(old, new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(name: &str, sdk: SdkLocation) -> GameTemplate {
        GameTemplate { name: name.into(), sdk }
    }

    fn clone() -> SdkLocation {
        SdkLocation::Clone(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
    }

    #[test]
    fn the_template_is_filled() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        template("my-game", clone()).write(&folder).unwrap();
        let check = |file: &str, parts: &[&str]| {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            for part in parts {
                assert!(text.contains(part), "{part} is not in\n{text}");
            }
            for mark in [SAMPLE[0], SAMPLE[2], "Sandboard developers", "@NAME@", "@SDK@"] {
                assert!(!text.contains(mark), "{mark} is in\n{text}");
            }
        };
        check("Cargo.toml", &["name = \"my-game\"", "/game-sdk\" }", "default = [\"export\"]"]);
        check(
            "src/lib.rs",
            &["//! My Game: ", "\"my-game\",", "pub struct MyGame {", "export_game!(MyGame);"],
        );
        check("src/tests.rs", &["MyGame::start("]);
        let rules = "<GameRules id=\"my-game\" name=\"My Game\" author=\"\" version=\"0.1.0\"";
        check("EngineConfigs.xml", &[rules, "module=\"my-game.wasm\""]);
        check("README.md", &["# My Game", "sandboard play my-game --seat human --seat human"]);
        assert!(folder.join("Cargo.lock").is_file());
        assert!(folder.join(GameTemplate::MAIN_FILE).is_file());
    }

    #[test]
    fn names_are_replaced_once() {
        let check = |name: &str, expected: &str| {
            let text =
                template(name, clone()).rename_sample("connect-four Connect Four ConnectFour");
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
            template(name, sdk).write(&folder).unwrap();
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
        let check = |name: &str, folder: &Path, expected: &str| {
            let error = template(name, clone()).write(&folder.join(name)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        check("My Game", temp.path(), "is no name for a game");
        check("human", temp.path(), "is a reserved name");
        check("variant", temp.path(), "would be the Rust type `Variant`");
        check("mine", &temp.path().join("missing"), "there is no folder");
        check("mine", &samples, "sample-games/ has the project's own games");
        check("src", &samples.join("connect-four"), "already exists");
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
