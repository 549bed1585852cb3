//! The built-in rules of reversi as a component, built from a folder as that of any author.

use std::fs;

use sandboard_builder::SourceFolder;

const LIBRARY: &str =
    "sandboard_game_sdk::export_game!(sandboard_game_sdk::games::reversi::Reversi);\n";

/// Builds the component in the target folder; its bytes.
pub(crate) fn build() -> Vec<u8> {
    let root = sandboard_tests::root();
    let folder = root.join("target").join("playouts").join("reversi");
    let sdk = root.join("game-sdk");
    let manifest = format!(
        "[package]\nname = \"reversi-component\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nsandboard-game-sdk = {{ path = {sdk:?} }}\n\n[workspace]\n"
    );
    fs::create_dir_all(folder.join("src")).expect("the target folder can be written");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file can be written");
    fs::write(folder.join("src").join("lib.rs"), LIBRARY).expect("a file can be written");
    // The same versions of libraries as here.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file can be copied");
    let source = SourceFolder::open(&folder).expect("the folder has a crate");
    source.build_component().expect("it builds")
}
