//! The runtimes of this process: wasmtime in three configurations with the same features, limits
//! and pool, and an interpreter; or the JavaScript engine around this program. Nothing is
//! configured per bout: what is off here is off for every engine.

#[cfg(not(target_family = "wasm"))]
mod configuration;
mod options;
#[cfg(not(target_family = "wasm"))]
mod wasmtime_engines;

use std::borrow::Cow;
use std::sync::Arc;
#[cfg(any(feature = "wasmi", not(target_family = "wasm")))]
use std::sync::OnceLock;

use sandboard_abi::limits::REASON_BYTES;
use sandboard_common::text::clean_text;
use sandboard_component::{ComponentError, CoreModules};
use sandboard_engine::{Caps, Fault, FaultCode};
use sandboard_metering::{initialization_parts, instrument};

#[cfg(target_family = "wasm")]
use super::backend::javascript::JavaScript;
#[cfg(feature = "wasmi")]
use super::backend::wasmi::Wasmi;
#[cfg(not(target_family = "wasm"))]
use super::backend::wasmtime::Wasmtime;
#[cfg(not(target_family = "wasm"))]
use super::code_cache::CodeCache;
use super::compiled_code::{CompiledCode, ModuleCode};
use super::compiled_modules::CompiledModules;
use super::load_fault;
use super::scan::{LoadCaps, World, admit};
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
    #[cfg(not(target_family = "wasm"))]
    Wasmtime(Wasmtime, CompiledModules<Wasmtime>),
    #[cfg(feature = "wasmi")]
    Wasmi(Wasmi, CompiledModules<Wasmi>),
    #[cfg(target_family = "wasm")]
    JavaScript(JavaScript, CompiledModules<JavaScript>),
}

/// What all wasm engines of a process share. Created once per process.
#[derive(Default)]
pub struct Runtime {
    /// The wasmtime engines for each metering.
    #[cfg(not(target_family = "wasm"))]
    wasmtime: [OnceLock<Wasmtime>; 3],
    #[cfg(feature = "wasmi")]
    wasmi: OnceLock<Wasmi>,
    #[cfg(not(target_family = "wasm"))]
    cache: Option<CodeCache>,
    compiler: Option<(Arc<dyn Compiler>, CompilerFallback)>,
    load_caps: LoadCaps,
    options: RuntimeOptions,
    #[cfg(not(target_family = "wasm"))]
    without_interruption: bool,
}

impl Runtime {
    /// A runtime without a cache of compiled code.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same runtime with other options.
    pub fn with_options(mut self, options: RuntimeOptions) -> Self {
        #[cfg(not(target_family = "wasm"))]
        {
            // Each was configured with the former options.
            self.wasmtime = Default::default();
        }
        self.options = options;
        self
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

    /// The caps of an instance in this runtime. An interpreter may take as long as it needs, and
    /// nothing interrupts JavaScript: the host's guard beside fuel is for compiled code, and fuel
    /// ends every call.
    pub fn caps(&self, caps: Caps) -> Caps {
        match self.options.kind {
            RuntimeKind::Wasmtime => caps,
            RuntimeKind::Wasmi | RuntimeKind::JavaScript => {
                Caps { enforce_deadlines: false, ..caps }
            }
        }
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
            #[cfg(not(target_family = "wasm"))]
            RuntimeKind::Wasmtime => {
                let engine = self.wasmtime(metering)?;
                let modules = self.compiled_modules(engine, metering, bytes, world)?;
                Ok(Modules::Wasmtime(engine.clone(), modules))
            }
            _ => self.modules_of_code(&self.code(metering, bytes, world)?, metering, world),
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
            #[cfg(not(target_family = "wasm"))]
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
            #[cfg(target_family = "wasm")]
            RuntimeKind::JavaScript => {
                let engine = javascript(metering)?;
                let modules = code.of_javascript(engine, world);
                Ok(Modules::JavaScript(engine, modules.map_err(|error| load_fault(&error))?))
            }
            kind => Err(not_in_this_build(kind)),
        }
    }

    /// The code of a component that was scanned, from the cache if possible.
    fn code(&self, metering: Metering, bytes: &[u8], world: World) -> Result<CompiledCode, Fault> {
        #[cfg(not(target_family = "wasm"))]
        if let Some((cache, key)) = self.cache_entry(metering, bytes)? {
            if let Some(code) = cache.get(&key) {
                return Ok(code);
            }
            let code = self.compile_for(metering, bytes, world)?;
            if let Err(error) = cache.put(&key, &code) {
                log::warn!("compiled code is not cached: {error}");
            }
            return Ok(code);
        }
        self.compile_for(metering, bytes, world)
    }

    fn compile_for(
        &self,
        metering: Metering,
        bytes: &[u8],
        world: World,
    ) -> Result<CompiledCode, Fault> {
        // Says what is wrong with the component for this interface.
        read(bytes, world)?;
        self.compile(metering, bytes)
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
            #[cfg(not(target_family = "wasm"))]
            RuntimeKind::Wasmtime => self.precompile(metering, module),
            #[cfg(feature = "wasmi")]
            RuntimeKind::Wasmi => self.wasmi(metering).map(|_| module.to_vec()),
            #[cfg(target_family = "wasm")]
            RuntimeKind::JavaScript => javascript(metering)?
                .limit_growth(module)
                .map_err(|error| load_fault(&clean_text(&error.to_string(), REASON_BYTES))),
            kind => Err(not_in_this_build(kind)),
        }
    }
}

/// The JavaScript engine. Err: this metering needs another runtime.
#[cfg(target_family = "wasm")]
fn javascript(metering: Metering) -> Result<JavaScript, Fault> {
    match metering {
        Metering::Fuel => Ok(JavaScript),
        Metering::Deadline | Metering::RuntimeFuel => {
            Err(load_fault(&"a browser runs only modules that count their fuel themselves"))
        }
    }
}

/// The fault of a component for another runtime than those of this build.
fn not_in_this_build(kind: RuntimeKind) -> Fault {
    load_fault(&format!("this build of sandboard does not contain {kind}"))
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
