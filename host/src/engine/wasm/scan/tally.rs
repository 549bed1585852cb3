//! Counts what sections hold, mostly by their heads: a section that says it has
//! too much is not read.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmparser::{
    ComponentInstance, CompositeInnerType, CoreType, ElementItems, FunctionBody, Instance,
    ModuleTypeDeclaration, Payload, RecGroup, SectionLimited, TypeRef,
};

use super::depth;
use super::{LoadCaps, Refusal, Thing};

const PAGE_BYTES: u64 = 64 * 1024;

/// What was counted so far, over all modules and components of a file.
#[derive(Debug)]
pub struct Tally<'a> {
    caps: &'a LoadCaps,
    found: BTreeMap<Thing, u64>,
    /// For every module or component around the place: whether it is a component.
    around: Vec<bool>,
}

impl<'a> Tally<'a> {
    /// Nothing yet.
    pub fn new(caps: &'a LoadCaps) -> Self {
        Self { caps, found: BTreeMap::new(), around: Vec::new() }
    }

    /// Err: `found` is more than is admitted.
    pub fn check(&self, thing: Thing, found: u64, at: usize) -> Result<(), Refusal> {
        match found > self.caps.most(thing) {
            true => Err(Refusal::TooMany { thing, found, at, admitted: self.caps.admitted(thing) }),
            false => Ok(()),
        }
    }

    /// So many more of a thing.
    pub fn add(&mut self, thing: Thing, more: u64, at: usize) -> Result<(), Refusal> {
        let found = self.found.entry(thing).or_default();
        *found = found.saturating_add(more);
        let found = *found;
        self.check(thing, found, at)
    }

    /// Counts a payload of the file that holds these bytes.
    pub fn count(&mut self, payload: &Payload<'_>, file: &[u8]) -> Result<(), Refusal> {
        use Payload::*;
        match payload {
            TypeSection(section) => {
                self.room_for(Thing::Types, section)?;
                each(section, |group, at| self.core_types(&group, at))
            }
            ImportSection(section) => self.core_imports(section),
            FunctionSection(section) => self.section(Thing::Functions, section),
            TableSection(section) => {
                self.section(Thing::Tables, section)?;
                each(section, |table, at| self.check(Thing::TableElements, table.ty.initial, at))
            }
            MemorySection(section) => {
                // Several of one module need a proposal, which the validator names.
                if section.count() <= 1 {
                    self.section(Thing::Memories, section)?;
                }
                each(section, |memory, at| {
                    self.check(Thing::MemoryBytes, memory.initial.saturating_mul(PAGE_BYTES), at)
                })
            }
            GlobalSection(section) => self.section(Thing::Globals, section),
            ExportSection(section) => self.section(Thing::Exports, section),
            ElementSection(section) => {
                self.section(Thing::ElementSegments, section)?;
                each(section, |segment, at| {
                    let entries = match segment.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    };
                    self.add(Thing::Elements, entries.into(), at)
                })
            }
            DataSection(section) => self.section(Thing::DataSegments, section),
            CodeSectionEntry(body) => self.body(body),
            ModuleSection { unchecked_range, .. } => {
                whole(unchecked_range, file)?;
                self.around.push(false);
                self.add(Thing::Modules, 1, unchecked_range.start)
            }
            ComponentSection { unchecked_range, .. } => {
                let at = unchecked_range.start;
                whole(unchecked_range, file)?;
                self.around.push(true);
                self.add(Thing::Components, 1, at)?;
                let depth = self.around.iter().filter(|is_component| **is_component).count();
                self.check(Thing::ComponentDepth, depth as u64, at)
            }
            End(_) => {
                self.around.pop();
                Ok(())
            }
            _ => self.component(payload, file),
        }
    }

    /// What only components have.
    fn component(&mut self, payload: &Payload<'_>, file: &[u8]) -> Result<(), Refusal> {
        use Payload::*;
        match payload {
            CoreTypeSection(section) => {
                self.room_for(Thing::Types, section)?;
                each(section, |core, at| self.core_type(&core, at))
            }
            ComponentTypeSection(section) => depth::walk(file, section.range(), self),
            ComponentImportSection(section) => self.section(Thing::Imports, section),
            ComponentExportSection(section) => self.section(Thing::Exports, section),
            InstanceSection(section) => {
                self.section(Thing::Items, section)?;
                each(section, |instance, at| match instance {
                    Instance::Instantiate { args, .. } => {
                        self.add(Thing::Items, args.len() as u64, at)?;
                        self.add(Thing::ModuleInstances, 1, at)
                    }
                    Instance::FromExports(exports) => {
                        self.add(Thing::Items, exports.len() as u64, at)
                    }
                })
            }
            ComponentInstanceSection(section) => {
                self.section(Thing::Items, section)?;
                each(section, |instance, at| match instance {
                    ComponentInstance::Instantiate { args, .. } => {
                        self.add(Thing::Items, args.len() as u64, at)?;
                        self.add(Thing::ComponentInstances, 1, at)
                    }
                    ComponentInstance::FromExports(exports) => {
                        self.add(Thing::Items, exports.len() as u64, at)
                    }
                })
            }
            ComponentAliasSection(section) => self.section(Thing::Items, section),
            ComponentCanonicalSection(section) => self.section(Thing::Items, section),
            _ => Ok(()),
        }
    }

    fn section<T>(&mut self, thing: Thing, section: &SectionLimited<'_, T>) -> Result<(), Refusal> {
        self.add(thing, section.count().into(), section.range().start)
    }

    /// For what is counted one by one: whether it can be as many as the section says.
    fn room_for<T>(&self, thing: Thing, section: &SectionLimited<'_, T>) -> Result<(), Refusal> {
        let found = self.found.get(&thing).copied().unwrap_or(0);
        self.check(thing, found.saturating_add(section.count().into()), section.range().start)
    }

    fn core_imports(
        &mut self,
        section: &SectionLimited<'_, wasmparser::Imports<'_>>,
    ) -> Result<(), Refusal> {
        for import in section.clone().into_imports_with_offsets() {
            let (at, import) = import?;
            self.add(Thing::Imports, 1, at)?;
            if matches!(import.ty, TypeRef::Func(_)) {
                self.add(Thing::Functions, 1, at)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<(), Refusal> {
        let range = body.range();
        let bytes = (range.end - range.start) as u64;
        self.check(Thing::BodyBytes, bytes, range.start)?;
        self.add(Thing::CodeBytes, bytes, range.start)?;
        let mut locals = 0_u64;
        for group in body.get_locals_reader()? {
            locals += u64::from(group?.0);
        }
        self.check(Thing::Locals, locals, range.start)?;
        self.add(Thing::AllLocals, locals, range.start)
    }

    /// A core type of a component: of functions, or of a module with the types in it.
    pub fn core_type(&mut self, core: &CoreType<'_>, at: usize) -> Result<(), Refusal> {
        match core {
            CoreType::Rec(group) => self.core_types(group, at),
            CoreType::Module(parts) => {
                self.add(Thing::Types, 1, at)?;
                self.add(Thing::Items, parts.len() as u64, at)?;
                let groups = parts.iter().filter_map(|part| match part {
                    ModuleTypeDeclaration::Type(group) => Some(group),
                    _ => None,
                });
                groups.into_iter().try_for_each(|group| self.core_types(group, at))
            }
        }
    }

    fn core_types(&mut self, group: &RecGroup, at: usize) -> Result<(), Refusal> {
        for ty in group.types() {
            self.add(Thing::Types, 1, at)?;
            if let CompositeInnerType::Func(function) = &ty.composite_type.inner {
                self.check(Thing::Parameters, function.params().len() as u64, at)?;
                self.check(Thing::Results, function.results().len() as u64, at)?;
            }
        }
        Ok(())
    }
}

/// The parser takes a part that ends early for whole, if it ends between two sections.
fn whole(part: &Range<usize>, file: &[u8]) -> Result<(), Refusal> {
    match part.end <= file.len() {
        true => Ok(()),
        false => Err(Refusal::Invalid { at: file.len(), reason: "unexpected end-of-file".into() }),
    }
}

/// Every item of a section with its place.
fn each<'a, T: wasmparser::FromReader<'a>>(
    section: &SectionLimited<'a, T>,
    mut look: impl FnMut(T, usize) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    for item in section.clone().into_iter_with_offsets() {
        let (at, item) = item?;
        look(item, at)?;
    }
    Ok(())
}
