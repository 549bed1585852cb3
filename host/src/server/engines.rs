//! The engines folder as people in the browser see it: listed from the catalog at once, described
//! by the engines themselves as soon as that is known, and told to everybody when it changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use sandboard_abi::{Abilities, Description, Kind as OptionKind, OptionSpec};
use serde::Serialize;
use utoipa::ToSchema;

use super::hub::Hub;
use super::supply::Supplier;
use super::upload;
use super::wire::message;
use crate::catalog::Entry;
use crate::engine::Caps;
use crate::manifest::ModuleKind;

/// An engine that can be played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct EngineCard {
    /// What seats name it by.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// What it says of itself.
    pub description: String,
    /// `wasm`, `native` or `process`.
    pub kind: &'static str,
    /// Of its module.
    pub sha256: String,
    /// What it plays.
    pub games: Vec<Played>,
    /// What can be set.
    pub options: Vec<OptionCard>,
    /// What it can do beside choosing moves.
    pub abilities: Vec<&'static str>,
    /// What it may hold.
    pub memory_bytes: u64,
    /// With how many threads it may search.
    pub threads_max: u16,
    /// Whether it came by this server, and may be deleted by it.
    pub uploaded: bool,
}

/// A game of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Played {
    /// The game's id.
    pub id: String,
    /// Its variants; null: all.
    pub variants: Option<Vec<String>>,
}

/// Something that can be set.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OptionCard {
    /// Its name.
    pub name: String,
    /// `check`, `spin`, `float`, `combo` or `string`.
    pub r#type: &'static str,
    /// Its value where nobody sets it.
    pub default: String,
    /// The least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// All there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// A line for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub help: String,
}

/// Something in the folder that cannot be played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Unusable {
    /// What it is called.
    pub name: String,
    /// Where it is in the folder.
    pub place: String,
    /// What is wrong with it.
    pub reasons: Vec<String>,
}

/// An engine that runs only when the operator trusts it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Untrusted {
    /// Its id.
    pub id: String,
    /// `native` or `process`.
    pub kind: &'static str,
    /// Where it is in the folder.
    pub path: String,
    /// Of its module.
    pub sha256: String,
    /// Why it does not run yet.
    pub reasons: Vec<String>,
}

/// What is in the folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Listing {
    /// What can be played.
    pub engines: Vec<EngineCard>,
    /// What cannot.
    pub unusable: Vec<Unusable>,
    /// What must be trusted first.
    pub needs_trust: Vec<Untrusted>,
}

/// The most threads that any engine may be given.
const THREADS_MAX: u16 = 64;

/// See the [module](self).
pub struct Shelf {
    supplier: Arc<dyn Supplier>,
    state: Mutex<State>,
    /// One look at a time.
    looking: Mutex<()>,
}

#[derive(Default)]
struct State {
    listing: Arc<Listing>,
    /// What engines say of themselves, by the hash of their modules and their ids.
    described: HashMap<(String, String), Description>,
}

impl Shelf {
    /// An empty one: [`look`](Self::look) fills it.
    pub fn new(supplier: Arc<dyn Supplier>) -> Self {
        Self { supplier, state: Mutex::default(), looking: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there.
    pub fn listing(&self) -> Arc<Listing> {
        self.state().listing.clone()
    }

    /// The same, as the lobby is told.
    pub fn told(&self) -> Utf8Bytes {
        message(None, Some("engines"), &*self.listing()).into()
    }

    /// The file of the folder that an engine comes from, be it usable or not.
    pub fn file_of(&self, id: &str) -> Option<String> {
        let entries = self.supplier.catalog().entries;
        let named = |entry: &&Entry| name_of(entry, &entries) == id || entry.id == id;
        let entry = entries.iter().find(named)?;
        Some(file_of(&entry.source.to_string_lossy()).to_owned())
    }

    /// The id of an engine of the folder in records, and its version where it takes that to tell it
    /// from others of its id.
    pub fn engine_named(&self, name: &str) -> Option<(String, Option<String>)> {
        let entries = self.supplier.catalog().entries;
        let entry = entries.iter().find(|entry| name_of(entry, &entries) == name);
        let found = entry.map(|entry| {
            let version = (name != entry.id).then(|| entry.version.clone());
            (entry.id.clone(), version)
        });
        let of_id = || entries.iter().any(|entry| entry.id == name);
        found.or_else(|| of_id().then(|| (name.to_owned(), None)))
    }

    /// The engines that come from a file of the folder.
    pub fn engines_of(&self, file: &str) -> Vec<String> {
        let entries = self.supplier.catalog().entries;
        let of_file = |entry: &&Entry| file_of(&entry.source.to_string_lossy()) == file;
        entries.iter().filter(of_file).map(|entry| name_of(entry, &entries)).collect()
    }

    /// Looks through the folder, tells what has changed, and has engines describe themselves that
    /// are new. Loads modules: takes time.
    pub fn look(&self, hub: &Hub) {
        let _one = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(problem) = self.supplier.look() {
            hub.note("warning", problem.detail);
            return;
        }
        self.list(hub);
        let known = |entry: &Entry| self.state().described.contains_key(&key(entry));
        let entries = self.supplier.catalog().entries;
        for entry in entries.iter().filter(|it| it.is_usable() && self.may_run(it)) {
            if !known(entry)
                && let Ok(description) = self.supplier.describe(entry)
            {
                self.state().described.insert(key(entry), description);
            }
        }
        self.list(hub);
    }

    fn may_run(&self, entry: &Entry) -> bool {
        !entry.needs_trust() || self.supplier.trusts(&entry.sha256)
    }

    /// Takes the catalog as it is; tells the lobby where that is news.
    fn list(&self, hub: &Hub) {
        let entries = self.supplier.catalog().entries;
        let uploads = upload::uploads(self.supplier.folder());
        let mut state = self.state();
        let mut listing = Listing::default();
        for entry in &entries {
            let place = entry.source.to_string_lossy().into_owned();
            if !entry.is_usable() {
                let reasons = entry.faults().iter().map(ToString::to_string).collect();
                let name = format!("{} {}", entry.id, entry.version).trim().to_owned();
                listing.unusable.push(Unusable { name, place, reasons });
                continue;
            }
            let id = name_of(entry, &entries);
            if !self.may_run(entry) {
                let kind = entry.kind.map_or("", ModuleKind::word);
                let noun = entry.kind.map_or("of no known kind", ModuleKind::noun);
                let reasons = vec![format!("it is {noun}, and nobody has said that it may run")];
                let sha256 = entry.sha256.clone();
                listing.needs_trust.push(Untrusted { id, kind, path: place, sha256, reasons });
                continue;
            }
            let uploaded = uploads.contains(file_of(&place));
            let described = state.described.get(&key(entry));
            listing.engines.push(card(entry, id, described, uploaded));
        }
        if *state.listing != listing {
            state.listing = Arc::new(listing);
            drop(state);
            hub.lobby.tell(self.told());
        }
    }
}

/// The file or folder of the engines folder that a place is in.
fn file_of(place: &str) -> &str {
    place.split(['/', '\\']).next().unwrap_or_default()
}

fn key(entry: &Entry) -> (String, String) {
    (entry.sha256.clone(), entry.id.clone())
}

/// The id where that is enough, else with the version.
fn name_of(entry: &Entry, all: &[Entry]) -> String {
    let same = all.iter().filter(|other| other.is_usable() && other.id == entry.id).count();
    match same > 1 && !entry.version.is_empty() {
        true => format!("{}-{}", entry.id, entry.version),
        false => entry.id.clone(),
    }
}

fn first_of(texts: [&str; 2]) -> String {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

fn card(entry: &Entry, id: String, described: Option<&Description>, uploaded: bool) -> EngineCard {
    let nothing = Description::default();
    let known = described.unwrap_or(&nothing);
    let options = if entry.described { &entry.options } else { &known.options };
    let presets: BTreeMap<&str, &str> =
        entry.presets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let games = if entry.games.is_empty() { &known.games } else { &entry.games };
    let played = games
        .iter()
        .map(|spec| Played { id: spec.game.clone(), variants: Some(spec.variants.clone()) });
    let Abilities { ponders, helpers, proves } = known.abilities;
    let abilities = [("ponders", ponders), ("helpers", helpers), ("proves", proves)];
    let many = helpers || entry.kind == Some(ModuleKind::Process);
    EngineCard {
        name: first_of([&entry.name, &known.name]),
        version: first_of([&entry.version, &known.version]),
        author: first_of([&entry.author, &known.author]),
        description: String::new(),
        kind: entry.kind.map_or("", ModuleKind::word),
        sha256: entry.sha256.clone(),
        games: played.collect(),
        options: options.iter().map(|spec| option(spec, &presets)).collect(),
        abilities: abilities.into_iter().filter_map(|(word, can)| can.then_some(word)).collect(),
        memory_bytes: entry.limits.memory_bytes.unwrap_or(Caps::default().memory_bytes),
        threads_max: if many { THREADS_MAX } else { 1 },
        uploaded,
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
    }
}
