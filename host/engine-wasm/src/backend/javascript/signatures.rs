//! The exports of a core module with their signatures, because JavaScript does not tell them.

use wasmparser::{ExternalKind, Imports, Parser, Payload, TypeRef, ValType};

/// An export of a module.
pub(crate) struct Export {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Function(Signature),
    Memory,
    /// A table or a global, or a function that the host does not call.
    Other,
}

/// The core signature of a function whose values are integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// For each parameter, from the lowest bit on: whether it has 64 bits.
    pub(super) wide: u32,
    pub(super) has_result: bool,
}

/// The exports of a valid module, in their order.
pub(super) fn exports(module: &[u8]) -> wasmparser::Result<Vec<Export>> {
    let (mut types, mut functions, mut exports) = (Vec::new(), Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group?.into_types() {
                        let ty = ty.unwrap_func();
                        types.push(signature(ty.params(), ty.results()));
                    }
                }
            }
            Payload::ImportSection(section) => {
                for group in section {
                    let Imports::Single(_, import) = group? else { continue };
                    if let TypeRef::Func(ty) = import.ty {
                        functions.push(ty);
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    functions.push(ty?);
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    let kind = match export.kind {
                        ExternalKind::Func => functions
                            .get(export.index as usize)
                            .and_then(|ty| types.get(*ty as usize).copied().flatten())
                            .map_or(Kind::Other, Kind::Function),
                        ExternalKind::Memory => Kind::Memory,
                        _ => Kind::Other,
                    };
                    exports.push(Export { name: export.name.to_owned(), kind });
                }
            }
            _ => {}
        }
    }
    Ok(exports)
}

/// None: it has other values than integers, or more than a call can pass.
fn signature(params: &[ValType], results: &[ValType]) -> Option<Signature> {
    let has_result = match results {
        [] => false,
        [ValType::I32] => true,
        _ => return None,
    };
    if params.len() > 16 {
        return None;
    }
    let mut wide = 0;
    for (index, param) in params.iter().enumerate() {
        match param {
            ValType::I32 => (),
            ValType::I64 => wide |= 1 << index,
            _ => return None,
        }
    }
    Some(Signature { wide, has_result })
}
