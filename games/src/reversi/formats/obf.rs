//! Positions as suites of test positions have them, one on each line: the squares from
//! a1 on, `X` or `*` black, `O` white, `-` or `.` empty, the side to move, and perhaps
//! moves with their scores: `…X; A2:+38; B1:-4;`. Each of these moves is a variation of
//! one ply with its score as label. Lines that begin with `%` or `#` are comments.

use super::{full, our_move, score};
use crate::formats::{FormatError, GAMES_MAX, GameTree, Place, Unit, decoded, lines, shown};
use crate::info::Variant;
use crate::reversi::{MAX_SIZE, MIN_SIZE, Reversi};
use crate::rules::Rules;

/// No line that can be right is longer, in bytes: the largest board and a score for
/// each of its squares.
const LONGEST: usize = 8192;

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
        if text.len() > LONGEST {
            let reason = format!("{} bytes; no position has more than {LONGEST}", text.len());
            return Err(FormatError::line(line, reason));
        }
        games.push(read_position(line, &decoded(text))?);
    }
    match games.is_empty() {
        true => Err(FormatError::new(Place::Whole, "there is no line with a position in it")),
        false => Ok(games),
    }
}

fn read_position(line: usize, text: &str) -> Result<GameTree, FormatError> {
    let mut parts = text.split(';').map(str::trim);
    let (size, start) = read_board(line, parts.next().unwrap_or_default())?;
    let mut tree = GameTree::new(Unit::Lines);
    tree.size = Some(size);
    tree.start = Some(start);
    for part in parts.filter(|part| !part.is_empty()) {
        let (mv, told) = part.split_once(':').unwrap_or((part, ""));
        let mv = mv.trim();
        if mv.is_empty() || mv.len() > 4 || !mv.is_ascii() {
            let reason = format!("{} is no move with a score, like A2:+38", shown(part.as_bytes()));
            return Err(FormatError::line(line, reason));
        }
        tree.add(1, &our_move(mv), line).map_err(full(Place::Line(line)))?;
        tree.set_label(score(told).unwrap_or_default()).map_err(full(Place::Line(line)))?;
    }
    Ok(tree)
}

/// The size and the position text of a board with its side.
fn read_board(line: usize, text: &str) -> Result<(u8, String), FormatError> {
    let mut signs = String::new();
    for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
        signs.push(match sign {
            'X' | 'x' | '*' | 'B' | 'b' => 'X',
            'O' | 'o' | 'W' | 'w' => 'O',
            '-' | '.' => '-',
            _ => {
                let sign = shown(sign.to_string().as_bytes());
                let reason = format!("{sign} is no disc, no empty square and no side to move");
                return Err(FormatError::line(line, reason));
            }
        });
    }
    let count = signs.len().saturating_sub(1);
    let size = (MIN_SIZE..=MAX_SIZE).step_by(2).find(|it| usize::from(*it).pow(2) == count);
    let Some(size) = size else {
        let reason = format!("{count} squares and a side to move: no board has so many");
        return Err(FormatError::line(line, reason));
    };
    let (discs, side) = signs.split_at(count);
    match side {
        "-" => Err(FormatError::line(line, "the side to move is missing behind the squares")),
        side => Ok((size, format!("{discs} {side}"))),
    }
}

/// Writes the start, and of its moves each with its score.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if let Some(deep) = tree.nodes().find(|node| node.depth > 1) {
        let reason = "obf holds positions and scores of their moves, not games".to_owned();
        return Err(FormatError::new(Place::Move(deep.depth), reason));
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
