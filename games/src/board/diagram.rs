//! Draws a board as text, for terminals: in ASCII, except for the texts of the game.

use std::collections::HashMap;

use super::{Board, Color, Element, Grid, HighlightKind, Line, Piece, Shape, Tiling};

/// The mark before a place that is highlighted; the first kind wins.
const MARKS: [(HighlightKind, char); 4] = [
    (HighlightKind::Last, '*'),
    (HighlightKind::Win, '='),
    (HighlightKind::Threat, '!'),
    (HighlightKind::Target, '+'),
];
const EMPTY: &str = ".";
/// The columns between elements side by side.
const GAP: usize = 3;

impl Color {
    /// The letter of the colour in a diagram: `x` for black, `o` for white, else a letter of its
    /// name: `r`, `b`, `g`, `y` and `p`, in oraNge, broWn and grAy the one in the middle.
    pub fn letter(self) -> char {
        match self {
            Self::Black => 'x',
            Self::White => 'o',
            Self::Red => 'r',
            Self::Blue => 'b',
            Self::Green => 'g',
            Self::Yellow => 'y',
            Self::Orange => 'n',
            Self::Purple => 'p',
            Self::Brown => 'w',
            Self::Gray => 'a',
        }
    }
}

impl Board {
    /// The board as text, in lines that end with `\n`. Discs are the [letters](Color::letter) of
    /// their colours, `.` is an empty place, `?` a card with the face down. Before a place, `*`
    /// marks the last move, `=` a win, `!` a threat and `+` a target.
    pub fn diagram(&self) -> String {
        let places = Places::of(self);
        let mut text = String::new();
        for row in &self.elements {
            let blocks = row.iter().map(|element| places.element(element)).collect();
            for line in side_by_side(blocks) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

/// What is on each place.
struct Places<'a> {
    /// The piece on top, and the number of pieces.
    pieces: HashMap<&'a str, (&'a Piece, usize)>,
    marks: HashMap<&'a str, char>,
    /// Whether pieces of several colours have the same glyph, so that glyphs need their colour.
    glyphs_have_colors: bool,
}

impl<'a> Places<'a> {
    fn of(board: &'a Board) -> Self {
        let (mut pieces, mut colors) = (HashMap::new(), HashMap::new());
        let mut glyphs_have_colors = false;
        for piece in &board.pieces {
            let on_place = pieces.entry(piece.place.as_str()).or_insert((piece, 0));
            *on_place = (piece, on_place.1 + usize::from(piece.count));
            if piece.shape == Shape::Glyph {
                let color = colors.entry(piece.text.as_str()).or_insert(piece.color);
                glyphs_have_colors |= *color != piece.color;
            }
        }
        let mut marks = HashMap::new();
        for (kind, mark) in MARKS {
            let of_kind = board.highlights.iter().filter(|highlight| highlight.kind == kind);
            for place in of_kind.flat_map(|highlight| &highlight.places) {
                marks.entry(place.as_str()).or_insert(mark);
            }
        }
        Self { pieces, marks, glyphs_have_colors }
    }

    fn element(&self, element: &Element) -> Vec<String> {
        match element {
            Element::Grid(grid) => self.grid(grid),
            Element::Track(line) => self.track(line),
            Element::Reserve(line) | Element::Cards(line) => vec![self.list(line)],
            Element::Text(text) => vec![text.text.clone()],
        }
    }

    /// The mark of a place and what is on it.
    fn cell(&self, place: &str) -> String {
        let mark = self.marks.get(place).copied().unwrap_or(' ');
        let Some((piece, count)) = self.pieces.get(place) else { return format!("{mark}{EMPTY}") };
        let text = self.piece(piece);
        match count {
            1 => format!("{mark}{text}"),
            _ => format!("{mark}{text}({count})"),
        }
    }

    fn piece(&self, piece: &Piece) -> String {
        let letter = || piece.color.map_or('#', Color::letter);
        match piece.shape {
            Shape::Back => "?".into(),
            Shape::Card => piece.text.clone(),
            Shape::Glyph if !self.glyphs_have_colors => piece.text.clone(),
            Shape::Disc | Shape::Glyph => format!("{}{}", letter(), piece.text),
            // A path cannot be drawn: the initial of its name stands for it.
            Shape::Path => [letter()].into_iter().chain(piece.name.chars().next()).collect(),
        }
    }

    fn grid(&self, grid: &Grid) -> Vec<String> {
        let places = grid.rows.iter().flatten().flatten();
        let widest = places.map(|place| width(&self.cell(place))).max().unwrap_or(0);
        let labels = grid.column_labels.iter().map(|label| width(label) + 1).max().unwrap_or(0);
        let step = widest.max(labels);
        // Half a place has a whole number of columns.
        let (step, shift) = match grid.tiling {
            Tiling::Square => (step, 0),
            Tiling::Hex => (step.next_multiple_of(2), step.div_ceil(2)),
        };
        let margin = grid.row_labels.iter().map(|label| width(label)).max().unwrap_or(0);
        let mut lines: Vec<Vec<(usize, String)>> = Vec::new();
        for (index, row) in grid.rows.iter().enumerate() {
            let begin = margin + index * shift;
            let cells = row.iter().enumerate().filter_map(|(column, place)| {
                Some((begin + column * step, self.cell(place.as_ref()?)))
            });
            let mut line: Vec<(usize, String)> = cells.collect();
            if let (Some(label), Some((first, _))) = (grid.row_labels.get(index), line.first()) {
                let at = if grid.tiling == Tiling::Hex { first - margin } else { 0 };
                line.insert(0, (at, format!("{label:>margin$}")));
            }
            lines.push(line);
        }
        if !grid.column_labels.is_empty() {
            let labels = grid.column_labels.iter().enumerate();
            let line =
                labels.map(|(column, label)| (margin + column * step + 1, label.clone())).collect();
            // Only the first row of a hexagonal tiling has the columns below their labels.
            match grid.tiling {
                Tiling::Square => lines.push(line),
                Tiling::Hex => lines.insert(0, line),
            }
        }
        let left = lines.iter().flatten().map(|(at, _)| *at).min().unwrap_or(0);
        lines.iter().map(|line| line_of(line, left)).collect()
    }

    /// The name, the places, and their labels below.
    fn track(&self, line: &Line) -> Vec<String> {
        let cells: Vec<String> = line.places.iter().map(|place| self.cell(place)).collect();
        let labels: Vec<String> = line.labels.iter().map(|label| format!(" {label}")).collect();
        let step = cells.iter().chain(&labels).map(|text| width(text)).max().unwrap_or(0);
        let columns = |texts: Vec<String>| -> Vec<(usize, String)> {
            texts.into_iter().enumerate().map(|(index, text)| (index * step, text)).collect()
        };
        let name = (!line.name.is_empty()).then(|| format!("{}:", line.name));
        let lines = [cells, labels].into_iter().filter(|texts| !texts.is_empty());
        name.into_iter().chain(lines.map(|texts| line_of(&columns(texts), 0))).collect()
    }

    /// The name and the places in one line.
    fn list(&self, line: &Line) -> String {
        let mut text = line.name.clone();
        text.extend((!text.is_empty()).then_some(':'));
        for (index, place) in line.places.iter().enumerate() {
            let cell = self.cell(place);
            match line.labels.get(index).filter(|label| !label.is_empty()) {
                Some(label) => text.push_str(&format!(" {label}{}", cell.replacen(' ', ":", 1))),
                None => text.push_str(&cell),
            }
        }
        text
    }
}

/// The number of characters.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// A line with these texts, each at its column; column `left` is the first one.
fn line_of(texts: &[(usize, String)], left: usize) -> String {
    let mut line = String::new();
    for (at, text) in texts {
        let missing = (at - left).saturating_sub(width(&line));
        line.extend(std::iter::repeat_n(' ', missing));
        line.push_str(text);
    }
    line
}

fn side_by_side(blocks: Vec<Vec<String>>) -> Vec<String> {
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = vec![String::new(); height];
    for (index, block) in blocks.iter().enumerate() {
        let left = lines.iter().map(|line| width(line)).max().unwrap_or(0);
        let left = if index == 0 { 0 } else { left + GAP };
        for (line, text) in lines.iter_mut().zip(block) {
            *line = line_of(&[(0, std::mem::take(line)), (left, text.clone())], 0);
        }
    }
    lines
}
