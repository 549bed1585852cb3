//! A position as a file names it, before any rule has looked at it.

use super::answer::Target;
use super::fault::{Place, SuiteFault};

/// The longest text of a position, in bytes.
pub(super) const POSITION_BYTES: usize = 8192;
/// The longest id, in bytes.
const ID_BYTES: usize = 128;
/// Most moves in one field.
pub(super) const MOVES_MAX: usize = 4096;

/// A position with its answer, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Where it stands.
    pub place: Place,
    /// From 1, in the file.
    pub number: usize,
    /// Its name in the suite; where the file gives none, its number: `#3`.
    pub id: String,
    /// The game, where the file says it.
    pub game: Option<String>,
    /// The variant, where the file says it.
    pub variant: Option<String>,
    /// The position; none: the variant's own start.
    pub position: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The moves of which any solves it; empty: any move may.
    pub best: Moves,
    /// The moves that do not.
    pub avoid: Moves,
    /// Moves that must be legal for the file to be right.
    pub legal: Moves,
    /// The known score.
    pub target: Option<Target>,
}

/// Moves, and the field that they are from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// The field's name, as the file has it.
    pub field: &'static str,
    /// The moves.
    pub texts: Vec<String>,
}

impl Draft {
    /// A draft without an answer.
    pub(super) fn new(place: Place, number: usize) -> Self {
        Self {
            place,
            number,
            id: format!("#{number}"),
            game: None,
            variant: None,
            position: None,
            moves: Vec::new(),
            best: Moves::default(),
            avoid: Moves::default(),
            legal: Moves::default(),
            target: None,
        }
    }

    /// Whether anything says when it is solved.
    pub(super) fn has_answer(&self) -> bool {
        !self.best.texts.is_empty() || !self.avoid.texts.is_empty() || self.target.is_some()
    }

    /// Its sizes and texts against their caps.
    pub(super) fn check_sizes(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        if self.id.is_empty() || self.id.len() > ID_BYTES || self.id.chars().any(char::is_control) {
            let form = format!("an id has 1 to {ID_BYTES} bytes, and no control characters");
            faults.push(("id", form));
        }
        let position = self.position.as_ref().map_or(0, String::len);
        if position > POSITION_BYTES {
            faults.push(("position", format!("it has more than {POSITION_BYTES} bytes")));
        }
        let lists = [("moves", &self.moves), (self.best.field, &self.best.texts)];
        let more = [(self.avoid.field, &self.avoid.texts), (self.legal.field, &self.legal.texts)];
        for (field, moves) in lists.into_iter().chain(more) {
            if moves.len() > MOVES_MAX {
                faults.push((field, format!("it has more than {MOVES_MAX} moves")));
            }
        }
        faults
    }

    /// A fault of this position.
    pub(super) fn fault(&self, field: &str, reason: impl ToString) -> SuiteFault {
        let named = !self.id.starts_with('#');
        SuiteFault {
            place: self.place,
            id: named.then(|| self.id.clone()),
            field: field.to_owned(),
            reason: reason.to_string(),
        }
    }
}
