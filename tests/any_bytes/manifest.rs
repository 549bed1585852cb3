//! Any bytes as a manifest: every fault can be shown and names a line that is there;
//! what has no fault is written as a manifest that says the same.

use std::path::Path;

use sandboard_abi::Description;
use sandboard_host::manifest::{EngineConfig, Manifest, Written, parse, write};

/// Reads the bytes as a manifest.
pub fn manifest(bytes: &[u8]) {
    let manifest = read(bytes);
    assert_eq!(manifest, read(bytes), "the same bytes say the same");
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for fault in manifest.all_faults() {
        let text = fault.to_string();
        super::can_be_shown(&text);
        assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{text}");
    }
    if manifest.faults.is_empty() {
        // A program does not describe itself: nobody writes a manifest out of that.
        let is_written = |engine: &EngineConfig| engine.speech.is_none();
        let sound = manifest
            .engines
            .into_iter()
            .filter(|engine| engine.faults.is_empty() && is_written(engine));
        check_written(&sound.collect::<Vec<_>>());
    }
}

fn read(bytes: &[u8]) -> Manifest {
    parse(Path::new("EngineConfigs.xml"), bytes)
}

/// What an engine says of itself, as its manifest has it.
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
    let written = engines.iter().zip(&descriptions).map(|(engine, description)| Written {
        id: &engine.id,
        kind: engine.kind.expect("it has no fault"),
        module: &engine.module.as_ref().expect("it has no fault").text,
        description,
        protocol: engine.speech.as_ref().map(|speech| speech.protocol),
        limits: engine.limits,
    });
    let text = write(&written.collect::<Vec<_>>()).expect("it is written");
    let again = read(text.as_bytes());
    assert_eq!(again.all_faults(), [], "in\n{text}");
    for (told, engine) in again.engines.iter().zip(engines) {
        assert_eq!(description(told), description(engine), "in\n{text}");
        assert_eq!((told.kind, told.limits), (engine.kind, engine.limits));
        let module = |engine: &EngineConfig| engine.module.as_ref().map(|m| m.text.clone());
        assert_eq!(module(told), module(engine));
    }
    assert_eq!(again.engines.len(), engines.len());
}
