//! A bundle that is being verified: its check, and the replay of its games, one by one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_bout::record::{EngineRecord, RECORD_BYTES, Record};
use sandboard_bundle::game_check::{CheckedGame, FoundEngine, Outcome, RecordLocation, check_game};
use sandboard_bundle::{
    Bundle, Finding, ReplayedGames, Verdict, module_file, other_commitment, record_file, verify,
};
use sandboard_common::hex::sha256_hex;
use sandboard_engine::{Caps, Resources};
use sandboard_engine_wasm::scan::{LoadCaps, MODULE_BYTES_MAX, Profile};
use sandboard_engine_wasm::{Metering, Runtime, RuntimeOptions, WasmModule};
use sandboard_games::Games;
use serde_json::{Value, json};

/// An open bundle, with the modules that its reader has added.
pub struct Session {
    bundle: Bundle,
    games: Games,
    runtime: Runtime,
    /// Modules outside the bundle, by their hashes.
    added: HashMap<String, Vec<u8>>,
    /// The engines that were loaded, by hash and caps.
    engines: Mutex<HashMap<(String, Caps), FoundEngine>>,
}

impl Session {
    /// Opens the bytes of a bundle. The error says why they are not one.
    pub fn open(bytes: Vec<u8>) -> Result<Self, String> {
        let bundle = Bundle::from_bytes(bytes)?;
        let runtime = Runtime::new()
            .with_options(RuntimeOptions::default())
            .with_load_caps(LoadCaps::for_profile(Profile::Contest));
        Ok(Self {
            bundle,
            games: Games::default(),
            runtime,
            added: HashMap::new(),
            engines: Mutex::default(),
        })
    }

    /// What the bundle is about, as JSON: its title, the number of its games, its arenas with their
    /// players, the commitment of its contest, and the hashes of the modules that it lacks.
    pub fn summary(&self) -> Value {
        let index = &self.bundle.index;
        let arena = |arena: &sandboard_bundle::ArenaIndex| {
            let players: Vec<&str> = arena.players().map(|it| it.name.as_str()).collect();
            json!({
                "name": arena.name, "game": arena.setup.game, "variant": arena.setup.variant,
                "games": arena.games.len(), "players": players, "table": arena.table,
            })
        };
        let lacking = index
            .modules
            .iter()
            .filter(|module| !module.published && !self.added.contains_key(&module.sha256));
        let lacking: Vec<&str> = lacking.map(|module| module.sha256.as_str()).collect();
        json!({
            "title": index.title,
            "host": index.host,
            "fuel_meter": index.fuel_meter.to_string(),
            "games": index.game_count(),
            "arenas": index.arenas.iter().map(arena).collect::<Vec<_>>(),
            "commitment": index.contest.as_ref().map(|contest| &contest.commitment),
            "missing_modules": lacking,
        })
    }

    /// Adds a module that the bundle may lack. Returns its hash.
    pub fn add_module(&mut self, bytes: Vec<u8>) -> String {
        let sha256 = sha256_hex(&bytes);
        self.added.insert(sha256.clone(), bytes);
        sha256
    }

    /// Checks everything but the calls of the engines. `on_game` gets the name of each game to
    /// replay: `arena/pair-000001-1`.
    pub fn check(&self, on_game: &mut dyn FnMut(&str)) -> Vec<Finding> {
        verify(&self.bundle, &self.games, &mut |game| on_game(&game.name))
    }

    /// Replays a game with this name. The record is read again, because each worker has a bundle of
    /// its own.
    pub fn replay(&self, name: &str) -> CheckedGame {
        let record = name.split_once('/').ok_or("has no arena".to_owned());
        let record = record.and_then(|(arena, game)| self.record(&record_file(arena, game)));
        let place = RecordLocation { name: name.to_owned(), file: None };
        check_game(place, record, &self.games, &|engine, _| self.find(engine), |_, _, _| ())
    }

    fn record(&self, file: &str) -> Result<Record, String> {
        let bytes = self.bundle.read(file, RECORD_BYTES)?.ok_or("is missing")?;
        Record::parse(&bytes, &self.games).map_err(|error| error.to_string())
    }

    /// The engine of a record. Err: its module is missing, or does not load.
    fn find(&self, engine: &EngineRecord) -> Result<FoundEngine, String> {
        let sha256 = engine.module_sha256.clone().unwrap_or_default();
        let key = (sha256, self.runtime.caps(engine.limits.caps()));
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = engines.get(&key) {
            return Ok(found.clone());
        }
        let (sha256, caps) = &key;
        let module = self
            .module(sha256)
            .ok_or_else(|| format!("its module {sha256} is missing: add the file to the page"))?;
        let metering = Metering::counting_as(&self.bundle.index.fuel_meter);
        let resources = Resources::default();
        let module = WasmModule::load(&self.runtime, &module, metering, *caps, resources);
        let module = module.map_err(|fault| format!("its module {sha256} {fault}"))?;
        let described = module.describe().map_err(|fault| format!("its module {fault}"))?;
        let (id, version) = (described.id, described.version);
        let found = FoundEngine { source: Arc::new(module), id, version };
        engines.insert(key, found.clone());
        Ok(found)
    }

    /// The bytes of a module with this hash, from the bundle or from its reader.
    fn module(&self, sha256: &str) -> Option<Vec<u8>> {
        let published = self.bundle.index.modules.iter();
        let mut published = published.filter(|module| module.published);
        let in_bundle = published.any(|module| module.sha256 == sha256);
        // Errors of the bundle's files are reported where its files are checked.
        let bytes = in_bundle
            .then(|| self.bundle.read(&module_file(sha256), MODULE_BYTES_MAX).ok().flatten());
        let bytes = bytes.flatten().filter(|bytes| sha256_hex(bytes) == sha256);
        bytes.or_else(|| self.added.get(sha256).cloned())
    }

    /// The verdict that follows from findings and from the outcomes of the replayed games, as JSON
    /// with a sentence. `commitment`: the one that was published, in hexadecimal.
    pub fn verdict(
        &self,
        mut findings: Vec<Finding>,
        outcomes: &[Outcome],
        commitment: Option<&str>,
    ) -> Value {
        let expected = commitment.map(str::to_ascii_lowercase);
        let other = expected.and_then(|it| other_commitment(&self.bundle.index, &it));
        findings.splice(0..0, other);
        let mut replayed = ReplayedGames::default();
        outcomes.iter().for_each(|outcome| replayed.add(*outcome));
        let verdict = Verdict::new(&self.bundle.index, replayed, &findings);
        let mut json = verdict.to_json();
        json["sentence"] = verdict.sentence().into();
        json
    }
}

thread_local! {
    /// The session of this instance of the program.
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Opens a session in place of the former one.
pub(crate) fn set(session: Session) {
    SESSION.set(Some(session));
}

/// Uses the session. None: no bundle is open.
pub(crate) fn with<T>(use_it: impl FnOnce(&mut Session) -> T) -> Option<T> {
    SESSION.with_borrow_mut(|session| session.as_mut().map(use_it))
}
