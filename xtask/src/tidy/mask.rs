//! A copy of Rust source with comments and literals blanked out, so that rules see
//! code only. Lines and columns stay where they were. Knows tokens, not syntax.

/// Replaces every character inside a comment, string or character literal by a space.
pub fn code_only(text: &str) -> String {
    let mut masker = Masker { rest: text, out: String::with_capacity(text.len()) };
    while let Some(next) = masker.rest.chars().next() {
        let rest = masker.rest;
        if rest.starts_with("//") {
            masker.blank(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            masker.blank(block_comment(rest));
        } else if let Some(length) = masker.raw_string() {
            masker.blank(length);
        } else if next == '"' {
            masker.blank(quoted(rest, '"'));
        } else if next == '\'' && is_character(rest) {
            masker.blank(quoted(rest, '\''));
        } else {
            masker.out.push(next);
            masker.rest = &rest[next.len_utf8()..];
        }
    }
    masker.out
}

struct Masker<'a> {
    rest: &'a str,
    out: String,
}

impl Masker<'_> {
    fn blank(&mut self, length: usize) {
        let (gone, rest) = self.rest.split_at(length);
        self.out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }

    /// The length of a raw string that begins here (`r"`, `br#"`, `cr##"`).
    fn raw_string(&self) -> Option<usize> {
        let inside_word = self.out.chars().next_back().is_some_and(is_word);
        let after = ["r", "br", "cr"].iter().find_map(|prefix| self.rest.strip_prefix(prefix))?;
        let body = after.trim_start_matches('#');
        let hashes = after.len() - body.len();
        if inside_word || !body.starts_with('"') {
            return None;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let opened = self.rest.len() - body.len() + 1;
        let closed = self.rest[opened..].find(&end).map(|at| opened + at + end.len());
        Some(closed.unwrap_or(self.rest.len()))
    }
}

pub fn is_word(c: char) -> bool {
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

/// The length of a literal between two quotes, in which a backslash hides what follows it.
fn quoted(text: &str, quote: char) -> usize {
    let mut hidden = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if hidden => hidden = false,
            '\\' => hidden = true,
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
    }

    #[test]
    fn comments_go() {
        check("a // unsafe\nb", "a b");
        check("a /* x /* y */ unsafe */ b", "a b");
        check("a / b", "a / b");
        check("a /* é\nnever closed", "a");
    }

    #[test]
    fn literals_go() {
        check(r#"f("unsafe \" // x", y)"#, "f( , y)");
        check(r###"f(r#"quote " inside"#, br"\", y)"###, "f( , , y)");
        check(r"f('\'', '{', b'x', y)", "f( , , b , y)");
        check("let s = \"é\n\"; unsafe", "let s = ; unsafe");
    }

    #[test]
    fn lifetimes_and_names_stay() {
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("for_r\"x\"", "for_r");
        check("'static", "'static");
    }
}
