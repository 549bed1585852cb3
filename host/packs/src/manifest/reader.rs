//! Reads the XML of a manifest in one pass: checks well-formedness, nesting and counts, and tracks
//! lines. Does not interpret elements, reads no DTD and resolves no entity.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesDecl, BytesStart, Event};

use super::attributes::{Element, LineIndex, entity_fault, is_invalid_char};
use super::build::Builder;
use super::fault::PackFault;
use super::schema::{ElementSpec, SCHEMA, element};
use super::{FAULTS_MAX, Manifest};
use sandboard_common::suggestions::suggestion;
use sandboard_common::text::quoted;
use sandboard_games::Games;

/// The deepest nesting of elements, including unknown ones.
const DEPTH_MAX: usize = 16;

/// An element that is open at the current place.
struct OpenElement {
    /// None: the element is unknown or exceeds its count, and its content is ignored.
    spec: Option<&'static ElementSpec>,
    name: String,
    line: u64,
    /// The number of children of each name, in the order of `spec.children()`.
    counts: Vec<usize>,
}

struct ManifestReader<'a> {
    file: &'a Path,
    lines: LineIndex,
    open: Vec<OpenElement>,
    roots: usize,
    builder: Builder<'a>,
}

/// The reader cannot continue.
struct Aborted;

/// Reads a manifest's bytes; see [`super::parse`].
pub(super) fn read(file: &Path, bytes: &[u8], games: &Games) -> Manifest {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // The text before the first byte that is not UTF-8 is read.
    let (text, is_truncated) = match std::str::from_utf8(text) {
        Ok(text) => (text, false),
        Err(error) => (std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or(""), true),
    };
    let (lines, builder) = (LineIndex::new(text), Builder::new(file, games));
    let mut manifest = ManifestReader { file, lines, open: Vec::new(), roots: 0, builder };
    manifest.check_characters(text);
    let ended = manifest.run(text, is_truncated);
    if is_truncated {
        let reason = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "is UTF-16; save it as UTF-8",
            _ => "is not UTF-8 from here on; nothing after this was read",
        };
        manifest.document_fault(manifest.lines.at(text.len()), reason);
    }
    manifest.builder.finish(ended.is_ok() && !is_truncated)
}

impl ManifestReader<'_> {
    fn run(&mut self, text: &str, is_truncated: bool) -> Result<(), Aborted> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        loop {
            let start = reader.buffer_position() as usize;
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(_) if is_truncated => return Err(Aborted),
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
                Event::CData(_) => self.fault(line, "text is not allowed here"),
                Event::GeneralRef(name) => match &*name {
                    "lt" | "gt" | "amp" | "quot" | "apos" => {
                        self.fault(line, "text is not allowed here");
                    }
                    name if name.starts_with('#') => self.fault(line, "text is not allowed here"),
                    name => self.document_fault(line, &entity_fault(name)),
                },
                Event::DocType(_) => {
                    self.document_fault(line, "a DOCTYPE is not allowed");
                }
                Event::Decl(decl) => self.declaration(&decl, start),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return self.eof(text, is_truncated),
            }
            if self.builder.faults() >= FAULTS_MAX {
                let reason = format!("more than {FAULTS_MAX} faults; the rest was not read");
                self.document_fault(line, &reason);
                return Err(Aborted);
            }
        }
    }

    fn start(&mut self, tag: &BytesStart, offset: usize) -> Result<(), Aborted> {
        let line = self.lines.at(offset);
        let name = tag.name().0.to_owned();
        if self.open.len() >= DEPTH_MAX {
            let reason = format!("elements are nested more than {DEPTH_MAX} deep");
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
        self.open.push(OpenElement { spec, name, line, counts });
        Ok(())
    }

    /// The schema of an element that is allowed here; otherwise adds a fault, once.
    fn admit(&mut self, name: &str, line: u64) -> Option<&'static ElementSpec> {
        let (children, parent): (Vec<_>, _) = match self.open.last_mut() {
            None => (vec![&SCHEMA[0]], None),
            Some(OpenElement { spec: None, .. }) => return None,
            Some(OpenElement { spec: Some(spec), counts, .. }) => {
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
                    _ => format!("more than {} of these in `{}`", child.max, parent.name),
                }
            }
            (None, None) => "a manifest begins with `<EngineConfigs abi=\"…\">`".to_owned(),
            (None, Some((parent, _))) => match element(name).and_then(|known| known.parent) {
                Some(home) => format!("belongs in `{home}`, not in `{}`", parent.name),
                None if children.is_empty() => {
                    format!("unknown element; `{}` has no child elements", parent.name)
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
            let reason = format!("text {} is not allowed here", quoted(text.trim_ascii()));
            self.fault(self.lines.at(start + at), &reason);
        }
    }

    fn declaration(&mut self, decl: &BytesDecl, start: usize) {
        let line = self.lines.at(start);
        if start != 0 {
            self.document_fault(line, "`<?xml …?>` is allowed only at the very beginning");
        }
        if !decl.version().is_ok_and(|version| version == "1.0") {
            self.document_fault(line, "`<?xml …?>` must have version=\"1.0\"");
        }
        let utf8 = match decl.encoding() {
            None => true,
            Some(encoding) => encoding.is_ok_and(|name| name.eq_ignore_ascii_case("utf-8")),
        };
        if !utf8 {
            self.document_fault(line, "`<?xml …?>` names an encoding other than UTF-8");
        }
    }

    fn eof(&mut self, text: &str, is_truncated: bool) -> Result<(), Aborted> {
        match self.open.last() {
            _ if is_truncated => Err(Aborted),
            Some(open) => {
                let reason = format!("{} is never closed", quoted(&format!("<{}>", open.name)));
                self.malformed(open.line, &reason)
            }
            None if self.roots == 0 => {
                self.document_fault(self.lines.at(text.len()), "has no `EngineConfigs` element");
                Err(Aborted)
            }
            None => Ok(()),
        }
    }

    /// Reports the first character that XML 1.0 does not allow.
    fn check_characters(&mut self, text: &str) {
        if let Some((at, letter)) = text.char_indices().find(|(_, letter)| is_invalid_char(*letter))
        {
            let reason = format!("character U+{:04X} is not allowed in XML", u32::from(letter));
            self.document_fault(self.lines.at(at), &reason);
        }
    }

    /// Adds a fault at the current place: of the open engine, or else of the document.
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

    fn malformed(&mut self, line: u64, reason: &str) -> Result<(), Aborted> {
        let reason = format!("malformed XML: {reason}; nothing after this was read");
        self.document_fault(line, &reason);
        Err(Aborted)
    }
}

/// The sentence of an error of the XML reader, with names shown safely.
fn cause(error: &Error) -> String {
    let tag = |name: &str| quoted(&format!("</{name}>"));
    match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("{} instead of {}", tag(found), tag(expected))
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(name)) => {
            format!("{} has no start tag", tag(name))
        }
        Error::IllFormed(IllFormedError::UnclosedReference) => {
            "`&` without a `;`; write `&amp;`".into()
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => "a comment contains `--`".into(),
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
