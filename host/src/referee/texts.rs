//! Texts of engines and people, made fit for a record, a log and a screen.
//! Judges none of them.

use sandboard_abi::Line;

/// Longest line of moves kept of a principal variation, in bytes.
pub(crate) const LINE_KEPT_BYTES: usize = 512;

/// A text of an engine or a person as the record and a screen may hold it:
/// cut at `bytes`, without control characters.
pub(crate) fn tidy(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    let mut tidy: String =
        text[..end].chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if end < text.len() {
        tidy.push('…');
    }
    tidy
}

/// A line as it is kept: cut between moves.
pub(super) fn kept(mut line: Line) -> Line {
    if line.moves.len() > LINE_KEPT_BYTES {
        let end = line.moves.floor_char_boundary(LINE_KEPT_BYTES);
        let end = line.moves[..end].rfind(' ').unwrap_or(0);
        line.moves.truncate(end);
    }
    if line.moves.chars().any(char::is_control) {
        line.moves = tidy(&line.moves, LINE_KEPT_BYTES);
    }
    line
}
