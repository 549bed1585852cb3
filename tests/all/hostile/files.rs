//! Invalid files in the engines folder: damaged, disguised, too large, or with another interface.
//! Each is listed with the reason and never compiled, and a valid engine beside it stays usable.

use std::fs;
use std::path::Path;

use sandboard_engine::{Caps, Fault};
use sandboard_engine_wasm::scan::{LoadCaps, Profile};
use sandboard_engine_wasm::{CodeCache, Metering, Runtime, WasmModule};
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::game_loader::GameLoader;
use sandboard_packs::loader::Loader;
use sandboard_packs::manifest::{ModuleKind, PackLimits};
use sandboard_tests::built;

use super::guest::{Guest, load};
use super::harness::{Harness, Terms, code_and_sentence};
use crate::cli::TestHome;

/// The valid engine beside the invalid files.
const GOOD: &str = "good-1.gomoku.wasm";

/// An engines folder with these files and a valid engine.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(GOOD), Guest::sound().bytes()).unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The listed entries without the valid engine, which must be usable.
    fn listed(&self) -> Vec<Entry> {
        let mut entries = Catalog::scan(self.path(), &GameLoader::default()).unwrap().entries;
        let good = entries.iter().position(|entry| entry.source == Path::new(GOOD)).unwrap();
        let good = entries.remove(good);
        assert!(good.is_usable(), "{:?}", good.faults());
        Loader::default().load(&good, Metering::Deadline).map(drop).expect("it loads");
        entries
    }
}

/// The faults listed for a file of this name; empty if it is usable.
fn listed(name: &str, bytes: Vec<u8>) -> String {
    let entries = Folder::new([(name, bytes)]).listed();
    assert_eq!(entries.len(), 1, "{entries:?}");
    let faults: Vec<String> = entries[0].faults().iter().map(ToString::to_string).collect();
    faults.join("; ")
}

/// A file that must not be compiled: listing, loading and describing give the same reason.
#[track_caller]
fn check(harness: &Harness, bytes: &[u8], why: &str) {
    harness.count_check();
    let found = listed("bad-1.gomoku.wasm", bytes.to_vec());
    assert!(found.contains(why), "{found:?}, not {why:?}");
    let fault = load(bytes, Metering::Deadline, Caps::default()).map(drop).unwrap_err();
    assert!(
        code_and_sentence(&fault).starts_with(&format!("load: cannot be loaded: {why}")),
        "{fault}"
    );
    let folder = Folder::new([("bad.wasm", bytes.to_vec())]);
    let module = folder.path().join("bad.wasm");
    let described = Loader::default().describe(&module, ModuleKind::Wasm, PackLimits::default());
    let fault = described.map(drop).unwrap_err();
    assert!(
        code_and_sentence(&fault).starts_with("load: ") && code_and_sentence(&fault).contains(why),
        "{fault}"
    );
}

/// A sound engine with more fields in its module.
fn with_fields(more: &str) -> Vec<u8> {
    Guest::with("more", more).bytes()
}

pub(super) fn damaged(harness: &Harness) {
    harness.count_check();
    let whole = fs::read(built("c-minimal.wasm")).unwrap();
    let name = "bad-1.gomoku.wasm";
    let check = |bytes: &[u8], why: &str| {
        let found = listed(name, bytes.to_vec());
        assert!(found.starts_with(&format!("{name}: {why}")), "{found:?}, not {why:?}");
    };
    check(b"", "is empty");
    let elf = fs::read(std::env::current_exe().unwrap()).unwrap();
    if cfg!(target_os = "linux") {
        check(&elf[..100_000], "is not a WebAssembly component, but an ELF file");
    }
    for length in [1, 7, 9, 100, whole.len() / 2, whole.len() - 1] {
        let found = listed(name, whole[..length].to_vec());
        assert!(found.contains("is not a ") || found.contains("is no valid "), "{found}");
        assert!(length < 8 || found.contains(": at byte "), "{length} bytes: {found}");
    }
    // A type error in the last instruction of a function.
    let mut wrong = Guest::with("choose", "(call $pick) (i32.const 1024) (nop)").bytes();
    let end = [0x41, 0x80, 0x08, 0x01, 0x0b];
    let at = wrong.windows(5).position(|bytes| bytes == end).unwrap();
    wrong[at] = 0x42;
    // The validator reports it at the end of the function.
    check(&wrong, &format!("is not valid WebAssembly: at byte {}: type mismatch", at + 4));
    mutations(&whole);
}

/// 200 files with a few bytes changed, the same in each run.
fn mutations(whole: &[u8]) {
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut files = Vec::new();
    for number in 0..200 {
        let mut bytes = whole.to_vec();
        for _ in 0..=draw(4) {
            let at = draw(bytes.len());
            bytes[at] = draw(256) as u8;
        }
        files.push((format!("m{number:03}-1.gomoku.wasm"), bytes));
    }
    let folder = Folder::new(files.iter().map(|(name, bytes)| (&name[..], bytes.clone())));
    let entries = folder.listed();
    assert_eq!(entries.len(), 200);
    let (mut sound, mut placed) = (0, 0);
    for (entry, (name, bytes)) in entries.iter().zip(&files) {
        assert_eq!(entry.source, Path::new(name));
        let faults: Vec<String> = entry.faults().iter().map(ToString::to_string).collect();
        placed += usize::from(faults.iter().any(|fault| fault.contains(": at byte ")));
        assert_eq!(faults.is_empty(), entry.is_usable());
        if entry.is_usable() {
            sound += 1;
            // The change may be in a constant: the engine must end, in any way.
            let tried = load(bytes, Metering::Deadline, Caps::default());
            let tried = tried.and_then(|module| module.describe());
            drop(tried.map_err(|fault: Fault| assert_ne!(fault.sentence, "")));
        }
    }
    println!("{sound} still valid, {placed} refused with a location");
    assert!(sound > 0 && placed > 100, "{sound} still valid, {placed} refused with a location");
}

pub(super) fn precompiled(harness: &Harness) {
    harness.count_check();
    // Real machine code for this host, of a sound engine.
    let cache = tempfile::tempdir().unwrap();
    let runtime = Runtime::with_cache(CodeCache::open(cache.path(), Profile::Everyday).unwrap());
    let bytes = Guest::sound().bytes();
    let (metering, caps) = (Metering::Deadline, Caps::default());
    WasmModule::load(&runtime, &bytes, metering, caps, Default::default()).unwrap();
    let mut files = fs::read_dir(cache.path().join("everyday")).unwrap();
    let kept = fs::read(files.next().unwrap().unwrap().path()).unwrap();
    let head = kept.windows(4).position(|bytes| bytes == b"\x7fELF").unwrap();
    let code = kept[head..].to_vec();

    let found = listed("code-1.gomoku.cwasm", code.clone());
    let why = "a precompiled `.cwasm` is never loaded; use the `.wasm` that it was compiled from";
    assert_eq!(found, format!("code-1.gomoku.cwasm: {why}"));
    // It is refused under another name and in a manifest, too.
    let elf = "is not a WebAssembly component, but an ELF file (a native library, or a precompiled `.cwasm`)";
    assert_eq!(listed("code-1.gomoku.wasm", code.clone()), format!("code-1.gomoku.wasm: {elf}"));
    let fault = load(&code, metering, caps).map(drop).unwrap_err();
    assert!(
        code_and_sentence(&fault)
            .starts_with("load: cannot be loaded: is not valid WebAssembly: at byte 0: "),
        "{fault}"
    );
    let manifest = r#"<EngineConfigs abi="1"><Engine id="code" name="Code" version="1" kind="wasm"
        module="code.%"><Game id="gomoku" variants="freestyle"/></Engine></EngineConfigs>"#;
    for (ending, why) in
        [("wasm", elf), ("cwasm", "a precompiled `.cwasm` is never loaded; name the `.wasm`")]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("code.{ending}")), &code).unwrap();
        fs::write(folder.path().join("EngineConfigs.xml"), manifest.replace('%', ending)).unwrap();
        let entries = Catalog::scan(folder.path(), &GameLoader::default()).unwrap().entries;
        let faults: Vec<String> =
            entries.iter().flat_map(|entry| entry.faults()).map(ToString::to_string).collect();
        assert!(faults.iter().any(|fault| fault.contains(why)), "{faults:?}");
        assert!(entries.iter().all(|entry| !entry.is_usable()));
    }
}

pub(super) fn oversized(harness: &Harness) {
    let mut long = Guest::sound().bytes();
    // One more custom section: 9 bytes of header and name.
    long.extend([0, 0xff, 0xff, 0xff, 0x17]);
    long.resize(50_331_649, 0);
    let admitted = "at most 50331648 are admitted by the everyday profile";
    check(harness, &long, &format!("is 50331649 bytes long; {admitted}"));
    let types = format!("(type (func (param {})))", "i32 ".repeat(900));
    let straight = "(drop (i32.const 1))".repeat(300_000);
    let nested = |depth: usize, block: &str, inside: &str| {
        format!("{} {inside} {}", block.repeat(depth), "end ".repeat(depth))
    };
    let sets = "(local.set 0 (i32.add (local.get 0) (local.get 99)))";
    for (more, why) in [
        ("(func)".repeat(100_000), "functions"),
        ("(type (func))".repeat(7_000), "types"),
        (types, "parameters in a function type"),
        // A long sequence of instructions.
        (format!("(func {straight})"), "bytes in a function body"),
        (format!("(func {})", nested(500_000, "block ", "")), "bytes in a function body"),
        (format!("(func {})", nested(2_001, "block ", "")), "blocks inside each other"),
        (format!("(func (local {}))", "i32 ".repeat(10_001)), "locals in a function"),
        // A few hundred bytes that would compile for half a minute.
        (
            format!("(func (local {}) {})", "i32 ".repeat(1_000), nested(100, "loop ", sets)),
            "locals carried by nested loops of a function",
        ),
        (
            format!("(func (local {}) {})", "i32 ".repeat(1_000), "block end ".repeat(1_001)),
            "locals carried by branches of a function",
        ),
        ((0..20_000).map(|n| format!(r#"(func (export "x{n}"))"#)).collect(), "exports"),
    ] {
        harness.count_check();
        // Built without `wit-component`, which would be slower than the host.
        let engine = super::guest::with_module(Guest::sound().bytes(), &format!("(module {more})"));
        let found = listed("bad-1.gomoku.wasm", engine.clone());
        assert!(found.contains(&format!(" {why} at byte ")), "{found}");
        let fault = load(&engine, Metering::Deadline, Caps::default()).map(drop).unwrap_err();
        assert!(fault.sentence.contains(&format!(" {why} at byte ")), "{fault}");
    }
    check_contest_profile(harness);
    check_command_line(harness);
}

/// The contest profile refuses engines that the everyday profile admits.
fn check_contest_profile(harness: &Harness) {
    let contest = || Loader::default().with_load_caps(LoadCaps::for_profile(Profile::Contest));
    let sets = |depth: usize| {
        let (begin, end) = ("loop ".repeat(depth), "end ".repeat(depth));
        format!("(func (local {}) {begin} {end})", "i32 ".repeat(100))
    };
    for (near, beyond, why) in [
        ("(func)".repeat(19_000), "(func)".repeat(20_001), "functions"),
        ("(type (func))".repeat(1_800), "(type (func))".repeat(2_001), "types"),
        (sets(20), sets(21), "locals carried by nested loops of a function"),
        (
            "(global i32 i32.const 0)".repeat(900),
            "(global i32 i32.const 0)".repeat(1_001),
            "globals",
        ),
    ] {
        harness.count_check();
        for (more, admitted) in [(near, true), (beyond, false)] {
            let engine =
                super::guest::with_module(Guest::sound().bytes(), &format!("(module {more})"));
            let folder = Folder::new([("big-1.gomoku.wasm", engine)]);
            let [entry] = &folder.listed()[..] else { panic!("one is listed") };
            assert!(entry.is_usable(), "{:?}", entry.faults());
            Loader::default().load(entry, Metering::Deadline).map(drop).unwrap();
            let output = contest()
                .load(entry, Metering::Deadline)
                .map(drop)
                .map_err(|it| code_and_sentence(&it));
            assert_eq!(output.is_ok(), admitted, "{why}: {output:?}");
            if let Err(output) = output {
                let by = "are admitted by the contest profile (`--cap ";
                assert!(
                    output.contains(&format!(" {why} at byte ")) && output.contains(by),
                    "{output}"
                );
            }
        }
    }
}

fn check_command_line(harness: &Harness) {
    harness.count_check();
    let home = TestHome::new();
    let functions = |count: usize| {
        let more = "(func)".repeat(count);
        super::guest::with_module(Guest::sound().bytes(), &format!("(module {more})"))
    };
    let folder = Folder::new([("bad-1.gomoku.wasm", functions(60_001))]);
    let engines = folder.path().to_str().unwrap();
    let list = home.run(&["list", "--engines-dir", engines], "");
    assert!(list.out.contains(" functions at byte "), "{}{}", list.out, list.err);
    let check = home.run(&["check", "bad", "--engines-dir", engines], "");
    assert_eq!(check.code, Some(1), "{}{}", check.out, check.err);
    let output = check.out + &check.err;
    assert!(output.contains(" functions at byte ") && output.contains("at most 60000"), "{output}");
    // The operator's caps replace the profile's, for listing and loading.
    let more = ["--engines-dir", engines, "--cap", "functions=70000"];
    let list = home.run(&[&["list"], &more[..]].concat(), "");
    assert!(!list.out.contains("not usable"), "{}{}", list.out, list.err);
    assert!(list.out.contains("--cap functions=70000"), "typed again: {}", list.out);
    let played = "play gomoku --variant freestyle-5 --seat bad --seat bad";
    let play =
        |more: &[&str]| home.run(&[&played.split(' ').collect::<Vec<_>>(), more].concat(), "");
    let ended = play(&more);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let ended = play(&more[..2]);
    assert_ne!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let less = ["--engines-dir", engines, "--cap", "functions=3"];
    let list = home.run(&[&["list"], &less[..]].concat(), "");
    assert!(list.out.contains("at most 3 are admitted by `--cap functions=3`"), "{}", list.out);
    for (cap, why) in [
        ("function=3", "unknown cap `function`; did you mean `functions`?"),
        ("functions=many", "`many` is not a number for the cap `functions`"),
        ("tables=9", "the cap `tables` cannot be 9: at most 8, as many as the runtime's pool"),
    ] {
        let list = home.run(&["list", "--cap", cap], "");
        assert_eq!(list.code, Some(2), "{}", list.err);
        assert!(list.err.contains(why), "{}", list.err);
    }
}

pub(super) fn bombs(harness: &Harness) {
    let memory =
        |text: &str| Guest::with("memory", &format!(r#"(memory (export "memory") {text})"#));
    let why = "holds 4294967296 bytes in a memory to begin with at byte ";
    check(harness, &memory("65536").bytes(), why);
    check(
        harness,
        &with_fields("(table 10000000 funcref)"),
        "holds 10000000 elements in a table to begin with at byte ",
    );
    let segments = r#"(data "")"#.repeat(40_001);
    check(harness, &with_fields(&segments), "holds 40005 data segments at byte ");
    let elements = format!("(elem func {})", "$begin ".repeat(1_000)).repeat(101);
    check(harness, &with_fields(&elements), "holds 101000 entries in element segments at byte ");
    let tables = "(table 1 funcref)".repeat(9);
    check(harness, &with_fields(&tables), "holds 9 tables at byte ");
    // Within the limit of every instance, but beyond this one's.
    let needs = "needs more than its 64 MiB of memory to begin with";
    harness.faults(&memory("1025"), Terms::default(), "memory", needs);
    // A data segment far up in an empty memory is copied at each start.
    let sparse = memory("1016").and("more", r#"(data (i32.const 66060288) "\ff")"#);
    let record = harness.plays(&sparse, Terms::default());
    assert!(record.plies[0].spent.peak_memory_bytes.unwrap() <= 64 << 20);
    // Data beyond its memory is a trap.
    let beyond = Guest::with("more", r#"(data (i32.const 262144) "x")"#);
    harness.faults(&beyond, Terms::default(), "crash", "trapped: out of bounds memory access");
}

pub(super) fn proposals(harness: &Harness) {
    for (name, more) in [
        ("threads", r#"(import "" "" (memory 1 2 shared))"#),
        ("memory64", r#"(import "" "" (memory i64 1))"#),
        ("multi-memory", r#"(import "" "a" (memory 1)) (import "" "b" (memory 1))"#),
        ("gc", "(type (struct))"),
        ("gc-types", "(table 1 externref)"),
        ("function-references", "(type $f (func)) (func (param (ref null $f)))"),
        ("exceptions", "(tag)"),
        ("tail-call", "(func (return_call 0))"),
        ("stack-switching", "(type $f (func)) (type (cont $f))"),
        ("custom-page-sizes", r#"(import "" "" (memory 1 (pagesize 1)))"#),
        ("wide-arithmetic", "(func (i64.mul_wide_s (i64.const 1) (i64.const 1)) (drop) (drop))"),
        (
            "relaxed-simd",
            "(func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
        ),
    ] {
        let text = format!("(module {more})");
        let engine = super::guest::with_module(Guest::sound().bytes(), &text);
        let why = format!("needs the WebAssembly proposal `{name}`, which is off here: at byte ");
        check(harness, &engine, &why);
    }
}

pub(super) fn interfaces(harness: &Harness) {
    let unknown = "imports `wasi:cli/exit@0.2.0`; an engine may import only";
    let mut engine = wat::parse_str(
        r#"(component (import "wasi:cli/exit@0.2.0" (instance (export "exit" (func)))))"#,
    )
    .unwrap();
    let found = listed("bad-1.gomoku.wasm", engine.clone());
    assert!(found.contains(unknown), "{found}");
    let refused = harness.load_fault(&engine);
    assert!(refused.starts_with(&format!("load: cannot be loaded: {unknown}")), "{refused}");
    // The interface has the right name and other contents.
    let probe = r#"(import "sandboard:engine/host@1.0.0" "probe""#;
    let now = r#"(import "sandboard:engine/host@1.0.0" "now" (func (result i64)))"#;
    let left = "left: func() -> u64;";
    engine = Guest::sound()
        .with_interface(left, "left: func() -> u64; now: func() -> u64;")
        .bytes_where(probe, &format!("{now} {probe}"));
    let unknown =
        "imports `now` of `sandboard:engine/host@1.0.0`, which the interface does not have";
    assert_eq!(harness.load_fault(&engine), format!("load: cannot be loaded: {unknown}"));
    engine = Guest::sound()
        .with_interface(left, "left: func() -> u32;")
        .bytes_where("(func $left (result i64))", "(func $left (result i32))");
    let other =
        "its import `left` of `sandboard:engine/host@1.0.0` has in its result a u32, not a u64";
    assert_eq!(harness.load_fault(&engine), format!("load: cannot be loaded: {other}"));
    let export = |call: &str, wrong: &str| {
        format!(
            "load: cannot be loaded: its export `{call}` of `sandboard:engine/engine@1.0.0` {wrong}"
        )
    };
    engine = Guest::sound()
        .with_interface("taken-back: func(plies: u32)", "taken-back: func(plies: u64)")
        .bytes_where("(param $plies i32)", "(param $plies i64)");
    let wrong = "has in its parameter `plies` a u64, not a u32";
    assert_eq!(harness.load_fault(&engine), export("taken-back", wrong));
    engine = Guest::sound().with_interface("seed: u64,", "seed: s64,").bytes();
    let wrong = "has in its parameter `setup` an s64, not a u64";
    assert_eq!(harness.load_fault(&engine), export("start", wrong));
    engine = Guest::sound()
        .with_interface("think: func() -> result<_, string>", "ponder: func() -> result<_, string>")
        .bytes_where("#think", "#ponder");
    assert_eq!(harness.load_fault(&engine), export("think", "is missing"));
    // The right name for a component or a function.
    for kind in [
        r#"(component $e) (export "sandboard:engine/engine@1.0.0" (component $e))"#,
        r#"(core module $m (func (export "f"))) (core instance $m (instantiate $m))
           (func $e (canon lift (core func $m "f")))
           (export "sandboard:engine/engine@1.0.0" (func $e))"#,
    ] {
        engine = wat::parse_str(format!("(component {kind})")).unwrap();
        let found = listed("bad-1.gomoku.wasm", engine.clone());
        assert!(found.contains("exports no `sandboard:engine/engine@N.x.y`"), "{found}");
        let refused = harness.load_fault(&engine);
        assert!(refused.starts_with("load: cannot be loaded: "), "{refused}");
    }
}
