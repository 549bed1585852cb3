//! The thread of a room: it runs the bout, and turns what happens in it into events. A person's
//! place that an engine takes ends the bout unfinished, changes its record, and goes on with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::limits::{LABEL_BYTES, REASON_BYTES};
use sandboard_abi::{Choice, Decision, Limits};

use super::live::Stage;
use super::{Room, To, Told, now_ms, show, stored};
use crate::bout::{
    self, BoutReport, BoutSetup, EnginePlayer, Mover, Observer, PersonEvent, Place, RecordKeeper,
    Scene, Sink, player_seed,
};
use crate::budget::Budget;
use crate::record::store::StoreError;
use crate::record::{EngineRecord, Record};
use crate::referee::{BoutResult, Notice, PlayerKind, Termination, tidy};
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::store::Write;
use crate::server::wire::{Engine, Event, Player, Presence, State};
use crate::server::writer::Emission;

/// What a room's thread may take of its stack: engines run on it. Untouched, it takes nothing.
const STACK_BYTES: usize = 8 << 20;

/// What happens in a bout, until the writer has it.
#[derive(Clone)]
struct Reporter {
    room: Arc<Room>,
    pending: Arc<Mutex<Pending>>,
}

#[derive(Default)]
struct Pending {
    told: Vec<Told>,
    writes: Vec<Write>,
}

impl Reporter {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Event) {
        self.pending().told.push(Told::all(event));
    }

    fn tell_to(&self, told: Told) {
        self.pending().told.push(told);
    }

    /// With what is handed in next.
    fn write(&self, write: Write) {
        self.pending().writes.push(write);
    }

    /// Hands what is pending to the writer, and waits where that has too much to do.
    fn send(&self, record: Option<Box<Record>>, more: Vec<Write>) {
        let Pending { told, mut writes } = std::mem::take(&mut *self.pending());
        writes.extend(more);
        if record.is_some() || !told.is_empty() || !writes.is_empty() {
            let emission = self.room.emission(writes, told);
            self.room.hub.send(Emission { record, ..emission });
        }
    }
}

impl RecordKeeper for Reporter {
    fn keep(&self, record: Box<Record>) -> Result<(), StoreError> {
        let id = self.room.id.clone();
        match &record.result {
            None => self.send(Some(record), Vec::new()),
            Some(_) => {
                let over = self.room.over(&record, now_ms());
                self.send(None, vec![over, Write::Remove { id }]);
            }
        }
        Ok(())
    }
}

impl Room {
    /// Gives the room its thread. The bout begins, or goes on with this record. Err: there is
    /// none to be had; what everybody is to be told.
    pub(super) fn start(self: &Arc<Self>, record: Option<Box<Record>>) -> Result<(), Emission> {
        let room = self.clone();
        let name = format!("room-{}", self.id);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        let spawned = thread.spawn(move || room.play(record));
        spawned
            .map(drop)
            .map_err(|error| self.ending(&format!("this host has no thread for it: {error}")))
    }

    fn play(self: &Arc<Self>, mut record: Option<Box<Record>>) {
        let reporter = Reporter { room: self.clone(), pending: Arc::default() };
        loop {
            let setup = match self.setup(record.take(), &reporter) {
                Ok(setup) => setup,
                Err(problem) => return self.fail(&problem.detail),
            };
            let engines = engines_of(&setup);
            let (input, people) = bout::people();
            {
                let mut live = self.live();
                if live.paused {
                    input.send(PersonEvent::Pause);
                }
                live.input = Some(input);
            }
            let mut watcher = Watcher { reporter: reporter.clone(), engines };
            match bout::run(setup, Some(people), &mut watcher) {
                Err(error) => return self.fail(&error.to_string()),
                Ok(BoutReport { result: Some(_), .. }) => return self.over_now(),
                Ok(BoutReport { record: left, .. }) => match self.succeed(left, &reporter) {
                    Some(next) => record = Some(Box::new(next)),
                    // The server ends; the store has the bout.
                    None => return,
                },
            }
        }
    }

    fn setup(
        self: &Arc<Self>,
        record: Option<Box<Record>>,
        reporter: &Reporter,
    ) -> Answer<BoutSetup> {
        let place = Place::Sink(Sink(Arc::new(reporter.clone())));
        let supplier = self.hub.supplier.clone();
        let plan = self.live().plan.clone();
        let mut setup = match record {
            None => plan.setup(supplier.as_ref(), place)?,
            Some(record) => {
                let budgets: Vec<_> = record.players.iter().map(|it| it.budget).collect();
                let players: Vec<_> = record.players.iter().map(|it| it.engine.clone()).collect();
                let find = |engine: &EngineRecord| {
                    let index = players.iter().position(|it| it.as_ref() == Some(engine));
                    let unit = index.and_then(|index| budgets.get(index)).map(Budget::unit);
                    let source = supplier.source(engine, unit.unwrap_or_default());
                    source.map_err(|problem| problem.detail)
                };
                let games = sandboard_games::game;
                let mut setup = BoutSetup::resume(*record, place, games, find)
                    .map_err(|error| Problem::new(Kind::UnusableEngine, error))?;
                setup.hint = plan.adviser(supplier.as_ref(), &setup.start)?;
                setup
            }
        };
        let names = setup.players.iter().map(|player| player.name.clone()).collect();
        setup.live = Some(super::ears::listen(self, names));
        Ok(setup)
    }

    /// The record that the bout goes on with where an engine takes a person's place.
    fn succeed(&self, mut record: Record, reporter: &Reporter) -> Option<Record> {
        let (player, engine) = self.live().successor.take()?;
        let seed = player_seed(record.seed, player);
        let seat = record.players.get_mut(player)?;
        let untimed = seat.budget.is_none();
        seat.kind = PlayerKind::Engine;
        seat.name = tidy(&engine.id, LABEL_BYTES);
        seat.engine = Some(engine.to_record(engine.seed.unwrap_or(seed)));
        if untimed {
            seat.budget = Budget::wall_per_move(super::USUAL_US);
        }
        let told = Event::Seated {
            player,
            name: seat.name.clone(),
            kind: "engine",
            engine: seat.engine.as_ref().map(stored::told_of),
        };
        let keep = {
            let mut live = self.live();
            let (name, budget) = (seat.name.clone(), seat.budget);
            if let Some(planned) = live.plan.players.get_mut(player) {
                (planned.name, planned.budget) = (name, budget);
                planned.engine = Some(stored::seat_of(&engine));
            }
            if let Some(chair) = live.chairs.get_mut(player) {
                (chair.person, chair.state) = (false, Presence::Present);
                chair.epoch += 1;
            }
            live.held = None;
            self.kept(&live)
        };
        record.turn_us = 0;
        reporter.tell(told);
        reporter.send(Some(Box::new(record.clone())), vec![keep]);
        Some(record)
    }

    /// Nothing more happens in it.
    fn over_now(&self) {
        let mut live = self.live();
        live.stage = Stage::Over;
        live.input = None;
        live.held = None;
    }

    /// Ends the room without a result that counts.
    pub(super) fn fail(self: &Arc<Self>, reason: &str) {
        self.hub.note("error", format!("room {}: {reason}", self.id));
        let emission = self.aborted(reason);
        self.hub.send(emission);
    }

    /// The end of a room whose bout does not go on: an abort, for everybody to see.
    pub fn aborted(self: &Arc<Self>, reason: &str) -> Emission {
        self.over_now();
        self.ending(reason)
    }

    fn ending(self: &Arc<Self>, reason: &str) -> Emission {
        let sentence = format!("aborted: {}", tidy(reason, REASON_BYTES));
        let termination = Termination::Aborted;
        let result = BoutResult { winner: None, termination, score: None, sentence };
        let players = self.shown().view.clocks_now();
        let ended = Event::Ended { result, players, bout: self.id.clone() };
        let remove = Write::Remove { id: self.id.clone() };
        self.emission(vec![remove], vec![Told::all(ended)])
    }
}

/// The engines of a bout as they are told, by player.
fn engines_of(setup: &BoutSetup) -> Vec<Option<Engine>> {
    let engine = |engine: &EnginePlayer| stored::told_of(&engine.to_record(0));
    let of = |player: &bout::Participant| match &player.mover {
        Mover::Engine(it) => Some(engine(it)),
        Mover::Person => None,
    };
    setup.players.iter().map(of).collect()
}

/// Watches the bout, on its thread.
struct Watcher {
    reporter: Reporter,
    engines: Vec<Option<Engine>>,
}

impl Watcher {
    fn room(&self) -> &Arc<Room> {
        &self.reporter.room
    }

    /// Keeps what sockets ask of the bout.
    fn note_at(&self, scene: Scene<'_>) {
        let referee = scene.referee;
        self.room().live().at = super::live::At {
            plies: referee.plies().len() as u32,
            to_move: referee.to_move().map(|(player, _)| player),
        };
    }

    fn players(&self, scene: Scene<'_>) -> Vec<Player> {
        let player = |index: usize| {
            let mut player = show::player(scene.referee, index, scene.now_us)?;
            player.engine = self.engines.get(index).cloned().flatten();
            let live = self.room().live();
            player.state = live.chairs.get(index).map_or(player.state, |chair| chair.state);
            Some(player)
        };
        (0..scene.referee.players()).filter_map(player).collect()
    }

    fn event(&self, scene: Scene<'_>, notice: &Notice) -> Option<Event> {
        let referee = scene.referee;
        let players = || show::clocks(referee, scene.now_us);
        let thinking = referee.to_move().map(|(player, _)| player);
        Some(match notice {
            Notice::Began => Event::Began {
                position: show::position(referee.game()),
                players: self.players(scene),
                state: State::Playing,
            },
            Notice::Moved { ply, .. } => {
                let index = *ply as usize;
                let ply = show::ply(index, referee.plies().get(index)?);
                let position = show::position(referee.game());
                Event::Moved { ply, position, players: players(), thinking }
            }
            Notice::Undone { plies } => {
                let position = show::position(referee.game());
                Event::Undone { plies: *plies, position, players: players(), thinking }
            }
            Notice::Swapped { .. } => Event::Swapped { players: show::side_names(referee) },
            Notice::Refused { player, mv, reason, .. } => {
                Event::Refused { player: *player, r#move: mv.clone(), reason: reason.clone() }
            }
            Notice::Faulted { player, fault } => Event::Faulted {
                player: *player,
                sentence: fault.sentence.clone(),
                code: fault.code.to_string(),
            },
            Notice::Late { player, .. } => {
                let text = format!("{} was out of time", referee.player(*player)?.name);
                Event::Log { at_ply: referee.plies().len() as u32, kind: "late", text }
            }
            Notice::DrawOffered { player } => Event::DrawOffered { player: *player },
            Notice::DrawDeclined { player } => Event::DrawDeclined { player: *player },
            Notice::Paused | Notice::Resumed => {
                // Nobody has paused it when it stands still for somebody who is absent.
                self.stillness(scene, *notice == Notice::Paused)
            }
        })
    }

    fn stillness(&self, scene: Scene<'_>, still: bool) -> Event {
        let players = show::clocks(scene.referee, scene.now_us);
        let mut live = self.room().live();
        let by_people = if still { live.held.is_none() } else { live.paused };
        if !by_people {
            let player = scene.referee.to_move().map_or(0, |(player, _)| player);
            return Event::Thinking { player, players };
        }
        live.paused = still;
        self.reporter.write(self.room().kept(&live));
        if still { Event::Paused { players } } else { Event::Resumed { players } }
    }
}

impl Observer for Watcher {
    fn notice(&mut self, scene: Scene<'_>, notice: &Notice) {
        self.note_at(scene);
        if let Some(event) = self.event(scene, notice) {
            self.reporter.tell(event);
        }
        if let Notice::Moved { .. } = notice {
            let mut live = self.room().live();
            live.undo_asked = None;
            if std::mem::take(&mut live.stepping)
                && let Some(input) = &live.input
            {
                input.send(PersonEvent::Pause);
            }
        }
    }

    fn thinking(&mut self, scene: Scene<'_>, _player: usize) {
        self.note_at(scene);
        self.reporter.send(None, Vec::new());
    }

    fn your_turn(&mut self, scene: Scene<'_>, player: usize, _limits: &Limits) {
        self.note_at(scene);
        self.room().wait_for(player);
        self.reporter.send(None, Vec::new());
    }

    fn hint(&mut self, scene: Scene<'_>, hint: Result<&Choice, &str>) {
        let Some((player, _)) = scene.referee.to_move() else { return };
        let Some(ticket) = self.room().live().ticket_of(player) else { return };
        let (mv, error) = match hint {
            Err(error) => (None, Some(error.to_owned())),
            Ok(choice) => match &choice.decision {
                Decision::Play(mv) => (Some(mv.clone()), None),
                Decision::Resign => (None, Some("the engine would resign".into())),
                Decision::AcceptDraw => (None, Some("the engine would take the draw".into())),
            },
        };
        let line = hint.ok().and_then(|choice| choice.line.as_ref()).map(show::line);
        let event = Event::Hint { r#move: mv, line, error };
        self.reporter.tell_to(Told { to: To::Ticket(ticket), event });
    }

    fn answered(&mut self, scene: Scene<'_>, number: u64, answer: Result<(), &str>) {
        self.note_at(scene);
        if let Some(told) = self.room().answer(number, answer) {
            self.reporter.tell_to(told);
        }
        self.reporter.send(None, Vec::new());
    }

    fn ended(&mut self, scene: Scene<'_>, result: &BoutResult) {
        self.note_at(scene);
        let players = show::clocks(scene.referee, scene.now_us);
        let bout = self.room().id.clone();
        self.reporter.tell(Event::Ended { result: result.clone(), players, bout });
    }
}
