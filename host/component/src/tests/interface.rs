//! The interfaces and the layouts of their values are those of the WIT texts, as other
//! implementations read these.

use sandboard_abi::{
    Barred, Choice, Description, GAME_WIT, GameSpec, Limits, Line, OptionSpec, Setup, View, WIT,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::abi::WasmType;
use wit_parser::{
    Function, Interface as WitInterface, LiftLowerAbi, ManglingAndAbi, Resolve, SizeAlign,
    WasmExport, WasmExportKind, WasmImport, WorldId, WorldItem, WorldKey,
};

use crate::canonical::{Layout, Value};
use crate::judge::{Outcome, Played, PlayoutResults, PositionFault, Started, Turn};
use crate::{CoreModules, ENGINE, Interface, JUDGE, Source};

fn resolve(wit: &str) -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("interface.wit", wit).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    (resolve, world)
}

/// The names of core functions.
const NAMES: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// A component that imports and exports everything of the WIT text, made by `wit-component`.
fn component(wit: &str) -> Vec<u8> {
    let (resolve, id) = resolve(wit);
    let world = &resolve.worlds[id];
    let mut text = r#"(module (memory (export "memory") 1)
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)"#
        .to_owned();
    let mut imports = String::new();
    for (key, interface) in interfaces(&resolve, &world.imports) {
        for func in interface.functions.values() {
            let import = WasmImport::Func { interface: Some(key), func };
            let (module, name) = resolve.wasm_import_name(NAMES, import);
            let signature = signature(&resolve, func, NAMES.import_variant());
            imports += &format!("(import \"{module}\" \"{name}\" (func {signature}))");
        }
    }
    for (key, interface) in interfaces(&resolve, &world.exports) {
        for func in interface.functions.values() {
            let kind = WasmExportKind::Normal;
            let export = WasmExport::Func { interface: Some(key), func, kind };
            let name = resolve.wasm_export_name(NAMES, export);
            let signature = signature(&resolve, func, NAMES.export_variant());
            text += &format!("(func (export \"{name}\") {signature} unreachable)");
        }
    }
    let text = text.replacen("(module", &format!("(module {imports}"), 1) + ")";
    let mut module = wat::parse_str(text).unwrap();
    embed_component_metadata(&mut module, &resolve, id, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

fn interfaces<'a>(
    resolve: &'a Resolve,
    items: impl IntoIterator<Item = (&'a WorldKey, &'a WorldItem)>,
) -> impl Iterator<Item = (&'a WorldKey, &'a WitInterface)> {
    items.into_iter().filter_map(|(key, item)| match item {
        WorldItem::Interface { id, .. } => Some((key, &resolve.interfaces[*id])),
        _ => None,
    })
}

/// The signature of a core function in the text format.
fn signature(resolve: &Resolve, func: &Function, variant: wit_parser::abi::AbiVariant) -> String {
    let signature = resolve.wasm_signature(variant, func);
    let list = |types: &[WasmType]| {
        let word = |of: &WasmType| match of {
            WasmType::I64 => " i64",
            WasmType::F32 => " f32",
            WasmType::F64 => " f64",
            _ => " i32",
        };
        types.iter().map(word).collect::<String>()
    };
    format!("(param{}) (result{})", list(&signature.params), list(&signature.results))
}

/// The name of the export with this index.
fn export_name(module: &[u8], index: usize) -> &str {
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        if let wasmparser::Payload::ExportSection(exports) = payload.unwrap() {
            return exports.into_iter().nth(index).unwrap().unwrap().name;
        }
    }
    panic!("the module has no exports")
}

#[test]
fn a_component_of_the_wit_text_fits_the_interface() {
    let check = |wit: &str, interface: &'static Interface| {
        let bytes = component(wit);
        let component = CoreModules::read(&bytes, interface).unwrap();
        let wiring = &component.wiring;
        assert_eq!(wiring.lifted.len(), interface.exported.len());
        let mut imported: Vec<_> = wiring.lowered.iter().map(|lowered| lowered.function).collect();
        imported.sort_unstable();
        assert_eq!(imported, Vec::from_iter(0..interface.imported.len()));
        for (lifted, function) in wiring.lifted.iter().zip(interface.exported) {
            let Source::Export { instance, export } = lifted.core else { panic!("{lifted:?}") };
            let name = export_name(component.modules[wiring.instances[instance].module], export);
            assert!(name.ends_with(function.name), "{name}, {}", function.name);
        }
    };
    check(WIT, &ENGINE);
    check(GAME_WIT, &JUDGE);
}

#[test]
fn layouts_are_those_of_the_wit_text() {
    let check = |wit: &str, name: &str, layout: Layout| {
        let (resolve, _) = resolve(wit);
        let mut sizes = SizeAlign::default();
        sizes.fill(&resolve);
        let mut types = resolve.types.iter();
        let (id, _) = types.find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap();
        let of = wit_parser::Type::Id(id);
        let expected = (sizes.size(&of).size_wasm32(), sizes.align(&of).align_wasm32());
        assert_eq!((layout.bytes as usize, layout.align as usize), expected, "{name}");
        let mut flat = [wit_parser::abi::WasmType::I32; 64];
        let mut flat = wit_parser::abi::FlatTypes::new(&mut flat);
        assert!(resolve.push_flat(&of, &mut flat));
        assert_eq!(layout.flat, flat.to_vec().len(), "{name}");
    };
    check(WIT, "description", Description::LAYOUT);
    check(WIT, "option-spec", OptionSpec::LAYOUT);
    check(WIT, "game-spec", GameSpec::LAYOUT);
    check(WIT, "setup", Setup::LAYOUT);
    check(WIT, "limits", Limits::LAYOUT);
    check(WIT, "barred", Barred::LAYOUT);
    check(WIT, "line", Line::LAYOUT);
    check(WIT, "choice", Choice::LAYOUT);
    check(WIT, "view", View::LAYOUT);
    check(GAME_WIT, "turn", Turn::LAYOUT);
    check(GAME_WIT, "outcome", Outcome::LAYOUT);
    check(GAME_WIT, "started", Started::LAYOUT);
    check(GAME_WIT, "played", Played::LAYOUT);
    check(GAME_WIT, "playout-results", PlayoutResults::LAYOUT);
    check(GAME_WIT, "position-fault", PositionFault::LAYOUT);
}
