//! Generates `docs/EngineConfigs.xsd` (XML Schema 1.0) from the table. The parser refuses
//! everything that the schema refuses, and more that a schema cannot express. Validates nothing
//! itself.

use std::fmt::Write;

use quick_xml::escape::partial_escape;
use sandboard_abi::limits;

use super::schema::{AttributeSpec, ElementSpec, SCHEMA};
use super::values::{PATH_BYTES_MAX, ValueSpec};
use sandboard_common::text::HIDDEN;

/// The schema in the documentation.
pub const XSD: &str = include_str!("../../../../docs/EngineConfigs.xsd");

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- Generated from the table of Sandboard's parser, host/packs/src/manifest/schema.rs; a test
     compares them. Lengths are given in bytes but checked here in characters; a text never has
     more characters than bytes. tests/fixtures/manifest/cases.json lists the rules that a schema
     cannot express. -->
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
"#;

/// The content of an element without child elements: white space only.
const EMPTY: &str = r#"
  <xs:simpleType name="empty">
    <xs:restriction base="xs:string"><xs:pattern value="\s*"/></xs:restriction>
  </xs:simpleType>
"#;

/// Generates the schema from the table.
pub fn xsd() -> String {
    let mut text = HEAD.to_owned();
    let root = &SCHEMA[0];
    let _ = writeln!(text, "  <xs:element name=\"{0}\" type=\"{0}\">", root.name);
    text += &uniques(root, "    ");
    text += "  </xs:element>\n";
    text.extend(SCHEMA.iter().map(complex_type));
    text.extend(NAMED.iter().map(|(name, value)| named_type(name, value)));
    text += EMPTY;
    text + "</xs:schema>\n"
}

/// The value types with a name of their own in the schema.
const NAMED: [(&str, ValueSpec); 9] = [
    ("id", ValueSpec::Id),
    ("word", ValueSpec::Word),
    ("words", ValueSpec::Words),
    ("version", ValueSpec::Version),
    ("label", ValueSpec::Label),
    ("path", ValueSpec::Path),
    ("absolutePath", ValueSpec::AbsolutePath),
    ("sha256", ValueSpec::Sha256),
    ("number", ValueSpec::Number),
];

fn complex_type(element: &ElementSpec) -> String {
    let mut text = format!("\n  <xs:complexType name=\"{}\">\n", element.name);
    let ElementSpec { min, max, about, .. } = element;
    let times = format!("<xs:appinfo><times min=\"{min}\" max=\"{max}\"/></xs:appinfo>");
    text += &annotation(about, &times, "    ");
    let children: Vec<&ElementSpec> = element.children().collect();
    match children[..] {
        [] => {}
        [child] => {
            text += "    <xs:sequence>\n";
            let often = format!(" minOccurs=\"{}\" maxOccurs=\"{}\"", child.min, child.max);
            text += &declared(child, &often, "      ");
            text += "    </xs:sequence>\n";
        }
        _ => {
            text += "    <xs:sequence>\n";
            text += &in_any_order(&children, &[], "      ");
            text += "    </xs:sequence>\n";
        }
    }
    // Allows white space and comments, which an empty content model does not.
    let leaf = children.is_empty();
    if leaf {
        text += "    <xs:simpleContent>\n    <xs:extension base=\"empty\">\n";
    }
    element.attributes.iter().for_each(|attribute| text += &self::attribute(attribute));
    if leaf {
        text += "    </xs:extension>\n    </xs:simpleContent>\n";
    }
    if element.parent.is_none() {
        text += "    <xs:anyAttribute namespace=\"##other\" processContents=\"skip\"/>\n";
    }
    text + "  </xs:complexType>\n"
}

/// A content model for children in any order, after those in `seen`. It enforces required children
/// and children that occur at most once; it cannot express larger counts.
fn in_any_order(children: &[&ElementSpec], seen: &[&str], indent: &str) -> String {
    let marked = |child: &&&ElementSpec| child.min > 0 || child.max == 1;
    let unseen = |child: &&&ElementSpec| !seen.contains(&child.name);
    let inner = format!("{indent}  ");
    let mut text = format!("{indent}<xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n");
    let free = children.iter().filter(|child| !marked(child) || (child.max > 1 && !unseen(child)));
    text.extend(free.map(|child| declared(child, "", &inner)));
    let _ = writeln!(text, "{indent}</xs:choice>");
    let next: Vec<_> = children.iter().filter(marked).filter(unseen).collect();
    if next.is_empty() {
        return text;
    }
    let needed = next.iter().any(|child| child.min > 0);
    let optional = if needed { "" } else { " minOccurs=\"0\"" };
    let _ = writeln!(text, "{indent}<xs:choice{optional}>");
    for child in next {
        let _ = writeln!(text, "{inner}<xs:sequence>");
        let deeper = format!("{inner}  ");
        text += &declared(child, "", &deeper);
        text += &in_any_order(children, &[seen, &[child.name]].concat(), &deeper);
        let _ = writeln!(text, "{inner}</xs:sequence>");
    }
    let _ = writeln!(text, "{indent}</xs:choice>");
    text
}

fn declared(element: &ElementSpec, often: &str, indent: &str) -> String {
    let start = format!("{indent}<xs:element name=\"{0}\" type=\"{0}\"{often}", element.name);
    match uniques(element, &format!("{indent}  ")) {
        none if none.is_empty() => format!("{start}/>\n"),
        some => format!("{start}>\n{some}{indent}</xs:element>\n"),
    }
}

/// The attributes that must be unique among the children of an element.
fn uniques(element: &ElementSpec, indent: &str) -> String {
    let mut text = String::new();
    for child in element.children() {
        for key in child.attributes.iter().filter(|attribute| attribute.unique) {
            let (name, key) = (child.name, key.name);
            let _ = writeln!(
                text,
                "{indent}<xs:unique name=\"{name}-{key}\">\n\
                 {indent}  <xs:selector xpath=\"{name}\"/>\n\
                 {indent}  <xs:field xpath=\"@{key}\"/>\n\
                 {indent}</xs:unique>"
            );
        }
    }
    text
}

fn attribute(attribute: &AttributeSpec) -> String {
    let mut text = format!("    <xs:attribute name=\"{}\"", attribute.name);
    let named = NAMED.iter().find(|(_, value)| *value == attribute.value);
    if let Some((name, _)) = named {
        let _ = write!(text, " type=\"{name}\"");
    }
    text += if attribute.required { " use=\"required\">\n" } else { ">\n" };
    let default = match attribute.default {
        "" => String::new(),
        default => {
            format!("<xs:appinfo><left-out>{}</left-out></xs:appinfo>", partial_escape(default))
        }
    };
    text += &annotation(attribute.about, &default, "      ");
    if named.is_none() {
        let _ = writeln!(
            text,
            "      <xs:simpleType>\n{}      </xs:simpleType>",
            restriction(&attribute.value, "        ")
        );
    }
    text + "    </xs:attribute>\n"
}

fn annotation(about: &str, more: &str, indent: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!("{indent}  {more}\n") };
    format!(
        "{indent}<xs:annotation>\n{indent}  <xs:documentation>{}</xs:documentation>\n{more}\
         {indent}</xs:annotation>\n",
        partial_escape(about)
    )
}

fn named_type(name: &str, value: &ValueSpec) -> String {
    let about = annotation(&value.to_string(), "", "    ");
    let restriction = restriction(value, "    ");
    format!("\n  <xs:simpleType name=\"{name}\">\n{about}{restriction}  </xs:simpleType>\n")
}

/// A value type as a base type with facets.
fn restriction(value: &ValueSpec, indent: &str) -> String {
    let hidden: String = HIDDEN
        .iter()
        .map(|(from, to)| match (u32::from(*from), u32::from(*to)) {
            (one, other) if one == other => format!("&#x{one:X};"),
            (from, to) => format!("&#x{from:X};-&#x{to:X};"),
        })
        .collect();
    let hidden = format!("\\p{{Cc}}{hidden}");
    let most = |length: usize| ("maxLength", length.to_string());
    let pattern = |text: &str| ("pattern", text.to_owned());
    let word = |first: &str| {
        pattern(&format!("[{first}][{first}._\\-]{{0,{}}}", limits::ID_BYTES.saturating_sub(1)))
    };
    let facets = match value {
        ValueSpec::Whole { min, max } => {
            let bounds = [("minInclusive", min.to_string()), ("maxInclusive", max.to_string())];
            let facets = [vec![pattern("[0-9]+")], bounds.to_vec()].concat();
            return restricted("xs:nonNegativeInteger", &facets, indent);
        }
        ValueSpec::Words => return words(&hidden, indent),
        ValueSpec::Number => {
            vec![pattern(r"[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?")]
        }
        ValueSpec::Id => vec![word("a-z0-9")],
        ValueSpec::Word => vec![word("A-Za-z0-9")],
        ValueSpec::Version => {
            vec![pattern(r"[0-9]([A-Za-z0-9._+]|-+[A-Za-z._+])*-*"), most(limits::LABEL_BYTES)]
        }
        ValueSpec::Label => vec![pattern(&format!("[^{hidden}]*")), most(limits::LABEL_BYTES)],
        ValueSpec::OneOf(words) => {
            words.iter().map(|word| ("enumeration", (*word).to_owned())).collect()
        }
        ValueSpec::Path => return path(&hidden, indent),
        ValueSpec::AbsolutePath => {
            vec![pattern(&format!("/[^{hidden}]*[^/{hidden}]")), most(PATH_BYTES_MAX)]
        }
        ValueSpec::Sha256 => vec![pattern("[0-9A-Fa-f]{64}")],
        ValueSpec::Text { max_bytes } => vec![most(*max_bytes)],
    };
    restricted("xs:string", &facets, indent)
}

fn restricted(base: &str, facets: &[(&str, String)], indent: &str) -> String {
    let mut text = format!("{indent}<xs:restriction base=\"{base}\">\n");
    for (facet, value) in facets {
        let _ = writeln!(text, "{indent}  <xs:{facet} value=\"{value}\"/>");
    }
    let _ = writeln!(text, "{indent}</xs:restriction>");
    text
}

/// A restriction of another restriction.
fn of_inner(inner: &str, facets: &[(&str, String)], indent: &str) -> String {
    let mut text = format!("{indent}<xs:restriction>\n{indent}  <xs:simpleType>\n{inner}");
    let _ = writeln!(text, "{indent}  </xs:simpleType>");
    for (facet, value) in facets {
        let _ = writeln!(text, "{indent}  <xs:{facet} value=\"{value}\"/>");
    }
    let _ = writeln!(text, "{indent}</xs:restriction>");
    text
}

fn words(hidden: &str, indent: &str) -> String {
    let word = [
        ("pattern", format!("[^{hidden}]+")),
        ("maxLength", limits::OPTION_VALUE_BYTES.to_string()),
    ];
    let list = format!(
        "{indent}    <xs:list>\n{indent}      <xs:simpleType>\n{}{indent}      </xs:simpleType>\n\
         {indent}    </xs:list>\n",
        restricted("xs:string", &word, &format!("{indent}        "))
    );
    let most = limits::OPTIONS.to_string();
    of_inner(&list, &[("minLength", "1".into()), ("maxLength", most)], indent)
}

/// Three nested restrictions: no hidden characters and no `\`; names between `/`, none of them
/// `.` or `..`; no drive letter.
fn path(hidden: &str, indent: &str) -> String {
    const NAME: &str = r"([^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+)";
    let letters =
        [("pattern", format!("[^\\\\{hidden}]+")), ("maxLength", PATH_BYTES_MAX.to_string())];
    let letters = restricted("xs:string", &letters, &format!("{indent}        "));
    let names = ("pattern", format!("{NAME}(/{NAME})*"));
    let names = of_inner(&letters, &[names], &format!("{indent}    "));
    of_inner(&names, &[("pattern", "[^ -~].*|[ -~]([^:].*)?".into())], indent)
}
