//! Transcripts: one game per line, with squares concatenated (`f5d6c3`) or separated by white space
//! or commas. Omitted passes are inserted; written ones (`--`, `pa`, `ps` or `pass`) are read.
//! Lines that start with `#` are comments. Move numbers (`1.`) are skipped.

use super::{GameReader, normalize_move, start, unsupported_start};
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, Location, LocationUnit, decode, excerpt, lines,
};
use crate::info::Variant;

/// Length limit of a word that is not a sequence of moves, in bytes.
const MAX_MOVE_BYTES: usize = 64;

/// Reads the games, one per line.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
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
        games.push(read_game(line, text, asked)?);
    }
    match games.is_empty() {
        true => Err(FormatError::new(Location::Whole, "the file has no line of moves")),
        false => Ok(games),
    }
}

fn read_game(line: usize, text: &str, asked: Option<&Variant>) -> Result<GameTree, FormatError> {
    let mut game = GameReader::new(LocationUnit::Lines, start(None, asked));
    for word in text.split(|c: char| c.is_whitespace() || c == ',' || c == ';') {
        let mut rest = without_number(word);
        if !is_move_sequence(rest) && rest.len() > MAX_MOVE_BYTES {
            let reason = format!("{} is longer than any move", excerpt(rest.as_bytes()));
            return Err(FormatError::line(line, reason));
        }
        let whole = !is_move_sequence(rest);
        while !rest.is_empty() {
            let length = if whole { None } else { first_move(rest) };
            let (mv, after) = rest.split_at(length.unwrap_or(rest.len()));
            game.add(&normalize_move(mv), line, Location::Line(line))?;
            rest = after;
        }
    }
    Ok(game.tree)
}

/// The word without a leading move number.
fn without_number(word: &str) -> &str {
    match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => word,
    }
}

/// Whether a word is a sequence of squares and passes.
fn is_move_sequence(word: &str) -> bool {
    let mut rest = word;
    while let Some(length) = first_move(rest) {
        rest = &rest[length..];
    }
    rest.is_empty()
}

/// The length of the move at the start of a text.
fn first_move(text: &str) -> Option<usize> {
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic);
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    if letter.is_some() && digits > 0 {
        return Some(1 + digits);
    }
    let begins =
        |word: &&&str| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    ["pass", "pa", "ps", "--"].iter().find(begins).map(|word| word.len())
}

/// Writes the main line.
pub(super) fn write(tree: &GameTree, _: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(unsupported_start("transcript"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(
            Location::Whole,
            "transcript cannot store a game without moves",
        ));
    }
    let moves = tree.main_line().map(|node| node.mv);
    let mut line: String = moves.filter(|&mv| mv != super::PASS).collect();
    // A reader cannot infer a pass at the end.
    if tree.main_line().last().is_some_and(|node| node.mv == super::PASS) {
        line.push_str("--");
    }
    line.push('\n');
    Ok(line.into_bytes())
}
