//! Core modules with the ABI's names instead of components: they play the same moves as their
//! component, under the hash of their own file.

use std::sync::Arc;

use sandboard_abi::{Decision, Limits, Setup, Unit};
use sandboard_builder::wrapper::module_of;
use sandboard_contest::similarity::Fingerprint;
use sandboard_engine::{Caps, EngineSource, Fault, NullListener, Resources};
use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_packs::catalog::inspect_bytes;
use sandboard_packs::manifest::ModuleKind;
use sandboard_tests::{built, gomoku, in_language, runtime};

use crate::cli::TestHome;

/// The core module inside a component that `wit-component` made.
fn core_of(component: &[u8]) -> Vec<u8> {
    module_of(component).expect("it holds a module").to_vec()
}

/// Adds a custom section with the module's world, as `wasm-tools component embed` does, reduced to
/// the string encoding.
fn embedded(mut module: Vec<u8>, encoding: u8) -> Vec<u8> {
    let world =
        format!("(component (@custom \"wit-component-encoding\" \"\\04\\{encoding:02x}\"))");
    let world = wat::parse_str(world).unwrap();
    let name = b"component-type:mine";
    let length = 1 + name.len() + world.len();
    assert!(length < 128, "a length of one byte");
    module.extend([0, length as u8, name.len() as u8]);
    module.extend(name);
    module.extend(world);
    module
}

/// The engine's decision and the fuel it used.
fn chosen(bytes: &[u8]) -> Result<(Decision, Option<u64>), Fault> {
    let caps = Caps::default();
    let module = WasmModule::load(runtime(), bytes, Metering::Fuel, caps, Resources::default())?;
    let mut engine = module.open(Arc::new(NullListener), 1)?;
    engine.start(&Setup { moves: "h8 a1".into(), ..gomoku(&[]) })?;
    let limits = Limits { unit: Unit::Fuel, call_max: Some(200_000_000), ..Limits::default() };
    let answer = engine.choose(&limits, &[])?;
    Ok((answer.choice.decision, answer.spent.fuel))
}

#[test]
fn a_core_module_plays_as_its_component_does() {
    // Go's imports WASI preview 1.
    let others = ["zig-simple", "go-simple"].map(in_language);
    let paths = [built("gomoku-simple.wasm"), built("c-minimal.wasm")].into_iter().chain(others);
    for path in paths {
        let component = std::fs::read(&path).unwrap();
        let core = core_of(&component);
        let expected = chosen(&component);
        assert_eq!(chosen(&core), expected, "{}", path.display());
        let caps = LoadCaps::default();
        let prints = [&core, &component].map(|bytes| Fingerprint::of_file(bytes, &caps));
        assert!(prints[0].is_ok() && prints[0] == prints[1], "{}", path.display());
        assert_eq!(chosen(&embedded(core, 0)), expected, "{}", path.display());
    }
}

#[test]
fn the_module_declares_utf_16_texts() {
    let component = std::fs::read(in_language("assemblyscript-simple")).unwrap();
    let core = core_of(&component);
    let expected = chosen(&component);
    assert!(expected.is_ok(), "{expected:?}");
    assert_eq!(chosen(&embedded(core.clone(), 1)), expected);
    // Read as UTF-8, its texts name no game or are invalid.
    assert_ne!(chosen(&core), expected);
}

#[test]
fn a_core_module_in_the_engines_folder_is_sound_and_has_its_own_hash() {
    let home = TestHome::without_engines();
    let folder = home.file("engines");
    std::fs::create_dir(&folder).unwrap();
    let core = core_of(&std::fs::read(in_language("zig-simple")).unwrap());
    std::fs::write(folder.join("bare-1.0.0.gomoku.wasm"), &core).unwrap();
    let check = ["check", "bare", "--variant", "freestyle-5", "--engines-dir", "engines", "--json"];
    let object: serde_json::Value =
        serde_json::from_str(&home.succeed(&check, "")).expect("it is JSON");
    assert_eq!(object["failed"], 0, "{object}");
    let listing = home.succeed(&["list", "--json", "--engines-dir", "engines"], "");
    let facts = inspect_bytes(&core, ModuleKind::Wasm, runtime().load_caps());
    assert!(listing.contains(&facts.sha256), "{listing}");
    // A module without a name of the ABI is refused with that name.
    std::fs::write(folder.join("other-1.0.0.gomoku.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let ended = home.run(&["analyse", "other", "--engines-dir", "engines"], "{}");
    assert!(ended.err.contains("canonical names: it exports no `memory`"), "{}", ended.err);
}
