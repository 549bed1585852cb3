//! One open arena: reads new results as it grows, and caches its tables for all readers of the same
//! selection of games.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use sandboard_games::{GameInfo, Games};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::live_board::{LiveBoard, board};
use super::{ArenaCard, lock};
use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena::store::{GameQuery, PackedRecord, Store, StoredGame};
use sandboard_arena::{FolderError, Follower, OpenFolder, Request, StoreLocation, is_running};
use sandboard_arena_plan::{ArenaStatistics, Filter, GameKey, LiveGame, Openings, Status, View};
use sandboard_bout::start::StartPosition;

/// The shortest time between two reads of results. Reading and computing take at most this share of
/// the time.
const READ_INTERVAL: Duration = Duration::from_secs(1);
const READ_SHARE: u32 = 10;
/// How many selections of games have cached tables.
const VIEWS_CACHED: usize = 8;

/// The part of an arena that a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Results and tables.
    View,
    Live,
}

/// Version texts of an arena's parts: they change when the content changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Versions {
    view: String,
    live: String,
}

/// The results of an arena.
#[derive(Serialize, ToSchema)]
pub(crate) struct ArenaView {
    /// The version of this content; `since` waits for another one.
    version: String,
    /// Results and statistics.
    #[schema(value_type = Object)]
    view: View,
}

/// The live games of an arena.
#[derive(Serialize, ToSchema)]
pub(crate) struct LiveGames {
    /// The version of this content; `since` waits for another one.
    version: String,
    games: Vec<LiveBoard>,
}

/// An open arena; see the [module](self).
pub(crate) struct ArenaCache {
    pub id: String,
    /// The arena's folder.
    pub dir: PathBuf,
    name: String,
    game: &'static GameInfo,
    start: StartPosition,
    openings: Vec<String>,
    store: Arc<dyn Store>,
    location: StoreLocation,
    /// Device and inode of the store's file, to notice that it was replaced.
    file: Option<(u64, u64)>,
    runtime: Handle,
    cached: Mutex<CachedState>,
    versions: watch::Sender<Versions>,
    last_used: Mutex<Instant>,
}

/// The content that has been read.
struct CachedState {
    follower: Follower,
    is_played: bool,
    /// The number of the last status that was read.
    statuses: i64,
    status: Option<Status>,
    /// The earliest time of the next read of results.
    next_read: Instant,
    /// Serialized views by filter, the most recent last.
    views: VecDeque<(Filter, Bytes)>,
    live: Option<Bytes>,
}

impl ArenaCache {
    /// Opens the arena of a folder, which plays one of these games. Err: it is not an arena, or
    /// cannot be read.
    pub(crate) fn open(dir: &Path, games: &Games, runtime: &Handle) -> Result<Self, FolderError> {
        let invalid = |part: &str, reason: String| FolderError::Content {
            dir: dir.to_owned(),
            part: part.to_owned(),
            reason,
        };
        let file = file_identity(dir);
        let failed = |error| FolderError::Store { dir: dir.to_owned(), error };
        let location = StoreLocation::of_folder(dir).map_err(failed)?;
        let store = runtime.block_on(location.open_to_read()).map_err(failed)?;
        let follower = runtime.block_on(Follower::new(store.clone(), dir))?;
        let loaded = follower.loaded();
        let setup = &loaded.setup;
        if !is_id(&setup.id) {
            return Err(invalid("the setup", "`id` is not 16 digits in hexadecimal".into()));
        }
        let unknown = || invalid("the setup", format!("there is no game `{}`", setup.game));
        let game = games.find(&setup.game).ok_or_else(unknown)?;
        let variant = game.variant(&setup.variant);
        let variant = variant.map_err(|error| invalid("the setup", error.to_string()))?;
        let arena_cache = Self {
            id: setup.id.clone(),
            dir: dir.to_owned(),
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            game,
            start: StartPosition::new(game, variant, None),
            openings: loaded.openings.as_deref().map_or(Vec::new(), Openings::texts),
            store,
            location,
            file,
            runtime: runtime.clone(),
            cached: Mutex::new(CachedState {
                follower,
                is_played: false,
                statuses: 0,
                status: None,
                next_read: Instant::now(),
                views: VecDeque::new(),
                live: None,
            }),
            versions: watch::Sender::default(),
            last_used: Mutex::new(Instant::now()),
        };
        arena_cache.refresh()?;
        Ok(arena_cache)
    }

    /// Closes the store.
    pub(crate) fn close(self) {
        let _ = self.runtime.block_on(self.store.close());
    }

    /// Returns whether the folder still contains the file that is open.
    pub(crate) fn is_current(&self) -> bool {
        OpenFolder::holds_arena(&self.dir) && file_identity(&self.dir) == self.file
    }

    /// Returns whether a process plays the arena: on this machine, or anywhere if its store is on a
    /// server.
    fn is_running(&self) -> Result<bool, FolderError> {
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        Ok(is_running(&self.dir)
            || self.runtime.block_on(self.store.is_locked()).map_err(failed)?)
    }

    /// Marks the arena as used now.
    pub(crate) fn touch(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    /// Returns when the arena was last used.
    pub(crate) fn last_used(&self) -> Instant {
        *lock(&self.last_used)
    }

    /// Reads what is new, and wakes waiting requests.
    pub(crate) fn refresh(&self) -> Result<(), FolderError> {
        // Read before the store: otherwise results that were stored just before the run ended could
        // be missed.
        let is_played = self.is_running()?;
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let mut cached = lock(&self.cached);
        let extent = self.runtime.block_on(self.store.extent()).map_err(failed)?;
        if extent.statuses != cached.statuses {
            let text = self.runtime.block_on(self.store.status()).map_err(failed)?;
            cached.status = text.and_then(|text| serde_json::from_str(&text).ok());
            cached.statuses = extent.statuses;
        }
        let now = Instant::now();
        let before = cached.follower.extent();
        let has_grown = (before.attempts, before.events, before.players)
            != (extent.attempts, extent.events, extent.players);
        // While the arena is played, results may wait; when the run has ended, all are read.
        if has_grown && (now >= cached.next_read || !is_played) {
            self.runtime.block_on(cached.follower.catch_up(extent))?;
            cached.delay_next_read(now);
        }
        cached.is_played = is_played;
        self.publish(&mut cached);
        Ok(())
    }

    /// Drops cached content that has another version now, and wakes waiting requests.
    fn publish(&self, cached: &mut CachedState) {
        let versions = cached.versions();
        let published = self.versions.borrow().clone();
        if published.view != versions.view {
            cached.views.clear();
        }
        if published.live != versions.live {
            cached.live = None;
        }
        // The lock is still held: of two concurrent refreshes, the later one publishes last.
        self.versions.send_if_modified(|known| {
            let changed = *known != versions;
            *known = versions;
            changed
        });
    }

    /// Waits until the part differs from this version.
    pub(crate) async fn wait_for_change(&self, part: Part, since: &str) {
        let mut versions = self.versions.subscribe();
        let changed = |versions: &Versions| match part {
            Part::View => versions.view != since,
            Part::Live => versions.live != since,
        };
        // The sender cannot be gone: it is a field of this value.
        let _ = versions.wait_for(changed).await;
    }

    /// Checks that the filter's players exist.
    pub(crate) fn check(&self, filter: &Filter) -> ApiResult<()> {
        let players = lock(&self.cached).follower.loaded().players.len();
        match filter.players.iter().find(|player| **player as usize >= players) {
            Some(player) => {
                let detail =
                    format!("there is no player {player}: there are {players}, counted from 0");
                Err(Problem::unprocessable("player", detail))
            }
            None => Ok(()),
        }
    }

    /// Returns the arena's entry in the list.
    pub(crate) fn card(&self) -> ArenaCard {
        let cached = lock(&self.cached);
        let loaded = cached.follower.loaded();
        let statistics = self.statistics(&cached);
        let progress = statistics.progress();
        ArenaCard {
            id: self.id.clone(),
            name: self.name.clone(),
            game: loaded.setup.game.clone(),
            variant: loaded.setup.variant.clone(),
            format: loaded.ledger.schedule().format(),
            state: statistics.state(),
            created_at: loaded.setup.created_at.clone(),
            players: loaded.players.iter().map(|player| player.name.clone()).collect(),
            engines: loaded.players.iter().map(|player| player.engine.clone()).collect(),
            pairs: progress.pairs,
            pairs_left: progress.pairs_left,
            running: cached.is_played,
        }
    }

    /// Returns the [`ArenaView`] of the selected games, as JSON.
    pub(crate) fn view_json(&self, filter: &Filter) -> ApiResult<Bytes> {
        let mut cached = lock(&self.cached);
        if let Some((_, json_bytes)) = cached.views.iter().find(|(of, _)| of == filter) {
            return Ok(json_bytes.clone());
        }
        let since = Instant::now();
        let view = self.statistics(&cached).view(filter);
        let json_bytes = json(&ArenaView { version: cached.versions().view, view })?;
        cached.delay_next_read(since);
        if cached.views.len() >= VIEWS_CACHED {
            cached.views.pop_front();
        }
        cached.views.push_back((filter.clone(), json_bytes.clone()));
        Ok(json_bytes)
    }

    /// Returns the results and statistics of the selected games.
    pub(crate) fn view(&self, filter: &Filter) -> View {
        let mut cached = lock(&self.cached);
        let since = Instant::now();
        let view = self.statistics(&cached).view(filter);
        cached.delay_next_read(since);
        view
    }

    /// Returns the [`LiveGames`] as JSON.
    pub(crate) fn live_json(&self) -> ApiResult<Bytes> {
        let mut cached = lock(&self.cached);
        if let Some(json_bytes) = &cached.live {
            return Ok(json_bytes.clone());
        }
        let games = self.live_boards(&cached, |game| Some(game.clone()));
        let json_bytes = json(&LiveGames { version: cached.versions().live, games })?;
        cached.live = Some(json_bytes.clone());
        Ok(json_bytes)
    }

    /// Returns the version of the live games, the names of all players, and the games that `select`
    /// returns for a game and these names. Err: the store cannot be read.
    pub(crate) fn live_games(
        &self,
        select: impl Fn(&LiveGame, &[String]) -> Option<LiveGame>,
    ) -> Result<(String, Vec<String>, Vec<LiveBoard>), FolderError> {
        let mut cached = lock(&self.cached);
        // The status that was read last has no other players.
        let names = self.current_names(&mut cached)?;
        let games = self.live_boards(&cached, |game| select(game, &names));
        Ok((cached.versions().live, names, games))
    }

    /// Returns the boards of the live games that `select` returns.
    fn live_boards(
        &self,
        cached: &CachedState,
        select: impl Fn(&LiveGame) -> Option<LiveGame>,
    ) -> Vec<LiveBoard> {
        let playing = cached.status.as_ref().filter(|_| cached.is_played);
        let games = playing.map_or(&[][..], |status| &status.games);
        games.iter().filter_map(select).filter_map(|game| board(&self.start, &game)).collect()
    }

    /// Returns the names of all players that have been admitted, as the store has them now. The
    /// tables of [`Self::card`] can be older. A game that was read before this call has no player
    /// without a name here. Err: the store cannot be read.
    pub(crate) fn player_names(&self) -> Result<Vec<String>, FolderError> {
        self.current_names(&mut lock(&self.cached))
    }

    fn current_names(&self, cached: &mut CachedState) -> Result<Vec<String>, FolderError> {
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let extent = self.runtime.block_on(self.store.extent()).map_err(failed)?;
        let before = cached.follower.extent();
        // A player is stored before the event that admits it.
        if (extent.events, extent.players) != (before.events, before.players) {
            let since = Instant::now();
            self.runtime.block_on(cached.follower.catch_up(extent))?;
            cached.delay_next_read(since);
            self.publish(cached);
        }
        let players = &cached.follower.loaded().players;
        Ok(players.iter().map(|player| player.name.clone()).collect())
    }

    /// Returns games of the arena, newest first.
    pub(crate) fn games(&self, query: &GameQuery) -> Result<Vec<StoredGame>, FolderError> {
        let found = self.runtime.block_on(self.store.games(query));
        found.map_err(|error| FolderError::Store { dir: self.dir.clone(), error })
    }

    /// Returns games in the order of the schedule, after this one; none: from the first.
    pub(crate) fn games_after(
        &self,
        game: Option<GameKey>,
        limit: u32,
    ) -> Result<Vec<StoredGame>, FolderError> {
        let found = self.runtime.block_on(self.store.games_after(game, limit));
        found.map_err(|error| FolderError::Store { dir: self.dir.clone(), error })
    }

    /// Returns the record of a game; none: there is no such game.
    pub(crate) fn record(&self, game: GameKey) -> Result<Option<Vec<u8>>, FolderError> {
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let packed = self.runtime.block_on(self.store.record(game)).map_err(failed)?;
        let damaged = |error: std::io::Error| FolderError::Content {
            dir: self.dir.clone(),
            part: format!("the record of {}", game.name()),
            reason: error.to_string(),
        };
        packed.as_ref().map(PackedRecord::unpack).transpose().map_err(damaged)
    }

    /// Requests that the process that plays the arena finishes the current games and starts none.
    pub(crate) fn stop(&self) -> Result<ApiResult<()>, FolderError> {
        if !self.is_running()? {
            return Ok(Err(Problem::new(
                ProblemKind::Conflict,
                crate::messages::ARENA_NOT_RUNNING,
            )));
        }
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let request = serde_json::to_string(&Request::Stop);
        let request = match request {
            Ok(request) => request,
            Err(error) => return Ok(Err(Problem::new(ProblemKind::Internal, error))),
        };
        let request_result = self.runtime.block_on(async {
            let store = self.location.open().await?;
            // A repeated request is stored once.
            let open = store.requests().await;
            let request_result = match open {
                Ok(open) if open.iter().any(|it| it.json == request) => Ok(()),
                Ok(_) => store.add_request(&request).await.map(drop),
                Err(error) => Err(error),
            };
            let _ = store.close().await;
            request_result
        });
        request_result.map(Ok).map_err(failed)
    }

    fn statistics<'a>(&'a self, cached: &'a CachedState) -> ArenaStatistics<'a> {
        let loaded = cached.follower.loaded();
        ArenaStatistics {
            name: &self.name,
            game: self.game,
            setup: &loaded.setup,
            players: &loaded.players,
            openings: &self.openings,
            ledger: &loaded.ledger,
            is_running: cached.is_played,
            status: cached.status.as_ref(),
        }
    }
}

impl CachedState {
    /// Delays the next read in proportion to the time that this work took.
    fn delay_next_read(&mut self, since: Instant) {
        let now = Instant::now();
        let took = now.saturating_duration_since(since);
        let pause = READ_INTERVAL.max(took.saturating_mul(READ_SHARE - 1));
        self.next_read = self.next_read.max(now + pause);
    }

    fn versions(&self) -> Versions {
        let extent = self.follower.extent();
        let status = self.status.as_ref().filter(|_| self.is_played);
        let activity = match (self.is_played, status.is_some_and(|status| status.stopping)) {
            (false, _) => "open",
            (true, false) => "running",
            (true, true) => "stopping",
        };
        // The number of live games is part of the results; their moves are not.
        let playing = status.map_or(0, |status| status.games.len());
        let (attempts, events, players) = (extent.attempts, extent.events, extent.players);
        let live = if self.is_played { self.statuses } else { -1 };
        Versions {
            view: format!("{attempts}.{events}.{players}.{playing}.{activity}"),
            live: live.to_string(),
        }
    }
}

fn json(value: &impl Serialize) -> ApiResult<Bytes> {
    let failed =
        |error| Problem::new(ProblemKind::Internal, format!("it cannot be serialized: {error}"));
    serde_json::to_vec(value).map(Bytes::from).map_err(failed)
}

/// Returns what identifies the store's file, if the system has inode numbers.
fn file_identity(dir: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let about = std::fs::metadata(StoreLocation::marker_file(dir)).ok()?;
        Some((about.dev(), about.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = dir;
        None
    }
}

/// Returns whether an id is safe in an address.
fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
