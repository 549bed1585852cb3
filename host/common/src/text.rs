//! Untrusted text made safe to print, and small texts for people.

/// Untrusted text in backquotes, cut to 80 characters. Control characters and hidden direction
/// marks become escapes, so that the text cannot affect a terminal.
pub fn quoted(text: &str) -> String {
    format!("`{}`", plain(text))
}

/// [`quoted`] without the quotes.
pub fn plain(text: &str) -> String {
    const CHARACTERS_MAX: usize = 80;
    let mut printable = String::new();
    for letter in text.chars().take(CHARACTERS_MAX) {
        match letter {
            letter if is_hidden(letter) => printable.extend(letter.escape_unicode()),
            letter => printable.push(letter),
        }
    }
    if text.chars().nth(CHARACTERS_MAX).is_some() {
        printable.push('…');
    }
    printable
}

/// Ranges of characters without a visible form: marks that change the text direction, characters
/// without width, separators of lines and paragraphs, deprecated formats, annotations and tags.
pub const HIDDEN: [(char, char); 10] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{e0000}', '\u{e007f}'),
];

/// Whether a character is invisible: a control character or one of [`HIDDEN`].
pub fn is_hidden(letter: char) -> bool {
    letter.is_control() || HIDDEN.iter().any(|(from, to)| (*from..=*to).contains(&letter))
}

/// Untrusted text that is safe in any terminal: control characters become escapes, tabs become
/// spaces, and the text is cut at `limit_bytes`.
pub fn clean_text(text: &str, limit_bytes: usize) -> String {
    let mut clean = String::with_capacity(text.len().min(limit_bytes));
    for character in text.chars() {
        let length = clean.len();
        match character {
            '\t' => clean.push(' '),
            c if is_hidden(c) => clean.extend(c.escape_default()),
            c => clean.push(c),
        }
        if clean.len() > limit_bytes {
            clean.truncate(length);
            clean.push('…');
            break;
        }
    }
    clean
}

/// A count with its noun: `1 fault`, `2 faults`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
