//! Follows the instantiation of a component symbolically: each definition becomes the core item
//! that it stands for.

use std::collections::HashMap;
use std::mem::discriminant;
use std::ops::Range;
use std::rc::Rc;

use wasmparser::types::Types;
use wasmparser::{
    ComponentExport, ComponentInstance, ComponentInstantiationArg, Export, ExternalKind,
    Instance as CoreInstanceDefinition, InstantiationArg, Payload,
};

use super::definitions::{
    Component, CoreExports, Definition, Exports, Module, ModuleExports, OuterDefinitions, get,
    unsupported,
};
use super::file::{sections, validate};
use super::scope::{Arguments, Scope};
use super::{ComponentError, CoreModules, Instance, Interface, Lowered, Options, Source, Wiring};

/// Reads a component; see [`CoreModules::read`].
pub(super) fn read<'a>(
    bytes: &'a [u8],
    interface: &'static Interface,
) -> Result<CoreModules<'a>, ComponentError> {
    let types = validate(bytes)?;
    let mut evaluator = Evaluator {
        bytes,
        interface,
        types,
        modules: Vec::new(),
        instances: Vec::new(),
        lowered: Vec::new(),
        options: Options::default(),
    };
    let component = Component { bytes: 0..bytes.len(), outer: None };
    let exports = evaluator.instantiate(&component, &Arguments::Host)?;
    let lifted = evaluator.exported(&exports)?;
    let Evaluator { modules, instances, lowered, options, .. } = evaluator;
    let modules = modules.into_iter().map(|module| &bytes[module.bytes]).collect();
    Ok(CoreModules { modules, wiring: Wiring { instances, lowered, lifted, options } })
}

/// Follows a component; see the [module](self).
pub(super) struct Evaluator<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) interface: &'static Interface,
    /// The types of each component, by the offset at which it begins.
    pub(super) types: HashMap<usize, Types>,
    pub(super) modules: Vec<Module<'a>>,
    pub(super) instances: Vec<Instance>,
    pub(super) lowered: Vec<Lowered>,
    /// The options of all functions so far.
    pub(super) options: Options,
}

impl<'a> Evaluator<'a> {
    /// Instantiates a component, and returns its exports.
    fn instantiate(
        &mut self,
        component: &Component,
        arguments: &Arguments<'a>,
    ) -> Result<HashMap<&'a str, Definition<'a>>, ComponentError> {
        let mut scope = Scope::default();
        for payload in sections(self.bytes, component.bytes.clone()) {
            self.define(&payload?, component, arguments, &mut scope)?;
        }
        Ok(scope.exports)
    }

    /// Adds the definitions of a section to the scope of a component.
    fn define(
        &mut self,
        payload: &Payload<'a>,
        component: &Component,
        arguments: &Arguments<'a>,
        scope: &mut Scope<'a>,
    ) -> Result<(), ComponentError> {
        match payload {
            Payload::ModuleSection { unchecked_range, .. } => {
                scope.modules.push(unchecked_range.clone());
            }
            Payload::ComponentSection { unchecked_range, .. } => {
                let outer = Some(Rc::new(OuterDefinitions {
                    modules: scope.modules.clone(),
                    components: scope.components.clone(),
                    outer: component.outer.clone(),
                }));
                let bytes = unchecked_range.clone();
                scope.components.push(Rc::new(Component { bytes, outer }));
            }
            Payload::ComponentImportSection(section) => {
                for import in section.clone().into_iter_with_offsets() {
                    let (offset, import) = import?;
                    scope.define(arguments.get(import.name.name, import.ty, offset)?);
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone().into_iter_with_offsets() {
                    let (offset, ComponentExport { name, kind, index, .. }) = export?;
                    let definition = scope.definition(kind, index, offset)?;
                    scope.define(definition.clone());
                    scope.exports.insert(name.name, definition);
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone().into_iter_with_offsets() {
                    let (offset, alias) = alias?;
                    scope.alias(&alias, component, offset)?;
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section.clone().into_iter_with_offsets() {
                    let (offset, instance) = instance?;
                    let exports = self.core_instance(&instance, scope, offset)?;
                    scope.core_instances.push(Rc::new(exports));
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone().into_iter_with_offsets() {
                    let (offset, instance) = instance?;
                    let exports = self.instance(&instance, scope, offset)?;
                    scope.instances.push(Rc::new(Exports::Definitions(exports)));
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone().into_iter_with_offsets() {
                    let (offset, function) = function?;
                    self.canonical(&function, component.bytes.start, scope, offset)?;
                }
            }
            Payload::ComponentStartSection { range, .. } => {
                return unsupported("has a start function of the component", range.start);
            }
            _ => (),
        }
        Ok(())
    }

    /// Adds a module that is instantiated, once. Returns its index.
    fn module(&mut self, bytes: Range<usize>) -> Result<usize, ComponentError> {
        if let Some(index) = self.modules.iter().position(|module| module.bytes == bytes) {
            return Ok(index);
        }
        let (mut imports, mut exports) = (Vec::new(), ModuleExports::new());
        // The index of the first export of each item.
        let mut first_exports = HashMap::new();
        for payload in sections(self.bytes, bytes.clone()) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        imports.push((import.module, import.name));
                    }
                }
                Payload::ExportSection(section) => {
                    for (index, export) in section.into_iter().enumerate() {
                        let Export { name, kind, index: item } = export?;
                        exports.insert(
                            name,
                            *first_exports.entry((discriminant(&kind), item)).or_insert(index),
                        );
                    }
                }
                // Imports and exports come before.
                Payload::CodeSectionStart { .. } => break,
                _ => (),
            }
        }
        self.modules.push(Module { bytes, imports: imports.into(), exports: Rc::new(exports) });
        Ok(self.modules.len() - 1)
    }

    /// What an instance of a core module, or a group of core items, exports.
    fn core_instance(
        &mut self,
        instance: &CoreInstanceDefinition<'a>,
        scope: &Scope<'a>,
        offset: usize,
    ) -> Result<CoreExports<'a>, ComponentError> {
        match instance {
            CoreInstanceDefinition::Instantiate { module_index, args } => {
                let module = self.module(get(&scope.modules, *module_index, offset)?)?;
                let imports = self.imports(module, args, scope, offset)?;
                self.instances.push(Instance { module, imports });
                let exports = self.modules[module].exports.clone();
                Ok(CoreExports::Instance { instance: self.instances.len() - 1, exports })
            }
            CoreInstanceDefinition::FromExports(exports) => {
                let mut sources = HashMap::new();
                for Export { name, kind, index } in exports {
                    let source = match kind {
                        ExternalKind::Func | ExternalKind::FuncExact => {
                            get(&scope.core_functions, *index, offset)?
                        }
                        ExternalKind::Table => get(&scope.core_tables, *index, offset)?,
                        ExternalKind::Memory => get(&scope.core_memories, *index, offset)?,
                        ExternalKind::Global => get(&scope.core_globals, *index, offset)?,
                        ExternalKind::Tag => return unsupported("exports a tag", offset),
                    };
                    sources.insert(*name, source);
                }
                Ok(CoreExports::Group(sources))
            }
        }
    }

    /// What the imports of a module are in an instance with these arguments.
    fn imports(
        &self,
        module: usize,
        arguments: &[InstantiationArg<'_>],
        scope: &Scope<'_>,
        offset: usize,
    ) -> Result<Vec<Source>, ComponentError> {
        let arguments: HashMap<&str, u32> =
            arguments.iter().map(|argument| (argument.name, argument.index)).collect();
        let find = |(from, name): &(&str, &str)| {
            let index = *arguments.get(from)?;
            scope.core_instances.get(index as usize)?.get(name)
        };
        let missing = || ComponentError::Invalid { offset, reason: "missing import".into() };
        self.modules[module].imports.iter().map(|it| find(it).ok_or_else(missing)).collect()
    }

    /// What an instance of a component, or a group of definitions, exports.
    fn instance(
        &mut self,
        instance: &ComponentInstance<'a>,
        scope: &Scope<'a>,
        offset: usize,
    ) -> Result<HashMap<&'a str, Definition<'a>>, ComponentError> {
        match instance {
            ComponentInstance::Instantiate { component_index, args } => {
                let component = get(&scope.components, *component_index, offset)?;
                let mut definitions = HashMap::new();
                for ComponentInstantiationArg { name, kind, index } in args {
                    definitions.insert(*name, scope.definition(*kind, *index, offset)?);
                }
                self.instantiate(&component, &Arguments::Definitions(definitions))
            }
            ComponentInstance::FromExports(exports) => {
                let mut definitions = HashMap::new();
                for ComponentExport { name, kind, index, .. } in exports {
                    definitions.insert(name.name, scope.definition(*kind, *index, offset)?);
                }
                Ok(definitions)
            }
        }
    }
}
