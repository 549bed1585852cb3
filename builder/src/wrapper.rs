//! Wraps a core module that uses the canonical names of the engine interface into a component,
//! which converts strings and records between module and host (Component Model, `CanonicalABI.md`).
//!
//! Invariant: no byte of an untrusted module is parsed here. A wrapper is made around an empty
//! module of our own with the same imports and exports. The untrusted bytes then replace the empty
//! module, and the caller has the whole component validated.

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

use crate::component::{WIT, encode_component, resolve_world};

pub use crate::component::{WASI_MODULE, WASI_STUB};

pub use wit_component::StringEncoding;

const NAMES: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);
/// The exported memory through which strings and records are passed.
pub const MEMORY: &str = "memory";
/// The optional start function of a module, called before every other export.
const INITIALIZE: &str = "_initialize";
const REALLOC: &str = "cabi_realloc";

/// A function that a core module imports or exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreFunction {
    /// The name of the module that it is imported from; empty for an export.
    pub module: String,
    pub name: String,
    /// Parameters and results, such as `(i32 i64) -> (i32)`.
    pub signature: String,
    types: (Vec<ValType>, Vec<ValType>),
}

/// The imports and exports of the engine interface, by their canonical names.
#[derive(Debug)]
pub struct InterfaceNames {
    /// The functions that a module may import.
    pub imports: Vec<CoreFunction>,
    /// The functions that a module must export, in addition to [`MEMORY`].
    pub required_exports: Vec<CoreFunction>,
    /// The functions that a module may export: its start function, and for each call a function
    /// that frees the result after the host has read it.
    pub optional_exports: Vec<CoreFunction>,
}

impl InterfaceNames {
    /// The names in [`WIT`], read once. An error if the text is invalid.
    pub fn get() -> Result<&'static Self> {
        static NAMES: OnceLock<InterfaceNames> = OnceLock::new();
        match NAMES.get() {
            Some(names) => Ok(names),
            None => Self::read().map(|names| NAMES.get_or_init(|| names)),
        }
    }

    fn read() -> Result<Self> {
        let (resolve, world) = resolve_world(WIT)?;
        let world = &resolve.worlds[world];
        let realloc = CoreFunction::of("", REALLOC, &[ValType::I32; 4], &[ValType::I32]);
        let mut names = Self {
            imports: Vec::new(),
            required_exports: vec![realloc],
            optional_exports: vec![CoreFunction::of("", INITIALIZE, &[], &[])],
        };
        for (key, item) in &world.imports {
            for func in functions(&resolve, item) {
                let import = WasmImport::Func { interface: Some(key), func };
                let (module, name) = resolve.wasm_import_name(NAMES, import);
                let signature = resolve.wasm_signature(NAMES.import_variant(), func);
                names.imports.push(CoreFunction::signed(&module, &name, &signature));
            }
        }
        for (key, item) in &world.exports {
            for func in functions(&resolve, item) {
                let name = |kind| {
                    let export = WasmExport::Func { interface: Some(key), func, kind };
                    resolve.wasm_export_name(NAMES, export)
                };
                let signature = resolve.wasm_signature(NAMES.export_variant(), func);
                let call = CoreFunction::signed("", &name(WasmExportKind::Normal), &signature);
                // Only results in memory need to be freed.
                if signature.retptr {
                    let post = name(WasmExportKind::PostReturn);
                    names.optional_exports.push(CoreFunction::of("", &post, &call.types.1, &[]));
                }
                names.required_exports.push(call);
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

impl CoreFunction {
    /// A function of WASI preview 1, which the [stub](WASI_STUB) provides. The signature is written
    /// like [`Self::signature`]; none if it is invalid.
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
            signature: format!("({}) -> ({})", type_list(params), type_list(results)),
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

/// The types of a signature as text: `i32 i64`.
fn type_list(types: &[ValType]) -> String {
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

/// The imports, exports and strings of a module that is to be wrapped.
pub struct ModuleShape<'a> {
    /// The encoding of its strings.
    pub strings: StringEncoding,
    /// Its imports in their order, from [`InterfaceNames::imports`] and WASI preview 1.
    pub imports: &'a [&'a CoreFunction],
    /// Those of the [optional](InterfaceNames::optional_exports) functions that it exports.
    pub exports: &'a [&'a CoreFunction],
}

/// Wraps a module of this shape, which exports everything that is
/// [required](InterfaceNames::required_exports), into a component. The module is not parsed.
pub fn wrap_untrusted(module: &[u8], shape: &ModuleShape<'_>) -> Result<Vec<u8>> {
    let names = InterfaceNames::get()?;
    let exports = names.required_exports.iter().chain(shape.exports.iter().copied());
    let empty = empty_module(shape.imports.iter().copied(), exports);
    let has_wasi = shape.imports.iter().any(|call| call.module == WASI_MODULE);
    let mut embedded = empty.clone();
    let (resolve, world) = resolve_world(WIT)?;
    wit_component::embed_component_metadata(&mut embedded, &resolve, world, shape.strings)?;
    let wrapper = encode_component(&embedded, has_wasi)?;
    let (from, to) = first_module(&wrapper).context("the wrapper has no module")?;
    ensure!(
        wrapper.get(from.1..to).is_some_and(|inner| inner.starts_with(&empty)),
        "the first module of the wrapper is not the empty one"
    );
    let mut component = wrapper[..from.0].to_vec();
    component.push(CORE_MODULE);
    push_leb(&mut component, module.len());
    component.extend_from_slice(module);
    component.extend_from_slice(&wrapper[to..]);
    Ok(component)
}

/// A module with these imports and exports, whose functions only trap.
fn empty_module<'a>(
    imports: impl Iterator<Item = &'a CoreFunction>,
    exports: impl Iterator<Item = &'a CoreFunction>,
) -> Vec<u8> {
    let (mut types, mut imported) = (TypeSection::new(), ImportSection::new());
    let (mut functions, mut memories) = (FunctionSection::new(), MemorySection::new());
    let (mut exported, mut code) = (ExportSection::new(), CodeSection::new());
    let mut type_of = |call: &CoreFunction| {
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

/// The bytes of a component's first module. None: it has no module, or is truncated.
pub fn module_of(component: &[u8]) -> Option<&[u8]> {
    let ((_, inner), end) = first_module(component)?;
    component.get(inner..end)
}

/// The id of a section that holds a core module (Component Model, `Binary.md`).
const CORE_MODULE: u8 = 1;
/// The length of magic number and version, in bytes.
const PREAMBLE_BYTES: usize = 8;

/// The offsets of a component's first module: of its section, of its bytes, and the end of both.
fn first_module(component: &[u8]) -> Option<((usize, usize), usize)> {
    let mut at = PREAMBLE_BYTES;
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

/// Reads an unsigned LEB128 number of up to 32 bits; returns it with the offset after it.
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
    fn the_interface_has_these_names() {
        let names = InterfaceNames::get().unwrap();
        let signature = |calls: &[CoreFunction], name: &str| {
            let call = calls.iter().find(|call| call.name == name);
            call.map(|call| call.signature.clone()).unwrap_or_default()
        };
        assert_eq!(names.imports.len(), 9);
        assert_eq!(names.required_exports.len(), 1 + 6);
        assert_eq!(signature(&names.imports, "left"), "() -> (i64)");
        assert_eq!(
            signature(&names.required_exports, "sandboard:engine/engine@1.0.0#played"),
            "(i32 i32) -> (i32)"
        );
        assert_eq!(
            signature(&names.required_exports, "cabi_realloc"),
            "(i32 i32 i32 i32) -> (i32)"
        );
        let post = "cabi_post_sandboard:engine/engine@1.0.0#describe";
        assert_eq!(signature(&names.optional_exports, post), "(i32) -> ()");
        assert_eq!(
            signature(&names.required_exports, "sandboard:engine/engine@1.0.0#described"),
            ""
        );
    }

    #[test]
    fn the_component_has_the_given_module() {
        let names = InterfaceNames::get().unwrap();
        for strings in [StringEncoding::UTF8, StringEncoding::UTF16, StringEncoding::CompactUTF16] {
            for length in [0, 1, 127, 128, 20_000] {
                let module = vec![7; length];
                let optional: Vec<&CoreFunction> = names.optional_exports.iter().collect();
                let wasi = CoreFunction::of_wasi("proc_exit", "(i32) -> ()").unwrap();
                let shape = ModuleShape {
                    strings,
                    imports: &[&names.imports[0], &wasi],
                    exports: &optional,
                };
                let component = wrap_untrusted(&module, &shape).unwrap();
                assert_eq!(module_of(&component), Some(&module[..]));
            }
        }
    }

    #[test]
    fn written_numbers_are_read_back() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u32::MAX as usize] {
            let mut bytes = Vec::new();
            push_leb(&mut bytes, number);
            assert_eq!(read_leb(&bytes, 0), Some((number, bytes.len())));
            assert_eq!(read_leb(&bytes[..bytes.len() - 1], 0), None);
        }
    }
}
