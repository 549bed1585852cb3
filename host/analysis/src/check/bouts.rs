//! Bouts with the engine at every seat, as the referee plays them. They test an engine in games of
//! any kind: the referee deals, asks seats that decide at the same time, and shows each seat only
//! what it may see.

use sandboard_bout::driver as bout;
use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination,
};
use sandboard_bout::referee::{BoutSettings, Termination};
use sandboard_bout::start::StartPosition;
use sandboard_engine::Budget;

use super::context::{CheckContext, GENEROUS_GRACE};
use super::outcome::{Finding, StepFailure, StepResult};
use super::positions::Board;

/// The longest test game, in plies.
const PLIES_MAX: u32 = 500;
/// The most plies of a bout that only begins. Deals count, too.
const BEGINNING_PLIES_MAX: u32 = 100;
/// A resignation or an agreed draw before this number of plies is a warning.
const EARLY_PLIES: usize = 8;

/// How a bout of a test is played.
#[derive(Clone, Debug)]
pub(crate) struct BoutPlan {
    /// The budget of every seat.
    pub budget: Budget,
    /// The longest bout, in plies.
    pub plies_max: u32,
}

/// A bout that ended without a fault.
pub(crate) struct TestBout {
    /// All moves, those of chance included.
    pub moves: Vec<String>,
    /// The rule that ended it, or a sentence.
    pub ending: String,
}

impl CheckContext<'_> {
    /// A whole game under the budget of the test games.
    pub(crate) fn whole_game(&self) -> BoutPlan {
        BoutPlan { budget: self.settings.budget, plies_max: PLIES_MAX }
    }

    /// The first plies of a game under the budget of the test games.
    pub(crate) fn beginning(&self) -> BoutPlan {
        BoutPlan { plies_max: BEGINNING_PLIES_MAX, ..self.whole_game() }
    }

    /// A game that a correct engine plays in the same way each time.
    pub(crate) fn repeatable_game(&self) -> BoutPlan {
        BoutPlan { budget: self.fixed_budget(), ..self.whole_game() }
    }
}

/// Plays a bout on a board with the seed of the check.
pub(crate) fn play_bout(
    context: &mut CheckContext<'_>,
    board: &Board,
    plan: &BoutPlan,
) -> StepResult<TestBout> {
    let BoutPlan { budget, plies_max } = *plan;
    let engine = context.engine(budget.unit())?;
    let player = |seat: u8| Participant {
        name: format!("seat {seat}"),
        seats: vec![seat],
        budget,
        engine: Some(EnginePlayer {
            options: context.settings.options.clone(),
            limits: engine.limits,
            ..EnginePlayer::new(engine.source.clone(), context.target.entry.id.clone())
        }),
        ponders: false,
    };
    let setup = BoutSetup {
        start: StartPosition::new(board.info, board.variant.clone(), None),
        seed: context.settings.seed,
        settings: BoutSettings {
            requests: 1,
            grace: context.grace(),
            guard_us: GENEROUS_GRACE.us,
            plies_max,
            ..BoutSettings::default().for_game(board.info, &board.variant)
        },
        players: (0..board.seats()).map(player).collect(),
        hint: None,
        output_listener: None,
        destination: RecordDestination::Unsaved,
        resumed_from: None,
    };
    let report = bout::run(setup, None, &mut NullObserver)
        .map_err(|error| StepFailure::Skipped(format!("no game of {}: {error}", board.text())))?;
    for text in &report.record.logs {
        context.log.add(level(&text.level), &text.text);
    }
    let plies = report.record.plies.iter();
    let moves: Vec<String> = plies.map(|ply| ply.r#move.clone()).collect();
    let unfinished = || StepFailure::Skipped(format!("a game of {} has no end", board.text()));
    let result = report.result.ok_or_else(unfinished)?;
    let ending = match &result.termination {
        Termination::Rules { rule } => rule.clone(),
        Termination::PlyLimit => format!("stopped after {plies_max} plies"),
        Termination::Resignation | Termination::DrawAgreed => {
            if moves.len() < EARLY_PLIES {
                context.warn(Finding {
                    sentence: format!(
                        "a game against itself is over after {} plies: {}",
                        moves.len(),
                        result.sentence
                    ),
                    request: format!("{}, all seats under {budget}", board.text()),
                    response: result.sentence.clone(),
                    expected: "a game that is played to its end".into(),
                    advice: context.advice(),
                });
            }
            result.sentence
        }
        Termination::Aborted => {
            let sentence = &result.sentence;
            let reason = format!("a game of {} was void: {sentence}", board.text());
            return Err(StepFailure::Skipped(format!("{reason}, which is a fault of this host")));
        }
        _ => {
            context.log.add("fault", &result.sentence);
            return Err(context.failed(Finding {
                sentence: format!(
                    "a game was lost by a fault after {} plies: {}",
                    moves.len(),
                    result.sentence
                ),
                request: format!(
                    "{}, all seats under {budget}: `{}`",
                    board.text(),
                    moves.join(" ")
                ),
                response: result.sentence,
                expected: "an end by the rules, or a resignation".into(),
                advice: context.advice(),
            }));
        }
    };
    Ok(TestBout { moves, ending })
}

fn level(text: &str) -> &'static str {
    let known = ["fatal", "warning", "info", "debug"];
    known.into_iter().find(|known| *known == text).unwrap_or("info")
}
