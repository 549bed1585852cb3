//! Splits WebAssembly into sections and edits them, so that errors are larger and deeper than a
//! changed byte. Only the modules inside components are parsed further.

/// A section of a module or component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The section's id.
    pub id: u8,
    /// The contents without id and length.
    pub body: Vec<u8>,
}

/// Magic and version.
const HEADER_BYTES: usize = 8;
/// Id of a core module section in a component.
const MODULE: u8 = 1;

/// Header and sections of a module or component; `None` if the bytes are not sections.
pub fn split(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Section>)> {
    let (header, mut rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let mut sections = Vec::new();
    while let Some((id, after)) = rest.split_first() {
        let (length, after) = number(after)?;
        let (body, after) = after.split_at_checked(length)?;
        sections.push(Section { id: *id, body: body.to_owned() });
        rest = after;
    }
    Some((header.to_owned(), sections))
}

/// Joins header and sections; the inverse of [`split`].
pub fn join(header: &[u8], sections: &[Section]) -> Vec<u8> {
    let mut bytes = header.to_owned();
    for section in sections {
        bytes.push(section.id);
        write_number(section.body.len(), &mut bytes);
        bytes.extend(&section.body);
    }
    bytes
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

fn write_number(mut value: usize, bytes: &mut Vec<u8>) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// An edit in numbers, each taken modulo the number of choices.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The kind of edit; bit 7 selects a section of a module.
    pub kind: u8,
    /// Index of the section.
    pub section: usize,
    /// Offset in the section, or index of a second section.
    pub at: usize,
    /// The new byte.
    pub byte: u8,
}

/// Applies a change to a section of the component or of one of its modules. Other bytes are
/// returned unchanged.
pub fn changed(component: &[u8], change: Change) -> Vec<u8> {
    let Some((header, mut sections)) = split(component) else { return component.to_owned() };
    let modules = sections.iter_mut().filter(|section| section.id == MODULE);
    let mut modules: Vec<&mut Section> = modules.collect();
    if change.kind & 0x80 != 0 && !modules.is_empty() {
        let which = change.section % modules.len();
        let module = &mut modules[which].body;
        let inner = Change { kind: change.kind & 0x7f, section: change.at, ..change };
        if let Some((header, mut sections)) = split(module) {
            apply(&mut sections, inner);
            *module = join(&header, &sections);
        }
    } else {
        apply(&mut sections, change);
    }
    join(&header, &sections)
}

fn apply(sections: &mut Vec<Section>, change: Change) {
    if sections.is_empty() {
        return;
    }
    let which = change.section % sections.len();
    let other = change.at % sections.len();
    let length = sections[which].body.len();
    match change.kind % 8 {
        0 => drop(sections.remove(which)),
        1 => sections.insert(other, sections[which].clone()),
        2 => sections.swap(which, other),
        3 => sections[which].id = change.byte,
        4 => sections[which].body.truncate(change.at % (length + 1)),
        5 if length > 0 => sections[which].body[change.at % length] = change.byte,
        6 => sections[which].body.insert(change.at % (length + 1), change.byte),
        _ if length > 0 => drop(sections[which].body.remove(change.at % length)),
        _ => (),
    }
}
