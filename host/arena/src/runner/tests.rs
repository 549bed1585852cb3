//! Tests of arenas with engines that the host stops: which pairs become void, and when the session
//! ends instead.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup};
use sandboard_games::DynGame;
use sandboard_tournament::schedule::Format;

use super::*;
use crate::fixture::setup;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{
    ChooseResponse, Engine, EngineSource, Fault, FaultCode, Listener, StopHandle, Usage,
};

/// A source of engines that play the first legal move. The host stops the first instances.
struct Source {
    /// The number of further instances that the host stops.
    stopped: AtomicU32,
}

struct FirstMove {
    game: Option<Box<dyn DynGame>>,
    stopped: bool,
    control: StopHandle,
}

fn start() -> StartPosition {
    let game = sandboard_games::game("reversi").unwrap();
    StartPosition { game, variant: game.variant("standard-8").unwrap(), position: None }
}

impl EngineSource for Source {
    fn open(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        let decrement = |left: u32| left.checked_sub(1);
        let stopped =
            self.stopped.fetch_update(Ordering::SeqCst, Ordering::SeqCst, decrement).is_ok();
        Ok(Box::new(FirstMove { game: None, stopped, control: StopHandle::default() }))
    }
}

impl Engine for FirstMove {
    fn start(&mut self, _: &Setup) -> Result<Usage, Fault> {
        self.game = Some(start().set_up().unwrap());
        Ok(Usage::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.game.as_mut().unwrap().play(mv).unwrap();
        Ok(())
    }

    fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
        unreachable!("no arena takes moves back")
    }

    fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<ChooseResponse, Fault> {
        if self.stopped {
            return Err(Fault::new(FaultCode::Host, "was stopped by the host's guard"));
        }
        let mut legal = String::new();
        self.game.as_ref().unwrap().write_legal(&mut legal);
        let first = legal.split_ascii_whitespace().next().unwrap().to_owned();
        let choice = Choice { decision: Decision::Play(first), line: None, offers_draw: false };
        Ok(ChooseResponse { choice, spent: Usage::default() })
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        Ok(Usage::default())
    }

    fn stop_handle(&self) -> StopHandle {
        self.control.clone()
    }
}

/// Records the void pairs.
#[derive(Default)]
struct VoidPairs(Vec<String>);

impl RunObserver for VoidPairs {
    fn pair_voided(&mut self, game: &UnresolvedGame) {
        self.0.push(format!("{} {:?}", game.job.pair.number, game.at_fault));
    }
}

/// Plays a round robin in which the host stops this many first instances of each player, then
/// resumes it without stops. Expected for both sessions: the void pairs, how the session ends, and
/// the number of counted games after loading the arena again.
fn check(stopped: &[u32], concurrency: usize, expected: [(&[&str], &str, u64); 2]) {
    let names: Vec<String> = (0..stopped.len()).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let setup = setup(Format::RoundRobin { cycles: 1 }, &names);
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("arena");
    drop(ArenaFolder::create(&dir, None, &setup, None).unwrap());
    let source = |stopped: &u32| Arc::new(Source { stopped: AtomicU32::new(*stopped) });
    let sources: Vec<Arc<Source>> = stopped.iter().map(source).collect();
    let player = |(contestant, source): (&Contestant, &Arc<Source>)| {
        let engine = EnginePlayer::new(source.clone(), contestant.engine.clone());
        let Contestant { name, budget, .. } = contestant.clone();
        ArenaPlayer { name, budget, engine, ponders: false }
    };
    let players = RwLock::new(setup.players.iter().zip(&sources).map(player).collect());
    let conditions = Conditions::new(start(), Vec::new(), setup.plan(), BoutSettings::default());
    let arena = Arena { id: setup.id.clone(), conditions: conditions.unwrap(), players };
    for (void, ended, games) in expected {
        let folder = ArenaFolder::open(&dir).unwrap();
        let ledger = folder.load().unwrap().ledger;
        let (queue, stop, mut void_pairs) =
            (Threads::new(concurrency), Stop::default(), VoidPairs::default());
        let (player_source, observer) = (&mut () as &mut dyn PlayerSource, &mut void_pairs);
        let session = Session { queue: &queue, stop: &stop, player_source, observer };
        let (_, found) = run(&arena, &folder, ledger, session);
        let found = found.map_or_else(|error| error.to_string(), |()| "complete".into());
        assert!(found.starts_with(ended), "{found}, not {ended}");
        void_pairs.0.sort();
        assert_eq!(void_pairs.0, void, "{stopped:?}");
        let reloaded = folder.load().unwrap().ledger;
        assert_eq!(reloaded.counted_results().pairs.len() as u64 * 2, games, "{stopped:?}");
        assert_eq!(reloaded.is_complete(), ended == "complete");
        sources.iter().for_each(|source| source.stopped.store(0, Ordering::SeqCst));
    }
}

#[test]
fn a_stopped_player_does_not_block_the_others() {
    const ALWAYS: u32 = 1 << 20;
    let done = |games| (&[] as &[&str], "complete", games);
    // Pairs: 0 is p0-p3, 1 is p1-p2, 2 is p0-p2, 3 is p3-p1, 4 is p0-p1, 5 is p2-p3.
    check(&[0, 0, 0, 0], 2, [done(12), done(12)]);
    // After temporary stops the games are replayed.
    check(&[0, 2, 0, 0], 1, [done(12), done(12)]);
    let void: &[&str] = &["1 Some(0)", "3 Some(1)", "4 Some(1)"];
    check(&[0, ALWAYS, 0, 0], 1, [(void, "complete", 6), done(6)]);
    check(&[0, ALWAYS, 0, 0], 4, [(void, "complete", 6), done(6)]);
}

#[test]
fn a_machine_that_cannot_play_makes_no_pair_void() {
    const ALWAYS: u32 = 1 << 20;
    let stopped = "game pair-00000";
    let nothing = (&[] as &[&str], stopped, 0);
    check(&[ALWAYS; 4], 1, [nothing, (&[], "complete", 12)]);
    check(&[ALWAYS; 4], 4, [nothing, (&[], "complete", 12)]);
    // With two players no other game can show that the machine works.
    check(&[ALWAYS; 2], 2, [nothing, (&[], "complete", 2)]);
    // The opponent can play against itself, so the machine works and the pair is void.
    let void: &[&str] = &["0 Some(0)"];
    check(&[ALWAYS, 0], 2, [(void, "complete", 0), (&[], "complete", 0)]);
}
