//! Growth that code in the module limits, compared with growth that the runtime limits.

use wasmparser::Validator;
use wasmtime::{
    Engine, Extern, Global, GlobalType, Instance, Module, Mutability, ResourceLimiter, Store, Val,
    ValType,
};

use crate::{
    FEATURES, REFUSED_BYTES, REFUSED_ELEMENTS, TableLimits, defined_sizes, instrument, limit_growth,
};

const LIMITS: TableLimits = TableLimits { element_bytes: 8, elements_max: 1000 };

/// The limits, as a runtime applies them that asks before memories and tables grow.
struct Limiter {
    left: u64,
    refused: i32,
}

impl Limiter {
    /// Takes bytes, if that many are left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes as u64);
        match left {
            Some(left) => self.left = left,
            None => self.refused = REFUSED_BYTES,
        }
        left.is_some()
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.take(desired - current))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let own = maximum.filter(|maximum| *maximum < LIMITS.elements_max as usize);
        if own.is_some_and(|own| desired > own) {
            return Ok(false);
        }
        if desired > LIMITS.elements_max as usize {
            self.refused = REFUSED_ELEMENTS;
            return Ok(false);
        }
        Ok(self.take((desired - current) * LIMITS.element_bytes as usize))
    }
}

/// A module with a memory and two tables, and a function that grows each of them.
fn module(memory: &str, table: &str) -> Vec<u8> {
    let text = format!(
        r#"(module (memory {memory}) (table $one {table} funcref) (table $other 0 funcref)
            (global $kept (mut i32) (i32.const 7))
            (func (export "memory") (param i32) (result i32)
                (global.set $kept (memory.grow (local.get 0)))
                (global.get $kept))
            (func (export "one") (param i32) (result i32) (local i64 i32)
                (i32.add (local.tee 2 (table.grow $one (ref.null func) (local.get 0)))
                    (i32.wrap_i64 (local.get 1))))
            (func (export "other") (param i32) (result i32)
                (table.grow $other (ref.null func) (local.get 0))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Runs calls of the functions. Returns their results, what is left, and the last refusal.
fn by_runtime(module: &[u8], left: u64, calls: &[(&str, u32)]) -> (Vec<i32>, u64, i32) {
    let engine = Engine::default();
    let mut store = Store::new(&engine, Limiter { left: u64::MAX, refused: 0 });
    store.limiter(|limiter| limiter);
    let module = Module::new(&engine, module).unwrap();
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    store.data_mut().left = left;
    let results = run(&mut store, instance, calls);
    (results, store.data().left, store.data().refused)
}

fn by_module(module: &[u8], left: u64, calls: &[(&str, u32)]) -> (Vec<i32>, u64, i32) {
    let limited = limit_growth(module, LIMITS).unwrap();
    Validator::new_with_features(FEATURES).validate_all(&limited).unwrap();
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, limited).unwrap();
    let mut global = |ty: ValType, value| {
        let ty = GlobalType::new(ty, Mutability::Var);
        Global::new(&mut store, ty, value).unwrap()
    };
    let left_global = global(ValType::I64, Val::I64(left.cast_signed()));
    let refused = global(ValType::I32, Val::I32(0));
    let imports: [Extern; 2] = [left_global.into(), refused.into()];
    let instance = Instance::new(&mut store, &module, &imports).unwrap();
    let results = run(&mut store, instance, calls);
    let left = left_global.get(&mut store).unwrap_i64().cast_unsigned();
    (results, left, refused.get(&mut store).unwrap_i32())
}

fn run<T>(store: &mut Store<T>, instance: Instance, calls: &[(&str, u32)]) -> Vec<i32> {
    let call = |(function, more): &(&str, u32)| {
        let function = instance.get_typed_func::<u32, i32>(&mut *store, function).unwrap();
        function.call(&mut *store, *more).unwrap()
    };
    calls.iter().map(call).collect()
}

#[test]
fn growth_has_the_same_results_as_with_a_limit_of_the_runtime() {
    let check = |memory: &str, table: &str, left, calls: &[(&str, u32)], expected: &[i32], end| {
        let module = module(memory, table);
        let found = by_module(&module, left, calls);
        assert_eq!(found, by_runtime(&module, left, calls), "{memory} {table} {calls:?}");
        assert_eq!((&found.0[..], found.2), (expected, end), "{memory} {table} {calls:?}");
    };
    let page = 1 << 16;
    // Exactly what is left, and one page more.
    check("1", "0", 3 * page, &[("memory", 3)], &[1], 0);
    check("1", "0", 3 * page, &[("memory", 4)], &[-1], REFUSED_BYTES);
    check("1", "0", 3 * page, &[("memory", 2), ("memory", 2), ("memory", 1)], &[1, -1, 3], 1);
    check("1", "0", 3 * page, &[("memory", 0), ("memory", u32::MAX)], &[1, -1], 0);
    check("1", "0", 3 * page, &[("memory", 65_535)], &[-1], REFUSED_BYTES);
    check("1", "0", 3 * page, &[("memory", 65_536)], &[-1], 0);
    // The module's own maximum is no refusal.
    check("1 3", "0", 9 * page, &[("memory", 2), ("memory", 1)], &[1, -1], 0);
    check("1 3", "0", page, &[("memory", 3)], &[-1], 0);
    check("1 3", "0", page, &[("memory", 2)], &[-1], REFUSED_BYTES);
    // Tables take of the same bytes.
    check("0", "2", 80, &[("one", 10), ("one", 1)], &[2, -1], REFUSED_BYTES);
    check("0", "2", page + 80, &[("one", 10), ("memory", 1), ("other", 1)], &[2, 0, -1], 1);
    check("0", "2", 87, &[("other", 11), ("other", 10)], &[-1, 0], REFUSED_BYTES);
    check("0", "2 5", page, &[("one", 3), ("one", 1)], &[2, -1], 0);
    // No table is larger than the limit.
    check("0", "2", page, &[("one", 998), ("one", 1)], &[2, -1], REFUSED_ELEMENTS);
    check("0", "2 1001", page, &[("one", 999)], &[-1], REFUSED_ELEMENTS);
    check("0", "2 999", page, &[("one", 998), ("one", 997)], &[-1, 2], 0);
    check("0", "2", page, &[("other", 1001), ("other", u32::MAX)], &[-1, -1], REFUSED_ELEMENTS);
}

#[test]
fn an_instrumented_module_can_be_limited() {
    let instrumented = instrument(&module("1", "0")).unwrap();
    let limited = limit_growth(&instrumented, LIMITS).unwrap();
    Validator::new_with_features(FEATURES).validate_all(&limited).unwrap();
}

#[test]
fn the_sizes_of_a_module_are_those_that_it_defines() {
    let text = r#"(module (import "m" "m" (memory 9)) (table 3 5 funcref) (table 0 funcref))"#;
    let sizes = defined_sizes(&wat::parse_str(text).unwrap()).unwrap();
    assert_eq!((sizes.memories.len(), sizes.tables), (0, vec![(3, Some(5)), (0, None)]));
    let sizes = defined_sizes(&module("2 4", "1")).unwrap();
    assert_eq!(sizes.memories, [(2, Some(4))]);
}
