//! Positions in the format of test suites, one per line: the squares from a1 on (`X` or `*` black,
//! `O` white, `-` or `.` empty), the side to move, and optionally moves with scores: `…X; A2:+38;
//! B1:-4;`. Each of these moves becomes a variation of one ply with its score as label. Lines that
//! start with `%` or `#` are comments.

use super::{normalize_move, score};
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, Location, LocationUnit, decode, excerpt, lines, tree_full,
};
use crate::info::Variant;
use crate::reversi::{MAX_SIZE, MIN_SIZE, Reversi};
use crate::rules::Rules;

/// Length limit of a line, in bytes: the largest board with a score for each square fits.
const MAX_LINE_BYTES: usize = 8192;

/// Reads the positions.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for (line, text) in lines(bytes) {
        let text = text.trim_ascii();
        if text.is_empty() || text.starts_with(b"%") || text.starts_with(b"#") {
            continue;
        }
        if games.len() == GAMES_MAX {
            return Err(FormatError::line(line, format!("more than {GAMES_MAX} positions")));
        }
        if text.len() > MAX_LINE_BYTES {
            let reason =
                format!("the line has {} bytes; the limit is {MAX_LINE_BYTES}", text.len());
            return Err(FormatError::line(line, reason));
        }
        games.push(read_position(line, &decode(text))?);
    }
    match games.is_empty() {
        true => Err(FormatError::new(Location::Whole, "the file has no line with a position")),
        false => Ok(games),
    }
}

fn read_position(line: usize, text: &str) -> Result<GameTree, FormatError> {
    let mut parts = text.split(';').map(str::trim);
    let (size, start) = read_board(line, parts.next().unwrap_or_default())?;
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.size = Some(size);
    tree.start = Some(start);
    for part in parts.filter(|part| !part.is_empty()) {
        let (mv, value) = part.split_once(':').unwrap_or((part, ""));
        let mv = mv.trim();
        if mv.is_empty() || mv.len() > 4 || !mv.is_ascii() {
            let reason =
                format!("{} is not a move with a score such as A2:+38", excerpt(part.as_bytes()));
            return Err(FormatError::line(line, reason));
        }
        tree.add(1, &normalize_move(mv), line).map_err(tree_full(Location::Line(line)))?;
        tree.set_label(score(value).unwrap_or_default())
            .map_err(tree_full(Location::Line(line)))?;
    }
    Ok(tree)
}

/// The size and the position text of a board with a side to move.
fn read_board(line: usize, text: &str) -> Result<(u8, String), FormatError> {
    let mut signs = String::new();
    for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
        signs.push(match sign {
            'X' | 'x' | '*' | 'B' | 'b' => 'X',
            'O' | 'o' | 'W' | 'w' => 'O',
            '-' | '.' => '-',
            _ => {
                let sign = excerpt(sign.to_string().as_bytes());
                let reason = format!("{sign} is not a disc, an empty square or a side to move");
                return Err(FormatError::line(line, reason));
            }
        });
    }
    let count = signs.len().saturating_sub(1);
    let size = (MIN_SIZE..=MAX_SIZE).step_by(2).find(|it| usize::from(*it).pow(2) == count);
    let Some(size) = size else {
        let reason = format!("{count} squares and a side to move do not fit any board");
        return Err(FormatError::line(line, reason));
    };
    let (discs, side) = signs.split_at(count);
    match side {
        "-" => Err(FormatError::line(line, "the side to move is missing after the squares")),
        side => Ok((size, format!("{discs} {side}"))),
    }
}

/// Writes the start position and its moves with their scores.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if let Some(deep) = tree.nodes().find(|node| node.depth > 1) {
        let reason = "obf can only store positions with move scores, not games".to_owned();
        return Err(FormatError::new(Location::Move(deep.depth), reason));
    }
    let mut line = match &tree.start {
        Some(text) => text.clone(),
        None => {
            let mut text = String::new();
            Reversi::start(variant).write_position(&mut text);
            text
        }
    };
    line.push(';');
    for node in tree.nodes() {
        let mv = if node.mv == super::PASS { "PA".to_owned() } else { node.mv.to_uppercase() };
        line.push_str(&format!(" {mv}"));
        if let Some(score) = node.label.and_then(score) {
            line.push_str(&format!(":{score}"));
        }
        line.push(';');
    }
    line.push('\n');
    Ok(line.into_bytes())
}
