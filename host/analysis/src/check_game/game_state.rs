//! What a game answers about its position, in a form that can be compared.

use sandboard_games::general::Next;
use sandboard_games::{Ending, Phase};

/// The answers of a game about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameState {
    pub position: String,
    pub next: Next,
    pub phase: Phase,
    /// The legal moves, separated by one space.
    pub legal: String,
    pub ending: Option<Ending>,
}

/// The first answer that differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The name of the answer.
    pub answer: &'static str,
    pub found: String,
    pub expected: String,
}

impl GameState {
    /// The first difference to the expected state; none: the states are equal.
    pub(crate) fn difference(&self, expected: &Self) -> Option<Difference> {
        let answers = self.answers().into_iter().zip(expected.answers());
        answers.into_iter().find_map(|((answer, found), (_, expected))| {
            (found != expected).then_some(Difference { answer, found, expected })
        })
    }

    fn answers(&self) -> [(&'static str, String); 5] {
        [
            ("the position text", format!("`{}`", self.position)),
            ("who moves next", next_text(self.next)),
            ("the phase", self.phase.name().to_owned()),
            ("the ending", ending_text(self.ending.as_ref())),
            ("the list of legal moves", format!("`{}`", self.legal)),
        ]
    }
}

/// Who moves next, for people.
fn next_text(next: Next) -> String {
    match next {
        Next::Chance => "chance".into(),
        Next::Over => "no seat: the game is over".into(),
        Next::Seats(seats) => {
            let seats: Vec<String> = seats.iter().map(|seat| format!("seat {}", seat.0)).collect();
            seats.join(" and ")
        }
    }
}

/// An ending for people.
pub(crate) fn ending_text(ending: Option<&Ending>) -> String {
    match ending {
        None => "in progress".into(),
        Some(Ending { scores, reason }) => format!("scores {scores:?}, {reason}"),
    }
}
