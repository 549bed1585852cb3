//! Reads a file of options: one `name = value` a line, as `sandboard tune` writes it and
//! `id:options=FILE` takes it. Does not know any engine: its caller checks the options.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::usage;
use sandboard_common::files::read_regular_text;

/// The size limit of an option file, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// Reads the options of a file, in its order. An error names the file and the line.
pub(crate) fn read(file: &Path) -> Result<Vec<(String, String)>> {
    let shown = file.display();
    let text = read_regular_text(file, BYTES_MAX)
        .map_err(|error| usage(format!("cannot read the option file {shown}: {error}")))?;
    parse(&text).map_err(|(line, reason)| usage(format!("{shown}, line {line}: {reason}")))
}

/// Parses the text of an option file. Err: the line number, from 1, and the reason.
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
                format!("`{text}` is not an option; write `name = value`, or `#` before it"),
            ));
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err((line, format!("`{name}` is not a valid option name")));
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
    fn option_files_are_parsed() {
        check("", "");
        check("open-three = 60\nopen-four=500\n", "{open-three=60}{open-four=500}");
        check("\u{feff}a = 1", "{a=1}");
        check("# weights\r\n\r\n  a = 1 # no comment\r\n", "{a=1 # no comment}");
        check("book = C:\\x = y", "{book=C:\\x = y}");
        check("empty =", "{empty=}");
        check("\u{e9} = \u{4e94}", "{\u{e9}=\u{4e94}}");
        check(
            "a = 1\nopen-three 60",
            "2: `open-three 60` is not an option; write `name = value`, or `#` before it",
        );
        check("= 3", "1: `` is not a valid option name");
        check("open three = 3", "1: `open three` is not a valid option name");
        check("a = 1\n\na = 1", "3: option `a` is given twice");
    }
}
