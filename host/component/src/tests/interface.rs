//! The interfaces and the layouts of their values are those of the WIT texts, as other
//! implementations read these.

use sandboard_abi::{
    Barred, Choice, Description, GAME_WIT, GameSpec, Limits, Line, OptionSpec, Setup, View, WIT,
};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, SizeAlign, WorldId};

use crate::canonical::{Layout, Value};
use crate::judge::{Outcome, Played, PlayoutResults, PositionFault, Started, Turn};
use crate::{ENGINE, Interface, JUDGE, Program, Source};

fn resolve(wit: &str) -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("interface.wit", wit).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    (resolve, world)
}

/// A component that imports and exports everything of the WIT text.
fn dummy(wit: &str) -> Vec<u8> {
    let (resolve, world) = resolve(wit);
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

#[test]
fn a_component_of_the_wit_text_fits_the_interface() {
    let check = |wit: &str, interface: &'static Interface| {
        let bytes = dummy(wit);
        let program = Program::read(&bytes, interface).unwrap();
        let wiring = &program.wiring;
        assert_eq!(wiring.lifted.len(), interface.exported.len());
        let mut imported: Vec<_> = wiring.lowered.clone();
        imported.sort_unstable();
        assert_eq!(imported, Vec::from_iter(0..interface.imported.len()));
        for (lifted, function) in wiring.lifted.iter().zip(interface.exported) {
            let Source::Export { name, .. } = &lifted.core else { panic!("{lifted:?}") };
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
