//! Writes a manifest from the descriptions of engines. Does not validate it; see
//! [`parse`](super::parse).

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use sandboard_abi::{ABI, Description, Kind, OptionSpec};

use super::{ModuleKind, PackLimits};
use sandboard_protocols::{Dialect, ProtocolConfig};

/// An engine to write into a manifest.
#[derive(Clone, Debug)]
pub struct ManifestEngine<'a> {
    pub id: &'a str,
    /// The kind of its module.
    pub kind: ModuleKind,
    /// The file with its code.
    pub code: CodeFile<'a>,
    /// Its own description.
    pub description: &'a Description,
    /// How the host talks to an external engine.
    pub protocol: Option<&'a ProtocolConfig>,
    /// The files of the pack that it may read.
    pub assets: &'a [ManifestAsset],
    /// The resources that it requests.
    pub limits: PackLimits,
}

/// Where the code of an engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFile<'a> {
    /// In this file, relative to the pack.
    Module(&'a str),
    /// In this program of the machine, an absolute path.
    Program(&'a str),
}

/// A file that an engine may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestAsset {
    /// The name by which the engine requests it.
    pub name: String,
    /// Its path, relative to the pack.
    pub path: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Writes the manifest of a pack with these engines.
pub fn write(engines: &[ManifestEngine]) -> std::io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let abi = ABI.to_string();
    writer
        .create_element("EngineConfigs")
        .with_attribute(("abi", abi.as_str()))
        .write_inner_content(|writer| {
            engines.iter().try_for_each(|engine| write_engine(writer, engine))
        })?;
    let mut text = String::from_utf8(writer.into_inner()).map_err(std::io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn write_engine(writer: &mut Writer<Vec<u8>>, engine: &ManifestEngine) -> std::io::Result<()> {
    let about = engine.description;
    let (code, file) = match engine.code {
        CodeFile::Module(file) => ("module", file),
        CodeFile::Program(file) => ("program", file),
    };
    let dialect = engine.protocol.map_or(Dialect::Same, |config| config.dialect);
    let moves = if dialect == Dialect::Same { "" } else { dialect.word() };
    let attributes = [
        ("id", engine.id),
        ("name", &about.name),
        ("author", &about.author),
        ("version", &about.version),
        ("kind", engine.kind.word()),
        ("protocol", engine.protocol.map_or("", |config| config.protocol.word())),
        ("moves", moves),
        (code, file),
    ];
    let given = attributes.into_iter().filter(|(_, value)| !value.is_empty());
    writer.create_element("Engine").with_attributes(given).write_inner_content(|writer| {
        for game in &about.games {
            let variants = game.variants.join(" ");
            let attributes = [("id", game.game.as_str()), ("variants", &variants)];
            let given = attributes.into_iter().filter(|(_, value)| !value.is_empty());
            let start = BytesStart::new("Game").with_attributes(given);
            writer.write_event(Event::Empty(start))?;
        }
        let PackLimits { memory_bytes, usable_bytes, start_ms, log_bytes } = engine.limits;
        let limits = [
            ("memory_bytes", memory_bytes),
            ("usable_bytes", usable_bytes),
            ("start_ms", start_ms),
            ("log_bytes", log_bytes),
        ];
        let mut start = BytesStart::new("Limits");
        for (name, number) in limits {
            if let Some(number) = number {
                start.push_attribute((name, number.to_string().as_str()));
            }
        }
        if engine.limits != PackLimits::default() {
            writer.write_event(Event::Empty(start))?;
        }
        for argument in engine.protocol.iter().flat_map(|config| &config.arguments) {
            let start = BytesStart::new("Argument").with_attributes([("value", argument.as_str())]);
            writer.write_event(Event::Empty(start))?;
        }
        for option in &about.options {
            writer.write_event(Event::Empty(option_start(option, engine.protocol)))?;
        }
        engine.assets.iter().try_for_each(|asset| {
            let attributes =
                [("name", &*asset.name), ("path", &asset.path), ("sha256", &asset.sha256)];
            let mut start = BytesStart::new("Asset").with_attributes(attributes);
            let paths = engine.protocol.map_or(&[][..], |config| &config.asset_paths);
            if let Some((_, path)) = paths.iter().find(|(name, _)| *name == asset.name) {
                start.push_attribute(("visible_at", path.as_str()));
            }
            writer.write_event(Event::Empty(start))
        })
    })?;
    Ok(())
}

fn option_start(option: &OptionSpec, protocol: Option<&ProtocolConfig>) -> BytesStart<'static> {
    let mut start = BytesStart::new("Option");
    let mut add = |name: &str, value: &str| start.push_attribute((name, value));
    add("name", &option.name);
    let protocol_name = protocol.map_or(&*option.name, |config| config.option_name(&option.name));
    if protocol_name != option.name {
        add("protocol_name", protocol_name);
    }
    if !option.about.is_empty() {
        add("about", &option.about);
    }
    match &option.kind {
        Kind::Toggle => add("kind", "toggle"),
        Kind::Whole(min, max) => {
            add("kind", "whole");
            add("min", &min.to_string());
            add("max", &max.to_string());
        }
        Kind::Real(min, max) => {
            add("kind", "real");
            add("min", &min.to_string());
            add("max", &max.to_string());
        }
        Kind::Pick(words) => {
            add("kind", "pick");
            add("values", &words.join(" "));
        }
        Kind::Text(max) => {
            add("kind", "text");
            add("max_bytes", &max.to_string());
        }
    }
    add("default", &option.initial);
    if option.tunable {
        add("tunable", "true");
    }
    start
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sandboard_abi::GameSpec;
    use sandboard_games::Games;

    use super::*;
    use crate::manifest::parse;
    use sandboard_protocols::Protocol;

    #[test]
    fn written_manifests_parse_to_the_same_engines() {
        let option = |name: &str, kind, initial: &str, tunable| OptionSpec {
            name: name.into(),
            about: "less < more & \"all\"".into(),
            kind,
            initial: initial.into(),
            tunable,
        };
        let description = Description {
            id: "alpha".into(),
            name: "Alpha & <Beta>".into(),
            author: "A. \"Author\" 'x'".into(),
            version: "0.1.0".into(),
            games: vec![GameSpec { game: "gomoku".into(), variants: vec!["freestyle".into()] }],
            options: vec![
                option("deep", Kind::Whole(-1, 64), "8", true),
                option("greed", Kind::Real(-1.5, 0.1), "0.05", false),
                option("book", Kind::Toggle, "true", false),
                option("style", Kind::Pick(vec!["calm".into(), "wild".into()]), "wild", false),
                option("motto", Kind::Text(16), "a < b", false),
            ],
            ..Description::default()
        };
        let engine = |id: &'static str, kind, module: &'static str| ManifestEngine {
            id,
            kind,
            code: CodeFile::Module(module),
            description: &description,
            protocol: None,
            assets: &[],
            limits: PackLimits::default(),
        };
        let limits = PackLimits {
            memory_bytes: Some(1 << 20),
            usable_bytes: Some(1 << 19),
            start_ms: Some(7),
            log_bytes: Some(0),
        };
        let protocol =
            ProtocolConfig { protocol: Protocol::Sandboard, ..ProtocolConfig::default() };
        let program = engine("alpha-program", ModuleKind::External, "alpha");
        let text = write(&[
            engine("alpha", ModuleKind::Wasm, "alpha.wasm"),
            engine("alpha-native", ModuleKind::Native, "alpha.so"),
            ManifestEngine { protocol: Some(&protocol), limits, ..program },
        ])
        .unwrap();
        let manifest = parse(Path::new("m.xml"), text.as_bytes(), &Games::default());
        assert_eq!(manifest.all_faults(), [], "in\n{text}");
        let [wasm, native, program] = &manifest.engines[..] else {
            panic!("three engines in\n{text}")
        };
        let protocol_config = program.protocol_config.clone().unwrap();
        assert_eq!((protocol_config.protocol, program.limits), (Protocol::Sandboard, limits));
        assert_eq!(protocol_config.usable_bytes, Some(1 << 19));
        assert_eq!((wasm.id.as_str(), native.id.as_str()), ("alpha", "alpha-native"));
        assert_eq!(wasm.options, description.options);
        assert_eq!(wasm.games, description.games);
        assert_eq!((&wasm.name, &wasm.author), (&description.name, &description.author));
        assert_eq!(native.module.as_ref().unwrap().text, "alpha.so");
    }

    #[test]
    fn programs_have_arguments_option_names_and_assets() {
        let option = |name: &str| OptionSpec {
            name: name.into(),
            about: String::new(),
            kind: Kind::Toggle,
            initial: "false".into(),
            tunable: false,
        };
        let description = Description {
            version: "1".into(),
            games: vec![GameSpec { game: "xiangqi".into(), variants: Vec::new() }],
            options: vec![option("own-book"), option("nnue")],
            ..Description::default()
        };
        let protocol = ProtocolConfig {
            protocol: Protocol::Uci,
            dialect: Dialect::RanksFromOne,
            arguments: vec!["--fast".into(), "a \"b\" <c>".into()],
            option_names: vec![("own-book".into(), "Own Book".into())],
            asset_paths: vec![("n.nnue".into(), "/usr/share/fish/n.nnue".into())],
            usable_bytes: None,
        };
        let sha256 = "0".repeat(64);
        let asset = ManifestAsset { name: "n.nnue".into(), path: "files/n.nnue".into(), sha256 };
        let engine = ManifestEngine {
            id: "fish",
            kind: ModuleKind::External,
            code: CodeFile::Program("/usr/games/fish"),
            description: &description,
            protocol: Some(&protocol),
            assets: std::slice::from_ref(&asset),
            limits: PackLimits::default(),
        };
        let text = write(&[engine]).unwrap();
        let manifest = parse(Path::new("m.xml"), text.as_bytes(), &Games::default());
        assert_eq!(manifest.all_faults(), [], "in\n{text}");
        let [fish] = &manifest.engines[..] else { panic!("one engine in\n{text}") };
        assert_eq!(fish.protocol_config.as_ref(), Some(&protocol));
        assert_eq!(fish.program.as_ref().unwrap().text, "/usr/games/fish");
        let assets = fish.assets.iter().map(|it| (&*it.name, &*it.path.text));
        assert_eq!(assets.collect::<Vec<_>>(), [("n.nnue", "files/n.nnue")]);
        assert_eq!(fish.options, description.options);
    }
}
