//! Wraps a core module that uses the ABI's canonical names into a component. Does not change the
//! module: the engine's hash is that of the file.
//!
//! The encoding of strings is part of the file, so that the hash determines it: the section that
//! `wasm-tools component embed` and wit-bindgen add. Without that section strings are UTF-8.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use sandboard_abi::limits;
use sandboard_builder::wrapper::{
    CoreFunction, InterfaceNames, MEMORY, ModuleShape, StringEncoding, WASI_MODULE, WASI_STUB,
    wrap_untrusted,
};
use sandboard_common::text::{clean_text, quoted};
use wasmparser::types::{EntityType, Types};
use wasmparser::{CompositeInnerType, FuncType, Parser, Payload};

use super::{LoadCaps, ScanError, import_advice, scan_types};

/// Number of faults that an error names; others are counted.
const NAMED_FAULTS: usize = 4;

/// Prefix of the names of custom sections that contain the world of a module, and the encoding of
/// its strings.
const WORLD_SECTION: &str = "component-type";
/// Name of the section in a world that contains the encoding.
const ENCODING_SECTION: &str = "wit-component-encoding";
/// Version of that section.
const ENCODING_VERSION: u8 = 4;

/// Scans a core module and wraps it into a component, which is not scanned yet. Err: the first
/// reason not to compile the module, or the names that are not those of the ABI.
pub(super) fn wrap(bytes: &[u8], caps: &LoadCaps) -> Result<Vec<u8>, ScanError> {
    let types = scan_types(bytes, caps)?;
    let names =
        InterfaceNames::get().map_err(|error| core_module_error(&[error.to_string()], None))?;
    let module = Module::read(bytes, &types)?;
    let wasi = module.wasi_imports()?;
    let foreign = module.foreign_imports(names, &wasi);
    let mut faults: Vec<String> = foreign.iter().map(|(fault, _)| fault.clone()).collect();
    faults.extend(module.export_faults(names));
    if !faults.is_empty() {
        // No advice for imports from this ABI's own interface: only the function is unknown.
        let is_other = |module: &&str| names.imports.iter().all(|call| call.module != **module);
        let advice =
            import_advice::find(foreign.iter().map(|(_, module)| *module).filter(is_other));
        return Err(core_module_error(&faults, advice));
    }
    let has = |call: &&CoreFunction| module.exports.get(&*call.name).is_some_and(|it| it.is(call));
    let exports: Vec<&CoreFunction> = names.optional_exports.iter().filter(has).collect();
    let imports = module.known_imports(names, &wasi);
    let shape =
        ModuleShape { strings: module.string_encoding()?, imports: &imports, exports: &exports };
    wrap_untrusted(bytes, &shape).map_err(|error| core_module_error(&[error.to_string()], None))
}

/// The error for a core module with these faults.
fn core_module_error(faults: &[String], advice: Option<&'static str>) -> ScanError {
    let mut reason =
        faults.iter().take(NAMED_FAULTS).map(String::as_str).collect::<Vec<_>>().join(", ");
    if faults.len() > NAMED_FAULTS {
        reason = format!("{reason} and {} more", faults.len() - NAMED_FAULTS);
    }
    ScanError::CoreModule { reason: clean_text(&reason, limits::REASON_BYTES), advice }
}

/// Imports, exports and worlds of a module.
struct Module<'a> {
    imports: Vec<(&'a str, &'a str, Item)>,
    exports: BTreeMap<&'a str, Item>,
    worlds: Vec<&'a [u8]>,
}

/// An import or export.
enum Item {
    /// A function and its signature: `(i32 i64) -> (i32)`.
    Function(String),
    Memory,
    /// Anything else, by kind.
    Other(&'static str),
}

impl Item {
    fn is(&self, call: &CoreFunction) -> bool {
        matches!(self, Self::Function(signature) if *signature == call.signature)
    }
}

impl<'a> Module<'a> {
    /// Reads a valid module with these types.
    fn read(bytes: &'a [u8], types: &'a Types) -> Result<Self, ScanError> {
        let types = types.as_ref();
        let item = |entity| match entity {
            EntityType::Func(id) => match &types[id].composite_type.inner {
                CompositeInnerType::Func(function) => Item::Function(signature(function)),
                _ => Item::Other("type"),
            },
            EntityType::Memory(_) => Item::Memory,
            EntityType::Table(_) => Item::Other("table"),
            EntityType::Global(_) => Item::Other("global"),
            _ => Item::Other("tag"),
        };
        let imports = types.core_imports().into_iter().flatten();
        let exports = types.core_exports().into_iter().flatten();
        let mut module = Self {
            imports: imports.map(|(from, name, entity)| (from, name, item(entity))).collect(),
            exports: exports.map(|(name, entity)| (name, item(entity))).collect(),
            worlds: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            if let Payload::CustomSection(section) = payload?
                && section.name().starts_with(WORLD_SECTION)
            {
                module.worlds.push(section.data());
            }
        }
        Ok(module)
    }

    /// The imported functions of WASI preview 1 that the stub has, once each.
    fn wasi_imports(&self) -> Result<Vec<CoreFunction>, ScanError> {
        let types = scan_types(WASI_STUB, &LoadCaps::default())?;
        let stub = Module::read(WASI_STUB, &types)?;
        let mut once = BTreeSet::new();
        let names = self
            .imports
            .iter()
            .filter(|(from, name, _)| *from == WASI_MODULE && once.insert(*name));
        let calls = names.filter_map(|(_, name, _)| match stub.exports.get(name)? {
            Item::Function(signature) => CoreFunction::of_wasi(name, signature),
            Item::Memory | Item::Other(_) => None,
        });
        Ok(calls.collect())
    }

    /// The imported functions of the ABI and of WASI preview 1, in the module's order.
    fn known_imports<'c>(
        &self,
        names: &'c InterfaceNames,
        wasi: &'c [CoreFunction],
    ) -> Vec<&'c CoreFunction> {
        let known = |(from, name, _): &(&str, &str, Item)| {
            let mut all = names.imports.iter().chain(wasi);
            all.find(|call| call.module == *from && call.name == *name)
        };
        self.imports.iter().filter_map(known).collect()
    }

    /// The faults of imports that are not in the ABI, with the imported module's name.
    fn foreign_imports(
        &self,
        names: &InterfaceNames,
        wasi: &[CoreFunction],
    ) -> Vec<(String, &'a str)> {
        let mut once = BTreeSet::new();
        let fault = |(from, name, item): &(&'a str, &'a str, Item)| {
            let (from, name) = (*from, *name);
            if !once.insert((from, name)) {
                // Components require unique imports.
                return Some((format!("imports {} of {} twice", quoted(name), quoted(from)), from));
            }
            let is_known = |call: &&CoreFunction| call.module == from && call.name == name;
            let fault = match names.imports.iter().chain(wasi).find(is_known) {
                None => format!("imports {} of {}", quoted(name), quoted(from)),
                Some(call) => {
                    mismatch(item, call).map(|it| format!("imports {}{it}", quoted(name)))?
                }
            };
            Some((fault, from))
        };
        self.imports.iter().filter_map(fault).collect()
    }

    /// The faults of missing or wrong exports.
    fn export_faults(&self, names: &InterfaceNames) -> Vec<String> {
        let memory = match self.exports.get(MEMORY) {
            Some(Item::Memory) => None,
            Some(_) => Some(format!("exports {}, which is not a memory", quoted(MEMORY))),
            None => Some(format!("exports no {}", quoted(MEMORY))),
        };
        let required =
            names.required_exports.iter().filter_map(|call| match self.exports.get(&*call.name) {
                Some(item) => {
                    mismatch(item, call).map(|it| format!("exports {}{it}", quoted(&call.name)))
                }
                None => Some(format!("exports no {}", quoted(&call.name))),
            });
        let optional = names.optional_exports.iter().filter_map(|call| {
            let item = self.exports.get(&*call.name)?;
            mismatch(item, call).map(|it| format!("exports {}{it}", quoted(&call.name)))
        });
        memory.into_iter().chain(required).chain(optional).collect()
    }

    /// The encoding of the module's strings.
    fn string_encoding(&self) -> Result<StringEncoding, ScanError> {
        let mut found = None;
        for world in &self.worlds {
            let encoding = encoding_of_world(world)?;
            if found.is_some_and(|other| other != encoding) {
                let fault =
                    format!("has `{WORLD_SECTION}` sections that name two string encodings");
                return Err(core_module_error(&[fault], None));
            }
            found = Some(encoding);
        }
        Ok(found.unwrap_or(StringEncoding::UTF8))
    }
}

/// The encoding that a world names. A world must be a complete component of types only, so that it
/// cannot be read in two ways.
fn encoding_of_world(world: &[u8]) -> Result<StringEncoding, ScanError> {
    let error = |what: &str| {
        core_module_error(&[format!("has a `{WORLD_SECTION}` section that {what}")], None)
    };
    let mut encodings = Vec::new();
    for payload in Parser::new(0).parse_all(world) {
        let payload =
            payload.map_err(|e| error(&format!("is damaged at its byte {}", e.offset())))?;
        match payload {
            Payload::CustomSection(section) if section.name() == ENCODING_SECTION => {
                encodings.push(section.data());
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                return Err(error("holds more than types"));
            }
            _ => {}
        }
    }
    match encodings[..] {
        [[ENCODING_VERSION, 0]] => Ok(StringEncoding::UTF8),
        [[ENCODING_VERSION, 1]] => Ok(StringEncoding::UTF16),
        [[ENCODING_VERSION, 2]] => Ok(StringEncoding::CompactUTF16),
        [_, _, ..] => Err(error("names a string encoding twice")),
        _ => Err(error("names no known string encoding")),
    }
}

/// How an item differs from a function of the ABI; none: it does not.
fn mismatch(item: &Item, call: &CoreFunction) -> Option<String> {
    match item {
        Item::Function(signature) if *signature == call.signature => None,
        Item::Function(signature) => {
            Some(format!(" as {signature}, where the ABI has {}", call.signature))
        }
        Item::Memory => Some(" as a memory, where the ABI has a function".to_owned()),
        Item::Other(what) => Some(format!(" as a {what}, where the ABI has a function")),
    }
}

/// A function type in the format of [`CoreFunction::signature`].
fn signature(function: &FuncType) -> String {
    let listed = |types: &[wasmparser::ValType]| {
        types.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    format!("({}) -> ({})", listed(function.params()), listed(function.results()))
}
