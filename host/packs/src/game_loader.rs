//! Makes the plugged-in games of catalogs playable: a row in the table of games for each, whose
//! rules are compiled when the first game begins. Reads no manifest.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_engine_wasm::{Allocator, JudgeModule, Runtime, RuntimeOptions};
use sandboard_games::formats::{Format, SHARED_FORMATS};
use sandboard_games::{Features, GameInfo, PluggedIn, SetupError, Variant, VariantInfo};

use crate::catalog::GameEntry;
use crate::loader::read_checked;

/// Makes rows of plugged-in games. A row lives as long as the process, like those of built-in
/// games; the same entry has the same row. A process needs only one loader.
#[derive(Default)]
pub struct GameLoader {
    runtime: Arc<Runtime>,
    rows: Mutex<Vec<(GameEntry, &'static GameInfo)>>,
}

/// The file of a game's rules, and what it was compiled to.
struct RulesFile {
    runtime: Arc<Runtime>,
    path: PathBuf,
    sha256: String,
    bytes: u64,
    module: Mutex<Option<Arc<JudgeModule>>>,
}

impl GameLoader {
    /// A loader that compiles with a runtime.
    pub fn new(runtime: Runtime) -> Self {
        // A process has few games at once: they need no pool of memory.
        let options = RuntimeOptions { allocator: Allocator::OnDemand, ..runtime.options() };
        Self { runtime: Arc::new(runtime.with_options(options)), rows: Mutex::default() }
    }

    /// The same loader with other limits for the components that it compiles. Forgets its rows.
    pub fn with_load_caps(self, caps: LoadCaps) -> Self {
        let runtime = Arc::into_inner(self.runtime).unwrap_or_default();
        Self { runtime: Arc::new(runtime.with_load_caps(caps)), rows: Mutex::default() }
    }

    /// The limits for the components that it compiles.
    pub fn load_caps(&self) -> &LoadCaps {
        self.runtime.load_caps()
    }

    /// The row of a usable entry.
    pub fn row(&self, entry: &GameEntry) -> &'static GameInfo {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, row)) = rows.iter().find(|(known, _)| known == entry) {
            return row;
        }
        let row = self.new_row(entry);
        rows.push((entry.clone(), row));
        row
    }

    fn new_row(&self, entry: &GameEntry) -> &'static GameInfo {
        let variant = |variant: &crate::manifest::VariantConfig| VariantInfo {
            id: leak(&variant.id),
            about: leak(&variant.about),
            sizes: variant.sizes,
            default_size: variant.default_size,
            setting: None,
            seats: Some(variant.seats),
        };
        let variants: Vec<VariantInfo> = entry.variants.iter().map(variant).collect();
        let file = RulesFile {
            runtime: self.runtime.clone(),
            path: entry.module.clone(),
            sha256: entry.sha256.clone(),
            bytes: entry.module_bytes,
            module: Mutex::default(),
        };
        let id = leak(&entry.id);
        let row: &'static OnceLock<&'static GameInfo> = Box::leak(Box::default());
        let set_up = move |variant: &Variant, position: Option<&str>| {
            let failed = |reason| SetupError::Judge { game: id, reason };
            let module = file.module().map_err(failed)?;
            let info = row.get().ok_or_else(|| failed("have no row".into()))?;
            module.set_up(info, variant, position)
        };
        let formats =
            SHARED_FORMATS.iter().filter(|format| entry.formats.iter().any(|id| id == format.id));
        let formats: Vec<Format> = formats.copied().collect();
        let sides: Vec<&'static str> = entry.sides.iter().map(|side| leak(side)).collect();
        let info = GameInfo {
            id,
            name: leak(&entry.name),
            seats: entry.seats,
            sides: Box::leak(sides.into_boxed_slice()),
            features: Features {
                chance: entry.chance,
                hidden_information: entry.hidden_information,
                simultaneous: entry.simultaneous,
            },
            variants: Box::leak(variants.into_boxed_slice()),
            move_texts: leak(&entry.move_texts),
            adjudicates: entry.adjudicates,
            deal: None,
            formats: Box::leak(formats.into_boxed_slice()),
            new: Box::leak(Box::new(set_up)),
            plugged_in: Some(PluggedIn {
                version: leak(&entry.version),
                sha256: leak(&entry.sha256),
            }),
        };
        row.get_or_init(|| Box::leak(Box::new(info)))
    }
}

impl RulesFile {
    /// The compiled rules. Err: one sentence without its subject.
    fn module(&self) -> Result<Arc<JudgeModule>, String> {
        let mut module = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*module {
            return Ok(module.clone());
        }
        let bytes = read_checked(&self.path, &self.sha256, self.bytes);
        let loaded = bytes.and_then(|bytes| JudgeModule::load(&self.runtime, &bytes));
        Ok(module.insert(loaded.map_err(|fault| fault.sentence)?).clone())
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
