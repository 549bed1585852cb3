//! The games that count: the ladder while the contest is open, and the final. Who plays is told to an arena by the requests that it
//! takes from anybody.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::RwLock;
use std::time::SystemTime;

use sandboard_tournament::schedule::Format;
use sha2::{Digest, Sha256};

use super::judge::{conditions, settings};
use super::usher::{Recruits, Usher};
use super::{Floor, RunnerError};
use crate::arena::{
    Arena, ArenaFolder, ArenaSetup, Contestant, FORMAT, OpenFolder, OpeningsSource, Rival, Session,
    Threads, VERSION,
};
use crate::bout::EnginePlayer;
use crate::contest::file::Phase;
use crate::contest::folder::now_ms;
use crate::contest::lot::{arena_seal, arena_seed};
use crate::contest::roster::{Version, roster, version_name};
use crate::contest::squad::{ATTEMPTS, NotLoaded};
use crate::contest::store::{Act, State, Status, Submission, Write};
use crate::ordered::Stop;
use crate::record::rfc3339;

/// The name of the ladder's arena, and of its folder within the contest's.
pub const LADDER: &str = "ladder";
/// The paper that names the arena of the final.
pub const FINAL_PAPER: &str = "final";
/// The paper that says since when all is played, as RFC 3339; empty: something is to be played again.
pub const OVER_PAPER: &str = "over";
/// More pairs than any ladder plays.
const LADDER_PAIRS: u32 = 50_000_000;

type Players = Vec<(Contestant, EnginePlayer)>;

/// Where the games are played.
pub(super) struct Hall<'a> {
    pub(super) floor: &'a Floor<'a>,
    /// How often an accepted entry could not be loaded, or was not let in: from some number on nobody waits for it.
    pub(super) lame: RefCell<BTreeMap<i64, u32>>,
}

impl<'a> Hall<'a> {
    pub fn new(floor: &'a Floor<'a>) -> Self {
        Self { floor, lame: RefCell::default() }
    }

    /// Plays what there is to play; false: there is nothing now.
    pub fn step(&mut self) -> Result<bool, RunnerError> {
        let contest = self.floor.runner.folder.contest();
        match self.floor.phase()? {
            // Until there are two.
            Phase::Open if self.who()?.len() + self.floor.squad.house.len() < 2 => Ok(false),
            Phase::Open if contest.ladder => self.ladder(),
            Phase::Announced | Phase::Open => Ok(false),
            // Whoever came in time is tried before anybody plays.
            Phase::Closed if self.floor.waits()? => Ok(false),
            Phase::Closed if self.ladder_goes_on()? => self.ladder(),
            Phase::Closed if contest.final_folds == 0 => self.over(),
            Phase::Closed => self.play_final(),
        }
    }

    pub(super) fn who(&self) -> Result<Vec<Version>, RunnerError> {
        let folder = self.floor.runner.folder;
        let entrants = folder.wait(folder.store().entrants())?;
        let entries = folder.wait(folder.store().entries(None))?;
        let lame = self.lame.borrow();
        let who = roster(&entrants, &entries).into_iter();
        let is_lame = |entry: &i64| lame.get(entry).is_some_and(|times| *times >= ATTEMPTS);
        Ok(who.filter(|version| !is_lame(&version.entry)).collect())
    }

    /// The names of all entries of those who are in, as far as they may play on.
    pub(super) fn of_those_in(&self) -> Result<BTreeSet<String>, RunnerError> {
        let folder = self.floor.runner.folder;
        let mut entrants = folder.wait(folder.store().entrants())?;
        entrants.retain(|entrant| entrant.status == Status::In);
        let entries = folder.wait(folder.store().entries(None))?;
        // One that was accepted and is undecided was stopped by the host.
        let is_in = |it: &&Submission| {
            it.state != State::Undecided
                && entrants.iter().any(|entrant| entrant.name == it.entrant)
        };
        Ok(entries.iter().filter(is_in).map(|it| version_name(&entries, it)).collect())
    }

    /// An entry, ready to play; one that is not to be had is told of, and left out after some attempts.
    pub(super) fn load(&self, version: &Version) -> Result<(Contestant, EnginePlayer), String> {
        let loaded = self.floor.squad.load(version);
        let loaded = loaded.map_err(|NotLoaded { sentence, may_pass }| {
            self.fails(version.entry, if may_pass { 1 } else { ATTEMPTS });
            self.floor.runner.teller.note(&format!("an accepted entry does not play: {sentence}"));
            sentence
        })?;
        self.lame.borrow_mut().remove(&version.entry);
        Ok(loaded)
    }

    pub(super) fn fails(&self, entry: i64, times: u32) {
        *self.lame.borrow_mut().entry(entry).or_default() += times;
    }

    /// Whether the ladder is not over yet.
    fn ladder_goes_on(&self) -> Result<bool, RunnerError> {
        let dir = self.dir(LADDER);
        Ok(OpenFolder::is_one(&dir) && !OpenFolder::look(&dir)?.load()?.ledger.is_complete())
    }

    fn ladder(&self) -> Result<bool, RunnerError> {
        let who = self.who()?;
        let format = Format::Ladder { pairs: LADDER_PAIRS };
        match self.arena(LADDER, format, 2, || self.players(&who, true))? {
            Some(folder) => self.play(LADDER, &folder, true),
            None => Ok(false),
        }
    }

    /// The final, of the entrants alone; where there is one only, of him and the house.
    fn play_final(&self) -> Result<bool, RunnerError> {
        let folder = self.floor.runner.folder;
        let named = folder.wait(folder.store().paper(FINAL_PAPER))?;
        let name = named.unwrap_or_else(|| FINAL_PAPER.into());
        let who = self.who()?;
        let with_house = who.len() < 2;
        let house = if with_house { self.floor.squad.house.len() } else { 0 };
        let is_new = !OpenFolder::is_one(&self.dir(&name));
        if is_new {
            if who.is_empty() || who.len() + house < 2 {
                self.floor.runner.teller.note("nobody is there to play a final");
                return self.over();
            }
            let paper = Write::Paper { name: FINAL_PAPER.into(), text: name.clone() };
            folder.wait(folder.store().commit(&[paper]))?;
        }
        let folds = folder.contest().final_folds;
        let schedule = Format::RoundRobin { folds };
        let arena =
            self.arena(&name, schedule, who.len() + house, || self.players(&who, with_house))?;
        // It waits for entries that cannot be loaded now, until they are left out.
        let Some(arena) = arena else { return Ok(false) };
        if is_new {
            let players = arena.load()?.players;
            let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
            let text = format!("the {name} begins, of {}", names.join(", "));
            folder.wait(folder.store().commit(&[Write::Act(Act { at_ms: now_ms(), text })]))?;
        }
        self.play(&name, &arena, false)?;
        let is_complete = arena.load()?.ledger.is_complete();
        drop(arena);
        if is_complete { self.over() } else { Ok(false) }
    }

    /// Everything is played.
    fn over(&self) -> Result<bool, RunnerError> {
        let folder = self.floor.runner.folder;
        let told = folder.wait(folder.store().paper(OVER_PAPER))?;
        if told.is_none_or(|text| text.is_empty()) {
            let text = rfc3339(SystemTime::now());
            let paper = Write::Paper { name: OVER_PAPER.into(), text };
            let act = Act { at_ms: now_ms(), text: "everything is played".into() };
            folder.wait(folder.store().commit(&[paper, Write::Act(act)]))?;
        }
        self.floor.is_over.store(true, std::sync::atomic::Ordering::SeqCst);
        Ok(true)
    }

    fn dir(&self, arena: &str) -> PathBuf {
        self.floor.runner.folder.dir().join(arena)
    }

    fn players(&self, who: &[Version], with_house: bool) -> Players {
        let house = self.floor.squad.house.iter().filter(|_| with_house).cloned();
        house.chain(who.iter().filter_map(|version| self.load(version).ok())).collect()
    }

    /// The folder of an arena, which is begun where it was not. None: there are not so many players.
    fn arena(
        &self,
        name: &str,
        schedule: Format,
        least: usize,
        players: impl FnOnce() -> Players,
    ) -> Result<Option<ArenaFolder>, RunnerError> {
        let dir = self.dir(name);
        if OpenFolder::is_one(&dir) {
            let folder = ArenaFolder::open(&dir)?;
            // Without a setup its beginning was broken off.
            if folder.wait(folder.reader().setup())?.is_some() {
                return Ok(Some(folder));
            }
        }
        let players = players();
        if players.len() < least {
            return Ok(None);
        }
        let runner = self.floor.runner;
        let (contest, founding) = (runner.folder.contest(), runner.folder.founding());
        let file = contest.openings.clone().unwrap_or_default();
        let openings = founding.openings.as_deref().filter(|_| !runner.openings.is_empty());
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|error| {
            cannot(name, format!("the system gives no random numbers: {error}"))
        })?;
        let setup = ArenaSetup {
            format: FORMAT.into(),
            version: VERSION,
            host: env!("CARGO_PKG_VERSION").into(),
            id: crate::hex(&id),
            created_at: rfc3339(SystemTime::now()),
            game: contest.game.id.into(),
            variant: contest.variant.text(),
            seed: arena_seed(&founding.seed, name),
            sealed: Some(arena_seal(&founding.seed, name)),
            schedule,
            openings: openings.map(|bytes| OpeningsSource {
                file,
                sha256: crate::hex(&Sha256::digest(bytes)),
                count: runner.openings.len() as u32,
            }),
            settings: settings(),
            sprt: None,
            players: players.into_iter().map(|(player, _)| player).collect(),
        };
        Ok(Some(ArenaFolder::create(&dir, None, &setup, openings)?))
    }

    /// Plays an arena until it is complete, or is to stop; true where something was played.
    fn play(&self, name: &str, folder: &ArenaFolder, is_ladder: bool) -> Result<bool, RunnerError> {
        let runner = self.floor.runner;
        let loaded = folder.load()?;
        if loaded.ledger.is_complete() {
            return Ok(false);
        }
        let again = |player: &Contestant| {
            let engine = self.floor.squad.again(player)?;
            let Contestant { name, budget, ponders, .. } = player.clone();
            Ok(Rival { name, budget, engine, ponders })
        };
        let rivals: Result<Vec<Rival>, String> = loaded.players.iter().map(again).collect();
        let conditions =
            conditions(runner, loaded.setup.plan()).map_err(|e| cannot(name, e.to_string()))?;
        let arena = Arena {
            id: loaded.setup.id.clone(),
            conditions,
            players: RwLock::new(rivals.map_err(|reason| cannot(name, reason))?),
        };
        let stop = Stop::default();
        let names = loaded.players.iter().map(|player| player.name.clone()).collect();
        let (asked, leave, ends) = (Vec::new(), BTreeSet::new(), false);
        let mut usher = Usher {
            hall: self,
            arena: name,
            folder,
            is_ladder,
            names,
            asked,
            leave,
            ends,
            stop: &stop,
        };
        let mut recruits = Recruits { hall: self };
        let queue = Threads::new(runner.concurrency);
        let session =
            Session { queue: &queue, stop: &stop, recruiter: &mut recruits, watcher: &mut usher };
        let (_, ended) = crate::arena::run(&arena, folder, loaded.ledger, session);
        ended.map_err(|error| RunnerError::Games { arena: name.into(), error: Box::new(error) })?;
        Ok(true)
    }
}

fn cannot(arena: &str, reason: String) -> RunnerError {
    RunnerError::Players { arena: arena.into(), reason }
}
