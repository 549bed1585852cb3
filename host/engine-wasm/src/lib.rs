//! Runs engines as WebAssembly components in this process, with limits on memory, stack, time and
//! output, and no imports except those of the ABI. Reads no manifest and checks no move against the
//! rules of a game.
//!
//! Entry points: [`Runtime`] compiles, [`WasmModule`] is a compiled component, [`scan`] refuses
//! files before they are compiled, [`PRICE_CLASSES`] and [`IMPORT_PRICES`] are the prices of fuel.
#![deny(unsafe_code)]

mod canonical_call;
mod code_cache;
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
use wasmtime::Linker;

pub use code_cache::{CACHE_BYTES, CodeCache, CompiledCode};
pub use counters::STACK_SLOTS;
pub use judge::JudgeModule;
pub use prices::{
    IMPORT_PRICES, ImportPrice, PARTS_PER_UNIT, PRICE_CLASSES, PRICES_VERSION, PriceClass,
};
pub use runtime::{
    Allocator, Compiler, CompilerFallback, Metering, OptLevel, RUNTIME_VERSION, Runtime,
    RuntimeOptions, STACK_BYTES,
};
pub use sandboard_metering::INSTRUMENTATION_VERSION;

use compiled_modules::CompiledModules;
use instance::{StoreState, WasmInstance};
use runtime::EngineVariant;
use scan::World;
use team::Team;

/// A compiled component, which can be instantiated any number of times.
pub struct WasmModule {
    template: Arc<InstanceTemplate>,
    opt_level: OptLevel,
}

/// What all instances of a module have in common.
struct InstanceTemplate {
    engine: wasmtime::Engine,
    /// The functions of the host.
    linker: Arc<Linker<StoreState>>,
    modules: CompiledModules,
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

    /// Loads machine code that a runtime with the same options has compiled.
    #[cfg(target_os = "linux")]
    pub fn from_code(
        runtime: &Runtime,
        code: &CompiledCode,
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        let variant = runtime.variant(metering).map_err(load_error)?;
        let modules = code.modules(&variant.engine, World::Engine).map_err(load_error)?;
        Self::from_modules(runtime, modules, metering, caps, resources)
    }

    fn from_modules(
        runtime: &Runtime,
        modules: CompiledModules,
        metering: Metering,
        caps: Caps,
        resources: Resources,
    ) -> Result<Self, Fault> {
        let EngineVariant { engine, linker } = runtime.variant(metering).map_err(load_error)?;
        let (engine, linker) = (engine.clone(), linker.clone());
        let opt_level = runtime.options().opt_level;
        let template = InstanceTemplate { engine, linker, modules, metering, caps, resources };
        Ok(Self { template: Arc::new(template), opt_level })
    }

    /// Asks a new instance of the engine for its description.
    pub fn describe(&self) -> Result<Description, Fault> {
        WasmInstance::new(&self.template, Arc::new(NullListener), STOP_GRACE_US)?.describe()
    }
}

/// The fault of a component that cannot be loaded.
fn load_fault(reason: &dyn fmt::Display) -> Fault {
    Fault::new(FaultCode::Load, format!("cannot be loaded: {reason}"))
}

fn load_error(error: wasmtime::Error) -> Fault {
    load_fault(&faults::one_line(&error))
}

impl EngineSource for WasmModule {
    fn open(&self, listener: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        Ok(Box::new(Team::new(&self.template, listener)?))
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.template.metering.fuel_meter(self.opt_level)
    }
}
