//! Tests of arenas with engines that the host stops: which pairs become void, and when the session
//! ends instead.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup};
use sandboard_games::DynGame;
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SprtSetup, Verdict};

use super::*;
use sandboard_arena_plan::ArenaSetup;
use sandboard_arena_plan::fixture::setup;
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
    /// The number of further instances that fail to start.
    failing: AtomicU32,
}

impl Source {
    fn new(stopped: u32, failing: u32) -> Arc<Self> {
        Arc::new(Self { stopped: AtomicU32::new(stopped), failing: AtomicU32::new(failing) })
    }
}

/// Counts down; whether it had not reached 0.
fn count_down(number: &AtomicU32) -> bool {
    let decrement = |left: u32| left.checked_sub(1);
    number.fetch_update(Ordering::SeqCst, Ordering::SeqCst, decrement).is_ok()
}

struct FirstMove {
    game: Option<Box<dyn DynGame>>,
    stopped: bool,
    control: StopHandle,
}

fn start() -> StartPosition {
    let game = sandboard_games::Games::default().find("reversi").unwrap();
    StartPosition::new(game, game.variant("standard-8").unwrap(), None)
}

impl EngineSource for Source {
    fn open(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        if count_down(&self.failing) {
            return Err(Fault::new(FaultCode::Load, "is broken"));
        }
        let stopped = count_down(&self.stopped);
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

/// The arena of a setup, whose players' engines come from these sources.
fn arena(setup: &ArenaSetup, sources: &[Arc<Source>]) -> Arena {
    let player = |(contestant, source): (&Contestant, &Arc<Source>)| {
        let engine = EnginePlayer::new(source.clone(), contestant.engine.clone());
        let Contestant { name, budget, .. } = contestant.clone();
        ArenaPlayer { name, budget, engine, ponders: false }
    };
    let players = RwLock::new(setup.players.iter().zip(sources).map(player).collect());
    let conditions = Conditions::new(start(), Vec::new(), setup.plan(), BoutSettings::default());
    Arena { id: setup.id.clone(), conditions: conditions.unwrap(), players }
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
    let sources: Vec<Arc<Source>> = stopped.iter().map(|it| Source::new(*it, 0)).collect();
    let arena = arena(&setup, &sources);
    for (void, ended, games) in expected {
        let folder = ArenaFolder::open(&dir).unwrap();
        let ledger = folder.load().unwrap().ledger;
        let (queue, stop, mut void_pairs) =
            (Threads::new(concurrency), Stop::default(), VoidPairs::default());
        let (player_source, observer) = (&mut () as &mut dyn PlayerSource, &mut void_pairs);
        let (queue, stop, ends_at_failed_starts) = (&queue, &stop, true);
        let session = Session { queue, stop, ends_at_failed_starts, player_source, observer };
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

/// Plays a match with a sequential test in which the first instances of each player fail to start.
/// Expected: how the session ends, and the verdict of the test if it is fixed.
fn check_failing(
    failing: [u32; 2],
    ends_at_failed_starts: bool,
    expected: (&str, Option<Verdict>),
) {
    let test =
        SprtSetup { model: EloModel::Normalized, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    let setup =
        ArenaSetup { sprt: Some(test), ..setup(Format::Match { pairs: 60 }, &["p0", "p1"]) };
    let temporary = tempfile::tempdir().unwrap();
    let folder = ArenaFolder::create(temporary.path(), None, &setup, None).unwrap();
    let arena = arena(&setup, &failing.map(|failing| Source::new(0, failing)));
    let (queue, stop) = (&Threads::new(1), &Stop::default());
    let (player_source, observer) = (&mut () as &mut dyn PlayerSource, &mut ());
    let session = Session { queue, stop, ends_at_failed_starts, player_source, observer };
    let (ledger, found) = run(&arena, &folder, Ledger::new(&setup).unwrap(), session);
    let found = found.map_or_else(|error| error.to_string(), |()| "complete".into());
    assert!(found.starts_with(expected.0), "{failing:?}: {found}");
    assert!(!ledger.counted_results().pairs.is_empty());
    let verdict = ledger.test().unwrap().1.verdict;
    assert_eq!(expected.1.unwrap_or(verdict), verdict, "{failing:?}");
}

#[test]
fn an_engine_that_never_starts_ends_the_session_and_decides_no_test() {
    const ALWAYS: u32 = 1 << 20;
    let third = "p1 failed to start in 3 games in a row: game pair-000002-1: p1 (white) loses: it is \
                 broken";
    check_failing([0, ALWAYS], true, (third, Some(Verdict::Open)));
    let always = "p0 failed to start in 3 games in a row";
    check_failing([ALWAYS, 0], true, (always, Some(Verdict::Open)));
    // A contest continues. All games are lost, and the test counts none of them.
    check_failing([0, ALWAYS], false, ("complete", Some(Verdict::Open)));
    // After two failed starts it plays.
    check_failing([0, 2], true, ("complete", None));
}
