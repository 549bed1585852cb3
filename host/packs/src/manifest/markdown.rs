//! Generates the reference part of `docs/manifest.md` from the schema in the documentation: its
//! elements, attributes and types with their descriptions. The rest of the page is written by hand.

use std::fmt::Write;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::xsd::XSD;

/// The width of a line of Markdown, tables excepted.
const COLUMNS: usize = 100;

/// The reference of every element and attribute, as Markdown.
pub fn reference() -> String {
    reference_of(XSD)
}

/// As [`reference`], for another schema of this form.
pub(super) fn reference_of(xsd: &str) -> String {
    let schema = read(xsd);
    let types = schema.all("complexType");
    types.map(|element| section(&schema, element)).collect()
}

/// An element of the schema, its name without `xs:`.
#[derive(Default)]
struct Node {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
    text: String,
}

impl Node {
    fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    fn all<'n>(&'n self, name: &str) -> impl Iterator<Item = &'n Node> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element down this path.
    fn at<'n>(&'n self, path: &[&str]) -> Option<&'n Node> {
        match path {
            [] => Some(self),
            [name, rest @ ..] => self.all(name).find_map(|child| child.at(rest)),
        }
    }

    /// Whether an element is declared in it, however deep.
    fn declares(&self, name: &str) -> bool {
        (self.name == "element" && self.get("name") == name)
            || self.children.iter().any(|child| child.declares(name))
    }

    /// Its documentation text.
    fn about(&self) -> &str {
        self.at(&["annotation", "documentation"]).map_or("", |node| &node.text)
    }
}

fn section(schema: &Node, element: &Node) -> String {
    let name = element.get("name");
    let parent = schema.all("complexType").find(|other| other.declares(name));
    let place = match parent {
        Some(parent) => format!("Child of `{}`, {}.", parent.get("name"), times(element)),
        None => "The root element, exactly once.".to_owned(),
    };
    let about = wrap(&format!("{place} {}", element.about()));
    let mut text = format!("### `{name}`\n\n{about}\n\n");
    text.push_str("| attribute | value | default | meaning |\n|---|---|---|---|\n");
    let holder = element.at(&["simpleContent", "extension"]).unwrap_or(element);
    for attribute in holder.all("attribute") {
        let default = attribute.at(&["annotation", "appinfo", "left-out"]);
        let absent = match (attribute.get("use"), default) {
            ("required", _) => "**required**",
            (_, None) => "depends on `kind`",
            (_, Some(default)) => &default.text,
        };
        let (name, value) = (attribute.get("name"), value(schema, attribute));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{name}` | {value} | {absent} | {} |", attribute.about());
    }
    text.push('\n');
    text
}

/// Breaks a paragraph at spaces into lines of at most [`COLUMNS`].
fn wrap(paragraph: &str) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for word in paragraph.split(' ') {
        let width = word.chars().count();
        if columns > 0 && columns + 1 + width > COLUMNS {
            text.push('\n');
            columns = 0;
        } else if columns > 0 {
            text.push(' ');
            columns += 1;
        }
        text.push_str(word);
        columns += width;
    }
    text
}

fn times(element: &Node) -> String {
    let times = element.at(&["annotation", "appinfo", "times"]);
    let count = |bound| times.map_or("", |times| times.get(bound));
    match (count("min"), count("max")) {
        ("0", "1") => "at most once".to_owned(),
        ("0", max) => format!("at most {max} times"),
        (min, max) => format!("{min} to {max} times"),
    }
}

/// The value type of an attribute: the text of its named type, or its facets.
fn value(schema: &Node, attribute: &Node) -> String {
    let named = schema.all("simpleType").find(|it| it.get("name") == attribute.get("type"));
    if let Some(named) = named {
        return named.about().to_owned();
    }
    let Some(facets) = attribute.at(&["simpleType", "restriction"]) else { return String::new() };
    let facet = |name| facets.at(&[name]).map_or("", |facet| facet.get("value"));
    let words: Vec<String> =
        facets.all("enumeration").map(|word| format!("`{}`", word.get("value"))).collect();
    match facets.get("base") {
        "xs:nonNegativeInteger" => {
            format!("whole number, {} to {}", facet("minInclusive"), facet("maxInclusive"))
        }
        _ if words.is_empty() => format!("text of at most {} bytes", facet("maxLength")),
        _ => words.join(", "),
    }
}

/// Reads a schema as far as it is well-formed. A test compares the generated reference with the
/// documentation.
fn read(xsd: &str) -> Node {
    let mut reader = Reader::from_str(xsd);
    let mut open = vec![Node::default()];
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => open.push(node(&tag)),
            Ok(Event::Empty(tag)) => close(&mut open, node(&tag)),
            Ok(Event::End(_)) => {
                if let Some(done) = open.pop() {
                    close(&mut open, done);
                }
            }
            Ok(Event::Text(text)) => add(&mut open, &text),
            Ok(Event::GeneralRef(name)) => {
                add(&mut open, resolve_predefined_entity(&name).unwrap_or_default());
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let document = open.into_iter().next().unwrap_or_default();
    document.children.into_iter().next().unwrap_or_default()
}

fn add(open: &mut [Node], text: &str) {
    if let Some(node) = open.last_mut() {
        node.text.push_str(text);
    }
}

fn close(open: &mut [Node], done: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(done);
    }
}

fn node(tag: &BytesStart) -> Node {
    let plain = |name: &str| name.strip_prefix("xs:").unwrap_or(name).to_owned();
    let attributes = tag.attributes().flatten().filter_map(|attribute| {
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?;
        Some((attribute.key.0.to_owned(), value.into_owned()))
    });
    Node { name: plain(tag.name().0), attributes: attributes.collect(), ..Node::default() }
}
