//! A position of a suite as texts, before the rules check it.

use super::fault::{FileLocation, SuiteFault};
use super::solution::KnownScore;

/// The longest text of a position, in bytes.
pub(super) const POSITION_BYTES: usize = 8192;
/// The longest id, in bytes.
const ID_BYTES: usize = 128;
/// The most moves in one field.
pub(super) const MOVES_MAX: usize = 4096;

/// A position with its solution, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPosition {
    /// Its location in the file.
    pub location: FileLocation,
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its id in the suite; by default its number, such as `#3`.
    pub id: String,
    /// The game, if the file names it.
    pub game: Option<String>,
    /// The variant, if the file names it.
    pub variant: Option<String>,
    /// The position; none: the start position of the variant.
    pub position: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The moves that solve it; empty: any move but those of `avoid`.
    pub best: MoveList,
    /// The moves that do not solve it.
    pub avoid: MoveList,
    /// Moves that must be legal.
    pub legal: MoveList,
    /// The known score.
    pub target: Option<KnownScore>,
}

/// Moves with the name of their field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveList {
    /// The name of the field in the file.
    pub field: &'static str,
    pub texts: Vec<String>,
}

impl RawPosition {
    /// A position without a solution.
    pub(super) fn new(location: FileLocation, number: usize) -> Self {
        Self {
            location,
            number,
            id: format!("#{number}"),
            game: None,
            variant: None,
            position: None,
            moves: Vec::new(),
            best: MoveList::default(),
            avoid: MoveList::default(),
            legal: MoveList::default(),
            target: None,
        }
    }

    /// Whether it has a solution.
    pub(super) fn has_solution(&self) -> bool {
        !self.best.texts.is_empty() || !self.avoid.texts.is_empty() || self.target.is_some()
    }

    /// Checks its texts against the size limits.
    pub(super) fn check_sizes(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        if self.id.is_empty() || self.id.len() > ID_BYTES || self.id.chars().any(char::is_control) {
            let form = format!("an id must have 1 to {ID_BYTES} bytes without control characters");
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
            location: self.location,
            id: named.then(|| self.id.clone()),
            field: field.to_owned(),
            reason: reason.to_string(),
        }
    }
}
