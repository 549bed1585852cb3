//! Rules over Rust comments: a doc comment says something, and lines fit the width of the code,
//! which rustfmt does not check in comments.

use super::lexer::{Kind, spans};
use super::{File, Finding};

/// A shorter doc comment only repeats a name.
const LEAST_WORDS: usize = 3;

/// The widest line, in characters; `rustfmt.toml` has the same number for code.
const MAX_COLUMNS: usize = 100;

/// A block of `///` or `//!` lines.
struct Block {
    marker: &'static str,
    first_line: usize,
    last_line: usize,
    words: usize,
}

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.extension() != "rs" {
        return Vec::new();
    }
    let mut findings = too_wide(file);
    let short = blocks(&file.text).into_iter().filter(|block| block.words < LEAST_WORDS);
    findings.extend(short.map(|block| {
        let what = match block.words {
            1 => "a doc comment of 1 word".to_owned(),
            words => format!("a doc comment of {words} words"),
        };
        file.finding(block.first_line, format!("{what}: say more than the name does, or delete it"))
    }));
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for span in spans(text).iter().filter(|span| span.kind == Kind::Comment) {
        let Some((marker, words)) = doc_line(span.text) else { continue };
        let words = words.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        let words = words.count();
        match blocks.last_mut() {
            Some(last) if last.marker == marker && last.last_line + 1 == span.line => {
                last.last_line = span.line;
                last.words += words;
            }
            _ => blocks.push(Block { marker, first_line: span.line, last_line: span.line, words }),
        }
    }
    blocks
}

/// The marker of a line of documentation, and what follows it; none for other comments.
fn doc_line(comment: &str) -> Option<(&'static str, &str)> {
    if comment.starts_with("////") {
        return None;
    }
    ["///", "//!"].into_iter().find_map(|marker| Some((marker, comment.strip_prefix(marker)?)))
}

fn too_wide(file: &File) -> Vec<Finding> {
    let lines: Vec<&str> = file.text.lines().collect();
    let comments = spans(&file.text).into_iter().filter(|span| span.kind == Kind::Comment);
    let mut findings = Vec::new();
    for span in comments {
        for (at, comment) in span.text.lines().enumerate() {
            let line = span.line + at;
            let columns = lines.get(line - 1).map_or(0, |line| line.chars().count());
            // An address cannot be wrapped.
            if columns > MAX_COLUMNS && !comment.contains("://") {
                let message = format!("a comment of {columns} columns; wrap it at {MAX_COLUMNS}");
                findings.push(file.finding(line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(path: &str, text: &str, expected: &[usize]) {
        let file = File { path: path.into(), text: text.into() };
        let lines: Vec<usize> = check(&file).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_doc_comment_has_three_words() {
        let check = |text: &str, expected: &[usize]| check_text("a.rs", text, expected);
        check("/// Which.\nfn f() {}", &[1]);
        check("/// The name.\nfn f() {}", &[1]);
        check("/// The [`Name`] of it.\nfn f() {}", &[]);
        check("/// The name\n/// itself.\nfn f() {}", &[]);
        check("//! Purpose.\n\n/// What for, exactly?\nfn f() {}", &[1]);
        check("x();\n    /// - , of three words\n    y: u8,", &[]);
        check("x();\n    /// - , two words\n    y: u8,", &[2]);
        check("// Which.\n//// Which.\nlet s = \"/// Which.\";", &[]);
    }

    #[test]
    fn blocks_end_where_lines_are_missing() {
        check_text("a.rs", "/// One two\nfn f() {}\n/// three.\nfn g() {}", &[1, 3]);
        check_text("a.rs", "//! One two\n/// three.\nfn g() {}", &[1, 2]);
        check_text("a.ts", "/// One", &[]);
    }

    #[test]
    fn comments_fit_the_width() {
        let check = |text: &str, expected: &[usize]| check_text("a.rs", text, expected);
        let dots = |count: usize| "é".repeat(count);
        check(&format!("// {}", dots(97)), &[]);
        check(&format!("// {}", dots(98)), &[1]);
        check(&format!("let x = 1; // {}", dots(98)), &[1]);
        check(&format!("// https://{}", dots(98)), &[]);
        check(&format!("let s = \"{}\";", dots(98)), &[]);
        check(&format!("/* a\n{} */", dots(98)), &[2]);
    }
}
