//! Components that can be taken apart, and those that are refused, with a near miss for each.

use proptest::prelude::*;

use crate::canonical::Encoding;
use crate::{
    ComponentError, CoreModules, Function, Instance, Interface, Lifted, Lowered, Options, Source,
    Type,
};

/// A small interface.
static INTERFACE: Interface = Interface {
    package: "test:game",
    number: 1,
    export: "engine",
    exported: &[Function {
        name: "go",
        params: &[("text", &Type::String)],
        result: &Type::Record(&[("to_move", &Type::U32)]),
    }],
    imported: &[Function { name: "log", params: &[("text", &Type::String)], result: &Type::Unit }],
};

/// A component with a module for the memory and one for the function.
const SOUND: &str = r#"(component
    (import "test:game/host@1.0.0" (instance $host
        (export "log" (func (param "text" string)))))
    (core module $libc
        (memory (export "memory") 1)
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
        (func (export "free") (param i32)))
    (core instance $libc (instantiate $libc))
    (alias export $host "log" (func $host-log))
    (core func $log (canon lower (func $host-log) (; of log ;) (memory (core memory $libc "memory"))))
    (core module $main
        (import "host" "log" (func (param i32 i32)))
        (import "libc" "memory" (memory 1))
        (func (export "go") (param i32 i32) (result i32) (i32.const 7)))
    (core instance $main (instantiate $main
        (with "host" (instance (export "log" (func $log))))
        (with "libc" (instance $libc))))
    (type $view' (record (field "to-move" u32)))
    (export $view "view" (type $view'))
    (func $go (param "text" string) (result $view) (canon lift (core func $main "go")
        (; of go ;) (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
    (instance $engine (export "go" (func $go)))
    (export "test:game/engine@1.0.0" (instance $engine)))"#;

/// The component with these replacements.
fn component(replacements: &[(&str, &str)]) -> Vec<u8> {
    let mut text = SOUND.to_owned();
    for (from, to) in replacements {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    wat::parse_str(text).unwrap()
}

fn export(instance: usize, export: usize) -> Source {
    Source::Export { instance, export }
}

#[test]
fn a_component_becomes_modules_and_their_wiring() {
    let bytes = component(&[]);
    let CoreModules { modules, wiring } = CoreModules::read(&bytes, &INTERFACE).unwrap();
    assert_eq!(modules.len(), 2);
    assert!(modules.iter().all(|module| module.starts_with(b"\0asm\x01\0\0\0")));
    assert_eq!(
        wiring.instances,
        [
            Instance { module: 0, imports: vec![] },
            Instance { module: 1, imports: vec![Source::Host(0), export(0, 0)] },
        ]
    );
    let encoding = Encoding::Utf8;
    assert_eq!(wiring.lowered, [Lowered { function: 0, encoding }]);
    let core = export(1, 0);
    assert_eq!(wiring.lifted, [Lifted { core, encoding, post_return: None }]);
    let (memory, realloc) = (Some(export(0, 0)), Some(export(0, 1)));
    assert_eq!(wiring.options, Options { memory, realloc });
}

#[test]
fn modules_are_listed_if_they_are_instantiated() {
    let modules = |replacements: &[(&str, &str)]| {
        CoreModules::read(&component(replacements), &INTERFACE).unwrap().modules.len()
    };
    let before = "(core module $main";
    let unused = "(core module $unused (memory 1)) (core module $main";
    let used = "(core module $used) (core instance (instantiate $used)) (core module $main";
    assert_eq!(modules(&[]), 2);
    assert_eq!(modules(&[(before, unused)]), 2);
    assert_eq!(modules(&[(before, used)]), 3);
}

/// Whether the component with these replacements is read, or why not.
fn check(replacements: &[(&str, &str)], expected: Result<(), &str>) {
    let bytes = component(replacements);
    let found = CoreModules::read(&bytes, &INTERFACE).map(drop).map_err(|error| {
        let text = error.to_string();
        // Without the offset.
        match text.split_once(" at byte ") {
            Some((before, after)) => {
                let after = after.trim_start_matches(|it: char| it.is_ascii_digit());
                format!("{before} at byte N{after}")
            }
            None => text,
        }
    });
    assert_eq!(found, expected.map_err(str::to_owned), "{replacements:?}");
}

#[test]
fn imports_and_exports_are_compared_with_the_interface() {
    check(&[], Ok(()));
    check(&[("host@1.0.0", "host@1.4.2")], Ok(()));
    let unknown = "imports `log` of `test:game/host@1.0.0-rc`, which the interface does not have";
    check(&[("host@1.0.0", "host@1.0.0-rc")], Err(unknown));
    let unknown = "imports `log` of `test:game/host@2.0.0`, which the interface does not have";
    check(&[("host@1.0.0", "host@2.0.0")], Err(unknown));
    let unknown = "imports `log` of `test:other/host@1.0.0`, which the interface does not have";
    check(&[("test:game/host", "test:other/host")], Err(unknown));
    let unknown = "imports `shout` of `test:game/host@1.0.0`, which the interface does not have";
    check(
        &[("(export \"log\"", "(export \"shout\""), ("$host \"log\"", "$host \"shout\"")],
        Err(unknown),
    );

    let wrong = "its import `log` of `test:game/host@1.0.0` has in its parameter `text` a list, \
                 not a string";
    check(&[("(param \"text\" string)", "(param \"text\" (list u8))")], Err(wrong));
    let go = "its export `go` of `test:game/engine@1.0.0`";
    let other = |difference: &str| format!("{go} has in its {difference}");
    let field = |to: &'static str| [("(record (field \"to-move\" u32))", to)];
    let wrong = other("result the field `mover`, not `to-move`");
    check(&field("(record (field \"mover\" u32))"), Err(&wrong));
    let wrong = other("result an s32, not a u32");
    check(&field("(record (field \"to-move\" s32))"), Err(&wrong));
    let wrong = other("result another tuple, not a record");
    check(&field("(tuple u32)"), Err(&wrong));
    let wrong = other("result an enum, not a record");
    check(&field("(enum \"to-move\")"), Err(&wrong));

    check(&[("engine@1.0.0", "engine@1.9.9")], Ok(()));
    check(&[("engine@1.0.0", "engine@2.0.0")], Err("exports no `test:game/engine@1`"));
    let missing = "its export `go` of `test:game/engine@1.0.0` is missing";
    check(
        &[("(instance $engine (export \"go\"", "(instance $engine (export \"run\"")],
        Err(missing),
    );
}

#[test]
fn each_function_has_its_encoding_of_texts() {
    let check = |log: &str, go: &str, expected: [Encoding; 2]| {
        let bytes = component(&[("(; of log ;)", log), ("(; of go ;)", go)]);
        let wiring = CoreModules::read(&bytes, &INTERFACE).unwrap().wiring;
        assert_eq!([wiring.lowered[0].encoding, wiring.lifted[0].encoding], expected);
    };
    let (utf8, utf16) = ("string-encoding=utf8", "string-encoding=utf16");
    let compact = "string-encoding=latin1+utf16";
    check("", "", [Encoding::Utf8, Encoding::Utf8]);
    check(utf8, utf16, [Encoding::Utf8, Encoding::Utf16]);
    check(compact, "", [Encoding::CompactUtf16, Encoding::Utf8]);
}

#[test]
fn all_functions_use_one_memory_and_one_allocator() {
    let of_log = "(; of log ;)";
    let memory =
        |instance: &str| format!("(; of go ;) (memory (core memory {instance} \"memory\"))");
    let before_go = "(func $go";
    let other = format!("(core instance $other (instantiate $libc)) {before_go}");
    check(
        &[(&memory("$libc"), &memory("$other")), (before_go, &other)],
        Err("passes values in two memories at byte N, which the host does not support"),
    );

    let realloc = "(realloc (core func $libc \"realloc\"))";
    check(&[(of_log, realloc)], Ok(()));
}

#[test]
fn what_core_modules_alone_do_not_have_is_refused() {
    let resource = "(type $r (resource (rep i32)))";
    let before_main = "(core module $main";
    // A resource that no function uses is only a type.
    check(&[(before_main, &format!("{resource} {before_main}"))], Ok(()));
    let drop = format!("{resource} (core func (canon resource.drop $r)) {before_main}");
    let refused = "uses resources at byte N, which the host does not support";
    check(&[(before_main, &drop)], Err(refused));

    let lower = "(core func (canon lower (func $go) (memory (core memory $libc \"memory\"))
        (realloc (core func $libc \"realloc\")))) (instance $engine";
    let refused = "passes values from one component to another at byte N, which the host does not \
                   support";
    check(&[("(instance $engine", lower)], Err(refused));
}

#[test]
fn components_in_components_are_followed() {
    let inner = r#"(component $inner
        (component $innermost
            (alias outer 2 $libc (core module $again))
            (core instance (instantiate $again)))
        (instance (instantiate $innermost)))
    (instance (instantiate $inner))
    (instance (instantiate $inner))
    (instance $engine"#;
    let bytes = component(&[("(instance $engine", inner)]);
    let CoreModules { modules, wiring } = CoreModules::read(&bytes, &INTERFACE).unwrap();
    assert_eq!(modules.len(), 2);
    let instances: Vec<usize> = wiring.instances.iter().map(|it| it.module).collect();
    assert_eq!(instances, [0, 1, 0, 0]);
    assert_eq!(wiring.lifted[0].core, export(1, 0));
}

#[test]
fn the_function_that_frees_a_result_is_wired() {
    let free = "(post-return (core func $libc \"free\")) (realloc (core";
    let bytes = component(&[("(realloc (core", free)]);
    let wiring = CoreModules::read(&bytes, &INTERFACE).unwrap().wiring;
    assert_eq!(wiring.lifted[0].post_return, Some(export(0, 2)));
}

#[test]
fn one_version_of_the_interface_is_exported() {
    let export = "(export \"test:game/engine@1.0.0\" (instance $engine))";
    let other = |name: &str| format!("{export} (export \"test:game/{name}\" (instance $engine))");
    let two = "exports both `test:game/engine@1.0.0` and `test:game/engine@1.0.1`";
    check(&[(export, &other("engine@1.0.1"))], Err(two));
    check(&[(export, &other("engine@2.0.0"))], Ok(()));
    check(&[(export, &other("engines@1.0.0"))], Ok(()));
}

#[test]
fn exports_that_are_imports_are_refused() {
    let export = "(instance $engine (export \"go\" (func $go)))";
    let go = "(export \"log\" (func (param \"text\" string)))";
    let imported = "(instance $engine (export \"go\" (func $host-log)))";
    check(&[(go, go), (export, imported)], Err("exports `go`, which it imports"));
    let engine = "(export \"test:game/engine@1.0.0\" (instance $engine))";
    let host = "(export \"test:game/engine@1.0.0\" (instance $host))";
    check(&[(engine, host)], Err("exports `test:game/engine@1.0.0`, which it imports"));
}

#[test]
fn names_of_one_item_are_one_source() {
    let two_names = "(func (export \"realloc\") (export \"cabi_import_realloc\")";
    let realloc = |name: &str| format!("(realloc (core func $libc \"{name}\"))");
    check(
        &[
            ("(func (export \"realloc\")", two_names),
            ("(; of log ;)", &realloc("cabi_import_realloc")),
        ],
        Ok(()),
    );
    let two_functions =
        "(func (export \"other\") (param i32 i32 i32 i32) (result i32) (i32.const 8))
        (func (export \"realloc\")";
    check(
        &[("(func (export \"realloc\")", two_functions), ("(; of log ;)", &realloc("other"))],
        Err("allocates with two functions at byte N, which the host does not support"),
    );
}

#[test]
fn a_long_name_is_stored_once() {
    // The wiring of many imports of one export has no names.
    let name = "x".repeat(50_000);
    let imports: String =
        (0..500).map(|index| format!("(import \"libc\" \"{index}\" (func))")).collect();
    let renamed: String =
        (0..500).map(|index| format!("(export \"{index}\" (func $long))")).collect();
    let parts = format!(
        "(core module $exporter (func (export \"{name}\")))
         (core instance $exporter (instantiate $exporter))
         (alias core export $exporter \"{name}\" (core func $long))
         (core module $importer {imports})
         (core instance (instantiate $importer (with \"libc\" (instance {renamed}))))
         (core module $main"
    );
    let bytes = component(&[("(core module $main", &parts)]);
    let wiring = CoreModules::read(&bytes, &INTERFACE).unwrap().wiring;
    let written = serde_json::to_string(&wiring).unwrap();
    assert!(written.len() < 40_000, "{}", written.len());
}

#[test]
fn files_that_are_not_components_are_refused() {
    let is_invalid = |bytes: &[u8]| {
        let found = CoreModules::read(bytes, &INTERFACE);
        matches!(found, Err(ComponentError::Invalid { .. }))
    };
    let bytes = component(&[]);
    assert!(!is_invalid(&bytes));
    assert!(is_invalid(b""));
    assert!(is_invalid(b"no component"));
    assert!(is_invalid(&bytes[..bytes.len() - 1]));
    assert!(is_invalid(&bytes[..100]));
    assert!(is_invalid(b"\0asm\x01\0\0\0"));
    // A module that is longer than the file.
    let module = b"\0asm\x01\0\0\0";
    let cut = [&b"\0asm\x0d\0\x01\0\x01\x10"[..], module].concat();
    assert!(is_invalid(&cut));
}

proptest! {
    #[test]
    fn damaged_components_are_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = component(&[]);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        // Whatever the result is, there is one.
        let _ = CoreModules::read(&bytes, &INTERFACE);
    }
}
