//! The first difference between a repeated call and the record, as a value and as a sentence.

use std::fmt;

use sandboard_abi::limits::{MOVE_BYTES, REASON_BYTES};
use sandboard_abi::{Bound, Choice, Decision, Score};
use sandboard_engine::{EITHER_TRAP, Fault, IN_FUNCTION, Usage};
use sandboard_games::DynGame;

use super::call_runner::{CallOutcome, CallResult};
use super::call_script::{EngineCall, ExpectedResult, RecordedAnswer, ScriptStep};
use crate::text::sanitize;

/// A difference between a replay and the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of moves played before the call.
    pub at_ply: u32,
    /// The player whose engine was called.
    pub player: usize,
    pub kind: DifferenceKind,
}

/// What differs: the first of these that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Only one call ended in a fault, or the faults differ.
    Ended { recorded: String, replayed: String },
    /// The engine made another decision.
    Decided { recorded: String, replayed: String },
    /// The decision is the same, but the call used another amount.
    Usage {
        /// The unit, in the plural.
        unit: &'static str,
        /// None: the record does not contain it.
        recorded: Option<u64>,
        replayed: Option<u64>,
    },
    /// The decision is the same, but the score of the move differs, and the bout may have ended by
    /// it.
    Scored { recorded: Option<Score>, replayed: Option<Score> },
    /// Only the transcript of the call differs.
    Transcript,
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferenceKind::Ended { recorded, replayed } => {
                write!(f, "the replay {replayed}; the record has: {recorded}")
            }
            DifferenceKind::Decided { recorded, replayed } => {
                write!(f, "the replay {replayed}, the record {recorded}")
            }
            DifferenceKind::Usage { unit, recorded, replayed } => {
                let amount =
                    |amount: &Option<u64>| amount.map_or("none".into(), |it| it.to_string());
                let (recorded, replayed) = (amount(recorded), amount(replayed));
                write!(f, "the replay took {replayed} {unit}, the record has {recorded}")
            }
            DifferenceKind::Scored { recorded, replayed } => {
                let text = |score: &Option<Score>| match score {
                    None => "no score".to_owned(),
                    Some(Score { value, bound: Bound::Estimate }) => format!("a score of {value}"),
                    Some(Score { value, bound: Bound::Exact }) => {
                        format!("a proved score of {value}")
                    }
                    Some(Score { value, bound: Bound::AtLeast }) => format!("at least {value}"),
                    Some(Score { value, bound: Bound::AtMost }) => format!("at most {value}"),
                };
                let (recorded, replayed) = (text(recorded), text(replayed));
                write!(f, "the replay gives its move {replayed}, the record has {recorded}")
            }
            DifferenceKind::Transcript => {
                f.write_str("the same answer for the same fuel, but another transcript of the call")
            }
        }
    }
}

/// What a comparison needs besides the call and its result.
pub(super) struct ComparisonContext<'a> {
    /// The game in the position of the call.
    pub game: &'a dyn DynGame,
    /// The best moves that the engine reported in the call, newest first.
    pub reported: Vec<String>,
    /// Whether draws can be offered in the bout.
    pub draw_offers: bool,
    /// The last reported score: that of the move if the answer has none.
    pub reported_score: Option<Score>,
    /// The score in the record; none: the bout does not depend on it.
    pub recorded_score: Option<Option<Score>>,
}

/// The difference between a recorded and a repeated call; none: they are equal, or the record does
/// not contain the result.
pub(super) fn find_difference(
    step: &ScriptStep,
    repeated: &CallResult,
    context: &ComparisonContext<'_>,
) -> Option<DifferenceKind> {
    match (&step.expected, repeated) {
        (ExpectedResult::Unknown, _) => None,
        (ExpectedResult::Done, Ok(_)) => None,
        (ExpectedResult::Answer(answered, recorded), Ok(CallOutcome::Chosen(answer))) => {
            let found = recorded_form(&answer.choice, context);
            if found != *answered {
                let (recorded, replayed) = (describe_answer(answered), describe_answer(&found));
                return Some(DifferenceKind::Decided { recorded, replayed });
            }
            usage_difference(recorded, &answer.spent)
                .or_else(|| score_difference(&answer.choice, context))
        }
        (ExpectedResult::Fault(recorded), Err(found)) if same_fault(recorded, found) => {
            usage_difference(&recorded.spent, &found.spent)
                .or_else(|| report_difference(step, context))
        }
        (expected, repeated) => Some(DifferenceKind::Ended {
            recorded: describe_expected(expected, &step.call),
            replayed: match repeated {
                Ok(_) => "returned".into(),
                Err(fault) => describe_fault(fault),
            },
        }),
    }
}

fn same_fault(recorded: &Fault, found: &Fault) -> bool {
    recorded.code == found.code
        && is_same_sentence(&recorded.sentence, &sanitize(&found.sentence, REASON_BYTES))
}

/// Whether two sentences say the same. Not every runtime says in which function a module trapped,
/// or which of two traps it was; a hint may follow.
fn is_same_sentence(recorded: &str, found: &str) -> bool {
    let without_place = |found: &str| {
        recorded.split_once(IN_FUNCTION).is_some_and(|(trap, place)| {
            let hint = found.strip_prefix(trap);
            hint.is_some_and(|hint| {
                place.ends_with(hint) && (hint.is_empty() || hint.starts_with("; "))
            })
        })
    };
    // The hint depends on which of the two traps it was.
    let is_one_of_two = |(either, traps): &(&str, [&str; 2])| {
        traps.iter().any(|trap| {
            let one = found.replace(either, trap);
            let hint = recorded.strip_prefix(&one).is_some_and(|hint| hint.starts_with("; "));
            one != found && (recorded == one || hint || without_place(&one))
        })
    };
    recorded == found || without_place(found) || EITHER_TRAP.iter().any(is_one_of_two)
}

/// The answer as a record has it: a legal move as its canonical text, a refused one cut and
/// sanitized. Draw offers are dropped if the bout has none.
fn recorded_form(choice: &Choice, context: &ComparisonContext<'_>) -> RecordedAnswer {
    let text = match &choice.decision {
        Decision::Resign => return RecordedAnswer::Resigned,
        Decision::AcceptDraw => return RecordedAnswer::DrawAccepted,
        Decision::Play(text) => text,
    };
    match context.game.canonical(text) {
        Ok(mv) => {
            let offers_draw = choice.offers_draw && context.draw_offers;
            RecordedAnswer::Move { mv, offers_draw }
        }
        Err(_) => RecordedAnswer::Refused(sanitize(text, MOVE_BYTES)),
    }
}

/// The difference between the scores of a move, if the bout depends on them.
fn score_difference(choice: &Choice, context: &ComparisonContext<'_>) -> Option<DifferenceKind> {
    let recorded = context.recorded_score?;
    let replayed = choice.line.as_ref().map_or(context.reported_score, |line| line.score);
    (replayed != recorded).then_some(DifferenceKind::Scored { recorded, replayed })
}

/// The difference between the moves that were taken from the reports of a call whose time was up.
fn report_difference(step: &ScriptStep, context: &ComparisonContext<'_>) -> Option<DifferenceKind> {
    let recorded = step.from_report.as_ref()?;
    let mut short = context.reported.iter().filter(|text| text.len() <= MOVE_BYTES);
    let found = short.find_map(|text| context.game.canonical(text).ok());
    let text = |mv: &str| format!("reported `{}`", sanitize(mv, MOVE_BYTES));
    (found.as_ref() != Some(recorded)).then(|| DifferenceKind::Decided {
        recorded: text(recorded),
        replayed: found.map_or("reported no legal move".into(), |mv| text(&mv)),
    })
}

fn describe_answer(answered: &RecordedAnswer) -> String {
    match answered {
        RecordedAnswer::Move { mv, offers_draw } => {
            let offer = if *offers_draw { " and offered a draw" } else { "" };
            format!("chose `{}`{offer}", sanitize(mv, MOVE_BYTES))
        }
        RecordedAnswer::Refused(text) => format!("chose `{text}`, which is refused"),
        RecordedAnswer::Resigned => "resigned".into(),
        RecordedAnswer::DrawAccepted => "accepted a draw".into(),
    }
}

fn describe_expected(expected: &ExpectedResult, call: &EngineCall) -> String {
    match expected {
        ExpectedResult::Fault(fault) => describe_fault(fault),
        ExpectedResult::Answer(answered, _) => describe_answer(answered),
        ExpectedResult::Done | ExpectedResult::Unknown => match call {
            EngineCall::Start(_) => "it was started".into(),
            EngineCall::Played(mv) => format!("it received the move {mv}"),
            EngineCall::TakenBack(plies) => format!("it received an undo of {plies} plies"),
            EngineCall::Choose(..) => "it chose".into(),
        },
    }
}

fn describe_fault(fault: &Fault) -> String {
    format!("{} ({})", sanitize(&fault.sentence, REASON_BYTES), fault.code)
}

fn usage_difference(recorded: &Usage, found: &Usage) -> Option<DifferenceKind> {
    let amounts = [
        ("fuel", recorded.fuel, found.fuel),
        ("bytes of memory", recorded.peak_memory_bytes, found.peak_memory_bytes),
        ("bytes of log", Some(recorded.logged_bytes), Some(found.logged_bytes)),
    ];
    for (unit, recorded, replayed) in amounts {
        if recorded != replayed {
            return Some(DifferenceKind::Usage { unit, recorded, replayed });
        }
    }
    (recorded.transcript_hash != found.transcript_hash).then_some(DifferenceKind::Transcript)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_may_be_without_its_function() {
        let check = |recorded: &str, found: &str, expected: bool| {
            assert_eq!(is_same_sentence(recorded, found), expected, "{recorded} / {found}");
        };
        let named = "trapped: integer overflow in the module's function `a`";
        check(named, named, true);
        check(named, "trapped: integer overflow", true);
        check(named, "trapped: integer", false);
        check(named, "trapped: integer overflow in the module's function `b`", false);
        check(named, "trapped: integer overflow; a hint", false);
        check(&format!("{named}; a hint"), "trapped: integer overflow; a hint", true);
        check(&format!("{named}; a hint"), "trapped: integer overflow; another", false);
        check("trapped: integer overflow", named, false);
        check("gave up: a", "gave up: b", false);
    }

    #[test]
    fn a_trap_may_be_one_of_two() {
        let check = |recorded: &str, found: &str, expected: bool| {
            assert_eq!(is_same_sentence(recorded, found), expected, "{recorded} / {found}");
        };
        let null = "trapped: uninitialized element";
        let [indirect, conversion] = EITHER_TRAP.map(|(either, _)| format!("trapped: {either}"));
        check(null, &indirect, true);
        check("trapped: indirect call type mismatch", &indirect, true);
        check(&format!("{null} in the module's function `a`"), &indirect, true);
        check(&format!("{null}; a hint"), &indirect, true);
        check(&format!("{null} in the module's function `a`; a hint"), &indirect, true);
        check("trapped: integer overflow", &indirect, false);
        check("trapped: integer overflow", &conversion, true);
        check("trapped: invalid conversion to integer", &conversion, true);
        check("trapped: integer divide by zero", &conversion, false);
        check("trapped: integer overflows", &conversion, false);
        check(&conversion, "trapped: integer overflow", false);
    }
}
