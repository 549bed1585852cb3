//! Finding engines by id and version, and the JSON form of catalog entries.

use super::super::module::fixtures::component;
use super::super::*;
use super::{WASM, check, folder, manifest};

#[test]
fn duplicate_engines_are_unusable() {
    let wasm = component(1, "");
    let two = manifest(&[&format!("a 1 {WASM}"), &format!("b 1 {WASM}")]);
    check(
        &[
            ("a-1.gomoku.wasm", &wasm),
            ("a-2.gomoku.wasm", &wasm),
            ("p/EngineConfigs.xml", &two),
            ("p/m.wasm", &wasm),
            ("q/EngineConfigs.xml", &two),
            ("q/m.wasm", b"broken"),
            ("r/EngineConfigs.xml", &two),
            ("r/m.wasm", &wasm),
        ],
        &[
            "a-1.gomoku.wasm a 1: usable",
            "a-2.gomoku.wasm a 2: usable",
            "p/EngineConfigs.xml:2 a 1: p/EngineConfigs.xml:2: Engine/@id: `a` 1 already exists \
             in a-1.gomoku.wasm",
            "p/EngineConfigs.xml:3 b 1: usable",
            "q/EngineConfigs.xml:2 a 1: q/EngineConfigs.xml:2: Engine/@module: `m.wasm`: is not a \
             WebAssembly component, but a file of unknown type",
            "q/EngineConfigs.xml:3 b 1: q/EngineConfigs.xml:3: Engine/@module: `m.wasm`: is not a \
             WebAssembly component, but a file of unknown type",
            "r/EngineConfigs.xml:2 a 1: r/EngineConfigs.xml:2: Engine/@id: `a` 1 already exists \
             in a-1.gomoku.wasm",
            "r/EngineConfigs.xml:3 b 1: r/EngineConfigs.xml:3: Engine/@id: `b` 1 already exists \
             in p/EngineConfigs.xml:3",
        ],
    );
}

#[test]
fn find_prefers_usable_then_highest_version() {
    let wasm = component(1, "");
    let dir = folder(&[
        ("a-1.9.gomoku.wasm", &wasm),
        ("a-1.10.gomoku.wasm", &wasm),
        ("a-1.10-rc.1.gomoku.wasm", &wasm),
        ("a-3.gomoku.wasm", b"broken"),
        ("a-1.9-2.gomoku.wasm", &wasm),
        ("bad-1.gomoku.wasm", b""),
    ]);
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    let check = |text: &str, wanted: Result<&str, &str>| {
        let found = catalog.find(text).map(|entry| entry.source.display().to_string());
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, wanted.map(str::to_owned).map_err(str::to_owned), "{text}");
    };
    check("a", Ok("a-1.10.gomoku.wasm"));
    check("a-1.10-rc.1", Ok("a-1.10-rc.1.gomoku.wasm"));
    check("a-1.9", Ok("a-1.9-2.gomoku.wasm"));
    check("a-1.9-2", Ok("a-1.9-2.gomoku.wasm"));
    check(
        "a-3",
        Err("engine `a-3` is unusable: a-3.gomoku.wasm: is not a WebAssembly component, \
                      but a file of unknown type"),
    );
    check("bad", Err("engine `bad` is unusable: bad-1.gomoku.wasm: is empty"));
    check("a-7", Err("no engine `a-7`; did you mean `a`?"));
    check("abd", Err("no engine `abd`; usable engines: `a`, `a-1.9`"));
    check("zebra", Err("no engine `zebra`; usable engines: `a`, `a-1.9`"));
    check("", Err("no engine ``; usable engines: `a`, `a-1.9`"));
    let none = Catalog::default().find("x").unwrap_err().to_string();
    assert_eq!(none, "no engine `x`; the engines folder has no usable engine");
}

#[test]
fn an_unusable_engine_is_found_by_its_own_name() {
    // The whole manifest is rejected, so both engines have the same faults.
    let two = "<EngineConfigs abi=\"99\">\n\
         <Engine id=\"a\" name=\"A\" author=\"N\" version=\"1\" kind=\"wasm\" module=\"m.wasm\">\n\
         <Game id=\"gomoku\"/></Engine>\n\
         <Engine id=\"b\" name=\"B\" author=\"N\" version=\"1\" kind=\"wasm\" module=\"m.wasm\">\n\
         <Game id=\"gomoku\"/></Engine>\n</EngineConfigs>";
    let dir = folder(&[("EngineConfigs.xml", two.as_bytes()), ("m.wasm", &component(1, ""))]);
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    let faults = |id: &str| catalog.find_any(id).map(Entry::faults).unwrap();
    assert_eq!(faults("a"), faults("b"));
    for id in ["a", "b"] {
        assert_eq!(catalog.find_any(id).unwrap().id, id);
        assert!(matches!(catalog.find(id), Err(FindError::Unusable { text, .. }) if text == id));
    }
    assert!(matches!(catalog.find_any("c"), Err(FindError::Unknown { .. })));
}

#[test]
fn versions_are_ordered() {
    let ordered = [
        "0.9",
        "1.0-alpha",
        "1.0-alpha.2",
        "1.0-alpha.10",
        "1.0-rc.1",
        "1.0",
        "1.0.0",
        "1.0.1",
        "1.2",
        "1.2a",
        "1.10",
        "2",
        "10",
        "18446744073709551616",
        "99999999999999999999999",
    ];
    for (index, lower) in ordered.iter().enumerate() {
        for higher in &ordered[index + 1..] {
            assert!(compare_versions(lower, higher).is_lt(), "{lower} < {higher}");
            assert!(compare_versions(higher, lower).is_gt(), "{lower} < {higher}");
        }
    }
}

#[test]
fn entries_serialize_to_json() {
    let option = "<Option name=\"depth\" kind=\"whole\" min=\"1\" max=\"9\" default=\"3\"/>\
                  <Set name=\"depth\" value=\"4\"/>";
    let dir = folder(&[
        ("p/EngineConfigs.xml", &manifest(&[&format!("a 1 {WASM}|{option}")])),
        ("p/m.wasm", &component(1, "")),
        ("b.cwasm", b""),
    ]);
    let json =
        serde_json::to_value(Catalog::scan(dir.path(), &GameLoader::default()).unwrap()).unwrap();
    let [file, engine] = json["entries"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(
        (&file["status"], &file["faults"][0]["file"]),
        (&"unusable".into(), &"b.cwasm".into())
    );
    assert_eq!((&engine["status"], &engine["options_complete"]), (&"usable".into(), &true.into()));
    assert_eq!(engine["options"][0]["kind"], "whole");
    assert_eq!(engine["options"][0]["max"], 9);
    assert_eq!(engine["presets"][0]["value"], "4");
    assert_eq!(engine["games"][0]["game"], "gomoku");
}
