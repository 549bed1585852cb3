//! Counts what one instance of a component consists of: a module that is instantiated twice counts
//! twice, and so does everything in a component that is instantiated twice. Each component is
//! counted once, at its end, so nesting costs no recursion and repetition no time.

use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind,
    ComponentTypeRef, Encoding, Instance, Payload, SectionLimited,
};

use super::{CapKind, ScanError};

/// What an instance of a module or component consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InstanceCounts {
    module_instances: u64,
    component_instances: u64,
    memories: u64,
    tables: u64,
}

impl InstanceCounts {
    fn plus(self, other: Self) -> Self {
        Self {
            module_instances: self.module_instances.saturating_add(other.module_instances),
            component_instances: self.component_instances.saturating_add(other.component_instances),
            memories: self.memories.saturating_add(other.memories),
            tables: self.tables.saturating_add(other.tables),
        }
    }

    /// Each count with the cap that limits it.
    pub(super) fn with_caps(self) -> [(CapKind, u64); 4] {
        [
            (CapKind::ModuleInstances, self.module_instances),
            (CapKind::ComponentInstances, self.component_instances),
            (CapKind::Memories, self.memories),
            (CapKind::Tables, self.tables),
        ]
    }
}

/// A module or component that is being read. None in a list of definitions: it was imported or
/// taken from an instance, so its contents are not known here.
#[derive(Debug, Default)]
struct Scope {
    is_component: bool,
    counts: InstanceCounts,
    modules: Vec<Option<InstanceCounts>>,
    components: Vec<Option<InstanceCounts>>,
}

/// Follows the payloads of a file.
#[derive(Debug, Default)]
pub(super) struct InstanceCounter {
    /// The enclosing scopes, the innermost last.
    scopes: Vec<Scope>,
}

impl InstanceCounter {
    /// Reads a payload, whose counts were checked already. The counts of the innermost scope if
    /// the payload may have changed them. Err: a component instantiates what is not defined in
    /// the file.
    pub(super) fn read(
        &mut self,
        payload: &Payload<'_>,
    ) -> Result<Option<InstanceCounts>, ScanError> {
        use Payload::*;
        if let Version { encoding, .. } = payload {
            let is_component = *encoding == Encoding::Component;
            self.scopes.push(Scope { is_component, ..Scope::default() });
            return Ok(None);
        }
        if let End(_) = payload {
            self.end();
            return Ok(None);
        }
        let Some((scope, enclosing)) = self.scopes.split_last_mut() else { return Ok(None) };
        match payload {
            TableSection(section) => {
                scope.counts.tables += u64::from(section.count());
                return Ok(None);
            }
            MemorySection(section) => {
                scope.counts.memories += u64::from(section.count());
                return Ok(None);
            }
            ComponentImportSection(section) => {
                for import in section.clone() {
                    match import?.ty {
                        ComponentTypeRef::Module(_) => scope.modules.push(None),
                        ComponentTypeRef::Component(_) => scope.components.push(None),
                        _ => (),
                    }
                }
                return Ok(None);
            }
            ComponentExportSection(section) => {
                // An export is also a new name for what it exports.
                for export in section.clone() {
                    let export = export?;
                    let found = |list: &[Option<_>]| list.get(export.index as usize).copied();
                    match export.kind {
                        ComponentExternalKind::Module => {
                            scope.modules.push(found(&scope.modules).flatten());
                        }
                        ComponentExternalKind::Component => {
                            scope.components.push(found(&scope.components).flatten());
                        }
                        _ => (),
                    }
                }
                return Ok(None);
            }
            ComponentAliasSection(section) => {
                aliases(section, scope, enclosing)?;
                return Ok(None);
            }
            InstanceSection(section) => {
                for item in section.clone().into_iter_with_offsets() {
                    let (offset, instance) = item?;
                    if let Instance::Instantiate { module_index, .. } = instance {
                        let one = known(&scope.modules, module_index, "module", offset)?;
                        let one = InstanceCounts { module_instances: 1, ..one };
                        scope.counts = scope.counts.plus(one);
                    }
                }
            }
            ComponentInstanceSection(section) => {
                for item in section.clone().into_iter_with_offsets() {
                    let (offset, instance) = item?;
                    if let ComponentInstance::Instantiate { component_index, .. } = instance {
                        let one = known(&scope.components, component_index, "component", offset)?;
                        let own = InstanceCounts { component_instances: 1, ..Default::default() };
                        scope.counts = scope.counts.plus(one).plus(own);
                    }
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(scope.counts))
    }

    /// Ends the innermost scope, which becomes a definition of the next one.
    fn end(&mut self) {
        let Some(ended) = self.scopes.pop() else { return };
        let Some(scope) = self.scopes.last_mut() else { return };
        match ended.is_component {
            true => scope.components.push(Some(ended.counts)),
            false => scope.modules.push(Some(ended.counts)),
        }
    }
}

fn aliases(
    section: &SectionLimited<'_, ComponentAlias<'_>>,
    scope: &mut Scope,
    enclosing: &[Scope],
) -> Result<(), ScanError> {
    for alias in section.clone() {
        match alias? {
            ComponentAlias::InstanceExport { kind: ComponentExternalKind::Module, .. } => {
                scope.modules.push(None);
            }
            ComponentAlias::InstanceExport { kind: ComponentExternalKind::Component, .. } => {
                scope.components.push(None);
            }
            ComponentAlias::Outer { kind, count, index } => {
                // A count of 0 is the scope itself. The validator reports one that is too high.
                let outer = match (count as usize).checked_sub(1) {
                    None => Some(&*scope),
                    Some(levels) => enclosing.iter().rev().nth(levels),
                };
                let found = |list: fn(&Scope) -> &[Option<InstanceCounts>]| {
                    outer.and_then(|outer| list(outer).get(index as usize).copied()).flatten()
                };
                match kind {
                    ComponentOuterAliasKind::CoreModule => {
                        let found = found(|scope| &scope.modules);
                        scope.modules.push(found);
                    }
                    ComponentOuterAliasKind::Component => {
                        let found = found(|scope| &scope.components);
                        scope.components.push(found);
                    }
                    _ => (),
                }
            }
            _ => (),
        }
    }
    Ok(())
}

/// The counts of a definition. Err: its contents are not known.
fn known(
    definitions: &[Option<InstanceCounts>],
    index: u32,
    what: &'static str,
    offset: usize,
) -> Result<InstanceCounts, ScanError> {
    match definitions.get(index as usize) {
        Some(Some(counts)) => Ok(*counts),
        Some(None) => Err(ScanError::Foreign { what, offset }),
        // The validator reports the wrong index.
        None => Ok(InstanceCounts::default()),
    }
}
