//! One contest that is open: its store, what it asks, and its tables, which are made once for all who look.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use super::lock;
use super::table::Table;
use crate::arena::{Filter, FolderError, OpenFolder};
use crate::contest::desk::{Desk, Who};
use crate::contest::runner::{FINAL_PAPER, LADDER, OVER_PAPER};
use crate::contest::store::{Entrant, Founding, Store, StoreError, Submission};
use crate::contest::{CLOSES_PAPER, Contest, now_ms};
use crate::lock::FolderLock;
use crate::record::of_date;
use crate::server::arenas::Arenas;

/// How long tables are good; they take a tenth of all time at most.
const TABLES_EVERY: Duration = Duration::from_secs(2);
const TABLES_SHARE: u32 = 10;

/// See the [module](self).
pub struct Stage {
    /// Its id, which is the name of its folder.
    pub id: String,
    dir: PathBuf,
    /// What it keeps.
    pub store: Arc<dyn Store>,
    /// How it was made.
    pub founding: Founding,
    /// What it asks.
    pub contest: Contest,
    tables: Mutex<Option<(Instant, Arc<Vec<Table>>)>>,
}

impl Stage {
    /// The contest of a folder.
    pub fn new(
        id: &str,
        dir: &Path,
        store: Arc<dyn Store>,
        founding: Founding,
        contest: Contest,
    ) -> Self {
        let tables = Mutex::default();
        Self { id: id.to_owned(), dir: dir.to_owned(), store, founding, contest, tables }
    }

    /// Until when entries are taken, as it is now.
    pub async fn closes(&self) -> Result<Option<SystemTime>, StoreError> {
        let changed = self.store.paper(CLOSES_PAPER).await?;
        Ok(changed.map_or(self.contest.closes, |text| of_date(&text)))
    }

    /// The same, taking entries until then.
    pub fn closing(&self, closes: Option<SystemTime>) -> Self {
        let contest = Contest { closes, ..self.contest.clone() };
        Self::new(&self.id, &self.dir, self.store.clone(), self.founding.clone(), contest)
    }

    /// Where people are served, now.
    pub fn desk(&self) -> Desk<'_> {
        Desk { store: self.store.as_ref(), contest: &self.contest, now_ms: now_ms() }
    }

    /// Whose token this is; none: nobody's.
    pub async fn who(&self, token: &str) -> Result<Option<Who>, StoreError> {
        self.desk().who(&self.founding, token).await
    }

    /// Whether a process of this machine runs it.
    pub fn is_run(&self) -> bool {
        FolderLock::is_taken(&self.dir)
    }

    /// Since when all is played, as RFC 3339; none: it is not.
    pub async fn over_since(&self) -> Result<Option<String>, StoreError> {
        Ok(self.store.paper(OVER_PAPER).await?.filter(|since| !since.is_empty()))
    }

    /// The names of its arenas, the one that decides first.
    pub async fn arenas(&self) -> Result<Vec<String>, StoreError> {
        let named = self.store.paper(FINAL_PAPER).await?;
        let names = named.into_iter().chain([LADDER.to_owned()]);
        Ok(names.filter(|name| OpenFolder::is_one(&self.dir.join(name))).collect())
    }

    /// The folder of an arena of it.
    pub fn arena_dir(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The tables of these arenas of it. Blocks.
    pub fn tables(
        &self,
        arenas: &Arc<Arenas>,
        names: &[String],
        (entrants, entries): (&[Entrant], &[Submission]),
    ) -> Result<Arc<Vec<Table>>, FolderError> {
        // Held while they are made: whoever else asks waits for them.
        let mut kept = lock(&self.tables);
        let begin = Instant::now();
        if let Some((_, tables)) = kept.as_ref().filter(|(until, _)| begin < *until) {
            return Ok(tables.clone());
        }
        let mut tables = Vec::new();
        for name in names {
            let exhibit = arenas.opened(&self.arena_dir(name))?;
            let view = exhibit.view(&Filter::default());
            tables.push(Table::of(name, &view, entrants, entries));
        }
        let tables = Arc::new(tables);
        let now = Instant::now();
        let pause = TABLES_EVERY.max((now - begin).saturating_mul(TABLES_SHARE - 1));
        *kept = Some((now + pause, tables.clone()));
        Ok(tables)
    }
}
