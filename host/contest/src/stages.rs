//! The stages of a test ([`pipeline`](super::pipeline)).

use sandboard_games::Side;
use sandboard_tournament::schedule::Pair;

use super::entry_loader;
use super::pipeline::{Bounds, Refusal, StageResult, Work};
use sandboard_analysis::check::{CheckSettings, CheckTarget, Finding, StepOutcome};
use sandboard_arena_plan::{ArenaPlayer, Conditions, Plan};
use sandboard_bout::driver::{EnginePlayer, NullObserver};
use sandboard_bout::query::{PositionQuery, checked_move};
use sandboard_bout::referee::{BoutResult, BoutSettings, Termination};
use sandboard_bout::start::StartPosition;
use sandboard_common::text::counted;
use sandboard_engine::FaultCode;
use sandboard_packs::catalog::inspect_bytes;
use sandboard_packs::manifest::ModuleKind;

/// The number of bouts.
const BOUTS: u32 = 3;
/// The longest bout of a test, in plies.
const PLIES_MAX: u32 = 120;
/// The most fuel for the first move on the contest's own budget.
const FIRST_MOVE_FUEL_MAX: u64 = 2_000_000_000;
/// The steps that apply to every engine. If one of them is skipped, nothing was checked.
const REQUIRED_STEPS: [&str; 5] = ["module", "description", "starts", "answers", "games"];
/// The steps of `sandboard check` that matter in a contest, where no options are set, no moves are
/// taken back, no engine ponders, and only fuel is counted.
const STEPS: [u8; 13] = [1, 2, 3, 4, 6, 7, 8, 11, 12, 13, 14, 15, 16];

pub(super) fn finding(
    sentence: String,
    request: &str,
    response: &str,
    expected: &str,
    advice: &str,
) -> Finding {
    let [request, response, expected, advice] =
        [request, response, expected, advice].map(str::to_owned);
    Finding { sentence, request, response, expected, advice }
}

/// The finding for a test that exceeds its time limit.
pub(super) fn time_limit_exceeded(bounds: &Bounds) -> Finding {
    let seconds = bounds.time_limit.as_secs();
    finding(
        format!("its test takes more than {seconds} s here"),
        "all stages up to this one",
        "not finished in time; the fuel was within the test's limits so far",
        "an engine that starts and answers within milliseconds, on an idle machine",
        "try again on an idle machine; duration_ms of each stage shows where the time went; data that takes long to compute in \
         `start` belongs in the module",
    )
}

pub(super) fn size(work: &mut Work<'_>) -> StageResult {
    let (bytes, most) = (work.bytes.len() as u64, work.pipeline.contest.entry_bytes);
    if bytes <= most {
        return Ok((format!("{bytes} of at most {most} bytes"), Vec::new()));
    }
    Err(Refusal::of(finding(
        format!("it is {bytes} bytes long, {} too many", bytes - most),
        "the length of the file",
        &format!("{bytes} bytes"),
        &format!("at most {most} bytes"),
        "build it in release mode and strip names (`sandboard build` does, or wasm-opt -Oz and wasm-strip)",
    )))
}

pub(super) fn format(work: &mut Work<'_>) -> StageResult {
    let facts = inspect_bytes(work.bytes, ModuleKind::Wasm, work.pipeline.loader.load_caps());
    if facts.faults.is_empty() {
        return Ok(("it uses only the ABI and is within all caps".into(), Vec::new()));
    }
    let found = |wrong: &String| {
        finding(
            format!("it {wrong}"),
            "the header, imports, exports and sizes of the file",
            &format!("a file that {wrong}"),
            "a WebAssembly component of the ABI `sandboard:engine`, or a core module with the ABI's canonical names",
            help_for(wrong),
        )
    };
    let findings: Vec<Finding> = facts.faults.iter().map(found).collect();
    let sentence = findings.first().map_or_else(String::new, |first| first.sentence.clone());
    Err(Box::new(Refusal { sentence, findings, is_void: false }))
}

/// The usual cause of a format error, and what to do.
fn help_for(wrong: &str) -> &'static str {
    let has = |word: &str| wrong.contains(word);
    if has("core WebAssembly module") {
        "sandboard build makes a component; docs/languages.md has the names that a core module needs"
    } else if has("wasi") {
        "targets with a system bring WASI along (wasm32-wasip1, wasip2, TinyGo, wasi-sdk): build for \
         wasm32-unknown-unknown, as `sandboard build` does"
    } else if has("imports") {
        "an engine may import only the ABI: docs/authoring.md lists it"
    } else if has("proposal") {
        "build without that target feature (for Rust: -C target-feature=-NAME)"
    } else {
        "docs/limits.md has all caps, docs/authoring.md how to build"
    }
}

pub(super) fn compile(work: &mut Work<'_>) -> StageResult {
    let contest = work.pipeline.contest;
    let module = work.folder.path().join("entry.wasm");
    let written = std::fs::write(&module, work.bytes).and_then(|()| std::fs::canonicalize(&module));
    let module = written.map_err(|error| {
        Refusal::void(finding(
            format!("it cannot be written for its test: {error}"),
            "write it to a temporary file",
            &error.to_string(),
            "a disk with room",
            "the machine is at fault: try again",
        ))
    })?;
    let bytes = (work.sha256.as_str(), work.bytes.len() as u64);
    work.entry = entry_loader::catalog_entry(contest, "entry", bytes, module);
    let description = work.load()?.description.clone();
    let (game, variant) = (contest.game, contest.variant.text());
    let plays = description.games.iter().filter(|spec| spec.game == game.id);
    let mut declared = plays.flat_map(|spec| &spec.variants);
    if declared.any(|declared| game.covers(declared, &contest.variant)) {
        let (id, version) = (&description.id, &description.version);
        return Ok((
            format!("compiled; it is {id} {version} and plays {} {variant}", game.id),
            Vec::new(),
        ));
    }
    let games = description
        .games
        .iter()
        .map(|spec| format!("{} ({})", spec.game, spec.variants.join(", ")));
    let games = games.collect::<Vec<_>>().join("; ");
    Err(Refusal::of(finding(
        format!("it does not report that it plays {} {variant}", game.id),
        "describe",
        &format!("it plays {games}"),
        &format!("{} with a variant that covers {variant}", game.id),
        "name the game and its variant in the engine's description: docs/authoring.md",
    )))
}

pub(super) fn compliance(work: &mut Work<'_>) -> StageResult {
    let contest = work.pipeline.contest;
    let settings = CheckSettings {
        game: Some(contest.game.id.into()),
        variant: Some(contest.variant.text()),
        seed: work.pipeline.seed,
        options: Vec::new(),
        fixed_options: Vec::new(),
        budget: work.game_budget(),
        only: STEPS.to_vec(),
        rerun_command: "sandboard check".into(),
        analyse_command: "sandboard analyse".into(),
        test_budget: Some(work.test_budget.clone()),
    };
    struct NullObserver;
    impl sandboard_analysis::check::CheckObserver for NullObserver {}
    let subject = CheckTarget { entry: &work.entry, loader: work.pipeline.loader };
    let reports = sandboard_analysis::check::run(&subject, &settings, &mut NullObserver);
    let of = |outcome: StepOutcome| reports.iter().filter(move |report| report.outcome == outcome);
    let findings = of(StepOutcome::Failed).chain(of(StepOutcome::Warned)).flat_map(|report| {
        report.findings.iter().map(|finding| Finding {
            sentence: format!("step {}, {}: {}", report.number, report.name, finding.sentence),
            advice: format!("docs/check.md, step {}", report.number),
            ..finding.clone()
        })
    });
    let findings: Vec<Finding> = findings.collect();
    let (failed, warned) = (of(StepOutcome::Failed).count(), of(StepOutcome::Warned).count());
    let steps = counted(reports.len(), "step");
    if failed > 0 {
        let sentence = format!("it failed {failed} of {steps}");
        return Err(Box::new(Refusal { sentence, findings, is_void: false }));
    }
    if work.test_budget.is_over() {
        return Err(Refusal::void(time_limit_exceeded(&work.pipeline.bounds)));
    }
    // Not the entry's fault; for example, the system refused something.
    if let Some(report) =
        of(StepOutcome::Skipped).find(|report| REQUIRED_STEPS.contains(&report.name))
    {
        let step = format!("step {}, {}", report.number, report.name);
        return Err(void(&report.sentence, &step));
    }
    Ok((format!("{steps}, {warned} with a warning"), findings))
}

fn player(work: &Work<'_>) -> Option<EnginePlayer> {
    let loaded = work.loaded.as_ref()?;
    Some(entry_loader::player(loaded, &work.entry.id, &work.sha256))
}

/// The refusal if no earlier stage has loaded the entry, which is the host's fault.
fn not_loaded() -> Box<Refusal> {
    Refusal::void(finding(
        "the entry is no longer loaded".into(),
        "the entry",
        "nothing",
        "the entry loaded by an earlier stage",
        "this is a bug of the host: inform the organiser",
    ))
}

fn start(work: &Work<'_>) -> StartPosition {
    let contest = work.pipeline.contest;
    StartPosition::new(contest.game, contest.variant.clone(), None)
}

pub(super) fn budget(work: &mut Work<'_>) -> StageResult {
    let player = player(work).ok_or_else(not_loaded)?;
    let budget = work.pipeline.contest.budget.at_most_per_move(FIRST_MOVE_FUEL_MAX);
    let asked = format!("a first move on {budget}");
    let refuse = |what: String| {
        Refusal::of(finding(
            format!("it chooses no first move on {budget}: {what}"),
            &asked,
            &what,
            "a legal move within the budget",
            "docs/fuel.md; `left()` returns the remaining fuel of a move",
        ))
    };
    let conditions = conditions(work).map_err(|reason| void(&reason, &asked))?;
    let job = conditions.plan.jobs(pair(0))[0];
    let game = conditions.start_of(&job).set_up().map_err(|error| refuse(error.to_string()))?;
    let query = PositionQuery { engine: player, budget, seed: work.pipeline.seed };
    let answer = query.run(&*game, &[]).answer.map_err(|fault| match fault.code {
        FaultCode::Host => void(&fault.sentence, &asked),
        _ => refuse(fault.sentence),
    })?;
    let fuel = answer.spent.fuel.unwrap_or(0);
    let chosen =
        checked_move(&*game, &answer.choice, &[]).map_err(|fault| refuse(fault.sentence))?;
    let chosen = chosen.ok_or_else(|| refuse("it resigns".into()))?;
    Ok((format!("it chose {chosen} with {fuel} units of {budget}"), Vec::new()))
}

fn pair(number: u32) -> Pair {
    Pair { number, round: 0, players: [0, 1].into(), opening: number }
}

fn conditions(work: &Work<'_>) -> Result<Conditions, String> {
    let settings = BoutSettings { undo: false, plies_max: PLIES_MAX, ..BoutSettings::default() };
    let seed = work.pipeline.seed;
    let plan = Plan { openings: 0, seed, seed_key: None, shares_chance: false };
    Conditions::for_two(start(work), Vec::new(), plan, settings).map_err(|error| error.to_string())
}

pub(super) fn bouts(work: &mut Work<'_>) -> StageResult {
    let engine = player(work).ok_or_else(not_loaded)?;
    let budget = work.game_budget();
    let own = ArenaPlayer { name: "entry".into(), budget, engine, ponders: false };
    let conditions = conditions(work).map_err(|reason| void(&reason, "a bout"))?;
    let (mut points, mut plies) = (0_u32, 0);
    let mut against: Vec<&str> = Vec::new();
    for number in 0..BOUTS {
        let house = &work.pipeline.house;
        let rival = house.get(number as usize % house.len().max(1)).unwrap_or(&own);
        let rival = ArenaPlayer { budget, ..rival.clone() };
        let name = match house.get(number as usize % house.len().max(1)) {
            Some(rival) => rival.name.as_str(),
            None => "itself",
        };
        // It sits on each side in turn.
        let job = conditions.plan.jobs(pair(number))[number as usize % 2];
        let asked = format!("bout {} of {BOUTS} against {name}, on {budget}", number + 1);
        if work.test_budget.is_over() {
            return Err(Refusal::void(time_limit_exceeded(&work.pipeline.bounds)));
        }
        let setup = conditions.bout(&job, &[own.clone(), rival]);
        let setup = setup.map_err(|error| void(&error.to_string(), &asked))?;
        let report = sandboard_bout::driver::run(setup, None, &mut NullObserver);
        let report = report.map_err(|error| void(&error.to_string(), &asked))?;
        plies += report.record.plies.len();
        let result = report.result.ok_or_else(|| void("the bout has no result", &asked))?;
        let side = job.side_of(0);
        let owns_both = house.is_empty();
        points += u32::from(bout_half_points(&result, side, owns_both, &asked)?);
        if !against.contains(&name) {
            against.push(name);
        }
    }
    let against = against.join(", ");
    let half = if points % 2 == 1 { "½" } else { "" };
    let points = points / 2;
    Ok((format!("{points}{half} of {BOUTS} points against {against} in {plies} moves"), Vec::new()))
}

/// The half points of the entry in a bout. Fails if the bout ended by its fault (against itself: by
/// any fault), or does not count.
fn bout_half_points(
    result: &BoutResult,
    side: u8,
    owns_both: bool,
    asked: &str,
) -> Result<u8, Box<Refusal>> {
    let by_fault = matches!(
        result.termination,
        Termination::Timeout | Termination::IllegalMove | Termination::Fault { .. }
    );
    if by_fault && (owns_both || result.winner != Some(side)) {
        return Err(Refusal::of(finding(
            format!("it caused a fault in a bout: {}", result.sentence),
            asked,
            &result.sentence,
            "an end by the rules",
            "play the same bout: sandboard arena match ENTRY OTHER --contest --budget fuel:2e7/move --pairs 2",
        )));
    }
    result.half_points(Side(side)).ok_or_else(|| void(&result.sentence, asked))
}

/// The refusal for a failure that is not the entry's fault.
fn void(reason: &str, asked: &str) -> Box<Refusal> {
    Refusal::void(finding(
        format!("the result is undecided: {reason}"),
        asked,
        reason,
        "a result that depends on the entry",
        "the entry is probably not at fault: try again",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(termination: Termination, winner: Option<u8>, side: u8, expected: Result<u8, &str>) {
        check_of(termination, winner, (side, false), expected);
    }

    fn check_of(
        termination: Termination,
        winner: Option<u8>,
        (side, owns_both): (u8, bool),
        expected: Result<u8, &str>,
    ) {
        let result =
            BoutResult { winner, termination, scores: Vec::new(), sentence: "a sentence".into() };
        let found = bout_half_points(&result, side, owns_both, "bout 1");
        let found = found.map_err(|refusal| refusal.sentence);
        assert_eq!(found, expected.map_err(str::to_owned), "{result:?}, side {side}");
    }

    #[test]
    fn a_fault_in_a_bout_is_attributed() {
        let rules = || Termination::Rules { rule: "five in a row".into() };
        let fault = || Termination::Fault { fault: FaultCode::Crash };
        check(rules(), Some(0), 0, Ok(2));
        check(rules(), Some(0), 1, Ok(0));
        check(rules(), None, 1, Ok(1));
        check(Termination::PlyLimit, None, 0, Ok(1));
        // The opponent's fault is a win.
        check(fault(), Some(1), 1, Ok(2));
        let own = Err("it caused a fault in a bout: a sentence");
        // Against itself, every fault is its own.
        check_of(fault(), Some(1), (1, true), own);
        check_of(rules(), Some(1), (1, true), Ok(2));
        check(fault(), Some(1), 0, own);
        check(Termination::Timeout, Some(0), 1, own);
        check(Termination::IllegalMove, Some(0), 1, own);
        check(Termination::Resignation, Some(0), 1, Ok(0));
        check(Termination::Aborted, None, 0, Err("the result is undecided: a sentence"));
    }

    #[test]
    fn test_games_spend_at_most_the_contest_budget() {
        let check = |budget: &str, expected: &str| {
            let budget: sandboard_engine::Budget = budget.parse().unwrap();
            assert_eq!(budget.at_most_per_move(20_000_000).to_string(), expected);
        };
        check("fuel:1e6/move", "fuel:1e6/move");
        check("fuel:2e7/move", "fuel:2e7/move");
        check("fuel:20000001/move", "fuel:2e7/move");
        check("fuel:1e9+1e6", "fuel:2e7/move");
        check("fuel:1e6+1e4", "fuel:1e6/move");
        check("fuel:1e9/move,depth:3", "fuel:2e7/move,depth:3");
    }
}
