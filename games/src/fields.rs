//! Splits position texts into fields. Does not interpret them.

/// The fields between ASCII white space, each with its byte offset.
pub(crate) fn fields(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let parts = text.split(|c: char| c.is_ascii_whitespace()).map(move |part| {
        let begin = at;
        at += part.len() + 1;
        (begin, part)
    });
    parts.filter(|(_, part)| !part.is_empty())
}
