//! What a repeated call did otherwise than the record says, in one sentence.

use std::fmt;

use sandboard_abi::limits::{MOVE_BYTES, REASON_BYTES};
use sandboard_abi::{Bound, Choice, Decision, Score};
use sandboard_games::DynGame;

use super::script::{Answered, Call, Expected, Step};
use super::walk::{Outcome, Repeated};
use crate::engine::{Fault, Spent};
use crate::referee::tidy;

/// Where a replay leaves the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How many moves had been played.
    pub at_ply: u32,
    /// Whose call.
    pub player: usize,
    /// What is otherwise.
    pub how: How,
}

/// What is otherwise; the first of these that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// One of them is a fault, or both are, and not the same.
    Ended {
        /// How the recorded call ended.
        recorded: String,
        /// How the repeated one did.
        replayed: String,
    },
    /// Another decision.
    Decided {
        /// The recorded one.
        recorded: String,
        /// The other.
        replayed: String,
    },
    /// The same, for another amount of something.
    Spent {
        /// Of what.
        what: &'static str,
        /// The recorded amount; none: the record does not say.
        recorded: Option<u64>,
        /// The other.
        replayed: Option<u64>,
    },
    /// The same, with another score of it, by which the bout may have been ended.
    Scored {
        /// The recorded score; none: the record has none.
        recorded: Option<Score>,
        /// The other.
        replayed: Option<Score>,
    },
    /// Nothing but what was said over the border on the way.
    Border,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            How::Ended { recorded, replayed } => {
                write!(f, "the replay {replayed}; the record says: {recorded}")
            }
            How::Decided { recorded, replayed } => {
                write!(f, "the replay {replayed}, the record {recorded}")
            }
            How::Spent { what, recorded, replayed } => {
                let amount =
                    |amount: &Option<u64>| amount.map_or("none".into(), |it| it.to_string());
                let (recorded, replayed) = (amount(recorded), amount(replayed));
                write!(f, "the replay took {replayed} {what}, the record has {recorded}")
            }
            How::Scored { recorded, replayed } => {
                let told = |score: &Option<Score>| match score {
                    None => "no score".to_owned(),
                    Some(Score { value, bound: Bound::Estimate }) => format!("a score of {value}"),
                    Some(Score { value, bound: Bound::Exact }) => {
                        format!("a proved score of {value}")
                    }
                    Some(Score { value, bound: Bound::AtLeast }) => format!("at least {value}"),
                    Some(Score { value, bound: Bound::AtMost }) => format!("at most {value}"),
                };
                let (recorded, replayed) = (told(recorded), told(replayed));
                write!(f, "the replay says {replayed} of its move, the record has {recorded}")
            }
            How::Border => f.write_str(
                "the same answer for the same fuel, but something else was said over the border",
            ),
        }
    }
}

/// What an answer is judged by.
pub(super) struct Seen<'a> {
    /// The game, where the engine was asked.
    pub game: &'a dyn DynGame,
    /// The moves that the engine reported in the call, newest first.
    pub reported: Vec<String>,
    /// Whether a draw may be agreed in the bout.
    pub draw_offers: bool,
    /// What it said of its move, if nothing came with the move itself.
    pub said: Option<Score>,
    /// What the record has of that; none: nothing depends on it.
    pub recorded: Option<Option<Score>>,
}

/// In what a repeated call is not the recorded one; none: it is the same, or
/// nothing is known of it.
pub(super) fn between(step: &Step, repeated: &Repeated, seen: &Seen<'_>) -> Option<How> {
    match (&step.expected, repeated) {
        (Expected::Unknown, _) => None,
        (Expected::Done, Ok(_)) => None,
        (Expected::Answer(answered, recorded), Ok(Outcome::Chosen(answer))) => {
            let found = decision(&answer.choice, seen);
            if found != *answered {
                let (recorded, replayed) = (in_words(answered), in_words(&found));
                return Some(How::Decided { recorded, replayed });
            }
            spent(recorded, &answer.spent).or_else(|| scored(&answer.choice, seen))
        }
        (Expected::Fault(recorded), Err(found)) if same_fault(recorded, found) => {
            spent(&recorded.spent, &found.spent).or_else(|| taken(step, seen))
        }
        (expected, repeated) => Some(How::Ended {
            recorded: expected_in_words(expected, &step.call),
            replayed: match repeated {
                Ok(_) => "came back".into(),
                Err(fault) => fault_in_words(fault),
            },
        }),
    }
}

fn same_fault(recorded: &Fault, found: &Fault) -> bool {
    recorded.code == found.code && recorded.sentence == tidy(&found.sentence, REASON_BYTES)
}

/// The decision as a record has it: a legal move in its canonical text, a refused
/// one cut and cleared. Where no draw can be agreed, none is offered.
fn decision(choice: &Choice, seen: &Seen<'_>) -> Answered {
    let text = match &choice.decision {
        Decision::Resign => return Answered::Resigned,
        Decision::AcceptDraw => return Answered::DrawAccepted,
        Decision::Play(text) => text,
    };
    match seen.game.canonical(text) {
        Ok(mv) => Answered::Move { mv, offers_draw: choice.offers_draw && seen.draw_offers },
        Err(_) => Answered::Refused(tidy(text, MOVE_BYTES)),
    }
}

/// In what the score of a move is another one, where that matters.
fn scored(choice: &Choice, seen: &Seen<'_>) -> Option<How> {
    let recorded = seen.recorded?;
    let replayed = choice.line.as_ref().map_or(seen.said, |line| line.score);
    (replayed != recorded).then_some(How::Scored { recorded, replayed })
}

/// In what the move that was taken from the reports of a late engine is another one.
fn taken(step: &Step, seen: &Seen<'_>) -> Option<How> {
    let recorded = step.from_report.as_ref()?;
    let mut short = seen.reported.iter().filter(|text| text.len() <= MOVE_BYTES);
    let found = short.find_map(|text| seen.game.canonical(text).ok());
    let told = |mv: &str| format!("reported `{}`", tidy(mv, MOVE_BYTES));
    (found.as_ref() != Some(recorded)).then(|| How::Decided {
        recorded: told(recorded),
        replayed: found.map_or("reported no legal move".into(), |mv| told(&mv)),
    })
}

fn in_words(answered: &Answered) -> String {
    match answered {
        Answered::Move { mv, offers_draw } => {
            let offer = if *offers_draw { " and offered a draw" } else { "" };
            format!("chose `{}`{offer}", tidy(mv, MOVE_BYTES))
        }
        Answered::Refused(text) => format!("chose `{text}`, which is refused"),
        Answered::Resigned => "resigned".into(),
        Answered::DrawAccepted => "accepted a draw".into(),
    }
}

fn expected_in_words(expected: &Expected, call: &Call) -> String {
    match expected {
        Expected::Fault(fault) => fault_in_words(fault),
        Expected::Answer(answered, _) => in_words(answered),
        Expected::Done | Expected::Unknown => match call {
            Call::Start(_) => "it was started".into(),
            Call::Played(mv) => format!("it was told of {mv}"),
            Call::TakenBack(plies) => format!("it was told that {plies} plies were taken back"),
            Call::Choose(..) => "it chose".into(),
        },
    }
}

fn fault_in_words(fault: &Fault) -> String {
    format!("{} ({})", tidy(&fault.sentence, REASON_BYTES), fault.code)
}

fn spent(recorded: &Spent, found: &Spent) -> Option<How> {
    let amounts = [
        ("fuel", recorded.fuel, found.fuel),
        ("bytes of memory", recorded.peak_memory_bytes, found.peak_memory_bytes),
        ("bytes of log", Some(recorded.logged_bytes), Some(found.logged_bytes)),
    ];
    for (what, recorded, replayed) in amounts {
        if recorded != replayed {
            return Some(How::Spent { what, recorded, replayed });
        }
    }
    (recorded.border != found.border).then_some(How::Border)
}
