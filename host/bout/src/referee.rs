//! The referee: one bout as a pure state machine. Timestamped [`Event`]s go in, [`Command`]s come
//! out. Every driver of bouts (terminal, arena, server, contest, replay) uses it, so the rules for
//! clocks, illegal moves and faults exist once.
//!
//! Invariant: it never blocks or panics, reads no clock, starts no thread and does no I/O. It
//! trusts no answer: moves go through the checked rules, and texts are cut and sanitized. Engine
//! time is measured where the engine runs ([`Usage`]). The referee's own reading of the event
//! times counts for people, and as a guard against an engine whose reading is far too small.
//!
//! Design decisions:
//! - **Pause** stops an engine that is thinking. Its answer is held back, judged on resume, and
//!   charged with what it spent. A request whose call has not begun is repeated on resume. An
//!   engine that ignores the stop is killed, restarted, and gets a new request on resume.
//! - **Undo** stops an engine that is thinking. Its answer is rejected as
//!   [`Rejection::NoSuchCall`], and its time is not charged.
//! - **Pondering** starts with every request to another player, and ends before anything is sent
//!   to the engine: see `pondering.rs`.
//! - **A stale timeout** (of a call that was given up) costs the engine its instance only. Every
//!   other fault loses the bout, in turn or out of turn.
//! - **An early end** by [`Adjudication`] comes after a move and before the ply limit: first the
//!   result of perfect play, then the scores. It is computed from the moves that stand, so
//!   undone moves have no influence.
//! - **After the end** nothing can be undone. A new bout can start from the record.

mod adjudication;
mod early_end;
mod events;
mod judgement;
mod messages;
mod pondering;
mod result;
mod setup;
mod steps;
mod viewer;

use std::sync::Arc;

use sandboard_abi::limits::LABEL_BYTES;
use sandboard_abi::{Barred, Limits, Line, Setup};
use sandboard_engine::{ChooseResponse, Usage};
use sandboard_games::{DynGame, Seat, Side};

pub use adjudication::{Adjudication, AdjudicationError, DrawRule, ResignRule, WinRule};
pub use messages::{Command, Event, EventKind, EventRecord, MoveOrigin, Notice, Rejection};
pub use pondering::PonderingTime;
pub use result::{AdjudicationRule, BoutResult, Termination};
pub use setup::{
    BoutSettings, BoutSetupError, MOVE_GUARD_US, PlayerKind, PlayerSetup, TimeoutPolicy,
};
pub use viewer::Viewer;

use crate::clock::Clock;
use crate::start::StartPosition;
use crate::text::sanitize;

/// The state of one bout; see the [module](self).
pub struct Referee {
    game: Box<dyn DynGame>,
    settings: BoutSettings,
    /// The player of each seat.
    seat_owners: Vec<usize>,
    players: Vec<PlayerState>,
    /// The source of all chance.
    seed: u64,
    plies: Vec<Ply>,
    /// The moves of the current step that are chosen, but not played: other seats of the step have
    /// not chosen yet.
    step: Vec<Ply>,
    /// For each ply, the mover's clock before its first request.
    clocks_before: Vec<Clock>,
    pondering: pondering::PonderState,
    events: Vec<EventRecord>,
    side_names: Vec<&'static str>,
    turn: Option<Turn>,
    /// The number of the last call.
    last_call: u64,
    /// What the next request has used before it begins, in microseconds.
    carried_us: u64,
    draw_offer: Option<DrawOffer>,
    /// Adjudication is set and only engines play.
    may_end_early: bool,
    /// The call under which the position is being solved to end the bout.
    solving: Option<u64>,
    started: bool,
    restored: bool,
    paused: bool,
    timer_set: bool,
    now_us: u64,
    result: Option<BoutResult>,
}

struct PlayerState {
    setup: PlayerSetup,
    side: Side,
    clock: Clock,
    /// Pondering since its last move.
    pondering: PonderingTime,
    /// The time of slow stops, in the clock's unit; charged to its next move.
    owed: u64,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The seat that moved; none: chance.
    pub seat: Option<u8>,
    /// The index of the player that moved; none: chance.
    pub player: Option<usize>,
    /// The canonical move text.
    pub mv: Arc<str>,
    /// How each player, and last a spectator, saw the move; none: all saw the whole text.
    pub seen: Option<SeenMove>,
    /// The usage of the call that returned the move; only the wall time for people.
    pub spent: Usage,
    /// The mover's clock after the move.
    pub clock: Clock,
    /// The line behind the move, cut and sanitized.
    pub line: Option<Box<Line>>,
    /// Set if the move was not chosen in the usual way.
    pub origin: Option<MoveOrigin>,
    /// A draw was offered with the move.
    pub offers_draw: bool,
    /// The mover's pondering since its previous move; none: it did not ponder.
    pub pondering: Option<Box<PonderingTime>>,
}

/// How each player, and last a spectator, saw a move; none: it was not noticed.
pub type SeenMove = Box<[Option<Arc<str>>]>;

struct DrawOffer {
    by: usize,
    /// The other side knows of the offer: its next move declines it.
    seen: bool,
}

/// The move that is being requested.
struct Turn {
    player: usize,
    seat: Seat,
    /// Other seats decide at the same time.
    is_shared: bool,
    call: u64,
    /// The limits of the current request.
    limits: Limits,
    /// The clock before the first request.
    clock_before: Clock,
    /// When the current request began; none while paused.
    since_us: Option<u64>,
    /// What the current request used before it was paused.
    used_us: u64,
    /// An answer is outstanding.
    running: bool,
    /// The driver has started the call.
    call_begun: bool,
    requests_left: u32,
    barred: Vec<Barred>,
    /// An engine's answer during a pause, and the moves that it reported.
    held: Option<(ChooseResponse, Vec<String>)>,
}

impl Turn {
    fn elapsed_us(&self, now_us: u64) -> u64 {
        let running = self.since_us.map_or(0, |since| now_us.saturating_sub(since));
        self.used_us.saturating_add(running)
    }
}

impl Referee {
    /// A bout that starts from the current position of `game`. Earlier moves of `game` count for
    /// its rules, such as repetition, but are not part of the bout and cannot be undone. Outcomes
    /// of chance are drawn from `seed`. Settings that the game does not allow (undo, draw offers)
    /// are set to false. Err: players, seats or settings do not fit.
    pub fn new(
        game: Box<dyn DynGame>,
        players: Vec<PlayerSetup>,
        settings: BoutSettings,
        seed: u64,
    ) -> Result<Self, BoutSetupError> {
        let settings = settings.for_game(game.info(), &game.variant());
        let seat_owners = setup::seat_owners(game.as_ref(), &players, &settings)?;
        let player = |setup: PlayerSetup| PlayerState {
            side: game.side(Seat(setup.seats.first().copied().unwrap_or(0))),
            clock: Clock::new(setup.budget),
            pondering: PonderingTime::default(),
            owed: 0,
            setup: PlayerSetup { name: sanitize(&setup.name, LABEL_BYTES), ..setup },
        };
        let players: Vec<PlayerState> = players.into_iter().map(player).collect();
        let pondering = pondering::PonderState::new(&players);
        let side_names = side_names(game.as_ref());
        let engines_only = players.iter().all(|it| it.setup.kind == PlayerKind::Engine);
        Ok(Self {
            may_end_early: engines_only && !settings.adjudication.is_none(),
            solving: None,
            game,
            settings,
            seat_owners,
            players,
            seed,
            plies: Vec::new(),
            step: Vec::new(),
            clocks_before: Vec::new(),
            pondering,
            events: Vec::new(),
            side_names,
            turn: None,
            last_call: 0,
            carried_us: 0,
            draw_offer: None,
            started: false,
            restored: false,
            paused: false,
            timer_set: false,
            now_us: 0,
            result: None,
        })
    }

    /// Plays the moves of an earlier session, so that [`Event::Begin`] continues from there.
    /// Seats and players of `plies` are set again by the rules of the game. New events are added
    /// to `events`; `turn_us` is what the player to move had already used of its move.
    pub fn restore(
        &mut self,
        plies: Vec<Ply>,
        events: Vec<EventRecord>,
        turn_us: u64,
    ) -> Result<(), BoutSetupError> {
        for (index, ply) in plies.into_iter().enumerate() {
            let restored = self.restore_ply(ply);
            restored.map_err(|reason| BoutSetupError::Restore { ply: index, reason })?;
        }
        if !self.step.is_empty() {
            let (ply, reason) = (self.plies.len(), "other seats of its step did not move".into());
            return Err(BoutSetupError::Restore { ply, reason });
        }
        self.side_names = self.current_side_names();
        self.events = events;
        self.carried_us = turn_us;
        self.restored = true;
        Ok(())
    }

    /// What [`restore`](Self::restore) needs to continue this bout: its moves and events.
    pub(crate) fn into_history(self) -> (Vec<Ply>, Vec<EventRecord>) {
        (self.plies, self.events)
    }

    /// The game in its current position.
    pub fn game(&self) -> &dyn DynGame {
        self.game.as_ref()
    }

    /// The number of players.
    pub fn player_count(&self) -> usize {
        self.players.len()
    }

    /// The setup of a player.
    pub fn player(&self, player: usize) -> Option<&PlayerSetup> {
        self.players.get(player).map(|player| &player.setup)
    }

    /// The side of a player.
    pub fn side(&self, player: usize) -> Option<Side> {
        self.players.get(player).map(|player| player.side)
    }

    /// A player's clock at its last request; [`thinking_us`](Self::thinking_us) has what it has
    /// used since.
    pub fn clock(&self, player: usize) -> Option<&Clock> {
        self.players.get(player).map(|player| &player.clock)
    }

    /// What `player` has used of its current request, in microseconds; 0 if it has none.
    pub fn thinking_us(&self, player: usize, now_us: u64) -> u64 {
        let turn = self.turn.as_ref().filter(|turn| turn.player == player && turn.running);
        turn.map_or(0, |turn| turn.elapsed_us(now_us))
    }

    /// What `player` would be charged for its current request in wall time, in microseconds.
    pub fn charged_us(&self, player: usize, now_us: u64) -> u64 {
        self.thinking_us(player, now_us).saturating_sub(self.free_us(player))
    }

    /// How long `player` may think in wall time before the current request is charged, in
    /// microseconds: for the first move of a person.
    pub fn free_us(&self, player: usize) -> u64 {
        let has_moved = || self.plies.iter().any(|ply| ply.player == Some(player));
        if self.is_engine(player) || has_moved() { 0 } else { self.settings.first_move_us }
    }

    /// The settings of the bout.
    pub fn settings(&self) -> &BoutSettings {
        &self.settings
    }

    /// The moves so far, without undone ones.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The events so far other than moves.
    pub fn events(&self) -> &[EventRecord] {
        &self.events
    }

    /// The player to move, and its call if an answer is outstanding.
    pub fn to_move(&self) -> Option<(usize, Option<u64>)> {
        let turn = self.turn.as_ref().filter(|_| self.result.is_none())?;
        Some((turn.player, turn.running.then_some(turn.call)))
    }

    /// Whether a driver should carry out the [`Command::RequestMove`] of this call now. False: the
    /// call was given up, or the bout is paused and the command will be repeated on resume.
    pub fn is_call_due(&self, call: u64) -> bool {
        self.result.is_none()
            && self
                .turn
                .as_ref()
                .is_some_and(|turn| turn.running && turn.call == call && !self.is_postponed(turn))
    }

    /// Whether a pause came before the driver started the engine call of this turn.
    fn is_postponed(&self, turn: &Turn) -> bool {
        self.paused && !turn.call_begun && self.is_engine(turn.player)
    }

    /// Whether the bout is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The player whose draw offer is open.
    pub fn draw_offered_by(&self) -> Option<usize> {
        self.draw_offer.as_ref().map(|offer| offer.by)
    }

    /// The result; none: the bout is not finished.
    pub fn result(&self) -> Option<&BoutResult> {
        self.result.as_ref()
    }

    /// The setup of a fresh instance of a player, with the moves before the bout and its first
    /// `plies` moves as the player has seen them. In a game with hidden information the bout's
    /// `start` is not sent. Fields of the engine (seed, options, memory, threads) have their
    /// defaults.
    pub(crate) fn engine_setup(&self, start: &StartPosition, player: usize, plies: usize) -> Setup {
        let plies = self.plies.iter().take(plies);
        let own = plies.filter_map(|ply| ply.text_for(Viewer::Player(player)));
        let (position, earlier) = match self.has_hidden_information() {
            true => (None, [].as_slice()),
            false => (start.position.clone(), start.moves.as_slice()),
        };
        let moves: Vec<&str> = earlier.iter().map(String::as_str).chain(own).collect();
        let seats = self.players.get(player).map(|it| it.setup.seats.clone()).unwrap_or_default();
        Setup {
            game: self.game.info().id.into(),
            variant: self.game.variant().text(),
            start: position.unwrap_or_default(),
            moves: moves.join(" "),
            seats,
            seed: 0,
            options: Vec::new(),
            memory_bytes: 0,
            threads: 1,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        }
    }

    fn owner(&self, seat: Seat) -> Option<usize> {
        self.seat_owners.get(usize::from(seat.0)).copied()
    }

    fn current_side_names(&self) -> Vec<&'static str> {
        side_names(self.game.as_ref())
    }

    fn has_hidden_information(&self) -> bool {
        self.game.info().features.hidden_information
    }

    fn is_engine(&self, player: usize) -> bool {
        self.players.get(player).is_some_and(|player| player.setup.kind == PlayerKind::Engine)
    }

    fn engines(&self) -> impl Iterator<Item = usize> + use<> {
        let engines: u64 = (0..self.players.len().min(64))
            .filter(|player| self.is_engine(*player))
            .fold(0, |set, player| set | 1 << player);
        (0..64).filter(move |player| engines >> player & 1 == 1)
    }

    /// The limits of the next request to `player`.
    fn limits(&self, player: usize) -> Limits {
        let mut limits = self.players[player].clock.limits(self.settings.grace);
        let side = self.players[player].side;
        for (index, other) in self.players.iter().enumerate() {
            if index == player || other.clock.budget().unit() != limits.unit {
                continue;
            }
            if let Some(left) = other.clock.left() {
                let left = left.max(0).unsigned_abs();
                limits.others_left.extend(other.setup.seats.iter().map(|seat| (*seat, left)));
            }
        }
        let from_opponent = |offer: &DrawOffer| self.players[offer.by].side != side;
        limits.draw_offered = self.draw_offer.as_ref().is_some_and(from_opponent);
        self.subtract_owed(player, &mut limits);
        limits
    }
}

/// The current names of the sides that have a seat.
fn side_names(game: &dyn DynGame) -> Vec<&'static str> {
    (0..game.sides().len() as u8).map(|side| game.side_name(Side(side))).collect()
}

#[cfg(test)]
pub(crate) mod counting_game;
#[cfg(test)]
pub(crate) mod guessing_game;
#[cfg(test)]
mod tests;
