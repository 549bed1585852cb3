//! Faults of the list in each kind of file, each beside a text that is similar and clean.

use super::*;

/// Checks the lines of the findings.
fn check_file(path: &str, text: &str, expected: &[usize]) {
    let file = File { path: path.into(), text: text.into() };
    let found = check(&file);
    let lines: Vec<usize> = found.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, expected, "{text}: {found:?}");
}

#[test]
fn the_list_is_well_formed() {
    let faults = parse(LIST);
    assert!(faults.len() > 15);
    let mut phrases = std::collections::BTreeSet::new();
    for Fault { phrases: alternatives, advice } in &faults {
        assert!(!advice.trim().is_empty());
        for phrase in alternatives {
            assert!(phrases.insert(phrase.clone()), "{phrase:?} is listed twice");
            for word in phrase {
                let in_order = !word.is_empty() && **word == word.to_lowercase();
                assert!(in_order && !word.contains([' ', '|', '=', ',']), "{phrase:?}");
            }
        }
    }
}

#[test]
fn a_finding_says_what_to_write_instead() {
    let file = File { path: "a.md".into(), text: "It is on hand.".into() };
    let found: Vec<String> = check(&file).iter().map(Finding::to_string).collect();
    assert_eq!(found, ["a.md:1: avoid \"on hand\": write \"available\""]);
}

#[test]
fn markdown() {
    let check = |text: &str, expected: &[usize]| check_file("docs/a.md", text, expected);
    check("Nobody plays.", &[1]);
    check("No body plays; nobodyish.", &[]);
    check("There are so\nmany games.", &[1]);
    check("There are so. Many games.", &[]);
    check("There are so\n\nmany games.", &[]);
    check("It is *so* many.", &[1]);
    check("First.\n\nThe host is told.\nWhoever.", &[3, 4]);
    check("| a | nobody |", &[1]);
}

#[test]
fn quotations_and_code_are_skipped() {
    let check = |text: &str, expected: &[usize]| check_file("docs/a.md", text, expected);
    check("The user `nobody` and \"so many\" and “on hand”.", &[]);
    check("The user ``a ` nobody`` runs.", &[]);
    check("```text\nnobody\n```\nnobody", &[4]);
    check("A `code\nspan nobody` and\nnobody.", &[3]);
    check("An \"open quotation, nobody.", &[1]);
    check("It`s nobody.", &[1]);
}

#[test]
fn rust_comments() {
    let check = |text: &str, expected: &[usize]| check_file("a.rs", text, expected);
    check("/// What the host is told.\nfn f() {}", &[1]);
    check("/// What the host is given.\nfn f() {}", &[]);
    check("/// There are so\n/// many.\nfn f() {}", &[1]);
    check("// There are so\nf();\n// many.", &[]);
    check("/* One\n * nobody */", &[2]);
    check("/// As user `nobody`.\n/// ```\n/// nobody();\n/// ```\n/// nobody", &[5]);
}

#[test]
fn rust_texts() {
    let check = |text: &str, expected: &[usize]| check_file("a.rs", text, expected);
    check("bail!(\"nobody plays\")", &[1]);
    check("let user = \"nobody\";", &[]);
    check("bail!(\"user `nobody` plays\")", &[]);
    check("bail!(\"user \\\"nobody\\\" plays\")", &[]);
    check("bail!(\"one\\nnobody plays\")", &[1]);
    check("bail!(\"there are so \\\n many\")", &[1]);
    check("let s = r#\"one\nnobody plays\"#;", &[2]);
}

#[test]
fn rust_names() {
    let check = |text: &str, expected: &[usize]| check_file("a.rs", text, expected);
    check("fn it_is_told_once() {}", &[1]);
    check("fn it_is_untold() {}", &[]);
    check("let so_many = 1;\nlet so = many;", &[1]);
    check("struct Nobody;\nstruct SoMany;", &[1, 2]);
    check("fn f(told: &str) {}", &[1]);
}

#[test]
fn other_sources() {
    let check = |path: &str, text: &str, expected: &[usize]| check_file(path, text, expected);
    check("a.ts", "// There are so\n// many.", &[1]);
    check("a.ts", "let so\nmany = 1;", &[]);
    check("a.ts", "let soMany = 'nobody plays';", &[1, 1]);
    check("a.svelte", "<p>Nobody plays</p>", &[1]);
    check("a.py", "# Nobody plays.", &[1]);
    check("a.json", "\"nobody\"", &[]);
    check("tests/fixtures/a.ts", "// Nobody plays.", &[]);
    check("xtask/src/tidy/prose/tests.rs", "// Nobody plays.", &[]);
}
