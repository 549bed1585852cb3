//! Writes the reference part of `docs/manifest.md` from the table. Prose beyond
//! the table is not made here.

use std::fmt::Write;

use super::schema::{ElementSpec, SCHEMA};

/// The reference of every element and attribute, as Markdown.
pub fn reference() -> String {
    SCHEMA.iter().map(section).collect()
}

fn section(element: &ElementSpec) -> String {
    let place = match element.parent {
        Some(parent) => format!("Stands in `{parent}`, {}.", times(element)),
        None => "The root element, once.".to_owned(),
    };
    let mut text = format!("### `{}`\n\n{place} {}\n\n", element.name, element.about);
    text.push_str("| attribute | value | when left out | meaning |\n|---|---|---|---|\n");
    for attribute in element.attributes {
        let absent = match (attribute.required, attribute.default) {
            (true, _) => "**required**",
            (false, "") => "depends on `kind`",
            (false, default) => default,
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {absent} | {} |",
            attribute.name, attribute.value, attribute.about
        );
    }
    text.push('\n');
    text
}

fn times(element: &ElementSpec) -> String {
    match (element.min, element.max) {
        (0, 1) => "once at most".to_owned(),
        (0, max) => format!("{max} times at most"),
        (min, max) => format!("{min} to {max} times"),
    }
}
