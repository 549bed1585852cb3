//! What a room's sockets and its bout share: tickets, who is there, what is being asked. Plain
//! values under the room's lock; what follows from them is in the files beside this one.

use std::collections::{HashMap, VecDeque};

use sha2::{Digest, Sha256};

use super::plan::Plan;
use crate::bout::{EnginePlayer, PersonInput};
use crate::record::Record;
use crate::server::problem::Kind;
use crate::server::wire::{Event, Presence, UndoAsked};

/// How many answers are kept for each ticket, for messages that come twice.
const ANSWERS: usize = 128;

/// How far a room is.
pub enum Stage {
    /// Somebody is missing who never was there.
    Waiting,
    /// Its bout stands in the store, and nobody has come back since the server began.
    Asleep(Box<Record>),
    /// Its bout has a thread.
    Playing,
    /// Its bout is over.
    Over,
}

/// The right to act for a player, or for the room.
#[derive(Debug)]
pub struct Ticket {
    /// The SHA-256 of the secret in hexadecimal: nobody can act with what is stored.
    pub sha256: String,
    /// For whom; none: the room's own.
    pub player: Option<usize>,
    /// Messages and what became of them; none: it is not known yet.
    answers: VecDeque<(Box<str>, Option<Became>)>,
}

/// What became of a message, in as little room as it needs: a room keeps hundreds.
#[derive(Debug)]
enum Became {
    Done,
    /// The kind of the refusal, and its reason.
    Refused(Box<(&'static str, String)>),
}

/// A player's place.
#[derive(Clone, Debug)]
pub struct Chair {
    /// Whether a person is to sit there.
    pub person: bool,
    /// Whether it is there.
    pub state: Presence,
    /// With so many sockets.
    pub sockets: u32,
    /// Rises whenever it comes or goes, so that a timer knows whether it is still meant.
    pub epoch: u64,
    /// The ply for which its clock was stopped already.
    pub grace_ply: Option<u32>,
}

/// A word under way: whose message it is, and of what kind a refusal of it would be.
pub struct Spoken {
    pub ticket: usize,
    pub id: String,
    pub refusal: Kind,
}

/// Where the bout is.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    /// How many plies there are.
    pub plies: u32,
    /// Whose move is asked for.
    pub to_move: Option<usize>,
}

/// See the file.
pub struct Live {
    pub plan: Plan,
    pub stage: Stage,
    pub tickets: Vec<Ticket>,
    pub chairs: Vec<Chair>,
    pub spectators: u32,
    pub at: At,
    /// The way into the bout.
    pub input: Option<PersonInput>,
    /// Words under way.
    pub words: HashMap<u64, Spoken>,
    pub next_word: u64,
    pub undo_asked: Option<UndoAsked>,
    /// The absent player for whom the bout stands still, and the epoch of its timer.
    pub held: Option<(usize, u64)>,
    /// Whether it is to stand still again after the next ply.
    pub stepping: bool,
    /// Whether people have it stand still, which outlives the server.
    pub paused: bool,
    /// Who takes a person's place when the bout has stopped for it.
    pub successor: Option<(usize, EnginePlayer)>,
    /// The room of the next bout.
    pub rematch: Option<String>,
}

impl Ticket {
    /// The ticket with this secret.
    pub fn new(secret: &str, player: Option<usize>) -> Self {
        Self::stored(digest(secret), player)
    }

    /// A ticket of which the hash is known.
    pub fn stored(sha256: String, player: Option<usize>) -> Self {
        Self { sha256, player, answers: VecDeque::new() }
    }

    /// What became of the message with this id; none: it is new, and is remembered from now on.
    pub fn seen(&mut self, id: &str) -> Option<Option<Event>> {
        if let Some((_, became)) = self.answers.iter().find(|(known, _)| **known == *id) {
            let id = id.to_owned();
            return Some(became.as_ref().map(|became| match became {
                Became::Done => Event::Ack { id },
                Became::Refused(why) => Event::Error { id, kind: why.0, detail: why.1.clone() },
            }));
        }
        if self.answers.len() == ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back((id.into(), None));
        None
    }

    /// Keeps what became of a message.
    pub fn answered(&mut self, id: &str, answer: &Event) {
        if let Some((_, kept)) = self.answers.iter_mut().find(|(known, _)| **known == *id) {
            *kept = Some(match answer {
                Event::Error { kind, detail, .. } => {
                    Became::Refused((*kind, detail.clone()).into())
                }
                _ => Became::Done,
            });
        }
    }
}

/// The hash of a secret.
pub fn digest(secret: &str) -> String {
    crate::hex(&Sha256::digest(secret.as_bytes()))
}

impl Live {
    /// A room before anybody has come.
    pub fn new(plan: Plan, tickets: Vec<Ticket>, stage: Stage, arrived: &[bool]) -> Self {
        let came = |index| arrived.get(index).copied().unwrap_or(false);
        let chair = |(index, player): (usize, &super::plan::Planned)| Chair {
            person: player.engine.is_none(),
            state: match player.engine {
                Some(_) => Presence::Present,
                None if came(index) => Presence::Absent,
                None => Presence::Open,
            },
            sockets: 0,
            epoch: 0,
            grace_ply: None,
        };
        Self {
            chairs: plan.players.iter().enumerate().map(chair).collect(),
            plan,
            stage,
            tickets,
            spectators: 0,
            at: At::default(),
            input: None,
            words: HashMap::new(),
            next_word: 0,
            undo_asked: None,
            held: None,
            stepping: false,
            paused: false,
            successor: None,
            rematch: None,
        }
    }

    /// The ticket with this secret.
    pub fn ticket(&self, secret: &str) -> Option<usize> {
        self.ticket_hashed(&digest(secret))
    }

    /// The ticket of which the secret has this hash.
    pub fn ticket_hashed(&self, sha256: &str) -> Option<usize> {
        self.tickets.iter().position(|ticket| ticket.sha256 == sha256)
    }

    /// The player of a ticket.
    pub fn player(&self, ticket: usize) -> Option<usize> {
        self.tickets.get(ticket).and_then(|ticket| ticket.player)
    }

    /// The ticket of a player.
    pub fn ticket_of(&self, player: usize) -> Option<usize> {
        self.tickets.iter().position(|ticket| ticket.player == Some(player))
    }

    /// Whether a ticket may pause, abort and seat engines: that of the host, and of whoever plays
    /// against nobody but engines.
    pub fn is_host(&self, ticket: usize) -> bool {
        let player = self.player(ticket);
        let alone = self.chairs.iter().filter(|chair| chair.person).count() <= 1;
        !self.plan.quick && (player == self.plan.host || player.is_none())
            || alone && player.is_some()
    }

    /// Whether everybody has been there who is a person.
    pub fn is_complete(&self) -> bool {
        self.chairs.iter().all(|chair| chair.state != Presence::Open)
    }

    /// How many persons have never come.
    pub fn missing(&self) -> usize {
        self.chairs.iter().filter(|chair| chair.state == Presence::Open).count()
    }

    /// Whether nothing limits a player's time.
    pub fn is_untimed(&self, player: usize) -> bool {
        self.plan
            .players
            .get(player)
            .is_some_and(|it| it.budget.per_move().is_none() && it.budget.game().is_none())
    }

    /// Whether two players are on one side.
    pub fn same_side(&self, one: usize, other: usize) -> bool {
        let seat = |player: usize| self.plan.players.get(player)?.seats.first().copied();
        seat(one).zip(seat(other)).is_some_and(|(one, other)| one % 2 == other % 2)
    }
}
