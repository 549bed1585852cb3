//! Every cap beside its near miss, every proposal that is off, and files made
//! to take the reader itself down.

use super::*;

/// A component of one core module with this text.
fn module(text: &str) -> Vec<u8> {
    component(&format!("(core module {text})"))
}

fn component(text: &str) -> Vec<u8> {
    wat::parse_str(format!("(component {text})")).unwrap()
}

fn told(bytes: &[u8]) -> String {
    told_by(bytes, Profile::Everyday)
}

fn told_by(bytes: &[u8], profile: Profile) -> String {
    let caps = LoadCaps::of(profile);
    let refused = super::component(bytes, &caps).and_then(|bytes| scan(&bytes, &caps)).err();
    refused.map(|refusal| refusal.to_string()).unwrap_or_default()
}

/// So many of a thing are admitted, and one more is not, by either profile.
#[track_caller]
fn check(thing: Thing, make: impl Fn(usize) -> Vec<u8>) {
    for profile in [Profile::Everyday, Profile::Contest] {
        let caps = LoadCaps::of(profile);
        let most = caps.most(thing) as usize;
        assert_eq!(told_by(&make(most), profile), "", "{most} {thing}");
        let (text, found) = (told_by(&make(most + 1), profile), most + 1);
        let begins = format!("holds {found} {thing} at byte ");
        assert!(text.starts_with(&begins), "{text:?}, not {begins:?}");
        let Err(Refusal::TooMany { at, .. }) = scan(&make(most + 1), &caps) else {
            panic!("{text}")
        };
        let by = format!("at most {most} are admitted by the {profile} profile");
        assert!(text.starts_with(&format!("{begins}{at}; {by}")), "{text}");
        assert!((8..make(most + 1).len()).contains(&at), "{at}");
    }
}

fn times(count: usize, text: &str) -> String {
    text.repeat(count)
}

#[test]
fn what_modules_hold() {
    check(Thing::Functions, |n| module(&format!("(func) {}", times(n - 1, "(func)"))));
    check(Thing::Functions, |n| {
        module(&format!(r#"(import "" "" (func)) {}"#, times(n - 1, "(func)")))
    });
    check(Thing::Types, |n| module(&times(n, "(type (func))")));
    check(Thing::Parameters, |n| module(&format!("(type (func (param {})))", times(n, "i32 "))));
    check(Thing::Results, |n| module(&format!("(type (func (result {})))", times(n, "i32 "))));
    check(Thing::Imports, |n| {
        let import = |index| format!(r#"(import "" "{index}" (func))"#);
        module(&(0..n).map(import).collect::<String>())
    });
    check(Thing::Exports, |n| {
        let export = |index| format!(r#"(export "{index}" (func 0))"#);
        module(&format!("(func) {}", (0..n).map(export).collect::<String>()))
    });
    check(Thing::Globals, |n| module(&times(n, "(global i32 i32.const 0)")));
    check(Thing::Tables, |n| module(&times(n, "(table 1 funcref)")));
    check(Thing::TableElements, |n| module(&format!("(table {n} funcref)")));
    check(Thing::Memories, |n| component(&times(n, "(core module (memory 1))")));
    check(Thing::DataSegments, |n| module(&format!("(memory 1) {}", times(n, r#"(data "")"#))));
    check(Thing::ElementSegments, |n| module(&format!("(func) {}", times(n, "(elem func 0)"))));
    check(Thing::Elements, |n| {
        let (half, rest) = (n / 2, n - n / 2);
        let expressions = times(rest, "(ref.func 0)");
        let elements = format!("(elem func {}) (elem funcref {expressions})", times(half, "0 "));
        module(&format!("(func) {elements}"))
    });
    let pages = MEMORY_BYTES / 65_536;
    assert_eq!(told(&module(&format!("(memory {pages})"))), "");
    let text = told(&module(&format!("(memory {})", pages + 1)));
    let begins = "holds 2147549184 bytes in a memory to begin with at byte ";
    assert!(text.starts_with(begins), "{text}");
}

const MEMORY_BYTES: u64 = 2 << 30;

#[test]
fn what_functions_hold() {
    // A group of no locals, so many instructions of one byte, the last one.
    check(Thing::BodyBytes, |n| module(&format!("(func {})", times(n - 2, "nop "))));
    check(Thing::Locals, |n| module(&format!("(func (local {}))", times(n, "i32 "))));
    check(Thing::Nesting, |n| {
        module(&format!("(func {} {})", times(n, "block "), times(n, "end ")))
    });
    check(Thing::Nesting, |n| {
        let blocks = times(n - 1, "loop ");
        module(&format!("(func {blocks} i32.const 0 if {})", times(n, "end ")))
    });
    let locals = |functions: usize, more: &str| {
        let function = format!("(func (local {}))", times(10_000, "i32 "));
        told(&module(&format!("{} {more}", times(functions, &function))))
    };
    assert_eq!(locals(100, ""), "");
    let text = locals(100, "(func (local i32))");
    assert!(text.starts_with("holds 1000001 locals at byte "), "{text}");
}

#[test]
fn what_branches_carry() {
    // `n` is a product, so that what is written must be a divisor of it.
    let of = |profile, body: &str| told_by(&module(&format!("(func {body})")), profile);
    let loops = |depth: usize| {
        let (begin, end) = (times(depth, "loop "), times(depth, "end "));
        format!("(param i32) (local {}) {begin} {end}", times(99, "i32 "))
    };
    let more = "locals carried by nested loops of a function at byte ";
    for (profile, depth) in [(Profile::Everyday, 40), (Profile::Contest, 20)] {
        assert_eq!(of(profile, &loops(depth)), "");
        let text = of(profile, &loops(depth + 1));
        assert!(text.starts_with(&format!("holds {} {more}", (depth + 1) * 100)), "{text}");
        // One after the other they do not carry each other's.
        let apart = format!("{} {}", loops(depth), "loop end");
        assert_eq!(of(profile, &apart), "");
        let inside = loops(depth).replacen("end", "loop end end", 1);
        assert_ne!(of(profile, &inside), "");
        // Blocks are no loops, and a loop takes values from the stack as well.
        assert_eq!(of(profile, &loops(depth).replacen("loop", "block", 1)), "");
        let takes = loops(depth).replacen("loop ", "i32.const 1 loop (param i32) drop ", 1);
        assert_ne!(of(profile, &takes), "");
    }
    let branches = |count: usize, branch: &str| {
        format!("(param i32) (local {}) block {} end", times(99, "i32 "), times(count, branch))
    };
    let more = "locals carried by branches of a function at byte ";
    for (profile, most) in [(Profile::Everyday, 10_000), (Profile::Contest, 2_500)] {
        for (branch, counts) in [
            ("local.get 0 br_if 0 ", 1),
            ("block end ", 1),
            ("loop end ", 1),
            ("local.get 0 if end ", 1),
            ("block br 0 end ", 2),
            ("block local.get 0 br_table 0 0 0 end ", 4),
        ] {
            let most = (most - 1) / counts;
            assert_eq!(of(profile, &branches(most, branch)), "", "{branch}");
            let text = of(profile, &branches(most + 1, branch));
            assert!(text.contains(more), "{branch}: {text:?}");
        }
        assert_eq!(of(profile, &branches(most + 1, "nop ")), "");
    }
}

#[test]
fn what_branches_carry_in_all_functions() {
    for (profile, caps) in [Profile::Everyday, Profile::Contest].map(|it| (it, LoadCaps::of(it))) {
        let told = |count: u64, function: &str| {
            told_by(&module(&times(count as usize, function)), profile)
        };
        // Ten loops of 100 locals; 1,000 branches of 100 locals.
        let (begin, end) = (times(10, "loop "), times(10, "end "));
        let locals = times(100, "i32 ");
        let loops = format!("(func (local {locals}) {begin} {end})");
        let most = caps.most(Thing::AllLoopLocals) / 1_000;
        assert_eq!(told(most, &loops), "");
        let text = told(most + 1, &loops);
        assert!(text.contains(" locals carried by nested loops at byte "), "{text}");
        let branches = format!("(func (local {locals}) {})", times(1_000, "block end "));
        let most = caps.most(Thing::AllBranchLocals) / 100_000;
        assert_eq!(told(most, &branches), "");
        let text = told(most + 1, &branches);
        assert!(text.contains(" locals carried by branches at byte "), "{text}");
    }
}

#[test]
fn what_components_hold() {
    check(Thing::Modules, |n| component(&times(n, "(core module)")));
    check(Thing::ModuleInstances, |n| {
        component(&format!("(core module $m) {}", times(n, "(core instance (instantiate $m))")))
    });
    check(Thing::Components, |n| component(&times(n, "(component)")));
    check(Thing::ComponentInstances, |n| {
        component(&format!("(component $c) {}", times(n, "(instance (instantiate $c))")))
    });
    check(Thing::ComponentDepth, |n| {
        component(&format!("{} {}", times(n, "(component"), times(n, ")")))
    });
    check(Thing::Imports, |n| {
        let import = |index| format!("(import \"a{index}\" (func (type 0)))");
        component(&format!("(type (func)) {}", (0..n).map(import).collect::<String>()))
    });
    check(Thing::Exports, |n| {
        // An export is an item of its own, of which there may be many functions.
        let export = |index| format!("(export \"a{index}\" (func 0))");
        let import = "(import \"f\" (func))";
        component(&format!("{import} {}", (0..n).map(export).collect::<String>()))
    });
    check(Thing::Types, |n| component(&times(n, "(type u8)")));
    check(Thing::Types, |n| component(&times(n, "(core type (func))")));
    check(Thing::Types, |n| component(&format!("(type (instance {}))", times(n - 1, "(type u8)"))));
    check(Thing::Types, |n| {
        component(&format!("(core type (module {}))", times(n - 1, "(type (func))")))
    });
    check(Thing::Parameters, |n| {
        component(&format!("(core type (func (param {})))", times(n, "i32 ")))
    });
    check(Thing::TypeDepth, |n| {
        let (begin, end) = (times(n - 1, "(type (instance"), times(n - 1, "))"));
        component(&format!("(type (component {begin} {end}))"))
    });
    check(Thing::Items, |n| {
        let alias = "(alias export 0 \"f\" (func))";
        let import = r#"(import "i" (instance (export "f" (func))))"#;
        // The export and its type are two.
        component(&format!("{import} {}", times(n - 2, alias)))
    });
    check(Thing::Items, |n| {
        let export = |index| format!("(export \"a{index}\" (func (type 0)))");
        let exports: String = (1..n).map(export).collect();
        component(&format!("(type (instance (type (func)) {exports}))"))
    });
}

#[test]
fn parts_are_counted_together() {
    let half = format!("(core module {})", times(10_001, "(func)"));
    let text = told_by(&component(&format!("{half} (component {half})")), Profile::Contest);
    assert!(text.starts_with("holds 20002 functions at byte "), "{text}");
}

#[test]
fn a_file_has_a_length() {
    for (profile, most) in [(Profile::Everyday, 50_331_648), (Profile::Contest, 8_388_608)] {
        let mut bytes = component("");
        // An unknown custom section, its length in four bytes.
        let length = most - bytes.len() - 5;
        bytes.push(0);
        bytes.extend([0, 7, 14, 21].map(|shift| (length >> shift) as u8 & 0x7f | 0x80));
        *bytes.last_mut().unwrap() &= 0x7f;
        bytes.resize(most, 0);
        assert_eq!(told_by(&bytes, profile), "");
        bytes.push(0);
        let told = told_by(&bytes, profile);
        let by = format!("at most {most} are admitted by the {profile} profile");
        let wanted = format!("is {} bytes long; {by} (`--cap bytes=…` admits more)", most + 1);
        assert_eq!(told, wanted);
    }
}

#[test]
fn code_is_counted_over_all_functions() {
    let caps = LoadCaps::default().with(&["code-bytes=1000".parse().unwrap()]);
    // Of 100 bytes each: no locals, so many instructions of one byte, the last one.
    let function = format!("(func {})", times(98, "nop "));
    let of = |count: usize| scan(&module(&times(count, &function)), &caps);
    assert_eq!(of(10), Ok(()));
    let text = of(11).unwrap_err().to_string();
    assert!(text.starts_with("holds 1100 bytes of code at byte "), "{text}");
    assert!(text.ends_with("; at most 1000 are admitted by `--cap code-bytes=1000`"), "{text}");
}

#[test]
fn imports_are_named_before_anything_is_compiled() {
    let check = |text: &str, wanted: &str| {
        let told = admit(&component(text), &LoadCaps::default()).err();
        let told = told.map(|refusal| refusal.to_string()).unwrap_or_default();
        let rest = "; an engine gets nothing but `sandboard:engine/host@1` and \
                    `sandboard:engine/types@1`, no WASI either";
        let wanted = if wanted.is_empty() { String::new() } else { format!("{wanted}{rest}") };
        // What an author can do about it comes after: `advice.rs`.
        let advice = told
            .strip_prefix(&wanted)
            .map(|rest| rest.is_empty() || rest.starts_with("; that is "));
        assert!(advice == Some(true), "{text}: {told}");
        assert_eq!(told.is_empty(), wanted.is_empty(), "{text}");
    };
    let instance = |name: &str| format!(r#"(import "{name}" (instance))"#);
    // Any minor version is for the linker to judge.
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
    // By the right name, and something else.
    let host = "sandboard:engine/host@1.0.0";
    for (kind, text) in
        [("function", "(func)"), ("component", "(component)"), ("core module", "(core module)")]
    {
        check(&format!(r#"(import "{host}" {text})"#), &format!("imports the {kind} `{host}`"));
        check(&format!(r#"(import "x" {text})"#), &format!("imports the {kind} `x`"));
    }
    // What parts of it want of each other is their business.
    check(r#"(core module (import "env" "f" (func)))"#, "");
    check(r#"(component (import "wasi:io/streams@0.2.0" (instance)))"#, "");
    let mixed = [instance(host), instance("a:b/c@1.0.0"), instance("env")].concat();
    check(&mixed, "imports `a:b/c@1.0.0`, `env`");
    let core = wat::parse_str(r#"(module (import "env" "f" (func)))"#).unwrap();
    let told = admit(&core, &LoadCaps::default()).unwrap_err().to_string();
    assert!(told.starts_with("is a core WebAssembly module without the border's"), "{told}");
    assert!(told.contains("; that is a function which nobody defined"), "{told}");
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
    let wrong = rows.iter().filter_map(|(name, text)| {
        let told = told(&module(text));
        let wanted =
            format!("needs the WebAssembly proposal `{name}`, which is off here: at byte ");
        (!told.starts_with(&wanted)).then(|| format!("{name}: {text}: {told}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    // What is on.
    assert_eq!(
        told(&module(&format!(
            "(func (drop (f32x4.add {})))",
            times(2, "v128.const i32x4 0 0 0 0 ")
        ))),
        ""
    );
    assert_eq!(told(&module("(func (drop (i32.extend8_s (i32.const 1))))")), "");
    assert_eq!(
        told(&module("(memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 9)))")),
        ""
    );
}

#[test]
fn damage_is_told_with_its_place() {
    let whole = module("(func (result i32) i32.const 7)");
    assert_eq!(told(&whole), "");
    // The constant becomes one of another type.
    let at = whole.windows(2).position(|pair| pair == [0x41, 7]).unwrap();
    let mut damaged = whole.clone();
    damaged[at] = 0x42;
    let text = told(&damaged);
    assert!(
        text.starts_with(&format!("is no valid WebAssembly: at byte {}: type mismatch", at + 2)),
        "{text}"
    );
    // After 8 bytes it is whole: a component with nothing in it.
    for length in (0..whole.len()).filter(|length| *length != 8) {
        assert_ne!(told(&whole[..length]), "", "{length} bytes");
    }
}

/// Writes a section: its id, its length, what is in it.
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
fn a_reader_that_calls_itself_is_not_sent_down() {
    // An instance type of one declaration: a type, of which the same is true.
    for head in [[0x42, 1, 1], [0x41, 1, 1]] {
        let mut body = vec![1];
        body.extend(head.repeat(1_000_000));
        let mut bytes = component("");
        bytes.extend(section(7, &body));
        let text = told(&bytes);
        assert!(text.starts_with("holds 9 component types inside each other at byte "), "{text}");
    }
    // The same of components.
    let mut bytes = component("");
    for _ in 0..1000 {
        let inner = bytes;
        bytes = component("");
        bytes.extend(section(4, &inner));
    }
    assert!(told(&bytes).starts_with("holds 5 components inside each other at byte "));
}

#[test]
fn counts_that_lie_cost_nothing() {
    // A section that says it has four billion of what it has none of.
    let many = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for id in 1..=12 {
        if id == 8 {
            continue;
        }
        let mut core = b"\0asm\x01\0\0\0".to_vec();
        core.extend(section(id, &many));
        let mut bytes = component("");
        bytes.extend(section(1, &core));
        assert_ne!(told(&bytes), "", "core section {id}");
    }
    for id in 2..=11 {
        let mut bytes = component("");
        bytes.extend(section(id, &many));
        assert_ne!(told(&bytes), "", "component section {id}");
    }
}
