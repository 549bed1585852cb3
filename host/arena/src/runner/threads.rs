//! The job queue of one machine: threads of this process, each of which takes a game, plays it and
//! submits it.

use super::queue::{JobQueue, JobSource, PlayedGame};
use super::{ATTEMPTS, Arena, CONCURRENCY_MAX, RunError, UnresolvedGame};
use crate::dialogue::DialogueFolder;
use crate::live::{LiveObserver, LiveSlot};
use crate::store::PackedRecord;
use sandboard_arena_plan::{GameResult, Job, LiveGame};
use sandboard_bout::driver::{BoutReport, NullObserver};

/// Plays games on threads of this process.
pub struct Threads {
    slots: Vec<LiveSlot>,
    /// Where the dialogues of programs go; none: nowhere.
    dialogues: Option<DialogueFolder>,
}

impl Threads {
    /// Plays `concurrency` games at once, clamped to 1 to [`CONCURRENCY_MAX`].
    pub fn new(concurrency: usize) -> Self {
        let concurrency = concurrency.clamp(1, CONCURRENCY_MAX);
        let slots = (0..concurrency).map(|_| LiveSlot::default()).collect();
        Self { slots, dialogues: None }
    }

    /// The same, and what programs and the host send each other goes into this folder.
    pub fn with_dialogues(self, dialogues: Option<DialogueFolder>) -> Self {
        Self { dialogues, ..self }
    }
}

impl JobQueue for Threads {
    fn serve(&self, source: &JobSource<'_>) {
        std::thread::scope(|scope| {
            for slot in &self.slots {
                scope.spawn(move || play_all(source, slot, self.dialogues.as_ref()));
            }
        });
    }

    fn concurrency(&self) -> usize {
        self.slots.len()
    }

    fn games(&self) -> Vec<LiveGame> {
        self.slots.iter().filter_map(LiveSlot::latest_game).collect()
    }
}

/// Plays games until the source has no more.
fn play_all(source: &JobSource<'_>, slot: &LiveSlot, dialogues: Option<&DialogueFolder>) {
    let _guard = source.guard();
    while let Some(job) = source.next() {
        if let Err(error) = play(source, slot, &job, dialogues) {
            source.release(job.key());
            source.fail(error);
        }
    }
    slot.clear();
}

/// Plays a game until it has a result, and submits every attempt. Reports the game as unresolved
/// after [`ATTEMPTS`] attempts without a result.
fn play(
    source: &JobSource<'_>,
    slot: &LiveSlot,
    job: &Job,
    dialogues: Option<&DialogueFolder>,
) -> Result<(), RunError> {
    let (mut reason, mut attribution) = (String::new(), FaultAttribution::default());
    for attempt in 1..=ATTEMPTS {
        let (report, stopped_player) = play_once(source.arena(), job, slot, dialogues)?;
        attribution.add(stopped_player);
        let result = GameResult::from_record(&report.record, job).map(Box::new);
        let sentence = match &result {
            Some(result) => result.sentence.clone(),
            None => no_result_reason(&report),
        };
        if result.is_none() {
            reason.clone_from(&sentence);
        }
        let record = PackedRecord::pack(&serde_json::to_vec(&report.record).unwrap_or_default());
        let is_done = result.is_some();
        let (worker, on_commit) = (None, None);
        source.submit(PlayedGame { job: *job, result, sentence, record, worker, on_commit });
        if is_done {
            return Ok(());
        }
        if attempt < ATTEMPTS {
            source.report_replay(job, &reason);
        }
    }
    let (at_fault, opponent_played) = attribution.attribute(source.arena(), job);
    source.report_unresolved(UnresolvedGame { job: *job, reason, at_fault, opponent_played });
    Ok(())
}

/// Finds the player whose engine the host stopped in every attempt at a game.
#[derive(Default)]
pub(super) struct FaultAttribution {
    attempts: u32,
    always_stopped: Option<usize>,
}

impl FaultAttribution {
    /// Adds an attempt. `stopped` is the player of the pair whose engine the host stopped, if any.
    pub(super) fn add(&mut self, stopped: Option<usize>) {
        self.always_stopped = match self.attempts {
            0 => stopped,
            _ => self.always_stopped.filter(|player| Some(*player) == stopped),
        };
        self.attempts += 1;
    }

    /// The player at fault, and whether the game can be played with the engine of an opponent in
    /// its place. If it can, the machine is not at fault.
    pub(super) fn attribute(&self, arena: &Arena, job: &Job) -> (Option<usize>, bool) {
        let opponent_plays = |at_fault: usize| {
            let mut setup = arena.bout(job).ok()?;
            let players = setup.players.len().max(1);
            let opponent = setup.players.get((at_fault + 1) % players)?.engine.clone()?;
            setup.players.get_mut(at_fault)?.engine = Some(opponent);
            let report = sandboard_bout::driver::run(setup, None, &mut NullObserver).ok()?;
            GameResult::from_record(&report.record, job).map(drop)
        };
        (self.always_stopped, self.always_stopped.and_then(opponent_plays).is_some())
    }
}

/// Plays a game once, with or without a result. Also returns the player whose engine the host
/// stopped, if any.
pub(super) fn play_once(
    arena: &Arena,
    job: &Job,
    slot: &LiveSlot,
    dialogues: Option<&DialogueFolder>,
) -> Result<(BoutReport, Option<usize>), RunError> {
    let mut setup = arena.bout(job).map_err(|error| RunError::Exact { job: job.name(), error })?;
    if let Some(dialogues) = dialogues {
        dialogues.attach(&mut setup, job);
    }
    let start = setup.start.position.clone();
    let mut observer = LiveObserver { slot, job, start: start.as_deref(), stopped_player: None };
    let report = sandboard_bout::driver::run(setup, None, &mut observer);
    let report = report.map_err(|error| RunError::Bout { job: job.name(), error })?;
    Ok((report, observer.stopped_player))
}

/// Why a bout has no result.
pub fn no_result_reason(report: &BoutReport) -> String {
    match &report.result {
        Some(result) => result.sentence.clone(),
        None => "it is unfinished".into(),
    }
}
