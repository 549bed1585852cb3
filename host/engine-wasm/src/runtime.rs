//! The runtimes of this process: wasmtime in three configurations with the same features, limits
//! and pool, and an interpreter. Nothing is configured per bout: what is off here is off for every
//! engine.

mod configuration;
mod options;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use sandboard_abi::limits::REASON_BYTES;
use sandboard_common::text::clean_text;
use sandboard_component::{ComponentError, CoreModules};
use sandboard_engine::{Caps, Fault, FaultCode};
use sandboard_metering::{initialization_parts, instrument};
use wasmtime::Module;

#[cfg(feature = "wasmi")]
use super::backend::wasmi::Wasmi;
use super::backend::wasmtime::{Wasmtime, words};
use super::code_cache::{CodeCache, CompiledCode, ModuleCode};
use super::compiled_modules::CompiledModules;
use super::load_fault;
use super::scan::{LoadCaps, World, admit};
use configuration::new_engine;
pub use options::{Allocator, Metering, OptLevel, RuntimeKind, RuntimeOptions};

/// Name and version of the runtime. Where the runtime counts fuel, another version may count
/// differently.
pub const RUNTIME_VERSION: &str = "wasmtime 48.0.8";

/// Stack size of a wasm call, in bytes.
pub const STACK_BYTES: usize = 1024 * 1024;
/// Maximum memory cap of an instance, in bytes.
pub(super) const MEMORY_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;
/// Maximum number of memories of an instance. As for the following limits, the scan refuses more
/// with either allocator.
pub(super) const MEMORIES: u32 = 1;
/// Maximum number of tables of an instance.
pub(super) const TABLES: u32 = 8;
/// Maximum number of core module instances of an instance.
pub(super) const CORE_INSTANCES: u32 = 100;
/// Maximum number of elements of a table.
pub(super) const TABLE_ELEMENTS: usize = 100_000;

/// Compiles components outside this process.
pub trait Compiler: Send + Sync {
    /// Compiles a component for a runtime with these options. Err: a fault of the component, or
    /// with [`FaultCode::Host`] of the host.
    fn compile(
        &self,
        bytes: &[u8],
        metering: Metering,
        options: RuntimeOptions,
    ) -> Result<CompiledCode, Fault>;
}

/// What a runtime does if its [`Compiler`] is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerFallback {
    /// Compiles in this process.
    InProcess,
    /// Fails with the compiler's fault.
    Fail,
}

/// The modules of a component, compiled for the backend of a runtime.
pub(super) enum Modules {
    Wasmtime(Wasmtime, CompiledModules<Wasmtime>),
    #[cfg(feature = "wasmi")]
    Wasmi(Wasmi, CompiledModules<Wasmi>),
}

/// What all wasm engines of a process share. Created once per process.
#[derive(Default)]
pub struct Runtime {
    /// The wasmtime engines for each metering.
    wasmtime: [OnceLock<Wasmtime>; 3],
    #[cfg(feature = "wasmi")]
    wasmi: OnceLock<Wasmi>,
    cache: Option<CodeCache>,
    compiler: Option<(Arc<dyn Compiler>, CompilerFallback)>,
    load_caps: LoadCaps,
    options: RuntimeOptions,
    without_interruption: bool,
}

impl Runtime {
    /// A runtime without a cache of compiled code.
    pub fn new() -> Self {
        Self::default()
    }

    /// A runtime that caches compiled code.
    pub fn with_cache(cache: CodeCache) -> Self {
        Self { cache: Some(cache), ..Self::default() }
    }

    /// A runtime whose engines cannot be interrupted by deadlines and stop requests. Only for
    /// measuring the cost of interruption (`cargo xtask bench sandbox metering`).
    pub fn without_interruption() -> Self {
        Self { without_interruption: true, ..Self::default() }
    }

    /// The same runtime with other options. Forgets its wasmtime engines.
    pub fn with_options(self, options: RuntimeOptions) -> Self {
        let Self { cache, compiler, load_caps, .. } = self;
        Self { cache, compiler, load_caps, options, ..Self::default() }
    }

    /// The same runtime with other caps for components.
    pub fn with_load_caps(self, load_caps: LoadCaps) -> Self {
        Self { load_caps, ..self }
    }

    /// The caps for components.
    pub fn load_caps(&self) -> &LoadCaps {
        &self.load_caps
    }

    /// The runtime's options.
    pub fn options(&self) -> RuntimeOptions {
        self.options
    }

    /// The caps of an instance in this runtime. An interpreter may take as long as it needs: the
    /// host's guard beside fuel is for compiled code, and fuel ends every call.
    pub fn caps(&self, caps: Caps) -> Caps {
        match self.options.kind {
            RuntimeKind::Wasmtime => caps,
            RuntimeKind::Wasmi => Caps { enforce_deadlines: false, ..caps },
        }
    }

    /// The wasmtime engine for this metering.
    pub(super) fn wasmtime(&self, metering: Metering) -> Result<&Wasmtime, Fault> {
        let cell = &self.wasmtime[metering as usize];
        if let Some(engine) = cell.get() {
            return Ok(engine);
        }
        let interruptible = !self.without_interruption;
        let engine = new_engine(metering, self.options, interruptible);
        let engine = Wasmtime(engine.map_err(|error| load_error(&error))?);
        Ok(cell.get_or_init(|| engine))
    }

    /// The interpreter. Err: it is not in this build, or this metering needs another runtime.
    #[cfg(feature = "wasmi")]
    fn wasmi(&self, metering: Metering) -> Result<&Wasmi, Fault> {
        if metering != Metering::Fuel {
            return Err(load_fault(&"wasmi runs only modules that count their fuel themselves"));
        }
        Ok(self.wasmi.get_or_init(Wasmi::new))
    }

    /// The same runtime, with a compiler outside this process.
    pub fn with_compiler(self, compiler: Arc<dyn Compiler>, fallback: CompilerFallback) -> Self {
        Self { compiler: Some((compiler, fallback)), ..self }
    }

    /// Scans a file and returns its component. Err: the component is refused.
    pub(super) fn admit<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
        admit(bytes, &self.load_caps).map_err(|error| load_fault(&error))
    }

    /// Scans a file and compiles its component.
    #[cfg(target_os = "linux")]
    pub fn compile_scanned(&self, metering: Metering, bytes: &[u8]) -> Result<CompiledCode, Fault> {
        self.code(metering, &self.admit(bytes)?, World::Engine)
    }

    /// Compiles and deserialises a component that was scanned, for its interface.
    pub(super) fn modules(
        &self,
        metering: Metering,
        bytes: &[u8],
        world: World,
    ) -> Result<Modules, Fault> {
        match self.options.kind {
            RuntimeKind::Wasmtime => {
                let engine = self.wasmtime(metering)?;
                let modules = self.compiled_modules(engine, metering, bytes, world)?;
                Ok(Modules::Wasmtime(engine.clone(), modules))
            }
            RuntimeKind::Wasmi => {
                self.modules_of_code(&self.code(metering, bytes, world)?, metering, world)
            }
        }
    }

    /// Deserialises a component that a runtime with the same options has compiled.
    pub(super) fn modules_of_code(
        &self,
        code: &CompiledCode,
        metering: Metering,
        world: World,
    ) -> Result<Modules, Fault> {
        match self.options.kind {
            RuntimeKind::Wasmtime => {
                let engine = self.wasmtime(metering)?;
                let modules = code.of_wasmtime(engine, world);
                Ok(Modules::Wasmtime(engine.clone(), modules.map_err(|error| load_fault(&error))?))
            }
            #[cfg(feature = "wasmi")]
            RuntimeKind::Wasmi => {
                let engine = self.wasmi(metering)?;
                let modules = code.of_wasmi(engine, world);
                Ok(Modules::Wasmi(engine.clone(), modules.map_err(|error| load_fault(&error))?))
            }
            #[cfg(not(feature = "wasmi"))]
            RuntimeKind::Wasmi => Err(without_wasmi()),
        }
    }

    fn compiled_modules(
        &self,
        engine: &Wasmtime,
        metering: Metering,
        bytes: &[u8],
        world: World,
    ) -> Result<CompiledModules<Wasmtime>, Fault> {
        if self.cache.is_none() && self.compiler.is_none() {
            let CoreModules { modules, wiring } = read(bytes, world)?;
            let modules = modules
                .into_iter()
                .map(|module| {
                    let Prepared { module, initialization_parts } = prepare(module, metering)?;
                    let module = catch_panic(|| Module::from_binary(&engine.0, &module))?;
                    Ok(Wasmtime::module(module, initialization_parts))
                })
                .collect::<Result<_, Fault>>()?;
            let compiled = CompiledModules::new(world.interface(), modules, wiring);
            return compiled.map_err(|error| load_fault(&error));
        }
        let modules = self.code(metering, bytes, world)?.of_wasmtime(engine, world);
        let modules = match (modules, &self.cache) {
            (Err(error), Some(cache)) => {
                let key = cache.key(&engine.0, metering, bytes);
                cache.discard(&key, &format!("cannot be used: {error}"));
                self.code(metering, bytes, world)?.of_wasmtime(engine, world)
            }
            (modules, _) => modules,
        };
        modules.map_err(|error| load_fault(&error))
    }

    /// The code of a component that was scanned, from the cache if possible.
    fn code(&self, metering: Metering, bytes: &[u8], world: World) -> Result<CompiledCode, Fault> {
        let cache = match (&self.cache, self.options.kind) {
            (Some(cache), RuntimeKind::Wasmtime) => {
                let engine = self.wasmtime(metering)?;
                Some((cache, cache.key(&engine.0, metering, bytes)))
            }
            // What an interpreter needs is made faster than it is read.
            _ => None,
        };
        if let Some(code) = cache.as_ref().and_then(|(cache, key)| cache.get(key)) {
            return Ok(code);
        }
        // Says what is wrong with the component for this interface.
        read(bytes, world)?;
        let code = self.compile(metering, bytes)?;
        if let Some(Err(error)) = cache.map(|(cache, key)| cache.put(&key, &code)) {
            log::warn!("compiled code is not cached: {error}");
        }
        Ok(code)
    }

    fn compile(&self, metering: Metering, bytes: &[u8]) -> Result<CompiledCode, Fault> {
        let Some((compiler, fallback)) = &self.compiler else {
            return self.compile_in_process(metering, bytes);
        };
        match compiler.compile(bytes, metering, self.options) {
            Err(fault)
                if fault.code == FaultCode::Host && *fallback == CompilerFallback::InProcess =>
            {
                log::warn!("{fault}; compiled in this process");
                self.compile_in_process(metering, bytes)
            }
            code => code,
        }
    }

    /// Compiles a component that was scanned, in this process.
    pub fn compile_in_process(
        &self,
        metering: Metering,
        bytes: &[u8],
    ) -> Result<CompiledCode, Fault> {
        // The code is used for whatever interface the component fits.
        let (of_engine, of_judge) = (read(bytes, World::Engine), read(bytes, World::Judge));
        let modules = match (&of_engine, &of_judge) {
            (Ok(component), _) | (_, Ok(component)) => &component.modules,
            (Err(fault), _) => return Err(fault.clone()),
        };
        let modules = modules
            .iter()
            .map(|module| {
                let Prepared { module, initialization_parts } = prepare(module, metering)?;
                let code = self.code_of_module(metering, &module)?;
                Ok(ModuleCode { code, initialization_parts })
            })
            .collect::<Result<Vec<_>, Fault>>()?;
        let wiring = |read: Result<CoreModules<'_>, _>| read.ok().map(|component| component.wiring);
        CompiledCode::new(wiring(of_engine), wiring(of_judge), &modules)
            .map_err(|error| load_fault(&error))
    }

    /// The code of a prepared module: machine code, or for an interpreter the module itself.
    fn code_of_module(&self, metering: Metering, module: &[u8]) -> Result<Vec<u8>, Fault> {
        match self.options.kind {
            RuntimeKind::Wasmtime => {
                let engine = self.wasmtime(metering)?;
                catch_panic(|| engine.0.precompile_module(module))
            }
            #[cfg(feature = "wasmi")]
            RuntimeKind::Wasmi => self.wasmi(metering).map(|_| module.to_vec()),
            #[cfg(not(feature = "wasmi"))]
            RuntimeKind::Wasmi => Err(without_wasmi()),
        }
    }
}

#[cfg(not(feature = "wasmi"))]
fn without_wasmi() -> Fault {
    load_fault(&"this build of sandboard does not contain wasmi")
}

/// Takes a component apart for an interface.
fn read(bytes: &[u8], world: World) -> Result<CoreModules<'_>, Fault> {
    CoreModules::read(bytes, world.interface()).map_err(|error: ComponentError| {
        // The message may quote names from the file.
        load_fault(&clean_text(&error.to_string(), REASON_BYTES))
    })
}

/// A core module as it is compiled.
struct Prepared<'a> {
    module: Cow<'a, [u8]>,
    /// The price of instantiating it, in parts of a unit.
    initialization_parts: u64,
}

/// Puts the code that counts into a core module, where modules count.
fn prepare(module: &[u8], metering: Metering) -> Result<Prepared<'_>, Fault> {
    if metering != Metering::Fuel {
        return Ok(Prepared { module: module.into(), initialization_parts: 0 });
    }
    let prepared = instrument(module).and_then(|instrumented| {
        let initialization_parts = initialization_parts(module)?;
        Ok(Prepared { module: instrumented.into(), initialization_parts })
    });
    prepared.map_err(|error| load_fault(&clean_text(&error.to_string(), REASON_BYTES)))
}

/// Compiles, and turns a panic of wasmtime into a fault of the component. A panic in the compiler
/// is a defect of wasmtime; it leaves nothing behind, because a compilation shares no state.
fn catch_panic<T>(compile: impl FnOnce() -> wasmtime::Result<T>) -> Result<T, Fault> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)) {
        Ok(compiled) => compiled.map_err(|error| load_error(&error)),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            let words = clean_text(&words.unwrap_or("no reason").replace('\n', " "), REASON_BYTES);
            Err(load_fault(&format!("the compiler of {RUNTIME_VERSION} panicked: {words}")))
        }
    }
}

fn load_error(error: &wasmtime::Error) -> Fault {
    load_fault(&clean_text(&words(error).replace('\n', " "), REASON_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_compiler_is_a_fault_of_the_component() {
        let fault = catch_panic::<()>(|| panic!("invalid\ncode {}", 7)).unwrap_err();
        assert_eq!(fault.code, FaultCode::Load);
        let expected =
            format!("cannot be loaded: the compiler of {RUNTIME_VERSION} panicked: invalid code 7");
        assert_eq!(fault.sentence, expected);
        assert_eq!(catch_panic(|| Ok(7)), Ok(7));
    }

    #[test]
    fn the_runtime_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        let (_, rest) = lock.split_once("name = \"wasmtime\"\nversion = \"").unwrap();
        let (version, _) = rest.split_once('"').unwrap();
        assert_eq!(RUNTIME_VERSION, format!("wasmtime {version}"));
    }
}
