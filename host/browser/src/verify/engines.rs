//! The engines of records: modules by their hashes, loaded once for each set of limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_bout::record::EngineRecord;
use sandboard_bundle::game_check::FoundEngine;
use sandboard_common::hex::sha256_hex;
use sandboard_engine::{Caps, Resources};
use sandboard_engine_wasm::scan::{LoadCaps, Profile};
use sandboard_engine_wasm::{Metering, Runtime, WasmModule};

/// Modules, and the engines that were loaded from them.
pub(crate) struct Engines {
    runtime: Runtime,
    /// The modules that the reader has added, by their hashes.
    added: HashMap<String, Vec<u8>>,
    /// The loaded engines, by hash and caps.
    loaded: Mutex<HashMap<(String, Caps), FoundEngine>>,
}

impl Default for Engines {
    /// No modules, and the limits of contests.
    fn default() -> Self {
        let runtime = Runtime::new().with_load_caps(LoadCaps::for_profile(Profile::Contest));
        Self { runtime, added: HashMap::new(), loaded: Mutex::default() }
    }
}

impl Engines {
    /// Adds a module. Returns its hash.
    pub(crate) fn add(&mut self, module: Vec<u8>) -> String {
        let sha256 = sha256_hex(&module);
        self.added.insert(sha256.clone(), module);
        sha256
    }

    /// Whether a module with this hash was added.
    pub(crate) fn has(&self, sha256: &str) -> bool {
        self.added.contains_key(sha256)
    }

    /// The engine of a record. `published` finds a module that was not added. Err: the module is
    /// missing, or does not load.
    pub(crate) fn find(
        &self,
        engine: &EngineRecord,
        published: impl FnOnce(&str) -> Option<Vec<u8>>,
    ) -> Result<FoundEngine, String> {
        let sha256 = engine.module_sha256.clone().unwrap_or_default();
        let key = (sha256, self.runtime.caps(engine.limits.caps()));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = loaded.get(&key) {
            return Ok(found.clone());
        }
        let (sha256, caps) = &key;
        let Some(meter) = &engine.fuel_meter else {
            return Err("the record does not say what counted its fuel".to_owned());
        };
        let module = self.added.get(sha256).cloned().or_else(|| published(sha256));
        let module =
            module.ok_or_else(|| format!("its module {sha256} is missing: add the file"))?;
        let (metering, resources) = (Metering::counting_as(meter), Resources::default());
        let module = WasmModule::load(&self.runtime, &module, metering, *caps, resources);
        let module = module.map_err(|fault| format!("its module {sha256} {fault}"))?;
        let described = module.describe().map_err(|fault| format!("its module {fault}"))?;
        let (id, version) = (described.id, described.version);
        let found = FoundEngine { source: Arc::new(module), id, version };
        loaded.insert(key, found.clone());
        Ok(found)
    }
}
