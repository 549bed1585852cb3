//! Modules between a random module and JavaScript, which has neither vectors nor the bits of a NaN:
//! one with the functions of the host, and one that calls the exported functions. They pass only
//! integers to JavaScript.

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, HeapType, ImportSection, Instruction, MemArg,
    MemorySection, Module, TableSection, TypeSection, ValType,
};
use wasmparser::{ExternalKind, FuncType, Imports, Parser, Payload, TypeRef};

use crate::{COUNTER_MODULE, GROWTH_MODULE};

/// Whether an import from this module is not one of counters or growth.
fn is_own(module: &str) -> bool {
    module != COUNTER_MODULE && module != GROWTH_MODULE
}

/// Gives each import of its own another name, because in JavaScript equal names are one import.
pub(super) fn with_names(module: &[u8]) -> Vec<u8> {
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
pub(super) struct Shape {
    types: Vec<FuncType>,
    /// The module and the type of each import.
    imports: Vec<(String, TypeRef)>,
    /// The type of each function and of each global, imported ones first.
    functions: Vec<u32>,
    pub(super) globals: Vec<wasmparser::ValType>,
    global_is_mutable: Vec<bool>,
    memory: Option<wasmparser::MemoryType>,
    /// The name, the kind and the index of each export.
    pub(super) exports: Vec<(String, ExternalKind, u32)>,
}

impl Shape {
    pub(super) fn of(module: &[u8]) -> Self {
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
    pub(super) fn imported_pages(&self) -> impl Iterator<Item = u64> {
        self.own_imports().filter_map(|(_, ty)| match ty {
            TypeRef::Memory(ty) => Some(ty.initial),
            _ => None,
        })
    }

    /// The exports of a kind, with their numbers and indices.
    pub(super) fn exports_of(
        &self,
        kind: ExternalKind,
    ) -> impl Iterator<Item = (usize, &str, u32)> {
        let all = self.exports.iter().enumerate();
        all.filter(move |(_, (_, of, _))| *of == kind)
            .map(|(at, (name, _, index))| (at, name.as_str(), *index))
    }

    /// The types of the exported functions, with the numbers of the exports.
    pub(super) fn functions(&self) -> Vec<(usize, &FuncType)> {
        self.exports_of(ExternalKind::Func)
            .map(|(at, _, index)| (at, &self.types[self.functions[index as usize] as usize]))
            .collect()
    }

    /// A module that exports what the module imports: `i` with the number of the import. Its
    /// functions call `note` in JavaScript, and return values that depend on its result.
    pub(super) fn host_module(&self) -> Vec<u8> {
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
    pub(super) fn caller_module(&self) -> Vec<u8> {
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
