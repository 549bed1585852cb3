//! The configuration of wasmtime: features, interruption, fuel, and the pool of instances.

use std::num::NonZero;

use sandboard_metering::FEATURES;
use wasmparser::WasmFeatures;
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::options::{Allocator, Metering, OptLevel, RuntimeOptions};
use super::{CORE_INSTANCES, MEMORIES, MEMORY_BYTES_MAX, STACK_BYTES, TABLE_ELEMENTS, TABLES};
use crate::prices;

/// Maximum number of live instances; another one is a load fault.
const INSTANCES: u32 = 256;

/// A wasmtime engine for this metering. `interruptible`: whether deadlines can end its calls.
pub(super) fn new_engine(
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
    use wasmtime::{Instance, Module, Store};

    use super::*;
    use crate::memory_limiter::MemoryLimiter;

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
}
