//! Lines of positions: FEN, optionally followed by moves, as in position texts and in engine
//! protocols; and EPD, whose operations follow the position.

use super::{FormatError, GAMES_MAX, GameTree, Location, LocationUnit, excerpt, lines, tree_full};

/// Reads one game per line; `start_of` returns the position text of a start. Empty lines and lines
/// that start with `#` are skipped.
pub(crate) fn read(
    bytes: &[u8],
    start_of: impl Fn(&str) -> Option<String>,
) -> Result<Vec<GameTree>, FormatError> {
    read_lines(bytes, |text, number| {
        let mut tree = GameTree::new(LocationUnit::Lines);
        let mut words = text.split_ascii_whitespace();
        let position: Vec<&str> = words.by_ref().take_while(|word| *word != "moves").collect();
        tree.start = start_of(&position.join(" "));
        for mv in words {
            let depth = tree.depth() + 1;
            tree.add(depth, mv, number).map_err(tree_full(Location::Line(number)))?;
        }
        Ok(tree)
    })
}

/// Reads one position per line: four fields, or six with two counters, as in FEN. What follows
/// becomes a comment, such as the operation `bm Qd6;`.
pub(crate) fn read_epd(bytes: &[u8]) -> Result<Vec<GameTree>, FormatError> {
    read_lines(bytes, |text, number| {
        let mut tree = GameTree::new(LocationUnit::Lines);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let counts = words.iter().skip(4).take(2).filter(|word| word.parse::<u32>().is_ok());
        let fields = if counts.count() == 2 { 6 } else { words.len().min(4) };
        let (position, operations) = words.split_at(fields);
        tree.start = Some(position.join(" "));
        tree.add_comment(&operations.join(" ")).map_err(tree_full(Location::Line(number)))?;
        Ok(tree)
    })
}

fn read_lines(
    bytes: &[u8],
    read: impl Fn(&str, usize) -> Result<GameTree, FormatError>,
) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for (number, line) in lines(bytes) {
        let text = std::str::from_utf8(line).map_err(|_| {
            FormatError::line(number, format!("{} is not a position", excerpt(line)))
        })?;
        if text.trim().is_empty() || text.trim_start().starts_with('#') {
            continue;
        }
        if games.len() == GAMES_MAX {
            let reason = format!("more than {GAMES_MAX} positions");
            return Err(FormatError::line(number, reason));
        }
        games.push(read(text, number)?);
    }
    match games.is_empty() {
        true => Err(FormatError::line(1, "the file has no position")),
        false => Ok(games),
    }
}

/// The line of a start position and the main line of a tree.
pub(crate) fn write(start: &str, tree: &GameTree) -> Vec<u8> {
    let mut out = start.to_owned();
    for (index, node) in tree.main_line().enumerate() {
        out.push_str(if index == 0 { " moves " } else { " " });
        out.push_str(node.mv);
    }
    out.push('\n');
    out.into_bytes()
}
