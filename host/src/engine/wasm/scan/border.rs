//! What a component takes and gives at its outermost level, read before anything
//! of it is compiled: the interfaces that it imports, and the engines that it exports.
//! Whether they are of the right type, the linker and [`exports`](super::super::exports)
//! say afterwards.

use std::fmt;

use sandboard_abi::WIT_PACKAGE;
use wasmparser::{ComponentExternalKind, ComponentTypeRef, Parser, Payload};

use super::{LoadCaps, Refusal, Thing, advice};
use crate::manifest::quoted;

/// The interfaces of the border that an engine may import.
const IMPORTS: [&str; 2] = ["host", "types"];

/// Strange imports that are named; the others are counted.
const NAMED: usize = 5;

/// What a component takes and gives.
#[derive(Debug, Default)]
pub struct Border {
    imports: Vec<Import>,
    /// The ABI numbers of its `engine` exports.
    pub engines: Vec<u32>,
    /// Whatever else it exports.
    pub other_exports: Vec<String>,
}

#[derive(Debug)]
struct Import {
    name: String,
    /// What it is, where it is no instance.
    kind: Option<&'static str>,
}

impl Border {
    /// Reads it from a component. Err: its sections cannot be read.
    pub fn read(bytes: &[u8], caps: &LoadCaps) -> Result<Self, Refusal> {
        let mut border = Self::default();
        // Of more than that, the scan refuses the whole.
        let most = |thing| usize::try_from(caps.most(thing)).unwrap_or(usize::MAX);
        // How deep inside nested modules and components the parser is, which keeps them all in mind: what the scan refuses
        // for something else may have a tower of them behind that.
        let mut depth = 0usize;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { unchecked_range, .. }
                | Payload::ComponentSection { unchecked_range, .. } => {
                    depth += 1;
                    if depth > most(Thing::ComponentDepth) + 1 {
                        return Err(Refusal::TooMany {
                            thing: Thing::ComponentDepth,
                            found: depth as u64,
                            at: unchecked_range.start,
                            admitted: caps.admitted(Thing::ComponentDepth),
                        });
                    }
                }
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section.into_iter().take(most(Thing::Imports)) {
                        let import = import?;
                        let (name, kind) =
                            (import.name.name.to_owned(), other_than_instance(import.ty));
                        border.imports.push(Import { name, kind });
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section.into_iter().take(most(Thing::Exports)) {
                        let export = export?;
                        match engine_abi(export.name.name) {
                            Some(abi) if export.kind == ComponentExternalKind::Instance => {
                                border.engines.push(abi);
                            }
                            _ => border.other_exports.push(export.name.name.to_owned()),
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(border)
    }

    /// The imports that are of no border with one of these numbers, if there are any.
    pub fn strange_imports(&self, abis: &[u32]) -> Option<Refusal> {
        let strange: Vec<&Import> = self.imports.iter().filter(|it| !it.is_of(abis)).collect();
        if strange.is_empty() {
            return None;
        }
        let named = strange.iter().take(NAMED).map(ToString::to_string).collect();
        let advice = advice::on(strange.iter().map(|import| &*import.name));
        Some(Refusal::Imports { named, more: strange.len().saturating_sub(NAMED), advice })
    }
}

impl Import {
    fn is_of(&self, abis: &[u32]) -> bool {
        self.kind.is_none()
            && interface(&self.name)
                .is_some_and(|(name, abi)| IMPORTS.contains(&name) && abis.contains(&abi))
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            // By name it may be the border's.
            Some(kind) => write!(f, "the {kind} {}", quoted(&self.name)),
            None => f.write_str(&quoted(&self.name)),
        }
    }
}

fn other_than_instance(ty: ComponentTypeRef) -> Option<&'static str> {
    match ty {
        ComponentTypeRef::Instance(_) => None,
        ComponentTypeRef::Module(_) => Some("core module"),
        ComponentTypeRef::Func(_) => Some("function"),
        ComponentTypeRef::Value(_) => Some("value"),
        ComponentTypeRef::Type(_) => Some("type"),
        ComponentTypeRef::Component(_) => Some("component"),
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
    let mut numbers = version.split('.').map(str::parse::<u32>);
    match [numbers.next()?, numbers.next()?, numbers.next()?] {
        // A preview of a version is no such version to the linker.
        [Ok(abi), Ok(_), Ok(_)] if numbers.next().is_none() => Some((name, abi)),
        _ => None,
    }
}
