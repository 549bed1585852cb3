//! Core modules with canonical names: which are wrapped, and the errors for the others.

use proptest::prelude::*;
use wasmparser::Encoding;

use sha2::{Digest, Sha256};

use super::super::{CapKind, CapSetting, Profile, admit};
use super::*;
use crate::{Metering, Runtime, WasmModule};
use sandboard_engine::{Caps, Resources};

const CHOOSE: &str = "sandboard:engine/engine@1.0.0#choose";
const POST: &str = "cabi_post_sandboard:engine/engine@1.0.0#choose";
const HOST: &str = "sandboard:engine/host@1.0.0";

/// Converts a signature such as `(i32 i64) -> (i32)` to a function type in text format.
fn function_type(signature: &str) -> String {
    let (params, results) = signature.split_once(" -> ").unwrap();
    let inner = |list: &str| list.trim_matches(['(', ')']).to_owned();
    format!("(param {}) (result {})", inner(params), inner(results))
}

fn function(name: &str, signature: &str) -> String {
    format!("(func (export \"{name}\") {} unreachable)", function_type(signature))
}

/// A module with all required exports except those in `without`, and with `more`.
fn module(without: &[&str], more: &str) -> Vec<u8> {
    let required = InterfaceNames::get().unwrap().required_exports.iter();
    let kept = required.filter(|call| !without.contains(&&*call.name));
    let mut text: String = kept.map(|call| function(&call.name, &call.signature)).collect();
    if !without.contains(&MEMORY) {
        text.push_str("(memory (export \"memory\") 1)");
    }
    wat::parse_str(format!("(module {more} {text})")).unwrap()
}

fn error_of(module: &[u8]) -> String {
    admit(module, &LoadCaps::for_profile(Profile::Contest)).unwrap_err().to_string()
}

fn check(module: &[u8], expected: &str) {
    match (admit(module, &LoadCaps::for_profile(Profile::Contest)), expected) {
        (Ok(component), "") => {
            assert!(Parser::is_component(&component));
            assert!(
                component.windows(module.len()).any(|part| part == module),
                "it contains the module"
            );
        }
        (Ok(_), _) => panic!("admitted, not: {expected}"),
        (Err(error), _) => {
            let text = error.to_string();
            let reason = text.strip_prefix(
                "is a core WebAssembly module without the ABI's canonical names: it ",
            );
            assert!(!expected.is_empty(), "{error}");
            assert!(reason.is_some_and(|reason| reason.starts_with(expected)), "{error}");
        }
    }
}

#[test]
fn a_module_with_the_names_of_the_abi_is_wrapped() {
    check(&module(&[], ""), "");
    let import = |from: &str, name: &str, signature: &str| {
        format!("(import \"{from}\" \"{name}\" (func {}))", function_type(signature))
    };
    check(&module(&[], &import(HOST, "left", "() -> (i64)")), "");
    check(
        &module(&[], &import(HOST, "left", "() -> (i64)").repeat(2)),
        &format!("imports `left` of `{HOST}` twice"),
    );
    // Other exports are ignored.
    check(&module(&[], &function("more", "(f64) -> (f32)")), "");
    check(&module(&[], &function("_initialize", "() -> ()")), "");
    check(&module(&[], &function(POST, "(i32) -> ()")), "");

    check(&module(&[CHOOSE], ""), &format!("exports no `{CHOOSE}`"));
    check(&module(&[MEMORY], ""), "exports no `memory`");
    check(
        &module(&[MEMORY], "(global (export \"memory\") i32 (i32.const 0))"),
        "exports `memory`, which is not a memory",
    );
    check(
        &module(&["cabi_realloc"], &function("cabi_realloc", "(i32 i32 i32) -> (i32)")),
        "exports `cabi_realloc` as (i32 i32 i32) -> (i32), where the ABI has (i32 i32 i32 i32) -> (i32)",
    );
    check(
        &module(&["cabi_realloc"], "(table (export \"cabi_realloc\") 1 funcref)"),
        "exports `cabi_realloc` as a table, where the ABI has a function",
    );
    check(
        &module(&[], &function(POST, "(i64) -> ()")),
        &format!("exports `{POST}` as (i64) -> (), where the ABI has (i32) -> ()"),
    );
    check(
        &module(&[], &import(HOST, "left", "() -> (i32)")),
        "imports `left` as () -> (i32), where the ABI has () -> (i64)",
    );
    check(
        &module(&[], &import(HOST, "lift", "() -> (i64)")),
        &format!("imports `lift` of `{HOST}`"),
    );
    check(
        &module(&[], &import("sandboard:engine/host@2.0.0", "left", "() -> (i64)")),
        "imports `left` of `sandboard:engine/host@2.0.0`; that is another version of the ABI",
    );
    for (name, signature) in [("lift", "() -> (i64)"), ("left", "() -> (i32)")] {
        let error = error_of(&module(&[], &import(HOST, name, signature)));
        assert!(!error.contains("another version"), "{error}");
    }
    // The stub has some functions of WASI preview 1.
    let write = "(i32 i32 i32 i32) -> (i32)";
    check(&module(&[], &import("wasi_snapshot_preview1", "fd_write", write)), "");
    check(
        &module(&[], &import("wasi_snapshot_preview1", "fd_write", "() -> (i32)")),
        "imports `fd_write` as () -> (i32), where the ABI has (i32 i32 i32 i32) -> (i32)",
    );
    check(
        &module(&[], &import("wasi_snapshot_preview1", "fd_wrote", write)),
        "imports `fd_wrote` of `wasi_snapshot_preview1`; that is WASI preview 1",
    );
    check(
        &module(&[], &import("wasi_unstable", "fd_write", write)),
        "imports `fd_write` of `wasi_unstable`; that is WASI before preview 1",
    );
}

#[test]
fn an_error_names_some_faults_and_counts_the_others() {
    let empty = wat::parse_str("(module)").unwrap();
    check(&empty, "exports no `memory`, exports no `cabi_realloc`, ");
    let error = admit(&empty, &LoadCaps::default()).unwrap_err().to_string();
    assert!(error.ends_with(" and 4 more"), "{error}");
}

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// A section, in text format, that names the encoding of strings.
fn encoding_section(encoding: &[u8]) -> String {
    format!("(@custom \"wit-component-encoding\" \"{}\")", escaped(encoding))
}

/// A section of a module, in text format, that contains its world.
fn world_section(name: &str, world: &str) -> String {
    let world = wat::parse_str(format!("(component {world})")).unwrap();
    format!("(@custom \"{name}\" \"{}\")", escaped(&world))
}

/// A module whose world names an encoding of strings.
fn module_with_world(name: &str, encoding: &[u8]) -> Vec<u8> {
    module(&[], &world_section(name, &encoding_section(encoding)))
}

#[test]
fn the_file_determines_the_encoding_of_strings() {
    let check = |module: Vec<u8>, expected: Result<StringEncoding, &str>| {
        let types = scan_types(&module, &LoadCaps::default()).unwrap();
        let encoding = Module::read(&module, &types).unwrap().string_encoding();
        let encoding = encoding.map_err(|error| error.to_string());
        match (&encoding, expected) {
            (Ok(encoding), Ok(expected)) => assert_eq!(*encoding, expected),
            (Err(error), Err(expected)) => assert!(error.ends_with(expected), "{error}"),
            _ => panic!("{encoding:?}, not {expected:?}"),
        }
        let component = admit(&module, &LoadCaps::default());
        assert_eq!(component.is_ok(), expected.is_ok());
    };
    let unknown = Err("has a `component-type` section that names no known string encoding");
    check(module(&[], ""), Ok(StringEncoding::UTF8));
    check(module_with_world("component-type:sandboard", &[4, 0]), Ok(StringEncoding::UTF8));
    check(module_with_world("component-type:sandboard", &[4, 1]), Ok(StringEncoding::UTF16));
    check(module_with_world("component-type", &[4, 2]), Ok(StringEncoding::CompactUTF16));
    check(module_with_world("component", &[4, 1]), Ok(StringEncoding::UTF8));
    check(module_with_world("component-type", &[4, 3]), unknown);
    check(module_with_world("component-type", &[3, 1]), unknown);
    check(module_with_world("component-type", &[]), unknown);
    check(
        module(&[], "(@custom \"component-type\" \"nothing\")"),
        Err("has a `component-type` section that is damaged at its byte 0"),
    );
    let two = |encoding: u8| {
        let of =
            |encoding: u8| world_section("component-type:a", &encoding_section(&[4, encoding]));
        module(&[], &[of(1), of(encoding)].concat())
    };
    check(two(1), Ok(StringEncoding::UTF16));
    check(two(0), Err("has `component-type` sections that name two string encodings"));
    let inside = |more: &str| {
        module(&[], &world_section("component-type", &(encoding_section(&[4, 1]) + more)))
    };
    check(inside("(type (component))"), Ok(StringEncoding::UTF16));
    check(
        inside(&encoding_section(&[4, 1])),
        Err("has a `component-type` section that names a string encoding twice"),
    );
    let more = Err("has a `component-type` section that holds more than types");
    check(inside(&format!("(component {})", encoding_section(&[4, 0]))), more);
    check(inside("(core module)"), more);
}

/// The component around a module burns fuel, too: a change changes the fuel of core modules.
#[test]
fn the_component_around_a_module_is_unchanged() {
    let hash = |module: &[u8]| {
        let component = admit(module, &LoadCaps::default()).unwrap();
        let mut hash = Sha256::new();
        for payload in Parser::new(0).parse_all(&component) {
            match payload.unwrap() {
                // Names and producers.
                Payload::CustomSection(_) => {}
                // Nested sections follow as payloads of their own.
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                    hash.update(b"inside");
                }
                other => {
                    let (id, range) = other.as_section().unwrap_or_default();
                    hash.update([id]);
                    hash.update(&component[range]);
                }
            }
        }
        sandboard_common::hex::hex(&hash.finalize())
    };
    let log = format!("(import \"{HOST}\" \"log\" (func (param i32 i32 i32)))");
    let utf_16 = world_section("component-type", &encoding_section(&[4, 1]));
    let exit = "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func (param i32)))";
    let of = [module(&[], &log), module(&[], &(utf_16 + &log)), module(&[], exit)];
    assert_eq!(
        of.map(|module| hash(&module)),
        [
            "5512f45fd49453690215d3074c174db1ccd39449fa8a43d644844cefcb64f58e",
            "d0d3f07e570519334b260532fd183d5a286b2c44812f3917564fca0bdac8add1",
            "cb3d2fb65a2b0aa63d47d6f64bd296d6ea98c2641cf322a86fb23a17c7e9b670",
        ],
        "the component around a core module has changed, and so may its fuel and the moves in records. \
         That needs a new PRICES_VERSION, with its files in tests/fixtures/fuel"
    );
}

#[test]
fn a_start_section_cannot_call_imports() {
    let check = |function: &str, expected: &str| {
        let import = format!("(import \"{HOST}\" \"log\" (func $log (param i32 i32 i32)))");
        let bytes = module(&[], &format!("{import} {function}"));
        let loaded = WasmModule::load(
            &Runtime::new(),
            &bytes,
            Metering::Fuel,
            Caps::default(),
            Resources::default(),
        );
        let error = loaded.unwrap().describe().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let hint = "export it as `_initialize`";
    let logs = "(call $log (i32.const 0) (i32.const 0) (i32.const 0))";
    check(&format!("(func $run {logs}) (start $run)"), hint);
    let unreachable = "wasm `unreachable` instruction executed";
    check("(func $run) (start $run)", unreachable);
    check(&format!("(func (export \"_initialize\") {logs})"), unreachable);
}

#[test]
fn caps_apply_to_core_modules() {
    let long = format!("(func {})", "(drop (i32.const 1))".repeat(50_000));
    let error = admit(&module(&[], &long), &LoadCaps::for_profile(Profile::Contest)).unwrap_err();
    assert!(error.to_string().contains("bytes in a function body"), "{error}");
    // The cap on the length applies to the file.
    let module = module(&[], "");
    let of = |bytes| {
        let caps =
            LoadCaps::for_profile(Profile::Contest)
                .with(&[CapSetting::new(CapKind::Bytes, bytes).unwrap()]);
        admit(&module, &caps).map(drop)
    };
    let length = module.len() as u64;
    assert_eq!(of(length), Ok(()));
    assert!(matches!(of(length - 1), Err(ScanError::Bytes { bytes, .. }) if bytes == length));
}

proptest! {
    #[test]
    fn a_damaged_module_is_refused_or_wrapped(at in 0usize..2000, byte: u8) {
        let mut module = module(&[], "");
        let at = 8 + at % (module.len() - 8);
        module[at] = byte;
        let result = admit(&module, &LoadCaps::default());
        if let Ok(component) = result {
            let first = Parser::new(0).parse_all(&component).next();
            let is_component = matches!(first, Some(Ok(Payload::Version { encoding: Encoding::Component, .. })));
            prop_assert!(is_component);
        }
    }
}
