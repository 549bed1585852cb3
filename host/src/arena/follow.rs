//! An arena that somebody else may be playing, read again and again: of what was read before only what came since
//! is read. Plays nothing, and writes nothing; what it holds is what [`load`] would find.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{FolderError, Loaded, count, load};
use super::store::{Extent, Store, StoreError};

/// What was read of an arena so far.
pub struct Follower {
    store: Arc<dyn Store>,
    dir: PathBuf,
    extent: Extent,
    loaded: Loaded,
}

impl Follower {
    /// Reads everything but the records; `dir` is what errors name.
    pub async fn new(store: Arc<dyn Store>, dir: &Path) -> Result<Self, FolderError> {
        // What comes while it is read is read twice, and counts once.
        let extent = store.extent().await.map_err(|error| refused(dir, error))?;
        let loaded = whole(&*store, dir).await?;
        Ok(Self { store, dir: dir.to_owned(), extent, loaded })
    }

    /// What was read.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// How much the store held when it was read. What it held more may have been read, too.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Reads what came since; `extent` is how much the store holds now. After an error what was read before is as
    /// it was.
    pub async fn catch_up(&mut self, extent: Extent) -> Result<(), FolderError> {
        let store = self.store.clone();
        let failed = |error| refused(&self.dir, error);
        if !same_rules(extent, self.extent) {
            return self.begin_again().await;
        }
        let fresh = store.accepted_after(self.extent.attempts).await.map_err(failed)?;
        // A change is kept before what is played after it.
        if !same_rules(store.extent().await.map_err(failed)?, self.extent) {
            return self.begin_again().await;
        }
        if count(&mut self.loaded.ledger, &self.loaded.setup, &fresh).is_err() {
            // Reading all of it says what is wrong.
            return self.begin_again().await;
        }
        self.extent = extent;
        Ok(())
    }

    async fn begin_again(&mut self) -> Result<(), FolderError> {
        let extent = self.store.extent().await.map_err(|error| refused(&self.dir, error))?;
        self.loaded = whole(&*self.store, &self.dir).await?;
        self.extent = extent;
        Ok(())
    }
}

fn refused(dir: &Path, error: StoreError) -> FolderError {
    FolderError::Store { dir: dir.to_owned(), error }
}

/// Whether the same players are in the tournament, on the same terms, and nothing was withdrawn.
fn same_rules(one: Extent, other: Extent) -> bool {
    let rules = |it: Extent| (it.events, it.players, it.excluded);
    rules(one) == rules(other)
}

async fn whole(store: &dyn Store, dir: &Path) -> Result<Loaded, FolderError> {
    let mut loaded = load(store, dir).await?;
    // Who joins is kept before the change that lets him in.
    loaded.players.truncate(loaded.ledger.schedule().players() as usize);
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sandboard_tournament::schedule::{Change, Event, Format};

    use super::*;
    use crate::arena::fixture::{Step, attempt, contestant, setup};
    use crate::arena::store::{FILE, Sqlite, Write};

    /// Games are of so many pairs, the first of the schedule.
    const PLAYED: u32 = 4;

    /// What can be seen of it.
    fn seen(loaded: &Loaded) -> String {
        let ledger = &loaded.ledger;
        let names: Vec<&str> = loaded.players.iter().map(|it| it.name.as_str()).collect();
        let forecast = ledger.forecast();
        format!("{names:?} {} {forecast:?} {:?}", ledger.not_counted(), ledger.standing())
    }

    /// Games of a round robin in any order, some without a result or played twice; then somebody joins or leaves.
    /// After each group of them what is followed is what is read anew.
    fn check(groups: &[Vec<Step>]) {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Arc::new(Sqlite::open(&folder.path().join(FILE)).await.unwrap());
            let setup = setup(Format::RoundRobin { folds: 2 }, &["a", "b", "c"]);
            store.begin(&serde_json::to_string(&setup).unwrap(), None).await.unwrap();
            let mut follower = Follower::new(store.clone(), folder.path()).await.unwrap();
            for group in groups {
                let mut writes = Vec::new();
                for step in group {
                    writes.extend(written(step, &setup, follower.loaded(), &writes));
                }
                store.commit(&writes).await.unwrap();
                let extent = store.extent().await.unwrap();
                follower.catch_up(extent).await.unwrap();
                let anew = load(&*store, folder.path()).await.unwrap();
                assert_eq!(seen(follower.loaded()), seen(&anew), "{groups:?}");
                assert_eq!(follower.extent(), extent);
            }
            store.close().await.unwrap();
        });
    }

    fn written(
        step: &Step,
        setup: &crate::arena::ArenaSetup,
        loaded: &Loaded,
        before: &[Write],
    ) -> Vec<Write> {
        let mut schedule = loaded.ledger.schedule().clone();
        // What changes is behind every pair of which something may be played.
        while schedule.place() < PLAYED && schedule.take().is_some() {}
        let event = |change| Event { at: schedule.place(), change };
        let number = (schedule.events().len()) as u32;
        let changed = before.iter().any(|write| matches!(write, Write::Event { .. }));
        let (event, player) = match step {
            Step::Game { pair, game, half_points } => {
                return vec![attempt(setup, *pair, *game, *half_points)];
            }
            // One change at a time: the number of the next depends on it.
            Step::Join | Step::Leave(_) if changed => return Vec::new(),
            Step::Join => {
                let joined = contestant(&format!("joined {number}"));
                let about = serde_json::to_string(&joined).unwrap();
                let player = loaded.players.len() - setup.players.len();
                let player = Write::Player { number: player as u32, about };
                (event(Change::Join(joined.entrant())), Some(player))
            }
            Step::Leave(player) => (event(Change::Withdraw(*player)), None),
        };
        if schedule.apply(event).is_err() {
            return Vec::new();
        }
        let event = serde_json::to_string(&event).unwrap();
        player.into_iter().chain([Write::Event { number, event }]).collect()
    }

    fn step() -> impl Strategy<Value = Step> {
        let half_points = proptest::option::weighted(0.8, 0..3_u8);
        prop_oneof![
            12 => (0..PLAYED, 0..2_u8, half_points)
                .prop_map(|(pair, game, half_points)| Step::Game { pair, game, half_points }),
            1 => Just(Step::Join),
            1 => (0..3_u32).prop_map(Step::Leave),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_followed_is_what_is_read_anew(
            groups in proptest::collection::vec(proptest::collection::vec(step(), 0..5), 1..6),
        ) {
            check(&groups);
        }
    }

    #[tokio::test]
    async fn a_damaged_result_is_an_error_and_what_was_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Sqlite::open(&folder.path().join(FILE)).await.unwrap());
        let setup = setup(Format::Match { pairs: 3 }, &["a", "b"]);
        store.begin(&serde_json::to_string(&setup).unwrap(), None).await.unwrap();
        let games = [0, 1].map(|game| attempt(&setup, 0, game, Some(2)));
        store.commit(&games).await.unwrap();
        let mut follower = Follower::new(store.clone(), folder.path()).await.unwrap();
        let before = seen(follower.loaded());
        let mut other = setup.clone();
        other.id = "another".into();
        store.commit(&[attempt(&other, 1, 0, Some(2))]).await.unwrap();
        let wrong = follower.catch_up(store.extent().await.unwrap()).await.unwrap_err().to_string();
        assert!(wrong.contains("pair-000002-1: it is a game of another arena"), "{wrong}");
        assert_eq!(seen(follower.loaded()), before);
    }
}
