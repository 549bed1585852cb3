//! Reads the imports and exports of a component at its outermost level, before any of it is
//! compiled. Checks only names: [`CoreModules`](sandboard_component::CoreModules) checks types.

use std::fmt;

use sandboard_common::text::quoted;
use wasmparser::{ComponentExternalKind, ComponentTypeRef, Parser, Payload};

use super::{CapKind, LoadCaps, ScanError, World, import_advice};

/// The interfaces of its world that a component may import.
const IMPORTS: [&str; 2] = ["host", "types"];

/// Number of imports that an error names; others are counted.
const NAMED_IMPORTS: usize = 5;

/// Imports and exports of a component.
#[derive(Debug, Default)]
pub struct ComponentInterface {
    imports: Vec<Import>,
    /// The interface numbers of its `engine` exports.
    pub engines: Vec<u32>,
    /// The interface numbers of its `judge` exports.
    pub judges: Vec<u32>,
    /// Names of its other exports.
    pub other_exports: Vec<String>,
}

#[derive(Debug)]
struct Import {
    name: String,
    /// The kind of the import, unless it is an instance.
    kind: Option<&'static str>,
}

impl ComponentInterface {
    /// Reads the interface of a component. Err: its sections cannot be read.
    pub fn read(bytes: &[u8], caps: &LoadCaps) -> Result<Self, ScanError> {
        let mut interface = Self::default();
        // The scan refuses components with more.
        let max = |kind| usize::try_from(caps.limit(kind)).unwrap_or(usize::MAX);
        // Nesting depth of modules and components. The parser stores all of them, and a component
        // that the scan refuses for another reason may be nested much deeper after that point.
        let mut depth = 0usize;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ModuleSection { unchecked_range, .. }
                | Payload::ComponentSection { unchecked_range, .. } => {
                    depth += 1;
                    if depth > max(CapKind::ComponentDepth) + 1 {
                        return Err(ScanError::TooMany {
                            kind: CapKind::ComponentDepth,
                            found: depth as u64,
                            offset: unchecked_range.start,
                            cap: caps.effective(CapKind::ComponentDepth),
                        });
                    }
                }
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section.into_iter().take(max(CapKind::Imports)) {
                        let import = import?;
                        let (name, kind) =
                            (import.name.name.to_owned(), kind_unless_instance(import.ty));
                        interface.imports.push(Import { name, kind });
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section.into_iter().take(max(CapKind::Exports)) {
                        let export = export?;
                        interface.add_export(export.name.name, export.kind);
                    }
                }
                _ => {}
            }
        }
        Ok(interface)
    }

    fn add_export(&mut self, name: &str, kind: ComponentExternalKind) {
        let number = |world: World| {
            world.interface().parse_name(name).filter(|(name, _)| *name == world.export())
        };
        let is_instance = kind == ComponentExternalKind::Instance;
        match (number(World::Engine), number(World::Judge)) {
            (Some((_, number)), _) if is_instance => self.engines.push(number),
            (_, Some((_, number))) if is_instance => self.judges.push(number),
            _ => self.other_exports.push(name.to_owned()),
        }
    }

    /// The error for imports that are in none of the world's interfaces with these numbers. None:
    /// there are no such imports.
    pub fn check_imports(&self, world: World, numbers: &[u32]) -> Option<ScanError> {
        let foreign: Vec<&Import> =
            self.imports.iter().filter(|import| !import.is_in(world, numbers)).collect();
        if foreign.is_empty() {
            return None;
        }
        let names = foreign.iter().take(NAMED_IMPORTS).map(ToString::to_string).collect();
        let advice = import_advice::find(foreign.iter().map(|import| &*import.name));
        let more = foreign.len().saturating_sub(NAMED_IMPORTS);
        Some(ScanError::Imports { world, names, more, advice })
    }
}

impl Import {
    fn is_in(&self, world: World, numbers: &[u32]) -> bool {
        self.kind.is_none()
            && world
                .interface()
                .parse_name(&self.name)
                .is_some_and(|(name, number)| IMPORTS.contains(&name) && numbers.contains(&number))
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            // The name alone may be one of the ABI.
            Some(kind) => write!(f, "the {kind} {}", quoted(&self.name)),
            None => f.write_str(&quoted(&self.name)),
        }
    }
}

fn kind_unless_instance(ty: ComponentTypeRef) -> Option<&'static str> {
    match ty {
        ComponentTypeRef::Instance(_) => None,
        ComponentTypeRef::Module(_) => Some("core module"),
        ComponentTypeRef::Func(_) => Some("function"),
        ComponentTypeRef::Value(_) => Some("value"),
        ComponentTypeRef::Type(_) => Some("type"),
        ComponentTypeRef::Component(_) => Some("component"),
    }
}
