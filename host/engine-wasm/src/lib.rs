//! Runs engines as WebAssembly components in this process, with limits on memory, stack, time and
//! output, and no imports except those of the ABI. Reads no manifest and checks no move against the
//! rules of a game.
//!
//! Entry points: [`Runtime`] compiles, [`WasmModule`] is a compiled component, [`scan`] refuses
//! files before they are compiled, [`PRICE_CLASSES`] and [`IMPORT_PRICES`] are the prices of fuel.
#![deny(unsafe_code)]

mod backend;
mod call_error;
mod canonical_call;
#[cfg(not(target_family = "wasm"))]
mod code_cache;
mod compiled_code;
mod compiled_modules;
mod counters;
mod faults;
mod fuel_pool;
mod helper;
mod imports;
mod instance;
mod judge;
mod memory_limiter;
mod prices;
mod runtime;
pub mod scan;
mod team;

use std::fmt;
use std::sync::Arc;

use sandboard_abi::Description;
use sandboard_engine::meter::STOP_GRACE_US;
use sandboard_engine::{
    Caps, Engine, EngineSource, Fault, FaultCode, FuelMeter, Listener, NullListener, Resources,
};

#[cfg(not(target_family = "wasm"))]
pub use code_cache::{CACHE_BYTES, CodeCache};
pub use compiled_code::CompiledCode;
pub use counters::STACK_SLOTS;
pub use judge::{GameDescription, JudgeModule, VariantDescription};
pub use prices::{
    IMPORT_PRICES, ImportPrice, PARTS_PER_UNIT, PRICE_CLASSES, PRICES_VERSION, PriceClass,
};
pub use runtime::{
    Allocator, Compiler, CompilerFallback, Metering, OptLevel, RUNTIME_VERSION, Runtime,
    RuntimeKind, RuntimeOptions, STACK_BYTES,
};
pub use sandboard_metering::INSTRUMENTATION_VERSION;

use backend::{Backend, each_backend, map_backend};
use compiled_modules::CompiledModules;
use instance::{StoreState, WasmInstance};
use runtime::Modules;
use scan::World;
use team::Team;

/// A compiled component, which can be instantiated any number of times.
pub struct WasmModule {
    template: Template,
    opt_level: OptLevel,
}

/// The template for the backend of its runtime.
enum Template {
    #[cfg(not(target_family = "wasm"))]
    Wasmtime(Arc<InstanceTemplate<backend::wasmtime::Wasmtime>>),
    #[cfg(feature = "wasmi")]
    Wasmi(Arc<InstanceTemplate<backend::wasmi::Wasmi>>),
    #[cfg(target_family = "wasm")]
    JavaScript(Arc<InstanceTemplate<backend::javascript::JavaScript>>),
}

/// What all instances of a module have in common.
struct InstanceTemplate<B: Backend> {
    backend: B,
    /// The functions of the host.
    functions: B::HostFunctions<StoreState<B>>,
    modules: CompiledModules<B>,
    metering: Metering,
    caps: Caps,
    resources: Resources,
}

impl WasmModule {
    /// Scans and compiles the component in a file, or takes its code from the runtime's cache. Err:
    /// a fault that says what is wrong with the file.
    pub fn load(
        runtime: &Runtime,
        bytes: &[u8],
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        let modules = runtime.modules(metering, &runtime.admit(bytes)?, World::Engine)?;
        Self::from_modules(runtime, modules, metering, caps, resources)
    }

    /// Loads code that a runtime with the same options has compiled.
    #[cfg(target_os = "linux")]
    pub fn from_code(
        runtime: &Runtime,
        code: &CompiledCode,
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        let modules = runtime.modules_of_code(code, metering, World::Engine)?;
        Self::from_modules(runtime, modules, metering, caps, resources)
    }

    fn from_modules(
        runtime: &Runtime,
        modules: Modules,
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        let opt_level = runtime.options().opt_level;
        let template = map_backend!(modules => Template, |backend, modules| {
            InstanceTemplate::new(backend, modules, metering, caps, resources)?
        });
        Ok(Self { template, opt_level })
    }

    /// Asks a new instance of the engine for its description.
    pub fn describe(&self) -> Result<Description, Fault> {
        each_backend!(&self.template, Template, template => template.describe())
    }

    fn metering(&self) -> Metering {
        each_backend!(&self.template, Template, template => template.metering)
    }
}

impl<B: Backend> InstanceTemplate<B> {
    fn new(
        backend: B,
        modules: CompiledModules<B>,
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Arc<Self>, Fault> {
        let functions = backend.engine_functions().map_err(|error| load_fault(&error))?;
        Ok(Arc::new(Self { backend, functions, modules, metering, caps, resources }))
    }

    fn describe(&self) -> Result<Description, Fault> {
        WasmInstance::new(self, Arc::new(NullListener), STOP_GRACE_US)?.describe()
    }
}

/// The fault of a component that cannot be loaded.
fn load_fault(reason: &dyn fmt::Display) -> Fault {
    Fault::new(FaultCode::Load, sandboard_engine::messages::cannot_be_loaded(reason))
}

impl EngineSource for WasmModule {
    fn open(&self, listener: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        Ok(each_backend!(&self.template, Template, template => {
            Box::new(Team::new(template, listener)?)
        }))
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.metering().fuel_meter(self.opt_level)
    }
}
