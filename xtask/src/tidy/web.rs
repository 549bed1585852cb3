//! Rules over the web client and its browser tests: text never becomes markup, styles obey the
//! page's own policy, every file says what it is for, and packages of npm have permissive licences.

use serde_json::Value;

use super::licences::satisfied;
use super::{File, Finding};

/// The folders with the client and its browser tests.
const FOLDERS: [&str; 2] = ["host/server/web/", "tests/web/"];

/// Code that turns text into markup. The words are put together by `concat!`, so that this file is
/// no finding itself.
const MARKUP_SINKS: &[&str] = &[
    concat!("{@", "html"),
    concat!("inner", "HTML"),
    concat!("insertAdjacent", "HTML"),
    concat!("document", ".write"),
];

/// Development packages with a licence that deny.toml does not allow: name, licence and reason. The
/// built client contains nothing of them.
const TOOLS: &[(&str, &str, &str)] = &[
    ("axe-core", "MPL-2.0", "tests accessibility; neither changed nor distributed"),
    ("@bytecodealliance/componentize-js", UNNAMED, "its file LICENSE is Apache-2.0"),
    ("@isaacs/nonrecursive-glob-match", BLUE_OAK, "matches paths for the linter"),
    ("chownr", BLUE_OAK, "unpacks a tool"),
    ("minimatch", BLUE_OAK, "matches paths for the linter"),
    ("minipass", BLUE_OAK, "unpacks a tool"),
    ("tar", BLUE_OAK, "unpacks a tool"),
    ("yallist", BLUE_OAK, "unpacks a tool"),
];

/// Fonts that the client distributes unchanged: package, licence and reason. Their licence is
/// permissive, and deny.toml has no fonts.
const FONTS: &[(&str, &str, &str)] =
    &[("@fontsource-variable/source-sans-3", "OFL-1.1", "the font of the interface")];

/// The entry for a package whose manifest has no licence.
const UNNAMED: &str = "no licence";
/// A licence as permissive as MIT.
const BLUE_OAK: &str = "BlueOak-1.0.0";

/// The folder with lock files of the tools that build engines.
const TOOLS_FOLDER: &str = "builder/tools/";

/// Checks one file of the client or of its tests.
pub(super) fn check(file: &File) -> Vec<Finding> {
    let sources = ["ts", "js", "mjs", "svelte", "html", "css"];
    let kind = file.extension();
    if !FOLDERS.iter().any(|folder| file.path.starts_with(folder)) || !sources.contains(&kind) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !opens_with_comment(&file.text) {
        findings.push(file.finding(1, "opens without a comment: say what the file is for"));
    }
    for (at, line) in file.text.lines().enumerate().filter(|(_, line)| !is_comment(line)) {
        for word in MARKUP_SINKS.iter().filter(|word| line.contains(**word)) {
            findings.push(file.finding(at + 1, format!("`{word}`: text never becomes markup")));
        }
        if ["svelte", "html"].contains(&kind) && has_style_attribute(line) {
            let message =
                "an attribute `style`, which the page's policy forbids: use a class or `style:…`";
            findings.push(file.finding(at + 1, message));
        }
    }
    findings
}

/// Whether a comment comes first, except for what this kind of file must begin with.
fn opens_with_comment(text: &str) -> bool {
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

fn has_style_attribute(line: &str) -> bool {
    let attribute = concat!("style", "=");
    line.match_indices(attribute).any(|(at, _)| {
        line[..at].ends_with(|before: char| before.is_whitespace())
            && line[at + attribute.len()..].starts_with(['"', '\'', '{', '`'])
    })
}

/// Checks that every package of a lock file has a licence that deny.toml allows, or is in
/// [`TOOLS`].
pub(super) fn licences(lock: &File, allowed: &[&str]) -> Vec<Finding> {
    let packages = match serde_json::from_str::<Value>(&lock.text) {
        Ok(Value::Object(mut all)) => all.remove("packages"),
        Ok(_) => None,
        Err(error) => return vec![lock.finding(error.line(), format!("is not JSON: {error}"))],
    };
    let Some(Value::Object(packages)) = packages else {
        return vec![lock.finding(1, "has no packages: it was written by an npm older than 7")];
    };
    let mut findings = Vec::new();
    for (place, package) in &packages {
        let name = place.rsplit("node_modules/").next().unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        let is_tool = package["dev"] == true || lock.path.starts_with(TOOLS_FOLDER);
        let has = |list: &[(&str, &str, &str)], licence: &str| {
            list.iter().any(|row| (row.0, row.1) == (name, licence))
        };
        let is_known = |licence: &str| (is_tool && has(TOOLS, licence)) || has(FONTS, licence);
        let mut found = |message: String| {
            let line =
                lock.text.lines().position(|line| line.contains(&format!("\"{place}\": {{")));
            findings.push(lock.finding(line.map_or(1, |at| at + 1), message));
        };
        match package["license"].as_str() {
            // The project itself.
            None if place.is_empty() || is_known(UNNAMED) => {}
            None => found(format!("`{name}` {version} has no licence")),
            Some(licence) if satisfied(licence, allowed) => {}
            Some(licence) if is_known(licence) => {}
            Some(licence) => {
                let reason = "which neither deny.toml nor the lists of tools and fonts allow";
                found(format!("`{name}` {version} is under {licence}, {reason}"));
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
        check("host/server/web/src/a.svelte", concat!("<p>{@", "html name}</p>"), 1);
        check("host/server/web/src/a.svelte", "<p>{name}</p>", 0);
        check("host/server/web/src/a.ts", concat!("x.inner", "HTML = y;"), 1);
        check("host/server/web/src/a.ts", concat!("// never inner", "HTML"), 0);
        check("host/server/web/src/a.ts", concat!("x.insertAdjacent", "HTML('x', y);"), 1);
        check("host/server/web/src/a.ts", "x.textContent = y;", 0);
        check("docs/a.ts", concat!("x.inner", "HTML = y;"), 0);
        check("host/server/web/README.md", concat!("x.inner", "HTML = y;"), 0);
    }

    #[test]
    fn style_attributes_are_refused() {
        let check = |path: &str, text: &str, expected: usize| {
            let found = check(&file(path, &format!("<!-- Why. -->\n{text}")));
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check("host/server/web/src/a.svelte", concat!("<p style", "=\"color: red\">"), 1);
        check("host/server/web/src/a.svelte", concat!("<p style", "={x}>"), 1);
        check("host/server/web/index.html", concat!("<p style", "='x'>"), 1);
        check("host/server/web/src/a.svelte", "<p style:color={x} data-style=\"x\">", 0);
        check("host/server/web/src/a.svelte", "let style = 'x';", 0);
        check("host/server/web/src/a.ts", concat!("`<p style", "=\"x\">`"), 0);
    }

    #[test]
    fn every_file_opens_with_a_comment() {
        let check = |path: &str, text: &str, expected: usize| {
            assert_eq!(check(&file(path, text)).len(), expected, "{text}");
        };
        check("tests/web/a.ts", "// Why.\nimport x;", 0);
        check("tests/web/a.ts", "import x;\n// Why.", 1);
        check("tests/web/a.ts", "", 1);
        check("host/server/web/a.svelte", "<script lang=\"ts\">\n  // Why.\n", 0);
        check("host/server/web/a.svelte", "<!-- Why. -->\n<script>", 0);
        check("host/server/web/a.svelte", "<script>\n  let x;", 1);
        check(
            "host/server/web/index.html",
            "<!doctype html>\n<html lang=\"en\">\n<!-- Why. -->",
            0,
        );
        check("host/server/web/package.json", "{}", 0);
    }

    #[test]
    fn packages_of_npm_are_permissive_or_listed_tools() {
        let check = |packages: &str, expected: &[&str]| {
            let text = format!("{{\n\"packages\": {{\n\"\": {{}}{packages}\n}}}}");
            let found =
                licences(&file("host/server/web/package-lock.json", &text), &["MIT", "ISC"]);
            assert_eq!(found.len(), expected.len(), "{packages}: {found:?}");
            assert!(found.iter().zip(expected).all(|(f, e)| f.message.contains(e)), "{found:?}");
        };
        check(r#", "node_modules/a": {"version": "1", "license": "MIT"}"#, &[]);
        check(r#", "node_modules/a": {"version": "1", "license": "(MIT OR GPL-3.0)"}"#, &[]);
        check(
            r#", "node_modules/a": {"version": "1", "license": "GPL-3.0"}"#,
            &["`a` 1 is under GPL"],
        );
        check(
            r#", "node_modules/@fontsource-variable/source-sans-3": {"license": "OFL-1.1"}"#,
            &[],
        );
        check(r#", "node_modules/a": {"version": "1", "license": "OFL-1.1"}"#, &["OFL-1.1"]);
        check(r#", "node_modules/a/node_modules/@b/c": {"version": "2"}"#, &["`@b/c` 2 has no"]);
        check(r#", "node_modules/axe-core": {"license": "MPL-2.0", "dev": true}"#, &[]);
        check(r#", "node_modules/axe-core": {"license": "MPL-2.0"}"#, &["is under MPL-2.0"]);
        check(r#", "node_modules/axe-core": {"license": "GPL-3.0", "dev": true}"#, &["GPL-3.0"]);
        check(r#", "node_modules/axe": {"license": "MPL-2.0", "dev": true}"#, &["is under MPL"]);
        assert_eq!(licences(&file("package-lock.json", "{}"), &["MIT"]).len(), 1);
        assert_eq!(licences(&file("package-lock.json", "{\n"), &["MIT"]).len(), 1);
    }

    #[test]
    fn tools_that_build_engines_are_listed() {
        let check = |path: &str, package: &str, expected: usize| {
            let text = format!("{{\"packages\": {{\"node_modules/{package}}}}}");
            assert_eq!(licences(&file(path, &text), &["MIT"]).len(), expected, "{path}: {package}");
        };
        let (tools, web) =
            ("builder/tools/x/package-lock.json", "host/server/web/package-lock.json");
        let (tar, unnamed) = (r#"tar": {"license": "BlueOak-1.0.0"}"#, "componentize-js\": {}");
        check(tools, tar, 0);
        check(web, tar, 1);
        check(tools, r#"tar": {"license": "GPL-3.0"}"#, 1);
        check(tools, r#"tap": {"license": "BlueOak-1.0.0"}"#, 1);
        check(tools, &format!("@bytecodealliance/{unnamed}"), 0);
        check(web, &format!("@bytecodealliance/{unnamed}"), 1);
        check(tools, unnamed, 1);
    }

    #[test]
    fn a_finding_names_the_line_of_its_package() {
        let text = "{\n\"packages\": {\n\"node_modules/a\": {\n}}}";
        assert_eq!(licences(&file("package-lock.json", text), &[])[0].line, 3);
    }
}
