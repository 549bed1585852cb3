//! Tracks which players are connected. If the player to move is absent, their clock is held for a
//! grace period, once for each move; then it runs on.

use std::sync::Arc;
use std::time::Duration;

use super::state::{RoomPhase, RoomState};
use super::{OutgoingEvent, Room};
use crate::store::Write;
use crate::wire::{Event, PlayerState, Presence};
use crate::writer::RoomUpdate;
use sandboard_bout::driver::InputEvent;

/// How long the player of a quick game without an opponent may be away: long enough to load the
/// page again.
const QUICK_GAME_RETURN: Duration = Duration::from_secs(8);

impl RoomState {
    /// Returns the event that describes who is connected.
    fn presence(&self) -> Event {
        let state = |(player, connection): (usize, &super::state::Connection)| PlayerState {
            player,
            state: connection.state,
        };
        let players = self.connections.iter().enumerate().map(state).collect();
        Event::Presence { players, spectators: self.spectators }
    }

    /// Names a person who chooses a name; without one the placeholder stays.
    pub(super) fn choose_name(&mut self, player: usize, name: &str) -> Option<Event> {
        let planned = self.plan.players.get_mut(player)?;
        if !std::mem::take(&mut planned.chooses_name) {
            return None;
        }
        if !name.is_empty() {
            planned.name = name.to_owned();
        }
        let name = planned.name.clone();
        Some(Event::Seated { player, name, kind: "person", engine: None })
    }

    /// Holds the bout's clock if this player is to move, absent, timed, and had no grace period for
    /// this move. Returns the epoch of the timer that must end the hold.
    fn hold_clock(&mut self, player: usize) -> Option<u64> {
        let is_untimed_player = self.is_untimed(player);
        let progress = self.progress;
        let input = self.input.as_ref()?;
        let connection = self.connections.get_mut(player)?;
        let is_absent = matches!(connection.state, Presence::Absent | Presence::Gone);
        let is_due =
            progress.to_move == Some(player) && connection.grace_ply != Some(progress.plies);
        if !is_absent || !is_due || is_untimed_player || self.paused || self.clock_hold.is_some() {
            return None;
        }
        connection.grace_ply = Some(progress.plies);
        self.clock_hold = Some((player, connection.epoch));
        input.send(InputEvent::Pause);
        Some(connection.epoch)
    }

    /// Ends the hold for this player.
    fn release_clock(&mut self, player: usize) {
        if self.clock_hold.take_if(|(held, _)| *held == player).is_some()
            && let Some(input) = &self.input
        {
            input.send(InputEvent::Resume);
        }
    }
}

impl Room {
    /// Registers a socket: of a ticket's holder, or of a spectator. The bout begins when all
    /// players have joined. A person who chooses a name gets this one with the first socket.
    pub(crate) fn enter(self: &Arc<Self>, ticket: Option<usize>, name: &str) -> RoomUpdate {
        let mut state = self.lock_state();
        let mut writes: Vec<Write> = Vec::new();
        let mut events = Vec::new();
        let player = ticket.and_then(|ticket| state.player(ticket));
        match player.and_then(|player| state.connections.get_mut(player)) {
            None => state.spectators += 1,
            Some(connection) => {
                connection.sockets += 1;
                if connection.sockets == 1 {
                    let first = connection.state == Presence::Open;
                    connection.state = Presence::Present;
                    connection.epoch += 1;
                    if let Some(player) = player {
                        state.release_clock(player);
                    }
                    if first {
                        events.extend(player.and_then(|player| state.choose_name(player, name)));
                        writes.push(self.state_write(&state));
                    }
                }
            }
        }
        events.push(state.presence());
        if ticket.is_some() {
            self.start_if_complete(&mut state);
        }
        drop(state);
        self.update(writes, events.into_iter().map(OutgoingEvent::to_all).collect())
    }

    /// Starts or resumes the bout if all players have joined.
    fn start_if_complete(self: &Arc<Self>, state: &mut RoomState) {
        if !state.all_players_joined() {
            return;
        }
        let record = match std::mem::replace(&mut state.phase, RoomPhase::Playing) {
            RoomPhase::Waiting => None,
            RoomPhase::Suspended(record) => Some(record),
            phase => return state.phase = phase,
        };
        if let Err(update) = self.start(record) {
            state.phase = RoomPhase::Over;
            self.hub.try_send(update);
        }
    }

    /// Starts a bout of engines only, new or restored.
    pub(crate) fn start_without_people(self: &Arc<Self>) {
        let mut state = self.lock_state();
        if state.connections.iter().all(|connection| !connection.person) {
            self.start_if_complete(&mut state);
        }
    }

    /// Unregisters a socket that [`enter`](Self::enter) registered.
    pub(crate) fn leave(self: &Arc<Self>, ticket: Option<usize>) -> RoomUpdate {
        let mut state = self.lock_state();
        let player = ticket.and_then(|ticket| state.player(ticket));
        match player.and_then(|player| Some((player, state.connections.get_mut(player)?))) {
            None => state.spectators = state.spectators.saturating_sub(1),
            Some((player, connection)) => {
                connection.sockets = connection.sockets.saturating_sub(1);
                if connection.sockets == 0 && connection.person {
                    connection.state = Presence::Absent;
                    connection.epoch += 1;
                    let epoch = connection.epoch;
                    state.hold_clock(player);
                    match state.phase {
                        RoomPhase::Playing | RoomPhase::Suspended(_) => {
                            self.schedule_grace_end(player, epoch);
                        }
                        RoomPhase::Waiting if state.plan.quick_game => {
                            self.schedule_end_of_waiting(player, epoch);
                        }
                        RoomPhase::Waiting | RoomPhase::Over => (),
                    }
                }
            }
        }
        let event = state.presence();
        drop(state);
        self.update(Vec::new(), vec![OutgoingEvent::to_all(event)])
    }

    /// Called when a person is to move: holds their clock if they are absent.
    pub(super) fn await_person(self: &Arc<Self>, player: usize) {
        let mut state = self.lock_state();
        if let Some(epoch) = state.hold_clock(player) {
            self.schedule_grace_end(player, epoch);
        }
    }

    /// Has the bout save the time that a player has used for the current move, if the player is
    /// timed.
    pub(crate) fn save_clock(&self) {
        let state = self.lock_state();
        let runs = state.progress.to_move.is_some_and(|player| !state.is_untimed(player));
        if let Some(input) = state.input.as_ref().filter(|_| runs && !state.paused) {
            input.send(InputEvent::Save(None));
        }
    }

    /// Closes the room of a quick game if the player who waits in it does not return.
    fn schedule_end_of_waiting(self: &Arc<Self>, player: usize, epoch: u64) {
        let room = Arc::downgrade(self);
        self.hub.runtime.spawn(async move {
            tokio::time::sleep(QUICK_GAME_RETURN).await;
            if let Some(room) = room.upgrade()
                && room.is_still_away(player, epoch)
                && let Some(update) = room.close_waiting(crate::messages::WAITING_PLAYER_LEFT)
            {
                room.hub.send(update).await;
            }
        });
    }

    fn is_still_away(&self, player: usize, epoch: u64) -> bool {
        self.lock_state().connections.get(player).is_some_and(|it| it.epoch == epoch)
    }

    /// Starts the timer of the grace period.
    fn schedule_grace_end(self: &Arc<Self>, player: usize, epoch: u64) {
        let room = Arc::downgrade(self);
        let grace = self.hub.settings.grace;
        self.hub.runtime.spawn(async move {
            tokio::time::sleep(grace).await;
            if let Some(room) = room.upgrade()
                && let Some(update) = room.end_grace(player, epoch)
            {
                room.hub.send(update).await;
            }
        });
    }

    /// Ends the grace period: the player's clock runs, and the opponent may claim an untimed bout.
    fn end_grace(self: &Arc<Self>, player: usize, epoch: u64) -> Option<RoomUpdate> {
        let mut state = self.lock_state();
        let connection = state.connections.get_mut(player)?;
        if connection.epoch != epoch
            || !matches!(connection.state, Presence::Absent | Presence::Gone)
        {
            return None;
        }
        connection.state = Presence::Gone;
        state.release_clock(player);
        let event = state.presence();
        drop(state);
        Some(self.update(Vec::new(), vec![OutgoingEvent::to_all(event)]))
    }
}
