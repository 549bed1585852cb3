//! Rooms: one bout each, its players and spectators. Events come from the bout's thread ([`run`]),
//! client messages from sockets ([`actions`]), connection changes from sockets that open and close
//! ([`presence`]). Everything reaches the sockets through the writer.
//!
//! Invariant: no rule of a bout is decided here. Moves, clocks, draws and undos belong to the
//! referee; a room decides who may act, and tracks who is connected.

mod actions;
mod broadcast;
mod persistence;
mod plan;
mod presence;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod view;
mod wire_views;

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::broadcast as channels;

pub(crate) use actions::ActionOutcome;
pub(crate) use persistence::{parse_stored, record_text};
pub(crate) use plan::{DEFAULT_MOVE_US, Plan, check_count, find_game, parse_budget, parse_start};
pub(crate) use state::{RoomPhase, digest};
pub(crate) use wire_views::{line, position};

use super::hub::Hub;
use super::problem::{ApiResult, Problem, ProblemKind};
use super::store::Write;
use super::wire::{
    Event, OpeningMove, Permissions, Player, Ply, Position, Presence, RoomBoard, RoomCard,
    Snapshot, State, TimeRules, message,
};
use super::writer::RoomUpdate;
use sandboard_bout::record::Record;
use sandboard_bout::referee::{Referee, Viewer};
use sandboard_games::Features;
use state::{RoomState, Ticket};
use view::View;

/// How many events a room keeps for sockets that reconnect, and how many bytes of them. An event
/// carries the position, with hundreds of moves in some games. A socket that missed more gets a
/// snapshot, which is no longer than two such events.
const RECENT_EVENTS_MAX: usize = 16;
const RECENT_BYTES_MAX: usize = 4 * 1024;
/// How many packets a slow socket may be behind before it gets a snapshot instead.
const PACKETS_BUFFERED: usize = 16;

/// The recipients of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recipient {
    /// All sockets of the room.
    All,
    /// The sockets with this ticket.
    Ticket(usize),
}

/// An event on its way to the writer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OutgoingEvent {
    pub to: Recipient,
    pub event: Event,
    /// In a game with hidden information, what players and spectators see after an event that
    /// changes it. Then the event itself is not sent.
    pub audiences: Option<Vec<AudienceView>>,
}

/// What an audience sees of a game with hidden information: one of the players, or the spectators.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AudienceView {
    pub plies: Vec<Ply>,
    pub position: Position,
}

impl OutgoingEvent {
    /// Addresses an event to all sockets of the room.
    pub(crate) fn to_all(event: Event) -> Self {
        Self { to: Recipient::All, event, audiences: None }
    }

    /// Addresses an event to the sockets with a ticket.
    pub(crate) fn to_ticket(ticket: usize, event: Event) -> Self {
        Self { to: Recipient::Ticket(ticket), event, audiences: None }
    }
}

/// A serialized message for sockets.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub to: Recipient,
    /// The message's text; none: each socket gets a snapshot of what its ticket may see.
    pub text: Option<Utf8Bytes>,
}

/// What never changes about a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomInfo {
    pub game: String,
    pub variant: String,
    /// The position before the moves of `opening`; none: the variant's own.
    pub start: Option<String>,
    /// The moves that led from there to where the bout began.
    pub opening: Arc<[OpeningMove]>,
    /// The seed of the bout.
    pub seed: u64,
    /// When the room was opened, as RFC 3339.
    pub created_at: String,
    /// Whether it is a quick game.
    pub quick_game: bool,
    /// What the bout's settings allow beyond the budgets.
    pub time_rules: TimeRules,
}

/// A room; see the [module](self).
pub(crate) struct Room {
    /// The id of the room and of its bout.
    pub id: String,
    /// What never changes.
    pub info: RoomInfo,
    opened: Instant,
    /// What the game has beside seats that move in turn and see everything.
    features: Features,
    hub: Arc<Hub>,
    state: Mutex<RoomState>,
    public: Mutex<PublicState>,
    packets: channels::Sender<Packet>,
}

/// The state that has been published, and the latest events.
struct PublicState {
    /// What spectators see, and in a game without hidden information all.
    view: View,
    /// What each player sees, in a game with hidden information; else empty.
    player_views: Vec<View>,
    seq: u64,
    recent: VecDeque<(u64, Utf8Bytes)>,
}

impl PublicState {
    /// What a player sees, or a spectator.
    fn view_of(&self, player: Option<usize>) -> &View {
        player.and_then(|player| self.player_views.get(player)).unwrap_or(&self.view)
    }

    /// Applies an event to all views. `audiences` has what players, and last spectators, see.
    fn apply(&mut self, event: Event, audiences: Option<Vec<AudienceView>>) {
        for view in &mut self.player_views {
            view.apply(event.clone());
        }
        self.view.apply(event);
        let views = self.player_views.iter_mut().chain([&mut self.view]);
        for (view, AudienceView { plies, position }) in views.zip(audiences.unwrap_or_default()) {
            (view.plies, view.position) = (plies, position);
        }
    }

    /// Keeps an event for sockets that reconnect. The newest one is kept whatever its length.
    fn keep(&mut self, seq: u64, text: Utf8Bytes) {
        self.recent.push_back((seq, text));
        let bytes = |recent: &VecDeque<(u64, Utf8Bytes)>| -> usize {
            recent.iter().map(|(_, text)| text.len()).sum()
        };
        while self.recent.len() > 1
            && (self.recent.len() > RECENT_EVENTS_MAX || bytes(&self.recent) > RECENT_BYTES_MAX)
        {
            self.recent.pop_front();
        }
    }
}

/// What a new socket receives.
pub(crate) struct Subscription {
    /// The snapshot, or the events that the client missed.
    pub initial: Vec<Utf8Bytes>,
    /// All later packets.
    pub packets: channels::Receiver<Packet>,
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What a room is created from.
pub(crate) struct RoomSetup {
    pub id: String,
    /// When the room was opened, as RFC 3339.
    pub created_at: String,
    /// The game, players and settings.
    pub plan: Plan,
    /// Hashes of the tickets' secrets, and their players.
    pub tickets: Vec<(String, Option<usize>)>,
    /// Which players have joined before.
    pub joined: Vec<bool>,
    /// Whether a player has paused the bout.
    pub paused: bool,
    /// The record of the bout, if it had begun.
    pub record: Option<Record>,
}

impl Room {
    /// Creates a room. The event numbers of a restored room start at the current time, so that
    /// clients do not mistake them for earlier ones.
    pub(crate) fn open(hub: Arc<Hub>, setup: RoomSetup) -> ApiResult<Arc<Self>> {
        let RoomSetup { id, created_at, plan, tickets, joined, paused, record } = setup;
        let opening = plan.start(&hub.games.now())?.opening();
        let opening = opening.map_err(|error| Problem::unprocessable("moves", error))?;
        let opening = opening.into_iter().map(wire_views::opening_move);
        let info = RoomInfo {
            game: plan.game.clone(),
            variant: plan.variant.clone(),
            start: plan.start.clone(),
            opening: opening.collect(),
            seed: plan.seed,
            created_at,
            quick_game: plan.quick_game,
            time_rules: TimeRules {
                grace_ms: plan.settings.grace.us / 1000,
                first_move_ms: plan.settings.first_move_us / 1000,
            },
        };
        let (phase, referee, seq) = match record {
            Some(record) => {
                let referee = record.restore_referee(&hub.games.now());
                let referee =
                    referee.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
                (RoomPhase::Suspended(Box::new(record)), referee, now_ms())
            }
            None => (RoomPhase::Waiting, plan.new_referee(&hub.games.now())?, 0),
        };
        let tickets = tickets.into_iter().map(|(sha256, player)| Ticket::stored(sha256, player));
        let mut state = RoomState::new(plan, tickets.collect(), phase, &joined);
        state.paused = paused;
        state.sides = referee.game().info().sides.len().max(1) as u8;
        let view = initial_view(&state, &referee);
        let features = referee.game().info().features;
        let has_views = features.has_views();
        let mut player_views =
            vec![view.clone(); if has_views { referee.player_count() } else { 0 }];
        let mut view = view;
        if has_views {
            let views = player_views.iter_mut().chain([&mut view]);
            for (view, seen) in views.zip(wire_views::audiences(&referee)) {
                (view.plies, view.position) = (seen.plies, seen.position);
            }
        }
        let public = PublicState { view, player_views, seq, recent: VecDeque::new() };
        let (packets, _) = channels::channel(PACKETS_BUFFERED);
        Ok(Arc::new(Self {
            id,
            info,
            opened: Instant::now(),
            features,
            hub,
            state: Mutex::new(state),
            public: Mutex::new(public),
            packets,
        }))
    }

    fn lock_state(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_public(&self) -> MutexGuard<'_, PublicState> {
        self.public.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wraps writes and events into an update for the writer.
    pub(crate) fn update(
        self: &Arc<Self>,
        writes: Vec<Write>,
        events: Vec<OutgoingEvent>,
    ) -> RoomUpdate {
        RoomUpdate { room: self.clone(), record: None, writes, events, done: None }
    }

    /// Publishes events; only the writer calls this, after it has stored them.
    pub(crate) fn publish(&self, events: Vec<OutgoingEvent>) {
        let mut public = self.lock_public();
        for OutgoingEvent { to, event, audiences } in events {
            if let Event::Moved { .. } = event {
                self.hub.counts.moves.fetch_add(1, Ordering::Relaxed);
            }
            let seq = event.is_durable().then(|| public.seq + 1);
            let text = match &audiences {
                None => Some(Utf8Bytes::from(message(seq, None, &event))),
                // A socket that missed this gets a snapshot, too.
                Some(_) => None,
            };
            if let Some(seq) = seq {
                public.seq = seq;
                match &text {
                    Some(text) => public.keep(seq, text.clone()),
                    None => public.recent.clear(),
                }
            }
            public.apply(event, audiences);
            // Sending fails if there are no sockets.
            let _ = self.packets.send(Packet { to, text });
        }
    }

    /// Returns the ticket with this secret. Err: there is none.
    pub(crate) fn find_ticket(&self, secret: &str) -> ApiResult<usize> {
        let unknown = || Problem::new(ProblemKind::Forbidden, "this is not a ticket of the room");
        self.lock_state().find_ticket(secret).ok_or_else(unknown)
    }

    /// Returns whether the room has a ticket whose secret has this hash.
    pub(crate) fn has_ticket(&self, sha256: &str) -> bool {
        self.lock_state().find_ticket_by_hash(sha256).is_some()
    }

    /// Returns the player of a ticket.
    pub(crate) fn player_of(&self, ticket: usize) -> Option<usize> {
        self.lock_state().player(ticket)
    }

    /// Returns the room as the holder of this ticket sees it.
    pub(crate) fn snapshot(&self, ticket: Option<usize>) -> Snapshot {
        let (own_player, permissions) = self.permissions_of(ticket);
        self.snapshot_of(&self.lock_public(), own_player, permissions)
    }

    /// Returns the player of a ticket, and what its holder may do.
    fn permissions_of(&self, ticket: Option<usize>) -> (Option<usize>, Permissions) {
        let state = self.lock_state();
        let own_player = ticket.and_then(|ticket| state.player(ticket));
        let permissions = Permissions {
            undo: own_player.is_some() && state.plan.settings.undo,
            draw: own_player.is_some() && state.plan.settings.draw_offers,
            host: ticket.is_some_and(|ticket| state.is_host(ticket)),
            pause: ticket
                .is_some_and(|ticket| state.is_host(ticket) && !state.has_opponent(ticket)),
            close: ticket.is_some_and(|ticket| state.may_close(ticket)),
            hint: own_player.is_some() && state.plan.hint.is_some(),
        };
        (own_player, permissions)
    }

    fn snapshot_of(
        &self,
        public: &PublicState,
        own_player: Option<usize>,
        permissions: Permissions,
    ) -> Snapshot {
        let RoomInfo { game, variant, start, opening, seed, created_at, time_rules, .. } =
            self.info.clone();
        let view = public.view_of(own_player);
        let Features { chance, hidden_information: hides, .. } = self.features;
        let hides_seed = (hides || chance) && view.state != State::Over;
        Snapshot {
            room: self.id.clone(),
            seq: public.seq,
            now_ms: now_ms(),
            created_at,
            game,
            variant,
            start: start.filter(|_| !hides || view.state == State::Over),
            opening: opening.to_vec(),
            seed: (!hides_seed).then_some(seed),
            state: view.state,
            time_rules,
            players: view.players_now(),
            own_player,
            plies: view.plies.clone(),
            position: view.position.clone(),
            thinking: view.thinking,
            draw_offered_by: view.draw_offered_by,
            undo_request: view.undo_request,
            result: view.result.clone(),
            bout: (view.state == State::Over).then(|| self.id.clone()),
            log: view.log.iter().cloned().collect(),
            permissions,
            spectators: view.spectators,
        }
    }

    /// Returns the message with the room as the holder of a ticket sees it.
    pub(crate) fn snapshot_message(&self, ticket: Option<usize>) -> Utf8Bytes {
        message(None, Some("snapshot"), &self.snapshot(ticket)).into()
    }

    /// Returns the number of moves that a player has noticed; none: it notices all.
    fn noticed_plies(&self, player: Option<usize>) -> Option<u32> {
        self.features.has_views().then(|| self.lock_public().view_of(player).plies.len() as u32)
    }

    /// Returns whether each player sees the room's game in its own way.
    pub(crate) fn has_views(&self) -> bool {
        self.features.has_views()
    }

    /// Subscribes a socket: returns its first messages and the packets that follow without a gap.
    pub(crate) fn subscribe(&self, ticket: Option<usize>, since: Option<u64>) -> Subscription {
        let (own_player, permissions) = self.permissions_of(ticket);
        let public = self.lock_public();
        let packets = self.packets.subscribe();
        let known = |since: &u64| {
            let first = public.recent.front().map_or(public.seq + 1, |(seq, _)| *seq);
            *since <= public.seq && since + 1 >= first
        };
        let initial = match since.filter(known) {
            Some(since) => {
                let missed = public.recent.iter().filter(|(seq, _)| *seq > since);
                missed.map(|(_, text)| text.clone()).collect()
            }
            None => {
                let snapshot = self.snapshot_of(&public, own_player, permissions);
                vec![message(None, Some("snapshot"), &snapshot).into()]
            }
        };
        Subscription { initial, packets }
    }

    /// Returns the current board, as spectators see it.
    pub(crate) fn board(&self) -> RoomBoard {
        let public = self.lock_public();
        let view = public.view_of(None);
        let last_of_opening = || self.info.opening.last().map(|mv| mv.r#move.clone());
        let last_played = view.plies.last().map(|ply| ply.r#move.clone());
        RoomBoard {
            state: view.state,
            plies: view.plies.len(),
            last_move: last_played.or_else(last_of_opening),
            position: view.position.clone(),
        }
    }

    /// Returns the room's entry in the lobby's list.
    pub(crate) fn card(&self) -> RoomCard {
        let (open_seats, budget) = {
            let state = self.lock_state();
            let budget = state.plan.players.first().map(|player| player.budget.to_string());
            (state.open_seats(), budget.unwrap_or_default())
        };
        let public = self.lock_public();
        let RoomInfo { game, variant, created_at, quick_game, .. } = self.info.clone();
        RoomCard {
            id: self.id.clone(),
            game,
            variant,
            state: public.view.state,
            names: public.view.players.iter().map(|player| player.name.clone()).collect(),
            plies: public.view.plies.len(),
            spectators: public.view.spectators,
            open_seats,
            quick_game,
            budget,
            created_at,
        }
    }

    /// Returns the published state.
    pub(crate) fn state(&self) -> State {
        self.lock_public().view.state
    }

    /// Returns whether someone waits here for an opponent. A player who has just opened the room
    /// may take `arrival_time` to enter it.
    pub(crate) fn has_waiting_player(&self, arrival_time: Duration) -> bool {
        let state = self.lock_state();
        let is_present = |it: &state::Connection| it.sockets > 0;
        let has_joined = |it: &state::Connection| it.state != Presence::Open;
        let connections = &state.connections;
        let arrives = !connections.iter().any(has_joined) && self.opened.elapsed() <= arrival_time;
        matches!(state.phase, RoomPhase::Waiting) && (arrives || connections.iter().any(is_present))
    }

    /// Returns whether the room has no sockets.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock_state();
        state.spectators == 0 && state.connections.iter().all(|connection| connection.sockets == 0)
    }
}

/// Builds the published view of a room before its first event.
fn initial_view(state: &RoomState, referee: &Referee) -> View {
    let player = |index: usize| -> Option<Player> {
        let mut player = wire_views::player(referee, index, 0)?;
        let planned = state.plan.players.get(index);
        player.engine = planned.and_then(|it| it.engine.as_ref()).map(persistence::engine_of_seat);
        player.state =
            state.connections.get(index).map_or(player.state, |connection| connection.state);
        player.chooses_name = planned.is_some_and(|it| it.chooses_name);
        Some(player)
    };
    let players = (0..referee.player_count()).filter_map(player).collect();
    let state = match (&state.phase, state.paused) {
        (RoomPhase::Waiting, _) => State::Waiting,
        (_, true) => State::Paused,
        _ => State::Playing,
    };
    let everything = Viewer::Everything;
    let plies = wire_views::plies(referee, everything);
    View::new(state, players, plies, wire_views::position_for(referee, everything))
}
