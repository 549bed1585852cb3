//! Texts of engines and people, cut and cleaned for records, logs and screens.

use sandboard_abi::Line;
use sandboard_common::text::is_hidden;

/// Longest principal variation that a record keeps, in bytes.
pub(crate) const LINE_KEPT_BYTES: usize = 512;

/// Cuts a text at `bytes` (at a character's start) and replaces hidden characters by U+FFFD.
/// A cut text ends in `…`.
pub fn sanitize(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    let mut clean: String =
        text[..end].chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    if end < text.len() {
        clean.push('…');
    }
    clean
}

/// A line with its moves cut to [`LINE_KEPT_BYTES`], between two moves, and sanitized.
pub(crate) fn shorten_line(mut line: Line) -> Line {
    if line.moves.len() > LINE_KEPT_BYTES {
        let end = line.moves.floor_char_boundary(LINE_KEPT_BYTES);
        let end = line.moves[..end].rfind(' ').unwrap_or(0);
        line.moves.truncate(end);
    }
    if line.moves.contains(is_hidden) {
        line.moves = sanitize(&line.moves, LINE_KEPT_BYTES);
    }
    line
}
