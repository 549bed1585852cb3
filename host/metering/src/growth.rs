//! Limits the growth of memories and tables by code in the module, for runtimes in which
//! the host cannot refuse it: the WebAssembly of JavaScript engines. Counts no fuel.
//!
//! The module gets two more globals, which it imports from [`GROWTH_MODULE`] after its other
//! imports: [`GROWTH_LEFT`], an `i64` with the bytes by which memories and tables together may
//! still grow, and [`GROWTH_REFUSED`], an `i32` with the reason of the last refusal, or 0. Several
//! modules and the host share them.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, Function, ImportSection, Instruction, Module, SectionId, ValType,
};
use wasmparser::{FuncType, FunctionBody, Imports, Operator, Parser, Payload, TypeRef};

use crate::added_globals::{AddedGlobals, moved};
use crate::error::InstrumentError;

/// The name of the module from which the globals for growth are imported.
pub const GROWTH_MODULE: &str = "sandboard:growth";
/// The name of the global with the bytes by which memories and tables may still grow, an `i64`.
pub const GROWTH_LEFT: &str = "left";
/// The name of the global with the reason of the last refusal, an `i32`.
pub const GROWTH_REFUSED: &str = "refused";

/// The reason of a refusal: fewer bytes are left.
pub const REFUSED_BYTES: i32 = 1;
/// The reason of a refusal: a table would have too many elements.
pub const REFUSED_ELEMENTS: i32 = 2;
/// The reason of a refusal: the runtime had less memory than the limits allow.
pub const REFUSED_BY_RUNTIME: i32 = 3;

/// The most pages of a memory whose addresses have 32 bits.
const PAGES_MAX: u64 = 1 << 16;

/// The bytes that growth takes of [`GROWTH_LEFT`], and the largest table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLimits {
    /// The bytes that each element of a table counts.
    pub element_bytes: u32,
    /// The most elements of a table, whatever its own maximum is.
    pub elements_max: u32,
}

/// The sizes of what a module defines itself, before it grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinedSizes {
    /// For each memory, its size in pages of 64 KiB and its own maximum.
    pub memories: Vec<(u64, Option<u64>)>,
    /// For each table, its number of elements and its own maximum.
    pub tables: Vec<(u64, Option<u64>)>,
}

/// The sizes of the memories and tables that a module defines.
///
/// # Errors
///
/// The module is malformed.
pub fn defined_sizes(module: &[u8]) -> Result<DefinedSizes, InstrumentError> {
    let mut sizes = DefinedSizes::default();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::MemorySection(memories) => {
                for memory in memories {
                    let memory = memory?;
                    sizes.memories.push((memory.initial, memory.maximum));
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    let ty = table?.ty;
                    sizes.tables.push((ty.initial, ty.maximum));
                }
            }
            _ => {}
        }
    }
    Ok(sizes)
}

/// Rewrites a valid module so that `memory.grow` and `table.grow` return -1 where they would exceed
/// the limits. The module's own maximum is compared first; reaching it is not a refusal.
///
/// # Errors
///
/// The module is malformed.
pub fn limit_growth(module: &[u8], limits: TableLimits) -> Result<Vec<u8>, InstrumentError> {
    let mut sections = Sections::read(module, limits)?;
    let mut limited = Module::new();
    sections
        .parse_core_module(&mut limited, Parser::new(0), module)
        .map_err(|error| InstrumentError::Reencode(error.to_string()))?;
    Ok(limited.finish())
}

/// Writes the sections of a module with other functions.
struct Sections {
    limits: TableLimits,
    imported_globals: u32,
    /// The maximum of each memory, in pages.
    memories: Vec<Option<u64>>,
    /// The type of the elements of each table, and its maximum.
    tables: Vec<(wasmparser::RefType, Option<u64>)>,
    types: Vec<FuncType>,
    /// For each function of the section of code, the index of its type.
    functions: Vec<u32>,
    written_functions: usize,
    added: AddedGlobals,
}

impl Sections {
    fn read(module: &[u8], limits: TableLimits) -> Result<Self, InstrumentError> {
        let globals = [(GROWTH_LEFT, ValType::I64), (GROWTH_REFUSED, ValType::I32)];
        let mut sections = Self {
            limits,
            imported_globals: 0,
            memories: Vec::new(),
            tables: Vec::new(),
            types: Vec::new(),
            functions: Vec::new(),
            written_functions: 0,
            added: AddedGlobals::new(GROWTH_MODULE, globals),
        };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    for group in types {
                        // The module is valid, and has no other types than those of functions.
                        let functions = group?.into_types().map(|ty| ty.unwrap_func().clone());
                        sections.types.extend(functions);
                    }
                }
                Payload::ImportSection(imports) => {
                    for group in imports {
                        let Imports::Single(_, import) = group? else { continue };
                        match import.ty {
                            TypeRef::Global(_) => sections.imported_globals += 1,
                            TypeRef::Memory(ty) => sections.memories.push(ty.maximum),
                            TypeRef::Table(ty) => {
                                sections.tables.push((ty.element_type, ty.maximum));
                            }
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    for ty in functions {
                        sections.functions.push(ty?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        let ty = table?.ty;
                        sections.tables.push((ty.element_type, ty.maximum));
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        sections.memories.push(memory?.maximum);
                    }
                }
                _ => {}
            }
        }
        Ok(sections)
    }

    /// The global with the bytes that are left.
    fn left(&self) -> u32 {
        self.imported_globals
    }

    /// The global with the reason of the last refusal.
    fn refused(&self) -> u32 {
        self.imported_globals + 1
    }

    /// The number of parameters of the function that is written next.
    fn next_params(&mut self) -> u32 {
        let ty = self.functions.get(self.written_functions).copied().unwrap_or(0);
        self.written_functions += 1;
        self.types.get(ty as usize).map_or(0, |ty| ty.params().len() as u32)
    }

    /// `memory.grow` with the pages in a local.
    fn memory_grow(&self, memory: u32, pages: u32) -> Vec<Instruction<'static>> {
        use Instruction as I;
        let size = [I::MemorySize(memory)];
        // No memory can have more, so that more is no refusal either.
        let maximum = self.memories.get(memory as usize).copied().flatten();
        let maximum = Some(maximum.unwrap_or(PAGES_MAX).min(PAGES_MAX));
        let grow = [I::LocalGet(pages), I::MemoryGrow(memory)];
        let mut code = vec![I::LocalSet(pages)];
        self.guarded(&mut code, &size, pages, maximum, |guard, code| {
            guard.within_bytes(code, pages, 1 << 16, &grow);
        });
        code
    }

    /// `table.grow` with the number of elements and their value in locals.
    fn table_grow(&self, table: u32, elements: u32, value: u32) -> Vec<Instruction<'static>> {
        use Instruction as I;
        let TableLimits { element_bytes, elements_max } = self.limits;
        let size = [I::TableSize(table)];
        let maximum = self.tables.get(table as usize).and_then(|(_, maximum)| *maximum);
        let own = maximum.filter(|maximum| *maximum < u64::from(elements_max));
        let grow = [I::LocalGet(value), I::LocalGet(elements), I::TableGrow(table)];
        let mut code = vec![I::LocalSet(elements), I::LocalSet(value)];
        self.guarded(&mut code, &size, elements, own, |guard, code| {
            code.extend(exceeds(&size, elements, elements_max.into()));
            code.push(I::If(BlockType::Result(ValType::I32)));
            code.extend(guard.refuse(REFUSED_ELEMENTS));
            code.push(I::Else);
            guard.within_bytes(code, elements, element_bytes, &grow);
            code.push(I::End);
        });
        code
    }

    /// Adds what `inner` adds, if the size and the local together do not exceed a maximum.
    fn guarded(
        &self,
        code: &mut Vec<Instruction<'static>>,
        size: &[Instruction<'static>],
        more: u32,
        maximum: Option<u64>,
        inner: impl FnOnce(&Self, &mut Vec<Instruction<'static>>),
    ) {
        use Instruction as I;
        let Some(maximum) = maximum else { return inner(self, code) };
        code.extend(exceeds(size, more, maximum));
        code.extend([I::If(BlockType::Result(ValType::I32)), I::I32Const(-1), I::Else]);
        inner(self, code);
        code.push(I::End);
    }

    /// Grows by the number in a local, if that many times `each_bytes` are left.
    fn within_bytes(
        &self,
        code: &mut Vec<Instruction<'static>>,
        more: u32,
        each_bytes: u32,
        grow: &[Instruction<'static>],
    ) {
        use Instruction as I;
        let bytes =
            [I::LocalGet(more), I::I64ExtendI32U, I::I64Const(each_bytes.into()), I::I64Mul];
        code.extend(bytes.clone());
        code.extend([I::GlobalGet(self.left()), I::I64GtU]);
        code.push(I::If(BlockType::Result(ValType::I32)));
        code.extend(self.refuse(REFUSED_BYTES));
        code.extend([I::Else, I::GlobalGet(self.left())]);
        code.extend(bytes);
        code.extend([I::I64Sub, I::GlobalSet(self.left())]);
        code.extend_from_slice(grow);
        code.extend([I::LocalTee(more), I::I32Const(-1), I::I32Eq, I::If(BlockType::Empty)]);
        code.extend([I::I32Const(REFUSED_BY_RUNTIME), I::GlobalSet(self.refused()), I::End]);
        code.extend([I::LocalGet(more), I::End]);
    }

    fn refuse(&self, reason: i32) -> [Instruction<'static>; 3] {
        use Instruction as I;
        [I::I32Const(reason), I::GlobalSet(self.refused()), I::I32Const(-1)]
    }
}

/// Whether a size and the number in a local are more than a maximum together.
fn exceeds(
    size: &[Instruction<'static>],
    more: u32,
    maximum: u64,
) -> impl IntoIterator<Item = Instruction<'static>> {
    use Instruction as I;
    let mut code = size.to_vec();
    code.extend([I::I64ExtendI32U, I::LocalGet(more), I::I64ExtendI32U, I::I64Add]);
    code.extend([I::I64Const(maximum.cast_signed()), I::I64GtU]);
    code
}

impl Reencode for Sections {
    type Error = Infallible;

    fn global_index(&mut self, global: u32) -> Result<u32, Error> {
        Ok(moved(global, self.imported_globals))
    }

    /// Adds the section of imports to a module that lacks it.
    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), Error> {
        self.added.add_section_before(module, before);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_import_section(self, imports, section)?;
        self.added.add_to(imports);
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut locals = Vec::new();
        let mut next = self.next_params();
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            next = next.saturating_add(count);
            locals.push((count, self.val_type(ty)?));
        }
        // A number, and values of the types that tables have.
        let first_own = next;
        let mut own: Vec<ValType> = Vec::new();
        let mut local_of = |ty: ValType| {
            let position = own.iter().position(|known| *known == ty).unwrap_or(own.len());
            if position == own.len() {
                own.push(ty);
            }
            first_own + position as u32
        };
        let mut instructions = Vec::new();
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            match reader.read()? {
                Operator::MemoryGrow { mem } => {
                    instructions.extend(self.memory_grow(mem, local_of(ValType::I32)));
                }
                Operator::TableGrow { table } => {
                    let ty = self.tables.get(table as usize).map(|(ty, _)| *ty);
                    let ty = self.ref_type(ty.unwrap_or(wasmparser::RefType::FUNCREF))?;
                    let (elements, value) = (local_of(ValType::I32), local_of(ValType::Ref(ty)));
                    instructions.extend(self.table_grow(table, elements, value));
                }
                operator => instructions.push(self.instruction(operator)?),
            }
        }
        locals.extend(own.iter().map(|ty| (1, *ty)));
        let mut function = Function::new(locals);
        for instruction in &instructions {
            function.instruction(instruction);
        }
        code.function(&function);
        Ok(())
    }
}
