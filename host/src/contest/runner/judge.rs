//! Tries entries, and plays unrated bouts.

use std::collections::BTreeMap;

use sandboard_games::SetupError;
use sandboard_tournament::schedule::Pair;

use super::{ATTEMPTS, Floor, Runner, RunnerError};
use crate::arena::store::Packed;
use crate::arena::{Conditions, Plan, Rival};
use crate::bout::Nobody;
use crate::contest::folder::{ContestFolder, now_ms};
use crate::contest::likeness::{Baseline, Fingerprint, Flag, PAPER, flags};
use crate::contest::lot::{arena_seal, arena_seed};
use crate::contest::pipeline::{Observer, Pipeline, Report, STAGES, StageReport};
use crate::contest::roster::{Version, version_name};
use crate::contest::store::{State, Submission, Trial, Write};
use crate::record::Start;
use crate::referee::Settings;

/// So many entries are compared with each other, the latest: it takes a second.
const COMPARED: u32 = 300;
/// What the chance of unrated bouts is drawn for.
const TRIALS: &str = "trials";
/// What the chance of every entry's test comes from: the same as at home.
const SEED: u64 = 1;

/// Tries entries, one after the other.
pub(super) struct Judge<'a> {
    floor: &'a Floor<'a>,
    /// How often entries ended undecided in this session.
    undecided: BTreeMap<i64, u32>,
}

impl<'a> Judge<'a> {
    pub fn new(floor: &'a Floor<'a>) -> Self {
        Self { floor, undecided: BTreeMap::new() }
    }

    pub fn work(mut self) {
        self.floor.work(|| self.step());
    }

    fn step(&mut self) -> Result<bool, RunnerError> {
        let folder = self.floor.runner.folder;
        let entries = folder.wait(folder.store().entries(None))?;
        // Who ended undecided lets others go first.
        let tried = |entry: &&Submission| {
            (self.undecided.get(&entry.number).copied().unwrap_or(0), entry.number)
        };
        let Some(entry) = entries.iter().filter(|entry| entry.waits()).min_by_key(tried) else {
            return Ok(false);
        };
        self.judge(entry)?;
        Ok(true)
    }

    fn judge(&mut self, entry: &Submission) -> Result<(), RunnerError> {
        let Runner { folder, loader, house, bounds, teller, baseline, .. } = *self.floor.runner;
        let rival = |(player, engine): &(crate::arena::Contestant, _)| Rival {
            name: player.name.clone(),
            budget: folder.contest().budget,
            engine: crate::bout::EnginePlayer::clone(engine),
            ponders: false,
        };
        let pipeline = Pipeline {
            contest: folder.contest(),
            loader,
            house: house.iter().map(rival).collect(),
            seed: SEED,
            bounds,
        };
        let Some(module) = folder.wait(folder.store().module(&entry.sha256))? else {
            teller.note(&format!("the bytes of entry {} are lost", entry.number));
            let (number, state, at_ms) = (entry.number, State::Undecided, now_ms());
            let judged = Write::Judged { number, state, report: None, fingerprint: None, at_ms };
            return Ok(folder.wait(folder.store().commit(&[judged]))?);
        };
        let mut notes = Notes { folder, entry, sha256: &entry.sha256, stages: Vec::new() };
        let report = pipeline.run(&module, &mut notes).map_err(RunnerError::Temporary)?;
        let tried = self.undecided.entry(entry.number).or_default();
        *tried += u32::from(report.undecided);
        let state = match (report.accepted, report.undecided) {
            (true, _) => State::Accepted,
            (false, false) => State::Refused,
            // What is no fault of the entry may be over by the next time.
            (false, true) if *tried < ATTEMPTS => entry.state,
            // One that was accepted before stays so.
            (false, true) if entry.may_play() => State::Accepted,
            (false, true) => State::Undecided,
        };
        if !matches!(state, State::Waiting | State::Retrying) {
            *tried = 0;
        }
        let judged = Write::Judged {
            number: entry.number,
            state,
            report: Some(serde_json::to_string(&report).unwrap_or_default()),
            fingerprint: matches!(state, State::Accepted | State::Retrying)
                .then(|| Fingerprint::of_file(&module, loader.load_caps()).ok())
                .flatten()
                .and_then(|fingerprint| serde_json::to_string(&fingerprint).ok()),
            at_ms: now_ms(),
        };
        // What was said of it meanwhile (it may play, and be stopped) is not said otherwise by this.
        let now = folder.wait(folder.store().entry(entry.number))?.map(|it| it.state);
        if now == Some(entry.state) {
            folder.wait(folder.store().commit(&[judged]))?;
        }
        teller.judged(entry, &report);
        if report.accepted { flag(folder, baseline) } else { Ok(()) }
    }
}

/// Keeps each stage of an entry's first test as it ends, so that its entrant can look on.
struct Notes<'a> {
    folder: &'a ContestFolder,
    entry: &'a Submission,
    sha256: &'a str,
    stages: Vec<StageReport>,
}

impl Observer for Notes<'_> {
    fn ended(&mut self, report: &StageReport) {
        self.stages.push(report.clone());
        // What was found of one that is tried again stays until something else is known.
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
        let judged = Write::Judged {
            number: self.entry.number,
            state: State::Waiting,
            report: Some(serde_json::to_string(&report).unwrap_or_default()),
            fingerprint: None,
            at_ms: now_ms(),
        };
        if let Err(error) = self.folder.wait(self.folder.store().commit(&[judged])) {
            log::warn!("a stage of entry {} is not told yet: {error}", self.entry.number);
        }
    }
}

/// Compares the entries that play with each other. What was found of earlier ones stays.
fn flag(folder: &ContestFolder, baseline: &Baseline) -> Result<(), RunnerError> {
    let store = folder.store();
    let mut entries = folder.wait(store.entries(None))?;
    let known = folder.wait(store.fingerprints(COMPARED))?.into_iter();
    let fingerprints: BTreeMap<i64, Fingerprint> = known
        .filter_map(|(number, text)| Some((number, serde_json::from_str(&text).ok()?)))
        .collect();
    let mut found = flags(baseline, &entries, &fingerprints);
    let before = folder.wait(store.paper(PAPER))?;
    let before: Vec<Flag> =
        before.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let is_old = |flag: &Flag| flag.entries.iter().any(|it| !fingerprints.contains_key(it));
    entries.retain(Submission::may_play);
    let plays = |flag: &Flag| {
        flag.entries.iter().all(|number| entries.iter().any(|entry| entry.number == *number))
    };
    found.extend(before.into_iter().filter(|flag| is_old(flag) && plays(flag)));
    let text = serde_json::to_string(&found).unwrap_or_default();
    Ok(folder.wait(store.commit(&[Write::Paper { name: PAPER.into(), text }]))?)
}

/// Plays unrated bouts, one after the other.
pub(super) fn tries(floor: &Floor<'_>) {
    floor.work(|| {
        let folder = floor.runner.folder;
        let trials = folder.wait(folder.store().trials(None))?;
        let Some(trial) = trials.into_iter().find(|trial| trial.sentence.is_none()) else {
            return Ok(false);
        };
        let (sentence, record) = match play(floor, &trial)? {
            Ok((sentence, record)) => (sentence, Some(record)),
            Err(reason) => (format!("it could not be played: {reason}"), None),
        };
        let tried = Write::Tried { number: trial.number, sentence: sentence.clone(), record };
        folder.wait(folder.store().commit(&[tried]))?;
        floor.runner.teller.tried(&trial, &sentence);
        Ok(true)
    });
}

/// Plays an unrated bout: how it ended, and its record; the inner error is a sentence.
fn play(floor: &Floor<'_>, trial: &Trial) -> Result<Result<(String, Packed), String>, RunnerError> {
    let folder = floor.runner.folder;
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
    let house = floor.squad.house.iter().find(|(player, _)| player.name == trial.house);
    let Some((_, house)) = house else {
        return Ok(Err(format!("`{}`, of the house, is not here", trial.house)));
    };
    let own = match floor.squad.load(&version) {
        Ok((_, engine)) => engine,
        Err(refused) => return Ok(Err(refused.sentence)),
    };
    let budget = folder.contest().budget;
    let rival = |name: &str, engine| Rival { name: name.into(), budget, engine, ponders: false };
    let rivals = [rival(&version.name, own), rival(&trial.house, house.clone())];
    let drawn = &folder.founding().seed;
    let (seed, seal) = (arena_seed(drawn, TRIALS), Some(arena_seal(drawn, TRIALS)));
    let plan = Plan { openings: floor.runner.openings.len() as u32, seed, seal };
    let conditions = match conditions(floor.runner, plan) {
        Ok(conditions) => conditions,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let number = u32::try_from(trial.number).unwrap_or(u32::MAX);
    let pair = Pair { number, round: 0, players: [0, 1], opening: number };
    let job = conditions.plan.jobs(pair)[usize::from(trial.side & 1)];
    let setup = match conditions.bout(&job, &rivals) {
        Ok(setup) => setup,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let report = match crate::bout::run(setup, None, &mut Nobody) {
        Ok(report) => report,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let record = Packed::of(&serde_json::to_vec(&report.record).unwrap_or_default());
    let sentence = report.result.map_or_else(|| "it is unfinished".into(), |it| it.sentence);
    Ok(Ok((sentence, record)))
}

/// What the games of an arena of the contest have in common.
pub(super) fn conditions(runner: &Runner<'_>, plan: Plan) -> Result<Conditions, SetupError> {
    let contest = runner.folder.contest();
    let start = Start { game: contest.game, variant: contest.variant.clone(), position: None };
    Conditions::new(start, runner.openings.clone(), plan, settings())
}

/// The rules of every bout of a contest: as usual, but nobody is there to take a move back.
pub(super) fn settings() -> Settings {
    Settings { undo: false, ..Settings::default() }
}
