//! Rules over one Rust file: how it opens, how it is named, where `unsafe` may be, and what tests
//! and the rules of games must not use.

use std::collections::BTreeSet;

use super::lexer::{code_only, is_word};
use super::{File, Finding};

/// The only modules with `unsafe`: a file without its extension, or a folder.
const UNSAFE_ALLOWED: &[&str] = &[
    // The expansion of `export_engine!`.
    "sdk/src/export",
    "game-sdk/src/export",
    // The instruction that prefetches memory.
    "sdk/src/transposition_table/slot",
    // Calls through the table of a loaded library.
    "host/engine-native/src",
    // Clocks of the operating system.
    "host/common/src/sys",
    // Forking, and system calls that no crate wraps.
    "host/jail/src",
    // Loading compiled code that this host wrote itself.
    "host/engine-wasm/src/compiled_code",
    // Calls between this program and the JavaScript around it.
    "host/engine-wasm/src/backend/javascript",
    "host/browser/src/exports",
];

/// Macros of unfinished work.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!"];

const NOT_IN_TESTS: &[(&str, &str)] = &[
    ("#[ignore", "a test is never ignored: let it fail and say how to get what it lacks"),
    ("thread::sleep", "a test waits for an event, not for time"),
    ("time::sleep", "a test waits for an event, not for time"),
    ("sleep_ms", "a test waits for an event, not for time"),
];

/// What the rules of games never use: the same input gives the same output on every platform.
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

/// Checks one file. `test_modules` is the result of [`test_modules`].
pub(super) fn check(file: &File, test_modules: &BTreeSet<String>) -> Vec<Finding> {
    if file.extension() != "rs" {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let mut findings = Vec::new();
    if !file.text.starts_with("//!") {
        findings.push(file.finding(1, "opens without `//!`: say what the file is for"));
    }
    if let Some(folder) = file.path.strip_suffix("/mod.rs") {
        findings.push(file.finding(1, format!("name the file {folder}.rs, beside its folder")));
    }
    findings.extend(unsafe_code(file, &code));
    for word in UNFINISHED {
        for line in lines_with(&code, word) {
            findings.push(file.finding(line, format!("`{word}` is for development only")));
        }
    }
    let tests_begin = first_test_line(&file.path, &code, test_modules);
    let in_tests = |line: &usize| tests_begin.is_some_and(|first| *line >= first);
    for (word, advice) in NOT_IN_TESTS {
        for line in lines_with(&code, word).filter(in_tests) {
            findings.push(file.finding(line, *advice));
        }
    }
    if file.path.starts_with("games/src/") {
        for word in NOT_IN_GAMES {
            for line in lines_with(&code, word).filter(|line| !in_tests(line)) {
                let reason =
                    format!("`{word}`: rules of games read no clock, no file, no randomness");
                findings.push(file.finding(line, reason));
            }
        }
    }
    findings
}

/// The files of modules that are only compiled for tests (`#[cfg(test)] mod name;`).
pub(super) fn test_modules<'a>(files: impl IntoIterator<Item = &'a File>) -> BTreeSet<String> {
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

/// The first line of test code; all lines after it are test code too. None: there is no test code.
fn first_test_line(path: &str, code: &str, test_modules: &BTreeSet<String>) -> Option<usize> {
    let is_test_module = test_modules.iter().any(|module| is_in_module(path, module));
    if path.starts_with("tests/") || path.contains("/tests/") || is_test_module {
        return Some(1);
    }
    // `#[cfg(test)] mod name;` declares a module in another file: what follows is not test code.
    let lines: Vec<&str> = code.lines().collect();
    lines_with(code, "#[cfg(test)]")
        .find(|line| !lines.get(*line).is_some_and(|next| next.trim_end().ends_with(';')))
}

/// Whether a file is the module (a path without extension) or one of its inner modules.
fn is_in_module(path: &str, module: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    stem.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The lines, from 1, with `word` that is not part of a longer word.
fn lines_with<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.lines().enumerate().filter(|(_, line)| has_word(line, word)).map(|(at, _)| at + 1)
}

fn has_word(line: &str, word: &str) -> bool {
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
        if !UNSAFE_ALLOWED.iter().any(|allowed| is_in_module(&file.path, allowed)) {
            let message = "`unsafe` outside the modules that may have it (xtask/src/tidy/rust.rs)";
            findings.push(file.finding(line, message));
        } else if needs_reason(&masked, line - 1) && !has_reason(&original, &masked, line - 1) {
            findings.push(file.finding(
                line,
                "unsafe code without a `// SAFETY:` comment that says why it is sound",
            ));
        }
    }
    findings
}

/// Whether `unsafe` is part of a function pointer's type, `unsafe extern "C" fn(…)`: the type only
/// says that calling it is unsafe.
fn is_type(masked: &[&str], at: usize) -> bool {
    let words: Vec<&str> = code_after_unsafe(masked, at).take(2).collect();
    matches!(words[..], ["extern", f] | [f, _] if f.starts_with("fn("))
}

/// The words after `unsafe`, on this line and those that follow.
fn code_after_unsafe<'a>(masked: &'a [&'a str], at: usize) -> impl Iterator<Item = &'a str> {
    let after = masked[at].split_once("unsafe").map_or("", |(_, after)| after);
    std::iter::once(after)
        .chain(masked[at + 1..].iter().copied())
        .flat_map(str::split_ascii_whitespace)
}

/// Whether a reason is needed: for blocks and implementations, not for functions, traits and
/// attributes, which state a duty of their caller instead.
fn needs_reason(masked: &[&str], at: usize) -> bool {
    let next = code_after_unsafe(masked, at).next();
    next.is_some_and(|word| word.starts_with('{') || word.starts_with("impl"))
}

/// Whether the line itself, or a comment above its statement, has a reason.
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

/// The root file of a crate forbids `unsafe`, so that the compiler checks the rule too. In a crate
/// with modules that may have it, the root file denies it and those modules allow it.
pub(super) fn crate_root(file: &File) -> Option<Finding> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let may_have = UNSAFE_ALLOWED.iter().any(|allowed| {
        *allowed == folder || allowed.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    });
    let code = code_only(&file.text);
    let has = |level: &str| code.contains(&format!("#![{level}(unsafe_code)]"));
    match may_have {
        _ if has("forbid") => None,
        true if has("deny") => None,
        true => Some(file.finding(1, "some modules have unsafe code: add `#![deny(unsafe_code)]`")),
        false => {
            let message = "the crate has no unsafe code: add `#![forbid(unsafe_code)]`";
            Some(file.finding(1, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test modules of a tree in which `host/src/x.rs` declares one.
    fn modules() -> BTreeSet<String> {
        let text = "//! X.\n#[cfg(test)]\nmod proof;\nmod program;\n#[cfg(test)]\nmod inner {}";
        let declares = |path: &str| File { path: path.into(), text: text.into() };
        test_modules(&[declares("host/src/x.rs"), declares("games/src/lib.rs")])
    }

    /// The findings as `line: beginning of the text`, for a file with a proper header.
    fn check_file(path: &str, text: &str, expected: &[(usize, &str)]) {
        let file = File { path: path.into(), text: format!("//! Header.\n{text}") };
        let found: Vec<(usize, String)> =
            check(&file, &modules()).into_iter().map(|f| (f.line, f.message)).collect();
        assert_eq!(found.len(), expected.len(), "{path}: {found:?}");
        for ((line, message), (expected_line, words)) in found.iter().zip(expected) {
            assert_eq!(line, expected_line, "{message}");
            assert!(message.contains(words), "{message} does not say {words}");
        }
    }

    #[test]
    fn modules_are_files_beside_their_folder() {
        check_file("host/src/x/mod.rs", "", &[(1, "name the file host/src/x.rs")]);
        check_file("host/src/x.rs", "", &[]);
        check_file("host/src/x/remod.rs", "", &[]);
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
    fn unsafe_code_is_only_in_the_listed_modules() {
        let block = "// SAFETY: it is.\nunsafe { f() }\n";
        check_file("host/common/src/sys/cpu.rs", block, &[]);
        check_file("host/common/src/sys.rs", block, &[]);
        check_file("host/engine-native/src/lib.rs", block, &[]);
        check_file("sdk/src/export/native.rs", block, &[]);
        check_file("host/engine-wasm/src/lib.rs", block, &[(3, "outside")]);
        check_file("host/common/src/system.rs", block, &[(3, "outside")]);
        check_file("sdk/src/search.rs", block, &[(3, "outside")]);
        check_file("abi/src/c.rs", "f: Option<unsafe extern \"C\" fn(u8)>, g: unsafe fn(u8)", &[]);
        check_file("abi/src/c.rs", "unsafe extern \"C\" fn f(x: u8) {}", &[(2, "outside")]);
        check_file("games/src/x.rs", "// unsafe\nlet unsafe_code = \"unsafe\";", &[]);
    }

    #[test]
    fn every_unsafe_block_says_why() {
        let path = "host/common/src/sys/x.rs";
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
    fn crate_roots_forbid_or_deny_unsafe_code() {
        let check_root = |path: &str, text: &str, expected: bool| {
            let file = File { path: path.into(), text: text.into() };
            assert_eq!(crate_root(&file).is_some(), expected, "{path}: {text}");
        };
        check_root("games/src/lib.rs", "//! G.", true);
        check_root("games/src/lib.rs", "//! G.\n// #![forbid(unsafe_code)]", true);
        check_root("games/src/lib.rs", "//! G.\n#![deny(unsafe_code)]", true);
        check_root("games/src/lib.rs", "//! G.\n#![forbid(unsafe_code)]", false);
        check_root("tests/lib.rs", "//! T.", true);
        check_root("host/common/src/lib.rs", "//! C.", true);
        check_root("host/common/src/lib.rs", "//! C.\n#![deny(unsafe_code)]", false);
        check_root("host/common/src/lib.rs", "//! C.\n#![forbid(unsafe_code)]", false);
        check_root("host/jail/src/lib.rs", "//! J.\n#![deny(unsafe_code)]", false);
        check_root("host/jail-more/src/lib.rs", "//! J.\n#![deny(unsafe_code)]", true);
    }

    #[test]
    fn development_macros_are_refused() {
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
    fn rules_of_games_read_no_clock_and_no_file() {
        check_file("games/src/x.rs", "use std::time::Instant;", &[(2, "std::time")]);
        check_file("games/src/x.rs", "use std::timetable; // std::fs", &[]);
        check_file("games/src/proof.rs", "use std::fs;", &[]);
        check_file("games/src/proof/more.rs", "use std::fs;", &[]);
        check_file("games/src/program.rs", "use std::fs;", &[(2, "std::fs")]);
        check_file("games/src/proof_of.rs", "use std::fs;", &[(2, "std::fs")]);
        check_file("host/src/x.rs", "use std::time::Instant;", &[]);
    }
}
