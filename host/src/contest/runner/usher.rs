//! Sees to it that those play in an arena who are to play, by the requests that it takes from anybody, and takes out whom the host
//! has to stop.

use std::collections::BTreeSet;

use super::RunnerError;
use super::games::Hall;
use super::suspend::suspend;
use crate::arena::{
    ArenaFolder, Contestant, GameResult, Hopeless, Job, Ledger, Recruiter, Request, Status as Live,
    Watcher,
};
use crate::bout::EnginePlayer;
use crate::contest::file::Phase;
use crate::contest::roster::Version;
use crate::contest::squad::{ATTEMPTS, engine_id};
use crate::ordered::Stop;

/// Sees to it that those play who are to play.
pub(super) struct Usher<'a> {
    pub hall: &'a Hall<'a>,
    pub arena: &'a str,
    pub folder: &'a ArenaFolder,
    /// Whether entries may join.
    pub is_ladder: bool,
    /// Everybody's name, by number.
    pub names: Vec<String>,
    /// Entries that were asked in at the last look, by the request's number.
    pub asked: Vec<(i64, i64)>,
    /// Who was asked to leave.
    pub leave: BTreeSet<String>,
    /// The ladder was asked to end.
    pub ends: bool,
    pub stop: &'a Stop,
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
pub(super) struct Recruits<'a> {
    pub hall: &'a Hall<'a>,
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
