//! What wins: the one place where the variants differ. A further variant is an
//! arm in each function here (and, where moves are forbidden, in `is_legal`).

use super::board::Board;
use super::point::Point;
use super::point::{Color, Direction};
use crate::info::VariantInfo;
use crate::rules::{Outcome, Side};

/// A variant's rule of winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win; a longer row neither wins nor loses.
    Standard,
}

/// The variants, in the order in which they are listed.
pub(super) static VARIANTS: [VariantInfo; 2] = [
    variant("freestyle", "five or more in a row win"),
    variant("standard", "exactly five in a row win, a longer row counts for nothing"),
];

const fn variant(id: &'static str, about: &'static str) -> VariantInfo {
    let sizes = Some((super::MIN_SIZE, super::MAX_SIZE));
    VariantInfo { id, about, sizes, usual_size: USUAL_SIZE }
}

/// The size of a board when nothing else is said.
pub(super) const USUAL_SIZE: u8 = 15;

impl Rule {
    /// The rule of a variant by its id.
    ///
    /// # Panics
    /// When no variant has this id; ids that come from
    /// [`GameInfo::variant`](crate::GameInfo::variant) do.
    pub(super) fn of(id: &str) -> Rule {
        match id {
            "freestyle" => Rule::Freestyle,
            "standard" => Rule::Standard,
            _ => panic!("gomoku has no variant `{id}`"),
        }
    }

    /// The variant's id.
    pub const fn id(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
        }
    }

    /// Whether more than five in a row win, for this colour.
    #[inline]
    pub const fn overline_wins(self, _color: Color) -> bool {
        match self {
            Rule::Freestyle => true,
            Rule::Standard => false,
        }
    }

    /// Whether a row of so many stones wins, for this colour.
    #[inline]
    pub const fn wins(self, color: Color, run: u32) -> bool {
        run == 5 || run > 5 && self.overline_wins(color)
    }

    /// The longest winning row through a stone; 0 when there is none.
    #[inline]
    pub(super) fn winning_run(self, board: &Board, color: Color, point: Point) -> u32 {
        let mut longest = 0;
        for direction in Direction::ALL {
            let run = board.run(color, direction, point);
            if self.wins(color, run) {
                longest = longest.max(run);
            }
        }
        longest
    }
}

/// The end of a game that a winning row has decided.
pub(super) const fn won(color: Color, run: u32) -> Outcome {
    let reason = if run == 5 { "five in a row" } else { "more than five in a row" };
    Outcome { winner: Some(Side(color as u8)), reason, score: 0 }
}

/// The end of a game that has run out of points.
pub(super) const DRAWN: Outcome = Outcome { winner: None, reason: "board full", score: 0 };
