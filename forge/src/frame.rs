//! The component around a core module that keeps to the border's canonical names: its imports, its exports, and how texts and
//! records are read between them (Component Model, `CanonicalABI.md`).
//!
//! Invariant: nothing of a stranger's module is read here. A frame is made around a hollow module of our own with the
//! same names; then the stranger's bytes are put in its place, and whoever does so has the whole looked at afterwards.

use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_parser::abi::{WasmSignature, WasmType};
use wit_parser::{
    LiftLowerAbi, ManglingAndAbi, Resolve, WasmExport, WasmExportKind, WasmImport, WorldItem,
};

use crate::component::{WASI_MODULE, WASI_STUB, WIT, encode_with, resolved};

pub use wit_component::StringEncoding as Texts;

/// The module that stands in for WASI preview 1: what it exports can be imported.
pub const STUB: &[u8] = WASI_STUB;
/// The module that WASI preview 1 is imported from.
pub const WASI: &str = WASI_MODULE;

const NAMES: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);
/// The memory that texts and records lie in.
pub const MEMORY: &str = "memory";
/// The start of a module that has one: called before all else.
const INITIALIZE: &str = "_initialize";
const REALLOC: &str = "cabi_realloc";

/// A function of a core module at the border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The module that it is imported from; of an export none.
    pub module: String,
    /// Its name.
    pub name: String,
    /// What it takes and gives: `(i32 i64) -> (i32)`.
    pub signature: String,
    types: (Vec<ValType>, Vec<ValType>),
}

/// The canonical names of the border of engines.
#[derive(Debug)]
pub struct Names {
    /// What a module may import, and nothing else.
    pub imports: Vec<Call>,
    /// What it has to export, [`MEMORY`] beside.
    pub needed: Vec<Call>,
    /// What it may export beside: called after a call whose answer has been read, or before all.
    pub optional: Vec<Call>,
}

impl Names {
    /// Those of this [`WIT`]. Err: it is broken.
    pub fn get() -> Result<&'static Self> {
        static NAMES: OnceLock<Names> = OnceLock::new();
        match NAMES.get() {
            Some(names) => Ok(names),
            None => Self::read().map(|names| NAMES.get_or_init(|| names)),
        }
    }

    fn read() -> Result<Self> {
        let (resolve, world) = resolved(WIT)?;
        let world = &resolve.worlds[world];
        let realloc = Call::of("", REALLOC, &[ValType::I32; 4], &[ValType::I32]);
        let mut names = Self {
            imports: Vec::new(),
            needed: vec![realloc],
            optional: vec![Call::of("", INITIALIZE, &[], &[])],
        };
        for (key, item) in &world.imports {
            for func in functions(&resolve, item) {
                let import = WasmImport::Func { interface: Some(key), func };
                let (module, name) = resolve.wasm_import_name(NAMES, import);
                let signature = resolve.wasm_signature(NAMES.import_variant(), func);
                names.imports.push(Call::signed(&module, &name, &signature));
            }
        }
        for (key, item) in &world.exports {
            for func in functions(&resolve, item) {
                let name = |kind| {
                    let export = WasmExport::Func { interface: Some(key), func, kind };
                    resolve.wasm_export_name(NAMES, export)
                };
                let signature = resolve.wasm_signature(NAMES.export_variant(), func);
                let call = Call::signed("", &name(WasmExportKind::Normal), &signature);
                // What has no answer in memory has nothing to give back.
                if signature.retptr {
                    let post = name(WasmExportKind::PostReturn);
                    names.optional.push(Call::of("", &post, &call.types.1, &[]));
                }
                names.needed.push(call);
            }
        }
        Ok(names)
    }
}

fn functions<'a>(
    resolve: &'a Resolve,
    item: &WorldItem,
) -> impl Iterator<Item = &'a wit_parser::Function> {
    let interface = match item {
        WorldItem::Interface { id, .. } => Some(&resolve.interfaces[*id]),
        WorldItem::Function(_) | WorldItem::Type { .. } => None,
    };
    interface.into_iter().flat_map(|interface| interface.functions.values())
}

impl Call {
    /// A function of WASI preview 1, in whose place the [stub](STUB) stands; types as [`signature`](Self::signature) has them. None:
    /// they are none.
    pub fn of_wasi(name: &str, signature: &str) -> Option<Self> {
        let (params, results) = signature.split_once(" -> ")?;
        let types = |list: &str| {
            let list = list.strip_prefix('(')?.strip_suffix(')')?;
            list.split_ascii_whitespace().map(named_type).collect::<Option<Vec<ValType>>>()
        };
        Some(Self::of(WASI_MODULE, name, &types(params)?, &types(results)?))
    }

    fn of(module: &str, name: &str, params: &[ValType], results: &[ValType]) -> Self {
        Self {
            module: module.to_owned(),
            name: name.to_owned(),
            signature: format!("({}) -> ({})", listed(params), listed(results)),
            types: (params.to_vec(), results.to_vec()),
        }
    }

    fn signed(module: &str, name: &str, signature: &WasmSignature) -> Self {
        let types = |of: &[WasmType]| of.iter().map(|ty| core_type(*ty)).collect::<Vec<ValType>>();
        Self::of(module, name, &types(&signature.params), &types(&signature.results))
    }
}

fn core_type(ty: WasmType) -> ValType {
    match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    }
}

fn named_type(word: &str) -> Option<ValType> {
    match word {
        "i32" => Some(ValType::I32),
        "i64" => Some(ValType::I64),
        "f32" => Some(ValType::F32),
        "f64" => Some(ValType::F64),
        _ => None,
    }
}

/// Types of a signature in words: `i32 i64`.
fn listed(types: &[ValType]) -> String {
    let word = |ty: &ValType| match ty {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "v128",
        ValType::Ref(_) => "ref",
    };
    types.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// What a frame has to know of a module.
pub struct Shape<'a> {
    /// How its texts are encoded.
    pub texts: Texts,
    /// What it imports, in its order: of [`Names::imports`] and of WASI preview 1.
    pub imports: &'a [&'a Call],
    /// Of what is [optional](Names::optional), what it exports.
    pub exports: &'a [&'a Call],
}

/// The component with these bytes as its module, of this shape, which exports all that is [needed](Names::needed). The bytes are
/// not looked at.
pub fn around(module: &[u8], shape: &Shape<'_>) -> Result<Vec<u8>> {
    let names = Names::get()?;
    let exports = names.needed.iter().chain(shape.exports.iter().copied());
    let hollow = hollow(shape.imports.iter().copied(), exports);
    let has_wasi = shape.imports.iter().any(|call| call.module == WASI);
    let mut embedded = hollow.clone();
    let (resolve, world) = resolved(WIT)?;
    wit_component::embed_component_metadata(&mut embedded, &resolve, world, shape.texts)?;
    let frame = encode_with(&embedded, has_wasi)?;
    let (from, to) = first_module(&frame).context("a frame has no module")?;
    ensure!(
        frame.get(from.1..to).is_some_and(|inner| inner.starts_with(&hollow)),
        "the first module of a frame is another one"
    );
    let mut component = frame[..from.0].to_vec();
    component.push(CORE_MODULE);
    push_leb(&mut component, module.len());
    component.extend_from_slice(module);
    component.extend_from_slice(&frame[to..]);
    Ok(component)
}

/// A module with these names in which nothing happens.
fn hollow<'a>(
    imports: impl Iterator<Item = &'a Call>,
    exports: impl Iterator<Item = &'a Call>,
) -> Vec<u8> {
    let (mut types, mut imported) = (TypeSection::new(), ImportSection::new());
    let (mut functions, mut memories) = (FunctionSection::new(), MemorySection::new());
    let (mut exported, mut code) = (ExportSection::new(), CodeSection::new());
    let mut type_of = |call: &Call| {
        let (params, results) = call.types.clone();
        types.ty().function(params, results);
        types.len() - 1
    };
    for call in imports {
        imported.import(&call.module, &call.name, EntityType::Function(type_of(call)));
    }
    for (index, call) in (imported.len()..).zip(exports) {
        functions.function(type_of(call));
        exported.export(&call.name, ExportKind::Func, index);
        let mut body = Function::new([]);
        body.instructions().unreachable().end();
        code.function(&body);
    }
    let (minimum, maximum, page_size_log2) = (0, None, None);
    memories.memory(MemoryType {
        minimum,
        maximum,
        memory64: false,
        shared: false,
        page_size_log2,
    });
    exported.export(MEMORY, ExportKind::Memory, 0);
    let mut module = Module::new();
    module.section(&types).section(&imported).section(&functions).section(&memories);
    module.section(&exported).section(&code);
    module.finish()
}

/// The bytes of a component's first module; none: it has none, or is cut short.
pub fn module_of(component: &[u8]) -> Option<&[u8]> {
    let ((_, inner), end) = first_module(component)?;
    component.get(inner..end)
}

/// The id of a section that holds a core module (Component Model, `Binary.md`).
const CORE_MODULE: u8 = 1;
/// Magic number and version.
const PREAMBLE: usize = 8;

/// The first module of a component: where its section and its bytes begin, and where both end.
fn first_module(component: &[u8]) -> Option<((usize, usize), usize)> {
    let mut at = PREAMBLE;
    loop {
        let id = *component.get(at)?;
        let (length, inner) = read_leb(component, at + 1)?;
        let end = inner.checked_add(length)?;
        if id == CORE_MODULE {
            return Some(((at, inner), end));
        }
        at = end;
    }
}

/// A number of 32 bits as LEB128, and where it ends.
fn read_leb(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number, at));
        }
    }
    None
}

fn push_leb(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_has_these_names() {
        let names = Names::get().unwrap();
        let signature = |calls: &[Call], name: &str| {
            let call = calls.iter().find(|call| call.name == name);
            call.map(|call| call.signature.clone()).unwrap_or_default()
        };
        assert_eq!(names.imports.len(), 9);
        assert_eq!(names.needed.len(), 1 + 6);
        assert_eq!(signature(&names.imports, "left"), "() -> (i64)");
        assert_eq!(
            signature(&names.needed, "sandboard:engine/engine@1.0.0#played"),
            "(i32 i32) -> (i32)"
        );
        assert_eq!(signature(&names.needed, "cabi_realloc"), "(i32 i32 i32 i32) -> (i32)");
        let post = "cabi_post_sandboard:engine/engine@1.0.0#describe";
        assert_eq!(signature(&names.optional, post), "(i32) -> ()");
        assert_eq!(signature(&names.needed, "sandboard:engine/engine@1.0.0#described"), "");
    }

    #[test]
    fn a_frame_holds_the_bytes_it_is_given() {
        let names = Names::get().unwrap();
        for texts in [Texts::UTF8, Texts::UTF16, Texts::CompactUTF16] {
            for length in [0, 1, 127, 128, 20_000] {
                let module = vec![7; length];
                let optional: Vec<&Call> = names.optional.iter().collect();
                let wasi = Call::of_wasi("proc_exit", "(i32) -> ()").unwrap();
                let shape =
                    Shape { texts, imports: &[&names.imports[0], &wasi], exports: &optional };
                let component = around(&module, &shape).unwrap();
                assert_eq!(module_of(&component), Some(&module[..]));
            }
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u32::MAX as usize] {
            let mut bytes = Vec::new();
            push_leb(&mut bytes, number);
            assert_eq!(read_leb(&bytes, 0), Some((number, bytes.len())));
            assert_eq!(read_leb(&bytes[..bytes.len() - 1], 0), None);
        }
    }
}
