//! Arenas played by threads with engines that the host stops: what is void, and when a session ends instead.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup};
use sandboard_games::DynGame;
use sandboard_tournament::schedule::Format;

use super::*;
use crate::arena::fixture::setup;
use crate::bout::EnginePlayer;
use crate::engine::{Answer, Control, Engine, EngineSource, Fault, FaultCode, Listener, Spent};
use crate::record::Start;
use crate::referee::Settings;

/// Engines that play the first legal move, but that the host stops so many first instances of them.
struct Source {
    stopped: AtomicU32,
}

struct First {
    game: Option<Box<dyn DynGame>>,
    stopped: bool,
    control: Control,
}

fn start() -> Start {
    let game = sandboard_games::game("reversi").unwrap();
    Start { game, variant: game.variant("standard-8").unwrap(), position: None }
}

impl EngineSource for Source {
    fn open_for(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        let less = |left: u32| left.checked_sub(1);
        let stopped = self.stopped.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok();
        Ok(Box::new(First { game: None, stopped, control: Control::default() }))
    }
}

impl Engine for First {
    fn start(&mut self, _: &Setup) -> Result<Spent, Fault> {
        self.game = Some(start().set_up().unwrap());
        Ok(Spent::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.game.as_mut().unwrap().play(mv).unwrap();
        Ok(())
    }

    fn taken_back(&mut self, _: u32) -> Result<(), Fault> {
        unreachable!("no arena takes moves back")
    }

    fn choose(&mut self, _: &Limits, _: &[Barred]) -> Result<Answer, Fault> {
        if self.stopped {
            return Err(Fault::new(FaultCode::Host, "was stopped by the host's guard"));
        }
        let mut legal = String::new();
        self.game.as_ref().unwrap().write_legal(&mut legal);
        let first = legal.split_ascii_whitespace().next().unwrap().to_owned();
        let choice = Choice { decision: Decision::Play(first), line: None, offers_draw: false };
        Ok(Answer { choice, spent: Spent::default() })
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        Ok(Spent::default())
    }

    fn control(&self) -> Control {
        self.control.clone()
    }
}

/// Notes what is void.
#[derive(Default)]
struct Notes(Vec<String>);

impl Watcher for Notes {
    fn void(&mut self, game: &Hopeless) {
        self.0.push(format!("{} {:?}", game.job.pair.number, game.blamed));
    }
}

/// A round robin of players of whom the host stops so many first instances: who is void, how it ends, and how many games
/// count when it is read again; and once more, where it stops nobody any more.
fn check(stopped: &[u32], concurrency: usize, expected: [(&[&str], &str, u64); 2]) {
    let names: Vec<String> = (0..stopped.len()).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let setup = setup(Format::RoundRobin { folds: 1 }, &names);
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("arena");
    drop(ArenaFolder::create(&dir, None, &setup, None).unwrap());
    let source = |stopped: &u32| Arc::new(Source { stopped: AtomicU32::new(*stopped) });
    let sources: Vec<Arc<Source>> = stopped.iter().map(source).collect();
    let rival = |(contestant, source): (&Contestant, &Arc<Source>)| {
        let engine = EnginePlayer::new(source.clone(), contestant.engine.clone());
        let Contestant { name, budget, .. } = contestant.clone();
        Rival { name, budget, engine, ponders: false }
    };
    let players = RwLock::new(setup.players.iter().zip(&sources).map(rival).collect());
    let conditions = Conditions::new(start(), Vec::new(), setup.plan(), Settings::default());
    let arena = Arena { id: setup.id.clone(), conditions: conditions.unwrap(), players };
    for (void, ended, games) in expected {
        let folder = ArenaFolder::open(&dir).unwrap();
        let ledger = folder.load().unwrap().ledger;
        let (queue, stop, mut notes) =
            (Threads::new(concurrency), Stop::default(), Notes::default());
        let (recruiter, watcher) = (&mut () as &mut dyn Recruiter, &mut notes);
        let session = Session { queue: &queue, stop: &stop, recruiter, watcher };
        let (_, found) = run(&arena, &folder, ledger, session);
        let found = found.map_or_else(|error| error.to_string(), |()| "complete".into());
        assert!(found.starts_with(ended), "{found}, not {ended}");
        notes.0.sort();
        assert_eq!(notes.0, void, "{stopped:?}");
        let again = folder.load().unwrap().ledger;
        assert_eq!(again.standing().pairs.len() as u64 * 2, games, "{stopped:?}");
        assert_eq!(again.is_complete(), ended == "complete");
        sources.iter().for_each(|source| source.stopped.store(0, Ordering::SeqCst));
    }
}

#[test]
fn who_is_stopped_holds_up_nobody() {
    const EVER: u32 = 1 << 20;
    let done = |games| (&[] as &[&str], "complete", games);
    // Pairs: 0 is p0-p3, 1 is p1-p2, 2 is p0-p2, 3 is p3-p1, 4 is p0-p1, 5 is p2-p3.
    check(&[0, 0, 0, 0], 2, [done(12), done(12)]);
    // What passes by itself is played again.
    check(&[0, 2, 0, 0], 1, [done(12), done(12)]);
    let void: &[&str] = &["1 Some(0)", "3 Some(1)", "4 Some(1)"];
    check(&[0, EVER, 0, 0], 1, [(void, "complete", 6), done(6)]);
    check(&[0, EVER, 0, 0], 4, [(void, "complete", 6), done(6)]);
}

#[test]
fn a_machine_on_which_nothing_is_played_makes_nothing_void() {
    const EVER: u32 = 1 << 20;
    let stopped = "game pair-00000";
    let nothing = (&[] as &[&str], stopped, 0);
    check(&[EVER; 4], 1, [nothing, (&[], "complete", 12)]);
    check(&[EVER; 4], 4, [nothing, (&[], "complete", 12)]);
    // Nothing else is there to be played.
    check(&[EVER; 2], 2, [nothing, (&[], "complete", 2)]);
    // But an opponent that plays against itself.
    let void: &[&str] = &["0 Some(0)"];
    check(&[EVER, 0], 2, [(void, "complete", 0), (&[], "complete", 0)]);
}
