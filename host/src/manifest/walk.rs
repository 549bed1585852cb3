//! Walks through the XML once, from start tag to start tag: well-formedness,
//! nesting, counts, and the line of everything. What elements mean is not
//! known here. No DTD is read and no entity resolved; nothing is read twice.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesDecl, BytesStart, Event};

use super::attributes::{Element, Lines, is_strange, refused_entity};
use super::build::Builder;
use super::fault::{PackFault, quoted};
use super::nearest::suggestion;
use super::schema::{ElementSpec, SCHEMA, element};
use super::{FAULTS, Manifest};

/// Elements that may stand inside each other, unknown ones included.
const DEPTH: usize = 16;

/// An element that is open where the walk stands.
struct Open {
    /// None: unknown or one too many; what stands in it is not looked at.
    spec: Option<&'static ElementSpec>,
    name: String,
    line: u64,
    /// How many children of each name, in the order of `spec.children()`.
    counts: Vec<usize>,
}

struct Walk<'a> {
    file: &'a Path,
    lines: Lines,
    open: Vec<Open>,
    roots: usize,
    builder: Builder<'a>,
}

/// The walk cannot go on.
struct Stop;

/// Reads a manifest's bytes; see [`super::parse`].
pub(super) fn walk(file: &Path, bytes: &[u8]) -> Manifest {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // What stands before a byte that is no UTF-8 is read all the same.
    let (text, foreign) = match std::str::from_utf8(text) {
        Ok(text) => (text, false),
        Err(error) => (std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or(""), true),
    };
    let (lines, builder) = (Lines::of(text), Builder::new(file));
    let mut walk = Walk { file, lines, open: Vec::new(), roots: 0, builder };
    walk.check_characters(text);
    let ended = walk.run(text, foreign);
    if foreign {
        let reason = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "is UTF-16; save it as UTF-8",
            _ => "is not UTF-8 from here on; nothing after this was read",
        };
        walk.document_fault(walk.lines.at(text.len()), reason);
    }
    walk.builder.finish(ended.is_ok() && !foreign)
}

impl Walk<'_> {
    fn run(&mut self, text: &str, foreign: bool) -> Result<(), Stop> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        loop {
            let start = reader.buffer_position() as usize;
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(_) if foreign => return Err(Stop),
                Err(error) => {
                    let at = self.lines.at(reader.error_position() as usize);
                    return self.malformed(at, &cause(&error));
                }
            };
            let line = self.lines.at(start);
            match event {
                // `<` name … `>`: the content begins one byte behind the start.
                Event::Start(tag) => self.start(&tag, start + 1)?,
                Event::Empty(tag) => {
                    self.start(&tag, start + 1)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(text) => self.text(&text, start),
                Event::CData(_) => self.fault(line, "text is not used here"),
                Event::GeneralRef(name) => match &*name {
                    "lt" | "gt" | "amp" | "quot" | "apos" => {
                        self.fault(line, "text is not used here");
                    }
                    name if name.starts_with('#') => self.fault(line, "text is not used here"),
                    name => self.document_fault(line, &refused_entity(name)),
                },
                Event::DocType(_) => {
                    self.document_fault(line, "a DOCTYPE is refused; a manifest needs none");
                }
                Event::Decl(decl) => self.declaration(&decl, start),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return self.eof(text, foreign),
            }
            if self.builder.faults() >= FAULTS {
                let reason = format!("more than {FAULTS} faults; the rest was not read");
                self.document_fault(line, &reason);
                return Err(Stop);
            }
        }
    }

    fn start(&mut self, tag: &BytesStart, offset: usize) -> Result<(), Stop> {
        let line = self.lines.at(offset);
        let name = tag.name().0.to_owned();
        if self.open.len() >= DEPTH {
            let reason = format!("elements stand more than {DEPTH} deep inside each other");
            return self.malformed(line, &reason);
        }
        if self.open.is_empty() {
            self.roots += 1;
            if self.roots > 1 {
                return self.malformed(line, "a second root element begins here");
            }
        }
        let spec = self.admit(&name, line);
        let counts = spec.map_or(Vec::new(), |spec| vec![0; spec.children().count()]);
        if let Some(spec) = spec {
            let element = Element::read(self.file, spec, tag, offset, &self.lines);
            self.builder.open(element);
        }
        self.open.push(Open { spec, name, line, counts });
        Ok(())
    }

    /// The schema's row of an element that may begin here; else a fault, once.
    fn admit(&mut self, name: &str, line: u64) -> Option<&'static ElementSpec> {
        let (children, parent): (Vec<_>, _) = match self.open.last_mut() {
            None => (vec![&SCHEMA[0]], None),
            Some(Open { spec: None, .. }) => return None,
            Some(Open { spec: Some(spec), counts, .. }) => {
                (spec.children().collect(), Some((spec, counts)))
            }
        };
        let found = children.iter().position(|child| child.name == name);
        let reason = match (found, parent) {
            (Some(index), None) => return Some(children[index]),
            (Some(index), Some((parent, counts))) => {
                let child = children[index];
                counts[index] += 1;
                match counts[index] {
                    count if count <= child.max => return Some(child),
                    count if count > child.max + 1 => return None,
                    _ => format!("{} has more than {} of these", parent.name, child.max),
                }
            }
            (None, None) => "a manifest begins with `<EngineConfigs abi=\"…\">`".to_owned(),
            (None, Some((parent, _))) => match element(name).and_then(|known| known.parent) {
                Some(home) => format!("does not belong in `{}`, but in `{home}`", parent.name),
                None if children.is_empty() => {
                    format!("unknown element; `{}` holds none", parent.name)
                }
                None => {
                    let names: Vec<&str> = children.iter().map(|child| child.name).collect();
                    format!("unknown element{}", suggestion(name, &names))
                }
            },
        };
        self.builder.fault(PackFault::in_line(self.file, line, reason).of_element(name));
        None
    }

    fn end(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        let Some(spec) = closed.spec else { return };
        for (child, count) in spec.children().zip(&closed.counts) {
            if *count < child.min {
                let reason = format!("needs at least {} `{}`", child.min, child.name);
                let fault = PackFault::in_line(self.file, closed.line, reason);
                self.builder.fault(fault.of_element(spec.name));
            }
        }
        self.builder.close(spec);
    }

    fn text(&mut self, text: &str, start: usize) {
        let inside_unknown = self.open.last().is_some_and(|open| open.spec.is_none());
        if let Some(at) = text.find(|letter: char| !letter.is_ascii_whitespace())
            && !inside_unknown
        {
            let reason = format!("{} is not used here", quoted(text.trim_ascii()));
            self.fault(self.lines.at(start + at), &reason);
        }
    }

    fn declaration(&mut self, decl: &BytesDecl, start: usize) {
        let line = self.lines.at(start);
        if start != 0 {
            self.document_fault(line, "`<?xml …?>` may only stand at the very beginning");
        }
        if !decl.version().is_ok_and(|version| version == "1.0") {
            self.document_fault(line, "`<?xml …?>` must say version=\"1.0\"");
        }
        let utf8 = match decl.encoding() {
            None => true,
            Some(encoding) => encoding.is_ok_and(|name| name.eq_ignore_ascii_case("utf-8")),
        };
        if !utf8 {
            self.document_fault(line, "`<?xml …?>` names another encoding than UTF-8");
        }
    }

    fn eof(&mut self, text: &str, foreign: bool) -> Result<(), Stop> {
        match self.open.last() {
            _ if foreign => Err(Stop),
            Some(open) => {
                let reason = format!("{} is never closed", quoted(&format!("<{}>", open.name)));
                self.malformed(open.line, &reason)
            }
            None if self.roots == 0 => {
                self.document_fault(self.lines.at(text.len()), "holds no `EngineConfigs` element");
                Err(Stop)
            }
            None => Ok(()),
        }
    }

    /// Characters that XML 1.0 does not know.
    fn check_characters(&mut self, text: &str) {
        if let Some((at, letter)) = text.char_indices().find(|(_, letter)| is_strange(*letter)) {
            let reason = format!("character U+{:04X} is not allowed in XML", u32::from(letter));
            self.document_fault(self.lines.at(at), &reason);
        }
    }

    /// A fault where the walk stands: of the engine it is in, else of the document.
    fn fault(&mut self, line: u64, reason: &str) {
        let fault = PackFault::in_line(self.file, line, reason);
        self.builder.fault(match self.open.last() {
            Some(open) => fault.of_element(&open.name),
            None => fault,
        });
    }

    fn document_fault(&mut self, line: u64, reason: &str) {
        self.builder.document_fault(PackFault::in_line(self.file, line, reason));
    }

    fn malformed(&mut self, line: u64, reason: &str) -> Result<(), Stop> {
        let reason = format!("malformed XML: {reason}; nothing after this was read");
        self.document_fault(line, &reason);
        Err(Stop)
    }
}

/// The sentence of an error of the XML reader, foreign names shown safely.
fn cause(error: &Error) -> String {
    let tag = |name: &str| quoted(&format!("</{name}>"));
    match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("{} stands where {} must", tag(found), tag(expected))
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(name)) => {
            format!("{} closes nothing", tag(name))
        }
        Error::IllFormed(IllFormedError::UnclosedReference) => {
            "`&` without a `;`; write `&amp;`".into()
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => "a comment holds `--`".into(),
        Error::Syntax(SyntaxError::UnclosedDoubleQuotedAttributeValue) => {
            "a value lacks its closing `\"`".into()
        }
        Error::Syntax(SyntaxError::UnclosedSingleQuotedAttributeValue) => {
            "a value lacks its closing `'`".into()
        }
        Error::Syntax(error) => error.to_string(),
        other => quoted(&other.to_string()),
    }
}
