//! Makes texts of engines and users safe to display: escapes invisible characters, and measures,
//! cuts and wraps text in terminal columns. Knows nothing of arenas.

use unicode_width::UnicodeWidthStr;

use sandboard_common::text::is_hidden;

/// The text with invisible characters, line breaks and direction marks escaped: `\u{202e}`.
pub fn sanitize(text: &str) -> String {
    let mut sanitized = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if is_hidden(letter) => sanitized.extend(letter.escape_unicode()),
            letter => sanitized.push(letter),
        }
    }
    sanitized
}

/// The sanitized text for HTML, as content or as an attribute value.
pub fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in sanitize(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The width of a text in terminal columns.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `columns`; a longer one ends with `…`.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    match columns.checked_sub(1) {
        None => String::new(),
        Some(columns) => format!("{}…", head(text, columns)),
    }
}

/// The longest prefix that fits.
fn head(text: &str, columns: usize) -> &str {
    let mut fitting = 0;
    for (start, letter) in text.char_indices() {
        let end = start + letter.len_utf8();
        if text.get(..end).is_none_or(|part| width(part) > columns) {
            break;
        }
        fitting = end;
    }
    text.get(..fitting).unwrap_or_default()
}

/// Wraps a text into lines of at most `columns`; longer words are broken.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        while line.is_empty() && width(word) > columns {
            let part = head(word, columns);
            // A character wider than the line stays whole.
            let Some(rest) = word.strip_prefix(part).filter(|_| !part.is_empty()) else { break };
            lines.push(part.to_owned());
            word = rest;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        let check = |text: &str, expected: &str| assert_eq!(sanitize(text), expected, "{text:?}");
        check("alpha β 五子棋 é", "alpha β 五子棋 é");
        check("a\u{202e}b", "a\\u{202e}b");
        check("a\u{200d}\u{2066}b", "a\\u{200d}\\u{2066}b");
        check("a\u{e0041}\u{ad}b", "a\\u{e0041}\\u{ad}b");
        check("a\n\t\u{1b}[31m", "a\\u{a}\\u{9}\\u{1b}[31m");
    }

    #[test]
    fn html_special_characters_are_escaped() {
        let check =
            |text: &str, expected: &str| assert_eq!(escape_html(text), expected, "{text:?}");
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("\" onload='x' &amp;", "&quot; onload=&#39;x&#39; &amp;amp;");
        check("\u{202e}\0", "\\u{202e}\\u{0}");
        check("a-b_c.d", "a-b_c.d");
    }

    #[test]
    fn cut_by_columns() {
        let check = |text: &str, columns, expected: &str| {
            assert_eq!(cut(text, columns), expected, "{text:?} in {columns}");
        };
        check("alpha", 5, "alpha");
        check("alpha", 4, "alp…");
        check("alpha", 1, "…");
        check("alpha", 0, "");
        check("五子棋", 6, "五子棋");
        check("五子棋", 5, "五子…");
        // A character that fits only in part is left out.
        check("五子棋", 4, "五…");
        check("", 0, "");
    }

    #[test]
    fn wrapped_by_columns() {
        let check = |text: &str, columns, expected: &[&str]| {
            assert_eq!(wrapped(text, columns), expected, "{text:?} in {columns}");
        };
        check("one two three", 7, &["one two", "three"]);
        check("one two three", 6, &["one", "two", "three"]);
        check("五子 棋", 6, &["五子", "棋"]);
        check("五子 棋", 7, &["五子 棋"]);
        check("a long-word b", 4, &["a", "long", "-wor", "d b"]);
        check("", 4, &[""]);
        check("五", 0, &["五"]);
    }
}
