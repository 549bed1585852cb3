//! The rule over the page on security: each promise names a test that keeps it, and that test
//! exists. Whether a test proves its promise, only a reader can tell.

use super::markdown::lines_outside_fences;
use super::{File, Finding};

pub(super) const PAGE: &str = "docs/SECURITY.md";

/// The tables below headings that begin so have promises: one in each row, its tests in the last
/// cell.
const HEADING: &str = "Promises";

/// Checks the page. A test is named `path/of/file.rs::name` between back-ticks.
pub(super) fn check(page: &File, files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_promises = false;
    let mut promises = 0;
    let mut rows_of_table = 0;
    for (at, line) in lines_outside_fences(&page.text) {
        if let Some(heading) = line.strip_prefix('#') {
            is_promises = heading.trim_start_matches('#').trim_start().starts_with(HEADING);
        }
        rows_of_table = if line.starts_with('|') { rows_of_table + 1 } else { 0 };
        let tests: Vec<&str> = names_of_tests(line).collect();
        // The first two rows of a table are its header and the line below it.
        if is_promises && rows_of_table > 2 {
            promises += 1;
            let last_cell = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
            if names_of_tests(last_cell).next().is_none() {
                findings.push(page.finding(at, "the promise names no test in its last cell"));
            }
        }
        let missing = tests.into_iter().filter(|name| !exists(name, files));
        findings.extend(missing.map(|name| page.finding(at, format!("there is no test `{name}`"))));
    }
    if promises == 0 {
        findings.push(page.finding(1, format!("has no table below a heading `{HEADING}`")));
    }
    findings
}

fn names_of_tests(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|code| code.contains(".rs::"))
}

/// Whether the file of a name has a function of that name with an attribute `#[test]` above it.
fn exists(name: &str, files: &[File]) -> bool {
    let Some((path, function)) = name.split_once("::") else { return false };
    let Some(file) = files.iter().find(|file| file.path == path) else { return false };
    let signature = format!("fn {function}(");
    let mut is_test = false;
    for line in file.text.lines().map(str::trim_start) {
        if is_test && line.trim_start_matches("async ").starts_with(&signature) {
            return true;
        }
        let is_attribute = line.starts_with("#[");
        is_test = (is_test && (is_attribute || line.starts_with("//")))
            || (is_attribute && (line.contains("[test") || line.contains("::test")));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "#[test]\nfn first() {}\n\n#[tokio::test(flavor = \"x\")]\n\
        // Why.\n#[cfg(unix)]\nasync fn second() {}\n\nfn helper() {}\n";

    fn check_page(text: &str, expected: &[&str]) {
        let page = File { path: PAGE.into(), text: text.into() };
        let files = [File { path: "tests/all/a.rs".into(), text: TESTS.into() }];
        let found: Vec<String> =
            check(&page, &files).iter().map(|finding| finding.message.clone()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn each_promise_names_tests_that_exist() {
        let table = |rows: &str| format!("## Promises\n\n| what | kept by |\n|---|---|\n{rows}");
        let check = |rows: &str, expected: &[&str]| check_page(&table(rows), expected);
        check("| x | `tests/all/a.rs::first` |", &[]);
        check("| x | `tests/all/a.rs::first`, `tests/all/a.rs::second` |\n\ntext", &[]);
        check("| x | |", &["the promise names no test in its last cell"]);
        check("| `tests/all/a.rs::first` | |", &["the promise names no test in its last cell"]);
        check("| x | `tests/all/a.rs::third` |", &["there is no test `tests/all/a.rs::third`"]);
        check("| x | `tests/all/a.rs::helper` |", &["there is no test `tests/all/a.rs::helper`"]);
        check("| x | `tests/all/b.rs::first` |", &["there is no test `tests/all/b.rs::first`"]);
    }

    #[test]
    fn tests_are_checked_outside_of_the_promises_too() {
        let promises =
            "# Promises of the jail\n| a | b |\n|-|-|\n| x | `tests/all/a.rs::first` |\n";
        let check =
            |text: &str, expected| check_page(&format!("{promises}# Other\n{text}"), expected);
        check("| a | b |\n|-|-|\n| x | y |", &[]);
        check("see `tests/all/a.rs::none`", &["there is no test `tests/all/a.rs::none`"]);
        check_page("# Other\n", &["has no table below a heading `Promises`"]);
    }
}
