//! Transcripts: a game on each line, its squares one after another, `f5d6c3`, or parted
//! by blanks or commas. Passes are put in where they are left out, and read where they
//! are there: `--`, `pa`, `ps` or `pass`. Lines that begin with `#` are comments;
//! numbers of moves (`1.`) are passed over.

use super::{Line, no_start, our_move, start};
use crate::formats::{FormatError, GAMES_MAX, GameTree, Place, Unit, decoded, lines, shown};
use crate::info::Variant;

/// No word that is no row of squares is longer, in bytes.
const LONGEST: usize = 64;

/// Reads the games, one for each line.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
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
        games.push(read_game(line, text, asked)?);
    }
    match games.is_empty() {
        true => Err(FormatError::new(Place::Whole, "there is no line of moves in it")),
        false => Ok(games),
    }
}

fn read_game(line: usize, text: &str, asked: Option<&Variant>) -> Result<GameTree, FormatError> {
    let mut game = Line::new(Unit::Lines, start(None, asked));
    for word in text.split(|c: char| c.is_whitespace() || c == ',' || c == ';') {
        let mut rest = without_number(word);
        if !is_row(rest) && rest.len() > LONGEST {
            let reason = format!("{} is longer than any move", shown(rest.as_bytes()));
            return Err(FormatError::line(line, reason));
        }
        let whole = !is_row(rest);
        while !rest.is_empty() {
            let length = if whole { None } else { first_move(rest) };
            let (mv, after) = rest.split_at(length.unwrap_or(rest.len()));
            game.add(&our_move(mv), line, Place::Line(line))?;
            rest = after;
        }
    }
    Ok(game.tree)
}

/// The word without the number of a move before it.
fn without_number(word: &str) -> &str {
    match word.split_once('.') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => word,
    }
}

/// Whether a word is made of squares and passes.
fn is_row(word: &str) -> bool {
    let mut rest = word;
    while let Some(length) = first_move(rest) {
        rest = &rest[length..];
    }
    rest.is_empty()
}

/// The length of the move that a text begins with.
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
        return Err(no_start("transcript"));
    }
    if tree.is_empty() {
        return Err(FormatError::new(Place::Whole, "transcript holds no game without moves"));
    }
    let moves = tree.main_line().map(|node| node.mv);
    let mut line: String = moves.filter(|&mv| mv != super::PASS).collect();
    // Nothing tells of a pass behind which nothing follows.
    if tree.main_line().last().is_some_and(|node| node.mv == super::PASS) {
        line.push_str("--");
    }
    line.push('\n');
    Ok(line.into_bytes())
}
