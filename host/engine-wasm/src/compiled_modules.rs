//! The compiled core modules of a component, and how they are wired in an instance.

use sandboard_component::canonical::Encoding;
use sandboard_component::{Instance, Interface, Lowered, Source, Wiring};

use super::backend::{Backend, Context, StoreData};
use super::call_error::CallError;
use super::canonical_call::GuestFunction;
use super::counters::ModuleCounters;

/// All encodings of texts.
pub(crate) const ENCODINGS: [Encoding; 3] =
    [Encoding::Utf8, Encoding::Utf16, Encoding::CompactUtf16];

/// A compiled component, which can be instantiated any number of times.
pub(crate) struct CompiledModules<B: Backend> {
    interface: &'static Interface,
    modules: Vec<CompiledModule<B>>,
    wiring: Wiring,
}

/// A compiled core module.
pub(crate) struct CompiledModule<B: Backend> {
    pub(crate) module: B::Module,
    /// Its exports, in their order.
    pub(crate) exports: Vec<B::ExportKey>,
    /// The price of instantiating it, in parts of a unit of fuel.
    pub(crate) initialization_parts: u64,
}

/// Why modules and wiring do not belong together.
#[derive(Debug, thiserror::Error)]
#[error("its modules do not have the exports of its wiring")]
pub(crate) struct Mismatch;

impl From<Mismatch> for CallError {
    fn from(mismatch: Mismatch) -> Self {
        Self::Other(mismatch.to_string())
    }
}

impl<B: Backend> CompiledModules<B> {
    /// Puts compiled modules together. Err: the wiring is that of other modules, or of another
    /// interface.
    pub(crate) fn new(
        interface: &'static Interface,
        modules: Vec<CompiledModule<B>>,
        wiring: Wiring,
    ) -> Result<Self, Mismatch> {
        let compiled = Self { interface, modules, wiring };
        match compiled.is_complete() {
            true => Ok(compiled),
            false => Err(Mismatch),
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

    /// Instantiates the modules in a store, which gets these functions of the host. `counters` are
    /// those of the store if the modules count. Err: a start function trapped, or a limit of the
    /// store was exceeded.
    pub(crate) fn instantiate<S: StoreData<B>>(
        &self,
        store: &mut B::Store<S>,
        functions: &B::HostFunctions<S>,
        counters: Option<ModuleCounters<B::Counters>>,
    ) -> Result<Instantiated<'_, B>, CallError> {
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
                    Source::Export { .. } => instantiated.export(store, *import)?,
                    Source::Host(lowered) => {
                        let Lowered { function, encoding } = self.wiring.lowered[lowered];
                        let known = &mut host[function * ENCODINGS.len() + encoding as usize];
                        match known {
                            Some(function) => B::Extern::clone(function),
                            None => {
                                let name = self.interface.imported[function].name;
                                let found = B::host_function(functions, store, name, encoding);
                                known.insert(found.ok_or(Mismatch)?).clone()
                            }
                        }
                    }
                });
            }
            let CompiledModule { module, initialization_parts, .. } = &self.modules[*module];
            if let Some(counters) = counters {
                counters.charge(store, *initialization_parts)?;
                imported.extend(B::counter_imports(counters.0));
            }
            instantiated.instances.push(B::instantiate(store, module, &imported)?);
            let is_here = |source: &Source| match source {
                Source::Export { instance, .. } => *instance == index,
                Source::Host(_) => false,
            };
            if let Some(memory) = self.wiring.options.memory.filter(is_here) {
                let memory = B::memory(&instantiated.export(store, memory)?);
                store.data_mut().canonical_state().memory = memory;
            }
            if let Some(realloc) = self.wiring.options.realloc.filter(is_here) {
                let realloc = instantiated.core_function(store, realloc)?;
                store.data_mut().canonical_state().realloc = Some(realloc);
            }
        }
        Ok(instantiated)
    }
}

/// The instances of the modules in a store.
pub(crate) struct Instantiated<'a, B: Backend> {
    compiled: &'a CompiledModules<B>,
    instances: Vec<B::Instance>,
}

impl<B: Backend> Instantiated<'_, B> {
    fn export<S: StoreData<B>>(
        &self,
        store: &mut B::Store<S>,
        source: Source,
    ) -> Result<B::Extern, Mismatch> {
        let Source::Export { instance, export } = source else { return Err(Mismatch) };
        let module = self.compiled.wiring.instances[instance].module;
        let key = &self.compiled.modules[module].exports[export];
        let found = self.instances.get(instance);
        found.and_then(|it| B::export(store, *it, key)).ok_or(Mismatch)
    }

    fn core_function<S: StoreData<B>>(
        &self,
        store: &mut B::Store<S>,
        source: Source,
    ) -> Result<B::Function, Mismatch> {
        let function = self.export(store, source)?;
        B::function(store, &function).ok_or(Mismatch)
    }

    /// A function of the exported interface, by its name in WIT.
    pub(crate) fn function<S: StoreData<B>>(
        &self,
        store: &mut B::Store<S>,
        name: &str,
    ) -> Result<GuestFunction<B::Function>, CallError> {
        let CompiledModules { interface, wiring, .. } = self.compiled;
        let index = interface.exported.iter().position(|function| function.name == name);
        let lifted = index.and_then(|index| wiring.lifted.get(index)).ok_or(Mismatch)?;
        let core = self.core_function(store, lifted.core)?;
        let post_return = lifted.post_return.map(|source| self.core_function(store, source));
        let (encoding, post_return) = (lifted.encoding, post_return.transpose()?);
        Ok(GuestFunction { core, encoding, post_return })
    }
}
