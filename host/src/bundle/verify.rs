//! Holds a bundle against itself: that its files are those that its index names, that its games are those which setup and
//! seed give, that results and tables are those of the records, and that the seed is the one that was committed to. Whether
//! the engines play so again is asked of them by whoever gets the records; nothing is run here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use sandboard_games::GameInfo;
use serde::Serialize;

use super::fits::Setting;
use super::games::{WalkError, table, walk};
use super::index::{ArenaIndex, ContestIndex, GameIndex, Index};
use super::read::Bundle;
use super::{module_file, openings_file, record_file};
use crate::arena::{Conditions, Contestant, GameResult, Job, OPENINGS_BYTES, Openings};
use crate::contest::{Contest, lot};
use crate::engine::wasm::scan::MODULE_BYTES;
use crate::record::{RECORD_BYTES, Record, Start};
use crate::replay::unverifiable_setup;
use crate::sha256_hex;

/// Something about a bundle that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where: a file of it, an arena, a game (`arena/pair-000001-1`).
    pub place: String,
    /// What is wrong there, one sentence.
    pub reason: String,
    /// What it comes to.
    pub kind: Kind,
}

/// What a finding comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It cannot be told here.
    Undecided,
    /// The bundle is not what it says.
    Differs,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A game of a bundle that is one of its arena.
pub struct Game {
    /// The arena's name and its own: `arena/pair-000001-1`.
    pub name: String,
    /// Its record.
    pub record: Record,
}

/// Everything that is wrong with a bundle. `sink` gets its games one after another, as soon as they are read.
pub fn verify(bundle: &Bundle, sink: &mut dyn FnMut(Game)) -> Vec<Finding> {
    let mut audit = Audit { bundle, findings: Vec::new() };
    audit.files();
    if let Some(contest) = &bundle.index.contest {
        audit.contest(contest);
    }
    for arena in &bundle.index.arenas {
        audit.arena(arena, sink);
    }
    audit.findings
}

struct Audit<'a> {
    bundle: &'a Bundle,
    findings: Vec<Finding>,
}

/// Why an arena is not looked at any further.
enum Halt {
    /// It was said why.
    Told,
    Walk(WalkError),
}

impl From<WalkError> for Halt {
    fn from(error: WalkError) -> Self {
        Halt::Walk(error)
    }
}

impl Audit<'_> {
    fn index(&self) -> &Index {
        &self.bundle.index
    }

    fn differs(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        let (place, reason) = (place.into(), reason.into());
        self.findings.push(Finding { place, reason, kind: Kind::Differs });
    }

    /// A file that the index names with its hash; none, and it is said why: it is not there, or another one.
    fn file(&mut self, name: &str, most: u64, hash: &str) -> Option<Vec<u8>> {
        let reason = match self.bundle.read(name, most) {
            Ok(Some(bytes)) => match sha256_hex(&bytes) {
                found if found == hash => return Some(bytes),
                found => format!("its SHA-256 is {found}, and the index says {hash}"),
            },
            Ok(None) => "is not there, though the index names it".into(),
            Err(reason) => reason,
        };
        self.differs(name, reason);
        None
    }

    /// Modules, and files that nobody has named.
    fn files(&mut self) {
        let modules = self.index().modules.clone();
        for module in modules.iter().filter(|module| module.published) {
            self.file(&module_file(&module.sha256), MODULE_BYTES, &module.sha256);
        }
        match self.bundle.strangers() {
            Ok(strangers) => {
                for stranger in strangers {
                    self.differs(stranger, "is a file that the index does not name");
                }
            }
            Err(reason) => self.differs("the bundle", reason),
        }
    }

    fn contest(&mut self, contest: &ContestIndex) {
        let about = Contest::parse(&contest.file);
        if let Err(error) = &about {
            self.differs("the contest's file", error.to_string());
        }
        let Some(seed) = crate::unhex(&contest.seed) else {
            return self.differs("the contest's seed", "is no text of digits in hexadecimal");
        };
        let (committed, told) = (lot::commitment(&seed), &contest.commitment);
        if committed != *told {
            let reason =
                format!("the revealed one commits to {committed}, and published was {told}");
            self.differs("the contest's seed", reason);
        }
        let arenas = &self.bundle.index.arenas;
        for ArenaIndex { name, setup, .. } in arenas {
            let (drawn, told) = (lot::arena_seed(&seed, name), setup.seed);
            if drawn != told {
                let reason = format!("its seed is {told}, and the contest's seed gives {drawn}");
                self.differs(name, reason);
            }
            if setup.sealed != Some(lot::arena_seal(&seed, name)) {
                self.differs(name, "its seal is not the one that the contest's seed gives");
            }
            if let Ok(about) = &about
                && (about.game.id != setup.game || about.variant.text() != setup.variant)
            {
                let (game, variant) = (about.game.id, about.variant.text());
                let played = format!("it plays {} {}", setup.game, setup.variant);
                self.differs(name, format!("{played}, and the contest {game} {variant}"));
            }
        }
    }

    fn arena(&mut self, arena: &ArenaIndex, sink: &mut dyn FnMut(Game)) {
        let players: Vec<Contestant> = arena.players().cloned().collect();
        for player in &players {
            self.player(&arena.name, player);
        }
        let conditions = match self.conditions(arena) {
            Some(Ok(conditions)) => conditions,
            Some(Err(reason)) => return self.differs(&arena.name, reason),
            None => return,
        };
        let mut listed: BTreeMap<&str, &GameIndex> =
            arena.games.iter().map(|game| (game.name.as_str(), game)).collect();
        let setting = Setting { arena, players: &players, conditions: &conditions };
        let walked = walk(&arena.setup, &arena.events, |job| {
            let name = job.name();
            let Some(game) = listed.remove(name.as_str()) else {
                let reason = "setup and seed give this game, and it is not in the list; what comes after it is not \
                              looked at";
                self.differs(format!("{}/{name}", arena.name), reason);
                return Ok(None);
            };
            self.game(&setting, job, game, sink).map(Some)
        });
        let ledger = match walked {
            Ok(ledger) => ledger,
            Err(Halt::Told) => return,
            Err(Halt::Walk(error)) => return self.differs(&arena.name, error.to_string()),
        };
        if !ledger.is_complete() {
            return;
        }
        for name in listed.into_keys() {
            let reason = "is in the list, and setup and seed give no such game";
            self.differs(format!("{}/{name}", arena.name), reason);
        }
        let counted = table(conditions.game(), &arena.setup, &players, &ledger);
        for (at, row) in counted.iter().enumerate() {
            if arena.table.get(at) != Some(row) {
                let told = arena.table.get(at).map_or("nobody".into(), |told| format!("{told}"));
                let reason =
                    format!("row {} of its table is {told}, and counted again {row}", at + 1);
                return self.differs(&arena.name, reason);
            }
        }
        if arena.table.len() > counted.len() {
            self.differs(&arena.name, "its table has more rows than players");
        }
    }

    /// Whether a player's games can be played again, and its module is one that is named.
    fn player(&mut self, arena: &str, player: &Contestant) {
        let place = || format!("{arena}: the player {}", player.name);
        let index = self.index();
        let (clock, told) = (&player.fuel_clock, &index.fuel_clock);
        let is_listed = index.modules.iter().any(|module| module.sha256 == player.module_sha256);
        let reason = if unverifiable_setup(player.ponders, player.threads, player.budget).is_some()
        {
            "does not play on fuel alone: no replay can repeat its games".into()
        } else if clock.as_ref() != Some(told) {
            let clock = clock.as_ref().map_or("nothing".into(), ToString::to_string);
            format!("its fuel was counted by {clock}, and the bundle says {told}")
        } else if !is_listed {
            format!("its module {} is not among the bundle's", player.module_sha256)
        } else {
            return;
        };
        self.differs(place(), reason);
    }

    /// What the games of an arena have in common; none: it was said why not.
    fn conditions(&mut self, arena: &ArenaIndex) -> Option<Result<Conditions, String>> {
        let setup = &arena.setup;
        let game = sandboard_games::game(&setup.game);
        let Some(game) = game else {
            let reason = format!("it plays {}, which this host does not know", setup.game);
            let (place, kind) = (arena.name.clone(), Kind::Undecided);
            self.findings.push(Finding { place, reason, kind });
            return None;
        };
        let mut openings = Vec::new();
        if let Some(about) = &setup.openings {
            let name = openings_file(&about.sha256);
            let bytes = self.file(&name, OPENINGS_BYTES, &about.sha256)?;
            match starts(&name, bytes, game, &setup.variant) {
                Ok(starts) if starts.len() as u64 == u64::from(about.count) => openings = starts,
                Ok(starts) => {
                    let (found, told) = (starts.len(), about.count);
                    let reason = format!("holds {found} openings, and the setup says {told}");
                    self.differs(name, reason);
                    return None;
                }
                Err(reason) => {
                    self.differs(name, reason);
                    return None;
                }
            }
        }
        let variant = game.variant(&setup.variant).map_err(|error| error.to_string());
        let conditions = variant.and_then(|variant| {
            let start = Start { game, variant, position: None };
            Conditions::new(start, openings, setup.plan(), setup.settings)
                .map_err(|error| error.to_string())
        });
        Some(conditions)
    }

    /// The result of a game that is to be played, by its record. Err: there is none to go on with.
    fn game(
        &mut self,
        setting: &Setting<'_>,
        job: &Job,
        game: &GameIndex,
        sink: &mut dyn FnMut(Game),
    ) -> Result<GameResult, Halt> {
        let arena = &setting.arena.name;
        let name = format!("{arena}/{}", game.name);
        let file = record_file(arena, &game.name);
        let rest = "; what comes after it is not looked at";
        let bytes = self.file(&file, RECORD_BYTES, &game.sha256).ok_or(Halt::Told)?;
        let record = Record::parse(&bytes, sandboard_games::game).map_err(|error| {
            self.differs(&name, format!("{error}{rest}"));
            Halt::Told
        })?;
        let fits = setting.fits(job, &record);
        let is_the_game = fits.is_ok();
        if let Err(reason) = fits {
            self.differs(&name, reason);
        }
        let Some(result) = GameResult::of(&record, job) else {
            self.differs(&name, format!("it has no result that counts{rest}"));
            return Err(Halt::Told);
        };
        let told = (game.half_points, game.plies, &game.sentence);
        let found = (result.half_points, result.plies, &result.sentence);
        if told != found {
            let [told, found] = [told, found].map(|(half_points, plies, sentence)| {
                format!("{half_points} half points after {plies} moves ({sentence})")
            });
            self.differs(&name, format!("the list says {told}, and the record {found}"));
        }
        // Engines play nothing again of which it is known that it is another game.
        if is_the_game {
            sink(Game { name, record });
        }
        Ok(result)
    }
}

/// The openings in a file, checked with the rules of the game.
fn starts(
    name: &str,
    bytes: Vec<u8>,
    game: &'static GameInfo,
    variant: &str,
) -> Result<Vec<Start>, String> {
    let variant = game.variant(variant).map_err(|error| error.to_string())?;
    let openings = Openings::of(bytes, Path::new(name), game, &variant);
    openings.map(|openings| openings.starts).map_err(|error| error.to_string())
}
