//! Writes SGF: a root with the metadata, then the moves, with parentheses around alternatives.

use crate::formats::scan::escape;
use crate::formats::{
    FormatError, GameTree, Location, Mark, Node, RecordedResult, ResultCause, one_line,
};
use crate::gomoku::Gomoku;
use crate::gomoku::formats::{point_of, size_of};
use crate::gomoku::point::{Color, Point};
use crate::info::Variant;
use crate::rules::{Rules, Side};

/// Approximate number of moves per line of the file.
const MOVES_PER_LINE: usize = 10;

/// Writes a game with all its variations.
pub(in crate::gomoku) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    let mut out = String::new();
    let first = write_root(tree, variant, &mut out)?;
    let siblings = tree.have_later_siblings();
    // For each move up to the current one: whether it opened a parenthesis.
    let mut path: Vec<bool> = Vec::new();
    let mut in_line = 0;
    for node in tree.nodes() {
        let again = node.depth <= path.len();
        while path.len() >= node.depth {
            if path.pop() == Some(true) {
                out.push(')');
            }
        }
        // One of several alternatives: either a sibling follows, or one came before.
        let in_parentheses = again || siblings.get(node.index) == Some(&true);
        if in_parentheses || in_line == MOVES_PER_LINE {
            out.push('\n');
            in_line = 0;
        }
        if in_parentheses {
            out.push('(');
        }
        write_node(&node, first, size_of(variant), &mut out)?;
        out.push_str(tree.mark(node.index).map_or("", property_of));
        if let Some(comment) = node.comment {
            write_value("C", comment, &mut out);
        }
        path.push(in_parentheses);
        in_line += 1;
    }
    path.iter().filter(|in_parentheses| **in_parentheses).for_each(|_| out.push(')'));
    out.push_str(")\n");
    Ok(out.into_bytes())
}

/// Appends the root. Returns the colour that moves first.
fn write_root(tree: &GameTree, variant: &Variant, out: &mut String) -> Result<Color, FormatError> {
    let size = size_of(variant);
    let version = env!("CARGO_PKG_VERSION");
    out.push_str(&format!("(;FF[4]GM[4]CA[UTF-8]AP[Sandboard:{version}]SZ[{size}]"));
    write_text("RU", Some(variant.id), out);
    write_text("PB", tree.names.first().and_then(Option::as_deref), out);
    write_text("PW", tree.names.get(1).and_then(Option::as_deref), out);
    write_text("RE", tree.result.map(result).as_deref(), out);
    let first = write_start(tree, variant, out)?;
    if let Some(comment) = &tree.comment {
        write_value("C", comment, out);
    }
    out.push('\n');
    Ok(first)
}

fn result(result: RecordedResult) -> String {
    let side = match result.winner {
        None => return "Draw".to_owned(),
        Some(Side(0)) => 'B',
        Some(_) => 'W',
    };
    let cause = match result.cause {
        ResultCause::Unspecified => "",
        ResultCause::Resignation => "Resign",
        ResultCause::Time => "Time",
        ResultCause::Forfeit => "Forfeit",
    };
    format!("{side}+{cause}")
}

fn write_start(tree: &GameTree, variant: &Variant, out: &mut String) -> Result<Color, FormatError> {
    let Some(start) = &tree.start else { return Ok(Color::Black) };
    let position = Gomoku::parse_position(variant, start)
        .map_err(|error| FormatError::new(Location::Whole, format!("start position: {error}")))?;
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let mut stones = position.stones(color).peekable();
        if stones.peek().is_some() {
            out.push_str(name);
        }
        for stone in stones {
            out.push('[');
            push_point(stone, position.size(), out);
            out.push(']');
        }
    }
    let first = position.color_to_move();
    out.push_str(if first == Color::Black { "PL[B]" } else { "PL[W]" });
    Ok(first)
}

fn push_point(point: Point, size: u8, out: &mut String) {
    push_letters((point.column(), size - 1 - point.row()), out);
}

fn push_letters((column, from_top): (u8, u8), out: &mut String) {
    out.push(char::from(b'a' + column));
    out.push(char::from(b'a' + from_top));
}

fn write_node(node: &Node, first: Color, size: u8, out: &mut String) -> Result<(), FormatError> {
    let color = if node.depth % 2 == 1 { first } else { first.other() };
    let mut letters = String::new();
    if node.mv != "pass" {
        push_letters(point_of(node.depth, node.mv, size)?, &mut letters);
    }
    let name = if color == Color::Black { 'B' } else { 'W' };
    out.push_str(&format!(";{name}[{letters}]"));
    if let Some(label) = node.label.filter(|_| !letters.is_empty()) {
        out.push_str(&format!("LB[{letters}:"));
        escape(label, out);
        out.push(']');
    }
    Ok(())
}

/// The property of a judgement.
fn property_of(mark: Mark) -> &'static str {
    match mark {
        Mark::Good => "TE[1]",
        Mark::Brilliant => "TE[2]",
        Mark::Mistake => "BM[1]",
        Mark::Blunder => "BM[2]",
        Mark::Interesting => "IT[]",
        Mark::Dubious => "DO[]",
    }
}

/// Appends a property with a text on one line, if there is a text.
fn write_text(name: &str, text: Option<&str>, out: &mut String) {
    if let Some(text) = text.and_then(one_line) {
        write_value(name, &text, out);
    }
}

fn write_value(name: &str, text: &str, out: &mut String) {
    out.push_str(name);
    out.push('[');
    escape(text, out);
    out.push(']');
}
