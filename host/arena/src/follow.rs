//! Reads an arena again and again while another process may be playing it, and reads only what was
//! added. Plays and writes nothing. Its state is always what [`load`] would return.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{FolderError, LoadedArena, count, load};
use super::store::{Store, StoreError, StoreExtent};

/// The state of an arena, as far as it was read.
pub struct Follower {
    store: Arc<dyn Store>,
    dir: PathBuf,
    extent: StoreExtent,
    loaded: LoadedArena,
}

impl Follower {
    /// Reads everything except the records. Errors name `dir`.
    pub async fn new(store: Arc<dyn Store>, dir: &Path) -> Result<Self, FolderError> {
        // Results added between the two reads are read again later; a game is counted only once.
        let extent = store.extent().await.map_err(|error| refused(dir, error))?;
        let loaded = load_all(&*store, dir).await?;
        Ok(Self { store, dir: dir.to_owned(), extent, loaded })
    }

    /// The state that was read.
    pub fn loaded(&self) -> &LoadedArena {
        &self.loaded
    }

    /// How much the store held when it was read. Later additions may be in the state, too.
    pub fn extent(&self) -> StoreExtent {
        self.extent
    }

    /// Reads what was added; `extent` is the current size of the store. After an error the state is
    /// unchanged.
    pub async fn catch_up(&mut self, extent: StoreExtent) -> Result<(), FolderError> {
        let store = self.store.clone();
        let failed = |error| refused(&self.dir, error);
        if !same_rules(extent, self.extent) {
            return self.reload().await;
        }
        let fresh = store.accepted_after(self.extent.attempts).await.map_err(failed)?;
        // A schedule change is stored before the games that depend on it.
        if !same_rules(store.extent().await.map_err(failed)?, self.extent) {
            return self.reload().await;
        }
        if count(&mut self.loaded.ledger, &self.loaded.setup, &fresh).is_err() {
            // Loading everything reports the error.
            return self.reload().await;
        }
        self.extent = extent;
        Ok(())
    }

    async fn reload(&mut self) -> Result<(), FolderError> {
        let extent = self.store.extent().await.map_err(|error| refused(&self.dir, error))?;
        self.loaded = load_all(&*self.store, &self.dir).await?;
        self.extent = extent;
        Ok(())
    }
}

fn refused(dir: &Path, error: StoreError) -> FolderError {
    FolderError::Store { dir: dir.to_owned(), error }
}

/// Whether the schedule has not changed and nothing was withdrawn.
fn same_rules(one: StoreExtent, other: StoreExtent) -> bool {
    let rules = |it: StoreExtent| (it.events, it.players, it.excluded);
    rules(one) == rules(other)
}

async fn load_all(store: &dyn Store, dir: &Path) -> Result<LoadedArena, FolderError> {
    let mut loaded = load(store, dir).await?;
    // A player that joins is stored before the event that admits it.
    loaded.players.truncate(loaded.ledger.schedule().player_count() as usize);
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sandboard_tournament::schedule::{Change, Event, Format};

    use super::*;
    use crate::fixture::{Step, attempt};
    use crate::store::{FILE, Sqlite, Write};
    use sandboard_arena_plan::fixture::{contestant, setup};

    /// Games are played in this many pairs, the first of the schedule.
    const PLAYED: u32 = 4;

    /// The observable state.
    fn seen(loaded: &LoadedArena) -> String {
        let ledger = &loaded.ledger;
        let names: Vec<&str> = loaded.players.iter().map(|it| it.name.as_str()).collect();
        let forecast = ledger.forecast();
        format!("{names:?} {} {forecast:?} {:?}", ledger.not_counted(), ledger.counted_results())
    }

    /// Plays games of a round robin in any order, some without a result or twice; then a player
    /// joins or leaves. After each group the follower's state must equal that of a fresh load.
    fn check(groups: &[Vec<Step>]) {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Arc::new(Sqlite::open(&folder.path().join(FILE)).await.unwrap());
            let setup = setup(Format::RoundRobin { cycles: 2 }, &["a", "b", "c"]);
            store.create(&serde_json::to_string(&setup).unwrap(), None).await.unwrap();
            let mut follower = Follower::new(store.clone(), folder.path()).await.unwrap();
            for group in groups {
                let mut writes = Vec::new();
                for step in group {
                    writes.extend(writes_of(step, &setup, follower.loaded(), &writes));
                }
                store.commit(&writes).await.unwrap();
                let extent = store.extent().await.unwrap();
                follower.catch_up(extent).await.unwrap();
                let fresh = load(&*store, folder.path()).await.unwrap();
                assert_eq!(seen(follower.loaded()), seen(&fresh), "{groups:?}");
                assert_eq!(follower.extent(), extent);
            }
            store.close().await.unwrap();
        });
    }

    fn writes_of(
        step: &Step,
        setup: &sandboard_arena_plan::ArenaSetup,
        loaded: &LoadedArena,
        before: &[Write],
    ) -> Vec<Write> {
        let mut schedule = loaded.ledger.schedule().clone();
        // Changes apply after every pair in which games may be played.
        while schedule.first_unstarted() < PLAYED && schedule.take().is_some() {}
        let event = |change| Event { from_pair: schedule.first_unstarted(), change };
        let number = (schedule.events().len()) as u32;
        let changed = before.iter().any(|write| matches!(write, Write::Event { .. }));
        let (event, player) = match step {
            Step::Game { pair, game, half_points } => {
                return vec![attempt(setup, *pair, *game, *half_points)];
            }
            // One change at a time, since the next event's number depends on it.
            Step::Join | Step::Leave(_) if changed => return Vec::new(),
            Step::Join => {
                let joined = contestant(&format!("joined {number}"));
                let about = serde_json::to_string(&joined).unwrap();
                let player = loaded.players.len() - setup.players.len();
                let player = Write::Player { number: player as u32, json: about };
                (event(Change::Join(joined.entrant())), Some(player))
            }
            Step::Leave(player) => (event(Change::Withdraw(*player)), None),
        };
        if schedule.apply(event).is_err() {
            return Vec::new();
        }
        let event = serde_json::to_string(&event).unwrap();
        player.into_iter().chain([Write::Event { number, json: event }]).collect()
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
        #![proptest_config(ProptestConfig {
            cases: 24,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_follower_equals_a_fresh_load(
            groups in proptest::collection::vec(proptest::collection::vec(step(), 0..5), 1..6),
        ) {
            check(&groups);
        }
    }

    #[tokio::test]
    async fn a_damaged_result_is_an_error_and_keeps_the_state() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Sqlite::open(&folder.path().join(FILE)).await.unwrap());
        let setup = setup(Format::Match { pairs: 3 }, &["a", "b"]);
        store.create(&serde_json::to_string(&setup).unwrap(), None).await.unwrap();
        let games = [0, 1].map(|game| attempt(&setup, 0, game, Some(2)));
        store.commit(&games).await.unwrap();
        let mut follower = Follower::new(store.clone(), folder.path()).await.unwrap();
        let before = seen(follower.loaded());
        let mut other = setup.clone();
        other.id = "another".into();
        store.commit(&[attempt(&other, 1, 0, Some(2))]).await.unwrap();
        let error = follower.catch_up(store.extent().await.unwrap()).await.unwrap_err().to_string();
        assert!(error.contains("pair-000002-1: it is a game of another arena"), "{error}");
        assert_eq!(seen(follower.loaded()), before);
    }
}
