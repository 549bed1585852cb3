//! Handles client messages: checks who may act and passes actions to the bout. Each message id is
//! handled once; the bout's answer is returned later.

use std::sync::Arc;
use std::time::Instant;

use super::state::{PENDING_MAX, PendingMessage, RoomPhase, RoomState};
use super::{OutgoingEvent, Room};
use crate::messages;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::wire::{ClientAction, ClientMessage, EngineSeat, Event, Message, Presence, UndoRequest};
use crate::writer::RoomUpdate;
use sandboard_bout::driver::{EnginePlayer, InputEvent, TrackedInput};

/// The longest message id, in bytes.
const ID_BYTES: usize = 64;
/// The longest move text, in bytes.
const MOVE_BYTES: usize = sandboard_abi::limits::MOVE_BYTES;

/// How a message is continued.
pub(crate) enum ActionOutcome {
    /// The bout will answer it.
    Pending,
    /// The update to publish.
    Emit(RoomUpdate),
    /// An engine must be loaded, then seated ([`Room::seat`]).
    LoadEngine {
        /// The player to replace.
        player: usize,
        /// The engine to load.
        engine: EngineSeat,
        /// The ticket and message id, for the answer.
        by: (usize, String),
    },
}

/// What an allowed message does.
enum Action {
    /// Send an event to the bout.
    Send {
        player: Option<usize>,
        ply: Option<u32>,
        event: InputEvent,
    },
    /// Done: publish these events.
    Broadcast(Vec<OutgoingEvent>),
    SeatEngine(usize, EngineSeat),
    /// Close the room before its bout has begun.
    CloseRoom,
}

fn forbidden(detail: &str) -> Problem {
    Problem::new(ProblemKind::Forbidden, detail)
}

fn conflict(detail: &str) -> Problem {
    Problem::new(ProblemKind::Conflict, detail)
}

impl Room {
    /// Takes a message from the rate of a ticket. Returns false if its holder sends too many.
    pub(crate) fn take_message(&self, ticket: usize) -> bool {
        let mut state = self.lock_state();
        let ticket = state.tickets.get_mut(ticket);
        ticket.is_some_and(|ticket| ticket.take_message(Instant::now()))
    }

    /// Handles a message of a ticket's holder.
    pub(crate) fn handle_message(
        self: &Arc<Self>,
        ticket: usize,
        message: ClientMessage,
    ) -> ActionOutcome {
        let ClientMessage { id, action, .. } = message;
        let now = |event| self.update(Vec::new(), vec![OutgoingEvent::to_ticket(ticket, event)]);
        if id.len() > ID_BYTES {
            let id = id[..id.floor_char_boundary(ID_BYTES)].to_owned();
            let detail = format!("a message id has at most {ID_BYTES} bytes");
            return ActionOutcome::Emit(now(Event::Error {
                id,
                kind: ProblemKind::BadRequest.id(),
                message: None,
                detail,
            }));
        }
        if action == ClientAction::Ping {
            return ActionOutcome::Emit(now(Event::Pong { id }));
        }
        let mut state = self.lock_state();
        match state.tickets.get_mut(ticket).and_then(|it| it.register_message(&id)) {
            Some(Some(answer)) => return ActionOutcome::Emit(now(answer)),
            Some(None) => return ActionOutcome::Pending,
            None => (),
        }
        let of_ticket = state.pending.values().filter(|pending| pending.ticket == ticket);
        let decision = match of_ticket.count() < PENDING_MAX {
            true => self.decide(&mut state, ticket, action),
            false => {
                let detail = crate::messages::WAIT_FOR_ANSWERS;
                Err(Problem::new(ProblemKind::TooMany, detail))
            }
        };
        match decision {
            Ok(Action::Send { player, ply, event }) => match &state.input {
                Some(input) => {
                    let input = input.clone();
                    let number = state.next_number;
                    state.next_number += 1;
                    let refusal = match event {
                        InputEvent::Move(_) => ProblemKind::IllegalMove,
                        _ => ProblemKind::Conflict,
                    };
                    state
                        .pending
                        .insert(number, PendingMessage { ticket, id: id.clone(), refusal });
                    let event = Box::new(event);
                    let send = InputEvent::Tracked(TrackedInput { number, player, ply, event });
                    if input.send(send) {
                        return ActionOutcome::Pending;
                    }
                    state.pending.remove(&number);
                    let over = Err(conflict(crate::messages::BOUT_OVER));
                    ActionOutcome::Emit(now(state.store_answer(ticket, id, over)))
                }
                None => {
                    let early = Err(conflict(sandboard_bout::messages::BOUT_NOT_BEGUN));
                    ActionOutcome::Emit(now(state.store_answer(ticket, id, early)))
                }
            },
            Ok(Action::SeatEngine(player, engine)) => {
                ActionOutcome::LoadEngine { player, engine, by: (ticket, id) }
            }
            Ok(Action::Broadcast(mut events)) => {
                let event = state.store_answer(ticket, id, Ok(()));
                let writes = vec![self.state_write(&state)];
                events.push(OutgoingEvent::to_ticket(ticket, event));
                ActionOutcome::Emit(self.update(writes, events))
            }
            Ok(Action::CloseRoom) => {
                let event = state.store_answer(ticket, id, Ok(()));
                drop(state);
                let mut update = self.aborted(crate::messages::CLOSED_BY_PLAYER);
                update.events.push(OutgoingEvent::to_ticket(ticket, event));
                ActionOutcome::Emit(update)
            }
            Err(problem) => ActionOutcome::Emit(now(state.store_answer(ticket, id, Err(problem)))),
        }
    }

    fn decide(
        &self,
        state: &mut RoomState,
        ticket: usize,
        action: ClientAction,
    ) -> ApiResult<Action> {
        let player = state.player(ticket);
        let host = state.is_host(ticket);
        match state.phase {
            RoomPhase::Over => return Err(conflict(crate::messages::BOUT_OVER)),
            RoomPhase::Waiting if action == ClientAction::Abort && state.may_close(ticket) => {
                return Ok(Action::CloseRoom);
            }
            RoomPhase::Waiting | RoomPhase::Suspended(_) => {
                return Err(conflict(sandboard_bout::messages::BOUT_NOT_BEGUN));
            }
            RoomPhase::Playing => (),
        }
        let send = |player, event| Action::Send { player, ply: None, event };
        let own = || player.ok_or_else(|| forbidden(crate::messages::NOT_A_PLAYERS_TICKET));
        let of_host = || match host {
            true => Ok(()),
            false => Err(forbidden(crate::messages::ROOM_HOST_ONLY)),
        };
        let unopposed = || match state.has_opponent(ticket) {
            false => Ok(()),
            true => Err(forbidden(crate::messages::OPPONENT_WOULD_WAIT)),
        };
        match action {
            ClientAction::Ping => Ok(Action::Broadcast(Vec::new())),
            ClientAction::Move { r#move, ply } => {
                let player = Some(own()?);
                if r#move.len() > MOVE_BYTES {
                    let detail = messages::move_bytes(MOVE_BYTES);
                    return Err(Problem::new(ProblemKind::IllegalMove, detail));
                }
                let event = InputEvent::Move(r#move);
                match self.noticed_plies(player) {
                    None => Ok(Action::Send { player, ply: Some(ply), event }),
                    // The player counts only the moves that it noticed.
                    Some(noticed) if noticed == ply => {
                        Ok(Action::Send { player, ply: None, event })
                    }
                    Some(noticed) => Err(conflict(&messages::move_for_ply(ply, noticed))),
                }
            }
            ClientAction::Undo { plies } => self.undo(state, own()?, plies),
            ClientAction::AcceptUndo => {
                let player = own()?;
                let request = state.undo_request.take_if(|it| it.player != player);
                let request = request.ok_or_else(|| conflict(crate::messages::NO_UNDO_REQUEST))?;
                let event = InputEvent::Undo(Some(request.plies));
                Ok(Action::Send {
                    player: Some(request.player),
                    ply: Some(state.progress.plies),
                    event,
                })
            }
            ClientAction::DeclineUndo => {
                let player = own()?;
                let request = state.undo_request.take_if(|it| it.player != player);
                let request = request.ok_or_else(|| conflict(crate::messages::NO_UNDO_REQUEST))?;
                let event = Event::UndoDeclined { player: request.player };
                Ok(Action::Broadcast(vec![OutgoingEvent::to_all(event)]))
            }
            ClientAction::Resign => Ok(send(Some(own()?), InputEvent::Resign)),
            ClientAction::OfferDraw => Ok(send(Some(own()?), InputEvent::OfferDraw)),
            ClientAction::AcceptDraw => Ok(send(Some(own()?), InputEvent::AcceptDraw)),
            ClientAction::DeclineDraw => Ok(send(Some(own()?), InputEvent::DeclineDraw)),
            ClientAction::Hint => Ok(send(Some(own()?), InputEvent::Hint)),
            ClientAction::MoveNow => own()
                .or_else(|e| of_host().map(|()| 0).map_err(|_| e))
                .map(|_| send(None, InputEvent::MoveNow)),
            ClientAction::Pause => {
                of_host()?;
                unopposed()?;
                Ok(self.pause(state))
            }
            ClientAction::Resume | ClientAction::Step => {
                of_host()?;
                if !state.paused {
                    return Err(conflict(sandboard_bout::messages::BOUT_NOT_PAUSED));
                }
                state.stepping = action == ClientAction::Step;
                Ok(send(None, InputEvent::Resume))
            }
            ClientAction::Abort => {
                of_host()?;
                if player.is_some_and(|player| self.have_both_moved(state, player)) {
                    return Err(forbidden(crate::messages::ABORT_AFTER_MOVES));
                }
                let name = player.and_then(|player| state.plan.players.get(player));
                let by = name.map_or("the host".to_owned(), |player| player.name.clone());
                Ok(send(None, InputEvent::Abort(messages::ended_by(by))))
            }
            ClientAction::ClaimWin => {
                let gone =
                    gone(state, own()?).ok_or_else(|| conflict(crate::messages::CANNOT_CLAIM))?;
                Ok(send(None, InputEvent::Disconnected(gone)))
            }
            ClientAction::SeatEngine { player: place, engine } => {
                let connection =
                    state.connections.get(place).filter(|connection| connection.person);
                let connection =
                    connection.ok_or_else(|| conflict(crate::messages::NOT_A_PERSON))?;
                let may_replace = host && !state.has_opponent(ticket);
                if player != Some(place) && !may_replace && connection.state != Presence::Gone {
                    return Err(forbidden(crate::messages::NOT_GONE));
                }
                state.begin_engine_load()?;
                Ok(Action::SeatEngine(place, engine))
            }
        }
    }

    /// Returns whether a player and a person who plays against it have moved.
    fn have_both_moved(&self, state: &RoomState, player: usize) -> bool {
        let public = self.lock_public();
        let has_moved = |it: usize| public.view.plies.iter().any(|ply| ply.player == Some(it));
        has_moved(player) && state.opponents(player).any(has_moved)
    }

    /// If the clock is on hold for an absent player, the bout becomes paused on request from now
    /// on.
    fn pause(&self, state: &mut RoomState) -> Action {
        if state.clock_hold.take().is_none() {
            return Action::Send { player: None, ply: None, event: InputEvent::Pause };
        }
        state.paused = true;
        let players = self.lock_public().view.clocks_now();
        Action::Broadcast(vec![OutgoingEvent::to_all(Event::Paused { players })])
    }

    /// If a person plays the other side, they are asked first.
    fn undo(&self, state: &mut RoomState, player: usize, plies: Option<u32>) -> ApiResult<Action> {
        let other = |it: usize| it != player && !state.same_side(it, player);
        let others =
            state.connections.iter().enumerate().filter(|(_, connection)| connection.person);
        let needs_consent = others.map(|(it, _)| it).any(other);
        if !needs_consent {
            let event = InputEvent::Undo(plies);
            return Ok(Action::Send { player: Some(player), ply: None, event });
        }
        if !state.plan.settings.undo {
            return Err(conflict(crate::messages::MAY_NOT_UNDO));
        }
        let (ply_count, own) = {
            let public = self.lock_public();
            let plies = &public.view.plies;
            (plies.len() as u32, plies.iter().rposition(|ply| ply.player == Some(player)))
        };
        let since_own = || own.map(|own| ply_count - own as u32);
        match plies.or_else(since_own) {
            Some(plies) if (1..=ply_count).contains(&plies) => {
                state.undo_request = Some(UndoRequest { player, plies });
                Ok(Action::Broadcast(vec![OutgoingEvent::to_all(Event::UndoRequested {
                    player,
                    plies,
                })]))
            }
            _ => Err(conflict(crate::messages::NOT_THAT_MANY_MOVES)),
        }
    }

    /// Takes the bout's answer to a message.
    pub(super) fn answer(&self, number: u64, answer: Result<(), &str>) -> Option<OutgoingEvent> {
        let mut state = self.lock_state();
        let PendingMessage { ticket, id, refusal } = state.pending.remove(&number)?;
        let answer = answer.map_err(|reason| Problem::new(refusal, reason));
        let event = state.store_answer(ticket, id, answer);
        Some(OutgoingEvent::to_ticket(ticket, event))
    }

    /// Answers the message of a client whose engine cannot be seated.
    pub(crate) fn refuse_engine(
        self: &Arc<Self>,
        (ticket, id): (usize, String),
        problem: Problem,
    ) -> RoomUpdate {
        let mut state = self.lock_state();
        state.loading_engine = false;
        let event = state.store_answer(ticket, id, Err(problem));
        drop(state);
        self.update(Vec::new(), vec![OutgoingEvent::to_ticket(ticket, event)])
    }

    /// Replaces a person by an engine: the bout stops, and continues with the engine.
    pub(crate) fn seat(
        self: &Arc<Self>,
        player: usize,
        engine: EnginePlayer,
        (ticket, id): (usize, String),
    ) -> RoomUpdate {
        let mut state = self.lock_state();
        state.loading_engine = false;
        let person = state.connections.get(player).is_some_and(|connection| connection.person);
        let answer = match (&state.phase, person) {
            (RoomPhase::Playing, true) => match state.input.clone() {
                Some(input) => {
                    state.pending_engine = Some((player, engine));
                    input.send(InputEvent::Quit);
                    Ok(())
                }
                None => Err(conflict(sandboard_bout::messages::BOUT_NOT_BEGUN)),
            },
            _ => Err(conflict(crate::messages::NO_LONGER_A_PERSON)),
        };
        let event = state.store_answer(ticket, id, answer);
        drop(state);
        self.update(Vec::new(), vec![OutgoingEvent::to_ticket(ticket, event)])
    }

    /// Returns where the bout begins, for loading engines.
    pub(crate) fn start_position(&self) -> ApiResult<sandboard_bout::start::StartPosition> {
        self.lock_state().plan.start(&self.hub.games.now())
    }

    /// Returns the unit in which a player's engine would be limited.
    pub(crate) fn unit_of(&self, player: usize) -> sandboard_abi::Unit {
        let state = self.lock_state();
        state.plan.players.get(player).map(|it| it.budget.unit()).unwrap_or_default()
    }
}

/// Returns an absent player whose game this player may claim: of the other side and untimed.
fn gone(state: &RoomState, player: usize) -> Option<usize> {
    let gone = |(it, connection): &(usize, &super::state::Connection)| {
        connection.person
            && connection.state == Presence::Gone
            && !state.same_side(*it, player)
            && state.is_untimed(*it)
    };
    state.connections.iter().enumerate().find(gone).map(|(it, _)| it)
}

impl RoomState {
    /// Builds the answer to a message, and keeps it in case the message arrives again.
    fn store_answer(&mut self, ticket: usize, id: String, answer: ApiResult<()>) -> Event {
        let event = match answer {
            Ok(()) => Event::Ack { id: id.clone() },
            Err(Problem { kind, detail, .. }) => {
                let message = Message::of(&detail);
                Event::Error { id: id.clone(), kind: kind.id(), detail, message }
            }
        };
        if let Some(ticket) = self.tickets.get_mut(ticket) {
            ticket.record_result(&id, &event);
        }
        event
    }
}
