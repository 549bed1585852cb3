//! Hex: red connects the top with the bottom edge, blue the left with the right one. Two players
//! place stones in turn; exactly one of them succeeds.
//!
//! A move is a cell: column letter and row number from the upper left, as `f6`. In the variant
//! `pie` the second player may answer the first stone with `swap`: it then plays red, and the
//! first player continues as blue. A position text has the rows from the top, `r`, `b` and `-` for
//! empty cells, with `/` between; then the colour to move, and `s` after a swap: `---/-r-/--- b`.
#![forbid(unsafe_code)]

use sandboard_game_sdk::games::board::{
    Board, Color, Edges, Grid, HighlightKind, place_name, write_place_name,
};
use sandboard_game_sdk::games::{
    GameInfo, MoveCode, MoveSet, Outcome, Phase, PositionError, PositionFault, Rules, Seat, Side,
    Sizes, Variant, VariantInfo, splitmix,
};

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
    /// A stone on the cell with this index: row · size + column.
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
    size: usize,
    pie: bool,
    /// The colour of each cell; cells beyond the size stay empty.
    cells: [Option<u8>; SIZE_MAX * SIZE_MAX],
    stones: usize,
    /// Whether seat 0 plays blue.
    swapped: bool,
    winner: Option<u8>,
}

impl Hex {
    fn empty(variant: &Variant, size: usize) -> Self {
        let cells = [None; SIZE_MAX * SIZE_MAX];
        let pie = variant.id == PIE;
        Self { size, pie, cells, stones: 0, swapped: false, winner: None }
    }

    /// The colour to move: red has the first stone.
    fn color(&self) -> u8 {
        (self.stones % 2) as u8
    }

    fn may_swap(&self) -> bool {
        self.pie && self.stones == 1 && !self.swapped
    }

    fn all_cells(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.size * self.size
    }

    /// The up to six neighbours of a cell.
    fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let (size, row, column) = (self.size as i32, cell / self.size, cell % self.size);
        let steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)];
        steps.into_iter().filter_map(move |(down, right)| {
            let (row, column) = (row as i32 + down, column as i32 + right);
            let inside = (0..size).contains(&row) && (0..size).contains(&column);
            inside.then_some((row * size + column) as usize)
        })
    }

    /// Whether the stones that are connected with the one on this cell touch both edges of their
    /// colour.
    fn connects(&self, cell: usize) -> bool {
        let color = self.cells[cell];
        let mut seen = [false; SIZE_MAX * SIZE_MAX];
        let mut open = vec![cell];
        let (mut first, mut last) = (false, false);
        seen[cell] = true;
        while let Some(cell) = open.pop() {
            let line = if color == Some(0) { cell / self.size } else { cell % self.size };
            first |= line == 0;
            last |= line == self.size - 1;
            for next in self.neighbours(cell) {
                if self.cells[next] == color && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        first && last
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
        let mut position = Self::empty(variant, size);
        for (offset, letter) in board.char_indices().filter(|(_, letter)| *letter != '/') {
            let cell = offset - offset / (size + 1);
            position.cells[cell] = match letter {
                'r' => Some(0),
                'b' => Some(1),
                '-' => None,
                _ => return fault(offset, "expected r, b or -"),
            };
        }
        let count = |color| position.cells.iter().filter(|cell| **cell == Some(color)).count();
        let (red, blue) = (count(0), count(1));
        if red != blue && red != blue + 1 {
            return fault(0, "red has as many stones as blue, or one more");
        }
        position.stones = red + blue;
        let color = ["r", "b"][usize::from(position.color())];
        position.swapped = rest.ends_with('s');
        if rest.strip_suffix('s').unwrap_or(rest) != color {
            return fault(board.len() + 1, "after these stones the other colour moves");
        }
        if position.swapped && (!position.pie || position.stones == 0) {
            return fault(text.len() - 1, "there was no swap in this game");
        }
        let wins = |color| {
            position
                .all_cells()
                .any(|it| position.cells[it] == Some(color) && position.connects(it))
        };
        position.winner = (0..2).find(|color| wins(*color));
        Ok(position)
    }

    fn write_position(&self, out: &mut String) {
        for cell in self.all_cells() {
            out.extend((cell > 0 && cell % self.size == 0).then_some('/'));
            out.push(self.cells[cell].map_or('-', |color| ['r', 'b'][usize::from(color)]));
        }
        out.push(' ');
        out.push(['r', 'b'][usize::from(self.color())]);
        out.extend(self.swapped.then_some('s'));
    }

    fn variant(&self) -> Variant {
        let id = if self.pie { PIE } else { PLAIN };
        Variant { id, size: Some(self.size as u8), setting: None }
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
        self.pie && self.stones == 0
    }

    fn side_name(&self, side: Side) -> &'static str {
        INFO.sides[usize::from(side.0 ^ u8::from(self.swapped))]
    }

    fn generate(&self, _what: MoveSet, out: &mut Vec<Move>) {
        if self.winner.is_none() {
            let free = self.all_cells().filter(|cell| self.cells[*cell].is_none());
            out.extend(free.map(|cell| Move::Stone(cell as u16)));
            out.extend(self.may_swap().then_some(Move::Swap));
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        if self.winner.is_some() {
            return Err("the game is over".into());
        }
        if text == "swap" {
            return match self.may_swap() {
                true => Ok(Move::Swap),
                false => Err("only the second move of the variant pie can be swap".into()),
            };
        }
        let form =
            || format!("a move is a column a to {} and a row 1 to {}", last(self.size), self.size);
        let letter = text.bytes().next().filter(u8::is_ascii_lowercase).ok_or_else(form)?;
        let (column, row) = (usize::from(letter - b'a'), text[1..].parse::<usize>().ok());
        let row = row.filter(|row| (1..=self.size).contains(row)).ok_or_else(form)?;
        if column >= self.size || text[1..] != row.to_string() {
            return Err(form());
        }
        let cell = (row - 1) * self.size + column;
        match self.cells[cell] {
            None => Ok(Move::Stone(cell as u16)),
            Some(_) => Err(format!("{text} is occupied")),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        match mv {
            Move::Swap => out.push_str("swap"),
            Move::Stone(cell) => {
                let cell = usize::from(cell);
                write_place_name(cell % self.size, cell / self.size, out);
            }
        }
    }

    fn make(&mut self, mv: Move) -> Hex {
        let before = *self;
        match mv {
            Move::Swap => self.swapped = true,
            Move::Stone(cell) => {
                let color = self.color();
                self.cells[usize::from(cell)] = Some(color);
                self.stones += 1;
                self.winner = self.connects(cell.into()).then_some(color);
            }
        }
        before
    }

    fn unmake(&mut self, before: Hex) {
        *self = before;
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Side(self.winner? ^ u8::from(self.swapped));
        Some(Outcome { winner: Some(winner), reason: "edges connected", score: 0 })
    }

    fn hash(&self) -> u64 {
        let add = |hash, cell: &Option<u8>| splitmix::mix(hash ^ cell.map_or(2, u64::from));
        self.cells[..self.size * self.size].iter().fold(u64::from(self.swapped), add)
    }

    fn board(&self, last_move: Option<Move>) -> Option<Board> {
        let name = |cell: usize| place_name(cell % self.size, cell / self.size);
        let [red, blue] = [Color::Red, Color::Blue];
        let mut grid = Grid::rhombus(self.size, self.size);
        grid.edges =
            Some(Edges { top: Some(red), bottom: Some(red), left: Some(blue), right: Some(blue) });
        let mut board = Board::of(grid);
        for cell in self.all_cells() {
            match self.cells[cell] {
                Some(color) => board.add_disc(name(cell), [red, blue][usize::from(color)]),
                None if self.winner.is_none() => board.add_move(name(cell), [name(cell)]),
                None => (),
            }
        }
        if self.may_swap() {
            board.add_button("swap", "Swap sides");
        }
        if let Some(Move::Stone(cell)) = last_move {
            board.highlight(HighlightKind::Last, [name(cell.into())]);
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
