//! What each stage of a [pipeline](super::pipeline) does with an entry.

use sandboard_games::Side;
use sandboard_tournament::schedule::Pair;

use super::pipeline::{Bounds, Refusal, Verdict, Work};
use super::squad;
use crate::arena::{Conditions, Plan, Rival};
use crate::ask::{Asker, checked};
use crate::bout::{EnginePlayer, Nobody};
use crate::catalog::inspect_bytes;
use crate::check::{Finding, Outcome, Settings as CheckSettings, Subject};
use crate::counted;
use crate::engine::FaultCode;
use crate::manifest::ModuleKind;
use crate::record::Start;
use crate::referee::{BoutResult, Settings, Termination};

/// So many bouts are played.
const BOUTS: u32 = 3;
/// After so many moves a bout is over: it has shown what it is to show.
const PLIES_MAX: u32 = 120;
/// The most fuel that the first move on the contest's own budget is given.
const FULL_FUEL: u64 = 2_000_000_000;
/// Those of them that ask something of every engine: a step that is skipped found nothing.
const ASKED: [&str; 5] = ["module", "description", "starts", "answers", "games"];
/// The steps of `sandboard check` that matter: in a contest nobody sets options, takes moves back, ponders, or counts
/// anything but fuel.
const STEPS: [u8; 13] = [1, 2, 3, 4, 6, 7, 8, 11, 12, 13, 14, 15, 16];

pub(super) fn finding(
    sentence: String,
    asked: &str,
    came_back: &str,
    expected: &str,
    help: &str,
) -> Finding {
    let [asked, came_back, expected, help] = [asked, came_back, expected, help].map(str::to_owned);
    Finding { sentence, asked, came_back, expected, help }
}

/// The time is over before the last stage.
pub(super) fn late(bounds: &Bounds) -> Finding {
    let seconds = bounds.patience.as_secs();
    finding(
        format!("its test takes more than {seconds} s here"),
        "all stages up to this one",
        "no end in time, though it has kept within the fuel of the test so far",
        "an engine that starts and answers within milliseconds, on a machine that lets it",
        "try again on a machine with less to do; took_ms of each stage says where the time went, and what takes long in \
         `start` belongs into the module as data",
    )
}

pub(super) fn size(work: &mut Work<'_>) -> Verdict {
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

pub(super) fn format(work: &mut Work<'_>) -> Verdict {
    let facts = inspect_bytes(work.bytes, ModuleKind::Wasm, work.pipeline.loader.load_caps());
    if facts.wrongs.is_empty() {
        return Ok(("it gets by with this border, within all caps".into(), Vec::new()));
    }
    let found = |wrong: &String| {
        finding(
            format!("it {wrong}"),
            "its first bytes, imports, exports, and how much it holds",
            &format!("a file that {wrong}"),
            "a WebAssembly component of the border `sandboard:engine`, or a core module with its names",
            help_for(wrong),
        )
    };
    let findings: Vec<Finding> = facts.wrongs.iter().map(found).collect();
    let sentence = findings.first().map_or_else(String::new, |first| first.sentence.clone());
    Err(Box::new(Refusal { sentence, findings, is_void: false }))
}

/// What usually causes it, and what to do.
fn help_for(wrong: &str) -> &'static str {
    let has = |word: &str| wrong.contains(word);
    if has("core WebAssembly module") {
        "sandboard build makes a component; docs/languages.md has the names that a core module needs"
    } else if has("wasi") {
        "a target with a system brings WASI along (wasm32-wasip1, wasip2, TinyGo, wasi-sdk): build for \
         wasm32-unknown-unknown, as `sandboard build` does"
    } else if has("imports") {
        "an engine gets nothing but the border: docs/authoring.md lists it"
    } else if has("proposal") {
        "build without that target feature (for Rust: -C target-feature=-NAME)"
    } else {
        "docs/limits.md has all caps, docs/authoring.md how to build"
    }
}

pub(super) fn compile(work: &mut Work<'_>) -> Verdict {
    let contest = work.pipeline.contest;
    let module = work.folder.path().join("entry.wasm");
    let written = std::fs::write(&module, work.bytes).and_then(|()| std::fs::canonicalize(&module));
    let module = written.map_err(|error| {
        Refusal::void(finding(
            format!("it cannot be kept for its test: {error}"),
            "write it to a temporary file",
            &error.to_string(),
            "a disk with room",
            "this is nobody's fault but the machine's: try again",
        ))
    })?;
    let bytes = (work.sha256.as_str(), work.bytes.len() as u64);
    work.entry = squad::catalog_entry(contest, "entry", bytes, module);
    let told = work.load()?.description.clone();
    let (game, variant) = (contest.game, contest.variant.text());
    let plays = told.games.iter().filter(|spec| spec.game == game.id);
    let mut declared = plays.flat_map(|spec| &spec.variants);
    if declared.any(|declared| game.covers(declared, &contest.variant)) {
        let (id, version) = (&told.id, &told.version);
        return Ok((
            format!("compiled; it is {id} {version} and plays {} {variant}", game.id),
            Vec::new(),
        ));
    }
    let games =
        told.games.iter().map(|spec| format!("{} ({})", spec.game, spec.variants.join(", ")));
    let games = games.collect::<Vec<_>>().join("; ");
    Err(Refusal::of(finding(
        format!("it does not say that it plays {} {variant}", game.id),
        "describe",
        &format!("it plays {games}"),
        &format!("{} with a variant that covers {variant}", game.id),
        "name the game and its variant in what the engine says of itself: docs/authoring.md",
    )))
}

pub(super) fn compliance(work: &mut Work<'_>) -> Verdict {
    let contest = work.pipeline.contest;
    let settings = CheckSettings {
        game: Some(contest.game.id.into()),
        variant: Some(contest.variant.text()),
        seed: work.pipeline.seed,
        options: Vec::new(),
        held: Vec::new(),
        budget: contest.budget.at_most_per_move(work.pipeline.bounds.fuel_per_move),
        only: STEPS.to_vec(),
        again: "sandboard check".into(),
        analyse: "sandboard analyse".into(),
        patience: Some(work.patience.clone()),
    };
    struct Silent;
    impl crate::check::Observer for Silent {}
    let subject = Subject { entry: &work.entry, loader: work.pipeline.loader };
    let reports = crate::check::run(&subject, &settings, &mut Silent);
    let of = |outcome: Outcome| reports.iter().filter(move |report| report.outcome == outcome);
    let findings = of(Outcome::Failed).chain(of(Outcome::Warned)).flat_map(|report| {
        report.findings.iter().map(|finding| Finding {
            sentence: format!("step {}, {}: {}", report.number, report.name, finding.sentence),
            help: format!("docs/check.md, step {}", report.number),
            ..finding.clone()
        })
    });
    let findings: Vec<Finding> = findings.collect();
    let (failed, warned) = (of(Outcome::Failed).count(), of(Outcome::Warned).count());
    let steps = counted(reports.len(), "step");
    if failed > 0 {
        let sentence = format!("it failed {failed} of {steps}");
        return Err(Box::new(Refusal { sentence, findings, is_void: false }));
    }
    if work.patience.is_over() {
        return Err(Refusal::void(late(&work.pipeline.bounds)));
    }
    // By no fault of the entry: what the system refuses, say.
    if let Some(report) = of(Outcome::Skipped).find(|report| ASKED.contains(&report.name)) {
        let step = format!("step {}, {}", report.number, report.name);
        return Err(void(&report.sentence, &step));
    }
    Ok((format!("{steps}, {warned} with a warning"), findings))
}

fn player(work: &Work<'_>) -> Option<EnginePlayer> {
    let loaded = work.loaded.as_ref()?;
    Some(squad::player(loaded, &work.entry.id, &work.sha256))
}

/// Stages before this one have loaded the entry; if not, the host is at fault.
fn not_loaded() -> Box<Refusal> {
    Refusal::void(finding(
        "the entry is not loaded any more".into(),
        "the entry",
        "nothing",
        "what the stage before has loaded",
        "this is a fault of the host: tell the organiser",
    ))
}

fn start(work: &Work<'_>) -> Start {
    let contest = work.pipeline.contest;
    Start { game: contest.game, variant: contest.variant.clone(), position: None }
}

pub(super) fn budget(work: &mut Work<'_>) -> Verdict {
    let player = player(work).ok_or_else(not_loaded)?;
    let budget = work.pipeline.contest.budget.at_most_per_move(FULL_FUEL);
    let asked = format!("a first move on {budget}");
    let wrong = |what: String| {
        Refusal::of(finding(
            format!("it chooses no first move on {budget}: {what}"),
            &asked,
            &what,
            "a legal move within the budget",
            "docs/fuel.md; `left()` says what is left of a move's fuel",
        ))
    };
    let conditions = conditions(work).map_err(|reason| void(&reason, &asked))?;
    let [job, _] = conditions.plan.jobs(pair(0));
    let game = conditions.start_of(&job).set_up().map_err(|error| wrong(error.to_string()))?;
    let asker = Asker { player, budget, seed: work.pipeline.seed };
    let answer = asker.ask(&*game, &[]).answer.map_err(|fault| match fault.code {
        FaultCode::Host => void(&fault.sentence, &asked),
        _ => wrong(fault.sentence),
    })?;
    let fuel = answer.spent.fuel.unwrap_or(0);
    let chosen = checked(&*game, &answer.choice, &[]).map_err(|fault| wrong(fault.sentence))?;
    let chosen = chosen.ok_or_else(|| wrong("it resigns".into()))?;
    Ok((format!("it chose {chosen} with {fuel} units of {budget}"), Vec::new()))
}

fn pair(number: u32) -> Pair {
    Pair { number, round: 0, players: [0, 1], opening: number }
}

fn conditions(work: &Work<'_>) -> Result<Conditions, String> {
    let settings = Settings { undo: false, plies_max: PLIES_MAX, ..Settings::default() };
    let plan = Plan { openings: 0, seed: work.pipeline.seed, seal: None };
    Conditions::new(start(work), Vec::new(), plan, settings).map_err(|error| error.to_string())
}

pub(super) fn bouts(work: &mut Work<'_>) -> Verdict {
    let engine = player(work).ok_or_else(not_loaded)?;
    let budget = work.pipeline.contest.budget.at_most_per_move(work.pipeline.bounds.fuel_per_move);
    let own = Rival { name: "entry".into(), budget, engine, ponders: false };
    let conditions = conditions(work).map_err(|reason| void(&reason, "a bout"))?;
    let (mut points, mut plies) = (0_u32, 0);
    let mut against: Vec<&str> = Vec::new();
    for number in 0..BOUTS {
        let house = &work.pipeline.house;
        let rival = house.get(number as usize % house.len().max(1)).unwrap_or(&own);
        let rival = Rival { budget, ..rival.clone() };
        let name = match house.get(number as usize % house.len().max(1)) {
            Some(rival) => rival.name.as_str(),
            None => "itself",
        };
        // It sits on each side in turn.
        let job = conditions.plan.jobs(pair(number))[number as usize % 2];
        let asked = format!("bout {} of {BOUTS} against {name}, on {budget}", number + 1);
        if work.patience.is_over() {
            return Err(Refusal::void(late(&work.pipeline.bounds)));
        }
        let setup = conditions.bout(&job, &[own.clone(), rival]);
        let setup = setup.map_err(|error| void(&error.to_string(), &asked))?;
        let report = crate::bout::run(setup, None, &mut Nobody);
        let report = report.map_err(|error| void(&error.to_string(), &asked))?;
        plies += report.record.plies.len();
        let result = report.result.ok_or_else(|| void("it has no result", &asked))?;
        let side = job.side_of(0);
        let owns_both = house.is_empty();
        points += u32::from(judged(&result, side, owns_both, &asked)?);
        if !against.contains(&name) {
            against.push(name);
        }
    }
    let against = against.join(", ");
    let half = if points % 2 == 1 { "½" } else { "" };
    let points = points / 2;
    Ok((format!("{points}{half} of {BOUTS} points against {against} in {plies} moves"), Vec::new()))
}

/// What a bout brought the entry, in half points; Err: it ended by its fault (against itself: by whosever), or does not
/// count.
fn judged(result: &BoutResult, side: u8, owns_both: bool, asked: &str) -> Result<u8, Box<Refusal>> {
    let by_fault = matches!(
        result.termination,
        Termination::Timeout | Termination::IllegalMove | Termination::Fault { .. }
    );
    if by_fault && (owns_both || result.winner != Some(side)) {
        return Err(Refusal::of(finding(
            format!("it did something wrong in a bout: {}", result.sentence),
            asked,
            &result.sentence,
            "an end by the rules",
            "play the same at home: sandboard arena match ENTRY OTHER --contest --budget fuel:2e7/move --pairs 2",
        )));
    }
    result.half_points(Side(side)).ok_or_else(|| void(&result.sentence, asked))
}

/// Something came to nothing, by no fault of the entry.
fn void(reason: &str, asked: &str) -> Box<Refusal> {
    Refusal::void(finding(
        format!("it cannot be told: {reason}"),
        asked,
        reason,
        "an end that says something of the entry",
        "by no fault of the entry, as far as can be told: try again",
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
        let result = BoutResult { winner, termination, score: None, sentence: "so it was".into() };
        let found = judged(&result, side, owns_both, "bout 1");
        let found = found.map_err(|refusal| refusal.sentence);
        assert_eq!(found, expected.map_err(str::to_owned), "{result:?}, side {side}");
    }

    #[test]
    fn who_is_to_blame_for_the_end_of_a_bout() {
        let rules = || Termination::Rules { rule: "five in a row".into() };
        let fault = || Termination::Fault { fault: FaultCode::Crash };
        check(rules(), Some(0), 0, Ok(2));
        check(rules(), Some(0), 1, Ok(0));
        check(rules(), None, 1, Ok(1));
        check(Termination::PlyLimit, None, 0, Ok(1));
        // The other one's fault is a win.
        check(fault(), Some(1), 1, Ok(2));
        let own = Err("it did something wrong in a bout: so it was");
        // Against itself it is nobody else's.
        check_of(fault(), Some(1), (1, true), own);
        check_of(rules(), Some(1), (1, true), Ok(2));
        check(fault(), Some(1), 0, own);
        check(Termination::Timeout, Some(0), 1, own);
        check(Termination::IllegalMove, Some(0), 1, own);
        check(Termination::Resignation, Some(0), 1, Ok(0));
        check(Termination::Aborted, None, 0, Err("it cannot be told: so it was"));
    }

    #[test]
    fn test_games_spend_no_more_than_the_contest_gives() {
        let check = |budget: &str, expected: &str| {
            let budget: crate::budget::Budget = budget.parse().unwrap();
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
