//! Valid modules of every kind, each with similar invalid ones.

use proptest::prelude::*;

use super::fixtures::*;
use super::*;

/// The faults of a component.
fn wasm(bytes: &[u8]) -> Vec<String> {
    inspect_bytes(bytes, ModuleKind::Wasm, &LoadCaps::default()).faults
}

const LINUX: TargetSystem = TargetSystem { os: "linux", arch: "x86_64" };
const WINDOWS: TargetSystem = TargetSystem { os: "windows", arch: "x86_64" };
const MACOS: TargetSystem = TargetSystem { os: "macos", arch: "x86_64" };

/// Checks the ABI numbers of a library on a system, or why it has none.
fn library(bytes: &[u8], system: TargetSystem, wanted: Result<&[u32], &str>) {
    let found = library::inspect_module(bytes, &system);
    assert_eq!(found, wanted.map(<[u32]>::to_vec).map_err(str::to_owned), "on {system:?}");
}

#[test]
fn nesting_of_components_is_limited() {
    let nested = |height: usize| "(component ".repeat(height) + &")".repeat(height);
    let check = |height: usize, expected: &str| {
        let text = format!("(component {} {})", "(component)".repeat(20), nested(height));
        let faults = wasm(&wat::parse_str(text).unwrap()).join("; ");
        assert!(faults.contains(expected), "{faults}");
    };
    check(1, "holds 17 components at byte ");
    check(4, "exports no `sandboard:engine/engine");
    check(6, "holds 6 components inside each other at byte ");
    check(50, "holds 6 components inside each other at byte ");
}

#[test]
fn a_component_for_this_abi() {
    let facts = inspect_bytes(&component(1, ""), ModuleKind::Wasm, &LoadCaps::default());
    assert_eq!((facts.abi, facts.faults), (Some(1), vec![]));
    assert_eq!(facts.sha256, sandboard_common::hex::sha256_hex(&component(1, "")));
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(inspect_bytes(b"", ModuleKind::Wasm, &LoadCaps::default()).sha256, empty);
}

#[test]
fn the_abi_number_of_a_component() {
    let wrong = |abi| format!("built for ABI {abi}; this host speaks ABI 1");
    assert_eq!(wasm(&component(2, "")), [wrong(2)]);
    assert_eq!(wasm(&component(0, "")), [wrong(0)]);
    let minor = wat::parse_str(
        r#"(component (instance $e) (export "sandboard:engine/engine@1.7.3" (instance $e)))"#,
    );
    assert_eq!(wasm(&minor.unwrap()), [""; 0]);
    // A component for two ABIs is valid if one of them is this host's.
    let both = wat::parse_str(
        r#"(component (instance $e)
            (export "sandboard:engine/engine@2.0.0" (instance $e))
            (export "sandboard:engine/engine@1.0.0" (instance $e)))"#,
    );
    assert_eq!(inspect_bytes(&both.unwrap(), ModuleKind::Wasm, &LoadCaps::default()).abi, Some(1));
}

#[test]
fn exports_of_a_component() {
    let of = |body: &str| wasm(&wat::parse_str(format!("(component {body})")).unwrap());
    let none = "exports no `sandboard:engine/engine@N.x.y`";
    assert_eq!(of(""), [none]);
    assert_eq!(
        of(r#"(instance $e) (export "sandboard:engine/engine" (instance $e))"#),
        [format!("{none}, but `sandboard:engine/engine`")]
    );
    assert_eq!(
        of(r#"(instance $e) (export "wasi:cli/run@0.2.0" (instance $e))"#),
        [format!("{none}, but `wasi:cli/run@0.2.0`")]
    );
    assert_eq!(
        of(r#"(component $e) (export "sandboard:engine/engine@1.0.0" (component $e))"#),
        [format!("{none}, but `sandboard:engine/engine@1.0.0`")],
        "right name, wrong kind"
    );
}

#[test]
fn imports_of_a_component() {
    let of = |imports: &str| wasm(&component(1, imports));
    let rest = "an engine may import only `sandboard:engine/host@1` and \
                `sandboard:engine/types@1`, and no WASI";
    for strange in [
        "wasi:io/streams@0.2.0",
        "sandboard:engine/host",
        "sandboard:engine/hosts@1.0.0",
        "sandboard:engine/host@2.0.0",
        "sandboard:other/host@1.0.0",
        "env",
    ] {
        let faults = of(&format!(r#"(import "{strange}" (instance))"#));
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(fault.starts_with(&format!("imports `{strange}`; {rest}")), "{fault}");
    }
    let many: String = (0..7).map(|n| format!("(import \"f{n}\" (instance))")).collect();
    assert_eq!(of(&many), [format!("imports `f0`, `f1`, `f2`, `f3`, `f4` and 2 more; {rest}")]);
    let foreign = component(2, r#"(import "env" (instance))"#);
    assert_eq!(wasm(&foreign).len(), 2, "both faults are reported");
}

#[test]
fn files_that_are_no_components() {
    let check = |bytes: &[u8], wanted: &str| assert_eq!(wasm(bytes), [wanted]);
    check(b"", "is empty");
    let is_not = |what: &str| format!("is not a WebAssembly component, but {what}");
    check(b"hello", &is_not("a file of unknown type"));
    check(b"(component)", &is_not("WebAssembly text; it must be assembled first"));
    check(b"PK\x03\x04", &is_not("a zip archive; it must be unpacked first"));
    let elf = elf(X86_64, SHARED, &[]);
    check(&elf, &is_not("an ELF file (a native library, or a precompiled `.cwasm`)"));
    let core = wat::parse_str("(module)").unwrap();
    let [fault] = &wasm(&core)[..] else { panic!("{:?}", wasm(&core)) };
    assert!(fault.starts_with("is a core WebAssembly module without the ABI's"), "{fault}");
    let whole = component(1, "");
    let cut = &whole[..whole.len() - 1];
    let [fault] = &wasm(cut)[..] else { panic!("{:?}", wasm(cut)) };
    assert!(fault.starts_with("is not a complete WebAssembly component: at byte "), "{fault}");
    assert_eq!(wasm(&whole), [""; 0]);
}

#[test]
fn libraries_of_this_and_other_systems() {
    let symbol = "sandboard_engine_v1";
    library(&elf(X86_64, SHARED, &["other", symbol]), LINUX, Ok(&[1]));
    library(&dll(&[symbol]), WINDOWS, Ok(&[1]));
    library(&dylib(&[symbol]), MACOS, Ok(&[1]));
    library(&universal(&dylib(&[symbol])), MACOS, Ok(&[1]));
    for (bytes, system, why) in [
        (dll(&[symbol]), LINUX, "is a Windows x86_64 library; this host runs linux x86_64"),
        (dylib(&[symbol]), LINUX, "is a macOS x86_64 library; this host runs linux x86_64"),
        (
            universal(&dylib(&[symbol])),
            LINUX,
            "is a macOS universal library (x86_64); this host runs linux x86_64",
        ),
        (
            elf(AARCH64, SHARED, &[symbol]),
            LINUX,
            "is a Linux aarch64 library; this host runs linux x86_64",
        ),
        (
            elf(X86_64, SHARED, &[symbol]),
            WINDOWS,
            "is a Linux x86_64 library; this host runs windows x86_64",
        ),
        (
            elf(X86_64, PROGRAM, &[symbol]),
            LINUX,
            "is not a shared library, but a program or an object file",
        ),
        (component(1, ""), LINUX, "is not a native library, but a WebAssembly component"),
    ] {
        library(&bytes, system, Err(why));
    }
    let mut free = elf(X86_64, SHARED, &[symbol]);
    free[7] = 9;
    library(&free, LINUX, Err("is a FreeBSD x86_64 library; this host runs linux x86_64"));
}

#[test]
fn the_abi_symbol_of_a_library() {
    let none = "exports no `sandboard_engine_v1`; see the header `sandboard_engine_v1.h`";
    for symbols in [
        &[][..],
        &["sandboard_engine_v"],
        &["sandboard_engine_v1a"],
        &["sandboard_engine_v+1"],
        &["_sandboard_engine_v1"],
        &["sandboard_engine_v99999999999"],
    ] {
        library(&elf(X86_64, SHARED, symbols), LINUX, Err(none));
    }
    let both = ["sandboard_engine_v2", "sandboard_engine_v1"];
    library(&elf(X86_64, SHARED, &both), LINUX, Ok(&[2, 1]));
    if cfg!(target_os = "linux") {
        let facts = |symbols| {
            inspect_bytes(
                &elf(this_machine(), SHARED, symbols),
                ModuleKind::Native,
                &LoadCaps::default(),
            )
        };
        assert_eq!(facts(&both).abi, Some(1));
        assert_eq!(facts(&both).faults, [""; 0]);
        let fault = "built for ABI 2; this host speaks ABI 1";
        assert_eq!(facts(&["sandboard_engine_v2"]).faults, [fault]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_modules_do_not_panic(
        which in 0..5usize, changes in proptest::collection::vec((0..4096usize, any::<u8>()), 0..8),
        cut in 0..8192usize,
    ) {
        let symbols = ["sandboard_engine_v1"];
        let mut bytes = match which {
            0 => component(1, ""),
            1 => elf(X86_64, SHARED, &symbols),
            2 => dll(&symbols),
            3 => dylib(&symbols),
            _ => universal(&dylib(&symbols)),
        };
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        bytes.truncate(cut);
        inspect_bytes(&bytes, ModuleKind::Wasm, &LoadCaps::default());
        for system in [LINUX, WINDOWS, MACOS] {
            let _ = library::inspect_module(&bytes, &system);
        }
    }
}

#[test]
fn files_have_a_largest_size_for_each_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("module");
    let check = |kind: ModuleKind, bytes: u64, fits: bool| {
        // The file has no blocks: only its length counts.
        std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        let found = inspect(&path, kind, &LoadCaps::default());
        assert_eq!(found.is_ok(), fits, "{kind:?} {bytes}: {found:?}");
    };
    check(ModuleKind::Wasm, MODULE_BYTES_MAX + 1, false);
    check(ModuleKind::Native, MODULE_BYTES_MAX, true);
    check(ModuleKind::Native, MODULE_BYTES_MAX + 1, false);
    check(ModuleKind::External, MODULE_BYTES_MAX + 1, true);
    check(ModuleKind::External, module_bytes_max(ModuleKind::External) + 1, false);
}
