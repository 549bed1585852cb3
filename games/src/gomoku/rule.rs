//! What wins and what is forbidden: all that play itself has to do with
//! variants. A further rule is an arm in each function here. How a game is
//! opened is another matter: `procedure`.

use super::board::Board;
use super::point::Point;
use super::point::{Color, Direction};

/// A rule of winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win; a longer row neither wins nor loses.
    Standard,
    /// Exactly five in a row win, unless an opponent's stone stands at both
    /// ends of them. The edge of the board blocks nothing.
    Caro,
    /// Black wins with exactly five, white with five or more; black may not
    /// make an overline, a double-four or a double-three. Passing is allowed.
    Renju,
}

/// The size of a board when nothing else is said.
pub(super) const USUAL_SIZE: u8 = 15;

impl Rule {
    /// The id of the variant that is this rule without a procedure.
    pub const fn id(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Caro => "caro",
            Rule::Renju => "renju",
        }
    }

    /// Whether more than five in a row win, for this colour.
    #[inline]
    pub const fn overline_wins(self, color: Color) -> bool {
        match self {
            Rule::Freestyle => true,
            Rule::Standard | Rule::Caro => false,
            Rule::Renju => matches!(color, Color::White),
        }
    }

    /// Whether a five wins that has an opponent's stone at both ends.
    #[inline]
    pub const fn blocked_five_wins(self) -> bool {
        !matches!(self, Rule::Caro)
    }

    /// Whether some points are forbidden to this colour.
    #[inline]
    pub const fn forbids(self, color: Color) -> bool {
        matches!((self, color), (Rule::Renju, Color::Black))
    }

    /// Whether a player may put no stone.
    #[inline]
    pub const fn allows_pass(self) -> bool {
        matches!(self, Rule::Renju)
    }

    /// Whether a row of so many stones wins, for this colour, when not both its
    /// ends are blocked.
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

/// Why a game that a winning row has decided is over.
pub(super) const fn won_by(run: u32) -> &'static str {
    if run == 5 { "five in a row" } else { "more than five in a row" }
}
