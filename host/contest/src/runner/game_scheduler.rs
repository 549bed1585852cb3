//! The rated games: the ladder while the contest is open, and the final. Players join and leave an
//! arena by requests.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::RwLock;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::entry_tester::conditions;
use super::roster_sync::{LadderPlayers, RosterSync};
use super::{RunnerContext, RunnerError};
use crate::entry_loader::{ATTEMPTS, LoadFailure};
use crate::folder::now_ms;
use crate::roster::{Version, roster, version_name};
use crate::store::{AuditEntry, FINAL_PROPERTY, OVER_PROPERTY, Submission, Write, final_arena};
use sandboard_arena::{Arena, ArenaFolder, OpenFolder, Session, Threads};
use sandboard_arena_plan::{ArenaPlayer, ArenaSetup, Contestant, FORMAT, OpeningsSource, VERSION};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::RulesRecord;
use sandboard_common::date::rfc3339;
use sandboard_common::ordered_work::Stop;
use sandboard_contest_rules::arena_rules::{ArenaKind, settings};
use sandboard_contest_rules::seed_commitment::{arena_seed, arena_seed_key, roster_hash};
use sandboard_contest_rules::{Phase, State, Status};

type Players = Vec<(Contestant, EnginePlayer)>;

/// Decides which arena plays, and runs it.
pub(super) struct GameScheduler<'a> {
    pub(super) context: &'a RunnerContext<'a>,
    /// How often an accepted entry could not be loaded or join. After [`ATTEMPTS`] failures it is
    /// left out.
    pub(super) load_failures: RefCell<BTreeMap<i64, u32>>,
}

impl<'a> GameScheduler<'a> {
    pub(super) fn new(context: &'a RunnerContext<'a>) -> Self {
        Self { context, load_failures: RefCell::default() }
    }

    /// Plays the next part of the contest. Returns false if there is nothing to play now.
    pub(super) fn step(&mut self) -> Result<bool, RunnerError> {
        let contest = self.context.runner.folder.contest();
        match self.context.phase()? {
            // A ladder needs two players.
            Phase::Open if self.roster()?.len() + self.context.entry_loader.house.len() < 2 => {
                Ok(false)
            }
            Phase::Open if contest.ladder => self.play_ladder(),
            Phase::Announced | Phase::Open => Ok(false),
            // All entries are tested before the final starts.
            Phase::Closed if self.context.waits()? => Ok(false),
            Phase::Closed if self.is_ladder_unfinished()? => self.play_ladder(),
            Phase::Closed if contest.final_cycles == 0 => self.finish(),
            Phase::Closed => self.play_final(),
        }
    }

    pub(super) fn roster(&self) -> Result<Vec<Version>, RunnerError> {
        let folder = self.context.runner.folder;
        let entrants = folder.wait(folder.store().entrants())?;
        let entries = folder.wait(folder.store().entries(None))?;
        let load_failures = self.load_failures.borrow();
        let who = roster(&entrants, &entries).into_iter();
        let is_left_out =
            |entry: &i64| load_failures.get(entry).is_some_and(|times| *times >= ATTEMPTS);
        Ok(who.filter(|version| !is_left_out(&version.entry)).collect())
    }

    /// The names of all entries of participating entrants, without suspended ones.
    pub(super) fn eligible_names(&self) -> Result<BTreeSet<String>, RunnerError> {
        let folder = self.context.runner.folder;
        let mut entrants = folder.wait(folder.store().entrants())?;
        entrants.retain(|entrant| entrant.status == Status::In);
        let entries = folder.wait(folder.store().entries(None))?;
        // An accepted entry that became undecided was suspended.
        let is_in = |it: &&Submission| {
            it.state != State::Undecided
                && entrants.iter().any(|entrant| entrant.name == it.entrant)
        };
        Ok(entries.iter().filter(is_in).map(|it| version_name(&entries, it)).collect())
    }

    /// Loads an entry. A failure is reported, and the entry is left out after some attempts.
    pub(super) fn load(&self, version: &Version) -> Result<(Contestant, EnginePlayer), String> {
        let loaded = self.context.entry_loader.load(version);
        let loaded = loaded.map_err(|LoadFailure { sentence, is_temporary }| {
            self.count_load_failure(version.entry, if is_temporary { 1 } else { ATTEMPTS });
            self.context
                .runner
                .observer
                .note(&format!("an accepted entry cannot play: {sentence}"));
            sentence
        })?;
        self.load_failures.borrow_mut().remove(&version.entry);
        Ok(loaded)
    }

    pub(super) fn count_load_failure(&self, entry: i64, times: u32) {
        *self.load_failures.borrow_mut().entry(entry).or_default() += times;
    }

    /// Whether the ladder has games left.
    fn is_ladder_unfinished(&self) -> Result<bool, RunnerError> {
        let dir = self.dir(ArenaKind::Ladder);
        Ok(OpenFolder::holds_arena(&dir)
            && !OpenFolder::open_to_read(&dir)?.load()?.ledger.is_complete())
    }

    fn play_ladder(&self) -> Result<bool, RunnerError> {
        let who = self.roster()?;
        match self.arena(ArenaKind::Ladder, 2, || self.players(&who, true))? {
            Some(folder) => self.play(ArenaKind::Ladder, &folder),
            None => Ok(false),
        }
    }

    /// Plays the final among the entrants; with only one entrant, also against the house engines.
    fn play_final(&self) -> Result<bool, RunnerError> {
        let folder = self.context.runner.folder;
        let kind = folder.wait(final_arena(&**folder.store()))?;
        let name = kind.name();
        let who = self.roster()?;
        let with_house = who.len() < 2;
        let house = if with_house { self.context.entry_loader.house.len() } else { 0 };
        let is_new = !OpenFolder::holds_arena(&self.dir(kind));
        if is_new {
            if who.is_empty() || who.len() + house < 2 {
                self.context.runner.observer.note("there are no players for a final");
                return self.finish();
            }
            let property = Write::Property { name: FINAL_PROPERTY.into(), text: name.clone() };
            folder.wait(folder.store().commit(&[property]))?;
        }
        let arena = self.arena(kind, who.len() + house, || self.players(&who, with_house))?;
        // The final waits for entries that cannot be loaded, until they are left out.
        let Some(arena) = arena else { return Ok(false) };
        if is_new {
            let players = arena.load()?.players;
            let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
            let text = format!("the {name} starts, with {}", names.join(", "));
            folder.wait(
                folder.store().commit(&[Write::Audit(AuditEntry { at_ms: now_ms(), text })]),
            )?;
        }
        self.play(kind, &arena)?;
        let is_complete = arena.load()?.ledger.is_complete();
        drop(arena);
        if is_complete { self.finish() } else { Ok(false) }
    }

    /// Marks the contest as finished.
    fn finish(&self) -> Result<bool, RunnerError> {
        let folder = self.context.runner.folder;
        let finished_at = folder.wait(folder.store().property(OVER_PROPERTY))?;
        if finished_at.is_none_or(|text| text.is_empty()) {
            let text = rfc3339(SystemTime::now());
            let property = Write::Property { name: OVER_PROPERTY.into(), text };
            let act = AuditEntry { at_ms: now_ms(), text: "all games are played".into() };
            folder.wait(folder.store().commit(&[property, Write::Audit(act)]))?;
        }
        self.context.is_over.store(true, std::sync::atomic::Ordering::SeqCst);
        Ok(true)
    }

    fn dir(&self, arena: ArenaKind) -> PathBuf {
        self.context.runner.folder.dir().join(arena.name())
    }

    fn players(&self, who: &[Version], with_house: bool) -> Players {
        let house = self.context.entry_loader.house.iter().filter(|_| with_house).cloned();
        house.chain(who.iter().filter_map(|version| self.load(version).ok())).collect()
    }

    /// Opens the folder of an arena, or creates it. `None` if fewer than `least` players can be
    /// loaded.
    fn arena(
        &self,
        kind: ArenaKind,
        least: usize,
        players: impl FnOnce() -> Players,
    ) -> Result<Option<ArenaFolder>, RunnerError> {
        let (dir, name) = (self.dir(kind), kind.name());
        if OpenFolder::holds_arena(&dir) {
            let folder = ArenaFolder::open(&dir)?;
            // A missing setup means that its creation was interrupted.
            if folder.wait(folder.reader().setup())?.is_some() {
                return Ok(Some(folder));
            }
        }
        let players = players();
        if players.len() < least {
            return Ok(None);
        }
        let runner = self.context.runner;
        let (contest, founding) = (runner.folder.contest(), runner.folder.founding());
        let file = contest.openings.clone().unwrap_or_default();
        let openings = founding.openings.as_deref().filter(|_| !runner.openings.is_empty());
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|error| {
            not_playable(&name, format!("the system gives no random numbers: {error}"))
        })?;
        let players: Vec<Contestant> = players.into_iter().map(|(player, _)| player).collect();
        let (label, roster) = (kind.seed_label(), roster_hash(&players));
        let setup = ArenaSetup {
            format: FORMAT.into(),
            version: VERSION,
            host: env!("CARGO_PKG_VERSION").into(),
            id: sandboard_common::hex::hex(&id),
            created_at: rfc3339(SystemTime::now()),
            game: contest.game.id.into(),
            rules: RulesRecord::of(contest.game),
            variant: contest.variant.text(),
            seed: arena_seed(&founding.seed, label, roster),
            seed_key: Some(arena_seed_key(&founding.seed, label, roster)),
            schedule: kind.schedule(contest),
            seats: 2,
            shares_chance: contest.game.features.chance,
            openings: openings.map(|bytes| OpeningsSource {
                file,
                sha256: sandboard_common::hex::hex(&Sha256::digest(bytes)),
                count: runner.openings.len() as u32,
            }),
            settings: settings(),
            sprt: None,
            players,
        };
        Ok(Some(ArenaFolder::create(&dir, None, &setup, openings)?))
    }

    /// Plays an arena until it is complete or stopped. Returns true if anything was played.
    fn play(&self, kind: ArenaKind, folder: &ArenaFolder) -> Result<bool, RunnerError> {
        let name = &kind.name();
        let runner = self.context.runner;
        let loaded = folder.load()?;
        if loaded.ledger.is_complete() {
            return Ok(false);
        }
        let reload = |player: &Contestant| {
            let engine = self.context.entry_loader.reload(player)?;
            let Contestant { name, budget, ponders, .. } = player.clone();
            Ok(ArenaPlayer { name, budget, engine, ponders })
        };
        let rivals: Result<Vec<ArenaPlayer>, String> = loaded.players.iter().map(reload).collect();
        let conditions = conditions(runner, loaded.setup.plan())
            .map_err(|e| not_playable(name, e.to_string()))?;
        let arena = Arena {
            id: loaded.setup.id.clone(),
            conditions,
            players: RwLock::new(rivals.map_err(|reason| not_playable(name, reason))?),
        };
        let stop = Stop::default();
        let names = loaded.players.iter().map(|player| player.name.clone()).collect();
        let (joining, leaving, is_finishing) = (Vec::new(), BTreeSet::new(), false);
        let slow = BTreeSet::new();
        let mut roster_sync = RosterSync {
            scheduler: self,
            arena: name,
            folder,
            is_ladder: kind == ArenaKind::Ladder,
            names,
            joining,
            leaving,
            slow,
            is_finishing,
            stop: &stop,
        };
        let mut players = LadderPlayers { scheduler: self };
        let queue = Threads::new(runner.concurrency);
        let session = Session {
            queue: &queue,
            stop: &stop,
            // An entry that fails to start loses its games, and holds up no contest.
            ends_at_failed_starts: false,
            player_source: &mut players,
            observer: &mut roster_sync,
        };
        let (_, ended) = sandboard_arena::run(&arena, folder, loaded.ledger, session);
        ended.map_err(|error| RunnerError::Games { arena: name.into(), error: Box::new(error) })?;
        Ok(true)
    }
}

fn not_playable(arena: &str, reason: String) -> RunnerError {
    RunnerError::Players { arena: arena.into(), reason }
}
