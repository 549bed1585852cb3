//! Runs instrumented modules under V8, in Node.js, whose [`Report`] must be that of the compiler.

mod adapters;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use sandboard_builder::node::Node;
use sandboard_builder::toolchain::InstallPolicy;
use serde_json::{Value, json};
use wasmparser::ExternalKind;

use self::adapters::{Shape, with_names};
use super::run::{Call, End, Report};
use crate::{TableLimits, defined_sizes, instrument, limit_growth};

/// The limits of the other runtimes in these tests.
const MEMORY_BYTES: u64 = 4 << 20;
const TABLE_LIMITS: TableLimits = TableLimits { element_bytes: 0, elements_max: 5_000 };

/// The traps that V8 does not tell apart, in its words and in those of the other runtimes.
const TRAPS: &[(&str, &[&str])] = &[
    ("unreachable", &["wasm `unreachable` instruction executed"]),
    ("memory access out of bounds", &["out of bounds memory access"]),
    ("data segment", &["out of bounds memory access"]),
    ("table index is out of bounds", TABLE),
    ("table access out of bounds", TABLE),
    ("table initializer", TABLE),
    ("element segment", TABLE),
    (
        "null function or function signature mismatch",
        &["uninitialized element", "indirect call type mismatch"],
    ),
    ("divide by zero", &["integer divide by zero"]),
    ("remainder by zero", &["integer divide by zero"]),
    ("divide result unrepresentable", &["integer overflow"]),
    (
        "float unrepresentable in integer range",
        &["integer overflow", "invalid conversion to integer"],
    ),
];
/// The option of V8 for constant expressions with operators.
const EXTENDED_CONST: &str = "--experimental-wasm-extended-const";

const TABLE: &[&str] = &["undefined element: out of bounds table access"];

/// A process of Node.js.
pub(super) struct V8 {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for V8 {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl V8 {
    pub(super) fn start() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let node = Node::find(&root.join("target/node"), InstallPolicy::Never)
            .unwrap_or_else(|error| panic!("{error}; `cargo xtask web` finds or fetches one"));
        let mut command = node.node();
        // V8 has constant expressions with operators from version 11.4 on; before, by an option.
        let options = node.node().arg("--v8-options").output().unwrap().stdout;
        if String::from_utf8_lossy(&options).contains(EXTENDED_CONST) {
            command.arg(EXTENDED_CONST);
        }
        let mut process = command
            // As much as the main thread of a process has.
            .arg("--stack-size=7000")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/v8.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output: BufReader::new(output) }
    }

    /// Instruments the module and runs it. Compares with the report of another runtime, which says
    /// which of several traps it was.
    pub(super) fn instrumented(
        &mut self,
        module: &[u8],
        fuel: i64,
        stack: i32,
        other: &Report,
    ) -> Report {
        let main = limit_growth(&instrument(module).unwrap(), TABLE_LIMITS).unwrap();
        let main = with_names(&main);
        let shape = Shape::of(&main);
        let defined = defined_sizes(&main).unwrap();
        let pages = defined.memories.iter().map(|(pages, _)| *pages).chain(shape.imported_pages());
        let left = MEMORY_BYTES.saturating_sub(pages.sum::<u64>() << 16);
        let functions = shape.functions();
        let calls: Vec<Value> =
            functions.iter().map(|(at, ty)| json!([at, ty.results().len()])).collect();
        let names = |kind| shape.exports_of(kind).map(|(_, name, _)| name).collect::<Vec<_>>();
        let globals: Vec<usize> =
            shape.exports_of(ExternalKind::Global).map(|(at, ..)| at).collect();
        let request = json!({
            "host": base64(&shape.host_module()), "main": base64(&main),
            "caller": base64(&shape.caller_module()),
            "fuel": fuel.to_string(), "stack": stack, "left": left.to_string(),
            "functions": calls, "globals": globals, "tables": names(ExternalKind::Table),
            "hasMemory": !names(ExternalKind::Memory).is_empty(),
        });
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
            panic!("{error}: Node.js answered {line:?}");
        });
        report(&answer, &shape, fuel, other)
    }
}

/// The answer of the process as a report.
fn report(answer: &Value, shape: &Shape, fuel: i64, other: &Report) -> Report {
    let functions = shape.functions();
    let list = |value: &Value| -> Vec<Value> { value.as_array().unwrap().clone() };
    let number = |value: &Value| -> i64 { value.as_str().unwrap().parse().unwrap() };
    let mut calls = Vec::new();
    for (at, call) in list(&answer["calls"]).iter().enumerate() {
        let left = number(&call["left"]);
        let end = match call["error"].as_str() {
            _ if left < 0 => End::OutOfFuel,
            // The instantiation.
            None if at == 0 => End::Returned(String::new()),
            None => {
                let bits: Vec<u64> = list(&call["results"]).iter().map(hexadecimal).collect();
                let results = functions[at - 1].1.results().iter();
                let texts = results.zip(bits.chunks(2)).map(|(ty, bits)| text(*ty, bits));
                End::Returned(texts.collect::<Vec<_>>().join(" "))
            }
            Some(_) if call["isDeep"] == true => End::StackOverflow,
            Some(error) => End::Trapped(trap(error, other.calls.get(at).map(|call| &call.end))),
        };
        calls.push(Call { end, spent: fuel - left });
    }
    let mut state = list(&answer["state"]).into_iter();
    let mut texts = vec![String::new(); shape.exports.len()];
    let mut next = || list(&state.next().unwrap());
    if !answer["state"].as_array().unwrap().is_empty() {
        for (at, _, index) in shape.exports_of(ExternalKind::Global) {
            let bits: Vec<u64> = next().iter().map(hexadecimal).collect();
            texts[at] = text(shape.globals[index as usize], &bits);
        }
        for (at, ..) in shape.exports_of(ExternalKind::Table) {
            texts[at] = format!("{} elements", next()[0].as_str().unwrap());
        }
        let memories: Vec<usize> =
            shape.exports_of(ExternalKind::Memory).map(|(at, ..)| at).collect();
        if !memories.is_empty() {
            let memory = next();
            let words = [0, 1].map(|at| memory[at].as_str().unwrap().to_owned());
            // A module has one memory, perhaps with several names.
            for at in memories {
                texts[at] = format!("{} bytes, {}", words[0], words[1]);
            }
        }
    }
    let is_complete = answer["calls"][0]["error"].is_null();
    let state = shape.exports.iter().zip(texts).map(|((name, ..), text)| format!("{name}: {text}"));
    Report {
        host_calls: list(&answer["hostCalls"]).iter().map(number).collect(),
        calls,
        stack_left: answer["stack"].as_i64().unwrap() as i32,
        state: if is_complete { state.collect() } else { Vec::new() },
    }
}

fn hexadecimal(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

/// A value in the words of the other runtimes.
fn text(ty: wasmparser::ValType, bits: &[u64]) -> String {
    match ty {
        wasmparser::ValType::I32 => format!("I32({})", (bits[0] as u32).cast_signed()),
        wasmparser::ValType::I64 => format!("I64({})", bits[0].cast_signed()),
        wasmparser::ValType::F32 => format!("F32({})", bits[0]),
        wasmparser::ValType::F64 => format!("F64({})", bits[0]),
        wasmparser::ValType::V128 => {
            format!("v128 {:x}", u128::from(bits[1]) << 64 | u128::from(bits[0]))
        }
        wasmparser::ValType::Ref(_) => format!("funcref {}", bits[0] != 0),
    }
}

/// A trap in the words of the other runtime, if V8 may mean that one.
fn trap(error: &str, other: Option<&End>) -> String {
    let Some((_, words)) = TRAPS.iter().find(|(known, _)| error.contains(known)) else {
        return error.to_owned();
    };
    match other {
        Some(End::Trapped(other)) if words.contains(&other.trim_start_matches("wasm trap: ")) => {
            other.clone()
        }
        _ => words.join(" or "),
    }
}

/// Bytes in Base64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let is_used = digit <= chunk.len();
            let sextet = (bits >> (18 - 6 * digit)) as usize & 63;
            text.push(if is_used { char::from(DIGITS[sextet]) } else { '=' });
        }
    }
    text
}
