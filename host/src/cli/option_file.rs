//! A file of options: `name = value`, a line each, as `sandboard tune` writes what it found and
//! `id:options=FILE` reads it, wherever an engine is named. Knows no engine: whether it has these options is
//! said where all options are looked at.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use super::usage;

/// No file of options is longer, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The options of a file, in its order. Err names the file, and the line where one is wrong.
pub fn read(file: &Path) -> Result<Vec<(String, String)>> {
    let shown = file.display();
    let about = std::fs::metadata(file).with_context(|| format!("cannot read {shown}"))?;
    if !about.is_file() || about.len() > BYTES_MAX {
        let why = "no file of options: it is not a file, or has more than 1 MiB";
        return Err(usage(format!("{shown} is {why}")));
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    parse(&text).map_err(|(line, reason)| usage(format!("{shown}, line {line}: {reason}")))
}

/// The options of such a text; Err: the line, from 1, and what is wrong with it.
fn parse(text: &str) -> Result<Vec<(String, String)>, (usize, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    let mut names = BTreeSet::new();
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let Some((name, value)) = text.split_once('=') else {
            return Err((
                line,
                format!("`{text}` is no option; write `name = value`, or `#` before it"),
            ));
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err((line, format!("`{name}` is no name of an option")));
        }
        if !names.insert(name) {
            return Err((line, format!("option `{name}` is given twice")));
        }
        options.push((name.to_owned(), value.to_owned()));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match parse(text) {
            Ok(options) => {
                let shown = options.iter().map(|(name, value)| format!("{{{name}={value}}}"));
                shown.collect::<String>()
            }
            Err((line, reason)) => format!("{line}: {reason}"),
        };
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn options_of_a_file() {
        check("", "");
        check("open-three = 60\nopen-four=500\n", "{open-three=60}{open-four=500}");
        check("\u{feff}a = 1", "{a=1}");
        check("# weights\r\n\r\n  a = 1 # no comment\r\n", "{a=1 # no comment}");
        check("book = C:\\x = y", "{book=C:\\x = y}");
        check("empty =", "{empty=}");
        check("\u{e9} = \u{4e94}", "{\u{e9}=\u{4e94}}");
        check(
            "a = 1\nopen-three 60",
            "2: `open-three 60` is no option; write `name = value`, or `#` before it",
        );
        check("= 3", "1: `` is no name of an option");
        check("open three = 3", "1: `open three` is no name of an option");
        check("a = 1\n\na = 1", "3: option `a` is given twice");
    }
}
