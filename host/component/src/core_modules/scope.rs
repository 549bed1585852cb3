//! The definitions of one component while it is instantiated, by kind and index.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use wasmparser::{
    CanonicalOption, ComponentAlias, ComponentExternalKind, ComponentOuterAliasKind,
    ComponentTypeRef, ExternalKind,
};

use super::definitions::{
    Component, ComponentFunction, CoreExports, Definition, Exports, get, unsupported,
};
use super::{ComponentError, Options, Source};
use crate::canonical::Encoding;

/// What a component gets for its imports.
pub(super) enum Arguments<'a> {
    /// The component is the outermost one: instances of the host.
    Host,
    /// The component is inside of another: what that passes to it, by name.
    Definitions(HashMap<&'a str, Definition<'a>>),
}

/// The definitions of a component that is being instantiated.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// Their places in the file.
    pub(super) modules: Vec<Range<usize>>,
    pub(super) components: Vec<Rc<Component>>,
    pub(super) functions: Vec<ComponentFunction<'a>>,
    pub(super) instances: Vec<Rc<Exports<'a>>>,
    pub(super) core_functions: Vec<Source>,
    pub(super) core_memories: Vec<Source>,
    pub(super) core_tables: Vec<Source>,
    pub(super) core_globals: Vec<Source>,
    pub(super) core_instances: Vec<Rc<CoreExports<'a>>>,
    pub(super) exports: HashMap<&'a str, Definition<'a>>,
}

/// The options that a function gives.
pub(super) struct GivenOptions {
    pub(super) encoding: Encoding,
    pub(super) options: Options,
}

impl<'a> Arguments<'a> {
    /// The definition for an import.
    pub(super) fn get(
        &self,
        name: &'a str,
        kind: ComponentTypeRef,
        offset: usize,
    ) -> Result<Definition<'a>, ComponentError> {
        match (self, kind) {
            (Self::Definitions(definitions), _) => {
                let missing =
                    || ComponentError::Invalid { offset, reason: "missing import".into() };
                definitions.get(name).cloned().ok_or_else(missing)
            }
            (Self::Host, ComponentTypeRef::Instance(_)) => {
                Ok(Definition::Instance(Rc::new(Exports::Host(name))))
            }
            (Self::Host, ComponentTypeRef::Type(_)) => Ok(Definition::Type),
            (Self::Host, _) => unsupported("imports what is not an instance", offset),
        }
    }
}

impl<'a> Scope<'a> {
    /// Appends a definition to the list of its kind.
    pub(super) fn define(&mut self, definition: Definition<'a>) {
        match definition {
            Definition::Module(module) => self.modules.push(module),
            Definition::Function(function) => self.functions.push(function),
            Definition::Instance(instance) => self.instances.push(instance),
            Definition::Component(component) => self.components.push(component),
            Definition::Type => (),
        }
    }

    /// The definition with this index among those of its kind.
    pub(super) fn definition(
        &self,
        kind: ComponentExternalKind,
        index: u32,
        offset: usize,
    ) -> Result<Definition<'a>, ComponentError> {
        Ok(match kind {
            ComponentExternalKind::Module => Definition::Module(get(&self.modules, index, offset)?),
            ComponentExternalKind::Func => {
                Definition::Function(get(&self.functions, index, offset)?)
            }
            ComponentExternalKind::Instance => {
                Definition::Instance(get(&self.instances, index, offset)?)
            }
            ComponentExternalKind::Component => {
                Definition::Component(get(&self.components, index, offset)?)
            }
            ComponentExternalKind::Type => Definition::Type,
            ComponentExternalKind::Value => return unsupported("passes values", offset),
        })
    }

    /// Appends what another name stands for.
    pub(super) fn alias(
        &mut self,
        alias: &ComponentAlias<'a>,
        component: &Component,
        offset: usize,
    ) -> Result<(), ComponentError> {
        let missing = || ComponentError::Invalid { offset, reason: "unknown export".into() };
        match alias {
            ComponentAlias::InstanceExport { kind, instance_index, name } => {
                let instance = get(&self.instances, *instance_index, offset)?;
                let definition = match (&*instance, kind) {
                    (Exports::Definitions(definitions), _) => {
                        definitions.get(name).cloned().ok_or_else(missing)?
                    }
                    (Exports::Host(instance), ComponentExternalKind::Func) => {
                        Definition::Function(ComponentFunction::Host { instance, name })
                    }
                    (Exports::Host(_), ComponentExternalKind::Type) => Definition::Type,
                    (Exports::Host(_), _) => {
                        return unsupported("imports what is neither function nor type", offset);
                    }
                };
                self.define(definition);
            }
            ComponentAlias::CoreInstanceExport { kind, instance_index, name } => {
                let instance = get(&self.core_instances, *instance_index, offset)?;
                let source = instance.get(name).ok_or_else(missing)?;
                match kind {
                    ExternalKind::Func | ExternalKind::FuncExact => {
                        self.core_functions.push(source);
                    }
                    ExternalKind::Table => self.core_tables.push(source),
                    ExternalKind::Memory => self.core_memories.push(source),
                    ExternalKind::Global => self.core_globals.push(source),
                    ExternalKind::Tag => return unsupported("exports a tag", offset),
                }
            }
            ComponentAlias::Outer { kind, count, index } => {
                let mut outer = component.outer.as_ref();
                for _ in 1..*count {
                    outer = outer.and_then(|outer| outer.outer.as_ref());
                }
                let definition = match (kind, count) {
                    (ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type, _) => {
                        return Ok(());
                    }
                    (ComponentOuterAliasKind::CoreModule, 0) => {
                        Definition::Module(get(&self.modules, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::Component, 0) => {
                        Definition::Component(get(&self.components, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::CoreModule, _) => {
                        let outer = outer.ok_or_else(missing)?;
                        Definition::Module(get(&outer.modules, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::Component, _) => {
                        let outer = outer.ok_or_else(missing)?;
                        Definition::Component(get(&outer.components, *index, offset)?)
                    }
                };
                self.define(definition);
            }
        }
        Ok(())
    }

    /// The options of a canonical function, and the function to call after its return.
    pub(super) fn options(
        &self,
        options: &[CanonicalOption],
        offset: usize,
    ) -> Result<(GivenOptions, Option<Source>), ComponentError> {
        let mut found = Options::default();
        let mut encoding = Encoding::Utf8;
        let mut post_return = None;
        for option in options {
            match *option {
                CanonicalOption::UTF8 => encoding = Encoding::Utf8,
                CanonicalOption::UTF16 => encoding = Encoding::Utf16,
                CanonicalOption::CompactUTF16 => encoding = Encoding::CompactUtf16,
                CanonicalOption::Memory(memory) => {
                    found.memory = Some(get(&self.core_memories, memory, offset)?);
                }
                CanonicalOption::Realloc(function) => {
                    found.realloc = Some(get(&self.core_functions, function, offset)?);
                }
                CanonicalOption::PostReturn(function) => {
                    post_return = Some(get(&self.core_functions, function, offset)?);
                }
                _ => return unsupported("uses threads or asynchronous calls", offset),
            }
        }
        Ok((GivenOptions { encoding, options: found }, post_return))
    }
}
