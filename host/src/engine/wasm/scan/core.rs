//! A core module in place of a component: where it keeps to the border's canonical names, the component that it makes. Its hash
//! stays that of the file. How its texts are encoded, the file itself says, since whoever has its hash must know what
//! it is: by the section that `wasm-tools component embed` and wit-bindgen put there; without one they are UTF-8.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use sandboard_abi::limits;
use sandboard_forge::frame::{Call, MEMORY, Names, STUB, Shape, Texts, WASI, around};
use wasmparser::types::{EntityType, Types};
use wasmparser::{CompositeInnerType, FuncType, Parser, Payload};

use super::{LoadCaps, Refusal, advice, types};
use crate::engine::desk::clean_text;
use crate::manifest::quoted;

/// Of what is wrong with its names, so much is told; the rest is counted.
const TOLD: usize = 4;

/// Custom sections whose names begin so tell the world of a module, and how its texts are encoded.
const WORLD_SECTION: &str = "component-type";
/// The section in it that tells the latter, of this version.
const ENCODING_SECTION: &str = "wit-component-encoding";
const ENCODING_VERSION: u8 = 4;

/// The component that a core module makes, which has been looked at itself and not as a component.
/// Err: the first thing that keeps it from being compiled, or how its names are not the border's.
pub(super) fn component(bytes: &[u8], caps: &LoadCaps) -> Result<Vec<u8>, Refusal> {
    let types = types(bytes, caps)?;
    let names = Names::get().map_err(|error| unfit(&[error.to_string()], None))?;
    let module = Module::read(bytes, &types)?;
    let wasi = module.wasi()?;
    let strange = module.strange_imports(names, &wasi);
    let mut wrongs: Vec<String> = strange.iter().map(|(told, _)| told.clone()).collect();
    wrongs.extend(module.missing_exports(names));
    if !wrongs.is_empty() {
        // Of this version's own module nothing is known but that it has no such function.
        let is_other = |module: &&str| names.imports.iter().all(|call| call.module != **module);
        let advice = advice::on(strange.iter().map(|(_, module)| *module).filter(is_other));
        return Err(unfit(&wrongs, advice));
    }
    let has = |call: &&Call| module.exports.get(&*call.name).is_some_and(|it| it.is_of(call));
    let exports: Vec<&Call> = names.optional.iter().filter(has).collect();
    let imports = module.known_imports(names, &wasi);
    let shape = Shape { texts: module.texts()?, imports: &imports, exports: &exports };
    around(bytes, &shape).map_err(|error| unfit(&[error.to_string()], None))
}

fn unfit(wrongs: &[String], advice: Option<&'static str>) -> Refusal {
    let mut reason = wrongs.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    if wrongs.len() > TOLD {
        reason = format!("{reason} and {} more", wrongs.len() - TOLD);
    }
    Refusal::CoreModule { reason: clean_text(&reason, limits::REASON_BYTES), advice }
}

/// What a module takes and gives, as far as it is the border's or should be.
struct Module<'a> {
    imports: Vec<(&'a str, &'a str, Item)>,
    exports: BTreeMap<&'a str, Item>,
    worlds: Vec<&'a [u8]>,
}

/// What is imported or exported.
enum Item {
    /// A function and its signature: `(i32 i64) -> (i32)`.
    Function(String),
    Memory,
    /// What it is.
    Other(&'static str),
}

impl Item {
    fn is_of(&self, call: &Call) -> bool {
        matches!(self, Self::Function(signature) if *signature == call.signature)
    }
}

impl<'a> Module<'a> {
    /// Reads a module that the scan has found to be valid, and of these types.
    fn read(bytes: &'a [u8], types: &'a Types) -> Result<Self, Refusal> {
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

    /// What it imports of WASI preview 1, as far as the stub has it, once each.
    fn wasi(&self) -> Result<Vec<Call>, Refusal> {
        let types = types(STUB, &LoadCaps::default())?;
        let stub = Module::read(STUB, &types)?;
        let mut once = BTreeSet::new();
        let names =
            self.imports.iter().filter(|(from, name, _)| *from == WASI && once.insert(*name));
        let calls = names.filter_map(|(_, name, _)| match stub.exports.get(name)? {
            Item::Function(signature) => Call::of_wasi(name, signature),
            Item::Memory | Item::Other(_) => None,
        });
        Ok(calls.collect())
    }

    /// What it imports of the border and of WASI preview 1, in its order.
    fn known_imports<'c>(&self, names: &'c Names, wasi: &'c [Call]) -> Vec<&'c Call> {
        let known = |(from, name, _): &(&str, &str, Item)| {
            let mut all = names.imports.iter().chain(wasi);
            all.find(|call| call.module == *from && call.name == *name)
        };
        self.imports.iter().filter_map(known).collect()
    }

    /// What it imports that no engine gets, in words, and from which module.
    fn strange_imports(&self, names: &Names, wasi: &[Call]) -> Vec<(String, &'a str)> {
        let mut once = BTreeSet::new();
        let told = |(from, name, item): &(&'a str, &'a str, Item)| {
            let (from, name) = (*from, *name);
            if !once.insert((from, name)) {
                // The rule of components.
                return Some((format!("imports {} of {} twice", quoted(name), quoted(from)), from));
            }
            let is_known = |call: &&Call| call.module == from && call.name == name;
            let words = match names.imports.iter().chain(wasi).find(is_known) {
                None => format!("imports {} of {}", quoted(name), quoted(from)),
                Some(call) => {
                    ill(item, call).map(|ill| format!("imports {}{ill}", quoted(name)))?
                }
            };
            Some((words, from))
        };
        self.imports.iter().filter_map(told).collect()
    }

    /// What it should export and does not, or not so.
    fn missing_exports(&self, names: &Names) -> Vec<String> {
        let memory = match self.exports.get(MEMORY) {
            Some(Item::Memory) => None,
            Some(_) => Some(format!("exports {}, which is no memory", quoted(MEMORY))),
            None => Some(format!("exports no {}", quoted(MEMORY))),
        };
        let needed = names.needed.iter().filter_map(|call| match self.exports.get(&*call.name) {
            Some(item) => ill(item, call).map(|ill| format!("exports {}{ill}", quoted(&call.name))),
            None => Some(format!("exports no {}", quoted(&call.name))),
        });
        let optional = names.optional.iter().filter_map(|call| {
            let item = self.exports.get(&*call.name)?;
            ill(item, call).map(|ill| format!("exports {}{ill}", quoted(&call.name)))
        });
        memory.into_iter().chain(needed).chain(optional).collect()
    }

    /// How its texts are encoded.
    fn texts(&self) -> Result<Texts, Refusal> {
        let mut found = None;
        for world in &self.worlds {
            let texts = encoding(world)?;
            if found.is_some_and(|other| other != texts) {
                let wrong =
                    format!("has `{WORLD_SECTION}` sections that name two encodings of texts");
                return Err(unfit(&[wrong], None));
            }
            found = Some(texts);
        }
        Ok(found.unwrap_or(Texts::UTF8))
    }
}

/// How the texts of a module are encoded with this world: a component of types alone, so that nothing nested is read, and
/// whole, so that nobody reads something else in it.
fn encoding(world: &[u8]) -> Result<Texts, Refusal> {
    let wrong = |what: &str| unfit(&[format!("has a `{WORLD_SECTION}` section that {what}")], None);
    let mut named = Vec::new();
    for payload in Parser::new(0).parse_all(world) {
        match payload
            .map_err(|error| wrong(&format!("is damaged at its byte {}", error.offset())))?
        {
            Payload::CustomSection(section) if section.name() == ENCODING_SECTION => {
                named.push(section.data());
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                return Err(wrong("holds more than types"));
            }
            _ => {}
        }
    }
    match named[..] {
        [[ENCODING_VERSION, 0]] => Ok(Texts::UTF8),
        [[ENCODING_VERSION, 1]] => Ok(Texts::UTF16),
        [[ENCODING_VERSION, 2]] => Ok(Texts::CompactUTF16),
        [_, _, ..] => Err(wrong("names an encoding of texts twice")),
        _ => Err(wrong("names no encoding of texts known here")),
    }
}

/// What is wrong with something that should be this call; none: nothing.
fn ill(item: &Item, call: &Call) -> Option<String> {
    match item {
        Item::Function(signature) if *signature == call.signature => None,
        Item::Function(signature) => {
            Some(format!(" as {signature}, where the border has {}", call.signature))
        }
        Item::Memory => Some(" as a memory, where the border has a function".to_owned()),
        Item::Other(what) => Some(format!(" as a {what}, where the border has a function")),
    }
}

/// In the words of [`Call`].
fn signature(function: &FuncType) -> String {
    let listed = |types: &[wasmparser::ValType]| {
        types.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    format!("({}) -> ({})", listed(function.params()), listed(function.results()))
}
