//! The price of what instantiating a module does before its start function.

use wasmparser::{DataKind, ElementItems, ElementKind, Parser, Payload};

use crate::error::InstrumentError;
use crate::prices::SIZE_PRICES;

/// The price of initialising memory and tables, in parts of a unit: of each byte of an active data
/// segment as in `memory.init`, and of each element of an active element segment as in
/// `table.init`. The host charges it before it instantiates the module. It is the same for the
/// original and the instrumented module.
///
/// # Errors
///
/// The module is malformed.
pub fn initialization_parts(module: &[u8]) -> Result<u64, InstrumentError> {
    let mut bytes = 0_u64;
    let mut elements = 0_u64;
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::DataSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if let DataKind::Active { .. } = segment.kind {
                        bytes += segment.data.len() as u64;
                    }
                }
            }
            Payload::ElementSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if let ElementKind::Active { .. } = segment.kind {
                        elements += u64::from(match segment.items {
                            ElementItems::Functions(items) => items.count(),
                            ElementItems::Expressions(_, items) => items.count(),
                        });
                    }
                }
            }
            _ => {}
        }
    }
    let bytes = bytes * u64::from(SIZE_PRICES.memory_init_per_byte);
    Ok(bytes + elements * u64::from(SIZE_PRICES.table_init_per_element))
}
