//! Lines of positions: FEN, optionally followed by moves, as in position texts and in engine
//! protocols.

use super::{fen_of, start, start_of, tree_full};
use crate::formats::{FormatError, GAMES_MAX, GameTree, Location, LocationUnit, excerpt, lines};
use crate::info::Variant;

/// Reads one game per line. Empty lines and lines that start with `#` are skipped.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
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
        games.push(game(text, number)?);
    }
    match games.is_empty() {
        true => Err(FormatError::line(1, "the file has no position")),
        false => Ok(games),
    }
}

fn game(text: &str, number: usize) -> Result<GameTree, FormatError> {
    let mut tree = GameTree::new(LocationUnit::Lines);
    let mut words = text.split_ascii_whitespace();
    let position: Vec<&str> = words.by_ref().take_while(|word| *word != "moves").collect();
    tree.start = start_of(&position.join(" "));
    for mv in words {
        let depth = tree.depth() + 1;
        tree.add(depth, mv, number).map_err(tree_full(Location::Line(number)))?;
    }
    Ok(tree)
}

/// Writes the start position and the main line.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    let mut out = fen_of(&start(tree, variant)?);
    for (index, node) in tree.main_line().enumerate() {
        out.push_str(if index == 0 { " moves " } else { " " });
        out.push_str(node.mv);
    }
    out.push('\n');
    Ok(out.into_bytes())
}
