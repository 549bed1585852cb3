//! The hub holds all rooms of a server and what they share: the queue to the writer, the engines,
//! the lobby.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use utoipa::ToSchema;

use super::engine_provider::EngineProvider;
use super::guest_work::GuestWork;
use super::known_games::KnownGames;
use super::lobby::Lobby;
use super::problem::{ApiResult, Problem, ProblemKind};
use super::room::{Plan, Room, RoomSetup, digest};
use super::store::{Store, StoredRoom};
use super::wire::{NewRoom, State};
use super::writer::{Queue, RoomUpdate};
use sandboard_common::date::rfc3339;

/// The most rooms at once.
const ROOMS_MAX: usize = 20_000;
/// The most entries in the operator's log.
const LOG_ENTRIES_MAX: usize = 500;
/// How long an empty room is kept: after its bout has ended, and before it has begun.
const FINISHED_ROOM_TTL: Duration = Duration::from_secs(10 * 60);
const WAITING_ROOM_TTL: Duration = Duration::from_secs(60 * 60);
/// How long a request waits for the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a player may take to open a quick game's socket before others are no longer paired with
/// it.
const QUICK_GAME_ARRIVAL: Duration = Duration::from_secs(20);

/// Settings of a server beyond its address.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a player may be absent before their clock runs on.
    pub grace: Duration,
    /// How long a client may take to send the head of a request, and then its body. A body gets a
    /// second more for each 8 KiB received.
    pub request_timeout: Duration,
    /// The most connections of one address, and at most half of all connections.
    pub connections_per_address: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(30),
            request_timeout: Duration::from_secs(10),
            connections_per_address: 256,
        }
    }
}

/// An entry of the operator's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LogEntry {
    /// The time, as RFC 3339.
    pub at: String,
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// What happened, in one sentence.
    pub text: String,
}

/// Counters that the operator's page shows.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub connections: AtomicU64,
    /// Moves played since the server started.
    pub moves: AtomicU64,
    /// Requests by the [class](STATUS_CLASSES) of their status.
    pub requests: [AtomicU64; 5],
    /// The time of all requests from their head to the head of the response, in microseconds.
    pub request_us: AtomicU64,
    /// Whether the last attempt to write the store failed.
    pub store_fails: AtomicBool,
}

/// The classes of statuses of HTTP.
pub(crate) const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

impl Counts {
    /// Counts a request that was answered with this status.
    pub(crate) fn count_request(&self, status: u16, duration: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.requests[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.request_us.fetch_add(micros, Ordering::Relaxed);
    }
}

/// A secret that authorises its holder to act in a room.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct IssuedTicket {
    /// The player it is for; null: for the room as a whole.
    pub player: Option<usize>,
    pub ticket: String,
}

/// A room that was opened.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct OpenedRoom {
    /// The room's id.
    pub room: String,
    /// The tickets. The server stores only their hashes, so this is the only time they are shown.
    pub tickets: Vec<IssuedTicket>,
}

/// A request to play a quick game.
#[derive(Clone, Debug, serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuickGameRequest {
    pub game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    pub variant: String,
    /// Each player's budget.
    #[serde(default)]
    pub budget: String,
    /// The player's name.
    #[serde(default)]
    pub name: String,
}

/// The quick game that a player joined.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct QuickGame {
    /// The room's id.
    pub room: String,
    /// The player's index.
    pub player: usize,
    /// The player's ticket.
    pub ticket: String,
    /// Whether the player still waits for an opponent.
    pub waiting: bool,
}

/// The rules of a quick game.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub(crate) struct QuickGameRules {
    pub game: String,
    pub variant: String,
    /// Each player's budget.
    pub budget: String,
}

/// All rooms of a server; see the [module](self).
pub(crate) struct Hub {
    /// Finds and loads engines.
    pub engine_provider: Arc<dyn EngineProvider>,
    /// The games that the server knows.
    pub games: KnownGames,
    /// Stores rooms and finished bouts.
    pub store: Arc<dyn Store>,
    /// The operator's settings.
    pub settings: Settings,
    /// The async runtime, for timers.
    pub runtime: Handle,
    /// Broadcasts room lists.
    pub lobby: Lobby,
    /// Counters for the operator.
    pub counts: Counts,
    /// When the server started.
    pub started: SystemTime,
    /// Threads that load engines for players.
    pub engine_loads: GuestWork,
    queue: Queue,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    /// Quick games without an opponent: rules, room, index of the open player.
    quick_games: Mutex<Vec<(QuickGameRules, String, usize)>>,
    /// For rooms that are waiting or over, and empty: since when they have been empty.
    empty: Mutex<HashMap<String, Instant>>,
    log: Mutex<VecDeque<LogEntry>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns random bytes from the system.
fn random_bytes<const N: usize>() -> ApiResult<[u8; N]> {
    let mut bytes = [0; N];
    let failed = |error| Problem::new(ProblemKind::Internal, format!("no random numbers: {error}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Returns a secret of 128 bits, in hexadecimal.
pub(crate) fn new_secret() -> ApiResult<String> {
    random_bytes::<16>().map(|bytes| sandboard_common::hex::hex(&bytes))
}

/// Returns a seed of 53 bits, which JSON numbers represent exactly.
fn new_seed() -> ApiResult<u64> {
    random_bytes::<8>().map(|bytes| u64::from_le_bytes(bytes) >> 11)
}

impl Hub {
    /// Creates a hub without rooms.
    pub(crate) fn new(
        engine_provider: Arc<dyn EngineProvider>,
        games: KnownGames,
        store: Arc<dyn Store>,
        settings: Settings,
        runtime: Handle,
        queue: Queue,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine_provider,
            games,
            store,
            settings,
            runtime,
            lobby: Lobby::default(),
            counts: Counts::default(),
            started: SystemTime::now(),
            engine_loads: GuestWork::for_engine_loads(),
            queue,
            rooms: Mutex::default(),
            quick_games: Mutex::default(),
            empty: Mutex::default(),
            log: Mutex::default(),
        })
    }

    /// Queues an update for the writer. Blocks while the queue is full.
    pub(crate) fn send_blocking(&self, update: RoomUpdate) {
        // Sending fails only when the server has stopped.
        let _ = self.queue.blocking_send(update);
    }

    /// Queues an update from a task.
    pub(crate) async fn send(&self, update: RoomUpdate) {
        let _ = self.queue.send(update).await;
    }

    /// Queues an update and waits until it is stored and published. Err: the store did not accept
    /// it in time.
    pub(crate) async fn send_and_wait(&self, mut update: RoomUpdate) -> ApiResult<()> {
        let (done, stored) = oneshot::channel();
        update.done = Some(done);
        self.send(update).await;
        let refused = "the change could not be stored in time; see the server's log";
        match tokio::time::timeout(STORE_TIMEOUT, stored).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Problem::new(ProblemKind::Internal, refused)),
        }
    }

    /// Queues an update that may be dropped if the queue is full.
    pub(crate) fn try_send(&self, update: RoomUpdate) {
        let _ = self.queue.try_send(update);
    }

    /// Adds an entry to the operator's log.
    pub(crate) fn notify_operator(&self, level: &'static str, text: String) {
        match level {
            "error" => log::error!("{text}"),
            "warning" => log::warn!("{text}"),
            _ => log::info!("{text}"),
        }
        let mut log = lock(&self.log);
        if log.len() == LOG_ENTRIES_MAX {
            log.pop_front();
        }
        log.push_back(LogEntry { at: rfc3339(SystemTime::now()), level, text });
    }

    /// Returns the operator's log, newest first.
    pub(crate) fn operator_log(&self) -> Vec<LogEntry> {
        lock(&self.log).iter().rev().cloned().collect()
    }

    /// Returns the room with this id.
    pub(crate) fn room(&self, id: &str) -> Option<Arc<Room>> {
        lock(&self.rooms).get(id).cloned()
    }

    /// Returns whether any room has a ticket with this secret.
    pub(crate) fn knows_ticket(&self, secret: &str) -> bool {
        let sha256 = digest(secret);
        let rooms: Vec<_> = lock(&self.rooms).values().cloned().collect();
        rooms.iter().any(|room| room.has_ticket(&sha256))
    }

    /// Returns all rooms, newest first.
    pub(crate) fn rooms(&self) -> Vec<Arc<Room>> {
        let mut rooms: Vec<_> = lock(&self.rooms).values().cloned().collect();
        rooms.sort_by(|a, b| (&b.info.created_at, &b.id).cmp(&(&a.info.created_at, &a.id)));
        rooms
    }

    /// Returns the rules of the quick games that wait for an opponent.
    pub(crate) fn quick_game_requests(&self) -> Vec<QuickGameRules> {
        let has_player = |id: &str| {
            self.room(id).is_some_and(|room| room.has_waiting_player(QUICK_GAME_ARRIVAL))
        };
        let quick_games = lock(&self.quick_games).clone();
        let waiting = quick_games.into_iter().filter(|(_, id, _)| has_player(id));
        waiting.map(|(rules, ..)| rules).collect()
    }

    fn add_room(self: &Arc<Self>, setup: RoomSetup) -> ApiResult<Arc<Room>> {
        let room = Room::open(self.clone(), setup)?;
        let mut rooms = lock(&self.rooms);
        if rooms.len() >= ROOMS_MAX {
            let detail = crate::messages::room_limit(ROOMS_MAX);
            return Err(Problem::new(ProblemKind::TooMany, detail));
        }
        rooms.insert(room.id.clone(), room.clone());
        Ok(room)
    }

    fn room_setup(plan: Plan, tickets: Vec<(String, Option<usize>)>) -> ApiResult<RoomSetup> {
        let id = random_bytes::<8>().map(|bytes| sandboard_common::hex::hex(&bytes))?;
        let created_at = rfc3339(SystemTime::now());
        let joined = vec![false; plan.players.len()];
        Ok(RoomSetup { id, created_at, plan, tickets, joined, paused: false, record: None })
    }

    /// Opens a room. Blocks: it loads the room's engines, so that their faults are reported at
    /// once.
    pub(crate) fn open_room(
        self: &Arc<Self>,
        request: NewRoom,
    ) -> ApiResult<(OpenedRoom, RoomUpdate)> {
        let plan = Plan::from_request(&self.games.now(), request, new_seed()?)?;
        for player in &plan.players {
            self.engine_provider.check_budget(&player.budget)?;
        }
        // Loaded engines are cached, so that the bout starts without delay.
        plan.bout_setup(
            &self.games.now(),
            self.engine_provider.as_ref(),
            sandboard_bout::driver::RecordDestination::Unsaved,
        )?;
        let mut players: Vec<Option<usize>> = plan.persons().map(Some).collect();
        if players.is_empty() {
            players.push(None);
        }
        let mut tickets = Vec::new();
        for player in players {
            tickets.push(IssuedTicket { player, ticket: new_secret()? });
        }
        let hashes = tickets.iter().map(|it| (digest(&it.ticket), it.player)).collect();
        let room = self.add_room(Self::room_setup(plan, hashes)?)?;
        self.notify_operator(
            "info",
            format!("room {} is open: {} {}", room.id, room.info.game, room.info.variant),
        );
        let update = room.update(vec![room.current_state_write()], Vec::new());
        Ok((OpenedRoom { room: room.id.clone(), tickets }, update))
    }

    /// Pairs a player with the longest-waiting player of the same rules, or opens a room that
    /// waits.
    pub(crate) fn join_quick_game(
        self: &Arc<Self>,
        request: QuickGameRequest,
    ) -> ApiResult<(QuickGame, RoomUpdate)> {
        let start = super::room::parse_start(
            &self.games.now(),
            &request.game,
            &request.variant,
            None,
            &[],
        )?;
        let players = start.game.seats_of_players(&start.variant).len();
        if players != 2 {
            let (game, variant) = (start.game.name, start.variant.text());
            let detail = crate::messages::quick_game_for_two(game, variant, players);
            return Err(Problem::unprocessable("variant", detail));
        }
        let budget = super::room::parse_budget(&request.budget, "budget".into())?;
        let rules = QuickGameRules {
            game: start.game.id.into(),
            variant: start.variant.text(),
            budget: budget.to_string(),
        };
        let name =
            sandboard_bout::text::sanitize(request.name.trim(), sandboard_abi::limits::LABEL_BYTES);
        let ticket = new_secret()?;
        // The lock is held, so that no player is paired twice.
        let mut quick_games = lock(&self.quick_games);
        let mut index = 0;
        while let Some((other, id, player)) = quick_games.get(index).cloned() {
            let room = self.room(&id).filter(|room| room.state() == State::Waiting);
            let Some(room) = room else {
                quick_games.remove(index);
                continue;
            };
            if other != rules || !room.has_waiting_player(QUICK_GAME_ARRIVAL) {
                index += 1;
                continue;
            }
            quick_games.remove(index);
            let Some(update) = room.join(player, &name, &ticket) else { continue };
            let game = QuickGame { room: id, player, ticket, waiting: false };
            return Ok((game, update));
        }
        let player = usize::from(random_bytes::<1>()?[0] & 1);
        let mut plan = Plan::quick_game(&self.games.now(), &start, budget, new_seed()?)?;
        if let Some(player_plan) = plan.players.get_mut(player)
            && !name.is_empty()
        {
            player_plan.name = name;
        }
        let hashes = vec![(digest(&ticket), Some(player))];
        let room = self.add_room(Self::room_setup(plan, hashes)?)?;
        quick_games.push((rules, room.id.clone(), 1 - player));
        let update = room.update(vec![room.current_state_write()], Vec::new());
        Ok((QuickGame { room: room.id.clone(), player, ticket, waiting: true }, update))
    }

    /// Opens a room for another bout of the same players with the sides exchanged. The tickets of
    /// the previous room stay valid.
    pub(crate) fn rematch(
        self: &Arc<Self>,
        room: &Arc<Room>,
        plan: Plan,
        tickets: Vec<(String, Option<usize>)>,
    ) -> ApiResult<Arc<Room>> {
        let next = self.add_room(Self::room_setup(Plan { seed: new_seed()?, ..plan }, tickets)?)?;
        self.notify_operator("info", format!("room {} has a rematch: {}", room.id, next.id));
        Ok(next)
    }

    /// Restores a room from the store.
    pub(crate) fn restore(self: &Arc<Self>, stored: StoredRoom) -> ApiResult<()> {
        let room = self.add_room(super::room::parse_stored(&self.games.now(), stored)?)?;
        room.start_without_people();
        if room.info.quick_game
            && let Some((player, rules)) = room.open_seat()
        {
            lock(&self.quick_games).push((rules, room.id.clone(), player));
        }
        Ok(())
    }

    /// Removes rooms that have been empty for too long. Returns the updates that remove waiting
    /// rooms from the store, too.
    pub(crate) fn sweep(&self, now: Instant) -> Vec<RoomUpdate> {
        let mut empty = lock(&self.empty);
        let mut updates = Vec::new();
        let rooms = self.rooms();
        empty.retain(|id, _| rooms.iter().any(|room| room.id == *id));
        for room in rooms {
            let state = room.state();
            let time_to_live = match state {
                State::Over => FINISHED_ROOM_TTL,
                State::Waiting if room.info.quick_game => QUICK_GAME_ARRIVAL,
                State::Waiting => WAITING_ROOM_TTL,
                State::Playing | State::Paused => continue,
            };
            if !room.is_empty() {
                empty.remove(&room.id);
                continue;
            }
            let since = *empty.entry(room.id.clone()).or_insert(now);
            if now.saturating_duration_since(since) < time_to_live {
                continue;
            }
            lock(&self.rooms).remove(&room.id);
            if state == State::Waiting {
                updates.push(room.aborted(crate::messages::PLAYERS_DID_NOT_JOIN));
            }
        }
        updates
    }
}
