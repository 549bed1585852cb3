//! Reads and validates the parts of a component's file.

use std::collections::HashMap;
use std::ops::Range;

use wasmparser::types::Types;
use wasmparser::{Chunk, Encoding, Parser, Payload, ValidPayload, Validator};

use super::{ComponentError, FEATURES};

/// Validates a component except for the bodies of functions. Returns the types of each component in
/// it, by the offset at which it begins.
pub(super) fn validate(bytes: &[u8]) -> Result<HashMap<usize, Types>, ComponentError> {
    let mut validator = Validator::new_with_features(FEATURES);
    let mut types = HashMap::new();
    // The offsets of the enclosing modules and components.
    let mut starts = Vec::new();
    for payload in parser(0).parse_all(bytes) {
        let payload = payload?;
        if let Payload::ModuleSection { unchecked_range: range, .. }
        | Payload::ComponentSection { unchecked_range: range, .. } = &payload
            && range.end > bytes.len()
        {
            let reason = "it is longer than the file".into();
            return Err(ComponentError::Invalid { offset: range.start, reason });
        }
        if let Payload::Version { range, encoding, .. } = &payload {
            if starts.is_empty() && *encoding == Encoding::Module {
                let reason = "it is a core module".into();
                return Err(ComponentError::Invalid { offset: range.start, reason });
            }
            starts.push(range.start);
        }
        if let ValidPayload::End(of) = validator.payload(&payload)?
            && let Some(start) = starts.pop()
        {
            types.insert(start, of);
        }
    }
    Ok(types)
}

fn parser(offset: usize) -> Parser {
    let mut parser = Parser::new(offset as u64);
    parser.set_features(FEATURES);
    parser
}

/// The sections of a module or component, without those of the modules and components in it. The
/// file was [validated](validate).
pub(super) fn sections(
    bytes: &[u8],
    range: Range<usize>,
) -> impl Iterator<Item = wasmparser::Result<Payload<'_>>> {
    let mut parser = parser(range.start);
    let mut rest = bytes.get(range);
    std::iter::from_fn(move || {
        let (consumed, payload) = match parser.parse(rest?, true) {
            Ok(Chunk::Parsed { consumed, payload }) => (consumed, payload),
            // The parser has all bytes.
            Ok(Chunk::NeedMoreData(_)) => return None,
            Err(error) => {
                rest = None;
                return Some(Err(error));
            }
        };
        let skipped = match &payload {
            Payload::ModuleSection { unchecked_range, .. }
            | Payload::ComponentSection { unchecked_range, .. } => unchecked_range.len(),
            _ => 0,
        };
        let is_end = matches!(payload, Payload::End(_));
        rest = rest.and_then(|rest| rest.get(consumed + skipped..)).filter(|_| !is_end);
        Some(Ok(payload))
    })
}
