//! Counts the contents of sections and checks the caps. A section whose header announces too much
//! is not read.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmparser::{
    ComponentInstance, CompositeInnerType, CoreType, ElementItems, FunctionBody, Instance,
    ModuleTypeDeclaration, Payload, RecGroup, SectionLimited, TypeRef,
};

use super::{CapKind, LoadCaps, ScanError, type_depth};

const PAGE_BYTES: u64 = 64 * 1024;

/// Counts so far, over all modules and components of a file.
#[derive(Debug)]
pub(super) struct CapCounter<'a> {
    caps: &'a LoadCaps,
    counts: BTreeMap<CapKind, u64>,
    /// For each enclosing module or component: whether it is a component.
    enclosing: Vec<bool>,
}

impl<'a> CapCounter<'a> {
    pub(super) fn new(caps: &'a LoadCaps) -> Self {
        Self { caps, counts: BTreeMap::new(), enclosing: Vec::new() }
    }

    /// Err: `found` exceeds the cap.
    pub(super) fn check(&self, kind: CapKind, found: u64, offset: usize) -> Result<(), ScanError> {
        match found > self.caps.limit(kind) {
            true => Err(ScanError::TooMany { kind, found, offset, cap: self.caps.effective(kind) }),
            false => Ok(()),
        }
    }

    /// Adds to a count. Err: the sum exceeds the cap.
    pub(super) fn add(&mut self, kind: CapKind, more: u64, offset: usize) -> Result<(), ScanError> {
        let count = self.counts.entry(kind).or_default();
        *count = count.saturating_add(more);
        let count = *count;
        self.check(kind, count, offset)
    }

    /// Counts a payload; `file` contains its bytes.
    pub(super) fn count(&mut self, payload: &Payload<'_>, file: &[u8]) -> Result<(), ScanError> {
        use Payload::*;
        match payload {
            TypeSection(section) => {
                self.check_section(CapKind::Types, section)?;
                each(section, |group, offset| self.core_types(&group, offset))
            }
            ImportSection(section) => self.core_imports(section),
            FunctionSection(section) => self.section(CapKind::Functions, section),
            TableSection(section) => {
                self.section(CapKind::Tables, section)?;
                each(section, |table, offset| {
                    self.check(CapKind::TableElements, table.ty.initial, offset)
                })
            }
            MemorySection(section) => {
                // Several memories of a module need a proposal, which the validator reports.
                if section.count() <= 1 {
                    self.section(CapKind::Memories, section)?;
                }
                each(section, |memory, offset| {
                    self.check(
                        CapKind::MemoryBytes,
                        memory.initial.saturating_mul(PAGE_BYTES),
                        offset,
                    )
                })
            }
            GlobalSection(section) => self.section(CapKind::Globals, section),
            ExportSection(section) => self.section(CapKind::Exports, section),
            ElementSection(section) => {
                self.section(CapKind::ElementSegments, section)?;
                each(section, |segment, offset| {
                    let entries = match segment.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    };
                    self.add(CapKind::Elements, entries.into(), offset)
                })
            }
            DataSection(section) => self.section(CapKind::DataSegments, section),
            CodeSectionEntry(body) => self.body(body),
            ModuleSection { unchecked_range, .. } => {
                check_complete(unchecked_range, file)?;
                self.enclosing.push(false);
                self.add(CapKind::Modules, 1, unchecked_range.start)
            }
            ComponentSection { unchecked_range, .. } => {
                let offset = unchecked_range.start;
                check_complete(unchecked_range, file)?;
                self.enclosing.push(true);
                self.add(CapKind::Components, 1, offset)?;
                let depth = self.enclosing.iter().filter(|is_component| **is_component).count();
                self.check(CapKind::ComponentDepth, depth as u64, offset)
            }
            End(_) => {
                self.enclosing.pop();
                Ok(())
            }
            _ => self.component(payload, file),
        }
    }

    /// Counts a payload of a component.
    fn component(&mut self, payload: &Payload<'_>, file: &[u8]) -> Result<(), ScanError> {
        use Payload::*;
        match payload {
            CoreTypeSection(section) => {
                self.check_section(CapKind::Types, section)?;
                each(section, |core, offset| self.core_type(&core, offset))
            }
            ComponentTypeSection(section) => type_depth::count(file, section.range(), self),
            ComponentImportSection(section) => self.section(CapKind::Imports, section),
            ComponentExportSection(section) => self.section(CapKind::Exports, section),
            InstanceSection(section) => {
                self.section(CapKind::Items, section)?;
                each(section, |instance, offset| match instance {
                    Instance::Instantiate { args, .. } => {
                        self.add(CapKind::Items, args.len() as u64, offset)?;
                        self.add(CapKind::ModuleInstances, 1, offset)
                    }
                    Instance::FromExports(exports) => {
                        self.add(CapKind::Items, exports.len() as u64, offset)
                    }
                })
            }
            ComponentInstanceSection(section) => {
                self.section(CapKind::Items, section)?;
                each(section, |instance, offset| match instance {
                    ComponentInstance::Instantiate { args, .. } => {
                        self.add(CapKind::Items, args.len() as u64, offset)?;
                        self.add(CapKind::ComponentInstances, 1, offset)
                    }
                    ComponentInstance::FromExports(exports) => {
                        self.add(CapKind::Items, exports.len() as u64, offset)
                    }
                })
            }
            ComponentAliasSection(section) => self.section(CapKind::Items, section),
            ComponentCanonicalSection(section) => self.section(CapKind::Items, section),
            _ => Ok(()),
        }
    }

    /// Adds the size of a section.
    fn section<T>(
        &mut self,
        kind: CapKind,
        section: &SectionLimited<'_, T>,
    ) -> Result<(), ScanError> {
        self.add(kind, section.count().into(), section.range().start)
    }

    /// Checks the announced size of a section whose items are counted individually.
    fn check_section<T>(
        &self,
        kind: CapKind,
        section: &SectionLimited<'_, T>,
    ) -> Result<(), ScanError> {
        let count = self.counts.get(&kind).copied().unwrap_or(0);
        self.check(kind, count.saturating_add(section.count().into()), section.range().start)
    }

    fn core_imports(
        &mut self,
        section: &SectionLimited<'_, wasmparser::Imports<'_>>,
    ) -> Result<(), ScanError> {
        for import in section.clone().into_imports_with_offsets() {
            let (offset, import) = import?;
            self.add(CapKind::Imports, 1, offset)?;
            if matches!(import.ty, TypeRef::Func(_)) {
                self.add(CapKind::Functions, 1, offset)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<(), ScanError> {
        let range = body.range();
        let bytes = (range.end - range.start) as u64;
        self.check(CapKind::BodyBytes, bytes, range.start)?;
        self.add(CapKind::CodeBytes, bytes, range.start)?;
        let mut locals = 0_u64;
        for group in body.get_locals_reader()? {
            locals += u64::from(group?.0);
        }
        self.check(CapKind::Locals, locals, range.start)?;
        self.add(CapKind::AllLocals, locals, range.start)
    }

    /// Counts a core type of a component: a function type, or a module type with the types in it.
    pub(super) fn core_type(
        &mut self,
        core: &CoreType<'_>,
        offset: usize,
    ) -> Result<(), ScanError> {
        match core {
            CoreType::Rec(group) => self.core_types(group, offset),
            CoreType::Module(parts) => {
                self.add(CapKind::Types, 1, offset)?;
                self.add(CapKind::Items, parts.len() as u64, offset)?;
                let groups = parts.iter().filter_map(|part| match part {
                    ModuleTypeDeclaration::Type(group) => Some(group),
                    _ => None,
                });
                groups.into_iter().try_for_each(|group| self.core_types(group, offset))
            }
        }
    }

    fn core_types(&mut self, group: &RecGroup, offset: usize) -> Result<(), ScanError> {
        for ty in group.types() {
            self.add(CapKind::Types, 1, offset)?;
            if let CompositeInnerType::Func(function) = &ty.composite_type.inner {
                self.check(CapKind::Parameters, function.params().len() as u64, offset)?;
                self.check(CapKind::Results, function.results().len() as u64, offset)?;
            }
        }
        Ok(())
    }
}

/// Checks that a part is complete. The parser accepts a truncated part that ends between two
/// sections.
fn check_complete(part: &Range<usize>, file: &[u8]) -> Result<(), ScanError> {
    match part.end <= file.len() {
        true => Ok(()),
        false => {
            Err(ScanError::Invalid { offset: file.len(), reason: "unexpected end-of-file".into() })
        }
    }
}

/// Calls `count` with every item of a section and its offset.
fn each<'a, T: wasmparser::FromReader<'a>>(
    section: &SectionLimited<'a, T>,
    mut count: impl FnMut(T, usize) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    for item in section.clone().into_iter_with_offsets() {
        let (offset, item) = item?;
        count(item, offset)?;
    }
    Ok(())
}
