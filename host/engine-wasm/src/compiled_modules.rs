//! The compiled core modules of a component, and how they are wired in an instance.

use sandboard_component::canonical::Encoding;
use sandboard_component::{Instance, Interface, Lowered, Source, Wiring};
use wasmtime::{
    AsContextMut, Extern, Linker, Module, ModuleExport, Store, TypedFunc, WasmParams, WasmResults,
};

use super::canonical_call::{GuestFunction, HasCanonicalState};
use super::counters::ModuleCounters;

/// The name under which a linker has the functions of the host that pass texts in this encoding.
pub(crate) fn host_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf8 => "host, UTF-8",
        Encoding::Utf16 => "host, UTF-16",
        Encoding::CompactUtf16 => "host, Latin-1 or UTF-16",
    }
}

/// All encodings of texts.
pub(crate) const ENCODINGS: [Encoding; 3] =
    [Encoding::Utf8, Encoding::Utf16, Encoding::CompactUtf16];

/// A compiled component, which can be instantiated any number of times.
pub(crate) struct CompiledModules {
    interface: &'static Interface,
    modules: Vec<CompiledModule>,
    wiring: Wiring,
}

/// A compiled core module.
pub(crate) struct CompiledModule {
    module: Module,
    /// Its exports, in their order.
    exports: Vec<ModuleExport>,
    /// The price of instantiating it, in parts of a unit of fuel.
    initialization_parts: u64,
}

impl CompiledModule {
    pub(crate) fn new(module: Module, initialization_parts: u64) -> Self {
        let exports = module.exports().filter_map(|it| module.get_export_index(it.name()));
        Self { exports: exports.collect(), module, initialization_parts }
    }
}

/// Why modules and wiring do not belong together.
#[derive(Debug, thiserror::Error)]
#[error("its modules do not have the exports of its wiring")]
struct Mismatch;

impl CompiledModules {
    /// Puts compiled modules together. Err: the wiring is that of other modules, or of another
    /// interface.
    pub(crate) fn new(
        interface: &'static Interface,
        modules: Vec<CompiledModule>,
        wiring: Wiring,
    ) -> wasmtime::Result<Self> {
        let compiled = Self { interface, modules, wiring };
        match compiled.is_complete() {
            true => Ok(compiled),
            false => Err(Mismatch.into()),
        }
    }

    /// Whether everything that the wiring refers to is there.
    fn is_complete(&self) -> bool {
        let Wiring { instances, lowered, lifted, options } = &self.wiring;
        let is_known = |source: &Source| match *source {
            Source::Export { instance, export } => {
                let module = instances.get(instance).and_then(|it| self.modules.get(it.module));
                module.is_some_and(|module| export < module.exports.len())
            }
            Source::Host(index) => index < lowered.len(),
        };
        let mut sources = instances
            .iter()
            .flat_map(|instance| &instance.imports)
            .chain(lifted.iter().map(|lifted| &lifted.core))
            .chain(lifted.iter().filter_map(|lifted| lifted.post_return.as_ref()))
            .chain(&options.memory)
            .chain(&options.realloc);
        instances.iter().all(|instance| instance.module < self.modules.len())
            && sources.all(is_known)
            && lowered.iter().all(|lowered| lowered.function < self.interface.imported.len())
            && lifted.len() == self.interface.exported.len()
    }

    /// Instantiates the modules in a store. `linker` has the functions of the host under
    /// [`host_name`], and `counters` are those of the store if the modules count. Err: a start
    /// function trapped, or a limit of the store was exceeded.
    pub(crate) fn instantiate<'a, S: HasCanonicalState>(
        &'a self,
        store: &mut Store<S>,
        linker: &Linker<S>,
        counters: Option<ModuleCounters>,
    ) -> wasmtime::Result<Instantiated<'a>> {
        let instances = &self.wiring.instances;
        let mut instantiated =
            Instantiated { compiled: self, instances: Vec::with_capacity(instances.len()) };
        // Each function of the host once for each encoding, however often it is imported.
        let mut host = vec![None; ENCODINGS.len() * self.interface.imported.len()];
        let mut imported = Vec::new();
        for (index, Instance { module, imports }) in instances.iter().enumerate() {
            imported.clear();
            for import in imports {
                imported.push(match *import {
                    Source::Export { .. } => instantiated.export(&mut *store, *import)?,
                    Source::Host(lowered) => {
                        let Lowered { function, encoding } = self.wiring.lowered[lowered];
                        let known = &mut host[function * ENCODINGS.len() + encoding as usize];
                        match known {
                            Some(function) => Extern::clone(function),
                            None => {
                                let name = self.interface.imported[function].name;
                                let found = linker.get(&mut *store, host_name(encoding), name)?;
                                known.insert(found).clone()
                            }
                        }
                    }
                });
            }
            let CompiledModule { module, initialization_parts, .. } = &self.modules[*module];
            if let Some(counters) = counters {
                counters.charge(&mut *store, *initialization_parts)?;
                imported.extend(counters.imports());
            }
            let instance = wasmtime::Instance::new(&mut *store, module, &imported)?;
            instantiated.instances.push(instance);
            let is_here = |source: &Source| match source {
                Source::Export { instance, .. } => *instance == index,
                Source::Host(_) => false,
            };
            if let Some(memory) = self.wiring.options.memory.filter(is_here) {
                let memory = instantiated.export(&mut *store, memory)?.into_memory();
                store.data_mut().canonical_state().memory = memory;
            }
            if let Some(realloc) = self.wiring.options.realloc.filter(is_here) {
                let realloc = instantiated.typed(&mut *store, realloc)?;
                store.data_mut().canonical_state().realloc = Some(realloc);
            }
        }
        Ok(instantiated)
    }
}

/// The instances of the modules in a store.
pub(crate) struct Instantiated<'a> {
    compiled: &'a CompiledModules,
    instances: Vec<wasmtime::Instance>,
}

impl Instantiated<'_> {
    fn export(&self, store: impl AsContextMut, source: Source) -> wasmtime::Result<Extern> {
        let Source::Export { instance, export } = source else { return Err(Mismatch.into()) };
        let module = self.compiled.wiring.instances[instance].module;
        let export = &self.compiled.modules[module].exports[export];
        let found = self.instances.get(instance);
        found.and_then(|it| it.get_module_export(store, export)).ok_or_else(|| Mismatch.into())
    }

    fn typed<P: WasmParams, R: WasmResults>(
        &self,
        mut store: impl AsContextMut,
        source: Source,
    ) -> wasmtime::Result<TypedFunc<P, R>> {
        let function = self.export(&mut store, source)?.into_func();
        function.ok_or(Mismatch)?.typed(&store)
    }

    /// A function of the exported interface, by its name in WIT.
    pub(crate) fn function<C: WasmParams, O: WasmResults + WasmParams>(
        &self,
        mut store: impl AsContextMut,
        name: &str,
    ) -> wasmtime::Result<GuestFunction<C, O>> {
        let CompiledModules { interface, wiring, .. } = self.compiled;
        let index = interface.exported.iter().position(|function| function.name == name);
        let lifted = index.and_then(|index| wiring.lifted.get(index)).ok_or(Mismatch)?;
        let core = self.typed(&mut store, lifted.core)?;
        let post_return = lifted.post_return.map(|source| self.typed(&mut store, source));
        let (encoding, post_return) = (lifted.encoding, post_return.transpose()?);
        Ok(GuestFunction { core, encoding, post_return })
    }
}
