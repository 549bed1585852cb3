//! WebAssembly as a row of sections, to be mixed up: what is wrong then is more than a
//! byte, and lies deeper. Knows no section's inside but a component's modules.

/// A section: its id, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is of.
    pub id: u8,
    /// All but id and length.
    pub body: Vec<u8>,
}

/// Magic and version.
const HEADER_BYTES: usize = 8;
/// In a component, the section that is a module.
const MODULE: u8 = 1;

/// Header and sections of a module or component. None: it is not made of such.
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

/// The bytes again.
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

/// One change, in words of numbers: of any size, each is taken modulo what there is.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// What is done.
    pub kind: u8,
    /// To which section.
    pub section: usize,
    /// At which place of it, or with which other.
    pub at: usize,
    /// The new byte.
    pub byte: u8,
}

/// The component with one change to a section of it, or of a module of it where the
/// change says so. What is no component comes back as it is.
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
