//! Runs instrumented modules under V8, in Node.js, whose [`Report`] must be that of the compiler.
//!
//! JavaScript has neither vectors nor the bits of a NaN. So the functions of the host and the calls
//! of exported functions are in two modules of their own, which pass only integers to JavaScript.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use sandboard_builder::node::Node;
use sandboard_builder::toolchain::InstallPolicy;
use serde_json::{Value, json};
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, HeapType, ImportSection, Instruction, MemArg,
    MemorySection, Module, TableSection, TypeSection, ValType,
};
use wasmparser::{ExternalKind, FuncType, Imports, Parser, Payload, TypeRef};

use super::run::{Call, End, Report};
use crate::{COUNTER_MODULE, GROWTH_MODULE, TableLimits, defined_sizes, instrument, limit_growth};

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

/// Whether an import from this module is not one of counters or growth.
fn is_own(module: &str) -> bool {
    module != COUNTER_MODULE && module != GROWTH_MODULE
}

/// Gives each import of its own another name, because in JavaScript equal names are one import.
fn with_names(module: &[u8]) -> Vec<u8> {
    struct Names(usize);

    impl Reencode for Names {
        type Error = std::convert::Infallible;

        fn parse_import_section(
            &mut self,
            imports: &mut ImportSection,
            section: wasmparser::ImportSectionReader<'_>,
        ) -> Result<(), wasm_encoder::reencode::Error<Self::Error>> {
            for group in section {
                let Imports::Single(_, import) = group? else { panic!("an import of several") };
                let ty = self.entity_type(import.ty)?;
                if is_own(import.module) {
                    imports.import("host", &format!("i{}", self.0), ty);
                    self.0 += 1;
                } else {
                    imports.import(import.module, import.name, ty);
                }
            }
            Ok(())
        }
    }

    let mut named = Module::new();
    Names(0).parse_core_module(&mut named, Parser::new(0), module).unwrap();
    named.finish()
}

/// What is known of an instrumented module from outside.
struct Shape {
    types: Vec<FuncType>,
    /// The module and the type of each import.
    imports: Vec<(String, TypeRef)>,
    /// The type of each function and of each global, imported ones first.
    functions: Vec<u32>,
    globals: Vec<wasmparser::ValType>,
    global_is_mutable: Vec<bool>,
    memory: Option<wasmparser::MemoryType>,
    /// The name, the kind and the index of each export.
    exports: Vec<(String, ExternalKind, u32)>,
}

impl Shape {
    fn of(module: &[u8]) -> Self {
        let mut shape = Self {
            types: Vec::new(),
            imports: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            global_is_mutable: Vec::new(),
            memory: None,
            exports: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(module) {
            match payload.unwrap() {
                Payload::TypeSection(section) => {
                    let groups = section.into_iter().flat_map(|it| it.unwrap().into_types());
                    shape.types.extend(groups.map(|ty| ty.unwrap_func().clone()));
                }
                Payload::ImportSection(section) => {
                    for group in section {
                        let Imports::Single(_, import) = group.unwrap() else { panic!() };
                        match import.ty {
                            TypeRef::Func(ty) => shape.functions.push(ty),
                            TypeRef::Global(ty) => shape.add_global(ty),
                            TypeRef::Memory(ty) => shape.memory = Some(ty),
                            _ => (),
                        }
                        shape.imports.push((import.module.to_owned(), import.ty));
                    }
                }
                Payload::FunctionSection(section) => {
                    shape.functions.extend(section.into_iter().map(Result::unwrap));
                }
                Payload::MemorySection(section) => {
                    shape.memory = section.into_iter().map(Result::unwrap).next();
                }
                Payload::GlobalSection(section) => {
                    section.into_iter().for_each(|it| shape.add_global(it.unwrap().ty));
                }
                Payload::ExportSection(section) => {
                    let exports = section.into_iter().map(Result::unwrap);
                    let exports = exports.map(|it| (it.name.to_owned(), it.kind, it.index));
                    shape.exports.extend(exports);
                }
                _ => (),
            }
        }
        shape
    }

    fn add_global(&mut self, ty: wasmparser::GlobalType) {
        self.globals.push(ty.content_type);
        self.global_is_mutable.push(ty.mutable);
    }

    /// The imports other than those of counters and growth, with their numbers.
    fn own_imports(&self) -> impl Iterator<Item = (usize, TypeRef)> {
        let own = self.imports.iter().filter(|(module, _)| is_own(module));
        own.enumerate().map(|(at, (_, ty))| (at, *ty))
    }

    /// The pages of an imported memory.
    fn imported_pages(&self) -> impl Iterator<Item = u64> {
        self.own_imports().filter_map(|(_, ty)| match ty {
            TypeRef::Memory(ty) => Some(ty.initial),
            _ => None,
        })
    }

    /// The exports of a kind, with their numbers and indices.
    fn exports_of(&self, kind: ExternalKind) -> impl Iterator<Item = (usize, &str, u32)> {
        let all = self.exports.iter().enumerate();
        all.filter(move |(_, (_, of, _))| *of == kind)
            .map(|(at, (name, _, index))| (at, name.as_str(), *index))
    }

    /// The types of the exported functions, with the numbers of the exports.
    fn functions(&self) -> Vec<(usize, &FuncType)> {
        self.exports_of(ExternalKind::Func)
            .map(|(at, _, index)| (at, &self.types[self.functions[index as usize] as usize]))
            .collect()
    }

    /// A module that exports what the module imports: `i` with the number of the import. Its
    /// functions call `note` in JavaScript, and return values that depend on its result.
    fn host_module(&self) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let mut imports = ImportSection::new();
        imports.import("js", "note", EntityType::Function(0));
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        let (mut tables, mut memories) = (TableSection::new(), MemorySection::new());
        let (mut globals, mut exports) = (GlobalSection::new(), ExportSection::new());
        for (at, ty) in self.own_imports() {
            let name = format!("i{at}");
            match ty {
                TypeRef::Func(ty) => {
                    let ty = &self.types[ty as usize];
                    let index = types.len();
                    types.ty().function(encoded(ty.params()), encoded(ty.results()));
                    functions.function(index);
                    let note = ty.params().len() as u32;
                    let mut function = Function::new([(1, ValType::I32)]);
                    function.instruction(&Instruction::Call(0));
                    function.instruction(&Instruction::LocalSet(note));
                    for result in encoded(ty.results()) {
                        for instruction in dynamic_value(result, note) {
                            function.instruction(&instruction);
                        }
                    }
                    function.instruction(&Instruction::End);
                    code.function(&function);
                    exports.export(&name, ExportKind::Func, functions.len());
                }
                TypeRef::Global(ty) => {
                    let val_type = encoded(&[ty.content_type])[0];
                    let global = GlobalType { val_type, mutable: ty.mutable, shared: false };
                    globals.global(global, &constant(val_type, 3));
                    exports.export(&name, ExportKind::Global, globals.len() - 1);
                }
                TypeRef::Memory(ty) => {
                    memories.memory(RoundtripReencoder.memory_type(ty).unwrap());
                    exports.export(&name, ExportKind::Memory, memories.len() - 1);
                }
                TypeRef::Table(ty) => {
                    tables.table(RoundtripReencoder.table_type(ty).unwrap());
                    exports.export(&name, ExportKind::Table, tables.len() - 1);
                }
                _ => unreachable!("no tags are admitted"),
            }
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables);
        module.section(&memories).section(&globals).section(&exports).section(&code);
        module.finish()
    }

    /// A module that calls each exported function (`c` with the number of the export) and reads
    /// each global (`g`), and leaves the bits in globals: two `i64` for each value.
    fn caller_module(&self) -> Vec<u8> {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        types.ty().function([], []);
        types.ty().function([], [ValType::I64]);
        let called = self.functions();
        for (at, ty) in &called {
            let index = types.len();
            types.ty().function(encoded(ty.params()), encoded(ty.results()));
            imports.import("main", &self.exports[*at].0, EntityType::Function(index));
        }
        let mut imported_globals = Vec::new();
        for (at, name, index) in self.exports_of(ExternalKind::Global) {
            let val_type = encoded(&[self.globals[index as usize]])[0];
            let mutable = self.global_is_mutable[index as usize];
            let global = GlobalType { val_type, mutable, shared: false };
            imports.import("main", name, EntityType::Global(global));
            imported_globals.push((at, val_type));
        }
        let memory = self.exports_of(ExternalKind::Memory).next();
        if let (Some((_, name, _)), Some(ty)) = (memory, self.memory) {
            let ty = RoundtripReencoder.memory_type(ty).unwrap();
            imports.import("main", name, EntityType::Memory(ty));
        }
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        let (mut globals, mut exports) = (GlobalSection::new(), ExportSection::new());
        let most = called.iter().map(|(_, ty)| ty.results().len()).max().unwrap_or(0).max(1);
        let first = imported_globals.len() as u32;
        for at in 0..2 * most as u32 {
            let ty = GlobalType { val_type: ValType::I64, mutable: true, shared: false };
            globals.global(ty, &ConstExpr::i64_const(0));
            exports.export(&format!("r{at}"), ExportKind::Global, first + at);
        }
        let first_function = called.len() as u32;
        let mut add = |name: String, ty: u32, function: &Function| {
            functions.function(ty);
            code.function(function);
            exports.export(&name, ExportKind::Func, first_function + functions.len() - 1);
        };
        for (number, (at, ty)) in called.iter().enumerate() {
            let results = encoded(ty.results());
            let mut function = Function::new(results.iter().map(|ty| (1, *ty)));
            for (param, n) in encoded(ty.params()).into_iter().zip(7..) {
                let code = constant_instruction(param, n);
                function.instruction(&code);
            }
            function.instruction(&Instruction::Call(number as u32));
            for local in (0..results.len() as u32).rev() {
                function.instruction(&Instruction::LocalSet(local));
            }
            for (local, ty) in results.iter().enumerate() {
                let value = Instruction::LocalGet(local as u32);
                leave(&mut function, &value, *ty, first + 2 * local as u32);
            }
            function.instruction(&Instruction::End);
            add(format!("c{at}"), 0, &function);
        }
        for (number, (at, ty)) in imported_globals.iter().enumerate() {
            let mut function = Function::new([]);
            leave(&mut function, &Instruction::GlobalGet(number as u32), *ty, first);
            function.instruction(&Instruction::End);
            add(format!("g{at}"), 0, &function);
        }
        if memory.is_some() {
            add("bytes".to_owned(), 1, &memory_bytes());
            add("hash".to_owned(), 1, &memory_hash());
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&globals);
        module.section(&exports).section(&code);
        module.finish()
    }
}

fn encoded(types: &[wasmparser::ValType]) -> Vec<ValType> {
    types.iter().map(|ty| RoundtripReencoder.val_type(*ty).unwrap()).collect()
}

/// The value that depends on a number, as in the other runtimes.
fn constant_instruction(ty: ValType, n: u32) -> Instruction<'static> {
    match ty {
        ValType::I32 => Instruction::I32Const(n.cast_signed()),
        ValType::I64 => Instruction::I64Const(n.into()),
        ValType::F32 => Instruction::F32Const((n as f32).into()),
        ValType::F64 => Instruction::F64Const(f64::from(n).into()),
        ValType::V128 => Instruction::V128Const(n.into()),
        ValType::Ref(_) => Instruction::RefNull(HeapType::FUNC),
    }
}

fn constant(ty: ValType, n: u32) -> ConstExpr {
    match ty {
        ValType::I32 => ConstExpr::i32_const(n.cast_signed()),
        ValType::I64 => ConstExpr::i64_const(n.into()),
        ValType::F32 => ConstExpr::f32_const((n as f32).into()),
        ValType::F64 => ConstExpr::f64_const(f64::from(n).into()),
        ValType::V128 => ConstExpr::v128_const(n.into()),
        ValType::Ref(_) => ConstExpr::ref_null(HeapType::FUNC),
    }
}

/// The value that depends on the number in a local.
fn dynamic_value(ty: ValType, local: u32) -> Vec<Instruction<'static>> {
    use Instruction as I;
    let get = I::LocalGet(local);
    match ty {
        ValType::I32 => vec![get],
        ValType::I64 => vec![get, I::I64ExtendI32U],
        ValType::F32 => vec![get, I::F32ConvertI32U],
        ValType::F64 => vec![get, I::F64ConvertI32U],
        ValType::V128 => vec![I::V128Const(0), get, I::I64ExtendI32U, I::I64x2ReplaceLane(0)],
        ValType::Ref(_) => vec![I::RefNull(HeapType::FUNC)],
    }
}

/// Leaves the bits of a value in the global with this index and in the next one.
fn leave(function: &mut Function, value: &Instruction<'_>, ty: ValType, global: u32) {
    use Instruction as I;
    let low: &[I<'_>] = match ty {
        ValType::I32 => &[I::I64ExtendI32U],
        ValType::I64 => &[],
        ValType::F32 => &[I::I32ReinterpretF32, I::I64ExtendI32U],
        ValType::F64 => &[I::I64ReinterpretF64],
        ValType::V128 => &[I::I64x2ExtractLane(0)],
        ValType::Ref(_) => &[I::RefIsNull, I::I32Eqz, I::I64ExtendI32U],
    };
    function.instruction(value);
    for instruction in low {
        function.instruction(instruction);
    }
    function.instruction(&I::GlobalSet(global));
    if ty == ValType::V128 {
        function.instruction(value).instruction(&I::I64x2ExtractLane(1));
    } else {
        function.instruction(&I::I64Const(0));
    }
    function.instruction(&I::GlobalSet(global + 1));
}

fn memory_bytes() -> Function {
    use Instruction as I;
    let mut function = Function::new([]);
    for instruction in [I::MemorySize(0), I::I64ExtendI32U, I::I64Const(16), I::I64Shl, I::End] {
        function.instruction(&instruction);
    }
    function
}

/// The hash of a memory, as `run::hash` computes it.
fn memory_hash() -> Function {
    use Instruction as I;
    let (at, hash) = (0, 1);
    let mut function = Function::new([(1, ValType::I32), (1, ValType::I64)]);
    let byte = I::I64Load8U(MemArg { offset: 0, align: 0, memory_index: 0 });
    for instruction in [
        I::Block(BlockType::Empty),
        I::Loop(BlockType::Empty),
        I::LocalGet(at),
        I::MemorySize(0),
        I::I32Const(16),
        I::I32Shl,
        I::I32GeU,
        I::BrIf(1),
        I::LocalGet(hash),
        I::LocalGet(at),
        byte,
        I::I64Xor,
        I::I64Const(0x0100_0000_01b3),
        I::I64Mul,
        I::LocalSet(hash),
        I::LocalGet(at),
        I::I32Const(1),
        I::I32Add,
        I::LocalSet(at),
        I::Br(0),
        I::End,
        I::End,
        I::LocalGet(hash),
        I::End,
    ] {
        function.instruction(&instruction);
    }
    function
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
