//! Every cap at its limit and one beyond, every proposal that is off, and files that attack the
//! scan itself.

use super::*;

/// A component of one core module with this text.
fn module(text: &str) -> Vec<u8> {
    component(&format!("(core module {text})"))
}

fn component(text: &str) -> Vec<u8> {
    wat::parse_str(format!("(component {text})")).unwrap()
}

fn error_of(bytes: &[u8]) -> String {
    error_in(bytes, Profile::Everyday)
}

/// The error of a component; empty if it is admitted.
fn error_in(bytes: &[u8], profile: Profile) -> String {
    let caps = LoadCaps::for_profile(profile);
    let error = to_component(bytes, &caps).and_then(|bytes| scan(&bytes, &caps)).err();
    error.map(|error| error.to_string()).unwrap_or_default()
}

/// Checks that both profiles admit exactly as many as the cap. `make` builds a component with a
/// given count.
#[track_caller]
fn check(kind: CapKind, make: impl Fn(usize) -> Vec<u8>) {
    for profile in [Profile::Everyday, Profile::Contest] {
        let caps = LoadCaps::for_profile(profile);
        let max = caps.limit(kind) as usize;
        assert_eq!(error_in(&make(max), profile), "", "{max} {kind}");
        let (text, found) = (error_in(&make(max + 1), profile), max + 1);
        let start = format!("holds {found} {kind} at byte ");
        assert!(text.starts_with(&start), "{text:?}, not {start:?}");
        let Err(ScanError::TooMany { offset, .. }) = scan(&make(max + 1), &caps) else {
            panic!("{text}")
        };
        let cap = format!("at most {max} are admitted by the {profile} profile");
        assert!(text.starts_with(&format!("{start}{offset}; {cap}")), "{text}");
        assert!((8..make(max + 1).len()).contains(&offset), "{offset}");
    }
}

fn times(count: usize, text: &str) -> String {
    text.repeat(count)
}

#[test]
fn caps_of_modules() {
    check(CapKind::Functions, |n| module(&format!("(func) {}", times(n - 1, "(func)"))));
    check(CapKind::Functions, |n| {
        module(&format!(r#"(import "" "" (func)) {}"#, times(n - 1, "(func)")))
    });
    check(CapKind::Types, |n| module(&times(n, "(type (func))")));
    check(CapKind::Parameters, |n| module(&format!("(type (func (param {})))", times(n, "i32 "))));
    check(CapKind::Results, |n| module(&format!("(type (func (result {})))", times(n, "i32 "))));
    check(CapKind::Imports, |n| {
        let import = |index| format!(r#"(import "" "{index}" (func))"#);
        module(&(0..n).map(import).collect::<String>())
    });
    check(CapKind::Exports, |n| {
        let export = |index| format!(r#"(export "{index}" (func 0))"#);
        module(&format!("(func) {}", (0..n).map(export).collect::<String>()))
    });
    check(CapKind::Globals, |n| module(&times(n, "(global i32 i32.const 0)")));
    check(CapKind::Tables, |n| module(&times(n, "(table 1 funcref)")));
    check(CapKind::TableElements, |n| module(&format!("(table {n} funcref)")));
    check(CapKind::Memories, |n| component(&times(n, "(core module (memory 1))")));
    check(CapKind::DataSegments, |n| module(&format!("(memory 1) {}", times(n, r#"(data "")"#))));
    check(CapKind::ElementSegments, |n| module(&format!("(func) {}", times(n, "(elem func 0)"))));
    check(CapKind::Elements, |n| {
        let (half, rest) = (n / 2, n - n / 2);
        let expressions = times(rest, "(ref.func 0)");
        let elements = format!("(elem func {}) (elem funcref {expressions})", times(half, "0 "));
        module(&format!("(func) {elements}"))
    });
    let pages = MEMORY_BYTES / 65_536;
    assert_eq!(error_of(&module(&format!("(memory {pages})"))), "");
    let text = error_of(&module(&format!("(memory {})", pages + 1)));
    let start = "holds 2147549184 bytes in a memory to begin with at byte ";
    assert!(text.starts_with(start), "{text}");
}

const MEMORY_BYTES: u64 = 2 << 30;

#[test]
fn caps_of_functions() {
    // One byte for the locals, `nop` instructions of one byte, one byte for the end.
    check(CapKind::BodyBytes, |n| module(&format!("(func {})", times(n - 2, "nop "))));
    check(CapKind::Locals, |n| module(&format!("(func (local {}))", times(n, "i32 "))));
    check(CapKind::Nesting, |n| {
        module(&format!("(func {} {})", times(n, "block "), times(n, "end ")))
    });
    check(CapKind::Nesting, |n| {
        let blocks = times(n - 1, "loop ");
        module(&format!("(func {blocks} i32.const 0 if {})", times(n, "end ")))
    });
    let error_with = |functions: usize, more: &str| {
        let function = format!("(func (local {}))", times(10_000, "i32 "));
        error_of(&module(&format!("{} {more}", times(functions, &function))))
    };
    assert_eq!(error_with(100, ""), "");
    let text = error_with(100, "(func (local i32))");
    assert!(text.starts_with("holds 1000001 locals at byte "), "{text}");
}

#[test]
fn caps_of_branches_in_a_function() {
    // The counts are products, so not every count can be built.
    let of = |profile, body: &str| error_in(&module(&format!("(func {body})")), profile);
    let loops = |depth: usize| {
        let (begin, end) = (times(depth, "loop "), times(depth, "end "));
        format!("(param i32) (local {}) {begin} {end}", times(99, "i32 "))
    };
    let more = "locals carried by nested loops of a function at byte ";
    for (profile, depth) in [(Profile::Everyday, 40), (Profile::Contest, 20)] {
        assert_eq!(of(profile, &loops(depth)), "");
        let text = of(profile, &loops(depth + 1));
        assert!(text.starts_with(&format!("holds {} {more}", (depth + 1) * 100)), "{text}");
        // Consecutive loops do not add up.
        let apart = format!("{} {}", loops(depth), "loop end");
        assert_eq!(of(profile, &apart), "");
        let inside = loops(depth).replacen("end", "loop end end", 1);
        assert_ne!(of(profile, &inside), "");
        // Blocks do not count as loops. Parameters of a loop count, too.
        assert_eq!(of(profile, &loops(depth).replacen("loop", "block", 1)), "");
        let takes = loops(depth).replacen("loop ", "i32.const 1 loop (param i32) drop ", 1);
        assert_ne!(of(profile, &takes), "");
    }
    let branches = |count: usize, branch: &str| {
        format!("(param i32) (local {}) block {} end", times(99, "i32 "), times(count, branch))
    };
    let more = "locals carried by branches of a function at byte ";
    for (profile, max) in [(Profile::Everyday, 10_000), (Profile::Contest, 2_500)] {
        for (branch, counts) in [
            ("local.get 0 br_if 0 ", 1),
            ("block end ", 1),
            ("loop end ", 1),
            ("local.get 0 if end ", 1),
            ("block br 0 end ", 2),
            ("block local.get 0 br_table 0 0 0 end ", 4),
        ] {
            let max = (max - 1) / counts;
            assert_eq!(of(profile, &branches(max, branch)), "", "{branch}");
            let text = of(profile, &branches(max + 1, branch));
            assert!(text.contains(more), "{branch}: {text:?}");
        }
        assert_eq!(of(profile, &branches(max + 1, "nop ")), "");
    }
}

#[test]
fn caps_of_branches_in_all_functions() {
    for (profile, caps) in
        [Profile::Everyday, Profile::Contest].map(|it| (it, LoadCaps::for_profile(it)))
    {
        let error_with = |count: u64, function: &str| {
            error_in(&module(&times(count as usize, function)), profile)
        };
        // Ten loops of 100 locals; 1,000 branches of 100 locals.
        let (begin, end) = (times(10, "loop "), times(10, "end "));
        let locals = times(100, "i32 ");
        let loops = format!("(func (local {locals}) {begin} {end})");
        let max = caps.limit(CapKind::AllLoopLocals) / 1_000;
        assert_eq!(error_with(max, &loops), "");
        let text = error_with(max + 1, &loops);
        assert!(text.contains(" locals carried by nested loops at byte "), "{text}");
        let branches = format!("(func (local {locals}) {})", times(1_000, "block end "));
        let max = caps.limit(CapKind::AllBranchLocals) / 100_000;
        assert_eq!(error_with(max, &branches), "");
        let text = error_with(max + 1, &branches);
        assert!(text.contains(" locals carried by branches at byte "), "{text}");
    }
}

#[test]
fn caps_of_what_is_instantiated_several_times() {
    check(CapKind::Memories, |n| {
        let instances = times(n, "(core instance (instantiate $m))");
        component(&format!("(core module $m (memory 1)) {instances}"))
    });
    // A module that is not instantiated counts as once.
    check(CapKind::Memories, |n| {
        component(&format!(
            "(core module $m (memory 1)) {}",
            times(n - 1, "(core module (memory 1))")
        ))
    });
    check(CapKind::Tables, |n| {
        let two = "(core module $two (table 1 funcref) (table 1 funcref))";
        let twice = times(2, "(core instance (instantiate $two))");
        let rest = times(n - 4, "(table 1 funcref)");
        component(&format!(
            "{two} {twice} (core module $rest {rest}) (core instance (instantiate $rest))"
        ))
    });
    check(CapKind::ModuleInstances, |n| {
        let two = times(2, "(core instance (instantiate $m))");
        let twice = times(2, "(instance (instantiate $two))");
        let rest = times(n - 4, "(core instance (instantiate $m))");
        component(&format!("(core module $m) (component $two {two}) {twice} {rest}"))
    });
    check(CapKind::ComponentInstances, |n| {
        // Each instance of `$four` is one, and has three.
        let three = times(3, "(instance (instantiate $c))");
        let twice = times(2, "(instance (instantiate $four))");
        let rest = times(n - 8, "(instance (instantiate $c))");
        component(&format!("(component $c) (component $four {three}) {twice} {rest}"))
    });
    check(CapKind::ModuleInstances, |n| {
        // Another name for a component, by an export and from the component around it.
        let two = times(2, "(core instance (instantiate $m))");
        let named = "(export $name \"name\" (component $two))";
        let inner = "(component $inner (instance (instantiate $name)))";
        let rest = times(n - 4, "(core instance (instantiate $m))");
        component(&format!(
            "(core module $m) (component $two {two}) {named} (instance (instantiate $name)) {inner} \
             (instance (instantiate $inner)) {rest}"
        ))
    });
}

#[test]
fn only_what_is_defined_in_the_file_is_instantiated() {
    let check = |text: &str, what: &str| {
        let error = error_of(&component(text));
        let start = format!("instantiates a {what} at byte ");
        assert!(error.starts_with(&start), "{error:?}, not {start:?}");
    };
    let module = "(import \"m\" (core module $m))";
    check(&format!("(component {module} (core instance (instantiate $m)))"), "module");
    let import = "(import \"c\" (component $c))";
    check(&format!("(component {import} (instance (instantiate $c)))"), "component");
    let exporter = "(component $e (component $c) (export \"c\" (component $c)))";
    let alias = "(alias export $i \"c\" (component $c))";
    check(
        &format!("{exporter} (instance $i (instantiate $e)) {alias} (instance (instantiate $c))"),
        "component",
    );
}

#[test]
fn caps_of_components() {
    check(CapKind::Modules, |n| component(&times(n, "(core module)")));
    check(CapKind::ModuleInstances, |n| {
        component(&format!("(core module $m) {}", times(n, "(core instance (instantiate $m))")))
    });
    check(CapKind::Components, |n| component(&times(n, "(component)")));
    check(CapKind::ComponentInstances, |n| {
        component(&format!("(component $c) {}", times(n, "(instance (instantiate $c))")))
    });
    check(CapKind::ComponentDepth, |n| {
        component(&format!("{} {}", times(n, "(component"), times(n, ")")))
    });
    check(CapKind::Imports, |n| {
        let import = |index| format!("(import \"a{index}\" (func (type 0)))");
        component(&format!("(type (func)) {}", (0..n).map(import).collect::<String>()))
    });
    check(CapKind::Exports, |n| {
        // Each export adds a function to the component, which is not counted.
        let export = |index| format!("(export \"a{index}\" (func 0))");
        let import = "(import \"f\" (func))";
        component(&format!("{import} {}", (0..n).map(export).collect::<String>()))
    });
    check(CapKind::Types, |n| component(&times(n, "(type u8)")));
    check(CapKind::Types, |n| component(&times(n, "(core type (func))")));
    check(CapKind::Types, |n| {
        component(&format!("(type (instance {}))", times(n - 1, "(type u8)")))
    });
    check(CapKind::Types, |n| {
        component(&format!("(core type (module {}))", times(n - 1, "(type (func))")))
    });
    check(CapKind::Parameters, |n| {
        component(&format!("(core type (func (param {})))", times(n, "i32 ")))
    });
    check(CapKind::TypeDepth, |n| {
        let (begin, end) = (times(n - 1, "(type (instance"), times(n - 1, "))"));
        component(&format!("(type (component {begin} {end}))"))
    });
    check(CapKind::Items, |n| {
        let alias = "(alias export 0 \"f\" (func))";
        let import = r#"(import "i" (instance (export "f" (func))))"#;
        // The export and its type are two items.
        component(&format!("{import} {}", times(n - 2, alias)))
    });
    check(CapKind::Items, |n| {
        let export = |index| format!("(export \"a{index}\" (func (type 0)))");
        let exports: String = (1..n).map(export).collect();
        component(&format!("(type (instance (type (func)) {exports}))"))
    });
}

#[test]
fn modules_and_components_are_counted_together() {
    let half = format!("(core module {})", times(10_001, "(func)"));
    let text = error_in(&component(&format!("{half} (component {half})")), Profile::Contest);
    assert!(text.starts_with("holds 20002 functions at byte "), "{text}");
}

#[test]
fn the_length_of_a_file_is_capped() {
    for (profile, max) in [(Profile::Everyday, 50_331_648), (Profile::Contest, 8_388_608)] {
        let mut bytes = component("");
        // An unknown custom section with its length in four bytes.
        let length = max - bytes.len() - 5;
        bytes.push(0);
        bytes.extend([0, 7, 14, 21].map(|shift| (length >> shift) as u8 & 0x7f | 0x80));
        *bytes.last_mut().unwrap() &= 0x7f;
        bytes.resize(max, 0);
        assert_eq!(error_in(&bytes, profile), "");
        bytes.push(0);
        let cap = format!("at most {max} are admitted by the {profile} profile");
        let expected = format!("is {} bytes long; {cap} (`--cap bytes=…` admits more)", max + 1);
        assert_eq!(error_in(&bytes, profile), expected);
    }
}

#[test]
fn code_is_counted_over_all_functions() {
    let caps = LoadCaps::default().with(&["code-bytes=1000".parse().unwrap()]);
    // 100 bytes: one for the locals, 98 instructions of one byte, one for the end.
    let function = format!("(func {})", times(98, "nop "));
    let of = |count: usize| scan(&module(&times(count, &function)), &caps);
    assert_eq!(of(10), Ok(()));
    let text = of(11).unwrap_err().to_string();
    assert!(text.starts_with("holds 1100 bytes of code at byte "), "{text}");
    assert!(text.ends_with("; at most 1000 are admitted by `--cap code-bytes=1000`"), "{text}");
}

#[test]
fn foreign_imports_are_refused_before_compiling() {
    let check = |text: &str, expected: &str| {
        let error = admit(&component(text), &LoadCaps::default()).err();
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        let rest = "; an engine may import only `sandboard:engine/host@1` and \
                    `sandboard:engine/types@1`, and no WASI";
        let start = if expected.is_empty() { String::new() } else { format!("{expected}{rest}") };
        // Advice may follow: `import_advice.rs`.
        let advice = error
            .strip_prefix(&start)
            .map(|rest| rest.is_empty() || rest.starts_with("; that is "));
        assert!(advice == Some(true), "{text}: {error}");
        assert_eq!(error.is_empty(), expected.is_empty(), "{text}");
    };
    let instance = |name: &str| format!(r#"(import "{name}" (instance))"#);
    for name in ["host@1.0.0", "types@1.0.0", "host@1.7.3"] {
        check(&instance(&format!("sandboard:engine/{name}")), "");
    }
    for name in [
        "wasi:cli/environment@0.2.0",
        "wasi:io/streams@0.2.0",
        "env",
        "sandboard:engine/host",
        "sandboard:engine/host@0.1.0",
        "sandboard:engine/host@1.0.0-rc",
        "sandboard:engine/hosts@1.0.0",
        "sandboard:engine/engine@1.0.0",
        "sandboard:engines/host@1.0.0",
    ] {
        check(&instance(name), &format!("imports `{name}`"));
    }
    // The right name, but not an instance.
    let host = "sandboard:engine/host@1.0.0";
    for (kind, text) in
        [("function", "(func)"), ("component", "(component)"), ("core module", "(core module)")]
    {
        check(&format!(r#"(import "{host}" {text})"#), &format!("imports the {kind} `{host}`"));
        check(&format!(r#"(import "x" {text})"#), &format!("imports the {kind} `x`"));
    }
    // Imports of nested modules and components are not checked.
    check(r#"(core module (import "env" "f" (func)))"#, "");
    check(r#"(component (import "wasi:io/streams@0.2.0" (instance)))"#, "");
    let mixed = [instance(host), instance("a:b/c@1.0.0"), instance("env")].concat();
    check(&mixed, "imports `a:b/c@1.0.0`, `env`");
    let core = wat::parse_str(r#"(module (import "env" "f" (func)))"#).unwrap();
    let error = admit(&core, &LoadCaps::default()).unwrap_err().to_string();
    assert!(error.starts_with("is a core WebAssembly module without the ABI's"), "{error}");
    assert!(error.contains("; that is an undefined function"), "{error}");
}

#[test]
fn proposals_that_are_off_are_named() {
    let simd = times(3, "v128.const i32x4 0 0 0 0 ");
    let simd = format!("(func (drop (f32x4.relaxed_madd {simd})))");
    let wide = "(func (i64.mul_wide_s (i64.const 1) (i64.const 1)) (drop) (drop))";
    let rows = [
        ("threads", "(memory 1 2 shared)"),
        ("threads", "(memory 1) (func (drop (i32.atomic.load (i32.const 0))))"),
        ("memory64", "(memory i64 1)"),
        ("memory64", "(table i64 1 funcref)"),
        ("multi-memory", "(memory 1) (memory 1)"),
        ("multi-memory", r#"(import "" "" (memory 1)) (memory 1)"#),
        ("relaxed-simd", &simd),
        ("tail-call", "(func (return_call 0))"),
        ("exceptions", "(tag)"),
        ("exceptions", "(func (try_table))"),
        ("function-references", "(type $f (func)) (func (param (ref null $f)))"),
        ("function-references", "(type $f (func)) (func (call_ref $f (unreachable)))"),
        ("gc", "(type (struct))"),
        ("gc", "(rec (type (func)) (type (func)))"),
        ("gc", "(func (drop (ref.i31 (i32.const 0))))"),
        ("gc-types", "(func (param externref))"),
        ("gc-types", "(table 1 externref)"),
        ("custom-page-sizes", "(memory 1 (pagesize 1))"),
        ("wide-arithmetic", wide),
        ("stack-switching", "(type $f (func)) (type (cont $f))"),
    ];
    let failures = rows.iter().filter_map(|(name, text)| {
        let error = error_of(&module(text));
        let expected =
            format!("needs the WebAssembly proposal `{name}`, which is off here: at byte ");
        (!error.starts_with(&expected)).then(|| format!("{name}: {text}: {error}"))
    });
    assert_eq!(failures.collect::<Vec<_>>(), [""; 0]);
    // Proposals that are on.
    assert_eq!(
        error_of(&module(&format!(
            "(func (drop (f32x4.add {})))",
            times(2, "v128.const i32x4 0 0 0 0 ")
        ))),
        ""
    );
    assert_eq!(error_of(&module("(func (drop (i32.extend8_s (i32.const 1))))")), "");
    assert_eq!(
        error_of(&module(
            "(memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 9)))"
        )),
        ""
    );
}

#[test]
fn errors_for_damaged_files_contain_the_offset() {
    let whole = module("(func (result i32) i32.const 7)");
    assert_eq!(error_of(&whole), "");
    // Changes the type of the constant.
    let offset = whole.windows(2).position(|pair| pair == [0x41, 7]).unwrap();
    let mut damaged = whole.clone();
    damaged[offset] = 0x42;
    let text = error_of(&damaged);
    assert!(
        text.starts_with(&format!(
            "is not valid WebAssembly: at byte {}: type mismatch",
            offset + 2
        )),
        "{text}"
    );
    // The first 8 bytes are an empty component.
    for length in (0..whole.len()).filter(|length| *length != 8) {
        assert_ne!(error_of(&whole[..length]), "", "{length} bytes");
    }
}

/// A section with this ID and content.
fn section(id: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![id];
    let mut length = body.len();
    while length > 0x7f {
        bytes.push(length as u8 & 0x7f | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(body);
    bytes
}

#[test]
fn nested_types_and_components_do_not_overflow_the_stack() {
    // Instance or component types with one declaration each, which is the next type.
    for head in [[0x42, 1, 1], [0x41, 1, 1]] {
        let mut body = vec![1];
        body.extend(head.repeat(1_000_000));
        let mut bytes = component("");
        bytes.extend(section(7, &body));
        let text = error_of(&bytes);
        assert!(text.starts_with("holds 9 component types inside each other at byte "), "{text}");
    }
    // Nested components.
    let mut bytes = component("");
    for _ in 0..1000 {
        let inner = bytes;
        bytes = component("");
        bytes.extend(section(4, &inner));
    }
    assert!(error_of(&bytes).starts_with("holds 5 components inside each other at byte "));
}

#[test]
fn sections_with_false_counts_are_refused() {
    // A section that announces four billion items and contains none.
    let many = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for id in 1..=12 {
        if id == 8 {
            continue;
        }
        let mut core = b"\0asm\x01\0\0\0".to_vec();
        core.extend(section(id, &many));
        let mut bytes = component("");
        bytes.extend(section(1, &core));
        assert_ne!(error_of(&bytes), "", "core section {id}");
    }
    for id in 2..=11 {
        let mut bytes = component("");
        bytes.extend(section(id, &many));
        assert_ne!(error_of(&bytes), "", "component section {id}");
    }
}
