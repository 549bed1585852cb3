//! What is being verified: the check of a bundle, and the replay of its games, one by one; or
//! single records.

mod engines;

use sandboard_bout::record::{RECORD_BYTES, Record};
use sandboard_bundle::game_check::{CheckedGame, Outcome, RecordLocation, check_game};
use sandboard_bundle::{
    Bundle, Finding, ReplayedGames, Verdict, module_file, other_commitment, record_file, verify,
};
use sandboard_common::hex::sha256_hex;
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;
use sandboard_games::Games;
use serde_json::{Value, json};

use engines::Engines;

/// What is verified: the games of a bundle, or single records.
#[derive(Default)]
pub struct Session {
    /// None: single records.
    bundle: Option<Bundle>,
    games: Games,
    engines: Engines,
}

impl Session {
    /// Opens the bytes of a bundle in place of the former one. The error says why they are not one.
    pub fn open(&mut self, bytes: Vec<u8>) -> Result<Value, String> {
        self.bundle = Some(Bundle::from_bytes(bytes)?);
        self.summary()
    }

    fn bundle(&self) -> Result<&Bundle, String> {
        self.bundle.as_ref().ok_or_else(|| "no bundle is open".to_owned())
    }

    /// What the bundle is about, as JSON: its title, the number of its games, its arenas with their
    /// players, the commitment of its contest, and the hashes of the modules that it lacks.
    pub fn summary(&self) -> Result<Value, String> {
        let index = &self.bundle()?.index;
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
            .filter(|module| !module.published && !self.engines.has(&module.sha256));
        let lacking: Vec<&str> = lacking.map(|module| module.sha256.as_str()).collect();
        Ok(json!({
            "title": index.title,
            "host": index.host,
            "fuel_meter": index.fuel_meter.to_string(),
            "games": index.game_count(),
            "arenas": index.arenas.iter().map(arena).collect::<Vec<_>>(),
            "commitment": index.contest.as_ref().map(|contest| &contest.commitment),
            "missing_modules": lacking,
        }))
    }

    /// Adds a module that the bundle may lack, or that single records need. Returns its hash.
    pub fn add_module(&mut self, bytes: Vec<u8>) -> String {
        self.engines.add(bytes)
    }

    /// Checks everything but the calls of the engines. `on_game` gets the name of each game to
    /// replay: `arena/pair-000001-1`.
    pub fn check(&self, on_game: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, String> {
        Ok(verify(self.bundle()?, &self.games, &mut |game| on_game(&game.name)))
    }

    /// Replays a game of the bundle. Its record is read again, because each worker has a bundle of
    /// its own.
    pub fn replay(&self, name: &str) -> Result<CheckedGame, String> {
        let bundle = self.bundle()?;
        let record = name.split_once('/').ok_or_else(|| format!("{name} has no arena"));
        let record = record.and_then(|(arena, game)| {
            let bytes = bundle.read(&record_file(arena, game), RECORD_BYTES)?;
            self.parse(&bytes.ok_or_else(|| format!("{name} is missing"))?)
        });
        Ok(self.check_game(name, record))
    }

    /// Replays a single record with the modules that were added.
    pub fn replay_record(&self, bytes: &[u8]) -> CheckedGame {
        self.check_game("the record", self.parse(bytes))
    }

    fn parse(&self, bytes: &[u8]) -> Result<Record, String> {
        Record::parse(bytes, &self.games).map_err(|error| error.to_string())
    }

    fn check_game(&self, name: &str, record: Result<Record, String>) -> CheckedGame {
        let place = RecordLocation { name: name.to_owned(), file: None };
        let published = |sha256: &str| self.published_module(sha256);
        let find = |engine: &_, _| self.engines.find(engine, published);
        check_game(place, record, &self.games, &find, |_, _, _| ())
    }

    /// A module of the bundle.
    fn published_module(&self, sha256: &str) -> Option<Vec<u8>> {
        let bundle = self.bundle.as_ref()?;
        let mut published = bundle.index.modules.iter().filter(|module| module.published);
        published.find(|module| module.sha256 == sha256)?;
        // Errors of the bundle's files are reported where its files are checked.
        let bytes = bundle.read(&module_file(sha256), MODULE_BYTES_MAX).ok().flatten();
        bytes.filter(|bytes| sha256_hex(bytes) == sha256)
    }

    /// The verdict that follows from findings and from the outcomes of the replayed games, as JSON
    /// with a sentence. `commitment`: the one that was published, in hexadecimal.
    pub fn verdict(
        &self,
        mut findings: Vec<Finding>,
        outcomes: &[Outcome],
        commitment: Option<&str>,
    ) -> Result<Value, String> {
        let index = &self.bundle()?.index;
        let expected = commitment.map(str::to_ascii_lowercase);
        let other = expected.and_then(|expected| other_commitment(index, &expected));
        findings.splice(0..0, other);
        let mut replayed = ReplayedGames::default();
        outcomes.iter().for_each(|outcome| replayed.add(*outcome));
        let verdict = Verdict::new(index, replayed, &findings);
        let mut json = verdict.to_json();
        json["sentence"] = verdict.sentence().into();
        Ok(json)
    }
}
