//! A compiled component: its core modules, and how they are wired in an instance.

use sandboard_component::canonical::Encoding;
use sandboard_component::{Instance, Interface, Source, Wiring};
use wasmtime::{
    AsContextMut, Extern, Func, Linker, Module, ModuleExport, Store, TypedFunc, WasmParams,
    WasmResults,
};

use super::guest::{GuestFunction, HasPassage};

/// The name under which a linker has the functions of the host.
pub(crate) const HOST: &str = "host";

/// A compiled component, which can be instantiated any number of times.
pub(crate) struct CompiledProgram {
    interface: &'static Interface,
    modules: Vec<Module>,
    instances: Vec<ProgramInstance>,
    lifted: Vec<ProgramFunction>,
    memory: Option<Item>,
    realloc: Option<Item>,
    encoding: Encoding,
}

/// An instance of a module: the index of the module, and what its imports are.
struct ProgramInstance {
    module: usize,
    imports: Vec<Item>,
}

/// A function of the exported interface.
struct ProgramFunction {
    core: Item,
    post_return: Option<Item>,
}

/// What an import or exported function is.
enum Item {
    /// An export of the instance with this index.
    Export(usize, ModuleExport),
    /// A function of the host, by its index in the interface.
    Host(usize),
}

/// Why modules and wiring do not belong together.
#[derive(Debug, thiserror::Error)]
#[error("its modules do not have the exports of its wiring")]
struct Mismatch;

impl CompiledProgram {
    /// Puts compiled modules together. Err: the wiring is that of other modules.
    pub(crate) fn new(
        interface: &'static Interface,
        modules: Vec<Module>,
        wiring: &Wiring,
    ) -> wasmtime::Result<Self> {
        let item = |source: &Source| {
            let found = match source {
                Source::Export { instance, name } => {
                    let module = wiring.instances.get(*instance).map(|it| it.module);
                    let module = module.and_then(|module| modules.get(module));
                    let export = module.and_then(|module| module.get_export_index(name));
                    export.map(|export| Item::Export(*instance, export))
                }
                Source::Host(lowered) => wiring.lowered.get(*lowered).map(|it| Item::Host(*it)),
            };
            found.ok_or_else(|| wasmtime::Error::new(Mismatch))
        };
        let optional = |source: &Option<Source>| source.as_ref().map(item).transpose();
        let instances = wiring.instances.iter().map(|Instance { module, imports }| {
            let imports = imports.iter().map(item).collect::<wasmtime::Result<_>>()?;
            modules.get(*module).ok_or(Mismatch)?;
            Ok(ProgramInstance { module: *module, imports })
        });
        let instances = instances.collect::<wasmtime::Result<_>>()?;
        let lifted = wiring.lifted.iter().map(|lifted| {
            let post_return = optional(&lifted.post_return)?;
            Ok(ProgramFunction { core: item(&lifted.core)?, post_return })
        });
        let lifted = lifted.collect::<wasmtime::Result<_>>()?;
        let memory = optional(&wiring.options.memory)?;
        let realloc = optional(&wiring.options.realloc)?;
        let encoding = wiring.options.encoding;
        Ok(Self { interface, modules, instances, lifted, memory, realloc, encoding })
    }

    /// The encoding of texts.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Instantiates the modules in a store. `linker` has the functions of the host under
    /// [`HOST`]. Err: a start function trapped, or a limit of the store was exceeded.
    pub(crate) fn instantiate<'a, S: HasPassage>(
        &'a self,
        store: &mut Store<S>,
        linker: &Linker<S>,
    ) -> wasmtime::Result<Instantiated<'a>> {
        let mut instantiated =
            Instantiated { program: self, instances: Vec::with_capacity(self.instances.len()) };
        let mut externs = Vec::new();
        for (index, ProgramInstance { module, imports }) in self.instances.iter().enumerate() {
            externs.clear();
            for import in imports {
                externs.push(match import {
                    Item::Export(..) => instantiated.export(&mut *store, import)?,
                    Item::Host(function) => {
                        let name = self.interface.imported[*function].name;
                        linker.get(&mut *store, HOST, name)?
                    }
                });
            }
            let module = &self.modules[*module];
            let instance = wasmtime::Instance::new(&mut *store, module, &externs)?;
            instantiated.instances.push(instance);
            let is_here = |item: &&Item| matches!(item, Item::Export(at, _) if *at == index);
            if let Some(memory) = self.memory.as_ref().filter(is_here) {
                let memory = instantiated.export(&mut *store, memory)?.into_memory();
                store.data_mut().passage().memory = memory;
            }
            if let Some(realloc) = self.realloc.as_ref().filter(is_here) {
                let realloc = instantiated.typed(&mut *store, realloc)?;
                store.data_mut().passage().realloc = Some(realloc);
            }
        }
        Ok(instantiated)
    }
}

/// The instances of a program in a store.
pub(crate) struct Instantiated<'a> {
    program: &'a CompiledProgram,
    instances: Vec<wasmtime::Instance>,
}

impl Instantiated<'_> {
    fn export(&self, store: impl AsContextMut, item: &Item) -> wasmtime::Result<Extern> {
        let found = match item {
            Item::Export(instance, export) => self
                .instances
                .get(*instance)
                .and_then(|instance| instance.get_module_export(store, export)),
            Item::Host(_) => None,
        };
        found.ok_or_else(|| wasmtime::Error::new(Mismatch))
    }

    fn typed<P: WasmParams, R: WasmResults>(
        &self,
        mut store: impl AsContextMut,
        item: &Item,
    ) -> wasmtime::Result<TypedFunc<P, R>> {
        let function: Option<Func> = self.export(&mut store, item)?.into_func();
        function.ok_or(Mismatch)?.typed(&store)
    }

    /// A function of the exported interface, by its name in WIT.
    pub(crate) fn function<C: WasmParams, O: WasmResults + WasmParams>(
        &self,
        mut store: impl AsContextMut,
        name: &str,
    ) -> wasmtime::Result<GuestFunction<C, O>> {
        let exported = self.program.interface.exported;
        let index = exported.iter().position(|function| function.name == name);
        let function = index.and_then(|index| self.program.lifted.get(index)).ok_or(Mismatch)?;
        let core = self.typed(&mut store, &function.core)?;
        let post_return = function.post_return.as_ref();
        let post_return = post_return.map(|item| self.typed(&mut store, item)).transpose()?;
        Ok(GuestFunction { core, post_return })
    }
}
