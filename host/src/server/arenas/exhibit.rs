//! One arena that is looked at: read again as it grows, surveyed when somebody asks. Its tables are
//! made once for all who look at the same games of it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use sandboard_games::GameInfo;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::live::{LiveBoard, board};
use super::{ArenaCard, lock};
use crate::arena::store::{Listed, Packed, Query, Store};
use crate::arena::{
    Filter, FolderError, Follower, GameKey, Home, OpenFolder, Openings, Request, Status, Survey,
    View, is_played,
};
use crate::record::Start;
use crate::server::problem::{Answer, Kind, Problem};

/// How long results wait at least until they are read; of all time reading and surveying take this share.
const READ_EVERY: Duration = Duration::from_secs(1);
const READ_SHARE: u32 = 10;
/// How many selections of games have their tables kept.
const VIEWS: usize = 8;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is counted.
    View,
    /// What is in play.
    Live,
}

/// The names of an arena's states, so that one can be told from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Versions {
    view: String,
    live: String,
}

/// An arena as it stands.
#[derive(Serialize, ToSchema)]
pub struct ArenaTold {
    /// Which state of it this is; `since` waits for another.
    version: String,
    /// All that is counted.
    #[schema(value_type = Object)]
    view: View,
}

/// The games that are in play.
#[derive(Serialize, ToSchema)]
pub struct LiveTold {
    /// Which state of them this is; `since` waits for another.
    version: String,
    /// The games.
    games: Vec<LiveBoard>,
}

/// See the [module](self).
pub struct Exhibit {
    /// Its id.
    pub id: String,
    /// Its folder.
    pub dir: PathBuf,
    name: String,
    game: &'static GameInfo,
    start: Start,
    openings: Vec<String>,
    store: Arc<dyn Store>,
    home: Home,
    /// Which file it is, whatever is put in its place.
    file: Option<(u64, u64)>,
    runtime: Handle,
    seen: Mutex<Seen>,
    versions: watch::Sender<Versions>,
    asked_at: Mutex<Instant>,
}

/// What was read of it.
struct Seen {
    follower: Follower,
    played: bool,
    /// How often it had been said what goes on.
    statuses: i64,
    status: Option<Status>,
    /// When results are read again, at the earliest.
    next: Instant,
    /// What was made of it for these, the latest last.
    views: VecDeque<(Filter, Bytes)>,
    live: Option<Bytes>,
}

impl Exhibit {
    /// The arena of a folder. Err: there is none that can be read.
    pub fn open(dir: &Path, runtime: &Handle) -> Result<Self, FolderError> {
        let wrong = |place: &str, reason: String| FolderError::Content {
            dir: dir.to_owned(),
            place: place.to_owned(),
            reason,
        };
        let file = identity(dir);
        let failed = |error| FolderError::Store { dir: dir.to_owned(), error };
        let home = Home::of(dir).map_err(failed)?;
        let store = runtime.block_on(home.open_to_read()).map_err(failed)?;
        let follower = runtime.block_on(Follower::new(store.clone(), dir))?;
        let loaded = follower.loaded();
        let setup = &loaded.setup;
        if !is_id(&setup.id) {
            return Err(wrong("the setup", "`id` is not 16 digits in hexadecimal".into()));
        }
        let unknown = || wrong("the setup", format!("there is no game `{}`", setup.game));
        let game = sandboard_games::game(&setup.game).ok_or_else(unknown)?;
        let variant = game.variant(&setup.variant);
        let variant = variant.map_err(|error| wrong("the setup", error.to_string()))?;
        let exhibit = Self {
            id: setup.id.clone(),
            dir: dir.to_owned(),
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            game,
            start: Start { game, variant, position: None },
            openings: loaded.openings.as_deref().map_or(Vec::new(), Openings::texts),
            store,
            home,
            file,
            runtime: runtime.clone(),
            seen: Mutex::new(Seen {
                follower,
                played: false,
                statuses: 0,
                status: None,
                next: Instant::now(),
                views: VecDeque::new(),
                live: None,
            }),
            versions: watch::Sender::default(),
            asked_at: Mutex::new(Instant::now()),
        };
        exhibit.look()?;
        Ok(exhibit)
    }

    /// Lets go of its file.
    pub fn close(self) {
        let _ = self.runtime.block_on(self.store.close());
    }

    /// Whether its folder still holds the file that is read here.
    pub fn is_there(&self) -> bool {
        OpenFolder::is_one(&self.dir) && identity(&self.dir) == self.file
    }

    /// Whether a process plays it, here or, where its store is on a server, anywhere.
    fn is_played(&self) -> Result<bool, FolderError> {
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        Ok(is_played(&self.dir) || self.runtime.block_on(self.store.is_held()).map_err(failed)?)
    }

    /// Somebody asks for it.
    pub fn touch(&self) {
        *lock(&self.asked_at) = Instant::now();
    }

    /// When somebody asked for it last.
    pub fn asked_at(&self) -> Instant {
        *lock(&self.asked_at)
    }

    /// Reads what is new, and tells who waits for it.
    pub fn look(&self) -> Result<(), FolderError> {
        // Before the store: what was kept before its end is read then.
        let played = self.is_played()?;
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let mut seen = lock(&self.seen);
        let extent = self.runtime.block_on(self.store.extent()).map_err(failed)?;
        if extent.statuses != seen.statuses {
            let text = self.runtime.block_on(self.store.status()).map_err(failed)?;
            seen.status = text.and_then(|text| serde_json::from_str(&text).ok());
            seen.statuses = extent.statuses;
        }
        let now = Instant::now();
        let before = seen.follower.extent();
        let grown = (before.attempts, before.events, before.players)
            != (extent.attempts, extent.events, extent.players);
        // While it is played results may wait a little for others; when it is left all are there.
        if grown && (now >= seen.next || !played) {
            self.runtime.block_on(seen.follower.catch_up(extent))?;
            seen.rest(now);
        }
        seen.played = played;
        let versions = seen.versions();
        let told = self.versions.borrow().clone();
        if told.view != versions.view {
            seen.views.clear();
        }
        if told.live != versions.live {
            seen.live = None;
        }
        // Still held: of two who look the later one tells last.
        self.versions.send_if_modified(|known| {
            let changed = *known != versions;
            *known = versions;
            changed
        });
        Ok(())
    }

    /// Waits until it is no longer at this version.
    pub async fn left(&self, part: Part, since: &str) {
        let mut versions = self.versions.subscribe();
        let changed = |versions: &Versions| match part {
            Part::View => versions.view != since,
            Part::Live => versions.live != since,
        };
        // Whoever tells is this value itself.
        let _ = versions.wait_for(changed).await;
    }

    /// Err: such games cannot be wanted of it.
    pub fn check(&self, filter: &Filter) -> Answer<()> {
        let players = lock(&self.seen).follower.loaded().players.len();
        match filter.players.iter().find(|player| **player as usize >= players) {
            Some(player) => {
                let detail =
                    format!("there is no player {player}: there are {players}, counted from 0");
                Err(Problem::bad("player", detail))
            }
            None => Ok(()),
        }
    }

    /// It in the list.
    pub fn card(&self) -> ArenaCard {
        let seen = lock(&self.seen);
        let loaded = seen.follower.loaded();
        let survey = self.survey(&seen);
        let progress = survey.progress();
        ArenaCard {
            id: self.id.clone(),
            name: self.name.clone(),
            game: loaded.setup.game.clone(),
            variant: loaded.setup.variant.clone(),
            format: loaded.setup.schedule,
            state: survey.state(),
            created_at: loaded.setup.created_at.clone(),
            players: loaded.players.iter().map(|player| player.name.clone()).collect(),
            pairs: progress.pairs,
            pairs_left: progress.pairs_left,
            running: seen.played,
        }
    }

    /// [`ArenaTold`] of the games that are wanted, as JSON.
    pub fn told(&self, filter: &Filter) -> Answer<Bytes> {
        let mut seen = lock(&self.seen);
        if let Some((_, told)) = seen.views.iter().find(|(of, _)| of == filter) {
            return Ok(told.clone());
        }
        let since = Instant::now();
        let view = self.survey(&seen).view(filter);
        let told = json(&ArenaTold { version: seen.versions().view, view })?;
        seen.rest(since);
        if seen.views.len() >= VIEWS {
            seen.views.pop_front();
        }
        seen.views.push_back((filter.clone(), told.clone()));
        Ok(told)
    }

    /// All that is counted of the games that are wanted.
    pub fn view(&self, filter: &Filter) -> View {
        let mut seen = lock(&self.seen);
        let since = Instant::now();
        let view = self.survey(&seen).view(filter);
        seen.rest(since);
        view
    }

    /// [`LiveTold`] as JSON.
    pub fn live(&self) -> Answer<Bytes> {
        let mut seen = lock(&self.seen);
        if let Some(told) = &seen.live {
            return Ok(told.clone());
        }
        let playing = seen.status.as_ref().filter(|_| seen.played);
        let games = playing.map_or(&[][..], |status| &status.games);
        let games = games.iter().filter_map(|game| board(&self.start, game)).collect();
        let told = json(&LiveTold { version: seen.versions().live, games })?;
        seen.live = Some(told.clone());
        Ok(told)
    }

    /// Games of it, the latest first.
    pub fn games(&self, query: &Query) -> Result<Vec<Listed>, FolderError> {
        let found = self.runtime.block_on(self.store.games(query));
        found.map_err(|error| FolderError::Store { dir: self.dir.clone(), error })
    }

    /// Games of it in the order of the schedule, after this one; none: from the first on.
    pub fn games_after(
        &self,
        game: Option<GameKey>,
        limit: u32,
    ) -> Result<Vec<Listed>, FolderError> {
        let found = self.runtime.block_on(self.store.games_after(game, limit));
        found.map_err(|error| FolderError::Store { dir: self.dir.clone(), error })
    }

    /// The record of a game; none: there is no such game.
    pub fn record(&self, game: GameKey) -> Result<Option<Vec<u8>>, FolderError> {
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let packed = self.runtime.block_on(self.store.record(game)).map_err(failed)?;
        let damaged = |error: std::io::Error| FolderError::Content {
            dir: self.dir.clone(),
            place: format!("the record of {}", game.name()),
            reason: error.to_string(),
        };
        packed.as_ref().map(Packed::unpack).transpose().map_err(damaged)
    }

    /// Asks whoever plays it to finish the games in play and begin none.
    pub fn stop(&self) -> Result<Answer<()>, FolderError> {
        if !self.is_played()? {
            return Ok(Err(Problem::new(Kind::Conflict, "nobody plays this arena")));
        }
        let failed = |error| FolderError::Store { dir: self.dir.clone(), error };
        let request = serde_json::to_string(&Request::Stop);
        let request = match request {
            Ok(request) => request,
            Err(error) => return Ok(Err(Problem::new(Kind::Internal, error))),
        };
        let asked = self.runtime.block_on(async {
            let store = self.home.open().await?;
            // Who asks twice is asked for once.
            let open = store.requests().await;
            let asked = match open {
                Ok(open) if open.iter().any(|it| it.what == request) => Ok(()),
                Ok(_) => store.ask(&request).await.map(drop),
                Err(error) => Err(error),
            };
            let _ = store.close().await;
            asked
        });
        asked.map(Ok).map_err(failed)
    }

    fn survey<'a>(&'a self, seen: &'a Seen) -> Survey<'a> {
        let loaded = seen.follower.loaded();
        Survey {
            name: &self.name,
            game: self.game,
            setup: &loaded.setup,
            players: &loaded.players,
            openings: &self.openings,
            ledger: &loaded.ledger,
            is_played: seen.played,
            status: seen.status.as_ref(),
        }
    }
}

impl Seen {
    /// What began then has taken its time: results may grow meanwhile.
    fn rest(&mut self, since: Instant) {
        let now = Instant::now();
        let took = now.saturating_duration_since(since);
        let pause = READ_EVERY.max(took.saturating_mul(READ_SHARE - 1));
        self.next = self.next.max(now + pause);
    }

    fn versions(&self) -> Versions {
        let extent = self.follower.extent();
        let status = self.status.as_ref().filter(|_| self.played);
        let goes_on = match (self.played, status.is_some_and(|status| status.stopping)) {
            (false, _) => "open",
            (true, false) => "running",
            (true, true) => "stopping",
        };
        // How many are in play is told with what is counted; what happens in them is not.
        let playing = status.map_or(0, |status| status.games.len());
        let (attempts, events, players) = (extent.attempts, extent.events, extent.players);
        let live = if self.played { self.statuses } else { -1 };
        Versions {
            view: format!("{attempts}.{events}.{players}.{playing}.{goes_on}"),
            live: live.to_string(),
        }
    }
}

fn json(told: &impl Serialize) -> Answer<Bytes> {
    let failed = |error| Problem::new(Kind::Internal, format!("it cannot be told: {error}"));
    serde_json::to_vec(told).map(Bytes::from).map_err(failed)
}

/// What tells the file of an arena from another one in its place, where the system has such a thing.
fn identity(dir: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let about = std::fs::metadata(Home::file(dir)).ok()?;
        Some((about.dev(), about.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = dir;
        None
    }
}

/// Whether an id is one that addresses can hold.
fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
