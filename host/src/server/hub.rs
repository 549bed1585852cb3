//! All rooms of a server, and what they share: the way to the store, the engines, the lobby.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use utoipa::ToSchema;

use super::lobby::Lobby;
use super::problem::{Answer, Kind, Problem};
use super::room::{Opening, Plan, Room, digest};
use super::store::{Store, StoredRoom};
use super::supply::Supplier;
use super::wire::{NewRoom, State};
use super::writer::{Emission, Queue};
use crate::record::rfc3339;

/// How many rooms there may be at once.
const ROOMS_MAX: usize = 20_000;
/// How many lines the operator's log keeps.
const NOTES: usize = 500;
/// How long a room is kept where nobody is: after its end, and before its beginning.
const KEPT_OVER: Duration = Duration::from_secs(10 * 60);
const KEPT_WAITING: Duration = Duration::from_secs(60 * 60);
/// How long somebody waits for the store.
const SETTLING: Duration = Duration::from_secs(10);
/// How long who asked for a quick game may take to come to it.
const COMING: Duration = Duration::from_secs(20);

/// What an operator settles of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long somebody may be absent before its clock runs on.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { grace: Duration::from_secs(30) }
    }
}

/// A line of the operator's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Note {
    /// When, as RFC 3339.
    pub at: String,
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// What happened.
    pub text: String,
}

/// What a server counts.
#[derive(Debug, Default)]
pub struct Counts {
    /// Sockets that are open.
    pub connections: AtomicU64,
    /// Moves since the server began.
    pub moves: AtomicU64,
}

/// A secret that lets somebody act.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketTold {
    /// For whom; null: for the room as a whole.
    pub player: Option<usize>,
    /// The secret.
    pub ticket: String,
}

/// A room that was opened.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Opened {
    /// Its id.
    pub room: String,
    /// The tickets, which are told this once.
    pub tickets: Vec<TicketTold>,
}

/// Somebody who wants to play, now.
#[derive(Clone, Debug, serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// The game's id.
    pub game: String,
    /// The variant's text.
    #[serde(default)]
    pub variant: String,
    /// What each may spend.
    #[serde(default)]
    pub budget: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// What came of that.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Paired {
    /// The room.
    pub room: String,
    /// Which player it is.
    pub player: usize,
    /// Its ticket.
    pub ticket: String,
    /// Whether nobody else is there yet.
    pub waiting: bool,
}

/// What people who wait want to play.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub struct Rules {
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// What each may spend.
    pub budget: String,
}

/// See the [module](self).
pub struct Hub {
    /// Engines.
    pub supplier: Arc<dyn Supplier>,
    /// Finished bouts.
    pub store: Arc<dyn Store>,
    /// What the operator has settled.
    pub settings: Settings,
    /// Where timers run.
    pub runtime: Handle,
    /// Who is told of rooms.
    pub lobby: Lobby,
    /// What is counted.
    pub counts: Counts,
    /// When the server began.
    pub started: SystemTime,
    queue: Queue,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    /// Rooms in which somebody waits for anybody: rules, room, the open player.
    waiting: Mutex<Vec<(Rules, String, usize)>>,
    /// Since when rooms are empty that may be forgotten.
    empty: Mutex<HashMap<String, Instant>>,
    notes: Mutex<VecDeque<Note>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Random bytes of the system.
fn random<const N: usize>() -> Answer<[u8; N]> {
    let mut bytes = [0; N];
    let failed = |error| Problem::new(Kind::Internal, format!("no random numbers: {error}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// A secret of 128 bits.
pub fn secret() -> Answer<String> {
    random::<16>().map(|bytes| crate::hex(&bytes))
}

/// A seed in 53 bits, so that every reader of JSON keeps it whole.
fn seed() -> Answer<u64> {
    random::<8>().map(|bytes| u64::from_le_bytes(bytes) >> 11)
}

impl Hub {
    /// A server without rooms.
    pub fn new(
        supplier: Arc<dyn Supplier>,
        store: Arc<dyn Store>,
        settings: Settings,
        runtime: Handle,
        queue: Queue,
    ) -> Arc<Self> {
        Arc::new(Self {
            supplier,
            store,
            settings,
            runtime,
            lobby: Lobby::default(),
            counts: Counts::default(),
            started: SystemTime::now(),
            queue,
            rooms: Mutex::default(),
            waiting: Mutex::default(),
            empty: Mutex::default(),
            notes: Mutex::default(),
        })
    }

    /// Hands something to the writer from a thread that may wait.
    pub fn send(&self, emission: Emission) {
        // Without a writer the server has ended.
        let _ = self.queue.blocking_send(emission);
    }

    /// The same from a task.
    pub async fn send_soon(&self, emission: Emission) {
        let _ = self.queue.send(emission).await;
    }

    /// Hands in something and waits until it is stored and told. Err: the store does not take it.
    pub async fn settle(&self, mut emission: Emission) -> Answer<()> {
        let (done, settled) = oneshot::channel();
        emission.done = Some(done);
        self.send_soon(emission).await;
        let refused = "what happened could not be stored in time; the server's log says why";
        match tokio::time::timeout(SETTLING, settled).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Problem::new(Kind::Internal, refused)),
        }
    }

    /// Hands in what may be lost where the writer has too much to do.
    pub fn send_if_room(&self, emission: Emission) {
        let _ = self.queue.try_send(emission);
    }

    /// Something that the operator may want to know.
    pub fn note(&self, level: &'static str, text: String) {
        match level {
            "error" => log::error!("{text}"),
            "warning" => log::warn!("{text}"),
            _ => log::info!("{text}"),
        }
        let mut notes = lock(&self.notes);
        if notes.len() == NOTES {
            notes.pop_front();
        }
        notes.push_back(Note { at: rfc3339(SystemTime::now()), level, text });
    }

    /// The operator's log, the latest first.
    pub fn notes(&self) -> Vec<Note> {
        lock(&self.notes).iter().rev().cloned().collect()
    }

    /// The room with this id.
    pub fn room(&self, id: &str) -> Option<Arc<Room>> {
        lock(&self.rooms).get(id).cloned()
    }

    /// Whether some room has a ticket with this secret.
    pub fn knows_ticket(&self, secret: &str) -> bool {
        let sha256 = digest(secret);
        let rooms: Vec<_> = lock(&self.rooms).values().cloned().collect();
        rooms.iter().any(|room| room.has_ticket(&sha256))
    }

    /// All rooms, the latest first.
    pub fn rooms(&self) -> Vec<Arc<Room>> {
        let mut rooms: Vec<_> = lock(&self.rooms).values().cloned().collect();
        rooms.sort_by(|a, b| (&b.about.created_at, &b.id).cmp(&(&a.about.created_at, &a.id)));
        rooms
    }

    /// Who waits for anybody.
    pub fn waiting(&self) -> Vec<Rules> {
        lock(&self.waiting).iter().map(|(rules, ..)| rules.clone()).collect()
    }

    fn add(self: &Arc<Self>, opening: Opening) -> Answer<Arc<Room>> {
        let room = Room::open(self.clone(), opening)?;
        let mut rooms = lock(&self.rooms);
        if rooms.len() >= ROOMS_MAX {
            let detail = format!("there are {ROOMS_MAX} rooms, and no more at once");
            return Err(Problem::new(Kind::TooMany, detail));
        }
        rooms.insert(room.id.clone(), room.clone());
        Ok(room)
    }

    fn opening(plan: Plan, tickets: Vec<(String, Option<usize>)>) -> Answer<Opening> {
        let id = random::<8>().map(|bytes| crate::hex(&bytes))?;
        let created_at = rfc3339(SystemTime::now());
        let arrived = vec![false; plan.players.len()];
        Ok(Opening { id, created_at, plan, tickets, arrived, paused: false, record: None })
    }

    /// Opens a room. Loads its engines, to say at once what is wrong with them: may take time.
    pub fn open(self: &Arc<Self>, wanted: NewRoom) -> Answer<(Opened, Emission)> {
        let plan = Plan::of(wanted, seed()?)?;
        for player in &plan.players {
            self.supplier.check_budget(&player.budget)?;
        }
        // Loaded engines are kept, so that the bout has them at once.
        plan.setup(self.supplier.as_ref(), crate::bout::Place::Nowhere)?;
        let mut players: Vec<Option<usize>> = plan.persons().map(Some).collect();
        if players.is_empty() {
            players.push(None);
        }
        let mut tickets = Vec::new();
        for player in players {
            tickets.push(TicketTold { player, ticket: secret()? });
        }
        let stored = tickets.iter().map(|it| (digest(&it.ticket), it.player)).collect();
        let room = self.add(Self::opening(plan, stored)?)?;
        self.note(
            "info",
            format!("room {} is open: {} {}", room.id, room.about.game, room.about.variant),
        );
        let emission = room.emission(vec![room.to_keep()], Vec::new());
        Ok((Opened { room: room.id.clone(), tickets }, emission))
    }

    /// Pairs somebody with who waits longest for the same rules, or has it wait.
    pub fn quick(self: &Arc<Self>, wanted: Quick) -> Answer<(Paired, Emission)> {
        let start = super::room::start_of(&wanted.game, &wanted.variant, None, &[])?;
        let budget = super::room::budget(&wanted.budget, "budget".into())?;
        let rules = Rules {
            game: start.game.id.into(),
            variant: start.variant.text(),
            budget: budget.to_string(),
        };
        let name = crate::referee::tidy(wanted.name.trim(), sandboard_abi::limits::LABEL_BYTES);
        let ticket = secret()?;
        // One at a time, so that nobody is paired twice.
        let mut waiting = lock(&self.waiting);
        let mut index = 0;
        while let Some((other, id, player)) = waiting.get(index).cloned() {
            let room = self.room(&id).filter(|room| room.state() == State::Waiting);
            let Some(room) = room else {
                waiting.remove(index);
                continue;
            };
            if other != rules || room.is_deserted(COMING) {
                index += 1;
                continue;
            }
            waiting.remove(index);
            let emission = room.join(player, &name, &ticket);
            let paired = Paired { room: id, player, ticket, waiting: false };
            return Ok((paired, emission));
        }
        let player = usize::from(random::<1>()?[0] & 1);
        let mut plan = Plan::for_two(&start, budget, seed()?)?;
        if let Some(first) = plan.players.get_mut(player)
            && !name.is_empty()
        {
            first.name = name;
        }
        let stored = vec![(digest(&ticket), Some(player))];
        let room = self.add(Self::opening(plan, stored)?)?;
        waiting.push((rules, room.id.clone(), 1 - player));
        let emission = room.emission(vec![room.to_keep()], Vec::new());
        Ok((Paired { room: room.id.clone(), player, ticket, waiting: true }, emission))
    }

    /// Another bout of the same players, the sides exchanged; the tickets of before are good for
    /// it, too.
    pub fn rematch(
        self: &Arc<Self>,
        room: &Arc<Room>,
        plan: Plan,
        tickets: Vec<(String, Option<usize>)>,
    ) -> Answer<Arc<Room>> {
        let next = self.add(Self::opening(Plan { seed: seed()?, ..plan }, tickets)?)?;
        self.note("info", format!("room {} goes on as {}", room.id, next.id));
        Ok(next)
    }

    /// Brings back a room of the store.
    pub fn restore(self: &Arc<Self>, stored: StoredRoom) -> Answer<()> {
        let room = self.add(super::room::restored(stored)?)?;
        room.begin_alone();
        if room.about.quick
            && let Some((player, rules)) = room.open_seat()
        {
            lock(&self.waiting).push((rules, room.id.clone(), player));
        }
        Ok(())
    }

    /// Forgets rooms in which nobody has been for long; those that are to leave the store, too.
    pub fn sweep(&self, now: Instant) -> Vec<Emission> {
        let mut empty = lock(&self.empty);
        let mut gone = Vec::new();
        let rooms = self.rooms();
        empty.retain(|id, _| rooms.iter().any(|room| room.id == *id));
        for room in rooms {
            let state = room.state();
            let patience = match state {
                State::Over => KEPT_OVER,
                State::Waiting => KEPT_WAITING,
                State::Playing | State::Paused => continue,
            };
            if !room.is_empty() {
                empty.remove(&room.id);
                continue;
            }
            let since = *empty.entry(room.id.clone()).or_insert(now);
            if now.saturating_duration_since(since) < patience {
                continue;
            }
            lock(&self.rooms).remove(&room.id);
            if state == State::Waiting {
                gone.push(room.aborted("nobody came"));
            }
        }
        gone
    }
}
