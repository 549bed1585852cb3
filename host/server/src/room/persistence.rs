//! Converts rooms to and from what the store keeps, and engines between seats, records and the API.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::state::RoomState;
use super::{OutgoingEvent, Room, RoomPhase, RoomSetup};
use crate::hub::QuickGameRules;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::store::{FinishedBout, StoredRoom, Write};
use crate::wire::{Engine, EngineSeat, Event, Presence, text_of};
use crate::writer::RoomUpdate;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::{EngineRecord, Record};
use sandboard_games::Games;

/// The JSON that the store keeps of a room beside its record.
#[derive(Serialize, Deserialize)]
struct StoredState {
    created_at: String,
    plan: Plan,
    tickets: Vec<StoredTicket>,
    joined: Vec<bool>,
    paused: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredTicket {
    sha256: String,
    player: Option<usize>,
}

/// Returns an engine to load as the API shows it.
pub(super) fn engine_of_seat(seat: &EngineSeat) -> Engine {
    let option =
        |(name, value): (&String, &serde_json::Value)| Some((name.clone(), text_of(value)?));
    let options = seat.options.iter().filter_map(option).collect();
    Engine { id: seat.id.clone(), version: String::new(), options }
}

/// Returns a record's engine as the API shows it.
pub(super) fn engine_of_record(record: &EngineRecord) -> Engine {
    let EngineRecord { id, version, options, .. } = record.clone();
    Engine { id, version, options }
}

/// Returns the seat of a loaded engine.
pub(super) fn seat_of_engine(engine: &EnginePlayer) -> EngineSeat {
    let option = |(name, value): &(String, String)| (name.clone(), value.clone().into());
    let options = engine.options.iter().map(option).collect();
    EngineSeat { id: engine.id.clone(), options, threads: Some(engine.threads) }
}

impl Room {
    /// Returns the write that stores the room's state without its record.
    pub(super) fn state_write(&self, state: &RoomState) -> Write {
        let ticket = |ticket: &super::state::Ticket| StoredTicket {
            sha256: ticket.sha256.clone(),
            player: ticket.player,
        };
        let kept = StoredState {
            created_at: self.info.created_at.clone(),
            plan: state.plan.clone(),
            tickets: state.tickets.iter().map(ticket).collect(),
            joined: state
                .connections
                .iter()
                .map(|connection| connection.state != Presence::Open)
                .collect(),
            paused: state.paused,
        };
        // Serializing cannot fail: all keys are strings.
        let about = serde_json::to_string(&kept).unwrap_or_default();
        Write::Room { id: self.id.clone(), about }
    }

    /// Returns the write that stores the room's current state.
    pub(crate) fn current_state_write(&self) -> Write {
        self.state_write(&self.lock_state())
    }

    /// Returns the write that stores a finished bout.
    pub(super) fn bout_write(&self, record: &Record, ended_ms: u64) -> Write {
        let names = record.players.iter().map(|player| player.name.clone()).collect();
        let engines = record.players.iter().filter_map(|player| player.engine.as_ref());
        let ids: BTreeSet<String> = engines.map(|engine| engine.id.clone()).collect();
        let result = match &record.result {
            Some(result) if !result.counts() => "aborted".to_owned(),
            Some(result) => result.winner.map_or("draw".to_owned(), |side| side.to_string()),
            None => String::new(),
        };
        Write::Bout(Box::new(FinishedBout {
            id: self.id.clone(),
            game: record.game.clone(),
            variant: record.variant.clone(),
            names,
            engines: ids.into_iter().collect(),
            sentence: record.result.as_ref().map_or(String::new(), |it| it.sentence.clone()),
            result,
            plies: u32::try_from(record.plies.len()).unwrap_or(u32::MAX),
            ended_ms: i64::try_from(ended_ms).unwrap_or(i64::MAX),
            record: record_text(record),
        }))
    }
}

/// Returns the text of a record.
pub(crate) fn record_text(record: &Record) -> String {
    String::from_utf8(record.to_json()).unwrap_or_default()
}

/// Parses a stored room.
pub(crate) fn parse_stored(games: &Games, stored: StoredRoom) -> ApiResult<RoomSetup> {
    let StoredRoom { id, about, record } = stored;
    let damaged = |error: String| {
        Problem::new(ProblemKind::Internal, format!("the stored room {id} cannot be read: {error}"))
    };
    let kept: StoredState =
        serde_json::from_str(&about).map_err(|error| damaged(error.to_string()))?;
    let parse = |text: String| Record::parse(text.as_bytes(), games);
    let record = record.map(parse).transpose().map_err(|error| damaged(error.to_string()))?;
    let StoredState { created_at, plan, tickets, joined, paused } = kept;
    let tickets = tickets.into_iter().map(|it| (it.sha256, it.player)).collect();
    Ok(RoomSetup { id, created_at, plan, tickets, joined, paused, record })
}

impl Room {
    /// Adds the second player of a quick game. None: the room has been closed.
    pub(crate) fn join(
        self: &std::sync::Arc<Self>,
        player: usize,
        name: &str,
        secret: &str,
    ) -> Option<RoomUpdate> {
        let mut state = self.lock_state();
        if !matches!(state.phase, RoomPhase::Waiting) {
            return None;
        }
        state.tickets.push(super::state::Ticket::new(secret, Some(player)));
        if let Some(planned) = state.plan.players.get_mut(player)
            && !name.is_empty()
        {
            planned.name = name.to_owned();
        }
        let name = state.plan.players.get(player).map_or(String::new(), |it| it.name.clone());
        let writes = vec![self.state_write(&state)];
        let event = Event::Seated { player, name, kind: "person", engine: None };
        drop(state);
        Some(self.update(writes, vec![OutgoingEvent::to_all(event)]))
    }

    /// Returns the player of a quick game that has no ticket yet, and the room's rules.
    pub(crate) fn open_seat(&self) -> Option<(usize, QuickGameRules)> {
        let state = self.lock_state();
        let player = state.plan.persons().find(|player| state.ticket_of(*player).is_none())?;
        let budget = state.plan.players.get(player)?.budget.to_string();
        let (game, variant) = (self.info.game.clone(), self.info.variant.clone());
        Some((player, QuickGameRules { game, variant, budget }))
    }

    /// Opens the room of the next bout on behalf of a ticket's holder, or returns it if it exists.
    pub(crate) fn rematch(
        self: &std::sync::Arc<Self>,
        ticket: usize,
    ) -> ApiResult<(String, Vec<RoomUpdate>)> {
        let (plan, tickets) = {
            let state = self.lock_state();
            if !matches!(state.phase, RoomPhase::Over) {
                return Err(Problem::new(ProblemKind::Conflict, crate::messages::BOUT_NOT_OVER));
            }
            if let Some(next) = &state.rematch {
                return Ok((next.clone(), Vec::new()));
            }
            if state.player(ticket).is_none()
                && state.connections.iter().any(|connection| connection.person)
            {
                return Err(Problem::new(
                    ProblemKind::Forbidden,
                    crate::messages::NOT_A_PLAYERS_TICKET,
                ));
            }
            let tickets = state.tickets.iter().map(|it| (it.sha256.clone(), it.player));
            (
                state.plan.rematch(&self.hub.games.now(), state.plan.seed)?,
                tickets.collect::<Vec<_>>(),
            )
        };
        let next = self.hub.rematch(self, plan, tickets)?;
        let winner = {
            let mut state = self.lock_state();
            state.rematch.get_or_insert_with(|| next.id.clone()).clone()
        };
        let event = OutgoingEvent::to_all(Event::Rematch { room: winner.clone() });
        let kept = next.update(vec![next.current_state_write()], Vec::new());
        Ok((winner, vec![kept, self.update(Vec::new(), vec![event])]))
    }
}
