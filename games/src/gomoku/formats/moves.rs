//! Plain move texts: one game per line, with moves separated by white space or commas, or
//! concatenated points such as `h8i9j10`. Lines that start with `#` are comments. Move numbers
//! (`1.`) are skipped.

use super::{tree_full, unsupported_start};
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, Location, LocationUnit, decode, excerpt, lines,
};
use crate::info::Variant;

/// Length limit of a move text, in bytes.
const MAX_MOVE_BYTES: usize = 64;

/// Reads the games, one per line.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for (line, text) in lines(bytes) {
        let text = decode(text);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if games.len() == GAMES_MAX {
            return Err(FormatError::line(line, format!("more than {GAMES_MAX} games")));
        }
        games.push(read_game(line, text)?);
    }
    match games.is_empty() {
        true => Err(FormatError::new(Location::Whole, "the file has no line of moves")),
        false => Ok(games),
    }
}

fn read_game(line: usize, text: &str) -> Result<GameTree, FormatError> {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for word in text.split(|c: char| c.is_whitespace() || c == ',' || c == ';') {
        let word = without_number(word);
        for mv in points(word) {
            if mv.len() > MAX_MOVE_BYTES {
                let reason = format!("{} is longer than any move", excerpt(mv.as_bytes()));
                return Err(FormatError::line(line, reason));
            }
            let mv = mv.to_ascii_lowercase();
            tree.add(tree.depth() + 1, &mv, line).map_err(tree_full(Location::Line(line)))?;
        }
    }
    Ok(tree)
}

/// The word without a leading move number.
fn without_number(word: &str) -> &str {
    match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => word,
    }
}

/// The points that a word consists of, or else the whole word.
fn points(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    let mut cut = move || {
        let (first, after) = rest.split_at_checked(first_point(rest).unwrap_or(rest.len()))?;
        rest = after;
        (!first.is_empty()).then_some(first)
    };
    let mut whole = (!is_points(word)).then_some(word);
    let cutting = whole.is_none();
    std::iter::from_fn(move || if cutting { cut() } else { whole.take() })
}

fn is_points(word: &str) -> bool {
    let mut rest = word;
    while let Some(length) = first_point(rest) {
        rest = &rest[length..];
    }
    rest.is_empty()
}

/// The length of the point at the start of a text: a letter and digits.
fn first_point(text: &str) -> Option<usize> {
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic);
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    (letter.is_some() && digits > 0).then_some(1 + digits)
}

/// Writes the main line.
pub(super) fn write(tree: &GameTree, _: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(unsupported_start("moves"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(Location::Whole, "moves cannot store a game without moves"));
    }
    let moves: Vec<&str> = tree.main_line().map(|node| node.mv).collect();
    Ok(format!("{}\n", moves.join(" ")).into_bytes())
}
