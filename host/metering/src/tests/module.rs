//! What happens to the parts of a module that are not functions, and which modules are refused.

use std::time::{Duration, Instant};

use wasmparser::{Parser, Payload, Validator};
use wasmtime::{Engine, Extern, Global, GlobalType, Instance, Module, Mutability, Store, Val};

use crate::{FEATURES, initialization_parts, instrument};

fn instrumented(text: &str) -> Vec<u8> {
    let module = wat::parse_str(text).unwrap();
    let module = instrument(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Validator::new_with_features(FEATURES).validate_all(&module).unwrap();
    module
}

/// Checks why a module is refused.
#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let module = wat::parse_str(text).unwrap();
    let refused = instrument(&module).unwrap_err();
    assert!(refused.to_string().contains(expected), "{refused}");
}

#[test]
fn several_modules_share_the_counters_with_the_host() {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let mut counter = |value: Val| {
        let ty = GlobalType::new(value.ty(&store).unwrap(), Mutability::Var);
        Global::new(&mut store, ty, value).unwrap()
    };
    let (fuel, stack) = (counter(Val::I64(1000)), counter(Val::I32(100)));
    let compile = |text| Module::new(&engine, instrumented(text)).unwrap();
    // The inner module has globals of its own, so that the indices of the counters differ.
    let inner = compile(
        r#"(module (global i32 (i32.const 1)) (global (mut i32) (i32.const 2))
          (func (export "inner") (drop (i32.const 1))))"#,
    );
    let outer = compile(
        r#"(module (import "inner" "inner" (func $inner))
          (func (export "outer") (call $inner) (drop (i32.const 1)) (call $inner)))"#,
    );
    let inner = Instance::new(&mut store, &inner, &[fuel.into(), stack.into()]).unwrap();
    let function = inner.get_func(&mut store, "inner").unwrap();
    let imports: [Extern; 3] = [function.into(), fuel.into(), stack.into()];
    let outer = Instance::new(&mut store, &outer, &imports).unwrap();
    let outer = outer.get_typed_func::<(), ()>(&mut store, "outer").unwrap();
    outer.call(&mut store, ()).unwrap();
    let spent = 1 + 150 + 2 + 1 + 150 + 2;
    assert_eq!(fuel.get(&mut store).unwrap_i64(), 1000 - spent);
    assert_eq!(stack.get(&mut store).unwrap_i32(), 100);
    // The host charges the same counter, and so ends the next call of the module.
    fuel.set(&mut store, Val::I64(150)).unwrap();
    outer.call(&mut store, ()).unwrap_err();
    assert_eq!(fuel.get(&mut store).unwrap_i64(), -1);
}

#[test]
fn names_and_custom_sections_survive() {
    let module = instrumented(
        r#"(module $name (@custom "first" (before first) "1") (import "m" "g" (global $a i32))
          (global $b i32 (global.get $a)) (func $f (local $x i32)) (@custom "last" "2")
          (@custom "metadata.code.branch_hint" "3"))"#,
    );
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(&module) {
        let Payload::CustomSection(section) = payload.unwrap() else { continue };
        found.push(section.name().to_owned());
        let wasmparser::KnownCustom::Name(names) = section.as_known() else { continue };
        for name in names {
            match name.unwrap() {
                wasmparser::Name::Module { name, .. } => found.push(name.to_owned()),
                wasmparser::Name::Global(map) => {
                    for naming in map {
                        let naming = naming.unwrap();
                        found.push(format!("{} {}", naming.index, naming.name));
                    }
                }
                _ => {}
            }
        }
    }
    assert_eq!(found, ["first", "last", "name", "name", "0 a", "3 b"]);
}

#[test]
fn names_that_cannot_be_read_are_left_out() {
    let module = instrumented(r#"(module (@custom "name" "\01\ff") (func))"#);
    let sections = Parser::new(0).parse_all(&module);
    assert!(!sections.into_iter().any(|p| matches!(p.unwrap(), Payload::CustomSection(_))));
}

#[test]
fn modules_without_some_sections_are_instrumented() {
    for text in [
        "(module)",
        "(module (func))",
        "(module (memory 1))",
        "(module (table 1 funcref) (export \"t\" (table 0)))",
        "(module (global i32 (i32.const 1)))",
        "(module (import \"m\" \"f\" (func)))",
        "(module (import \"m\" \"f\" (func)) (start 0))",
        "(module (memory 1) (data (i32.const 0) \"a\"))",
        "(module (type (func)))",
    ] {
        instrumented(text);
    }
}

#[test]
fn globals_move_wherever_they_are_used() {
    let module = instrumented(
        r#"(module (import "m" "a" (global $a i32)) (memory 1) (table 9 funcref)
          (global $b (mut i32) (i32.add (global.get $a) (i32.const 1)))
          (func $f (export "f") (result i32)
            (global.set $b (i32.add (global.get $b) (i32.const 1)))
            (i32.add (global.get $b) (i32.load8_u (i32.const 5))))
          (data (global.get $a) "\40") (elem (global.get $a) $f)
          (export "b" (global $b)))"#,
    );
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, module).unwrap();
    let mut global = |value: Val, mutability| {
        let ty = GlobalType::new(value.ty(&store).unwrap(), mutability);
        Extern::from(Global::new(&mut store, ty, value).unwrap())
    };
    let imports = [
        global(Val::I32(5), Mutability::Const),
        global(Val::I64(1000), Mutability::Var),
        global(Val::I32(1000), Mutability::Var),
    ];
    let instance = Instance::new(&mut store, &module, &imports).unwrap();
    let f = instance.get_typed_func::<(), i32>(&mut store, "f").unwrap();
    assert_eq!(f.call(&mut store, ()).unwrap(), 5 + 1 + 1 + 0x40);
    assert_eq!(instance.get_global(&mut store, "b").unwrap().get(&mut store).unwrap_i32(), 7);
}

#[test]
fn the_names_of_the_counters_are_reserved() {
    let name = "reserved for the counters";
    check_refused(r#"(module (import "sandboard:metering" "fuel" (global (mut i64))))"#, name);
    check_refused(r#"(module (import "sandboard:metering" "other" (func)))"#, name);
    instrumented(r#"(module (func) (export "sandboard:metering" (func 0)))"#);
    instrumented(r#"(module (import "sandboard:engine" "fuel" (global (mut i64))))"#);
}

#[test]
fn operators_without_a_price_are_named() {
    check_refused("(module (func (return_call 0)))", "the operator ReturnCall at byte 23");
    check_refused("(module (func (drop (ref.null extern))))", "gc types");
    check_refused("(module (memory i64 1))", "memory64");
    check_refused(
        "(module (func (drop (i32x4.relaxed_trunc_f32x4_s (v128.const i64x2 0 0)))))",
        "the operator I32x4RelaxedTruncF32x4S at byte",
    );
    check_refused("(module (memory 1 1 shared) (func (atomic.fence)))", "threads");
    check_refused("(module (func (atomic.fence)))", "the operator AtomicFence at byte 23");
    check_refused("(module (func i32.const 1))", "values remaining on stack");
    check_refused("(component)", "at byte");
}

#[test]
fn any_bytes_give_a_module_or_an_error() {
    let text = r#"(module (import "m" "g" (global i32)) (memory 1) (table 2 funcref)
      (func $f (param i32) (result i32) (block (loop (br_if 1 (local.get 0)) (br 0)))
        (if (result i32) (local.get 0) (then (call $f (i32.const 1))) (else (i32.const 2))))
      (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 9)) (br_table 0 0 (i32.const 1)))
      (elem (i32.const 0) $f) (data (i32.const 0) "data") (export "f" (func $f)))"#;
    let module = wat::parse_str(text).unwrap();
    let check = |bytes: &[u8]| {
        let _ = initialization_parts(bytes);
        if let Ok(module) = instrument(bytes) {
            Validator::new_with_features(FEATURES).validate_all(&module).unwrap();
        }
    };
    for position in 0..module.len() {
        check(&module[..position]);
        for value in 0..=255 {
            let mut bytes = module.clone();
            bytes[position] = value;
            check(&bytes);
        }
    }
}

/// A module with one function of this body, repeated up to this length.
fn large(before: &[u8], unit: &[u8], after: &[u8], length: usize) -> Vec<u8> {
    let mut function = wasm_encoder::Function::new([(3, wasm_encoder::ValType::I32)]);
    function.raw(before.repeat(if before.is_empty() { 0 } else { length / 2 }));
    function.raw(unit.repeat(length / unit.len().max(1)));
    function.raw(after.repeat(if after.is_empty() { 0 } else { length / 2 }));
    function.raw([0x0b]);
    let mut module = wasm_encoder::Module::new();
    let mut types = wasm_encoder::TypeSection::new();
    types.ty().function([], []);
    let mut functions = wasm_encoder::FunctionSection::new();
    functions.function(0);
    let mut code = wasm_encoder::CodeSection::new();
    code.function(&function);
    module.section(&types).section(&functions).section(&code);
    module.finish()
}

#[test]
fn a_large_function_takes_a_moment() {
    let began = Instant::now();
    let bytes = 2_000_000;
    // Operators that need no change.
    let module = large(&[], &[0x20, 0, 0x21, 1], &[], 7_600_000);
    instrument(&module).unwrap();
    // As many segments as possible, and deep nesting.
    for (before, unit, after) in [
        (&[][..], &[0x41, 0, 0x0d, 0][..], &[][..]),
        (&[][..], &[0x10, 0][..], &[][..]),
        (&[][..], &[0x03, 0x40, 0x0b][..], &[][..]),
        (&[0x02, 0x40][..], &[0x0c, 5][..], &[0x0b][..]),
        (&[0x03, 0x40][..], &[0x01][..], &[0x0b][..]),
    ] {
        let module = large(before, unit, after, bytes);
        if let Err(error) = instrument(&module) {
            assert!(error.to_string().contains("bytes in a function"), "{error}");
        }
    }
    // Generous: the time on a busy machine without optimisation.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// Checks the price of initialising a module, and that the runtime charges this much more.
#[track_caller]
fn check_initialization(text: &str, expected: u64, more: i64) {
    let module = wat::parse_str(text).unwrap();
    assert_eq!(initialization_parts(&module).unwrap(), expected, "{text}");
    assert_eq!(initialization_parts(&instrumented(text)).unwrap(), expected, "{text}");
    let engines = super::run::Engines::new(wasmtime::OptLevel::Speed);
    let original = engines.original(&module, super::run::ENOUGH);
    assert_eq!(original.calls[0].spent, expected.cast_signed() + more, "{text}");
}

#[test]
fn initial_memory_and_tables_have_a_price() {
    // The runtime charges the entry of its own function, and the operators of constants.
    check_initialization("(module)", 0, 0);
    check_initialization("(module (memory 1) (data \"passive\"))", 0, 0);
    check_initialization("(module (memory 1) (data (i32.const 0) \"active\"))", 6, 2);
    let two = "(module (memory 1) (data (i32.const 0) \"a\") (data (i32.const 9) \"bc\"))";
    check_initialization(two, 3, 3);
    // It fills some tables while it compiles, and charges nothing for them.
    let table = "(module (table 9 funcref) (func $f) (elem (i32.const 0) $f $f $f))";
    check_initialization(table, 3 * 45, -3 * 45);
    let table = r#"(module (import "m" "g" (global $g i32)) (table 9 funcref) (func $f)
      (elem (global.get $g) $f $f $f))"#;
    check_initialization(table, 3 * 45, 2);
    let declared = "(module (func $f) (elem declare func $f))";
    check_initialization(declared, 0, 0);
}
