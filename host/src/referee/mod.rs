//! The referee: one bout as a pure state machine. Timestamped [`Event`]s go in,
//! [`Command`]s come out; terminal, arena, server and contest are drivers
//! around it, so that rules, clocks, refusals and faults exist once.
//!
//! It never blocks, never panics, reads no clock, does no I/O, and believes no
//! answer: moves go through the checked rules, texts are cut and cleared. Time
//! is taken where an engine runs ([`Spent`]); the
//! referee's own reading of its events counts for people, and as a guard
//! against an engine whose reading is far too small.
//!
//! Decisions that a reader may wonder about:
//! - **Pause** stops the call of an engine that thinks. Its answer is held back
//!   and judged on resume, charged with what it spent. One that does not stop
//!   and is killed is started afresh, and asked anew on resume.
//! - **Undo** while an engine thinks stops that call, too; its late answer is
//!   rejected as [`Rejection::NotAsked`], and what it spent is not charged.
//! - **Thinking on the opponents' time** begins with every request to somebody else, and ends
//!   before anything is said to the engine: see `pondering`.
//! - **A stale timeout** (of a call that was given up) costs the engine nothing
//!   but its instance; every other fault loses, in turn or out of turn.
//! - **An early end** of a bout of engines by its [`Adjudication`] comes after a move, before the limit
//!   of plies: what perfect play gives first, then what both sides say. It is found out from the
//!   moves that stand, so that undone ones leave no trace.
//! - **After the end** nothing is undone: another bout starts from the record.

mod adjudication;
mod handle;
mod judge;
mod pondering;
mod result;
mod settling;
mod setup;
mod texts;
mod words;

use std::sync::Arc;

use sandboard_abi::limits::LABEL_BYTES;
use sandboard_abi::{Barred, Limits, Line};
use sandboard_games::{DynGame, Seat, Side};

pub use adjudication::{ADJUDICATION_FORMS, Adjudication, AdjudicationError, DrawRule, WinRule};
pub use pondering::Pondered;
pub use result::{Adjudicator, BoutResult, Termination};
pub use setup::{OnTimeout, PlayerKind, PlayerSetup, PlayersError, Settings};
pub(crate) use texts::{LINE_KEPT_BYTES, tidy};
pub use words::{Command, Event, Incident, Mark, Notice, Rejection, What};

use crate::clock::Clock;
use crate::engine::Spent;

/// One bout; see the [module](self).
pub struct Referee {
    game: Box<dyn DynGame>,
    settings: Settings,
    owners: Vec<usize>,
    players: Vec<Player>,
    plies: Vec<Ply>,
    thinking: pondering::Thinking,
    incidents: Vec<Incident>,
    side_names: [&'static str; 2],
    turn: Option<Turn>,
    next_call: u64,
    carried_us: u64,
    offer: Option<Offer>,
    /// It may end early: the settings say so, and no person plays.
    adjudicates: bool,
    /// The call under which the position is being solved for its end.
    settling: Option<u64>,
    begun: bool,
    reloaded: bool,
    paused: bool,
    armed: bool,
    now_us: u64,
    result: Option<BoutResult>,
}

struct Player {
    setup: PlayerSetup,
    side: Side,
    clock: Clock,
    /// Since its last move.
    pondered: Pondered,
    /// For slow stops, in the clock's unit; charged to its next move.
    owed: u64,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The seat that moved.
    pub seat: u8,
    /// The player that moved.
    pub player: usize,
    /// The canonical text.
    pub mv: Arc<str>,
    /// What the call that brought it took.
    pub spent: Spent,
    /// The clock before the first request for this move.
    pub before: Clock,
    /// The clock after the move.
    pub after: Clock,
    /// The line behind it, cut and cleared.
    pub line: Option<Box<Line>>,
    /// Set where it was not simply chosen.
    pub mark: Option<Mark>,
    /// A draw was offered with it.
    pub offers_draw: bool,
    /// What the mover had spent on its opponents' time before it; none: nothing.
    pub pondered: Option<Box<Pondered>>,
}

/// A move of an earlier session, from which a bout goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct PastPly {
    /// The move.
    pub mv: String,
    /// What it had taken.
    pub spent: Spent,
    /// The mover's clock after it, where the budget has a clock of the game.
    pub left: Option<i64>,
    /// The line behind it.
    pub line: Option<Box<Line>>,
    /// Set where it was not simply chosen.
    pub mark: Option<Mark>,
    /// A draw was offered with it.
    pub offers_draw: bool,
    /// What the mover had spent on its opponents' time before it.
    pub pondered: Option<Box<Pondered>>,
}

struct Offer {
    by: usize,
    heard: bool,
}

/// The move that is being asked for.
struct Turn {
    player: usize,
    seat: Seat,
    call: u64,
    /// The clock before the first request.
    before: Clock,
    /// Since when the request runs; none while paused.
    since_us: Option<u64>,
    /// What the request took before it was paused.
    used_us: u64,
    /// An answer is to come.
    running: bool,
    /// The call has begun.
    begun: bool,
    requests_left: u32,
    barred: Vec<Barred>,
    held: Option<judge::Held>,
}

impl Turn {
    fn elapsed_us(&self, now_us: u64) -> u64 {
        let running = self.since_us.map_or(0, |since| now_us.saturating_sub(since));
        self.used_us.saturating_add(running)
    }
}

impl Referee {
    /// A bout of `game` as it stands; moves made in it before are not part of
    /// the bout. Err: players and seats do not fit each other.
    pub fn new(
        game: Box<dyn DynGame>,
        players: Vec<PlayerSetup>,
        settings: Settings,
    ) -> Result<Self, PlayersError> {
        let owners = setup::owners(game.as_ref(), &players, &settings)?;
        let player = |setup: PlayerSetup| Player {
            side: game.side(Seat(setup.seats.first().copied().unwrap_or(0))),
            clock: Clock::new(setup.budget),
            pondered: Pondered::default(),
            owed: 0,
            setup: PlayerSetup { name: tidy(&setup.name, LABEL_BYTES), ..setup },
        };
        let players: Vec<Player> = players.into_iter().map(player).collect();
        let thinking = pondering::Thinking::of(&players);
        let side_names = [game.side_name(Side(0)), game.side_name(Side(1))];
        let engines_alone = players.iter().all(|it| it.setup.kind == PlayerKind::Engine);
        Ok(Self {
            adjudicates: engines_alone && !settings.adjudication.is_none(),
            settling: None,
            game,
            settings,
            owners,
            players,
            plies: Vec::new(),
            thinking,
            incidents: Vec::new(),
            side_names,
            turn: None,
            next_call: 0,
            carried_us: 0,
            offer: None,
            begun: false,
            reloaded: false,
            paused: false,
            armed: false,
            now_us: 0,
            result: None,
        })
    }

    /// Plays the moves of an earlier session, so that [`Event::Begin`] goes on
    /// from there. `incidents` are kept in front of new ones; `turn_us` is what
    /// the player to move had already used of its move.
    pub fn reload(
        &mut self,
        past: Vec<PastPly>,
        incidents: Vec<Incident>,
        turn_us: u64,
    ) -> Result<(), PlayersError> {
        let mut made = vec![0; self.players.len()];
        for (ply, past) in past.into_iter().enumerate() {
            let seat = self.game.to_move();
            let wrong = |reason: String| PlayersError::Replay { ply, reason };
            let player = self.owner(seat).ok_or_else(|| wrong("nobody is to move".into()))?;
            let mv = self.game.play(&past.mv).map_err(|refusal| wrong(refusal.to_string()))?;
            let before = self.players[player].clock;
            made[player] += 1;
            let after = Clock::after(*before.budget(), past.left, made[player]);
            self.players[player].clock = after;
            let PastPly { spent, line, mark, offers_draw, pondered, .. } = past;
            let (seat, mv) = (seat.0, mv.into());
            self.plies.push(Ply {
                seat,
                player,
                mv,
                spent,
                before,
                after,
                line,
                mark,
                offers_draw,
                pondered,
            });
        }
        self.side_names = self.names_now();
        self.incidents = incidents;
        self.carried_us = turn_us;
        self.reloaded = true;
        Ok(())
    }

    /// What [`reload`](Self::reload) takes to go on from here: the moves, and what
    /// happened beside them.
    pub fn into_past(self) -> (Vec<PastPly>, Vec<Incident>) {
        let past = |ply: Ply| PastPly {
            mv: ply.mv.to_string(),
            spent: ply.spent,
            left: ply.after.left(),
            line: ply.line,
            mark: ply.mark,
            offers_draw: ply.offers_draw,
            pondered: ply.pondered,
        };
        (self.plies.into_iter().map(past).collect(), self.incidents)
    }

    /// The game as it stands.
    pub fn game(&self) -> &dyn DynGame {
        self.game.as_ref()
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        self.players.len()
    }

    /// A player as it was set up.
    pub fn player(&self, player: usize) -> Option<&PlayerSetup> {
        self.players.get(player).map(|player| &player.setup)
    }

    /// The side of a player.
    pub fn side(&self, player: usize) -> Option<Side> {
        self.players.get(player).map(|player| player.side)
    }

    /// A player's clock as it stood when its move was last asked for; see
    /// [`thinking_us`](Self::thinking_us).
    pub fn clock(&self, player: usize) -> Option<&Clock> {
        self.players.get(player).map(|player| &player.clock)
    }

    /// What `player` has used of the request in progress; 0 when it is not asked.
    pub fn thinking_us(&self, player: usize, now_us: u64) -> u64 {
        let turn = self.turn.as_ref().filter(|turn| turn.player == player && turn.running);
        turn.map_or(0, |turn| turn.elapsed_us(now_us))
    }

    /// The settings of the bout.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The moves so far.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// What happened beside the moves.
    pub fn incidents(&self) -> &[Incident] {
        &self.incidents
    }

    /// The player that is to move, and its call where one is in progress.
    pub fn to_move(&self) -> Option<(usize, Option<u64>)> {
        let turn = self.turn.as_ref().filter(|_| self.result.is_none())?;
        Some((turn.player, turn.running.then_some(turn.call)))
    }

    /// Whether this call still is to be answered.
    pub fn asked(&self, call: u64) -> bool {
        self.result.is_none()
            && self.turn.as_ref().is_some_and(|turn| turn.running && turn.call == call)
    }

    /// Whether the bout has begun and is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The player whose offer of a draw stands.
    pub fn draw_offered_by(&self) -> Option<usize> {
        self.offer.as_ref().map(|offer| offer.by)
    }

    /// The result, once there is one.
    pub fn result(&self) -> Option<&BoutResult> {
        self.result.as_ref()
    }

    fn owner(&self, seat: Seat) -> Option<usize> {
        self.owners.get(usize::from(seat.0)).copied()
    }

    fn names_now(&self) -> [&'static str; 2] {
        [self.game.side_name(Side(0)), self.game.side_name(Side(1))]
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
        for (other, them) in self.players.iter().enumerate() {
            if other == player || them.clock.budget().unit() != limits.unit {
                continue;
            }
            if let Some(left) = them.clock.left() {
                let left = left.max(0).unsigned_abs();
                limits.others_left.extend(them.setup.seats.iter().map(|seat| (*seat, left)));
            }
        }
        let offered = |offer: &Offer| self.players[offer.by].side != side;
        limits.draw_offered = self.offer.as_ref().is_some_and(offered);
        self.less_owed(player, &mut limits);
        limits
    }
}

#[cfg(test)]
pub(crate) mod counting;
#[cfg(test)]
mod tests;
