//! Keeps an arena's players in sync with the contest roster, by requests to the arena; suspends
//! entries that the host had to stop.

use std::collections::BTreeSet;

use super::RunnerError;
use super::game_scheduler::GameScheduler;
use super::suspend::{SuspensionReason, suspend};
use crate::entry_loader::ATTEMPTS;
use crate::folder::now_ms;
use crate::fuel_speed::{FuelSpeed, SpeedVerdict};
use crate::roster::Version;
use crate::store::{AuditEntry, Write};
use sandboard_arena::{ArenaFolder, PlayerSource, Request, RunObserver, UnresolvedGame};
use sandboard_arena_plan::{Contestant, GameResult, Job, Ledger, Status as Live};
use sandboard_bout::driver::EnginePlayer;
use sandboard_common::ordered_work::Stop;
use sandboard_contest_rules::{Phase, engine_id};

/// Observes an arena and requests joins and withdrawals.
pub(super) struct RosterSync<'a> {
    pub scheduler: &'a GameScheduler<'a>,
    pub arena: &'a str,
    pub folder: &'a ArenaFolder,
    /// Whether the arena is the ladder, which entries may join.
    pub is_ladder: bool,
    /// The names of all players, by number.
    pub names: Vec<String>,
    /// Pending requests to join: request number and entry.
    pub joining: Vec<(i64, i64)>,
    /// Players that were asked to withdraw.
    pub leaving: BTreeSet<String>,
    /// The slow players that were reported, with their verdicts.
    pub slow: BTreeSet<(String, SpeedVerdict)>,
    /// Whether the ladder was asked to finish.
    pub is_finishing: bool,
    pub stop: &'a Stop,
}

impl RosterSync<'_> {
    /// Compares the arena with the roster and sends requests. Pending requests are resolved first;
    /// a refused entry is not requested again.
    fn sync(&mut self, ledger: &Ledger) -> Result<(), RunnerError> {
        for (request, entry) in std::mem::take(&mut self.joining) {
            match self.folder.wait(self.folder.store().answer(request))? {
                Some(answer) if answer.done => {}
                // A load failure is already counted; an entry refused for another reason never
                // joins.
                Some(_) if self.scheduler.load_failures.borrow().contains_key(&entry) => {}
                Some(_) => self.scheduler.count_load_failure(entry, ATTEMPTS),
                None => self.joining.push((request, entry)),
            }
        }
        let context = self.scheduler.context;
        if context.is_done() {
            self.stop.stop();
            return Ok(());
        }
        context.entry_loader.log_quota.store()?;
        let is_full = self.is_ladder && self.is_full()?;
        let closing = self.is_ladder && (is_full || context.phase()? == Phase::Closed);
        if closing && !std::mem::replace(&mut self.is_finishing, true) {
            self.request(&Request::Finish)?;
        }
        let schedule = ledger.schedule();
        let plays =
            (0_u32..).zip(&self.names).filter(|(number, _)| !schedule.is_withdrawn(*number));
        let plays: Vec<&String> = plays.map(|(_, name)| name).collect();
        let known = match self.is_ladder {
            true => self.scheduler.roster()?.into_iter().map(|version| version.name).collect(),
            // Entries that are accepted or retested later do not change a started final.
            false => self.scheduler.eligible_names()?,
        };
        let house = context.entry_loader.house.iter().map(|(player, _)| &player.name);
        let known: BTreeSet<&String> = known.iter().chain(house).collect();
        if self.is_ladder && !closing {
            let roster = self.scheduler.roster()?;
            let plays_already =
                |version: &&Version| plays.iter().any(|name| is_version(name, &version.name));
            let is_joining = |entry: i64| self.joining.iter().any(|(_, it)| *it == entry);
            let new_entries: Vec<i64> = roster
                .iter()
                .filter(|version| !plays_already(version) && !is_joining(version.entry))
                .map(|version| version.entry)
                .collect();
            for entry in new_entries {
                let (engine, budget) = (engine_id(entry), None);
                let request = self.request(&Request::Join { engine, budget, rating: 0 })?;
                self.joining.push((request, entry));
            }
            // Replaced versions leave only after the new ones have joined, because a ladder of one
            // would end.
            if !self.joining.is_empty() {
                return Ok(());
            }
        }
        let leaves = plays.iter().filter(|name| !known.iter().any(|known| is_version(name, known)));
        let leaves: Vec<&String> = leaves.copied().collect();
        if self.is_ladder && !closing && plays.len() - leaves.len() < 2 {
            // The ladder waits for another player.
            self.stop.stop();
            return Ok(());
        }
        let leaves: Vec<String> = leaves.into_iter().cloned().collect();
        for player in leaves {
            // The answer may arrive after the next call.
            if self.leaving.insert(player.clone()) {
                self.request(&Request::Withdraw { player })?;
            }
        }
        Ok(())
    }

    /// Whether the contest stores as much as it may. Says so when it first does.
    fn is_full(&self) -> Result<bool, RunnerError> {
        let folder = self.scheduler.context.runner.folder;
        let (used, most) = (folder.stored_bytes()?, folder.contest().contest_bytes);
        if used > most && !self.is_finishing {
            let text = format!(
                "the ladder ends: the contest stores {used} bytes, and `contest_bytes` is {most}"
            );
            self.scheduler.context.runner.observer.note(&text);
            let act = Write::Audit(AuditEntry { at_ms: now_ms(), text });
            folder.wait(folder.store().commit(&[act]))?;
        }
        Ok(used > most)
    }

    /// Handles a game without a result: suspends the entry that the host had to stop.
    fn suspend(&mut self, game: &UnresolvedGame) -> Result<(), RunnerError> {
        let (arena, name, reason) = (self.arena, game.job.name(), &game.reason);
        let runner = self.scheduler.context.runner;
        let pair = u64::from(game.job.pair.number) + 1;
        runner
            .observer
            .note(&format!("{arena}: pair {pair} is void, because {name} has no result: {reason}"));
        // Otherwise the machine or both players may be at fault.
        let blamed = game.at_fault.filter(|_| game.opponent_played);
        let number = blamed.and_then(|player| game.job.pair.players.get(player).copied());
        let Some(player) = number.and_then(|number| self.names.get(number as usize)) else {
            return Ok(());
        };
        let is_named = |version: &str| is_version(player, version);
        let (game, reason) = (format!("{arena}/{name}"), reason.clone());
        if suspend(runner.folder, is_named, &SuspensionReason::NoResult { game, reason })? {
            runner.observer.note(&format!("{player} is suspended until it is tested again"));
        }
        Ok(())
    }

    /// Suspends entries whose code is far slower than its fuel, and reports slow ones once.
    fn check_speeds(&mut self, ledger: &Ledger) -> Result<(), RunnerError> {
        let runner = self.scheduler.context.runner;
        let arena = self.arena;
        for (player, speed) in slow_players(ledger, &self.names) {
            let verdict = speed.verdict();
            // The house engines are the organiser's own.
            let is_house = runner.house.iter().any(|(house, _)| is_version(player, &house.name));
            if is_house || !self.slow.insert((player.clone(), verdict)) {
                continue;
            }
            runner.observer.note(&format!("{arena}: {player} takes {speed}"));
            if verdict == SpeedVerdict::Suspended {
                let is_named = |version: &str| is_version(player, version);
                let reason = SuspensionReason::TooSlow { arena: arena.into(), speed };
                if suspend(runner.folder, is_named, &reason)? {
                    let line = format!("{player} is suspended until it is tested again");
                    runner.observer.note(&line);
                }
            }
        }
        Ok(())
    }

    /// Sends a request to the arena. Returns its number.
    fn request(&self, request: &Request) -> Result<i64, RunnerError> {
        let text = serde_json::to_string(request).unwrap_or_default();
        Ok(self.folder.wait(self.folder.store().add_request(&text))?)
    }
}

/// The players whose code takes far more time than its fuel stands for, with the measured speeds.
fn slow_players<'a>(
    ledger: &'a Ledger,
    names: &'a [String],
) -> impl Iterator<Item = (&'a String, FuelSpeed)> {
    let totals = ledger.counted_results().totals.iter();
    totals.filter_map(|(player, totals)| {
        let speed = FuelSpeed::of(totals)?;
        (speed.verdict() != SpeedVerdict::Usual).then_some((names.get(*player as usize)?, speed))
    })
}

/// Whether a player of an arena is this version. A returning player has a number after the
/// name.
fn is_version(player: &str, version: &str) -> bool {
    let rest = player.strip_prefix(version);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

impl RunObserver for RosterSync<'_> {
    fn game_counted(&mut self, ledger: &Ledger, _job: &Job, _result: &GameResult) {
        self.scheduler.context.runner.observer.game_counted(self.arena, ledger);
    }

    fn game_replayed(&mut self, job: &Job, reason: &str) {
        let line = format!("{} {} is played again: {reason}", self.arena, job.name());
        self.scheduler.context.runner.observer.note(&line);
    }

    fn pair_voided(&mut self, game: &UnresolvedGame) {
        if let Err(error) = self.suspend(game) {
            self.scheduler.context.fail(error);
            self.stop.stop();
        }
    }

    fn player_joined(&mut self, player: &Contestant) {
        self.names.push(player.name.clone());
    }

    fn request_answered(&mut self, sentence: &str) {
        self.scheduler.context.runner.observer.note(&format!("{}: {sentence}", self.arena));
    }

    fn status_updated(&mut self, ledger: &Ledger, _status: &Live) {
        if let Err(error) = self.check_speeds(ledger).and_then(|()| self.sync(ledger)) {
            self.scheduler.context.fail(error);
            self.stop.stop();
        }
    }
}

/// Loads the entries that join the ladder.
pub(super) struct LadderPlayers<'a> {
    pub scheduler: &'a GameScheduler<'a>,
}

impl PlayerSource for LadderPlayers<'_> {
    fn load_player(
        &mut self,
        engine: &str,
        _: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let roster = self.scheduler.roster().map_err(|error| error.to_string())?;
        let version = roster.iter().find(|version| engine_id(version.entry) == engine);
        let version = version.ok_or_else(|| format!("{engine} is not on the roster"))?;
        self.scheduler.load(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_arena_plan::{Format, GameKey, fixture};

    /// Counts a pair in which both games take this CPU time, in microseconds, and fuel of each
    /// player. Expected: the slow players with their verdicts.
    fn check(games: [(u64, u64); 2], expected: &[(&str, SpeedVerdict)]) {
        let setup = fixture::setup(Format::Match { pairs: 1 }, &["ann v1", "bob v1"]);
        let mut ledger = Ledger::new(&setup).unwrap();
        for game in 0..2 {
            let mut result = fixture::result(1);
            for (spent, (cpu_us, fuel)) in result.spent.iter_mut().zip(games) {
                (spent.cpu_moves, spent.cpu_us, spent.cpu_fuel) = (10, cpu_us, fuel);
            }
            ledger.add(GameKey { pair: 0, game }, result).unwrap();
        }
        let names = ["ann v1", "bob v1"].map(str::to_owned);
        let found = slow_players(&ledger, &names).map(|(name, speed)| (&**name, speed.verdict()));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{games:?}");
    }

    #[test]
    fn slow_players_are_found_by_their_totals() {
        use SpeedVerdict::{Flagged, Suspended};
        const FUEL: u64 = 1_000_000_000;
        check([(1_000_000, FUEL); 2], &[]);
        check([(1_000_000, FUEL), (20_000_000, FUEL)], &[("bob v1", Flagged)]);
        check([(330_000_000, FUEL), (1_000_000, FUEL)], &[("ann v1", Suspended)]);
    }
}
