//! The published state of a room. Events change it exactly as they change a client's copy; it
//! decides nothing.

use std::collections::VecDeque;
use std::time::Instant;

use crate::messages;
use crate::wire::{
    Event, LogLine, Player, PlayerClock, Ply, Position, Presence, ResultView, State, UndoRequest,
    log_message,
};

/// The most entries in the room's log.
const LOG_LINES: usize = 200;

/// The published state of a room.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub state: State,
    pub players: Vec<Player>,
    pub plies: Vec<Ply>,
    pub position: Position,
    pub thinking: Option<usize>,
    pub draw_offered_by: Option<usize>,
    pub undo_request: Option<UndoRequest>,
    pub result: Option<ResultView>,
    pub log: VecDeque<LogLine>,
    pub spectators: u32,
    /// When the clocks were read.
    clocks_at: Instant,
    /// Since when players have been absent.
    absent_at: Vec<Option<Instant>>,
}

impl View {
    /// Creates the view of a room before its first event.
    pub(crate) fn new(
        state: State,
        players: Vec<Player>,
        plies: Vec<Ply>,
        position: Position,
    ) -> Self {
        Self {
            state,
            absent_at: vec![None; players.len()],
            players,
            plies,
            position,
            thinking: None,
            draw_offered_by: None,
            undo_request: None,
            result: None,
            log: VecDeque::new(),
            spectators: 0,
            clocks_at: Instant::now(),
        }
    }

    /// Returns the players with their current clocks.
    pub(crate) fn players_now(&self) -> Vec<Player> {
        let mut players = self.players.clone();
        let elapsed = i64::try_from(self.clocks_at.elapsed().as_millis()).unwrap_or(i64::MAX);
        for (player, absent_at) in players.iter_mut().zip(&self.absent_at) {
            if let Some(clock) = player.clock.as_mut().filter(|it| it.running && it.unit == "wall")
            {
                let counted = (elapsed - clock.starts_in_ms).max(0);
                let left = |ms: i64| ms.saturating_sub(counted).max(0);
                clock.starts_in_ms = (clock.starts_in_ms - elapsed).max(0);
                clock.move_ms_left = clock.move_ms_left.map(left);
                clock.game_ms_left = clock.game_ms_left.map(left);
            }
            let absent_ms = absent_at.map(|at| at.elapsed().as_millis());
            player.absent_since_ms = absent_ms.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX));
        }
        players
    }

    /// Returns all current clocks.
    pub(crate) fn clocks_now(&self) -> Vec<PlayerClock> {
        let clock = |player: Player| PlayerClock { player: player.player, clock: player.clock };
        self.players_now().into_iter().map(clock).collect()
    }

    fn set_clocks(&mut self, clocks: Vec<PlayerClock>) {
        self.clocks_at = Instant::now();
        for PlayerClock { player, clock } in clocks {
            if let Some(player) = self.players.get_mut(player) {
                player.clock = clock;
            }
        }
    }

    fn log(&mut self, kind: &'static str, text: String) {
        let at_ply = self.plies.len() as u32;
        self.log_at(at_ply, kind, text);
    }

    fn log_at(&mut self, at_ply: u32, kind: &'static str, text: String) {
        if self.log.len() == LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine { at_ply, kind, message: log_message(kind, &text), text });
    }

    fn name(&self, player: usize) -> String {
        self.players.get(player).map_or(String::new(), |player| player.name.clone())
    }

    /// Applies an event.
    pub(crate) fn apply(&mut self, event: Event) {
        match event {
            Event::Moved { ply, position, players, thinking } => {
                self.plies.truncate(ply.ply as usize);
                self.plies.push(ply);
                self.position = position;
                self.thinking = thinking;
                self.undo_request = None;
                self.set_clocks(players);
            }
            Event::Undone { plies, position, players, thinking } => {
                let left = self.plies.len().saturating_sub(plies as usize);
                self.plies.truncate(left);
                self.position = position;
                self.thinking = thinking;
                (self.draw_offered_by, self.undo_request) = (None, None);
                self.set_clocks(players);
            }
            Event::UndoRequested { player, plies } => {
                self.undo_request = Some(UndoRequest { player, plies });
            }
            Event::UndoDeclined { .. } => self.undo_request = None,
            Event::Refused { player, r#move, reason, .. } => {
                let text = messages::refusal_of(self.name(player), r#move, reason);
                self.log("refused", text);
            }
            Event::Faulted { player, sentence, .. } => {
                let text = messages::fault_of(self.name(player), sentence);
                self.log("fault", text);
            }
            Event::DrawOffered { player } => self.draw_offered_by = Some(player),
            Event::DrawDeclined { .. } => self.draw_offered_by = None,
            Event::Swapped { players } => {
                for update in players {
                    if let Some(player) = self.players.get_mut(update.player) {
                        player.side_name = update.side_name;
                    }
                }
            }
            Event::Paused { players } => {
                self.state = State::Paused;
                self.set_clocks(players);
            }
            Event::Resumed { players } => {
                self.state = State::Playing;
                self.set_clocks(players);
            }
            Event::Began { position, players, state } => {
                (self.position, self.state) = (position, state);
                // A bout that is resumed begins without offers and requests.
                (self.draw_offered_by, self.undo_request) = (None, None);
                // Connection states come from presence events only, which are ordered.
                let known = std::mem::replace(&mut self.players, players);
                for (player, known) in self.players.iter_mut().zip(known) {
                    player.state = known.state;
                }
                self.clocks_at = Instant::now();
                let to_move = |player: &&Player| player.seats.contains(&self.position.to_move);
                self.thinking = self.players.iter().find(to_move).map(|player| player.player);
            }
            Event::Seated { player, name, kind, engine } => {
                if let Some(seat) = self.players.get_mut(player) {
                    (seat.name, seat.kind, seat.engine) = (name, kind, engine);
                    seat.chooses_name = false;
                }
            }
            Event::Ended { result, players, .. } => {
                self.state = State::Over;
                self.result = Some(result);
                (self.thinking, self.draw_offered_by, self.undo_request) = (None, None, None);
                self.set_clocks(players);
            }
            Event::Thinking { player, players } => {
                self.thinking = Some(player);
                self.set_clocks(players);
            }
            Event::Log { at_ply, kind, text, .. } => self.log_at(at_ply, kind, text),
            Event::Presence { players, spectators } => {
                self.spectators = spectators;
                for update in players {
                    self.set_presence(update.player, update.state);
                }
            }
            Event::Rematch { .. }
            | Event::Line { .. }
            | Event::Hint { .. }
            | Event::Ack { .. }
            | Event::Error { .. }
            | Event::Pong { .. } => (),
        }
    }

    fn set_presence(&mut self, player: usize, state: Presence) {
        let Some(seat) = self.players.get_mut(player) else { return };
        let was = std::mem::replace(&mut seat.state, state);
        let Some(absent_at) = self.absent_at.get_mut(player) else { return };
        match state {
            Presence::Open | Presence::Present => *absent_at = None,
            Presence::Absent | Presence::Gone => {
                absent_at.get_or_insert_with(Instant::now);
            }
        }
        let text = match state {
            _ if was == state => return,
            Presence::Open => return,
            Presence::Present => messages::has_joined(self.name(player)),
            Presence::Absent => messages::lost_the_connection(self.name(player)),
            Presence::Gone => messages::not_returned(self.name(player)),
        };
        self.log("presence", text);
    }
}
