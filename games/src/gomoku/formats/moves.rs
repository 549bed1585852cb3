//! Plain move texts: a game on each line, its moves separated by blanks or commas,
//! or points one after another as engines' protocols have them: `h8i9j10`. Lines
//! that begin with `#` are comments; numbers of moves (`1.`) are passed over.

use super::{full, no_start};
use crate::formats::{FormatError, GAMES_MAX, GameTree, Place, Unit, decoded, lines, shown};
use crate::info::Variant;

/// No move text is longer, in bytes.
const LONGEST: usize = 64;

/// Reads the games, one for each line.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for (line, text) in lines(bytes) {
        let text = decoded(text);
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
        true => Err(FormatError::new(Place::Whole, "there is no line of moves in it")),
        false => Ok(games),
    }
}

fn read_game(line: usize, text: &str) -> Result<GameTree, FormatError> {
    let mut tree = GameTree::new(Unit::Lines);
    for word in text.split(|c: char| c.is_whitespace() || c == ',' || c == ';') {
        let word = without_number(word);
        for mv in points(word) {
            if mv.len() > LONGEST {
                let reason = format!("{} is longer than any move", shown(mv.as_bytes()));
                return Err(FormatError::line(line, reason));
            }
            let mv = mv.to_ascii_lowercase();
            tree.add(tree.depth() + 1, &mv, line).map_err(full(Place::Line(line)))?;
        }
    }
    Ok(tree)
}

/// The word without the number of a move before it.
fn without_number(word: &str) -> &str {
    match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => word,
    }
}

/// The points that a word is made of; the word itself where it is not.
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

/// The length of the point that a text begins with: a letter and digits.
fn first_point(text: &str) -> Option<usize> {
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic);
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    (letter.is_some() && digits > 0).then_some(1 + digits)
}

/// Writes the main line.
pub(super) fn write(tree: &GameTree, _: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(no_start("moves"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(Place::Whole, "moves holds no game without moves"));
    }
    let moves: Vec<&str> = tree.main_line().map(|node| node.mv).collect();
    Ok(format!("{}\n", moves.join(" ")).into_bytes())
}
