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
use super::suspend::suspend;
use super::{Floor, RunnerError};
use crate::arena::{
    Arena, ArenaFolder, ArenaSetup, Contestant, FORMAT, GameResult, Hopeless, Job, Ledger,
    OpenFolder, OpeningsSource, Recruiter, Request, Rival, Session, Status as Live, Threads,
    VERSION, Watcher,
};
use crate::bout::EnginePlayer;
use crate::contest::file::Phase;
use crate::contest::folder::now_ms;
use crate::contest::lot::{arena_seal, arena_seed};
use crate::contest::roster::{Version, roster, version_name};
use crate::contest::squad::{ATTEMPTS, NotLoaded, engine_id};
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
    floor: &'a Floor<'a>,
    /// How often an accepted entry could not be loaded, or was not let in: from some number on nobody waits for it.
    lame: RefCell<BTreeMap<i64, u32>>,
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

    fn who(&self) -> Result<Vec<Version>, RunnerError> {
        let folder = self.floor.runner.folder;
        let entrants = folder.wait(folder.store().entrants())?;
        let entries = folder.wait(folder.store().entries(None))?;
        let lame = self.lame.borrow();
        let who = roster(&entrants, &entries).into_iter();
        let is_lame = |entry: &i64| lame.get(entry).is_some_and(|times| *times >= ATTEMPTS);
        Ok(who.filter(|version| !is_lame(&version.entry)).collect())
    }

    /// The names of all entries of those who are in, as far as they may play on.
    fn of_those_in(&self) -> Result<BTreeSet<String>, RunnerError> {
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
    fn load(&self, version: &Version) -> Result<(Contestant, EnginePlayer), String> {
        let loaded = self.floor.squad.load(version);
        let loaded = loaded.map_err(|NotLoaded { sentence, may_pass }| {
            self.fails(version.entry, if may_pass { 1 } else { ATTEMPTS });
            self.floor.runner.teller.note(&format!("an accepted entry does not play: {sentence}"));
            sentence
        })?;
        self.lame.borrow_mut().remove(&version.entry);
        Ok(loaded)
    }

    fn fails(&self, entry: i64, times: u32) {
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

/// Sees to it that those play who are to play.
struct Usher<'a> {
    hall: &'a Hall<'a>,
    arena: &'a str,
    folder: &'a ArenaFolder,
    /// Whether entries may join.
    is_ladder: bool,
    /// Everybody's name, by number.
    names: Vec<String>,
    /// Entries that were asked in at the last look, by the request's number.
    asked: Vec<(i64, i64)>,
    /// Who was asked to leave.
    leave: BTreeSet<String>,
    /// The ladder was asked to end.
    ends: bool,
    stop: &'a Stop,
}

impl Usher<'_> {
    /// What was asked at the last look has been dealt with by now; who was refused then is not asked in again.
    fn look(&mut self, ledger: &Ledger) -> Result<(), RunnerError> {
        for (request, entry) in std::mem::take(&mut self.asked) {
            match self.folder.wait(self.folder.store().answer(request))? {
                Some(answer) if answer.done => {}
                // Where it could not be loaded that is counted; for another reason it is never let in.
                Some(_) if self.hall.lame.borrow().contains_key(&entry) => {}
                Some(_) => self.hall.fails(entry, ATTEMPTS),
                None => self.asked.push((request, entry)),
            }
        }
        let floor = self.hall.floor;
        if floor.is_done() {
            self.stop.stop();
            return Ok(());
        }
        let closing = self.is_ladder && floor.phase()? == Phase::Closed;
        if closing && !std::mem::replace(&mut self.ends, true) {
            self.ask(&Request::End)?;
        }
        let schedule = ledger.schedule();
        let plays =
            (0_u32..).zip(&self.names).filter(|(number, _)| !schedule.is_withdrawn(*number));
        let plays: Vec<&String> = plays.map(|(_, name)| name).collect();
        let known = match self.is_ladder {
            true => self.hall.who()?.into_iter().map(|version| version.name).collect(),
            // What is accepted, or tried again, after the final has begun changes nothing of it.
            false => self.hall.of_those_in()?,
        };
        let house = floor.squad.house.iter().map(|(player, _)| &player.name);
        let known: BTreeSet<&String> = known.iter().chain(house).collect();
        if self.is_ladder && !closing {
            let who = self.hall.who()?;
            let is_in = |version: &&Version| plays.iter().any(|name| is_of(name, &version.name));
            let asked = |entry: i64| self.asked.iter().any(|(_, it)| *it == entry);
            let comes: Vec<i64> = who
                .iter()
                .filter(|version| !is_in(version) && !asked(version.entry))
                .map(|version| version.entry)
                .collect();
            for entry in comes {
                let (engine, budget) = (engine_id(entry), None);
                let request = self.ask(&Request::Join { engine, budget, rating: 0 })?;
                self.asked.push((request, entry));
            }
            // Others leave when those are in who take their places: a ladder of one would be over.
            if !self.asked.is_empty() {
                return Ok(());
            }
        }
        let leaves = plays.iter().filter(|name| !known.iter().any(|known| is_of(name, known)));
        let leaves: Vec<&String> = leaves.copied().collect();
        if self.is_ladder && !closing && plays.len() - leaves.len() < 2 {
            // Until somebody else comes.
            self.stop.stop();
            return Ok(());
        }
        let leaves: Vec<String> = leaves.into_iter().cloned().collect();
        for player in leaves {
            // An answer may take until after the next look.
            if self.leave.insert(player.clone()) {
                self.ask(&Request::Withdraw { player })?;
            }
        }
        Ok(())
    }

    /// A game has no result: the entry that the host has stopped in it plays no more.
    fn suspend(&mut self, game: &Hopeless) -> Result<(), RunnerError> {
        let (arena, name, reason) = (self.arena, game.job.name(), &game.reason);
        let runner = self.hall.floor.runner;
        let pair = u64::from(game.job.pair.number) + 1;
        runner
            .teller
            .note(&format!("{arena}: pair {pair} is void, since {name} has no result: {reason}"));
        // Else it may be the machine, or both.
        let blamed = game.blamed.filter(|_| game.shown);
        let number = blamed.map(|player| game.job.pair.players[player & 1] as usize);
        let Some(player) = number.and_then(|number| self.names.get(number)) else { return Ok(()) };
        let is_named = |version: &str| is_of(player, version);
        if suspend(runner.folder, is_named, &format!("{arena}/{name}"), reason)? {
            runner.teller.note(&format!("{player} plays no more until it is tried again"));
        }
        Ok(())
    }

    /// Asks the arena for something; the number of the request.
    fn ask(&self, request: &Request) -> Result<i64, RunnerError> {
        let text = serde_json::to_string(request).unwrap_or_default();
        Ok(self.folder.wait(self.folder.store().ask(&text))?)
    }
}

/// Whether a player of an arena is this version: who was out and comes again has a number behind his name.
fn is_of(player: &str, version: &str) -> bool {
    let rest = player.strip_prefix(version);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

impl Watcher for Usher<'_> {
    fn done(&mut self, ledger: &Ledger, _job: &Job, _result: &GameResult) {
        self.hall.floor.runner.teller.games(self.arena, ledger);
    }

    fn again(&mut self, job: &Job, reason: &str) {
        let line = format!("{} {} is played again: {reason}", self.arena, job.name());
        self.hall.floor.runner.teller.note(&line);
    }

    fn void(&mut self, game: &Hopeless) {
        if let Err(error) = self.suspend(game) {
            self.hall.floor.fail(error);
            self.stop.stop();
        }
    }

    fn joined(&mut self, player: &Contestant) {
        self.names.push(player.name.clone());
    }

    fn asked(&mut self, sentence: &str) {
        self.hall.floor.runner.teller.note(&format!("{}: {sentence}", self.arena));
    }

    fn tick(&mut self, ledger: &Ledger, _status: &Live) {
        if let Err(error) = self.look(ledger) {
            self.hall.floor.fail(error);
            self.stop.stop();
        }
    }
}

/// Finds the entries that join the ladder.
struct Recruits<'a> {
    hall: &'a Hall<'a>,
}

impl Recruiter for Recruits<'_> {
    fn recruit(
        &mut self,
        engine: &str,
        _: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let who = self.hall.who().map_err(|error| error.to_string())?;
        let version = who.iter().find(|version| engine_id(version.entry) == engine);
        let version = version.ok_or_else(|| format!("{engine} is to play no more"))?;
        self.hall.load(version)
    }
}
