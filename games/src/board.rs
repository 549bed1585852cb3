//! A board as data: what a game shows of a position, and what a click on it means. Any client can
//! draw it without code for the game. Contains no rule and no game.
//!
//! With the feature `json` a board is written as JSON and read back; `docs/board.md` in the
//! repository teaches the format, and `docs/board.schema.json` defines it.

mod check;
mod defaults;
mod diagram;
mod grid;
#[cfg(feature = "json")]
mod json;
#[cfg(test)]
mod tests;

pub use check::limits;
pub use grid::{place_name, write_place_name};
#[cfg(feature = "json")]
pub use json::MAX_JSON_BYTES;

/// What an observer sees of a position.
///
/// Each place has an id, which pieces, highlights and moves refer to. The ids are the author's;
/// [`place_name`] makes those of square boards. [`check`](Board::check) tells what is wrong with a
/// board, and the limits of all lists and texts are in [`limits`].
///
/// ```
/// use sandboard_games::board::{Board, Color, Grid, HighlightKind};
///
/// let mut board = Board::of(Grid::square(3, 3));
/// board.add_disc("a1", Color::Black);
/// board.highlight(HighlightKind::Last, ["a1"]);
/// board.add_move("b2", ["b2"]);
/// assert_eq!(board.check("b2"), Ok(()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Board {
    /// Rows of elements, from the top. The elements of a row are side by side.
    pub elements: Vec<Vec<Element>>,
    /// The pieces and cards. Of several on one place, the last one is on top.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub pieces: Vec<Piece>,
    /// Places that are pointed out.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub highlights: Vec<Highlight>,
    /// What clicks mean. A move may be listed several times, with different places. A legal move
    /// that is not listed is a button with its text. Empty for an observer who is not to move.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub moves: Vec<PlacedMove>,
    /// Whether the seats look at the board from opposite edges: seat 1 then sees it turned by 180°.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "defaults::is_default"))]
    pub seats_face_each_other: bool,
}

/// A part of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(tag = "kind", rename_all = "snake_case"))]
pub enum Element {
    /// Places in a plane.
    Grid(Grid),
    /// Places in a line, such as the points of backgammon, a race track or a scale of scores. The
    /// pieces of a place are drawn in a column.
    Track(Line),
    /// Pieces in hand, without a frame around each place.
    Reserve(Line),
    /// Cards side by side: a hand, a trick, a pile. Each place holds one card, or a pile.
    Cards(Line),
    /// A text for people, such as the pot or the bets.
    Text(Text),
}

/// Places in a plane, in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Grid {
    /// Where the places of a row are, and which places are neighbours.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "defaults::is_default"))]
    pub tiling: Tiling,
    /// What a place looks like.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "defaults::is_default"))]
    pub style: GridStyle,
    /// The ids of the places, row by row from the top; `None` (null) is a gap. With gaps, a grid
    /// has any shape. In a hexagonal tiling each row begins half a place to the right of the row
    /// above it, so that rows of one length are a rhombus.
    pub rows: Vec<Vec<Option<String>>>,
    /// A label for each column of the longest row, or none at all.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub column_labels: Vec<String>,
    /// A label for each row, or none at all.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub row_labels: Vec<String>,
    /// Places with another background, such as the dark squares of a chessboard.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub fills: Vec<Fill>,
    /// The lines between points; empty: each point is connected with its neighbours.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub lines: Vec<[String; 2]>,
    /// The colours of the edges, for games whose sides own edges.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub edges: Option<Edges>,
}

/// Where the places of a grid are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Tiling {
    /// Columns and rows; four neighbours.
    #[default]
    Square,
    /// Each row is shifted by half a place; six neighbours.
    Hex,
}

/// What the places of a grid look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum GridStyle {
    /// Squares or hexagons that contain pieces.
    #[default]
    Cells,
    /// Points that are connected by lines, with pieces on them.
    Points,
}

/// Places with a background of this colour.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Fill {
    /// The colour, drawn faintly, so that pieces stay visible.
    pub color: Color,
    /// The ids of the places.
    pub places: Vec<String>,
}

/// The colours of the edges of a grid; `None`: no colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Edges {
    /// The colour of the first row.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub top: Option<Color>,
    /// The colour of the last place of each row.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub right: Option<Color>,
    /// The colour of the last row.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub bottom: Option<Color>,
    /// The colour of the first place of each row.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub left: Option<Color>,
}

/// Places in a line, from the left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Line {
    /// A name for people, such as `North` or `Stock`; empty: none.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "String::is_empty"))]
    pub name: String,
    /// The seat that the line belongs to, 0 to 15.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub owner: Option<u8>,
    /// The ids of the places.
    pub places: Vec<String>,
    /// A label for each place, or none at all.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub labels: Vec<String>,
    /// Where the column of pieces on a place of a track begins.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "defaults::is_default"))]
    pub stack: Stack,
}

/// Where the column of pieces on a place of a track begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Stack {
    /// At the bottom, and it grows upwards.
    #[default]
    Up,
    /// At the top, and it grows downwards.
    Down,
}

/// A text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Text {
    /// Up to 200 characters, in one or more lines as a client breaks them.
    pub text: String,
}

/// A piece or a card on a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Piece {
    /// The id of the place.
    pub place: String,
    /// What the piece looks like.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "defaults::is_default"))]
    pub shape: Shape,
    /// A letter or a few on a disc; the glyph; the outline of a path; the text of a card.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "String::is_empty"))]
    pub text: String,
    /// The colour of the piece, or of the text of a card; `None`: the colour of text.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub color: Option<Color>,
    /// The number of equal pieces or cards that it stands for.
    #[cfg_attr(feature = "json", serde(default = "defaults::one"))]
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "defaults::is_one"))]
    pub count: u16,
    /// A name for people and screen readers, such as `white knight`; empty: its colour and text.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "String::is_empty"))]
    pub name: String,
}

/// What a piece looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum Shape {
    /// A disc, with its text on it if there is one.
    #[default]
    Disc,
    /// Its text alone, such as a letter or `♞`.
    Glyph,
    /// A filled outline: its text is the data of an SVG path. The place is a square from 0 0 to
    /// 100 100.
    Path,
    /// A card with the face up and its text on it.
    Card,
    /// A card with the face down, without a text.
    Back,
}

/// The colours of pieces, edges and backgrounds. A client chooses their shades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Color {
    Black,
    White,
    Red,
    Blue,
    Green,
    Yellow,
    Orange,
    Purple,
    Brown,
    Gray,
}

/// Places that are pointed out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct Highlight {
    /// What is said about the places.
    pub kind: HighlightKind,
    /// The ids of the places.
    pub places: Vec<String>,
}

/// Why a place is pointed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
pub enum HighlightKind {
    /// The last move began or ended there.
    Last,
    /// Something may or must be done there.
    Target,
    /// Something there is attacked, such as a king in check.
    Threat,
    /// The places that have won the game.
    Win,
}

/// A legal move, and where to click for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(deny_unknown_fields))]
pub struct PlacedMove {
    /// The text of the move.
    #[cfg_attr(feature = "json", serde(rename = "move"))]
    pub mv: String,
    /// The places to click, in this order. Two places: a piece is moved from the first to the
    /// second, also by dragging. None: the move is a button.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub places: Vec<String>,
    /// The text of its button, also where several moves have the same places; empty: the text of
    /// the move.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "String::is_empty"))]
    pub label: String,
}

impl Board {
    /// A board that is one grid, without pieces.
    pub fn of(grid: Grid) -> Self {
        Self { elements: vec![vec![Element::Grid(grid)]], ..Self::default() }
    }

    /// Puts a disc on a place.
    pub fn add_disc(&mut self, place: impl Into<String>, color: Color) {
        self.pieces.push(Piece::new(place, Shape::Disc, "").colored(color));
    }

    /// Points out places; nothing if there are none.
    pub fn highlight(
        &mut self,
        kind: HighlightKind,
        places: impl IntoIterator<Item = impl Into<String>>,
    ) {
        let places: Vec<String> = places.into_iter().map(Into::into).collect();
        if !places.is_empty() {
            self.highlights.push(Highlight { kind, places });
        }
    }

    /// Lists a legal move with the places to click.
    pub fn add_move(
        &mut self,
        mv: impl Into<String>,
        places: impl IntoIterator<Item = impl Into<String>>,
    ) {
        let places = places.into_iter().map(Into::into).collect();
        self.moves.push(PlacedMove { mv: mv.into(), places, label: String::new() });
    }

    /// Lists a legal move that is a button with this label.
    pub fn add_button(&mut self, mv: impl Into<String>, label: impl Into<String>) {
        self.moves.push(PlacedMove { mv: mv.into(), places: Vec::new(), label: label.into() });
    }
}

impl Piece {
    /// A piece without a colour, which stands for itself alone.
    pub fn new(place: impl Into<String>, shape: Shape, text: impl Into<String>) -> Self {
        let (place, text) = (place.into(), text.into());
        Self { place, shape, text, color: None, count: 1, name: String::new() }
    }

    /// The same piece in a colour.
    pub fn colored(self, color: Color) -> Self {
        Self { color: Some(color), ..self }
    }

    /// The same piece, which stands for several.
    pub fn times(self, count: u16) -> Self {
        Self { count, ..self }
    }

    /// The same piece with a name for people.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }
}

impl Element {
    /// The ids of its places, in the order of reading.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        let (grid, line) = match self {
            Self::Grid(grid) => (grid.rows.as_slice(), &[][..]),
            Self::Track(line) | Self::Reserve(line) | Self::Cards(line) => {
                (&[][..], line.places.as_slice())
            }
            Self::Text(_) => (&[][..], &[][..]),
        };
        grid.iter().flatten().flatten().chain(line).map(String::as_str)
    }
}
