//! The caller's side of a run: progress events, and requests from other processes.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use sandboard_tournament::schedule::{Change, Event, Pair};

use super::failed_starts::FailedStarts;
use super::pace::{Pace, Session};
use super::shared_ledger::{RunnerEvent, SharedLedger, StoreRequest};
use super::void_tracker::VoidTracker;
use super::{JobQueue, RunError, RunObserver, TICK, UnresolvedGame, unused_name};
use crate::folder::ArenaFolder;
use crate::run_request::{PlayerSource, Request};
use crate::store::{RequestAnswer, Write};
use sandboard_arena_plan::{ArenaPlayer, Contestant, GameResult, Job, Ledger, Status};
use sandboard_bout::driver::EnginePlayer;

/// Handles progress events and requests on the thread that called [`run`](super::run).
pub(super) struct RunController<'a> {
    shared: &'a SharedLedger<'a>,
    queue: &'a dyn JobQueue,
    folder: &'a ArenaFolder,
    player_source: &'a mut dyn PlayerSource,
    observer: &'a mut dyn RunObserver,
    started: Instant,
    games: u64,
    plies: u64,
    stored_status: Option<Status>,
    pace: Pace,
    /// Requests that were answered; the answers may not be stored yet.
    answered: BTreeSet<i64>,
    void_tracker: VoidTracker,
    failed_starts: FailedStarts,
    pub(super) ends_at_failed_starts: bool,
}

impl<'a> RunController<'a> {
    pub(super) fn new(
        shared: &'a SharedLedger<'a>,
        queue: &'a dyn JobQueue,
        folder: &'a ArenaFolder,
        player_source: &'a mut dyn PlayerSource,
        observer: &'a mut dyn RunObserver,
    ) -> Self {
        Self {
            shared,
            queue,
            folder,
            player_source,
            observer,
            started: Instant::now(),
            games: 0,
            plies: 0,
            stored_status: None,
            pace: Pace::default(),
            answered: BTreeSet::new(),
            void_tracker: VoidTracker::default(),
            failed_starts: FailedStarts::default(),
            ends_at_failed_starts: false,
        }
    }

    /// Handles events and requests until the queue and the writer have ended.
    pub(super) fn run(
        mut self,
        events: &Receiver<RunnerEvent>,
        requests: Sender<StoreRequest>,
    ) -> Result<(), RunError> {
        let mut ended = Ok(());
        let mut requests = Some(requests);
        let mut next = Instant::now();
        loop {
            match events.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(RunnerEvent::Counted(games)) => {
                    let ledger = self.shared.ledger();
                    for (job, result) in &games {
                        self.games += 1;
                        self.plies += result.plies;
                        self.observer.game_counted(&ledger, job, result);
                    }
                    drop(ledger);
                    if let Some(error) = self.find_failed_starts(&games) {
                        self.shared.abort();
                        ended = ended.and(Err(error));
                    }
                    if !games.is_empty() {
                        let void = self.void_tracker.record_result();
                        self.make_void(void, requests.as_ref());
                    }
                }
                // The other game of its pair is unresolved, too.
                Ok(RunnerEvent::Unresolved(game))
                    if self.shared.ledger().schedule().is_void(game.job.pair.number) => {}
                Ok(RunnerEvent::Unresolved(game)) => {
                    let (job, reason) = (game.job.name(), game.reason.clone());
                    match self.void_tracker.record_unresolved(*game) {
                        Ok(void) => self.make_void(void, requests.as_ref()),
                        Err(in_a_row) => {
                            self.shared.abort();
                            ended = ended.and(Err(RunError::NoResult { job, in_a_row, reason }));
                        }
                    }
                }
                Ok(RunnerEvent::Replayed(job, reason)) => {
                    self.observer.game_replayed(&job, &reason)
                }
                // The first error counts; later ones follow from it or repeat it.
                Ok(RunnerEvent::Failed(error)) if ended.is_ok() => ended = Err(error),
                Ok(RunnerEvent::Failed(error)) => log::warn!("{error}"),
                // Dropping the sender ends the writer.
                Ok(RunnerEvent::Finished) => requests = None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + TICK;
            let Some(sender) = &requests else { continue };
            if let Err(error) = self.tick(sender) {
                self.shared.abort();
                ended = ended.and(Err(error));
            }
        }
        ended
    }

    /// Records which engines started. Returns an error if one has failed too often in a row.
    fn find_failed_starts(&mut self, games: &[(Job, Box<GameResult>)]) -> Option<RunError> {
        let mut found = None;
        for (job, result) in games {
            let failed = result.fault.as_ref().filter(|fault| fault.in_start);
            let failed = failed.map(|fault| fault.player);
            if let Some(player) = self.failed_starts.record(&job.pair.players, failed) {
                let players =
                    self.shared.arena.players.read().unwrap_or_else(PoisonError::into_inner);
                let name = players.get(player as usize).map(|player| player.name.clone());
                found.get_or_insert(RunError::FailedStarts {
                    player: name.unwrap_or_default(),
                    job: job.name(),
                    reason: result.sentence.clone(),
                });
            }
        }
        found.filter(|_| self.ends_at_failed_starts)
    }

    /// Makes the pairs of these games void.
    fn make_void(&mut self, games: Vec<UnresolvedGame>, requests: Option<&Sender<StoreRequest>>) {
        for game in games {
            let Pair { number, players, .. } = game.job.pair;
            // The schedule has changed, and another pair has this number.
            if self
                .shared
                .ledger()
                .schedule()
                .pair(number)
                .is_none_or(|pair| pair.players != players)
            {
                continue;
            }
            let blamed = game.at_fault.filter(|_| game.opponent_played);
            let at_fault = blamed.and_then(|player| players.get(player).copied());
            // The session has ended; the next one plays the game again.
            let Some(requests) = requests else { continue };
            let event = |_: &Ledger| Event {
                from_pair: number,
                change: Change::Void { players, at_fault },
            };
            match self.apply(event, vec![Write::Void(number)], requests) {
                Ok(_) => self.observer.pair_voided(&game),
                // The pair is void already: its other game has no result either.
                Err(error) => log::info!("{error}"),
            }
        }
    }

    fn tick(&mut self, requests: &Sender<StoreRequest>) -> Result<(), RunError> {
        let ledger = self.shared.ledger();
        let schedule = ledger.schedule();
        let has_left = |player: &u32| schedule.is_withdrawn(*player);
        let is_another = |pair: Pair| schedule.pair(pair.number) != Some(pair);
        let settled = self.void_tracker.take_settled(|game| {
            is_another(game.job.pair) || game.job.pair.players.iter().any(has_left)
        });
        let playing = ledger.playing().count();
        drop(ledger);
        self.make_void(settled, Some(requests));
        if let Some(game) = self.void_tracker.stalled_game(playing) {
            let (job, reason) = (game.job.name(), game.reason.clone());
            return Err(RunError::NoResult {
                job,
                in_a_row: self.void_tracker.consecutive_pairs(),
                reason,
            });
        }
        let store = self.folder.store();
        for stored in self.folder.wait(store.requests())? {
            if !self.answered.insert(stored.number) {
                continue;
            }
            let answer = match serde_json::from_str::<Request>(&stored.json) {
                Ok(request) => self.handle(request, requests),
                Err(error) => Err(format!("invalid request: {error}")),
            };
            let (done, text) = match answer {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            self.observer.request_answered(&text);
            let answer = RequestAnswer { done, text };
            let _ = requests
                .send(StoreRequest::Writes(vec![Write::Answer { request: stored.number, answer }]));
        }
        let status = self.status();
        self.observer.status_updated(&self.shared.ledger(), &status);
        let is_same = |old: &Status| (old.stopping, &old.games) == (status.stopping, &status.games);
        if !self.stored_status.as_ref().is_some_and(is_same) {
            let text = serde_json::to_string(&status).unwrap_or_default();
            let _ = requests.send(StoreRequest::Writes(vec![Write::Status(text)]));
            self.stored_status = Some(status);
        }
        Ok(())
    }

    fn status(&mut self) -> Status {
        let ledger = self.shared.ledger();
        let playing = self.pace.update(ledger.playing().map(Job::key), Instant::now());
        let seats = ledger.playing().next().map_or(2, |job| job.pair.players.len() as u64);
        let left = seats * ledger.forecast().pairs_expected;
        let begun = u64::from(ledger.not_counted()) + playing.len() as u64;
        drop(ledger);
        let elapsed = self.started.elapsed();
        let concurrency = self.queue.concurrency();
        let not_begun = left.saturating_sub(begun);
        let session = Session { elapsed, done: self.games, concurrency, not_begun };
        let plies_per_second = self.plies as f64 / elapsed.as_secs_f64();
        Status {
            stopping: self.shared.is_stopped(),
            concurrency,
            seconds_left: session.seconds_left(&playing),
            long_game: session.long_game(&playing),
            plies_per_second: (self.plies > 0).then_some(plies_per_second),
            games: self.queue.games(),
        }
    }

    fn handle(
        &mut self,
        request: Request,
        requests: &Sender<StoreRequest>,
    ) -> Result<String, String> {
        match request {
            Request::Stop => {
                self.shared.stop.stop();
                self.shared.wake();
                Ok("the games in play are finished; no further game begins".into())
            }
            Request::Finish => {
                let at = self.change(Change::Stop, Vec::new(), requests)?;
                Ok(format!("the tournament ends with pair {at}"))
            }
            Request::Withdraw { player } => self.withdraw(&player, requests),
            Request::Join { engine, budget, rating } => {
                let (mut contestant, engine) =
                    self.player_source.load_player(&engine, budget.as_deref())?;
                contestant.rating = rating;
                self.join(contestant, engine, requests)
            }
        }
    }

    /// Changes the schedule from the first pair on that has not begun. Returns its number, from 0.
    fn change(
        &self,
        change: Change,
        more: Vec<Write>,
        requests: &Sender<StoreRequest>,
    ) -> Result<u32, String> {
        self.apply(
            |ledger| Event { from_pair: ledger.schedule().first_unstarted(), change },
            more,
            requests,
        )
    }

    /// Applies a change and sends it to the writer while the ledger is locked, so that no pair
    /// which depends on it can be taken: games that are stored later were played later.
    fn apply(
        &self,
        event: impl FnOnce(&Ledger) -> Event,
        more: Vec<Write>,
        requests: &Sender<StoreRequest>,
    ) -> Result<u32, String> {
        let mut ledger = self.shared.ledger();
        let (number, event) = (ledger.schedule().events().len() as u32, event(&ledger));
        ledger.apply(event).map_err(|error| error.to_string())?;
        let text = serde_json::to_string(&event).map_err(|error| error.to_string())?;
        // Both or neither: a player that is not in the schedule would take the number of the next.
        let writes = more.into_iter().chain([Write::Event { number, json: text }]).collect();
        let _ = requests.send(StoreRequest::Writes(writes));
        drop(ledger);
        self.shared.wake();
        Ok(event.from_pair)
    }

    fn withdraw(&self, name: &str, requests: &Sender<StoreRequest>) -> Result<String, String> {
        let players = self.shared.arena.players.read().unwrap_or_else(PoisonError::into_inner);
        let number = players.iter().position(|player| player.name == name);
        let number = number.ok_or_else(|| {
            let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
            format!("no player is named `{name}`; the players are: {}", names.join(", "))
        })?;
        drop(players);
        let at = self.change(Change::Withdraw(number as u32), Vec::new(), requests)?;
        Ok(format!("{name} is withdrawn from pair {} on", u64::from(at) + 1))
    }

    fn join(
        &mut self,
        mut contestant: Contestant,
        engine: EnginePlayer,
        requests: &Sender<StoreRequest>,
    ) -> Result<String, String> {
        let mut players = self.shared.arena.players.write().unwrap_or_else(PoisonError::into_inner);
        contestant.name =
            unused_name(&contestant.name, |name| players.iter().any(|it| it.name == name));
        let name = contestant.name.clone();
        let json = serde_json::to_string(&contestant).map_err(|error| error.to_string())?;
        let number = players.len() as u32;
        let join = Change::Join(contestant.entrant());
        let at = self.change(join, vec![Write::Player { number, json }], requests)?;
        let (budget, ponders) = (contestant.budget, contestant.ponders);
        players.push(ArenaPlayer { name: name.clone(), budget, engine, ponders });
        drop(players);
        self.observer.player_joined(&contestant);
        Ok(format!(
            "{name} has joined and plays from pair {} on at the earliest",
            u64::from(at) + 1
        ))
    }
}
