//! Rules over one Rust file: how it opens, where `unsafe` may stand, what is never
//! left behind, what tests and the rules of games keep away from.

use std::collections::BTreeSet;

use super::mask::{code_only, is_word};
use super::{File, Finding};

/// The only places with `unsafe` (DESIGN, invariant 5), as beginnings of paths.
const UNSAFE_ALLOWED: &[&str] = &[
    // What export_engine! expands to.
    "sdk/src/export",
    // The instruction that fetches memory.
    "sdk/src/table/slot.rs",
    // Calling through a loaded library's table.
    "host/src/engine/native",
    // Clocks.
    "host/src/sys",
    // Forking, and calls of the system that no crate wraps.
    "host/src/jail",
    // Loading compiled code that this host wrote itself.
    "host/src/engine/wasm/cache",
];

const LEFT_BEHIND: &[&str] = &["todo!", "unimplemented!", "dbg!"];

const NOT_IN_TESTS: &[(&str, &str)] = &[
    ("#[ignore", "a test is never ignored: let it fail and say how to get what it lacks"),
    ("thread::sleep", "a test waits for an event, not for time"),
    ("time::sleep", "a test waits for an event, not for time"),
    ("sleep_ms", "a test waits for an event, not for time"),
];

/// `games`: same input, same output, on every platform (DESIGN, invariant 1).
const NOT_IN_GAMES: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "Instant::now",
    "RandomState",
    "SystemTime",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
];

/// `test_files`: what `test_modules` found.
pub fn check(file: &File, test_files: &BTreeSet<String>) -> Vec<Finding> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let mut findings = Vec::new();
    if !file.text.starts_with("//!") {
        findings.push(file.finding(1, "opens without `//!`: say what the file is for"));
    }
    findings.extend(unsafe_code(file, &code));
    for word in LEFT_BEHIND {
        for line in lines_with(&code, word) {
            findings.push(file.finding(line, format!("`{word}` is left behind")));
        }
    }
    let tests_begin = first_test_line(&file.path, &code, test_files);
    let in_tests = |line: &usize| tests_begin.is_some_and(|first| *line >= first);
    for (word, advice) in NOT_IN_TESTS {
        for line in lines_with(&code, word).filter(in_tests) {
            findings.push(file.finding(line, *advice));
        }
    }
    if file.path.starts_with("games/src/") {
        for word in NOT_IN_GAMES {
            for line in lines_with(&code, word).filter(|line| !in_tests(line)) {
                let reason = format!("`{word}`: rules read no clock, no file, no randomness");
                findings.push(file.finding(line, reason));
            }
        }
    }
    findings
}

/// The files of modules that are only compiled for tests (`#[cfg(test)] mod name;`).
pub fn test_modules<'a>(files: impl IntoIterator<Item = &'a File>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.into_iter().filter(|file| file.path.ends_with(".rs")) {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let folder = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => file.path.trim_end_matches(".rs").to_owned(),
        };
        let code = code_only(&file.text);
        let declared = code.split("#[cfg(test)]").skip(1).filter_map(|after| {
            let (module, _) = after.trim_start().strip_prefix("mod ")?.split_once(';')?;
            module.chars().all(is_word).then_some(module)
        });
        found.extend(declared.map(|module| format!("{folder}/{module}")));
    }
    found
}

/// The line from which on a file is test code; all of it, or none, where that is so.
fn first_test_line(path: &str, code: &str, test_files: &BTreeSet<String>) -> Option<usize> {
    let stem = path.trim_end_matches(".rs");
    let module = test_files.iter().any(|module| {
        stem.strip_prefix(module.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
    });
    let whole = path.starts_with("tests/") || path.contains("/tests/") || module;
    if whole {
        return Some(1);
    }
    // A module in a file of its own leaves the lines after its declaration to the program.
    let lines: Vec<&str> = code.lines().collect();
    lines_with(code, "#[cfg(test)]")
        .find(|line| !lines.get(*line).is_some_and(|next| next.trim_end().ends_with(';')))
}

/// The lines, from 1, on which `word` stands and is not part of a longer word.
fn lines_with<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.lines().enumerate().filter(|(_, line)| stands_in(line, word)).map(|(at, _)| at + 1)
}

fn stands_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joins = |edge: Option<char>, c: Option<char>| {
            edge.is_some_and(is_word) && c.is_some_and(is_word)
        };
        !joins(word.chars().next(), before) && !joins(word.chars().next_back(), after)
    })
}

fn unsafe_code(file: &File, code: &str) -> Vec<Finding> {
    let original: Vec<&str> = file.text.lines().collect();
    let masked: Vec<&str> = code.lines().collect();
    let mut findings = Vec::new();
    for line in lines_with(code, "unsafe").filter(|line| !is_type(&masked, line - 1)) {
        if !UNSAFE_ALLOWED.iter().any(|allowed| file.path.starts_with(allowed)) {
            findings.push(file.finding(line, "`unsafe` outside the places that may have it"));
        } else if needs_reason(&masked, line - 1) && !has_reason(&original, &masked, line - 1) {
            findings.push(file.finding(line, "no `// SAFETY:` says why this is sound"));
        }
    }
    findings
}

/// The type of a function pointer, `unsafe extern "C" fn(…)`, only says what its caller owes.
fn is_type(masked: &[&str], at: usize) -> bool {
    let words: Vec<&str> = code_after_unsafe(masked, at).take(2).collect();
    matches!(words[..], ["extern", f] | [f, _] if f.starts_with("fn("))
}

/// The words after `unsafe`, over the ends of lines; literals are blank.
fn code_after_unsafe<'a>(masked: &'a [&'a str], at: usize) -> impl Iterator<Item = &'a str> {
    let after = masked[at].split_once("unsafe").map_or("", |(_, after)| after);
    std::iter::once(after)
        .chain(masked[at + 1..].iter().copied())
        .flat_map(str::split_ascii_whitespace)
}

/// Blocks and implementations need a reason; functions, traits and attributes state a duty instead.
fn needs_reason(masked: &[&str], at: usize) -> bool {
    let next = code_after_unsafe(masked, at).next();
    next.is_some_and(|word| word.starts_with('{') || word.starts_with("impl"))
}

/// Looks on the line itself and upwards, over comments, attributes and the statement's own lines.
fn has_reason(original: &[&str], masked: &[&str], at: usize) -> bool {
    let says = |line: usize| original[line].contains("SAFETY:");
    if says(at) {
        return true;
    }
    for line in (0..at).rev() {
        let code = masked[line].trim();
        let blank = original[line].trim().is_empty();
        let statement_before = [";", "{", "}"].iter().any(|end| code.ends_with(end));
        if blank || (statement_before && !code.starts_with("#[")) {
            return false;
        }
        if says(line) {
            return true;
        }
    }
    false
}

/// A crate that never needs `unsafe` forbids it, so that the compiler proves the rule too.
/// `file` is the one that the crate begins with.
pub fn crate_root(file: &File) -> Option<Finding> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let may = UNSAFE_ALLOWED.iter().any(|allowed| allowed.starts_with(&format!("{folder}/")));
    let forbids = code_only(&file.text).contains("#![forbid(unsafe_code)]");
    let what = "the crate has no unsafe code: add `#![forbid(unsafe_code)]`";
    (!may && !forbids).then(|| file.finding(1, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if `host/src/x.rs` declared a module for its tests.
    fn modules() -> BTreeSet<String> {
        let text = "//! X.\n#[cfg(test)]\nmod proof;\nmod program;\n#[cfg(test)]\nmod inner {}";
        let declares = |path: &str| File { path: path.into(), text: text.into() };
        test_modules(&[declares("host/src/x.rs"), declares("games/src/lib.rs")])
    }

    /// The findings as `line: beginning of the text`, for a file with a proper header.
    fn check_file(path: &str, text: &str, expected: &[(usize, &str)]) {
        let file = File { path: path.into(), text: format!("//! Header.\n{text}") };
        let found: Vec<(usize, String)> =
            check(&file, &modules()).into_iter().map(|f| (f.line, f.what)).collect();
        assert_eq!(found.len(), expected.len(), "{path}: {found:?}");
        for ((line, what), (expected_line, words)) in found.iter().zip(expected) {
            assert_eq!(line, expected_line, "{what}");
            assert!(what.contains(words), "{what} does not say {words}");
        }
    }

    #[test]
    fn every_file_opens_with_its_purpose() {
        let check_text = |text: &str, expected: usize| {
            let file = File { path: "host/src/x.rs".into(), text: text.into() };
            assert_eq!(check(&file, &modules()).len(), expected, "{text}");
        };
        check_text("//! Purpose.", 0);
        check_text("// Purpose.", 1);
        check_text("\n//! Purpose.", 1);
        check_text("/// Purpose.", 1);
        check_text("", 1);
    }

    #[test]
    fn unsafe_stands_only_where_it_may() {
        let block = "// SAFETY: it is.\nunsafe { f() }\n";
        check_file("host/src/sys/jail.rs", block, &[]);
        check_file("host/src/engine/native.rs", block, &[]);
        check_file("sdk/src/export/native.rs", block, &[]);
        check_file("host/src/engine/wasm.rs", block, &[(3, "outside")]);
        check_file("sdk/src/search.rs", block, &[(3, "outside")]);
        check_file("abi/src/c.rs", "f: Option<unsafe extern \"C\" fn(u8)>, g: unsafe fn(u8)", &[]);
        check_file("abi/src/c.rs", "unsafe extern \"C\" fn f(x: u8) {}", &[(2, "outside")]);
        check_file("games/src/x.rs", "// unsafe\nlet unsafe_code = \"unsafe\";", &[]);
    }

    #[test]
    fn every_unsafe_block_says_why() {
        let path = "host/src/sys/x.rs";
        check_file(path, "unsafe { f() }", &[(2, "SAFETY")]);
        check_file(path, "// Safety: no.\nunsafe { f() }", &[(3, "SAFETY")]);
        check_file(path, "// SAFETY: a.\n\nunsafe { f() }", &[(4, "SAFETY")]);
        check_file(path, "// SAFETY: a.\ng();\nunsafe { f() }", &[(4, "SAFETY")]);
        check_file(path, "unsafe impl Send for X {}", &[(2, "SAFETY")]);
        check_file(path, "let x = unsafe\n{ f() };", &[(2, "SAFETY")]);
        check_file(path, "// SAFETY: two\n// lines.\n#[allow(x)]\nunsafe { f() }", &[]);
        check_file(path, "// SAFETY: a.\nlet x =\n    unsafe { f() };", &[]);
        check_file(path, "unsafe { f() } // SAFETY: a.", &[]);
        check_file(path, "unsafe fn f();\nunsafe extern \"C\" {}", &[]);
    }

    #[test]
    fn crates_without_unsafe_forbid_it() {
        let check_root = |path: &str, text: &str, expected: bool| {
            let file = File { path: path.into(), text: text.into() };
            assert_eq!(crate_root(&file).is_some(), expected, "{path}: {text}");
        };
        check_root("games/src/lib.rs", "//! G.", true);
        check_root("games/src/lib.rs", "//! G.\n// #![forbid(unsafe_code)]", true);
        check_root("games/src/lib.rs", "//! G.\n#![deny(unsafe_code)]", true);
        check_root("games/src/lib.rs", "//! G.\n#![forbid(unsafe_code)]", false);
        check_root("tests/lib.rs", "//! T.", true);
        check_root("host/src/lib.rs", "//! H.", false);
        check_root("host/src-more/lib.rs", "//! H.", true);
    }

    #[test]
    fn nothing_is_left_behind() {
        let path = "host/src/x.rs";
        check_file(path, "todo!()", &[(2, "todo!")]);
        check_file(path, "f();\ndbg!(x)", &[(3, "dbg!")]);
        check_file(path, "// todo! later\nlet mydbg = 1; my_todo!(); f(\"todo!\");", &[]);
    }

    #[test]
    fn tests_are_never_ignored_and_never_sleep() {
        check_file("tests/tests/x.rs", "#[ignore = \"slow\"]", &[(2, "ignored")]);
        check_file("host/src/x/proof.rs", "std::thread::sleep(d);", &[(2, "waits")]);
        check_file("host/src/x.rs", "#[cfg(test)]\nmod t { thread::sleep(d) }", &[(3, "waits")]);
        check_file("host/src/x.rs", "thread::sleep(d);\n#[cfg(test)]\nmod t {}", &[]);
        check_file("host/src/x/program.rs", "std::thread::sleep(d);", &[]);
        check_file("host/src/x.rs", "#[cfg(test)]\nmod proof;\nfn f() { thread::sleep(d) }", &[]);
        check_file("tests/tests/x.rs", "#[ignored_by_rustfmt]\nmy_thread::sleeper();", &[]);
    }

    #[test]
    fn rules_read_no_clock_and_no_file() {
        check_file("games/src/x.rs", "use std::time::Instant;", &[(2, "std::time")]);
        check_file("games/src/x.rs", "use std::timetable; // std::fs", &[]);
        check_file("games/src/proof.rs", "use std::fs;", &[]);
        check_file("games/src/proof/more.rs", "use std::fs;", &[]);
        check_file("games/src/program.rs", "use std::fs;", &[(2, "std::fs")]);
        check_file("games/src/proof_of.rs", "use std::fs;", &[(2, "std::fs")]);
        check_file("host/src/x.rs", "use std::time::Instant;", &[]);
    }
}
