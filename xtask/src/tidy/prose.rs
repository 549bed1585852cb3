//! Finds words and phrases of a list, [`faults.txt`](LIST), in everything that people read:
//! Markdown, comments, messages and names. Quoted text and code spans are skipped. A list cannot
//! judge prose: a text without findings may still be unreadable.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::lexer::{Kind, is_word, spans};
use super::markdown::lines_outside_fences;
use super::{File, Finding};

/// The list: see its own head.
const LIST: &str = include_str!("prose/faults.txt");

/// Extensions of sources that are split into words without a lexer: comments, names and strings.
const OTHER_SOURCES: &[&str] = &[
    "c", "css", "go", "h", "hpp", "html", "java", "js", "mjs", "py", "svelte", "toml", "ts", "wat",
    "wit", "xsd", "zig",
];

/// Data of tests, which quotes other programs, and the file that quotes the list.
const SKIPPED: &[&str] = &["tests/fixtures/", "xtask/src/tidy/prose/tests.rs"];

/// The longest text between quotation marks that counts as a quotation, in bytes.
const QUOTATION_BYTES: usize = 200;

/// A row of the list of faults.
#[derive(Debug)]
struct Fault {
    /// Each alternative as its words, in lower case.
    phrases: Vec<Vec<&'static str>>,
    advice: &'static str,
}

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    lower: String,
    /// The line number, from 1.
    line: usize,
    /// Whether only white space stands between this word and the one before.
    follows: bool,
}

pub(super) fn check(file: &File) -> Vec<Finding> {
    if SKIPPED.iter().any(|path| file.path.starts_with(path)) {
        return Vec::new();
    }
    let words = match file.extension() {
        "md" => markdown_words(&file.text),
        "rs" => rust_words(&file.text),
        other if OTHER_SOURCES.contains(&other) => source_words(&file.text),
        _ => return Vec::new(),
    };
    let mut faults = find_faults(&words);
    faults.sort_by_key(|(line, ..)| *line);
    let finding = |(line, phrase, advice): (usize, String, &str)| {
        file.finding(line, format!("avoid \"{phrase}\": {advice}"))
    };
    faults.into_iter().map(finding).collect()
}

/// The phrases of the list with their advice, by the first word of the phrase.
type FaultsByWord = HashMap<&'static str, Vec<(Vec<&'static str>, &'static str)>>;

fn faults() -> &'static FaultsByWord {
    static FAULTS: OnceLock<FaultsByWord> = OnceLock::new();
    FAULTS.get_or_init(|| {
        let mut by_word = FaultsByWord::new();
        for Fault { phrases, advice } in parse(LIST) {
            for phrase in phrases {
                by_word.entry(phrase[0]).or_default().push((phrase, advice));
            }
        }
        by_word
    })
}

/// Panics if a line is no row: the list is a part of this program.
fn parse(list: &'static str) -> Vec<Fault> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &'static str| {
        let (phrases, advice) = line.split_once(" = ").expect("a row is `phrase = advice`");
        let phrases = phrases.split(" | ").map(|phrase| phrase.split(' ').collect()).collect();
        Fault { phrases, advice }
    };
    lines.map(row).collect()
}

/// The line, phrase and advice of every fault.
fn find_faults(words: &[Word]) -> Vec<(usize, String, &'static str)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for (phrase, advice) in faults().get(word.lower.as_str()).into_iter().flatten() {
            let rest = &words[at + 1..];
            let matches = |(index, expected): (usize, &&str)| {
                rest.get(index).is_some_and(|word| word.follows && word.lower == **expected)
            };
            if phrase[1..].iter().enumerate().all(matches) {
                found.push((word.line, phrase.join(" "), *advice));
            }
        }
    }
    found
}

/// The words of Markdown outside code and quotations.
fn markdown_words(text: &str) -> Vec<Word> {
    let mut paragraphs = Paragraphs::default();
    for (line, text) in lines_outside_fences(text) {
        paragraphs.add(line, text);
    }
    paragraphs.words()
}

/// The words of comments, of texts and of names in Rust. A text of one word is data, not prose.
fn rust_words(text: &str) -> Vec<Word> {
    let (mut words, mut comments) = (Vec::new(), Paragraphs::default());
    let mut fenced = false;
    for span in spans(text) {
        match span.kind {
            Kind::Code => {
                for (at, line) in span.text.lines().enumerate() {
                    names(line).for_each(|name| push_name(&mut words, name, span.line + at));
                }
            }
            Kind::Literal if span.text.contains(char::is_whitespace) => {
                let escapes = [("\\n", " ."), ("\\t", " ."), ("\\\"", " \""), ("\\\n", " \n")];
                let text = span.text.trim_start_matches(['b', 'c', 'r', '#']);
                let text = text.strip_prefix('"').unwrap_or(text);
                let text = text.trim_end_matches('#');
                let text = text.strip_suffix('"').unwrap_or(text);
                let text =
                    escapes.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to));
                push_words(&mut words, &unquoted(&text), span.line);
            }
            Kind::Literal => {}
            Kind::Comment => {
                for (at, line) in span.text.lines().enumerate() {
                    let line = line.trim_start().trim_start_matches(['/', '!', '*']);
                    if line.trim_start().starts_with("```") {
                        fenced = !fenced;
                    } else if !fenced {
                        comments.add(span.line + at, line);
                    }
                }
            }
        }
    }
    words.extend(comments.words());
    words
}

/// The words of any other source.
fn source_words(text: &str) -> Vec<Word> {
    let (mut words, mut camel_case) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let comment = line.trim_start().trim_start_matches(['/', '*', '#', ';', '!']);
        // A sentence continues on the next line of a comment; code does not.
        let first = words.len();
        push_words(&mut words, comment, at + 1);
        if let Some(word) = words.get_mut(first) {
            word.follows = is_comment(line);
        }
        camel_case.extend(names(line).filter(|name| is_camel_case(name)).map(|n| (n, at + 1)));
    }
    camel_case.into_iter().for_each(|(name, line)| push_name(&mut words, name, line));
    words
}

fn is_comment(line: &str) -> bool {
    ["//", "*", "#", ";;"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// The identifiers and numbers of a line of code.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_word(c)).filter(|name| !name.is_empty())
}

fn is_camel_case(name: &str) -> bool {
    let next = name.chars().skip(1);
    name.chars().zip(next).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

/// Adds the words that a name consists of: `has_won` and `hasWon` are two words each.
fn push_name(words: &mut Vec<Word>, name: &str, line: usize) {
    let (mut word, mut follows, mut hump_ends) = (String::new(), false, false);
    for c in name.chars().chain(['_']) {
        if (c == '_' || (c.is_uppercase() && hump_ends)) && !word.is_empty() {
            words.push(Word { lower: std::mem::take(&mut word), line, follows });
            follows = true;
        }
        if c != '_' {
            word.extend(c.to_lowercase());
        }
        hump_ends = c.is_lowercase() || c.is_numeric();
    }
}

/// Lines of prose, joined to paragraphs, so that a phrase or a quotation may span lines.
#[derive(Default)]
struct Paragraphs {
    /// The line number of each paragraph, and its text.
    paragraphs: Vec<(usize, String)>,
    next_line: usize,
}

impl Paragraphs {
    fn add(&mut self, line: usize, text: &str) {
        match self.paragraphs.last_mut() {
            Some((_, paragraph)) if line == self.next_line && !text.trim().is_empty() => {
                paragraph.push('\n');
                paragraph.push_str(text);
            }
            _ => self.paragraphs.push((line, text.to_owned())),
        }
        self.next_line = if text.trim().is_empty() { 0 } else { line + 1 };
    }

    fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        for (line, text) in &self.paragraphs {
            push_words(&mut words, &unquoted(text), *line);
        }
        words
    }
}

/// The text with code spans and quotations replaced by a full stop; lines stay where they were.
fn unquoted(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let end = match next {
            '`' => {
                let marks = rest.len() - rest.trim_start_matches('`').len();
                rest[marks..].find(&rest[..marks]).map(|at| at + 2 * marks)
            }
            '"' => rest[1..].find('"').map(|at| at + 2).filter(|end| *end <= QUOTATION_BYTES),
            '“' => rest.find('”').map(|at| at + '”'.len_utf8()),
            _ => None,
        };
        let (quoted, after) = rest.split_at(end.unwrap_or(next.len_utf8()));
        match end {
            Some(_) => {
                plain.push('.');
                plain.extend(quoted.chars().filter(|c| *c == '\n'));
            }
            None => plain.push(next),
        }
        rest = after;
    }
    plain
}

fn push_words(words: &mut Vec<Word>, text: &str, first_line: usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let mut line = first_line;
    let mut follows = false;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if is_part(next) {
            let (word, after) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
            let lower = word.replace('’', "'").to_lowercase();
            words.push(Word { lower: lower.trim_matches('\'').to_owned(), line, follows });
            follows = true;
            rest = after;
            continue;
        }
        line += usize::from(next == '\n');
        // Marks of emphasis do not end a phrase.
        follows &= next.is_whitespace() || next == '*' || next == '_';
        rest = &rest[next.len_utf8()..];
    }
}

#[cfg(test)]
mod tests;
