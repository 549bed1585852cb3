//! The manifest that an author writes into a source folder: which module its game is, and which
//! assets belong to the pack. Builds nothing.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use sandboard_builder::SourceFolder;
use sandboard_common::files::{read_regular, write_atomically};
use sandboard_games::Games;

use crate::manifest::{self, FILE_NAME, Manifest, PackFault};

/// The manifest of a source folder.
pub(super) struct OwnManifest {
    /// The bytes of the file.
    pub(super) text: Vec<u8>,
    manifest: Manifest,
}

impl OwnManifest {
    /// Reads the manifest of a source folder, if there is one. Err: the whole manifest is rejected.
    pub(super) fn read(source: &SourceFolder, games: &Games) -> Result<Option<Self>> {
        let file = source.folder().join(FILE_NAME);
        if !file.is_file() {
            return Ok(None);
        }
        let text = read_regular(&file, u64::MAX)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(text, games)
            .with_context(|| format!("nothing was built: {} cannot be used", file.display()))
            .map(Some)
    }

    fn parse(text: Vec<u8>, games: &Games) -> Result<Self> {
        let manifest = manifest::parse(Path::new(FILE_NAME), &text, games);
        ensure!(manifest.faults.is_empty(), "its faults:{}", lines(manifest.faults.iter()));
        Ok(Self { text, manifest })
    }

    /// Whether the manifest has a game.
    pub(super) fn has_game(&self) -> bool {
        !self.manifest.game_rules.is_empty()
    }

    /// The file that the component of the game goes into, relative to the pack; none if the
    /// manifest has no game. Err: the game has a fault, or the manifest names other modules, too,
    /// which the source of the game does not make.
    pub(super) fn game_component(&self) -> Result<Option<&str>> {
        let Manifest { game_rules, engines, .. } = &self.manifest;
        if !self.has_game() {
            return Ok(None);
        }
        let faults = || game_rules.iter().flat_map(|rules| &rules.faults);
        if faults().next().is_some() {
            bail!("nothing was built: the game cannot be used:{}", lines(faults()));
        }
        let of_games = game_rules.iter().filter_map(|rules| rules.module.as_ref());
        let of_engines = engines.iter().filter_map(|engine| engine.module.as_ref());
        let files: BTreeSet<&str> =
            of_games.chain(of_engines).map(|module| module.text.as_str()).collect();
        let named = files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
        ensure!(
            files.len() <= 1,
            "{FILE_NAME} names {} modules ({named}), so it cannot be built by this command: one \
             source folder builds one module; give each engine and each game a folder of its own",
            files.len()
        );
        Ok(files.into_iter().next())
    }

    /// Copies the assets that the manifest names. `from` must be canonical.
    pub(super) fn copy_assets(&self, from: &Path, to: &Path) -> Result<()> {
        let assets = self.manifest.engines.iter().flat_map(|engine| &engine.assets);
        for path in assets.map(|asset| &asset.path.text) {
            // A missing file, or a link that leads out of the folder, is reported later as a fault
            // of the pack, with its line.
            let inside = fs::canonicalize(from.join(path)).is_ok_and(|file| file.starts_with(from));
            if inside && let Ok(bytes) = read_regular(&from.join(path), u64::MAX) {
                let file = to.join(path);
                fs::create_dir_all(file.parent().unwrap_or(to))
                    .with_context(|| format!("cannot create the folder of {}", file.display()))?;
                write_atomically(&file, &bytes)?;
            }
        }
        Ok(())
    }
}

/// The faults, each in a line of its own after the previous text.
pub(super) fn lines<'a>(faults: impl Iterator<Item = &'a PackFault>) -> String {
    faults.fold(String::new(), |mut text, fault| {
        let _ = write!(text, "\n  {fault}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "<GameRules id=\"nim\" version=\"1\" module=\"nim.wasm\" sides=\"a b\">\
                         <Variant id=\"normal\"/></GameRules>";

    /// A manifest with these elements: the file of its game, or the error.
    fn component(elements: &str) -> Result<Option<String>, String> {
        let text = format!("<EngineConfigs abi=\"1\">{elements}</EngineConfigs>");
        let own = OwnManifest::parse(text.into_bytes(), &Games::default());
        let file = own.and_then(|own| Ok(own.game_component()?.map(str::to_owned)));
        file.map_err(|error| format!("{error:#}"))
    }

    fn engine(module: &str) -> String {
        format!(
            "<Engine id=\"e\" version=\"1\" kind=\"wasm\" module=\"{module}\"><Game id=\"nim\"/>\
             </Engine>"
        )
    }

    #[test]
    fn the_manifest_names_the_component_of_its_game() {
        let check = |elements: &str, expected: Option<&str>| {
            assert_eq!(component(elements), Ok(expected.map(str::to_owned)), "{elements}");
        };
        check(RULES, Some("nim.wasm"));
        check(&RULES.replace("nim.wasm", "wasm/rules.wasm"), Some("wasm/rules.wasm"));
        check(&engine("e.wasm"), None);
        // The faults of engines are found in the pack.
        check(&[RULES, &engine("nim.wasm")].concat(), Some("nim.wasm"));
        check(&[RULES, &RULES.replace("\"nim\"", "\"misere\"")].concat(), Some("nim.wasm"));
    }

    #[test]
    fn manifests_that_no_build_can_fulfil_are_refused() {
        let check = |elements: &str, expected: &str| {
            let error = component(elements).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(&[RULES, &engine("e.wasm")].concat(), "names 2 modules (`e.wasm`, `nim.wasm`)");
        check(&[RULES, &engine("e.wasm")].concat(), "cannot be built by this command");
        check(&RULES.replace("module=\"nim.wasm\"", ""), "EngineConfigs.xml:1: GameRules");
        check(&RULES.replace("nim.wasm", "../nim.wasm"), "GameRules/@module");
        check(&RULES.replace("\"nim\"", "\"gomoku\""), "`gomoku` is the id of a built-in game");
        check(&RULES.replace("</GameRules>", ""), "malformed XML");
    }
}
