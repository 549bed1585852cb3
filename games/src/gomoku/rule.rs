//! The rules of winning and of forbidden moves. A new rule needs one arm in each function here.
//! Opening procedures are in `procedure`.

use super::board::Board;
use super::point::Point;
use super::point::{Color, Direction};
use crate::messages;

/// A rule of winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win; a longer row has no effect.
    Standard,
    /// Exactly five in a row win, unless an opponent's stone blocks both ends. The edge of the
    /// board blocks nothing.
    Caro,
    /// Black wins with exactly five, white with five or more. Overlines, double-fours and
    /// double-threes are forbidden to black. Passing is allowed.
    Renju,
}

/// Default board size.
pub(super) const DEFAULT_SIZE: u8 = 15;

impl Rule {
    /// The id of the variant with this rule and no procedure.
    pub const fn id(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Caro => "caro",
            Rule::Renju => "renju",
        }
    }

    /// Whether more than five in a row win for this colour.
    #[inline]
    pub const fn overline_wins(self, color: Color) -> bool {
        match self {
            Rule::Freestyle => true,
            Rule::Standard | Rule::Caro => false,
            Rule::Renju => matches!(color, Color::White),
        }
    }

    /// Whether a five wins with an opponent's stone at both ends.
    #[inline]
    pub const fn blocked_five_wins(self) -> bool {
        !matches!(self, Rule::Caro)
    }

    /// Whether some points are forbidden to this colour.
    #[inline]
    pub const fn forbids(self, color: Color) -> bool {
        matches!((self, color), (Rule::Renju, Color::Black))
    }

    /// Whether a player may pass.
    #[inline]
    pub(super) const fn allows_pass(self) -> bool {
        matches!(self, Rule::Renju)
    }

    /// Whether a row of `run` stones wins for this colour, if not both its ends are blocked.
    #[inline]
    const fn wins(self, color: Color, run: u32) -> bool {
        run == 5 || run > 5 && self.overline_wins(color)
    }

    /// The length of the longest winning row through a stone; 0 if there is none.
    #[inline]
    pub(super) fn winning_run(self, board: &Board, color: Color, point: Point) -> u32 {
        let mut longest = 0;
        for direction in Direction::ALL {
            let run = board.run(color, direction, point);
            if run >= 5 && self.row_wins(board, color, direction, point, run) {
                longest = longest.max(run);
            }
        }
        longest
    }

    fn row_wins(
        self,
        board: &Board,
        color: Color,
        direction: Direction,
        point: Point,
        run: u32,
    ) -> bool {
        self.wins(color, run)
            && (self.blocked_five_wins() || !board.is_blocked_row(color, direction, point))
    }
}

/// The reason of a game that a row of `run` stones won.
pub(super) const fn win_reason(run: u32) -> &'static str {
    if run == 5 { messages::FIVE_IN_A_ROW } else { messages::MORE_THAN_FIVE }
}
