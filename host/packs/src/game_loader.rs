//! Makes the plugged-in games of catalogs playable: a row in the table of games for each, whose
//! rules are compiled when the first game begins. Reads no manifest.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_engine_wasm::{Allocator, JudgeModule, Runtime, RuntimeOptions};
use sandboard_games::GameInfo;

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
        let file = RulesFile {
            runtime: self.runtime.clone(),
            path: entry.module.clone(),
            sha256: entry.sha256.clone(),
            bytes: entry.module_bytes,
            module: Mutex::default(),
        };
        entry.description().into_row(move || file.module())
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
