//! Follows the instantiation of a component symbolically: each definition becomes the core item
//! that it stands for.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use wasmparser::component_types::ComponentFuncTypeId;
use wasmparser::types::Types;
use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentAlias, ComponentExport, ComponentExternalKind,
    ComponentInstance, ComponentOuterAliasKind, ComponentTypeRef, Export, ExternalKind,
    Instance as CoreInstanceItem, InstantiationArg, Parser, Payload, ValidPayload, Validator,
};

use super::{
    FEATURES, HOST, Instance, Interface, Lifted, Options, Program, ProgramError, Source, Wiring,
};
use crate::canonical::Encoding;

/// Reads a component; see [`Program::read`].
pub(super) fn read<'a>(
    bytes: &'a [u8],
    interface: &'static Interface,
) -> Result<Program<'a>, ProgramError> {
    let types = validate(bytes)?;
    let mut evaluator = Evaluator {
        bytes,
        interface,
        types,
        modules: Vec::new(),
        instances: Vec::new(),
        lowered: Vec::new(),
        options: PartialOptions::default(),
    };
    let component = Component { bytes: 0..bytes.len(), around: None };
    let exports = evaluator.instantiate(&component, &Arguments::Host)?;
    let lifted = evaluator.exported(&exports)?;
    let Evaluator { modules, instances, lowered, options, .. } = evaluator;
    let PartialOptions { encoding, memory, realloc } = options;
    let options = Options { encoding: encoding.unwrap_or(Encoding::Utf8), memory, realloc };
    let modules = modules.into_iter().map(|module| &bytes[module.bytes]).collect();
    Ok(Program { modules, wiring: Wiring { instances, lowered, lifted, options } })
}

/// Validates a component except for the bodies of functions. Returns the types of each component in
/// it, by the offset at which it begins.
fn validate(bytes: &[u8]) -> Result<HashMap<usize, Types>, ProgramError> {
    let mut validator = Validator::new_with_features(FEATURES);
    let mut types = HashMap::new();
    // The offsets of the enclosing modules and components.
    let mut starts = Vec::new();
    for payload in parse(bytes, 0..bytes.len()) {
        let payload = payload?;
        if let Payload::Version { range, .. } = &payload {
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
    parser.parse_all(&bytes[range])
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
    modules: Vec<usize>,
    components: Vec<Rc<Component>>,
    around: Option<Rc<Surroundings>>,
}

/// A core module of the file.
struct Module {
    bytes: Range<usize>,
    /// The names of its imports.
    imports: Rc<[(String, String)]>,
}

/// What a component gets for its imports.
enum Arguments {
    /// The component is the outermost one: instances of the host.
    Host,
    /// By name.
    Items(HashMap<String, Item>),
}

/// A definition of a component. What a type is does not matter here.
#[derive(Clone)]
enum Item {
    Module(usize),
    Function(Function),
    Instance(Rc<Exports>),
    Component(Rc<Component>),
    Type,
}

/// The exports of an instance of a component.
enum Exports {
    /// An instance of the host, by its name.
    Host(String),
    Items(HashMap<String, Item>),
}

/// A function of a component.
#[derive(Clone)]
enum Function {
    /// A function of an instance of the host.
    Host { instance: Rc<Exports>, name: String },
    /// A core function of the component.
    Lifted(Rc<LiftedFunction>),
}

struct LiftedFunction {
    lifted: Lifted,
    options: PartialOptions,
    offset: usize,
    /// The place of the component that lifts it, and its type there.
    component: usize,
    type_id: ComponentFuncTypeId,
}

/// An instance of a core module, or a group of core items.
enum CoreExports {
    Instance(usize),
    Items(HashMap<String, Source>),
}

impl CoreExports {
    fn get(&self, name: &str) -> Option<Source> {
        match self {
            Self::Instance(instance) => {
                Some(Source::Export { instance: *instance, name: name.to_owned() })
            }
            Self::Items(items) => items.get(name).cloned(),
        }
    }
}

/// The definitions of a component that is being instantiated.
#[derive(Default)]
struct Scope {
    modules: Vec<usize>,
    components: Vec<Rc<Component>>,
    functions: Vec<Function>,
    instances: Vec<Rc<Exports>>,
    core_functions: Vec<Source>,
    core_memories: Vec<Source>,
    core_tables: Vec<Source>,
    core_globals: Vec<Source>,
    core_instances: Vec<Rc<CoreExports>>,
    exports: HashMap<String, Item>,
}

struct Evaluator<'a> {
    bytes: &'a [u8],
    interface: &'static Interface,
    /// The types of each component, by the offset at which it begins.
    types: HashMap<usize, Types>,
    modules: Vec<Module>,
    instances: Vec<Instance>,
    lowered: Vec<usize>,
    /// The options of all functions so far.
    options: PartialOptions,
}

/// The options that some functions have given.
#[derive(Clone, Default)]
struct PartialOptions {
    encoding: Option<Encoding>,
    memory: Option<Source>,
    realloc: Option<Source>,
}

impl PartialOptions {
    /// Adds those of a function at this offset. Err: they differ from those of another function.
    fn add(
        &mut self,
        other: &Self,
        function: &crate::Function,
        offset: usize,
    ) -> Result<(), ProgramError> {
        fn merge<T: Clone + PartialEq>(to: &mut Option<T>, from: Option<&T>) -> bool {
            match (&to, from) {
                (_, None) => true,
                (None, Some(from)) => {
                    *to = Some(from.clone());
                    true
                }
                (Some(to), Some(from)) => to == from,
            }
        }
        // A function whose values have no text names no encoding.
        let encoding = other.encoding.unwrap_or(Encoding::Utf8);
        if !merge(&mut self.encoding, Some(&encoding).filter(|_| function.has_text())) {
            return unsupported("uses texts in two encodings", offset);
        }
        if !merge(&mut self.memory, other.memory.as_ref()) {
            return unsupported("passes values in two memories", offset);
        }
        match merge(&mut self.realloc, other.realloc.as_ref()) {
            true => Ok(()),
            false => unsupported("allocates with two functions", offset),
        }
    }
}

/// The error for what the host does not support.
fn unsupported<T>(what: &'static str, offset: usize) -> Result<T, ProgramError> {
    Err(ProgramError::Unsupported { what, offset })
}

/// A definition by its index. The validator has checked the index.
fn get<T: Clone>(items: &[T], index: u32, offset: usize) -> Result<T, ProgramError> {
    let missing = || ProgramError::Invalid { offset, reason: format!("unknown index {index}") };
    items.get(index as usize).cloned().ok_or_else(missing)
}

impl Evaluator<'_> {
    /// Instantiates a component, and returns its exports.
    fn instantiate(
        &mut self,
        component: &Component,
        arguments: &Arguments,
    ) -> Result<HashMap<String, Item>, ProgramError> {
        let bytes = self.bytes;
        let mut scope = Scope::default();
        // How many modules and components around the current payload are inside of this component.
        let mut depth = 0usize;
        for payload in parse(bytes, component.bytes.clone()) {
            let payload = payload?;
            match &payload {
                Payload::ModuleSection { unchecked_range, .. } => {
                    if depth == 0 {
                        let module = self.module(unchecked_range.clone())?;
                        scope.modules.push(module);
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
        payload: &Payload<'_>,
        component: &Component,
        arguments: &Arguments,
        scope: &mut Scope,
    ) -> Result<(), ProgramError> {
        match payload {
            Payload::ComponentImportSection(section) => {
                for import in section.clone().into_iter_with_offsets() {
                    let (offset, import) = import?;
                    let item = argument(arguments, import.name.name, import.ty, offset)?;
                    scope.define(item);
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone().into_iter_with_offsets() {
                    let (offset, ComponentExport { name, kind, index, .. }) = export?;
                    let item = scope.item(kind, index, offset)?;
                    scope.define(item.clone());
                    scope.exports.insert(name.name.to_owned(), item);
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
                    scope.instances.push(Rc::new(Exports::Items(exports)));
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

    /// Adds a module of the file, once. Returns its index.
    fn module(&mut self, bytes: Range<usize>) -> Result<usize, ProgramError> {
        if let Some(index) = self.modules.iter().position(|module| module.bytes == bytes) {
            return Ok(index);
        }
        let mut imports = Vec::new();
        for payload in parse(self.bytes, bytes.clone()) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        imports.push((import.module.to_owned(), import.name.to_owned()));
                    }
                }
                // Imports come before functions.
                Payload::FunctionSection(_) | Payload::CodeSectionStart { .. } => break,
                _ => (),
            }
        }
        self.modules.push(Module { bytes, imports: imports.into() });
        Ok(self.modules.len() - 1)
    }

    fn core_instance(
        &mut self,
        instance: &CoreInstanceItem<'_>,
        scope: &Scope,
        offset: usize,
    ) -> Result<CoreExports, ProgramError> {
        match instance {
            CoreInstanceItem::Instantiate { module_index, args } => {
                let module = get(&scope.modules, *module_index, offset)?;
                let imports = self.imports(module, args, scope, offset)?;
                self.instances.push(Instance { module, imports });
                Ok(CoreExports::Instance(self.instances.len() - 1))
            }
            CoreInstanceItem::FromExports(exports) => {
                let mut items = HashMap::new();
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
                    items.insert((*name).to_owned(), source);
                }
                Ok(CoreExports::Items(items))
            }
        }
    }

    /// What the imports of a module are in an instance with these arguments.
    fn imports(
        &self,
        module: usize,
        arguments: &[InstantiationArg<'_>],
        scope: &Scope,
        offset: usize,
    ) -> Result<Vec<Source>, ProgramError> {
        let find = |(from, name): &(String, String)| {
            let argument = arguments.iter().find(|argument| argument.name == from)?;
            scope.core_instances.get(argument.index as usize)?.get(name)
        };
        let missing = || ProgramError::Invalid { offset, reason: "missing import".into() };
        self.modules[module].imports.iter().map(|it| find(it).ok_or_else(missing)).collect()
    }

    fn instance(
        &mut self,
        instance: &ComponentInstance<'_>,
        scope: &Scope,
        offset: usize,
    ) -> Result<HashMap<String, Item>, ProgramError> {
        match instance {
            ComponentInstance::Instantiate { component_index, args } => {
                let component = get(&scope.components, *component_index, offset)?;
                let mut items = HashMap::new();
                for argument in args {
                    let item = scope.item(argument.kind, argument.index, offset)?;
                    items.insert(argument.name.to_owned(), item);
                }
                self.instantiate(&component, &Arguments::Items(items))
            }
            ComponentInstance::FromExports(exports) => {
                let mut items = HashMap::new();
                for ComponentExport { name, kind, index, .. } in exports {
                    items.insert(name.name.to_owned(), scope.item(*kind, *index, offset)?);
                }
                Ok(items)
            }
        }
    }

    /// Defines a function that converts between values and core values.
    fn canonical(
        &mut self,
        function: &CanonicalFunction,
        component: usize,
        scope: &mut Scope,
        offset: usize,
    ) -> Result<(), ProgramError> {
        match function {
            CanonicalFunction::Lift { core_func_index, options, .. } => {
                let core = get(&scope.core_functions, *core_func_index, offset)?;
                let (options, post_return) = scope.options(options, offset)?;
                let index = scope.functions.len() as u32;
                let type_id = self.types[&component].as_ref().component_function_at(index);
                let lifted = Lifted { core, post_return };
                let lifted = LiftedFunction { lifted, options, offset, component, type_id };
                scope.functions.push(Function::Lifted(Rc::new(lifted)));
            }
            CanonicalFunction::Lower { func_index, options } => {
                let Function::Host { instance, name } = get(&scope.functions, *func_index, offset)?
                else {
                    return unsupported("passes values from one component to another", offset);
                };
                let Exports::Host(instance) = &*instance else {
                    return unsupported("takes functions from instances in instances", offset);
                };
                let types = self.types[&component].as_ref();
                let function = self.host_function(instance, &name)?;
                let declared = types.component_function_at(*func_index);
                self.interface.imported[function].compare(declared, types).map_err(
                    |difference| ProgramError::WrongType {
                        what: "import",
                        instance: instance.clone(),
                        function: name.clone(),
                        difference,
                    },
                )?;
                let (options, _) = scope.options(options, offset)?;
                self.options.add(&options, &self.interface.imported[function], offset)?;
                self.lowered.push(function);
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
    fn host_function(&self, instance: &str, name: &str) -> Result<usize, ProgramError> {
        let mut functions = self.interface.imported.iter();
        let found = functions.position(|function| function.name == name);
        found.filter(|_| self.interface.has(HOST, instance)).ok_or_else(|| {
            ProgramError::UnknownImport { instance: instance.into(), function: name.into() }
        })
    }

    /// The functions of the exported interface.
    fn exported(&mut self, exports: &HashMap<String, Item>) -> Result<Vec<Lifted>, ProgramError> {
        let Interface { package, number, export, exported, .. } = self.interface;
        let found = exports.iter().find(|(name, _)| self.interface.has(export, name));
        let Some((instance, Item::Instance(items))) = found else {
            let name = format!("{package}/{export}@{number}");
            return Err(ProgramError::MissingInterface { name });
        };
        let Exports::Items(items) = &**items else {
            return unsupported("exports an instance that it imports", 0);
        };
        let mut all = Vec::new();
        for function in *exported {
            let lifted = match items.get(function.name) {
                Some(Item::Function(Function::Lifted(lifted))) => lifted,
                Some(Item::Function(Function::Host { .. })) => {
                    return unsupported("exports a function that it imports", 0);
                }
                _ => {
                    let (instance, function) = (instance.clone(), function.name.into());
                    return Err(ProgramError::MissingFunction { instance, function });
                }
            };
            let types = self.types[&lifted.component].as_ref();
            function.compare(lifted.type_id, types).map_err(|difference| {
                ProgramError::WrongType {
                    what: "export",
                    instance: instance.clone(),
                    function: function.name.into(),
                    difference,
                }
            })?;
            self.options.add(&lifted.options, function, lifted.offset)?;
            all.push(lifted.lifted.clone());
        }
        Ok(all)
    }
}

/// The item that a component gets for an import.
fn argument(
    arguments: &Arguments,
    name: &str,
    kind: ComponentTypeRef,
    offset: usize,
) -> Result<Item, ProgramError> {
    match (arguments, kind) {
        (Arguments::Items(items), _) => {
            let missing = || ProgramError::Invalid { offset, reason: "missing import".into() };
            items.get(name).cloned().ok_or_else(missing)
        }
        (Arguments::Host, ComponentTypeRef::Instance(_)) => {
            Ok(Item::Instance(Rc::new(Exports::Host(name.to_owned()))))
        }
        (Arguments::Host, ComponentTypeRef::Type(_)) => Ok(Item::Type),
        (Arguments::Host, _) => unsupported("imports what is not an instance", offset),
    }
}

impl Scope {
    /// Appends a definition to the list of its kind.
    fn define(&mut self, item: Item) {
        match item {
            Item::Module(module) => self.modules.push(module),
            Item::Function(function) => self.functions.push(function),
            Item::Instance(instance) => self.instances.push(instance),
            Item::Component(component) => self.components.push(component),
            Item::Type => (),
        }
    }

    fn item(
        &self,
        kind: ComponentExternalKind,
        index: u32,
        offset: usize,
    ) -> Result<Item, ProgramError> {
        Ok(match kind {
            ComponentExternalKind::Module => Item::Module(get(&self.modules, index, offset)?),
            ComponentExternalKind::Func => Item::Function(get(&self.functions, index, offset)?),
            ComponentExternalKind::Instance => Item::Instance(get(&self.instances, index, offset)?),
            ComponentExternalKind::Component => {
                Item::Component(get(&self.components, index, offset)?)
            }
            ComponentExternalKind::Type => Item::Type,
            ComponentExternalKind::Value => return unsupported("passes values", offset),
        })
    }

    fn alias(
        &mut self,
        alias: &ComponentAlias<'_>,
        component: &Component,
        offset: usize,
    ) -> Result<(), ProgramError> {
        let missing = || ProgramError::Invalid { offset, reason: "unknown export".into() };
        match alias {
            ComponentAlias::InstanceExport { kind, instance_index, name } => {
                let instance = get(&self.instances, *instance_index, offset)?;
                let item = match (&*instance, kind) {
                    (Exports::Items(items), _) => items.get(*name).cloned().ok_or_else(missing)?,
                    (Exports::Host(_), ComponentExternalKind::Func) => {
                        let name = (*name).to_owned();
                        Item::Function(Function::Host { instance, name })
                    }
                    (Exports::Host(_), ComponentExternalKind::Type) => Item::Type,
                    (Exports::Host(_), _) => {
                        return unsupported("imports what is neither function nor type", offset);
                    }
                };
                self.define(item);
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
                let item = match (kind, count) {
                    (ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type, _) => {
                        return Ok(());
                    }
                    (ComponentOuterAliasKind::CoreModule, 0) => {
                        Item::Module(get(&self.modules, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::Component, 0) => {
                        Item::Component(get(&self.components, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::CoreModule, _) => {
                        let around = around.ok_or_else(missing)?;
                        Item::Module(get(&around.modules, *index, offset)?)
                    }
                    (ComponentOuterAliasKind::Component, _) => {
                        let around = around.ok_or_else(missing)?;
                        Item::Component(get(&around.components, *index, offset)?)
                    }
                };
                self.define(item);
            }
        }
        Ok(())
    }

    /// The options of a canonical function, and the function to call after its return.
    fn options(
        &self,
        options: &[CanonicalOption],
        offset: usize,
    ) -> Result<(PartialOptions, Option<Source>), ProgramError> {
        let mut found = PartialOptions::default();
        let mut post_return = None;
        for option in options {
            match *option {
                CanonicalOption::UTF8 => found.encoding = Some(Encoding::Utf8),
                CanonicalOption::UTF16 => found.encoding = Some(Encoding::Utf16),
                CanonicalOption::CompactUTF16 => found.encoding = Some(Encoding::CompactUtf16),
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
        Ok((found, post_return))
    }
}
