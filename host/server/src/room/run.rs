//! The thread of a room: runs the bout and turns its notices into events. When an engine replaces a
//! person, the bout stops unfinished, its record is changed, and a new bout continues from it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::limits::{LABEL_BYTES, REASON_BYTES};
use sandboard_abi::{Choice, Decision, Limits};

use super::state::RoomPhase;
use super::{AudienceView, OutgoingEvent, Recipient, Room, now_ms, persistence, wire_views};
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::store::Write;
use crate::wire::{Engine, Event, Message, Player, Presence, State};
use crate::writer::RoomUpdate;
use sandboard_bout::driver as bout;
use sandboard_bout::driver::{
    BoutReport, BoutSetup, BoutView, EnginePlayer, InputEvent, Observer, RecordDestination,
    RecordStore, RecordStoreHandle, player_seed,
};
use sandboard_bout::record::{EngineRecord, Record};
use sandboard_bout::referee::{BoutResult, Notice, PlayerKind, Termination, Viewer};
use sandboard_bout::text::sanitize;
use sandboard_common::files::FileError;
use sandboard_engine::Budget;

/// The stack size of a room's thread: engines run on it. Unused pages take no memory.
const STACK_BYTES: usize = 8 << 20;

/// Collects events and writes of a bout until they are sent to the writer.
#[derive(Clone)]
struct Reporter {
    room: Arc<Room>,
    pending: Arc<Mutex<Pending>>,
}

#[derive(Default)]
struct Pending {
    events: Vec<OutgoingEvent>,
    writes: Vec<Write>,
}

impl Reporter {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push_event(&self, event: Event) {
        self.pending().events.push(OutgoingEvent::to_all(event));
    }

    fn push(&self, event: OutgoingEvent) {
        self.pending().events.push(event);
    }

    /// Adds a write to the next update.
    fn write(&self, write: Write) {
        self.pending().writes.push(write);
    }

    /// Sends what is pending to the writer. Blocks while the queue is full.
    fn send(&self, record: Option<Box<Record>>, more: Vec<Write>) {
        let Pending { events, mut writes } = std::mem::take(&mut *self.pending());
        writes.extend(more);
        if record.is_some() || !events.is_empty() || !writes.is_empty() {
            let update = self.room.update(writes, events);
            self.room.hub.send_blocking(RoomUpdate { record, ..update });
        }
    }
}

impl RecordStore for Reporter {
    fn save(&self, record: Box<Record>) -> Result<(), FileError> {
        let id = self.room.id.clone();
        match &record.result {
            None => self.send(Some(record), Vec::new()),
            Some(_) => {
                let over = self.room.bout_write(&record, now_ms());
                self.send(None, vec![over, Write::Remove { id }]);
            }
        }
        Ok(())
    }
}

impl Room {
    /// Starts the room's thread, which starts the bout or resumes it from the record. Err: there is
    /// no thread; the update ends the room.
    pub(super) fn start(self: &Arc<Self>, record: Option<Box<Record>>) -> Result<(), RoomUpdate> {
        let room = self.clone();
        let name = format!("room-{}", self.id);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        let spawned = thread.spawn(move || room.play(record));
        spawned
            .map(drop)
            .map_err(|error| self.ending(&format!("no thread could be started: {error}")))
    }

    fn play(self: &Arc<Self>, mut record: Option<Box<Record>>) {
        let reporter = Reporter { room: self.clone(), pending: Arc::default() };
        loop {
            let setup = match self.setup(record.take(), &reporter) {
                Ok(setup) => setup,
                Err(problem) => return self.fail(&problem.detail),
            };
            let engines = engines_of(&setup);
            let (input, receiver) = bout::input_channel();
            {
                let mut state = self.lock_state();
                if state.paused {
                    input.send(InputEvent::Pause);
                }
                state.input = Some(input);
            }
            let mut observer = RoomObserver { reporter: reporter.clone(), engines };
            match bout::run(setup, Some(receiver), &mut observer) {
                Err(error) => return self.fail(&error.to_string()),
                Ok(BoutReport { result: Some(_), .. }) => return self.mark_over(),
                Ok(BoutReport { record: unfinished, .. }) => {
                    match self.seat_engine_in_record(unfinished, &reporter) {
                        Some(next) => record = Some(Box::new(next)),
                        // The server is stopping; the store has the record.
                        None => return,
                    }
                }
            }
        }
    }

    fn setup(
        self: &Arc<Self>,
        record: Option<Box<Record>>,
        reporter: &Reporter,
    ) -> ApiResult<BoutSetup> {
        let destination = RecordDestination::Store(RecordStoreHandle(Arc::new(reporter.clone())));
        let engine_provider = self.hub.engine_provider.clone();
        let plan = self.lock_state().plan.clone();
        let mut setup = match record {
            None => {
                plan.bout_setup(&self.hub.games.now(), engine_provider.as_ref(), destination)?
            }
            Some(record) => {
                let budgets: Vec<_> = record.players.iter().map(|it| it.budget).collect();
                let players: Vec<_> = record.players.iter().map(|it| it.engine.clone()).collect();
                let find = |engine: &EngineRecord| {
                    let index = players.iter().position(|it| it.as_ref() == Some(engine));
                    let unit = index.and_then(|index| budgets.get(index)).map(Budget::unit);
                    let source = engine_provider.load_recorded(engine, unit.unwrap_or_default());
                    source.map_err(|problem| problem.detail)
                };
                let games = &self.hub.games.now();
                let mut setup = BoutSetup::resume(*record, destination, games, find)
                    .map_err(|error| Problem::new(ProblemKind::UnusableEngine, error))?;
                setup.hint = plan.load_hint_engine(engine_provider.as_ref(), &setup.start)?;
                setup
            }
        };
        let names = setup.players.iter().map(|player| player.name.clone()).collect();
        setup.output_listener = Some(super::broadcast::output_listener(self, names));
        Ok(setup)
    }

    /// Returns the changed record if an engine replaces a person; none: the server is stopping.
    fn seat_engine_in_record(&self, mut record: Record, reporter: &Reporter) -> Option<Record> {
        let (player, engine) = self.lock_state().pending_engine.take()?;
        let seed = player_seed(record.seed, player);
        let seat = record.players.get_mut(player)?;
        let untimed = seat.budget.is_none();
        seat.kind = PlayerKind::Engine;
        seat.name = sanitize(&engine.id, LABEL_BYTES);
        seat.engine = Some(engine.to_record(engine.seed.unwrap_or(seed)));
        if untimed {
            seat.budget = Budget::wall_per_move(super::DEFAULT_MOVE_US);
        }
        let event = Event::Seated {
            player,
            name: seat.name.clone(),
            kind: "engine",
            engine: seat.engine.as_ref().map(persistence::engine_of_record),
        };
        let write = {
            let mut state = self.lock_state();
            let (name, budget) = (seat.name.clone(), seat.budget);
            if let Some(planned) = state.plan.players.get_mut(player) {
                (planned.name, planned.budget) = (name, budget);
                planned.engine = Some(persistence::seat_of_engine(&engine));
            }
            if let Some(connection) = state.connections.get_mut(player) {
                (connection.person, connection.state) = (false, Presence::Present);
                connection.epoch += 1;
            }
            state.clock_hold = None;
            self.state_write(&state)
        };
        record.turn_us = 0;
        reporter.push_event(event);
        reporter.send(Some(Box::new(record.clone())), vec![write]);
        Some(record)
    }

    /// Marks the room as over.
    fn mark_over(&self) {
        let mut state = self.lock_state();
        state.phase = RoomPhase::Over;
        state.input = None;
        state.clock_hold = None;
    }

    /// Ends the room without a result that counts.
    pub(super) fn fail(self: &Arc<Self>, reason: &str) {
        self.hub.notify_operator("error", format!("room {}: {reason}", self.id));
        let update = self.aborted(reason);
        self.hub.send_blocking(update);
    }

    /// Returns the update that aborts the room's bout.
    pub(crate) fn aborted(self: &Arc<Self>, reason: &str) -> RoomUpdate {
        self.mark_over();
        self.ending(reason)
    }

    /// Closes the room if its bout has not begun.
    pub(super) fn close_waiting(self: &Arc<Self>, reason: &str) -> Option<RoomUpdate> {
        let mut state = self.lock_state();
        if !matches!(state.phase, RoomPhase::Waiting) {
            return None;
        }
        state.phase = RoomPhase::Over;
        drop(state);
        Some(self.ending(reason))
    }

    fn ending(self: &Arc<Self>, reason: &str) -> RoomUpdate {
        let sentence = sandboard_bout::messages::aborted(sanitize(reason, REASON_BYTES));
        let termination = Termination::Aborted;
        let result = BoutResult { winner: None, termination, scores: Vec::new(), sentence };
        let players = self.lock_public().view.clocks_now();
        let ended = Event::Ended { result: result.into(), players, bout: self.id.clone() };
        let remove = Write::Remove { id: self.id.clone() };
        self.update(vec![remove], vec![OutgoingEvent::to_all(ended)])
    }
}

/// Returns the engines of a bout as the API shows them, by player.
fn engines_of(setup: &BoutSetup) -> Vec<Option<Engine>> {
    let engine = |engine: &EnginePlayer| persistence::engine_of_record(&engine.to_record(0));
    setup.players.iter().map(|player| player.engine.as_ref().map(engine)).collect()
}

/// Observes the bout, on its thread.
struct RoomObserver {
    reporter: Reporter,
    engines: Vec<Option<Engine>>,
}

impl RoomObserver {
    fn room(&self) -> &Arc<Room> {
        &self.reporter.room
    }

    /// Updates what sockets need to know of the bout.
    fn update_progress(&self, view: BoutView<'_>) {
        let referee = view.referee;
        self.room().lock_state().progress = super::state::BoutProgress {
            plies: referee.plies().len() as u32,
            to_move: referee.to_move().map(|(player, _)| player),
        };
    }

    fn players(&self, view: BoutView<'_>) -> Vec<Player> {
        let player = |index: usize| {
            let mut player = wire_views::player(view.referee, index, view.now_us)?;
            player.engine = self.engines.get(index).cloned().flatten();
            let state = self.room().lock_state();
            player.state =
                state.connections.get(index).map_or(player.state, |connection| connection.state);
            Some(player)
        };
        (0..view.referee.player_count()).filter_map(player).collect()
    }

    /// What is shown to each audience, if they see the game in different ways.
    fn audiences(&self, view: BoutView<'_>) -> Option<Vec<AudienceView>> {
        let referee = view.referee;
        referee.game().info().features.has_views().then(|| wire_views::audiences(referee))
    }

    /// The event of a notice. In a game with hidden information it may contain what is hidden.
    fn event(&self, view: BoutView<'_>, notice: &Notice) -> Option<Event> {
        let referee = view.referee;
        let players = || wire_views::clocks(referee, view.now_us);
        let thinking = referee.to_move().map(|(player, _)| player);
        Some(match notice {
            Notice::Began => Event::Began {
                position: wire_views::position_for(referee, Viewer::Everything),
                players: self.players(view),
                state: State::Playing,
            },
            Notice::Moved { ply, .. } => {
                let index = *ply as usize;
                let ply = referee.plies().get(index)?;
                let ply = wire_views::ply(index, ply, &ply.mv, true);
                let position = wire_views::position_for(referee, Viewer::Everything);
                Event::Moved { ply, position, players: players(), thinking }
            }
            Notice::Undone { plies } => {
                let position = wire_views::position_for(referee, Viewer::Everything);
                Event::Undone { plies: *plies, position, players: players(), thinking }
            }
            Notice::SidesSwapped { .. } => {
                Event::Swapped { players: wire_views::side_names(referee) }
            }
            // The player itself gets the reason as the answer to its message.
            Notice::Refused { player, .. } if !referee.shows_output_to(Viewer::Spectator) => {
                let (r#move, reason) = ("?".into(), crate::messages::HIDDEN_NOT_LEGAL.into());
                Event::refused(*player, r#move, reason)
            }
            Notice::Refused { player, mv, reason, .. } => {
                Event::refused(*player, mv.clone(), reason.clone())
            }
            Notice::Faulted { player, fault } => Event::Faulted {
                player: *player,
                message: Message::of(&fault.sentence),
                sentence: fault.sentence.clone(),
                code: fault.code.to_string(),
            },
            Notice::Overrun { player, .. } => {
                let text = crate::messages::time_exceeded(&referee.player(*player)?.name);
                let (at_ply, message) = (referee.plies().len() as u32, Message::of(&text));
                Event::Log { at_ply, kind: "overrun", text, message }
            }
            Notice::DrawOffered { player } => Event::DrawOffered { player: *player },
            Notice::DrawDeclined { player } => Event::DrawDeclined { player: *player },
            Notice::Paused | Notice::Resumed => {
                // If the clock is only held for an absent player, the bout is not paused for
                // clients.
                self.pause_event(view, *notice == Notice::Paused)
            }
        })
    }

    /// Shows whose turn it is in a game whose seats decide at the same time: a seat that has chosen
    /// makes no ply before all have.
    fn show_turn(&self, view: BoutView<'_>, player: usize) {
        if view.referee.game().info().features.simultaneous {
            let players = wire_views::clocks(view.referee, view.now_us);
            let event = Event::Thinking { player, players };
            let audiences = self.audiences(view);
            self.reporter.push(OutgoingEvent { to: Recipient::All, event, audiences });
        }
    }

    fn pause_event(&self, view: BoutView<'_>, is_paused: bool) -> Event {
        let players = wire_views::clocks(view.referee, view.now_us);
        let mut state = self.room().lock_state();
        let is_requested = if is_paused { state.clock_hold.is_none() } else { state.paused };
        if !is_requested {
            let player = view.referee.to_move().map_or(0, |(player, _)| player);
            return Event::Thinking { player, players };
        }
        state.paused = is_paused;
        self.reporter.write(self.room().state_write(&state));
        if is_paused { Event::Paused { players } } else { Event::Resumed { players } }
    }
}

impl Observer for RoomObserver {
    fn notice(&mut self, view: BoutView<'_>, notice: &Notice) {
        self.update_progress(view);
        if let Some(event) = self.event(view, notice) {
            let changes = matches!(notice, Notice::Began | Notice::Moved { .. });
            let audiences = if changes { self.audiences(view) } else { None };
            self.reporter.push(OutgoingEvent { to: Recipient::All, event, audiences });
        }
        if let Notice::Moved { .. } = notice {
            let mut state = self.room().lock_state();
            state.undo_request = None;
            if std::mem::take(&mut state.stepping)
                && let Some(input) = &state.input
            {
                input.send(InputEvent::Pause);
            }
        }
    }

    fn engine_thinking(&mut self, view: BoutView<'_>, player: usize) {
        self.update_progress(view);
        self.show_turn(view, player);
        self.reporter.send(None, Vec::new());
    }

    fn person_to_move(&mut self, view: BoutView<'_>, player: usize, _limits: &Limits) {
        self.update_progress(view);
        self.room().await_person(player);
        self.show_turn(view, player);
        self.reporter.send(None, Vec::new());
    }

    fn hint(&mut self, view: BoutView<'_>, hint: Result<&Choice, &str>) {
        let Some((player, _)) = view.referee.to_move() else { return };
        let Some(ticket) = self.room().lock_state().ticket_of(player) else { return };
        let (mv, error) = match hint {
            Err(error) => (None, Some(error.to_owned())),
            Ok(choice) => match &choice.decision {
                Decision::Play(mv) => (Some(mv.clone()), None),
                Decision::Resign => (None, Some(crate::messages::ENGINE_WOULD_RESIGN.into())),
                Decision::AcceptDraw => (None, Some(crate::messages::ENGINE_WOULD_ACCEPT.into())),
            },
        };
        let line = hint.ok().and_then(|choice| choice.line.as_ref()).map(wire_views::line);
        let message = error.as_deref().and_then(Message::of);
        let event = Event::Hint { r#move: mv, line, error, message };
        self.reporter.push(OutgoingEvent::to_ticket(ticket, event));
    }

    fn input_answered(&mut self, view: BoutView<'_>, number: u64, answer: Result<(), &str>) {
        self.update_progress(view);
        if let Some(event) = self.room().answer(number, answer) {
            self.reporter.push(event);
        }
        self.reporter.send(None, Vec::new());
    }

    fn bout_ended(&mut self, view: BoutView<'_>, result: &BoutResult) {
        self.update_progress(view);
        let players = wire_views::clocks(view.referee, view.now_us);
        let bout = self.room().id.clone();
        let event = Event::Ended { result: result.clone().into(), players, bout };
        let audiences = self.audiences(view);
        self.reporter.push(OutgoingEvent { to: Recipient::All, event, audiences });
    }
}
