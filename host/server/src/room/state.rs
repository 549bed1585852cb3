//! The state that a room's sockets and its bout share: tickets, connections, pending messages.
//! Plain values under the room's lock; the sibling modules act on them.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::plan::Plan;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::rate_limit::{MESSAGE_RATE, TokenBucket};
use crate::wire::{Event, Presence, UndoRequest};
use sandboard_bout::driver::{EnginePlayer, InputSender};
use sandboard_bout::record::Record;

/// How many answers are kept for each ticket, for messages that arrive twice.
const ANSWERS: usize = 128;
/// How many messages of one ticket the bout may have to answer.
pub(super) const PENDING_MAX: usize = 32;

/// How far a room has come.
pub(crate) enum RoomPhase {
    /// A player has not joined yet.
    Waiting,
    /// The bout was restored from the store, and its players have not all returned.
    Suspended(Box<Record>),
    /// The bout is running on its thread.
    Playing,
    /// The bout is over.
    Over,
}

/// The right to act for a player, or for the room.
#[derive(Debug)]
pub(crate) struct Ticket {
    /// The SHA-256 of the secret in hexadecimal: the stored hash does not let anyone act.
    pub sha256: String,
    /// The player it is for; none: the room as a whole.
    pub player: Option<usize>,
    /// How many messages its holder may still send, over all sockets.
    messages: TokenBucket,
    /// Message ids and their results; none: no result yet.
    answers: VecDeque<(Box<str>, Option<MessageResult>)>,
}

/// The result of a message, stored compactly: a room keeps hundreds.
#[derive(Debug)]
enum MessageResult {
    Done,
    /// The kind and detail of the problem.
    Refused(Box<(&'static str, String)>),
}

/// The connection of a player.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Whether the player is a person.
    pub person: bool,
    /// The connection state.
    pub state: Presence,
    /// The number of open sockets.
    pub sockets: u32,
    /// Incremented whenever the player connects or disconnects, so that an outdated timer does
    /// nothing.
    pub epoch: u64,
    /// The ply for which the grace period was used.
    pub grace_ply: Option<u32>,
}

/// A message that the bout has not answered, and the kind of problem if it is refused.
pub(crate) struct PendingMessage {
    pub ticket: usize,
    pub id: String,
    pub refusal: ProblemKind,
}

/// How far the bout is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoutProgress {
    /// The number of plies.
    pub plies: u32,
    /// The player who is asked for a move.
    pub to_move: Option<usize>,
}

/// The shared state of a room; see the [module](self).
pub(crate) struct RoomState {
    pub plan: Plan,
    /// The number of the game's sides; seats belong to them in turn.
    pub sides: u8,
    pub phase: RoomPhase,
    pub tickets: Vec<Ticket>,
    pub connections: Vec<Connection>,
    pub spectators: u32,
    pub progress: BoutProgress,
    /// Sends events to the bout.
    pub input: Option<InputSender>,
    /// Messages that the bout has not answered, by number.
    pub pending: HashMap<u64, PendingMessage>,
    pub next_number: u64,
    pub undo_request: Option<UndoRequest>,
    /// The absent player for whom the clock is held, and the epoch of the timer.
    pub clock_hold: Option<(usize, u64)>,
    /// Whether to pause again after the next ply.
    pub stepping: bool,
    /// Whether a player has paused the bout. It survives a restart.
    pub paused: bool,
    /// Whether an engine is being loaded, to replace a player.
    pub loading_engine: bool,
    /// The player to replace when the bout has stopped, and the engine.
    pub pending_engine: Option<(usize, EnginePlayer)>,
    /// The room of the rematch.
    pub rematch: Option<String>,
}

impl Ticket {
    /// Creates a ticket with this secret.
    pub(crate) fn new(secret: &str, player: Option<usize>) -> Self {
        Self::stored(digest(secret), player)
    }

    /// Creates a ticket from its secret's hash.
    pub(crate) fn stored(sha256: String, player: Option<usize>) -> Self {
        let messages = TokenBucket::new(MESSAGE_RATE, Instant::now());
        Self { sha256, player, messages, answers: VecDeque::new() }
    }

    /// Takes a message from the rate of the ticket. Returns false if there are too many.
    pub(crate) fn take_message(&mut self, now: Instant) -> bool {
        self.messages.take(now)
    }

    /// Registers a message id. Returns the result if the id is known; none: it is new.
    pub(crate) fn register_message(&mut self, id: &str) -> Option<Option<Event>> {
        if let Some((_, result)) = self.answers.iter().find(|(known, _)| **known == *id) {
            let id = id.to_owned();
            return Some(result.as_ref().map(|result| match result {
                MessageResult::Done => Event::Ack { id },
                MessageResult::Refused(why) => {
                    let (kind, detail) = (why.0, why.1.clone());
                    let message = crate::wire::Message::of(&detail);
                    Event::Error { id, kind, detail, message }
                }
            }));
        }
        if self.answers.len() == ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back((id.into(), None));
        None
    }

    /// Stores the result of a message.
    pub(crate) fn record_result(&mut self, id: &str, answer: &Event) {
        if let Some((_, kept)) = self.answers.iter_mut().find(|(known, _)| **known == *id) {
            *kept = Some(match answer {
                Event::Error { kind, detail, .. } => {
                    MessageResult::Refused((*kind, detail.clone()).into())
                }
                _ => MessageResult::Done,
            });
        }
    }
}

/// Returns the SHA-256 of a secret, in hexadecimal.
pub(crate) fn digest(secret: &str) -> String {
    sandboard_common::hex::hex(&Sha256::digest(secret.as_bytes()))
}

impl RoomState {
    /// Notes that an engine is loaded for this room. Fails if another one is.
    pub(crate) fn begin_engine_load(&mut self) -> ApiResult<()> {
        if std::mem::replace(&mut self.loading_engine, true) {
            let detail = crate::messages::ENGINE_IS_LOADING;
            return Err(Problem::new(ProblemKind::TooMany, detail));
        }
        Ok(())
    }

    /// Creates the state of a room without sockets, whose game has two sides.
    pub(crate) fn new(plan: Plan, tickets: Vec<Ticket>, phase: RoomPhase, joined: &[bool]) -> Self {
        let has_joined = |index| joined.get(index).copied().unwrap_or(false);
        let connection = |(index, player): (usize, &super::plan::PlannedPlayer)| Connection {
            person: player.engine.is_none(),
            state: match player.engine {
                Some(_) => Presence::Present,
                None if has_joined(index) => Presence::Absent,
                None => Presence::Open,
            },
            sockets: 0,
            epoch: 0,
            grace_ply: None,
        };
        Self {
            connections: plan.players.iter().enumerate().map(connection).collect(),
            plan,
            sides: 2,
            phase,
            tickets,
            spectators: 0,
            progress: BoutProgress::default(),
            input: None,
            pending: HashMap::new(),
            next_number: 0,
            undo_request: None,
            clock_hold: None,
            stepping: false,
            paused: false,
            loading_engine: false,
            pending_engine: None,
            rematch: None,
        }
    }

    /// Returns the ticket with this secret.
    pub(crate) fn find_ticket(&self, secret: &str) -> Option<usize> {
        self.find_ticket_by_hash(&digest(secret))
    }

    /// Returns the ticket whose secret has this hash.
    pub(crate) fn find_ticket_by_hash(&self, sha256: &str) -> Option<usize> {
        self.tickets.iter().position(|ticket| ticket.sha256 == sha256)
    }

    /// Returns the player of a ticket.
    pub(crate) fn player(&self, ticket: usize) -> Option<usize> {
        self.tickets.get(ticket).and_then(|ticket| ticket.player)
    }

    /// Returns the ticket of a player.
    pub(crate) fn ticket_of(&self, player: usize) -> Option<usize> {
        self.tickets.iter().position(|ticket| ticket.player == Some(player))
    }

    /// Returns whether a ticket is the host's, or that of a person who plays only against engines.
    /// What the host may do to a game against another person is less: see
    /// [`has_opponent`](Self::has_opponent).
    pub(crate) fn is_host(&self, ticket: usize) -> bool {
        let player = self.player(ticket);
        let alone = self.connections.iter().filter(|connection| connection.person).count() <= 1;
        !self.plan.quick_game && (player == self.plan.host || player.is_none())
            || alone && player.is_some()
    }

    /// Returns whether a person who is not gone plays against the player of a ticket. Neither may
    /// then pause the game, and neither may abort it once both have moved.
    pub(crate) fn has_opponent(&self, ticket: usize) -> bool {
        self.player(ticket).is_some_and(|player| self.opponents(player).next().is_some())
    }

    /// Returns the persons who are not gone and play against a player.
    pub(crate) fn opponents(&self, player: usize) -> impl Iterator<Item = usize> {
        let is_opponent = move |it: &usize| *it != player && !self.same_side(*it, player);
        let is_here =
            |connection: &Connection| connection.person && connection.state != Presence::Gone;
        let here = self.connections.iter().enumerate().filter(move |(_, it)| is_here(it));
        here.map(|(it, _)| it).filter(is_opponent)
    }

    /// Returns whether a ticket may close the room before its bout has begun: the host's, and that
    /// of a person who waits for a quick game.
    pub(crate) fn may_close(&self, ticket: usize) -> bool {
        self.is_host(ticket) || self.plan.quick_game && self.player(ticket).is_some()
    }

    /// Returns whether all persons have joined.
    pub(crate) fn all_players_joined(&self) -> bool {
        self.connections.iter().all(|connection| connection.state != Presence::Open)
    }

    /// Returns how many persons have not joined yet.
    pub(crate) fn open_seats(&self) -> usize {
        self.connections.iter().filter(|connection| connection.state == Presence::Open).count()
    }

    /// Returns whether a player has neither a move limit nor a game clock.
    pub(crate) fn is_untimed(&self, player: usize) -> bool {
        self.plan
            .players
            .get(player)
            .is_some_and(|it| it.budget.per_move().is_none() && it.budget.game_clock().is_none())
    }

    /// Returns whether two players are on the same side.
    pub(crate) fn same_side(&self, one: usize, other: usize) -> bool {
        let seat = |player: usize| self.plan.players.get(player)?.seats.first().copied();
        let side = |seat: u8| seat % self.sides;
        seat(one).zip(seat(other)).is_some_and(|(one, other)| side(one) == side(other))
    }
}
