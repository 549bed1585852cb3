//! The runtimes of this process: wasmtime in three configurations with the same features, limits
//! and pool, and an interpreter. Nothing is configured per bout: what is off here is off for every
//! engine.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use sandboard_abi::limits::REASON_BYTES;
use sandboard_common::text::clean_text;
use sandboard_component::{ComponentError, CoreModules};
use sandboard_engine::{Caps, Fault, FaultCode, FuelCounter, FuelMeter, StackLimit};
use sandboard_metering::{FEATURES, INSTRUMENTATION_VERSION, initialization_parts, instrument};
use serde::{Deserialize, Serialize};
use wasmparser::WasmFeatures;
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, Module, PoolingAllocationConfig};

#[cfg(feature = "wasmi")]
use super::backend::wasmi::Wasmi;
use super::backend::wasmtime::{Wasmtime, words};
use super::code_cache::{CodeCache, CompiledCode, ModuleCode};
use super::compiled_modules::CompiledModules;
use super::counters::STACK_SLOTS;
use super::scan::{LoadCaps, World, admit};
use super::{PRICES_VERSION, load_fault, prices};

/// Name and version of the runtime. Where the runtime counts fuel, another version may count
/// differently.
pub const RUNTIME_VERSION: &str = "wasmtime 48.0.8";

/// Stack size of a wasm call, in bytes.
pub const STACK_BYTES: usize = 1024 * 1024;
/// Maximum memory cap of an instance, in bytes.
pub(super) const MEMORY_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;
/// Maximum number of live instances; another one is a load fault.
const INSTANCES: u32 = 256;
/// Maximum number of memories of an instance. As for the following limits, the scan refuses more
/// with either allocator.
pub(super) const MEMORIES: u32 = 1;
/// Maximum number of tables of an instance.
pub(super) const TABLES: u32 = 8;
/// Maximum number of core module instances of an instance.
pub(super) const CORE_INSTANCES: u32 = 100;
/// Maximum number of elements of a table.
pub(super) const TABLE_ELEMENTS: usize = 100_000;

/// What limits an engine's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Metering {
    /// Wall time only.
    Deadline,
    /// Wall time and fuel, which the modules count.
    Fuel,
    /// Wall time and fuel, which the runtime counts. Only for verifying older records.
    RuntimeFuel,
}

impl Metering {
    /// How fuel is counted, in code with this optimisation; none: it is not counted.
    pub fn fuel_meter(self, opt_level: OptLevel) -> Option<FuelMeter> {
        let counter = match self {
            Self::Deadline => return None,
            Self::Fuel => FuelCounter::Modules { instrumentation: INSTRUMENTATION_VERSION },
            Self::RuntimeFuel => FuelCounter::Runtime {
                name: RUNTIME_VERSION.into(),
                opt_level: opt_level.to_string(),
            },
        };
        Some(FuelMeter { prices: PRICES_VERSION, counter })
    }

    /// Whether fuel is counted.
    pub fn counts_fuel(self) -> bool {
        self != Self::Deadline
    }

    /// The metering that counts fuel like this meter.
    pub fn counting_as(meter: &FuelMeter) -> Self {
        match meter.counter {
            FuelCounter::Modules { .. } => Self::Fuel,
            FuelCounter::Runtime { .. } => Self::RuntimeFuel,
        }
    }

    /// The limit of the stack of a call.
    pub fn stack_limit(self) -> StackLimit {
        match self {
            Self::Deadline | Self::RuntimeFuel => StackLimit::Bytes(STACK_BYTES as u64),
            Self::Fuel => StackLimit::Slots(STACK_SLOTS.into()),
        }
    }
}

/// What runs modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RuntimeKind {
    /// A compiler, for games.
    #[default]
    Wasmtime,
    /// An interpreter, for verifying games a second time. It runs only modules that count their
    /// fuel, and only in builds with the feature `wasmi`.
    Wasmi,
}

impl RuntimeKind {
    /// Those in this build.
    pub const AVAILABLE: &[Self] = &[
        Self::Wasmtime,
        #[cfg(feature = "wasmi")]
        Self::Wasmi,
    ];
}

/// Writes the kind as on the command line.
impl fmt::Display for RuntimeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wasmtime => "wasmtime",
            Self::Wasmi => "wasmi",
        })
    }
}

/// Optimisation level of the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OptLevel {
    /// No optimisation at all.
    None,
    /// Optimisation for speed.
    #[default]
    Speed,
    /// Optimisation for speed and size.
    SpeedAndSize,
}

/// Writes the level as in records and on the command line.
impl fmt::Display for OptLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OptLevel::None => "none",
            OptLevel::Speed => "speed",
            OptLevel::SpeedAndSize => "speed-and-size",
        })
    }
}

/// How instances get their memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Allocator {
    /// From a pool that is reserved once, or on demand if the system cannot reserve one.
    #[default]
    Pool,
    /// From the system, for each instance separately.
    OnDemand,
}

/// Options that change neither an engine's moves nor its fuel. Where modules do not count their
/// stack, the depth at which it overflows depends on `opt_level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeOptions {
    /// What runs modules.
    pub kind: RuntimeKind,
    /// Optimisation level of the compiler.
    pub opt_level: OptLevel,
    /// How instances get their memory.
    pub allocator: Allocator,
}

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

fn new_engine(
    metering: Metering,
    options: RuntimeOptions,
    interruptible: bool,
) -> wasmtime::Result<wasmtime::Engine> {
    let mut config = common_config();
    config.epoch_interruption(interruptible);
    // Modules that count have code for it.
    config.cranelift_nan_canonicalization(metering != Metering::Fuel);
    config.cranelift_opt_level(match options.opt_level {
        OptLevel::None => wasmtime::OptLevel::None,
        OptLevel::Speed => wasmtime::OptLevel::Speed,
        OptLevel::SpeedAndSize => wasmtime::OptLevel::SpeedAndSize,
    });
    if metering == Metering::RuntimeFuel {
        // Wasmtime charges for the code that initialises memories, but not for mapping an image of
        // them, and not every system and jail has images (its issue 14331). Without images the
        // bytes of data segments cost the same everywhere.
        config.memory_init_cow(false);
        config.consume_fuel(true).operator_cost(prices::operator_cost());
    }
    config.allocation_strategy(match options.allocator {
        Allocator::Pool => InstanceAllocationStrategy::Pooling(pool()),
        Allocator::OnDemand => InstanceAllocationStrategy::OnDemand,
    });
    // Without address space for a pool (for example under a container's RLIMIT_AS), engines work,
    // but opening instances is slower.
    wasmtime::Engine::new(&config).or_else(|error| {
        if options.allocator == Allocator::OnDemand {
            return Err(error);
        }
        log::warn!("no pool of instances ({error}); engines are allocated on demand");
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
        wasmtime::Engine::new(&config)
    })
}

fn common_config() -> Config {
    let mut config = Config::new();
    config
        .wasm_features(WasmFeatures::all().difference(FEATURES), false)
        .wasm_features(FEATURES, true)
        .max_wasm_stack(STACK_BYTES)
        // Only the innermost function is named in a fault.
        .wasm_backtrace_max_frames(NonZero::new(1))
        .native_unwind_info(false);
    config
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    // Only a count: it reserves no memory.
    pool.total_core_instances(INSTANCES * CORE_INSTANCES)
        .total_memories(INSTANCES)
        .total_tables(INSTANCES * 4)
        .max_memories_per_module(MEMORIES)
        .max_tables_per_module(TABLES)
        .max_memory_size(MEMORY_BYTES_MAX)
        .table_elements(TABLE_ELEMENTS)
        .max_unused_warm_slots(INSTANCES)
        // The kernel lists the written pages (Linux 6.7), which are zeroed in place: start and drop
        // of a random mover take 20 µs instead of 60 (`cargo xtask bench abi`).
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(64 * 1024)
        .table_keep_resident(64 * 1024);
    pool
}

#[cfg(test)]
mod tests {
    use wasmtime::{Instance, Store};

    use super::super::memory_limiter::MemoryLimiter;
    use super::*;

    #[test]
    fn the_runtime_has_the_features_of_metered_modules() {
        for metering in [Metering::Fuel, Metering::RuntimeFuel] {
            let engine = new_engine(metering, RuntimeOptions::default(), true).unwrap();
            assert_eq!(engine.get_wasm_features(), FEATURES);
        }
    }

    /// The results of growing a table and a memory with this allocator.
    fn growth_results(allocation: InstanceAllocationStrategy) -> [i32; 8] {
        let grow = |kind: &str, grow: &str| {
            format!(r#"(func (export "{kind}") (param i32) (result i32) ({grow} (local.get 0)))"#)
        };
        let text = format!(
            "(module (table 1 funcref) (memory 1) {} {})",
            grow("table", "table.grow (ref.null func)"),
            grow("memory", "memory.grow"),
        );
        let mut config = common_config();
        config.allocation_strategy(allocation);
        let engine = wasmtime::Engine::new(&config).unwrap();
        let module = Module::from_binary(&engine, &wat::parse_str(text).unwrap()).unwrap();
        let mut store = Store::new(&engine, MemoryLimiter::new(4 << 20));
        store.limiter(|limiter| limiter);
        store.set_epoch_deadline(1);
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let mut grow = |kind: &str, more: u32| {
            let call = instance.get_typed_func::<u32, i32>(&mut store, kind).unwrap();
            call.call(&mut store, more).unwrap()
        };
        [
            grow("table", 99_999),
            grow("table", 1),
            grow("table", u32::MAX),
            grow("table", 0),
            grow("memory", 50),
            grow("memory", 1),
            grow("memory", u32::MAX),
            grow("memory", 0),
        ]
    }

    #[test]
    fn both_allocators_limit_growth_alike() {
        let pooled = growth_results(InstanceAllocationStrategy::Pooling(pool()));
        // 100,000 elements count as 800,000 bytes: at most 51 pages fit beside them.
        assert_eq!(pooled, [1, -1, -1, 100_000, 1, -1, -1, 51]);
        assert_eq!(growth_results(InstanceAllocationStrategy::OnDemand), pooled);
    }

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
    fn both_allocators_refuse_more_than_the_pool_holds() {
        let refusal = |allocation: InstanceAllocationStrategy, field: &str, count: u32| {
            let mut config = common_config();
            config.allocation_strategy(allocation);
            let engine = wasmtime::Engine::new(&config).unwrap();
            let text = format!("(module {field})");
            let module = Module::from_binary(&engine, &wat::parse_str(text).unwrap()).unwrap();
            let mut store = Store::new(&engine, MemoryLimiter::new(4 << 20));
            store.limiter(|limiter| limiter);
            store.set_epoch_deadline(1);
            let mut instances = 0..count;
            let instantiated =
                instances.try_for_each(|_| Instance::new(&mut store, &module, &[]).map(drop));
            instantiated.err().map(|error| error.to_string())
        };
        for (field, most) in
            [("(memory 1)", MEMORIES), ("(table 1 funcref)", TABLES), ("", CORE_INSTANCES)]
        {
            for pooled in [true, false] {
                let allocation = || match pooled {
                    true => InstanceAllocationStrategy::Pooling(pool()),
                    false => InstanceAllocationStrategy::OnDemand,
                };
                assert_eq!(refusal(allocation(), field, most), None, "{field:?}, {pooled}");
                assert!(refusal(allocation(), field, most + 1).is_some(), "{field:?}, {pooled}");
            }
        }
    }

    #[test]
    fn the_runtime_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        let (_, rest) = lock.split_once("name = \"wasmtime\"\nversion = \"").unwrap();
        let (version, _) = rest.split_once('"').unwrap();
        assert_eq!(RUNTIME_VERSION, format!("wasmtime {version}"));
    }
}
