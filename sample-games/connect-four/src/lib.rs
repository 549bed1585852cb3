//! Connect Four: two players drop discs into seven columns; four in a row win.
//!
//! A move is the letter of a column, `a` to `g`. A position text has the discs of each column from
//! below, `x` for red and `o` for yellow, with `/` between columns: `//xo/x///`.
#![forbid(unsafe_code)]

use sandboard_game_sdk::games::board::{Board, Color, Grid, HighlightKind, place_name};
use sandboard_game_sdk::games::{
    GameInfo, MoveSet, Outcome, PositionError, PositionFault, Rules, Seat, Side, Variant,
    VariantInfo, splitmix,
};

const COLUMNS: u8 = 7;
const ROWS: u8 = 6;
/// Bits of a column in a set of places: one more than rows, so that no line crosses the border.
const HEIGHT: u8 = ROWS + 1;
const DISCS: [char; 2] = ['x', 'o'];

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of::<ConnectFour>(
    "connect-four",
    "Connect Four",
    &["red", "yellow"],
    &[VariantInfo::of_one_size("standard", "seven columns, six rows, four in a row win")],
    "the letter of a column, a to g",
);

/// A position: the places of each side's discs. Bit `column * 7 + row` is a place; row 0 is below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectFour {
    discs: [u64; 2],
}

impl ConnectFour {
    fn count(&self) -> u32 {
        (self.discs[0] | self.discs[1]).count_ones()
    }

    /// The number of discs in a column.
    fn height(&self, column: u8) -> u8 {
        ((self.discs[0] | self.discs[1]) >> (column * HEIGHT) & 0x3f).count_ones() as u8
    }

    /// The side whose disc is on a place.
    fn side_at(&self, column: u8, row: u8) -> Option<usize> {
        (0..2).find(|side| self.discs[*side] & 1 << (column * HEIGHT + row) != 0)
    }
}

/// Whether a set has four places in a row: upwards, along a row, or along a diagonal.
fn has_four(discs: u64) -> bool {
    [1, HEIGHT, HEIGHT - 1, HEIGHT + 1].into_iter().any(|step| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

impl Rules for ConnectFour {
    /// A column, from 0.
    type Move = u8;
    /// The position before the move.
    type Undo = ConnectFour;

    const INFO: &'static GameInfo = &INFO;

    fn start(_variant: &Variant) -> Self {
        Self::default()
    }

    fn parse_position(_variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = |offset: usize, reason: &str| {
            Err(PositionError(vec![PositionFault { offset, reason: reason.into() }]))
        };
        let (mut position, mut column, mut row) = (Self::default(), 0, 0);
        for (offset, letter) in text.char_indices() {
            match DISCS.iter().position(|disc| *disc == letter) {
                Some(_) if row == ROWS => return fault(offset, "a column has six places"),
                Some(side) => {
                    position.discs[side] |= 1 << (column * HEIGHT + row);
                    row += 1;
                }
                None if letter == '/' && column + 1 < COLUMNS => (column, row) = (column + 1, 0),
                None => return fault(offset, "expected seven columns of x and o, with / between"),
            }
        }
        let [red, yellow] = position.discs.map(u64::count_ones);
        match red.checked_sub(yellow) {
            _ if column + 1 < COLUMNS => fault(text.len(), "there are fewer than seven columns"),
            None | Some(2..) => fault(0, "red has as many discs as yellow, or one more"),
            _ if position.discs.into_iter().all(has_four) => fault(0, "both sides have won"),
            _ => Ok(position),
        }
    }

    fn write_position(&self, out: &mut String) {
        for column in 0..COLUMNS {
            let sides = (0..ROWS).map_while(|row| self.side_at(column, row));
            out.extend(sides.map(|side| DISCS[side]));
            out.extend((column + 1 < COLUMNS).then_some('/'));
        }
    }

    fn variant(&self) -> Variant {
        INFO.default_variant()
    }

    fn to_move(&self) -> Seat {
        Seat((self.count() & 1) as u8)
    }

    fn generate(&self, _what: MoveSet, out: &mut Vec<u8>) {
        if self.outcome().is_none() {
            out.extend((0..COLUMNS).filter(|column| self.height(*column) < ROWS));
        }
    }

    fn parse_move(&self, text: &str) -> Result<u8, String> {
        match text.as_bytes() {
            _ if self.outcome().is_some() => Err("the game is over".into()),
            [letter @ b'a'..=b'g'] if self.height(letter - b'a') < ROWS => Ok(letter - b'a'),
            [b'a'..=b'g'] => Err(format!("column {text} is full")),
            _ => Err("a move is the letter of a column, a to g".into()),
        }
    }

    fn write_move(&self, column: u8, out: &mut String) {
        out.push(char::from(b'a' + column));
    }

    fn make(&mut self, column: u8) -> ConnectFour {
        let before = *self;
        self.discs[usize::from(self.to_move().0)] |= 1 << (column * HEIGHT + self.height(column));
        before
    }

    fn unmake(&mut self, before: ConnectFour) {
        *self = before;
    }

    fn outcome(&self) -> Option<Outcome> {
        let ended = |winner, reason| Some(Outcome { winner, reason, score: 0 });
        match self.discs.map(has_four) {
            [true, _] => ended(Some(Side(0)), "four in a row"),
            [_, true] => ended(Some(Side(1)), "four in a row"),
            _ if self.count() == u32::from(COLUMNS * ROWS) => ended(None, "full board"),
            _ => None,
        }
    }

    fn hash(&self) -> u64 {
        splitmix::mix(splitmix::mix(self.discs[0]) ^ self.discs[1])
    }

    fn board(&self, last: Option<u8>) -> Option<Board> {
        let name = |column: u8, row: u8| place_name(column.into(), row.into());
        let mut board = Board::of(Grid::square(COLUMNS.into(), ROWS.into()));
        let mut legal = Vec::new();
        self.generate(MoveSet::All, &mut legal);
        for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)))
        {
            if let Some(side) = self.side_at(column, row) {
                board.add_disc(name(column, row), [Color::Red, Color::Yellow][side]);
            }
            if legal.contains(&column) {
                // A click anywhere in the column.
                board.add_move(char::from(b'a' + column), [name(column, row)]);
            }
        }
        let last = last.map(|column| name(column, self.height(column) - 1));
        board.highlight(HighlightKind::Last, last);
        Some(board)
    }
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_game!(ConnectFour);

#[cfg(test)]
mod tests;
