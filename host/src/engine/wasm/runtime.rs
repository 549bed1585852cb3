//! The wasmtime engines of this process: one that counts fuel and one that
//! does not, with the same features, limits and pool. What is off here is off
//! for every engine; nothing is configured per bout.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use wasmparser::WasmFeatures;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::cache::{Cache, Code, Key};
use super::instance::State;
use super::scan::{FEATURES, LoadCaps, admit};
use super::{imports, prices, refused, unsound};
use crate::engine::{Fault, FaultCode};

/// What compiles and runs the components, with its version: fuel is counted alike
/// by one version only.
pub const RUNTIME_VERSION: &str = "wasmtime 48.0.8";

/// The stack of a wasm call, in bytes.
pub const STACK_BYTES: usize = 1024 * 1024;
/// The most memory that any instance may be given, in bytes.
pub const MEMORY_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;
/// How many instances may live at once; one more is a load fault.
const INSTANCES: u32 = 256;
/// Memories, tables and core modules of one instance, and elements of one of
/// its tables; the scan refuses more, whoever allocates them.
pub const MEMORIES: u32 = 1;
pub const TABLES: u32 = 8;
pub const CORE_INSTANCES: u32 = 100;
pub const TABLE_ELEMENTS: usize = 100_000;

/// Whether fuel is counted beside the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Metering {
    /// Wall time only.
    Deadline,
    /// Wall time and fuel.
    Fuel,
}

/// How machine code is made of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OptLevel {
    /// Not optimised.
    None,
    /// For speed.
    #[default]
    Speed,
    /// For speed and size.
    SpeedAndSize,
}

/// As it is written in records and on the command line.
impl fmt::Display for OptLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OptLevel::None => "none",
            OptLevel::Speed => "speed",
            OptLevel::SpeedAndSize => "speed-and-size",
        })
    }
}

/// Where instances get their memory from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Allocator {
    /// From a pool that is reserved once; on demand where the system reserves none.
    #[default]
    Pool,
    /// From the system, for each instance anew.
    OnDemand,
}

/// What may differ from one runtime to another and must not show: engines play the
/// same and burn the same fuel under all of them. Only how deep they may call before
/// their stack is used up depends on `opt_level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeOptions {
    /// How machine code is made.
    pub opt_level: OptLevel,
    /// Where memory comes from.
    pub allocator: Allocator,
}

/// What makes machine code of a component, outside this process.
pub trait Compiler: Send + Sync {
    /// The code that a runtime with these options runs. Err: why there is none, the
    /// component's fault or, by its code, the host's.
    fn compile(
        &self,
        bytes: &[u8],
        metering: Metering,
        options: RuntimeOptions,
    ) -> Result<Code, Fault>;
}

/// What to do where a [`Compiler`] cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Compile in this process.
    Here,
    /// Do without.
    Refuse,
}

/// A wasmtime engine with the border's imports.
pub struct Flavour {
    pub(super) engine: wasmtime::Engine,
    pub(super) linker: Linker<State>,
}

/// What all wasm engines of a process share. Made once, kept for good.
#[derive(Default)]
pub struct Runtime {
    plain: OnceLock<Flavour>,
    fuel: OnceLock<Flavour>,
    cache: Option<Cache>,
    compiler: Option<(Arc<dyn Compiler>, Otherwise)>,
    load_caps: LoadCaps,
    options: RuntimeOptions,
    unstoppable: bool,
}

impl Runtime {
    /// A runtime that compiles anew each time.
    pub fn new() -> Self {
        Self::default()
    }

    /// A runtime that keeps what it compiles.
    pub fn with_cache(cache: Cache) -> Self {
        Self { cache: Some(cache), ..Self::default() }
    }

    /// A runtime whose engines heed no deadline and no stop: only for measuring
    /// what heeding them costs (`cargo xtask bench sandbox metering`).
    pub fn unstoppable() -> Self {
        Self { unstoppable: true, ..Self::default() }
    }

    /// The same runtime with these options; what it has compiled it forgets.
    pub fn with_options(self, options: RuntimeOptions) -> Self {
        let Self { cache, compiler, load_caps, .. } = self;
        Self { cache, compiler, load_caps, options, ..Self::default() }
    }

    /// The same runtime, which compiles what is within these caps and nothing else.
    pub fn with_load_caps(self, load_caps: LoadCaps) -> Self {
        Self { load_caps, ..self }
    }

    /// What may be compiled.
    pub fn load_caps(&self) -> &LoadCaps {
        &self.load_caps
    }

    /// What it was made with.
    pub fn options(&self) -> RuntimeOptions {
        self.options
    }

    pub(super) fn flavour(&self, metering: Metering) -> wasmtime::Result<&Flavour> {
        let cell = match metering {
            Metering::Deadline => &self.plain,
            Metering::Fuel => &self.fuel,
        };
        if let Some(flavour) = cell.get() {
            return Ok(flavour);
        }
        let flavour = Flavour::new(metering, self.options, !self.unstoppable)?;
        Ok(cell.get_or_init(|| flavour))
    }

    /// The same runtime, whose components are compiled elsewhere.
    pub fn with_compiler(self, compiler: Arc<dyn Compiler>, otherwise: Otherwise) -> Self {
        Self { compiler: Some((compiler, otherwise)), ..self }
    }

    /// The component in a file. Err: why it is not compiled.
    pub(super) fn admit<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
        admit(bytes, &self.load_caps).map_err(|refusal| unsound(&refusal))
    }

    /// The machine code of the component in a file, which is scanned first.
    #[cfg(target_os = "linux")]
    pub(crate) fn scanned_code(&self, metering: Metering, bytes: &[u8]) -> Result<Code, Fault> {
        self.code(metering, &self.admit(bytes)?)
    }

    /// A component that the scan has admitted, ready to be looked at.
    pub(super) fn component(&self, metering: Metering, bytes: &[u8]) -> Result<Component, Fault> {
        let engine = &self.flavour(metering).map_err(refused)?.engine;
        if self.cache.is_none() && self.compiler.is_none() {
            return Component::from_binary(engine, bytes).map_err(refused);
        }
        let component = self.code(metering, bytes)?.component(engine);
        match (component, &self.cache) {
            (Err(error), Some(cache)) => {
                cache.discard(&Key::of(engine, bytes), &format!("is of no use: {error}"));
                self.code(metering, bytes)?.component(engine).map_err(refused)
            }
            (component, _) => component.map_err(refused),
        }
    }

    /// The machine code of a component that the scan has admitted: the host's own earlier
    /// output from the cache, or made now, and kept.
    fn code(&self, metering: Metering, bytes: &[u8]) -> Result<Code, Fault> {
        let engine = &self.flavour(metering).map_err(refused)?.engine;
        let kept = self.cache.as_ref().map(|cache| (cache, Key::of(engine, bytes)));
        if let Some(code) = kept.as_ref().and_then(|(cache, key)| cache.get(key)) {
            return Ok(code);
        }
        let code = self.compile(metering, bytes)?;
        if let Some(Err(error)) = kept.map(|(cache, key)| cache.put(&key, &code)) {
            log::warn!("compiled code is not kept: {error}");
        }
        Ok(code)
    }

    fn compile(&self, metering: Metering, bytes: &[u8]) -> Result<Code, Fault> {
        let Some((compiler, otherwise)) = &self.compiler else {
            return self.compile_here(metering, bytes);
        };
        match compiler.compile(bytes, metering, self.options) {
            Err(fault) if fault.code == FaultCode::Host && *otherwise == Otherwise::Here => {
                log::warn!("{fault}; compiled in this process");
                self.compile_here(metering, bytes)
            }
            code => code,
        }
    }

    /// Makes machine code in this very process.
    pub(crate) fn compile_here(&self, metering: Metering, bytes: &[u8]) -> Result<Code, Fault> {
        let engine = &self.flavour(metering).map_err(refused)?.engine;
        engine.precompile_component(bytes).map(Code::compiled).map_err(refused)
    }
}

impl Flavour {
    fn new(metering: Metering, options: RuntimeOptions, stoppable: bool) -> wasmtime::Result<Self> {
        let mut config = common_config();
        config.epoch_interruption(stoppable);
        config.cranelift_opt_level(match options.opt_level {
            OptLevel::None => wasmtime::OptLevel::None,
            OptLevel::Speed => wasmtime::OptLevel::Speed,
            OptLevel::SpeedAndSize => wasmtime::OptLevel::SpeedAndSize,
        });
        if metering == Metering::Fuel {
            config.consume_fuel(true).operator_cost(prices::operator_cost());
        }
        config.allocation_strategy(match options.allocator {
            Allocator::Pool => InstanceAllocationStrategy::Pooling(pool()),
            Allocator::OnDemand => InstanceAllocationStrategy::OnDemand,
        });
        // A system that reserves no address space for a pool (a container's
        // RLIMIT_AS, say) still gets engines, only slower ones.
        let engine = wasmtime::Engine::new(&config).or_else(|error| {
            if options.allocator == Allocator::OnDemand {
                return Err(error);
            }
            log::warn!("no pool of instances ({error}); engines are allocated on demand");
            config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
            wasmtime::Engine::new(&config)
        })?;
        let mut linker = Linker::new(&engine);
        imports::add_to(&mut linker)?;
        Ok(Self { engine, linker })
    }
}

fn common_config() -> Config {
    let mut config = Config::new();
    config
        .wasm_features(WasmFeatures::all().difference(FEATURES), false)
        .wasm_features(FEATURES, true)
        .concurrency_support(false)
        .cranelift_nan_canonicalization(true)
        .max_wasm_stack(STACK_BYTES)
        .wasm_backtrace_max_frames(None)
        .native_unwind_info(false);
    config
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INSTANCES)
        // A number that is counted to, and no memory.
        .total_core_instances(INSTANCES * CORE_INSTANCES)
        .total_memories(INSTANCES)
        .total_tables(INSTANCES * 4)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memory_size(MEMORY_BYTES_MAX)
        .table_elements(TABLE_ELEMENTS)
        .max_unused_warm_slots(INSTANCES)
        // What an instance has written is found by asking the kernel (Linux 6.7) and
        // zeroed in place: start and drop of a random mover take 20 µs instead
        // of 60 (`cargo xtask bench border`).
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(64 * 1024)
        .table_keep_resident(64 * 1024);
    pool
}

#[cfg(test)]
mod tests {
    use wasmtime::Store;

    use super::super::limiter::MemoryLimiter;
    use super::*;

    #[test]
    fn the_scan_admits_exactly_what_the_runtime_does() {
        for metering in [Metering::Deadline, Metering::Fuel] {
            let flavour = Flavour::new(metering, RuntimeOptions::default(), true).unwrap();
            assert_eq!(flavour.engine.get_wasm_features(), FEATURES);
        }
    }

    /// What growing a table and a memory by these numbers gives back.
    fn grown(allocation: InstanceAllocationStrategy) -> [i32; 8] {
        let grow = |kind: &str, grow: &str| {
            format!(r#"(func (export "{kind}") (param i32) (result i32) ({grow} (local.get 0)))"#)
        };
        let lift = |kind: &str| {
            format!(
                r#"(func (export "{kind}") (param "n" u32) (result s32)
                    (canon lift (core func $i "{kind}")))"#
            )
        };
        let text = format!(
            "(component
                (core module $m (table 1 funcref) (memory 1) {} {})
                (core instance $i (instantiate $m)) {} {})",
            grow("table", "table.grow (ref.null func)"),
            grow("memory", "memory.grow"),
            lift("table"),
            lift("memory"),
        );
        let mut config = common_config();
        config.allocation_strategy(allocation);
        let engine = wasmtime::Engine::new(&config).unwrap();
        let component = Component::from_binary(&engine, &wat::parse_str(text).unwrap()).unwrap();
        let mut store = Store::new(&engine, MemoryLimiter::new(4 << 20));
        store.limiter(|limiter| limiter);
        store.set_epoch_deadline(1);
        let instance = Linker::new(&engine).instantiate(&mut store, &component).unwrap();
        let mut grow = |kind: &str, more: u32| {
            let call = instance.get_typed_func::<(u32,), (i32,)>(&mut store, kind).unwrap();
            call.call(&mut store, (more,)).unwrap().0
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
    fn growth_ends_at_the_same_size_whoever_allocates() {
        let pooled = grown(InstanceAllocationStrategy::Pooling(pool()));
        // 100,000 elements count as 800,000 bytes: 51 pages and no more fit beside them.
        assert_eq!(pooled, [1, -1, -1, 100_000, 1, -1, -1, 51]);
        assert_eq!(grown(InstanceAllocationStrategy::OnDemand), pooled);
    }

    #[test]
    fn the_runtimes_version_is_the_one_that_is_built() {
        let lock = include_str!("../../../../Cargo.lock");
        let (_, rest) = lock.split_once("name = \"wasmtime\"\nversion = \"").unwrap();
        let (version, _) = rest.split_once('"').unwrap();
        assert_eq!(RUNTIME_VERSION, format!("wasmtime {version}"));
    }
}
