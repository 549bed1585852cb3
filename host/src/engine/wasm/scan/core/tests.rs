//! Core modules by their names, out of a text with what is needed.

use proptest::prelude::*;
use wasmparser::Encoding;

use sha2::{Digest, Sha256};

use super::super::{CapSetting, Profile, Thing, admit};
use super::*;
use crate::engine::wasm::{Metering, Runtime, WasmModule};
use crate::engine::{Assets, Caps};

const CHOOSE: &str = "sandboard:engine/engine@1.0.0#choose";
const POST: &str = "cabi_post_sandboard:engine/engine@1.0.0#choose";
const HOST: &str = "sandboard:engine/host@1.0.0";

/// `(i32 i64) -> (i32)` as text of a function type.
fn typed(signature: &str) -> String {
    let (params, results) = signature.split_once(" -> ").unwrap();
    let inner = |list: &str| list.trim_matches(['(', ')']).to_owned();
    format!("(param {}) (result {})", inner(params), inner(results))
}

fn function(name: &str, signature: &str) -> String {
    format!("(func (export \"{name}\") {} unreachable)", typed(signature))
}

/// A module with all that is needed but these, and this beside.
fn module(without: &[&str], more: &str) -> Vec<u8> {
    let needed = Names::get().unwrap().needed.iter();
    let kept = needed.filter(|call| !without.contains(&&*call.name));
    let mut text: String = kept.map(|call| function(&call.name, &call.signature)).collect();
    if !without.contains(&MEMORY) {
        text.push_str("(memory (export \"memory\") 1)");
    }
    wat::parse_str(format!("(module {more} {text})")).unwrap()
}

fn refusal(module: &[u8]) -> String {
    admit(module, &LoadCaps::of(Profile::Contest)).unwrap_err().to_string()
}

fn check(module: &[u8], expected: &str) {
    match (admit(module, &LoadCaps::of(Profile::Contest)), expected) {
        (Ok(component), "") => {
            assert!(Parser::is_component(&component));
            assert!(component.windows(module.len()).any(|part| part == module), "its own bytes");
        }
        (Ok(_), _) => panic!("admitted, not: {expected}"),
        (Err(refusal), _) => {
            let told = refusal.to_string();
            let told = told.strip_prefix(
                "is a core WebAssembly module without the border's canonical names: it ",
            );
            assert!(!expected.is_empty(), "{refusal}");
            assert!(told.is_some_and(|told| told.starts_with(expected)), "{refusal}");
        }
    }
}

#[test]
fn the_names_of_the_border_make_a_component() {
    check(&module(&[], ""), "");
    let import = |from: &str, name: &str, signature: &str| {
        format!("(import \"{from}\" \"{name}\" (func {}))", typed(signature))
    };
    check(&module(&[], &import(HOST, "left", "() -> (i64)")), "");
    check(
        &module(&[], &import(HOST, "left", "() -> (i64)").repeat(2)),
        &format!("imports `left` of `{HOST}` twice"),
    );
    // Whatever else it exports.
    check(&module(&[], &function("more", "(f64) -> (f32)")), "");
    check(&module(&[], &function("_initialize", "() -> ()")), "");
    check(&module(&[], &function(POST, "(i32) -> ()")), "");

    check(&module(&[CHOOSE], ""), &format!("exports no `{CHOOSE}`"));
    check(&module(&[MEMORY], ""), "exports no `memory`");
    check(
        &module(&[MEMORY], "(global (export \"memory\") i32 (i32.const 0))"),
        "exports `memory`, which is no memory",
    );
    check(
        &module(&["cabi_realloc"], &function("cabi_realloc", "(i32 i32 i32) -> (i32)")),
        "exports `cabi_realloc` as (i32 i32 i32) -> (i32), where the border has (i32 i32 i32 i32) -> (i32)",
    );
    check(
        &module(&["cabi_realloc"], "(table (export \"cabi_realloc\") 1 funcref)"),
        "exports `cabi_realloc` as a table, where the border has a function",
    );
    check(
        &module(&[], &function(POST, "(i64) -> ()")),
        &format!("exports `{POST}` as (i64) -> (), where the border has (i32) -> ()"),
    );
    check(
        &module(&[], &import(HOST, "left", "() -> (i32)")),
        "imports `left` as () -> (i32), where the border has () -> (i64)",
    );
    check(
        &module(&[], &import(HOST, "lift", "() -> (i64)")),
        &format!("imports `lift` of `{HOST}`"),
    );
    check(
        &module(&[], &import("sandboard:engine/host@2.0.0", "left", "() -> (i64)")),
        "imports `left` of `sandboard:engine/host@2.0.0`; that is Sandboard's, but of another version",
    );
    for (name, signature) in [("lift", "() -> (i64)"), ("left", "() -> (i32)")] {
        let told = refusal(&module(&[], &import(HOST, name, signature)));
        assert!(!told.contains("another version"), "{told}");
    }
    // The stub stands in for WASI preview 1, as far as that goes.
    let write = "(i32 i32 i32 i32) -> (i32)";
    check(&module(&[], &import("wasi_snapshot_preview1", "fd_write", write)), "");
    check(
        &module(&[], &import("wasi_snapshot_preview1", "fd_write", "() -> (i32)")),
        "imports `fd_write` as () -> (i32), where the border has (i32 i32 i32 i32) -> (i32)",
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
fn of_much_that_is_wrong_some_is_told() {
    let empty = wat::parse_str("(module)").unwrap();
    check(&empty, "exports no `memory`, exports no `cabi_realloc`, ");
    let told = admit(&empty, &LoadCaps::default()).unwrap_err().to_string();
    assert!(told.ends_with(" and 4 more"), "{told}");
}

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// The text of a section that tells how texts are encoded.
fn encoded(encoding: &[u8]) -> String {
    format!("(@custom \"wit-component-encoding\" \"{}\")", escaped(encoding))
}

/// The text of a section of a module that tells its world, a component of this text.
fn section(name: &str, world: &str) -> String {
    let world = wat::parse_str(format!("(component {world})")).unwrap();
    format!("(@custom \"{name}\" \"{}\")", escaped(&world))
}

/// A module that tells its world.
fn world(name: &str, encoding: &[u8]) -> Vec<u8> {
    module(&[], &section(name, &encoded(encoding)))
}

#[test]
fn how_texts_are_encoded_is_told_by_the_file() {
    let check = |module: Vec<u8>, expected: Result<Texts, &str>| {
        let types = types(&module, &LoadCaps::default()).unwrap();
        let texts = Module::read(&module, &types).unwrap().texts();
        let told = texts.map_err(|refusal| refusal.to_string());
        match (&told, expected) {
            (Ok(texts), Ok(expected)) => assert_eq!(*texts, expected),
            (Err(told), Err(expected)) => assert!(told.ends_with(expected), "{told}"),
            _ => panic!("{told:?}, not {expected:?}"),
        }
        let component = admit(&module, &LoadCaps::default());
        assert_eq!(component.is_ok(), expected.is_ok());
    };
    let unknown = Err("has a `component-type` section that names no encoding of texts known here");
    check(module(&[], ""), Ok(Texts::UTF8));
    check(world("component-type:sandboard", &[4, 0]), Ok(Texts::UTF8));
    check(world("component-type:sandboard", &[4, 1]), Ok(Texts::UTF16));
    check(world("component-type", &[4, 2]), Ok(Texts::CompactUTF16));
    check(world("component", &[4, 1]), Ok(Texts::UTF8));
    check(world("component-type", &[4, 3]), unknown);
    check(world("component-type", &[3, 1]), unknown);
    check(world("component-type", &[]), unknown);
    check(
        module(&[], "(@custom \"component-type\" \"nothing\")"),
        Err("has a `component-type` section that is damaged at its byte 0"),
    );
    let two = |encoding: u8| {
        let of = |encoding: u8| section("component-type:a", &encoded(&[4, encoding]));
        module(&[], &[of(1), of(encoding)].concat())
    };
    check(two(1), Ok(Texts::UTF16));
    check(two(0), Err("has `component-type` sections that name two encodings of texts"));
    let inside = |more: &str| module(&[], &section("component-type", &(encoded(&[4, 1]) + more)));
    check(inside("(type (component))"), Ok(Texts::UTF16));
    check(
        inside(&encoded(&[4, 1])),
        Err("has a `component-type` section that names an encoding of texts twice"),
    );
    let more = Err("has a `component-type` section that holds more than types");
    check(inside(&format!("(component {})", encoded(&[4, 0]))), more);
    check(inside("(core module)"), more);
}

/// What is around a module burns fuel, too: where it changes, so do the prices of core modules.
#[test]
fn the_frame_stays_as_it_is() {
    let hash = |module: &[u8]| {
        let component = admit(module, &LoadCaps::default()).unwrap();
        let mut hash = Sha256::new();
        for payload in Parser::new(0).parse_all(&component) {
            match payload.unwrap() {
                // Names, and who made it.
                Payload::CustomSection(_) => {}
                // What is inside comes for itself.
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
        crate::hex(&hash.finalize())
    };
    let log = format!("(import \"{HOST}\" \"log\" (func (param i32 i32 i32)))");
    let utf_16 = section("component-type", &encoded(&[4, 1]));
    let exit = "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func (param i32)))";
    let of = [module(&[], &log), module(&[], &(utf_16 + &log)), module(&[], exit)];
    assert_eq!(
        of.map(|module| hash(&module)),
        [
            "24b37e8870e4fd062b7fc87deb2470fd9c46632b4192b1b97967f54b88484fff",
            "fb693779d26ed02b5edd90f1006313fc66ff1f382164fef903fd69db9a41a5ef",
            "a87217e934986babdb87d1bb7636bebb62925c70d1a804132ce066072d0d0a93",
        ],
        "what is made around a core module is another than it was, and so may be the fuel that it burns: records that hold \
         some play otherwise. That means a new PRICES_VERSION, with its files in tests/fixtures/fuel"
    );
}

#[test]
fn a_start_section_has_no_imports_yet() {
    let check = |function: &str, expected: &str| {
        let import = format!("(import \"{HOST}\" \"log\" (func $log (param i32 i32 i32)))");
        let bytes = module(&[], &format!("{import} {function}"));
        let loaded = WasmModule::load(
            &Runtime::new(),
            &bytes,
            Metering::Fuel,
            Caps::default(),
            Assets::default(),
        );
        let told = loaded.unwrap().describe().unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    };
    let hint = "export it as `_initialize`";
    let logs = "(call $log (i32.const 0) (i32.const 0) (i32.const 0))";
    check(&format!("(func $run {logs}) (start $run)"), hint);
    let unreachable = "wasm `unreachable` instruction executed";
    check("(func $run) (start $run)", unreachable);
    check(&format!("(func (export \"_initialize\") {logs})"), unreachable);
}

#[test]
fn caps_hold_for_core_modules() {
    let long = format!("(func {})", "(drop (i32.const 1))".repeat(50_000));
    let refusal = admit(&module(&[], &long), &LoadCaps::of(Profile::Contest)).unwrap_err();
    assert!(refusal.to_string().contains("bytes in a function body"), "{refusal}");
    // The length is the file's.
    let module = module(&[], "");
    let of = |bytes| {
        let caps =
            LoadCaps::of(Profile::Contest).with(&[CapSetting::new(Thing::Bytes, bytes).unwrap()]);
        admit(&module, &caps).map(drop)
    };
    let length = module.len() as u64;
    assert_eq!(of(length), Ok(()));
    assert!(matches!(of(length - 1), Err(Refusal::Bytes { bytes, .. }) if bytes == length));
}

proptest! {
    #[test]
    fn a_damaged_module_is_refused_or_whole(at in 0usize..2000, byte: u8) {
        let mut module = module(&[], "");
        let at = 8 + at % (module.len() - 8);
        module[at] = byte;
        let refused = admit(&module, &LoadCaps::default());
        if let Ok(component) = refused {
            let first = Parser::new(0).parse_all(&component).next();
            let is_component = matches!(first, Some(Ok(Payload::Version { encoding: Encoding::Component, .. })));
            prop_assert!(is_component);
        }
    }
}
