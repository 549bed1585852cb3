//! Whoever called: hears how an arena gets on, tells what goes on, and deals with what others ask.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use sandboard_tournament::schedule::{Change, Event, Pair};

use super::doubts::Doubts;
use super::table::{News, Parcel, Table};
use super::{Hopeless, JobQueue, RunError, TICK, Watcher, free_name};
use crate::arena::conditions::Rival;
use crate::arena::folder::ArenaFolder;
use crate::arena::ledger::Ledger;
use crate::arena::live::Status;
use crate::arena::request::{Recruiter, Request};
use crate::arena::setup::Contestant;
use crate::arena::store::{Answer, Write};
use crate::bout::EnginePlayer;

/// Whoever called: hears how it gets on, and deals with requests.
pub(super) struct Office<'a> {
    table: &'a Table<'a>,
    queue: &'a dyn JobQueue,
    folder: &'a ArenaFolder,
    recruiter: &'a mut dyn Recruiter,
    watcher: &'a mut dyn Watcher,
    began: Instant,
    games: u64,
    plies: u64,
    told: Option<Status>,
    /// Requests that were dealt with: the store may not know yet.
    answered: BTreeSet<i64>,
    doubts: Doubts,
}

impl<'a> Office<'a> {
    pub fn new(
        table: &'a Table<'a>,
        queue: &'a dyn JobQueue,
        folder: &'a ArenaFolder,
        recruiter: &'a mut dyn Recruiter,
        watcher: &'a mut dyn Watcher,
    ) -> Self {
        let (began, answered) = (Instant::now(), BTreeSet::new());
        let (games, plies, told) = (0, 0, None);
        let doubts = Doubts::default();
        Self {
            table,
            queue,
            folder,
            recruiter,
            watcher,
            began,
            games,
            plies,
            told,
            answered,
            doubts,
        }
    }

    /// Until the others are gone.
    pub fn sit(mut self, news: &Receiver<News>, parcels: Sender<Parcel>) -> Result<(), RunError> {
        let mut ended = Ok(());
        let mut parcels = Some(parcels);
        let mut next = Instant::now();
        loop {
            match news.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(News::Done(games)) => {
                    let ledger = self.table.ledger();
                    for (job, result) in &games {
                        self.games += 1;
                        self.plies += result.plies;
                        self.watcher.done(&ledger, job, result);
                    }
                    drop(ledger);
                    if !games.is_empty() {
                        let void = self.doubts.result();
                        self.void(void, parcels.as_ref());
                    }
                }
                // The other game of its pair had none either.
                Ok(News::Hopeless(game))
                    if self.table.ledger().schedule().is_void(game.job.pair.number) => {}
                Ok(News::Hopeless(game)) => {
                    let (job, reason) = (game.job.name(), game.reason.clone());
                    match self.doubts.add(*game) {
                        Ok(void) => self.void(void, parcels.as_ref()),
                        Err(in_a_row) => {
                            self.table.give_up();
                            ended = ended.and(Err(RunError::NoResult { job, in_a_row, reason }));
                        }
                    }
                }
                Ok(News::Again(job, reason)) => self.watcher.again(&job, &reason),
                // The first reason; the others stopped because of it, or for the like.
                Ok(News::Failed(error)) if ended.is_ok() => ended = Err(error),
                Ok(News::Failed(error)) => log::warn!("{error}"),
                // Nothing more comes from here, and the writer ends when nothing more comes.
                Ok(News::Left) => parcels = None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + TICK;
            let Some(sender) = &parcels else { continue };
            if let Err(error) = self.tick(sender) {
                self.table.give_up();
                ended = ended.and(Err(error));
            }
        }
        ended
    }

    /// These pairs bring nobody anything.
    fn void(&mut self, games: Vec<Hopeless>, parcels: Option<&Sender<Parcel>>) {
        for game in games {
            let Pair { number: at, players, .. } = game.job.pair;
            // What led to it does not count any more, and the number is another pair's.
            if self.table.ledger().schedule().pair(at).is_none_or(|pair| pair.players != players) {
                continue;
            }
            let by = game.blamed.filter(|_| game.shown).map(|blamed| players[blamed & 1]);
            // The session is over: whoever goes on with the arena plays it again.
            let Some(parcels) = parcels else { continue };
            let event = |_: &Ledger| Event { at, change: Change::Void { players, by } };
            match self.apply(event, vec![Write::Void(at)], parcels) {
                Ok(_) => self.watcher.void(&game),
                // Both of its games have no result.
                Err(error) => log::info!("{error}"),
            }
        }
    }

    fn tick(&mut self, parcels: &Sender<Parcel>) -> Result<(), RunError> {
        let ledger = self.table.ledger();
        let schedule = ledger.schedule();
        let has_left = |player: &u32| schedule.is_withdrawn(*player);
        let is_another = |pair: Pair| schedule.pair(pair.number) != Some(pair);
        let settled = self.doubts.settled(|game| {
            is_another(game.job.pair) || game.job.pair.players.iter().any(has_left)
        });
        let playing = ledger.playing().count();
        drop(ledger);
        self.void(settled, Some(parcels));
        if let Some(game) = self.doubts.alone(playing) {
            let (job, reason) = (game.job.name(), game.reason.clone());
            return Err(RunError::NoResult { job, in_a_row: self.doubts.in_a_row(), reason });
        }
        let store = self.folder.store();
        for asked in self.folder.wait(store.requests())? {
            if !self.answered.insert(asked.number) {
                continue;
            }
            let answer = match serde_json::from_str::<Request>(&asked.what) {
                Ok(request) => self.grant(request, parcels),
                Err(error) => Err(format!("it is no request: {error}")),
            };
            let (done, text) = match answer {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            self.watcher.asked(&text);
            let answer = Answer { done, text };
            let _ =
                parcels.send(Parcel::Other(vec![Write::Answer { request: asked.number, answer }]));
        }
        let status = self.status();
        self.watcher.tick(&self.table.ledger(), &status);
        let same = self
            .told
            .as_ref()
            .is_some_and(|told| (told.stopping, &told.games) == (status.stopping, &status.games));
        if !same {
            let text = serde_json::to_string(&status).unwrap_or_default();
            let _ = parcels.send(Parcel::Other(vec![Write::Status(text)]));
            self.told = Some(status);
        }
        Ok(())
    }

    fn status(&self) -> Status {
        let ledger = self.table.ledger();
        let (left, playing) = (ledger.forecast().expected, ledger.playing().count());
        drop(ledger);
        let seconds = self.began.elapsed().as_secs_f64();
        let seconds_left = (self.games > 0).then(|| {
            let games = (2 * left).max(playing as u64) as f64;
            games * seconds / self.games as f64
        });
        Status {
            stopping: self.table.is_stopped(),
            concurrency: self.queue.concurrency(),
            seconds_left,
            plies_per_second: (self.plies > 0).then(|| self.plies as f64 / seconds),
            games: self.queue.games(),
        }
    }

    fn grant(&mut self, request: Request, parcels: &Sender<Parcel>) -> Result<String, String> {
        match request {
            Request::Stop => {
                self.table.stop.stop();
                self.table.wake();
                Ok("games in play are finished, and none is begun".into())
            }
            Request::End => {
                let at = self.change(Change::Stop, Vec::new(), parcels)?;
                Ok(format!("the tournament is over with pair {at}"))
            }
            Request::Withdraw { player } => self.withdraw(&player, parcels),
            Request::Join { engine, budget, rating } => {
                let (mut contestant, engine) =
                    self.recruiter.recruit(&engine, budget.as_deref())?;
                contestant.rating = rating;
                self.join(contestant, engine, parcels)
            }
        }
    }

    /// A change that counts from the first pair on that nobody has begun.
    fn change(
        &self,
        change: Change,
        more: Vec<Write>,
        parcels: &Sender<Parcel>,
    ) -> Result<u32, String> {
        self.apply(|ledger| Event { at: ledger.schedule().place(), change }, more, parcels)
    }

    /// The change is handed to the writer while nobody can take a pair that depends on it: whatever is stored
    /// after it was played after it.
    fn apply(
        &self,
        event: impl FnOnce(&Ledger) -> Event,
        more: Vec<Write>,
        parcels: &Sender<Parcel>,
    ) -> Result<u32, String> {
        let mut ledger = self.table.ledger();
        let (number, event) = (ledger.schedule().events().len() as u32, event(&ledger));
        ledger.apply(event).map_err(|error| error.to_string())?;
        let text = serde_json::to_string(&event).map_err(|error| error.to_string())?;
        // Both or neither: a player without its place in the schedule would take that of the next.
        let writes = more.into_iter().chain([Write::Event { number, event: text }]).collect();
        let _ = parcels.send(Parcel::Other(writes));
        drop(ledger);
        self.table.wake();
        Ok(event.at)
    }

    fn withdraw(&self, name: &str, parcels: &Sender<Parcel>) -> Result<String, String> {
        let players = self.table.arena.players.read().unwrap_or_else(PoisonError::into_inner);
        let number = players.iter().position(|player| player.name == name);
        let number = number.ok_or_else(|| {
            let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
            format!("nobody here is called `{name}`; there are: {}", names.join(", "))
        })?;
        drop(players);
        let at = self.change(Change::Withdraw(number as u32), Vec::new(), parcels)?;
        Ok(format!("{name} has left, from pair {} on", u64::from(at) + 1))
    }

    fn join(
        &mut self,
        mut contestant: Contestant,
        engine: EnginePlayer,
        parcels: &Sender<Parcel>,
    ) -> Result<String, String> {
        let mut players = self.table.arena.players.write().unwrap_or_else(PoisonError::into_inner);
        contestant.name =
            free_name(&contestant.name, |name| players.iter().any(|it| it.name == name));
        let name = contestant.name.clone();
        let about = serde_json::to_string(&contestant).map_err(|error| error.to_string())?;
        let number = players.len() as u32;
        let join = Change::Join(contestant.entrant());
        let at = self.change(join, vec![Write::Player { number, about }], parcels)?;
        let (budget, ponders) = (contestant.budget, contestant.ponders);
        players.push(Rival { name: name.clone(), budget, engine, ponders });
        drop(players);
        self.watcher.joined(&contestant);
        Ok(format!("{name} is in, from pair {} on at the earliest", u64::from(at) + 1))
    }
}
