//! The queue of one machine: threads of this process, each of which takes a game, plays it and hands it in.

use super::queue::{Desk, JobQueue, Played};
use super::{ATTEMPTS, Arena, CONCURRENCY_MAX, Hopeless, RunError};
use crate::arena::job::Job;
use crate::arena::live::{Shower, Slot};
use crate::arena::outcome::GameResult;
use crate::arena::store::Packed;
use crate::arena::view::LiveGame;
use crate::bout::{BoutReport, Mover, Nobody};

/// Games are played here, so many at once.
pub struct Threads {
    slots: Vec<Slot>,
}

impl Threads {
    /// So many, from 1 to [`CONCURRENCY_MAX`].
    pub fn new(concurrency: usize) -> Self {
        let concurrency = concurrency.clamp(1, CONCURRENCY_MAX);
        Self { slots: (0..concurrency).map(|_| Slot::default()).collect() }
    }
}

impl JobQueue for Threads {
    fn serve(&self, desk: &Desk<'_>) {
        std::thread::scope(|scope| {
            for slot in &self.slots {
                scope.spawn(move || work(desk, slot));
            }
        });
    }

    fn concurrency(&self) -> usize {
        self.slots.len()
    }

    fn games(&self) -> Vec<LiveGame> {
        self.slots.iter().filter_map(Slot::look).collect()
    }
}

/// Plays games until there are none.
fn work(desk: &Desk<'_>, slot: &Slot) {
    let _guard = desk.guard();
    while let Some(job) = desk.next() {
        if let Err(error) = play(desk, slot, &job) {
            desk.give_back(job.key());
            desk.fail(error);
        }
    }
    slot.clear();
}

/// Plays a game until it has a result, and hands it in to be stored; one that has none is told of.
fn play(desk: &Desk<'_>, slot: &Slot, job: &Job) -> Result<(), RunError> {
    let (mut reason, mut blame) = (String::new(), Blame::default());
    for attempt in 1..=ATTEMPTS {
        let (report, stopped) = play_once(desk.arena(), job, slot)?;
        blame.add(stopped);
        let result = GameResult::of(&report.record, job).map(Box::new);
        let sentence = match &result {
            Some(result) => result.sentence.clone(),
            None => without_result(&report),
        };
        if result.is_none() {
            reason.clone_from(&sentence);
        }
        let record = Packed::of(&serde_json::to_vec(&report.record).unwrap_or_default());
        let done = result.is_some();
        desk.hand_in(Played { job: *job, result, sentence, record, worker: None, receipt: None });
        if done {
            return Ok(());
        }
        if attempt < ATTEMPTS {
            desk.again(job, &reason);
        }
    }
    let (blamed, shown) = blame.told(desk.arena(), job);
    desk.hopeless(Hopeless { job: *job, reason, blamed, shown });
    Ok(())
}

/// Whose engine it was that was stopped, each time.
#[derive(Default)]
pub(super) struct Blame {
    times: u32,
    always: Option<usize>,
}

impl Blame {
    pub fn add(&mut self, stopped: Option<usize>) {
        self.always =
            if self.times == 0 { stopped } else { self.always.filter(|it| Some(*it) == stopped) };
        self.times += 1;
    }

    /// Whose it was, and whether its opponent can play that game against itself: then it is not the machine.
    pub fn told(&self, arena: &Arena, job: &Job) -> (Option<usize>, bool) {
        let plays = |blamed: usize| {
            let mut setup = arena.bout(job).ok()?;
            let other = match &setup.players.get(1 - blamed)?.mover {
                Mover::Engine(other) => other.clone(),
                Mover::Person => return None,
            };
            setup.players.get_mut(blamed)?.mover = Mover::Engine(other);
            let report = crate::bout::run(setup, None, &mut Nobody).ok()?;
            GameResult::of(&report.record, job).map(drop)
        };
        (self.always, self.always.filter(|blamed| *blamed < 2).and_then(plays).is_some())
    }
}

/// Plays a game once, to a result or to none; and whose engine was stopped by the host.
pub fn play_once(
    arena: &Arena,
    job: &Job,
    slot: &Slot,
) -> Result<(BoutReport, Option<usize>), RunError> {
    let setup = arena.bout(job).map_err(|error| RunError::Exact { job: job.name(), error })?;
    let start = setup.start.position.clone();
    let mut shower = Shower { slot, job, start: start.as_deref(), stopped: None };
    let report = crate::bout::run(setup, None, &mut shower);
    let report = report.map_err(|error| RunError::Bout { job: job.name(), error })?;
    Ok((report, shower.stopped))
}

/// Why a bout without a result has none.
pub fn without_result(report: &BoutReport) -> String {
    match &report.result {
        Some(result) => result.sentence.clone(),
        None => "it is unfinished".into(),
    }
}
