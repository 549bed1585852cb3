//! Puts together the files of a page that plays against one engine without a server, for
//! `sandboard publish`. It writes no file.

use std::collections::BTreeMap;

use sandboard_abi::Description;
use sandboard_common::hex::sha256_hex;
use sandboard_games::GameInfo;
use sandboard_packs::catalog::{Entry, GameEntry};
use sandboard_packs::pack_files::EngineFiles;
use serde_json::{Value, json};

use super::client;
use super::engines::{EngineGame, card};
use super::http::games::game as game_card;

/// What a page plays.
pub struct PublishedPage<'a> {
    /// The title of the page.
    pub title: &'a str,
    pub game: &'static GameInfo,
    /// The rules of the game, if they are plugged in, with their module.
    pub rules: Option<(&'a GameEntry, Vec<u8>)>,
    pub entry: &'a Entry,
    /// The engine's description of itself.
    pub description: &'a Description,
    pub files: EngineFiles,
    /// The options that are set in every game.
    pub options: &'a [(String, String)],
    /// What a move at full strength may use, in units of fuel.
    pub fuel: u64,
}

/// A file of a page, with its path in the page's folder.
pub struct PageFile {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The page was not built into this program.
    #[error(
        "this program was built without the page that is published; `cargo xtask web` builds the \
         page, then build the program again"
    )]
    NotBuilt,
    /// The start position of the game cannot be set up.
    #[error(transparent)]
    Rules(#[from] sandboard_games::SetupError),
}

/// The file that describes the others.
pub const DESCRIPTION_FILE: &str = "page.json";
/// The title in the page as it was built.
const BUILT_TITLE: &str = "<title>Sandboard</title>";

impl PublishedPage<'_> {
    /// The files of the page.
    pub fn into_files(self) -> Result<Vec<PageFile>, PublishError> {
        let mut files = Vec::new();
        for (path, bytes) in client::published_files() {
            let bytes = match path {
                "index.html" => with_title(bytes, self.title),
                _ => bytes.to_vec(),
            };
            files.push(PageFile { path: path.to_owned(), bytes });
        }
        if files.is_empty() {
            return Err(PublishError::NotBuilt);
        }
        let start = (self.game.new)(&self.game.default_variant(), None)?.position();
        let id = self.entry.id.clone();
        let mut engine = card(self.entry, id, Some(self.description), None);
        engine.games.retain(|EngineGame { id, .. }| id == self.game.id);
        let mut assets = serde_json::Map::new();
        for (index, (name, bytes)) in self.files.assets.into_iter().enumerate() {
            let path = format!("engine-file-{index}");
            assets.insert(name, Value::String(path.clone()));
            files.push(PageFile { path, bytes });
        }
        files.push(PageFile { path: "engine.wasm".into(), bytes: self.files.module });
        let rules = self.rules.map(|(entry, bytes)| {
            files.push(PageFile { path: "rules.wasm".into(), bytes });
            json!({ "description": entry.description(), "file": "rules.wasm" })
        });
        let description = json!({
            "title": self.title,
            "game": game_card(self.game, start),
            "engine": engine,
            "module": "engine.wasm",
            "assets": assets,
            "rules": rules,
            "options": self.options.iter().cloned().collect::<BTreeMap<_, _>>(),
            "fuel": self.fuel,
        });
        let bytes = format!("{description:#}\n").into_bytes();
        files.push(PageFile { path: DESCRIPTION_FILE.into(), bytes });
        add_cache_list(&mut files, &self.entry.id);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }
}

/// The page with another title.
fn with_title(page: &[u8], title: &str) -> Vec<u8> {
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let page = String::from_utf8_lossy(page);
    page.replace(BUILT_TITLE, &format!("<title>{title}</title>")).into_bytes()
}

/// Writes into the service worker which files it keeps, and a name that changes with them.
fn add_cache_list(files: &mut [PageFile], engine: &str) {
    let kept = files.iter().filter(|file| file.path != "service-worker.js");
    let hashes: String = kept.clone().map(|file| sha256_hex(&file.bytes)).collect();
    let paths: Vec<&str> = kept.map(|file| file.path.as_str()).chain(["./"]).collect();
    let cache = format!("sandboard {engine} {}", &sha256_hex(hashes.as_bytes())[..16]);
    let constants = format!("const CACHE = {};\nconst FILES = {};\n", json!(cache), json!(paths));
    if let Some(worker) = files.iter_mut().find(|file| file.path == "service-worker.js") {
        worker.bytes.splice(0..0, constants.into_bytes());
    }
}
