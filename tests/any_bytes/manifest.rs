//! Arbitrary bytes as a manifest: every fault can be displayed and has a valid line number; a
//! manifest without faults is written as an equivalent manifest.

use std::path::Path;

use sandboard_abi::Description;
use sandboard_games::Games;
use sandboard_packs::manifest::{
    AssetConfig, CodeFile, EngineConfig, Manifest, ManifestAsset, ManifestEngine, parse, write,
};

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
        let sound = manifest.engines.into_iter().filter(|engine| engine.faults.is_empty());
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
    let assets = engines.iter().map(|engine| {
        let assets = engine.assets.iter().map(|asset| ManifestAsset {
            name: asset.name.clone(),
            path: asset.path.text.clone(),
            sha256: asset.sha256.text.clone(),
        });
        assets.collect::<Vec<_>>()
    });
    let assets: Vec<Vec<ManifestAsset>> = assets.collect();
    let code = |engine: &EngineConfig| match (&engine.module, &engine.program) {
        (Some(module), _) => (true, module.text.clone()),
        (None, program) => (false, program.as_ref().expect("it has no fault").text.clone()),
    };
    let codes: Vec<(bool, String)> = engines.iter().map(code).collect();
    let parts = descriptions.iter().zip(&assets).zip(&codes);
    let written =
        engines.iter().zip(parts).map(|(engine, ((description, assets), code))| ManifestEngine {
            id: &engine.id,
            kind: engine.kind.expect("it has no fault"),
            code: match code {
                (true, module) => CodeFile::Module(module),
                (false, program) => CodeFile::Program(program),
            },
            description,
            protocol: engine.protocol_config.as_ref(),
            assets,
            limits: engine.limits,
        });
    let text = write(&written.collect::<Vec<_>>()).expect("it is written");
    let again = read(text.as_bytes());
    assert_eq!(again.all_faults(), [], "in\n{text}");
    for (parsed, engine) in again.engines.iter().zip(engines) {
        assert_eq!(description(parsed), description(engine), "in\n{text}");
        assert_eq!((parsed.kind, parsed.limits), (engine.kind, engine.limits));
        assert_eq!(code(parsed), code(engine));
        assert_eq!(parsed.protocol_config, engine.protocol_config);
        let hashes = |engine: &EngineConfig| {
            let hash = |asset: &AssetConfig| (asset.name.clone(), asset.sha256.text.clone());
            engine.assets.iter().map(hash).collect::<Vec<_>>()
        };
        assert_eq!(hashes(parsed), hashes(engine));
    }
    assert_eq!(again.engines.len(), engines.len());
}
