//! The C headers compile as C99 and C++11. The mirrors of the engine header in Rust and Zig have
//! the same struct sizes and layouts.

use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use sandboard_abi::{ABI, C_HEADER, c};
use sandboard_builder::Language;
use sandboard_tests::root;

/// Compiles `source`; the compiler's messages if it fails.
fn compile(compiler: &str, arguments: &[&str], source: &Path) -> Result<(), String> {
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(root().join("abi/include"))
        .args(arguments)
        .arg(source)
        .output()
        .unwrap_or_else(|error| {
            panic!("{compiler} does not run ({error}); `cargo xtask setup` says how to get it")
        });
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn the_headers_are_c99_and_cpp11() {
    let folder = tempfile::tempdir().unwrap();
    let check = |program: &str| {
        for (compiler, standard, name) in [("cc", "-std=c99", "a.c"), ("c++", "-std=c++11", "a.cc")]
        {
            let source = folder.path().join(name);
            std::fs::write(&source, program).unwrap();
            compile(compiler, &[standard, "-fsyntax-only"], &source).unwrap();
            // A wrong program must fail, or the test would prove nothing.
            std::fs::write(&source, program.replace("== 0", "== sb_nothing")).unwrap();
            compile(compiler, &[standard, "-fsyntax-only"], &source).unwrap_err();
        }
    };
    check(
        "#include \"sandboard_engine_v1.h\"\nint main(void) { return sandboard_engine_v1() == 0; }\n",
    );
    check("#include \"sandboard_game_v1.h\"\nint main(void) { return game_size == 0; }\n");
}

#[test]
fn the_header_is_short_and_has_the_abi_number() {
    assert!(C_HEADER.lines().count() <= 200, "{} lines", C_HEADER.lines().count());
    assert!(C_HEADER.contains(&format!("#define SB_ABI {ABI}u")));
    assert!(C_HEADER.contains(&format!("*{}{ABI}(void)", sandboard_abi::NATIVE_SYMBOL_STEM)));
}

/// Every struct with its size and the offsets of fields that reveal a layout error.
fn rust_layout() -> String {
    let mut layout = String::new();
    let mut line = |name: &str, size: usize, offsets: &[usize]| {
        layout.push_str(&format!("{name} {size}"));
        offsets.iter().for_each(|offset| layout.push_str(&format!(" {offset}")));
        layout.push('\n');
    };
    line("sb_text", size_of::<c::Text>(), &[offset_of!(c::Text, len)]);
    line(
        "sb_option",
        size_of::<c::OptionSpec>(),
        &[offset_of!(c::OptionSpec, real_max), offset_of!(c::OptionSpec, text_max)],
    );
    line("sb_game", size_of::<c::Game>(), &[offset_of!(c::Game, n_variants)]);
    line(
        "sb_description",
        size_of::<c::Description>(),
        &[offset_of!(c::Description, version), offset_of!(c::Description, n_options)],
    );
    line("sb_setting", size_of::<c::Setting>(), &[offset_of!(c::Setting, value)]);
    line(
        "sb_setup",
        size_of::<c::Setup>(),
        &[
            offset_of!(c::Setup, moves),
            offset_of!(c::Setup, reserved),
            offset_of!(c::Setup, table_slots),
        ],
    );
    line("sb_seat_left", size_of::<c::SeatLeft>(), &[offset_of!(c::SeatLeft, left)]);
    line(
        "sb_limits",
        size_of::<c::Limits>(),
        &[offset_of!(c::Limits, nodes), offset_of!(c::Limits, lines)],
    );
    line("sb_barred", size_of::<c::Barred>(), &[offset_of!(c::Barred, reason)]);
    line(
        "sb_line",
        size_of::<c::Line>(),
        &[offset_of!(c::Line, nodes), offset_of!(c::Line, moves)],
    );
    line(
        "sb_choice",
        size_of::<c::Choice>(),
        &[offset_of!(c::Choice, offers_draw), offset_of!(c::Choice, line)],
    );
    line("sb_view", size_of::<c::View>(), &[offset_of!(c::View, scores)]);
    line(
        "sb_host_v1",
        size_of::<c::HostV1>(),
        &[offset_of!(c::HostV1, left), offset_of!(c::HostV1, cell)],
    );
    line(
        "sb_engine_v1",
        size_of::<c::EngineV1>(),
        &[offset_of!(c::EngineV1, describe), offset_of!(c::EngineV1, drop)],
    );
    layout
}

const LAYOUT_C: &str = r#"
#include <stddef.h>
#include <stdio.h>
#include "sandboard_engine_v1.h"
#define AT(type, field) printf(" %zu", offsetof(type, field))
#define STRUCT(type) printf("%s%s %zu", first++ ? "\n" : "", #type, sizeof(type))
int main(void) {
  int first = 0;
  STRUCT(sb_text); AT(sb_text, len);
  STRUCT(sb_option); AT(sb_option, real_max); AT(sb_option, text_max);
  STRUCT(sb_game); AT(sb_game, n_variants);
  STRUCT(sb_description); AT(sb_description, version); AT(sb_description, n_options);
  STRUCT(sb_setting); AT(sb_setting, value);
  STRUCT(sb_setup); AT(sb_setup, moves); AT(sb_setup, reserved); AT(sb_setup, table_slots);
  STRUCT(sb_seat_left); AT(sb_seat_left, left);
  STRUCT(sb_limits); AT(sb_limits, nodes); AT(sb_limits, lines);
  STRUCT(sb_barred); AT(sb_barred, reason);
  STRUCT(sb_line); AT(sb_line, nodes); AT(sb_line, moves);
  STRUCT(sb_choice); AT(sb_choice, offers_draw); AT(sb_choice, line);
  STRUCT(sb_view); AT(sb_view, scores);
  STRUCT(sb_host_v1); AT(sb_host_v1, left); AT(sb_host_v1, cell);
  STRUCT(sb_engine_v1); AT(sb_engine_v1, describe); AT(sb_engine_v1, drop);
  printf("\n");
  return 0;
}
"#;

#[test]
fn the_rust_mirror_has_the_header_s_layout() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    std::fs::write(&source, LAYOUT_C).unwrap();
    compile("cc", &["-std=c99", "-o", &program.to_string_lossy()], &source).unwrap();
    let output = Command::new(program).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), rust_layout());
}

/// Appended to `sandboard.zig`: compares it with the header as Zig's C compiler translates it.
const LAYOUT_ZIG: &str = r#"
comptime {
    @setEvalBranchQuota(100_000);
    const header = @import("header.zig");
    for (.{
        .{ "sb_text", Text },
        .{ "sb_game", Game },
        .{ "sb_description", Description },
        .{ "sb_setup", Setup },
        .{ "sb_limits", Limits },
        .{ "sb_barred", Barred },
        .{ "sb_line", RawLine },
        .{ "sb_choice", Choice },
        .{ "sb_view", RawView },
        .{ "sb_host_v1", Host },
        .{ "sb_engine_v1", Functions },
    }) |pair| {
        const name = pair[0];
        const Theirs = @field(header, name);
        const ours = std.meta.fieldNames(pair[1]);
        const theirs = std.meta.fieldNames(Theirs);
        for (ours, 0..) |field, i| {
            // `error` is a keyword of Zig.
            const same = if (std.mem.eql(u8, field, "error_text")) "error" else field;
            if (i == theirs.len or !std.mem.eql(u8, same, theirs[i])) @compileError(name ++ " has no " ++ field ++ " there");
            if (@offsetOf(pair[1], field) != @offsetOf(Theirs, same)) @compileError(name ++ "." ++ field ++ " lies elsewhere");
            if (@sizeOf(@FieldType(pair[1], field)) != @sizeOf(@FieldType(Theirs, same))) @compileError(name ++ "." ++ field ++ " has another size");
        }
        // The mirror omits the last functions of the host.
        if (pair[1] != Host and @sizeOf(pair[1]) != @sizeOf(Theirs)) @compileError(name ++ " has another size");
    }
}
"#;

/// The first compiler error for `sandboard.zig` with `find` replaced by `put`; empty if none.
fn zig_error(find: &str, put: &str, target: &[&str]) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path();
    let zig = Language::Zig.info().tools[0].find().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = zig.command();
        command.current_dir(scratch).args(arguments).args(target);
        command.env("ZIG_GLOBAL_CACHE_DIR", zig.folder.join("cache"));
        // Zig compiles its C translator at its first use.
        command.env("ZIG_LOCAL_CACHE_DIR", zig.folder.join("cache")).output().unwrap()
    };
    std::fs::write(scratch.join("header.h"), C_HEADER).unwrap();
    let translated = run(&["translate-c", "header.h"]);
    assert!(translated.status.success(), "{}", String::from_utf8_lossy(&translated.stderr));
    std::fs::write(scratch.join("header.zig"), translated.stdout).unwrap();
    let text = std::fs::read_to_string(root().join("sample-engines/zig-simple/sandboard.zig"));
    let text = text.unwrap();
    assert!(text.contains(find), "{find}");
    let text = text.replacen(find, put, 1) + LAYOUT_ZIG;
    std::fs::write(scratch.join("sandboard.zig"), text).unwrap();
    let compared = run(&["build-obj", "-fno-emit-bin", "sandboard.zig"]);
    let errors = String::from_utf8_lossy(&compared.stderr).into_owned();
    let error = errors.lines().find_map(|line| Some(line.split_once("error: ")?.1.to_owned()));
    assert_eq!(compared.status.success(), error.is_none(), "{errors}");
    error.unwrap_or_default()
}

#[test]
fn the_zig_mirror_has_the_header_s_layout() {
    const WASM: &[&str] = &["-target", "wasm32-freestanding"];
    let check = |find: &str, put: &str, expected: &str| {
        for target in [&[][..], WASM] {
            assert_eq!(zig_error(find, put, target), expected, "{find} by {put}, {target:?}");
        }
    };
    check("seed: u64,", "seed: u64,", "");
    check(
        "increment: u64,\n    grace: u64,",
        "grace: u64,\n    increment: u64,",
        "sb_limits has no grace there",
    );
    check("    n_seats: u32,\n", "", "sb_setup has no seats there");
    check("threads: u16,", "threads: u32,", "sb_setup.threads has another size");
    check(
        "offers_draw: u32,",
        "offers_draw: u32 align(32),",
        "sb_choice.offers_draw lies elsewhere",
    );
    check(
        "Barred = extern struct { move: Text, reason: Text }",
        "Barred = extern struct { move: Text }",
        "sb_barred has another size",
    );
}
