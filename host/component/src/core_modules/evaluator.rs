//! Follows the instantiation of a component symbolically: each definition becomes the core item
//! that it stands for.

use std::collections::HashMap;
use std::mem::discriminant;
use std::ops::Range;
use std::rc::Rc;

use wasmparser::component_types::ComponentFuncTypeId;
use wasmparser::types::Types;
use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentAlias, ComponentExport, ComponentExternalKind,
    ComponentInstance, ComponentInstantiationArg, ComponentOuterAliasKind, ComponentTypeRef,
    Export, ExternalKind, Instance as CoreInstanceDefinition, InstantiationArg, Parser, Payload,
    ValidPayload, Validator,
};

use super::{
    ComponentError, CoreModules, FEATURES, HOST, Instance, Interface, Lifted, Lowered, Options,
    Source, Wiring,
};
use crate::canonical::Encoding;

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
    let component = Component { bytes: 0..bytes.len(), around: None };
    let exports = evaluator.instantiate(&component, &Arguments::Host)?;
    let lifted = evaluator.exported(&exports)?;
    let Evaluator { modules, instances, lowered, options, .. } = evaluator;
    let modules = modules.into_iter().map(|module| &bytes[module.bytes]).collect();
    Ok(CoreModules { modules, wiring: Wiring { instances, lowered, lifted, options } })
}

/// Validates a component except for the bodies of functions. Returns the types of each component in
/// it, by the offset at which it begins.
fn validate(bytes: &[u8]) -> Result<HashMap<usize, Types>, ComponentError> {
    let mut validator = Validator::new_with_features(FEATURES);
    let mut types = HashMap::new();
    // The offsets of the enclosing modules and components.
    let mut starts = Vec::new();
    for payload in parse(bytes, 0..bytes.len()) {
        let payload = payload?;
        if let Payload::ModuleSection { unchecked_range: range, .. }
        | Payload::ComponentSection { unchecked_range: range, .. } = &payload
            && range.end > bytes.len()
        {
            let reason = "it is longer than the file".into();
            return Err(ComponentError::Invalid { offset: range.start, reason });
        }
        if let Payload::Version { range, encoding, .. } = &payload {
            if starts.is_empty() && *encoding == wasmparser::Encoding::Module {
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

/// The payloads of a part of the file, with offsets in the file.
fn parse(
    bytes: &[u8],
    range: Range<usize>,
) -> impl Iterator<Item = wasmparser::Result<Payload<'_>>> {
    let mut parser = Parser::new(range.start as u64);
    parser.set_features(FEATURES);
    // The whole file is validated first, with the lengths of its parts.
    parser.parse_all(bytes.get(range).unwrap_or_default())
}

/// A component that can be instantiated.
struct Component {
    /// Its place in the file.
    bytes: Range<usize>,
    /// What the components around it had defined before it.
    around: Option<Rc<Surroundings>>,
}

/// The definitions to which an inner component may refer.
struct Surroundings {
    modules: Vec<Range<usize>>,
    components: Vec<Rc<Component>>,
    around: Option<Rc<Surroundings>>,
}

/// A core module that is instantiated.
struct Module<'a> {
    bytes: Range<usize>,
    /// The names of its imports.
    imports: Rc<[(&'a str, &'a str)]>,
    exports: Rc<ModuleExports<'a>>,
}

/// The exports of a module: for each name the index of the export. Several names of one item have
/// the index of the first.
type ModuleExports<'a> = HashMap<&'a str, usize>;

/// What a component gets for its imports.
enum Arguments<'a> {
    /// The component is the outermost one: instances of the host.
    Host,
    /// The component is inside of another: what that passes to it, by name.
    Definitions(HashMap<&'a str, Definition<'a>>),
}

/// A definition of a component. The validator knows what a type is.
#[derive(Clone)]
enum Definition<'a> {
    /// Its place in the file.
    Module(Range<usize>),
    Function(ComponentFunction<'a>),
    Instance(Rc<Exports<'a>>),
    Component(Rc<Component>),
    Type,
}

/// The exports of an instance of a component.
enum Exports<'a> {
    /// An instance of the host, by its name.
    Host(&'a str),
    Definitions(HashMap<&'a str, Definition<'a>>),
}

/// A function of a component.
#[derive(Clone)]
enum ComponentFunction<'a> {
    /// A function of an instance of the host.
    Host { instance: &'a str, name: &'a str },
    /// A core function of the component.
    Lifted(Rc<LiftedFunction>),
}

struct LiftedFunction {
    lifted: Lifted,
    options: Options,
    offset: usize,
    /// The place of the component that lifts it, and its type there.
    component: usize,
    type_id: ComponentFuncTypeId,
}

/// An instance of a core module, or a group of core items.
enum CoreExports<'a> {
    Instance { instance: usize, exports: Rc<ModuleExports<'a>> },
    Group(HashMap<&'a str, Source>),
}

impl CoreExports<'_> {
    fn get(&self, name: &str) -> Option<Source> {
        match self {
            Self::Instance { instance, exports } => {
                let export = *exports.get(name)?;
                Some(Source::Export { instance: *instance, export })
            }
            Self::Group(sources) => sources.get(name).copied(),
        }
    }
}

/// The definitions of a component that is being instantiated.
#[derive(Default)]
struct Scope<'a> {
    /// Their places in the file.
    modules: Vec<Range<usize>>,
    components: Vec<Rc<Component>>,
    functions: Vec<ComponentFunction<'a>>,
    instances: Vec<Rc<Exports<'a>>>,
    core_functions: Vec<Source>,
    core_memories: Vec<Source>,
    core_tables: Vec<Source>,
    core_globals: Vec<Source>,
    core_instances: Vec<Rc<CoreExports<'a>>>,
    exports: HashMap<&'a str, Definition<'a>>,
}

struct Evaluator<'a> {
    bytes: &'a [u8],
    interface: &'static Interface,
    /// The types of each component, by the offset at which it begins.
    types: HashMap<usize, Types>,
    modules: Vec<Module<'a>>,
    instances: Vec<Instance>,
    lowered: Vec<Lowered>,
    /// The options of all functions so far.
    options: Options,
}

/// The options that a function gives.
struct GivenOptions {
    encoding: Encoding,
    options: Options,
}

/// Adds the options of a function at this offset to those of the others. Err: they differ.
fn merge(all: &mut Options, of_function: &Options, offset: usize) -> Result<(), ComponentError> {
    /// Sets the source if it is not set, and returns whether it is the same.
    fn merge_one(all: &mut Option<Source>, one: Option<Source>) -> bool {
        one.is_none_or(|one| *all.get_or_insert(one) == one)
    }
    if !merge_one(&mut all.memory, of_function.memory) {
        return unsupported("passes values in two memories", offset);
    }
    match merge_one(&mut all.realloc, of_function.realloc) {
        true => Ok(()),
        false => unsupported("allocates with two functions", offset),
    }
}

/// The error for what the host does not support.
fn unsupported<T>(what: &'static str, offset: usize) -> Result<T, ComponentError> {
    Err(ComponentError::Unsupported { what, offset })
}

/// A definition by its index. The validator has checked the index.
fn get<T: Clone>(items: &[T], index: u32, offset: usize) -> Result<T, ComponentError> {
    let missing = || ComponentError::Invalid { offset, reason: format!("unknown index {index}") };
    items.get(index as usize).cloned().ok_or_else(missing)
}

impl<'a> Evaluator<'a> {
    /// Instantiates a component, and returns its exports.
    fn instantiate(
        &mut self,
        component: &Component,
        arguments: &Arguments<'a>,
    ) -> Result<HashMap<&'a str, Definition<'a>>, ComponentError> {
        let bytes = self.bytes;
        let mut scope = Scope::default();
        // How many modules and components around the current payload are inside of this component.
        let mut depth = 0usize;
        for payload in parse(bytes, component.bytes.clone()) {
            let payload = payload?;
            match &payload {
                Payload::ModuleSection { unchecked_range, .. } => {
                    if depth == 0 {
                        scope.modules.push(unchecked_range.clone());
                    }
                    depth += 1;
                }
                Payload::ComponentSection { unchecked_range, .. } => {
                    if depth == 0 {
                        let around = Some(Rc::new(Surroundings {
                            modules: scope.modules.clone(),
                            components: scope.components.clone(),
                            around: component.around.clone(),
                        }));
                        let bytes = unchecked_range.clone();
                        scope.components.push(Rc::new(Component { bytes, around }));
                    }
                    depth += 1;
                }
                // The last one ends this component.
                Payload::End(_) => depth = usize::saturating_sub(depth, 1),
                _ if depth > 0 => (),
                _ => self.define(&payload, component, arguments, &mut scope)?,
            }
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
            Payload::ComponentImportSection(section) => {
                for import in section.clone().into_iter_with_offsets() {
                    let (offset, import) = import?;
                    let found = argument(arguments, import.name.name, import.ty, offset)?;
                    scope.define(found);
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
        for payload in parse(self.bytes, bytes.clone()) {
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

    /// Defines a function that converts between values and core values.
    fn canonical(
        &mut self,
        function: &CanonicalFunction,
        component: usize,
        scope: &mut Scope<'a>,
        offset: usize,
    ) -> Result<(), ComponentError> {
        match function {
            CanonicalFunction::Lift { core_func_index, options, .. } => {
                let core = get(&scope.core_functions, *core_func_index, offset)?;
                let (given, post_return) = scope.options(options, offset)?;
                let GivenOptions { encoding, options } = given;
                let index = scope.functions.len() as u32;
                let type_id = self.types[&component].as_ref().component_function_at(index);
                let lifted = Lifted { core, encoding, post_return };
                let lifted = LiftedFunction { lifted, options, offset, component, type_id };
                scope.functions.push(ComponentFunction::Lifted(Rc::new(lifted)));
            }
            CanonicalFunction::Lower { func_index, options } => {
                let ComponentFunction::Host { instance, name } =
                    get(&scope.functions, *func_index, offset)?
                else {
                    return unsupported("passes values from one component to another", offset);
                };
                let types = self.types[&component].as_ref();
                let function = self.host_function(instance, name)?;
                let declared = types.component_function_at(*func_index);
                self.interface.imported[function].compare(declared, types).map_err(
                    |difference| ComponentError::WrongType {
                        what: "import",
                        instance: instance.into(),
                        function: name.into(),
                        difference,
                    },
                )?;
                let (GivenOptions { encoding, options }, _) = scope.options(options, offset)?;
                merge(&mut self.options, &options, offset)?;
                self.lowered.push(Lowered { function, encoding });
                scope.core_functions.push(Source::Host(self.lowered.len() - 1));
            }
            CanonicalFunction::ResourceNew { .. }
            | CanonicalFunction::ResourceDrop { .. }
            | CanonicalFunction::ResourceRep { .. } => {
                return unsupported("uses resources", offset);
            }
            _ => return unsupported("uses threads or asynchronous calls", offset),
        }
        Ok(())
    }

    /// The index of a function of the host in the interface.
    fn host_function(&self, instance: &str, name: &str) -> Result<usize, ComponentError> {
        let mut functions = self.interface.imported.iter();
        let found = functions.position(|function| function.name == name);
        found.filter(|_| self.interface.has(HOST, instance)).ok_or_else(|| {
            ComponentError::UnknownImport { instance: instance.into(), function: name.into() }
        })
    }

    /// The functions of the exported interface. A type that an export is given in addition does not
    /// matter: the type of the function itself is compared.
    fn exported(
        &mut self,
        exports: &HashMap<&'a str, Definition<'a>>,
    ) -> Result<Vec<Lifted>, ComponentError> {
        let Interface { package, number, export, exported, .. } = self.interface;
        let mut names: Vec<&str> =
            exports.keys().copied().filter(|name| self.interface.has(export, name)).collect();
        names.sort_unstable();
        let instance = match names[..] {
            [name] => name,
            [] => {
                let name = format!("{package}/{export}@{number}");
                return Err(ComponentError::MissingInterface { name });
            }
            [first, second, ..] => {
                let (first, second) = (first.into(), second.into());
                return Err(ComponentError::TwoInterfaces { first, second });
            }
        };
        let definitions = match &exports[instance] {
            Definition::Instance(exports) => match &**exports {
                Exports::Definitions(definitions) => definitions,
                Exports::Host(_) => return Err(ComponentError::ReExport { name: instance.into() }),
            },
            _ => return Err(ComponentError::MissingInterface { name: instance.into() }),
        };
        let mut all = Vec::new();
        for function in *exported {
            let name = function.name;
            let lifted = match definitions.get(name) {
                Some(Definition::Function(ComponentFunction::Lifted(lifted))) => lifted.clone(),
                Some(Definition::Function(ComponentFunction::Host { .. })) => {
                    return Err(ComponentError::ReExport { name: name.into() });
                }
                _ => {
                    let (instance, function) = (instance.into(), name.into());
                    return Err(ComponentError::MissingFunction { instance, function });
                }
            };
            let types = self.types[&lifted.component].as_ref();
            function.compare(lifted.type_id, types).map_err(|difference| {
                ComponentError::WrongType {
                    what: "export",
                    instance: instance.into(),
                    function: name.into(),
                    difference,
                }
            })?;
            merge(&mut self.options, &lifted.options, lifted.offset)?;
            all.push(lifted.lifted.clone());
        }
        Ok(all)
    }
}

/// The definition that a component gets for an import.
fn argument<'a>(
    arguments: &Arguments<'a>,
    name: &'a str,
    kind: ComponentTypeRef,
    offset: usize,
) -> Result<Definition<'a>, ComponentError> {
    match (arguments, kind) {
        (Arguments::Definitions(definitions), _) => {
            let missing = || ComponentError::Invalid { offset, reason: "missing import".into() };
            definitions.get(name).cloned().ok_or_else(missing)
        }
        (Arguments::Host, ComponentTypeRef::Instance(_)) => {
            Ok(Definition::Instance(Rc::new(Exports::Host(name))))
        }
        (Arguments::Host, ComponentTypeRef::Type(_)) => Ok(Definition::Type),
        (Arguments::Host, _) => unsupported("imports what is not an instance", offset),
    }
}

impl<'a> Scope<'a> {
    /// Appends a definition to the list of its kind.
    fn define(&mut self, definition: Definition<'a>) {
        match definition {
            Definition::Module(module) => self.modules.push(module),
            Definition::Function(function) => self.functions.push(function),
            Definition::Instance(instance) => self.instances.push(instance),
            Definition::Component(component) => self.components.push(component),
            Definition::Type => (),
        }
    }

    fn definition(
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

    fn alias(
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
                let mut around = component.around.as_ref();
                for _ in 1..*count {
                    around = around.and_then(|around| around.around.as_ref());
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
                        let around = around.ok_or_else(missing)?;
                        Definition::Module(get(&around.modules, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::Component, _) => {
                        let around = around.ok_or_else(missing)?;
                        Definition::Component(get(&around.components, *index, offset)?)
                    }
                };
                self.define(definition);
            }
        }
        Ok(())
    }

    /// The options of a canonical function, and the function to call after its return.
    fn options(
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
