//! Arbitrary bytes as a manifest: every fault can be displayed and has a valid line number; a
//! manifest without faults is written as an equivalent manifest.

use std::path::Path;

use sandboard_abi::Description;
use sandboard_games::Games;
use sandboard_packs::manifest::{EngineConfig, Manifest, ManifestEngine, parse, write};

/// Reads the bytes as a manifest.
pub fn manifest(bytes: &[u8]) {
    let manifest = read(bytes);
    assert_eq!(manifest, read(bytes), "parsing is deterministic");
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for fault in manifest.all_faults() {
        let text = fault.to_string();
        super::check_displayable(&text);
        assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{text}");
    }
    if manifest.faults.is_empty() {
        // Manifests are not generated for external engines, which do not describe themselves.
        let is_written = |engine: &EngineConfig| engine.protocol_config.is_none();
        let sound = manifest
            .engines
            .into_iter()
            .filter(|engine| engine.faults.is_empty() && is_written(engine));
        check_written(&sound.collect::<Vec<_>>());
    }
}

fn read(bytes: &[u8]) -> Manifest {
    parse(Path::new("EngineConfigs.xml"), bytes, &Games::default())
}

/// The description that a manifest gives of an engine.
fn description(engine: &EngineConfig) -> Description {
    Description {
        id: engine.id.clone(),
        name: engine.name.clone(),
        author: engine.author.clone(),
        version: engine.version.clone(),
        games: engine.games.clone(),
        options: engine.options.clone(),
        ..Description::default()
    }
}

fn check_written(engines: &[EngineConfig]) {
    if engines.is_empty() {
        return;
    }
    let descriptions: Vec<Description> = engines.iter().map(description).collect();
    let written = engines.iter().zip(&descriptions).map(|(engine, description)| ManifestEngine {
        id: &engine.id,
        kind: engine.kind.expect("it has no fault"),
        module: &engine.module.as_ref().expect("it has no fault").text,
        description,
        protocol: engine.protocol_config.as_ref().map(|protocol_config| protocol_config.protocol),
        limits: engine.limits,
    });
    let text = write(&written.collect::<Vec<_>>()).expect("it is written");
    let again = read(text.as_bytes());
    assert_eq!(again.all_faults(), [], "in\n{text}");
    for (parsed, engine) in again.engines.iter().zip(engines) {
        assert_eq!(description(parsed), description(engine), "in\n{text}");
        assert_eq!((parsed.kind, parsed.limits), (engine.kind, engine.limits));
        let module = |engine: &EngineConfig| engine.module.as_ref().map(|m| m.text.clone());
        assert_eq!(module(parsed), module(engine));
    }
    assert_eq!(again.engines.len(), engines.len());
}
