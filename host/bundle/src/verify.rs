//! Verifies a bundle against itself: its files are those of the index, its games are those that
//! setup and seed give, results and tables are those of the records, and the seed is the committed
//! one. The caller replays the records with the engines; nothing is run here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use sandboard_common::text::quoted;
use sandboard_games::{GameInfo, Games};
use sandboard_tournament::schedule::Change;
use serde::{Deserialize, Serialize};

use super::contest_check;
use super::index::{ArenaIndex, GameIndex, Index};
use super::read::Bundle;
use super::record_check::ArenaContext;
use super::schedule_walk::{WalkError, table, walk};
use super::{module_file, openings_file, record_file};
use sandboard_arena_plan::{
    ArenaSetup, Conditions, Contestant, FORMAT, GameResult, Job, OPENINGS_BYTES, Openings, VERSION,
};
use sandboard_bout::record::{RECORD_BYTES, Record};
use sandboard_bout::replay::unverifiable_setup_reason;
use sandboard_bout::start::StartPosition;
use sandboard_common::hex::sha256_hex;
use sandboard_engine_wasm::Metering;
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;

/// The longest start limit of an instance, in milliseconds. More would let a stranger's bundle keep
/// a machine busy.
const START_MS_MAX: u64 = 60_000;

/// A problem of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The location: a file, an arena, or a game (`arena/pair-000001-1`).
    pub location: String,
    /// The problem, as one sentence.
    pub reason: String,
    pub kind: Kind,
}

/// The consequence of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The bundle agrees with itself, but cannot show everything: a pair is void, an arena was
    /// stopped or is missing.
    Incomplete,
    /// This host cannot decide.
    Undecided,
    /// The bundle contradicts itself.
    Differs,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.reason)
    }
}

/// A game of a bundle that belongs to its arena.
pub struct Game {
    /// The arena's name and its own: `arena/pair-000001-1`.
    pub name: String,
    pub record: Record,
}

/// All problems of a bundle. `games` are those that this host knows. `sink` receives the bundle's
/// games one after another, as they are read.
pub fn verify(bundle: &Bundle, games: &Games, sink: &mut dyn FnMut(Game)) -> Vec<Finding> {
    let mut audit = Audit { bundle, games, findings: Vec::new() };
    audit.files();
    match &bundle.index.contest {
        // Each arena gets a finding that names the game.
        Some(_) if !audit.knows_all_games() => (),
        Some(contest) => {
            audit.findings.extend(contest_check::check(&bundle.index, contest, games));
        }
        None => (),
    }
    for arena in &bundle.index.arenas {
        audit.arena(arena, sink);
    }
    audit.findings
}

struct Audit<'a> {
    bundle: &'a Bundle,
    /// The games that this host knows.
    games: &'a Games,
    findings: Vec<Finding>,
}

/// Why the check of an arena stops.
enum Halt {
    /// The finding is already recorded.
    Recorded,
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

    /// Whether this host has the rules of all arenas.
    fn knows_all_games(&self) -> bool {
        let mut arenas = self.index().arenas.iter();
        arenas.all(|arena| self.games.find(&arena.setup.game).is_some())
    }

    fn differs(&mut self, location: impl Into<String>, reason: impl Into<String>) {
        let (location, reason) = (location.into(), reason.into());
        self.findings.push(Finding { location, reason, kind: Kind::Differs });
    }

    /// Reads a file that the index names with its hash. Records a finding and returns `None` if it
    /// is missing or different.
    fn file(&mut self, name: &str, most: u64, hash: &str) -> Option<Vec<u8>> {
        let reason = match self.bundle.read(name, most) {
            Ok(Some(bytes)) => match sha256_hex(&bytes) {
                found if found == hash => return Some(bytes),
                found => format!("its SHA-256 is {found}, but the index says {hash}"),
            },
            Ok(None) => "is missing, but the index names it".into(),
            Err(reason) => reason,
        };
        self.differs(name, reason);
        None
    }

    /// Checks the modules, and that there are no files outside the index.
    fn files(&mut self) {
        let modules = self.index().modules.clone();
        for module in modules.iter().filter(|module| module.published) {
            self.file(&module_file(&module.sha256), MODULE_BYTES_MAX, &module.sha256);
        }
        match self.bundle.unlisted_files() {
            Ok(names) => {
                for name in names {
                    self.differs(name, "is not named in the index");
                }
            }
            Err(reason) => self.differs("the bundle", reason),
        }
    }

    fn arena(&mut self, arena: &ArenaIndex, sink: &mut dyn FnMut(Game)) {
        let ArenaSetup { format, version, .. } = &arena.setup;
        if format != FORMAT {
            let reason = format!("its setup has the format `{format}`, not `{FORMAT}`");
            return self.differs(&arena.name, reason);
        }
        if *version != VERSION {
            let reason = format!("its setup has version {version}, but this host reads {VERSION}");
            return self.differs(&arena.name, reason);
        }
        let players: Vec<Contestant> = arena.players().cloned().collect();
        for player in &players {
            self.player(&arena.name, player);
        }
        self.games_left_out(arena, &players);
        let conditions = match self.conditions(arena) {
            Some(Ok(conditions)) => conditions,
            Some(Err(reason)) => return self.differs(&arena.name, reason),
            None => return,
        };
        let mut listed: BTreeMap<&str, &GameIndex> =
            arena.games.iter().map(|game| (game.name.as_str(), game)).collect();
        let context = ArenaContext { arena, players: &players, conditions: &conditions };
        let walked = walk(&arena.setup, &arena.events, |job| {
            let name = job.name();
            let Some(game) = listed.remove(name.as_str()) else {
                let reason = "setup and seed give this game, but the list does not have it; later games are not \
                              checked";
                self.differs(format!("{}/{name}", arena.name), reason);
                return Ok(None);
            };
            self.game(&context, job, game, sink).map(Some)
        });
        let ledger = match walked {
            Ok(ledger) => ledger,
            Err(Halt::Recorded) => return,
            Err(Halt::Walk(error)) => return self.differs(&arena.name, error.to_string()),
        };
        if !ledger.is_complete() {
            return;
        }
        for name in listed.into_keys() {
            let reason = "is in the list, but setup and seed give no such game";
            self.differs(format!("{}/{name}", arena.name), reason);
        }
        let counted = table(conditions.game(), &arena.setup, &players, &ledger);
        for (at, row) in counted.iter().enumerate() {
            if arena.table.get(at) != Some(row) {
                let claimed = arena.table.get(at).map_or("missing".into(), |row| format!("{row}"));
                let reason =
                    format!("row {} of its table is {claimed}, but the count gives {row}", at + 1);
                return self.differs(&arena.name, reason);
            }
        }
        if arena.table.len() > counted.len() {
            self.differs(&arena.name, "its table has more rows than players");
        }
    }

    /// Names what left games out. Nothing in the bundle shows why. Stops and players that left are
    /// checked elsewhere for the arenas of a contest.
    fn games_left_out(&mut self, arena: &ArenaIndex, players: &[Contestant]) {
        let in_contest = self.index().contest.is_some();
        for event in &arena.events {
            let number = u64::from(event.from_pair) + 1;
            let of = |number: u32| {
                let player = players.get(number as usize);
                player.map_or_else(|| number.to_string(), |player| quoted(&player.name))
            };
            let reason = match event.change {
                Change::Void { players: pair, .. } => {
                    let names: Vec<String> = pair.iter().copied().map(of).collect();
                    let names = names.join(" and ");
                    format!(
                        "pair {number} of {names} is void: a game of it could not be played, \
                         according to the arena"
                    )
                }
                Change::Stop if !in_contest => format!("was stopped before pair {number}"),
                Change::Withdraw(player) if !in_contest => {
                    format!("the player {} left before pair {number}", of(player))
                }
                Change::Stop | Change::Withdraw(_) | Change::Join(_) | Change::Extend(_) => {
                    continue;
                }
            };
            let (location, kind) = (arena.name.clone(), Kind::Incomplete);
            self.findings.push(Finding { location, reason, kind });
        }
    }

    /// Checks that a player's games can be replayed within its limits, and that its module is
    /// listed.
    fn player(&mut self, arena: &str, player: &Contestant) {
        let location = || format!("{arena}: the player {}", player.name);
        let index = self.index();
        let (meter, claimed) = (&player.fuel_meter, &index.fuel_meter);
        let here = Metering::counting_as(claimed).stack_limit();
        let is_listed = index.modules.iter().any(|module| module.sha256 == player.module_sha256);
        let reason =
            if unverifiable_setup_reason(player.ponders, player.threads, player.budget).is_some() {
                "does not play on fuel alone, so its games cannot be replayed".into()
            } else if meter.as_ref() != Some(claimed) {
                let meter = meter.as_ref().map_or("nothing".into(), ToString::to_string);
                format!("its fuel was counted by {meter}, but the bundle says {claimed}")
            } else if !(1..=START_MS_MAX).contains(&player.limits.start_ms) {
                let ms = player.limits.start_ms;
                format!("its start limit is {ms} ms; allowed are 1 to {START_MS_MAX}")
            } else if player.limits.stack() != here {
                // Another host may give this stack.
                let stack = player.limits.stack();
                let reason = format!("its stack limit is {stack}, but this host gives {here}");
                let (location, kind) = (location(), Kind::Undecided);
                return self.findings.push(Finding { location, reason, kind });
            } else if !is_listed {
                format!("its module {} is not among the bundle's", player.module_sha256)
            } else {
                return;
            };
        self.differs(location(), reason);
    }

    /// The common conditions of an arena's games; `None` if a finding was recorded instead.
    fn conditions(&mut self, arena: &ArenaIndex) -> Option<Result<Conditions, String>> {
        let setup = &arena.setup;
        let Some(game) = self.games.find(&setup.game) else {
            let reason = format!(
                "it plays {}, which this host does not know; put the game into the engines folder \
                 (--engines-dir)",
                quoted(&setup.game)
            );
            let (location, kind) = (arena.name.clone(), Kind::Undecided);
            self.findings.push(Finding { location, reason, kind });
            return None;
        };
        let mut openings = Vec::new();
        if let Some(about) = &setup.openings {
            let name = openings_file(&about.sha256);
            let bytes = self.file(&name, OPENINGS_BYTES, &about.sha256)?;
            match starts(&name, bytes, game, &setup.variant) {
                Ok(starts) if starts.len() as u64 == u64::from(about.count) => openings = starts,
                Ok(starts) => {
                    let (found, claimed) = (starts.len(), about.count);
                    let reason = format!("holds {found} openings, but the setup says {claimed}");
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
            let start = StartPosition::new(game, variant, None);
            Conditions::new(start, openings, setup.plan(), setup.settings)
                .map_err(|error| error.to_string())
        });
        Some(conditions)
    }

    /// The result of a scheduled game from its record. Fails if the check cannot continue.
    fn game(
        &mut self,
        context: &ArenaContext<'_>,
        job: &Job,
        game: &GameIndex,
        sink: &mut dyn FnMut(Game),
    ) -> Result<GameResult, Halt> {
        let arena = &context.arena.name;
        let name = format!("{arena}/{}", game.name);
        let file = record_file(arena, &game.name);
        let rest = "; later games are not checked";
        let bytes = self.file(&file, RECORD_BYTES, &game.sha256).ok_or(Halt::Recorded)?;
        let record = Record::parse(&bytes, self.games).map_err(|error| {
            self.differs(&name, format!("{error}{rest}"));
            Halt::Recorded
        })?;
        let fits = context.check(job, &record);
        let is_the_game = fits.is_ok();
        if let Err(reason) = fits {
            self.differs(&name, reason);
        }
        let Some(result) = GameResult::from_record(&record, job) else {
            self.differs(&name, format!("it has no counting result{rest}"));
            return Err(Halt::Recorded);
        };
        let claimed = (game.half_points, game.plies, &game.sentence);
        let found = (result.half_points, result.plies, &result.sentence);
        if claimed != found {
            let [claimed, found] = [claimed, found].map(|(half_points, plies, sentence)| {
                format!("{half_points:?} half points after {plies} moves ({sentence})")
            });
            self.differs(&name, format!("the list says {claimed}, but the record {found}"));
        }
        // A record of another game is not replayed.
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
) -> Result<Vec<StartPosition>, String> {
    let variant = game.variant(variant).map_err(|error| error.to_string())?;
    let openings = Openings::parse(bytes, Path::new(name), game, &variant);
    openings.map(|openings| openings.starts).map_err(|error| error.to_string())
}
