//! Hex: red connects the top with the bottom edge, blue the left with the right one. Two players
//! place stones in turn; exactly one of them succeeds.
//!
//! A move is a cell: column letter and row number from the upper left, as `f6`. In the variant
//! `pie` the second player may answer the first stone with `swap`: it then plays red, and the
//! first player continues as blue. A position text has the rows from the top, `r`, `b` and `-` for
//! empty cells, with `/` between; then the colour to move, and `s` after a swap: `---/-r-/--- b`.
#![forbid(unsafe_code)]

mod stones;

use sandboard_game_sdk::games::board::{
    Board, Color, Edges, Grid, HighlightKind, place_name, write_place_name,
};
use sandboard_game_sdk::games::{
    GameInfo, MoveCode, MoveSet, Outcome, Phase, PositionError, PositionFault, Rules, Seat, Side,
    Sizes, Variant, VariantInfo, splitmix,
};

use stones::Stones;

const SIZE_MAX: usize = 19;
const SIZES: Sizes = Sizes::every(3, SIZE_MAX as u8);
const DEFAULT_SIZE: u8 = 11;
const PIE: &str = "pie";
const PLAIN: &str = "plain";

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of::<Hex>(
    "hex",
    "Hex",
    &["red", "blue"],
    &[
        VariantInfo {
            id: PIE,
            about: "the second player may take over the first stone",
            sizes: Some(SIZES),
            default_size: DEFAULT_SIZE,
            setting: None,
            seats: None,
        },
        VariantInfo {
            id: PLAIN,
            about: "without the choice to swap",
            sizes: Some(SIZES),
            default_size: DEFAULT_SIZE,
            setting: None,
            seats: None,
        },
    ],
    "a cell: column letter and row number: f6; in `pie` also swap",
);

/// A stone on a cell, or the swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A stone on the cell with this index: (row + 1) · (size + 2) + column + 1.
    Stone(u16),
    /// The second player takes over the first stone.
    Swap,
}

impl MoveCode for Move {
    fn code(self) -> u32 {
        match self {
            Move::Swap => 1,
            Move::Stone(cell) => 2 + u32::from(cell),
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => None,
            1 => Some(Move::Swap),
            code => u16::try_from(code - 2).ok().map(Move::Stone),
        }
    }
}

/// A position. Colour 0 is red, 1 is blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex {
    pie: bool,
    stones: Stones,
    count: usize,
    /// Whether seat 0 plays blue.
    swapped: bool,
}

impl Hex {
    fn empty(variant: &Variant, size: usize) -> Self {
        Self { pie: variant.id == PIE, stones: Stones::new(size), count: 0, swapped: false }
    }

    fn size(&self) -> usize {
        self.stones.size()
    }

    /// The colour to move: red has the first stone.
    fn color(&self) -> u8 {
        (self.count % 2) as u8
    }

    fn may_swap(&self) -> bool {
        self.pie && self.count == 1 && !self.swapped
    }

    /// Puts a stone of the colour to move.
    fn add_stone(&mut self, place: usize) {
        self.stones.add(place, self.color());
        self.count += 1;
    }
}

impl Rules for Hex {
    type Move = Move;
    /// The position before the move.
    type Undo = Hex;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self::empty(variant, variant.size.unwrap_or(DEFAULT_SIZE).into())
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = |offset: usize, reason: &str| {
            Err(PositionError(vec![PositionFault { offset, reason: reason.into() }]))
        };
        let Some((board, rest)) = text.split_once(' ') else {
            return fault(text.len(), "the colour to move is missing");
        };
        let rows: Vec<&str> = board.split('/').collect();
        let size = rows.len();
        if !SIZES.contains(size.min(255) as u8) || rows.iter().any(|row| row.len() != size) {
            return fault(0, "a position has 3 to 19 rows, each with as many cells");
        }
        if variant.size.is_some_and(|wanted| usize::from(wanted) != size) {
            return fault(0, "the variant has another size");
        }
        let (mut position, mut counts) = (Self::empty(variant, size), [0; 2]);
        for (offset, letter) in board.char_indices().filter(|(_, letter)| *letter != '/') {
            let color = match letter {
                'r' => 0,
                'b' => 1,
                '-' => continue,
                _ => return fault(offset, "expected r, b or -"),
            };
            let place = position.stones.place(offset / (size + 1), offset % (size + 1));
            position.stones.add(place, color);
            counts[usize::from(color)] += 1;
        }
        let [red, blue] = counts;
        if red != blue && red != blue + 1 {
            return fault(0, "red has as many stones as blue, or one more");
        }
        position.count = red + blue;
        let color = ["r", "b"][usize::from(position.color())];
        position.swapped = rest.ends_with('s');
        if rest.strip_suffix('s').unwrap_or(rest) != color {
            return fault(board.len() + 1, "after these stones the other colour moves");
        }
        if position.swapped && (!position.pie || position.count == 0) {
            return fault(text.len() - 1, "there was no swap in this game");
        }
        Ok(position)
    }

    fn write_position(&self, out: &mut String) {
        for place in self.stones.cells() {
            let (row, column) = self.stones.cell(place);
            out.extend((row > 0 && column == 0).then_some('/'));
            out.push(self.stones.color(place).map_or('-', |color| ['r', 'b'][usize::from(color)]));
        }
        out.push(' ');
        out.push(['r', 'b'][usize::from(self.color())]);
        out.extend(self.swapped.then_some('s'));
    }

    fn variant(&self) -> Variant {
        let id = if self.pie { PIE } else { PLAIN };
        Variant { id, size: Some(self.size() as u8), setting: None }
    }

    fn to_move(&self) -> Seat {
        Seat(self.color() ^ u8::from(self.swapped))
    }

    fn phase(&self) -> Phase {
        if self.may_swap() { Phase::Swap } else { Phase::Play }
    }

    fn prompt(&self) -> Option<String> {
        self.may_swap().then(|| "play a cell, or swap to take over the first stone".into())
    }

    fn sides_may_change(&self) -> bool {
        self.pie && self.count == 0
    }

    fn side_name(&self, side: Side) -> &'static str {
        INFO.sides[usize::from(side.0 ^ u8::from(self.swapped))]
    }

    fn generate(&self, _what: MoveSet, out: &mut Vec<Move>) {
        if self.stones.winner().is_none() {
            out.extend(self.stones.free().map(|place| Move::Stone(place as u16)));
            out.extend(self.may_swap().then_some(Move::Swap));
        }
    }

    fn count_moves(&self) -> Option<u64> {
        let free = self.size() * self.size() - self.count + usize::from(self.may_swap());
        Some(if self.stones.winner().is_none() { free as u64 } else { 0 })
    }

    fn nth_move(&self, number: u64) -> Option<Move> {
        if number >= self.count_moves()? {
            return None;
        }
        let place = self.stones.nth_free(usize::try_from(number).ok()?);
        Some(place.map_or(Move::Swap, |place| Move::Stone(place as u16)))
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        if self.stones.winner().is_some() {
            return Err("the game is over".into());
        }
        if text == "swap" {
            return match self.may_swap() {
                true => Ok(Move::Swap),
                false => Err("only the second move of the variant pie can be swap".into()),
            };
        }
        let size = self.size();
        let form = || format!("a move is a column a to {} and a row 1 to {size}", last(size));
        let letter = text.bytes().next().filter(u8::is_ascii_lowercase).ok_or_else(form)?;
        let (column, row) = (usize::from(letter - b'a'), text[1..].parse::<usize>().ok());
        let row = row.filter(|row| (1..=size).contains(row)).ok_or_else(form)?;
        if column >= size || text[1..] != row.to_string() {
            return Err(form());
        }
        let place = self.stones.place(row - 1, column);
        match self.stones.color(place) {
            None => Ok(Move::Stone(place as u16)),
            Some(_) => Err(format!("{text} is occupied")),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        match mv {
            Move::Swap => out.push_str("swap"),
            Move::Stone(place) => {
                let (row, column) = self.stones.cell(place.into());
                write_place_name(column, row, out);
            }
        }
    }

    fn make(&mut self, mv: Move) -> Hex {
        let before = *self;
        match mv {
            Move::Swap => self.swapped = true,
            Move::Stone(place) => self.add_stone(place.into()),
        }
        before
    }

    fn unmake(&mut self, before: Hex) {
        *self = before;
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Side(self.stones.winner()? ^ u8::from(self.swapped));
        Some(Outcome { winner: Some(winner), reason: "edges connected", score: 0 })
    }

    fn hash(&self) -> u64 {
        let color = |place| self.stones.color(place).map_or(2, u64::from);
        let add = |hash, place| splitmix::mix(hash ^ color(place));
        self.stones.cells().fold(u64::from(self.swapped), add)
    }

    fn board(&self, last_move: Option<Move>) -> Option<Board> {
        let name = |place: usize| {
            let (row, column) = self.stones.cell(place);
            place_name(column, row)
        };
        let [red, blue] = [Color::Red, Color::Blue];
        let mut grid = Grid::rhombus(self.size(), self.size());
        grid.edges =
            Some(Edges { top: Some(red), bottom: Some(red), left: Some(blue), right: Some(blue) });
        let mut board = Board::of(grid);
        for place in self.stones.cells() {
            match self.stones.color(place) {
                Some(color) => board.add_disc(name(place), [red, blue][usize::from(color)]),
                None if self.outcome().is_none() => board.add_move(name(place), [name(place)]),
                None => (),
            }
        }
        if self.may_swap() {
            board.add_button("swap", "Swap sides");
        }
        if let Some(Move::Stone(place)) = last_move {
            board.highlight(HighlightKind::Last, [name(place.into())]);
        }
        Some(board)
    }
}

/// The letter of the last column.
fn last(size: usize) -> char {
    (b'a' + (size - 1) as u8) as char
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_game!(Hex);

#[cfg(test)]
mod tests;
