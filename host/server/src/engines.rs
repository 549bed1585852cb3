//! The engines folder as the API shows it: listed from the catalog at once, completed by the
//! engines' own descriptions when they are known. Changes are sent to the lobby.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use sandboard_abi::{Abilities, Description, Kind as OptionKind, OptionSpec};
use serde::Serialize;
use utoipa::ToSchema;

use super::engine_provider::EngineProvider;
use super::hub::Hub;
use super::upload;
use super::wire::message;
use sandboard_engine::Caps;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::manifest::{ModuleKind, PackFault};

/// An engine that can be played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct EngineCard {
    /// The name that seats refer to: the id, or the id and the version.
    pub id: String,
    /// The name for people.
    pub name: String,
    pub version: String,
    pub author: String,
    /// The engine's own description.
    pub description: String,
    /// `wasm`, `native` or `external`.
    pub kind: &'static str,
    /// `play`, or `test`: not offered as an opponent.
    pub purpose: &'static str,
    /// The SHA-256 of the module.
    pub sha256: String,
    /// The games that it plays.
    pub games: Vec<EngineGame>,
    /// The options that can be set.
    pub options: Vec<OptionCard>,
    /// What it can do beyond choosing moves.
    pub abilities: Vec<&'static str>,
    /// The memory limit, in bytes.
    pub memory_bytes: u64,
    /// The most search threads.
    pub threads_max: u16,
    /// The uploaded file that contains the engine, and that can be deleted; null: none.
    pub uploaded_file: Option<String>,
}

/// A game that an engine plays.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct EngineGame {
    pub id: String,
    /// The supported variants; null: all.
    pub variants: Option<Vec<String>>,
}

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OptionCard {
    pub name: String,
    /// `check`, `spin`, `float`, `combo` or `string`.
    pub r#type: &'static str,
    /// The default value.
    pub default: String,
    /// The smallest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The allowed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// A description in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub help: String,
    /// Whether it is a weight that `sandboard tune` may vary.
    pub tunable: bool,
}

/// Something in the folder that cannot be used.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Unusable {
    /// The id and version, if known.
    pub name: String,
    /// Its path in the folder.
    pub location: String,
    /// What is wrong with it.
    pub reasons: Vec<String>,
    /// The uploaded file that contains it, and that can be deleted; null: none.
    pub uploaded_file: Option<String>,
}

/// An engine that runs only if the operator trusts it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Untrusted {
    pub id: String,
    /// `native` or `external`.
    pub kind: &'static str,
    /// Its path in the folder.
    pub path: String,
    /// The SHA-256 of the module.
    pub sha256: String,
    /// Why it does not run yet.
    pub reasons: Vec<String>,
    /// The uploaded file that contains the engine, and that can be deleted; null: none.
    pub uploaded_file: Option<String>,
}

/// The contents of the engines folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Listing {
    /// Engines that can be played.
    pub engines: Vec<EngineCard>,
    /// Files that cannot be used.
    pub unusable: Vec<Unusable>,
    /// Engines that need the operator's trust first.
    pub needs_trust: Vec<Untrusted>,
}

/// The most threads that any engine may have.
const THREADS_MAX: u16 = 64;

/// The server's list of engines; see the [module](self).
pub(crate) struct EngineRegistry {
    engine_provider: Arc<dyn EngineProvider>,
    state: Mutex<State>,
    /// Held during a rescan: one at a time.
    rescanning: Mutex<()>,
}

#[derive(Default)]
struct State {
    listing: Arc<Listing>,
    /// The engines' own descriptions, by module hash and id.
    described: HashMap<(String, String), Description>,
}

impl EngineRegistry {
    /// Creates an empty registry; [`rescan`](Self::rescan) fills it.
    pub(crate) fn new(engine_provider: Arc<dyn EngineProvider>) -> Self {
        Self { engine_provider, state: Mutex::default(), rescanning: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current listing.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        self.state().listing.clone()
    }

    /// Returns the listing as a message for the lobby.
    pub(crate) fn listing_message(&self) -> Utf8Bytes {
        message(None, Some("engines"), &*self.listing()).into()
    }

    /// Returns the id that records use for an engine, and its version if several versions are in
    /// the folder.
    pub(crate) fn find_engine(&self, name: &str) -> Option<(String, Option<String>)> {
        let entries = self.engine_provider.catalog().entries;
        let entry = entries.iter().find(|entry| display_id(entry, &entries) == name);
        let found = entry.map(|entry| {
            let version = (name != entry.id).then(|| entry.version.clone());
            (entry.id.clone(), version)
        });
        let of_id = || entries.iter().any(|entry| entry.id == name);
        found.or_else(|| of_id().then(|| (name.to_owned(), None)))
    }

    /// Returns the usable engine of a name, as the listing has it, if it may run.
    pub(crate) fn entry(&self, name: &str) -> Option<Entry> {
        let entries = self.engine_provider.catalog().entries;
        let is_named = |entry: &&Entry| {
            entry.is_usable() && self.may_run(entry) && display_id(entry, &entries) == name
        };
        entries.iter().find(is_named).cloned()
    }

    /// Returns the engines that a file of the folder contains.
    pub(crate) fn engines_of(&self, file: &str) -> Vec<String> {
        let entries = self.engine_provider.catalog().entries;
        let of_file = |entry: &&Entry| file_of(&entry.source.to_string_lossy()) == file;
        entries.iter().filter(of_file).map(|entry| display_id(entry, &entries)).collect()
    }

    /// Rescans the folder, publishes changes, and asks new engines for their descriptions. Blocks:
    /// it loads modules.
    pub(crate) fn rescan(&self, hub: &Hub) {
        let _one = self.rescanning.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(problem) = self.engine_provider.rescan() {
            hub.notify_operator("warning", problem.detail);
            return;
        }
        hub.games.replace(self.engine_provider.catalog().games);
        self.publish_listing(hub);
        let is_described = |entry: &Entry| self.state().described.contains_key(&key(entry));
        let entries = self.engine_provider.catalog().entries;
        for entry in entries.iter().filter(|it| it.is_usable() && self.may_run(it)) {
            if !is_described(entry)
                && let Ok(description) = self.engine_provider.describe(entry)
            {
                self.state().described.insert(key(entry), description);
            }
        }
        self.publish_listing(hub);
    }

    fn may_run(&self, entry: &Entry) -> bool {
        !entry.needs_trust() || self.engine_provider.is_trusted(&entry.sha256)
    }

    /// Builds the listing from the catalog; sends it to the lobby if it has changed.
    fn publish_listing(&self, hub: &Hub) {
        let Catalog { entries, game_entries, .. } = self.engine_provider.catalog();
        let uploads = upload::list_uploads(self.engine_provider.folder());
        let uploaded = |location: &str| uploads.get(file_of(location)).cloned();
        let unusable = |id: &str, version: &str, source: &Path, faults: &[PackFault]| {
            let location = source.to_string_lossy().into_owned();
            Unusable {
                name: format!("{id} {version}").trim().to_owned(),
                uploaded_file: uploaded(&location),
                location,
                reasons: faults.iter().map(ToString::to_string).collect(),
            }
        };
        let mut state = self.state();
        let mut listing = Listing::default();
        for entry in &entries {
            if !entry.is_usable() {
                let Entry { id, version, source, .. } = entry;
                listing.unusable.push(unusable(id, version, source, entry.faults()));
                continue;
            }
            let location = entry.source.to_string_lossy().into_owned();
            let uploaded_file = uploaded(&location);
            let id = display_id(entry, &entries);
            if !self.may_run(entry) {
                let kind = entry.kind.map_or("", ModuleKind::word);
                let reason = match entry.kind {
                    Some(ModuleKind::External) => crate::messages::UNTRUSTED_PROGRAM,
                    _ => crate::messages::UNTRUSTED_LIBRARY,
                };
                let sha256 = entry.sha256.clone();
                listing.needs_trust.push(Untrusted {
                    id,
                    kind,
                    path: location,
                    sha256,
                    reasons: vec![reason.to_owned()],
                    uploaded_file,
                });
                continue;
            }
            let described = state.described.get(&key(entry));
            listing.engines.push(card(entry, id, described, uploaded_file));
        }
        for game in game_entries.iter().filter(|game| !game.faults().is_empty()) {
            listing.unusable.push(unusable(&game.id, &game.version, &game.source, game.faults()));
        }
        if *state.listing != listing {
            state.listing = Arc::new(listing);
            drop(state);
            hub.lobby.send(self.listing_message());
        }
    }
}

/// Returns the first component of a path in the engines folder.
fn file_of(location: &str) -> &str {
    location.split(['/', '\\']).next().unwrap_or_default()
}

fn key(entry: &Entry) -> (String, String) {
    (entry.sha256.clone(), entry.id.clone())
}

/// Returns the id if it is unique, else the id and the version.
fn display_id(entry: &Entry, all: &[Entry]) -> String {
    let same = all.iter().filter(|other| other.is_usable() && other.id == entry.id).count();
    match same > 1 && !entry.version.is_empty() {
        true => format!("{}-{}", entry.id, entry.version),
        false => entry.id.clone(),
    }
}

fn first_of(texts: [&str; 2]) -> String {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

/// The memory limit of an engine, in bytes.
pub(crate) fn memory_bytes(entry: &Entry) -> u64 {
    entry.limits.memory_bytes.unwrap_or(Caps::default().memory_bytes)
}

pub(crate) fn card(
    entry: &Entry,
    id: String,
    described: Option<&Description>,
    uploaded_file: Option<String>,
) -> EngineCard {
    let empty = Description::default();
    let description = described.unwrap_or(&empty);
    let options = if entry.options_complete { &entry.options } else { &description.options };
    let presets: BTreeMap<&str, &str> =
        entry.presets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let games = if entry.games.is_empty() { &description.games } else { &entry.games };
    let engine_games = games
        .iter()
        .map(|spec| EngineGame { id: spec.game.clone(), variants: Some(spec.variants.clone()) });
    let Abilities { ponders, helpers, proves } = description.abilities;
    let abilities = [("ponders", ponders), ("helpers", helpers), ("proves", proves)];
    let is_multithreaded = helpers || entry.kind == Some(ModuleKind::External);
    EngineCard {
        name: first_of([&entry.name, &description.name]),
        version: first_of([&entry.version, &description.version]),
        author: first_of([&entry.author, &description.author]),
        description: String::new(),
        kind: entry.kind.map_or("", ModuleKind::word),
        purpose: entry.purpose.word(),
        sha256: entry.sha256.clone(),
        games: engine_games.collect(),
        options: options.iter().map(|spec| option(spec, &presets)).collect(),
        abilities: abilities.into_iter().filter_map(|(word, can)| can.then_some(word)).collect(),
        memory_bytes: memory_bytes(entry),
        threads_max: if is_multithreaded { THREADS_MAX } else { 1 },
        uploaded_file,
        id,
    }
}

fn option(spec: &OptionSpec, presets: &BTreeMap<&str, &str>) -> OptionCard {
    let (r#type, min, max, choices) = match &spec.kind {
        OptionKind::Toggle => ("check", None, None, None),
        OptionKind::Whole(min, max) => ("spin", Some(*min as f64), Some(*max as f64), None),
        OptionKind::Real(min, max) => ("float", Some(*min), Some(*max), None),
        OptionKind::Pick(values) => ("combo", None, None, Some(values.clone())),
        OptionKind::Text(_) => ("string", None, None, None),
    };
    let preset = presets.get(spec.name.as_str()).copied();
    OptionCard {
        name: spec.name.clone(),
        r#type,
        default: preset.unwrap_or(&spec.initial).to_owned(),
        min,
        max,
        choices,
        help: spec.about.clone(),
        tunable: spec.tunable,
    }
}
