//! Rooms: a table with one bout, its people, and those who watch. What happens in the bout comes
//! from its thread ([`run`]), what people want from their sockets ([`act`]), who is there from
//! sockets that come and go ([`presence`]); all of it goes through the writer to everybody.
//!
//! Invariant: no rule of a bout here. Moves, clocks, draws and undos are the referee's; a room
//! decides who may speak, and who is there.

mod act;
mod ears;
mod live;
mod plan;
mod presence;
mod run;
mod show;
mod stored;
#[cfg(test)]
mod tests;
mod view;

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::broadcast;

pub use act::Heard;
pub use live::{Stage, digest};
pub use plan::{Plan, USUAL_US, budget, game_named, start_of};
pub use show::{line, position};
pub use stored::{restored, text};

use super::hub::Hub;
use super::problem::{Answer, Kind, Problem};
use super::store::Write;
use super::wire::{Event, May, Player, RoomCard, Snapshot, State, message};
use super::writer::Emission;
use crate::record::Record;
use crate::referee::Referee;
use live::{Live, Ticket};
use view::View;

/// How many events a room keeps for those who were away, and how many bytes of them: events bear
/// the position, with hundreds of moves in some games. Whoever has missed more is told all anew,
/// which is no longer than two of those.
const RECENT: usize = 16;
const RECENT_BYTES: usize = 4 * 1024;
/// How far a reader may be behind before it is told all anew.
const BEHIND: usize = 16;

/// To whom something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Everybody in the room.
    All,
    /// Those with this ticket.
    Ticket(usize),
}

/// Something that is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// To whom.
    pub to: To,
    /// What.
    pub event: Event,
}

impl Told {
    /// Told to everybody.
    pub fn all(event: Event) -> Self {
        Self { to: To::All, event }
    }
}

/// A message for sockets.
#[derive(Clone, Debug)]
pub struct Packet {
    /// For whom.
    pub to: To,
    /// Its text.
    pub text: Utf8Bytes,
}

/// What of a room never changes.
#[derive(Clone, Debug)]
pub struct About {
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// Where it began.
    pub start: Option<String>,
    /// The seed of the bout.
    pub seed: u64,
    /// When it was made.
    pub created_at: String,
    /// Whether it came of a quick game.
    pub quick: bool,
}

/// A room; see the [module](self).
pub struct Room {
    /// Its id, and that of its bout.
    pub id: String,
    /// What never changes.
    pub about: About,
    opened: Instant,
    hub: Arc<Hub>,
    live: Mutex<Live>,
    shown: Mutex<Shown>,
    packets: broadcast::Sender<Packet>,
}

/// What everybody has been told.
struct Shown {
    view: View,
    seq: u64,
    recent: VecDeque<(u64, Utf8Bytes)>,
}

impl Shown {
    /// Keeps an event for those who are away; the latest one however long it is.
    fn keep(&mut self, seq: u64, text: Utf8Bytes) {
        self.recent.push_back((seq, text));
        let bytes = |recent: &VecDeque<(u64, Utf8Bytes)>| -> usize {
            recent.iter().map(|(_, text)| text.len()).sum()
        };
        while self.recent.len() > 1
            && (self.recent.len() > RECENT || bytes(&self.recent) > RECENT_BYTES)
        {
            self.recent.pop_front();
        }
    }
}

/// What a socket begins with.
pub struct Entry {
    /// The snapshot, or the events that it has missed.
    pub first: Vec<Utf8Bytes>,
    /// All that follows.
    pub packets: broadcast::Receiver<Packet>,
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// How a room begins.
pub struct Opening {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub created_at: String,
    /// What for.
    pub plan: Plan,
    /// Secrets and players, as hashes.
    pub tickets: Vec<(String, Option<usize>)>,
    /// Which players have been there.
    pub arrived: Vec<bool>,
    /// Whether people have it stand still.
    pub paused: bool,
    /// Its bout, where that had begun.
    pub record: Option<Record>,
}

impl Room {
    /// A room. Numbers of its events begin with the time where it comes from the store, so that
    /// nobody takes them for those of before.
    pub fn open(hub: Arc<Hub>, opening: Opening) -> Answer<Arc<Self>> {
        let Opening { id, created_at, plan, tickets, arrived, paused, record } = opening;
        let about = About {
            game: plan.game.clone(),
            variant: plan.variant.clone(),
            start: plan.start.clone(),
            seed: plan.seed,
            created_at,
            quick: plan.quick,
        };
        let (stage, referee, seq) = match record {
            Some(record) => {
                let referee = record.referee(sandboard_games::game);
                let referee = referee.map_err(|error| Problem::new(Kind::Internal, error))?;
                (Stage::Asleep(Box::new(record)), referee, now_ms())
            }
            None => (Stage::Waiting, plan.referee()?, 0),
        };
        let tickets = tickets.into_iter().map(|(sha256, player)| Ticket::stored(sha256, player));
        let mut live = Live::new(plan, tickets.collect(), stage, &arrived);
        live.paused = paused;
        let view = first_view(&live, &referee);
        let shown = Shown { view, seq, recent: VecDeque::new() };
        let (packets, _) = broadcast::channel(BEHIND);
        Ok(Arc::new(Self {
            id,
            about,
            opened: Instant::now(),
            hub,
            live: Mutex::new(live),
            shown: Mutex::new(shown),
            packets,
        }))
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be told, on its way to the writer.
    pub fn emission(self: &Arc<Self>, writes: Vec<Write>, told: Vec<Told>) -> Emission {
        Emission { room: self.clone(), record: None, writes, told, done: None }
    }

    /// The writer's: tells what is stored.
    pub fn tell(&self, told: Vec<Told>) {
        let mut shown = self.shown();
        for Told { to, event } in told {
            if let Event::Moved { .. } = event {
                self.hub.counts.moves.fetch_add(1, Ordering::Relaxed);
            }
            let seq = event.is_durable().then(|| shown.seq + 1);
            let text = Utf8Bytes::from(message(seq, None, &event));
            if let Some(seq) = seq {
                shown.seq = seq;
                shown.keep(seq, text.clone());
            }
            shown.view.apply(event);
            // Nobody may be listening.
            let _ = self.packets.send(Packet { to, text });
        }
    }

    /// The ticket with this secret. Err: there is none.
    pub fn ticket(&self, secret: &str) -> Answer<usize> {
        let unknown = || Problem::new(Kind::Forbidden, "this is no ticket of the room");
        self.live().ticket(secret).ok_or_else(unknown)
    }

    /// Whether there is a ticket of which the secret has this hash.
    pub fn has_ticket(&self, sha256: &str) -> bool {
        self.live().ticket_hashed(sha256).is_some()
    }

    /// The player of a ticket.
    pub fn player_of(&self, ticket: usize) -> Option<usize> {
        self.live().player(ticket)
    }

    /// The room as who has this ticket sees it.
    pub fn snapshot(&self, ticket: Option<usize>) -> Snapshot {
        let (you, may) = self.standing(ticket);
        self.snapshot_of(&self.shown(), you, may)
    }

    /// Which player somebody is, and what it may do.
    fn standing(&self, ticket: Option<usize>) -> (Option<usize>, May) {
        let live = self.live();
        let you = ticket.and_then(|ticket| live.player(ticket));
        let may = May {
            undo: you.is_some() && live.plan.settings.undo,
            draw: you.is_some() && live.plan.settings.draw_offers,
            pause: ticket.is_some_and(|ticket| live.is_host(ticket)),
            hint: you.is_some() && live.plan.hint.is_some(),
        };
        (you, may)
    }

    fn snapshot_of(&self, shown: &Shown, you: Option<usize>, may: May) -> Snapshot {
        let About { game, variant, start, seed, created_at, .. } = self.about.clone();
        let view = &shown.view;
        Snapshot {
            room: self.id.clone(),
            seq: shown.seq,
            now_ms: now_ms(),
            created_at,
            game,
            variant,
            start,
            seed,
            state: view.state,
            players: view.players_now(),
            you,
            plies: view.plies.clone(),
            position: view.position.clone(),
            thinking: view.thinking,
            draw_offered_by: view.draw_offered_by,
            undo_asked: view.undo_asked,
            result: view.result.clone(),
            log: view.log.iter().cloned().collect(),
            may,
            spectators: view.spectators,
        }
    }

    /// What a socket is told first, and all that follows: nothing is missed between the two.
    pub fn subscribe(&self, ticket: Option<usize>, since: Option<u64>) -> Entry {
        let (you, may) = self.standing(ticket);
        let shown = self.shown();
        let packets = self.packets.subscribe();
        let known = |since: &u64| {
            let first = shown.recent.front().map_or(shown.seq + 1, |(seq, _)| *seq);
            *since <= shown.seq && since + 1 >= first
        };
        let first = match since.filter(known) {
            Some(since) => {
                let missed = shown.recent.iter().filter(|(seq, _)| *seq > since);
                missed.map(|(_, text)| text.clone()).collect()
            }
            None => {
                let snapshot = self.snapshot_of(&shown, you, may);
                vec![message(None, Some("snapshot"), &snapshot).into()]
            }
        };
        Entry { first, packets }
    }

    /// The room as the lobby shows it.
    pub fn card(&self) -> RoomCard {
        let (missing, budget) = {
            let live = self.live();
            let budget = live.plan.players.first().map(|player| player.budget.to_string());
            (live.missing(), budget.unwrap_or_default())
        };
        let shown = self.shown();
        let About { game, variant, created_at, quick, .. } = self.about.clone();
        RoomCard {
            id: self.id.clone(),
            game,
            variant,
            state: shown.view.state,
            names: shown.view.players.iter().map(|player| player.name.clone()).collect(),
            plies: shown.view.plies.len(),
            spectators: shown.view.spectators,
            waiting_for: missing,
            quick,
            budget,
            created_at,
        }
    }

    /// How far it is, as everybody has been told.
    pub fn state(&self) -> State {
        self.shown().view.state
    }

    /// Whether nobody waits there: its sockets are gone, or have not come for so long.
    pub fn is_deserted(&self, patience: Duration) -> bool {
        self.is_empty() && self.opened.elapsed() > patience
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        let live = self.live();
        live.spectators == 0 && live.chairs.iter().all(|chair| chair.sockets == 0)
    }
}

/// What is shown of a room before its first event.
fn first_view(live: &Live, referee: &Referee) -> View {
    let player = |index: usize| -> Option<Player> {
        let mut player = show::player(referee, index, 0)?;
        let planned = live.plan.players.get(index);
        player.engine = planned.and_then(|it| it.engine.as_ref()).map(stored::told);
        player.state = live.chairs.get(index).map_or(player.state, |chair| chair.state);
        Some(player)
    };
    let players = (0..referee.players()).filter_map(player).collect();
    let state = match (&live.stage, live.paused) {
        (Stage::Waiting, _) => State::Waiting,
        (_, true) => State::Paused,
        _ => State::Playing,
    };
    View::new(state, players, show::plies(referee), show::position(referee.game()))
}
