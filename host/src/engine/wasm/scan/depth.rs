//! Types of components and instances may hold types of components and
//! instances. `wasmparser` reads those by calling itself, as deep as a file
//! likes, until the stack of the host is used up: so they are read here first,
//! with a list in the place of that stack.

use std::ops::Range;

use wasmparser::{
    BinaryReader, ComponentImport, ComponentType, FromReader, InstanceTypeDeclaration,
};

use super::tally::Tally;
use super::{FEATURES, Refusal, Thing};

/// What types and declarations begin with in the binary format.
const COMPONENT: u8 = 0x41;
const INSTANCE: u8 = 0x42;
const TYPE: u8 = 0x01;
const IMPORT: u8 = 0x03;

/// A type whose declarations are being read.
struct Open {
    /// Declarations still to come.
    left: u32,
    is_component: bool,
}

/// Counts the types and declarations of a section of types.
pub fn walk(file: &[u8], section: Range<usize>, tally: &mut Tally<'_>) -> Result<(), Refusal> {
    let at = section.start;
    let bytes = file.get(section).unwrap_or_default();
    let mut reader = BinaryReader::new_features(bytes, at, FEATURES);
    let mut open: Vec<Open> = Vec::new();
    let mut left = reader.read_var_u32()?;
    loop {
        let at = reader.original_position();
        let Some(around) = open.last_mut() else {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            open.extend(begin(&mut reader, tally)?);
            continue;
        };
        if around.left == 0 {
            open.pop();
            continue;
        }
        around.left -= 1;
        tally.add(Thing::Items, 1, at)?;
        match peek(&reader)? {
            TYPE => {
                reader.read_u8()?;
                open.extend(begin(&mut reader, tally)?);
                tally.check(Thing::TypeDepth, open.len() as u64, at)?;
            }
            IMPORT if around.is_component => {
                reader.read_u8()?;
                reader.read::<ComponentImport<'_>>()?;
            }
            // No type, so nothing in it is nested.
            _ => {
                if let InstanceTypeDeclaration::CoreType(core) = reader.read()? {
                    tally.core_type(&core, at)?;
                }
            }
        }
    }
}

/// Reads a type, or only the head of one that may hold others.
fn begin(reader: &mut BinaryReader<'_>, tally: &mut Tally<'_>) -> Result<Option<Open>, Refusal> {
    tally.add(Thing::Types, 1, reader.original_position())?;
    let head = peek(reader)?;
    if head != COMPONENT && head != INSTANCE {
        ComponentType::from_reader(reader)?;
        return Ok(None);
    }
    reader.read_u8()?;
    Ok(Some(Open { left: reader.read_var_u32()?, is_component: head == COMPONENT }))
}

fn peek(reader: &BinaryReader<'_>) -> Result<u8, Refusal> {
    Ok(reader.clone().read_u8()?)
}
