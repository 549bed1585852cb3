//! Checks a board: the limits of its lists and texts, and that its parts fit together.

use std::collections::HashSet;

use super::{Board, Element, Grid, Line, Piece, Shape};

/// The limits of boards. Texts are counted in characters (Unicode scalar values).
pub mod limits {
    /// Rows of elements, and elements of a row.
    pub const ELEMENTS: usize = 16;
    /// Rows of a grid, places of a row, and places of a line.
    pub const GRID_SIDE: usize = 64;
    /// Places of a board.
    pub const PLACES: usize = 1024;
    /// Pieces and cards of a board.
    pub const PIECES: usize = 2048;
    /// The number that a piece stands for.
    pub const PIECE_COUNT: u16 = 9999;
    /// Highlights of a board, and fills of a grid.
    pub const HIGHLIGHTS: usize = 16;
    /// Lines between the points of a grid.
    pub const LINES: usize = 4096;
    /// Entries in the list of moves.
    pub const MOVES: usize = 4096;
    /// Places of a move.
    pub const MOVE_PLACES: usize = 8;
    /// The text of a move, in bytes.
    pub const MOVE_BYTES: usize = 64;
    /// The highest seat, counted from 0.
    pub const SEAT: u8 = 15;
    /// The id of a place.
    pub const ID_CHARS: usize = 32;
    /// The text on a piece or a card.
    pub const PIECE_TEXT_CHARS: usize = 8;
    /// The data of an SVG path.
    pub const PATH_CHARS: usize = 2000;
    /// A name of a piece or a line, and the label of a move.
    pub const NAME_CHARS: usize = 40;
    /// A label of a row, column or place.
    pub const LABEL_CHARS: usize = 8;
    /// A text for people.
    pub const TEXT_CHARS: usize = 200;
}

/// The characters of SVG path data that a board may have: all commands, numbers without exponents.
const PATH_LETTERS: &str = "MmLlHhVvCcSsQqTtAaZz0123456789 ,.+-";

impl Board {
    /// Checks the board of a position with these legal moves, separated by spaces. Err: what is
    /// wrong, one clause without a full stop, such as "piece 2 is on the place `z9`, which does not
    /// exist".
    pub fn check(&self, legal: &str) -> Result<(), String> {
        count("rows of elements", self.elements.len(), 1, limits::ELEMENTS)?;
        for row in &self.elements {
            count("elements in a row", row.len(), 1, limits::ELEMENTS)?;
            row.iter().try_for_each(check_element)?;
        }
        let places = self.unique_places()?;
        let exists = |place: &String| match places.contains(place.as_str()) {
            true => Ok(()),
            false => Err(format!("the place `{place}`, which does not exist")),
        };
        for element in self.elements.iter().flatten() {
            let Element::Grid(grid) = element else { continue };
            let filled = grid.fills.iter().flat_map(|fill| &fill.places);
            let mut named = filled.chain(grid.lines.iter().flatten());
            named.try_for_each(|place| exists(place).map_err(|it| format!("a grid has {it}")))?;
        }
        count("pieces", self.pieces.len(), 0, limits::PIECES)?;
        for (index, piece) in self.pieces.iter().enumerate() {
            let number = index + 1;
            exists(&piece.place).map_err(|it| format!("piece {number} is on {it}"))?;
            check_piece(piece).map_err(|it| format!("piece {number}: {it}"))?;
        }
        count("highlights", self.highlights.len(), 0, limits::HIGHLIGHTS)?;
        for highlight in &self.highlights {
            count("places of a highlight", highlight.places.len(), 1, limits::PLACES)?;
            let mut places = highlight.places.iter();
            places.try_for_each(|it| exists(it).map_err(|it| format!("a highlight has {it}")))?;
        }
        count("moves", self.moves.len(), 0, limits::MOVES)?;
        let legal: HashSet<&str> = legal.split_ascii_whitespace().collect();
        for entry in &self.moves {
            let mv = &entry.mv;
            let failed = |it: String| format!("the move `{mv}`: {it}");
            if !legal.contains(mv.as_str()) {
                return Err(format!("lists the move `{mv}`, which is not legal"));
            }
            text("its label", &entry.label, 0, limits::NAME_CHARS).map_err(failed)?;
            count("places", entry.places.len(), 0, limits::MOVE_PLACES).map_err(failed)?;
            let mut places = entry.places.iter();
            places.try_for_each(|it| exists(it).map_err(|it| failed(format!("it names {it}"))))?;
        }
        Ok(())
    }

    /// The ids of all places. Err: an id is not valid, or two places have it.
    fn unique_places(&self) -> Result<HashSet<&str>, String> {
        let mut places = HashSet::new();
        for place in self.elements.iter().flatten().flat_map(Element::places) {
            text("the id of a place", place, 1, limits::ID_CHARS)?;
            if place.contains(char::is_whitespace) {
                return Err(format!("the place `{place}` has white space"));
            }
            if !places.insert(place) {
                return Err(format!("two places are called `{place}`"));
            }
        }
        count("places", places.len(), 0, limits::PLACES)?;
        Ok(places)
    }
}

fn check_element(element: &Element) -> Result<(), String> {
    match element {
        Element::Grid(grid) => check_grid(grid),
        Element::Track(line) | Element::Reserve(line) | Element::Cards(line) => check_line(line),
        Element::Text(it) => text("a text", &it.text, 1, limits::TEXT_CHARS),
    }
}

fn check_grid(grid: &Grid) -> Result<(), String> {
    count("rows of a grid", grid.rows.len(), 1, limits::GRID_SIDE)?;
    for row in &grid.rows {
        count("places in a row", row.len(), 1, limits::GRID_SIDE)?;
    }
    let columns = grid.rows.iter().map(Vec::len).max().unwrap_or(0);
    labels("columns", &grid.column_labels, columns)?;
    labels("rows", &grid.row_labels, grid.rows.len())?;
    count("fills", grid.fills.len(), 0, limits::HIGHLIGHTS)?;
    for fill in &grid.fills {
        count("places of a fill", fill.places.len(), 1, limits::PLACES)?;
    }
    count("lines", grid.lines.len(), 0, limits::LINES)
}

fn check_line(line: &Line) -> Result<(), String> {
    text("the name of a line", &line.name, 0, limits::NAME_CHARS)?;
    count("places of a line", line.places.len(), 0, limits::GRID_SIDE)?;
    if let Some(seat) = line.owner.filter(|seat| *seat > limits::SEAT) {
        return Err(format!("a line belongs to seat {seat}; seats are 0 to {}", limits::SEAT));
    }
    labels("places", &line.labels, line.places.len())
}

fn labels(what: &str, labels: &[String], expected: usize) -> Result<(), String> {
    if !labels.is_empty() && labels.len() != expected {
        return Err(format!("{} labels for the {what}; there are {expected}", labels.len()));
    }
    labels.iter().try_for_each(|label| text("a label", label, 0, limits::LABEL_CHARS))
}

fn check_piece(piece: &Piece) -> Result<(), String> {
    let (fewest, most) = match piece.shape {
        Shape::Disc => (0, limits::PIECE_TEXT_CHARS),
        Shape::Glyph | Shape::Card => (1, limits::PIECE_TEXT_CHARS),
        Shape::Path => (1, limits::PATH_CHARS),
        Shape::Back => (0, 0),
    };
    text("its text", &piece.text, fewest, most)?;
    let foreign = piece.text.chars().find(|letter| !PATH_LETTERS.contains(*letter));
    if let Some(letter) = foreign.filter(|_| piece.shape == Shape::Path) {
        return Err(format!("its path has the character {letter:?}"));
    }
    text("its name", &piece.name, 0, limits::NAME_CHARS)?;
    count("pieces that it stands for", piece.count.into(), 1, limits::PIECE_COUNT.into())
}

fn count(what: &str, found: usize, fewest: usize, most: usize) -> Result<(), String> {
    match (fewest..=most).contains(&found) {
        true => Ok(()),
        false => Err(format!("{found} {what}; {fewest} to {most} are possible")),
    }
}

/// A text with a number of characters, without control characters.
fn text(what: &str, found: &str, fewest: usize, most: usize) -> Result<(), String> {
    let chars = found.chars().count();
    if !(fewest..=most).contains(&chars) {
        return Err(format!("{what} has {chars} characters; {fewest} to {most} are possible"));
    }
    match found.chars().find(|letter| letter.is_control()) {
        Some(letter) => Err(format!("{what} has the character {letter:?}")),
        None => Ok(()),
    }
}
