//! Reads the imports and exports of a component: what it is built for, and
//! whether it wants what no engine gets. Whether the rest of it is sound and of
//! bearable size, the runtime's own scan says.

use sandboard_abi::WIT_PACKAGE;
use wasmparser::{ComponentExternalKind, Parser, Payload};

use super::nature;
use crate::engine::wasm::scan::{Refusal, Thing, scan};
use crate::manifest::quoted;

/// The interfaces of the border that an engine may import.
const IMPORTS: [&str; 2] = ["host", "types"];

/// Strange imports that are named; the others are counted.
const NAMED: usize = 5;

/// The ABI numbers of a component, one at least. Err: why it is none of ours.
/// What else is wrong with it is added to `wrongs`.
pub(super) fn look(bytes: &[u8], wrongs: &mut Vec<String>) -> Result<Vec<u32>, String> {
    if Parser::is_core_wasm(bytes) {
        return Err("is a core WebAssembly module, not a component; wrap it with wit-component \
                    (`cargo xtask engines` does)"
            .into());
    }
    if !Parser::is_component(bytes) {
        return Err(format!("is not a WebAssembly component, but {}", nature(bytes)));
    }
    let scanned = scan(bytes);
    if let Err(long @ Refusal::Bytes(_)) = scanned {
        return Err(long.to_string());
    }
    let mut border = Border::default();
    border.read(bytes).map_err(|error| {
        let message = quoted(error.message());
        format!("is not a whole WebAssembly component: at byte {}: {message}", error.offset())
    })?;
    wrongs.extend(border.strange_imports());
    wrongs.extend(scanned.err().map(|refusal| refusal.to_string()));
    if border.exports.is_empty() {
        return Err(border.no_export());
    }
    Ok(border.exports)
}

/// What a component takes and gives, outermost level only.
#[derive(Default)]
struct Border {
    imports: Vec<String>,
    /// The ABI numbers of its `engine` exports.
    exports: Vec<u32>,
    other_exports: Vec<String>,
}

impl Border {
    fn read(&mut self, bytes: &[u8]) -> Result<(), wasmparser::Error> {
        // How deep inside nested modules and components the parser is.
        let mut depth = 0usize;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    // Of more than that, the scan refuses the whole.
                    let most = Thing::Imports.most() as usize;
                    for import in section.into_iter().take(most) {
                        self.imports.push(import?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section.into_iter().take(Thing::Exports.most() as usize) {
                        let export = export?;
                        match engine_abi(export.name.name) {
                            Some(abi) if export.kind == ComponentExternalKind::Instance => {
                                self.exports.push(abi);
                            }
                            _ => self.other_exports.push(export.name.name.to_owned()),
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A sentence on the imports that are not of the border, if there are any.
    fn strange_imports(&self) -> Option<String> {
        let ours = |name: &&String| {
            interface(name).is_some_and(|(interface, abi)| {
                // Of another number than the export's: the linker could not match it.
                let fits = self.exports.is_empty() || self.exports.contains(&abi);
                IMPORTS.contains(&interface) && fits
            })
        };
        let strange: Vec<&String> = self.imports.iter().filter(|name| !ours(name)).collect();
        if strange.is_empty() {
            return None;
        }
        let named: Vec<String> = strange.iter().take(NAMED).map(|name| quoted(name)).collect();
        let more = match strange.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!(
            "imports {}{more}; an engine gets nothing but `{WIT_PACKAGE}/host` and \
             `{WIT_PACKAGE}/types`, no WASI either",
            named.join(", ")
        ))
    }

    fn no_export(&self) -> String {
        let wanted = format!("exports no `{WIT_PACKAGE}/engine@N.x.y`");
        match self.other_exports.first() {
            Some(other) => format!("{wanted}, but {}", quoted(other)),
            None => wanted,
        }
    }
}

/// The ABI number of an export that is an engine of some border.
fn engine_abi(export: &str) -> Option<u32> {
    interface(export).filter(|(name, _)| *name == "engine").map(|(_, abi)| abi)
}

/// `sandboard:engine/host@1.0.0` → `host`, 1.
fn interface(name: &str) -> Option<(&str, u32)> {
    let rest = name.strip_prefix(WIT_PACKAGE)?.strip_prefix('/')?;
    let (name, version) = rest.split_once('@')?;
    Some((name, version.split('.').next()?.parse().ok()?))
}
