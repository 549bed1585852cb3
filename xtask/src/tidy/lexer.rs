//! Splits Rust source into code, comments and literals, so that a rule sees only the kind that it
//! is about. Knows tokens, not syntax.

/// What a [`Span`] consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    /// One comment: to the end of the line, or from `/*` to `*/`.
    Comment,
    /// A string or character literal, with its quotes.
    Literal,
}

/// A part of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub kind: Kind,
    /// The line on which it begins, from 1.
    pub line: usize,
    pub text: &'a str,
}

/// The whole source in order: the texts of the spans, joined, are `text`.
pub(super) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut line = 1;
    let mut push = |kind, range: std::ops::Range<usize>| {
        let part = &text[range];
        if !part.is_empty() {
            spans.push(Span { kind, line, text: part });
            line += part.matches('\n').count();
        }
    };
    let (mut at, mut code_from) = (0, 0);
    while let Some(next) = text[at..].chars().next() {
        match token(text, at) {
            Some((kind, length)) => {
                push(Kind::Code, code_from..at);
                push(kind, at..at + length);
                at += length;
                code_from = at;
            }
            None => at += next.len_utf8(),
        }
    }
    push(Kind::Code, code_from..text.len());
    spans
}

/// The source with every character of a comment or literal replaced by a space. Lines and columns
/// stay where they were.
pub(super) fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for span in spans(text) {
        match span.kind {
            Kind::Code => code.push_str(span.text),
            _ => code.extend(span.text.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
        }
    }
    code
}

/// The comment or literal that begins at this byte, with its length in bytes.
fn token(text: &str, at: usize) -> Option<(Kind, usize)> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        Some((Kind::Comment, rest.find('\n').unwrap_or(rest.len())))
    } else if rest.starts_with("/*") {
        Some((Kind::Comment, block_comment(rest)))
    } else if let Some(length) = raw_string(text, at) {
        Some((Kind::Literal, length))
    } else if rest.starts_with('"') {
        Some((Kind::Literal, quoted(rest, '"')))
    } else if rest.starts_with('\'') && is_character(rest) {
        Some((Kind::Literal, quoted(rest, '\'')))
    } else {
        None
    }
}

/// The length of a raw string that begins here (`r"`, `br#"`, `cr##"`).
fn raw_string(text: &str, at: usize) -> Option<usize> {
    let (before, rest) = text.split_at(at);
    let after = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let body = after.trim_start_matches('#');
    let hashes = after.len() - body.len();
    if before.chars().next_back().is_some_and(is_word) || !body.starts_with('"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let opened = rest.len() - body.len() + 1;
    let closed = rest[opened..].find(&end).map(|at| opened + at + end.len());
    Some(closed.unwrap_or(rest.len()))
}

/// Whether a character may be part of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a literal between two quotes, in which a backslash escapes the next character.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Tells a character literal from a lifetime.
fn is_character(text: &str) -> bool {
    let mut following = text.chars().skip(1);
    matches!((following.next(), following.next()), (Some('\\'), _) | (Some(_), Some('\'')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let masked = code_only(text);
        assert_eq!(masked.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        assert_eq!(masked.lines().count(), text.lines().count());
        assert_eq!(spans(text).iter().map(|span| span.text).collect::<String>(), text);
    }

    #[test]
    fn comments_are_blanked() {
        check("a // unsafe\nb", "a b");
        check("a /* x /* y */ unsafe */ b", "a b");
        check("a / b", "a / b");
        check("a /* é\nnever closed", "a");
    }

    #[test]
    fn literals_are_blanked() {
        check(r#"f("unsafe \" // x", y)"#, "f( , y)");
        check(r###"f(r#"quote " inside"#, br"\", y)"###, "f( , , y)");
        check(r"f('\'', '{', b'x', y)", "f( , , b , y)");
        check("let s = \"é\n\"; unsafe", "let s = ; unsafe");
    }

    #[test]
    fn lifetimes_and_names_are_code() {
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("for_r\"x\"", "for_r");
        check("'static", "'static");
    }

    #[test]
    fn spans_begin_on_their_line() {
        let text = "a /* b\nc */ d // e\n\"f\ng\" h";
        let found: Vec<_> = spans(text).iter().map(|s| (s.kind, s.line, s.text.trim())).collect();
        let expected = [
            (Kind::Code, 1, "a"),
            (Kind::Comment, 1, "/* b\nc */"),
            (Kind::Code, 2, "d"),
            (Kind::Comment, 2, "// e"),
            (Kind::Code, 2, ""),
            (Kind::Literal, 3, "\"f\ng\""),
            (Kind::Code, 4, "h"),
        ];
        assert_eq!(found, expected);
    }
}
