//! Rules of the client in the browser and of its tests: nothing from outside becomes markup,
//! nothing is styled in a way that the page's own policy forbids, every file says what it is for,
//! and what npm fetches is under licences that owe nobody anything.

use serde_json::Value;

use super::graph::satisfied;
use super::{File, Finding};

/// Folders of such files.
const FOLDERS: [&str; 2] = ["host/web/", "tests/web/"];

/// How text becomes markup. Put together here, as other such lists are.
const MAKES_MARKUP: &[&str] = &[
    concat!("{@", "html"),
    concat!("inner", "HTML"),
    concat!("insertAdjacent", "HTML"),
    concat!("document", ".write"),
];

/// Locks of tools that an author's machine fetches; the project ships nothing of them.
const TOOL_LOCKS: &str = "forge/tools/";

/// Packages for work on the project or on engines under a licence that deny.toml does not allow (empty: they
/// name none), and why they may be there all the same. Nothing of them is in what is built.
const TOOLS: &[(&str, &str, &str)] = &[
    (
        "axe-core",
        "MPL-2.0",
        "says in tests whom a page shuts out; changed by nobody, shipped to nobody",
    ),
    ("@bytecodealliance/componentize-js", "", "its LICENSE is Apache-2.0 with LLVM's exception"),
    (
        "chownr",
        "BlueOak-1.0.0",
        "permissive; unpacks what ComponentizeJS could fetch and is not asked to",
    ),
    ("minipass", "BlueOak-1.0.0", "the same"),
    ("tar", "BlueOak-1.0.0", "the same"),
    ("yallist", "BlueOak-1.0.0", "the same"),
];

/// Rules over one file.
pub fn check(file: &File) -> Vec<Finding> {
    let written = ["ts", "js", "mjs", "svelte", "html", "css"];
    let kind = file.path.rsplit('.').next().unwrap_or_default();
    if !FOLDERS.iter().any(|folder| file.path.starts_with(folder)) || !written.contains(&kind) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !says_its_purpose(&file.text) {
        findings.push(file.finding(1, "opens without a comment: say what the file is for"));
    }
    for (at, line) in file.text.lines().enumerate().filter(|(_, line)| !is_comment(line)) {
        for word in MAKES_MARKUP.iter().filter(|word| line.contains(**word)) {
            findings.push(file.finding(at + 1, format!("`{word}`: text never becomes markup")));
        }
        if ["svelte", "html"].contains(&kind) && styles_in_place(line) {
            let what =
                "an attribute `style`: the page's policy forbids it; take a class or `style:…`";
            findings.push(file.finding(at + 1, what));
        }
    }
    findings
}

/// Whether a comment stands before everything but what a kind of file must begin with.
fn says_its_purpose(text: &str) -> bool {
    let needed = ["<!doctype", "<script", "<html", "#!"];
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(str::to_ascii_lowercase)
        .find(|line| !needed.iter().any(|start| line.starts_with(start)))
        .is_some_and(|line| is_comment(&line))
}

fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "<!--"].iter().any(|start| line.trim_start().starts_with(start))
}

fn styles_in_place(line: &str) -> bool {
    let attribute = concat!("style", "=");
    line.match_indices(attribute).any(|(at, _)| {
        line[..at].ends_with(|before: char| before.is_whitespace())
            && line[at + attribute.len()..].starts_with(['"', '\'', '{', '`'])
    })
}

/// Every package of a lock file is under a licence that deny.toml allows, or a tool of the list.
pub fn licences(lock: &File, allowed: &[&str]) -> Vec<Finding> {
    let packages = match serde_json::from_str::<Value>(&lock.text) {
        Ok(Value::Object(mut all)) => all.remove("packages"),
        Ok(_) => None,
        Err(error) => return vec![lock.finding(error.line(), format!("is no JSON: {error}"))],
    };
    let Some(Value::Object(packages)) = packages else {
        return vec![lock.finding(1, "names no packages: it is of an older npm than 7")];
    };
    let mut findings = Vec::new();
    for (place, package) in &packages {
        let name = place.rsplit("node_modules/").next().unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        let is_tool = package["dev"] == true || lock.path.starts_with(TOOL_LOCKS);
        let listed =
            |licence: &str| is_tool && TOOLS.iter().any(|tool| (tool.0, tool.1) == (name, licence));
        let mut found = |what: String| {
            let line =
                lock.text.lines().position(|line| line.contains(&format!("\"{place}\": {{")));
            findings.push(lock.finding(line.map_or(1, |at| at + 1), what));
        };
        match package["license"].as_str() {
            // The project itself.
            None if place.is_empty() || listed("") => {}
            None => found(format!("`{name}` {version} names no licence")),
            Some(licence) if satisfied(licence, allowed) => {}
            Some(licence) if listed(licence) => {}
            Some(licence) => {
                let what = "which neither deny.toml nor the list of tools allows";
                found(format!("`{name}` {version} is under {licence}, {what}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn text_never_becomes_markup() {
        let check = |path: &str, text: &str, expected: usize| {
            let found = check(&file(path, &format!("// Why.\n{text}")));
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check("host/web/src/a.svelte", concat!("<p>{@", "html name}</p>"), 1);
        check("host/web/src/a.svelte", "<p>{name}</p>", 0);
        check("host/web/src/a.ts", concat!("x.inner", "HTML = y;"), 1);
        check("host/web/src/a.ts", concat!("// never inner", "HTML"), 0);
        check("host/web/src/a.ts", concat!("x.insertAdjacent", "HTML('x', y);"), 1);
        check("host/web/src/a.ts", "x.textContent = y;", 0);
        check("docs/a.ts", concat!("x.inner", "HTML = y;"), 0);
        check("host/web/README.md", concat!("x.inner", "HTML = y;"), 0);
    }

    #[test]
    fn styles_stand_in_classes() {
        let check = |path: &str, text: &str, expected: usize| {
            let found = check(&file(path, &format!("<!-- Why. -->\n{text}")));
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check("host/web/src/a.svelte", concat!("<p style", "=\"color: red\">"), 1);
        check("host/web/src/a.svelte", concat!("<p style", "={x}>"), 1);
        check("host/web/index.html", concat!("<p style", "='x'>"), 1);
        check("host/web/src/a.svelte", "<p style:color={x} data-style=\"x\">", 0);
        check("host/web/src/a.svelte", "let style = 'x';", 0);
        check("host/web/src/a.ts", concat!("`<p style", "=\"x\">`"), 0);
    }

    #[test]
    fn every_file_says_its_purpose() {
        let check = |path: &str, text: &str, expected: usize| {
            assert_eq!(check(&file(path, text)).len(), expected, "{text}");
        };
        check("tests/web/a.ts", "// Why.\nimport x;", 0);
        check("tests/web/a.ts", "import x;\n// Why.", 1);
        check("tests/web/a.ts", "", 1);
        check("host/web/a.svelte", "<script lang=\"ts\">\n  // Why.\n", 0);
        check("host/web/a.svelte", "<!-- Why. -->\n<script>", 0);
        check("host/web/a.svelte", "<script>\n  let x;", 1);
        check("host/web/index.html", "<!doctype html>\n<html lang=\"en\">\n<!-- Why. -->", 0);
        check("host/web/package.json", "{}", 0);
    }

    #[test]
    fn packages_of_npm_are_permissive_or_tools_of_the_list() {
        let check = |packages: &str, expected: &[&str]| {
            let text = format!("{{\n\"packages\": {{\n\"\": {{}}{packages}\n}}}}");
            let found = licences(&file("host/web/package-lock.json", &text), &["MIT", "ISC"]);
            assert_eq!(found.len(), expected.len(), "{packages}: {found:?}");
            assert!(found.iter().zip(expected).all(|(f, e)| f.what.contains(e)), "{found:?}");
        };
        check(r#", "node_modules/a": {"version": "1", "license": "MIT"}"#, &[]);
        check(r#", "node_modules/a": {"version": "1", "license": "(MIT OR GPL-3.0)"}"#, &[]);
        check(
            r#", "node_modules/a": {"version": "1", "license": "GPL-3.0"}"#,
            &["`a` 1 is under GPL"],
        );
        check(r#", "node_modules/a/node_modules/@b/c": {"version": "2"}"#, &["`@b/c` 2 names no"]);
        check(r#", "node_modules/axe-core": {"license": "MPL-2.0", "dev": true}"#, &[]);
        check(r#", "node_modules/axe-core": {"license": "MPL-2.0"}"#, &["is under MPL-2.0"]);
        check(r#", "node_modules/axe-core": {"license": "GPL-3.0", "dev": true}"#, &["GPL-3.0"]);
        check(r#", "node_modules/axe": {"license": "MPL-2.0", "dev": true}"#, &["is under MPL"]);
        assert_eq!(licences(&file("package-lock.json", "{}"), &["MIT"]).len(), 1);
        // What a tool of engines stands on is for work, too.
        let tools = |packages: &str, expected: usize| {
            let text = format!("{{\"packages\": {{{packages}}}}}");
            let found = licences(&file("forge/tools/a/package-lock.json", &text), &["MIT"]);
            assert_eq!(found.len(), expected, "{packages}: {found:?}");
        };
        tools(r#""node_modules/tar": {"license": "BlueOak-1.0.0"}"#, 0);
        tools(r#""node_modules/tar": {"license": "GPL-3.0"}"#, 1);
        tools(r#""node_modules/tar": {}"#, 1);
        tools(r#""node_modules/@bytecodealliance/componentize-js": {}"#, 0);
        check(r#", "node_modules/tar": {"license": "BlueOak-1.0.0"}"#, &["is under BlueOak"]);
        assert_eq!(licences(&file("package-lock.json", "{\n"), &["MIT"]).len(), 1);
    }

    #[test]
    fn a_finding_names_the_line_of_its_package() {
        let text = "{\n\"packages\": {\n\"node_modules/a\": {\n}}}";
        assert_eq!(licences(&file("package-lock.json", text), &[])[0].line, 3);
    }
}
