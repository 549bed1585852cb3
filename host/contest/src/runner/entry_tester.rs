//! Tests entries and plays trials.

use std::collections::BTreeMap;

use sandboard_games::SetupError;
use sandboard_tournament::schedule::Pair;

use super::{ATTEMPTS, Runner, RunnerContext, RunnerError};
use crate::folder::{ContestFolder, now_ms};
use crate::pipeline::{Observer, Pipeline, Report, STAGES, StageReport};
use crate::roster::{Version, version_name};
use crate::similarity::{Baseline, Fingerprint, Flags, PROPERTY, flags, house_copies};
use crate::store::{Submission, Trial, Write};
use crate::test_seed::test_seed;
use sandboard_arena::store::PackedRecord;
use sandboard_arena_plan::{ArenaPlayer, Conditions, Plan};
use sandboard_bout::driver::NullObserver;
use sandboard_bout::start::StartPosition;
use sandboard_contest_rules::State;
use sandboard_contest_rules::arena_rules::settings;
use sandboard_contest_rules::seed_commitment::{arena_seed, arena_seed_key, roster_hash};

/// How many of the latest entries are compared with each other; this takes about a second.
const COMPARED: u32 = 300;
/// The label from which the seeds of trials derive.
const TRIALS: &str = "trials";

/// Tests entries, one after the other.
pub(super) struct EntryTester<'a> {
    context: &'a RunnerContext<'a>,
    /// How often entries ended undecided in this session.
    undecided: BTreeMap<i64, u32>,
}

impl<'a> EntryTester<'a> {
    pub(super) fn new(context: &'a RunnerContext<'a>) -> Self {
        Self { context, undecided: BTreeMap::new() }
    }

    pub(super) fn work(mut self) {
        self.context.work(|| self.step());
    }

    fn step(&mut self) -> Result<bool, RunnerError> {
        let folder = self.context.runner.folder;
        let entries = folder.wait(folder.store().entries(None))?;
        // Undecided entries come last.
        let order = |entry: &&Submission| {
            (self.undecided.get(&entry.number).copied().unwrap_or(0), entry.number)
        };
        let Some(entry) = entries.iter().filter(|entry| entry.waits()).min_by_key(order) else {
            return Ok(false);
        };
        self.test(entry)?;
        Ok(true)
    }

    fn test(&mut self, entry: &Submission) -> Result<(), RunnerError> {
        let Runner { folder, loader, house, bounds, observer, .. } = *self.context.runner;
        let rival = |(player, engine): &(sandboard_arena_plan::Contestant, _)| ArenaPlayer {
            name: player.name.clone(),
            budget: folder.contest().budget,
            engine: sandboard_bout::driver::EnginePlayer::clone(engine),
            ponders: false,
        };
        let pipeline = Pipeline {
            contest: folder.contest(),
            loader,
            house: house.iter().map(rival).collect(),
            seed: test_seed(&folder.founding().seed, entry.number, &entry.sha256),
            bounds,
        };
        let Some(module) = folder.wait(folder.store().module(&entry.sha256))? else {
            observer.note(&format!("the module of entry {} is lost", entry.number));
            let (number, state, at_ms) = (entry.number, State::Undecided, now_ms());
            let judged =
                Write::EntryTested { number, state, report: None, fingerprint: None, at_ms };
            return Ok(folder.wait(folder.store().commit(&[judged]))?);
        };
        let mut recorder =
            StageRecorder { folder, entry, sha256: &entry.sha256, stages: Vec::new() };
        let report = pipeline.run(&module, &mut recorder).map_err(RunnerError::Temporary)?;
        let undecided_tests = self.undecided.entry(entry.number).or_default();
        *undecided_tests += u32::from(report.undecided);
        let state = match (report.accepted, report.undecided) {
            (true, _) => State::Accepted,
            (false, false) => State::Refused,
            // The entry is not at fault, and its next test may succeed.
            (false, true) if *undecided_tests < ATTEMPTS => entry.state,
            // An accepted entry stays accepted.
            (false, true) if entry.may_play() => State::Accepted,
            (false, true) => State::Undecided,
        };
        if !matches!(state, State::Waiting | State::Retrying) {
            *undecided_tests = 0;
        }
        let judged = Write::EntryTested {
            number: entry.number,
            state,
            report: Some(serde_json::to_string(&report).unwrap_or_default()),
            fingerprint: matches!(state, State::Accepted | State::Retrying)
                .then(|| Fingerprint::of_file(&module, loader.load_caps()).ok())
                .flatten()
                .and_then(|fingerprint| serde_json::to_string(&fingerprint).ok()),
            at_ms: now_ms(),
        };
        // The state may have changed meanwhile, for example by a suspension; it is not overwritten.
        let now = folder.wait(folder.store().entry(entry.number))?.map(|it| it.state);
        if now == Some(entry.state) {
            folder.wait(folder.store().commit(&[judged]))?;
        }
        observer.entry_tested(entry, &report);
        if report.accepted { flag(self.context.runner) } else { Ok(()) }
    }
}

/// Stores each stage of an entry's first test when it ends, so that the entrant can follow it.
struct StageRecorder<'a> {
    folder: &'a ContestFolder,
    entry: &'a Submission,
    sha256: &'a str,
    stages: Vec<StageReport>,
}

impl Observer for StageRecorder<'_> {
    fn ended(&mut self, report: &StageReport) {
        self.stages.push(report.clone());
        // In a repeated test, the old report stays until the new one is complete.
        if self.entry.state != State::Waiting || self.stages.len() == STAGES.len() {
            return;
        }
        let report = Report {
            sha256: self.sha256.to_owned(),
            bytes: self.entry.bytes,
            engine: String::new(),
            accepted: false,
            undecided: false,
            stages: self.stages.clone(),
        };
        let judged = Write::EntryTested {
            number: self.entry.number,
            state: State::Waiting,
            report: Some(serde_json::to_string(&report).unwrap_or_default()),
            fingerprint: None,
            at_ms: now_ms(),
        };
        if let Err(error) = self.folder.wait(self.folder.store().commit(&[judged])) {
            log::warn!("a stage of entry {} could not be stored: {error}", self.entry.number);
        }
    }
}

/// Compares the accepted entries with each other. Flags of earlier entries stay.
fn flag(runner: &Runner<'_>) -> Result<(), RunnerError> {
    let Runner { folder, house_fingerprints, .. } = *runner;
    let store = folder.store();
    let baseline = Baseline::new(house_fingerprints.iter().map(|(_, fingerprint)| fingerprint));
    let mut entries = folder.wait(store.entries(None))?;
    let known = folder.wait(store.fingerprints(COMPARED))?.into_iter();
    let fingerprints: BTreeMap<i64, Fingerprint> = known
        .filter_map(|(number, text)| Some((number, serde_json::from_str(&text).ok()?)))
        .collect();
    let mut similar = flags(&baseline, &entries, &fingerprints);
    let mut house_copies = house_copies(house_fingerprints, &entries, &fingerprints);
    let before = folder.wait(store.property(PROPERTY))?;
    let before: Flags =
        before.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let is_old = |numbers: &[i64]| numbers.iter().any(|it| !fingerprints.contains_key(it));
    entries.retain(Submission::may_play);
    let play = |numbers: &[i64]| {
        numbers.iter().all(|number| entries.iter().any(|entry| entry.number == *number))
    };
    let stays = |numbers: &[i64]| is_old(numbers) && play(numbers);
    similar.extend(before.similar.into_iter().filter(|flag| stays(&flag.entries)));
    house_copies.extend(before.house_copies.into_iter().filter(|copy| stays(&[copy.entry])));
    let found = Flags { similar, house_copies };
    let text = serde_json::to_string(&found).unwrap_or_default();
    Ok(folder.wait(store.commit(&[Write::Property { name: PROPERTY.into(), text }]))?)
}

/// Plays trials, one after the other.
pub(super) fn play_trials(context: &RunnerContext<'_>) {
    context.work(|| {
        let folder = context.runner.folder;
        let trials = folder.wait(folder.store().trials(None))?;
        let Some(trial) = trials.into_iter().find(|trial| trial.sentence.is_none()) else {
            return Ok(false);
        };
        let (sentence, record) = match play(context, &trial)? {
            Ok((sentence, record)) => (sentence, Some(record)),
            Err(reason) => (format!("the trial could not be played: {reason}"), None),
        };
        let played =
            Write::TrialPlayed { number: trial.number, sentence: sentence.clone(), record };
        folder.wait(folder.store().commit(&[played]))?;
        context.entry_loader.log_quota.store()?;
        context.runner.observer.trial_played(&trial, &sentence);
        Ok(true)
    });
}

/// Plays a trial. Returns the result as a sentence, and the record; the inner error is a sentence.
fn play(
    context: &RunnerContext<'_>,
    trial: &Trial,
) -> Result<Result<(String, PackedRecord), String>, RunnerError> {
    let folder = context.runner.folder;
    let entries = folder.wait(folder.store().entries(Some(&trial.entrant)))?;
    let Some(entry) = entries.iter().find(|entry| entry.number == trial.entry) else {
        return Ok(Err(format!("there is no entry {}", trial.entry)));
    };
    let version = Version {
        name: version_name(&entries, entry),
        entrant: entry.entrant.clone(),
        entry: entry.number,
        sha256: entry.sha256.clone(),
    };
    let house = context.entry_loader.house.iter().find(|(player, _)| player.name == trial.house);
    let Some((_, house)) = house else {
        return Ok(Err(format!("the house engine `{}` is missing", trial.house)));
    };
    let own = match context.entry_loader.load(&version) {
        Ok((_, engine)) => engine,
        Err(refused) => return Ok(Err(refused.sentence)),
    };
    let budget = folder.contest().budget;
    let rival =
        |name: &str, engine| ArenaPlayer { name: name.into(), budget, engine, ponders: false };
    let rivals = [rival(&version.name, own), rival(&trial.house, house.clone())];
    let contest_seed = &folder.founding().seed;
    // Trials have no roster.
    let roster = roster_hash(&[]);
    let seed = arena_seed(contest_seed, TRIALS, roster);
    let seed_key = Some(arena_seed_key(contest_seed, TRIALS, roster));
    let openings = context.runner.openings.len() as u32;
    let shares_chance = context.runner.folder.contest().game.features.chance;
    let plan = Plan { openings, seed, seed_key, shares_chance };
    let conditions = match conditions(context.runner, plan) {
        Ok(conditions) => conditions,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let number = u32::try_from(trial.number).unwrap_or(u32::MAX);
    let pair = Pair { number, round: 0, players: [0, 1].into(), opening: number };
    let job = conditions.plan.jobs(pair)[usize::from(trial.side & 1)];
    let setup = match conditions.bout(&job, &rivals) {
        Ok(setup) => setup,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let report = match sandboard_bout::driver::run(setup, None, &mut NullObserver) {
        Ok(report) => report,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let record = PackedRecord::pack(&serde_json::to_vec(&report.record).unwrap_or_default());
    let sentence = report.result.map_or_else(|| "the bout is unfinished".into(), |it| it.sentence);
    Ok(Ok((sentence, record)))
}

/// The common conditions of an arena's games.
pub(super) fn conditions(runner: &Runner<'_>, plan: Plan) -> Result<Conditions, SetupError> {
    let contest = runner.folder.contest();
    let start = StartPosition::new(contest.game, contest.variant.clone(), None);
    Conditions::for_two(start, runner.openings.clone(), plan, settings())
}
