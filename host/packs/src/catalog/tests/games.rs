//! Scans of engines folders with plugged-in games.

use super::super::module::fixtures::judge;
use super::*;

/// A manifest with a game of this id, version and further attributes, and other elements.
fn rules(id: &str, version: &str, attributes: &str, more: &str) -> Vec<u8> {
    format!(
        "<EngineConfigs abi=\"1\">\n<GameRules id=\"{id}\" version=\"{version}\" \
         sides=\"red blue\" module=\"g.wasm\" {attributes}><Variant id=\"standard\"/>\
         </GameRules>{more}\n</EngineConfigs>\n"
    )
    .into_bytes()
}

/// The folder's games, one line each: `source:line id version`, then `usable` or the faults.
fn list_games(catalog: &Catalog) -> Vec<String> {
    let line = |game: &GameEntry| {
        let faults: Vec<String> = game.faults().iter().map(PackFault::to_string).collect();
        let status = if faults.is_empty() { "usable".into() } else { faults.join(" | ") };
        let place = game.source.display();
        format!("{place}:{} {} {}: {status}", game.line, game.id, game.version)
    };
    catalog.game_entries.iter().map(line).collect()
}

fn check_games(files: &[(&str, &[u8])], wanted: &[&str]) {
    let dir = folder(files);
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    assert_eq!(list_games(&catalog), wanted);
}

#[test]
fn engines_of_all_packs_may_play_the_games_of_a_pack() {
    let wasm = component(1, "");
    let engine = |id: &str, game: &str| {
        format!("<Engine id=\"{id}\" version=\"1\" {WASM}><Game id=\"{game}\"/></Engine>")
    };
    let own = rules("plies", "2.0", "", &engine("own", "plies"));
    let other = format!("<EngineConfigs abi=\"1\">{}</EngineConfigs>", engine("other", "plies"));
    let wrong = format!("<EngineConfigs abi=\"1\">{}</EngineConfigs>", engine("wrong", "plys"));
    let dir = folder(&[
        ("a/EngineConfigs.xml", other.as_bytes()),
        ("a/m.wasm", &wasm),
        ("b/EngineConfigs.xml", wrong.as_bytes()),
        ("b/m.wasm", &wasm),
        ("g/EngineConfigs.xml", &own),
        ("g/g.wasm", &judge(1, "")),
        ("g/m.wasm", &wasm),
        ("bare-1.plies.wasm", &wasm),
    ]);
    assert_eq!(
        list_entries(dir.path()),
        [
            "a/EngineConfigs.xml:1 other 1: usable",
            "b/EngineConfigs.xml:1 wrong 1: b/EngineConfigs.xml:1: Game/@id: unknown game `plys`; \
             did you mean `plies`?",
            "bare-1.plies.wasm bare 1: usable",
            "g/EngineConfigs.xml:2 own 1: usable",
        ]
    );
    let loader = GameLoader::default();
    let catalog = Catalog::scan(dir.path(), &loader).unwrap();
    assert_eq!(list_games(&catalog), ["g/EngineConfigs.xml:2 plies 2.0: usable"]);
    let info = catalog.games.find("plies").unwrap();
    assert_eq!(
        (info.name, info.sides, info.variants[0].id),
        ("plies", &["red", "blue"][..], "standard")
    );
    assert_eq!(info.plugged_in.unwrap().sha256, sha256_hex(&judge(1, "")));
    let again = Catalog::scan(dir.path(), &loader).unwrap();
    assert!(std::ptr::eq(info, again.games.find("plies").unwrap()), "the row is made once");
    // These rules have no functions, which only shows when they are compiled.
    let error = (info.new)(&info.default_variant(), None).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("the rules of plies failed: cannot be loaded: "), "{error}");
    fs::write(dir.path().join("g/g.wasm"), b"other").unwrap();
    let error = (info.new)(&info.default_variant(), None).map(drop).unwrap_err().to_string();
    assert!(error.contains("has changed since it was listed"), "{error}");
}

#[test]
fn the_highest_usable_version_of_a_game_is_played() {
    let wasm = judge(1, "");
    let files = [
        ("a/EngineConfigs.xml", rules("plies", "1.9", "", "")),
        ("b/EngineConfigs.xml", rules("plies", "1.10", "name=\"Newest\"", "")),
        ("c/EngineConfigs.xml", rules("plies", "1.10", "", "")),
        ("d/EngineConfigs.xml", rules("plies", "2.0", "", "")),
    ];
    let mut files: Vec<(&str, &[u8])> = files.iter().map(|(name, xml)| (*name, &**xml)).collect();
    files.extend(["a/g.wasm", "b/g.wasm", "c/g.wasm"].map(|name| (name, &*wasm)));
    let dir = folder(&files);
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    assert_eq!(
        list_games(&catalog),
        [
            "a/EngineConfigs.xml:2 plies 1.9: usable",
            "b/EngineConfigs.xml:2 plies 1.10: usable",
            "c/EngineConfigs.xml:2 plies 1.10: c/EngineConfigs.xml:2: GameRules/@id: `plies` 1.10 \
             already exists in b/EngineConfigs.xml:2",
            "d/EngineConfigs.xml:2 plies 2.0: d/EngineConfigs.xml:2: GameRules/@module: `g.wasm`: \
             no such file",
        ]
    );
    assert_eq!(catalog.games.find("plies").unwrap().name, "Newest");
    let json = serde_json::to_value(&catalog).unwrap();
    assert_eq!(json["games"][1]["version"], "1.10");
    assert_eq!(
        json["games"][1]["variants"],
        serde_json::json!([{"id": "standard", "about": "", "seats": 2}])
    );
}

#[test]
fn modules_that_are_no_rules_are_refused() {
    let check = |module: &[u8], attributes: &str, expected: &str| {
        let xml = rules("plies", "1", attributes, "");
        let files = [("g/EngineConfigs.xml", &*xml), ("g/g.wasm", module)];
        check_games(&files, &[&format!("g/EngineConfigs.xml:2 plies 1: {expected}")]);
    };
    let place = "g/EngineConfigs.xml:2: GameRules/@module: `g.wasm`: ";
    check(&judge(1, ""), "", "usable");
    check(b"", "", &format!("{place}is empty"));
    check(
        b"words",
        "",
        &format!("{place}is not a WebAssembly component, but a file of unknown type"),
    );
    check(&component(1, ""), "", &format!("{place}is an engine, not the rules of a game"));
    let other = wat::parse_str("(component (instance $i) (export \"my:own/thing\" (instance $i)))");
    let export = "exports no `sandboard:game/judge@N.x.y`, but `my:own/thing`";
    check(&other.unwrap(), "", &format!("{place}{export}"));
    check(&judge(2, ""), "", &format!("{place}built for ABI 2; this host speaks ABI 1"));
    let core = "is a core WebAssembly module; the rules of a game must be a component, such as \
                `sandboard build` makes";
    check(&wat::parse_str("(module)").unwrap(), "", &format!("{place}{core}"));
    let hash = sha256_hex(&judge(1, ""));
    check(&judge(1, ""), &format!("sha256=\"{hash}\""), "usable");
    let other = "0".repeat(64);
    let wrong = format!("wrong hash: the file has {hash}, the manifest says {other}");
    let place = "g/EngineConfigs.xml:2: GameRules/@sha256: ";
    check(&judge(1, ""), &format!("sha256=\"{other}\""), &format!("{place}{wrong}"));
    let engine = format!(
        "<EngineConfigs abi=\"1\"><Engine id=\"e\" version=\"1\" {WASM}>\
         <Game id=\"gomoku\"/></Engine></EngineConfigs>"
    );
    let place = "EngineConfigs.xml:1 e 1: EngineConfigs.xml:1: Engine/@module: `m.wasm`: ";
    super::check(
        &[("EngineConfigs.xml", engine.as_bytes()), ("m.wasm", &judge(1, ""))],
        &[&format!("{place}has the rules of a game, and is not an engine")],
    );
}

#[test]
fn games_are_found_by_id_or_version() {
    let wasm = judge(1, "");
    let [old, new, broken] = [
        rules("plies", "1.9", "", ""),
        rules("plies", "1.10", "", ""),
        rules("broken", "1.0", "colour=\"red\"", ""),
    ];
    let dir = folder(&[
        ("a/EngineConfigs.xml", &new),
        ("a/g.wasm", &wasm),
        ("b/EngineConfigs.xml", &old),
        ("b/g.wasm", &wasm),
        ("c/EngineConfigs.xml", &broken),
        ("c/g.wasm", &wasm),
        // The same version again is unusable.
        ("d/EngineConfigs.xml", &old),
        ("d/g.wasm", &wasm),
    ]);
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    let check = |text: &str, expected: Option<&str>| {
        let found = catalog.find_game(text);
        let found = found.map(|game| format!("{} {}", game.source.display(), game.version));
        assert_eq!(found.as_deref(), expected, "{text}");
    };
    check("plies", Some("a/EngineConfigs.xml 1.10"));
    check("plies-1.10", Some("a/EngineConfigs.xml 1.10"));
    check("plies-1.9", Some("b/EngineConfigs.xml 1.9"));
    check("broken", Some("c/EngineConfigs.xml 1.0"));
    for unknown in ["", "Plies", "plies-2.0", "reversi", "plies/"] {
        check(unknown, None);
    }
}
