//! Counts the nested types of a section without recursion. Types of components and instances may
//! contain each other, and `wasmparser` reads them recursively, to any depth, until the host's
//! stack overflows. So they are read here first, with an explicit stack.

use std::ops::Range;

use wasmparser::{
    BinaryReader, ComponentImport, ComponentType, FromReader, InstanceTypeDeclaration,
};

use super::counter::CapCounter;
use super::{CapKind, FEATURES, ScanError};

/// First bytes of types and declarations in the binary format.
const COMPONENT: u8 = 0x41;
const INSTANCE: u8 = 0x42;
const TYPE: u8 = 0x01;
const IMPORT: u8 = 0x03;

/// A type whose declarations are being read.
struct OpenType {
    /// Number of declarations that are left.
    left: u32,
    is_component: bool,
}

/// Counts the types and declarations of a type section.
pub(super) fn count(
    file: &[u8],
    section: Range<usize>,
    counter: &mut CapCounter<'_>,
) -> Result<(), ScanError> {
    let offset = section.start;
    let bytes = file.get(section).unwrap_or_default();
    let mut reader = BinaryReader::new_features(bytes, offset, FEATURES);
    let mut open: Vec<OpenType> = Vec::new();
    let mut left = reader.read_var_u32()?;
    loop {
        let offset = reader.original_position();
        let Some(parent) = open.last_mut() else {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            open.extend(read_type(&mut reader, counter)?);
            continue;
        };
        if parent.left == 0 {
            open.pop();
            continue;
        }
        parent.left -= 1;
        counter.add(CapKind::Items, 1, offset)?;
        match peek(&reader)? {
            TYPE => {
                reader.read_u8()?;
                open.extend(read_type(&mut reader, counter)?);
                counter.check(CapKind::TypeDepth, open.len() as u64, offset)?;
            }
            IMPORT if parent.is_component => {
                reader.read_u8()?;
                reader.read::<ComponentImport<'_>>()?;
            }
            // Not a component type, so nothing is nested in it.
            _ => {
                if let InstanceTypeDeclaration::CoreType(core) = reader.read()? {
                    counter.core_type(&core, offset)?;
                }
            }
        }
    }
}

/// Reads a type; of a component or instance type only the beginning.
fn read_type(
    reader: &mut BinaryReader<'_>,
    counter: &mut CapCounter<'_>,
) -> Result<Option<OpenType>, ScanError> {
    counter.add(CapKind::Types, 1, reader.original_position())?;
    let first = peek(reader)?;
    if first != COMPONENT && first != INSTANCE {
        ComponentType::from_reader(reader)?;
        return Ok(None);
    }
    reader.read_u8()?;
    Ok(Some(OpenType { left: reader.read_var_u32()?, is_component: first == COMPONENT }))
}

fn peek(reader: &BinaryReader<'_>) -> Result<u8, ScanError> {
    Ok(reader.clone().read_u8()?)
}
