//! Rules over Markdown: links lead to a file of the repository, lines are at most 100 columns wide.

use std::collections::BTreeSet;

use super::{File, Finding};

/// The widest line, in characters.
const MAX_COLUMNS: usize = 100;

/// `tree` has every file and folder of the repository, relative to its root.
pub(super) fn check(file: &File, tree: &BTreeSet<String>) -> Vec<Finding> {
    if file.extension() != "md" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (at, line) in lines_outside_fences(&file.text) {
        findings.extend(dead_links(file, at, line, tree));
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !is_table_row(line) && !is_link_only(line) {
            let message = format!("{columns} columns; wrap the line at {MAX_COLUMNS}");
            findings.push(file.finding(at, message));
        }
    }
    findings
}

/// The lines that are not inside a code fence, numbered from 1.
pub(super) fn lines_outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => return Some((at + 1, line)),
            _ => {}
        }
        None
    })
}

fn is_table_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Whether a line holds one link, image or address and nothing else: it cannot be wrapped.
fn is_link_only(line: &str) -> bool {
    let text = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let text = text.trim_end_matches(['.', ',', ';', ':', ')']);
    let address = |word: &str| word.trim_matches(['<', '>', '(']).contains("://");
    if address(text) && !text.contains(char::is_whitespace) {
        return true;
    }
    let Some(inside) = text.trim_start_matches(['(', '!']).strip_prefix('[') else {
        return false;
    };
    match (inside.split_once("]: "), inside.split_once("](")) {
        (Some((name, target)), _) => !name.contains(']') && !target.trim().contains(' '),
        (None, Some((_, target))) => !target.contains([')', ' ']),
        (None, None) => false,
    }
}

fn dead_links<'a>(
    file: &'a File,
    at: usize,
    line: &str,
    tree: &'a BTreeSet<String>,
) -> impl Iterator<Item = Finding> + 'a {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    link_targets(line).into_iter().filter_map(move |target| {
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let external = target.contains("://") || target.starts_with("mailto:");
        let is_dead = !external
            && !path.is_empty()
            && !resolve(folder, path).is_some_and(|path| tree.contains(&path));
        is_dead.then(|| file.finding(at, format!("the link to `{target}` is dead")))
    })
}

/// The targets of `[text](target)` and `[name]: target`; code between back-ticks holds no links.
fn link_targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let inline = prose.match_indices("](").filter_map(|(at, _)| {
        let target = &prose[at + 2..];
        Some(target[..target.find(')')?].to_owned())
    });
    let definition = prose
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        .filter(|(name, _)| !name.contains(']'))
        .map(|(_, target)| target.to_owned());
    inline
        .chain(definition)
        .filter_map(|target| target.split_whitespace().next().map(str::to_owned))
        .map(|target| target.trim_matches(['<', '>']).to_owned())
        .collect()
}

/// A relative link as a path from the root; none if it leaves the repository.
fn resolve(folder: &str, link: &str) -> Option<String> {
    let base = if link.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_file(path: &str, text: &str, expected: usize) {
        let tree: BTreeSet<String> =
            ["README.md", "docs", "docs/a.md", "docs/b.md", "host", "host/src", ".ci/run"]
                .map(String::from)
                .into();
        let file = File { path: path.into(), text: text.into() };
        let found = check(&file, &tree);
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }

    #[test]
    fn links_lead_to_a_file() {
        let check = check_file;
        check("README.md", "[a](docs/a.md) [b](docs/b.md#x) [h](host/) [r](.ci/run)", 0);
        check("README.md", "[a](docs/c.md) and [a](a.md)", 2);
        check("docs/a.md", "[b](b.md) [r](../README.md \"title\") [self](#x) [c](./b.md)", 0);
        check("docs/a.md", "[out](../../x) [r](README.md)", 2);
        check("docs/a.md", "[w](https://example.org/x) [m](mailto:a@b)", 0);
        check("docs/a.md", "[b]: b.md\n[c]: c.md", 1);
        check("docs/a.md", "```\n[x](y)\n```\n`[x](y)` and a[i](j", 0);
        check("docs/a.rs", "[x](y)", 0);
    }

    #[test]
    fn lines_are_wrapped() {
        let check = |text: &str, expected: usize| check_file("docs/a.md", text, expected);
        let words = |count: usize| "é ".repeat(count);
        check(&words(50), 0);
        check(&format!("{}é", words(50)), 1);
        check(&format!("| {} |", words(60)), 0);
        check(&format!("a | {} |", words(60)), 1);
        check(&format!("```text\n{}\n```", words(60)), 0);
        check(&format!("```text\n```\n{}", words(60)), 1);
        check(&format!("~~~\n```\n{}\n~~~", words(60)), 0);
    }

    #[test]
    fn one_long_link_may_be_wider() {
        let check = |text: &str, expected: usize| check_file("docs/a.md", text, expected);
        let long = format!("https://example.org/{}", "x".repeat(100));
        check(&long, 0);
        check(&format!("- <{long}>."), 0);
        check(&format!("[a few words]({long}),"), 0);
        check(&format!("![a picture]({long})"), 0);
        check(&format!("[1.0.0]: {long}"), 0);
        check(&format!("See [a few words]({long})."), 1);
        check(&format!("[a few words]({long}) and more."), 1);
        check(&format!("[a]({long}) [b](b.md)"), 1);
        check(&format!("[x]: {long} \"{}\"", "x ".repeat(9)), 1);
    }
}
